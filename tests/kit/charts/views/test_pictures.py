"""Charts that are copied and saved, as PNG and SVG."""

import re

import pytest
from chart_samples import KINDS, SUBTITLES, TITLES, texts
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog, QToolButton

from guiapp.kit.charts.pictures import image_of, png_of, svg_of
from guiapp.kit.spans.moves import leave_plain_text


def take(chart, title: str) -> None:
    """By the menu of the button at its title."""
    (button,) = (each for each in chart.findChildren(QToolButton) if each.isVisible())
    next(action for action in button.menu().actions() if action.text() == title).trigger()


@pytest.mark.parametrize("kind", KINDS)
def test_an_svg_has_all_words_as_text_and_a_png_twice_the_dots(make, kind):
    chart = make(kind)
    svg = svg_of(chart)
    pieces = re.findall(r"<text[^>]*>([^<]*)</text>", svg)  # a sign of another font is one of its own
    written = " ".join("".join(pieces).split())
    assert [text for text in texts(chart) if text not in written] == []
    assert "<image" not in svg, "nothing is pixels"
    if chart.n_head_lines:
        assert all(text in written for text in (TITLES[0], SUBTITLES[0], chart.scales[0].label))
        assert f"<title>{TITLES[0]}</title>" in svg
    width, height = map(int, re.search(r'viewBox="0 0 (\d+) (\d+)"', svg).groups())
    image = QImage.fromData(png_of(chart))
    assert image.size().toTuple() == (2 * width, 2 * height)
    assert image.pixelColor(2, 2) == getattr(chart.theme, chart.ground)


def test_a_picture_shows_what_is_seen(make):
    chart = make("curves")
    whole = image_of(chart)
    chart.box.setRange(xRange=(3, 5), yRange=(-6, -4), padding=0)
    assert image_of(chart) != whole
    chart.reset_zoom()
    assert image_of(chart) == whole


def test_a_chart_is_copied_as_picture_and_as_svg(make):
    chart, clipboard = make("rows"), QGuiApplication.clipboard()
    take(chart, "Copy picture")
    assert clipboard.image().size() == image_of(chart).size()
    take(chart, "Copy as SVG")
    svg = bytes(clipboard.mimeData().data("image/svg+xml").data()).decode()
    assert (clipboard.text(), len(chart.said)) == (svg, 2)
    assert svg == svg_of(chart)
    leave_plain_text()
    assert clipboard.mimeData().formats() == ["text/plain"], "what is made in Python would crash at the end"


@pytest.mark.parametrize(("name", "start"), [("a.png", b"\x89PNG"), ("b.svg", b"<?xml"), ("c", b"\x89PNG")])
def test_a_chart_is_saved_in_the_format_of_the_name(make, tmp_path, monkeypatch, name, start):
    chart = make("rows")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *asked: (str(tmp_path / name), ""))
    take(chart, "Save picture…")
    (path,) = tmp_path.iterdir()
    assert (path.read_bytes()[: len(start)], chart.said) == (start, [f"Saved as {path}."])


def test_why_a_chart_is_not_saved_is_said_and_no_name_saves_nothing(make, tmp_path, monkeypatch):
    chart = make("rows")
    for name in (str(tmp_path / "missing" / "one.png"), ""):
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *asked, name=name: (name, ""))
        take(chart, "Save picture…")
    (said,) = chart.said
    assert ("one.png cannot be written" in said, [*tmp_path.iterdir()]) == (True, [])
