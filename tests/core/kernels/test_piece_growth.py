"""What is told of a growing piece is what cutting each prefix anew finds."""

from __future__ import annotations

import random

import numpy as np
import pytest

from guiapp.core.kernels import piece_growth
from guiapp.core.kernels.piece_growth import ROWS, UNKNOWN
from guiapp.core.text.pattern_table import PATTERNS_BY_PRE_TYPE
from guiapp.core.text.split_patterns import splitter_of
from guiapp.core.text.utf8 import repair

PATTERNS = sorted(set(PATTERNS_BY_PRE_TYPE.values()), key=str)
ALPHABETS = (
    "abcst",
    "aB",
    "0129",
    "=-'",
    " \t",
    " \n",
    "汉字",
    "あ漢",
    "e\u0301",
    "→★",
    "aé",
    "12x",
    "ab \n1.,'é汉",
)
FIRST = ("", " ", "\n", "'", "x", "1", "é")


def as_array(text):
    return np.frombuffer(bytearray(text), np.uint8)


def starts_of_pieces(splitter, text):
    """Where pieces begin in a text as it is read."""
    repaired = repair(text)
    data = text if repaired is None else repaired.data
    starts = [0, *splitter.split(data)[:-1].tolist()]
    return starts if repaired is None else repaired.starts[starts].tolist()


@pytest.mark.parametrize("patterns", PATTERNS, ids=range(len(PATTERNS)))
def test_pieces_of_all_prefixes_are_those_of_cutting_each(patterns):
    splitter, rng = splitter_of(patterns), random.Random(3)
    n_told = 0
    for alphabet in ALPHABETS:
        text = as_array(
            (rng.choice(FIRST) + "".join(rng.choices(alphabet, k=30))).encode() + rng.choice([b"", b"\xff"])
        )
        origins, n_begun = np.zeros(len(text) + 1, np.int64), np.zeros(len(text) + 1, np.uint8)
        progress, reached = np.zeros(ROWS + len(splitter.machine.levels), np.int64), 0
        for size in [*sorted(rng.sample(range(len(text)), 4)), len(text)]:
            reached = piece_growth.grow(text[:size], progress, splitter.machine, origins, n_begun)
            if reached < size:
                break
        n_told += reached
        for size in range(1, reached + 1):
            starts = starts_of_pieces(splitter, text[:size])
            origin, begun = int(origins[size]), int(n_begun[size])
            assert origin in starts, (text[:size].tobytes(), origin)
            if begun == 0:
                assert origin == starts[-1], (text[:size].tobytes(), origin)
            elif begun != UNKNOWN:
                last_whole = [start for start in starts if start < size - begun]
                assert size - begun in starts, text[:size].tobytes()
                assert origin == (last_whole or [0])[-1] or origin == size - begun
    assert n_told > 0


def test_no_more_is_told_than_up_to_what_changes_pieces_before():
    machine = splitter_of(PATTERNS_BY_PRE_TYPE["GPT2"]).machine
    for text, expected in ((b"    x", 4), (b"aaa\x80", 3), ("aa汉".encode()[:4], 4), (b"aa bb", 5), (b"", 0)):
        progress = np.zeros(ROWS + 1, np.int64)
        told = np.zeros(len(text) + 1, np.int64), np.zeros(len(text) + 1, np.uint8)
        assert piece_growth.grow(as_array(text), progress, machine, *told) == expected
