"""What `tokenloupe bench` tells while and after it measures; nothing is measured here."""

import json
import signal
from collections.abc import Iterator

import pytest

from guiapp.commands.bench import _charts, _measure, _show_progress, _write_report
from guiapp.core.bench.control import Control
from guiapp.core.bench.measurement import Report
from guiapp.core.bench.plan import Plan


@pytest.mark.parametrize(
    ("event", "line"),
    [
        ({"event": "started", "vocabulary": {"chosen_pre": ""}}, ""),
        (
            {"event": "started", "vocabulary": {"chosen_pre": "gpt-2"}},
            "tokenloupe: Text is split as “gpt-2”, chosen by hand.\n",
        ),
        ({"event": "loading", "contender": "fast"}, "Loading fast …\n"),
        (
            {
                "event": "cell",
                "scenario": "short",
                "operations": ["encode", "count"],
                "corpus": "sample:welcome",
                "number": 2,
                "of": 3,
                "size_bytes": 1200,
            },
            "[2/3] short (encode, count): sample:welcome, 1,200 bytes\n",
        ),
        (
            {"event": "left out", "contender": "heap", "reason": "It is gone."},
            "heap is left out: It is gone.\n",
        ),
        ({"event": "result", "contender": "heap"}, ""),
    ],
)
def test_progress_is_told_in_lines(event, line, capsys):
    _show_progress(event)
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", line)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_a_run_and_means_what_it_meant_before_when_it_ends(number, monkeypatch):
    def interrupted(plan: Plan, control: Control) -> Iterator[dict]:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)  # there is nothing yet that could be lost
        yield {"event": "result", "scenario": "short", "contender": "fast", "samples_s": [1.0]}
        signal.raise_signal(number)
        assert control.shall_stop()

    monkeypatch.setattr("guiapp.core.bench.engine.run", interrupted)
    before, report = signal.getsignal(number), Report()
    _measure(Plan("demo:bpe"), report)
    assert signal.getsignal(number) is before
    assert len(report.results) == 1


def test_a_report_without_charts_says_why(monkeypatch, capsys):
    monkeypatch.setattr("guiapp.qt_libraries.problem", lambda: "A library is missing.")
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert _charts({}, "fast") == {}
    assert capsys.readouterr().err == "tokenloupe: The report has no charts: A library is missing.\n"


def test_the_ending_of_a_report_chooses_its_form(tmp_path):
    record = json.loads(json.dumps(Report().record()))
    _write_report(tmp_path / "a.json", record, "fast")
    assert json.loads((tmp_path / "a.json").read_text()) == record
