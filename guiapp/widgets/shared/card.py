"""A raised frame with rounded corners around what belongs together."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QLayout, QVBoxLayout, QWidget

from guiapp.widgets.shared.style_sheet import set_role
from guiapp.widgets.shared.theme import GAP_PX, UNIT_PX

CARD_MARGIN_PX = 3 * UNIT_PX


def card(*contents: QWidget | QLayout) -> QFrame:
    """A card with its contents below each other."""
    made = QFrame()
    set_role(made, "card")
    column = QVBoxLayout(made)
    column.setContentsMargins(CARD_MARGIN_PX, CARD_MARGIN_PX, CARD_MARGIN_PX, CARD_MARGIN_PX)
    column.setSpacing(GAP_PX)
    for content in contents:
        if isinstance(content, QWidget):
            column.addWidget(content)
        else:
            column.addLayout(content)
    return made
