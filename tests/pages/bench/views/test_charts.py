"""What the charts of the Bench page show of the records of a run."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bench_runs import EVERYTHING, RUN, result

from guiapp.analysis.bench.history import SpeedChange
from guiapp.analysis.bench.run_results import BenchRun, run_of
from guiapp.analysis.bench.statistics import Ratio
from guiapp.core.encode.catalogue import encoder_label
from guiapp.core.open_model import open_model
from guiapp.kit.widgets.theme import DARK, LIGHT
from guiapp.pages.bench.charts import (
    BYTES,
    EXACTNESS,
    QUANTILES,
    TOKENS,
    LoadingBar,
    data_of,
    marker_style_of,
    rows_of,
    scenario_of,
    showing_of,
    texts_of,
)
from guiapp.pages.bench.choice import MOST_USED

ALL, SOME = run_of(EVERYTHING).results, run_of(RUN).results


def shown(key: str, results=SOME, run=None, **choices):
    """What a chart shows of the records of a run."""
    text = next(iter(texts_of(results, scenario_of(key).name)), "")
    showing = showing_of(run or BenchRun(results), DARK, **choices)
    return data_of(key, rows_of(results, key, text), showing)


def column(data, heading: str) -> list[str]:
    return [row.cells[data.headings.index(heading)][0] for row in data.rows if row.cells]


def labels_of(data) -> list[tuple[str, str]]:
    """What stands behind each bar."""
    return [(row.value.replace("\xa0", " "), row.detail.replace("\xa0", " ")) for row in data.rows]


def named(data) -> list[str]:
    return [row.name for row in data.rows if row.name]


def test_tokens_per_second_come_first_and_then_mb_per_second():
    data, other = shown("throughput"), shown("throughput", unit=BYTES)
    assert named(data) == ["greedy", "Tokenloupe", "tiktoken", "rs-bpe"], "the fastest on top"
    assert [row.parts[0].end for row in data.rows[:3]] == [50e6, 25e6, 2.5e6]
    assert labels_of(data)[1:3] == [("25.0 M", "100 MB/s"), ("2.50 M", "10.0 MB/s")]
    assert labels_of(other)[1] == ("100", "25.0 M tokens/s")
    assert (data.scale.title, data.subtitles[0]) == ("tokens/s", "in tokens/s, with 95 % intervals")
    assert (other.scale.title, other.scale.text(0.5), other.scale.text(1000)) == ("MB/s", "0.5", "1,000")
    assert [row.parts[0].is_hatched for row in data.rows] == [True, False, False, False]


@pytest.mark.parametrize("unit", [TOKENS, BYTES])
def test_a_library_with_its_own_vocabulary_is_compared_in_mb(unit):
    """Its tokens are others: of as many bytes a second its bar is as long as another one's."""
    own = result("throughput", "rwkv", 10_000, 5e-5, exact=None, agreement=None, tokens_per_s=1.0)
    data = shown("throughput", [*SOME, own], unit=unit)
    rows = {row.name: row for row in data.rows}
    end = rows["rwkv"].parts[0].end
    assert end == pytest.approx(rows["greedy"].parts[0].end)
    assert rows["rwkv"].interval == pytest.approx((end / 1.2, end / 0.9))
    texts_by_name = dict(zip(named(data), labels_of(data), strict=True))
    assert texts_by_name["rwkv"] == ("200 MB/s", "other vocabulary: compared in MB/s")
    assert texts_by_name["rs-bpe"][0] == "10.0 MB/s"
    assert column(data, "ids")[named(data).index("rwkv")] == "own ids"
    assert "compared in MB/s" in rows["rwkv"].tip


@pytest.mark.parametrize("unit", [TOKENS, BYTES])
@pytest.mark.parametrize("n_tokens", [2, 1_000_000])
def test_of_wrong_ids_bytes_count_so_that_bar_ratio_and_order_agree(unit, n_tokens):
    """However many tokens they are."""
    wrong = result("throughput", "words", 10_000, 2e-4, 0.0, n_tokens=n_tokens)
    data = shown("throughput", [*SOME, wrong], unit=unit)
    row = next(row for row in data.rows if row.name == "words")
    assert row.parts[0].end == pytest.approx({TOKENS: 12.5e6, BYTES: 50}[unit])
    assert named(data) == ["greedy", "Tokenloupe", "words", "tiktoken", "rs-bpe"]
    assert (row.value, row.detail) == ("50.0 MB/s", "other ids: compared in MB/s")
    assert [cell for cell, _ in row.cells[1:]] == ["0.50 ×", "✗ 0.0 %"]
    (point,) = [each for each in shown(EXACTNESS, [*SOME, wrong], unit=unit).points if each.key == "words"]
    assert point.x == row.parts[0].end
    series = [replace(wrong, scenario="scaling"), *(replace(each, scenario="scaling") for each in SOME)]
    (curve,) = [each for each in shown("scaling", series, unit=unit).curves if each.key == "words"]
    assert [*curve.y] == [row.parts[0].end]
    assert (curve.low[0], curve.high[0]) == pytest.approx(row.interval)


