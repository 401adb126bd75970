"""What the charts of the Bench page draw."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from html import escape
from itertools import combinations, pairwise
from math import log10

import numpy as np
import pytest
from bench_runs import EVERYTHING, RUN, STAGES, record, stage
from hands import point_at
from hypothesis import given, settings
from hypothesis import strategies as st
from pictures import picture_of
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication, QToolTip

from guiapp.core.bench.contenders.contender import UNSPLIT
from guiapp.core.bench.contenders.table import PEERS
from guiapp.core.bench.scenarios import SCENARIOS
from guiapp.core.catalogue import ALGORITHMS
from guiapp.core.pipelines.stages import SPLIT_AND_ENCODE
from guiapp.widgets.bench.charts import PROJECTED_FONT_PX, Loading, Showing, showing_of
from guiapp.widgets.bench.contender_look import N_LOOKS, ORDER, look_of
from guiapp.widgets.bench.curves import MOST_NAMED, QUANTITIES
from guiapp.widgets.bench.exactness import ExactnessChart
from guiapp.widgets.bench.latency import QUANTILES, LatencyChart
from guiapp.widgets.bench.plot import BOLD
from guiapp.widgets.bench.scenarios import chart_of, rows_of, texts_of
from guiapp.widgets.bench.stages import color_of, parts_of
from guiapp.widgets.shared.theme import DARK, LIGHT, UI_FONT_PX, ThemeSource

EXACTNESS = "exactness"
SIZES = ((420, 260), (700, 420), (1300, 420), (1800, 1000))
ALL = (*SCENARIOS, EXACTNESS)
OF_CALLS = {"p50_s": 1e-6, "p95_s": 2e-6, "p99_s": 9e-6}
OF_ENERGY = {"joules_per_mb": 0.5, "joules_ci": [0.4, 0.6]}
WHOLE_RUN = {
    "results": [
        *EVERYTHING["results"],
        *(record("latency", name, 128, 1e-6, **OF_CALLS) for name in ("fast", "heap")),
        *(record("energy", name, 128, 1e-6, **OF_ENERGY) for name in ("fast", "heap")),
    ]
}


@pytest.fixture(scope="module")
def source(qapp):
    return ThemeSource(qapp, "dark")


@pytest.fixture
def draw(source, qtbot):
    """A chart of these records, alone."""

    def make(name: str, run: dict = EVERYTHING, size: tuple[int, int] = (700, 420), **choices):
        scenario = "throughput" if name == EXACTNESS else name
        chart = ExactnessChart(source) if name == EXACTNESS else chart_of(scenario, source)
        qtbot.addWidget(chart)
        chart.resize(*size)
        text = next(iter(texts_of(run["results"], scenario)), "")
        chart.show_results(rows_of(run["results"], scenario, text), showing_of(run, **choices))
        chart.show()
        QApplication.processEvents()
        return chart

    return make


def texts(chart) -> list[str]:
    return [word.text for word in chart.words]


def names_in(chart) -> list[str]:
    """From the top down."""
    words = [word for word in chart.words if word.row and word.text == word.row["contender"]]
    return [word.text for word in sorted(words, key=lambda word: -word.y)]


def overlapping(chart) -> list[tuple[str, str]]:
    rects = [(word.text, chart.rect_of(word).adjusted(1, 3, -1, -3)) for word in chart.words if word.text]
    return [(a, b) for (a, one), (b, other) in combinations(rects, 2) if one.intersects(other)]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", ALL)
def test_no_words_cover_others_or_are_cut_off(draw, name, size):
    chart = draw(name, WHOLE_RUN, size)
    assert chart.words
    room = chart.rect().adjusted(-1, -1, 1, 1)
    for word in chart.words:
        assert room.contains(chart.rect_of(word).toRect()), word.text
    if chart.height() >= chart.minimumSizeHint().height():
        assert overlapping(chart) == []


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_at_most_eight_curves_are_named_and_no_name_covers_another(source, data):
    """Any times and contenders, at any size; leaders end at their names and do not cross."""
    names = data.draw(st.lists(st.sampled_from(ORDER), min_size=1, max_size=20, unique=True))
    sizes = [128, 4096, 131072, 4194304]
    exponents = st.floats(-6.5, 0.5)
    times = {name: data.draw(st.lists(exponents, min_size=1, max_size=4)) for name in names}
    rows = [
        record("scaling", name, size, 10.0**power)
        for name, powers in times.items()
        for size, power in zip(sizes, powers, strict=False)
    ]
    chart = chart_of("scaling", source)
    chart.resize(data.draw(st.integers(380, 1900)), data.draw(st.integers(200, 1000)))
    chart.show_results(rows)
    chart.redraw()
    named = names_in(chart)
    assert 1 <= len(named) == len(set(named)) <= MOST_NAMED
    assert len(named) == len(names) or f"{len(names) - len(named)} more in grey" in " ".join(texts(chart))
    assert overlapping(chart) == []
    rects = [chart.rect_of(word) for word in chart.words if word.row]
    assert all(chart.area.right() < rect.left() for rect in rects), "none within the plot"
    assert all(rect.top() >= chart.area.top() - 1 and rect.right() <= chart.width() for rect in rects)
    chart.deleteLater()


def test_the_fastest_is_on_top_and_one_with_other_ids_is_hatched(draw):
    chart = draw("throughput", RUN)
    assert names_in(chart) == ["greedy", "fast", "tiktoken", "rs-bpe"]
    assert [bar.brush.style() for bar in chart.bars[:2]] == [
        Qt.BrushStyle.BDiagPattern,
        Qt.BrushStyle.SolidPattern,
    ]


def test_columns_tell_interval_ratio_and_ids_of_each(draw):
    chart = draw("throughput", RUN)
    columns = {}
    for word in chart.words:
        columns.setdefault(round(word.shift_px), []).append(word.text)
    assert ["interval", *["± 15 %"] * 4] in columns.values()
    assert ["of fast", "2.00 ×", "1.00 ×", "0.10 ×", "0.10 ×"] in columns.values()
    assert ["ids", "≈ 95.0 %", "✓ equal", "✓ equal", "its own"] in columns.values()
    assert {"200", "100", "10.0"} <= {*texts(chart)}
    assert chart.subtitle == "in MB/s, with 95 % intervals"
    other = draw("throughput", RUN, baseline="tiktoken", unit="tokens_per_s")
    assert {"of tiktoken", "20.00 ×", "25.0 M"} <= {*texts(other)}
    assert other.subtitle == "in tokens/s, with 95 % intervals"
    assert "of rwkv" not in texts(draw("throughput", RUN, baseline="rwkv"))
    by_processor = {"results": [{**row, "clock": "cpu"} for row in RUN["results"]]}
    assert draw("throughput", by_processor).subtitle == "in MB/s by processor time, with 95 % intervals"
    clocks = {"results": [{**row, "clock": row["contender"]} for row in RUN["results"]]}
    assert [each for each in texts(draw("throughput", clocks)) if each.endswith(" ×")] == ["1.00 ×"]


def test_whiskers_reach_from_one_end_of_the_interval_to_the_other_and_one_run_alone_has_none(draw):
    rows = [record("throughput", "fast", 10_000, 1e-4), record("throughput", "heap", 10_000, 1e-3, n=1)]
    fast, heap = draw("throughput", {"results": rows}).bars
    assert fast.interval == pytest.approx((100 / 1.2, 100 / 0.9))
    assert heap.interval is None
    assert texts(draw("throughput", {"results": rows})).count("once") == 1


def test_contenders_that_are_opened_have_a_thin_line_that_tells_how_far(draw):
    loading = (
        Loading("tokenizers", 0.62, "reads 280,147 merges"),
        Loading("llama.cpp", None, "opens the file"),
    )
    chart = draw("throughput", RUN, loading=loading)
    assert "reads 280,147 merges, 62 %" in texts(chart)
    assert "opens the file" in texts(chart)
    thin = [bar for bar in chart.bars if bar.height_px < 4]
    assert [round(bar.right / thin[0].right, 2) for bar in thin] == [1, 0.62, 1]
    assert thin[1].brush.color() == look_of("tokenizers", DARK).color
    alone = draw("throughput", {"results": []}, loading=loading)
    assert alone.reason == ""
    assert [word.text for word in alone.words][:2] == ["tokenizers", "llama.cpp"]


def test_groups_have_a_bar_each_and_the_name_once(draw):
    rows = [
        record("threads", name, 10_000, s / n, threads=n)
        for name, s in (("fast", 1e-4), ("heap", 1e-3))
        for n in (1, 2)
    ]
    chart = draw("threads", {"results": rows})
    assert names_in(chart) == ["fast", "heap"]
    assert [text for text in texts(chart) if "thread" in text] == ["1 thread", "2 threads"] * 2
    strengths = [bar.brush.color().alpha() for bar in chart.bars]
    assert strengths == [255, 90, 255, 90]
    assert [chart.record_at(chart.pixel(x / 2, y)) for x, y, _ in chart._points] == rows
    assert texts(chart).count("1.00 ×") == 2, "beside the same number of threads"
    cold = draw("cold")
    assert [text for text in texts(cold) if text in ("first", "later")] == ["first", "later"] * 2
    memory = draw("memory")
    assert names_in(memory) == ["heap", "fast"], "the least on top"
    assert [bar.right for bar in memory.bars] == [3, 1, 5, 1]
    assert draw("throughput").head_px < memory.head_px, "in one line"


def test_bars_of_times_and_energy_have_the_least_on_top(draw):
    chart = draw("cold")
    chart.scenario = replace(chart.scenario, unit="s")
    chart.redraw()
    assert [bar.right for bar in chart.bars] == [1e-2, 1e-4, 1e-2, 1e-3]
    assert {"100 µs", "10 ms", "1 ms"} <= {*texts(chart)}
    assert chart.subtitle == "time of a call, with 95 % intervals"
    assert names_in(chart) == ["fast", "tiktoken"]
    joules = (("heap", 3.0), ("fast", 0.5))
    rows = [record("batch", name, 9, 1, joules_per_mb=j, joules_ci=[j * 0.9, j * 1.1]) for name, j in joules]
    energy = draw("batch", {"results": rows})
    energy.scenario = replace(energy.scenario, unit="J/MB")
    energy.redraw()
    assert names_in(energy) == ["fast", "heap"]
    assert {"0.500", "3.00", "6.00 ×"} <= {*texts(energy)}
    assert energy.subtitle == "in joules for 1 MB, with 95 % intervals"
    assert texts(energy).count("± 10 %") == 2


def test_contenders_with_a_vocabulary_of_their_own_have_no_exactness(draw):
    chart = draw(EXACTNESS, RUN)
    assert [chart.area.contains(chart.pixel(marker.x, marker.y)) for marker in chart.markers] == [True] * 3
    assert {text.split()[0] for text in texts(chart)} == {"fast", "greedy", "tiktoken", "On", "Below"}
    assert "logarithmic" in chart.subtitle
    assert [text for _, text in chart.left_ticks] == ["95 %", "96 %", "97 %", "98 %", "99 %", "100 %"]
    assert [(round(10**at), text) for at, text in chart.bottom_ticks] == [
        (10, "10"),
        (30, "30"),
        (100, "100"),
        (300, "300"),
    ]
    fills = {marker.brush.name() for marker in chart.markers}
    assert DARK.background.name() in fills, "hollow where ids differ"


@pytest.mark.parametrize("quantity", QUANTITIES, ids=lambda quantity: quantity.name)
@pytest.mark.parametrize("name", ["scaling", "worst", "append", "interval"])
def test_curves_go_through_their_records_with_their_intervals_around_them(draw, name, quantity):
    chart, key = draw(name), quantity.key
    while chart.quantity is not quantity:
        chart.quantity_button.click()
    rows = rows_of(EVERYTHING["results"], name, "english")
    lines = list(dict.fromkeys((row["contender"], row["operation"]) for row in rows))
    curves = [curve for curve in chart.curves if curve.band]
    assert len(curves) == len(lines)
    for curve, line in zip(curves, lines, strict=True):
        drawn = [row for row in rows if (row["contender"], row["operation"]) == line]
        power = 1 if key == "median_s" else -1
        ends = [sorted(row[key] * share**power for share in (0.9, 1.2)) for row in drawn]
        assert 10.0 ** np.array(curve.x) == pytest.approx([row["size_bytes"] for row in drawn])
        assert 10.0 ** np.array(curve.y) == pytest.approx([row[key] for row in drawn])
        assert np.sort(10.0 ** np.array(curve.band), axis=0) == pytest.approx(np.array(ends).T)
        assert curve.pen.color() == look_of(line[0], DARK).color
        assert (curve.pen.style() is Qt.PenStyle.DotLine) == (line[1] in ("append", "count parts"))
        bottom, top = chart.y_range
        assert bottom < np.min(curve.band) < np.max(curve.band) < top
    assert chart.subtitle.startswith("Logarithmic axes.")
    said = " ".join(texts(chart))
    assert ("counting " in said) == (name == "interval")
    assert key == "median_s" or chart.title.endswith(f": {quantity.name}")


GROWING = [128 << shift for shift in range(0, 16, 2)]


def test_names_tell_growth_and_the_cost_of_a_call_or_that_a_contender_stopped(draw):
    rows = [record("scaling", "fast", size, 16e-6 + 1e-9 * size) for size in GROWING]
    rows += [record("scaling", "heap", size, 1e-12 * size**2) for size in GROWING[:5]]
    rows += [record("scaling", "greedy", size, 2e-9 * size, 0.9) for size in GROWING[2::-1]]
    left = {"contender": "heap", "scenario": "scaling", "operation": "encode", "corpus": "english"}
    run = {"results": rows, "left_out": [left], "plan": {"call_limit_s": 2.0}}
    chart = draw("scaling", run, size=(900, 420))
    told = {word.row["contender"]: word.text for word in chart.words if word.row and word.letters != BOLD}
    assert told == {"fast": "linear, 16 µs", "heap": "quadratic, stopped", "greedy": "to 2 KiB"}
    assert chart.subtitle.endswith("A contender stops where a call would take over 2 s.")
    dashed = [curve.pen.style() is Qt.PenStyle.DashLine for curve in chart.curves if curve.band]
    assert sorted(dashed) == [False, False, True]
    assert all(list(curve.x) == sorted(curve.x) for curve in chart.curves)
    narrow = draw("scaling", run, size=(330, 300))
    assert "linear, 16 µs" not in texts(narrow)
    assert "fast" in texts(narrow)


def test_repeated_text_is_told_with_how_often(draw):
    own = {"corpus": "your text", "own_bytes": 100_000}
    rows = [record("scaling", "fast", size, 1e-9 * size, **own) for size in (1 << 10, 1 << 22)]
    chart = draw("scaling", {"results": rows})
    assert "Logarithmic axes. Your 100\N{NO-BREAK SPACE}kB, up to 42 times." in chart.subtitles[0]
    assert "times" not in draw("scaling", {"results": rows[:1]}).subtitles[0]


def test_numbers_below_a_chart_stand_apart_and_the_longest_text_has_one(draw):
    for width in (400, 1280):
        chart = draw("scaling", RUN, size=(width, 400))
        spans = [
            (chart.pixel(x, 0).x() - chart.width_px(text, "number") / 2, chart.width_px(text, "number"))
            for x, text in sorted(chart.bottom_ticks)
        ]
        assert all(left + width + 10 < right for (left, width), (right, _) in pairwise(spans))
        assert chart.height() - chart.area.bottom() > chart.line_px()
        assert {"128 B", "2 MiB"} <= {text for _, text in chart.bottom_ticks}


def test_an_isolated_contender_has_a_name_and_the_others_fade(draw):
    rows = [record("scaling", name, size, 1e-9 * size) for name in ORDER[:12] for size in (100, 10_000)]
    chart = draw("scaling", {"results": rows})
    assert len(names_in(chart)) == MOST_NAMED
    hidden = next(name for name in ORDER[:12] if name not in names_in(chart))
    assert "4 more in grey" in texts(chart)
    assert hidden in names_in(draw("scaling", {"results": rows}, baseline=hidden))
    chart.isolate(hidden)
    assert hidden in names_in(chart)
    colors = {word.text: word.color for word in chart.words if word.letters == BOLD}
    assert [name for name, color in colors.items() if color == DARK.text] == [hidden]
    strong = [curve.pen.color().alpha() for curve in chart.curves if curve.band]
    assert sorted(strong)[-2:] == [50, 255]


def test_the_mouse_tells_of_what_it_is_near_and_a_click_isolates_it(draw, qtbot, monkeypatch):
    for name in ("scaling", EXACTNESS, "throughput", "cold", "stages"):
        chart, isolated = draw(name), []
        chart.contender_clicked.connect(isolated.append)
        parts = [(part.end - 0.02, part.y, part.row) for part in getattr(chart, "_parts", [])]
        for x, y, row in parts or chart._points:
            place = (chart.pixel(x, y) + QPointF(-2, 1)).toPoint()
            qtbot.mouseMove(chart, place)
            qtbot.waitUntil(lambda row=row: row["contender"] in QToolTip.text())
            qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=place)
            assert isolated.pop() == row["contender"]
        for word in chart.words:
            if word.row and name == "scaling":
                place = chart.rect_of(word).center().toPoint()
                qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=place)
                assert isolated.pop() == word.row["contender"]
        with monkeypatch.context() as patch:
            patch.setattr(QToolTip, "hideText", partial(isolated.append, "no tip"))
            point_at(chart, QPoint(1, 1))
        qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=QPoint(1, 1))
        assert isolated == ["no tip", ""]


def test_a_curve_is_under_the_mouse_along_all_of_its_way(draw):
    rows = [record("scaling", "fast", size, 1e-9 * size) for size in (100, 1_000_000)]
    chart = draw("scaling", {"results": rows})
    found = chart.record_at(chart.pixel(4, log10(1e-5)))
    assert found is not None
    assert found["contender"] == "fast"


def test_names_from_a_run_file_are_shown_as_they_are(draw, qtbot):
    name = "<b>bold</b><img src=x>"
    chart = draw("throughput", {"results": [record("throughput", name, 10_000, 1e-4, corpus=name)]})
    x, y, _ = chart._points[0]
    qtbot.mouseMove(chart, chart.pixel(x / 2, y).toPoint())
    qtbot.waitUntil(lambda: escape(name) in QToolTip.text())
    QToolTip.hideText()


def test_stages_are_stacked_in_order_and_the_rest_fills_the_bar():
    parts = [(part.name, round(part.end, 6)) for part in parts_of(STAGES[0], STAGES[2:0:-1], 0)]
    assert parts == [("split", 0.2), ("encode pieces", 0.8), ("rest", 1.0)]
    slow = [stage("heap", "split", 8e-4), stage("heap", "encode pieces", 8e-4)]
    assert [part.end for part in parts_of(STAGES[0], slow, 0)] == [0.5, 1.0]
    assert [part.name for part in parts_of(STAGES[3], [], 0)] == ["tells no stages"]


def test_stages_have_names_a_legend_and_two_colours_where_they_are_one_pass(draw):
    fused = [stage("fast", "encode", 1e-4), stage("fast", SPLIT_AND_ENCODE, 1e-4)]
    chart = draw("stages", {"results": [*STAGES, *fused]}, size=(900, 420))
    assert names_in(chart) == ["tiktoken", "fast", "heap"]
    for text in ("split 20 %", "encode 60 %", "rest 20 %", "tells no stages", "100 ms"):
        assert text in texts(chart)
    image = picture_of(chart).image
    split, encode = (color_of(name, DARK).name() for name in ("split", "encode pieces"))

    def color(x, y):
        return image.pixelColor(chart.pixel(x, y).toPoint()).name()

    assert [color(x, -3.2) for x in (0.02, 0.22, 0.82)] == [split, encode, DARK.raised.name()]
    assert (color(0.02, -1.8), color(0.02, -2.15)) == (split, encode)
    legend = [marker.brush.color().name() for marker in chart.markers if marker.symbol == "square"]
    assert legend == [split, encode]
    chart.isolate("heap")
    faded = picture_of(chart).image
    assert faded.pixelColor(chart.pixel(0.02, -1.8).toPoint()).name() != split
    assert faded.pixelColor(chart.pixel(0.02, -3.2).toPoint()).name() == split


def test_bars_have_the_colours_of_their_contenders_which_fade_beside_an_isolated_one(draw):
    for name in ("throughput", "threads", "batch", "memory"):
        chart = draw(name)
        image = picture_of(chart).image
        places = [
            (row, chart.pixel(x * 0.4, y).toPoint())
            for x, y, row in chart._points
            if row["exact"] is not False
        ]
        before = [image.pixelColor(at) for _, at in places]
        assert before[0] == look_of(places[0][0]["contender"], DARK).color
        chart.isolate("fast")
        image = picture_of(chart).image
        for (row, at), color in zip(places, before, strict=True):
            assert (image.pixelColor(at) == color) == (row["contender"] == "fast")


def test_charts_follow_the_theme(draw, source):
    chart = draw("throughput", RUN)
    source.choose("light")
    heading = next(word for word in chart.words if word.text == "ids")
    assert heading.color == LIGHT.dim
    source.choose("dark")


def test_no_two_contenders_look_alike():
    names = {*ALGORITHMS, *PEERS}
    looks = [look_of(name, DARK) for name in [*names, *(name + UNSPLIT for name in names)]]
    seen = {(look.color.name(), look.marker) for look in looks}
    assert len(seen) == len(looks)
    others = {(look.color.name(), look.marker) for look in (look_of(str(n), DARK) for n in range(99))}
    assert len(others) == N_LOOKS - 2 * len(ORDER)
    assert not others & seen, "of one's own"


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_nothing_that_is_written_beside_bars_covers_or_leaves_anything(source, data):
    """Whatever names, speeds and size, where rows have the height that they ask for."""
    names = st.one_of(st.sampled_from(ORDER), st.text("abcWM.-", min_size=1, max_size=60))
    speeds = data.draw(st.dictionaries(names, st.floats(-9, 0), min_size=1, max_size=20))
    loading = [Loading(name, 0.5, "reads it") for name in data.draw(st.lists(names, max_size=3))]
    chart = chart_of("throughput", source)
    showing = Showing(loading=tuple(loading), versions=dict.fromkeys(speeds, "2026.10.1"))
    chart.show_results([record("throughput", name, 9, 10.0**s) for name, s in speeds.items()], showing)
    chart.resize(data.draw(st.integers(320, 1900)), chart.minimumSizeHint().height())
    chart.redraw()
    assert overlapping(chart) == []
    room = chart.rect().adjusted(-1, -1, 1, 1)
    assert all(room.contains(chart.rect_of(word).toRect()) for word in chart.words)
    chart.deleteLater()


def test_what_was_shown_before_leaves_no_trace(draw):
    """A chart that showed much looks like a new one as soon as it shows the same."""
    little = {"results": RUN["results"][:2] + RUN["results"][4:6]}
    for name in ("throughput", "scaling", EXACTNESS):
        used, fresh = draw(name, EVERYTHING, baseline="heap"), draw(name, little)
        used.isolate("tiktoken")
        used.isolate("")
        scenario = "throughput" if name == EXACTNESS else name
        used.show_results([])
        used.show_results(rows_of(little["results"], scenario, "english"), showing_of(little))
        assert picture_of(used).image == picture_of(fresh).image, name


def test_only_what_changed_is_drawn_again(draw, monkeypatch):
    chart, drawn = draw("throughput", RUN), []
    monkeypatch.setattr(chart, "draw", lambda: drawn.append(1))
    rows = rows_of(RUN["results"], "throughput", "english")
    for shown, count in ((rows, 0), ([{**rows[0], "n": 10}, *rows[1:]], 1)):
        chart.show_results(shown, showing_of(RUN))
        assert len(drawn) == count
    chart.show_results(shown, Showing(baseline="heap"))
    assert len(drawn) == 2


def test_letters_are_large_where_a_chart_is_projected(draw):
    chart = draw("scaling", RUN, size=(1800, 1000))
    assert chart._fonts[BOLD].pixelSize() == PROJECTED_FONT_PX


def test_an_empty_chart_says_why(draw):
    chart = draw("decode", {"results": []})
    chart.set_empty("The plan leaves it out.")
    assert (chart.reason, chart.title) == ("The plan leaves it out.", SCENARIOS["decode"].title)
    image = picture_of(chart).image
    assert len({image.pixelColor(x, 210).name() for x in range(200, 500)}) > 1
    chart.show_results([record("decode", "fast", 10, 1e-4)])
    assert chart.reason == ""


def test_latency_is_a_line_from_half_of_the_calls_to_99_of_100(source, qtbot):
    chart = LatencyChart("latency", source)
    qtbot.addWidget(chart)
    chart.resize(700, 300)
    times = {"heap": (9e-5, 1e-4, 2e-4), "fast": (2e-6, 3e-6, 4e-5)}
    rows = [
        record("latency", name, 128, 1e-6, **dict(zip(QUANTILES, found, strict=True)))
        for name, found in times.items()
    ]
    chart.show_results(rows)
    assert names_in(chart) == ["fast", "heap"], "the quickest on top"
    columns = {"p50": ("2 µs", "90 µs"), "p95": ("3 µs", "100 µs"), "p99": ("40 µs", "200 µs")}
    assert {text for name, found in columns.items() for text in (name, *found)} <= {*texts(chart)}
    (line, *ends), other = chart.bars[:3], chart.bars[3]
    assert (10**line.left, 10**line.right) == pytest.approx((2e-6, 4e-5))
    assert [10 ** ((end.left + end.right) / 2) for end in ends] == pytest.approx([3e-6, 4e-5])
    assert other.y == line.y - 1
    assert overlapping(chart) == []
    assert chart.subtitle.endswith("a logarithmic scale.")
    assert chart.record_at(chart.pixel(-5, -1)) is rows[0]


@pytest.mark.parametrize("share", [0.999, 0.9, 0.5, 0.1, 0.0])
def test_labels_of_shares_do_not_touch_where_the_chart_is_as_low_as_it_gets(source, share):
    chart = ExactnessChart(source)
    chart.resize(600, chart.minimumSizeHint().height())
    chart.show_results(
        [record("throughput", "fast", 10, 1e-4), record("throughput", "greedy", 10, 1e-5, share)]
    )
    heights = sorted(chart.pixel(0.0, tick).y() for tick, _ in chart.left_ticks)
    assert len(heights) > 1
    assert all(below - above > UI_FONT_PX for above, below in pairwise(heights))
