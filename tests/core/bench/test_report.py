"""Runs as HTML, Markdown and CSV, and the command line that repeats them."""

from __future__ import annotations

import argparse
import csv
import io
import json
import shlex
from dataclasses import replace

import pytest
from fake_workers import report_of

from guiapp.commands.bench import _plan, add_options
from guiapp.core.bench.beside import ratio_text
from guiapp.core.bench.plan import Plan
from guiapp.core.bench.report import command_line, csv_text, html_text, markdown_text, report_text, warnings
from guiapp.core.bench.tables import published_tables, table_lines, tables

SVG = '<?xml version="1.0"?><svg width="1"><g id="a"/><use href="#a"/></svg>'
PLAN = Plan(
    "demo:bpe",
    ("sample:welcome",),
    ("fast", "heap"),
    scenarios=("throughput", "memory", "interval", "threads"),
    threads=(1, 2),
    time_budget_s=0.1,
    largest_bytes=5_000,
    seed=3,
    pre="llama-bpe",
)


@pytest.fixture(scope="module")
def record() -> dict:
    return report_of(PLAN)


def test_the_command_line_gives_the_same_plan_again():
    parser = argparse.ArgumentParser()
    add_options(parser)
    words = shlex.split(command_line(PLAN))
    assert words[:2] == ["tokenloupe", "bench"]
    assert _plan(parser.parse_args(words[2:])) == PLAN


def test_a_chosen_pre_tokenizer_is_in_the_title_and_the_command_line():
    record = report_of(replace(PLAN, pre="qwen2", scenarios=("throughput",)))
    assert record["vocabulary"]["chosen_pre"] == record["plan"]["pre"] == "qwen2"
    page = markdown_text(record, "fast")
    assert "split as “qwen2”" in page
    assert " --pre qwen2 " in page


def test_the_page_holds_tables_charts_and_the_machine_and_needs_nothing_else(record):
    page = html_text(record, "fast", {"Speed <1>": SVG, "Time": SVG})
    assert page.count("<svg") == 2
    assert "<?xml" not in page
    assert "Speed &lt;1&gt;" in page
    assert 'id="chart1-a"' in page
    assert 'href="#chart1-a"' in page
    assert "--seed 3" in page
    assert "http" not in page
    for word in ("heap", "Memory, MB", "times the time", record["vocabulary"]["sha256"]):
        assert word in page


def test_markdown_has_a_row_for_each_contender(record):
    rows = [line for line in markdown_text(record, "fast").splitlines() if line.startswith("| heap")]
    assert len(rows) == 5  # counting and encoding parts are a table each
    assert all("1.00×" in row for row in rows if "equal" in row)


def test_tables_write_how_many_times_as_fast_as_charts_do(record):
    fast = next(row for row in record["results"] if row["scenario"] == "throughput")
    slow = {**fast, "contender": "slow", "median_s": fast["median_s"] * 21.4}
    run = {**record, "results": [fast, slow]}
    text = "\n".join(table_lines(run, fast["contender"]))
    for report in (text, markdown_text(run, fast["contender"]), html_text(run, fast["contender"], {})):
        assert " 1/21.4×" in report


def test_the_ending_of_a_file_names_its_format(record):
    texts = {
        suffix: report_text(suffix, record, "fast", {"A": SVG}) for suffix in (".md", ".csv", ".json", "")
    }
    assert texts[".md"] == markdown_text(record, "fast")
    assert texts[".csv"] == csv_text(record)
    assert json.loads(texts[".json"]) == json.loads(json.dumps(record))
    assert texts[".json"].endswith("}\n")
    assert "–" in texts[".json"] or "\\u" not in texts[".json"]
    assert texts[""] == html_text(record, "fast", {"A": SVG})


def test_csv_has_a_line_for_each_result(record):
    rows = list(csv.DictReader(io.StringIO(csv_text(record))))
    assert len(rows) == len(record["results"])
    first = next(row for row in rows if row["scenario"] == "throughput")
    assert float(first["ci_low_s"]) <= float(first["median_s"]) <= float(first["ci_high_s"])


def test_noise_is_told(record):
    results = [{**row, "processor_share": 1.0} for row in record["results"]]
    quiet = {"cores": 2, "load_before": [0.1, 0, 0], "mhz_before": 3000.0, "mhz_after": 3000.0}
    assert list(warnings({**record, "results": results, "environment": quiet})) == []
    noisy = {**quiet, "load_before": [1.5, 1, 1], "mhz_lowest": 2000.0}
    busy, slower = warnings({**record, "results": results, "environment": noisy})
    assert "load 1.5 on 2 cores" in busy
    assert "2000 and 3000 MHz" in slower
    robbed = {**quiet, "stolen_share": 0.314}
    (stolen,) = warnings({**record, "results": results, "environment": robbed})
    assert "took 31 % of the processor time" in stolen
    disturbed = {**results[0], "processor_share": 0.7}
    (shared,) = warnings({**record, "results": [*results[1:], disturbed], "environment": quiet})
    assert f"1 of {len(results)} results had less than 90 % of a core" in shared


