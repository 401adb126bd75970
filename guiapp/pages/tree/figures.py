"""Figures about the tree and charts of its shape; a click on any of them lists its tokens."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout

from guiapp.analysis.tree.reports import Distribution, TreeFinding
from guiapp.kit.widgets.layouts import in_column, scroll_down
from guiapp.kit.widgets.painting import RIGHT, PaintedButton, fill, write
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    heading,
    sentence,
    set_role,
)
from guiapp.pages.tree.results import TreeFindings

ListTokens = Callable[[str, NDArray[np.int32]], None]
ABOUT = "Counts over all tokens of the model. A click lists the tokens behind one."
SCALE = "Log scale: each time that there are ten times as many, the bar grows by the same length."
NO_MODEL = "Open a model to count its tokens."


class FindingsPanel(QScrollArea):
    """Figures about the tree; a click on one lists its tokens."""

    def __init__(self, findings: TreeFindings, list_tokens: ListTokens, theme_source: ThemeSource) -> None:
        super().__init__()
        self._findings = findings
        self._list_tokens = list_tokens
        self._theme_source = theme_source
        scroll_down(self)
        findings.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        inside = set_role(QFrame(), "panel")
        column = in_column(on=inside, margins=(MARGIN_PX, GAP_PX, MARGIN_PX, MARGIN_PX), spacing=0)
        statistics = self._findings.statistics
        if statistics is None:
            column.addWidget(_waiting("Counting …" if self._findings.is_coming else NO_MODEL))
        else:
            column.addWidget(sentence(ABOUT))
            column.addSpacing(GAP_PX)
            for finding in self._findings.findings:
                column.addWidget(FigureRow(finding, finding.name, self._list_tokens, self._theme_source))
            if self._findings.trying.is_busy:
                column.addWidget(_waiting("Trying whether text leads to each token …"))
            elif self._findings.problem:
                column.addWidget(_waiting(self._findings.problem))
            for distribution in statistics.distributions:
                self._add_chart(column, distribution)
        column.addStretch()
        at = self.verticalScrollBar().value()
        self.setWidget(inside)
        self.verticalScrollBar().setValue(at)

    def _add_chart(self, column: QVBoxLayout, distribution: Distribution) -> None:
        column.addSpacing(MARGIN_PX)
        column.addWidget(heading(distribution.title))
        column.addSpacing(UNIT_PX)
        column.addWidget(sentence(f"{distribution.about} {SCALE}"))
        column.addSpacing(UNIT_PX)
        most = max((len(bar.tokens) for bar in distribution.bars), default=1)
        for bar in distribution.bars:
            share = float(np.log1p(len(bar.tokens)) / np.log1p(most))
            title = f"{distribution.title}: {bar.name}"
            column.addWidget(FigureRow(bar, title, self._list_tokens, self._theme_source, share))


def _waiting(text: str) -> QLabel:
    return set_role(QLabel(text, wordWrap=True), "dim")


class FigureRow(PaintedButton):
    """One figure: its value and its name; or, where it has a share, its name, a bar, and its value."""

    HEIGHT_PX, BAR_HEIGHT_PX = 26, 19
    FIRST_PX = 62  # the first column, from the left edge
    VALUE_PX = 66  # behind a bar
    radius_px = 5

    def __init__(
        self,
        finding: TreeFinding,
        title: str,
        list_tokens: ListTokens,
        theme_source: ThemeSource,
        share: float | None = None,
    ) -> None:
        super().__init__(theme_source)
        self._finding = finding
        self._title = title
        self._list_tokens = list_tokens
        self._share = share
        self.setFixedHeight(self.HEIGHT_PX if share is None else self.BAR_HEIGHT_PX)
        self.setAccessibleName(f"{title}: {finding.value}")
        self.setToolTip(finding.note)
        self.setEnabled(bool(len(finding.tokens)))
        self.setCursor(Qt.CursorShape.PointingHandCursor if self.isEnabled() else Qt.CursorShape.ArrowCursor)
        self.clicked.connect(self._list)

    def sizeHint(self) -> QSize:
        return QSize(200, self.height())

    def paint(self, painter: QPainter, theme: Theme) -> None:
        first = QRectF(0, 0, self.FIRST_PX, self.height())
        rest = QRectF(self.FIRST_PX + GAP_PX, 0, self.width() - self.FIRST_PX - GAP_PX, self.height())
        if self._share is None:
            write(painter, first, self._finding.value, theme.text, RIGHT, Theme.mono_font(SMALL_FONT_PX))
            color = theme.text if self.isEnabled() else theme.dim
            font = Theme.ui_font(SMALL_FONT_PX)
            write(painter, rest, self._finding.name, color, font=font)
            metrics, note = QFontMetricsF(font), self._finding.note
            behind = rest.adjusted(metrics.horizontalAdvance(self._finding.name) + GAP_PX, 0, 0, 0)
            if metrics.horizontalAdvance(note) <= behind.width():
                write(painter, behind, note, theme.dim, font=font)
        else:
            self._paint_bar(painter, theme, first, rest, self._share)

    def _paint_bar(self, painter: QPainter, theme: Theme, first: QRectF, rest: QRectF, share: float) -> None:
        write(painter, first, self._finding.name, theme.dim, RIGHT, Theme.mono_font(SMALL_FONT_PX))
        width = max(2.0, (rest.width() - self.VALUE_PX) * share)
        fill(painter, QRectF(rest.left(), 4, width, self.height() - 8), theme.contenders[0], 3)
        write(painter, rest.adjusted(width + GAP_PX, 0, 0, 0), self._finding.value, theme.text)

    def _list(self) -> None:
        self._list_tokens(self._title, self._finding.tokens)
