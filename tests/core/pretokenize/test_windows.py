"""Ends of pieces that a few bytes tell, against the automaton on its own."""

from __future__ import annotations

import random

import numpy as np
import pytest
from arrays import as_array

from guiapp.core.pretokenize.pre_tokenizers import PRE_TOKENIZERS
from guiapp.core.pretokenize.splitter import Splitter, splitter_of
from guiapp.native import normalized as native

WITH_WINDOWS = (
    "llama-bpe", "gpt-2", "gpt-4o", "qwen35", "tekken", "bailingmoe", "bloom", "whitespace", "kimi-k2",
)  # fmt: skip
PARTS = [
    *"aaeB19 \n\t'.(/", " ", " the", "'re", "'S", "\r\n", "    ", "don't",
    "é", "漢字", "\u0301", "٣", "\xa0", "x_y", "==",
]  # fmt: skip


def random_text(seed: int) -> bytes:
    """Some 300 bytes, of parts that are rarer in some stretches than in others."""
    choose = random.Random(seed)
    text = ""
    while len(text) < 300:
        text += "".join(choose.choices(choose.sample(PARTS, 6), k=20))
    return text.encode()


def splitter_for(name: str) -> Splitter:
    return splitter_of(PRE_TOKENIZERS[name].patterns)


def without_windows(splitter: Splitter) -> native.SplitterHandle:
    return native.SplitterHandle(**splitter.machine._replace(windows=np.zeros(0, np.uint8))._asdict())


@pytest.mark.parametrize("name", WITH_WINDOWS)
def test_windows_find_the_ends_that_the_automaton_finds(name):
    splitter = splitter_for(name)
    assert len(splitter.machine.windows)
    plain = without_windows(splitter)
    for seed in range(40):
        text = as_array(random_text(seed))
        assert splitter.split(text).tolist() == plain.split(text, np.array([len(text)])).tolist(), seed


@pytest.mark.parametrize("name", WITH_WINDOWS)
def test_long_texts_are_cut_the_same_wherever_they_begin(name):
    splitter = splitter_for(name)
    plain = without_windows(splitter)
    lines = b"".join(b"\n" * (n % 3) + b" " * (n % 70) + b"f(%d, 'x')" % 10**n for n in range(80))
    for start in range(8):
        text = as_array(lines[start:] + random_text(start))
        assert splitter.split(text).tolist() == plain.split(text, np.array([len(text)])).tolist(), start
