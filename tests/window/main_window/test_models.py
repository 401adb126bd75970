"""Models in the real window: picked, named, refused."""

import threading

import pytest
from conftest import PATIENCE_S
from fake_tokenizer import FakeTokenizer
from main_window_driver import CTRL, press
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel

from guiapp.kit.state import background
from guiapp.window.status_line import ActivityView

pytestmark = pytest.mark.slow


@pytest.fixture
def shell(share_shell, qtbot):
    made = share_shell()
    yield made
    made.window.actions_table["forget_recent"].trigger()
    with qtbot.waitSignal(made.session.spans.encoded):
        made.session.loader.open("fake.gguf")
    made.window.notices.clear_notice("model")


def test_the_model_button_names_the_model(shell):
    assert shell.window.top_bar.model_button.accessibleName() == "Model: fake.gguf, SPM · 9"
    assert shell.window.windowTitle() == "fake.gguf – Tokenloupe"


def test_without_a_model_the_window_offers_to_open_one(make_shell, qtbot):
    shell = make_shell(model=None)
    shell.session.document.select(0, 7)
    assert shell.window.status_line.text.endswith(" selected: 7 characters")
    rows = [(row, action) for row, action in shell.window.actions_table if not row.page]
    assert {row.name for row, action in rows if action.isChecked()} == {
        *("add_special", "parse_special", "whitespace", "inspect", "theme:dark", "spelling:signs"),
    }
    assert {row.name for row, action in rows if not (action.isEnabled() or row.group)} == {
        *("undo", "redo", "from_utf16", "forget_recent"),
        *("choose_pre", "round_trip_difference"),
        *("hidden_next", "hidden_previous", "hidden_remove", "hidden_copy"),
    }
    assert not any(action.isVisible() for row, action in rows if row.group == "encoder")
    button = shell.window.top_bar.model_button
    assert button.accessibleName() == "Model: No model, open one"
    assert button.toolTip()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    picker = QApplication.activePopupWidget()
    assert "No model is open yet." in [label.text() for label in picker.findChildren(QLabel)]
    assert picker.choices.filter.hasFocus()
    picker.close()


def test_a_model_is_picked_with_the_keyboard(shell, qtbot):
    press(qtbot, shell, Qt.Key.Key_M, CTRL)
    picker = QApplication.activePopupWidget()
    qtbot.keyClicks(picker.choices.filter, "wordpiece")
    with qtbot.waitSignal(shell.session.vocabulary_changed):
        qtbot.keyClick(picker.choices.filter, Qt.Key.Key_Return)
    assert shell.session.vocabulary.name == "demo:wordpiece"
    assert not picker.isVisible()


def test_a_missing_recent_file_cannot_be_picked(shell, qtbot):
    qtbot.mouseClick(shell.window.top_bar.model_button, Qt.MouseButton.LeftButton)
    picker = QApplication.activePopupWidget()
    qtbot.keyClicks(picker.choices.filter, "fake.gguf")
    rows = picker.choices.rows.model()
    assert [rows.index(row, 0).data() for row in range(rows.rowCount())] == ["RECENT", "fake.gguf"]
    qtbot.waitUntil(lambda: not rows.index(1, 0).flags() & Qt.ItemFlag.ItemIsEnabled)
    qtbot.keyClick(picker.choices.filter, Qt.Key.Key_Return)
    assert picker.isVisible()
    qtbot.keyClick(picker.choices.filter, Qt.Key.Key_Escape)


def test_a_refreshed_list_preserves_the_current_row(make_shell, qtbot):
    shell = make_shell()
    qtbot.mouseClick(shell.window.top_bar.model_button, Qt.MouseButton.LeftButton)
    rows = QApplication.activePopupWidget().choices.rows
    for _ in range(3):
        qtbot.keyClick(QApplication.activePopupWidget().choices.filter, Qt.Key.Key_Down)
    pointed_at = rows.currentIndex().data()
    shell.session.loader.model_changed.emit()
    assert rows.currentIndex().data() == pointed_at == "WordPiece"
    QApplication.activePopupWidget().close()


