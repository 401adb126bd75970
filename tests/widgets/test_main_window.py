"""The real window, used as people use it: with clicks and keys."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fake_tokenizer import UNENCODABLE, FakeTokenizer
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel, QToolButton, QWidget

from guiapp.app import build
from guiapp.core.errors import UnknownPreError, VocabError
from guiapp.viewmodels.background import LatestJob
from guiapp.viewmodels.kept_texts import LONGEST_KEPT_TEXT, KeptTexts
from guiapp.viewmodels.settings import Settings
from guiapp.widgets.about_dialog import AboutDialog
from guiapp.widgets.error_dialog import ErrorDialog, ErrorReporter
from guiapp.widgets.popover import Explanation
from guiapp.widgets.questions import Answer
from guiapp.widgets.span_view import SpanView
from guiapp.widgets.status_line import ActivityView, FittedLabel
from guiapp.widgets.styled_text import StyledText
from guiapp.widgets.theme import DARK, LIGHT

pytestmark = [
    pytest.mark.usefixtures("interpreted_kernels"),
    pytest.mark.qt_log_ignore("This plugin does not support", extend=True),  # what "offscreen" says of popups
]
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


class Answers:
    """Stands in for the dialogs that ask; answers as it was told."""

    def __init__(self):
        self.model = self.text = self.save_place = None
        self.closing = Answer.CANCEL

    def model_to_open(self):
        return self.model

    def text_to_open(self):
        return self.text

    def where_to_save(self, suggested):
        return self.save_place

    def save_before_closing(self, path):
        return self.closing


def load(name, pre, progress):
    if name.endswith("broken.gguf"):
        raise VocabError("broken.gguf is no GGUF file. Choose another one.")
    if name.endswith("odd.gguf"):
        if pre is None:
            raise UnknownPreError("odd.gguf has an unknown pre-tokenizer. Choose one.", "llama-bpe-9")
        return FakeTokenizer(chosen_pre=pre)
    return FakeTokenizer(name.rpartition("/")[2])


@pytest.fixture
def make_shell(qapp, qtbot, tmp_path):
    shells = []

    def make(text=b"one two three", model="fake.gguf"):
        settings = Settings(tmp_path / "settings.json")
        settings.set_theme("dark")
        shell = build(qapp, settings, text, load, Answers())
        shells.append(shell)
        qtbot.addWidget(shell.window)
        shell.window.show()
        qtbot.waitExposed(shell.window)
        shell.window.activateWindow()
        with qtbot.waitSignal(shell.workspace.spans.encoded):
            shell.workspace.loader.open(model)
        return shell

    yield make
    for shell in shells:
        shell.stop()


@pytest.fixture
def shell(make_shell):
    return make_shell()


def press(qtbot, shell, key, modifier=Qt.KeyboardModifier.NoModifier):
    qtbot.keyClick(QApplication.focusWidget() or shell.window, key, modifier)


def drop(window, paths):
    """Drop files on the middle of the window's status line, far from the text."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    place, copy = QPoint(20, window.height() - 8), Qt.DropAction.CopyAction
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    entered = QDragEnterEvent(place, copy, mime, buttons, keys)
    QApplication.sendEvent(window, entered)
    assert entered.isAccepted()
    assert window.drop_hint.geometry() == window.rect()
    assert window.drop_hint.isVisible()
    QApplication.sendEvent(window, QDropEvent(QPointF(place), copy, mime, buttons, keys))
    assert not window.drop_hint.isVisible()


def test_typing_changes_tokens_and_counts(shell, qtbot):
    editor = shell.window.inspect_page.editor
    assert editor.hasFocus()
    shell.workspace.document.set_caret(13)
    with qtbot.waitSignal(shell.workspace.spans.encoded):
        qtbot.keyClicks(editor, " two")
    qtbot.waitUntil(lambda: "5 tokens" in shell.window.status_line.text)
    assert "17 characters" in shell.window.status_line.text
    assert "17 bytes" in shell.window.status_line.text


