"""Characters as signs or as in the file: one switch, which all pages follow, in a real window."""

import pytest
from instant_recorder import load_once
from main_window_driver import CTRL, SHIFT, press
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QToolButton
from seen_texts import seen_texts

from guiapp.analysis.explain.spelling import Spelling
from guiapp.kit.state.settings import Settings
from guiapp.window.help import LegendCard

pytestmark = pytest.mark.slow


LEFT, Key = Qt.MouseButton.LeftButton, Qt.Key
TEXT = b"the lions sleep unbelievably\nin New York in the sun"
LETTERS = "ĠĊ▁"


def letters_in(texts):
    return {text for text in texts if any(letter in text for letter in LETTERS)}


@pytest.fixture
def shell(share_shell):
    return share_shell(TEXT, "demo:bpe", load_once)


def show(shell, qtbot, name):
    shell.window.resize(1600, 1000)
    shell.window.actions_table[name].trigger()
    page = shell.window.pages.current
    qtbot.waitUntil(lambda: page.is_ready)
    return page


def show_inspect(shell, qtbot):
    page = show(shell, qtbot, "inspect")
    page.ids_panel.view_actions["table"].trigger()
    shell.session.select_token(2)
    return page


def show_compare(shell, qtbot):
    shell.compared.add("demo:unigram")
    page = show(shell, qtbot, "compare")
    qtbot.waitUntil(lambda: page.walk.n_all > 1)
    page.walk.go_to(1)
    return page


def show_texts(shell, qtbot):
    page = show(shell, qtbot, "compare_texts")
    page.compared.second.text.show(TEXT.replace(b" lions", b" cats"))
    qtbot.waitUntil(lambda: page.is_ready and page.compared.n_changes > 0)
    return page


def show_vocabularies(shell, qtbot):
    shell.compared.add("demo:spm")
    page = show(shell, qtbot, "compare_vocabularies")
    qtbot.waitUntil(lambda: page.model.comparison is not None)
    page.model.show_group("both")
    page.model.set_query(" the")
    qtbot.waitUntil(lambda: page.is_ready and page.model.shown.request.query == " the")
    page.model.choose(0)
    return page


def show_tree(shell, qtbot):
    page = show(shell, qtbot, "tree")
    page.bar.query.setText(" the")
    qtbot.waitUntil(lambda: page.is_ready and len(page.search.result_nodes) > 0)
    page.model.choose(int(page.search.result_nodes[0]))
    return page


def show_steps(shell, qtbot):
    page = show(shell, qtbot, "steps")
    qtbot.waitUntil(lambda: page.model.debugger is not None)
    page.model.add_watch("result")
    page.model.go_to(page.model.n_steps - 4)  # the last piece: a space before it is part of its token
    return page


def show_training(shell, qtbot):
    page = show(shell, qtbot, "steps")
    page.begin_training("bpe:290:3")
    qtbot.waitUntil(lambda: page.is_ready and page.training.model.position == 3)
    return page


@pytest.mark.parametrize(
    "show_page",
    [show_inspect, show_compare, show_texts, show_vocabularies, show_tree, show_steps, show_training],
    ids=lambda each: each.__name__.removeprefix("show_"),
)
def test_each_page_changes_its_spelling_at_once_and_back(shell, qtbot, show_page):
    page = show_page(shell, qtbot)
    qtbot.waitUntil(lambda: any("·" in text for text in seen_texts(page)))
    for spelling in (Spelling.SIGNS, Spelling.FILE, Spelling.SIGNS):
        shell.window.actions_table[f"spelling:{spelling.value}"].trigger()
        has_letters = spelling is Spelling.FILE
        qtbot.waitUntil(lambda has=has_letters: bool(letters_in(seen_texts(page))) is has)


def test_the_choice_is_restored_after_a_restart(make_shell, tmp_path):
    shell = make_shell()
    shell.window.actions_table["spelling:file"].trigger()
    shell.settings.save()
    assert Settings(tmp_path / "settings.ini").spelling.now is Spelling.FILE
    again = make_shell(TEXT, None)
    assert again.window.actions_table["spelling:file"].isChecked()
    assert again.session.spelling.now is Spelling.FILE


def test_the_legend_has_the_switch_too(shell, qtbot):
    press(qtbot, shell, Key.Key_F1, SHIFT)
    card = QApplication.activePopupWidget()
    assert isinstance(card, LegendCard)
    for spelling, word in ((Spelling.FILE, "As in the file"), (Spelling.SIGNS, "·")):
        button = next(each for each in card.findChildren(QToolButton) if each.text().startswith(word))
        qtbot.mouseClick(button, LEFT)
        assert shell.session.spelling.now is spelling
        assert shell.window.actions_table[f"spelling:{spelling.value}"].isChecked()
    card.close()


def test_search_results_do_not_depend_on_the_spelling(shell, qtbot):
    page = show_tree(shell, qtbot)
    comparison = page.search.result_nodes.tolist()
    shell.window.actions_table["spelling:file"].trigger()
    page.bar.query.setText("")
    page.bar.query.setText(" the")
    qtbot.waitUntil(lambda: page.search.result_nodes.tolist() == comparison)


def test_it_is_chosen_in_the_view_menu_and_by_name_in_the_palette(shell, qtbot):
    menu = shell.window.actions_table.menus["View/Characters"]
    menu.popup(shell.window.mapToGlobal(shell.window.rect().center()))
    row = next(action for action in menu.actions() if "as in the file" in action.text())
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(row).center())
    assert shell.session.spelling.now is Spelling.FILE
    press(qtbot, shell, Key.Key_P, CTRL | SHIFT)
    qtbot.keyClicks(QApplication.focusWidget(), "characters hex")
    press(qtbot, shell, Key.Key_Return)
    assert shell.session.spelling.now is Spelling.SIGNS
