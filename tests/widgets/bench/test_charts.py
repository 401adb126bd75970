"""What the charts of the Bench page draw."""

from __future__ import annotations

from html import escape
from itertools import pairwise

import numpy as np
import pytest
from bench_runs import EVERYTHING, MEMORY, RUN, STAGES, record, stage
from pictures import picture_of
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QToolTip

from guiapp.core.bench.contenders.contender import UNSPLIT
from guiapp.core.bench.contenders.table import PEERS
from guiapp.core.catalogue import ALGORITHMS
from guiapp.core.pipelines.stages import SPLIT_AND_ENCODE
from guiapp.widgets.bench.charts import PROJECTED_FONT_PX, PROJECTED_PX
from guiapp.widgets.bench.contender_look import look_of
from guiapp.widgets.bench.exactness import front_of
from guiapp.widgets.bench.plot import Plot
from guiapp.widgets.bench.scenarios import OFFERED
from guiapp.widgets.bench.stages import color_of, parts_of
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
    plot = page.exactness.plot
    assert [plot.area.contains(plot.pixel(marker.x, marker.y)) for marker in plot.markers] == [True] * 3


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


def test_a_click_that_ends_when_the_results_are_gone_isolates_nobody(page, qtbot):
    page.model.show_run(RUN)
    page.redraw()
    plot = page.scaling.plot
    place = plot.rect_of(plot.words[0]).center().toPoint()
    qtbot.mousePress(plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
    page.scaling.show_results([])
    qtbot.mouseRelease(plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert page.model.isolated == ""


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
    speeds = {word.text.split("   ")[0] for word in card.groups.plot.words}
    assert speeds == {"10.0 · warm", "100 · warm", "1.00 · cold"}
    assert card.groups.note.whole_text.endswith("× fast")
    card.choose("memory")
    page.redraw()
    assert list(card.groups._pool["bars"][0].opts["width"]) == [5, 1]
    card.choose("interval")
    page.redraw()
    assert any("counting" in word.text for word in card.curves.plot.words)


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


NAMES = ("throughput", "scaling", "exactness", *OFFERED)


def test_what_was_shown_before_leaves_no_trace(make_page):
    used = make_page()
    used.model.show_run(EVERYTHING)
    for each in NAMES:
        used.show_only(each)
        QApplication.processEvents()
    for run, name, isolated in (
        (RUN, "scaling", ""),
        ({"results": STAGES}, "stages", "heap"),
        ({"results": MEMORY}, "memory", "fast"),
        ({"results": []}, "", ""),
        (EVERYTHING, "worst", "heap"),
    ):
        used.model.show_run(EVERYTHING)
        for each in (name or "decode", "cold", "throughput"):
            used.model.isolate("tiktoken")
            used.show_only(each)
        used.model.isolate("tiktoken")
        used.bars._theme_source.choose("light" if name == "scaling" else "dark")
        used.scaling.enlarge_clicked.emit(False)
        fresh = make_page()
        for page in (used, fresh):
            page.model.show_run(run)
            page.model.isolate(isolated)
            settle(page)
            QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            if name:
                page.show_only(name)
        assert picture_of(used).image == picture_of(fresh).image, name
        for page in (used, fresh):
            page.scenario_card.enlarge_clicked.emit(False)
        assert picture_of(used).image == picture_of(fresh).image, name
        used.model.isolate(isolated)
        fresh.close()


def shown_chart(page, name):
    """The chart of a scenario, alone on the page."""
    page.show_only(name)
    QApplication.processEvents()
    (chart,) = page.shown_charts
    return chart


@pytest.mark.parametrize("key", ["median_s", "mb_per_s", "tokens_per_s"])
def test_curves_go_through_their_records_with_their_intervals_around_them(page, key):
    page.model.show_run(EVERYTHING)
    for name in ("scaling", "worst", "append", "interval"):
        chart = shown_chart(page, name)
        while chart._quantity.key != key:
            chart.quantity_button.click()
        rows = [
            row for row in EVERYTHING["results"] if row["scenario"] == name and row["corpus"] == "english"
        ]
        lines = list(dict.fromkeys((row["contender"], row["operation"]) for row in rows))
        assert len(chart.plot.curves) == len(lines) == len(chart.plot.words)
        assert chart.plot.has_lines
        for curve, line, word in zip(chart.plot.curves, lines, chart.plot.words, strict=True):
            drawn = [row for row in rows if (row["contender"], row["operation"]) == line]
            ends = [
                sorted(row[key] * share ** (1 if key == "median_s" else -1) for share in (0.9, 1.2))
                for row in drawn
            ]
            band = [low for low, _ in ends], [high for _, high in ends]
            assert 10.0 ** np.array(curve.x) == pytest.approx([row["size_bytes"] for row in drawn])
            assert 10.0 ** np.array(curve.y) == pytest.approx([row[key] for row in drawn])
            assert np.sort(10.0 ** np.array(curve.band), axis=0) == pytest.approx(np.array(band))
            color = look_of(line[0], chart.theme).color
            assert curve.pen.color() == color
            assert 0 < curve.band_brush.color().alpha() < 100
            assert (curve.pen.style() is Qt.PenStyle.DotLine) == (line[1] in ("append", "count parts"))
            assert word.text.startswith(line[0])
            bottom, top = chart.plot.y_range
            low, high = np.log10(band)
            assert bottom < low.min() < high.max() < top
        assert len(chart.plot.markers) == len(rows) + len(lines), "one at each name"
        assert [word.y for word in chart.plot.words] == sorted(word.y for word in chart.plot.words)


def test_a_curve_with_other_ids_is_dashed_and_one_that_ends_early_says_where(page):
    rows = [record("scaling", "fast", size, 1e-9 * size) for size in (100, 10_000)]
    rows += [record("scaling", "greedy", size, 2e-9 * size, 0.9) for size in (1000, 100)]
    page.model.show_run({"results": rows})
    chart = shown_chart(page, "scaling")
    styles = [curve.pen.style() for curve in chart.plot.curves]
    assert styles == [Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine]
    assert {word.text.split()[0]: " to 1 kB" in word.text for word in chart.plot.words} == {
        "fast": False,
        "greedy": True,
    }
    assert all(list(curve.x) == sorted(curve.x) for curve in chart.plot.curves)


def colors_of_bars(chart) -> list[tuple[str, QColor]]:
    """Whose bar, and what is painted in it; those with other ids are hatched and left out."""
    image = picture_of(chart.plot).image
    places = [(row, chart.plot.pixel(x * 0.4, y).toPoint()) for x, y, row in chart._points]
    return [(row["contender"], image.pixelColor(at)) for row, at in places if row["exact"] is not False]


def test_bars_have_the_colours_of_their_contenders_which_fade_beside_an_isolated_one(page):
    page.model.show_run(EVERYTHING)
    for name, n_bars in (("throughput", 3), ("threads", 2), ("cold", 4), ("batch", 1), ("memory", 4)):
        chart = shown_chart(page, name)
        bars = colors_of_bars(chart)
        assert len(bars) == n_bars
        for contender in dict(bars):
            first, *others = [color for name, color in bars if name == contender]
            assert first == look_of(contender, chart.theme).color
            assert not {chart.theme.raised.name(), first.name()} & {other.name() for other in others}
            heights = [y for _, y, row in chart._points if row["contender"] == contender]
            assert heights == sorted(heights, reverse=True), "the first on top"
            assert sum(heights) / len(heights) == pytest.approx(round(sum(heights) / len(heights)))
        page.model.isolate("fast")
        for (contender, before), (_, color) in zip(bars, colors_of_bars(chart), strict=True):
            assert (color == before) == (contender == "fast")
        page.model.isolate("fast")


def test_the_mouse_tells_of_the_marker_or_bar_that_it_is_near_and_of_nothing_elsewhere(page, qtbot):
    page.model.show_run(EVERYTHING)
    for name in ("scaling", "exactness", "throughput", "cold", "stages"):
        chart = shown_chart(page, name)
        plot, isolated = chart.plot, []
        assert plot.accessibleName() == chart.title
        chart.contender_clicked.connect(isolated.append)
        points = [(part.end - 0.02, part.y, part.row) for part in getattr(chart, "_parts", [])]
        for x, y, row in points or chart._points:
            plot.scene().sigMouseMoved.emit(plot.pixel(x, y) + QPointF(-3, 2))
            assert row["contender"] in QToolTip.text()
            qtbot.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=plot.pixel(x, y).toPoint())
            assert isolated.pop() == row["contender"]
        nowhere = plot.area.topLeft() + QPointF(2, 2)
        plot.scene().sigMouseMoved.emit(nowhere)
        if name == "scaling":
            qtbot.waitUntil(lambda: QToolTip.text() == "")
        qtbot.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=nowhere.toPoint())
        assert isolated == [""]
        page.model.isolate("")


