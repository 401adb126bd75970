"""Two token ids as one 64-bit word, the first in its low half, to be written in one go.

The function is what interpreted kernels run; compiled ones get one machine instruction in its place.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import routine_options, tell_numba

LOW_HALF = (1 << 32) - 1


def store_pair(ids: NDArray[np.int32], at: int, word: np.uint64) -> None:
    """Write the two ids of a word to ids[at] and ids[at + 1], which must exist."""
    ids[at] = int(word) & LOW_HALF
    ids[at + 1] = int(word) >> 32


def _compiled(numba: Any) -> None:
    from llvmlite import ir

    @numba.extending.intrinsic  # type: ignore[untyped-decorator]
    def store(typing_context: Any, ids: Any, at: Any, word: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            address = builder.gep(array.data, [arguments[1]])
            pointer = builder.bitcast(address, ir.IntType(64).as_pointer())
            builder.store(arguments[2], pointer, align=1)
            return context.get_dummy_value()

        return numba.types.void(ids, numba.types.int64, numba.types.uint64), emit

    without_counting = routine_options(numba, _nrt=False)  # of references; see `borrowing.py`
    overload = numba.extending.overload(store_pair, jit_options=without_counting)
    overload(lambda ids, at, word: lambda ids, at, word: store(ids, at, word))


tell_numba(_compiled)
