"""What the charts of the Bench page draw."""

from __future__ import annotations

from html import escape
from itertools import pairwise

import pytest
from bench_runs import RUN, record
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QToolTip

from guiapp.core.bench.contenders import UNSPLIT
from guiapp.core.bench.peers import PEERS
from guiapp.core.catalogue import ALGORITHMS
from guiapp.widgets.bench.charts import PROJECTED_FONT_PX, PROJECTED_PX
from guiapp.widgets.bench.contender_look import look_of
from guiapp.widgets.bench.exactness import front_of
from guiapp.widgets.bench.plot import Plot
from guiapp.widgets.bench.stages import parts_of
from guiapp.widgets.shared.theme import DARK, LIGHT


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
    assert "greedy&nbsp;≈&nbsp;95.0&nbsp;%" in page.notes.text()
    assert "SPM only" in page.notes.text()


def test_whiskers_reach_from_one_end_of_the_interval_to_the_other(page):
    page.model.show_run({"results": RUN["results"][:1]})
    page.redraw()
    options = page.bars._pool["whiskers"][0].opts
    assert options["x"][0] - options["left"][0] == pytest.approx(100 / 1.2)
    assert options["x"][0] + options["right"][0] == pytest.approx(100 / 0.9)


def test_one_run_alone_has_no_whisker(page):
    rows = [record("throughput", "heap", 10_000, 1e-4, n=1), record("throughput", "fast", 10_000, 1e-4)]
    page.model.show_run({"results": rows})
    page.redraw()
    assert len(page.bars._pool["whiskers"][0].opts["x"]) == 1


def test_bars_of_scenarios_have_whiskers_a_unit_and_a_baseline(page):
    rows = [record("decode", "heap", 10_000, 1e-4), record("decode", "fast", 10_000, 2e-4)]
    page.model.show_run({"results": rows})
    page.show_only("decode")
    groups = page.scenario_card.groups
    options = groups._pool["whiskers"][0].opts
    assert options["x"][1] - options["left"][1] == pytest.approx(100 / 1.2)
    assert [word.text for word in groups.plot.words] == ["50.0   1.00×", "100   2.00×"]
    page.units.setCurrentText("tokens/s")
    page.units.activated.emit(1)
    assert groups.note.text().startswith("tokens/s of the text that comes out")
    page.baselines.setCurrentText("heap")
    page.redraw()
    assert [word.text.split()[-1] for word in groups.plot.words] == ["0.50×", "1.00×"]


def test_each_bar_of_a_group_is_under_the_mouse(page):
    rows = [record("threads", "fast", 10_000, 1e-4 / threads, threads=threads) for threads in (1, 2)]
    page.model.show_run({"results": rows})
    page.show_only("threads")
    groups = page.scenario_card.groups
    for x, y, row in groups._points:
        assert groups.record_at(groups.plot.pixel(x / 2, y)) is row


def test_names_from_a_run_file_are_shown_as_they_are(page):
    name = "<b>bold</b><img src=x>"
    page.model.show_run({"results": [record("throughput", name, 10_000, 1e-4, corpus=name)]})
    page.redraw()
    x, y, _ = page.bars._points[0]
    place = page.bars.plot.pixel(x / 2, y)
    page.bars.plot.scene().sigMouseMoved.emit(place)
    assert escape(name) in QToolTip.text()
    QToolTip.hideText()


def test_the_baseline_is_the_usual_one_whoever_is_measured_first(page):
    page.model.show_run({"results": [record("throughput", "heap", 10_000, 1e-4)]})
    page.redraw()
    assert page.baseline == "heap"
    page.model.show_run(RUN)
    page.redraw()
    assert page.baseline == "fast"
    page.baselines.setCurrentText("tiktoken")
    page.baselines.textActivated.emit("tiktoken")
    page.model.show_run({"results": RUN["results"][::-1]})
    page.redraw()
    assert page.baseline == "tiktoken"


def test_axes_carry_units(page):
    page.model.show_run(RUN)
    page.redraw()
    assert "128 B" in ticks(page.scaling, "bottom")
    assert "1 ms" in ticks(page.scaling, "left")
    assert "100 %" in ticks(page.exactness, "left")
    page.units.setCurrentText("tokens/s")
    page.units.activated.emit(1)
    assert "tokens/s" in page.bars.note.text()


def test_contenders_with_a_vocabulary_of_their_own_have_no_exactness(page):
    page.model.show_run(RUN)
    page.redraw()
    assert len(page.exactness.plot.markers) == 3


def test_what_a_sample_changes_is_painted_once_and_nothing_else(page, monkeypatch):
    painted = []

    def paint(plot, event):
        painted.append(plot.accessibleName())
        paint_really(plot, event)

    paint_really = Plot.paintEvent
    monkeypatch.setattr(Plot, "paintEvent", paint)
    page.model.show_run(RUN)
    settle(page)
    painted.clear()
    first, *others = RUN["results"]
    page.model.show_run({**RUN, "results": [{**first, "n": first["n"] + 1}, *others]})
    settle(page)
    assert sorted(painted) == ["Speed × exactness", "Throughput"]


