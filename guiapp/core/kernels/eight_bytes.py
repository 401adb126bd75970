"""Eight or sixteen bytes of text at a time; in a 64-bit word the first byte is the lowest.

The functions are what interpreted kernels run; compiled ones get a machine instruction or two in their place.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import routine_options, tell_numba

HIGH_BITS = np.uint64(0x8080808080808080)


def load_eight(data: NDArray[np.uint8], at: int) -> np.uint64:
    """data[at : at + 8], all of which must exist."""
    return np.uint64(int.from_bytes(data[at : at + 8].tobytes(), "little"))


def first_set_byte(marks: np.uint64) -> int:
    """The number of the lowest byte with a bit set; `marks` is not 0."""
    word = int(marks)
    return ((word & -word).bit_length() - 1) >> 3


def lowest_bit(word: np.uint64) -> int:
    """The number of the lowest bit that is set; `word` is not 0."""
    return (int(word) & -int(word)).bit_length() - 1


def marks(flags: NDArray[np.uint8], at: int, mask: np.uint8) -> np.uint64:
    """flags[at : at + 64] as 64 bits: which of them have a bit of `mask`."""
    return np.uint64(np.packbits(flags[at : at + 64] & mask != 0, bitorder="little").view(np.uint64)[0])


def count_letters(data: NDArray[np.uint8], at: int, fold: np.uint8) -> int:
    """How many letters a…z begin at `at`, 16 at most; with a `fold` of 0x20, A…Z are letters too.

    data[at : at + 16] must exist.
    """
    count = 0
    while count < 16 and ord("a") <= (int(data[at + count]) | int(fold)) <= ord("z"):
        count += 1
    return count


def prefetch(words: NDArray[Any], at: int) -> None:
    """Let the processor fetch words[at] for use soon."""


def _compiled(numba: Any) -> None:
    from llvmlite import ir

    byte, word = ir.IntType(8), ir.IntType(64)
    sixteen = ir.VectorType(byte, 16)

    def address(context: Any, builder: Any, array_type: Any, place: tuple[Any, Any], pointed: Any) -> Any:
        array, at = place
        data = context.make_array(array_type)(context, builder, array).data
        return builder.bitcast(builder.gep(data, [at]), pointed.as_pointer())

    @numba.extending.intrinsic  # type: ignore[untyped-decorator]
    def load(typing_context: Any, data: Any, at: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.load(address(context, builder, signature.args[0], arguments, word), align=1)

        return numba.types.uint64(data, numba.types.int64), emit

    @numba.extending.intrinsic  # type: ignore[untyped-decorator]
    def trailing_zeros(typing_context: Any, word: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], ir.IntType(1)(1))

        return numba.types.int64(numba.types.uint64), emit

    @numba.extending.intrinsic  # type: ignore[untyped-decorator]
    def bits(typing_context: Any, flags: Any, at: Any, mask: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            lanes = ir.VectorType(byte, 64)
            array, start, bit = arguments
            place = address(context, builder, signature.args[0], (array, start), lanes)
            loaded = builder.load(place, align=1)
            wanted = ir.Constant(lanes, ir.Undefined)
            for lane in range(64):
                wanted = builder.insert_element(wanted, bit, ir.IntType(32)(lane))
            is_marked = builder.icmp_unsigned(
                "!=", builder.and_(loaded, wanted), ir.Constant(lanes, [0] * 64)
            )
            return builder.bitcast(is_marked, word)

        return numba.types.uint64(flags, numba.types.int64, numba.types.uint8), emit

    @numba.extending.intrinsic  # type: ignore[untyped-decorator]
    def letters(typing_context: Any, data: Any, at: Any, fold: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array, start, bits = arguments
            text = builder.load(
                address(context, builder, signature.args[0], (array, start), sixteen), align=1
            )
            fold_all = ir.Constant(sixteen, ir.Undefined)
            for lane in range(16):
                fold_all = builder.insert_element(fold_all, bits, ir.IntType(32)(lane))
            from_a = builder.sub(builder.or_(text, fold_all), ir.Constant(sixteen, [ord("a")] * 16))
            is_other = builder.icmp_unsigned(">=", from_a, ir.Constant(sixteen, [26] * 16))
            others = builder.zext(builder.bitcast(is_other, ir.IntType(16)), word)
            return builder.cttz(builder.or_(others, word(1 << 16)), ir.IntType(1)(1))

        return numba.types.int64(data, numba.types.int64, numba.types.uint8), emit

    @numba.extending.intrinsic  # type: ignore[untyped-decorator]
    def fetch(typing_context: Any, words: Any, at: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = address(context, builder, signature.args[0], arguments, byte)
            flags = [ir.IntType(32)] * 3
            kind = ir.FunctionType(ir.VoidType(), [byte.as_pointer(), *flags])
            function = builder.module.declare_intrinsic("llvm.prefetch", [byte.as_pointer()], kind)
            read_all_levels_data = [ir.IntType(32)(flag) for flag in (0, 3, 1)]
            builder.call(function, [place, *read_all_levels_data])
            return context.get_dummy_value()

        return numba.types.void(words, numba.types.int64), emit

    overload = partial(numba.extending.overload, jit_options=routine_options(numba, _nrt=False))
    overload(load_eight)(lambda data, at: lambda data, at: load(data, at))
    overload(first_set_byte)(lambda marks: lambda marks: trailing_zeros(marks) >> 3)
    overload(lowest_bit)(lambda word: lambda word: trailing_zeros(word))
    overload(marks)(lambda flags, at, mask: lambda flags, at, mask: bits(flags, at, mask))
    overload(count_letters)(lambda data, at, fold: lambda data, at, fold: letters(data, at, fold))
    overload(prefetch)(lambda words, at: lambda words, at: fetch(words, at))


tell_numba(_compiled)
