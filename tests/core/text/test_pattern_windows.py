"""Ends of pieces by windows of four bytes against the automaton on its own."""

from __future__ import annotations

import random

import numpy as np
import pytest

from guiapp.core.kernels.byte_groups import AROUND, N_WINDOWS, index_windows, sort_bytes
from guiapp.core.kernels.eight_bytes import marks
from guiapp.core.kernels.pattern_windows import CUT, SECOND_CASE, TABS, UNSURE, known_behind_run
from guiapp.core.text.pattern_table import PATTERNS_BY_PRE_TYPE
from guiapp.core.text.split_patterns import splitter_for

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
    plain = splitter._replace(machine=splitter.machine._replace(windows=np.zeros(0, np.uint8)))
    for seed in range(40):
        text = np.frombuffer(bytearray(random_text(seed)), np.uint8)
        assert splitter.split(text).tolist() == plain.split(text).tolist(), seed


def test_only_patterns_that_stand_alone_have_windows():
    for pre_type, patterns in PATTERNS_BY_PRE_TYPE.items():
        if len(patterns) > 1:
            assert len(splitter_for(pre_type).machine.windows) == 0, pre_type


@pytest.mark.parametrize("pre_type", WITH_WINDOWS)
def test_long_texts_are_cut_the_same_wherever_they_begin(pre_type):
    splitter = splitter_for(pre_type)
    plain = splitter._replace(machine=splitter.machine._replace(windows=np.zeros(0, np.uint8)))
    lines = b"".join(b"\n" * (n % 3) + b" " * (n % 70) + b"f(%d, 'x')" % 10**n for n in range(80))
    for start in range(8):
        text = np.frombuffer(bytearray(lines[start:] + random_text(start)), np.uint8)
        assert splitter.split(text).tolist() == plain.split(text).tolist(), start


def windows_of(text: bytes, windows: np.ndarray) -> np.ndarray:
    """The indices of the windows that begin with the first bytes of a text."""
    padded = np.frombuffer(bytearray(text.ljust(2 * N_WINDOWS)), np.uint8)
    groups, indices = np.zeros(2 * N_WINDOWS, np.uint8), np.zeros(N_WINDOWS, np.uint16)
    sort_bytes(padded, 0, windows[SECOND_CASE], windows[TABS], groups, 0)
    sort_bytes(padded, N_WINDOWS, windows[SECOND_CASE], windows[TABS], groups, N_WINDOWS)
    index_windows(groups, 0, indices)
    return indices


def flags_of(before: str, behind: str) -> int:
    """What the table of LLAMA3 says about a cut between two characters before and two behind it."""
    windows = splitter_for("LLAMA3").machine.windows
    return int(windows[windows_of((before + behind).encode(), windows)[0]]) & (CUT | UNSURE)


def test_windows_know_what_four_characters_tell():
    assert flags_of("ab", " c") == CUT
    assert flags_of("ab", "cd") == 0
    assert flags_of(". ", "ab") == 0
    assert flags_of("  ", " a") == CUT
    assert flags_of("\n\n", "  ") == UNSURE  # a line end may follow
    assert flags_of("'s", "ab") == UNSURE


@pytest.mark.parametrize(
    ("before", "run", "behind", "expected"),
    [
        ("a\n", "    ", "if", CUT),
        ("a\n", "    ", "\n", 0),
        ("a\n", "    ", "é", UNSURE),
        ("a\n", " ", "if", UNSURE),  # no run
        ("a\n", " " * 200, "if", UNSURE),  # too long to look at
        ("a\n", "    ", "", UNSURE),  # the text ends
        ("12", "3333", ".", UNSURE),  # cut by threes from where the number begins
        ("..", "aaaa", " ", CUT),
    ],
)
def test_what_follows_a_run_tells_whether_there_is_a_cut_before_it(before, run, behind, expected):
    padding = "" if not behind else " x" * 8
    text = np.frombuffer(bytearray((before + run + behind + padding).encode()), np.uint8)
    windows = splitter_for("LLAMA3").machine.windows
    assert known_behind_run(text, len(before), len(text), windows) == expected


def test_bits_of_flags_are_those_of_64_bytes_from_anywhere():
    flags = np.zeros(3 * N_WINDOWS + AROUND, np.uint8)
    flags[[5, 68, 69]] = 1, 3, 2
    assert marks(flags, 5, np.uint8(1)) == 1 | 1 << 63
    assert marks(flags, 6, np.uint8(2)) == 1 << 62 | 1 << 63
