"""Of texts that differ come finds: shrunk, one for each kind, and the user's lines are counted by kind."""

from __future__ import annotations

import re

import planted
import pytest
from hypothesis import given
from hypothesis import strategies as st

import guiapp
from guiapp.analysis.compare.reasons import Cause
from guiapp.analysis.hunt.mismatches import MOST_TEXTS, Hunt, HuntSubject, UserLine
from guiapp.analysis.hunt.pair import FileSide, SidePair
from guiapp.analysis.hunt.searching import Searcher, shrunk

DIGITS = (Cause.PIECES, "digits")


def lines_of(*texts: bytes) -> list[UserLine]:
    return [UserLine("file", number, 0, text) for number, text in enumerate(texts, 1)]


@pytest.fixture
def searcher(tmp_path) -> Searcher:
    """Numbers are cut otherwise, in three or one by one."""
    paths = planted.Plant("", "demo:bpe", "gguf", planted.set_part(pre="qwen2"), ()).write(tmp_path)
    first, second = map(guiapp.open_model, paths)
    return Searcher(SidePair(FileSide("A", first), FileSide("B", second)))


def test_a_find_is_the_shortest_text_of_its_kind(searcher):
    batch = searcher.search([b"nothing", b"It was in 1984, they say.", b"from 1999 to 2012"], "mine")
    assert (batch.n_texts, batch.n_differing) == (3, 2)
    kinds = {find.reason.kind: find for find in batch.finds}
    find = kinds[DIGITS]
    assert find.text.isdigit()
    assert len(find.text) == 2
    assert find.generator == "mine"
    mine, other = find.token_ids
    assert len(mine) == 2  # with BOS
    assert len(other) != len(mine)


def test_a_mismatch_has_each_text_once_and_some_similar_ones(searcher):
    state = Hunt((HuntSubject("A"), HuntSubject("B")), 0)
    texts = [b"%d" % number for number in range(10, 100)]
    for text in (texts[0], texts[0], *texts):
        state = state.with_batch(searcher.search([text], "mine"))
    (find,) = state.finds
    reported_texts = [find.text, *(other.text for other in find.others)]
    assert len(reported_texts) == MOST_TEXTS
    assert reported_texts == sorted(set(reported_texts))
    assert set(reported_texts) <= {b"11", *texts}
    assert find.n_texts == state.n_differing
    assert all(other.reason.kind == find.reason.kind for other in find.others)
    assert searcher.search(texts, "").finds == ()


def test_differing_affixes_are_a_mismatch_of_their_own(tmp_path):
    change = planted.set_key(add_bos_token=False)
    paths = planted.Plant("", "demo:bpe", "gguf", change, ()).write(tmp_path)
    first, second = map(guiapp.open_model, paths)
    searcher = Searcher(SidePair(FileSide("A", first), FileSide("B", second)))
    (find,) = searcher.affixes()
    assert find.text == b""
    assert find.reason.cause is Cause.AROUND
    assert searcher.search([b"a", b"12"], "").n_differing == 0
    state = (
        Hunt((HuntSubject("A"), HuntSubject("B")), 0)
        .with_find(find)
        .with_batch(searcher.search_lines(lines_of(b"a", b"b")))
    )
    assert state.share(state.finds[0]) == 1


def holds_with(pattern: bytes):
    return lambda text: re.search(pattern, text) is not None


def test_only_what_counts_is_left():
    text = "Grüße, I have 1,234.56 good reasons: don'T!".encode()
    assert shrunk(text, holds_with(b"'T")) == b"'T"
    assert shrunk(text, holds_with(rb"\d\d\d")) == b"111"
    assert shrunk(text, holds_with("ü.*:".encode())) == "ü:".encode()


def test_bytes_that_are_no_utf_8_count_as_characters():
    assert shrunk(b"abc\xff\xfedef", holds_with(b"\xfe")) == b"\xfe"


@given(st.text("ab1 .é中", min_size=1, max_size=40), st.data())
def test_no_character_can_be_left_out(text, data):
    part = data.draw(st.sampled_from([text[at : at + 3] for at in range(len(text))]))
    holds = holds_with(re.escape(part.encode()))
    small = shrunk(text.encode(), holds)
    assert small == part.encode()
