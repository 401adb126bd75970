"""The script `ui.py`: a few events of some measurements, with a small model."""

import json
import sys
from functools import partial

import pytest
from benchmarks import ui
from PySide6.QtCore import QCoreApplication, QEvent


@pytest.fixture
def delete_windows_afterwards(qapp):
    """Delete the windows of the measurements, which later tests would have to restyle."""
    yield
    for window in qapp.topLevelWidgets():
        window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.mark.usefixtures("delete_windows_afterwards")
def test_measurements_are_written_as_json(tmp_path, monkeypatch, capsys):
    few = partial(ui.opening, n_runs=2), partial(ui.editing, n_bytes=6000, n_events=2)
    monkeypatch.setattr(ui, "ALL", few)
    monkeypatch.setattr(sys, "argv", ["ui.py", "--model", "demo:toy", "--json", str(tmp_path / "ui.json")])
    ui.main()
    made = json.loads((tmp_path / "ui.json").read_text())
    assert {"Tokenloupe", "Processor", "Cores", "Load"} <= {*made["environment"]}
    rows = {row["name"]: row for row in made["measurements"]}
    assert list(rows) == [
        "open_model",
        "keystroke_10mb",
        "scroll_10mb",
        "find_next_10mb",
        "keystroke_1mb_line",
    ]
    assert rows["keystroke_10mb"].keys() == {"name", "unit", "n", "median", "p95", "worst"}
    assert (rows["open_model"]["unit"], rows["keystroke_10mb"]["n"]) == ("s", 2)
    assert all(0 < row["median"] <= row["p95"] <= row["worst"] for row in rows.values())
    assert "keystroke_10mb" in capsys.readouterr().out
