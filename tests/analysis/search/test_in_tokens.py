"""Finding tokens by text, bytes, id and regular expression, and what the processes answer that search."""

import io
import re
import time
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import PATIENCE_S
from hypothesis import example, given
from hypothesis import strategies as st
from toy_vocabulary import toy_vocabulary

from guiapp.analysis.search import in_text_worker, in_tokens_worker
from guiapp.analysis.search import matches as search
from guiapp.analysis.search.matches import (
    QueryError,
    contains,
)
from guiapp.analysis.vocabulary_list.columns import TokenFigures
from guiapp.analysis.vocabulary_list.filters import distances, fitting
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.processes import read_frame, write_frame
from guiapp.core.vocabulary.vocabulary import TokenTree
from guiapp.native.model_files import packed

TOKENS = ["a", "the", "▁the", "other", "漢", "a/b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", "#", "0x"]


def figures_of(tokens):
    return TokenFigures(Tokenizer(toy_vocabulary(dict.fromkeys(tokens, 0.0))))


def find(query, tokens=TOKENS, progress=lambda share: None):
    figures = figures_of(tokens)
    try:
        return [tokens[token] for token in np.flatnonzero(fitting(figures, query, progress))]
    finally:
        figures.matcher.close()


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("the", ["the", "▁the", "other"]),
        ('" the"', ["▁the"]),
        ("0x20", ["▁the"]),
        ("0xE6bC", ["漢"]),
        ("#4", ["漢"]),
        ("/^the$/", ["the"]),
        ("/^.$/", ["a", "漢", "#"]),
        ("a/b", ["a/b"]),
        ("#", ["#"]),
        ("nowhere", []),
    ],
)
def test_queries_find_what_they_mean(query, expected):
    assert find(query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("the", [0, 1, 2, 3, 4, 4]),
        ('" the"', [4, 0, 4, 2, 4, 4]),
        ("0x746865", [0, 1, 2, 3, 4, 4]),
        ("#1", [0] * 6),
        ("/the/", [0] * 6),
    ],
)
def test_the_token_itself_is_nearest_then_what_begins_so(query, expected):
    tokens = ["the", "▁the", "then", "▁then", "other", "▁other"]
    assert distances(figures_of(tokens), query, np.arange(6, dtype=np.int32)).tolist() == expected


@given(wanted=st.binary(min_size=1, max_size=3), tokens=st.lists(st.binary(max_size=5), max_size=12))
@example(wanted=b"aa", tokens=[b"aa", b"", b"a", b"a", b"aaa", b""])
def test_bytes_match_within_tokens_and_not_across_two(wanted, tokens):
    data, offsets = packed(tokens)
    tree = TokenTree(data, offsets, None)
    assert contains(tree, wanted).tolist() == [wanted in token for token in tokens]


@pytest.mark.parametrize(
    ("query", "expected_message"),
    [
        ("/(/", "The regular expression is not valid: "),
        ("/" + "(" * 5000 + "/", "The regular expression is not valid: "),
    ],
)
def test_queries_that_mean_nothing_are_explained(query, expected_message):
    with pytest.raises(QueryError) as raised:
        find(query)
    assert str(raised.value).startswith(expected_message)


def test_an_expression_is_tried_on_more_tokens_than_a_pipe_holds():
    tokens = [f"token number {number}" for number in range(30_000)]
    assert find("/99+$/", tokens) == [token for token in tokens if token.endswith("99")]


def test_an_expression_that_breaks_the_process_is_explained(monkeypatch):
    monkeypatch.setattr(search.in_tokens_worker, "request", lambda *asked: b"nothing")
    with pytest.raises(QueryError, match="could not be run"):
        find("/a/")


def test_an_expression_without_end_is_given_up(monkeypatch):
    monkeypatch.setattr(search, "LONGEST_S", 0.3)
    started = time.monotonic()
    with pytest.raises(QueryError, match="seconds"):
        find("/^(a+)+$/")
    assert time.monotonic() - started < PATIENCE_S


PACKED = [b"a", b"", b"ab", "é".encode(), b"\xff", b"A"]


def answers(monkeypatch, *frames):
    """What the process writes that tries expressions on tokens."""
    asked, output, limited = io.BytesIO(), io.BytesIO(), []
    for frame in frames:
        write_frame(asked, frame)
    asked.seek(0)
    streams = {"stdin": SimpleNamespace(buffer=asked), "stdout": SimpleNamespace(buffer=output)}
    monkeypatch.setattr(in_tokens_worker, "sys", SimpleNamespace(**streams))
    monkeypatch.setattr(in_tokens_worker, "limit_memory", limited.append)
    in_tokens_worker.main()
    output.seek(0)
    return list(iter(lambda: read_frame(output), None)), limited


def test_each_expression_is_answered_with_the_tokens_that_match(monkeypatch):
    request = in_tokens_worker.request(*packed(PACKED))
    replies, limited = answers(monkeypatch, request, b"a", "é|^$".encode(), b"nothing", b".")
    assert limited == [request]
    assert replies[0] == b""
    ids = [np.frombuffer(answer, np.int32).tolist() for answer in replies[1:]]
    assert ids == [[0, 2], [1, 3], [], [0, 2, 3, 4, 5]]


@pytest.mark.parametrize("block", [1, 2, 1 << 20])
@given(text=st.text("aé漢😀\n", max_size=12), matches_case=st.booleans(), most=st.integers(0, 5))
def test_matches_in_a_text_have_byte_offsets(block, text, matches_case, most):
    expression = "[A漢]|😀+|x*"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(in_text_worker, "BLOCK", block)
        message = in_text_worker.request(expression, matches_case, most, text.encode())
        places = in_text_worker.match_spans(message).tolist()
    flags = re.NOFLAG if matches_case else re.IGNORECASE
    spans = [match.span() for match in re.finditer(expression, text, flags) if match[0]]
    expected = [[len(text[:place].encode()) for place in span] for span in spans[: most + 1]]
    assert places == expected
