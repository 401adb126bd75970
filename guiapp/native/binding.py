"""How the modules beside this one call the native library by ctypes, of which nothing else needs to know.

Arrays go in as they are and are checked for type and layout; each function says which it fills.
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
    """The library at a path.  Raises NativeLibraryError, which says what to do."""
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
    """The library that was chosen, or the one for newer processors where this is such a one."""
    plain, wide = _load(library.library_path()), library.library_path(library.WIDE)
    return _load(wide) if not library.KIND and plain.loupe_is_x86_v3() and wide.exists() else plain


_LIBRARY = _best()
_HOLDING_LOCK = ctypes.PyDLL(_LIBRARY._name)


class Array(ctypes.Structure):
    """An array as the library takes it; who makes one from an array keeps that alive."""

    _fields_ = (("data", c_void_p), ("size", c_int64))

    @classmethod
    def of(cls, array: NDArray[Any]) -> Array:
        return cls(array.ctypes.data, array.size)


def arrays(*names: str) -> tuple[tuple[str, type[Array]], ...]:
    """Fields of a structure that are arrays."""
    return tuple((name, Array) for name in names)


class _ArrayOf:
    """An argument type: contiguous arrays of a dtype, of any shape; writable those that are filled."""

    def __init__(self, dtype: DTypeLike, is_filled: bool = False) -> None:
        self._dtype, self._is_filled = np.dtype(dtype), is_filled

    def from_param(self, array: NDArray[Any] | Array) -> Array:
        if isinstance(array, Array):  # checked before
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
    """An array that is checked once for all calls that it is given to, by those who keep it alive."""
    checked_array: Array = _TYPES[kind].from_param(array)
    return checked_array


def function(signature: str) -> Any:
    """A function of the library, which runs without Python's lock.

    The signature is like "name(handle, bytes, >ints) -> handle": `>` is in front of arrays that it fills, of
    which `>tokens` are three, see `TokenColumns`; it returns an int64 unless told otherwise.
    """
    name, _, rest = signature.replace(">tokens", ">ints, >wide_ints, >wide_ints").partition("(")
    arguments, _, result = rest.partition(")")
    outcome = getattr(_LIBRARY, f"loupe_{name}")
    outcome.restype = _TYPES[result.removeprefix(" -> ") or "wide_int"]
    outcome.argtypes = [_TYPES[each] for each in arguments.split(", ")]
    return outcome


def fast_function(name: str) -> Any:
    """One that is done before it would pay to give up Python's lock, or to check arguments.

    It takes c_void_p for addresses, bytes, and int for int32_t, and returns an int64.
    """
    outcome = getattr(_HOLDING_LOCK, f"loupe_{name}")
    outcome.restype = c_int64
    return outcome


_MAY_GO_ON = ctypes.CFUNCTYPE(c_bool)
_NOBODY_TO_ASK = _MAY_GO_ON()


def long_function(signature: str) -> Any:
    """A function that may take long: the library asks again and again whether `checkpoint` lets it go on."""
    interruptible = function(signature)
    interruptible.argtypes = (*interruptible.argtypes, _MAY_GO_ON)

    def call(*given: Any) -> Any:
        if not has_visitor():
            return interruptible(*given, _NOBODY_TO_ASK)
        raised: list[BaseException] = []

        def may_go_on() -> bool:
            try:
                checkpoint()
            except BaseException as error:  # raised again when the library has come back
                raised.append(error)
            return not raised

        outcome = interruptible(*given, _MAY_GO_ON(may_go_on))
        if raised:
            raise raised.pop()
        return outcome

    return call


class NotCopied:
    """The base of what holds addresses of native memory: a copy bit by bit would free or use it twice."""

    def __reduce__(self) -> NoReturn:  # what `pickle`, `copy.copy` and `copy.deepcopy` ask for
        raise TypeError(
            f"{type(self).__name__} holds native memory and cannot be copied or pickled. "
            "Pickle the Tokenizer that it belongs to."
        )


class Handle(NotCopied):
    """An object of the library, freed with this one, which stands for it as an argument.

    free  the function that frees it, which each class names
    owners  what it points to
    """

    _free: Any

    def __init_subclass__(cls, free: str) -> None:
        cls._free = staticmethod(function(f"{free}(handle) -> nothing"))

    def __init__(self, address: int | None, *owners: object) -> None:
        if address is None:
            raise ValueError(MISFIT)
        self.address = self._as_parameter_ = address  # which ctypes looks for
        self._owners = owners

    def __del__(self) -> None:
        if hasattr(self, "address"):
            self._free(self)


Made = TypeVar("Made")


class Pool(NotCopied, Generic[Made]):
    """Objects of which each is for one thread at a time.

    idle  those that nobody uses at the moment; append one to give it back
    """

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self.idle: list[Made] = []

    def take(self) -> Made:
        """One that nobody else has; in one go, because another thread may be faster."""
        try:
            return self.idle.pop()
        except IndexError:
            return self._make()

    def prepare(self) -> None:
        """Make now what the first user would make."""
        self.idle.append(self.take())


def checked(result: int) -> int:
    """What a function returned; raises ValueError where it refused its arguments."""
    if result < 0:
        raise ValueError(MISFIT)
    return result


NONE = -1  # in the place of a token
SPARE_IDS = 4  # that may be written behind the last one
SHORT_TEXT = 4096  # bytes or characters: ids of such are written to memory that is kept

TokenColumns = tuple[Ints, WideInts, WideInts]
"""Ids, starts and ends of tokens."""


def tokens_by(encode: Callable[..., int], *given: object, room: int) -> TokenColumns:
    """The tokens that a function writes behind what it is given; there is room for so many."""
    ids, starts, ends = np.empty(room, np.int32), np.empty(room, np.int64), np.empty(room, np.int64)
    count = encode(*given, ids, starts, ends)
    return cut(ids, count), cut(starts, count), cut(ends, count)


Item = TypeVar("Item", bound=np.generic)


def cut(array: NDArray[Item], size: int) -> NDArray[Item]:
    """What was written of an array; the room for more is given back."""
    array.resize(size, refcheck=False)
    return array


def secret() -> int:
    """64 bits that nobody can foresee, as from `secrets`, which takes long to import."""
    return int.from_bytes(os.urandom(8), "little")
