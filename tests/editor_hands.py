"""Mouse actions on an editor, positions in it, and its pixels."""

from __future__ import annotations

from hands import turn_wheel
from PySide6.QtCore import QPoint, Qt

from guiapp.kit.spans.editor import SpanEditor
from guiapp.kit.spans.view import SIDE_PX


def place_of_byte(editor: SpanEditor, offset: int, side_px: int = SIDE_PX) -> QPoint:
    """The middle of the character that begins at an offset."""
    at = editor.rows.position_of(offset)
    start = editor.rows.block_span(at.block)[0]
    geometry = editor.rows.layout(at.block).geometry(at.row)
    cell = geometry.cells.tolist().index(offset - start)
    x = (geometry.leading[cell] + geometry.trailing[cell]) / 2
    return QPoint(round(side_px + x), round(at.y + editor.rows.metrics.row_height / 2))


def click(qtbot, editor: SpanEditor, point: QPoint, modifier=Qt.KeyboardModifier.NoModifier) -> None:
    qtbot.mouseClick(editor.viewport(), Qt.MouseButton.LeftButton, modifier, point)


def wheel(editor: SpanEditor, notches: float, modifiers=Qt.KeyboardModifier.NoModifier) -> None:
    turn_wheel(editor.viewport(), QPoint(50, 50), int(120 * notches), modifiers)


def pixels_of(editor: SpanEditor) -> bytes:
    image = editor.viewport().grab().toImage()
    return bytes(image.constBits())
