"""What `tokenloupe bench` says of a run that was stopped, and where it is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from bench_runs import record

from guiapp.cli import run
from guiapp.core.bench.control import Control
from guiapp.core.bench.plan import Plan


@pytest.mark.parametrize(
    ("n_results", "file", "said"),
    [
        (0, None, "Stopped with 0 results."),
        (1, "-", "Stopped with 1 result."),
        (2, "run.json", "Stopped with 2 results, kept in run.json."),
    ],
)
def test_a_stopped_run_tells_how_much_it_has_and_where(tmp_path, monkeypatch, capsys, n_results, file, said):
    def stopped(plan: Plan, control: Control) -> Iterator[dict]:
        for name in ("fast", "heap")[:n_results]:
            yield {"event": "result", **record("throughput", name, 10_000, 1e-4)}

    monkeypatch.setattr("guiapp.core.bench.engine.run", stopped)
    monkeypatch.chdir(tmp_path)
    assert run(["bench", "demo:bpe", *(["--json", file] if file else [])]) == 130
    out, err = capsys.readouterr()
    assert err.splitlines()[-1] == f"tokenloupe: {said}"
    assert [each.name for each in tmp_path.iterdir()] == ["run.json"] * (file == "run.json")
    kept = out if file == "-" else (tmp_path / file).read_text() if file else None
    if kept is not None:
        assert len(json.loads(kept)["results"]) == n_results
