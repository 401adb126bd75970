"""The tokens of each model in a stretch of the text, below each other."""

from pictures import in_words, paintings_of
from PySide6.QtCore import QRect

from guiapp.kit.widgets.theme import LIGHT, ThemeSource
from guiapp.pages.compare.details import GRID_ROW_PX, ComparedToken, GridRow, TokenGrid


def test_a_token_without_text_between_others_is_drawn(qtbot, qapp):
    grid = TokenGrid(ThemeSource(qapp, "light"))
    qtbot.addWidget(grid)
    grid.resize(500, 100)
    tokens = ComparedToken(0, 2, "ab", 7, 0), ComparedToken(2, 2, "<s>", 1, 1), ComparedToken(2, 3, "c", 8, 2)
    pictures = []
    for some in (tokens, tokens[:1] + tokens[2:]):
        grid.show_rows([GridRow(0, "A", some), GridRow(1, "B", (ComparedToken(0, 3, "abc", 9, 0),))])
        pictures.append(grid.grab().toImage())
    assert pictures[0] != pictures[1]


def test_only_a_row_whose_tokens_do_not_fit_says_that_there_are_more(qtbot, qapp):
    grid = TokenGrid(ThemeSource(qapp, "light"))
    qtbot.addWidget(grid)
    grid.resize(260, 2 * GRID_ROW_PX)
    below, signs = [], []
    for labels in (["<|begin_of_text|>" * 2], ["token"] * 9, ["short"]):
        tokens = tuple(ComparedToken(at, at, label, 1, 0) for at, label in enumerate(labels))
        grid.show_rows([GridRow(0, "A", tokens), GridRow(1, "B", ())])
        below.append(grid.grab(QRect(0, GRID_ROW_PX, 260, GRID_ROW_PX)).toImage())
        signs.append("… dim" in in_words(paintings_of(grid).marks, LIGHT))
    assert below[0] == below[1] == below[2]
    assert signs == [False, True, False]
