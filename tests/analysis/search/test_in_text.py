"""Finding text, bytes, patterns and tokens in a text."""

import re
import sys
import time
from itertools import pairwise

import pytest
from conftest import PATIENCE_S
from hypothesis import given
from hypothesis import strategies as st
from toy_vocabulary import toy_vocabulary

from guiapp.analysis.search import in_text_worker
from guiapp.analysis.search import matches as finding
from guiapp.analysis.search.matches import Query, QueryError, find, tokens_named

TEXT = "Über the Ünder, THE other\nthe end".encode()


def matched_texts(text, pattern, kind="text", matches_case=False):
    matches = find(text, Query(kind, pattern, matches_case), lambda share: None)
    return [text[start:end] for start, end in zip(matches.starts, matches.ends, strict=True)]


@pytest.mark.parametrize(
    ("kind", "pattern", "matches_case", "expected"),
    [
        ("text", "the", True, ["the", "the", "the"]),
        ("text", "the", False, ["the", "THE", "the", "the"]),
        ("text", "ü", False, ["Ü", "Ü"]),
        ("text", "ü", True, []),
        ("text", "the\n", False, []),
        ("text", "other\nTHE", False, ["other\nthe"]),
        ("text", "/the/", False, []),
        ("text", "", False, []),
        ("bytes", "C3 9C", False, ["Ü", "Ü"]),
        ("bytes", "0xc3,0x9c", False, ["Ü", "Ü"]),
        ("regex", r"\bth\w+", False, ["the", "THE", "the"]),
    ],
)
def test_queries_find_what_they_mean(kind, pattern, matches_case, expected):
    assert matched_texts(TEXT, pattern, kind, matches_case) == [each.encode() for each in expected]


@pytest.mark.parametrize(
    ("pattern", "matches_case", "expected"),
    [
        (r"^the", True, ["the"]),
        (r"x*", True, []),
        ("[ü].", False, ["Üb", "Ün"]),
        ("r\nt", True, ["r\nt"]),
    ],
)
def test_expressions_match_characters_and_lines(pattern, matches_case, expected):
    spans = in_text_worker.match_spans(in_text_worker.request(pattern, matches_case, 9, TEXT))
    assert [TEXT[start:end].decode() for start, end in spans] == expected


@pytest.mark.parametrize(
    ("kind", "pattern"), [("bytes", "C"), ("bytes", "xyz"), ("regex", "("), ("regex", "(" * 5000)]
)
def test_queries_that_mean_nothing_are_explained(kind, pattern):
    with pytest.raises(QueryError):
        matched_texts(TEXT, pattern, kind)


@given(st.text("ab é", max_size=60), st.text("ab é", min_size=1, max_size=6))
def test_the_same_places_as_from_front_to_back(text, pattern):
    spans = [match.span() for match in re.finditer(re.escape(pattern.encode()), text.encode())]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finding, "CHUNK_BYTES", 7)
        matches = find(text.encode(), Query("text", pattern, True), lambda share: None)
    assert list(zip(matches.starts.tolist(), matches.ends.tolist(), strict=True)) == spans


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [
        ("k K \u212a", "k", ["k", "K", "\u212a"]),
        ("k K \u212a", "\u212a", ["k", "K", "\u212a"]),
        ("s S ſ", "S", ["s", "S", "ſ"]),
        ("Straße STRASSE STRAẞE Straſse", "strasse", ["Straße", "STRASSE", "STRAẞE", "Straſse"]),
        ("Straße STRASSE", "straße", ["Straße", "STRASSE"]),
        ("ß", "s", []),  # no half of a character
        ("sß ßs", "ss", ["ß", "ß"]),
        ("ﬁn ﬃ FIN", "fi", ["ﬁ", "FI"]),
        ("İstanbul i\u0307 istanbul", "istanbul", ["İstanbul", "istanbul"]),
        ("İ i\u0307 I\u0307", "İ", ["İ", "i\u0307", "I\u0307"]),
        ("Σς σ", "σ", ["Σ", "ς", "σ"]),
        ("Ȿ ȿ ẞß", "ȿ", ["Ȿ", "ȿ"]),  # of three and two bytes
        ("K\0", "k\0\0", []),  # nothing behind the end
    ],
)
def test_case_is_folded_whatever_its_length_and_matches_are_the_bytes_of_the_text(text, pattern, expected):
    assert matched_texts(text.encode(), pattern) == [each.encode() for each in expected]


