"""Charts as pictures: those on screen, and all charts of a run for paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from PySide6.QtCore import QBuffer, QObject, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QImage, QImageWriter, QPaintDevice, QPainter
from PySide6.QtSvg import QSvgGenerator

from guiapp.core.bench.measurement import Record, growth_records
from guiapp.core.bench.scenarios import SCENARIOS
from guiapp.widgets.bench.bars import BarChart
from guiapp.widgets.bench.charts import Chart
from guiapp.widgets.bench.curves import QUANTITIES
from guiapp.widgets.bench.exactness import ExactnessChart
from guiapp.widgets.bench.scenarios import OFFERED, ScenarioCard, rows_of, texts_of
from guiapp.widgets.shared.painting import bold
from guiapp.widgets.shared.theme import GAP_PX, LIGHT, SMALL_FONT_PX, UI_FONT_PX

PICTURE_SCALE = 2  # of PNG files, for print and projectors
TITLE_PX = 28  # above the plot, for its title and unit
PAPER_WIDTH_PX = 900
PAPER_ROW_PX = 26  # for each contender
LEAST_HEIGHT_PX, MORE_HEIGHT_PX = 300, 80
WHITE = QColor("white")


class Paper(QObject):
    """The light theme on white, whatever the screen shows."""

    changed = Signal()
    theme = replace(LIGHT, background=WHITE, panel=WHITE, raised=WHITE)


class Picture(NamedTuple):
    """A chart with its title in it, in two formats."""

    title: str
    svg: str
    png: bytes


def paper_pictures(run: Record, baseline: str) -> Iterator[Picture]:
    """All charts of a run, one after another."""
    for title, chart in _charts_of(run, baseline):
        chart.set_title(title)
        yield Picture(title, svg_of(chart), png_of(chart))


def paper_charts(run: Record, baseline: str) -> Iterator[tuple[str, str]]:
    """All charts of a run, one after another: title with unit, and SVG document."""
    for title, chart in _charts_of(run, baseline):
        yield f"{title}: {chart.note.whole_text}", svg_of(chart, has_title=False)


def _charts_of(run: Record, baseline: str) -> Iterator[tuple[str, Chart]]:
    """Each chart laid out for paper; only until the next one is asked for."""
    results, paper = run["results"], Paper()
    bars, exactness, card = BarChart("", paper), ExactnessChart("", paper), ScenarioCard(paper)
    for chart_of_speeds in (bars, card.groups):
        chart_of_speeds.set_baseline(baseline)
    growth = growth_records(results)
    for text in texts_of(results, "throughput"):
        rows = rows_of(results, "throughput", text)
        yield f"Throughput, {text}", _laid_out(bars, rows)
        yield f"Speed × exactness, {text}", _laid_out(exactness, rows)
    for scenario in ("scaling", *OFFERED):
        for text in texts_of(results, scenario):
            chart = card.prepare(scenario, growth)
            title = ", ".join(filter(None, (SCENARIOS[scenario].title, text)))
            yield title, _laid_out(chart, rows_of(results, scenario, text))
            if scenario == "scaling":
                time, *_, tokens = QUANTITIES
                card.curves.show_quantity(tokens)
                yield "Throughput against length", chart
                card.curves.show_quantity(time)
    for each in (bars, exactness, *card.charts, card):
        each.close()
        each.deleteLater()


def _laid_out(chart: Chart, rows: Sequence[Record]) -> Chart:
    """The chart with these records, as large as they need, without a window."""
    n_names = len({row["contender"] for row in rows})
    if chart.parent() is not None:
        chart.setParent(None)
    chart.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    chart.show_results(rows)
    chart.resize(PAPER_WIDTH_PX, max(n_names * PAPER_ROW_PX + MORE_HEIGHT_PX, LEAST_HEIGHT_PX))
    chart.show()
    chart.redraw()
    return chart


def svg_of(chart: Chart, has_title: bool = True) -> str:
    """A chart as an SVG document."""
    buffer, top_px = QBuffer(), TITLE_PX if has_title else 0
    size = chart.plot.size() + QSize(0, top_px)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(chart.plot.logicalDpiX())  # else the scale is silently wrong
    generator.setSize(size)
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setTitle(chart.title)
    _paint(chart, generator, top_px)
    return bytes(buffer.data().data()).decode()


def png_of(chart: Chart) -> bytes:
    """A chart with twice the dots that it has on screen."""
    size = (chart.plot.size() + QSize(0, TITLE_PX)) * PICTURE_SCALE
    image, buffer = QImage(size, QImage.Format.Format_RGB32), QBuffer()
    image.setDevicePixelRatio(PICTURE_SCALE)
    _paint(chart, image, TITLE_PX)
    QImageWriter(buffer, b"png").write(image)
    return bytes(buffer.data().data())


def _paint(chart: Chart, device: QPaintDevice, top_px: int) -> None:
    """The plot, and its title and unit above it."""
    with QPainter(device) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if top_px:
            _paint_title(chart, painter)
        size = chart.plot.size()
        chart.plot.render(painter, QRectF(0, top_px, size.width(), size.height()))


def _paint_title(chart: Chart, painter: QPainter) -> None:
    theme, title = chart.theme, chart.title
    painter.fillRect(QRect(0, 0, chart.plot.width(), TITLE_PX), theme.raised)
    heavy, small = bold(theme.ui_font(UI_FONT_PX)), theme.ui_font(SMALL_FONT_PX)
    words = ((title, heavy, theme.text), (chart.note.text(), small, theme.dim))
    x = GAP_PX
    for text, font, color in words:
        painter.setFont(font)
        painter.setPen(color)
        painter.drawText(x, TITLE_PX - GAP_PX, text)
        x += QFontMetrics(font).horizontalAdvance(text) + GAP_PX
