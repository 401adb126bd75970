"""What WordPiece, Unigram and PLaMo 2 make of a text before they encode it."""

import numpy as np
import pytest

from guiapp.core.text.charsmap import build_charsmap, open_charsmap
from guiapp.core.text.normalizers import (
    Action,
    action_of,
    all_actions,
    normalize_unigram,
    plamo2_text,
    symbol_length,
    wordpiece_words,
)

NO_MAP = open_charsmap(np.zeros(0, np.uint8))


def words(text, lowercase=True, strip_accents=True):
    data = text if isinstance(text, bytes) else text.encode()
    return [word.data.tobytes().decode() for word in wordpiece_words(data, lowercase, strip_accents)]


def unigram(text, prefix=False, remove=False, user_defined=(), charsmap=NO_MAP):
    return normalize_unigram(text, charsmap, user_defined, prefix, remove).data.tobytes()


def test_words_are_split_at_spaces_punctuation_and_ideographs():
    assert words("It's $5, 中文x") == ["▁it", "▁'", "▁s", "▁$", "▁5", "▁,", "▁中", "▁文", "▁x"]


def test_accents_go_with_the_switch():
    assert words("Élan e\u0301") == ["▁elan", "▁e"]
    assert words("Élan", strip_accents=False) == ["▁élan"]
    assert words("Élan", lowercase=False) == ["▁Elan"]


def test_symbols_above_ascii_do_not_split():
    assert words("a€b") == ["▁a€b"]


def test_control_characters_and_broken_bytes_are_dropped():
    assert words(b"a\0b\x07c\xff\xe2\x82d") == ["▁abcd"]


def test_a_syllable_keeps_its_first_jamo():
    assert words("각") == ["▁\u1100"]


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
def test_the_table_of_all_code_points_says_the_same(lowercase, strip_accents):
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
def test_spaces_follow_the_two_switches(prefix, remove, expected):
    assert unigram(b"  a  b ", prefix, remove).decode() == expected


def test_the_beginning_of_a_user_defined_token_is_not_mapped():
    charsmap = open_charsmap(np.frombuffer(bytearray(build_charsmap({"<": "(", "e": "E"})), np.uint8))
    assert unigram(b"<e <x e", user_defined=[b"<ex>"], charsmap=charsmap).decode() == "<e▁<x▁E"


def test_broken_bytes_become_replacement_characters_one_by_one():
    assert unigram(b"\xe2\x82a").decode() == "\ufffd\ufffda"


def test_plamo2_shortens_characters_and_drops_one_byte_order_mark():
    assert plamo2_text(b"\xef\xbb\xbf\xef\xbb\xbf\xc0\x80").data.tobytes() == b"\xef\xbb\xbf\0"


def test_plamo2_replaces_broken_bytes_one_by_one():
    assert plamo2_text(b"\xe2\x82a\xff").data.tobytes().decode() == "\ufffd\ufffda\ufffd"


def test_plamo2_keeps_values_above_unicode():
    assert plamo2_text(b"\xf5\x80\x80\x80").data.tobytes() == b"\xf5\x80\x80\x80"


@pytest.mark.parametrize("character", ["a", "\x7f", "\x80", "é", "\u0800", "中", "\U00010000", "\U0010ffff"])
def test_the_first_byte_tells_how_long_a_character_is(character):
    assert symbol_length(character.encode()[0]) == len(character.encode())
