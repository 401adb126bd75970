"""What stands at the right of the row of tabs of the Inspect page."""

import pytest
from PySide6.QtCore import Qt

from guiapp import open_model
from guiapp.kit.document.coloured_spans import COST_SHADE
from guiapp.kit.spans.layout import FIRST_SHADE
from guiapp.kit.spans.painter import GAP_PX, TOP_BRACKET_PX
from guiapp.kit.spans.view import SIDE_PX
from guiapp.pages.text.page import ColorLegend

LEFT = Qt.MouseButton.LeftButton
TEXT = b"a house 4f9c1e7a-2b60-4d8e,\nand more (of) it"


def open_demo(name, pre, progress):
    return open_model(name)


def color_at(editor, offset):
    """Of the ground at the upper end of the first pixels of a byte's token."""
    place = editor.rows.place_of(offset)
    image = editor.viewport().grab().toImage()
    return image.pixelColor(int(24 + place.x + 3), int(place.y + 4)).name()


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_dear_words_glow_whole_and_the_choice_is_kept(make_shell, qtbot, theme):
    shell = make_shell(TEXT, "demo:bpe", open_demo)
    shell.theme_source.choose(theme)
    page = shell.window.inspect_page
    legend = page.tools.findChild(ColorLegend)
    assert not legend.isVisible()
    before = color_at(page.editor, 0)
    menu = page.tools.button.menu()
    menu.popup(page.tools.button.mapToGlobal(page.tools.button.rect().bottomLeft()))
    (cost,) = (action for action in menu.actions() if action.text() == "Colour by cost")
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(cost).center())
    assert (page.tools.button.text(), shell.settings.coloring, legend.isVisible()) == (
        "Colour by cost",
        "cost",
        True,
    )
    qtbot.waitUntil(lambda: page.editor.is_painted)
    costs, tints = shell.theme_source.theme.costs, page.spans.spans_in(0, len(TEXT))
    for tint, start, end in zip(tints.tints, tints.starts, tints.ends, strict=True):
        if start < end:
            assert color_at(page.editor, int(start)) == costs[tint - COST_SHADE].name()
    assert len({*tints.tints.tolist()}) > 1
    assert min(tints.tints) == FIRST_SHADE
    shell.window.actions_table["color:token"].trigger()
    qtbot.waitUntil(lambda: color_at(page.editor, 0) == before)
    assert not legend.isVisible()


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_tokens_that_the_exact_encoder_does_not_give_have_a_roof_and_f8_walks_them(make_shell, qtbot, theme):
    shell = make_shell(b"a long pier out of houses", "demo:bpe", open_demo)
    shell.theme_source.choose(theme)
    editor, session = shell.window.inspect_page.editor, shell.session
    walk, warning = shell.window.inspect_page.tools.inexact, shell.theme_source.theme.warning.name()

    def has_roof(offset):
        place, image = editor.rows.place_of(offset), editor.viewport().grab().toImage()
        y = int(place.y + GAP_PX // 2 - TOP_BRACKET_PX)
        return image.pixelColor(int(SIDE_PX + place.x + 4), y).name() == warning

    assert not walk.isVisible()
    session.set_encoder("greedy")
    qtbot.waitUntil(lambda: session.encoder_check.result is not None and editor.is_painted)
    assert (walk.isVisible(), walk.walking.place.text()) == (True, "4 differ")
    assert [has_roof(at) for at in (0, 7, 18, 23)] == [False, True, True, True]
    editor.setFocus()
    for key, wanted in ((Qt.Key.Key_F8, b" pier"), (Qt.Key.Key_F8, b" houses"), (Qt.Key.Key_F8, b" pier")):
        qtbot.keyClick(shell.window, key)
        assert session.document.slice(*session.document.selection) == wanted
    qtbot.keyClick(shell.window, Qt.Key.Key_F8, Qt.KeyboardModifier.ShiftModifier)
    assert session.document.slice(*session.document.selection) == b" houses"
    session.document.select(0, 0)
    qtbot.keyClicks(editor, "pier ")
    assert [has_roof(at) for at in (1, 12)] == [bool(session.exact_instead(1)), True]  # at once
    session.set_encoder(None)
    assert not walk.isVisible()
    qtbot.waitUntil(lambda: not has_roof(12))
