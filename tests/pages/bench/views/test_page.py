"""The Bench page as a whole: from a click to a verdict, and what stands around that."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest
from bench_runs import RUN, record
from fake_engine import EVENTS
from PySide6.QtCore import QEvent, QPoint, Qt, QTimer
from PySide6.QtGui import QAction, QTextDocument
from PySide6.QtWidgets import QApplication, QFileDialog

from guiapp.analysis.bench.findings import notes
from guiapp.analysis.bench.plan import BenchError
from guiapp.analysis.bench.report import measured_tables
from guiapp.analysis.bench.run_results import run_of
from guiapp.kit.charts.chart import image_of
from guiapp.pages.bench.bar import RunsDialog
from guiapp.pages.bench.choice import CODE, ENGLISH
from guiapp.pages.bench.history import RunHistory
from guiapp.pages.bench.model import BenchModel, BenchRunner
from guiapp.pages.bench.results import CALM, CHANGES

LEFT = Qt.MouseButton.LeftButton


def headline_text(page) -> str:
    return page.headline.sentence.accessibleName()


def test_a_click_on_run_leads_to_a_verdict(qtbot, open_page, model, runner):
    page = open_page
    assert headline_text(page).startswith(f"{len(model.choice.contenders)} encoders, about ")
    qtbot.mouseClick(page.bar.run_button, LEFT)
    assert (runner.asked, headline_text(page)) == (["start"], "Starting …")
    loading = {"event": "loading", "contender": "heap", "number": 2, "of": 2, "stage": "reads", "share": 0.5}
    for event in (EVENTS[0], loading, *EVENTS[1:]):
        runner.told.emit(event)
    qtbot.waitUntil(lambda: page.is_ready)
    assert page.headline.verdict.accessibleName().startswith("Tokenloupe is ready first"), (
        "others are still to come"
    )
    value, *loading = page.results.chart("throughput").values
    assert "n = 2" in value.tip
    assert "heap" in [each.key for each in loading]
    runner.end()
    qtbot.waitUntil(lambda: page.is_ready)
    assert "Tokenloupe</b> was measured alone" in page.headline.verdict.text()
    assert page.headline.verdict.accessibleName().startswith(
        "Tokenloupe was measured alone; its ids are right"
    )
    assert page.bar.report_button.isEnabled()


def test_there_is_one_button_to_run_and_one_for_more(page):
    for act in (page.open_more, page.close_more):
        act()
        for parts in (
            (page.bar.run_button, page.more.run_button),
            (page.footer.more_button, page.more.close_button),
        ):
            assert sum(part.isVisible() for part in parts) == 1


def test_notes_are_collapsed_until_they_are_expanded(qtbot, page):
    page.model.show_run(run_of(RUN))
    page.redraw()
    footer = page.footer
    assert footer.notes_button.text() == f"{len(page.model.notes)} notes"
    assert not footer.notes.isVisible()
    qtbot.mouseClick(footer.notes_button, LEFT)
    assert footer.notes.isVisible()
    for content in ("greedy</a> differs on english", "SPM only"):
        assert content in footer.notes.text()
    qtbot.mouseClick(footer.notes_button, LEFT)
    assert not footer.notes.isVisible()
    page.model.show_run(run_of({"results": []}))
    page.redraw()
    assert not footer.notes_button.isVisible()


def position_of(page, chart) -> tuple[int, int]:
    for _ in range(3):
        QApplication.processEvents()
    return chart.mapTo(page, QPoint(0, 0)).y(), chart.height()


@pytest.mark.parametrize("size", [(1200, 720), (828, 456)])
def test_charts_do_not_move_while_messages_change(open_page, model, runner, qtbot, size):
    page = open_page
    page.resize(*size)
    chart = page.results.chart("throughput")
    places = [position_of(page, chart)[0]]
    qtbot.mouseClick(page.bar.run_button, LEFT)
    for event in EVENTS:
        runner.told.emit(event)
        page.redraw()
        places.append(position_of(page, chart)[0])
    runner.end()
    for words in ("Done", "", "Saved /a/very/long/path/of/a/report/" + "x" * 300, ""):
        model.set_progress(words)
        places.append(position_of(page, chart)[0])
    assert len({*places}) == 1


@pytest.mark.parametrize("size", [(1200, 720), (828, 456)])
def test_notes_are_below_the_charts_and_the_verdict_is_visible(page, qtbot, size):
    page.resize(*size)
    page.model.show_run(run_of(RUN))
    page.redraw()
    chart, notes = page.results.chart("throughput"), page.footer.notes
    headline, is_large = page.headline, size[1] > 700
    qtbot.mouseClick(page.footer.notes_button, LEFT)
    assert notes.mapTo(page, QPoint(0, 0)).y() >= chart.mapTo(page, QPoint(0, chart.height())).y()
    assert not is_large or headline.visibleRegion().boundingRect() == headline.rect()
    assert not notes.visibleRegion().isEmpty(), "it is scrolled to"
    qtbot.mouseClick(page.footer.notes_button, LEFT)
    assert not page.headline.visibleRegion().isEmpty()


def test_figures_of_another_text_are_dimmed_until_they_are_of_the_chosen_one(open_page, model):
    page, chart = open_page, open_page.results.chart("throughput")
    rows = [record("throughput", "fast", 10_000, 1e-4, corpus=ENGLISH)]

    def dimming_and_notice() -> tuple[bool, bool]:
        page.redraw()
        return chart.box.opacity() < 1, "Results for English. To measure" in headline_text(page)

    model.show_run(run_of({"results": rows}))
    assert dimming_and_notice() == (False, False)
    picture = image_of(chart)
    model.choice.set_texts([CODE])
    assert dimming_and_notice() == (True, True)
    assert image_of(chart) == picture, "what is copied or saved is not"
    model.choice.set_texts([ENGLISH])
    assert dimming_and_notice() == (False, False)


def test_a_presentation_is_the_page_in_larger_letters_without_what_is_chosen(page):
    page.model.show_run(run_of(RUN))
    page.redraw()
    chart, parts = page.results.chart("throughput"), (page.bar, page.footer, page.results.bar)

    def letters() -> list[float]:
        position_of(page, chart)
        heights = page.headline.sentence.height(), chart.head_px, max(word_height(chart))
        return [*heights, page.results.tables.document().size().height()]

    page.results.tables.show_tables("", list(measured_tables(page.model.results, "Tokenloupe")))
    usual = letters()
    page.set_presented(True)
    assert all(large > small for large, small in zip(letters(), usual, strict=True))
    assert not any(part.isVisible() for part in parts)
    page.set_presented(False)
    assert letters() == usual
    assert all(part.isVisible() for part in parts)


def word_height(chart) -> list[float]:
    return [chart.rect_of(word).height() for word in chart.words]


def test_a_page_that_is_hidden_draws_when_it_is_shown_again(page):
    page.hide()
    content = headline_text(page)
    page.model.show_run(run_of(RUN))
    assert not any(row.parts for row in page.results.chart("throughput").data.rows)
    assert page.is_ready, "no picture is planned"
    assert headline_text(page) == content
    page.show()
    assert any(row.parts for row in page.results.chart("throughput").data.rows)
    assert "Saved run." in headline_text(page)


def test_one_chart_can_be_asked_for(page):
    page.model.show_run(run_of(RUN))
    page.show_only("scaling")
    assert page.results.shown == ("scaling",)
    page.show_only("figures")
    assert page.results.tables.isVisible()
    with pytest.raises(BenchError, match="no chart “memory”"):
        page.show_only("memory")


def choosing(path: Path):
    """Whoever is asked for a file gives this one, and notes title and first folder in `asked`."""
    asked: list[tuple[str, str]] = []

    def answer(_parent, title: str, start: str, *_others) -> tuple[str, str]:
        asked.append((title, start))
        return str(path), ""

    return asked, answer


def compared(qtbot, page, tmp_path, monkeypatch) -> None:
    """Show a run in which `fast` takes twice the time of a saved one."""
    rng = random.Random(1)
    noise = [1 + rng.random() / 100 for _ in range(20)]
    for seconds in (1e-4, 2e-4):
        row = record(
            "throughput", "Tokenloupe", 10_000, seconds, samples_s=[seconds * each for each in noise]
        )
        (tmp_path / f"{seconds}.json").write_text(json.dumps({"results": [row]}))
    with qtbot.waitSignal(page.model.results_changed):
        page.model.open_run(tmp_path / "0.0002.json")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", choosing(tmp_path / "0.0001.json")[1])
    with qtbot.waitSignal(page.model.compared):
        page.bar.runs_button.compare_with_run()


def test_what_got_slower_is_marked_with_its_interval_in_table_and_chart(qtbot, page, tmp_path, monkeypatch):
    compared(qtbot, page, tmp_path, monkeypatch)
    assert page.results.shown == (CHANGES,)
    text = page.results.tables.toPlainText()
    assert "0.0001. 1 result in both runs" in text
    assert "Changed since 0.0001" in text
    assert "▼ slower" in text
    page.results.choose("throughput")
    assert "▼ 2.0" in words_of(page)
    qtbot.mouseClick(page.results.tabs[CHANGES], LEFT)
    assert page.results.shown == (CHANGES,)


def words_of(page) -> str:
    return " ".join(word.text for word in page.results.chart("throughput").words)


def test_a_run_that_begins_shows_its_charts_and_not_the_changes_of_the_last_one(
    qtbot, page, tmp_path, monkeypatch
):
    compared(qtbot, page, tmp_path, monkeypatch)
    monkeypatch.setattr(BenchRunner, "is_running", True)
    page.model.running_changed.emit()
    assert page.results.shown == CALM


def test_a_run_from_elsewhere_is_opened_by_a_button(page, tmp_path, qtbot, monkeypatch):
    path = tmp_path / "run.json"
    path.write_text(json.dumps(RUN))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", choosing(path)[1])
    with qtbot.waitSignal(page.model.results_changed):
        page.bar.runs_button.open_run()
    assert len(page.model.results) == len(RUN["results"])
    assert "Saved run: run." in headline_text(page)


def test_the_run_dialog_states_its_purpose_and_opens_the_last_folder(
    make_page, model, tmp_path, qtbot, monkeypatch
):
    elsewhere = tmp_path / "elsewhere" / "run.json"
    elsewhere.parent.mkdir()
    elsewhere.write_text(json.dumps(RUN))
    asked, answer = choosing(elsewhere)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", answer)
    page = make_page.of(BenchModel(model._session, history=RunHistory(tmp_path / "runs")))
    with qtbot.waitSignal(page.model.results_changed):
        page.bar.runs_button.open_run()
    with qtbot.waitSignal(page.model.failed):
        page.bar.runs_button.compare_with_run()
    (opening, first), (comparing, second) = asked
    assert "compare" in comparing
    assert opening != comparing
    assert (first, second) == (str(tmp_path / "runs"), str(elsewhere.parent))


def test_escape_folds_the_notes(page, qtbot):
    page.model.show_run(run_of(RUN))
    page.redraw()
    button, notes = page.footer.notes_button, page.footer.notes
    qtbot.mouseClick(button, LEFT)
    assert notes.isVisible()
    qtbot.keyClick(QApplication.focusWidget() or page, Qt.Key.Key_Escape)
    assert (notes.isVisible(), button.isChecked()) == (False, False)


def test_a_file_that_is_no_run_leaves_a_notice_and_the_old_run(qtbot, page, tmp_path):
    page.model.show_run(run_of(RUN))
    (tmp_path / "no.json").write_text("{}")
    with qtbot.waitSignal(page.model.failed):
        page.model.open_run(tmp_path / "no.json")
    assert "no.json is not a run" in page.notices.notices[0].message
    assert len(page.model.results) == len(RUN["results"])
    (tmp_path / "run.json").write_text(json.dumps(RUN))
    with qtbot.waitSignal(page.model.saved.opened):
        page.model.open_run(tmp_path / "run.json")
    assert page.notices.notices == [], "once another one is opened"


def test_notes_describe_the_run_and_link_to_their_texts(page, monkeypatch):
    names, opened = ('<b>"x/', "a & b"), []
    difference = {"index": 0, "byte_offset": 3, "expected_id": 1, "found_id": None}
    rows = [
        {**record("throughput", names[0], 10, 1e-4, 0.9, corpus=corpus), "first_difference": difference}
        for corpus in (names[1], "two", "<3>")
    ]
    monkeypatch.setattr(page.model, "open_difference", lambda *content: opened.append(content))
    page.model.show_run(run_of({"results": rows}))
    page.redraw()
    label, sentences = page.footer.notes, notes(page.model.measured)
    document = QTextDocument(html=label.text())
    assert document.toPlainText().splitlines() == sentences
    assert any(content.startswith('<b>"x/ differs on a & b from byte 3:') for content in sentences)
    for link in re.findall('href="([^"]+)"', label.text()):
        label.linkActivated.emit(link)
    assert opened == [names, (names[0], "two"), (names[0], "<3>")]


def test_the_menu_of_runs_offers_what_can_be_done_now(page, monkeypatch, qtbot):
    def offered() -> dict[str, QAction]:
        """By key, as long as the menu is open."""
        actions = {}

        def read_menu() -> None:
            actions.update({action.text(): action for action in page.bar.runs_button.menu().actions()})
            page.bar.runs_button.menu().close()

        QTimer.singleShot(0, read_menu)
        page.bar.runs_button.setFocus()
        qtbot.keyClick(page.bar.runs_button, Qt.Key.Key_Down)
        return actions

    def enabled() -> set[str]:
        return {text for text, action in offered().items() if action.isEnabled()}

    asked = []
    for name in ("open_run", "compare_with"):
        monkeypatch.setattr(page.model, name, lambda path, name=name: asked.append((name, str(path))))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda parent, title, *others: (title[:4], ""))
    assert enabled() == {"Open run…", "Saved runs…"}
    page.model.show_run(run_of(RUN))
    assert enabled() == {"Open run…", "Saved runs…", "Compare with run…"}
    for action in offered().values():
        action.trigger()
    (dialog,) = page.findChildren(RunsDialog)
    assert dialog.isVisible()
    dialog.open_requested.emit(Path("three"))
    dialog.compare_requested.emit(Path("four"))
    assert asked == [
        *(("open_run", "Open"), ("compare_with", "Choo")),
        *(("open_run", "three"), ("compare_with", "four")),
    ]
    dialog.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert page.findChildren(RunsDialog) == []
    monkeypatch.setattr(BenchRunner, "is_running", True)
    assert enabled() == {"Saved runs…"}


def test_a_run_is_paused_while_the_user_types(page, qtbot, monkeypatch):
    held = []
    monkeypatch.setattr(BenchRunner, "send", lambda runner, command: held.append(command == "hold"))
    for is_running in (True, False):
        monkeypatch.setattr(BenchRunner, "is_running", is_running)
        page.model.running_changed.emit()
        qtbot.keyClick(page.window().windowHandle(), Qt.Key.Key_A)
        assert held == [True]


def test_charts_are_not_redrawn_while_the_user_types(page, qtbot, monkeypatch):
    monkeypatch.setattr(BenchRunner, "send", lambda runner, command: None)
    monkeypatch.setattr(BenchRunner, "is_running", True)
    page.model.running_changed.emit()
    page.redraw()
    page.model.show_run(run_of(RUN))
    values = page.results.chart("throughput").values
    for _ in range(4):
        qtbot.wait(110)
        qtbot.keyClick(page.window().windowHandle(), Qt.Key.Key_A)
    assert (page.is_ready, page.results.chart("throughput").values) == (False, values)
    qtbot.waitUntil(lambda: page.is_ready)
    assert len(page.results.chart("throughput").values) > len(values)
