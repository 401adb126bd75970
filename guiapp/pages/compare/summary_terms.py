"""What costs are worked out by in the summary: prices and a context of the user's own, kept as settings."""

from __future__ import annotations

import json
from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.compare.comparison import LONGEST_CONTEXT
from guiapp.analysis.compare.texts import Terms
from guiapp.core.sources.locate import lasting_name
from guiapp.core.system.outside_json import read_json
from guiapp.kit.state.settings import Settings

MOST_PRICE = 1e12
MOST_KEPT = 500  # models with a price of their own


class SummaryTerms(QObject):
    """A price of a million tokens for all models, others for some, and the context of all.

    price    None where nobody gave one
    own      prices by the name that a model is opened by
    context  in tokens; None for what the file of each says

    Signals:
        changed(): any of them is new.
    """

    changed = Signal()

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.price, self.own, self.context = _read(settings.compare_terms)

    def set_price(self, price: float | None) -> None:
        self._set(price, self.own, self.context)

    def set_context(self, context: int | None) -> None:
        self._set(self.price, self.own, context)

    def set_own_price(self, model: str, price: float | None) -> None:
        """Give one model a price; None makes it that of all again."""
        own = {name: old for name, old in self.own.items() if name != lasting_name(model)}
        if price is not None:
            own[lasting_name(model)] = price
        self._set(self.price, dict(list(own.items())[-MOST_KEPT:]), self.context)

    def own_price(self, model: str) -> float | None:
        return self.own.get(lasting_name(model))

    def for_models(self, models: Sequence[str]) -> Terms:
        """The terms of these models, one behind the other; no prices where none has one."""
        prices = tuple(self.own.get(lasting_name(model), self.price) for model in models)
        return Terms(self.context, prices if any(price is not None for price in prices) else ())

    def _set(self, price: float | None, own: dict[str, float], context: int | None) -> None:
        if (price, own, context) != (self.price, self.own, self.context):
            self.price, self.own, self.context = price, own, context
            kept = {"price": price, "own": own, "context": context}
            self._settings.compare_terms = json.dumps(kept)
            self.changed.emit()


def price_in(text: str) -> float | None:
    """What somebody typed as a price; None for nothing and for what is none."""
    try:
        return _price(float(text))
    except ValueError:
        return None


def context_in(text: str) -> int | None:
    """What somebody typed as a number of tokens, perhaps grouped, likewise."""
    digits = "".join(text.replace(",", "").split())
    return _context(int(digits)) if digits.isascii() and digits.isdecimal() and len(digits) < 16 else None


def _read(text: str) -> tuple[float | None, dict[str, float], int | None]:
    """Price, own prices and context in a settings text; none that somebody spoiled."""
    try:
        kept = read_json(text)
    except ValueError:
        kept = None
    if not isinstance(kept, dict):
        return None, {}, None
    listed = kept.get("own")
    own = {name: _price(price) for name, price in listed.items()} if isinstance(listed, dict) else {}
    known = {name: price for name, price in own.items() if price is not None}
    return _price(kept.get("price")), known, _context(kept.get("context"))


def _price(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= MOST_PRICE else None  # type: ignore[arg-type, operator]


def _context(value: object) -> int | None:
    return value if type(value) is int and 0 < value <= LONGEST_CONTEXT else None
