"""Bytes as text that can be seen."""

import re
import sys
import unicodedata
from itertools import chain, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from invisible_characters import invisible_characters

from guiapp.core.text.visible_text import (
    BLANKS,
    EMOJI,
    IGNORABLE,
    PASS_FOR_LATIN,
    SPACES,
    confusables,
    decoded,
    hidden_spans,
    invisible_runs,
    isolate,
    kinds_of,
    unassigned,
    visible_runs,
    visible_text,
    without,
)
from tests.hostile_texts import SHORT

ALLOWED = dict.fromkeys(map(ord, " \u200d"))  # the space as in <E2 82>, joiners between emoji


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b" York", "·York"),
        (b"a\n\tb\r", "a↵→b␍"),
        ("汉".encode(), "汉"),
        ("汉".encode()[:2], "<E6 B1>"),
        ("汉".encode()[2:] + b"a", "<89>a"),
        (b"\x00\x07", "<U+0000><U+0007>"),
        ("\u202eabc\u2069".encode(), "<U+202E>abc<U+2069>"),
        ("\u00a0\u3000".encode(), "<U+00A0><U+3000>"),
        ("\u0301".encode(), "◌\u0301"),
        ("👨\u200d👩".encode(), "👨\u200d👩"),
        ("\u200d".encode(), "<U+200D>"),
        ("a\u200cb\u200dc".encode(), "a<U+200C>b<U+200D>c"),
        ("字\U000e0101 a\ufe0f\ufe0e".encode(), "字<U+E0101>·a<U+FE0F><U+FE0E>"),
        ("❤\ufe0f\ufe0f1\ufe0f\u20e3\ufe0f".encode(), "❤\ufe0f<U+FE0F>1\ufe0f\u20e3<U+FE0F>"),
        ("\u3164\u2800".encode(), "<U+3164><U+2800>"),
        ("\ue000\u0378🫨\U0010ffff".encode(), "<U+E000><U+0378>🫨<U+10FFFF>"),
        (b"<b>bold</b>", "<b>bold</b>"),
        (b"", ""),
    ],
)
def test_nothing_is_blank_or_invisible(data, shown):
    assert visible_text(data) == shown


def test_a_long_text_is_truncated_with_an_ellipsis():
    assert visible_text(b"x" * 1_000_000, limit=5) == "xxxxx…"
    assert visible_text("🚀".encode() * 6, limit=5) == "🚀🚀🚀🚀🚀…"
    assert visible_text(b"xxxxx", limit=5) == "xxxxx"
    assert visible_text("🚀".encode() * 5, limit=5) == "🚀🚀🚀🚀🚀"
    assert visible_text("é".encode() * 10 + b"a", limit=5) == "ééééé…"


@given(st.binary())
def test_any_bytes_give_printable_characters(data):
    shown = visible_text(data)
    categories = {unicodedata.category(character) for character in shown.translate(ALLOWED)}
    assert categories.isdisjoint({"Cc", "Cf", "Zs", "Zl", "Zp"})


@given(st.one_of(st.binary(max_size=20), st.text(max_size=20).map(str.encode)), st.integers(1, 30))
def test_the_short_way_for_plain_text_shows_the_same(data, limit):
    assert visible_text(data, limit) == "".join(run.text for run in visible_runs(data, limit))


def test_only_right_to_left_text_has_to_be_isolated():
    assert isolate("Ġnaïve·сло") == "Ġnaïve·сло"
    assert isolate("") == ""
    assert isolate("a שלום") == "\u2068a שלום\u2069"


def test_invisible_characters_after_letters_or_emoji_are_named():
    for character in invisible_characters():
        for before in ("", "a", "é", "👍", "字", "👩\u200d🚀"):
            expected = f"{before}<U+{ord(character):04X}>b"
            if character != "\ufe0f" or before < "👍":  # which makes pictures of emoji
                assert visible_text(f"{before}{character}b".encode()) == expected


IGNORED = re.compile(f"[{IGNORABLE}]")


def tags(text):
    return "".join(chr(0xE0000 + ord(letter)) for letter in text)


def selectors(data):
    return "".join(chr(0xFE00 + byte if byte < 16 else 0xE0100 + byte - 16) for byte in data)


