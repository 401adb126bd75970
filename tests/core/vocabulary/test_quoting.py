"""Texts from files as a sentence may show them."""

import pytest

import guiapp
from guiapp.core.text.figures import elided, printable, quoted


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("é 中", "é 中"),
        ("a\n\x1b\u202eb", r"a\n\x1b\u202eb"),
        (b"a\xff\xe4\xb8\xad", r"a\xff中"),
        ("a\udcffb", r"a\xffb"),
        ("\ud800", r"\ud800"),
        (b"\xed\xa0\x80", r"\xed\xa0\x80"),
        ("x" * 61, "x" * 59 + "…"),
    ],
)
def test_what_cannot_be_printed_is_escaped_on_one_short_line(text, shown):
    assert quoted(text) == shown


@pytest.mark.parametrize(
    ("text", "longest", "shown"), [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("", 1, ""), ("ab", 1, "…")]
)
def test_a_text_is_cut_where_it_is_longer(text, longest, shown):
    assert quoted(text, longest) == elided(text, longest) == shown


def test_line_ends_stay_where_a_whole_text_is_printed():
    assert printable("a\nb\tc\u202e\udcff") == "a\nb\\tc\\u202e\\xff"
    assert printable("x" * 500) == "x" * 500


def test_a_name_that_no_file_can_have_is_refused_like_one_that_none_has():
    with pytest.raises(guiapp.VocabError, match="cannot be opened"):
        guiapp.open_model("\ud800.gguf")
    with pytest.raises(guiapp.VocabError, match="no pre-tokenizer"):
        guiapp.open_model("demo:bpe", pre="\ud800")