def settle(page) -> None:
    """Until what is there is drawn and painted, and no picture is planned any more."""
    page.redraw()
    assert page.is_ready
    for _ in range(3):
        QApplication.processEvents()


def test_charts_follow_the_theme(page):
    page.model.show_run(RUN)
    page.redraw()
    page.bars._theme_source.choose("light")
    assert page.bars.plot.backgroundBrush().color() == LIGHT.raised


def test_no_two_contenders_look_alike():
    names = {*ALGORITHMS, *PEERS}
    looks = [look_of(name, DARK) for name in [*names, *(name + UNSPLIT for name in names)]]
    assert len({(look.color.name(), look.marker) for look in looks}) == len(looks)


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


def test_clicking_the_name_beside_a_curve_isolates_its_contender(page, qtbot):
    page.model.show_run(RUN)
    page.redraw()
    for chart, name in ((page.scaling, "fast"), (page.exactness, "tiktoken")):
        word = next(word for word in chart.plot.words if word.text.startswith(name))
        place = chart.plot.rect_of(word).center().toPoint()
        qtbot.mouseClick(chart.plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
        assert page.model.isolated == name
    others = [word for word in page.exactness.plot.words if not word.text.startswith("tiktoken")]
    assert {word.color.name() for word in others} == {page.exactness.theme.faint.name()}


def test_lines_across_end_before_the_names(page):
    page.model.show_run(RUN)
    page.redraw()
    plot = page.scaling.plot
    ends = [plot.pixel(plot.lines_end, 0.0).x(), *(plot.rect_of(word).left() for word in plot.words)]
    assert ends == sorted(ends)


def test_the_pareto_front_steps_down_from_the_most_exact_to_the_fastest():
    speeds = {"exact": (1e6, 1.0), "slow": (1e5, 1.0), "near": (1e7, 0.9), "beaten": (5e6, 0.8)}
    rows = [{"tokens_per_s": speed, "agreement": share} for speed, share in speeds.values()]
    assert front_of(rows, 4, 0.5) == [(7, 0.5), (7, 0.9), (6, 0.9), (6, 1.0), (4, 1.0)]


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
    for text in ("split 20 %", "encode 60 %", "rest 20 %", "tells no stages", "100 ms for 1 MB"):
        assert text in texts


def test_no_label_is_cut_off_at_the_edge_of_its_chart(page):
    groups = [
        record("decode", "greedy", 10_000, 1e-5, 0.9),
        *(record("threads", "fast", 10_000, 1e-4 / threads, threads=threads) for threads in (1, 2)),
    ]
    page.model.show_run({"results": [*RUN["results"], *STAGES, *groups]})
    page.redraw()
    for width in (900, 1280):
        page.resize(width, 720)
        for name in ("throughput", "scaling", "exactness", "worst", "stages", "decode", "threads"):
            page.show_only(name)
            QApplication.processEvents()
            (chart,) = page.shown_charts
            area = chart.plot.area.adjusted(-1, -1, 1, 1)
            assert chart.plot.words
            for word in chart.plot.words:
                assert area.contains(chart.plot.rect_of(word)), (name, word.text)


def test_numbers_below_a_chart_stand_apart_and_the_longest_text_has_one(page):
    page.model.show_run(RUN)
    for width in (800, 1280):
        page.resize(width, 720)
        QApplication.processEvents()
        page.redraw()
        plot = page.scaling.plot
        advance = plot.scale_metrics().horizontalAdvance
        spans = sorted(
            (plot.pixel(x, 0.0).x() - advance(text) / 2, plot.pixel(x, 0.0).x() + advance(text) / 2)
            for x, text in plot.bottom_ticks
        )
        assert all(left[1] + 20 < right[0] for left, right in pairwise(spans))
        assert {"128 B", "2 MiB"} <= {text for _, text in plot.bottom_ticks}


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


def test_a_chart_that_was_behind_when_its_page_was_resized_is_drawn_in_its_new_size(page):
    untimed = dict.fromkeys(("median_s", "ci_s", "mb_per_s", "tokens_per_s"))
    memory = record("memory", "fast", 1000, 1e-5, built_bytes=10**6, encoding_bytes=10**6, **untimed)
    rows = [memory, record("threads", "fast", 1000, 1e-5), record("worst", "fast", 1000, 1e-5)]
    page.model.show_run({"results": rows})
    for scenario, size in (("memory", (1280, 800)), ("worst", (1280, 800)), ("threads", (1800, 1100))):
        page.resize(*size)
        page.show_only(scenario)
        QApplication.processEvents()
    (chart,) = page.shown_charts
    assert chart.view_px()[0] > PROJECTED_PX
    assert chart._font_px == PROJECTED_FONT_PX
