"""Charts as pictures: those on screen, and all charts of a run for paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from PySide6.QtCore import QBuffer, QMargins, QPoint, QRect
from PySide6.QtGui import QImage, QImageWriter, QPaintDevice, QPainter
from PySide6.QtSvg import QSvgGenerator

from guiapp.core.bench.measurement import Record
from guiapp.core.bench.scenarios import SCENARIOS
from guiapp.widgets.bench.charts import Chart, Paper, Showing, showing_of
from guiapp.widgets.bench.curves import QUANTITIES, CurveChart
from guiapp.widgets.bench.exactness import ExactnessChart
from guiapp.widgets.bench.scenarios import chart_of, rows_of, texts_of
from guiapp.widgets.shared.theme import MARGIN_PX

PICTURE_SCALE = 2  # of PNG files, for print and projectors
PAPER_WIDTH_PX = 900
PAPER_ROW_PX = 30  # for each contender
LEAST_HEIGHT_PX, MORE_HEIGHT_PX = 300, 80
MARGINS = QMargins(MARGIN_PX, MARGIN_PX, MARGIN_PX, MARGIN_PX)


class Picture(NamedTuple):
    """A chart with its title in it, in two formats; its own title is of no other chart of the run."""

    title: str
    svg: str
    png: bytes


def paper_pictures(run: Record, baseline: str) -> Iterator[Picture]:
    """All charts of a run, one after another."""
    for name, chart in _charts_of(run, baseline):
        yield Picture(name, svg_of(chart), png_of(chart))


def paper_charts(run: Record, baseline: str) -> Iterator[tuple[str, str]]:
    """All charts of a run, one after another: name, and SVG document."""
    for name, chart in _charts_of(run, baseline):
        yield name, svg_of(chart)


def _charts_of(run: Record, baseline: str) -> Iterator[tuple[str, Chart]]:
    """Each chart laid out for paper; only until the next one is asked for."""
    results, paper, showing = run["results"], Paper(), showing_of(run, baseline=baseline)
    for scenario, row in SCENARIOS.items():
        for text in texts_of(results, scenario):
            rows, chart = rows_of(results, scenario, text), chart_of(scenario, paper)
            name = ", ".join(filter(None, (row.title, text)))
            yield name, _laid_out(chart, rows, showing)
            if isinstance(chart, CurveChart) and row.grows and not row.own_texts:
                chart.show_quantity(QUANTITIES[-1])
                yield f"{name}: {chart.quantity.name}", chart
            if scenario == "throughput":
                yield f"Speed × exactness, {text}", _laid_out(ExactnessChart(paper), rows, showing)


def _laid_out(chart: Chart, rows: Sequence[Record], showing: Showing) -> Chart:
    """The chart with these records, as large as they need, without a window."""
    chart.answers = False
    chart.show_results(rows, showing)
    n_names = len({row["contender"] for row in rows})
    least_px = max(n_names * PAPER_ROW_PX + MORE_HEIGHT_PX, LEAST_HEIGHT_PX, chart.minimumSizeHint().height())
    chart.resize(PAPER_WIDTH_PX, least_px)
    chart.redraw()  # nobody tells a widget that is never shown
    return chart


def svg_of(chart: Chart) -> str:
    """A chart as an SVG document."""
    buffer, size = QBuffer(), chart.size().grownBy(MARGINS)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(chart.logicalDpiX())  # else the scale is silently wrong
    generator.setSize(size)
    generator.setViewBox(QRect(QPoint(0, 0), size))
    generator.setTitle(chart.title)
    _paint(chart, generator)
    return bytes(buffer.data().data()).decode()


def png_of(chart: Chart) -> bytes:
    """A chart with twice the dots that it has on screen."""
    size = chart.size().grownBy(MARGINS) * PICTURE_SCALE
    image, buffer = QImage(size, QImage.Format.Format_RGB32), QBuffer()
    image.setDevicePixelRatio(PICTURE_SCALE)
    _paint(chart, image)
    QImageWriter(buffer, b"png").write(image)
    return bytes(buffer.data().data())


def _paint(chart: Chart, device: QPaintDevice) -> None:
    with QPainter(device) as painter:
        painter.fillRect(chart.rect().marginsAdded(MARGINS * 2), chart.theme.background)
        painter.translate(MARGINS.left(), MARGINS.top())
        chart.paint(painter)
