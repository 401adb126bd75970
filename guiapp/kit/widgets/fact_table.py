"""Names with what there is to say about them, beside each other or, where that is too narrow, below."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from guiapp.kit.widgets.style_sheet import set_role
from guiapp.kit.widgets.styled_text import TEXT_MARGIN_PX, Span, StyledText
from guiapp.kit.widgets.text_zoom import TextZoom
from guiapp.kit.widgets.theme import GAP_PX, SMALL_FONT_PX, UNIT_PX

MOST_LINES = 4
FEWEST_COLUMNS = 20  # characters of a value beside its name
NAME_GAP_PX = 3 * UNIT_PX
CODE_AND_SIGN = re.compile(r"(U\+[0-9A-F]+) ")


class FactTable(QWidget):
    """One row for each name that has a value; values can be selected and copied."""

    def __init__(self, names: Sequence[str], zoom: TextZoom) -> None:
        super().__init__()
        self._zoom = zoom
        self._is_stacked = False
        self._names = {name: QLabel(name) for name in names}
        self.values = {name: StyledText(zoom.mono_font(SMALL_FONT_PX), MOST_LINES) for name in names}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(NAME_GAP_PX)
        self._grid.setColumnStretch(1, 1)
        for name in names:
            set_role(self._names[name], "dim")
            self.values[name].setAccessibleName(name)
        self._arrange()
        zoom.changed.connect(self._on_zoom_changed)
        self._on_zoom_changed()

    @property
    def is_stacked(self) -> bool:
        """Whether values stand below their names."""
        return self._is_stacked

    def fit_into(self, width_px: int) -> None:
        """Put values beside their names only where so wide a table leaves room for them."""
        metrics = next(iter(self.values.values())).fontMetrics()
        columns_px = FEWEST_COLUMNS * metrics.horizontalAdvance("0")
        names_px = max(label.sizeHint().width() for label in self._names.values())
        is_stacked = width_px - names_px - NAME_GAP_PX < columns_px
        if is_stacked != self._is_stacked:
            self._is_stacked = is_stacked
            self._arrange()

    def show_facts(self, facts: Mapping[str, str], color: QColor) -> None:
        """Show these values, the id in bold, and no other names."""
        for name, value in self.values.items():
            self._names[name].setVisible(name in facts)
            value.setVisible(name in facts)
            text = CODE_AND_SIGN.sub("\\1\N{NO-BREAK SPACE}", facts.get(name, ""))
            value.set_spans([Span(text, color, is_bold=name == "id")])

    def _on_zoom_changed(self) -> None:
        for name, value in self.values.items():
            value.set_font(self._zoom.mono_font(SMALL_FONT_PX))
            self._names[name].setFont(self._zoom.ui_font(SMALL_FONT_PX))

    def _arrange(self) -> None:
        self._grid.setVerticalSpacing(0 if self._is_stacked else UNIT_PX)
        left_px, above_px = (TEXT_MARGIN_PX, GAP_PX) if self._is_stacked else (0, TEXT_MARGIN_PX)
        for row, (name, value) in enumerate(self.values.items()):
            label = self._names[name]
            label.setContentsMargins(left_px, above_px, 0, 0)  # level with its value
            if self._is_stacked:
                self._grid.addWidget(label, 2 * row, 0, 1, 2)
                self._grid.addWidget(value, 2 * row + 1, 0, 1, 2)
            else:
                self._grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
                self._grid.addWidget(value, row, 1)
