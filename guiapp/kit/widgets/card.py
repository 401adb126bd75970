"""A raised frame with rounded corners around what belongs together."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QLayout, QWidget

from guiapp.kit.widgets.layouts import framed, in_column
from guiapp.kit.widgets.theme import GAP_PX, UNIT_PX

CARD_MARGIN_PX = 3 * UNIT_PX


def card(*contents: QWidget | QLayout) -> QFrame:
    """A card with its contents below each other."""
    return framed(in_column(*contents, margins=CARD_MARGIN_PX, spacing=GAP_PX), "card")
