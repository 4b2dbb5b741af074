"""Every number that was tuned, by name: pools, weights and thresholds of the ranking.

Tuned on the questions of ``sample_index`` and checked on a text about another subject
(``tests/llm/test_extractive_quality.py``). Similarities are cosines of the embedded model.
"""

from __future__ import annotations

from typing import Final

POOL: Final = 36
"""Sentences that are embedded for one question: about a fifth of a second on two cores."""

THEME_POOL: Final = 80
"""The same for a question about a theme, whose words tell less about where it is answered."""

MAP_POOL: Final = 48
"""The same for a map batch, which is mostly longer than a context."""

PRIMER_POOL: Final = 24
"""The same for a fold of the primer."""

STEP_POOL: Final = 14
"""The same for a call that is one of many (step, rating)."""

FIRST_ROUND: Final = 0.6
"""Share of the pool that words alone choose."""

SHARED_WORTH: Final = 3.0
"""Before anything is embedded, a sentence promises so much with all words of the question,"""

EARLY_WORTH: Final = 0.2
"""so much more in the first record of its table (tables list the nearest or weightiest first),"""

OPENING_WORTH: Final = 0.25
"""and so much more as the first sentence of its record."""

RECORD_WORTH: Final = 1.0
"""How much the best cosine found in a record speaks for its other sentences."""

BESIDE_WORTH: Final = 0.6
"""Where no single fact is asked for: how much the best cosine found beside a sentence promises for it, before it is embedded itself."""

OVERLAP_BONUS: Final = 0.3
"""Added to the cosine where a sentence has every word of the question that carries meaning."""

AROUND_SHARE: Final = 0.7
"""How much of that bonus a word brings that only the sentence before or after has."""

KIN_SHARE: Final = 0.6
"""How much of a word's bonus another form of the word brings."""

MISSING_PENALTY: Final = 0.15
"""Taken off where no record at all has any word of the question that carries meaning."""

MISSING_PENALTY_OPEN: Final = 0.08
"""The same where no single fact is asked for: an abstract word need not stand in any record."""

KIND_BONUS: Final = 0.05
"""Added where the question asks for a number or a date and the sentence has one."""

CUE_BONUS: Final = 0.03
"""Added where the question asks why or how and the sentence has words that give a cause or a means."""

REPORT_BONUS: Final = 0.02
"""Added to a report's sentence where the question asks for no single fact: reports give the overview."""

SHORT: Final = 8
"""A sentence of fewer words says little,"""

SHORT_PENALTY: Final = 0.08
"""and loses up to this where no single fact is asked for, which short sentences are near to for being vague."""

KEY_SHARE: Final = 0.4
"""Share that the rarer words of the question have in what sentences are compared with, the whole has the rest."""

KEY_SHARE_FOCUS: Final = 0.5
"""The same where the question has words that only say that it asks."""

KEY_WEIGHT: Final = 0.8
"""A word is one of the rarer ones from this share of the mean weight on."""

PART_SHARE: Final = 0.6
"""Where a question is made of several: the share of the nearest part in the similarity, the whole has the rest."""

RECORD_SHARE: Final = 0.3
"""Where no single fact is asked for: how much what its record is about counts in a sentence's similarity."""

RECORD_EVIDENCE: Final = 2
"""So many of the nearest sentences of a record tell together what it is about."""

NOTE_WEIGHT: Final = 0.5
"""Of the score that an earlier step gave a note, as share of 1, when its notes are ranked again."""

DIRECT: Final = 0.5
"""From this score on a sentence answers the question."""

DIRECT_OPEN: Final = 0.44
"""The same for a question that asks for no single fact, which no single sentence is as near to."""

DIRECT_THEME: Final = 0.34
"""The same for one about a theme ("What stories of … run through …?") whose words stand in the records."""

DIRECT_UNSAID: Final = 0.38
"""The same for a theme none of whose words stands in the records: stories of rescue need not say the word."""

COVERED_SHARE: Final = 0.5
"""A theme stands in the records when they lack at most this share of its words, by weight."""

PERFECT: Final = 0.95
"""From this score on a sentence has all that is asked for: 100 of 100."""

NEAR: Final = 0.34
"""From this score on a sentence is on the subject; below it nothing is said at all."""

NEAR_OPEN: Final = 0.27
"""The same for a question that asks for no single fact."""

NEAR_THEME: Final = 0.24
"""The same for a theme."""

RELATIVE_FLOOR: Final = 0.68
"""A sentence goes into the answer from this share of the best one's score on."""

RELATIVE_FLOOR_OPEN: Final = 0.76
"""The same where no single fact is asked for, which much is near to that does not answer."""

NOTES_FLOOR: Final = 0.7
"""The same for notes of earlier steps, which were chosen once already."""

DUPLICATE: Final = 0.86
"""Sentences of at least this cosine say the same: one is shown, with the citations of both."""

REPETITION_WEIGHT: Final = 0.25
"""How much closeness to what is already chosen counts against a sentence (maximal marginal relevance)."""

SAME_RECORD: Final = 0.03
"""Where no single fact is asked for: what each chosen sentence of its record counts against a sentence."""

GOING_ON: Final = 0.05
"""Where no single fact is asked for: what speaks for the sentence of a source beside a chosen one, which goes on from it."""

SAID_SHARE: Final = 0.75
"""A sentence of whose words so many stand in those chosen before adds nothing."""

WORDS_WORTH: Final = 0.6
"""The share of a step's score that goes with the words of the question that its answer takes up."""

WORDS_WORTH_THEME: Final = 0.3
"""The same for a theme, which is told in other words than its own."""

BROAD_SCORE: Final = 70.0
"""A finding for a question that names nothing is part of the answer, never all of it."""

PARTICULAR: Final = 0.3
"""A follow-up whose answer scored at least so much, as share of 1, has its best note in the answer on the whole."""

STEP_SHARE: Final = 0.6
"""One step has at most this share of the answer on the whole, as long as others have something to add."""
