"""Factories for layouts, rows of controls that wrap or drop widgets, and a placeholder for empty pages."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, UNIT_PX, heading, plain_label, set_role

CARD_MARGIN_PX = 3 * UNIT_PX
READABLE_PX = 560  # width of a message in the middle of a page
SMALL_WIDTH_PX = 1000  # of a page
SMALL_SHARE = 0.3  # of a small page, for the part next to or below its first part
Part = QWidget | QLayout | int | tuple[QWidget | QLayout | int, int]
"""A part of a layout, or a space in pixels; in a pair with its stretch factor."""

Margins = int | tuple[int, int] | tuple[int, int, int, int] | None
"""All margins of a layout, or (horizontal, vertical), or left, top, right, bottom; None for the style's."""

STRETCH = -1
"""A space that takes the remaining room."""

AS_AROUND = -1
"""The spacing of the parent layout, or the style's."""


def in_row(
    *parts: Part, on: QWidget | None = None, margins: Margins = 0, spacing: int | None = None
) -> QHBoxLayout:
    """Arrange parts from left to right, on a widget or for use in another layout.

    The default spacing is GAP_PX on a widget, and the parent's spacing in a layout.
    """
    made = QHBoxLayout()
    _fill(made, parts, on, margins, spacing)
    return made


def in_column(
    *parts: Part, on: QWidget | None = None, margins: Margins = 0, spacing: int | None = None
) -> QVBoxLayout:
    """Arrange parts from top to bottom, likewise."""
    made = QVBoxLayout()
    _fill(made, parts, on, margins, spacing)
    return made


def in_splitter(
    *parts: QWidget,
    on: QSplitter | None = None,
    sizes: tuple[int, ...],
    grows: tuple[int, ...] = (0,),
    way: Qt.Orientation = Qt.Orientation.Horizontal,
) -> QSplitter:
    """Arrange parts with draggable hairlines between them; the parts with these numbers grow."""
    splitter = QSplitter(way, childrenCollapsible=False) if on is None else on
    for part in parts:
        splitter.addWidget(part)
    for part_number in grows:
        splitter.setStretchFactor(part_number, 1)
    splitter.setSizes(sizes)
    splitter.setHandleWidth(1)
    return splitter


def scroll_down(area: QScrollArea, inside: QWidget | None = None) -> None:
    """Set up an area that scrolls only vertically, without a frame, with contents as wide as itself."""
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    if inside is not None:
        area.setWidget(inside)


def scroll_across(area: QScrollArea, inside: QWidget) -> None:
    """Set up an area that scrolls only horizontally, on its parent's background."""
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(inside)
    for part in (area.viewport(), inside):
        part.setAutoFillBackground(False)


def framed(layout: QLayout, role: str = "") -> QFrame:
    """A frame around a layout, in one of the styles of the style sheet."""
    made = QFrame()
    if role:
        set_role(made, role)
    made.setLayout(layout)
    return made


