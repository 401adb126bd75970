"""Menus, shortcuts, palette and buttons of the real window, and what they are called."""

import pytest
from main_window_driver import CTRL, SHIFT, press
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QToolButton, QWidget

import guiapp
from guiapp.kit.widgets.theme import LIGHT
from guiapp.window.actions import SYNONYMS
from guiapp.window.app import ErrorDialog, ErrorReporter
from guiapp.window.help import AboutDialog
from guiapp.window.page_commands import TICK_MS
from guiapp.window.pages import PAGES

pytestmark = pytest.mark.slow


@pytest.fixture
def shell(share_shell):
    return share_shell()


def test_every_action_is_in_a_menu_and_has_a_name(shell):
    for row, action in shell.window.actions_table:
        assert action.text()
        assert row.menu.split("/")[0] in ("File", "Edit", "Tokens", "Run", "View", "Bench", "Help")


def test_menus_open_by_their_letters(shell):
    titles = [action.text() for action in shell.window.menuBar().actions()]
    assert len({title[title.index("&") + 1] for title in titles}) == len(titles)


@pytest.mark.parametrize("page", [page.name for page in PAGES])
def test_no_shortcut_is_given_twice_on_a_page(shell, page):
    here = [action for row, action in shell.window.actions_table if row.page in ("", page)]
    keys = [key.toString() for action in here for key in action.shortcuts()]
    assert len(keys) == len(set(keys))


