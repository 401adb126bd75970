"""Rows of controls where there is no room for all: one goes on below, one leaves out the last."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QWidget

from guiapp.kit.widgets.layouts import scroll_down
from guiapp.kit.widgets.theme import GAP_PX


class WrappingRow(QWidget):
    """Places its widgets from left to right, each in its own size; `at_end` stands at the right edge."""

    def __init__(self, widgets: list[QWidget], at_end: QWidget | None = None) -> None:
        super().__init__()
        self._at_end = at_end
        self._widgets: list[QWidget] = []
        self.show_widgets(widgets)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_widgets(self, widgets: list[QWidget]) -> None:
        """Place these instead of those that are there, which keep this row as their parent."""
        self._widgets = [*widgets, self._at_end] if self._at_end is not None else widgets
        for widget in self._widgets:
            if widget.parent() is not self:
                is_hidden = widget.isHidden() and widget.testAttribute(
                    Qt.WidgetAttribute.WA_WState_ExplicitShowHide
                )
                widget.setParent(self)
                widget.setVisible(not is_hidden)
        self._place()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self._place()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place()

    def minimumSizeHint(self) -> QSize:
        widths = [_size(widget).width() for widget in self._shown]
        return QSize(max(widths, default=0), self._height(_rows(self._shown, self.width())))

    def sizeHint(self) -> QSize:
        width = sum(_size(widget).width() + GAP_PX for widget in self._shown)
        return QSize(width, self._height(_rows(self._shown, self.width())))

    @property
    def _shown(self) -> list[QWidget]:
        return [widget for widget in self._widgets if not widget.isHidden()]

    def _place(self) -> None:
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
    """One line of the widgets that there is room for, from the first on; that one is there in any case."""

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
    """A part of the page that is scrolled where the window is too low for it."""
    area = QScrollArea()
    scroll_down(area, inner)
    for part in (inner, area.viewport()):
        part.setAutoFillBackground(False)  # what is behind shows through
    area.setMinimumWidth(minimum_width_px)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return area
