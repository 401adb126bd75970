"""A small run as a page, as Markdown and as CSV, whole."""

import argparse
import shlex
from dataclasses import replace

import pytest
from bench_runs import MEMORY, record

from guiapp.commands.bench import _plan, add_options
from guiapp.core.bench.plan import Plan
from guiapp.core.bench.remarks import warnings
from guiapp.core.bench.report import (
    STYLE,
    command_line,
    csv_text,
    html_text,
    markdown_text,
    report_text,
)

PLAN = Plan("my models/m.gguf", ("a.txt",), ("fast",), scenarios=("throughput",), threads=(1, 2))
REPEAT = (
    "tokenloupe bench 'my models/m.gguf' -f a.txt --encoders fast --scenario throughput --threads 1,2 "
    "--time-budget 60 --call-limit 10 --repeat never --clock auto --seed 0"
)
RUN = {
    "environment": {"cores": 2, "load_before": [1.5], "note": None, "clock": "<wall>"},
    "vocabulary": {"path": "C:\\models\\m&m.gguf", "type": "BPE", "tokens": 2560, "sha256": "abc"},
    "plan": PLAN.record(),
    "contenders": [{"contender": "fast", "version": ""}, {"contender": "tiktoken", "version": "0.14"}],
    "results": [
        record("throughput", "fast", 10_000, 1e-4, corpus="a|b"),
        record("throughput", "greedy", 10_000, 5e-5, 0.5, corpus="a|b"),
    ],
    "left_out": [{"contender": "heap", "scenario": None, "operation": None, "reason": "It <crashed>."}],
}
MARKDOWN = f"""\
# Tokenloupe benchmark: m&m.gguf (BPE, 2,560 tokens)

- Other programs were busy when the run began: load 1.5 on 2 cores.
- 2 of 2 results are known to no better than ± 10 %.
- greedy differs on a|b from byte 17 on: token 2 instead of token 1; 50.00 % of the spans agree.
- heap took no part: It <crashed>.

## Throughput: a|b, 10 kB

9 turns, 95 % intervals

| contender | tokens/s | MB/s | ± % | of fast | ids |
| :-- | --: | --: | --: | --: | --: |
| greedy | 50.0 M | 200 | 15 | 2.00 | ≈ 50.0 % |
| fast | 25.0 M | 100 | 15 | 1.00 | equal |

## Machine and versions

- cores: 2
- load_before: [1.5]
- clock: <wall>
- tiktoken: 0.14
- vocabulary, SHA-256: abc

## To repeat it

```
{REPEAT}
```
"""
CHART = '<?xml version="1.0"?>\n<svg><g id="a"/><b fill="url(#a)"/><use xlink:href="#a"/></svg>'
HTML = f"""\
<!doctype html><html lang="en"><head><meta charset="utf-8">\
<title>Tokenloupe benchmark: m&amp;m.gguf (BPE, 2,560 tokens)</title>\
<style>{STYLE}</style></head><body>\
<h1>Tokenloupe benchmark: m&amp;m.gguf (BPE, 2,560 tokens)</h1>
<details><summary>4 remarks</summary><ul>\
<li>Other programs were busy when the run began: load 1.5 on 2 cores.</li>\
<li>2 of 2 results are known to no better than ± 10 %.</li>\
<li>greedy differs on a|b from byte 17 on: token 2 instead of token 1; 50.00 % of the spans agree.</li>\
<li>heap took no part: It &lt;crashed&gt;.</li></ul></details>
<figure><figcaption>A &amp; B</figcaption>\
<svg><g id="chart0-a"/><b fill="url(#chart0-a)"/><use xlink:href="#chart0-a"/></svg></figure>
<figure><figcaption>C</figcaption>\
<svg><g id="chart1-a"/><b fill="url(#chart1-a)"/><use xlink:href="#chart1-a"/></svg></figure>
<h2>Throughput: a|b, 10 kB</h2><p>9 turns, 95 % intervals</p>\
<div class="wide"><table>\
<thead><tr><th scope="col">contender</th><th scope="col">tokens/s</th><th scope="col">MB/s</th>\
<th scope="col">± %</th><th scope="col">of fast</th><th scope="col">ids</th></tr></thead>
<tbody><tr><td>greedy</td><td>50.0 M</td><td>200</td><td>15</td><td>2.00</td><td>≈ 50.0 %</td></tr>
<tr><td>fast</td><td>25.0 M</td><td>100</td><td>15</td><td>1.00</td><td>equal</td></tr></tbody></table></div>
<h2>Machine and versions</h2><div class="wide"><table>\
<thead><tr><th scope="col"></th><th scope="col"></th></tr></thead>
<tbody><tr><td>cores</td><td>2</td></tr>
<tr><td>load_before</td><td>[1.5]</td></tr>
<tr><td>clock</td><td>&lt;wall&gt;</td></tr>
<tr><td>tiktoken</td><td>0.14</td></tr>
<tr><td>vocabulary, SHA-256</td><td>abc</td></tr></tbody></table></div>
<h2>To repeat it</h2>
<pre>{REPEAT.replace("'", "&#x27;")}</pre></body></html>
"""
CSV = """\
scenario,operation,contender,corpus,size_bytes,threads,n,median_s,mb_per_s,tokens_per_s,n_tokens,exact,\
agreement,ci_low_s,ci_high_s,built_bytes,encoding_bytes,p50_s,p95_s,p99_s,joules_per_mb,joules_low,joules_high
throughput,encode,fast,a|b,10000,1,9,0.5,0.02,5000.0,7,True,1.0,0.25,0.75,,,,,,,,
memory,encode,fast,english,1000,1,9,,,,,True,1.0,,,5000000,1000000,,,,,,
latency,encode,fast,english,128,1,9,0.5,0.000256,64.0,32,True,1.0,0.45,0.6,,,0.25,1,2,,,
energy,encode,fast,english,1000,1,9,0.5,0.002,500.0,250,True,1.0,0.45,0.6,,,,,,2.0,1.5,2.5
"""


