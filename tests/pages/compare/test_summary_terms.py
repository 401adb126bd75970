"""Prices and a context of the user's own."""

import pytest

from guiapp.analysis.compare.texts_report import Terms
from guiapp.kit.state.settings import Settings
from guiapp.pages.compare.summary import SummaryTerms, context_in, price_in


@pytest.fixture
def settings(tmp_path):
    return Settings(tmp_path / "settings.ini")


def test_terms_are_there_at_the_next_start(settings):
    terms = SummaryTerms(settings)
    assert terms.for_models(["demo:bpe"]) == Terms()
    terms.set_own_price("demo:spm", 0.5)
    assert terms.for_models(["demo:bpe", "demo:spm"]) == Terms(None, (None, 0.5))
    terms.set_price(2.0)
    terms.set_context(4096)
    again = SummaryTerms(settings)
    assert again.for_models(["demo:bpe", "demo:spm"]) == Terms(4096, (2.0, 0.5))
    again.set_own_price("demo:spm", None)
    assert SummaryTerms(settings).own_price("demo:spm") is None


def test_a_change_is_told_once(settings, qtbot):
    terms = SummaryTerms(settings)
    told = []
    terms.changed.connect(lambda: told.append(terms.price))
    for price in (1.0, 1.0, None):
        terms.set_price(price)
    assert told == [1.0, None]


@pytest.mark.parametrize(
    "kept",
    [
        *("", "x", "[]", "{}", '{"price": -1, "own": [], "context": 0}', f'{{"price": {10**400}}}'),
        *('{"price": NaN}', '{"own": {"a": "1", "b": true}, "context": 1.5}', '{"price": true}'),
        f'{{"context": {1 << 60}}}',
    ],
)
def test_spoiled_settings_are_none(settings, kept):
    settings.compare_terms = kept
    assert SummaryTerms(settings).for_models(["a", "b"]) == Terms()


@pytest.mark.parametrize(
    ("typed", "price"), [("2.5", 2.5), (" 0 ", 0.0), ("", None), ("-1", None), ("1,5", None), ("nan", None)]
)
def test_prices_are_numbers(typed, price):
    assert price_in(typed) == price


@pytest.mark.parametrize(
    ("typed", "context"),
    [
        ("4096", 4096),
        ("131,072", 131072),
        ("1 000", 1000),
        ("0", None),
        ("1.5", None),
        ("9" * 20, None),
        ("²", None),
    ],
)
def test_a_context_is_a_number_of_tokens_perhaps_grouped(typed, context):
    assert context_in(typed) == context
