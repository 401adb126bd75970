"""Tables of words."""

import csv
import io
from itertools import count

from guiapp.core.export.tables import Table, aligned, csv_blocks, csv_lines, markdown_table

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
