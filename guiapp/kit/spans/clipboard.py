"""Copies of text that keep what Qt would lose: bytes that are no UTF-8, and byte order marks."""

from __future__ import annotations

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication
from shiboken6 import Shiboken

from guiapp.kit.document.document import BYTE_ORDER_MARKS

BYTES_FORMAT = "application/x-tokenloupe-bytes"


def put_on_clipboard(data: bytes) -> None:
    """Offer text to all programs, and its exact bytes to this one."""
    text = data.decode("utf-8", "replace")
    clipboard = QGuiApplication.clipboard()
    if text.encode() == data and not text.startswith(BYTE_ORDER_MARKS):
        clipboard.setText(text)
        return
    mime = QMimeData()
    mime.setText(text)
    mime.setData(BYTES_FORMAT, data)
    clipboard.setMimeData(mime)


def leave_plain_text() -> None:
    """Replace what was made in Python, before the program ends: Qt would free it after Python, and crash."""
    mime = on_clipboard()
    if mime is not None and Shiboken.createdByPython(mime):
        QGuiApplication.clipboard().setText(mime.text())


def on_clipboard() -> QMimeData | None:
    """What was copied last, here or elsewhere; None where that is nothing, unlike Qt's types say."""
    mime: QMimeData | None = QGuiApplication.clipboard().mimeData()
    return mime
