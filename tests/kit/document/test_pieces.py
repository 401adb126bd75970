"""The edges of pieces near where the text shows are those of the whole text."""

import numpy as np
import pytest

from guiapp.core.pretokenize.splitter import splitter_of
from guiapp.kit.document import coloured_spans as pieces
from guiapp.kit.document.coloured_spans import ColouredSpans, TextPieces
from guiapp.kit.spans.layout import PIECE_END

PLAIN = "Don't pay 12345 €!\n\n  Straße  中文字符 😍 (x==y)\t".encode() * 9
MARK = b"<|im_end|>"


@pytest.fixture
def open_session(make_session):
    return lambda text, model="demo:bpe": make_session(text, model)


def ends_by_hand(session, text):
    """Those of each part between the marks, by Python's own expressions."""
    split, ends, at = splitter_of(session.vocabulary.patterns).split_readable, [], 0
    for number, part in enumerate(text.split(MARK)):
        if number:
            at += len(MARK)
            ends.append(at)
        ends += [at + end for end in split(part)]
        at += len(part)
    return ends


@pytest.mark.parametrize("text", [PLAIN, PLAIN + MARK + PLAIN + MARK], ids=["plain", "special"])
@pytest.mark.parametrize("reach", [60, 4096])
def test_edges_in_a_window_are_those_of_the_whole_text(open_session, monkeypatch, text, reach):
    monkeypatch.setattr(pieces, "REACH_BYTES", reach)
    session = open_session(text)
    whole, spans = ends_by_hand(session, text), ColouredSpans(session)
    spans.set_shows_pieces(True)
    inside = [text.index(MARK) + at for at in range(len(MARK))] if MARK in text else []
    for start in range(0, len(text) - 30, 37):
        found = [end for end in TextPieces(session).ends_in(start, start + 30).tolist() if end not in inside]
        wanted = [end for end in whole if end not in inside]
        assert [end for end in found if start < end <= start + 30] == [
            end for end in wanted if start < end <= start + 30
        ]
    window = spans.spans_in(0, len(text))
    marked = window.ends[(window.tints & PIECE_END) > 0]
    assert marked.tolist() == sorted({*whole} & {*window.ends[window.ends > window.starts].tolist()}) == whole
    assert np.array_equal(window.colors, session.spans_in(0, len(text)).tints)


@pytest.mark.parametrize("before", [b"", PLAIN], ids=["first", "later"])
def test_no_piece_crosses_a_special_token(open_session, monkeypatch, before):
    monkeypatch.setattr(pieces, "REACH_BYTES", 60)
    text, at = before + b"a!" + MARK + b"!b  " + MARK + b" c", len(before)
    found = TextPieces(open_session(text)).ends_in(at, len(text))
    assert [end for end in (found - at).tolist() if end > 0 and not (2 < end < 12 or 16 < end < 26)] == [
        1, 2, 12, 14, 16, 26, 28,
    ]  # fmt: skip


def test_a_piece_tells_its_rule_while_edges_are_marked(open_session):
    session = open_session(PLAIN)
    spans = ColouredSpans(session)
    assert spans.note_at(0) == ""
    spans.set_shows_pieces(True)
    assert spans.note_at(0).startswith("Piece “Don”: letters")
    at = PLAIN.index(b"12345", 100)
    assert "12" in spans.note_at(at)
    assert "digit" in spans.note_at(at)
    assert spans.note_at(len(PLAIN)) == ""


@pytest.mark.parametrize(
    ("text", "model"), [(b"a\xff b", "demo:bpe"), (b"a b", "demo:spm"), (b"", "demo:bpe")]
)
def test_where_nothing_is_known_nothing_is_marked(open_session, text, model):
    spans = ColouredSpans(open_session(text, model))
    spans.set_shows_pieces(True)
    assert not (spans.spans_in(0, len(text)).tints & PIECE_END).any()
    assert spans.note_at(0) == ""
