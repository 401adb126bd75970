"""Tables of words, and JSON that terminals may show, in one piece or in parts."""

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guiapp.analysis.export import tables as module
from guiapp.analysis.export.exported_run import row_of
from guiapp.analysis.export.tables import (
    Table,
    aligned,
    csv_lines,
    file_text,
    json_parts,
    json_text,
    markdown_table,
    n_columns,
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


def test_markdown_escapes_cell_separators():
    assert markdown_table(TABLE).splitlines()[:3] == ["|  | a\\|b |", "| :-- | --: |", "| name, long | 1 |"]


def test_csv_can_be_read_back():
    assert list(csv.reader(io.StringIO(csv_lines(TABLE.rows)))) == TABLE.rows


RECORDS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def as_iterators(record):
    """A record with an iterator in the place of each list that is not within another one."""
    if isinstance(record, dict):
        return {key: as_iterators(value) for key, value in record.items()}
    return iter(record) if isinstance(record, list) else record


@given(RECORDS)
def test_a_record_is_read_back_and_its_parts_are_the_whole(record):
    text = json_text(record)
    assert json.loads(text) == record
    assert "".join(json_parts(record)) == text
    assert "".join(json_parts(as_iterators(record))) == text
    assert json.loads(json_text(record, 2)) == record


def test_a_long_list_is_written_part_by_part(monkeypatch):
    monkeypatch.setattr(module, "AT_ONCE", 2)
    for size in range(6):
        whole = {"a": [*range(size)], "b": 1}
        parts = list(json_parts({"a": iter(range(size)), "b": 1}))
        assert "".join(parts) == json_text(whole)
        assert max(part.count(",") for part in parts) <= 2


@pytest.mark.parametrize(
    ("character", "written"),
    [
        *(("é", "é"), ("漢", "漢"), ("~", "~"), ("\xa0", "\xa0")),
        *(("\x7f", "\\u007f"), ("\x9f", "\\u009f"), ("\u2028", "\\u2028"), ("\u200b", "\\u200b")),
        *(("\ud800", "\\\\ud800"), ("\udcff", "\\\\xff"), ("\U000e0041", "\\udb40\\udc41")),
        *(("\ufff9", "\\ufff9"), ("\ufffb", "\\ufffb"), ("\ufffc", "\ufffc"), ("\x1b", "\\u001b")),
    ],
)
def test_what_cannot_be_seen_is_escaped(character, written):
    assert json_text([character]) == f'["{written}"]'
    assert "".join(json_parts({character: iter([character])})) == f'{{"{written}": ["{written}"]}}'


def test_files_have_a_line_for_each_entry_and_no_numbers_that_json_does_not_know():
    assert file_text({"é": [1]}) == '{\n "é": [\n  1\n ]\n}\n'
    with pytest.raises(ValueError, match="not JSON compliant"):
        file_text(float("nan"))
    assert json_text({"a": [1]}, 2) == '{\n  "a": [\n    1\n  ]\n}'


@pytest.mark.parametrize(
    ("text", "n"),
    [("", 0), ("ab", 2), ("汉a", 3), ("Ａ🚀", 4), ("é", 1)],
    ids=lambda value: str(len(str(value))),
)
def test_ideographs_and_emoji_take_two_columns(text, n):
    assert n_columns(text) == n


def test_a_drawing_holds_nothing_that_cannot_be_seen():
    assert "\x01" not in "".join(row_of(1, "`\x01` is `a`.", 0)[0])
