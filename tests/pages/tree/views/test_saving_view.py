"""What the Tree page saves and copies."""

import json
from functools import partial
from pathlib import Path
from threading import Event
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QFileDialog, QFrame, QInputDialog

from guiapp.analysis.tree.picture import ROOT
from guiapp.errors import TokenloupeError
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.widgets.menu_button import MenuButton
from guiapp.pages.tree.geometry import label_slots
from guiapp.pages.tree.saving_view import FORMATS, Drawing, svg_of

RGB32 = QImage.Format.Format_RGB32


def widest_child(page):
    picture = page.model.picture
    return max(picture.children(ROOT), key=lambda node: picture.span(node)[1] - picture.span(node)[0])


def save_at(page, qtbot, path, save):
    """Save something of the page in a file, and wait until it is there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(QFileDialog, "getSaveFileName", lambda *given: (str(path), ""))
        save()
        qtbot.waitUntil(lambda: not page.export.saving.is_busy)
    return path


def test_data_are_written_in_the_background_until_that_is_cancelled(page, qtbot, tmp_path, monkeypatch):
    path, goes_on = tmp_path / "tree.json", Event()
    path.write_text("before")

    def lines(branch):
        yield "begun"
        goes_on.wait()

    monkeypatch.setitem(FORMATS, "json", (lines, 1))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *given: (str(path), ""))
    page.export.save_data("json")
    qtbot.waitUntil(lambda: page.export.saving.progress > 0)
    assert page.saving_bar.isVisible()
    assert "Saving" in page.saving_bar.message.text()
    qtbot.mouseClick(page.saving_bar.button, Qt.MouseButton.LeftButton)
    goes_on.set()
    qtbot.waitUntil(lambda: not page.export.saving.is_busy)
    page.export.saving.close()
    assert not page.saving_bar.isVisible()
    assert path.read_text() == "before"


def test_where_data_are_is_announced_and_takes_no_room(page, qtbot, tmp_path):
    save_at(page, qtbot, tmp_path / "tree.dot", partial(page.export.save_data, "dot"))
    announced = [each.accessibleName() for each in page.window().findChildren(QFrame)]
    assert f"Saved {tmp_path / 'tree.dot'}" in announced
    assert not page.saving_bar.isVisible()


@pytest.mark.parametrize(
    ("save", "name", "reported"),
    [
        ("save_png", "nowhere/tree.png", "cannot be saved"),
        ("save_png", "tree.nothing", "picture format"),
        ("save_png", "tree", "picture format"),
        ("save_svg", "nowhere/tree.svg", "cannot be saved"),
        ("save_data", "nowhere/tree.dot", "cannot be saved"),
    ],
)
def test_a_file_that_cannot_be_written_is_reported(page, qtbot, tmp_path, save, name, reported):
    arguments = {"save_png": (1,), "save_data": ("dot",)}.get(save, ())
    save_at(page, qtbot, tmp_path / name, partial(getattr(page.export, save), *arguments))
    assert reported in page.saving_bar.message.text()
    assert not (tmp_path / name).exists()


def test_a_drawing_is_made_in_the_background(page, qtbot, tmp_path):
    drawing = save_at(page, qtbot, tmp_path / "tree.svg", page.export.save_svg).read_text()
    assert drawing.count("<text") > 10
    assert drawing.rstrip().endswith("</svg>")


def test_a_group_is_saved_without_its_neighbours(page, qtbot, tmp_path):
    picture = page.model.picture
    groups = [node for node in range(1, len(picture)) if picture.token(node) is None]
    for node in (groups[0], max(groups)):
        page.model.choose(node)
        group = save_at(page, qtbot, tmp_path / "group.json", partial(page.export.save_data, "json"))
        saved = {row["id"] for row in json.loads(group.read_text())["nodes"]}
        assert saved == set(picture.tokens_below(node).tolist())
        assert len(saved) == picture.n_below(node) < len(picture.tree)


def test_a_token_is_saved_with_all_that_begins_with_it(page, qtbot, tmp_path):
    picture = page.model.picture
    node = next(node for node in range(1, len(picture)) if picture.token(node) and picture.n_below(node) > 3)
    for chosen, tokens in ((node, {picture.token(node), *picture.tokens_below(node).tolist()}), (ROOT, None)):
        page.model.choose(chosen)
        path = save_at(page, qtbot, tmp_path / "tree.json", partial(page.export.save_data, "json"))
        saved = json.loads(path.read_text())
        ids = {row["id"] for row in saved["nodes"]}
        assert ids == tokens if tokens else len(ids) == len(picture.tree)


def test_each_export_action_saves_its_own_format(page, qtbot, tmp_path, monkeypatch):
    asked = []

    def ask(parent, title, suggested, *filters):
        asked.append(tmp_path / f"{len(asked)}{Path(suggested).suffix}")
        return str(asked[-1]), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    monkeypatch.setattr(QInputDialog, "getDouble", lambda *given: (3.0, True))
    page.model.choose(widest_child(page))
    for action in page.export.actions:
        action.trigger()
        qtbot.waitUntil(lambda: not page.export.saving.is_busy)
        assert page.export.saving.saved == (asked[-1] if asked else None)
    assert [path.suffix for path in asked] == [".png", ".svg", ".json", ".dot"]
    assert QImage(str(asked[0])).width() == 3 * page.view.width()
    assert QApplication.clipboard().image().width() == page.view.width()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *given: ("", ""))
    for action in page.export.actions:
        action.trigger()
        assert not page.export.saving.is_busy
    buttons = page.bar.findChildren(MenuButton)
    menu = next(button.menu() for button in buttons if button.text() == "Export")
    assert menu.actions() == page.export.actions


@pytest.mark.parametrize("shape", ["sunburst", "icicle"])
def test_an_svg_drawing_resembles_the_picture(page, qtbot, shape):
    page.model.set_shape(shape)
    page.bar.query.setText("some")
    qtbot.waitUntil(lambda: page.search.title != "" and page.paint.is_current)
    page.view.show_at_once()
    drawing, shares = Drawing.of(page.view, page.model, page.view.geometry_now), []
    data = svg_of(drawing, shares.append)
    assert shares == sorted(shares)
    assert 0 == shares[0] < shares[-1] < 1
    assert page.model.name in ElementTree.fromstring(data).find("{http://www.w3.org/2000/svg}title").text
    assert 0 < len(drawing.labels) < len(label_slots(page.view.geometry_now))  # dimmed ones are left out
    expected, drawn = page.view.image(1.0).convertToFormat(RGB32), QImage(drawing.image.size(), RGB32)
    with QPainter(drawn) as painter:
        QSvgRenderer(QByteArray(data)).render(painter)
    images = page.view.plain_image(1.0).convertToFormat(RGB32), expected, drawn
    plain, whole, now = (np.array(image.constBits(), int).reshape(-1, 4) for image in images)
    is_label = np.abs(plain - whole).max(axis=1) > 60
    away = np.abs(whole - now).max(axis=1)
    assert (away[~is_label] < 4).mean() > 0.9  # all but borders
    assert (away[is_label] < 60).mean() > 0.25


@pytest.fixture
def saving():
    made = FileSaving()
    yield made
    made.close()


@pytest.fixture
def reported(saving):
    """What those see who listen, each time that they are told something."""
    seen = []
    saving.changed.connect(lambda: seen.append((saving.is_busy, saving.saved, saving.failure)))
    return seen


def refuse(progress):
    raise TokenloupeError("No room.")


def test_each_step_of_saving_is_signalled(saving, reported, tmp_path, qtbot):
    path = tmp_path / "tree.txt"
    assert (saving.is_busy, saving.progress, saving.saved, saving.failure) == (False, 0.0, None, "")
    saving.save(path, lambda progress: b"all")
    qtbot.waitUntil(lambda: saving.saved == path)
    assert reported[:2] == [(True, None, "")] * 2
    assert reported[-1] == (False, path, "")
    reported.clear()
    saving.save(path, refuse)
    assert reported[-1] == (True, None, "")
    qtbot.waitUntil(lambda: bool(saving.failure))
    assert reported[-1] == (False, None, "No room.")
    saving.dismiss()
    assert reported[-1] == (False, None, "")
