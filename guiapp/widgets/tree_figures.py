"""Figures about the tree, each with its tokens, and charts of its shape."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from guiapp.viewmodels.tree_findings import TreeFindings
from guiapp.widgets.style_sheet import heading, set_role
from guiapp.widgets.theme import GAP_PX, MARGIN_PX, SMALL_FONT_PX, Theme, ThemeSource

FAN_OUT_NAMES = ["0", "1", *(f"{1 << n}–{(2 << n) - 1}" for n in range(1, 24))]


class FindingsPanel(QScrollArea):
    """Figures about the tree; a click on one lists its tokens."""

    def __init__(
        self,
        findings: TreeFindings,
        show_tokens: Callable[[str, np.ndarray[tuple[int], np.dtype[np.int32]]], None],
        theme_source: ThemeSource,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._findings = findings
        self._show_tokens = show_tokens
        self._theme_source = theme_source
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        findings.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        inside = QFrame()
        set_role(inside, "panel")
        column = QVBoxLayout(inside)
        column.setContentsMargins(MARGIN_PX, MARGIN_PX, MARGIN_PX, MARGIN_PX)
        statistics = self._findings.statistics
        if statistics is None:
            column.addWidget(_waiting("Counting …"))
        else:
            for finding in self._findings.findings:
                row = QPushButton(f"{finding.value:>9}  {finding.name}")
                set_role(row, "quiet")
                row.setFont(Theme.mono_font(SMALL_FONT_PX))
                row.setStyleSheet("text-align: left;")
                row.setToolTip(finding.remark)
                row.setEnabled(bool(len(finding.tokens)))
                row.clicked.connect(_Shower(self._show_tokens, finding.name, finding.tokens, row).show)
                column.addWidget(row)
            if self._findings.trying.is_busy:
                column.addWidget(_waiting("Trying whether text leads to each token …"))
            elif self._findings.problem:
                column.addWidget(_waiting(self._findings.problem))
            for title, counts, first in (
                ("Tokens at each depth", statistics.depths, [str(n + 1) for n in range(99)]),
                ("Tokens with so many children", statistics.fan_outs, FAN_OUT_NAMES),
            ):
                column.addSpacing(GAP_PX)
                column.addWidget(heading(title))
                column.addWidget(BarChart(counts, first, self._theme_source))
        column.addStretch()
        self.setWidget(inside)


def _waiting(text: str) -> QLabel:
    label = QLabel(text, wordWrap=True)
    set_role(label, "dim")
    return label


class _Shower(QWidget):
    """Remembers what one figure counts; lives as long as its row."""

    def __init__(self, show: Callable[..., None], name: str, tokens: object, parent: QWidget) -> None:
        super().__init__(parent)
        self.hide()
        self._show_tokens, self._name, self._tokens = show, name, tokens

    def show(self) -> None:
        self._show_tokens(self._name, self._tokens)


class BarChart(QWidget):
    """Counts as bars on a logarithmic scale, each with its figure."""

    ROW_PX = 17
    NAME_PX = 74

    def __init__(
        self,
        counts: np.ndarray[tuple[int], np.dtype[np.int64]],
        names: list[str],
        theme_source: ThemeSource,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._rows = [(names[at], int(count)) for at, count in enumerate(counts) if count][:40]
        self._theme_source = theme_source
        self.setFixedHeight(self.ROW_PX * len(self._rows) + 4)
        self.setAccessibleDescription(", ".join(f"{name}: {count:,}" for name, count in self._rows))
        theme_source.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), self._theme_source.theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(Theme.mono_font(11))
        most = np.log1p(max((count for _, count in self._rows), default=1))
        room = self.width() - self.NAME_PX - 70
        for row, (name, count) in enumerate(self._rows):
            y = row * self.ROW_PX
            painter.setPen(theme.dim)
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(0, y, self.NAME_PX - 10, self.ROW_PX), right, name)
            width = max(2.0, room * float(np.log1p(count) / most))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.contenders[0])
            painter.drawRoundedRect(QRectF(self.NAME_PX, y + 3, width, self.ROW_PX - 6), 3, 3)
            painter.setPen(theme.text)
            painter.drawText(QPointF(self.NAME_PX + width + 6, y + self.ROW_PX - 5), f"{count:,}")
