"""The picture of a chart: where places are, and that everything is painted there."""

import pytest
from pictures import picture_of
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPen

from guiapp.widgets.bench.plot import BEGINS, INK, Bar, Curve, Marker, Plot, Word
from guiapp.widgets.shared.theme import DARK, LIGHT

RED, BLUE, GREEN = QColor("#ff0000"), QColor("#0000ff"), QColor("#00ff00")


@pytest.fixture
def plot(qtbot):
    plot = Plot("Speeds")
    qtbot.addWidget(plot)
    plot.dress(DARK)
    plot.resize(400, 240)
    plot.x_range, plot.y_range = (2.0, 12.0), (-5.0, 5.0)
    plot.bottom_ticks = [(5, "50")]
    plot.set_title(
        ["A finding that is too long for such a plot, and so is not what stands there", "Time by length"],
        ["a subtitle that is much too long to be shown in any plot of this size", "short"],
    )
    plot.frame(60, 20)
    plot.show()
    qtbot.waitExposed(plot)
    return plot


def painted(plot):
    plot.update()
    return picture_of(plot).image


def colors_at(plot, x, y, around=2):
    image, at = painted(plot), plot.pixel(x, y).toPoint()
    reach = range(-around, around + 1)
    return {image.pixelColor(at.x() + dx, at.y() + dy).name() for dx in reach for dy in reach}


def ink(plot, rect):
    """How many points of a rectangle are not the background."""
    image = painted(plot)
    ground = image.pixelColor(image.width() - 1, image.height() - 1).name()
    rect = rect.toAlignedRect() & image.rect()
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


def test_the_title_stands_on_top_and_below_it_the_longest_subtitle_that_fits(plot):
    assert plot.subtitle == "short"
    assert ink(plot, QRectF(0, 0, 300, 20)) > 100
    assert ink(plot, QRectF(0, 20, 100, 20)) > 20
    assert ink(plot, QRectF(100, 20, 300, 20)) == 0
    plot.is_inline = True
    assert ink(plot, QRectF(0, 20, 300, 20)) == 0
    assert plot.accessibleName() == "Time by length"


def test_scales_have_their_numbers_and_lines(plot):
    plot.left_ticks = [(0, "100 %")]
    area, at = plot.area, plot.pixel(5, 0)
    assert ink(plot, QRectF(10, at.y() - 8, 46, 16)) > 20
    assert ink(plot, QRectF(at.x() - 15, area.bottom() + 4, 30, 20)) > 10
    assert DARK.line.name() not in colors_at(plot, 7, 0, 1) | colors_at(plot, 5, 2, 1)
    plot.has_lines = plot.has_columns = True
    assert DARK.line.name() in colors_at(plot, 7, 0, 1) & colors_at(plot, 5, 2, 1)


def test_curves_bars_markers_and_words_are_painted_at_their_places(plot):
    plot.curves = [Curve([3, 11], [-4, 4], QPen(RED, 3), ([-5, 2], [-3, 5]), BLUE)]
    plot.markers = [
        Marker(5, 3, 14, "circle", QPen(BLUE, 3), GREEN),
        Marker(2, 1, 10, "square", RED, RED, -20),
    ]
    plot.words = [Word("here", 9, -3, GREEN), Word("behind", 4, 1, GREEN, 7, BEGINS)]
    assert RED.name() in colors_at(plot, 7, 0)
    assert BLUE.name() in colors_at(plot, 10.5, 2.9)
    assert colors_at(plot, 5, 3) == {GREEN.name()}
    assert BLUE.name() in colors_at(plot, 5, 3, 8)
    left_of = plot.pixel(2, 1) - QPointF(20, 0)
    assert painted(plot).pixelColor(left_of.toPoint()) == RED
    here, behind = map(plot.rect_of, plot.words)
    assert here.center() == plot.pixel(9, -3)
    assert behind.left() == plot.pixel(4, 1).x() + 7
    assert min(ink(plot, here), ink(plot, behind)) > 20
    plot.clear()
    assert ink(plot, plot.area) == 0


def test_a_whisker_is_dark_within_its_bar_and_light_outside(plot):
    plot.bars = [Bar(2, 7, 0, 20, GREEN, interval=(5, 9))]
    assert colors_at(plot, 3, 0) == {GREEN.name()}
    assert INK.name() in colors_at(plot, 6, 0)
    assert DARK.text.name() in colors_at(plot, 8, 0)
    assert ink(plot, QRectF(plot.pixel(9.2, 0), plot.pixel(11, -1))) == 0


def test_its_colours_and_fonts_follow_the_theme(plot):
    plot.has_lines, plot.left_ticks = True, [(0, "0")]
    plot.dress(LIGHT)
    assert LIGHT.line.name() in colors_at(plot, 7, 0, 1)
    small = plot.line_px()
    plot.set_font_px(30)
    assert plot.line_px() > 2 * small
