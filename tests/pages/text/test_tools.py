"""What stands in the top bar while the Text page is shown, and the legend of its colours."""

from PySide6.QtCore import Qt

from guiapp import open_model
from guiapp.kit.spans.layout import FIRST_SHADE
from guiapp.pages.text.page import ColorLegend

LEFT = Qt.MouseButton.LeftButton
TEXT = b"a house 4f9c1e7a-2b60-4d8e,\nand more (of) it"


def open_demo(name, pre, progress):
    return open_model(name)


def test_words_are_coloured_by_cost_and_the_choice_is_saved(make_shell, qtbot):
    shell = make_shell(TEXT, "demo:bpe", open_demo)
    page = shell.window.inspect_page
    legend = page.findChild(ColorLegend)
    assert not legend.isVisible()
    menu = page.tools.button.menu()
    menu.popup(page.tools.button.mapToGlobal(page.tools.button.rect().bottomLeft()))
    (cost,) = (action for action in menu.actions() if action.text() == "Colour by cost")
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(cost).center())
    assert (page.tools.button.text(), shell.settings.coloring, legend.isVisible()) == (
        "Colour by cost",
        "cost",
        True,
    )
    tints = page.spans.spans_in(0, len(TEXT))
    assert len({*tints.tints.tolist()}) > 1
    assert min(tints.tints) == FIRST_SHADE
    shell.window.actions_table["color:token"].trigger()
    assert not legend.isVisible()


def test_tokens_that_the_exact_encoder_does_not_give_are_walked_by_f8(make_shell, qtbot):
    shell = make_shell(b"a long pier out of houses", "demo:bpe", open_demo)
    editor, session = shell.window.inspect_page.editor, shell.session
    walk = shell.window.inspect_page.tools.inexact
    assert not walk.isVisible()
    session.set_encoder("greedy")
    qtbot.waitUntil(lambda: session.encoder_check.value is not None and editor.is_painted)
    assert (walk.isVisible(), walk.walking.index_label.text()) == (True, "4 differ")
    editor.setFocus()
    for key, expected in ((Qt.Key.Key_F8, b" pier"), (Qt.Key.Key_F8, b" houses"), (Qt.Key.Key_F8, b" pier")):
        qtbot.keyClick(shell.window, key)
        assert session.document.slice(*session.document.selection) == expected
    qtbot.keyClick(shell.window, Qt.Key.Key_F8, Qt.KeyboardModifier.ShiftModifier)
    assert session.document.slice(*session.document.selection) == b" houses"
    session.set_encoder(None)
    assert not walk.isVisible()
