"""Each action of the real window does what its name says, and is marked where it stands for a state."""

from pathlib import Path

import pytest
from instant_recorder import load_once
from main_window_driver import drop
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QGuiApplication
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
)

from guiapp.core.demo import DEMO_MODELS, LESSONS, SAMPLES, sample_text
from guiapp.kit.widgets.controls import Explanation
from guiapp.kit.widgets.theme import CHOICES, TEXT_FONT_PX
from guiapp.window.file_commands import LONGEST_FOLDER, recent_title

LEFT, Key = Qt.MouseButton.LeftButton, Qt.Key


def checked(shell, group):
    return [
        row.name for row, action in shell.window.actions_table if row.group == group and action.isChecked()
    ]


def test_actions_that_choose_take_effect_and_are_checked(make_shell, qtbot):
    shell = make_shell(model="demo:toy", load=load_once)
    actions, session = shell.window.actions_table, shell.session
    for sample in SAMPLES:
        actions[f"sample:{sample.name}"].trigger()
        assert session.document.text() == sample_text(sample.name)
    for demo in DEMO_MODELS:
        with qtbot.waitSignal(session.vocabulary_changed):
            actions[f"demo:{demo.name}"].trigger()
        assert session.loader.model.name == shell.settings.last_model == f"demo:{demo.name}"
    for choice in (*CHOICES, CHOICES[0]):
        actions[f"theme:{choice}"].trigger()
        assert (shell.theme_source.choice, shell.settings.theme) == (choice, choice)
        assert checked(shell, "theme") == [f"theme:{choice}"]
    for name in [*session.encoders][::-1]:
        actions[f"encoder:{name}"].trigger()
        assert session.algorithm.name == shell.settings.encoder == name
        assert checked(shell, "encoder") == [f"encoder:{name}"]
    offered = {row.name for row, action in actions if row.group == "encoder" and action.isEnabled()}
    assert offered == {f"encoder:{name}" for name in session.encoders}
    for name in ("tree", "steps", "bench", "inspect"):
        actions[name].trigger()
        page = shell.window.pages.current
        assert (shell.window.pages.current_name, checked(shell, "page")) == (name, [name])
        assert page.isAncestorOf(QApplication.focusWidget()) or page is QApplication.focusWidget()
        window_wide = Qt.ShortcutContext.WindowShortcut
        acting = {row.name for row, action in actions if row.page and action.shortcutContext() == window_wide}
        assert acting == {row.name for row, _ in actions if row.page == name}
    switches = {row.name for row, action in actions if action.isCheckable() and not row.group}
    lessons = {f"lesson:{lesson.name}" for lesson in LESSONS}  # ticked once they are finished
    shown = {"whitespace", "look_alikes", "line_tokens", "line_numbers"}
    shown |= {"pieces", "budget", "chunks", "present"}
    assert switches == {"add_special", "parse_special", *shown, *lessons}
    assert all(action.isCheckable() for row, action in actions if row.group)


def test_the_edit_menu_edits(shell, qtbot):
    actions, document, editor = (
        shell.window.actions_table,
        shell.session.document,
        shell.window.inspect_page.editor,
    )
    assert not actions["undo"].isEnabled()
    seen = []
    for name in ("select_all", "cut", "paste", "select_all", "copy", "undo", "undo", "redo"):
        actions[name].trigger()
        seen.append((document.text(), actions["undo"].isEnabled(), actions["redo"].isEnabled()))
    whole = b"one two three"
    assert [text for text, *_ in seen] == [whole, b"", whole, whole, whole, b"", whole, b""]
    assert [flags for _, *flags in seen][-3:] == [[True, True], [False, True], [True, True]]
    actions["undo"].trigger()
    actions["copy_ids"].trigger()
    assert QGuiApplication.clipboard().text().split() == [
        str(token) for token in shell.session.tokens.ids(0, 4)
    ]
    actions["zoom_in"].trigger()
    actions["zoom_reset"].trigger()
    assert editor.font_px == shell.settings.font_px == TEXT_FONT_PX
    panel = shell.window.inspect_page.text_panel
    document.set_caret(0)
    actions["find"].trigger()
    assert panel.find_bar.field.hasFocus()
    panel.find_bar.field.setText("t")
    qtbot.waitUntil(lambda: document.selection[1] > 0)
    first = document.selection
    actions["find_next"].trigger()
    assert document.selection > first
    actions["find_previous"].trigger()
    assert document.selection == first
    panel.search.set_matches_case(not panel.search.matches_case)
    assert shell.settings.finds_by_case is panel.search.matches_case
    for name in ("add_special", "parse_special"):
        actions[name].trigger()
    options = shell.session.options
    assert (options.add_special, options.parse_special) == (False, False)


