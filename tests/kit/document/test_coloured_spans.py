"""The colours of tokens follow the rules that the legend tells, also where only a part of the text shows."""

import re

import numpy as np
import pytest

from guiapp.analysis.explain.token_classes import KINDS, RARITIES
from guiapp.core.encode.counting.cost import STEPS
from guiapp.kit.document.coloured_spans import COLORINGS, N_SHADES, ColouredSpans
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.kit.spans.layout import FIRST_SHADE
from guiapp.kit.widgets.theme import DARK, LIGHT

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
    found = {"letters": re.search(r"[^\W\d_]", text), "digits": re.search(r"\d", text), "signs": text.strip()}
    return next((kind for kind, is_in in found.items() if is_in), "white space")


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
    wanted = [rule(session, token) for token in range(len(session.tokens))]
    assert len(set(wanted)) > 2
    size = len(TEXT)
    for start, end in [(0, size), (12, 15), (30, 31), (size, size), (0, 0), (40, size)]:
        window = spans.spans_in(start, end)
        plain = session.spans_in(start, end)
        assert [meanings[tint] for tint in window.tints.tolist()] == wanted[plain.first_index :][
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


def test_who_paints_is_told_of_another_colouring_and_without_a_model_there_is_none(qtbot, make_spans):
    _, spans = make_spans()
    told = []
    spans.tokens_changed.connect(lambda edit, tokens: told.append(edit))
    for coloring in COLORINGS:
        spans.set_coloring(coloring)
    assert told == [None] * (len(COLORINGS) - 1)
    empty = ModelSession(TextSession(b"a"))
    without = ColouredSpans(empty, "cost", empty)
    assert not len(without.spans_in(0, 1).ids)
    empty.close()


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_a_theme_has_a_colour_for_each_shade(theme):
    assert len(theme.shades) == N_SHADES == len(STEPS) + len(RARITIES) + len(KINDS)
    assert FIRST_SHADE + N_SHADES < 256
