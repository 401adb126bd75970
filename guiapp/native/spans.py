"""Spans of several tokenizers over one text."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import c_int64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.native.binding import Array, Bytes, WideInts, arrays, checked, function

_share_spans = function("share_spans(handle, >wide_ints, >wide_ints)")
MOST_SPAN_COLUMNS = 255
SpanArrays = tuple[WideInts, WideInts, NDArray[np.bool_]]


class _SpanColumn(ctypes.Structure):
    _fields_ = arrays("starts", "ends", "are_special", "shares")


def share_spans(columns: Sequence[SpanArrays]) -> tuple[list[Bytes], WideInts]:
    """Of n columns of tokens of one text: of how many columns each token's span is, and where they differ.

    A column is starts, ends and which tokens are special, which tells empty ones at one place apart; starts
    and ends never decrease and tokens do not overlap.  The differences are int64[k, 2 + 2n]: start and end of
    a stretch across whose ends no token of any column reaches and which has such an end nowhere inside, then
    for each column the first token of the stretch and the one behind the last.
    """
    shares = [np.empty(len(starts), np.uint8) for starts, _, _ in columns]
    rows = [
        (*map(np.ascontiguousarray, column, (np.int64, np.int64, np.bool_)), share)
        for column, share in zip(columns, shares, strict=True)
    ]
    given = (_SpanColumn * len(rows))(*[_SpanColumn(*map(Array.of, row)) for row in rows])
    room = sum(map(len, shares)) // 8 + 64  # enough for most texts; else all is done again
    while True:
        result = np.empty((room, 2 + 2 * len(rows)), np.int64)
        count = checked(_share_spans(given, np.zeros(2 * len(rows), np.int64), result))
        if count <= room:
            return shares, result[:count].copy()
        room = count


_tint_spans = function("tint_spans(handle, >wide_ints, wide_int)")
NO_TINT = 255


class _TintedColumn(ctypes.Structure):
    _fields_ = (*arrays("starts", "ends", "tints"), ("before", c_int64), ("behind", c_int64))


def tint_spans(
    columns: Sequence[tuple[WideInts, WideInts]],
    outer_tints: Sequence[tuple[int, int]],
    n_tints: int,
) -> list[Bytes]:
    """Colours for the tokens of n columns over one text, of each the starts and ends: numbers below n_tints.

    What has the same span has the same colour in all columns, and neighbours in a column have different
    ones as long as n + 2 <= n_tints; so have those at the ends and the tokens `outer_tints` a column, whose
    colours are given, NO_TINT for none, if all those behind are of one span.  Tokens without text have 0.
    """
    tints = [np.empty(len(starts), np.uint8) for starts, _ in columns]
    rows: list[tuple[NDArray[Any], ...]] = [
        (*(np.ascontiguousarray(array, np.int64) for array in column), tint)
        for column, tint in zip(columns, tints, strict=True)
    ]
    given = (_TintedColumn * len(rows))(
        *[_TintedColumn(*map(Array.of, row), *ends) for row, ends in zip(rows, outer_tints, strict=True)]
    )
    checked(_tint_spans(given, np.zeros(len(rows), np.int64), n_tints))
    return tints
