"""The data of the charts of the Bench page: records of a run as rows, curves and points."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from PySide6.QtCore import QBuffer, QPointF
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap

from guiapp.analysis.bench.findings import LEAST_OVERHEAD_S, finding, stopped
from guiapp.analysis.bench.history import SpeedChange
from guiapp.analysis.bench.plan import SCENARIOS, Scenario
from guiapp.analysis.bench.report import ALIKE, MARKS, ONCE, ids_text, interval_text
from guiapp.analysis.bench.run_results import (
    BYTES_PER_MB,
    QUANTILES,
    BenchResult,
    BenchRun,
    LeftOut,
    growth_lines,
)
from guiapp.analysis.bench.wording import size_text, speed_number, speed_text, time_text, times_text
from guiapp.analysis.libraries.contender import split_name
from guiapp.analysis.libraries.table import PEERS
from guiapp.core.encode.catalogue import ALGORITHMS, TOKENLOUPE, encoder_label
from guiapp.core.text.numbers_in_words import counted, percent, short_number, with_prefix
from guiapp.kit.charts.bars import BarPart, BarRow, RowChart, RowsData
from guiapp.kit.charts.chart import Chart
from guiapp.kit.charts.curves import (
    DASHED,
    DOTTED,
    SOLID,
    Curve,
    CurveChart,
    CurvesData,
    Point,
    ScatterChart,
    ScatterData,
)
from guiapp.kit.charts.markers import MARKERS, MarkerStyle, paint_marker
from guiapp.kit.charts.scales import NO_SCALE, Scale, log_range
from guiapp.kit.widgets.painting import clear_pixmap
from guiapp.kit.widgets.theme import Theme, blend

N_COLORS, N_LOOKS = 14, 84  # each colour with six of 12 markers; unknown names get the other six
UNSPLIT_SHIFT = 42  # the same colour with another marker
FIRST = (  # the most used get the 14 colours; later ones are rarely shown next to the same colour
    *(TOKENLOUPE, "backtrack", "heap", "gigatoken", "tiktoken", "tokenizers", "llama.cpp"),
    *("scan", "sentencepiece", "table", "greedy", "fewest", "words", "transformers"),
    *("quicktok-v1", "wordpiece", "linear", "splintr-rs", "tuetoken", "tokie", "fastokens"),
    *("viterbi", "riptoken", "wordlevel", "rwkv", "plamo2", "hash", "rs-bpe"),
)
ORDER = (*FIRST, *(name for name in map(encoder_label, (*ALGORITHMS, *PEERS)) if name not in FIRST))
LEFT = [index for index in range(N_LOOKS) if index % N_COLORS]  # all but those with Tokenloupe's colour
SWATCH_PX = 12
SHARP = 3  # picture pixels for each logical pixel: sharp on any screen
BASELINE = TOKENLOUPE
EXACTNESS = "exactness"
TOKENS, BYTES = "tokens_per_s", "mb_per_s"
UNITS = {TOKENS: "tokens/s", BYTES: "MB/s"}
SCALE_TEXTS: Mapping[str, Callable[[float], str]] = {
    TOKENS: short_number,
    BYTES: lambda speed: f"{speed:,.0f}" if speed >= 10 else f"{speed:g}",
}
FAINTEST = 0.35  # opacity of the last bar of a contender with several
VERBS = {"append": "appending"}  # operations other than encoding
MOST_ABOVE, LEAST_SHARE = 0.35, 0.95  # share of the height above the line
SHARE_STEPS, MOST_SHARES = (0.01, 0.02, 0.05, 0.1, 0.2), 6  # steps of the axis, and its most lines


class LoadingBar(NamedTuple):
    """A contender that is being opened, or could not be.

    share       progress, 0 to 1; None if unknown
    words       the present stage, such as "reads 280,147 merges", or why it could not be opened
    has_failed  whether it could not be opened
    """

    contender: str
    share: float | None
    words: str = ""
    has_failed: bool = False


@dataclass(frozen=True)
class Showing:
    """How charts show the records, and what they show in addition.

    theme         source of the colours
    baseline      contender that others are compared with
    unit          of speeds, a key of UNITS
    is_speed      whether curves show speeds rather than times
    loading       contenders that take part once they are ready, then those that cannot
    left_out      as in a run: contender, scenario, corpus, size_bytes, reason
    versions      by contender, where known
    call_limit_s  a contender is left out once a call takes longer; None if unknown
    changes       results that differ from another run, surely or maybe
    """

    theme: Theme
    baseline: str = BASELINE
    unit: str = TOKENS
    is_speed: bool = True
    loading: tuple[LoadingBar, ...] = ()
    left_out: Sequence[LeftOut] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    call_limit_s: float | None = None
    changes: Sequence[SpeedChange] = ()


def showing_of(run: BenchRun, theme: Theme, **choices: Any) -> Showing:
    """The `Showing` of a run in its present state; `choices` are further fields."""
    versions = {each["contender"]: each["version"] for each in run.contenders if each["version"]}
    return Showing(
        theme,
        left_out=run.left_out,
        versions=versions,
        call_limit_s=run.plan.get("call_limit_s"),
        **choices,
    )


def chart_class(key: str) -> type[Chart]:
    """The class of the chart of a scenario, or of exactness."""
    return KINDS[EXACTNESS if key == EXACTNESS else SCENARIOS[key].chart][0]


def data_of(key: str, rows: Sequence[BenchResult], showing: Showing) -> Any:
    """The data of these records for the chart of a scenario, or of exactness."""
    scenario = scenario_of(key)
    return KINDS[EXACTNESS if key == EXACTNESS else scenario.chart][1](scenario, comparable(rows), showing)


def scenario_of(key: str) -> Scenario:
    return SCENARIOS["throughput" if key == EXACTNESS else key]


def texts_of(results: Sequence[BenchResult], scenario: str) -> list[str]:
    """The texts with a chart of their own; [""] if one chart shows all."""
    texts = [row.corpus for row in results if row.scenario == scenario]
    return list(dict.fromkeys(texts if SCENARIOS[scenario].by_text else [""] * len(texts)))


def rows_of(results: Sequence[BenchResult], key: str, text: str) -> list[BenchResult]:
    scenario = scenario_of(key)
    rows = (row for row in results if row.scenario == scenario.name)
    return [row for row in rows if not scenario.by_text or row.corpus == text]


def _titles(scenario: Scenario, rows: Sequence[BenchResult], showing: Showing) -> list[str]:
    found = finding(scenario.name, rows, showing.left_out, showing.baseline)
    return [*filter(None, [found]), scenario.title]


def comparable(rows: Sequence[BenchResult]) -> list[BenchResult]:
    """Give contenders with other ids the token count of the right ids, so that speeds compare bytes."""
    right = [row for row in rows if row.exact and row.n_tokens] or [row for row in rows if row.n_tokens]

    def scaled(row: BenchResult) -> BenchResult:
        near = min(right, key=lambda each: abs(each.size_bytes - row.size_bytes))
        return replace(row, n_tokens=row.size_bytes * near.n_tokens / near.size_bytes)

    return [scaled(row) if right and not row.exact else row for row in rows]


def source_of(run: BenchRun, text: str) -> str:
    """The source line of a chart: model, text, machine, date, and how the run ended if it is incomplete."""
    sizes = (each.get("size_bytes") for each in run.corpora if each["name"] == text)
    size = next((f", {size_text(each)}" for each in sizes if isinstance(each, int) and each > 0), "")
    cores, processor = (run.environment.get(name) for name in ("cores", "processor"))
    machine = f"{processor or ''} {counted(int(cores), 'core') if cores else ''}".strip()
    date = str(run.environment.get("started") or "")[:10]
    return " · ".join(filter(None, (run.vocabulary_name, f"{text}{size}", machine, date, run.ending)))


# Bars


def bars(scenario: Scenario, rows: Sequence[BenchResult], showing: Showing) -> RowsData:
    """A group of bars for each contender, the best on top; contenders being opened show their progress."""
    is_speed, groups = scenario.unit == "MB/s", dict[str, list[BarRow]]()
    for row in rows:
        made = _speed_bars(row, rows, showing) if is_speed else _memory_bars(row, showing)
        groups.setdefault(row.contender, []).extend(made)

    def rank(group: Sequence[BarRow]) -> float:
        return max(bar.length for bar in group) * (-1 if is_speed else 1)

    shown = sorted(filter(None, groups.values()), key=rank)
    drawn = [_faded(bar, index, len(group)) for group in shown for index, bar in enumerate(group)]
    title, threads = UNITS[showing.unit] if is_speed else "MB", {row.threads for row in rows}
    ratio = f"of {showing.baseline}" + (f", {counted(min(threads), 'thread')}" if len(threads) > 1 else "")
    clock = " of processor time" if any(row.clock == "cpu" for row in rows) else ""
    intervals = ", with 95 % intervals" if any(bar.interval for bar in drawn) else ""
    return RowsData(
        _titles(scenario, rows, showing),
        [f"in {title}{clock}{intervals}", f"in {title}", ""] if drawn else [""],
        [*drawn, *(_loading_row(each, showing) for each in showing.loading)],
        ["interval", ratio, "ids"] if drawn and is_speed else [],
        Scale(title, SCALE_TEXTS[showing.unit] if is_speed else short_number) if drawn else NO_SCALE,
    )


def _faded(bar: BarRow, index: int, n_bars: int) -> BarRow:
    """One bar of a contender with several; later bars are fainter, and only the first has the name."""
    if not index:
        return bar
    (part,), color = bar.parts, QColor(bar.parts[0].color)
    color.setAlphaF(1 - (1 - FAINTEST) * index / (n_bars - 1))
    return bar._replace(parts=(part._replace(color=color),), name="", note="")


def _named_row(name: str, showing: Showing) -> BarRow:
    return BarRow(name, name, marker_style_of(name, showing.theme), showing.versions.get(name, ""))


def _memory_bars(row: BenchResult, showing: Showing) -> Iterator[BarRow]:
    """One bar of two parts: memory when ready, and more while encoding."""
    color = marker_style_of(row.contender, showing.theme).color
    more = blend(showing.theme.background, color, FAINTEST)
    ready, encoding = (row.figure(key) / BYTES_PER_MB for key in ("built_bytes", "encoding_bytes"))
    yield _named_row(row.contender, showing)._replace(
        parts=(BarPart(0.0, ready, color), BarPart(ready, ready + encoding, more)),
        value=with_prefix(ready + encoding),
        detail=f"{with_prefix(ready)} ready + {with_prefix(encoding)} while encoding",
        tip=tip_of(row),
    )


def _speed_bars(row: BenchResult, rows: Sequence[BenchResult], showing: Showing) -> Iterator[BarRow]:
    """One bar, followed by the speed in the other unit if the ids are right; nothing without a speed."""
    unit, other = showing.unit, next(each for each in UNITS if each != showing.unit)
    if not (value := row.figure(unit)):
        return
    has_threads = any(each.threads != row.threads for each in rows)
    text, about = speed_number(value, unit), speed_text(row.figure(other), other)
    if not row.exact:
        whose = "other vocabulary" if row.exact is None else "other ids"
        text, about = speed_text(row.mb_per_s, BYTES), f"{whose}: compared in MB/s"
    threads = counted(row.threads, "thread") if has_threads else ""
    bar = _named_row(row.contender, showing)
    color = marker_style_of(row.contender, showing.theme).color
    yield bar._replace(
        parts=(BarPart(0.0, value, color, row.exact is False),),
        interval=row.interval(unit) if row.n > 1 else None,
        value=text,
        detail=", ".join(filter(None, (threads, about, _change(row, showing)))),
        cells=_cells(row, rows, showing),
        tip=tip_of(row),
    )


def _cells(row: BenchResult, rows: Sequence[BenchResult], showing: Showing) -> list[tuple[str, QColor]]:
    """Three cells: the interval, the speed relative to the baseline, and whether the ids are right."""
    theme = showing.theme
    base = sorted(
        (each for each in rows if each.contender == showing.baseline), key=lambda each: each.threads
    )
    ratio = next((f"{times_text(row.mb_per_s / each.mb_per_s)} ×" for each in base if each.mb_per_s), "–")
    if row.exact is None:
        ids = "own ids", theme.dim
    elif row.exact:
        ids = "✓ equal", theme.good
    else:
        ids = ids_text([row]), theme.warning if row.agreement >= ALIKE else theme.bad
    return [(interval_text(row) if row.n > 1 else ONCE, theme.dim), (ratio, theme.dim), ids]


def _change(row: BenchResult, showing: Showing) -> str:
    """A symbol and the ratio of the new time to the old, with its interval; "" without a comparison."""
    change = next((each for each in showing.changes if each.now.key == row.key), None)
    if change is None or not change.is_comparable:
        return ""
    ratio = change.ratio
    return f"{MARKS[change.verdict]} {ratio.ratio:.2f} × time ({ratio.low:.2f}–{ratio.high:.2f})"


def _loading_row(each: LoadingBar, showing: Showing) -> BarRow:
    row = _named_row(each.contender, showing)
    if each.has_failed:
        return row._replace(detail=each.words, detail_color=showing.theme.warning)
    words = ", ".join(filter(None, (each.words, "" if each.share is None else percent(each.share))))
    return row._replace(detail=words, progress=each.share or 0.0)


def latency(scenario: Scenario, rows: Sequence[BenchResult], showing: Showing) -> RowsData:
    """A line from the median to the 99th percentile of single calls, by contender, the fastest on top."""
    known = sorted((row for row in rows if row.p50_s), key=lambda row: float(row.p50_s))
    times = [row.figure(key) for row in known for key in QUANTILES] or [1e-6]
    low, high = log_range(min(times), max(times))
    side, drawn = 0.04 * (high - low), []
    for row in known:
        p50, p95, p99 = np.log10([row.figure(key) for key in QUANTILES]).tolist()
        parts = (BarPart(p50, p99, marker_style_of(row.contender, showing.theme).color),)
        cells = [(time_text(row.figure(key)), showing.theme.text) for key in QUANTILES]
        bar = _named_row(row.contender, showing)._replace(parts=parts, cells=cells)
        drawn.append(bar._replace(dot=p50, marks=(p95, p99), tip=tip_of(row)))
    return RowsData(
        _titles(scenario, rows, showing),
        ["Marker: median of all calls. Lines: 95th and 99th percentile.", ""],
        drawn,
        [key.removesuffix("_s") for key in QUANTILES],
        Scale("time of a call", time_text, is_log=True),
        (low - side, high + side),
    )


# Curves and points


def curves(scenario: Scenario, rows: Sequence[BenchResult], showing: Showing) -> CurvesData:
    """Time or speed against length; first the baseline, then contenders that stopped, then known ones."""
    key = showing.unit if showing.is_speed else "median_s"
    text = SCALE_TEXTS[showing.unit] if showing.is_speed else time_text
    lines: dict[tuple[str, str], list[BenchResult]] = {}
    for row in sorted(rows, key=lambda row: int(row.size_bytes)):
        if row.figure(key):
            lines.setdefault((row.contender, row.operation), []).append(row)
    gone = stopped(rows, showing.left_out)

    def rank(line: tuple[str, str]) -> tuple[bool, bool, int]:
        known = ORDER.index(line[0]) if line[0] in ORDER else len(ORDER)
        return line[0] != showing.baseline, line[0] not in gone, known

    details = _details(scenario, lines, gone, key, text)
    drawn = [_curve(line, lines[line], details[line], key, showing) for line in sorted(lines, key=rank)]
    sizes = sorted({row.size_bytes for rows in lines.values() for row in rows})
    title = UNITS[showing.unit] if showing.is_speed else "time"
    return CurvesData(
        _titles(scenario, rows, showing),
        _about_curves(scenario, rows, bool(gone), showing),
        drawn,
        Scale("length of the text", lambda size: size_text(round(size)), True, sizes),
        Scale(title, text, True),
    )


def _curve(
    line: tuple[str, str], rows: Sequence[BenchResult], details: Sequence[str], key: str, showing: Showing
) -> Curve:
    name, operation = line
    low, high = np.array([row.interval(key) for row in rows]).T
    is_exact = all(row.exact is not False for row in rows)
    return Curve(
        name,
        name,
        marker_style_of(name, showing.theme),
        np.array([row.size_bytes for row in rows], float),
        np.array([row.figure(key) for row in rows]),
        low,
        high,
        [tip_of(row) for row in rows],
        details,
        DOTTED if operation in VERBS else SOLID if is_exact else DASHED,
        not is_exact,
    )


def _details(
    scenario: Scenario,
    lines: Mapping[tuple[str, str], Sequence[BenchResult]],
    gone: Sequence[str],
    key: str,
    text: Callable[[float], str],
) -> dict[tuple[str, str], list[str]]:
    """The text after each name, by line, the shortest last: its growth, or the figure of the longest text."""
    every = [row for rows in lines.values() for row in rows]
    growth = {line.contender: line for line in growth_lines(every)}
    longest = max((rows[-1].size_bytes for rows in lines.values()), default=0)
    details = {}
    for line, rows in lines.items():
        (name, operation), last = line, rows[-1]
        words = growth[name].growth.words if name in growth else ""
        if last.size_bytes < longest:
            ended = "stopped" if name in gone else f"to {size_text(last.size_bytes)}"
            details[line] = [", ".join(filter(None, (words, ended)))]
        elif scenario.grows:
            overhead_s = growth[name].growth.overhead_s if words else 0.0
            whole = f"{words}, {time_text(float(f'{overhead_s:.2g}'))}"
            details[line] = [whole, words] if overhead_s >= LEAST_OVERHEAD_S else [words]
        else:
            verb = VERBS.get(operation, "")
            details[line] = [f"{verb} {text(last.figure(key))}".strip(), verb]
    return details


def _about_curves(
    scenario: Scenario, rows: Sequence[BenchResult], has_stopped: bool, showing: Showing
) -> list[str]:
    unit = f"In {UNITS[showing.unit]}" if showing.is_speed else ""  # times show their unit at each tick
    sentences = [f"{unit}, logarithmic axes." if unit else "Logarithmic axes."]
    if showing.is_speed and showing.unit == TOKENS and not all(row.exact for row in rows):
        sentences.append("Other ids are compared in MB/s.")
    if has_stopped and showing.call_limit_s:
        sentences.append(f"A curve ends where a call would take over {showing.call_limit_s:g} s.")
    else:
        last = f"{'speed' if showing.is_speed else 'time'} of the longest text"
        ends = "how time grows, cost of a call" if scenario.grows else last
        sentences.append(f"At the ends: {ends}.")
    return [*(" ".join(sentences[:count]) for count in range(len(sentences), 0, -1)), unit]


def exactness(_: Scenario, rows: Sequence[BenchResult], showing: Showing) -> ScatterData:
    """Speed against agreement with the exact ids; exact contenders lie on one line."""
    known = [row for row in rows if row.exact is not None and row.figure(showing.unit)]
    speeds = [row.figure(showing.unit) for row in known] or [1.0, 100.0]
    low, high = log_range(min(speeds), max(speeds))
    side = 0.08 * (high - low)
    below = (1 - min([LEAST_SHARE, *(row.agreement for row in known)])) * 1.15
    step = next((each for each in SHARE_STEPS if each * (MOST_SHARES - 1) >= below), SHARE_STEPS[-1])
    above = below * MOST_ABOVE / (1 - MOST_ABOVE)
    points = []
    for row in sorted(known, key=lambda row: -row.figure(showing.unit)):
        name, style = row.contender, marker_style_of(row.contender, showing.theme)
        marks = ["once"] if row.n == 1 else []
        marks += [] if row.exact else [ids_text([row])]
        names = list(dict.fromkeys(("  ".join([name, *marks]), name)))
        at = row.figure(showing.unit), row.agreement
        points.append(Point(name, names, style, *at, tip_of(row), not row.exact))
    about = f"share of equal tokens, over {UNITS[showing.unit]}"
    return ScatterData(
        ["Speed × exactness"],
        [f"{about}; on the line all ids are equal, below it some differ", about, ""],
        points,
        Scale(UNITS[showing.unit], SCALE_TEXTS[showing.unit], is_log=True),
        Scale("", percent, values=[1 - step * index for index in range(MOST_SHARES)]),
        ((low - side, high + side), (1 - below, 1 + above)),
        1.0,
    )


def tip_of(row: BenchResult) -> str:
    head = f"{row.contender} · {row.corpus} · {size_text(row.size_bytes)}"
    if not row.median_s:
        ready, more = (row.figure(key) / BYTES_PER_MB for key in ("built_bytes", "encoding_bytes"))
        return f"{head}\n{ready:.1f} MB when ready, up to {more:.1f} MB more while encoding"
    low, high = map(time_text, row.ci_s)
    clock = " of processor time" if row.clock == "cpu" else ""
    spread = f", {interval_text(row)}" if row.n > 1 else ""
    tokens = f"{speed_text(row.figure(TOKENS), TOKENS)} · " if row.exact else ""  # useless with other ids
    lines = [
        head,
        f"{tokens}{speed_text(row.figure(BYTES), BYTES)}{spread}",
        f"{time_text(row.median_s)}{clock}, 95 %: {low} to {high}, n = {row.n}",
    ]
    if row.exact is False:
        at = 0 if row.first_difference is None else row.first_difference.byte_offset
        lines.append(f"{percent(row.agreement, 2)} of spans equal; the first difference is at byte {at:,}")
    elif row.exact is None:
        lines.append("has another vocabulary: compared in MB/s")
    return "\n".join(lines)


KINDS: Mapping[str, tuple[type[Chart], Callable[[Scenario, Sequence[BenchResult], Showing], Any]]] = {
    "bars": (RowChart, bars),
    "groups": (RowChart, bars),
    "memory": (RowChart, bars),
    "latency": (RowChart, latency),
    "curves": (CurveChart, curves),
    EXACTNESS: (ScatterChart, exactness),
}


# The marker of a contender, in its colour


def marker_style_of(name: str, theme: Theme) -> MarkerStyle:
    """The style of an encoder or library; unknown names get a remaining style, by their hash."""
    base, is_split = split_name(name)
    is_known = base in ORDER
    index = ORDER.index(base) if is_known else LEFT[crc32(base.encode()) % len(LEFT)]
    index += 0 if is_split else UNSPLIT_SHIFT
    return MarkerStyle(theme.contenders[index % N_COLORS], MARKERS[(index + (not is_known)) % len(MARKERS)])


def swatch(name: str, theme: Theme) -> QIcon:
    """The marker as an icon, unchanged on disabled controls because it is the legend of the charts."""
    picture = _picture(name, theme, SWATCH_PX)
    picture.setDevicePixelRatio(SHARP)
    icon = QIcon(picture)
    icon.addPixmap(picture, QIcon.Mode.Disabled)
    return icon


def marker_image(name: str, theme: Theme, size_px: int) -> str:
    buffer = QBuffer()
    _picture(name, theme, size_px).save(buffer, "PNG")
    data = bytes(buffer.data().toBase64().data()).decode()
    return f'<img src="data:image/png;base64,{data}" width="{size_px}" height="{size_px}">'


def _picture(name: str, theme: Theme, size_px: int) -> QPixmap:
    picture = clear_pixmap(size_px, size_px, SHARP)
    with QPainter(picture) as painter:
        middle = QPointF(size_px / 2, size_px / 2)
        paint_marker(painter, middle, size_px - 1, marker_style_of(name, theme))
    picture.setDevicePixelRatio(1)  # callers set the size or ratio themselves
    return picture