def test_files_are_asked_for_opened_and_saved(shell, qtbot, tmp_path):
    actions, questions, session = shell.window.actions_table, shell.window.questions, shell.session
    for go in (actions["open_model"].trigger, shell.commands.files.picker.open_button.click):
        go()  # nothing is chosen
        assert session.loader.loading_name is None
        questions.model = tmp_path / f"{go.__name__}.gguf"
        with qtbot.waitSignal(session.vocabulary_changed):
            go()
        assert session.vocabulary.name == questions.model.name
        assert shell.settings.last_model == str(questions.model)
        questions.model = None
    actions["open_folder"].trigger()
    assert session.loader.loading_name is None
    questions.folder = tmp_path / "snapshot"
    with qtbot.waitSignal(session.vocabulary_changed):
        actions["open_folder"].trigger()
    assert shell.settings.last_model == str(questions.folder)
    one, other = tmp_path / "one.txt", tmp_path / "other.txt"
    for name, place, path in (
        ("save_text", None, None),
        ("save_text", one, one),
        ("save_text", other, one),
        ("save_text_as", None, one),
        ("save_text_as", other, other),
    ):
        questions.save_place = place
        session.document.insert(b"x")
        actions[name].trigger()
        assert session.text.path == path
        assert session.text.is_modified == (place is None)
        assert path is None or place is None or path.read_bytes() == session.document.text()
    text = session.document.text()
    actions["open_text"].trigger()
    assert session.document.text() == text
    drop(shell.window, [one, other])
    qtbot.waitUntil(lambda: session.text.path == one)


def test_only_files_can_be_dropped_and_the_drop_hint_disappears(shell, tmp_path):
    window, common = shell.window, (LEFT, Qt.KeyboardModifier.NoModifier)
    for url, is_taken in (("https://a.org", False), (QUrl.fromLocalFile(str(tmp_path)).toString(), True)):
        mime = QMimeData()
        mime.setUrls([QUrl(url)])
        entered = QDragEnterEvent(QPoint(9, 9), Qt.DropAction.MoveAction, mime, *common)
        entered.ignore()
        QApplication.sendEvent(window, entered)
        assert (entered.isAccepted(), window.drop_hint.isVisible()) == (is_taken, is_taken)
    QApplication.sendEvent(window, QDragLeaveEvent())
    assert not window.drop_hint.isVisible()


def test_what_is_lost_in_the_round_trip_is_pointed_out(make_shell, qtbot):
    shell = make_shell(b"one zzz two")
    badge, action = shell.window.top_bar.round_trip, shell.window.actions_table["round_trip_difference"]
    qtbot.waitUntil(action.isEnabled)
    assert (badge.text(), badge.property("state")) == ("normalizer", "warning")
    assert "zzz" in badge.accessibleDescription()
    shell.window.actions_table["tree"].trigger()
    qtbot.mouseClick(badge, LEFT)
    shown = QApplication.activePopupWidget()
    assert isinstance(shown, Explanation)
    qtbot.mouseClick(shown.buttons[0], LEFT)
    assert shell.session.document.slice(*shell.session.document.selection) == b" zzz"
    assert shell.window.inspect_page.editor.hasFocus()
    shell.session.document.replace(3, 7, b"")
    qtbot.waitUntil(lambda: badge.text() == "round trip")
    assert not action.isEnabled()
    assert shell.window.pages.current_name == "inspect"


@pytest.mark.parametrize(
    ("model", "text", "expected"),
    [
        ("demo:bpe", "a , b", ("clean_spaces", "dim", " , b")),
        ("demo:wordpiece", "the End", ("lowercase", "warning", " End")),
        ("demo:wordpiece", "End of ₿", ("unknown token", "bad", " ₿")),
    ],
)
def test_the_pill_names_the_rule_and_alarms_only_where_something_is_lost(
    make_shell, qtbot, model, text, expected
):
    shell = make_shell(text.encode(), model, load_once)
    badge, document = shell.window.top_bar.round_trip, shell.session.document
    name, state, place = expected
    qtbot.waitUntil(lambda: badge.text() == name)
    assert badge.property("state") == state
    qtbot.mouseClick(badge, LEFT)
    card = QApplication.activePopupWidget()
    about = card.findChildren(QLabel)[1].text()
    assert about == badge.accessibleDescription()
    assert f"\n\n{name}" in about
    qtbot.mouseClick(card.buttons[0], LEFT)
    assert document.slice(*document.selection).decode() == place


def test_each_failure_has_a_notice_of_its_own(shell, qtbot):
    window, session = shell.window, shell.session
    window.autosaved_texts.failed.emit("kept")
    shell.settings.failed.emit("settings")
    session.text.failed.emit("text")
    session.round_trip.problem = "decoding"
    session.round_trip.changed.emit()
    session.loader.failed.emit("a.gguf", "model")
    notices = {notice.message: notice for notice in window.notices.notices}
    assert list(notices) == ["kept", "settings", "text", "decoding", "model"]
    assert all(notice.isVisible() and notice.accessibleName() for notice in notices.values())
    for message, details in (("decoding", "Model: fake.gguf"), ("model", "a.gguf")):
        with qtbot.waitSignal(QGuiApplication.clipboard().dataChanged):
            notices[message].copy_button.click()
        assert details in QGuiApplication.clipboard().text()
    session.text.file_changed.emit()
    session.round_trip.forget()
    with qtbot.waitSignal(session.vocabulary_changed):
        session.loader.open("fake.gguf")
    assert [notice.message for notice in window.notices.notices] == ["kept", "settings"]


def test_files_are_named_with_the_end_of_their_folder():
    assert recent_title(str(Path.home() / "texts" / "R&D.txt")) == "R&D.txt – ~/texts"
    folder = Path("/a/folder") / ("deep" * 9) / "end"
    name, _, shown = recent_title(str(folder / "x.txt")).partition(" – ")
    assert (name, shown[0], len(shown)) == ("x.txt", "…", LONGEST_FOLDER)
    assert str(folder).endswith(shown[1:])
    assert recent_title("https://x.org/a&b/m.gguf") == "https://x.org/a&b/m.gguf"
