"""The Bench page: what its charts show, and the buttons that run and stop."""

from __future__ import annotations

import json
import random
import re

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QImage
from PySide6.QtWidgets import QApplication, QCheckBox

from guiapp.core.bench.contenders import UNSPLIT
from guiapp.core.bench.peers import PEERS
from guiapp.core.bench.plan import BenchError
from guiapp.core.catalogue import ALGORITHMS
from guiapp.viewmodels.bench_model import BenchModel
from guiapp.viewmodels.workspace import Workspace
from guiapp.widgets.bench_labels import End, share_steps, short_number, spread, tip_of
from guiapp.widgets.bench_page import BenchPage
from guiapp.widgets.bench_pictures import TITLE_PX
from guiapp.widgets.bench_stages import parts_of
from guiapp.widgets.contender_look import look_of
from guiapp.widgets.theme import DARK, LIGHT, ThemeSource

PATIENCE_MS = 60_000
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def record(scenario: str, contender: str, size: int, seconds: float, share: float = 1.0, **changes) -> dict:
    difference = {"index": 3, "byte_offset": 17, "expected_id": 1, "found_id": 2}
    return {
        "scenario": scenario,
        "operation": "encode",
        "contender": contender,
        "corpus": "english",
        "size_bytes": size,
        "threads": 1,
        "n": 9,
        "median_s": seconds,
        "ci_s": [seconds * 0.9, seconds * 1.2],
        "mb_per_s": size / seconds / 1e6,
        "tokens_per_s": size / seconds / 4,
        "exact": share == 1.0,
        "agreement": share,
        "first_difference": None if share == 1.0 else difference,
        **changes,
    }


RUN = {
    "results": [
        record("throughput", "fast", 10_000, 1e-4),
        record("throughput", "greedy", 10_000, 5e-5, 0.95),
        record("throughput", "tiktoken", 10_000, 1e-3),
        record("throughput", "rs-bpe", 10_000, 1e-3, exact=None, agreement=None, first_difference=None),
        *(record("scaling", "fast", 1 << power, 1e-5 + 1e-9 * (1 << power)) for power in range(7, 22, 2)),
        *(record("worst", "heap", size, 1e-8 * size) for size in (1_000, 10_000, 100_000, 1_000_000)),
    ],
    "left_out": [
        {"contender": "sentencepiece", "scenario": None, "operation": None, "reason": "It takes SPM only."}
    ],
}


@pytest.fixture
def page(qtbot):
    workspace = Workspace(b"text")
    page = BenchPage(BenchModel(workspace), ThemeSource(QApplication.instance(), "dark"))
    qtbot.addWidget(page)
    page.resize(1280, 720)
    page.show()
    yield page
    page.stop()
    workspace.close()


def ticks(chart, side: str) -> list[str]:
    plot = chart.plot
    return [text for _, text in (plot.left_ticks if side == "left" else plot.bottom_ticks)]


def test_the_fastest_is_on_top_and_a_deviating_one_is_hatched(page):
    page.model.show_run(RUN)
    page.redraw()
    assert ticks(page.bars, "left")[-2:] == ["fast", "greedy"]
    (bars,) = page.bars._pool["bars"]
    styles = [brush.style() for brush in bars.opts["brushes"]]
    assert styles[-1] is Qt.BrushStyle.BDiagPattern
    assert styles[-2] is Qt.BrushStyle.SolidPattern
    assert "greedy ≈ 95.0%" in page.notes.text()
    assert "SPM only" in page.notes.text()


def test_whiskers_reach_from_one_end_of_the_interval_to_the_other(page):
    page.model.show_run({"results": RUN["results"][:1]})
    page.redraw()
    options = page.bars._pool["whiskers"][0].opts
    assert options["x"][0] - options["left"][0] == pytest.approx(100 / 1.2)
    assert options["x"][0] + options["right"][0] == pytest.approx(100 / 0.9)


def test_axes_carry_units(page):
    page.model.show_run(RUN)
    page.redraw()
    assert "128 B" in ticks(page.scaling, "bottom")
    assert "1 ms" in ticks(page.scaling, "left")
    assert "100%" in ticks(page.exactness, "left")
    page.units.setCurrentText("tokens/s")
    page.units.activated.emit(1)
    assert "tokens/s" in page.bars.note.text()


def test_contenders_with_a_vocabulary_of_their_own_have_no_exactness(page):
    page.model.show_run(RUN)
    page.redraw()
    (markers,) = page.exactness._pool["markers"]
    assert len(markers.points()) == 3


def test_drawing_again_makes_no_new_items(page):
    page.model.show_run(RUN)
    page.redraw()
    before = {kind: len(items) for kind, items in page.scaling._pool.items()}
    for chart in page.charts:
        chart.redraw()
    assert {kind: len(items) for kind, items in page.scaling._pool.items()} == before


