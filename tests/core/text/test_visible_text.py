"""Bytes as text that can be seen."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from invisible_characters import invisible_characters

from guiapp.core.text.visible_text import isolate, visible_runs, visible_text

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


def test_a_huge_text_is_cut_and_says_so():
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


def test_signs_are_kept_apart_from_text():
    assert visible_runs(b" a\xff") == [("·", True), ("a", False), ("<FF>", True)]
    assert visible_runs("👨\u200d👩 b".encode()) == [("👨\u200d👩", False), ("·", True), ("b", False)]
    assert visible_runs("\u0301a".encode()) == [("◌", True), ("\u0301a", False)]
    assert visible_runs(b"abc", 2) == [("ab", False), ("…", True)]


@given(st.one_of(st.binary(max_size=20), st.text(max_size=20).map(str.encode)), st.integers(1, 30))
def test_the_short_way_for_plain_text_shows_the_same(data, limit):
    assert visible_text(data, limit) == "".join(run.text for run in visible_runs(data, limit))


def test_only_right_to_left_text_has_to_be_isolated():
    assert isolate("Ġnaïve·сло") == "Ġnaïve·сло"
    assert isolate("") == ""
    assert isolate("a שלום") == "\u2068a שלום\u2069"


def test_whatever_is_invisible_behind_a_letter_or_an_emoji_is_named():
    for character in invisible_characters():
        for before in ("", "a", "é", "👍", "字", "👩\u200d🚀"):
            expected = f"{before}<U+{ord(character):04X}>b"
            if character != "\ufe0f" or before < "👍":  # which makes pictures of emoji
                assert visible_text(f"{before}{character}b".encode()) == expected