@pytest.mark.parametrize(("ending", "whole"), [(".md", MARKDOWN), (".html", HTML), ("", HTML)])
def test_the_ending_of_a_file_names_its_format(ending, whole):
    assert report_text(ending, RUN, "fast", {"A & B": CHART, "C": CHART}) == whole
    assert report_text(".csv", RUN, "fast", {}) == csv_text(RUN)
    assert report_text(".json", {"a": "é"}, "", {}) == '{\n "a": "é"\n}\n'


def test_figures_as_csv_whole():
    timed = record("throughput", "fast", 10_000, 0.5, corpus="a|b", ci_s=[0.25, 0.75], n_tokens=7)
    single = record("latency", "fast", 128, 0.5, p50_s=0.25, p95_s=1, p99_s=2)
    metered = record("energy", "fast", 1_000, 0.5, joules_per_mb=2.0, joules_ci=[1.5, 2.5])
    assert csv_text({"results": [timed, MEMORY[0], single, metered]}) == CSV


def test_a_command_line_gives_the_same_plan_again():
    parser = argparse.ArgumentParser()
    add_options(parser)
    words = shlex.split(REPEAT)
    assert words[:2] == ["tokenloupe", "bench"]
    assert _plan(parser.parse_args(words[2:])) == PLAN


def test_a_published_table_tells_its_source_in_both():
    run = {"results": [record("throughput", "scan", 1142, 1e-3, corpus="tutorial")]}
    note = "Published in: a tutorial without an address that we know. What differs: "
    assert f"\n\n{note}" in markdown_text(run, "fast")
    assert f"<h2>C++ tutorial: published, and here</h2><p>{note}" in html_text(run, "fast", {})


