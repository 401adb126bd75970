"""The Bench page: what its charts show, and the buttons that run and stop."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import hands
import pytest
from bench_runs import EVERYTHING, RUN, record
from pictures import picture_of
from PySide6.QtCore import QEvent, QMimeData, QPoint, Qt, QTimer, QUrl
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QCheckBox, QFileDialog, QWidget

from guiapp.core.bench.plan import BenchError
from guiapp.core.bench.scenarios import SCENARIOS
from guiapp.viewmodels.bench.history import SavedRun
from guiapp.viewmodels.bench.runner import BenchRunner
from guiapp.widgets.bench.grid import CardGrid
from guiapp.widgets.bench.runs_dialog import RunsDialog


def test_no_card_is_a_window_of_its_own_for_a_moment(qapp):
    shown = []

    class Card(QWidget):
        def showEvent(self, event):
            shown.append(self)

    cards = [Card() for _ in range(4)]
    grid = CardGrid(cards)
    assert not any(card.isWindow() for card in cards)
    assert not shown, "before it had a place"
    grid.show()
    assert len(shown) == 4


def test_scenarios_and_limits_are_chosen_beside_the_charts(page, qtbot):
    box = next(box for box in page.plan.findChildren(QCheckBox) if box.accessibleName() == "Scenario decode")
    box.click()
    assert "decode" in page.model.preset.scenarios
    budget = page.plan.limits["time_budget_s"]
    budget.setCurrentText("1 min")
    budget.activated.emit(budget.currentIndex())
    assert page.model.preset.time_budget_s == 60
    assert page.plan.presets.currentText() == page.model.preset.title


def test_a_pause_is_told(page):
    page.model.is_paused = True
    page.model.tell("throughput 1 of 3")
    assert page.progress.text() == "Paused · throughput 1 of 3"
    page.model.is_paused = False
    page.model.running_changed.emit()
    assert page.progress.text() == "throughput 1 of 3"


def reasons_of(page) -> dict[str, str]:
    """What is said in place of each chart that is shown and empty."""
    page.redraw()
    charts = [chart for chart in page.shown_charts if not chart.has_results]
    return {chart.title: chart.reason for chart in charts}


def test_an_empty_chart_says_whether_the_plan_leaves_it_out_and_how_to_include_it(page):
    title = SCENARIOS["scaling"].title
    quick = reasons_of(page)
    assert quick[title] == quick["Throughput"] == "Nothing measured yet"
    page.model.set_scenario("scaling", False)
    assert reasons_of(page)[title].startswith("The plan leaves “scaling” out.\nTick it")


def test_an_empty_chart_of_a_run_says_that_the_run_left_it_out(page):
    page.model.show_run({"results": [record("decode", "fast", 1000, 1e-5)]})
    title = SCENARIOS["scaling"].title
    assert reasons_of(page)[title] == "This run left “scaling” out. Press Run to measure it."
    page.model.set_scenario("scaling", False)
    assert reasons_of(page)[title].startswith("This run left “scaling” out.\nTick it")


def test_a_run_that_was_cut_off_is_offered(page, tmp_path, qtbot):
    path = tmp_path / "2026-01-01T000000-0000 gpt-2.json"
    path.write_text(json.dumps(RUN))
    page.model.kept.cut_off_changed.emit()
    assert page.notices.notices == []
    runs = [SavedRun(path, f"2026-01-0{day} 00:00, gpt-2") for day in (3, 2, 1)]
    for page.model.kept.cut_off in (runs, runs[-1:]):
        page.model.kept.cut_off_changed.emit()
        (notice,) = page.notices.notices
        assert ("(and 2 more)" in notice.message) == (len(page.model.kept.cut_off) == 3)
    assert "is kept: 2026-01-01 00:00, gpt-2." in notice.message
    with qtbot.waitSignal(page.model.results_changed):
        qtbot.mouseClick(notice.remedy_button, Qt.MouseButton.LeftButton)
    assert len(page.model.results) == len(RUN["results"])


def test_a_run_that_begins_takes_away_what_is_said_of_others(page, monkeypatch):
    page.model.kept.cut_off = [SavedRun(Path("run.json"), "a run")]
    page.model.kept.cut_off_changed.emit()
    page.model.failed.emit("It failed.")
    assert len(page.notices.notices) == 2
    page.model.running_changed.emit()
    assert len(page.notices.notices) == 2
    monkeypatch.setattr(BenchRunner, "is_running", True)
    page.model.running_changed.emit()
    assert page.notices.notices == []


def test_one_chart_can_be_shown_alone_and_all_again(page, qtbot):
    page.model.show_run(RUN)
    page.show_only("exactness")
    assert [chart.title for chart in page.shown_charts] == ["Speed × exactness"]
    page.exactness.enlarge_button.click()
    assert len(page.shown_charts) == 4
    for chart in page.shown_charts:
        for shown in ([chart], page.charts):
            qtbot.mouseClick(chart.enlarge_button, Qt.MouseButton.LeftButton)
            assert set(page.shown_charts) == set(shown) & {*page.shown_charts}
            assert len(page.shown_charts) == min(4, len(shown))
            assert {each.enlarge_button.isChecked() for each in page.charts} == {shown == [chart]}
    with pytest.raises(BenchError, match="no chart “memory”"):
        page.show_only("memory")


def test_a_page_that_is_hidden_draws_when_it_is_shown_again(page):
    page.hide()
    told = page.progress.text()
    page.model.show_run(RUN)
    assert not page.bars.has_results
    assert page.is_ready, "no picture is planned"
    assert page.progress.text() == told
    page.show()
    assert page.bars.has_results
    assert page.progress.text() == "A saved run"


def test_published_figures_are_a_table_beside_the_measured_ones(page):
    page.model.show_run({"results": [record("scaling", "greedy", 1 << 22, 0.1, 0.95)]})
    page.bar.views.choose(1)
    text = page.tables.toPlainText()
    for words in ("TokenTree, 2026", "335.9 ms for 4,194,304 B", "100 ms\n41.9", "Intel Core Ultra 7"):
        assert words in text
    assert page.shown_charts == []
    page.bar.views.choose(0)
    assert page.scaling.isVisible()


def test_a_run_without_published_figures_says_which_preset_has_them(page):
    page.bar.views.choose(1)
    assert "The papers' tables" in page.tables.toPlainText()


def compared(qtbot, page, tmp_path) -> None:
    """Show a run in which `fast` takes twice the time of a saved one."""
    rng = random.Random(1)
    noise = [1 + rng.random() / 100 for _ in range(20)]
    for seconds in (1e-4, 2e-4):
        row = record("throughput", "fast", 10_000, seconds, samples_s=[seconds * each for each in noise])
        (tmp_path / f"{seconds}.json").write_text(json.dumps({"results": [row]}))
    with qtbot.waitSignal(page.model.results_changed):
        page.model.open_run(tmp_path / "0.0002.json")
    page.bar.ask = lambda window: tmp_path / "0.0001.json"
    with qtbot.waitSignal(page.model.compared):
        page.bar.compare_with_run()


def test_what_got_slower_is_marked_with_its_interval_in_table_and_chart(qtbot, page, tmp_path):
    compared(qtbot, page, tmp_path)
    text = page.tables.toPlainText()
    assert "Against 0.0001" in text
    assert not page.bar.choosers.isVisible()
    assert "▼ slower" in text
    page.bar.views.choose(0)
    assert page.bar.choosers.isVisible()
    label = " ".join(word.text for word in page.bars.words)
    page.notes.linkActivated.emit("changes")
    assert page.tables.toPlainText() == text
    assert re.search(r"▼ 2\.00 × time \(1\.99–2\.0\d\)|▼ 2\.0\d × time", label)


def test_a_busy_machine_is_told_and_results_without_a_core_are_in_no_table(qtbot, page, tmp_path):
    seconds = [1e-4 * (1 + each / 1000) for each in range(20)]
    rows = [
        record("throughput", name, 10_000, 1e-4, samples_s=seconds, processor_share=share)
        for name, share in {"fast": 0.89, "heap": 0.9}.items()
    ]
    (tmp_path / "old.json").write_text(json.dumps({"results": rows}))
    slower = [{**row, "samples_s": [9 * each for each in seconds], "processor_share": 1.0} for row in rows]
    page.model.show_run({"results": slower})
    with qtbot.waitSignal(page.model.compared):
        page.model.compare_with(tmp_path / "old.json")
    told = "Machine busy: only what differs more than 3 times is sure, and nothing is sure of 1 result"
    assert told in page.notes.text()
    assert "1 surely slower than in old" in page.notes.text()
    assert told in page.tables.toPlainText()
    assert "fast" not in page.tables.toPlainText()
    assert "heap" in page.tables.toPlainText()


def test_a_run_that_begins_shows_its_charts_and_not_the_changes_of_the_last_one(
    qtbot, page, tmp_path, monkeypatch
):
    compared(qtbot, page, tmp_path)
    assert page.shown_charts == []
    monkeypatch.setattr(BenchRunner, "is_running", True)
    page.model.running_changed.emit()
    assert page.bars in page.shown_charts


def test_a_slower_machine_is_told_once_and_bars_show_what_is_the_contenders_own(qtbot, page, tmp_path):
    names = ("fast", "tiktoken", "tokenizers", "gigatoken")
    libraries = [{"contender": name, "version": "1"} for name in names[1:]]

    def run(slowdown: float, own: float) -> dict:
        times = {name: slowdown * (own if name == "fast" else 1.0) * 1e-3 for name in names}
        rows = [
            record("throughput", name, 1000, s, samples_s=[s + 1e-9 * n for n in range(20)])
            for name, s in times.items()
        ]
        return {"contenders": libraries, "results": rows}

    path = tmp_path / "old.json"
    path.write_text(json.dumps(run(1.0, 1.0)))
    page.model.show_run(run(2.0, 1.5))
    with qtbot.waitSignal(page.model.compared):
        page.model.compare_with(path)
    page.bar.views.choose(0)
    assert page.notes.text().count("This machine ran at 0.50 of its earlier speed") == 1
    assert "0.50" not in page.progress.text()
    (label,) = [word.text for word in page.bars.words if "×" in word.text and "time" in word.text]
    assert "▼ 1.50 × time" in label
    page.bar.views.choose(2)
    assert "beside the drift" in page.tables.toPlainText()


def test_a_run_from_elsewhere_is_opened_by_button_and_by_drop(page, tmp_path, qtbot):
    path = tmp_path / "run.json"
    path.write_text(json.dumps(RUN))
    page.bar.ask = lambda window: path
    with qtbot.waitSignal(page.model.results_changed):
        page.bar.open_run()
    assert len(page.model.results) == len(RUN["results"])
    assert page.progress.text() == "A saved run: run"
    page.model.show_run({"results": []})
    with qtbot.waitSignal(page.model.results_changed):
        drop(page, path)
    assert len(page.model.results) == len(RUN["results"])


def test_a_text_that_is_dropped_is_left_to_the_window(page, tmp_path):
    assert not drop(page, tmp_path / "book.txt")
    assert not drop(page, *(tmp_path / name for name in ("one.json", "two.json")))
    assert page.acceptDrops()


def drop(page, *paths) -> bool:
    """Drop files; whether the page wants them."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return hands.drop(page, QPoint(400, 300), mime)


