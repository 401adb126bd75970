"""The colours of tokens follow the rules that the legend tells, also where only a part of the text shows."""

import re

import numpy as np
import pytest

from guiapp.analysis.explain.characters import RARITIES
from guiapp.core.encode.counting.cost import STEPS
from guiapp.core.pretokenize.splitter import splitter_of
from guiapp.kit.document import coloured_spans as pieces
from guiapp.kit.document.coloured_spans import ColouredSpans, TextPieces
from guiapp.kit.spans.layout import COLOR_BITS, PIECE_END

TEXT = (
    "A support 4f9c1e7a-2b60,\n  <|im_end|> 2026 naïve 中文 don't\tx\nStraßenverkehrsamt 🚀 !?  \n".encode()
)


@pytest.fixture
def make_spans(make_session):
    def make(model="demo:bpe", text=TEXT):
        session = make_session(text, model)
        return session, ColouredSpans(session, parent=session)

    return make


def dearness(session, token):
    """How dear the last word is that a token holds a part of."""
    start, end = session.tokens.span(token)
    words = [word.span() for word in re.finditer(rb"\S+", session.document.text())]
    inside = [word for word in words if word[0] < end and word[1] > start]
    if not inside:
        return STEPS[0]
    first, last = inside[-1]
    spans = [session.tokens.span(each) for each in range(len(session.tokens))]
    n_tokens = sum(a < last and b > first and a < b for a, b in spans)
    share = len(session.document.slice(first, last).decode()) / n_tokens
    return STEPS[0 if n_tokens < 2 else sum(share < least for least in (3, 2, 1.5))]


def composition(session, token):
    (token_id,) = session.tokens.ids(token, token + 1)
    if session.vocabulary.kind(int(token_id)) in ("control", "user-defined", "unknown"):
        return "special"
    try:
        text = session.vocabulary.token_bytes(int(token_id)).decode()
    except UnicodeDecodeError:
        return "bytes"
    results = {
        "letters": re.search(r"[^\W\d_]", text),
        "digits": re.search(r"\d", text),
        "signs": text.strip(),
    }
    return next((kind for kind, is_in in results.items() if is_in), "white space")


def rarity(session, token):
    (token_id,) = session.tokens.ids(token, token + 1)
    share = int(token_id) / len(session.vocabulary)
    return RARITIES[sum(share >= end for end in (0.01, 0.1, 0.4))]


@pytest.mark.parametrize(
    ("coloring", "rule"), [("cost", dearness), ("kind", composition), ("rarity", rarity)]
)
def test_each_token_has_the_colour_that_the_rule_gives_it(make_spans, coloring, rule):
    session, spans = make_spans()
    spans.set_coloring(coloring)
    _, legend = spans.legend
    meanings = {tint: name for name, tint in legend.items()}
    n_tokens = len(session.tokens)
    expected = [rule(session, token) for token in range(n_tokens)]
    one_by_one = [int(spans.tints(token, token + 1)[0]) for token in range(n_tokens)]
    assert [meanings[tint] for tint in one_by_one] == expected
    assert spans.tints(0, n_tokens).tolist() == one_by_one
    assert len(set(expected)) > 2
    size = len(TEXT)
    for start, end in [(0, size), (12, 15), (30, 31), (size, size), (0, 0), (40, size)]:
        window = spans.spans_in(start, end)
        plain = session.spans_in(start, end)
        assert [meanings[tint] for tint in window.tints.tolist()] == expected[plain.first_index :][
            : len(window.ids)
        ]
        assert np.array_equal(window.ids, plain.ids)
    session.document.replace(0, 1, b"4f9c1e7a2b60 ")
    window = spans.spans_in(0, 1)
    last = window.first_index + len(window.ids) - 1
    assert meanings[int(window.tints[-1])] == rule(session, last)


def test_by_score_the_best_tokens_are_the_first(make_spans):
    session, spans = make_spans("demo:unigram")
    spans.set_coloring("rarity")
    assert spans.legend[0] == "By score"
    scores = session.vocabulary.scores
    window = spans.spans_in(0, len(TEXT))
    places = [int((scores > scores[token_id]).sum()) for token_id in window.ids]
    order = np.argsort(places, kind="stable")
    assert (np.diff(window.tints[order].astype(int)) >= 0).all()


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
        results = [
            end for end in TextPieces(session).ends_in(start, start + 30).tolist() if end not in inside
        ]
        expected = [end for end in whole if end not in inside]
        assert [end for end in results if start < end <= start + 30] == [
            end for end in expected if start < end <= start + 30
        ]
    window = spans.spans_in(0, len(text))
    marked = window.ends[(window.tints & PIECE_END) > 0]
    assert marked.tolist() == sorted({*whole} & {*window.ends[window.ends > window.starts].tolist()}) == whole
    assert np.array_equal(window.tints & COLOR_BITS, session.spans_in(0, len(text)).tints)


@pytest.mark.parametrize("before", [b"", PLAIN], ids=["first", "later"])
def test_no_piece_crosses_a_special_token(open_session, monkeypatch, before):
    monkeypatch.setattr(pieces, "REACH_BYTES", 60)
    text, at = before + b"a!" + MARK + b"!b  " + MARK + b" c", len(before)
    results = TextPieces(open_session(text)).ends_in(at, len(text))
    assert [end for end in (results - at).tolist() if end > 0 and not (2 < end < 12 or 16 < end < 26)] == [
        1, 2, 12, 14, 16, 26, 28,
    ]  # fmt: skip


def test_a_piece_shows_its_rule_while_edges_are_marked(open_session):
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


def test_costs_of_too_long_a_text_are_not_computed(make_spans, monkeypatch):
    session, spans = make_spans()
    spans.coloring = "cost"
    known = spans.tints(0, len(session.tokens))
    assert (known != pieces.COST_SHADE).any()
    monkeypatch.setattr(pieces, "MOST_COST_BYTES", len(TEXT) - 1)
    monkeypatch.setattr(pieces, "word_costs", None)
    assert (spans.tints(0, len(session.tokens)) == pieces.COST_SHADE).all()
