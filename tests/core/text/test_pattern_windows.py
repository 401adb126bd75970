"""Ends of pieces by windows of four bytes against the automaton on its own."""

from __future__ import annotations

import random

import numpy as np
import pytest

from guiapp.core.kernels.byte_groups import N_WINDOWS, index_windows
from guiapp.core.kernels.pattern_windows import CUT, TABLE, UNSURE
from guiapp.core.text.pattern_table import PATTERNS_BY_PRE_TYPE
from guiapp.core.text.split_patterns import Splitter, splitter_for

WITH_WINDOWS = ("LLAMA3", "GPT2", "GPT4O", "QWEN35", "TEKKEN", "BAILINGMOE", "BLOOM", "WHITESPACE", "KIMI_K2")
PARTS = [
    *"aaeB19 \n\t'.(/",
    " ",
    " the",
    "'re",
    "'S",
    "\r\n",
    "    ",
    "don't",
    "é",
    "漢字",
    "́",
    "٣",
    "\xa0",
    "x_y",
    "==",
]


def random_text(seed: int) -> bytes:
    """Some 300 bytes, of parts that are rarer in some stretches than in others."""
    choose = random.Random(seed)
    text = ""
    while len(text) < 300:
        text += "".join(choose.choices(choose.sample(PARTS, 6), k=20))
    return text.encode()


@pytest.mark.parametrize("pre_type", WITH_WINDOWS)
def test_windows_find_the_ends_that_the_automaton_finds(pre_type):
    splitter = splitter_for(pre_type)
    assert len(splitter.machine.windows)
    plain = Splitter(splitter.patterns, splitter.machine._replace(windows=np.zeros(0, np.uint8)))
    for seed in range(40):
        text = np.frombuffer(bytearray(random_text(seed)), np.uint8)
        assert splitter.split(text).tolist() == plain.split(text).tolist(), seed


def test_only_patterns_that_stand_alone_have_windows():
    for pre_type, patterns in PATTERNS_BY_PRE_TYPE.items():
        if len(patterns) > 1:
            assert len(splitter_for(pre_type).machine.windows) == 0, pre_type


def flags_of(before: str, behind: str) -> int:
    """What the table of LLAMA3 says about a cut between two characters before and two behind it."""
    windows = splitter_for("LLAMA3").machine.windows
    indices = np.zeros(N_WINDOWS, np.uint16)
    text = np.frombuffer(bytearray((before + behind).encode().ljust(N_WINDOWS + 4)), np.uint8)
    index_windows(text, 0, windows[TABLE], windows[TABLE + 1], indices)
    return int(windows[indices[0]]) & (CUT | UNSURE)


def test_windows_know_what_four_characters_tell():
    assert flags_of("ab", " c") == CUT
    assert flags_of("ab", "cd") == 0
    assert flags_of(". ", "ab") == 0
    assert flags_of("  ", " a") == CUT
    assert flags_of("\n\n", "  ") == UNSURE  # a line end may follow
    assert flags_of("'s", "ab") == UNSURE
