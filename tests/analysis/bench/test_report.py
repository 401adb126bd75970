"""A small run as a page, as Markdown and as CSV, and the command that repeats it."""

import argparse
import json
import shlex
from csv import DictReader
from dataclasses import replace
from io import StringIO

import pytest
from bench_runs import MEMORY, record, run_with

from guiapp.analysis.bench.findings import YOUR_TEXT
from guiapp.analysis.bench.plan import Plan
from guiapp.analysis.bench.report import (
    command_line,
    csv_text,
    report_text,
)
from guiapp.cli.bench import _plan, add_options

PLAN = Plan("my models/m.gguf", ("a.txt",), ("fast",), scenarios=("throughput",), threads=(1, 2))
REPEAT = (
    "tokenloupe bench 'my models/m.gguf' -f a.txt --encoders fast --scenario throughput --threads 1,2 "
    "--time-budget 60 --call-limit 10 --repeat never --clock auto --seed 0"
)
PARTS = {
    "environment": {"cores": 2, "load_before": [1.5], "note": None, "clock": "<wall>"},
    "vocabulary": {"path": "C:\\models\\m&m.gguf", "type": "BPE", "tokens": 2560, "sha256": "abc"},
    "plan": json.loads(json.dumps(PLAN.record())),
    "contenders": [{"contender": "fast", "version": ""}, {"contender": "tiktoken", "version": "0.14"}],
    "left_out": [{"contender": "heap", "scenario": None, "operation": None, "reason": "It <crashed>."}],
}
RUN = run_with(
    record("throughput", "fast", 10_000, 1e-4, corpus="a|b"),
    record("throughput", "greedy", 10_000, 5e-5, 0.5, corpus="a|b"),
    **PARTS,
)
CHART = '<?xml version="1.0"?>\n<svg><g id="a"/><b fill="url(#a)"/><use xlink:href="#a"/></svg>'


def test_a_page_escapes_what_it_shows_and_keeps_the_ids_of_charts_apart():
    page = report_text(".html", RUN, "Tokenloupe", {"A & B": CHART, "C": CHART})
    for words in (
        "<h1>Tokenloupe benchmark: m&amp;m.gguf (BPE, 2,560 tokens)</h1>",
        "heap was not measured: It &lt;crashed&gt;.",
        '<g id="chart0-a"/><b fill="url(#chart0-a)"/><use xlink:href="#chart0-a"/>',
        '<g id="chart1-a"/>',
        "<td>greedy</td><td>–</td><td>200</td>",
        "<td>load before (1, 5, 15 minutes)</td><td>1.5</td>",
        "<td>clock (auto: processor time while other programs run)</td><td>&lt;wall&gt;</td>",
        "<td>tiktoken</td><td>0.14</td>",
        '<p class="verdict">a|b: Tokenloupe alone has the right ids; greedy is faster, but',
        REPEAT.replace("'", "&#x27;"),
    ):
        assert words in page
    assert "<crashed>" not in page
    assert "<?xml" not in page


@pytest.mark.parametrize("suffix", [".html", ".md", ".csv"])
def test_a_report_shows_no_character_of_its_own_as_an_escape(suffix):
    times = {"fast": 1e-4, "heap": 3e-4}
    rows = (record("throughput", name, 10_000, s, samples_s=[s] * 9) for name, s in times.items())
    report = report_text(suffix, run_with(*rows), "Tokenloupe", {})
    assert "\\" not in report.partition("<style>")[0] + report.partition("</style>")[2]


def test_csv_has_a_line_for_each_result_with_an_empty_cell_for_what_it_lacks():
    timed = record("throughput", "fast", 10_000, 0.5, ci_s=[0.25, 0.75])
    single = record("latency", "fast", 128, 0.5, p50_s=0.25, p95_s=1.0, p99_s=2.0, n_calls=9)
    rows = list(DictReader(StringIO(csv_text(run_with(timed, MEMORY[0], single)))))
    assert [row["scenario"] for row in rows] == ["throughput", "memory", "latency"]
    assert (rows[0]["ci_low_s"], rows[0]["mb_per_s"], rows[0]["built_bytes"]) == ("0.25", "0.02", "")
    assert (rows[1]["median_s"], rows[1]["built_bytes"], rows[2]["p99_s"]) == ("", "5000000", "2.0")


@pytest.mark.parametrize("folder", ["/home/me/", "C:\\Users\\me\\"])
def test_the_command_of_a_report_runs_wherever_the_named_files_are(folder):
    corpora = f"{folder}a.txt", "sample:code", f"{folder}runs/texts/12ab/{YOUR_TEXT}"
    plan = replace(PLAN, model=f"{folder}m.gguf", corpora=corpora)
    texts = [{"name": name, "sha256": f"of {name}"} for name in ("a.txt", "sample:code", YOUR_TEXT)]
    parts = PARTS | {"plan": json.loads(json.dumps(plan.record())), "corpora": texts}
    *_, repeat = report_text(".md", run_with(**parts), "Tokenloupe", {}).partition(
        "## Repeat this run\n\n```\n"
    )
    save, *files, command, _ = repeat.splitlines()
    assert "text as your-text.txt" in save
    hashes = {"m.gguf": "abc", "a.txt": "of a.txt", "your-text.txt": f"of {YOUR_TEXT}"}
    assert files == [f"# {name}: SHA-256 {sha256}" for name, sha256 in hashes.items()]
    parser = argparse.ArgumentParser()
    add_options(parser)
    again = _plan(parser.parse_args(shlex.split(command)[2:]))
    assert (again.model, again.corpora) == ("m.gguf", ("a.txt", "sample:code", "your-text.txt"))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {
            "pre": "qwen2", "corpora": ("a", "b"), "contenders": (), "with_peers": True, "clock": "cpu",
            "scenarios": ("threads", "short"), "time_budget_s": 0.5, "largest_bytes": 9, "seed": 7,
            "call_limit_s": 2.5, "repeat": "fresh",
        },
        {"contenders": ("fast", "heap (unsplit)"), "threads": (3,)},
    ],
)  # fmt: skip
def test_a_command_line_gives_the_same_plan_again(changes):
    parser, plan = argparse.ArgumentParser(), replace(PLAN, **changes)
    add_options(parser)
    assert _plan(parser.parse_args(shlex.split(command_line(plan))[2:])) == plan
