"""What PySide6 itself must not do; releases that do are shut out in pyproject.toml."""

from PySide6.QtGui import QColor, QImage, QPainter


def test_void_calls_do_not_use_up_references_to_none(qapp):
    image = QImage(8, 8, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    for _ in range(20_000):
        painter.fillRect(0, 0, 4, 4, QColor("red"))
    painter.end()
    assert image.pixelColor(1, 1) == QColor("red")