def test_a_switch_in_the_status_line_is_the_action_in_the_menu(shell, qtbot):
    switch = shell.window.findChild(QWidget, "switch:add_special")
    with qtbot.waitSignal(shell.session.options_changed):
        qtbot.mouseClick(switch, Qt.MouseButton.LeftButton, pos=QPoint(8, switch.height() // 2))
    assert not shell.session.options.add_special
    action = shell.window.actions_table["add_special"]
    assert not action.isChecked()
    action.trigger()
    assert switch.isChecked()


def test_the_palette_runs_what_is_typed(shell, qtbot):
    press(qtbot, shell, Qt.Key.Key_P, CTRL | SHIFT)
    palette = QApplication.activePopupWidget()
    qtbot.keyClicks(palette.choices.filter, "light th")
    qtbot.keyClick(palette.choices.filter, Qt.Key.Key_Return)
    assert not palette.isVisible()
    assert shell.theme_source.theme is LIGHT


def test_a_number_in_the_palette_sets_the_token_budget(shell, qtbot):
    shell.window.actions_table["vocabulary"].trigger()
    press(qtbot, shell, Qt.Key.Key_P, CTRL | SHIFT)
    palette = QApplication.activePopupWidget()
    qtbot.keyClicks(palette.choices.filter, "512")
    assert palette.choices.rows.currentIndex().data() == "Set the budget to 512 tokens"
    qtbot.keyClick(palette.choices.filter, Qt.Key.Key_Return)
    page = shell.window.pages.current
    assert page is shell.window.inspect_page
    assert (page.budget_bar.isVisible(), page.budget_bar.field.text()) == (True, "512")


def test_the_palette_runs_commands_of_other_pages_on_their_page(shell, qtbot):
    asked = []
    shell.window.pages.show_page("bench").bar.runs_button.ask = asked.append
    shell.window.actions_table["inspect"].trigger()
    shell.window.actions_table["palette"].trigger()
    palette = QApplication.activePopupWidget()
    assert "Open run…" not in [palette.choices.rows.model().index(at, 0).data() for at in range(200)]
    qtbot.keyClicks(palette.choices.filter, "open run")
    assert palette.choices.rows.currentIndex().data() == "Open run…"
    qtbot.keyClick(palette.choices.filter, Qt.Key.Key_Return)
    assert shell.window.pages.current_name == "bench"
    assert len(asked) == 1


def open_demo(name, pre, progress):
    return guiapp.open_model(name, pre)


def test_an_action_of_another_page_shows_it_and_acts_once_it_can(make_shell, qtbot):
    shell = make_shell(b"one two three", "demo:bpe", open_demo)
    actions, pages = shell.window.actions_table, shell.window.pages
    actions["debug_end"].trigger()  # the page is new
    steps = pages.current.model
    qtbot.waitUntil(lambda: steps.n_steps > 0 and steps.position == steps.n_steps)
    actions["inspect"].trigger()
    actions["debug_back"].trigger()
    assert (pages.current_name, steps.position) == ("steps", steps.n_steps - 1)
    actions["find"].trigger()
    assert pages.current_name == "inspect"
    assert shell.window.inspect_page.text_panel.find_bar.field.hasFocus()
    actions["debug_back"].trigger()
    qtbot.wait(3 * TICK_MS)
    assert steps.position == steps.n_steps - 2


def test_keys_of_a_page_act_only_there(make_shell, qtbot):
    shell = make_shell(b"one two three", "demo:bpe", open_demo)
    pages = shell.window.pages
    press(qtbot, shell, Qt.Key.Key_F10)
    assert pages.current_name == "inspect"
    for page, name in (("compare", "compare_next"), ("compare_texts", "texts_next")):
        shell.window.actions_table[page].trigger()
        with qtbot.waitSignal(shell.window.actions_table[name].triggered):
            press(qtbot, shell, Qt.Key.Key_F8)
        assert pages.current_name == page


def test_an_action_that_waits_for_a_page_is_forgotten_where_people_go_on(make_shell, qtbot):
    shell = make_shell(b"one two three", "demo:bpe", open_demo)
    actions, pages = shell.window.actions_table, shell.window.pages
    actions["debug_step"].trigger()
    steps = pages.current.model
    actions["inspect"].trigger()
    qtbot.wait(3 * TICK_MS)
    assert (pages.current_name, steps.position) == ("inspect", 0)


def test_the_palette_is_walked_with_the_arrow_keys(shell, qtbot):
    shell.window.actions_table["palette"].trigger()
    palette = QApplication.activePopupWidget()
    first = palette.choices.rows.currentIndex().data()
    qtbot.keyClick(palette.choices.filter, Qt.Key.Key_Down)
    assert palette.choices.rows.currentIndex().row() == 1
    qtbot.keyClick(palette.choices.filter, Qt.Key.Key_Up)
    assert palette.choices.rows.currentIndex().data() == first
    qtbot.keyClick(palette.choices.filter, Qt.Key.Key_Escape)
    assert not palette.isVisible()


def test_the_palette_accepts_any_word_order_and_reports_no_match(shell, qtbot):
    press(qtbot, shell, Qt.Key.Key_P, CTRL | SHIFT)
    palette = QApplication.activePopupWidget()
    palette.choices.filter.setText("english sample")
    in_order = palette.choices.rows.model().index(0, 0).data()
    palette.choices.filter.setText("sample english")
    assert palette.choices.rows.model().index(0, 0).data() == in_order
    palette.choices.filter.setText("zzqx")
    assert palette.choices.rows.model().index(0, 0).data() == "No command matches"
    qtbot.keyClick(palette.choices.filter, Qt.Key.Key_Return)
    assert palette.isVisible()
    palette.close()


def test_the_palette_knows_synonyms_and_lists_samples_last(shell, qtbot):
    actions, names = shell.window.actions_table, {row.name for row, _ in shell.window.actions_table}
    assert names >= SYNONYMS.keys()
    actions["palette"].trigger()
    palette = QApplication.activePopupWidget()

    def offered(typed):
        palette.choices.filter.setText(typed)
        return {choice.name: choice for choice in palette.choices.shown}

    for typed, expected in (
        ("mask", "chat"),
        ("loss", "round_trip_difference"),
        ("chunk", "chunks"),
        ("hidden", "hidden_next"),
        ("look-alike", "look_alikes"),
        ("save", "save_text"),
        ("language", "sample:languages"),
        ("cost", "color:cost"),
        ("darkk theme", "theme:dark"),
    ):
        assert expected in [*offered(typed)][:4], typed
    undo = offered("undo")["undo"]
    assert (undo.is_there, undo.detail) == (False, "Nothing to undo")
    is_example = [name.startswith(("sample:", "demo:", "lesson:")) for name in offered("")]
    assert is_example == sorted(is_example)
    assert all(action.isEnabled() or row.needs for row, action in actions)
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


@pytest.mark.parametrize("name", ["JSON", "Table"])
def test_a_click_on_a_button_leaves_the_keys_to_the_text(shell, qtbot, name):
    editor = shell.window.inspect_page.editor
    editor.setFocus()
    button = next(button for button in shell.window.findChildren(QToolButton) if button.text() == name)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert editor.hasFocus()


def test_everything_that_takes_the_focus_has_a_name(shell):
    unnamed = [
        widget
        for widget in shell.window.findChildren(QWidget)
        if widget.isVisible()
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not (widget.accessibleName() or getattr(widget, "text", str)())
    ]
    assert [type(widget).__name__ for widget in unnamed] == []


def test_buttons_without_text_have_an_accessible_name(shell):
    for button in shell.window.findChildren(QToolButton):
        if button.isVisible():
            assert button.text() or button.accessibleName()


def test_about_names_versions_and_licences(shell, qtbot, monkeypatch):
    monkeypatch.setattr("guiapp.core.versions._version", lambda package: "1.2.3")
    shell.window.actions_table["about"].trigger()
    dialog = shell.window.findChild(AboutDialog)
    text = " ".join(label.text() for label in dialog.findChildren(QLabel))
    assert "GNU Lesser General Public License" in text
    qtbot.waitUntil(dialog.copy_button.isEnabled)
    qtbot.mouseClick(dialog.copy_button, Qt.MouseButton.LeftButton)
    assert "numpy 1.2.3" in QGuiApplication.clipboard().text()
    lines = [line.split() for label in dialog.findChildren(QLabel) for line in label.text().splitlines()]
    assert ["numpy", "1.2.3", "BSD-3-Clause"] in lines
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
