"""Figures as people read them."""

import pytest

import guiapp
from guiapp.core.text.numbers_in_words import (
    elided,
    in_bytes,
    printable,
    quoted,
    short_number,
    with_prefix,
)


@pytest.mark.parametrize(
    ("value", "short", "aligned"),
    [(0.5, "0.5", "0.500"), (1234, "1.23 k", "1.23 k"), (5e7, "50 M", "50.0 M"), (2e9, "2 G", "2.00 G")],
)
def test_large_numbers_have_a_prefix(value, short, aligned):
    assert (short_number(value), with_prefix(value)) == (short, aligned)


@pytest.mark.parametrize(
    ("size_bytes", "written"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (1_260_000, "1.3 MB"),
        (4 * 10**9, "4.0 GB"),
        (2 * 10**12, "2.0 TB"),
    ],
)
def test_sizes_are_written_in_the_unit_that_suits(size_bytes, written):
    assert in_bytes(size_bytes) == written


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


def test_printable_text_keeps_its_line_ends():
    assert printable("a\nb\tc\u202e\udcff") == "a\nb\\tc\\u202e\\xff"
    assert printable("x" * 500) == "x" * 500


def test_a_name_that_no_file_can_have_is_refused_like_one_that_none_has():
    with pytest.raises(guiapp.VocabError, match="cannot be opened"):
        guiapp.open_model("\ud800.gguf")
    with pytest.raises(guiapp.VocabError, match="no pre-tokenizer"):
        guiapp.open_model("demo:bpe", pre="\ud800")
