"""Charts as pictures: PNG and SVG, copied and saved."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QByteArray, QMargins, QMimeData, QPoint, QRect, QRectF
from PySide6.QtGui import QGuiApplication, QImage, QImageWriter, QPaintDevice, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QMenu

from guiapp.core.system.replace_file import replace_file
from guiapp.errors import not_written
from guiapp.kit.widgets.notices import ask_for_file
from guiapp.kit.widgets.theme import MARGIN_PX

if TYPE_CHECKING:
    from guiapp.kit.charts.chart import Chart

SCALE = 2  # of PNG, for print and projectors
MARGINS = QMargins(MARGIN_PX, MARGIN_PX, MARGIN_PX, MARGIN_PX)
FORMATS = {".png": "Picture (*.png)", ".svg": "Drawing (*.svg)"}


def add_picture_actions(menu: QMenu, chart: Chart) -> None:
    """Copy and save a chart."""
    menu.addAction("Copy picture", partial(_copy_picture, chart))
    menu.addAction("Copy as SVG", partial(_copy_svg, chart))
    menu.addAction("Save picture…", partial(_save, chart))


def svg_of(chart: Chart) -> str:
    """A chart as an SVG document, as large as on screen."""
    buffer, size = QBuffer(), chart.size().grownBy(MARGINS)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(chart.logicalDpiX())  # else the scale is silently wrong
    generator.setSize(size)
    generator.setViewBox(QRect(QPoint(0, 0), size))
    generator.setTitle(chart.title)
    _paint(chart, generator)
    return bytes(buffer.data().data()).decode()


def image_of(chart: Chart) -> QImage:
    """A chart with twice the dots that it has on screen."""
    image = QImage(chart.size().grownBy(MARGINS) * SCALE, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(SCALE)
    _paint(chart, image)
    return image


def png_of(chart: Chart) -> bytes:
    buffer = QBuffer()
    QImageWriter(buffer, b"png").write(image_of(chart))
    return bytes(buffer.data().data())


def _paint(chart: Chart, device: QPaintDevice) -> None:
    scene, source = chart.view.scene(), QRectF(chart.rect())
    exporting = [item for item in scene.items() if hasattr(item, "setExportMode")]
    for item in exporting:
        item.setExportMode(
            True, {"antialias": True, "resolutionScale": 1.0}
        )  # markers as outlines, not as pixels
    with QPainter(device) as painter:
        painter.fillRect(chart.rect().marginsAdded(MARGINS * 2), getattr(chart.theme, chart.ground))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        scene.prepareForPaint()
        scene.render(painter, source.translated(MARGINS.left(), MARGINS.top()), source)
    for item in exporting:
        item.setExportMode(False)


def _copy_picture(chart: Chart) -> None:
    QGuiApplication.clipboard().setImage(image_of(chart))
    chart.notified.emit("The picture is copied.")


def _copy_svg(chart: Chart) -> None:
    svg, data = svg_of(chart), QMimeData()
    data.setText(svg)
    data.setData("image/svg+xml", QByteArray(svg.encode()))
    QGuiApplication.clipboard().setMimeData(data)
    chart.notified.emit("The chart is copied as SVG.")


def _save(chart: Chart) -> None:
    path = ask_for_file(chart.window(), "Save chart", "chart.png", FORMATS)
    if path is None:
        return
    try:
        replace_file(path, svg_of(chart).encode() if path.suffix.lower() == ".svg" else png_of(chart))
    except OSError as error:
        chart.notified.emit(not_written(path, error))
    else:
        chart.notified.emit(f"Saved as {path}.")