def test_a_file_that_is_no_run_leaves_a_notice_and_the_old_run(qtbot, page, tmp_path):
    page.model.show_run(RUN)
    (tmp_path / "no.json").write_text("{}")
    with qtbot.waitSignal(page.model.failed):
        page.model.open_run(tmp_path / "no.json")
    assert "no.json is not a run" in page.notices.notices[0].message
    assert len(page.model.results) == len(RUN["results"])
    (tmp_path / "run.json").write_text(json.dumps(RUN))
    with qtbot.waitSignal(page.model.kept.opened):
        page.model.open_run(tmp_path / "run.json")
    assert page.notices.notices == [], "once another one is opened"


def test_who_deviates_is_told_of_the_text_that_is_chosen(page):
    shares = {"one": 0.9, "two": 0.8}
    rows = [record("throughput", "greedy", 10, 1e-4, share, corpus=name) for name, share in shares.items()]
    page.model.show_run({"results": rows})
    page.redraw()
    assert "Equal spans on one" in page.notes.text()
    assert "90.0&nbsp;%" in page.notes.text()
    page.texts.setCurrentText("two")
    page.texts.activated.emit(1)
    assert "Equal spans on two" in page.notes.text()
    assert "80.0&nbsp;%" in page.notes.text()


def test_the_names_of_a_strangers_run_are_no_html(page):
    page.model.show_run({"results": [record("throughput", '<b>"x', 10, 1e-4, 0.9)]})
    page.redraw()
    assert '<a href="&lt;b&gt;&quot;x">&lt;b&gt;&quot;x&nbsp;' in page.notes.text()


