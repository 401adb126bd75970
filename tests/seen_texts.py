"""The visible texts of a widget: painted texts, and texts of labels, fields and tables."""

from __future__ import annotations

from unittest.mock import patch

from PySide6.QtCore import QAbstractItemModel, QAbstractTableModel, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QLabel, QLineEdit, QTextEdit, QWidget


def seen_texts(widget: QWidget) -> set[str]:
    """Repaint a widget; return all its visible texts."""
    painted: set[str] = set()
    draw_text = QPainter.drawText

    def note_text(painter, *given):
        painted.update(each for each in given if isinstance(each, str))
        return draw_text(painter, *given)

    with patch.object(QPainter, "drawText", note_text):
        widget.grab()
    return painted.union(*map(_texts_of, [widget, *widget.findChildren(QWidget)]))


def _texts_of(widget: QWidget) -> list[str]:
    if not widget.isVisible():
        return []
    if isinstance(widget, QLabel | QAbstractButton | QLineEdit):
        return [widget.text()]
    if isinstance(widget, QTextEdit):
        return [widget.toPlainText()]
    if isinstance(widget, QAbstractItemView) and (model := widget.model()) is not None:
        return list(_cells(model))
    return []


def _cells(model: QAbstractItemModel, most_rows: int = 30):
    for row in range(min(model.rowCount(), most_rows)):
        n_columns = model.columnCount() if isinstance(model, QAbstractTableModel) else 1
        for column in range(n_columns):
            yield str(model.index(row, column).data(Qt.ItemDataRole.DisplayRole))
