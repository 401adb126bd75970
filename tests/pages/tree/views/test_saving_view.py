"""What the Tree page saves and copies."""

import json
import threading
from functools import partial
from pathlib import Path
from threading import Event
from xml.etree import ElementTree

import numpy as np
import pytest
from conftest import PATIENCE_S
from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from guiapp.analysis.tree.picture import ROOT
from guiapp.analysis.tree.reports import Subtree
from guiapp.errors import TokenloupeError
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.kit.state.saving import FileSaving, _write
from guiapp.kit.state.settings import Settings
from guiapp.kit.widgets.menu_button import MenuButton
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.tree import saving_view as tree_saving
from guiapp.pages.tree.geometry import places
from guiapp.pages.tree.page import TreePage
from guiapp.pages.tree.saving_view import FORMATS, Drawing, ExportError, save_picture, svg_of

RGB32 = QImage.Format.Format_RGB32


def widest_child(page):
    picture = page.model.picture
    return max(picture.children(ROOT), key=lambda node: picture.span(node)[1] - picture.span(node)[0])


def save_at(page, qtbot, path, save):
    """Save something of the page in a file, and wait until it is there."""
    page.export._ask_where = lambda title, suggested: str(path)
    save()
    qtbot.waitUntil(lambda: not page.export.saving.is_busy)
    return path


def test_without_a_tree_there_is_nothing_to_save(qtbot, tmp_path):
    theme_source = ThemeSource(QApplication.instance(), "dark")
    page = TreePage(ModelSession(TextSession(b"text")), theme_source, Settings(tmp_path / "settings.ini"))
    qtbot.addWidget(page)
    page.export._ask_where = lambda title, suggested: str(tmp_path / "saved")
    page.export._ask_scale = lambda: 2.0
    for action in page.export.actions:
        action.trigger()
    page.stop()
    assert list(tmp_path.iterdir()) == []


def test_data_are_written_in_the_background_until_that_is_cancelled(page, qtbot, tmp_path, monkeypatch):
    path, goes_on = tmp_path / "tree.json", Event()
    path.write_text("before")

    def lines(branch):
        yield "begun"
        goes_on.wait()

    monkeypatch.setitem(FORMATS, "json", (lines, 1))
    page.export._ask_where = lambda title, suggested: str(path)
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


def test_where_data_are_is_told_until_that_is_dismissed(page, qtbot, tmp_path):
    save_at(page, qtbot, tmp_path / "tree.dot", partial(page.export.save_data, "dot"))
    assert page.saving_bar.message.text() == f"Saved {tmp_path / 'tree.dot'}"
    qtbot.mouseClick(page.saving_bar.button, Qt.MouseButton.LeftButton)
    assert not page.saving_bar.isVisible()


@pytest.mark.parametrize(
    ("save", "name", "told"),
    [
        ("save_png", "nowhere/tree.png", "cannot be saved"),
        ("save_png", "tree.nothing", "names no kind of picture"),
        ("save_png", "tree", "names no"),
        ("save_svg", "nowhere/tree.svg", "cannot be saved"),
        ("save_data", "nowhere/tree.dot", "cannot be saved"),
    ],
)
def test_what_cannot_be_written_is_told_of(page, qtbot, tmp_path, save, name, told):
    arguments = {"save_png": (1,), "save_data": ("dot",)}.get(save, ())
    save_at(page, qtbot, tmp_path / name, partial(getattr(page.export, save), *arguments))
    assert told in page.saving_bar.message.text()
    assert not (tmp_path / name).exists()


def test_a_drawing_is_made_in_the_background(page, qtbot, tmp_path):
    page.export._ask_where = lambda title, suggested: str(tmp_path / "tree.svg")
    page.export.save_svg()
    assert page.export.saving.is_busy
    assert not (tmp_path / "tree.svg").exists()
    qtbot.waitUntil(lambda: page.export.saving.saved == tmp_path / "tree.svg")
    drawing = (tmp_path / "tree.svg").read_text()
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


def test_a_picture_is_saved_at_any_scale(page, qtbot, tmp_path):
    page.export._ask_scale = lambda: None
    assert not save_at(page, qtbot, tmp_path / "tree.png", page.export.save_scaled).exists()
    page.export._ask_scale = lambda: 0.75
    picture = save_at(page, qtbot, tmp_path / "tree.png", page.export.save_scaled)
    assert QImage(str(picture)).width() == round(0.75 * page.view.width())
    page.export._ask_scale = lambda: 50.0
    with pytest.raises(ExportError, match="smaller scale"):
        page.export.save_scaled()


def test_what_can_be_saved_is_offered_and_each_offer_does_what_it_says(page, qtbot, tmp_path):
    asked = []

    def ask(title, suggested):
        asked.append((title, Path(suggested).suffix))
        return str(tmp_path / f"{len(asked)}{asked[-1][1]}")

    page.export._ask_where, page.export._ask_scale = ask, lambda: 3.0
    page.model.choose(widest_child(page))
    save_picture(page.view, 1.0, str(tmp_path / "now.png"))
    now = QImage(str(tmp_path / "now.png"))
    for action in page.export.actions:
        action.trigger()
        qtbot.waitUntil(lambda: not page.export.saving.is_busy)
        assert page.export.saving.saved == (tmp_path / f"{len(asked)}{asked[-1][1]}" if asked else None)
    assert [kind for _, kind in asked] == [".png", ".svg", ".json", ".dot"]
    assert len({title for title, _ in asked}) == 3
    assert QImage(str(tmp_path / "1.png")).width() == 3 * page.view.width()
    assert QApplication.clipboard().image().convertToFormat(RGB32) == now.convertToFormat(RGB32)
    page.export._ask_where = lambda title, suggested: ""
    n_files = len(list(tmp_path.iterdir()))
    for action in page.export.actions:
        action.trigger()
        assert not page.export.saving.is_busy
    assert len(list(tmp_path.iterdir())) == n_files
    buttons = page.bar.findChildren(MenuButton)
    menu = next(button.menu() for button in buttons if button.text() == "Export")
    assert menu.actions() == [*page.export.actions, page.export.animated]


