"""Arrow at one door: names for its types, and its functions in a form that strict type checking bears.

pyarrow ships no types of its own. The stubs describe its classes, but leave most functions partially unknown,
which strict mode refuses at every call. So the modules come as ``Any`` here, and every function of ours that
uses them states its own types.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pyarrow
import pyarrow.compute
import pyarrow.parquet
from numpy.typing import NDArray

Array: TypeAlias = "pyarrow.Array[Any]"
Chunked: TypeAlias = "pyarrow.ChunkedArray[Any]"
DataType: TypeAlias = pyarrow.DataType
ChunkedArray: type[Any] = pyarrow.ChunkedArray
ArrowError: type[Exception] = pyarrow.ArrowException

pa: Any = pyarrow
pc: Any = pyarrow.compute
parquet: Any = pyarrow.parquet


def items(lists: Array) -> Array:
    """All items of a list array, one after another."""
    return _any(lists).flatten()


def offsets(lists: Array) -> NDArray[np.int64]:
    """Where each list begins among its items, and the end of the last; from the array's own beginning."""
    found: NDArray[np.int64] = _any(lists).offsets.to_numpy().astype(np.int64)
    return found - found[0]


def text_buffers(texts: Array) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Where each text of a string array begins in its bytes, and the end of the last; and the bytes."""
    _, places, data = _any(texts).buffers()
    begins = np.frombuffer(places, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return begins, np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)


def is_encoded(array: Array) -> bool:
    """Whether the array is dictionary-encoded."""
    return bool(pa.types.is_dictionary(array.type))


def dictionary(array: Array) -> Array:
    """The distinct values of an encoded array."""
    return _any(array).dictionary


def indices(array: Array) -> Array:
    """Places in the dictionary of an encoded array; null where the value is."""
    return _any(array).indices


def decoded(array: Array) -> Array:
    """The array without dictionary encoding."""
    return _any(array).dictionary_decode() if is_encoded(array) else array


def encoded(array: Array) -> Array:
    """The array with it."""
    return array if is_encoded(array) else _any(array).dictionary_encode()


def value_type(kind: DataType) -> DataType:
    """Type of the items of a list type, or of the values of a dictionary type."""
    return _any(kind).value_type


def joined(column: Chunked) -> Array:
    """The chunks of a column as one array."""
    return _any(column).combine_chunks()


def pylist(array: Array) -> list[Any]:
    """The values as Python objects."""
    return array.to_pylist()


def vector(array: Array) -> NDArray[Any]:
    """The values as numpy, without copying where that can be."""
    return array.to_numpy(zero_copy_only=False)


def _any(value: object) -> Any:
    return value
