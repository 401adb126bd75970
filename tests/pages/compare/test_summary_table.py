"""The summary as rows and columns."""

import pytest
from PySide6.QtCore import Qt
from summaries import Opened, close, compared_models

from guiapp.analysis.compare.texts_report import cost_text, scripts_in
from guiapp.analysis.tree.picture import SCRIPT_NAMES
from guiapp.kit.state.settings import Settings
from guiapp.pages.compare import summary as summary_module
from guiapp.pages.compare.summary import SummaryModel
from guiapp.pages.compare.summary_table import SummaryTable

UP, DOWN = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
HORIZONTAL = Qt.Orientation.Horizontal


@pytest.fixture
def table(qtbot, tmp_path, monkeypatch):
    monkeypatch.setattr(summary_module, "PAUSE_MS", 0)
    compared = compared_models(qtbot, ["demo:bpe", "demo:spm"])
    summary = SummaryModel(compared, Settings(tmp_path / "settings.ini"), Opened())
    made = SummaryTable(summary)
    made.summary, made.compared = summary, compared
    summary.watch(True)
    summary.add_all([("demo:wordpiece", None), ("no such file", None), ("demo:toy", None)])
    qtbot.waitUntil(lambda: not summary.is_counting)
    yield made
    summary.stop()
    close(compared)


def titles(table):
    """With the arrow of what it is sorted by."""
    return [table.headerData(column, HORIZONTAL) for column in range(table.columnCount())]


def column(table, title):
    at = [each.lstrip("▴▾ ") for each in titles(table)].index(title)
    return [table.index(row, at).data() for row in range(table.rowCount())]


def test_only_scripts_of_the_text_have_columns_the_most_frequent_first(table):
    counts = table.rows[0].counts
    scripts = [SCRIPT_NAMES[script] for script in scripts_in(counts.whole)]
    assert scripts == ["Latin", "Cyrillic", "Han"]
    assert titles(table) == ["model", "tokens", "ratio", "char/token", "byte/token", "unknown", *scripts]


def test_cells_are_the_figures_of_the_counts(table):
    first = table.rows[0].counts
    for number, row in enumerate(table.rows):
        if row.counts is None:
            assert column(table, "tokens")[number] == row.failure
            continue
        whole = row.counts.whole
        assert column(table, "tokens")[number] == f"{whole.n_tokens:,}"
        assert column(table, "ratio")[number] == f"{row.counts.ratio_to(first):.2f}×"
        assert column(table, "char/token")[number] == f"{whole.characters_per_token:.2f}"
        assert column(table, "byte/token")[number] == f"{whole.bytes_per_token:.2f}"
        fertility = whole.script_fertility(SCRIPT_NAMES.index("Cyrillic"))
        assert column(table, "Cyrillic")[number] == f"{fertility:.2f}"


@pytest.mark.parametrize("order", [UP, DOWN])
def test_rows_are_sorted_and_brought_back(table, order):
    added = list(table.rows)
    n_tokens = [row.counts.whole.n_tokens for row in added if row.counts is not None]
    table.sort(1, order)
    *known, unknown = table.rows
    assert [row.counts.whole.n_tokens for row in known] == sorted(n_tokens, reverse=order is DOWN)
    assert unknown.failure
    table.sort(0, order)
    names = column(table, "model")
    assert names == sorted(names, key=str.casefold, reverse=order is DOWN)
    assert titles(table)[0] == ("▾ model" if order is DOWN else "▴ model")
    table.sort(-1)
    assert table.rows == added
    assert titles(table)[:2] == ["model", "tokens"]


def test_a_table_is_sorted_again_when_the_text_changes(table, qtbot):
    table.sort(titles(table).index("Latin"), DOWN)
    table.compared.sessions[0].document.insert(b"antidisestablishmentarianism ")
    qtbot.waitUntil(lambda: not table.summary.is_counting)
    fertilities = [cell for cell in column(table, "Latin") if cell]
    assert fertilities == sorted(fertilities, key=float, reverse=True)


def test_cost_and_context_have_columns_once_they_are_known(table):
    table.summary.terms.set_own_price("demo:spm", 4.0)
    assert titles(table)[5:7] == ["unknown", "cost"]
    n_tokens = table.rows[1].counts.whole.n_tokens
    assert column(table, "cost") == ["–", cost_text(n_tokens * 4 / 1e6), "–", "", "–"]
    table.summary.terms.set_context(1000)
    assert titles(table)[5:8] == ["unknown", "of context", "cost"]
    assert column(table, "of context")[1] == f"{n_tokens / 10:.2f} %"
    table.summary.terms.set_own_price("demo:spm", None)
    table.summary.terms.set_context(None)
    assert not {"cost", "of context"} & set(titles(table))


def test_file_types_of_a_folder_have_columns(table, tmp_path, qtbot):
    for name in ("a.py", "b.txt", "c"):
        (tmp_path / "docs").mkdir(exist_ok=True)
        (tmp_path / "docs" / name).write_text(f"some words in {name}")
    table.summary.count_folder(tmp_path / "docs")
    qtbot.waitUntil(lambda: table.summary.folder is not None and not table.summary.is_counting)
    assert set(titles(table)[6:]) == {".py", ".txt", "others"}
    tally = table.rows[0].counts.file_types[".py"]
    assert column(table, ".py")[0] == f"{tally.fertility:.2f}"


def test_only_a_row_that_shows_something_else_is_painted_again(table):
    painted = []
    table.dataChanged.connect(lambda first, last: painted.extend(range(first.row(), last.row() + 1)))
    table.summary.changed.emit()
    assert painted == []
    table.rows[2].title = "another"
    table.summary.changed.emit()
    assert painted == [2]
