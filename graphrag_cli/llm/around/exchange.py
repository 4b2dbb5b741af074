"""One exchange with a model as data: the key of its request, and its reply piece by piece.

Recording, replay and cache all stand on this. The key is a hash of what decides the reply: model, messages,
parameters and the schema of the JSON that is asked for. How a reply is carried (streamed or whole), what it is
for, and where the server stands are not part of it.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, get_args

from graphrag_cli import errors
from graphrag_cli.errors import ContextLengthError, ModelError
from graphrag_cli.llm.base import (
    CallUsage,
    Outcome,
    ReplyDelta,
    ReplyEnd,
    ReplyItem,
    ReplyNotice,
    ReplyReasoning,
)
from graphrag_cli.llm.endpoints.schema import reply_schema
from graphrag_cli.llm.reading.decode import clean
from graphrag_cli.llm.reading.values import is_array, is_number, is_object

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphrag_cli.events import Json
    from graphrag_cli.llm.base import ChatRequest

_OUTCOMES: dict[str, Outcome] = {outcome: outcome for outcome in get_args(Outcome)}


def chat_request_data(model: str, request: ChatRequest) -> dict[str, Json]:
    """What decides the reply to ``request``, as JSON."""
    params: dict[str, Json] = {
        name: value
        for name in request.params.__dataclass_fields__
        if (value := getattr(request.params, name)) is not None
    }
    asked = None if request.reply_model is None else reply_schema(request.reply_model)
    return {
        "kind": "chat",
        "model": model,
        "messages": [{"role": turn.role, "content": str(clean(turn.content))} for turn in request.messages],
        "params": params,
        "schema": json.loads(json.dumps(asked)),
    }


def embed_request_data(model: str, texts: Sequence[str]) -> dict[str, Json]:
    """What decides the vectors of ``texts``, as JSON."""
    return {"kind": "embed", "model": model, "texts": [str(clean(text)) for text in texts]}


def key_of(data: dict[str, Json]) -> str:
    """The key of a request: 32 hexadecimal digits of its SHA-256."""
    text = json.dumps(data, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:32]


def items_to_data(items: Sequence[ReplyItem]) -> list[Json]:
    """A reply as JSON, its pieces as they came."""
    return [_item_to_data(item) for item in items]


def _item_to_data(item: ReplyItem) -> Json:
    match item:
        case ReplyDelta(text):
            return ["delta", str(clean(text))]
        case ReplyReasoning(text):
            return ["reasoning", str(clean(text))]
        case ReplyNotice(code, text):
            return ["notice", code, text]
        case ReplyEnd(outcome, usage, finish_reason, model):
            counts: list[Json] = [usage.prompt_tokens, usage.output_tokens, usage.counted]
            return ["end", outcome, counts, finish_reason, model]


def items_from_data(data: object) -> list[ReplyItem]:
    """The reverse. Raises ``ValueError`` for anything that ``items_to_data`` did not write."""
    if not is_array(data):
        raise ValueError("a reply is not a list")
    return [_item_from_data(item) for item in data]


def _item_from_data(item: object) -> ReplyItem:
    if is_array(item) and item:
        kind, rest = item[0], item[1:]
        if kind == "delta" and len(rest) == 1:
            return ReplyDelta(str(rest[0]))
        if kind == "reasoning" and len(rest) == 1:
            return ReplyReasoning(str(rest[0]))
        if kind == "notice" and len(rest) == 2:
            return ReplyNotice(str(rest[0]), str(rest[1]))
        if kind == "end" and len(rest) == 4:
            return _end_from_data(rest)
    raise ValueError(f"not an item of a reply: {item!r}")


def _end_from_data(rest: list[object]) -> ReplyEnd:
    name, counts, finish, model = rest
    outcome = _OUTCOMES.get(str(name))
    if outcome is None or not (is_array(counts) and len(counts) == 3):
        raise ValueError(f"not the end of a reply: {rest!r}")
    usage = CallUsage(_whole(counts[0]) or 0, _whole(counts[1]) or 0, counted=bool(counts[2]))
    reason = finish if isinstance(finish, str) else None
    return ReplyEnd(outcome, usage, reason, model if isinstance(model, str) else None)


def vectors_to_data(vectors: NDArray[np.float32]) -> dict[str, Json]:
    """A matrix as JSON: its shape, and its bytes in base64."""
    shape: list[Json] = list(vectors.shape)
    return {"shape": shape, "float32": base64.b64encode(vectors.astype("<f4").tobytes()).decode("ascii")}


def vectors_from_data(data: object) -> NDArray[np.float32]:
    """The reverse. Raises ``ValueError`` for anything that ``vectors_to_data`` did not write."""
    import numpy as np

    if not (is_object(data) and is_array(data.get("shape")) and isinstance(data.get("float32"), str)):
        raise ValueError("not a matrix")
    flat = np.frombuffer(base64.b64decode(str(data["float32"])), dtype="<f4").astype(np.float32)
    shape = data["shape"]
    return flat.reshape([int(size) for size in shape if is_number(size)] if is_array(shape) else [-1])


def error_to_data(error: ModelError) -> dict[str, Json]:
    """An error as JSON, so that a replay fails as the run did."""
    data: dict[str, Json] = {
        "type": type(error).__name__,
        "message": error.message,
        "hint": error.hint,
        "status": error.status,
        "fatal": error.fatal,
    }
    if isinstance(error, ContextLengthError):
        data |= {"limit": error.limit, "requested": error.requested}
    return data


def error_from_data(data: object) -> ModelError:
    """The reverse. Raises ``ValueError`` for anything that ``error_to_data`` did not write."""
    if not is_object(data):
        raise ValueError("not an error")
    kind = getattr(errors, str(data.get("type")), None)
    if not (isinstance(kind, type) and issubclass(kind, ModelError)):
        raise ValueError(f"not an error of a model: {data.get('type')!r}")
    hint = data.get("hint")
    error = kind(str(data.get("message")), hint=hint if isinstance(hint, str) else None)
    error.status = _whole(data.get("status"))
    error.fatal = data.get("fatal") is True
    if isinstance(error, ContextLengthError):
        error.limit, error.requested = _whole(data.get("limit")), _whole(data.get("requested"))
    return error


def _whole(value: object) -> int | None:
    return int(value) if is_number(value) else None
