"""Reports and pictures of a run."""

from __future__ import annotations

import threading

import pytest
from bench_runs import EVERYTHING, RUN
from fake_engine import EVENTS
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from guiapp.analysis.bench.plan import SCENARIOS
from guiapp.analysis.bench.run_results import run_of
from guiapp.kit.widgets.theme import DARK, LIGHT
from guiapp.pages.bench import saving as bench_export
from guiapp.pages.bench.saving import paper_charts


@pytest.fixture
def page(shared_page):
    return shared_page


@pytest.fixture
def export(page, tmp_path, monkeypatch):
    head = {
        "vocabulary": {"path": "/models/vocab.gguf"},
        "corpora": [{"name": "english", "sha256": "0", "size_bytes": 12_345}],
        "environment": {"cores": 2, "started": "2026-11-30T03:59:24"},
    }
    page.model.show_run(run_of({**RUN, **head}))
    page.redraw()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *asked: str(tmp_path))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *asked: (str(tmp_path / "run.html"), ""))
    return page.export


def test_every_chart_of_the_run_becomes_two_pictures(page, export, tmp_path, qtbot):
    page.save_pictures()
    qtbot.waitUntil(lambda: not export.is_busy)
    names = {path.stem for path in tmp_path.glob("*.svg")}
    assert {"throughput-english", "speed-exactness-english", "speed-by-length-of-text-tokens-s"} <= names
    assert names == {path.stem for path in tmp_path.glob("*.png")}
    assert len(names) == 5
    throughput = (tmp_path / "throughput-english.svg").read_text()
    assert "in tokens/s, with 95 % intervals" in throughput
    assert "tiktoken" in throughput
    for part in ("vocab.gguf", "english, 12,345 B", "2 cores", "2026-11-30"):
        assert part in throughput, "what it is of"
    assert not any("<image" in file.read_text() for file in tmp_path.glob("*.svg"))


def test_a_run_is_still_marked_as_stopped_after_a_report(page, export, tmp_path, qtbot):
    page.model.show_run(run_of({**RUN, "environment": {"ended": "now"}}))
    for save in (page.bar.report_button.click, page.save_pictures):
        save()
        qtbot.waitUntil(lambda: not export.is_busy)
        assert "Stopped early" in page.headline.sentence.accessibleName()
    assert "stopped" in (tmp_path / "run.html").read_text()
    assert "stopped early" in (tmp_path / "throughput-english.svg").read_text()


def test_the_report_holds_all_charts_in_light_colours_whatever_the_screen_shows(
    page, export, tmp_path, qtbot
):
    page.bar.report_button.click()
    qtbot.waitUntil(lambda: not export.is_busy)
    report = (tmp_path / "run.html").read_text()
    assert report.count("<svg") == 5
    assert not any(color.name() in report for color in (DARK.raised, DARK.panel, DARK.dim, DARK.text))
    assert LIGHT.dim.name() in report


@pytest.mark.parametrize("suffix", [".md", ".csv", ".json"])
def test_reports_come_in_the_format_of_their_ending(page, export, tmp_path, suffix, qtbot, monkeypatch):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *asked: (str(tmp_path / f"run{suffix}"), ""))
    page.save_report()
    qtbot.waitUntil(lambda: not export.is_busy)
    assert "tiktoken" in (tmp_path / f"run{suffix}").read_text()


def test_paper_has_each_chart_with_its_unit(qapp):
    named = list(paper_charts(run_of(EVERYTHING), "heap"))
    charts, title = dict(named), {name: row.title for name, row in SCENARIOS.items()}
    assert len(charts) == len(named), "none twice"
    assert {
        *("Throughput, english", "Speed × exactness, english", f"{title['scaling']}: tokens/s"),
        *(f"{title['worst']}, {text}" for text in ("english", "other")),
        *(title[name] for name in ("scaling", "short", "append", "threads", "memory", "latency")),
    } <= charts.keys()
    speeds, times = (charts[f"{title['scaling']}{unit}"] for unit in (": tokens/s", ""))
    assert ("In tokens/s, logarithmic axes." in speeds, "Logarithmic axes." in times) == (True, True)
    assert "of heap" in charts[f"{title['decode']}, english"]


def test_nothing_is_written_in_the_thread_of_the_window(page, export, qtbot, monkeypatch):
    def note(path, data) -> None:
        written[path.name] = threading.current_thread() is threading.main_thread()

    written: dict[str, bool] = {}
    monkeypatch.setattr(bench_export, "replace_file", note)
    for save in (page.save_pictures, page.save_report):
        save()
        qtbot.waitUntil(lambda: not page.export.is_busy)
    assert {"run.html", "throughput-english.png", "throughput-english.svg"} <= written.keys()
    assert not any(written.values())


def test_a_report_that_cannot_be_written_shows_an_error(page, export, tmp_path, qtbot, monkeypatch):
    path = str(tmp_path / "missing" / "run.html")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *asked: (path, ""))
    page.bar.report_button.click()
    qtbot.waitUntil(lambda: any("cannot be written" in each.message for each in page.notices.notices))
    assert "Drawing" not in page.model.progress


@pytest.mark.parametrize(
    ("name", "filter_start", "written"),
    [
        ("run.v2", "Page", "run.v2.html"),
        ("run.v2", "Table", "run.v2.csv"),
        ("run.v2", "", "run.v2.html"),
        ("run.v2.MD", "Page", "run.v2.MD"),
    ],
)
def test_a_name_keeps_its_dots(page, export, tmp_path, qtbot, monkeypatch, name, filter_start, written):
    def ask(parent, title, suggested, filters, *_):
        chosen = next(each for each in filters.split(";;") if each.startswith(filter_start))
        return str(tmp_path / name), chosen if filter_start else ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    page.bar.report_button.click()
    qtbot.waitUntil(lambda: (tmp_path / written).exists())
    assert "tiktoken" in (tmp_path / written).read_text()
    assert [path.name for path in tmp_path.glob("run*")] == [written]


def test_the_report_button_is_there_exactly_when_there_is_something_to_report(
    open_page, runner, qtbot, monkeypatch
):
    page, asked = open_page, []
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *given: asked.append(given) or ("", ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *given: asked.append(given) or "")

    def answers() -> bool:
        """Whether a click asks for a file; menu and keys do the same, for pictures too."""
        page.redraw()
        asked.clear()
        qtbot.mouseClick(page.bar.report_button, Qt.MouseButton.LeftButton)
        for save in (page.save_report, page.save_pictures):
            save()
        assert len(asked) in (0, 3)
        return page.bar.report_button.isEnabled() and len(asked) == 3

    assert not answers()
    assert page.model.progress.startswith("Nothing measured yet")
    page.model.show_run(run_of(RUN))
    assert answers()
    page.model.run()
    for event in EVENTS:  # of a cell that goes on, figures are in charts and not in reports
        runner.told.emit(event)
    assert page.model.results
    assert not answers()
    runner.end()
    assert answers()
