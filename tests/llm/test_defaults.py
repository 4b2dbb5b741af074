"""A model's own parameters hold where a call sets none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphrag_cli.llm.around.defaults import DefaultedChat
from graphrag_cli.llm.base import CallParams, complete
from tests.llm.doubles import QueueChat, request, said


@pytest.mark.parametrize(
    ("given", "own", "sent"),
    [
        (CallParams(), CallParams(temperature=0.5, max_tokens=9), CallParams(temperature=0.5, max_tokens=9)),
        (CallParams(temperature=0), CallParams(temperature=0.5, seed=1), CallParams(temperature=0, seed=1)),
        (CallParams(max_completion_tokens=5), CallParams(max_tokens=9, top_p=1), CallParams(max_completion_tokens=5, top_p=1)),
        (CallParams(max_tokens=5), CallParams(max_completion_tokens=9), CallParams(max_tokens=5)),
    ],
)  # fmt: skip
async def test_the_call_goes_before_the_model(given: CallParams, own: CallParams, sent: CallParams) -> None:
    inner = QueueChat([said("x")])
    chat = DefaultedChat(inner, own)
    await complete(chat, replace(request(), params=given))
    assert inner.requests[0].params == sent
    assert chat.name == "queue"