def test_all_charts_are_in_sight_in_a_window_of_usual_size_with_much_to_tell(page):
    page.resize(1272, 658)
    page.model.show_run(RUN)
    page.notes.setText("Other programs were busy. " * 18)
    page.notes.setVisible(True)
    QApplication.processEvents()
    assert page.notes.height() > 2 * page.notes.fontMetrics().lineSpacing()
    assert not page.grid.verticalScrollBar().isVisible()


def test_another_run_of_the_same_plan_is_drawn_anew(page):
    for seconds in (1e-4, 2e-4):
        page.model.show_run({"results": [record("throughput", "fast", 10_000, seconds)]})
        page.redraw()
    assert page.bars._points[0][0] == 10_000 / 2e-4 / 1e6


def test_so_is_another_run_of_what_has_no_times(page):
    for built_bytes in (1_000_000, 2_000_000):
        figures = dict.fromkeys(("median_s", "ci_s", "mb_per_s", "tokens_per_s", "exact"))
        figures |= {"operation": "memory", "n": 1, "built_bytes": built_bytes, "encoding_bytes": 0}
        page.model.show_run({"results": [record("memory", "fast", 10_000, 1.0, **figures)]})
        page.show_only("memory")
    drawn = [row["built_bytes"] for chart in page.others.values() for row in chart._results]
    assert drawn == [2_000_000]


