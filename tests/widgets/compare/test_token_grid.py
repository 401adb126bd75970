"""The tokens of each model in a stretch of the text, below each other."""

from guiapp.widgets.compare.token_grid import GridRow, GridToken, TokenGrid
from guiapp.widgets.shared.theme import ThemeSource


def test_a_token_without_text_between_others_is_drawn(qtbot, qapp):
    grid = TokenGrid(ThemeSource(qapp, "light"))
    qtbot.addWidget(grid)
    grid.resize(500, 100)
    tokens = GridToken(0, 2, "ab", 7, 0), GridToken(2, 2, "<s>", 1, 1), GridToken(2, 3, "c", 8, 2)
    pictures = []
    for some in (tokens, tokens[:1] + tokens[2:]):
        grid.show_rows([GridRow(0, "A", some), GridRow(1, "B", (GridToken(0, 3, "abc", 9, 0),))])
        pictures.append(grid.grab().toImage())
    assert pictures[0] != pictures[1]
