"""Stretches that no piece holds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guiapp.core.text.pattern_factors import StretchCutter
from guiapp.core.text.pattern_table import PATTERNS_BY_PRE_TYPE
from guiapp.core.text.split_patterns import splitter_for

CHARACTERS = "a B1! \n\t'é中ั\u0301/_"
texts = st.text(st.sampled_from(CHARACTERS), max_size=5)


def stretch_of(text, machine):
    return tuple(bytes([machine.classes[ord(character)]]) for character in text)


@pytest.mark.parametrize("pre_type", ["GPT2", "LLAMA3", "QWEN2", "DEEPSEEK_CODER", "GPT4O"])
@given(before=texts, stretch=st.text(st.sampled_from(CHARACTERS), min_size=2, max_size=4), behind=texts)
@settings(max_examples=150, deadline=None)
def test_no_piece_holds_a_stretch_that_is_always_cut(pre_type, before, stretch, behind):
    splitter = splitter_for(pre_type)
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
    machine = splitter_for("LLAMA3").machine
    assert StretchCutter(machine).always_cuts(stretch_of(stretch, machine)) == is_cut


@pytest.mark.parametrize("pre_type", sorted(PATTERNS_BY_PRE_TYPE))
def test_single_characters_are_never_cut(pre_type):
    machine = splitter_for(pre_type).machine
    cutter = StretchCutter(machine)
    assert not any(cutter.always_cuts((bytes([each]),)) for each in range(len(machine.cuts)))