def test_columns_show_interval_ratio_and_ids():
    data = shown("throughput")
    assert column(data, "interval") == ["−17 … +11 %"] * 4
    assert column(data, "of Tokenloupe") == ["2.0 ×", "1.00 ×", "0.10 ×", "0.10 ×"]
    assert column(data, "ids") == ["≈ 95.0 %", "✓ equal", "✓ equal", "own ids"]
    assert data.rows[1].interval == pytest.approx((25e6 / 1.2, 25e6 / 0.9))
    assert column(shown("throughput", baseline="tiktoken"), "of tiktoken")[:2] == ["20 ×", "10 ×"]
    assert {*column(shown("throughput", baseline="nobody"), "of nobody")} == {"–"}
    processor = shown("throughput", [replace(row, clock="cpu") for row in SOME]).subtitles[0]
    assert processor == "in tokens/s of processor time, with 95 % intervals"
    (once,) = shown("throughput", [result("throughput", "heap", 10_000, 1e-3, n=1)]).rows
    assert (once.interval, once.cells[0][0]) == (None, "once")
    (even,) = shown("throughput", [result("throughput", "heap", 10_000, 1e-3, ci_s=[9e-4, 1.12e-3])]).rows
    assert even.cells[0][0] == "± 11 %"


def test_who_is_opened_shows_how_far_and_who_cannot_be_shows_why():
    gone = LoadingBar("gone", None, "It crashed.", has_failed=True)
    loading = (
        LoadingBar("tokenizers", 0.62, "reads it"),
        LoadingBar("llama.cpp", None, "opens the file"),
        gone,
    )
    data, alone = shown("throughput", loading=loading), shown("throughput", [], loading=loading)
    assert [(row.name, row.detail, row.progress) for row in data.rows[4:]] == [
        *(("tokenizers", "reads it, 62 %", 0.62), ("llama.cpp", "opens the file", 0.0)),
        ("gone", "It crashed.", None),
    ]
    assert (named(alone), alone.headings) == (["tokenizers", "llama.cpp", "gone"], [])


def test_groups_have_a_bar_for_each_number_of_threads_and_the_name_once():
    times = (("heap", 1e-3), ("Tokenloupe", 1e-4))
    data = shown(
        "threads", [result("threads", name, 10_000, s / n, threads=n) for name, s in times for n in (1, 2)]
    )
    assert [(row.key, bool(row.name)) for row in data.rows] == [
        (name, is_first) for name in ("Tokenloupe", "heap") for is_first in (True, False)
    ]
    assert [row.detail.split(",")[0] for row in data.rows] == ["1 thread", "2 threads"] * 2
    assert data.rows[0].parts[0].color.alpha() > data.rows[1].parts[0].color.alpha()
    assert column(data, "of Tokenloupe, 1 thread") == ["1.00 ×", "2.0 ×", "0.10 ×", "0.20 ×"]


def test_what_should_be_little_has_the_least_on_top():
    memory = shown("memory", ALL)
    assert (named(memory), memory.scale.title) == (["heap", "Tokenloupe"], "MB")
    assert labels_of(memory)[0] == ("4.00", "3.00 ready + 1.00 while encoding"), "as much as the finding says"
    assert [[part.end for part in row.parts] for row in memory.rows] == [[3, 4], [5, 6]]
    assert memory.rows[0].tip.endswith("\n3.0 MB when ready, up to 1.0 MB more while encoding")


