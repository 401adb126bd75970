"""How the modules next to this one call the native library by ctypes; no other code needs to know.

Arrays are passed without a copy and checked for type and layout; each function states which ones it fills.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from ctypes import c_bool, c_int64, c_void_p
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Generic, NoReturn, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from guiapp.errors import NativeLibraryError
from guiapp.native import library
from guiapp.native.checkpoint import checkpoint, has_visitor

ABI_VERSION = 14  # raised with each change of a function or a structure, here and in api.h
MISFIT = "arrays that do not fit each other, or that are too large"

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]
WideInts = NDArray[np.int64]


def _load(path: Path) -> ctypes.CDLL:
    """The library at a path.  Raises NativeLibraryError, which states what to do."""
    if fault := library.fault(path):
        raise NativeLibraryError(fault)
    try:
        loaded = ctypes.CDLL(str(path))
        version = loaded.loupe_abi_version()
    except (OSError, AttributeError) as error:
        raise NativeLibraryError(f"The native library cannot be used ({error}). {library.remedy()}") from None
    if version != ABI_VERSION:
        raise NativeLibraryError(f"The native library has another version. {library.remedy()}")
    return loaded


def _best() -> ctypes.CDLL:
    """The library that was chosen, or the one for newer processors if this is one."""
    plain, wide = _load(library.library_path()), library.library_path(library.WIDE)
    return _load(wide) if not library.KIND and plain.loupe_is_x86_v3() and wide.exists() else plain


_LIBRARY = _best()
_HOLDING_LOCK = ctypes.PyDLL(_LIBRARY._name)


class Array(ctypes.Structure):
    """An array as the library takes it; the caller keeps the NumPy array alive."""

    _fields_ = (("data", c_void_p), ("size", c_int64))

    @classmethod
    def of(cls, array: NDArray[Any]) -> Array:
        return cls(array.ctypes.data, array.size)


def arrays(*names: str) -> tuple[tuple[str, type[Array]], ...]:
    """Fields of a structure that are arrays."""
    return tuple((name, Array) for name in names)


class _ArrayOf:
    """An argument type: contiguous arrays of a dtype, of any shape; writable if they are filled."""

    def __init__(self, dtype: DTypeLike, is_filled: bool = False) -> None:
        self._dtype, self._is_filled = np.dtype(dtype), is_filled

    def from_param(self, array: NDArray[Any] | Array) -> Array:
        if isinstance(array, Array):  # already checked
            return array
        flags = array.flags
        if array.dtype != self._dtype or not flags.c_contiguous or (self._is_filled and not flags.writeable):
            raise TypeError(f"not a contiguous array of {self._dtype}: {array.dtype}, {flags}")
        return Array.of(array)


_ARRAYS = {
    "bytes": np.uint8,
    "flags": np.bool_,
    "shorts": np.uint16,
    "ints": np.int32,
    "colors": np.uint32,
    "wide_ints": np.int64,
    "floats": np.float32,
    "doubles": np.float64,
}
_TYPES: dict[str, Any] = {
    "nothing": None,
    "handle": c_void_p,
    "structure": SimpleNamespace(from_param=ctypes.byref),
    "text": ctypes.c_char_p,
    "flag": c_bool,
    "int": ctypes.c_int32,
    "wide_int": c_int64,
    "unsigned": ctypes.c_uint64,
    "double": ctypes.c_double,
    **{name: _ArrayOf(dtype) for name, dtype in _ARRAYS.items()},
    **{f">{name}": _ArrayOf(dtype, True) for name, dtype in _ARRAYS.items()},
}


def array_as(kind: str, array: NDArray[Any]) -> Array:
    """An array that is checked once for many calls; the caller keeps it alive."""
    checked_array: Array = _TYPES[kind].from_param(array)
    return checked_array


def function(signature: str) -> Any:
    """A function of the library, which runs without Python's lock.

    The signature is like "name(handle, bytes, >ints) -> handle": `>` marks arrays that it fills; `>tokens`
    are three, see `TokenColumns`; without `->` it returns an int64.
    """
    name, _, rest = signature.replace(">tokens", ">ints, >wide_ints, >wide_ints").partition("(")
    arguments, _, result = rest.partition(")")
    outcome = getattr(_LIBRARY, f"loupe_{name}")
    outcome.restype = _TYPES[result.removeprefix(" -> ") or "wide_int"]
    outcome.argtypes = [_TYPES[each] for each in arguments.split(", ")]
    return outcome


def fast_function(name: str) -> Any:
    """A function so short that releasing Python's lock, or checking arguments, would not pay.

    It takes c_void_p for addresses, bytes, and int for int32_t, and returns an int64.
    """
    outcome = getattr(_HOLDING_LOCK, f"loupe_{name}")
    outcome.restype = c_int64
    return outcome


_MAY_GO_ON = ctypes.CFUNCTYPE(c_bool)
_NOBODY_TO_ASK = _MAY_GO_ON()


def long_function(signature: str) -> Any:
    """A function that may take long: the library repeatedly asks `checkpoint` whether to continue."""
    interruptible = function(signature)
    interruptible.argtypes = (*interruptible.argtypes, _MAY_GO_ON)

    def call(*given: Any) -> Any:
        if not has_visitor():
            return interruptible(*given, _NOBODY_TO_ASK)
        raised: list[BaseException] = []

        def may_go_on() -> bool:
            try:
                checkpoint()
            except BaseException as error:  # raised again when the library has returned
                raised.append(error)
            return not raised

        outcome = interruptible(*given, _MAY_GO_ON(may_go_on))
        if raised:
            raise raised.pop()
        return outcome

    return call


class NotCopied:
    """The base of objects with addresses of native memory: a bitwise copy would free or use it twice."""

    def __reduce__(self) -> NoReturn:  # called by `pickle`, `copy.copy` and `copy.deepcopy`
        raise TypeError(
            f"{type(self).__name__} holds native memory and cannot be copied or pickled. "
            "Pickle the Tokenizer that it belongs to."
        )


class Handle(NotCopied):
    """An object of the library, freed with this one, which represents it as an argument.

    free    the function that frees it, given by each class
    owners  objects that it points to
    """

    _free: Any

    def __init_subclass__(cls, free: str) -> None:
        cls._free = staticmethod(function(f"{free}(handle) -> nothing"))

    def __init__(self, address: int | None, *owners: object) -> None:
        if address is None:
            raise ValueError(MISFIT)
        self.address = self._as_parameter_ = address  # the name that ctypes expects
        self._owners = owners

    def __del__(self) -> None:
        if hasattr(self, "address"):
            self._free(self)


Made = TypeVar("Made")


class Pool(NotCopied, Generic[Made]):
    """Objects that only one thread at a time may use.

    idle  objects that are not in use; append one to return it
    """

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self.idle: list[Made] = []

    def take(self) -> Made:
        """One that is not in use; without a check first, because another thread may be faster."""
        try:
            return self.idle.pop()
        except IndexError:
            return self._make()

    def prepare(self) -> None:
        """Make now the object that the first user would make."""
        self.idle.append(self.take())


def checked(result: int) -> int:
    """The result of a function; raises ValueError if it rejected its arguments."""
    if result < 0:
        raise ValueError(MISFIT)
    return result


NONE = -1  # instead of a token
SPARE_IDS = 4  # that may be written after the last one
SHORT_TEXT = 4096  # bytes or characters: ids of such texts are written to memory that is reused

TokenColumns = tuple[Ints, WideInts, WideInts]
"""Ids, starts and ends of tokens."""


def tokens_by(encode: Callable[..., int], *given: object, room: int) -> TokenColumns:
    """The tokens that a function writes to arrays, its last arguments; there is room for `room` tokens."""
    ids, starts, ends = np.empty(room, np.int32), np.empty(room, np.int64), np.empty(room, np.int64)
    count = encode(*given, ids, starts, ends)
    return cut(ids, count), cut(starts, count), cut(ends, count)


Item = TypeVar("Item", bound=np.generic)


def cut(array: NDArray[Item], size: int) -> NDArray[Item]:
    """The written part of an array; the rest of its memory is freed."""
    array.resize(size, refcheck=False)
    return array


def secret() -> int:
    """64 unpredictable bits, as from `secrets`, which takes long to import."""
    return int.from_bytes(os.urandom(8), "little")
