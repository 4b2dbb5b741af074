"""The reader takes what models really send, says what was wrong with it, and invents nothing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_cli.llm.replies import MapReply, Point, PrimerReply, RatingReply, RewriteReply, StepReply
from graphrag_cli.llm.structured import read_reply

POINTS = '{"points":[{"description":"a","score":80}]}'
READ = MapReply(points=(Point(description="a", score=80),))

MENDED = {
    "clean": POINTS,
    "fence": f"```json\n{POINTS}\n```",
    "fence in upper case": f"```JSON\n{POINTS}\n```",
    "fence without language": f"```\n{POINTS}\n```",
    "fence without end": f"Here:\n```json\n{POINTS}",
    "prose around": f"Sure {{really}}! As [Data: Reports (1)] says:\n{POINTS}\nHope [this] helps {{you}}.",
    "apostrophe and quote before": f'It\'s "so:\n{POINTS}',
    "two objects": f'{POINTS}\n{{"points":[{{"description":"b","score":1}}]}}',
    "think": f'<think>{{"points":[{{"description":"fake","score":1}}]}} hmm</think>\n{POINTS}',
    "thinking in other tags": f'<Reasoning type="x">{{"points":[]}}</Reasoning>{POINTS}',
    "think in square brackets": f'[THINK]{{"points":[]}}[/THINK]{POINTS}',
    "channels": f'<|channel|>analysis<|message|>{{"points":[]}}<|end|><|start|>assistant<|channel|>final<|message|>{POINTS}<|return|>',
    "closing tag only": f'{{"points":[]}} is not enough</think>{POINTS}',
    "think never closed": f'<think>maybe {{"points":[]}}? no, so\n{POINTS}',
    "think within a fence": f"```json\n<think>{{}}</think>\n{POINTS}\n```",
    "stray tail": POINTS + ']}"',
    "byte order mark": "\ufeff" + POINTS,
    "no closing brackets": POINTS[:-2],
    "no closing bracket, note after": POINTS[:-1] + '\n\nNote: I found "two", and {more}.',
    "cut in the second point": POINTS[:-2] + ',{"description":"b is about","sco',
    "cut in a text": POINTS[:-2] + ',{"description":"b is ab',
    "list at top": '[{"description":"a","score":80}]',
    "item alone": '{"description":"a","score":80}',
    "JSON in a string": json.dumps(POINTS),
    "other key for the list": '{"content":[{"description":"a","score":80}]}',
    "one point, no list": '{"points":{"description":"a","score":80}}',
    "points by number": '{"points":{"1":{"description":"a","score":80}}}',
    "points as JSON in a string": json.dumps({"points": json.dumps([{"description": "a", "score": 80}])}),
    "points with their score in the text": '{"points":["a (score: 80)"]}',
    "points to scores": '{"points":{"a":80}}',
    "points as pairs": '{"points":[["a",80]]}',
    "wrapped": f'{{"result":{POINTS}}}',
    "tool call": json.dumps({"name": "MapReply", "arguments": POINTS}),
    "synonyms": '{"Key Points":[{"Answer":"a","Rating":"80%"}]}',
    "single quotes, trailing commas": "{'points': [{'description': 'a', 'score': 80,},]}",
    "keys without quotes": '{points: [{description: "a", score: 80}]}',
    "comments": '{"points":[ // the list\n{"description":"a","score":80} /* one */]}',
    "no opening bracket": POINTS[1:],
    "quotes escaped": POINTS.replace('"', '\\"'),
    "quotes of HTML": POINTS.replace('"', "&quot;"),
    "quotes of print": '{„points“:[{„description“:„a“,„score“:80}]}',
    "wide signs": '｛"points"：［{"description"："a"，"score"：80}］｝',
    "YAML": "points:\n  - description: a\n    score: 80",
    "YAML in a fence": "So:\n```yaml\npoints:\n- description: a\n  score: 80\n```\nDone: all.",
    "score with its unit": '{"points":[{"description":"a","score":"80分"}]}',
    "score in Chinese": '{"points":[{"description":"a","score":"八十"}]}',
    "score digit by digit": '{"points":[{"description":"a","score":"评分：八〇分"}]}',
    "score in wide digits": '{"points":[{"description":"a","score":"８／１０"}]}',
    "other fields": '{"note":"x","points":[{"id":1,"description":"a","score":80,"data":[1]}]}',
    "score 80/100": '{"points":[{"description":"a","score":"80/100"}]}',
    "score 8/10": '{"points":[{"description":"a","score":"8/10"}]}',
    "score in words and digits": '{"points":[{"description":"a","score":"Score: 80 (high)"}]}',
    "score in an object": '{"points":[{"description":"a","score":{"value":80}}]}',
    "one point without score": '{"points":[{"description":"a","score":80},{"description":"b"}]}',
    "one point with a word": '{"points":[{"description":"a","score":80},{"description":"b","score":"high"}]}',
    "one point with NaN": '{"points":[{"description":"a","score":80},{"description":"b","score":NaN}]}',
    "one point with null": '{"points":[{"description":"a","score":80},{"description":"b","score":null}]}',
    "one point without text": '{"points":[{"description":"a","score":80},{"description":" ","score":9}]}',
}  # fmt: skip


@pytest.mark.parametrize("text", MENDED.values(), ids=MENDED.keys())
def test_a_map_reply_is_read_from(text: str) -> None:
    assert read_reply(text, MapReply)[0] == READ


@pytest.mark.parametrize(
    ("name", "defect"),
    [
        ("fence", "fence"),
        ("prose around", "text around"),
        ("two objects", "several objects"),
        ("no closing brackets", "no end"),
        ("think never closed", "not closed"),
        ("single quotes, trailing commas", "mended"),
        ("score 8/10", "'8/10', read as 80"),
        ("one point with a word", "'high', not a number"),
        ("points as JSON in a string", "not a list"),
    ],
)
def test_what_had_to_be_mended_is_named(name: str, defect: str) -> None:
    assert any(defect in found for found in read_reply(MENDED[name], MapReply)[1])


UNUSABLE = {
    "empty": ("", "empty"),
    "blank": (" \n", "empty"),
    "prose": ("I could not find anything.", "no JSON object"),
    "empty object": ("{}", "no JSON object"),
    "no points": ('{"answer":"x"}', "points"),
    "top-level string": ('"just text"', "no JSON object"),
    "no score anywhere": ('{"points":["a","b"]}', "score"),
    "a score that only begins like one": (
        '{"points":[{"description":"a","score":"十分重要"}]}',
        "not a number",
    ),
    "YAML that names itself": ("points:\n- &a x\n- [*a, *a]", "points"),
    "scores in words only": ('{"points":[{"description":"a","score":"high"}]}', "'high', not a number"),
    "reasoning alone": ("<think>well</think>", "reasoning"),
    "the schema sent back": (
        '{"type":"object","properties":{"points":{"type":"array","items":{}}}}',
        "points",
    ),
    "a refusal": ('{"error":"cannot comply"}', "no JSON object"),
    "brackets without end": ("{[" * 5000, "no JSON object"),
}


@pytest.mark.parametrize(("text", "defect"), UNUSABLE.values(), ids=UNUSABLE.keys())
def test_a_reply_that_cannot_be_used_says_why(text: str, defect: str) -> None:
    value, defects = read_reply(text, MapReply)
    assert value is None
    assert any(defect in found for found in defects)


@pytest.mark.parametrize(
    "text",
    ["{" * 100_000, '{"points":[' * 10_000, '"' * 100_000, "<think>" * 20_000, '{"points":' + "[" * 50_000 + "]" * 50_000,
     '{"points":"[[[[' + "[{" * 20_000, "{'points': ['" + "a', '" * 20_000, '{"points":"' + "\\" * 100_000],
    ids=lambda text: str(text)[:14],
)  # fmt: skip
@pytest.mark.parametrize("cut", [False, True])
def test_a_model_that_repeats_itself_for_ever_is_read_in_no_time(text: str, cut: bool) -> None:
    assert read_reply(text, MapReply, cut=cut)[0] is None


def test_an_object_is_found_behind_many_citations() -> None:
    assert read_reply("So it is [Data: Reports (1)]. " * 300 + POINTS, MapReply)[0] == READ


def test_no_points_is_a_reply_and_not_a_defect() -> None:
    assert read_reply('{"points":[]}', MapReply) == (MapReply(points=()), [])


def test_scores_are_clamped_and_the_defect_named() -> None:
    text = '{"points":[{"description":"a","score":-1},{"description":"b","score":900},{"description":"c","score":8.5}]}'
    value, defects = read_reply(text, MapReply)
    assert value is not None
    assert [point.score for point in value.points] == [0, 100, 8.5]
    assert any("900" in defect for defect in defects)


def test_what_a_length_limit_cut_is_not_trusted() -> None:
    text = '{"points":[{"description":"a","score":80},{"description":"b","score":8'
    value, defects = read_reply(text, MapReply, cut=True)
    assert value == READ
    assert any("cut" in defect for defect in defects)


def test_a_reply_cut_before_anything_was_complete_is_unusable() -> None:
    assert read_reply('{"response":"the first', StepReply, cut=True)[0] is None
    assert read_reply('<think>perhaps {"points":[]}', MapReply, cut=True)[0] is None


FOLLOW_UPS = {
    "list": (["Who?", "What?"], ("Who?", "What?")),
    "JSON in a string": ('["Who?", "What?"]', ("Who?", "What?")),
    "one plain string": ("Who was it?", ("Who was it?",)),
    "numbered lines": ("Here are some:\n1. Who?\n2) What?", ("Who?", "What?")),
    "bulleted lines": ("- Who?\n* What?", ("Who?", "What?")),
    "numbered in one line": ("1. Who? 2. What?", ("Who?", "What?")),
    "objects": ([{"query": "Who?"}, {"question": "What?", "id": 2}], ("Who?", "What?")),
    "object": ({"q1": "Who?", "q2": "What?"}, ("Who?", "What?")),
    "object with a list": ({"questions": ["Who?", "What?"]}, ("Who?", "What?")),
    "null": (None, ()),
    "none in words": ("None", ()),
    "duplicates": (["Who?", "who? ", "What?", "", None], ("Who?", "What?")),
    "nested lists": ([["Who?"], ["What?"]], ("Who?", "What?")),
    "numbers that belong": (["1911: what happened?", "3.5 t of what?"], ("1911: what happened?", "3.5 t of what?")),
    "initials that belong": (["R. Amundsen did what?"], ("R. Amundsen did what?",)),
    "sixty": ([f"q{n}?" for n in range(60)], tuple(f"q{n}?" for n in range(60))),
}  # fmt: skip


@pytest.mark.parametrize(("sent", "read"), FOLLOW_UPS.values(), ids=FOLLOW_UPS.keys())
def test_follow_ups_are_read_from(sent: object, read: tuple[str, ...]) -> None:
    text = json.dumps({"intermediate_answer": "x", "score": 5, "follow_up_queries": sent})
    value, _ = read_reply(text, PrimerReply)
    assert value is not None
    assert value.follow_up_queries == read


@pytest.mark.parametrize(
    ("sent", "read"),
    [(["x", "y"], "x\ny"), ({"text": "x"}, "x"), ({"a": "x", "b": "y"}, "a: x\nb: y"), (None, ""), (7, "7")],
)
def test_a_text_is_read_from_what_stands_in_its_place(sent: object, read: str) -> None:
    value, _ = read_reply(json.dumps({"response": sent, "score": 5, "follow_up_queries": []}), StepReply)
    assert value is not None
    assert value.response == read


def test_follow_ups_may_be_missing_but_a_score_may_not() -> None:
    assert read_reply('{"response":"x","score":5}', StepReply)[0] is not None
    value, defects = read_reply('{"response":"x","follow_up_queries":[]}', StepReply)
    assert value is None
    assert defects == ["`score` is missing"]


@pytest.mark.parametrize(
    "text",
    ["4", "Rating: 4", "**Rating:** 4/5", "I would say 4", '{"score":4.0}', '{"rating":"4 out of 5"}',
     "rating: 4\nreason: because", '{"rating":"80%"}'],
)  # fmt: skip
def test_a_rating_is_read_from(text: str) -> None:
    value, _ = read_reply(text, RatingReply)
    assert value is not None
    assert value.rating == 4


def test_a_rating_that_is_not_a_number_is_none() -> None:
    assert read_reply('{"rating":"high"}', RatingReply)[0] is None


@pytest.mark.parametrize("text", ["Who led it?", '"Who led it?"', '{"query":"Who led it?"}'])
def test_a_question_is_read_from(text: str) -> None:
    assert read_reply(text, RewriteReply)[0] == RewriteReply(question="Who led it?")


def test_lines_of_keys_are_read() -> None:
    text = "**Response:** first\nsecond\n\nScore: 70\nFollow-up queries:\n1. a?\n2. b?"
    value, _ = read_reply(text, StepReply)
    assert value == StepReply(response="first\nsecond", score=70, follow_up_queries=("a?", "b?"))


BACKSLASHES = {
    "path not escaped": (r"C:\Users\new\table.txt", r"C:\Users\new\table.txt"),
    "path of legal escapes": (r"C:\temp\new\file", r"C:\temp\new\file"),
    "path to a file": (r"D:\notes.txt", r"D:\notes.txt"),
    "path escaped": (r"C:\\Users\\new\\table.txt", r"C:\Users\new\table.txt"),
    "share not escaped": (r"\\server\share\new", r"\\server\share\new"),
    "share escaped": (r"\\\\server\\share\\new", r"\\server\share\new"),
    "formula not escaped": (r"\frac{1}{2} \alpha \theta \times \beta \rho \nabla", r"\frac{1}{2} \alpha \theta \times \beta \rho \nabla"),
    "formula in dollars": (r"$\nu \neq \tau$", r"$\nu \neq \tau$"),
    "formula escaped": (r"\\frac{1}{2} \\nu \\theta", r"\frac{1}{2} \nu \theta"),
    "line breaks": (r"Plan B:\nnext\nmore", "Plan B:\nnext\nmore"),
    "line break before a word like a command": (r"a\nnew\r\ntotal\ttext", "a\nnew\r\ntotal\ttext"),
    "unicode": (r"\u4e2d\u6587 \ud83d\ude00", "中文 😀"),
    "half a surrogate pair": (r"x \ud83d y", "x � y"),
    "unicode broken": (r"C:\users\u12", r"C:\users\u12"),
    "escaped escape": (r"\\u4e2d \\n", r"\u4e2d \n"),
    "percent and apostrophe": (r"5\% isn\'t", r"5\% isn't"),
    "raw controls": ("a\nb\tc\x00d", "a\nb\tcd"),
    "quotes": (r"the \"Fram\"", 'the "Fram"'),
    "inner quotes not escaped": ('the "Fram" sailed', 'the "Fram" sailed'),
}  # fmt: skip


@pytest.mark.parametrize(("sent", "read"), BACKSLASHES.values(), ids=BACKSLASHES.keys())
@pytest.mark.parametrize("tail", ["", ","], ids=["valid", "to be repaired"])
def test_text_survives(sent: str, read: str, tail: str) -> None:
    value, _ = read_reply(f'{{"response":"{sent}","score":5,"follow_up_queries":[]{tail}}}', StepReply)
    assert value is not None
    assert value.response == read


WORDS = st.sampled_from(
    ["alpha", "C:\\Users\\x", "\\frac{1}{2}", "\\\\", '"', "'", "{", "}", "[", "]", ",", ": ", "\n", "中文",
     "😀", "</think>", "<think>", "```", "\\u4e2d", "\\n", "|", "{context_data}", "/", "é", "\u2028"]
)  # fmt: skip


@given(st.lists(WORDS, max_size=30), st.floats(0, 100), st.booleans())
def test_well_formed_json_is_read_as_it_stands(words: list[str], score: float, ascii_only: bool) -> None:
    text = " ".join(words)
    sent = {"response": text, "score": score, "follow_up_queries": ["Who?"]}
    value, defects = read_reply(json.dumps(sent, ensure_ascii=ascii_only), StepReply)
    assert value == StepReply(response=text, score=score, follow_up_queries=("Who?",))
    assert defects == []


@given(st.text(alphabet='{}[]":,\\ntu0"points description score 8', max_size=200), st.booleans())
def test_no_text_whatever_makes_it_raise(text: str, cut: bool) -> None:
    read_reply(text, MapReply, cut=cut)
    read_reply('{"points":' + text, MapReply, cut=cut)


@given(st.integers(0, 80))
def test_wherever_it_is_cut_only_whole_points_are_kept(place: int) -> None:
    points = [Point(description="first, {one}", score=80), Point(description="second", score=75)]
    text = MapReply(points=tuple(points)).model_dump_json()[:place]
    value, _ = read_reply(text, MapReply, cut=True)
    assert value is None or all(point in points for point in value.points)