def test_charts_follow_the_theme(page):
    page.model.show_run(RUN)
    page.redraw()
    page.bars._theme_source.choose("light")
    assert page.bars.plot.backgroundBrush().color() == LIGHT.raised


def test_ticking_a_contender_changes_the_plan(page):
    box = next(box for box in page.plan.findChildren(QCheckBox) if box.accessibleName() == "llama.cpp")
    box.setEnabled(True)
    box.setChecked(not box.isChecked())
    assert page.model.takes_part("llama.cpp") == box.isChecked()


def test_scenarios_and_limits_are_chosen_beside_the_charts(page, qtbot):
    box = next(box for box in page.plan.findChildren(QCheckBox) if box.accessibleName() == "Scenario decode")
    box.click()
    assert "decode" in page.model.preset.scenarios
    budget = page.plan.limits["time_budget_s"]
    budget.setCurrentText("1 min")
    budget.activated.emit(budget.currentIndex())
    assert page.model.preset.time_budget_s == 60
    assert page.plan.presets.currentText() == page.model.preset.title


def test_no_two_contenders_look_alike():
    names = {*ALGORITHMS, *PEERS}
    looks = [look_of(name, DARK) for name in [*names, *(name + UNSPLIT for name in names)]]
    assert len({(look.color.name(), look.marker) for look in looks}) == len(looks)


def test_the_mouse_tells_value_interval_runs_and_difference():
    tip = tip_of(record("throughput", "greedy", 10_000, 5e-5, 0.95))
    for word in ("50 µs", "45 µs to 60 µs", "n = 9", "200 MB/s", "95.00%", "byte 17"):
        assert word in tip


def test_the_mouse_tells_the_published_figure_and_what_differs():
    tip = tip_of(record("scaling", "greedy", 1 << 22, 0.1, 0.95))
    assert "TokenTree, 2026: 335.9 ms for 4,194,304 B, 12.5 MB/s (Intel Core Ultra 7 265K" in tip


def test_labels_that_would_cover_each_other_move_and_stay_below_the_top():
    ends = [End(y, text, DARK.text, "o") for y, text in ((0.1, "b"), (0.0, "a"), (9.0, "c"), (8.9, "d"))]
    placed = spread(ends, 0.5, 9.0)
    assert [end.text for end in placed] == ["a", "b", "d", "c"]
    assert [end.y for end in placed] == [0.0, 0.5, 8.5, 9.0]


@pytest.mark.parametrize(("value", "text"), [(0.5, "0.5"), (1234, "1.23 k"), (5e7, "50 M"), (2e9, "2 G")])
def test_numbers_are_short(value, text):
    assert short_number(value) == text


