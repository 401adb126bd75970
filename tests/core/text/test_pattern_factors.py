"""Stretches that no piece holds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guiapp.core.split.pre_tokenizers import PRE_TOKENIZERS
from guiapp.core.split.splitter import splitter_of
from guiapp.core.text.pattern_factors import StretchCutter

CHARACTERS = "a B1! \n\t'é中ั\u0301/_"
texts = st.text(st.sampled_from(CHARACTERS), max_size=5)


def stretch_of(text, machine):
    return tuple(bytes([machine.classes[ord(character)]]) for character in text)


@pytest.mark.parametrize("pre", ["gpt-2", "llama-bpe", "qwen2", "deepseek-coder", "gpt-4o"])
@given(before=texts, stretch=st.text(st.sampled_from(CHARACTERS), min_size=2, max_size=4), behind=texts)
@settings(max_examples=150, deadline=None)
def test_no_piece_holds_a_stretch_that_is_always_cut(pre, before, stretch, behind):
    splitter = splitter_of(PRE_TOKENIZERS[pre].patterns)
    if StretchCutter(splitter.machine).always_cuts(stretch_of(stretch, splitter.machine)):
        text = (before + stretch + behind).encode()
        start = len(before.encode())
        ends = splitter.split(np.frombuffer(bytearray(text), np.uint8))
        assert ((start < ends) & (ends < start + len(stretch.encode()))).any()


@pytest.mark.parametrize(
    ("stretch", "is_cut"),
    [
        ("a!", True),
        ("!a", False),
        ("1234", True),
        ("123", False),
        ("\na", True),
        (" a", False),
        ("  a", True),
    ],
)
def test_llama_3_cuts_what_its_pattern_says(stretch, is_cut):
    machine = splitter_of(PRE_TOKENIZERS["llama-bpe"].patterns).machine
    assert StretchCutter(machine).always_cuts(stretch_of(stretch, machine)) == is_cut


@pytest.mark.parametrize("pre", sorted(PRE_TOKENIZERS))
def test_single_characters_are_never_cut(pre):
    machine = splitter_of(PRE_TOKENIZERS[pre].patterns).machine
    cutter = StretchCutter(machine)
    assert not any(cutter.always_cuts((bytes([each]),)) for each in range(len(machine.cuts)))
