"""The controls of a widget in words, one line each: text, accessible name, tip and state."""

from __future__ import annotations

from pictures import in_words, paintings_of
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QLabel, QLineEdit, QTextEdit, QWidget

from guiapp.kit.widgets.painting import Painted
from guiapp.kit.widgets.theme import ThemeSource

TEXT_WIDGETS = QLabel, QAbstractButton, QLineEdit, QTextEdit


def controls_of(widget: QWidget) -> list[str]:
    """The visible controls as "text | name | tip | off | checked", without absent parts."""
    parts = [widget, *widget.findChildren(QWidget)]
    return [line for part in parts if part.isVisible() and (line := _described(part))]


def _described(part: QWidget) -> str:
    text, name, tip = _text_of(part), part.accessibleName(), part.toolTip().partition("\n")[0]
    words = [text, name if name != text else "", tip, "" if part.isEnabled() else "off"]
    if isinstance(part, QAbstractButton) and part.isChecked():
        words.append("checked")
    return " | ".join(filter(None, words)) if isinstance(part, TEXT_WIDGETS) or name else ""


def _text_of(part: QWidget) -> str:
    if isinstance(part, QTextEdit):
        return part.toPlainText()
    return part.text() if isinstance(part, QLabel | QAbstractButton | QLineEdit) else ""


def all_of(widget: QWidget, themes: ThemeSource) -> list[str]:
    """The controls, painted marks, rows of tables, and texts with their colours."""
    lines = controls_of(widget)
    for part in [widget, *widget.findChildren(QWidget)]:
        if not part.isVisible():
            continue
        if isinstance(part, Painted):
            lines.append(f"{part.accessibleName()}: {in_words(paintings_of(part).marks, themes.theme)}")
        if isinstance(part, QTextEdit):
            lines.append(part.toHtml())
        if isinstance(part, QAbstractItemView) and (model := part.model()) is not None:
            lines.append(f"rows: {[model.index(row, 0).data() for row in range(min(model.rowCount(), 30))]}")
    return lines