def test_a_narrow_page_has_its_cards_below_each_other_and_scrolls(page):
    page.model.show_run(RUN)
    page.resize(860, 600)
    QApplication.processEvents()
    tops = [card.y() for card in (page.scaling, page.exactness, page.bars, page.scenario_card)]
    assert tops == sorted(set(tops))
    assert page.scaling.width() > 400
    assert page.grid.verticalScrollBar().maximum() > 0
    page.resize(1280, 720)
    QApplication.processEvents()
    assert page.scaling.y() == page.exactness.y()


def test_who_was_lost_in_one_size_is_told_and_the_rest_is_behind_a_link(page):
    lost = [
        {
            "contender": name,
            "scenario": "scaling",
            "operation": "encode",
            "corpus": "english",
            "size_bytes": 512,
            "reason": f"It crashed: {name}.",
        }
        for name in ("heap", "scan", "table", "fewest", "words")
    ]
    page.model.show_run({"results": RUN["results"], "left_out": lost})
    page.redraw()
    assert "heap took no part in “By length” (english, 512 B): It crashed" in page.notes.text()
    assert "4 more reasons" in page.notes.text()
    page.notes.linkActivated.emit("figures")
    assert "words took no part in “By length”" in page.tables.toPlainText()
    page.model.show_run({"results": RUN["results"], "left_out": lost[:2]})
    page.redraw()
    assert "1 more reason<" in page.notes.text()


def test_the_menu_of_runs_opens_by_key_and_shows_runs_that_come_meanwhile(page, qtbot):
    page.bar.runs_button.setFocus()
    page.model.show_run(RUN)
    assert offered_runs(page, qtbot, [SavedRun(Path("run.json"), "a run")]) == [["a run"], ["a run"]]


def offered_runs(page, qtbot, kept: list[SavedRun]) -> list[list[str]]:
    """What can be opened and what can be compared with, when these runs are found while the menu is open."""
    titles = []

    def look() -> None:
        page.model.kept.runs = kept
        page.model.kept.changed.emit()
        menu = page.bar.runs_button.menu()
        titles.extend(
            [action.text() for action in row.menu().actions()] for row in menu.actions() if row.menu()
        )
        menu.close()

    QTimer.singleShot(0, look)
    qtbot.keyClick(page.bar.runs_button, Qt.Key.Key_Down)
    return titles


def test_the_menu_of_runs_offers_what_can_be_done_now(page, monkeypatch):
    def offered() -> dict[str, QAction]:
        menu = page.bar.runs_button.menu()
        menu.aboutToShow.emit()
        inner = [action for row in menu.actions() if row.menu() for action in row.menu().actions()]
        return {action.text(): action for action in [*menu.actions(), *inner] if not action.isSeparator()}

    asked = []
    for name in ("open_run", "compare_with"):
        monkeypatch.setattr(page.model, name, lambda path, name=name: asked.append((name, str(path))))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda parent, title, *others: (title[:4], ""))
    always, kept = {"Open run…"}, {"Kept runs…", "Open kept run"}
    comparing = {"Compare with run…", "Compare with kept run"}
    assert {text for text, action in offered().items() if action.isEnabled()} == always
    page.model.show_run(RUN)
    assert {text for text, action in offered().items() if action.isEnabled()} == always | comparing
    assert "No other run is kept" in offered()
    page.model.kept.runs = [SavedRun(Path("one"), "one"), SavedRun(Path("two"), "two")]
    rows = offered()
    assert {text for text, action in rows.items() if action.isEnabled()} == (
        always | comparing | kept | {"one", "two"}
    )
    for text in ("Open run…", "Compare with run…", "one", "two"):
        rows[text].trigger()  # the last of this name is among those to compare with
    rows["Open kept run"].menu().actions()[1].trigger()
    assert asked == [
        *(("open_run", "Open"), ("compare_with", "Open")),
        *(("compare_with", "one"), ("compare_with", "two"), ("open_run", "two")),
    ]
    rows["Kept runs…"].trigger()
    (dialog,) = page.findChildren(RunsDialog)
    assert dialog.isVisible()
    dialog.open_requested.emit(Path("three"))
    dialog.compare_requested.emit(Path("four"))
    assert asked[5:] == [("open_run", "three"), ("compare_with", "four")]
    dialog.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert page.findChildren(RunsDialog) == []
    monkeypatch.setattr(BenchRunner, "is_running", True)
    assert {text for text, action in offered().items() if action.isEnabled()} == (
        {"Kept runs…"} | {"one", "two"}
    )
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *asked: ("", ""))
    page.bar.open_run()
    page.bar.compare_with_run()
    assert len(asked) == 7


