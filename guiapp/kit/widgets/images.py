"""Pictures as files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer
from PySide6.QtGui import QImage, QImageWriter

from guiapp.core.system.replace_file import replace_file
from guiapp.errors import TokenloupeError, not_written


class ImageError(TokenloupeError):
    """A picture that cannot be written; the message says what to do."""


def image_bytes(image: QImage, path: Path) -> bytes:
    """What a file holds whose ending names the format; to make a large PNG small takes a second."""
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    if not QImageWriter(buffer, path.suffix[1:].lower().encode()).write(image):
        raise ImageError(f"{path} names no kind of picture. Choose another ending, such as .png.")
    return bytes(buffer.data().data())


def save_image(image: QImage, path: Path) -> None:
    """Write a picture, or change nothing.  Raises ImageError."""
    try:
        replace_file(path, image_bytes(image, path))
    except OSError as error:
        raise ImageError(not_written(path, error)) from error