def clear(layout: QLayout) -> None:
    """Remove all widgets from a layout and delete them."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            take_away(widget)


def take_away(*widgets: QWidget) -> None:
    """Hide widgets at once and delete them."""
    for widget in widgets:
        widget.hide()
        widget.deleteLater()


def head_row(text: str, button: QWidget) -> QHBoxLayout:
    """A heading with a button at the right end of its line."""
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
    """A card with its contents in a column."""
    return framed(in_column(*contents, margins=CARD_MARGIN_PX, spacing=GAP_PX), "card")


class RoomySplitter(QSplitter):
    """Gives most of the room to its first part while there is less than `small_px`.

    With more room again, the other part returns to its previous size.
    """

    def __init__(
        self, orientation: Qt.Orientation, small_px: int = SMALL_WIDTH_PX, share: float = SMALL_SHARE
    ) -> None:
        super().__init__(orientation, childrenCollapsible=False)
        self._small_px, self._share = small_px, share
        self._usual: list[int] = []  # the sizes to restore, while there is little room

    def resizeEvent(self, event: QResizeEvent) -> None:
        usual = self._usual or self.sizes()
        super().resizeEvent(event)
        self.fit(usual)

    def fit(self, usual: list[int] | None = None) -> None:
        """Divide the room; call it again when parts need less."""
        room, usual = sum(self.sizes()), usual or self._usual
        if room < self._small_px:
            self._usual, part = usual, round(self._share * room)  # Qt enlarges it to its minimum size
            self.setSizes([room - part, part])
        elif self._usual:
            self._usual = []
            self.setSizes(usual)  # Qt distributes the rest as usual


class WrappingRow(QWidget):
    """Arranges widgets from left to right in wrapping lines; `at_end` is at the right edge."""

    def __init__(self, widgets: list[QWidget], at_end: QWidget | None = None) -> None:
        super().__init__()
        self._at_end = at_end
        self._widgets: list[QWidget] = []
        self.show_widgets(widgets)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_widgets(self, widgets: list[QWidget]) -> None:
        """Replace the widgets; the previous ones keep this row as their parent."""
        self._widgets = [*widgets, self._at_end] if self._at_end is not None else widgets
        for widget in self._widgets:
            if widget.parent() is not self:
                is_hidden = widget.isHidden() and widget.testAttribute(
                    Qt.WidgetAttribute.WA_WState_ExplicitShowHide
                )
                widget.setParent(self)
                widget.setVisible(not is_hidden)
        self._arrange()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self._arrange()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def minimumSizeHint(self) -> QSize:
        widths = [_size(widget).width() for widget in self._shown]
        return QSize(max(widths, default=0), self._height(_rows(self._shown, self.width())))

    def sizeHint(self) -> QSize:
        width = sum(_size(widget).width() + GAP_PX for widget in self._shown)
        return QSize(width, self._height(_rows(self._shown, self.width())))

    @property
    def _shown(self) -> list[QWidget]:
        return [widget for widget in self._widgets if not widget.isHidden()]

    def _arrange(self) -> None:
        rows = _rows(self._shown, self.width())
        y = 0
        for row in rows:
            x, height = 0, _row_height(row)
            for widget in row:
                size = _size(widget)
                if widget is self._at_end:
                    x = self.width() - size.width()
                top = y + (height - size.height()) // 2
                widget.setGeometry(QRect(x, top, min(size.width(), self.width()), size.height()))
                x += size.width() + GAP_PX
            y += height + GAP_PX
        self.setFixedHeight(self._height(rows))

    @staticmethod
    def _height(rows: list[list[QWidget]]) -> int:
        return sum(map(_row_height, rows)) + GAP_PX * max(0, len(rows) - 1)


class FittingRow(QWidget):
    """One line with as many widgets as fit, in order; the first is always visible."""

    def __init__(self, widgets: list[QWidget]) -> None:
        super().__init__()
        self._widgets = widgets
        for widget in widgets:
            widget.setParent(self)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        x = 0
        for widget in self._widgets:
            size = _size(widget)
            width = size.width() if x else min(size.width(), self.width())
            widget.setGeometry(QRect(x, (self.height() - size.height()) // 2, width, size.height()))
            widget.setVisible(x + width <= self.width())
            x += width + GAP_PX

    def sizeHint(self) -> QSize:
        return QSize(0, _row_height(self._widgets))


def _rows(widgets: list[QWidget], width: int) -> list[list[QWidget]]:
    rows: list[list[QWidget]] = []
    x = 0
    for widget in widgets:
        needed = _size(widget).width()
        if not rows or x + needed > width:
            rows.append([])
            x = 0
        rows[-1].append(widget)
        x += needed + GAP_PX
    return rows


def _size(widget: QWidget) -> QSize:
    return widget.sizeHint().expandedTo(widget.minimumSize())


def _row_height(row: list[QWidget]) -> int:
    return max(_size(widget).height() for widget in row)


def scrolling(inner: QWidget, minimum_width_px: int) -> QScrollArea:
    """A part of a page that scrolls if the window is too low for it."""
    area = QScrollArea()
    scroll_down(area, inner)
    for part in (inner, area.viewport()):
        part.setAutoFillBackground(False)  # the page's background shows through
    area.setMinimumWidth(minimum_width_px)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return area


class Contents(QStackedWidget):
    """The contents of a page, or a message in the middle, with buttons that may help.

    The page's focus proxy follows: to the widget to begin with, focused at once if the page has the focus.
    """

    def __init__(self, page: QWidget, inside: QWidget, *buttons: QPushButton) -> None:
        super().__init__()
        self._page = page
        self.message = plain_label("dim", wraps=True)
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.message.setMinimumWidth(READABLE_PX)
        self._buttons = buttons
        parts: list[Part] = [STRETCH, in_row(STRETCH, self.message, STRETCH), STRETCH]
        if buttons:
            parts.insert(2, in_row(STRETCH, *buttons, STRETCH))
        self.addWidget(inside)
        self.addWidget(framed(in_column(*parts, margins=MARGIN_PX, spacing=GAP_PX)))

    def show_inside(self, begin: QWidget) -> None:
        self._turn_to(0, begin)

    def show_message(self, message: str, *, helps: bool = False, begin: QWidget | None = None) -> None:
        """Show why there are no contents; `helps` shows the buttons."""
        self.message.setText(message)
        if self._buttons and helps:
            begin = self._buttons[0]
            begin.show()
        self._turn_to(1, begin or self.message)
        for button in self._buttons:
            button.setVisible(helps)

    def _turn_to(self, index: int, begin: QWidget) -> None:
        before = self._page.focusProxy()
        had_focus = before is not None and before.hasFocus()
        self.setCurrentIndex(index)
        self._page.setFocusProxy(begin)
        if had_focus:
            self._page.setFocus()