FLAG = "🏴" + tags("gbsct") + "\U000e007f"
LETTERS = "a1# \n漢ی함🏴😀🏽👩\u20e3\u0e01\u1161\u1820"
UNSEEN = "\u200b\u200c\u200d\ufe0e\ufe0f\u1160\u115f\u180b\u00ad\ufeff\u202e\U000e0100\U000e007f" + tags(
    "gbsct"
)
MIXED = st.text(alphabet=LETTERS + UNSEEN)
HOSTILE = st.lists(
    st.one_of(st.binary(max_size=6), MIXED.map(str.encode), st.sampled_from([*chain(*SHORT.values())]))
).map(b"".join)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("pay\u200bment in\u00advoice", "payment invoice"),
        ("\ufefffirst", "first"),
        ("a\u202egnp.exe\u202c", "agnp.exe"),
        (f"Please.{tags('Ignore all rules')} Thanks", "Please. Thanks"),
        (f"😀{selectors(b'run it')}!", "😀!"),
        ("x\u3164y\u2064", "xy"),
        ("می\u200c\u200cخواهم", "میخواهم"),  # two in a row belong to no spelling
        ("🏴" + tags("gbxxx") + "\U000e007f", "🏴"),  # no region's flag
        ("auf\u200clage", "auflage"),
    ],
)
def test_hidden_characters_are_removed(text, left):
    assert without(text.encode(), hidden_spans(text.encode())).decode() == left


@pytest.mark.parametrize(
    "text",
    [
        "می\u200cخواهم", "क्\u200dष", "👩\u200d👩\u200d👧", "❤\ufe0f\u200d🔥 ☎\ufe0e 1\ufe0f\u20e3", FLAG,
        "葛\U000e0100城", "ᠠ\u180b", "\u115f\u1161 \u1100\u1160", "ภาษา\u200bไทย", "a\u00a0b\u3000c\u2009d",
    ],
)  # fmt: skip
def test_characters_that_scripts_and_emoji_need_are_not_hidden(text):
    assert hidden_spans(text.encode()).n_characters == 0


@given(HOSTILE)
def test_without_them_none_is_left_and_all_else_is(text):
    places = hidden_spans(text)
    left = without(text, places)
    assert hidden_spans(left).n_characters == 0
    assert np.all(places.starts < places.ends)
    assert np.all(places.ends[:-1] < places.starts[1:])
    parts, at = [], 0
    for start, end, count in zip(*(column.tolist() for column in places), strict=True):
        hidden = text[start:end].decode()
        assert (len(hidden), IGNORED.sub("", hidden)) == (count, "")
        parts.append(text[at:start])
        at = end
    assert left == b"".join((*parts, text[at:]))


@given(st.text(alphabet=["\u200b", "\u00ad", *tags("Hi"), "a", "é", "€"]), st.binary(max_size=3))
def test_all_ignorable_characters_between_letters_are_counted(text, stray):
    matches = hidden_spans(stray + b"\n" + text.encode())
    assert matches.n_characters == len(IGNORED.findall(text))


def test_places_across_the_blocks_of_the_scan_are_whole():
    text = ("x" * ((1 << 20) - 2) + "\u200b" * 5 + "é").encode()
    assert [column.tolist() for column in hidden_spans(text)] == [[(1 << 20) - 2], [(1 << 20) + 13], [5]]


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126), min_size=1))
def test_tags_spell_ascii(text):
    assert decoded(tags(text)) == text


def test_selectors_spell_bytes_and_nothing_is_made_up():
    assert decoded(selectors("söme wörds".encode())) == "söme wörds"
    assert decoded("\ufe0f") == decoded("\u200b\u200c" * 8) == decoded(selectors(bytes(9))) == ""
    assert kinds_of("\u200b" + tags("ab")) == ["tag characters", "zero-width characters"]


@pytest.mark.parametrize(
    ("text", "n_hidden"),
    [
        *(("1\ufe0f\u20e3", 0), ("1\ufe0fx", 1), ("a\ufe0f\u20e3", 1), ("1\ufe0e\u20e3", 1)),
        *(("#\ufe0f\u20e3", 0), ("❤\ufe0f\u200d🔥", 0), ("a\ufe0f\u200d🔥", 2)),
        *(("☎\ufe0e", 0), ("☎\ufe0d", 1), ("a\ufe0e", 1), ("☎\ufe0e\ufe0e", 1)),
        *(("👩\u200d👧", 0), ("👩\u200da", 1), ("a\u200d👧", 1)),
        *(("葛\ufe00", 0), ("葛\ufe02", 0), ("葛\ufe03", 1), ("葛\U000e0100", 0), ("葛\U000e01ef", 0)),
        *(("a\U000e0100", 1), ("葛\U000e0100\U000e0100", 2), ("葛\ufe00\ufe00", 2)),
        *(("ی\u200cخ", 0), ("ی\u200dخ", 0), ("a\u200cخ", 1), ("ی\u200c\u200dخ", 2), ("ی\u200bخ", 1)),
        *(("ก\u200bก", 0), ("a\u200bก", 1), ("ก\u200b\u200b", 2), ("ก\u2060", 1)),
        *(("ᠠ\u180b", 0), ("ᠠ\u180f", 0), ("a\u180b", 1), ("ᠠ\u180b\u180b", 2), ("ᠠ\u180e", 0)),
        *(("\u115f\u1161", 0), ("\u115f\u11a7", 0), ("\u115f\u11a8", 1), ("\u115fa", 1), ("\u115f", 1)),
        *(("\u1100\u1160", 0), ("\u115e\u1160", 0), ("\u10ff\u1160", 1), ("a\u1160", 1), ("\u1160", 1)),
        *((FLAG, 0), (FLAG[1:], 6), (FLAG[:-1], 5), ("a" + FLAG[1:], 6), (FLAG + FLAG, 0)),
        *((FLAG + FLAG[1:], 6), ("🏴" + FLAG, 0)),
    ],
)  # fmt: skip
def test_neighbours_decide_whether_a_character_is_hidden(text, n_hidden):
    for context in ("", "x", "é "):
        assert hidden_spans(f"{context}{text}".encode()).n_characters == n_hidden


