"""Eight bytes of text at a time, in one 64-bit word; the first byte is the lowest.

The functions are what interpreted kernels run; compiled ones get a machine instruction or two in their place.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import tell_numba

HIGH_BITS = np.uint64(0x8080808080808080)


def load_eight(data: NDArray[np.uint8], at: int) -> np.uint64:
    """data[at : at + 8], all of which must exist."""
    return np.uint64(int.from_bytes(data[at : at + 8].tobytes(), "little"))


def first_set_byte(marks: np.uint64) -> int:
    """The number of the lowest byte with a bit set; `marks` is not 0."""
    word = int(marks)
    return ((word & -word).bit_length() - 1) >> 3


def _compiled(numba: Any) -> None:
    from llvmlite import ir

    @numba.extending.intrinsic  # type: ignore[untyped-decorator]
    def load(typing_context: Any, data: Any, at: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            address = builder.gep(array.data, [arguments[1]])
            return builder.load(builder.bitcast(address, ir.IntType(64).as_pointer()), align=1)

        return numba.types.uint64(data, numba.types.int64), emit

    @numba.extending.intrinsic  # type: ignore[untyped-decorator]
    def trailing_zeros(typing_context: Any, word: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], ir.IntType(1)(1))

        return numba.types.int64(numba.types.uint64), emit

    numba.extending.overload(load_eight)(lambda data, at: lambda data, at: load(data, at))
    numba.extending.overload(first_set_byte)(lambda marks: lambda marks: trailing_zeros(marks) >> 3)


tell_numba(_compiled)
