"""Columns show what comparing their tokens says, whatever happens to text and models."""

import random

import pytest
from random_edits import edit_at_random
from summaries import compared_over

from guiapp.analysis.compare.spans import column_of, compare_spans
from guiapp.core.demo import sample_text
from guiapp.kit.document import live_spans
from guiapp.kit.spans.layout import ONLY_HERE, SHARED
from guiapp.pages.compare import models
from guiapp.pages.compare.models import ModelsComparison


@pytest.fixture
def compared(qapp):
    with compared_over(sample_text("welcome")[:600]) as made:
        made.sessions[0].loader.open("demo:bpe")
        yield made


@pytest.fixture
def comparison(compared, qtbot):
    made = ModelsComparison(compared)
    made.watch(True)
    compared.add("demo:spm")
    compared.add("demo:unigram")
    qtbot.waitUntil(lambda: len(made.rows) == 3 and made.is_ready)
    yield made
    made.close()


def assert_matches_comparison(comparison):
    document = comparison.document
    columns = [
        column_of(each.session.tokenizer, *each.session.tokens.between(0, len(each.session.tokens))[:3])
        for each in comparison.rows
    ]
    expected = compare_spans(columns)
    for column, shares in zip(comparison.rows, expected.shares, strict=True):
        window = column.spans_in(0, document.size)
        assert window.ids.tolist() == column.session.tokens.ids(0, len(column.session.tokens)).tolist()
        assert ((window.tints & SHARED) > 0).tolist() == (shares == len(columns)).tolist()
        assert ((window.tints & ONLY_HERE) > 0).tolist() == (shares == 1).tolist()
    assert [comparison.byte_span_of(at) for at in range(len(comparison.live.differences))] == list(
        map(tuple, expected.differences.tolist())
    )
    for at, rows in enumerate(expected.tokens.tolist()):
        span = comparison.byte_span_of(at)
        assert [list(comparison.tokens_in(each, *span)) for each in comparison.rows] == rows


@pytest.mark.parametrize(
    ("most_encoded", "most_compared"), [(1 << 15, 100_000), (30, 100_000), (1 << 15, 0), (30, 0)]
)
def test_columns_are_in_step_with_random_edits(comparison, qtbot, monkeypatch, most_encoded, most_compared):
    monkeypatch.setattr(live_spans, "MOST_AT_ONCE", most_encoded)
    monkeypatch.setattr(models, "MOST_AT_ONCE", most_compared)
    chance = random.Random(most_encoded + most_compared)
    edits = []
    comparison.columns[0].tokens_changed.connect(lambda edit, tokens: edits.append(edit))
    for _ in range(40):
        n_edits, text = len(edits), comparison.document.text()
        edit_at_random(comparison.document, chance)
        if comparison.document.text() != text:
            assert edits[n_edits] is not None  # first of all, those who lay text out hear of the edit
        for column in comparison.columns:
            column.spans_in(0, comparison.document.size)
        if chance.random() < 0.5:
            qtbot.waitUntil(lambda: comparison.is_ready)
            assert_matches_comparison(comparison)


def test_a_small_edit_is_compared_before_anybody_paints(comparison):
    comparison.columns[1].tokens_changed.connect(lambda *given: assert_matches_comparison(comparison))
    comparison.document.replace(30, 31, b"12345 ")
    assert comparison.live is not None


def test_nothing_is_compared_while_the_page_is_hidden(comparison, qtbot):
    comparison.watch(False)
    assert comparison.live is None
    comparison.document.replace(0, 10, b"while hidden")
    assert comparison.live is None
    comparison.watch(True)
    qtbot.waitUntil(lambda: comparison.is_ready)
    assert_matches_comparison(comparison)


def test_changed_models_and_options_are_compared_again(comparison, compared, qtbot):
    compared.sessions[1].loader.open("demo:wordpiece")
    qtbot.waitUntil(lambda: compared.sessions[1].vocabulary.path.stem != "spm" and comparison.is_ready)
    assert_matches_comparison(comparison)
    compared.sessions[0].set_encoder("greedy")
    qtbot.waitUntil(lambda: comparison.is_ready)
    assert_matches_comparison(comparison)
    compared.remove(compared.sessions[1])
    assert len(comparison.columns) == 2
    assert_matches_comparison(comparison)
    comparison.document.set_text("another text über 12".encode())
    qtbot.waitUntil(lambda: comparison.is_ready)
    assert_matches_comparison(comparison)


def test_a_model_that_is_being_opened_is_not_compared(comparison, compared, qtbot):
    compared.add("demo:rwkv")
    assert len(comparison.columns) == 4
    assert len(comparison.rows) == 3
    qtbot.waitUntil(lambda: len(comparison.rows) == 4 and comparison.is_ready)


def test_what_was_compared_is_never_shown_for_other_models(comparison, compared, qtbot, monkeypatch):
    monkeypatch.setattr(models, "MOST_AT_ONCE", 0)  # all in the background
    seen = []

    def record():
        if comparison.live is not None:
            seen.append((len(comparison.rows), len(comparison.live.shares)))

    comparison.changed.connect(record)
    compared.add("demo:wordpiece")
    n_rows = len(comparison.rows) + 1
    qtbot.waitUntil(lambda: comparison.is_ready and len(comparison.rows) == n_rows)
    assert (n_rows, n_rows) in seen
    assert all(n_rows == n_compared for n_rows, n_compared in seen)
