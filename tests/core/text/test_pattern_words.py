"""Words whose end shows without following an automaton."""

from __future__ import annotations

import pytest

from guiapp.core.kernels.pattern_automaton import ALONE, FOLD, LED, REACH, ROWS
from guiapp.core.text.split_patterns import splitter_for


def ends_at_once(pre_type: str, piece: bytes, following: str) -> bool:
    """Whether the table tells that a piece ends before this character."""
    table = splitter_for(pre_type).machine.words[0]
    row = int(table[(LED if len(piece) > 1 else ALONE) + piece[0]])
    return bool(table[ROWS + 256 * row + ord(following)])


@pytest.mark.parametrize("piece", [b"word", b"Word", b" word", b"(word", b",", b"\n"])
@pytest.mark.parametrize("following", [" ", "(", "."])
def test_words_and_single_characters_end(piece, following):
    may_go_on = (piece, following) in {(b",", "("), (b",", "."), (b"\n", " ")}
    assert ends_at_once("LLAMA3", piece, following) == (not may_go_on)


def test_contractions_numbers_and_text_beyond_ascii_have_to_be_searched_for():
    table = splitter_for("LLAMA3").machine.words[0]
    assert not table[REACH + ord("'")]
    assert not ends_at_once("LLAMA3", b"1", "2")
    assert not ends_at_once("LLAMA3", b"word", "é")


def test_capitals_count_as_letters_unless_the_pattern_minds_them():
    assert splitter_for("LLAMA3").machine.words[0][FOLD] == 0x20
    assert splitter_for("GPT4O").machine.words[0][FOLD] == 0
    assert not ends_at_once("GPT4O", b" ", "W")
