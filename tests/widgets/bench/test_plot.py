"""The plot of charts: where places are, and that scales, curves, markers and words are painted there."""

import pytest
from pictures import picture_of
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPen

from guiapp.widgets.bench.plot import AXIS_PX, Curve, Marker, Plot, Word, brush_of, pen_of
from guiapp.widgets.shared.theme import DARK, LIGHT, SMALL_FONT_PX

RED, BLUE, GREEN = QColor("#ff0000"), QColor("#0000ff"), QColor("#00ff00")


@pytest.fixture
def plot(qtbot):
    plot = Plot("Speeds")
    qtbot.addWidget(plot)
    plot.follow_theme(DARK)
    plot.resize(400, 240)
    plot.show_range((2.0, 12.0), (-5.0, 5.0))
    plot.show()
    qtbot.waitExposed(plot)
    return plot


def colors_at(plot, x, y, around=2):
    image, at = picture_of(plot).image, plot.pixel(x, y).toPoint()
    reach = range(-around, around + 1)
    return {image.pixelColor(at.x() + dx, at.y() + dy).name() for dx in reach for dy in reach}


def ink(plot, rect):
    """How many points of a rectangle are not the background."""
    image = picture_of(plot).image
    rect = rect.toAlignedRect() & image.rect()
    ground = DARK.raised.name()
    return sum(
        image.pixelColor(x, y).name() != ground
        for x in range(rect.left(), rect.right() + 1)
        for y in range(rect.top(), rect.bottom() + 1)
    )


def test_places_and_pixels_are_each_others_inverse(plot):
    area = plot.area
    assert plot.pixel(2, -5) == area.bottomLeft()
    assert plot.pixel(12, 5) == area.topRight()
    assert plot.pixel(7, 0) == area.center()
    for x, y in ((3.0, -4.0), (11.5, 2.25)):
        assert plot.place(plot.pixel(x, y)) == pytest.approx((x, y))
    assert area.left() == AXIS_PX
    assert (area.right(), area.bottom() < plot.height()) == (plot.width(), True)
    plot.show_range(y_range=(0.0, 1.0))
    assert (plot.x_range, plot.y_range) == ((2.0, 12.0), (0.0, 1.0))
    plot.set_axis_px(90)
    assert plot.area.left() == 90


def test_axes_and_their_numbers_are_painted_beside_the_plot(plot):
    area = plot.area
    line = DARK.line.name()
    assert line in colors_at(plot, 2, 0, 1)
    assert line in colors_at(plot, 7, -5, 1)
    assert line not in colors_at(plot, 7, 2)
    left, below = QRectF(0, 0, area.left() - 1, area.bottom()), QRectF(0, area.bottom() + 2, 400, 60)
    assert (ink(plot, left), ink(plot, below)) == (0, 0)
    plot.left_ticks, plot.bottom_ticks = [(2.0, "two"), (9.0, "no")], [(7.0, "seven"), (40.0, "no")]
    plot.viewport().update()
    at, middle = plot.pixel(2, 2), plot.pixel(7, 0)
    assert ink(plot, QRectF(area.left() - 40, at.y() - 9, 36, 18)) == ink(plot, left) > 10
    assert ink(plot, QRectF(middle.x() - 25, area.bottom() + 2, 50, 60)) == ink(plot, below) > 10
    plot.has_lines, plot.lines_end = True, 8.0
    plot.viewport().update()
    assert line in colors_at(plot, 7, 2, 1)
    assert line not in colors_at(plot, 9, 2, 1)


def test_curves_markers_and_words_are_painted_at_their_places(plot):
    plot.curves = [Curve([3, 11], [-4, 4], pen_of(RED, 3), ([-5, 2], [-3, 5]), brush_of(BLUE))]
    plot.markers = [Marker(5, 3, 14, "o", QPen(BLUE, 3), brush_of(GREEN))]
    plot.words = [Word("here", 9, -3, False, GREEN), Word("behind", 4, 1, True, GREEN)]
    plot.viewport().update()
    assert RED.name() in colors_at(plot, 7, 0)
    assert BLUE.name() in colors_at(plot, 10.5, 2.9)
    assert BLUE.name() not in colors_at(plot, 10.5, 0)
    assert colors_at(plot, 5, 3) == {GREEN.name()}
    assert BLUE.name() in colors_at(plot, 5, 3, 8)
    here, behind = map(plot.rect_of, plot.words)
    assert here.center() == plot.pixel(9, -3)
    assert (behind.left(), behind.center().y()) == pytest.approx(plot.pixel(4, 1).toTuple())
    for rect in (here, behind):
        assert ink(plot, rect) > 20
    plot.clear()
    plot.viewport().update()
    assert ink(plot, plot.area.adjusted(3, 3, -3, -3)) == 0
    assert plot.lines_end is None


def test_its_colours_and_fonts_follow_the_theme(plot):
    assert plot.scale_metrics().height() > 0
    plot.follow_theme(LIGHT)
    assert LIGHT.raised.name() in colors_at(plot, 7, 2)
    assert LIGHT.line.name() in colors_at(plot, 7, -5, 1)
    height = plot.area.height()
    plot.set_fonts(LIGHT.ui_font(SMALL_FONT_PX), LIGHT.ui_font(3 * SMALL_FONT_PX))
    assert plot.area.height() < height - SMALL_FONT_PX
    assert plot.accessibleName() == "Speeds"
    assert plot.place(QPointF(plot.area.center())) == pytest.approx((7, 0))
