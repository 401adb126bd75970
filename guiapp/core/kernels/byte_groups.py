"""Sort bytes into a few groups, and number the windows of four neighbours by their groups.

The functions are what interpreted kernels run; compiled ones get vector instructions in their place.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import routine_options, tell_numba
from guiapp.core.split.windows import (
    APOSTROPHE,
    DIGIT,
    GROUP_BITS,
    MARK,
    NEWLINE,
    RARE,
    SMALL,
    SPACE,
    byte_groups,
)

N_WINDOWS = 64
AROUND = 3  # bytes more than windows


def sort_bytes(
    data: NDArray[np.uint8], at: int, capitals: np.uint8, tabs: np.uint8, groups: NDArray[np.uint8], to: int
) -> None:
    """Write the groups of data[at : at + 64] into groups[to : to + 64]."""
    groups[to : to + N_WINDOWS] = byte_groups(int(capitals), int(tabs))[data[at : at + N_WINDOWS]]


def index_windows(groups: NDArray[np.uint8], at: int, indices: NDArray[np.uint16]) -> None:
    """Number the windows that begin at groups[at : at + 64]: of four groups, the first one highest.

    `indices` has room for all of them.
    """
    indices[:N_WINDOWS] = 0
    for place in range(at, at + AROUND + 1):
        indices[:N_WINDOWS] = indices[:N_WINDOWS] << GROUP_BITS | groups[place : place + N_WINDOWS]


def _compiled(numba: Any) -> None:
    from llvmlite import ir

    byte, double = ir.IntType(8), ir.IntType(16)
    lanes, wide = ir.VectorType(byte, N_WINDOWS), ir.VectorType(double, N_WINDOWS)

    def pointer(context: Any, builder: Any, array_type: Any, array: Any, at: Any, pointed: Any) -> Any:
        start = builder.bitcast(
            context.make_array(array_type)(context, builder, array).data, byte.as_pointer()
        )
        return builder.bitcast(builder.gep(start, [at]), pointed.as_pointer())

    def same(value: int) -> Any:
        return ir.Constant(lanes, [value] * N_WINDOWS)

    def spread(builder: Any, value: Any) -> Any:
        first = builder.insert_element(ir.Constant(lanes, ir.Undefined), value, ir.IntType(32)(0))
        return builder.shuffle_vector(
            first, first, ir.Constant(ir.VectorType(ir.IntType(32), N_WINDOWS), None)
        )

    def grouped(builder: Any, text: Any, capitals: Any, tabs: Any) -> Any:
        def among(first: str, last: str) -> Any:
            size = ord(last) - ord(first) + 1
            return builder.icmp_unsigned("<", builder.sub(text, same(ord(first))), same(size))

        groups = builder.select(among("!", "~"), same(MARK), same(RARE))
        groups = builder.select(among("'", "'"), same(APOSTROPHE), groups)
        groups = builder.select(among("0", "9"), same(DIGIT), groups)
        groups = builder.select(among("a", "z"), same(SMALL), groups)
        groups = builder.select(among("A", "Z"), spread(builder, capitals), groups)
        groups = builder.select(among(" ", " "), same(SPACE), groups)
        groups = builder.select(among("\t", "\f"), spread(builder, tabs), groups)
        return builder.select(builder.or_(among("\n", "\n"), among("\r", "\r")), same(NEWLINE), groups)

    @numba.extending.intrinsic  # type: ignore[untyped-decorator]
    def sort(typing_context: Any, data: Any, at: Any, capitals: Any, tabs: Any, groups: Any, to: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data, at, capitals, tabs, groups, to = arguments
            text = builder.load(pointer(context, builder, signature.args[0], data, at, lanes), align=1)
            place = pointer(context, builder, signature.args[4], groups, to, lanes)
            builder.store(grouped(builder, text, capitals, tabs), place, align=1)
            return context.get_dummy_value()

        uint8, int64 = numba.types.uint8, numba.types.int64
        return numba.types.void(data, int64, uint8, uint8, groups, int64), emit

    @numba.extending.intrinsic  # type: ignore[untyped-decorator]
    def index(typing_context: Any, groups: Any, at: Any, indices: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            groups, at, indices = arguments
            total = ir.Constant(wide, None)
            for place in range(AROUND + 1):
                start = builder.add(at, ir.IntType(64)(place))
                source = pointer(context, builder, signature.args[0], groups, start, lanes)
                those = builder.zext(builder.load(source, align=1), wide)
                shift = ir.Constant(wide, [GROUP_BITS * (AROUND - place)] * N_WINDOWS)
                total = builder.or_(total, builder.shl(those, shift))
            zero = ir.IntType(64)(0)
            builder.store(total, pointer(context, builder, signature.args[2], indices, zero, wide), align=1)
            return context.get_dummy_value()

        return numba.types.void(groups, numba.types.int64, indices), emit

    overload = partial(numba.extending.overload, jit_options=routine_options(numba, _nrt=False))
    overload(sort_bytes)(
        lambda data, at, capitals, tabs, groups, to: (
            lambda data, at, capitals, tabs, groups, to: sort(data, at, capitals, tabs, groups, to)
        )
    )
    overload(index_windows)(
        lambda groups, at, indices: lambda groups, at, indices: index(groups, at, indices)
    )


tell_numba(_compiled)