def test_a_text_that_is_opened_as_a_model_is_opened_as_a_text_from_its_notice(shell, qtbot, tmp_path):
    (path := tmp_path / "broken.gguf").write_text("no model")
    with qtbot.waitSignal(shell.session.loader.failed):
        shell.commands.files.open(str(path))
    (notice,) = shell.window.notices.notices
    with qtbot.waitSignal(shell.session.text.file_changed):
        qtbot.mouseClick(notice.remedy_button, Qt.MouseButton.LeftButton)
    assert (shell.session.document.text(), shell.window.notices.notices) == (b"no model", [])


def choose_pre_for_odd_model(shell, qtbot):
    with qtbot.waitSignal(shell.session.loader.refused_changed):
        shell.commands.files.open("odd.gguf")
    (notice,) = shell.window.notices.notices
    qtbot.mouseClick(notice.remedy_button, Qt.MouseButton.LeftButton)
    picker = QApplication.activePopupWidget()
    with qtbot.waitSignal(shell.session.vocabulary_changed):
        qtbot.keyClick(picker.choices.filter, Qt.Key.Key_Return)
    assert not picker.isVisible()


def test_a_model_with_an_unknown_pre_tokenizer_offers_a_choice(shell, qtbot):
    choose_pre_for_odd_model(shell, qtbot)
    assert shell.session.vocabulary.chosen_pre == "llama-bpe"  # the name most like the one in the file
    assert shell.window.notices.notices == []


def test_the_chosen_pre_tokenizer_is_saved_with_the_recent_file(shell, qtbot):
    choose_pre_for_odd_model(shell, qtbot)
    with qtbot.waitSignal(shell.session.vocabulary_changed):
        shell.commands.files.open("fake.gguf")
    with qtbot.waitSignal(shell.session.vocabulary_changed):
        shell.commands.files.open("odd.gguf")
    assert shell.session.vocabulary.chosen_pre == "llama-bpe"


def test_a_vocabulary_that_no_pre_tokenizer_splits_offers_none(shell):
    assert not shell.window.actions_table["choose_pre"].isEnabled()


def test_a_failed_model_shows_a_notice_that_can_be_copied(shell, qtbot):
    with qtbot.waitSignal(shell.session.loader.failed):
        shell.session.loader.open("/models/broken.gguf")
    (notice,) = shell.window.notices.notices
    assert notice.message == "broken.gguf is no GGUF file. Choose another one."
    with qtbot.waitSignal(QGuiApplication.clipboard().dataChanged):
        qtbot.mouseClick(notice.copy_button, Qt.MouseButton.LeftButton)
    details = QGuiApplication.clipboard().text()
    assert "/models/broken.gguf" in details
    assert "PySide6" in details
    qtbot.mouseClick(notice.close_button, Qt.MouseButton.LeftButton)
    assert shell.window.notices.notices == []
    assert shell.session.vocabulary.name == "fake.gguf"


def test_the_model_of_the_last_time_is_opened_again(make_shell, qtbot):
    opened_last = make_shell(model="other.gguf").settings.last_model
    again = make_shell(model="demo:wordpiece")
    again.settings.last_model = opened_last
    with qtbot.waitSignal(again.session.vocabulary_changed):
        again.commands.files.open_last("demo:bpe")
    assert again.session.vocabulary.name == "other.gguf"


@pytest.mark.parametrize(("last", "expected"), [("broken.gguf", "no GGUF file"), ("odd.gguf", "Choose one.")])
def test_where_the_model_of_the_last_time_fails_a_demo_model_is_opened(make_shell, qtbot, last, expected):
    shell = make_shell(model=None)
    shell.settings.last_model = last
    with qtbot.waitSignal(shell.session.vocabulary_changed):
        shell.commands.files.open_last("demo:bpe")
    assert shell.session.vocabulary.name == "demo:bpe"
    assert shell.settings.last_model == "demo:bpe"
    (notice,) = shell.window.notices.notices
    assert expected in notice.message
    shell.session.loader.cancel()
    assert shell.session.loader.loading_name is None


