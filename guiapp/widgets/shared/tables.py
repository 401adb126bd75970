"""How tables of tokens look: whole rows to select, without a grid."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView


def show_rows(view: QTableView) -> None:
    """Leave everything out but the cells and the titles of the columns."""
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setFrameShape(QTableView.Shape.NoFrame)
    view.setTabKeyNavigation(False)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.verticalHeader().hide()
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    view.horizontalHeader().setHighlightSections(False)
    view.horizontalHeader().setStretchLastSection(True)