def test_stages_of_one_pass_have_two_colours_and_a_legend(page):
    fused = [stage("fast", "encode", 1e-4), stage("fast", SPLIT_AND_ENCODE, 1e-4)]
    page.model.show_run({"results": [*STAGES, *fused]})
    chart = shown_chart(page, "stages")
    image, plot, theme = picture_of(chart.plot).image, chart.plot, chart.theme

    def color(x, y):
        return image.pixelColor(plot.pixel(x, y).toPoint()).name()

    split, encode = (color_of(name, theme).name() for name in ("split", "encode pieces"))
    assert ticks(chart, "left") == ["heap", "tiktoken", "fast"]
    assert [color(x, 0.2) for x in (0.02, 0.22, 0.82)] == [split, encode, theme.raised.name()]
    assert (color(0.02, 2.2), color(0.02, 1.85)) == (split, encode)
    assert color(0.02, 1.0) == theme.raised.name()
    edge = plot.pixel(1.0, 0.2).toPoint()
    assert theme.line.name() in {image.pixelColor(edge.x() + dx, edge.y()).name() for dx in (-1, 0, 1)}
    assert [marker.brush.color().name() for marker in plot.markers] == [split, encode]
    legend = [word for word in plot.words if word.text in ("split", "encode")]
    assert [marker.x < word.x for marker, word in zip(plot.markers, legend, strict=True)] == [True, True]
    assert plot.rect_of(legend[0]).right() < plot.pixel(plot.markers[1].x, 0).x()
    page.model.isolate("heap")
    faded = picture_of(chart.plot).image
    assert faded.pixelColor(plot.pixel(0.02, 2.2).toPoint()).name() not in (split, theme.raised.name())
    assert faded.pixelColor(plot.pixel(0.02, 0.2).toPoint()).name() == split
