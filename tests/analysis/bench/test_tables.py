"""Results as tables, changes between two runs, and published figures beside results."""

from bench_runs import EVERYTHING, RUN, result

from guiapp.analysis.bench.findings import notes
from guiapp.analysis.bench.history import SpeedChange
from guiapp.analysis.bench.plan import SCENARIOS
from guiapp.analysis.bench.report import (
    change_lines,
    change_table,
    measured_tables,
    table_lines,
    tables,
)
from guiapp.analysis.bench.run_results import run_of
from guiapp.analysis.bench.statistics import Ratio
from guiapp.analysis.export.tables import NONE, Table, sorted_by
from guiapp.core.text.numbers_in_words import with_prefix


def columns(table) -> dict[str, list[str]]:
    """The cells of a table by their heads."""
    head, *rows = table.rows
    return dict(zip(head, map(list, zip(*rows, strict=True)), strict=True))


def test_every_scenario_has_a_table_of_its_own_and_a_terminal_shows_them_all():
    run = run_of(EVERYTHING)
    titles = [table.title for table in tables(run, "Tokenloupe")]
    for scenario in SCENARIOS.values():
        assert any(title.startswith(scenario.title) for title in titles)
    lines = "\n".join(table_lines(run, "Tokenloupe"))
    assert all(title in lines for title in titles)
    assert all(note in lines for note in notes(run))


def test_the_best_come_first_with_interval_ratio_and_ids():
    first, *_ = measured_tables(run_of(RUN).results, "Tokenloupe")
    shown = columns(first)
    assert shown["encoder"] == ["greedy", "Tokenloupe", "tiktoken", "rs-bpe"]
    assert shown["MB/s"] == ["200", "100", "10.0", "10.0"]
    assert shown["of Tokenloupe"] == ["2.0", "1.00", "0.10", "0.10"]
    assert shown["ids"] == ["≈ 95.0 %", "equal", "equal", "own vocabulary"]
    assert shown["tokens/s"][-1] == NONE, "tokens of another vocabulary are no measure"


def test_speeds_are_sorted_by_their_value_whatever_their_prefix():
    speeds = {"a": 1e6, "b": 2e3, "c": 3e5}
    table = Table("", [["", "tokens/s"], *([name, with_prefix(speed)] for name, speed in speeds.items())])
    assert [row[0] for row in sorted_by(table, 1, True).rows[1:]] == ["a", "c", "b"]


def change(name: str, ratio: float, threads: int = 1, **more) -> SpeedChange:
    now = result("scaling", name, 2_048, 1.0, threads=threads)
    return SpeedChange(now, Ratio(ratio, ratio * 0.96, ratio * 1.04), **more)


def test_changes_are_listed_with_their_verdicts():
    changes = [change("heap", 1.5), change("fast", 0.5, threads=2), change("scan", 1.0)]
    assert change_table(changes, "Since yesterday").rows[1:] == [
        ["heap", "scaling (encode)", "english", "2 KiB", "▼ slower", "1.50", "1.44 to 1.56"],
        ["fast", "scaling (encode), 2 threads", "english", "2 KiB", "▲ faster", "0.50", "0.48 to 0.52"],
        ["scan", "scaling (encode)", "english", "2 KiB", "same", "1.00", "0.96 to 1.04"],
    ]
    slower, faster, counts = change_lines(changes)
    assert slower.startswith("SLOWER: heap: scaling (encode), english, 2,048 bytes: 1.50 × the time")
    assert faster.startswith("FASTER: fast: scaling (encode), english, 2,048 bytes, 2 threads")
    assert counts == "1 slower, 1 faster, 1 same"