def test_published_figures_stand_beside_those_of_the_same_thing(record):
    result = {**record["results"][0], "contender": "scan", "corpus": "tutorial"}
    tables_of = [table for table in tables({"results": [result]}, "fast") if "published" in table.title]
    (rows,) = (table.rows for table in tables_of)
    assert rows[1][0] == "scan"
    assert "naive 5387 ms" in rows[1]
    assert tables_of[0].title.startswith("C++ tutorial")
    assert not any("published" in table.title for table in tables({"results": []}, "fast"))


@pytest.mark.parametrize(
    ("scenario", "operation", "contender", "size", "figure"),
    [
        ("scaling", "encode", "greedy", 1 << 22, "335.9 ms for 4,194,304 B, 12.5 MB/s"),
        ("scaling", "encode", "llama.cpp", 128, "14.66 ms for 128 B"),
        ("short", "encode each", "tiktoken", 1_024, "63 µs for 1,000 B"),
        ("scaling", "encode", "heap (unsplit)", 8_192, "1.12 ms for 10,000 B"),
        ("append", "append", "fast", 10_000, "876 µs"),
        ("interval", "count parts", "fast", 45, "0.26 µs for 10 B to 0.34 µs"),
        ("threads", "encode batch", "gigatoken", 2_096_000, "22,150 MB/s with Llama 3"),
    ],
)
def test_each_paper_has_its_figures_with_source_and_machine(
    record, scenario, operation, contender, size, figure
):
    asked = {"scenario": scenario, "operation": operation, "contender": contender, "size_bytes": size}
    run = {"results": [{**record["results"][0], **asked}]}
    found = [table for table in tables(run, "fast") if "published" in table.title]
    assert any(figure in row[2] for table in found for row in table.rows[1:])
    for table in found:
        where, differs = table.note.split(" What differs: ")
        assert where.startswith("Published in: github.com/")
        assert "thread" in differs or "Intel" in differs


def test_published_figures_of_who_was_not_measured_stand_there_with_the_reason(record):
    result = {**record["results"][0], "contender": "scan", "corpus": "tutorial"}
    left_out = {"contender": "sentencepiece", "scenario": None, "reason": "It takes SPM only."}
    (table,) = published_tables({"results": [result], "left_out": [left_out]})
    _, _, heap, sentencepiece = table.rows
    assert heap[0::4] == ["heap", "took no part"]
    assert sentencepiece[:3] == ["sentencepiece", "throughput: tutorial, 1,142 B", "sentencepiece 2.9 ms"]
    assert sentencepiece[4:] == ["It takes SPM only.", "–", "–"]


def test_a_published_ratio_stands_beside_the_same_ratio_here(record):
    cell = {**record["results"][0], "scenario": "scaling", "operation": "encode", "size_bytes": 4 << 20}
    ours, theirs = (
        {**cell, "contender": name, "median_s": s} for name, s in (("greedy", 1.0), ("llama.cpp", 3.0))
    )
    (table,) = published_tables({"results": [ours, theirs]})
    assert table.rows[0][3] == table.rows[0][5] == "× llama.cpp"
    ratios = {row[0]: (row[3], row[5]) for row in table.rows[1:]}
    assert ratios == {"greedy": ("2.53×", "3.00×"), "llama.cpp": ("1.00×", "1.00×")}
    (alone,) = published_tables({"results": [ours]})
    assert alone.rows[1][5] == "–"


def test_what_no_source_says_is_called_unknown(record):
    decoded = {**record["results"][0], "scenario": "decode", "operation": "decode", "corpus": "tutorial"}
    (table,) = published_tables({"results": [{**decoded, "contender": "heap"}]})
    assert table.rows[1][2:4] == ["unknown", "–"]
    assert "in no source that we could read" in table.note


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (None, "–"),
        (1524.3, "1,524×"),
        (12.34, "12.3×"),
        (1.0, "1.00×"),
        (0.1, "0.10×"),
        (1 / 1310, "1/1,310×"),
    ],
)
def test_ratios_have_three_digits_and_small_ones_are_fractions(ratio, text):
    assert ratio_text(ratio) == text