def test_latency_is_a_line_from_half_of_the_calls_to_99_of_100():
    calls = {"heap": (9e-5, 1e-4, 2e-4), "Tokenloupe": (2e-6, 3e-6, 4e-5)}
    quantiles = {name: dict(zip(QUANTILES, times, strict=True)) for name, times in calls.items()}
    data = shown("latency", [result("latency", name, 128, 1e-6, **each) for name, each in quantiles.items()])
    assert named(data) == ["Tokenloupe", "heap"], "the quickest on top"
    columns = [column(data, name) for name in ("p50", "p95", "p99")]
    assert columns == [["2 µs", "90 µs"], ["3 µs", "100 µs"], ["40 µs", "200 µs"]]
    for row in data.rows:
        (line,) = row.parts
        assert [10**at for at in (line.start, *row.marks)] == pytest.approx(calls[row.key])
        assert (row.dot, line.end) == (line.start, row.marks[1])
        assert data.range[0] < line.start < line.end < data.range[1]
    assert data.scale.label == "time of a call, log scale"


CHOICES = (
    ("tokens/s", TOKENS, {}),
    ("MB/s", BYTES, {"unit": BYTES}),
    ("time", "median_s", {"is_speed": False}),
)


@pytest.mark.parametrize(("title", "key", "choices"), CHOICES)
@pytest.mark.parametrize("scenario", ["scaling", "worst", "append"])
def test_curves_pass_through_their_records_with_intervals(scenario, choices, key, title):
    data, lines = shown(scenario, ALL, **choices), dict[tuple[str, str], list]()
    for row in rows_of(ALL, scenario, "english"):
        lines.setdefault((row.contender, row.operation), []).append(row)
    for curve, rows in zip(data.curves, lines.values(), strict=True):
        assert (curve.key, curve.marker_style) == (
            rows[0].contender,
            marker_style_of(rows[0].contender, DARK),
        )
        assert [*curve.x] == [row.size_bytes for row in rows]
        assert curve.y == pytest.approx([row.figure(key) for row in rows])
        low, high = (0.9, 1.2) if key == "median_s" else (1 / 1.2, 1 / 0.9)
        assert (curve.low, curve.high) == (pytest.approx(curve.y * low), pytest.approx(curve.y * high))
    assert (data.y.label, data.x.label) == (f"{title}, log scale", "length of the text, log scale")
    assert [*data.x.values] == sorted({row.size_bytes for rows in lines.values() for row in rows})
    assert (f"In {title}" in data.subtitles[0]) == (key != "median_s"), "times have units at their ticks"


@pytest.mark.parametrize("share", [0.999, 0.95, 0.5, 0.0])
def test_exactness_shows_only_libraries_with_the_same_vocabulary(share):
    rows = [replace(row, agreement=share) if row.exact is False else row for row in SOME]
    data, (low, high), (bottom, top) = (chart := shown(EXACTNESS, rows)), *chart.ranges
    assert [(p.key, p.x, p.y, p.is_hollow) for p in data.points] == [
        *(("greedy", 50e6, share, True), ("Tokenloupe", 25e6, 1.0, False), ("tiktoken", 2.5e6, 1.0, False))
    ]
    mark = "≈" if share >= 0.5 else "✗"
    assert data.points[0].names == [f"greedy  {mark} {share:.1%}".replace("%", " %"), "greedy"]
    assert (data.line, data.x.label) == (1.0, "tokens/s, log scale")
    assert shown(EXACTNESS, rows, unit=BYTES).x.title == "MB/s"
    assert all(low < data.x.position(p.x) < high and bottom < p.y < top for p in data.points)
    ticks = data.y.ticks(bottom, top, 8)
    assert (max(ticks), len(ticks) > 1) == ((1.0, "100 %"), True)


@pytest.mark.parametrize("theme", [DARK, LIGHT])
@pytest.mark.parametrize("model", ["bpe", "spm", "wordpiece", "unigram", "rwkv"])
def test_encoders_that_are_seen_together_have_a_colour_and_a_marker_each(model, theme):
    tokenizer = open_model(f"demo:{model}")
    names = [*map(encoder_label, tokenizer.encoders), *MOST_USED]
    styles = [marker_style_of(name, theme) for name in names]
    assert len({style.color.name() for style in styles}) == len(names)
    assert len({(style.color.name(), style.marker) for style in styles}) == len(names)
    blue = marker_style_of("Tokenloupe", theme).color
    assert all(marker_style_of(f"mine {number}", theme).color != blue for number in range(50))


def test_a_change_is_shown_at_its_bar():
    changes = [SpeedChange(SOME[0], Ratio(2.0, 1.9, 2.1))]
    details = [row.detail for row in shown("throughput", changes=changes).rows]
    assert details[1].endswith("▼ 2.00 × time (1.90–2.10)")
    assert "time" not in details[0]