def test_selected_text_is_counted_in_the_status_line(shell):
    shell.workspace.document.select(0, 7)
    assert "selected: 2 tokens · 7 characters" in shell.window.status_line.text


def test_a_switch_in_the_status_line_is_the_action_in_the_menu(shell, qtbot):
    switch = shell.window.findChild(QWidget, "switch:add_special")
    with qtbot.waitSignal(shell.workspace.options_changed):
        qtbot.mouseClick(switch, Qt.MouseButton.LeftButton, pos=QPoint(8, switch.height() // 2))
    assert not shell.workspace.options.add_special
    action = shell.window.actions_table["add_special"]
    assert not action.isChecked()
    action.trigger()
    assert switch.isChecked()


def test_every_action_is_in_a_menu_and_has_a_name(shell):
    for row, action in shell.window.actions_table:
        assert action.text()
        assert row.menu.split("/")[0] in ("File", "Edit", "Tokens", "Run", "View", "Bench", "Help")


def test_no_shortcut_is_given_twice(shell):
    keys = [key.toString() for _, action in shell.window.actions_table for key in action.shortcuts()]
    assert len(keys) == len(set(keys))


def test_the_palette_runs_what_is_typed(shell, qtbot):
    press(qtbot, shell, Qt.Key.Key_P, CTRL | SHIFT)
    palette = QApplication.activePopupWidget()
    qtbot.keyClicks(palette.line, "light th")
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert not palette.isVisible()
    assert shell.theme_source.theme is LIGHT


def test_the_palette_is_walked_with_the_arrow_keys(shell, qtbot):
    shell.window.actions_table["palette"].trigger()
    palette = QApplication.activePopupWidget()
    first = palette.list.currentIndex().data()
    qtbot.keyClick(palette.line, Qt.Key.Key_Down)
    assert palette.list.currentIndex().row() == 1
    qtbot.keyClick(palette.line, Qt.Key.Key_Up)
    assert palette.list.currentIndex().data() == first
    qtbot.keyClick(palette.line, Qt.Key.Key_Escape)
    assert not palette.isVisible()


def test_the_theme_recolours_and_is_kept(shell, qtbot, tmp_path):
    assert shell.theme_source.theme is DARK
    with qtbot.waitSignal(shell.theme_source.changed):
        shell.window.actions_table["theme:light"].trigger()
    qtbot.waitUntil(lambda: Settings(tmp_path / "settings.json").theme == "light")
    pixel = shell.window.inspect_page.editor.viewport().grab().toImage().pixelColor(3, 3)
    assert pixel == LIGHT.background


@pytest.mark.parametrize(("name", "larger"), [("zoom_in", True), ("zoom_out", False)])
def test_zoom_changes_the_text_size_and_is_kept(shell, qtbot, tmp_path, name, larger):
    editor = shell.window.inspect_page.editor
    before = editor.font_px
    shell.window.actions_table[name].trigger()
    assert (editor.font_px > before) is larger
    qtbot.waitUntil(lambda: Settings(tmp_path / "settings.json").font_px == editor.font_px)
    shell.window.actions_table["zoom_reset"].trigger()
    assert editor.font_px == before


def test_undo_and_redo_follow_the_text(shell, qtbot):
    undo, redo = (shell.window.actions_table[name] for name in ("undo", "redo"))
    assert not undo.isEnabled()
    qtbot.keyClicks(shell.window.inspect_page.editor, "x")
    press(qtbot, shell, Qt.Key.Key_Z, CTRL)
    assert shell.workspace.document.text() == b"one two three"
    assert redo.isEnabled()
    redo.trigger()
    assert shell.workspace.document.text() == b"xone two three"


def test_copy_acts_where_the_focus_is(shell, qtbot):
    shell.workspace.document.select(0, 3)
    press(qtbot, shell, Qt.Key.Key_C, CTRL)
    assert QGuiApplication.clipboard().text() == "one"
    shell.window.inspect_page.ids_panel.strip.setFocus()
    press(qtbot, shell, Qt.Key.Key_C, CTRL)
    assert QGuiApplication.clipboard().text() == "1"


def test_ids_of_selected_text_are_copied(shell):
    shell.workspace.document.select(4, 7)
    shell.window.actions_table["copy_ids"].trigger()
    ids = shell.workspace.token_ids(2, 3).tolist()
    assert QGuiApplication.clipboard().text() == str(ids[0])
    shell.workspace.document.select(0, 7)
    shell.window.actions_table["copy_ids"].trigger()
    assert QGuiApplication.clipboard().text().split() == list(map(str, shell.workspace.token_ids(1, 3)))


def test_the_decoder_opens_with_the_ids_in_the_clipboard(shell, qtbot):
    decoder = shell.window.inspect_page
    QGuiApplication.clipboard().setText("[1, 2]")
    shell.window.actions_table["decode_ids"].trigger()
    assert decoder._decode_dialog._ids.toPlainText() == "[1, 2]"
    QGuiApplication.clipboard().setText("some prose of 3 or 4 words")
    shell.window.actions_table["decode_ids"].trigger()
    assert decoder._decode_dialog._ids.toPlainText() == "[1, 2]"
    decoder._decode_dialog.close()


def test_the_palette_takes_words_in_any_order_and_says_when_nothing_fits(shell, qtbot):
    press(qtbot, shell, Qt.Key.Key_P, CTRL | SHIFT)
    palette = QApplication.activePopupWidget()
    palette.line.setText("english sample")
    in_order = palette.list.model().index(0, 0).data()
    palette.line.setText("sample english")
    assert palette.list.model().index(0, 0).data() == in_order
    palette.line.setText("zzqx")
    assert palette.list.model().index(0, 0).data() == "Nothing fits"
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert palette.isVisible()
    palette.close()


def test_f6_walks_through_the_panels(shell, qtbot):
    seen = []
    for _ in range(4):
        press(qtbot, shell, Qt.Key.Key_F6)
        seen.append(QApplication.focusWidget())
    assert len(set(seen)) == 4
    assert seen[-1] is shell.window.inspect_page.editor
    press(qtbot, shell, Qt.Key.Key_F6, SHIFT)
    assert QApplication.focusWidget() is seen[-2]


def test_pointing_at_an_id_marks_its_text(shell):
    shell.window.inspect_page.ids_panel.strip.select(2)
    assert shell.workspace.selected_token == 2
    assert shell.workspace.document.caret == 3


def test_the_model_button_names_the_model(shell):
    assert shell.window.top_bar.model_button.accessibleName() == "Model: fake.gguf, SPM · 9"
    assert shell.window.windowTitle() == "fake.gguf – Tokenloupe"


def test_a_model_is_picked_with_the_keyboard(shell, qtbot):
    press(qtbot, shell, Qt.Key.Key_M, CTRL)
    picker = QApplication.activePopupWidget()
    qtbot.keyClicks(picker.choices.filter, "wordpiece")
    with qtbot.waitSignal(shell.workspace.vocabulary_changed):
        qtbot.keyClick(picker.choices.filter, Qt.Key.Key_Return)
    assert shell.workspace.vocabulary.name == "demo:wordpiece"
    assert not picker.isVisible()


def test_a_missing_recent_file_cannot_be_picked(shell, qtbot):
    qtbot.mouseClick(shell.window.top_bar.model_button, Qt.MouseButton.LeftButton)
    picker = QApplication.activePopupWidget()
    qtbot.keyClicks(picker.choices.filter, "fake.gguf")
    rows = [
        picker.choices.rows.model().index(row, 0) for row in range(picker.choices.rows.model().rowCount())
    ]
    assert [row.data() for row in rows] == ["RECENT", "fake.gguf"]
    assert not rows[1].flags() & Qt.ItemFlag.ItemIsEnabled
    qtbot.keyClick(picker.choices.filter, Qt.Key.Key_Return)
    assert picker.isVisible()
    qtbot.keyClick(picker.choices.filter, Qt.Key.Key_Escape)


def choose_pre_for_odd_model(shell, qtbot):
    with qtbot.waitSignal(shell.workspace.loader.refused_changed):
        shell.commands.open("odd.gguf")
    (notice,) = shell.window.notices.notices
    qtbot.mouseClick(notice.remedy_button, Qt.MouseButton.LeftButton)
    picker = QApplication.activePopupWidget()
    with qtbot.waitSignal(shell.workspace.vocabulary_changed):
        qtbot.keyClick(picker.choices.filter, Qt.Key.Key_Return)


def test_a_model_with_an_unknown_pre_tokenizer_offers_a_choice(shell, qtbot):
    choose_pre_for_odd_model(shell, qtbot)
    assert shell.workspace.vocabulary.chosen_pre == "llama-bpe"  # the name most like the one in the file
    assert shell.window.notices.notices == []


def test_the_choice_is_kept_with_the_recent_file(shell, qtbot):
    choose_pre_for_odd_model(shell, qtbot)
    with qtbot.waitSignal(shell.workspace.vocabulary_changed):
        shell.commands.open("fake.gguf")
    with qtbot.waitSignal(shell.workspace.vocabulary_changed):
        shell.commands.open("odd.gguf")
    assert shell.workspace.vocabulary.chosen_pre == "llama-bpe"


def test_a_vocabulary_that_no_pre_tokenizer_splits_offers_none(shell):
    assert not shell.window.actions_table["choose_pre"].isEnabled()


def test_a_model_that_fails_is_told_beside_it_and_can_be_copied(shell, qtbot):
    with qtbot.waitSignal(shell.workspace.loader.failed):
        shell.workspace.loader.open("/models/broken.gguf")
    (notice,) = shell.window.notices.notices
    assert notice.message == "broken.gguf is no GGUF file. Choose another one."
    qtbot.mouseClick(notice.copy_button, Qt.MouseButton.LeftButton)
    details = QGuiApplication.clipboard().text()
    assert "/models/broken.gguf" in details
    assert "PySide6" in details
    qtbot.mouseClick(notice.close_button, Qt.MouseButton.LeftButton)
    assert shell.window.notices.notices == []
    assert shell.workspace.vocabulary.name == "fake.gguf"


def test_a_notice_goes_when_it_works_again(shell, qtbot):
    with qtbot.waitSignal(shell.workspace.spans.failed):
        shell.workspace.document.replace(0, 0, UNENCODABLE)
    assert [notice.message for notice in shell.window.notices.notices] == [
        "This text cannot be encoded. Take the word out."
    ]
    with qtbot.waitSignal(shell.workspace.spans.encoded):
        shell.workspace.document.undo()
    assert shell.window.notices.notices == []


def test_the_reason_for_a_badge_is_one_click_away(shell, qtbot):
    qtbot.mouseClick(shell.window.top_bar.exactness, Qt.MouseButton.LeftButton)
    shown = QApplication.activePopupWidget()
    assert isinstance(shown, Explanation)
    assert "Every word is looked up." in [label.text() for label in shown.findChildren(QLabel)]
    shown.close()


def test_the_encoder_is_chosen_from_those_that_apply(shell, qtbot):
    actions = shell.window.actions_table
    assert actions["encoder:fast"].isChecked()
    assert not actions["encoder:viterbi"].isVisible()
    assert shell.window.top_bar.encoder_button.text() == "fast"


@pytest.mark.parametrize("name", ["JSON", "table", "Inspect"])
def test_a_click_on_a_button_leaves_the_keys_to_the_text(shell, qtbot, name):
    editor = shell.window.inspect_page.editor
    editor.setFocus()
    button = next(button for button in shell.window.findChildren(QToolButton) if button.text() == name)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert editor.hasFocus()


def test_files_dropped_anywhere_are_opened_by_what_they_are(shell, qtbot, tmp_path):
    model, text = tmp_path / "model.bin", tmp_path / "text.gguf"
    model.write_bytes(b"GGUF\3\0\0\0")
    text.write_bytes(b"two two")
    with qtbot.waitSignals([shell.workspace.vocabulary_changed, shell.workspace.text_file_changed]):
        drop(shell.window, [model, text])
    assert shell.workspace.vocabulary.name == "model.bin"
    qtbot.waitUntil(lambda: shell.workspace.document.text() == b"two two")


def test_a_text_is_opened_edited_and_saved(shell, qtbot, tmp_path):
    path = tmp_path / "words.txt"
    path.write_bytes(b"one")
    shell.window.questions.text = path
    with qtbot.waitSignal(
        shell.workspace.text_file_changed, check_params_cb=lambda: not shell.window.isWindowModified()
    ):
        shell.window.actions_table["open_text"].trigger()
    qtbot.waitUntil(lambda: shell.window.windowTitle() == "words.txt[*] – fake.gguf – Tokenloupe")
    qtbot.keyClicks(shell.window.inspect_page.editor, "two ")
    assert shell.window.isWindowModified()
    press(qtbot, shell, Qt.Key.Key_S, CTRL)
    assert path.read_bytes() == b"two one"
    assert not shell.window.isWindowModified()


@pytest.mark.parametrize("answer", list(Answer))
def test_closing_asks_only_about_a_changed_file(shell, qtbot, tmp_path, answer):
    path = tmp_path / "words.txt"
    assert shell.workspace.save_text(path)
    shell.workspace.document.replace(0, 3, b"two")
    shell.window.questions.closing = answer
    assert shell.window.close() is (answer is not Answer.CANCEL)
    assert path.read_bytes() == (b"two two three" if answer is Answer.SAVE else b"one two three")


@pytest.mark.parametrize("answer", list(Answer))
def test_closing_asks_about_a_text_that_is_too_long_to_be_kept(shell, tmp_path, answer):
    path, text = tmp_path / "long.txt", b"word " * (LONGEST_KEPT_TEXT // 5 + 1)
    shell.workspace.document.insert(text)
    shell.window.questions.closing, shell.window.questions.save_place = answer, path
    assert shell.window.close() is (answer is not Answer.CANCEL)
    assert path.exists() is (answer is Answer.SAVE)


def test_no_place_to_save_is_no_reason_to_close(shell):
    shell.workspace.document.insert(b"word " * (LONGEST_KEPT_TEXT // 5 + 1))
    shell.window.questions.closing = Answer.SAVE
    assert not shell.window.close()


def test_a_sample_without_a_file_closes_without_a_question(shell):
    shell.window.actions_table["sample:english"].trigger()
    assert shell.window.close()


def test_closing_waits_for_all_background_work(qapp, qtbot, tmp_path, monkeypatch):
    started, waited = set(), set()
    start, wait = LatestJob.start, LatestJob.wait
    monkeypatch.setattr(LatestJob, "start", lambda job, work: (started.add(job), start(job, work)))
    monkeypatch.setattr(LatestJob, "wait", lambda job: (waited.add(job), wait(job)))
    shell = build(qapp, Settings(tmp_path / "settings.json"), b"text", questions=Answers())
    qtbot.addWidget(shell.window)
    shell.window.show()
    shell.workspace.loader.open("demo:toy")
    for page in ("tree", "steps", "bench"):
        shell.window.actions_table[page].trigger()
    qtbot.waitUntil(lambda: "TokenDetailsModel" in owners(started), timeout=20_000)
    shell.stop()
    assert owners(started - waited) == set()


def owners(jobs):
    return {type(job.parent()).__name__ for job in jobs}


def test_a_window_counts_as_painted_when_its_panels_are(qapp, qtbot, tmp_path, monkeypatch):
    events = []
    paint = SpanView.paintEvent
    monkeypatch.setattr(SpanView, "paintEvent", lambda *seen: (paint(*seen), events.append("text")))
    shell = build(qapp, Settings(tmp_path / "settings.json"), b"text", load, Answers())
    qtbot.addWidget(shell.window)
    shell.window.first_painted.connect(lambda: events.append("window"))
    shell.window.show()
    qtbot.waitUntil(lambda: "window" in events)
    assert events[0] == "text"
    shell.stop()


def test_the_page_is_ready_when_all_rows_have_their_colours(make_shell, qtbot):
    shell = make_shell()
    page = shell.window.inspect_page
    page.editor.set_frame_time(0)
    shell.workspace.show_text(b"".join(b"line %d\n" % number for number in range(20)))
    shell.window.grab()
    assert not page.is_ready
    qtbot.waitUntil(lambda: page.is_ready)


def test_size_and_options_come_back_at_the_next_start(make_shell):
    first = make_shell()
    first.window.resize(860, 500)
    first.window.actions_table["parse_special"].trigger()
    first.window.actions_table["whitespace"].trigger()
    first.window.close()
    first.stop()
    second = make_shell()
    assert (second.window.width(), second.window.height()) == (860, 500)
    assert not second.workspace.options.parse_special
    assert not second.window.actions_table["whitespace"].isChecked()


def test_about_names_versions_and_licences(shell, qtbot):
    shell.window.actions_table["about"].trigger()
    dialog = shell.window.findChild(AboutDialog)
    text = " ".join(label.text() for label in dialog.findChildren(QLabel))
    assert "GNU Lesser General Public License" in text
    dialog.copy()
    assert "numpy" in QGuiApplication.clipboard().text()
    dialog.close()


def test_our_own_mistakes_are_shown_with_their_traceback(shell, qtbot, capsys):
    reporter = ErrorReporter(shell.window)
    for number in (1, 2):
        try:
            raise ZeroDivisionError(f"mistake {number}")
        except ZeroDivisionError as error:
            reporter.report(type(error), error, error.__traceback__)
    (dialog,) = shell.window.findChildren(ErrorDialog)
    details = dialog.details.toPlainText()
    assert "mistake 1" in details
    assert "mistake 2" in details
    assert "PySide6-Essentials" in details
    assert "mistake 1" in capsys.readouterr().err
    qtbot.mouseClick(dialog.copy_button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == details
    dialog.close()


def test_work_shows_only_when_it_takes_a_while(shell, qtbot):
    view = shell.window.findChild(ActivityView)
    assert not view.isVisible()


def test_everything_that_takes_the_focus_has_a_name(shell):
    unnamed = [
        widget
        for widget in shell.window.findChildren(QWidget)
        if widget.isVisible()
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not (widget.accessibleName() or getattr(widget, "text", str)())
    ]
    assert [type(widget).__name__ for widget in unnamed] == []


def test_buttons_without_text_say_what_they_do(shell):
    for button in shell.window.findChildren(QToolButton):
        if button.isVisible():
            assert button.text() or button.accessibleName()


def reopen(make_shell, *shells):
    for shell in shells:
        assert shell.window.close()
        shell.stop()
    again = make_shell(b"sample")
    again.window.take_kept_text()
    return again


def test_typed_text_without_a_file_is_there_at_the_next_start(make_shell, qtbot):
    shell = make_shell()
    qtbot.keyClicks(shell.window.inspect_page.editor, "typed ")
    again = reopen(make_shell, shell)
    assert again.workspace.document.text() == b"typed one two three"
    assert reopen(make_shell, again).workspace.document.text() == b"typed one two three"


def test_typed_text_that_was_deleted_is_gone(make_shell, qtbot):
    shell = make_shell()
    qtbot.keyClicks(shell.window.inspect_page.editor, "typed ")
    shell.window._keep_text()
    shell.workspace.document.replace(0, shell.workspace.document.size, b"")
    assert reopen(make_shell, shell).workspace.document.text() == b"sample"


def test_text_of_a_file_is_not_kept_a_second_time(make_shell, qtbot, tmp_path):
    shell = make_shell()
    qtbot.keyClicks(shell.window.inspect_page.editor, "typed ")
    assert shell.workspace.save_text(tmp_path / "text.txt")
    assert reopen(make_shell, shell).workspace.document.text() == b"sample"


def test_text_that_another_one_replaced_is_there_at_the_next_start(make_shell, qtbot, tmp_path):
    shell = make_shell()
    qtbot.keyClicks(shell.window.inspect_page.editor, "typed ")
    shell.window.actions_table["sample:english"].trigger()
    assert reopen(make_shell, shell).workspace.document.text() == b"typed one two three"


def test_a_window_with_a_file_leaves_kept_text_alone(make_shell, qtbot, tmp_path):
    first = make_shell()
    qtbot.keyClicks(first.window.inspect_page.editor, "typed ")
    assert first.window.close()
    first.stop()
    second = make_shell()
    (tmp_path / "words.txt").write_bytes(b"from a file")
    with qtbot.waitSignal(second.workspace.text_file_changed):
        second.workspace.open_text(tmp_path / "words.txt")
    assert reopen(make_shell, second).workspace.document.text() == b"typed one two three"


def test_two_windows_keep_a_text_each(make_shell, qtbot):
    one, other = make_shell(b" by one"), make_shell(b" by other")
    for shell in (one, other):
        qtbot.keyClicks(shell.window.inspect_page.editor, "typed")
        shell.window._keep_text()
    other.window.kept_texts.finish()
    assert KeptTexts(other.settings.folder / "texts").take() is None  # both run
    first = reopen(make_shell, one, other)
    second = make_shell(b"sample")
    second.window.take_kept_text()
    texts = {shell.workspace.document.text() for shell in (first, second)}
    assert texts == {b"typed by one", b"typed by other"}


def test_changes_to_a_file_survive_a_program_that_is_killed(make_shell, qtbot, tmp_path):
    path = tmp_path / "words.txt"
    shell = make_shell()
    assert shell.workspace.save_text(path)
    qtbot.keyClicks(shell.window.inspect_page.editor, "typed ")
    shell.window._leave_text()  # as if the process were gone
    shell.window.kept_texts.finish()
    again = make_shell(b"sample")
    again.window.take_kept_text()
    assert again.workspace.document.text() == b"typed one two three"
    assert (again.workspace.text_path, again.workspace.is_modified) == (path, True)
    assert path.read_bytes() == b"one two three"


def test_closing_asks_where_text_cannot_be_kept(make_shell, qtbot, tmp_path):
    (tmp_path / "texts").touch()  # no folder
    shell = make_shell()
    qtbot.keyClicks(shell.window.inspect_page.editor, "typed ")
    assert not shell.window.close()
    assert any("cannot be kept" in notice.message for notice in shell.window.notices.notices)
    shell.window.questions.closing = Answer.DISCARD
    assert shell.window.close()


def test_counts_are_right_without_a_model(qapp, qtbot, tmp_path):
    shell = build(qapp, Settings(tmp_path / "settings.json"), "zwölf".encode(), load, Answers())
    qtbot.addWidget(shell.window)
    shell.workspace.show_text(b"")
    assert shell.workspace.statistics.n_characters == 0
    shell.workspace.show_text("für".encode())
    assert (shell.workspace.statistics.n_characters, shell.workspace.statistics.n_bytes) == (3, 4)
    shell.stop()


def test_an_approximate_encoder_tells_how_far_it_agrees(shell, qtbot):
    workspace, badge = shell.workspace, shell.window.top_bar.exactness
    shell.window.actions_table["choose_pre"].setEnabled(True)  # a remedy for other causes
    with qtbot.waitSignal(workspace.encoder_check.changed):
        workspace.set_encoder("slow")
    assert badge.text() == "approximate 50.0 %"  # of the four exact tokens: <s> and "one"
    badge.explain()
    explanation = QApplication.activePopupWidget()
    assert "·two" in explanation.findChildren(QLabel)[1].text()
    assert [button.text() for button in explanation.buttons] == ["Go to first inexact token"]
    qtbot.mouseClick(explanation.buttons[0], Qt.MouseButton.LeftButton)
    assert workspace.document.slice(*workspace.document.selection) == b" two"
    assert shell.window.inspect_page.editor.hasFocus()


def test_an_exact_encoder_is_not_compared(shell, qtbot):
    shell.workspace.set_encoder("slow")
    with qtbot.waitSignal(shell.workspace.spans.encoded):
        shell.workspace.set_encoder("fast")
    assert shell.workspace.encoder_check.result is None
    assert shell.window.top_bar.exactness.text() == "exact"
    assert not shell.window.actions_table["encoder_difference"].isEnabled()


def test_editing_forgets_how_far_an_encoder_agrees(shell, qtbot):
    with qtbot.waitSignal(shell.workspace.encoder_check.changed):
        shell.workspace.set_encoder("slow")
    shell.workspace.document.insert(b"x")
    assert shell.window.top_bar.exactness.text() == "approximate"


def test_all_panels_follow_the_size_of_the_text(shell, qtbot):
    page = shell.window.inspect_page
    page.ids_panel.view_actions["table"].trigger()
    parts = (page.ids_panel.table, page.card.findChildren(StyledText)[0])
    before = [part.font().pixelSize() for part in parts]
    chip, row = page.ids_panel.strip.chip_rect(0).height(), page.ids_panel.table.rowHeight(0)
    for _ in range(3):
        shell.window.actions_table["zoom_in"].trigger()
    assert all(part.font().pixelSize() > size for part, size in zip(parts, before, strict=True))
    assert page.ids_panel.strip.chip_rect(0).height() > chip
    assert page.ids_panel.table.rowHeight(0) > row
    shell.window.actions_table["zoom_reset"].trigger()
    assert [part.font().pixelSize() for part in parts] == before


@pytest.mark.parametrize("panel", ["strip", "card"])
def test_the_wheel_zooms_over_any_panel(shell, panel):
    page = shell.window.inspect_page
    before = page.editor.font_px
    area = page.card if panel == "card" else page.ids_panel.strip
    middle, up = QPointF(area.viewport().rect().center()), QPoint(0, 120)
    place = area.viewport().mapToGlobal(middle)
    event = QWheelEvent(
        middle, place, QPoint(), up, Qt.MouseButton.NoButton, CTRL, Qt.ScrollPhase.NoScrollPhase, False
    )
    QApplication.sendEvent(area.viewport(), event)
    assert page.editor.font_px > before


@pytest.mark.parametrize("width", [760, 1000, 1280])
def test_figures_are_left_out_rather_than_cut_off(shell, width):
    shell.window.resize(width, 600)
    QApplication.processEvents()
    figures = shell.window.status_line.findChild(FittedLabel)
    assert figures.fontMetrics().horizontalAdvance(figures.text()) <= figures.width()
    assert figures.text()
    assert "characters" in shell.window.status_line.text


@pytest.mark.parametrize(("width", "shows_summary"), [(900, True), (400, True), (200, False)])
def test_the_model_button_shortens_the_name_to_what_fits(shell, width, shows_summary):
    button = shell.window.top_bar.model_button
    shell.workspace.loader.model.tokenizer.vocabulary = replace(
        shell.workspace.vocabulary, name="A name that goes on and on " * 8
    )
    shell.workspace.loader.model_changed.emit()
    button.resize(width, 30)
    name, summary = button.findChildren(QLabel)[1:3]
    assert "…" in name.text()
    assert name.fontMetrics().horizontalAdvance(name.text()) <= width
    assert summary.isVisible() == shows_summary


def test_menus_open_by_their_letters(shell):
    titles = [action.text() for action in shell.window.menuBar().actions()]
    assert len({title[title.index("&") + 1] for title in titles}) == len(titles)


def test_typed_text_survives_a_program_that_is_killed(shell, qtbot, tmp_path):
    shell.window._autosave.setInterval(1)
    shell.workspace.document.insert(b"typed ")
    qtbot.waitUntil(lambda: [place.read_bytes() for place in (tmp_path / "texts").glob("*.text")] != [])
    assert next((tmp_path / "texts").glob("*.text")).read_bytes().endswith(b"\ntyped one two three")


def test_short_facts_have_no_scroll_bars(shell, qtbot):
    qtbot.mouseClick(shell.window.top_bar.model_button, Qt.MouseButton.LeftButton)
    picker = QApplication.activePopupWidget()
    for text in picker.findChildren(StyledText):
        assert text.document().size().height() <= text.viewport().height()
        assert not text.verticalScrollBar().isVisible()
    picker.close()
