"""The Steps page with real clicks and keys."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QMainWindow

import guiapp
from guiapp.core.trace.recorder import record
from guiapp.viewmodels.lesson_player import LessonPlayer
from guiapp.viewmodels.settings import Settings
from guiapp.viewmodels.step_pictures import Role
from guiapp.viewmodels.steps_model import StepsModel
from guiapp.viewmodels.trace_recorder import TraceRecorder
from guiapp.viewmodels.workspace import Workspace
from guiapp.widgets.actions import Actions
from guiapp.widgets.steps_page import StepsPage
from guiapp.widgets.theme import ThemeSource

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
LEFT = Qt.MouseButton.LeftButton
TEXT = b"How do lions sleep in New York?"


class InstantRecorder(TraceRecorder):
    """Records at once, in this process."""

    def record(self, tokenizer, text, encoder, add_special, parse_special):
        self.recorded.emit(record(tokenizer, text, encoder, add_special, parse_special))


@pytest.fixture
def make_page(qtbot, tmp_path):
    made = []

    def make(name="bpe", text=TEXT, encoder=None, theme="dark"):
        workspace = Workspace(text, load=lambda model, pre, progress: guiapp.open_model(model))
        with qtbot.waitSignal(workspace.encoding_changed, timeout=20_000):
            workspace.loader.open(f"demo:{name}")
        workspace.set_encoder(encoder)
        window = QMainWindow()
        actions = Actions(window)
        model = StepsModel(workspace, Settings(tmp_path / "settings.ini"), InstantRecorder())
        player = LessonPlayer(workspace, model, Settings(tmp_path / "settings.ini"))
        page = StepsPage(model, player, workspace, actions, ThemeSource(QApplication.instance(), theme))
        window.setCentralWidget(page)
        for _, action in actions:
            window.addAction(action)
        qtbot.addWidget(window)
        window.resize(1280, 800)
        window.show()
        qtbot.waitExposed(window)
        qtbot.waitUntil(lambda: page.is_ready, timeout=20_000)
        page.kept, page.actions_ = window, actions
        made.append((page, workspace))
        return page

    yield make
    for page, workspace in made:
        page.stop()
        workspace.close()


def test_keys_step_run_and_break(make_page, qtbot):
    page = make_page()
    window, model = page.window(), page.model
    model.restart()
    qtbot.keyClick(window, Qt.Key.Key_F10)
    assert model.position == 1
    qtbot.keyClick(window, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    assert model.position == 0
    model.add_breakpoint("operation merge")
    qtbot.keyClick(window, Qt.Key.Key_F5)
    assert model.debugger.trace.operation(model.position) == "merge"
    qtbot.keyClick(window, Qt.Key.Key_F9)
    assert len(model.breakpoints) == 2
    qtbot.keyClick(window, Qt.Key.Key_F11, Qt.KeyboardModifier.ShiftModifier)
    assert model.debugger.trace.operation(model.position) == "done"


def test_the_pair_is_ringed_and_a_click_sets_a_breakpoint(make_page, qtbot):
    page = make_page()
    boxes = [box for box in page.flow.boxes if box.element.role is not Role.NONE]
    assert [box.element.role for box in boxes] == [Role.LEFT, Role.RIGHT]
    qtbot.mouseClick(page.flow, LEFT, pos=boxes[0].rect.center().toPoint())
    assert [row.title for row in page.model.breakpoints] == [f"byte {boxes[0].element.start}"]
    qtbot.mouseClick(page.flow, LEFT, pos=boxes[0].rect.center().toPoint())
    assert page.model.breakpoints == ()


def test_the_timeline_is_scrubbed_and_walked(make_page, qtbot):
    page = make_page()
    x = round(page.timeline.x_of(page.model.n_steps // 2))
    qtbot.mouseClick(page.timeline, LEFT, pos=QPoint(x, 15))
    assert abs(page.model.position - page.model.n_steps // 2) <= 1
    qtbot.keyClick(page.timeline, Qt.Key.Key_Home)
    assert page.model.position == 0
    qtbot.keyClick(page.timeline, Qt.Key.Key_End)
    assert page.model.position == page.model.n_steps


def test_breakpoints_are_typed_and_mistakes_shown_at_their_place(make_page, qtbot):
    page = make_page()
    listed = page.side.breakpoints
    qtbot.keyClicks(listed.field.line, "rank < 5 and colour > 3")
    qtbot.keyClick(listed.field.line, Qt.Key.Key_Return)
    assert "no column “colour”" in listed.field.error.text()
    assert listed.field.line.cursorPosition() == len("rank < 5 and ")
    listed.field.line.clear()
    qtbot.keyClicks(listed.field.line, "operation merge")
    qtbot.keyClick(listed.field.line, Qt.Key.Key_Return)
    (row,) = listed.row_widgets
    assert not listed.field.error.isVisible()
    qtbot.mouseClick(row.switch, LEFT)
    assert not page.model.breakpoints[0].is_enabled
    qtbot.mouseClick(listed.row_widgets[0].label, LEFT)
    assert listed.field.line.text() == "operation merge"
    listed.field.line.setText("operation stale")
    qtbot.keyClick(listed.field.line, Qt.Key.Key_Return)
    assert [row.title for row in page.model.breakpoints] == ["operation stale"]
    qtbot.mouseClick(listed.row_widgets[0].remove, LEFT)
    assert page.model.breakpoints == ()


def test_watches_show_values_of_this_step(make_page, qtbot):
    page = make_page()
    qtbot.keyClicks(page.side.watches.field.line, "length")
    qtbot.keyClick(page.side.watches.field.line, Qt.Key.Key_Return)
    assert page.side.watches.shown_values == ["2"]
    page.model.to_end()
    assert page.side.watches.shown_values == ["–"]


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize(
    ("name", "encoder"),
    [("bpe", None), ("bpe", "scan"), ("spm", "heap"), ("unigram", None), ("wordpiece", None), ("rwkv", None)],
)
def test_every_step_can_be_painted(make_page, qtbot, name, encoder, theme):
    page = make_page(name, "New York 😍 lions".encode(), encoder, theme)
    for position in range(0, page.model.n_steps + 1, 3):
        page.model.go_to(position)
        assert not page.grab().isNull()
    assert page.sentence.text()


def test_steps_are_copied_and_runs_saved(make_page, tmp_path):
    page = make_page()
    page.actions_["debug_copy"].trigger()
    assert page.model.debugger.sentence() in QApplication.clipboard().text()
    page.actions_["debug_copy_json"].trigger()
    assert json.loads(QApplication.clipboard().text())["index"] == page.model.position
    for ending, start in ((".md", b"**"), (".json", b"{"), (".svg", b"<svg"), (".png", b"\x89PNG")):
        assert page.save_run(tmp_path / f"run{ending}")
        assert (tmp_path / f"run{ending}").read_bytes().startswith(start)
    assert not page.save_run(tmp_path / "no" / "run.md")


def test_a_race_runs_beside_and_goes_where_the_two_part(make_page, qtbot):
    page = make_page("toy", b"abacb", "heap")
    page.model.race.choose("greedy")
    qtbot.waitUntil(lambda: page.model.race.rival is not None, timeout=30_000)
    assert page.race_card.isVisible()
    assert "greedy took ac" in page.race_card.verdict.text()
    qtbot.mouseClick(page.race_card.go, LEFT)
    assert page.model.position == page.model.race.difference.steps[0]
    page.model.to_end()
    assert page.model.race.rival.position == page.model.race.rival.n_steps
    page.model.race.choose("backtrack")
    qtbot.waitUntil(lambda: page.model.race.rival is not None, timeout=30_000)
    assert "same 3 tokens" in page.race_card.verdict.text()
    page.model.race.choose("")
    assert not page.race_card.isVisible()


def test_a_lesson_is_walked_by_keys_and_resumed(make_page, qtbot):
    page = make_page()
    window, player = page.window(), page.player
    player.begin("5-why-greedy-is-not-exact")
    assert page.lesson_bar.isVisible()
    qtbot.waitUntil(lambda: page.model.debugger.trace.text == b"abacb", timeout=20_000)
    assert page.model.debugger.sentence() == player.step.says
    assert "`" not in page.lesson_bar.narration.text()
    qtbot.keyClick(window, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert player.step.answer.split("`")[1] in page.lesson_bar.question.text()
    qtbot.keyClick(window, Qt.Key.Key_PageDown, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(window, Qt.Key.Key_PageDown, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: page.model.debugger.trace.encoder == "scan", timeout=20_000)
    qtbot.waitUntil(lambda: page.model.debugger.sentence() == player.step.says, timeout=20_000)
    qtbot.keyClick(window, Qt.Key.Key_PageUp, Qt.KeyboardModifier.ControlModifier)
    assert player.number == 1
    player.leave()
    assert not page.lesson_bar.isVisible()
    qtbot.waitUntil(lambda: page.model.debugger.trace.text == TEXT, timeout=20_000)
    player.begin("5-why-greedy-is-not-exact")
    assert player.number == 1


def test_a_lesson_on_training_shows_words_and_ties(make_page):
    page = make_page()
    page.player.begin("3-training-by-hand")
    page.player.go_on()
    assert "as good as" in page.lesson_bar.narration.text()
    assert not page.trace_part.isVisible()
    assert not page.side.isVisible()
    while page.player.lesson is not None:
        page.player.go_on()
    assert not page.lesson_bar.isVisible()
    assert page.trace_part.isVisible()
    assert page.side.isVisible()


@pytest.mark.parametrize("text", [TEXT, b"a" * 30_000])
def test_the_number_of_the_step_fits_beside_the_lists(make_page, text):
    page = make_page(text=text)
    page.model.to_end()
    assert page.count.text() == f"step {page.model.n_steps:,} of {page.model.n_steps:,}"
    right = page.count.mapTo(page, page.count.rect().topRight()).x()
    assert page.count.width() >= page.count.sizeHint().width()
    assert right < page.side.mapTo(page, QPoint(0, 0)).x()


def test_a_long_text_says_what_it_would_cost(make_page):
    page = make_page(text=b"lions " * 40_000)
    assert page.waiting.isVisible()
    assert "240,000 bytes" in page.waiting.message.text()
    assert not page.waiting.selection.isEnabled()
