"""What is told of all prefixes of a text is what cutting each of them finds."""

from __future__ import annotations

import random

import numpy as np
import pytest

from guiapp.core.kernels.piece_growth import UNKNOWN
from guiapp.core.kernels.prefix_bases import (
    BEHIND,
    FROM,
    IN_PART,
    MORE,
    MOST_BEGUN,
    PART,
    STATE,
    TO,
    room_for_growth,
)
from guiapp.core.kernels.text_growth import grow_texts
from guiapp.core.text.pattern_table import PATTERNS_BY_PRE_TYPE
from guiapp.core.text.split_patterns import splitter_of
from guiapp.core.text.utf8 import REPLACEMENT_BYTES, repair

PATTERNS = sorted(set(PATTERNS_BY_PRE_TYPE.values()), key=str)
ALPHABETS = (
    "aB",
    "a1",
    "=-'s",
    " \ta",
    " \na",
    "\r\n a",
    "漢。\n",
    "「（ \n",
    "e\u0301 ",
    "→★a",
    "12x漢",
    "ab \n1.'é",
)


def as_array(text):
    return np.frombuffer(bytearray(text), np.uint8)


def pieces_of(splitter, text):
    """The pieces of a text as it is read."""
    repaired = repair(text)
    data = text if repaired is None else repaired.data
    ends = splitter.split(data).tolist()
    return [data[start:end].tobytes() for start, end in zip([0, *ends], ends, strict=False)]


def told_pieces(text, growth, base):
    """The pieces of a prefix or of a part as they are told; None if not all are."""
    if base == 0:
        return []
    if base > len(text):
        part = growth.parts[PART * (base - len(text) - 1) :][:PART]
        before = told_pieces(text, growth, int(part[BEHIND]))
        piece = text[part[FROM] : part[TO]].tobytes() + REPLACEMENT_BYTES * int(part[MORE])
        return None if before is None or part[STATE] == UNKNOWN else [*before, piece]
    before, n_begun = told_pieces(text, growth, int(growth.bases[base])), int(growth.n_begun[base])
    if before is None or n_begun == UNKNOWN:
        return None
    if n_begun == IN_PART:
        return before
    piece = text[growth.origins[base] : base].tobytes()
    return [*before, REPLACEMENT_BYTES * n_begun if n_begun else piece]


@pytest.mark.parametrize("patterns", PATTERNS, ids=range(len(PATTERNS)))
def test_pieces_of_all_prefixes_are_those_of_cutting_each(patterns):
    splitter, rng, n_told = splitter_of(patterns), random.Random(5), 0
    for alphabet in ALPHABETS:
        text = as_array(
            "".join(rng.choices(alphabet, k=16)).encode() + rng.choice([b"", b"\xff", b"\xe6\xbc"])
        )
        growth = room_for_growth(len(text))
        grow_texts(text, np.array([len(text)]), splitter.machine, growth)
        for size in range(1, len(text) + 1):
            told = told_pieces(text, growth, size)
            if told is not None:
                n_told += 1
                assert told == pieces_of(splitter, text[:size]), text[:size].tobytes()
    assert n_told > 50


def test_a_part_stands_for_a_piece_that_no_shorter_prefix_has():
    machine, text = splitter_of(PATTERNS_BY_PRE_TYPE["GPT2"]).machine, as_array("\r\n漢".encode())
    growth = room_for_growth(len(text))
    n_parts = grow_texts(text, np.array([len(text)]), machine, growth)
    last = growth.parts[PART * (n_parts - 1) :][:PART]
    assert growth.origins[5] == 2
    assert growth.bases[5] == len(text) + n_parts
    assert last[[FROM, TO, MORE, BEHIND]].tolist() == [1, 2, 0, 1]
    assert growth.n_begun[[3, 4]].tolist() == [IN_PART, IN_PART]


def test_bytes_of_a_character_that_is_not_complete_are_one_piece_behind_a_letter():
    machine, text = splitter_of(PATTERNS_BY_PRE_TYPE["GPT2"]).machine, as_array("漢字".encode())
    growth = room_for_growth(len(text))
    assert grow_texts(text, np.array([len(text)]), machine, growth) == MOST_BEGUN
    assert growth.n_begun[1:].tolist() == [1, 2, 0, 1, 2, 0]
