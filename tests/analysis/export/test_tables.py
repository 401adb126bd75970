"""Tables of words."""

import csv
import io
from itertools import count

import pytest

from guiapp.analysis.export.tables import (
    ROWS_IN_BLOCK,
    Table,
    aligned,
    csv_blocks,
    csv_lines,
    markdown_table,
    padded,
    page_of,
    sorted_by,
)

TABLE = Table("Title", [["", "a|b"], ["name, long", "1"], ["x", "12"]], "A note.")


def test_columns_are_lined_up_names_to_the_left_and_figures_to_the_right():
    assert list(aligned(TABLE)) == [
        "Title",
        "  A note.",
        "               a|b",
        "  name, long     1",
        "  x             12",
    ]


def test_markdown_keeps_the_signs_that_part_its_cells():
    assert markdown_table(TABLE).splitlines()[:3] == ["|  | a\\|b |", "| :-- | --: |", "| name, long | 1 |"]


def test_csv_can_be_read_back():
    assert list(csv.reader(io.StringIO(csv_lines(TABLE.rows)))) == TABLE.rows


def test_csv_begins_before_all_rows_are_known():
    endless = ([number] for number in count())
    assert next(csv_blocks(endless)).startswith("0\n1\n2\n")


@pytest.mark.parametrize(
    ("is_descending", "order"),
    [
        (False, ["−1", "12.5", "≈ 95.6 %", "100×", "1,000", "a", "b", "–", "– "]),
        (True, ["1,000", "100×", "≈ 95.6 %", "12.5", "−1", "b", "a", "–", "– "]),
    ],
)
def test_rows_are_sorted_by_figures_then_by_words_and_those_without_come_last(is_descending, order):
    cells = ["b", "–", "12.5", "1,000", "a", "≈ 95.6 %", "100×"]
    table = Table("T", [["n", "c"], *([str(at), cell] for at, cell in enumerate(cells))], "N")
    found = sorted_by(table, 1, is_descending)
    assert [row[1] for row in found.rows] == ["c", *(cell for cell in order if cell in cells)]
    assert (found.title, found.note) == ("T", "N")
    assert all(row in table.rows for row in found.rows)


def test_rows_alike_keep_their_order():
    rows = [["1", "2"], ["3", "2"], ["2", "2.0"]]
    assert sorted_by(Table("", [["a", "b"], *rows]), 1, False).rows[1:] == rows


def test_cells_are_padded_by_what_a_terminal_shows():
    assert list(padded(["漢", "é", ""], [4, 3, 0], [False, True, True])) == ["漢  ", "  é", ""]
    assert list(aligned(Table("T", [["a"], ["漢"]]))) == ["T", "  a ", "  漢"]


def test_a_page_has_tables_between_sentences():
    table = Table("T", [["a", "b"], ["x", "1"]], "N")
    other = Table("U", [["c", ""]])
    assert page_of([table, other], ["Before.", ""], ["\x1b"], is_markdown=False) == (
        "Before.\n\nT\n  N\n  a   b\n  x   1\n\nU\n  c\n\n\\x1b"
    )
    assert page_of([table], after=["Behind."], is_markdown=True) == (
        "## T\n\n| a | b |\n| :-- | --: |\n| x | 1 |\n\nBehind."
    )
    assert page_of([], is_markdown=True) == ""


@pytest.mark.parametrize("n_rows", [0, 1, ROWS_IN_BLOCK, ROWS_IN_BLOCK + 1])
def test_csv_comes_in_blocks_of_rows(n_rows):
    blocks = list(csv_blocks([number, "a,b"] for number in range(n_rows)))
    assert [block.count("\n") for block in blocks] == [
        min(ROWS_IN_BLOCK, n_rows - first) for first in range(0, n_rows, ROWS_IN_BLOCK)
    ]
    assert "".join(blocks) == "".join(f'{number},"a,b"\n' for number in range(n_rows))
