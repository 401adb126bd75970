"""A scenario is one row: whoever adds one finds it everywhere else."""

import json
from dataclasses import replace

import pytest
from fake_workers import report_of

from guiapp.analysis.bench.plan import SCENARIOS, Plan
from guiapp.analysis.bench.report import table_lines
from guiapp.analysis.bench.run_results import run_of
from guiapp.cli.main import run

HALVES = replace(
    SCENARIOS["decode"],
    name="halves",
    title="Speed of half a text",
    label="Halves",
    help="encoding the first half of each text",
    operations=("encode",),
    sizes=(571,),
    texts=SCENARIOS["scaling"].texts,
)


@pytest.fixture(autouse=True)
def row(monkeypatch):
    monkeypatch.setitem(SCENARIOS, HALVES.name, HALVES)


def test_a_new_row_is_in_the_help(capsys):
    with pytest.raises(SystemExit):
        run(["bench", "--help"])
    assert "halves       Halves: encoding the first half of each text" in capsys.readouterr().out


def test_a_new_scenario_is_planned_measured_and_reported():
    plan = Plan("demo:bpe", ("sample:welcome",), ("fast", "heap"), scenarios=("throughput", "halves"))
    run_record = json.loads(json.dumps(report_of(plan)))
    halves = [row for row in run_record["results"] if row["scenario"] == "halves"]
    assert {row["size_bytes"] for row in halves} == {571}
    lines = [" ".join(line.split()) for line in table_lines(run_of(run_record), "Tokenloupe")]
    assert lines.count("encoder tokens/s MB/s ± % of Tokenloupe ids") == 2
    assert "Speed of half a text: sample:welcome, 571 B" in lines