def test_a_run_is_held_back_while_somebody_types(page, qtbot, monkeypatch):
    held = []
    monkeypatch.setattr(BenchRunner, "hold", lambda runner: held.append(True))
    for is_running in (True, False):
        monkeypatch.setattr(BenchRunner, "is_running", is_running)
        page.model.running_changed.emit()
        qtbot.keyClick(page.window().windowHandle(), Qt.Key.Key_Down)
        assert held == [True]


def test_tables_keep_their_place_follow_the_theme_and_show_names_as_they_are(page):
    page.model.show_run({"results": [*EVERYTHING["results"], record("decode", "<b>x", 10, 1e-4)]})
    page.bar.views.choose(3)
    place = page.tables.verticalScrollBar()
    place.setValue(50)
    for theme in ("light", "dark"):
        page.redraw()
        page.bars._theme_source.choose(theme)
        assert place.value() == 50
        image = picture_of(page.tables.viewport()).image
        colors = {image.pixelColor(x, y).name() for x in range(99) for y in range(image.height())}
        assert {page.bars.theme.line.name(), page.bars.theme.dim.name()} <= colors
    assert "<b>x" in page.tables.toPlainText()
    page.model.show_run(RUN)
    page.redraw()
    assert "<b>x" not in page.tables.toPlainText()


def test_new_results_and_plans_are_drawn_by_themselves(page, qtbot):
    page.redraw()
    page.model.set_scenario("scaling", False)
    assert not page.is_ready
    qtbot.waitUntil(lambda: page.is_ready)
    assert "leaves “scaling” out" in page.scaling.reason
    page.model.show_run(RUN)
    qtbot.waitUntil(lambda: page.is_ready)
    assert page.panels == [page.plan.presets, *(chart for chart in page.charts if chart.has_results)]
    assert len(page.panels) == 5
    page.model.show_run({"results": []})
    page.stop()
    assert page.is_ready, "nothing is drawn after the end"


def test_what_is_chosen_by_keys_is_drawn_at_once(page, qtbot):
    again = [{**row, "corpus": "second"} for row in EVERYTHING["results"] if row["scenario"] == "throughput"]
    page.model.show_run({"results": [*EVERYTHING["results"], *again[:2]]})
    page.redraw()
    for box, chart in ((page.texts, page.exactness), (page.baselines, page.bars), (page.units, page.bars)):
        before = [word.text for word in chart.words]
        assert box.isVisible()
        qtbot.keyClick(box, Qt.Key.Key_Down)
        assert [word.text for word in chart.words] != before, box.accessibleName()
    assert page.baseline == "greedy"
    page.model.show_run({"results": [record("scaling", "fast", 100, 1e-5)]})
    page.redraw()
    assert not any(box.isVisible() for box in (page.texts, page.baselines))
    assert page.notes.isVisible()
    page.model.show_run({"results": []})
    page.redraw()
    assert not page.notes.isVisible()


def test_links_have_the_colour_of_the_theme_when_it_changes(page):
    page.model.show_run(RUN)
    page.redraw()
    for theme in ("light", "dark"):
        page.bars._theme_source.choose(theme)
        image = picture_of(page.notes).image
        colors = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
        assert page.bars.theme.accent.name() in colors


def test_what_is_chosen_stands_in_the_row_of_the_views_where_there_is_room(page):
    for width, is_beside in ((1280, True), (900, False), (1280, True)):
        page.resize(width, 720)
        QApplication.processEvents()
        top = page.bar.choosers.mapTo(page.bar, QPoint()).y()
        assert (top < page.bar.views.geometry().bottom()) is is_beside
