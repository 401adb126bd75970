"""Ends of pieces that a few bytes tell, against the automaton on its own."""

from __future__ import annotations

import random

import numpy as np
import pytest

from guiapp import native
from guiapp.core.split.pre_tokenizers import PRE_TOKENIZERS
from guiapp.core.split.splitter import Splitter, splitter_of
from guiapp.core.split.windows import (
    ALONE,
    CUT,
    FOLD,
    GROUP_BITS,
    GROUP_OF,
    LED,
    REACH,
    ROWS,
    RUNS,
    UNSURE,
)

WITH_WINDOWS = (
    "llama-bpe",
    "gpt-2",
    "gpt-4o",
    "qwen35",
    "tekken",
    "bailingmoe",
    "bloom",
    "whitespace",
    "kimi-k2",
)
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


def splitter_for(name: str) -> Splitter:
    return splitter_of(PRE_TOKENIZERS[name].patterns)


def without_windows(splitter: Splitter) -> native.Splitter:
    return native.Splitter(**splitter.machine._replace(windows=np.zeros(0, np.uint8))._asdict())


@pytest.mark.parametrize("name", WITH_WINDOWS)
def test_windows_find_the_ends_that_the_automaton_finds(name):
    splitter = splitter_for(name)
    assert len(splitter.machine.windows)
    plain = without_windows(splitter)
    for seed in range(40):
        text = np.frombuffer(bytearray(random_text(seed)), np.uint8)
        assert splitter.split(text).tolist() == plain.split(text, np.array([len(text)])).tolist(), seed


def test_only_patterns_that_stand_alone_have_windows():
    for name, row in PRE_TOKENIZERS.items():
        if len(row.patterns) > 1:
            assert len(splitter_for(name).machine.windows) == 0, name


@pytest.mark.parametrize("name", WITH_WINDOWS)
def test_long_texts_are_cut_the_same_wherever_they_begin(name):
    splitter = splitter_for(name)
    plain = without_windows(splitter)
    lines = b"".join(b"\n" * (n % 3) + b" " * (n % 70) + b"f(%d, 'x')" % 10**n for n in range(80))
    for start in range(8):
        text = np.frombuffer(bytearray(lines[start:] + random_text(start)), np.uint8)
        assert splitter.split(text).tolist() == plain.split(text, np.array([len(text)])).tolist(), start


def flags_of(window: str, first: int = 0) -> int:
    """What llama-bpe's table from `first` on says about a cut between the middle two of four characters."""
    windows, index = splitter_for("llama-bpe").machine.windows, 0
    for byte in window.encode():
        index = index << GROUP_BITS | int(windows[GROUP_OF + byte])
    return int(windows[first + index]) & (CUT | UNSURE)


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        ("ab c", CUT),
        ("abcd", 0),
        (". ab", 0),
        ("   a", CUT),
        ("\n\n  ", UNSURE),  # a line end may follow
        ("'sab", UNSURE),
    ],
)
def test_windows_know_what_four_characters_tell(window, expected):
    assert flags_of(window) == expected


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        ("a\n i", CUT),
        ("a\n \n", 0),
        ("123.", UNSURE),  # cut by threes from where the number begins
        ("..a ", CUT),
    ],
)
def test_what_follows_a_run_tells_whether_there_is_a_cut_before_it(window, expected):
    assert flags_of(window, RUNS) == expected


def ends_at_once(name: str, piece: bytes, following: str) -> bool:
    """Whether the table tells that a piece ends before this character."""
    table = splitter_for(name).machine.words[0]
    row = int(table[(LED if len(piece) > 1 else ALONE) + piece[0]])
    return bool(table[ROWS + 256 * row + ord(following)])


@pytest.mark.parametrize("piece", [b"word", b"Word", b" word", b"(word", b",", b"\n"])
@pytest.mark.parametrize("following", [" ", "(", "."])
def test_words_and_single_characters_end(piece, following):
    may_go_on = (piece, following) in {(b",", "("), (b",", "."), (b"\n", " ")}
    assert ends_at_once("llama-bpe", piece, following) == (not may_go_on)


def test_contractions_numbers_and_text_beyond_ascii_have_to_be_searched_for():
    table = splitter_for("llama-bpe").machine.words[0]
    assert not table[REACH + ord("'")]
    assert not ends_at_once("llama-bpe", b"1", "2")
    assert not ends_at_once("llama-bpe", b"word", "é")


def test_capitals_count_as_letters_unless_the_pattern_minds_them():
    assert splitter_for("llama-bpe").machine.words[0][FOLD] == 0x20
    assert splitter_for("gpt-4o").machine.words[0][FOLD] == 0
    assert not ends_at_once("gpt-4o", b" ", "W")
