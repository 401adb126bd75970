"""What SentencePiece makes of a text, quickly and step by step, and where a text may be cut before that."""

from itertools import product

import numpy as np
import pytest
from arrays import as_array
from hypothesis import given
from hypothesis import strategies as st

from guiapp.core.text.charsmap import build_charsmap
from guiapp.core.text.piece_text import PieceText, character_at, character_before
from guiapp.core.vocabulary.parts import TextRules

NO_MAP = np.zeros(0, np.uint8)
KEYS = {"ﬁ": "fi", "e\u0301": "é", "\u3000": " ", "\n": " ", "\x01": "", "a!": "Q", "日b": "本", "\u200b": ""}
MAP = np.frombuffer(bytearray(build_charsmap(KEYS)), np.uint8)
SPACES = {"marks_spaces": False, "adds_space": False, "removes_spaces": False}
SWITCHES = ("adds_space", "removes_spaces", "marks_spaces", "adds_at_end")
ALPHABET = [*"ab!é日fi ▁\n<", "  ", "<x>", "a b", *KEYS, "\u0301", "😀"]
TEXTS = st.lists(st.sampled_from(ALPHABET), max_size=12).map(lambda parts: "".join(parts).encode())
BROKEN = st.lists(TEXTS | st.sampled_from([b"\xff", b"\xe2\x96", b"\xc3"]), max_size=4).map(b"".join)


def as_lists(normalized):
    return normalized.data.tobytes(), normalized.starts.tolist(), normalized.ends.tolist()


def of_all_kinds(*user_defined_ones):
    for values in product([True, False], repeat=len(SWITCHES)):
        for charsmap, user_defined in product((MAP, NO_MAP), user_defined_ones):
            rules = TextRules(charsmap, **dict(zip(SWITCHES, values, strict=True)))
            for is_compact in (False, True):
                yield PieceText(rules, user_defined, is_compact)


USER_DEFINED = (b"<x>", b"a b", "日".encode())
WITHOUT_USER_DEFINED = [*of_all_kinds(())]
ALL = [*WITHOUT_USER_DEFINED, *of_all_kinds(USER_DEFINED)]
EVERY_SIXTEENTH = st.integers(0, 15).map(lambda first: slice(first, None, 16))


@given(text=BROKEN, begins=st.booleans(), some=EVERY_SIXTEENTH)
def test_native_and_reference_implementations_agree(text, begins, some):
    array = as_array(text)
    for each in ALL[some]:
        normalized = each.normalize(array, begins)
        assert as_lists(normalized) == as_lists(each.normalize_readable(text, begins))
        data = normalized.data
        assert each.piece_ends(data).tolist() == each.piece_ends_readable(data.tobytes())
        is_unchanged, is_plain = each.leaves_alone(array)
        assert is_unchanged or not is_plain
        if is_unchanged:
            inner = each.normalize(array, False)
            assert as_lists(inner)[0].replace(b" ", "▁".encode()) == text.replace(b" ", "▁".encode()) or (
                each.rules.adds_space and each.rules.adds_at_end
            )


@given(text=TEXTS, some=EVERY_SIXTEENTH)
def test_a_text_can_be_cut_where_both_sides_are_independent(text, some):
    array = as_array(text)
    cuts = [at for at in range(1, len(text)) if text[at] & 0xC0 != 0x80]
    for each in WITHOUT_USER_DEFINED[some]:
        whole = each.normalize(array, True).data.tobytes()
        for cut in cuts:
            if each.is_independent(array, cut) and not each.rules.removes_spaces:
                halves = each.normalize(array[:cut], True).data, each.normalize(array[cut:], False).data
                assert b"".join(half.tobytes() for half in halves) == whole


@pytest.mark.parametrize(
    ("charsmap", "text", "cut", "apart"),
    [
        (NO_MAP, "ab", 1, True),
        (NO_MAP, "a\xff", 0, False),
        (NO_MAP, "ab", 2, False),
        (MAP, "cdc", 1, True),
        (MAP, "ca!", 1, False),  # with the next one it becomes another
        (MAP, "ec", 1, False),  # it may begin what becomes another
        (MAP, "ce\u0301", 1, False),
        (MAP, "日日b", 3, False),
        (MAP, "éé ", 2, True),
        (MAP, "c\n", 1, False),
        (MAP, "c d", 1, True),
        (MAP, "😀b", 4, False),
    ],
)
def test_text_that_a_character_map_may_join_is_not_cut(charsmap, text, cut, apart):
    piece_text = PieceText(TextRules(charsmap, **SPACES))
    assert piece_text.is_independent(as_array(text.encode()), cut) == apart
    at_end = PieceText(TextRules(charsmap, adds_at_end=True))
    assert not at_end.is_independent(as_array(text.encode()), cut)


@pytest.mark.parametrize("space", [" ", "▁"])
def test_removing_spaces_prevents_cuts_after_a_space(space):
    text = as_array(f"a{space}b".encode())
    for removes in (True, False):
        piece_text = PieceText(TextRules(NO_MAP, adds_space=False, removes_spaces=removes))
        assert piece_text.is_independent(text, 1)
        assert piece_text.is_independent(text, 1 + len(space.encode())) != removes


@pytest.mark.parametrize(
    ("rules", "text", "becomes"),
    [
        ({}, "a  b ", "▁a▁b"),
        ({}, "   ", ""),
        ({"adds_space": False}, " a", "a"),
        ({"adds_at_end": True}, " a ", "a▁"),
        ({"removes_spaces": False}, " a ", "▁▁a▁"),
        ({"marks_spaces": False}, "a  b", " a b"),
        (SPACES, " a  ▁", " a  ▁"),
        ({"charsmap": MAP}, "ﬁ\u3000\n x", "▁fi▁x"),
        ({"charsmap": MAP}, "e\u0301\x01a!", "▁éQ"),
        ({"charsmap": MAP}, "<x>a ba!", "▁<x>a▁ba!"),
    ],
)
def test_spaces_and_characters_are_normalized_by_the_rules(rules, text, becomes):
    user_defined = (b"<x>", b"a b", b"a!") if becomes.endswith("!") else ()
    piece_text = PieceText(TextRules(**{"charsmap": NO_MAP, **rules}), user_defined)
    assert piece_text.normalize_readable(text.encode()).data.tobytes().decode() == becomes
    assert piece_text.changes_nothing == (
        not len(rules.get("charsmap", NO_MAP)) and not rules.get("removes_spaces", True)
    )


def test_a_character_map_that_would_swell_texts_is_refused():
    grows = PieceText(TextRules(np.frombuffer(bytearray(build_charsmap({"a": "b" * 40})), np.uint8)))
    grows.check(40)
    with pytest.raises(ValueError, match="makes of a text 40 times as many characters"):
        grows.check(39)
    PieceText(TextRules(NO_MAP)).check(1)


def test_characters_before_and_at_each_offset_are_returned():
    characters = ["a", "é", "日", "😀", "b"]
    text, at = as_array("".join(characters).encode()), 0
    assert character_before(text, 0) == b""
    for before, after in zip(["", *characters], [*characters, ""], strict=True):
        assert (character_before(text, at), character_at(text, at)) == (before.encode(), after.encode())
        at += len(after.encode())