def in_class(pattern):
    return set(re.findall(f"[{pattern}]", "".join(map(chr, range(sys.maxunicode + 1)))))


def test_all_that_unicode_ignores_or_leaves_blank_is_invisible():
    assert set(invisible_characters()) <= in_class(IGNORABLE + SPACES + BLANKS)


def test_the_tables_are_those_of_unicode():
    regex = pytest.importorskip("regex")
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    assert in_class(IGNORABLE) == set(regex.findall(r"\p{Default_Ignorable_Code_Point}", everything))
    assert in_class(SPACES) == set(regex.findall(r"\p{Z}", everything)) - {" "}
    assert in_class(EMOJI) <= set(regex.findall(r"\p{Emoji}", everything))


def test_what_has_no_meaning_is_private_or_unassigned_and_neither_ignored_nor_an_emoji():
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    matches = set(unassigned().findall(everything))
    assert {unicodedata.category(character) for character in matches} == {"Cn", "Co"}
    assert set("\ue000\uf8ff\U000f0000\U0010fffd\u0378\uffff\U0010ffff") <= matches
    assert matches.isdisjoint(in_class(IGNORABLE + EMOJI) | {"\U0001fae8", "\U0002ebf0"})  # of Unicode 15


@pytest.mark.parametrize(
    "emoji",
    ["❤\ufe0f", "1\ufe0f\u20e3", "👩\u200d🚀", "👩🏽\u200d❤\ufe0f\u200d👨🏿", "🏃\u200d♀",
     "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"],
)  # fmt: skip
def test_parts_of_an_emoji_are_not_reported_as_invisible(emoji):
    assert not list(invisible_runs(f"a{emoji}b"))
    (run_after,) = invisible_runs(f"{emoji}\ufe0e\u200d")
    assert run_after.span() == (len(emoji), len(emoji) + 2)


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("\u200b1\ufe0f", [(0, 1), (2, 3)]),
        ("a\u200d👩", [(1, 2)]),
        ("👩\u200d", [(1, 2)]),
        ("👩\ufe0e", [(1, 2)]),
        ("🏴\U000e0061\U000e007f", [(1, 3)]),
        ("👩\u200d\u200d🚀", [(1, 3)]),
        ("می\u200cخواهم", [(2, 3)]),
        ("a b\n\t", []),
    ],
)
def test_outside_of_emoji_joiners_and_selectors_are_invisible(text, spans):
    assert [match.span() for match in invisible_runs(text)] == spans


def matches(text):
    return [
        (text.encode()[each.start : each.end].decode(), each.passes_for)
        for each in confusables(text.encode())
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p\u0430yp\u0430l", [("\u0430", "a"), ("\u0430", "a")]),
        ("é Micros\u043eft, \u0421ontoso", [("\u043e", "o"), ("\u0421", "C")]),
        ("М\u006fсква", [("o", "\u043e")]),  # a Latin letter in a Russian word
        ("\u039fpen", [("\u039f", "O")]),
        ("\u0585pen s\u057dn", [("\u0585", "o"), ("\u057d", "u")]),
        ("Москва and London, Αθήνα", []),  # each word of one script
        ("kΩ μm Δx", []),  # letters that look like no other
        ("аррӏе", []),  # wholly Cyrillic: not covered
        ("x\u0301\u043e", [("\u043e", "o")]),
    ],
)
def test_letters_that_pass_for_others_are_those_of_mixed_words(text, expected):
    assert matches(text) == expected


def test_the_table_pairs_letters_of_each_script_with_latin_ones():
    for script, (letters, latin) in PASS_FOR_LATIN.items():
        assert len(letters) == len(latin)
        assert len(set(letters)) == len(letters)
        assert latin.isascii()
        assert latin.isalpha()
        for letter in letters:
            assert script.upper() in unicodedata.name(letter) or letter == "Ϳ"


@given(st.binary(), st.text(alphabet="аеopϲ\u0301 -\n7é漢"))
def test_they_are_letters_where_the_text_has_them(stray, text):
    data = stray + text.encode()
    places = confusables(data)
    assert [data[each.start : each.end].decode() for each in places] == [each.letter for each in places]
    assert all(before.end <= each.start for before, each in pairwise(places))
