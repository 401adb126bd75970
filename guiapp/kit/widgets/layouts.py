"""Layouts said in one piece: what stands beside or below each other, and how far apart."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLayout,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from guiapp.kit.widgets.style_sheet import heading, set_role
from guiapp.kit.widgets.theme import GAP_PX, UNIT_PX

CARD_MARGIN_PX = 3 * UNIT_PX
Part = QWidget | QLayout | int | tuple[QWidget | QLayout | int, int]
"""What stands in a layout, or a space of so many pixels; in a pair with its share of all further room."""

Margins = int | tuple[int, int] | tuple[int, int, int, int] | None
"""All around a layout, or at its sides and ends, or left, top, right, bottom; None for the style's."""

STRETCH = -1
"""A space that takes the room that nothing else wants."""

AS_AROUND = -1
"""The spacing of the layout around, or what the style does."""


def in_row(
    *parts: Part, on: QWidget | None = None, margins: Margins = 0, spacing: int | None = None
) -> QHBoxLayout:
    """Parts from left to right, laid out on a widget or to be put into another layout.

    Where nothing is said, they stand GAP_PX apart on a widget, and as far as the parts around in a layout.
    """
    made = QHBoxLayout()
    _fill(made, parts, on, margins, spacing)
    return made


def in_column(
    *parts: Part, on: QWidget | None = None, margins: Margins = 0, spacing: int | None = None
) -> QVBoxLayout:
    """The same from the top down."""
    made = QVBoxLayout()
    _fill(made, parts, on, margins, spacing)
    return made


def in_splitter(
    *parts: QWidget,
    on: QSplitter | None = None,
    sizes: tuple[int, ...],
    grows: int = 0,
    way: Qt.Orientation = Qt.Orientation.Horizontal,
) -> QSplitter:
    """Parts with hairlines between them to drag; that which `grows` takes the room that is left."""
    splitter = QSplitter(way, childrenCollapsible=False) if on is None else on
    for part in parts:
        splitter.addWidget(part)
    splitter.setStretchFactor(grows, 1)
    splitter.setSizes(sizes)
    splitter.setHandleWidth(1)
    return splitter


def scroll_down(area: QScrollArea, inside: QWidget | None = None) -> None:
    """Let an area show what is inside without a frame, as wide as itself, and scroll only up and down."""
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    if inside is not None:
        area.setWidget(inside)


def scroll_across(area: QScrollArea, inside: QWidget) -> None:
    """The same from left to right, on the ground of what is around."""
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(inside)
    for part in (area.viewport(), inside):
        part.setAutoFillBackground(False)


def framed(layout: QLayout, role: str = "") -> QFrame:
    """A frame around a layout, in one of the looks of the style sheet."""
    made = QFrame()
    if role:
        set_role(made, role)
    made.setLayout(layout)
    return made


def clear(layout: QLayout) -> None:
    """Take all widgets out of a layout and delete them."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            take_away(widget)


def take_away(*widgets: QWidget) -> None:
    """Delete widgets, which are gone from sight at once."""
    for widget in widgets:
        widget.hide()
        widget.deleteLater()


def head_row(text: str, button: QWidget) -> QHBoxLayout:
    """A heading, and a button at the far end of its line."""
    return in_row(heading(text), STRETCH, button)


def _fill(
    layout: QBoxLayout, parts: tuple[Part, ...], on: QWidget | None, margins: Margins, spacing: int | None
) -> None:
    if on is not None:
        on.setLayout(layout)
    if margins is not None:
        all_four = (margins,) * 4 if isinstance(margins, int) else margins * (4 // len(margins))
        layout.setContentsMargins(*all_four)
    layout.setSpacing((AS_AROUND if on is None else GAP_PX) if spacing is None else spacing)
    for entry in parts:
        part, stretch = entry if isinstance(entry, tuple) else (entry, 0)
        if isinstance(part, QWidget):
            layout.addWidget(part, stretch)
        elif isinstance(part, QLayout):
            layout.addLayout(part, stretch)
        elif part == STRETCH:
            layout.addStretch(stretch)
        else:
            layout.addSpacing(part)


def card(*contents: QWidget | QLayout) -> QFrame:
    """A card with its contents below each other."""
    return framed(in_column(*contents, margins=CARD_MARGIN_PX, spacing=GAP_PX), "card")