def test_clicking_a_bar_isolates_its_contender_in_all_charts(page, qtbot):
    page.model.show_run(RUN)
    page.redraw()
    bars = page.bars.plot
    x, y, row = page.bars._points[0]
    place = bars.pixel(x * 0.5, y).toPoint()
    qtbot.mouseClick(bars.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert page.model.isolated == row["contender"]
    assert page.scaling._isolated == row["contender"]
    page.model.isolate(row["contender"])
    assert page.model.isolated == ""


@pytest.mark.parametrize(("lowest", "steps"), [(0.95, 6), (0.99, 2), (0.5, 6), (0.0, 6)])
def test_shares_are_round_and_reach_the_lowest(lowest, steps):
    shares = share_steps(lowest)
    assert len(shares) == steps
    assert shares[0] <= lowest + 1e-9
    assert shares[-1] == 1
    assert all(abs(share * 100 - round(share * 100)) < 1e-6 for share in shares)


def test_each_scenario_has_its_chart(page):
    cold = [record("cold", name, 10_000, 1e-2) for name in ("fast", "tiktoken")]
    memory = record("memory", "fast", 1000, 1.0, built_bytes=5_000_000, encoding_bytes=1_000_000)
    interval = [
        record("interval", "fast", size, 1e-4, operation=operation)
        for size in (40, 400)
        for operation in ("count parts", "encode parts")
    ]
    card = page.scenario_card
    assert not card.scenarios.isVisible()
    page.model.show_run({"results": [*RUN["results"], *cold, memory, *interval]})
    page.redraw()
    assert card.scenarios.isVisible()
    assert card.currentWidget() is card.curves
    card.choose("cold")
    page.redraw()
    assert card.currentWidget() is card.groups
    assert ticks(card.groups, "left") == ["tiktoken", "fast"]
    assert len(card.groups._pool["bars"][0].opts["width"]) == 4
    card.choose("memory")
    page.redraw()
    assert list(card.groups._pool["bars"][0].opts["width"]) == [5, 1]
    card.choose("interval")
    page.redraw()
    assert any("counting" in word.text for word in card.curves.plot.words)


def stage(contender: str, operation: str, seconds: float) -> dict:
    return record("stages", contender, 10_000, seconds, operation=operation)


STAGES = [
    stage("heap", "encode", 1e-3),
    stage("heap", "split", 2e-4),
    stage("heap", "encode pieces", 6e-4),
    stage("tiktoken", "encode", 1e-4),
]


def test_stages_are_stacked_in_order_and_the_rest_fills_the_bar():
    parts = [(part.name, round(part.end, 6)) for part in parts_of(STAGES[0], STAGES[2:0:-1], 0)]
    assert parts == [("split", 0.2), ("encode pieces", 0.8), ("rest", 1.0)]
    slow = [stage("heap", "split", 8e-4), stage("heap", "encode pieces", 8e-4)]
    assert [part.end for part in parts_of(STAGES[0], slow, 0)] == [0.5, 1.0]
    assert [part.name for part in parts_of(STAGES[3], [], 0)] == ["tells no stages"]


def test_the_chart_of_stages_names_them_and_tells_the_time_of_the_call(page):
    page.model.show_run({"results": STAGES})
    page.show_only("stages")
    QApplication.processEvents()  # the page is laid out anew
    assert ticks(page.scenario_card.stages, "left") == ["heap", "tiktoken"]
    texts = [word.text for word in page.scenario_card.stages.plot.words]
    for text in ("split 20%", "encode 60%", "rest 20%", "tells no stages", "100 ms for 1 MB"):
        assert text in texts


def test_one_chart_can_be_shown_alone_and_all_again(page):
    page.model.show_run(RUN)
    page.show_only("exactness")
    assert [chart.title for chart in page.shown_charts] == ["Speed × exactness"]
    page.exactness.enlarge_button.click()
    assert len(page.shown_charts) == 4
    with pytest.raises(BenchError, match="no chart “memory”"):
        page.show_only("memory")


def test_no_label_is_cut_off_at_the_edge_of_its_chart(page):
    page.model.show_run({"results": [*RUN["results"], *STAGES]})
    page.redraw()
    for width in (900, 1280):
        page.resize(width, 720)
        for name in ("throughput", "scaling", "exactness", "worst", "stages"):
            page.show_only(name)
            QApplication.processEvents()
            (chart,) = page.shown_charts
            area = chart.plot.area.adjusted(-1, -1, 1, 1)
            assert chart.plot.words
            for word in chart.plot.words:
                assert area.contains(chart.plot.rect_of(word)), (name, word.text)


@pytest.fixture
def export(page, tmp_path):
    page.model.show_run(RUN)
    page.redraw()
    page.export._ask_folder = lambda window: tmp_path
    page.export._ask_file = lambda window: tmp_path / "run.html"
    return page.export


def test_every_chart_of_the_run_becomes_two_pictures(page, export, tmp_path, qtbot):
    page.save_pictures()
    qtbot.waitUntil(lambda: page.progress.text().endswith(f"in {tmp_path}."), timeout=PATIENCE_MS)
    names = {path.stem for path in tmp_path.glob("*.svg")}
    assert {"throughput-english", "speed-exactness-english", "throughput-against-length"} <= names
    assert names == {path.stem for path in tmp_path.glob("*.png")}
    assert len(names) == 5
    throughput = (tmp_path / "throughput-english.svg").read_text()
    assert "MB/s, median" in throughput
    assert "tiktoken" in throughput
    assert not any("<image" in file.read_text() for file in tmp_path.glob("*.svg"))
    height = int(re.search(r'viewBox="0 0 \d+ (\d+)"', throughput)[1])
    picture = QImage(str(tmp_path / "throughput-english.png"))
    assert picture.height() == 2 * height > 2 * TITLE_PX


def test_the_report_holds_all_charts_in_light_colours_whatever_the_screen_shows(
    page, export, tmp_path, qtbot
):
    page.bar.report_button.click()
    qtbot.waitUntil(lambda: "run.html" in page.progress.text())
    report = (tmp_path / "run.html").read_text()
    assert report.count("<svg") == 5
    assert page.bars.theme is DARK
    assert not any(color.name() in report for color in (DARK.raised, DARK.panel, DARK.dim, DARK.text))
    assert LIGHT.dim.name() in report


@pytest.mark.parametrize("suffix", [".md", ".csv", ".json"])
def test_reports_come_in_the_format_of_their_ending(page, export, tmp_path, suffix, qtbot):
    export._ask_file = lambda window: tmp_path / f"run{suffix}"
    page.save_report()
    qtbot.waitUntil(lambda: "The report is in" in page.progress.text())
    assert "tiktoken" in (tmp_path / f"run{suffix}").read_text()


def test_a_report_that_cannot_be_written_is_told(page, export, tmp_path, qtbot):
    export._ask_file = lambda window: tmp_path / "missing" / "run.html"
    page.bar.report_button.click()
    qtbot.waitUntil(lambda: any("cannot be written" in each.message for each in page.notices.notices))


def test_the_mouse_tells_the_memory_of_a_contender():
    memory = record("memory", "fast", 1000, 1.0, built_bytes=5_000_000, encoding_bytes=1_000_000)
    tip = tip_of({**memory, **dict.fromkeys(("median_s", "ci_s", "mb_per_s", "tokens_per_s"))})
    assert "5.0 MB when it is ready, up to 1.0 MB more" in tip


def test_a_page_that_is_hidden_draws_when_it_is_shown_again(page):
    page.hide()
    page.model.show_run(RUN)
    assert not page.bars.has_results
    page.show()
    assert page.bars.has_results


def test_throughput_is_drawn_against_length_too(page):
    page.model.show_run(RUN)
    page.redraw()
    page.scaling.quantity_button.click()
    assert page.scaling.note.text().startswith("MB/s by bytes")
    (curve,) = page.scaling.plot.curves
    sizes, speeds = 10**curve.x, 10**curve.y
    assert speeds == pytest.approx(sizes / (1e-5 + 1e-9 * sizes) / 1e6)
    for _ in range(2):
        page.scaling.quantity_button.click()
    assert page.scaling.note.text().startswith("time by bytes")


def test_published_figures_are_a_table_beside_the_measured_ones(page):
    page.model.show_run({"results": [record("scaling", "greedy", 1 << 22, 0.1, 0.95)]})
    page.bar.views.choose(1)
    text = page.tables.toPlainText()
    for words in ("TokenTree, 2026", "335.9 ms for 4,194,304 B", "100 ms, 41.9 MB/s", "Intel Core Ultra 7"):
        assert words in text
    assert page.shown_charts == []
    page.bar.views.choose(0)
    assert page.scaling.isVisible()


def test_a_run_without_published_figures_says_which_preset_has_them(page):
    page.bar.views.choose(1)
    assert "The papers' tables" in page.tables.toPlainText()


def compared(page, tmp_path) -> None:
    """Show a run in which `fast` takes twice the time of a saved one."""
    rng = random.Random(1)
    noise = [1 + rng.random() / 100 for _ in range(20)]
    for seconds in (1e-4, 2e-4):
        row = record("throughput", "fast", 10_000, seconds, samples_s=[seconds * each for each in noise])
        (tmp_path / f"{seconds}.json").write_text(json.dumps({"results": [row]}))
    page.model.open_run(tmp_path / "0.0002.json")
    page.bar.ask = lambda window: tmp_path / "0.0001.json"
    page.bar.compare_with_run()


def test_what_got_slower_is_marked_with_its_interval_in_table_and_chart(page, tmp_path):
    compared(page, tmp_path)
    text = page.tables.toPlainText()
    assert "Against 0.0001" in text
    assert "▼ slower" in text
    page.bar.views.choose(0)
    (label,) = [word.text for word in page.bars.plot.words]
    assert re.search(r"▼ 2\.00 × time \(1\.99–2\.0\d\)|▼ 2\.0\d × time", label)


def test_a_run_from_elsewhere_is_opened_by_button_and_by_drop(page, tmp_path, qtbot):
    path = tmp_path / "run.json"
    path.write_text(json.dumps(RUN))
    page.bar.ask = lambda window: path
    page.bar.open_run()
    assert len(page.model.results) == len(RUN["results"])
    assert page.progress.text() == "A saved run: run.json"
    page.model.show_run({"results": []})
    drop(page, path)
    assert len(page.model.results) == len(RUN["results"])


def test_a_text_that_is_dropped_is_left_to_the_window(page, tmp_path):
    assert not drop(page, tmp_path / "book.txt")


def drop(page, path) -> bool:
    """Drop a file; whether the page wants it."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    place, action, button = QPoint(400, 300), Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    keys = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(place, action, mime, button, keys)
    page.dragEnterEvent(enter)
    if enter.isAccepted():
        page.dropEvent(QDropEvent(QPointF(place), action, mime, button, keys))
    return enter.isAccepted()


def test_a_file_that_is_no_run_leaves_a_notice_and_the_old_run(page, tmp_path):
    page.model.show_run(RUN)
    (tmp_path / "no.json").write_text("{}")
    page.model.open_run(tmp_path / "no.json")
    assert "no.json is not a run" in page.notices.notices[0].message
    assert len(page.model.results) == len(RUN["results"])


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
    assert "heap left out in scaling (english, 512 B): It crashed" in page.notes.text()
    assert "2 more were left out" in page.notes.text()
    page.notes.linkActivated.emit("figures")
    assert "words left out in scaling" in page.tables.toPlainText()