def folded_spans(text, pattern):
    """The readable way: characters of the text are put together until they fold to what is wanted."""
    folded, spans, start = pattern.casefold(), [], 0
    while start < len(text):
        ends = range(start + 1, min(start + len(folded), len(text)) + 1)
        end = next((end for end in ends if text[start:end].casefold() == folded), None)
        if end is not None:
            spans.append((len(text[:start].encode()), len(text[:end].encode())))
        start = start + 1 if end is None else end
    return spans


@given(st.text("sSſßẞkK\u212aﬁfiIﬃ é", max_size=60), st.text("sSſßẞkK\u212aﬁfiIﬃ é", min_size=1, max_size=6))
def test_in_any_case_the_same_places_as_from_front_to_back(text, pattern):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finding, "CHUNK_BYTES", 7)
        matches = find(text.encode(), Query("text", pattern, False), lambda share: None)
    assert list(zip(matches.starts.tolist(), matches.ends.tolist(), strict=True)) == folded_spans(
        text, pattern
    )


def test_bytes_that_are_no_utf8_count_as_they_are():
    text = b"\xffabc\xe6\xbc" + "漢".encode()
    assert matched_texts(text, "abc") == [b"abc"]
    assert matched_texts(text, "b.+", "regex") == [text[2:]]
    assert matched_texts(text, "E6 BC", "bytes") == [b"\xe6\xbc"] * 2


@pytest.mark.parametrize("kind", ["text", "regex"])
def test_too_many_matches_are_cut_and_marked_as_incomplete(monkeypatch, kind):
    monkeypatch.setattr(finding, "MOST_MATCHES", 10)
    few = find(b"a" * 10, Query(kind, "a", True), lambda share: None)
    many = find(b"a" * 11, Query(kind, "a", True), lambda share: None)
    assert (len(few.starts), few.is_all) == (10, True)
    assert (len(many.starts), many.is_all) == (10, False)


def test_a_search_that_takes_too_long_is_given_up(monkeypatch):
    monkeypatch.setattr(finding, "LONGEST_S", -1.0)
    with pytest.raises(QueryError, match=r"^The search took more than -1 seconds\. Make it simpler\.$"):
        matched_texts(b"a", "a")


def test_an_expression_that_never_ends_is_given_up(monkeypatch):
    monkeypatch.setattr(finding, "LONGEST_S", 0.3)
    started = time.monotonic()
    with pytest.raises(QueryError, match="simpler"):
        matched_texts(b"a" * 40 + b"!", "(a+)+$", "regex")
    assert time.monotonic() - started < PATIENCE_S


def test_a_search_ends_when_progress_raises():
    class SearchCancelledError(Exception):
        pass

    def progress(share):
        raise SearchCancelledError

    for kind in ("text", "regex"):
        with pytest.raises(SearchCancelledError):
            find(b"a", Query(kind, "a", True), progress)


def test_tokens_are_meant_by_id_by_text_and_by_spelling():
    tokens = ["a", "the", "▁the", "7", "thd", "thf", "xhe"]
    vocabulary = toy_vocabulary(dict.fromkeys(tokens, 0.0))
    assert tokens_named(vocabulary, "2") == tokens_named(vocabulary, "#2") == [2]
    assert tokens_named(vocabulary, " the") == tokens_named(vocabulary, "▁the") == [2]
    assert tokens_named(vocabulary, "the") == [1]
    assert tokens_named(vocabulary, "6") == [6]
    for name, expected_message in (
        ("7", "There is no token 7; the ids end at 6."),
        ("9" * 12, "There is no token 999,999,999,999; the ids end at 6."),
        ("9" * 5000, "No token has this text. To search for an id, enter a number."),
        ("nothing", "No token has this text. To search for an id, enter a number."),
    ):
        with pytest.raises(QueryError) as raised:
            tokens_named(vocabulary, name)
        assert str(raised.value) == expected_message


@pytest.mark.skipif(sys.platform == "win32", reason="processes have no limit of memory there")
def test_an_expression_that_needs_too_much_memory_ends_with_a_sentence():
    with pytest.raises(QueryError, match="simpler"):
        matched_texts(b"the cat sat " * 3_000_000, "(a|b|[^z])*z", "regex", True)


@given(
    st.text(st.sampled_from("a\x7f\x80é\u07ff\u0800中\uffff\U00010000😀\udc80\udcff"), max_size=30),
    st.integers(1, 5),
)
def test_places_in_bytes_are_the_same_however_long_the_blocks(text, block):
    ends = [len(text[:end].encode("utf-8", "surrogateescape")) for end in range(len(text) + 1)]
    message = in_text_worker.request(".", True, 99, text.encode("utf-8", "surrogateescape"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(in_text_worker, "BLOCK", block)
        assert in_text_worker.match_spans(message).tolist() == [[*span] for span in pairwise(ends)]