def test_figures_on_screen_outlive_a_save_at_another_size(page, tmp_path):
    before = page.view.grab().toImage()
    page.view.image(2.0)
    assert page.view.grab().toImage() == before


@pytest.mark.parametrize("shape", ["sunburst", "icicle"])
def test_a_drawing_looks_like_the_picture(page, qtbot, shape):
    page.model.set_shape(shape)
    page.bar.query.setText("some")
    qtbot.waitUntil(lambda: page.search.title != "" and page.paint.is_current)
    page.view.show_at_once()
    drawing, shares = Drawing.of(page.view, page.model, page.view.geometry_now), []
    data = svg_of(drawing, shares.append)
    assert shares == sorted(shares)
    assert 0 == shares[0] < shares[-1] < 1
    assert page.model.name in ElementTree.fromstring(data).find("{http://www.w3.org/2000/svg}title").text
    assert 0 < len(drawing.labels) < len(places(page.view.geometry_now))  # dimmed ones are left out
    wanted, drawn = page.view.image(1.0).convertToFormat(RGB32), QImage(drawing.image.size(), RGB32)
    with QPainter(drawn) as painter:
        QSvgRenderer(QByteArray(data)).render(painter)
    images = page.view.plain_image(1.0).convertToFormat(RGB32), wanted, drawn
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
def told(saving):
    """What those see who listen, each time that they are told something."""
    seen = []
    saving.changed.connect(lambda: seen.append((saving.is_busy, saving.saved, saving.failure)))
    return seen


def refuse(progress):
    raise TokenloupeError("No room.")


def test_a_file_is_told_until_it_is_dismissed(saving, told, tmp_path, qtbot):
    path = tmp_path / "tree.txt"
    saving.save(path, lambda progress: b"all")
    assert told[-1] == (True, None, "")
    qtbot.waitUntil(lambda: not saving.is_busy)
    assert told[-1] == (False, path, "")
    assert path.read_bytes() == b"all"
    saving.dismiss()
    assert told[-1] == (False, None, "")


def test_a_failure_is_told_until_the_next_file(saving, told, tmp_path, qtbot):
    saving.save(tmp_path / "tree.txt", refuse)
    qtbot.waitUntil(lambda: not saving.is_busy)
    assert told[-1] == (False, None, "No room.")
    saving.save(tmp_path / "tree.txt", lambda progress: b"")
    assert told[-1] == (True, None, "")


def test_a_file_that_is_given_up_is_not_written(saving, told, tmp_path, qtbot):
    path, gate = tmp_path / "tree.txt", threading.Event()
    saving.save(path, lambda progress: progress(0.5) or (gate.wait(PATIENCE_S) and b"all"))
    qtbot.waitUntil(lambda: saving.progress == 0.5)
    saving.cancel()
    assert told[-1] == (False, None, "")
    gate.set()
    saving._job.finish(PATIENCE_S)
    QApplication.processEvents()
    assert not path.exists()
    assert saving.saved is None


@pytest.mark.parametrize(("form", "begins"), [("json", "{"), ("dot", "digraph")])
def test_a_branch_is_written_as_asked(saving, model, tmp_path, qtbot, form, begins):
    path = tmp_path / "tree"
    saving.save(path, partial(tree_saving.data_of, Subtree(model.picture.vocabulary), form))
    qtbot.waitUntil(lambda: saving.saved == path)
    assert path.read_text().startswith(begins)
    assert path.read_text().endswith("}\n")
    if form == "json":
        assert json.loads(path.read_text())


def test_each_step_of_saving_is_told(saving, told, tmp_path, qtbot):
    path = tmp_path / "tree.txt"
    assert (saving.is_busy, saving.progress, saving.saved, saving.failure) == (False, 0.0, None, "")
    saving.save(path, lambda progress: b"all")
    qtbot.waitUntil(lambda: saving.saved == path)
    assert told[:2] == [(True, None, "")] * 2
    assert told[-1] == (False, path, "")
    told.clear()
    saving.save(path, refuse)
    assert told[-1] == (True, None, "")
    qtbot.waitUntil(lambda: bool(saving.failure))
    assert told[-1] == (False, None, "No room.")
    saving.dismiss()
    assert told[-1] == (False, None, "")


def test_progress_of_a_branch_goes_to_the_whole(model, monkeypatch):
    monkeypatch.setattr(tree_saving, "AT_ONCE_S", 0.0)
    monkeypatch.setattr(tree_saving, "PAUSE_S", 0.0)
    branch = Subtree(model.picture.vocabulary)
    for form, (lines_of, per_token) in tree_saving.FORMATS.items():
        shares = []
        data = tree_saving.data_of(branch, form, shares.append)
        lines = list(lines_of(branch))
        assert data == ("\n".join(lines) + "\n").encode()
        whole = per_token * len(branch.tokens) + 1
        assert shares == [min(1.0, (at + 1) / whole) for at in range(len(lines))]


def test_a_file_that_is_written_is_the_last_chance_to_give_up(tmp_path):
    path, shares = tmp_path / "tree", []
    assert _write(path, lambda progress: progress(0.5) or b"all", shares.append) == path
    assert (shares, path.read_bytes()) == ([0.5, 1.0], b"all")
