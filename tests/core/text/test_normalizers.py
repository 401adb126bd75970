"""What WordPiece, Unigram and PLaMo 2 make of a text before they encode it."""

import numpy as np
import pytest

from guiapp.core.text.charsmap import build_charsmap, open_charsmap
from guiapp.core.text.normalizers import (
    Action,
    action_of,
    all_actions,
    normalize_unigram,
    symbol_length,
)

NO_MAP = open_charsmap(np.zeros(0, np.uint8))


def unigram(text, prefix=False, remove=False, user_defined=(), charsmap=NO_MAP):
    return normalize_unigram(text, charsmap, user_defined, prefix, remove).data.tobytes()


@pytest.mark.parametrize(
    ("code", "action"),
    [
        (0x2B81F, Action.STAND_ALONE),
        (0x2B820, Action.EXTEND_WORD),
        (0x2B91F, Action.EXTEND_WORD),
        (0x2B920, Action.STAND_ALONE),
    ],
)
def test_extension_e_starts_where_llama_cpp_has_it(code, action):
    assert action_of(code, True, True) == (action, code)


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("strip_accents", [True, False])
def test_the_table_matches_the_action_of_each_code_point(lowercase, strip_accents):
    actions = all_actions(lowercase, strip_accents)
    rng = np.random.default_rng(5)
    for code in [*range(0x800), *range(0x1E00, 0x2100), *rng.integers(0, 0x110000, 2000).tolist()]:
        value = int(actions[code])
        assert (value & 3, code + (value >> 2)) == action_of(code, lowercase, strip_accents)


@pytest.mark.parametrize(
    ("prefix", "remove", "expected"),
    [
        (False, False, "▁▁a▁▁b▁"),
        (True, False, "▁▁▁a▁▁b▁"),
        (False, True, "▁a▁b"),
        (True, True, "▁a▁b"),
    ],
)
def test_spaces_depend_on_the_two_options(prefix, remove, expected):
    assert unigram(b"  a  b ", prefix, remove).decode() == expected


def test_the_beginning_of_a_user_defined_token_is_not_mapped():
    charsmap = open_charsmap(np.frombuffer(bytearray(build_charsmap({"<": "(", "e": "E"})), np.uint8))
    assert unigram(b"<e <x e", user_defined=[b"<ex>"], charsmap=charsmap).decode() == "<e▁<x▁E"


@pytest.mark.parametrize("character", ["a", "\x7f", "\x80", "é", "\u0800", "中", "\U00010000", "\U0010ffff"])
def test_the_first_byte_gives_the_length_of_a_character(character):
    assert symbol_length(character.encode()[0]) == len(character.encode())