def test_where_the_model_of_the_last_time_is_cancelled_a_demo_model_is_opened(make_shell, qtbot):
    shell = make_shell(model=None)
    shell.settings.last_model = "other.gguf"
    with qtbot.waitSignal(shell.session.vocabulary_changed):
        shell.commands.files.open_last("demo:bpe")
        shell.session.loader.cancel()
    assert shell.session.vocabulary.name == "demo:bpe"


@pytest.mark.parametrize(("forgets", "saved_name"), [(False, "slow.gguf"), (True, "")])
def test_closing_while_the_model_of_the_last_time_is_loaded_forgets_it_only_if_asked_to(
    make_shell, monkeypatch, forgets, saved_name
):
    monkeypatch.setattr(background, "PATIENCE_AT_THE_END_S", 0.01)
    may_end = threading.Event()
    shell = make_shell(model=None, load=lambda name, pre, progress: may_end.wait(PATIENCE_S))
    shell.settings.last_model = "slow.gguf"
    shell.commands.files.open_last("demo:bpe")
    assert shell.settings.last_model == ""  # lest a model that ends the program is opened each time
    if forgets:
        shell.window.actions_table["forget_recent"].setEnabled(True)  # as if there were some
        shell.window.actions_table["forget_recent"].trigger()
    assert shell.window.close()
    shell.stop()
    may_end.set()
    assert shell.settings.last_model == saved_name


@pytest.mark.parametrize("page", ["inspect", "tree"])
def test_esc_gives_up_opening_wherever_the_keyboard_is(make_shell, qtbot, page):
    may_end = threading.Event()

    def load(name, pre, progress):
        if name == "slow.gguf":
            may_end.wait(PATIENCE_S)
        return FakeTokenizer()

    shell = make_shell(load=load)
    shell.window.pages.show_page(page)
    shell.commands.files.open("slow.gguf")
    button = shell.window.findChild(ActivityView).cancel_button
    qtbot.waitUntil(button.isVisible)
    press(qtbot, shell, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: shell.session.loader.loading_name is None)
    assert shell.session.loader.model.name == "fake.gguf"
    may_end.set()


def test_forgetting_recent_files_forgets_the_last_one_too(shell):
    assert shell.settings.last_model.endswith("fake.gguf")
    shell.window.actions_table["forget_recent"].trigger()
    assert shell.settings.last_model == ""


def test_a_model_is_chosen_for_whoever_asks(shell, qtbot, tmp_path):
    taken = []
    asks = shell.window.requests.model_wanted.emit

    def take(name, pre):
        taken.append((name, pre))

    asks(shell.window.status_line, take)
    shell.commands.files.picker.chosen.emit("other.gguf")
    shell.window.questions.model = tmp_path / "browsed.gguf"
    shell.commands.files.picker.open_button.click()
    assert taken == [("other.gguf", None), (str(tmp_path / "browsed.gguf"), None)]
    assert shell.session.loader.loading_name is None
    shell.commands.files.choose_model()  # for the window again
    shell.commands.files.picker.chosen.emit("mine.gguf")
    qtbot.waitUntil(lambda: shell.session.loader.model.name == "mine.gguf")
    assert len(taken) == 2


def test_a_page_may_ask_for_a_token_in_the_tree(shell, qtbot):
    shell.window.requests.token_wanted.emit(5)
    page = shell.window.pages.pages["tree"]
    assert shell.window.pages.current is page
    qtbot.waitUntil(lambda: len(page.search.result_nodes) == 1)
    assert page.bar.query.text() == "#5"
