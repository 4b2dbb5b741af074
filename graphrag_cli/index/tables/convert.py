"""Arrow columns of any type to the canonical types: pure functions, no Python loop over rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from graphrag_cli.index import arrow
from graphrag_cli.index.arrow import Array, Chunked, DataType, pa, pc
from graphrag_cli.index.tables.schema import Column

Ints = NDArray[np.int64]


def by_chunk(column: Chunked, change: Callable[[Array], Array], kind: DataType) -> Chunked:
    """``change`` applied to each chunk; ``kind`` is the type of the result also when there are no chunks."""
    return pa.chunked_array([change(chunk) for chunk in column.chunks], type=kind)


def _is_text(kind: DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def _is_list(kind: DataType) -> bool:
    return pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)


def _plain(array: Array) -> Array:
    """``array`` without dictionary encoding."""
    return arrow.decoded(array)


def text(array: Array) -> Array:
    """Any scalar column as string; whole floats lose their ``.0``; lists are joined by commas."""
    array = _plain(array)
    kind = array.type
    if pa.types.is_string(kind):
        return array
    if pa.types.is_floating(kind):
        whole = pc.cast(array, pa.int64(), safe=False)
        return pc.if_else(
            pc.equal(pc.cast(whole, kind), array), pc.cast(whole, pa.string()), pc.cast(array, pa.string())
        )
    if pa.types.is_null(kind):
        return pa.nulls(len(array), pa.string())
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return pa.array([_decoded(value) for value in array.to_pylist()], pa.string())
    if _is_list(kind):
        return pc.binary_join(texts(array), ",")
    return pc.cast(array, pa.string())


def _decoded(value: bytes | None) -> str | None:
    return None if value is None else value.decode("utf-8", "replace")


def as_text(column: Chunked) -> Chunked:
    """A scalar column of any type as string."""
    return by_chunk(column, text, pa.string())


def integer(array: Array, missing: int) -> Array:
    """Any scalar column as int64; null, NaN and what is no number become ``missing``."""
    array = _plain(array)
    kind = array.type
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return pc.fill_null(pc.cast(array, pa.int64()), missing)
    return pa.array(_whole(floating(array, np.nan), missing))


def _whole(array: Array, missing: int) -> Ints:
    values = arrow.vector(array)
    finite = np.isfinite(values)
    return np.where(finite, np.where(finite, values, 0.0), missing).astype(np.int64)


def floating(array: Array, missing: float) -> Array:
    """Any scalar column as float64; null, NaN and what is no number become ``missing``."""
    array = _plain(array)
    kind = array.type
    if pa.types.is_null(kind) or _is_list(kind) or pa.types.is_struct(kind):
        return pa.array(np.full(len(array), missing))
    if _is_text(kind):
        trimmed = pc.utf8_trim_whitespace(array)
        numeric = pc.match_substring_regex(trimmed, r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$")
        array = pc.if_else(numeric, trimmed, pa.scalar(None, kind))
    values = pc.fill_null(pc.cast(array, pa.float64()), missing)
    return pc.if_else(pc.is_nan(values), pa.scalar(missing, pa.float64()), values)


def texts(array: Array) -> Array:
    """Any list column as list<string> (or list<dictionary>, left as it is); null rows become empty lists.

    Lists written as text are understood in JSON, Python and numpy spelling, and as bare comma-joined values.
    """
    kind = array.type
    if pa.types.is_null(kind):
        return pa.array([[]] * len(array), pa.list_(pa.string()))
    if not _is_list(kind):
        return split_lists(text(array))
    if pa.types.is_fixed_size_list(kind):
        array = pc.cast(array, pa.list_(kind.value_type))
    if array.null_count:
        array = pc.fill_null(array, pa.scalar([], array.type))
    inner = array.type.value_type
    if pa.types.is_dictionary(inner) or (pa.types.is_list(array.type) and pa.types.is_string(inner)):
        return array
    return pa.ListArray.from_arrays(_offsets(array), text(arrow.items(array)))


def _offsets(array: Array) -> Array:
    """Offsets of a list array from zero, as int32."""
    return pa.array(arrow.offsets(array).astype(np.int32))


def split_lists(strings: Array) -> Array:
    """Lists written as text, e.g. ``['a', 'b']``, ``["a"]``, ``['a' 'b']``, ``[1 2]`` or ``a,b``."""
    strings = pc.fill_null(strings, "")
    unquoted = pc.replace_substring_regex(strings, r"""['"]\s*,?\s+['"]|['"],['"]""", "\x1f")
    quoted = pc.match_substring_regex(strings, r"""^\s*\[\s*['"]""")
    bare = pc.replace_substring_regex(strings, r"[\[\]\s]*[\s,]+[\[\]\s]*", "\x1f")
    joined = pc.utf8_trim(pc.if_else(quoted, unquoted, bare), " \t\r\n[]'\",\x1f")
    parts = pc.split_pattern(joined, "\x1f")
    nothing = pc.is_in(pc.utf8_lower(joined), value_set=pa.array(["", "none", "nan", "null"]))
    return pc.if_else(nothing, pa.scalar([], parts.type), parts)


def ints(array: Array) -> Array:
    """Any list column as list<int64>; null rows become empty lists."""
    kind = array.type
    if pa.types.is_list(kind) and pa.types.is_int64(kind.value_type) and not array.null_count:
        return array
    listed = texts(array)
    return pa.ListArray.from_arrays(_offsets(listed), integer(arrow.items(listed), -1))


def pick(array: Array, rows: Ints) -> Array:
    """Values of one array at ``rows``."""
    return array.take(pa.array(rows))


def take(column: Chunked, rows: Ints) -> Array:
    """Values at ``rows``, in that order. Works chunk by chunk: a column of many gigabytes is never joined."""
    chunks = column.chunks
    if not len(rows):
        return pa.array([], type=column.type)
    if len(chunks) == 1:
        return pick(chunks[0], rows)
    starts = np.cumsum([0, *(len(chunk) for chunk in chunks)])
    home = np.searchsorted(starts, rows, side="right") - 1
    order = np.argsort(home, kind="stable")
    parts: list[Array] = []
    for index in np.unique(home):
        mine = order[home[order] == index]
        parts.append(pick(chunks[int(index)], rows[mine] - starts[index]))
    back = np.empty(len(rows), np.int64)
    back[order] = np.arange(len(rows))
    joined = [_plain(part) for part in parts]
    return pick(pa.concat_arrays(joined), back)


def strings(array: Array) -> list[str]:
    """A text column as Python strings; null is empty, bytes that are no UTF-8 are replaced."""
    array = _plain(array)
    try:
        values = array.to_pylist()
    except UnicodeDecodeError:
        values = [_decoded(value) for value in pc.cast(array, pa.binary()).to_pylist()]
    return [value or "" for value in values]


def numbers(column: Chunked) -> Ints:
    """A whole int64 column as numpy."""
    if column.num_chunks == 1:
        return column.chunk(0).to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
    return column.to_numpy().astype(np.int64, copy=False)


def key(column: Chunked) -> Chunked:
    """A text column dictionary-encoded; encoded chunks are left as they are."""
    wanted = pa.dictionary(pa.int32(), pa.string())
    return by_chunk(column, lambda chunk: _encoded(chunk, wanted), wanted)


def _encoded(chunk: Array, wanted: DataType) -> Array:
    if chunk.type == wanted:
        return chunk
    return pc.cast(arrow.encoded(text(chunk)), wanted)


def column(raw: Chunked, wanted: Column) -> Chunked:
    """A source column in canonical form."""
    missing = wanted.missing
    match wanted.kind:
        case "text":
            return by_chunk(raw, lambda chunk: pc.fill_null(text(chunk), ""), pa.string())
        case "key":
            return key(raw)
        case "int":
            fill = int(missing or 0)
            return by_chunk(raw, lambda chunk: integer(chunk, fill), pa.int64())
        case "float":
            default = float(missing or 0)
            return by_chunk(raw, lambda chunk: floating(chunk, default), pa.float64())
        case "texts":
            return _lists([texts(chunk) for chunk in raw.chunks], pa.list_(pa.string()))
        case "ints":
            return _lists([ints(chunk) for chunk in raw.chunks], pa.list_(pa.int64()))


def _lists(chunks: list[Array], kind: DataType) -> Chunked:
    return pa.chunked_array(chunks, type=chunks[0].type if chunks else kind)


def filled(wanted: Column, count: int) -> Chunked:
    """A canonical column of ``count`` missing values."""
    match wanted.kind:
        case "int" | "float" | "text":
            values = pa.repeat(pa.scalar(wanted.missing, arrow_type(wanted)), count)
        case "key":
            return key(pa.chunked_array([pa.repeat(pa.scalar("", pa.string()), count)]))
        case "texts" | "ints":
            empty = pa.array([], pa.string() if wanted.kind == "texts" else pa.int64())
            values = pa.ListArray.from_arrays(pa.array(np.zeros(count + 1, np.int32)), empty)
    return pa.chunked_array([values])


def differs(found: DataType, wanted: Column) -> bool:
    """Whether a column had to be converted in a way worth telling (not merely re-encoded)."""
    match wanted.kind:
        case "text" | "key":
            value = arrow.value_type(found) if pa.types.is_dictionary(found) else found
            return not _is_text(value)
        case "int":
            return not pa.types.is_integer(found)
        case "float":
            return not pa.types.is_floating(found) and not pa.types.is_integer(found)
        case "texts" | "ints":
            return not _is_list(found)


def relisted(lists: Array, items: Array) -> Array:
    """The lists with other items of the same number."""
    return pa.ListArray.from_arrays(_offsets(lists), items)


def arrow_type(wanted: Column) -> DataType:
    """The arrow type of a column in canonical form."""
    match wanted.kind:
        case "text":
            return pa.string()
        case "key":
            return pa.dictionary(pa.int32(), pa.string())
        case "int":
            return pa.int64()
        case "float":
            return pa.float64()
        case "texts":
            return pa.list_(pa.string())
        case "ints":
            return pa.list_(pa.int64())
