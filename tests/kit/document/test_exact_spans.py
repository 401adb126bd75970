"""Which tokens of an approximate encoder the exact one does not give, while people type."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import numpy as np
import pytest
from conftest import VOCABS

import guiapp
from guiapp.analysis.editing.token_store import Options
from guiapp.core.demo import sample_text
from guiapp.kit.document import live_spans
from guiapp.kit.document import live_spans as exact_twin
from guiapp.kit.document.coloured_spans import ColouredSpans
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.kit.session.token_details import hover_text
from guiapp.kit.spans.layout import DIFFERS

BITS = [
    *(b" ", b"\n", b"unbelievable", b" houses", "汉武帝".encode(), b"<|im_end|>", b"\xff", "🦄".encode()),
    *(b"ABBACUS ", b"  ", b"'s", b"12345", "naïve ".encode(), b"<s>"),
]
PAIRS = [
    *(("demo:bpe", name) for name in ("greedy", "fewest")),
    *(("demo:spm", "greedy"), ("demo:rwkv", "words")),
    *(("demo:unigram", "words"), ("demo:wordpiece", "words")),
]
REAL = [("ggml-vocab-llama-bpe.gguf", "greedy"), ("ggml-vocab-llama-spm.gguf", "fewest")]


@pytest.fixture
def make_session(qtbot):
    sessions = []

    def make(model, encoder, text, **options):
        tokenizer = guiapp.open_model(model)
        session = ModelSession(TextSession(text), Options(**options), load=lambda *asked: tokenizer)
        sessions.append(session)
        session.set_encoder(encoder)
        with qtbot.waitSignal(session.exact.encoded):
            session.loader.open("model")
        qtbot.waitUntil(lambda: not session.is_encoding)
        return session

    yield make
    for session in sessions:
        session.close()


def differing_from_scratch(session, text):
    """(start, end, id) of all with text that only the approximate encoder gives."""
    options = session.options
    rows = []
    for encoder in (options.encoder, None):
        encoding = session.tokenizer.encode(text, options.add_special, options.parse_special, encoder)
        rows.append(
            {(*span, token) for span, token in zip(encoding.spans.tolist(), encoding.token_ids, strict=True)}
        )
    return {row for row in rows[0] - rows[1] if row[0] < row[1]}


def marked(spans, size):
    window = spans.spans_in(0, size)
    rows = np.flatnonzero(window.tints & DIFFERS)
    return {(int(window.starts[at]), int(window.ends[at]), int(window.ids[at])) for at in rows}


def check_random_edits(qtbot, session, seed, n_edits):
    spans, document, rng, n_marked = ColouredSpans(session, parent=session), session.document, Random(seed), 0
    for _ in range(n_edits):
        start = rng.randrange(document.size + 1)
        end = min(start + rng.choice((0, 0, 1, 5, 40)), document.size)
        document.replace(start, end, b"".join(rng.choices(BITS, k=rng.randrange(4))))
        if not session.exact.is_known or session.is_encoding:  # the edit reached too far to follow at once
            qtbot.waitUntil(lambda: session.exact.is_known and not session.is_encoding)
        actual = marked(spans, document.size)
        assert actual == differing_from_scratch(session, document.text())
        n_marked += len(actual)
    assert n_marked


@pytest.mark.parametrize(("model", "encoder"), PAIRS)
@pytest.mark.parametrize("parse_special", [True, False])
def test_marks_are_those_of_a_comparison_from_scratch(make_session, qtbot, model, encoder, parse_special):
    text = b"unbelievable houses " + sample_text("languages")[:700] + sample_text("code")[:300]
    session = make_session(model, encoder, text, parse_special=parse_special)
    check_random_edits(qtbot, session, seed=len(model) + parse_special, n_edits=40)


@pytest.mark.real_vocabs
@pytest.mark.parametrize(("name", "encoder"), REAL)
def test_so_they_are_with_real_vocabularies(make_session, qtbot, name, encoder):
    session = make_session(str(VOCABS / name), encoder, sample_text("languages")[:4000])
    check_random_edits(qtbot, session, seed=7, n_edits=25)


def test_a_far_reaching_edit_is_processed_in_the_background(make_session, qtbot, monkeypatch):
    session = make_session("demo:bpe", "greedy", b"unbelievable houses")
    monkeypatch.setattr(live_spans, "MOST_AT_ONCE", -1)
    check_random_edits(qtbot, session, seed=2, n_edits=6)


def test_an_exact_encoder_has_no_differing_tokens(make_session):
    session = make_session("demo:bpe", "greedy", b"unbelievable houses")
    session.set_encoder("heap")
    assert not session.exact.is_known
    assert not session.exact.differing(session.tokens.between(0, 9)).any()
    assert session.exact_instead(1) is None
    assert session.exact.next_from(session.tokens, 0, 0, 1) is None


def places_of(session):
    """Stretches between common cuts with a token that differs, by the letter."""
    encoding = session.tokenizer.encode(session.document.text())
    cuts = [{at for span in spans for at in span} for spans in (spans_of(session), encoding.spans.tolist())]
    common, differs = sorted(cuts[0] & cuts[1]), differing_from_scratch(session, session.document.text())
    pairs = pairwise(common)
    return [(a, b) for a, b in pairs if any(a <= start < b for start, _, _ in differs)]


def spans_of(session):
    return [session.tokens.span(at) for at in range(len(session.tokens))]


@pytest.mark.parametrize("at_once", [3, 1 << 14])
def test_a_walk_visits_each_difference_once_and_wraps_around(make_session, monkeypatch, at_once):
    monkeypatch.setattr(exact_twin, "AT_ONCE", at_once)
    session = make_session("demo:bpe", "greedy", sample_text("english")[:2000])
    places = places_of(session)
    assert len(places) > 10
    for by, expected in ((1, [*places, places[0]]), (-1, [*places[::-1], places[-1]])):
        place, met = (0, 0) if by > 0 else (session.document.size,) * 2, []
        for _ in expected:
            place = session.exact.next_from(session.tokens, *place, by)
            met.append(place)
        assert met == expected


def test_a_differing_token_shows_the_exact_tokens(make_session):
    session = make_session("demo:bpe", "greedy", b"out of houses")
    index = next(at for at in range(len(session.tokens)) if session.exact_instead(at) is not None)
    start, end, spans = session.exact_instead(index)
    exact = session.tokenizer.encode(b"out of houses")
    inside = [tuple(span) for span in exact.spans.tolist() if start <= span[0] < span[1] <= end]
    assert list(spans) == inside
    assert b"".join(session.document.slice(*span) for span in spans) == session.document.slice(start, end)
    assert hover_text(session, None, index).endswith("The exact encoder: ·houses: ·h ┆ ous ┆ es")
    assert "exact" not in hover_text(session, None, 1)


def test_an_exact_encoding_no_longer_needed_is_not_delivered(make_session, qtbot):
    session = make_session("demo:bpe", "greedy", sample_text("welcome"))
    session.document.set_text(sample_text("welcome") * 300)
    session.set_encoder("greedy")
    assert not session.exact.is_known  # it is on its way
    session.set_encoder(None)
    session.document.replace(0, session.document.size, b"short")
    qtbot.waitUntil(lambda: not session.is_encoding)
    qtbot.wait(300)  # as long as all takes
    assert not session.exact.is_known