def test_a_run_that_tells_little_is_told_all_the_same():
    text = markdown_text({"results": []}, "fast")
    assert text == (
        "# Tokenloupe benchmark:  (?, 0 tokens)\n\n## Machine and versions\n\n- vocabulary, SHA-256: None\n\n"
        "## To repeat it\n\n```\nThe plan of this run was not kept.\n```\n"
    )
    chosen = {
        "results": [],
        "vocabulary": {"path": "/a/b.gguf", "type": "BPE", "tokens": 1, "chosen_pre": "qwen2"},
    }
    first, *_ = markdown_text(chosen, "fast").splitlines()
    assert first == "# Tokenloupe benchmark: b.gguf (BPE, 1 token, split as “qwen2”)"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {},
            REPEAT.partition("m.gguf' ")[2],
        ),
        (
            {
                "pre": "qwen2",
                "corpora": ("a", "b"),
                "contenders": (),
                "with_peers": True,
                "scenarios": ("threads", "short"),
                "threads": (1, 2),
                "time_budget_s": 0.5,
                "largest_bytes": 0,
                "call_limit_s": 2.5,
                "clock": "cpu",
                "seed": 7,
            },
            "--pre qwen2 -f a -f b --peers --scenario threads,short --threads 1,2 --time-budget 0.5 "
            "--call-limit 2.5 --largest 0 --repeat never --clock cpu --seed 7",
        ),
        (
            {"contenders": ("fast", "heap (unsplit)"), "threads": (3,)},
            "-f a.txt --encoders 'fast,heap (unsplit)' --scenario throughput --threads 3 --time-budget 60 "
            "--call-limit 10 --repeat never --clock auto --seed 0",
        ),
    ],
)
def test_a_command_line_has_what_differs(changes, words):
    assert command_line(replace(PLAN, model="m", **changes)) == f"tokenloupe bench m {words}"


ONE_SHARED = "1 of 1 results had less than 90 % of a core: other programs ran beside"
CALM = record("throughput", "fast", 10, 10.0, ci_s=[9.0, 11.0], processor_share=0.9)
WIDE = {**CALM, "median_s": 2.0, "ci_s": [1.7, 2.2]}
SHARED = {**CALM, "processor_share": 0.8}


@pytest.mark.parametrize(
    ("environment", "rows", "told"),
    [
        ({}, [CALM], []),
        ({"mhz_before": 900.0, "mhz_after": 1000.0}, [CALM], []),
        (
            {"mhz_before": None, "mhz_lowest": 899.0, "mhz_highest": 1000.0},
            [CALM],
            ["The processor's frequency changed between 899 and 1000 MHz."],
        ),
        (
            {"mhz_before": 2000.0, "mhz_after": 1000.0},
            [CALM],
            ["The processor's frequency changed between 1000 and 2000 MHz."],
        ),
        ({"stolen_share": 0.05}, [CALM], []),
        (
            {"stolen_share": 0.06},
            [CALM],
            ["Other machines on the same host took 6 % of the processor time asked for."],
        ),
        (
            {},
            [CALM, SHARED],
            ["1 of 2 results had less than 90 % of a core: other programs ran beside."],
        ),
        (
            {},
            [CALM, {**CALM, "clock": "cpu"}],
            ["1 of 2 results are processor time, as other programs ran beside."],
        ),
        (
            {"load_highest": 2.5, "cores": 4},
            [SHARED],
            [f"{ONE_SHARED}, load up to 2.5 on 4 cores."],
        ),
        (
            {"load_highest": 0.5},
            [SHARED],
            [f"{ONE_SHARED}, load up to 0.5 on 1 cores."],
        ),
        (
            {},
            [
                {**CALM, "median_s": 2.0, "ci_s": [1.7, 2.2]},
                {**CALM, "ci_s": None},
                {**CALM, "ci_s": [9.0, 13.0]},
            ],
            ["2 of 3 results are known to no better than ± 10 %."],
        ),
    ],
)
def test_what_makes_figures_doubtful_is_told(environment, rows, told):
    assert list(warnings({"environment": environment, "results": rows})) == told


def test_a_run_that_was_stopped_says_so():
    assert list(warnings({"results": [], "complete": True})) == []
    assert list(warnings({"results": [], "complete": False})) == ["The run was stopped before its end."]
