"""A run as tables for people and for a terminal, and to give away: an HTML page, Markdown, and CSV."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from guiapp.analysis.bench.history import BUSY_MARGIN, SpeedChange
from guiapp.analysis.bench.measurement import KEY, QUANTILES, Record, half_width
from guiapp.analysis.bench.notes import notes
from guiapp.analysis.bench.plan import BenchError, Plan, plan_from
from guiapp.analysis.bench.published import PublishedComparison, comparable, ratio_text
from guiapp.analysis.bench.scenarios import SCENARIOS, Unit
from guiapp.analysis.bench.wording import (
    BYTES_PER_MB,
    TIME_UNITS,
    by_one_clock,
    figure_text,
    growth_text,
    length_text,
    on_threads,
    place_text,
    short_ratio,
    size_text,
    time_text,
)
from guiapp.analysis.export.html import Html, TableCell, TableColumn, joined, table, tag
from guiapp.analysis.export.tables import NONE, Table, aligned, csv_lines, file_text, markdown_table
from guiapp.core.text.numbers_in_words import counted, percent, with_prefix

CONTENDER, ONCE, PLUS_MINUS, IDS = "contender", "once", "± %", "ids"
EQUAL, ALMOST = "equal", "≈"  # ids
MARKS = {"slower": "▼", "faster": "▲", "same": ""}
TOOK_NO_PART = "took no part"
VERDICTS = ("slower", "faster", "same")
FIGURES = ("n", "median_s", "mb_per_s", "tokens_per_s", "n_tokens", "exact", "agreement")
ENDS = "ci_low_s", "ci_high_s"  # of the interval
OF_SOME = "built_bytes", "encoding_bytes", *QUANTILES
STYLE = """\
body { font: 14px/1.5 system-ui, sans-serif; color: #1b1f27; background: #f6f7f9; margin: 32px auto;
  max-width: 1100px; padding: 0 16px }
h1 { font-size: 22px } h2 { font-size: 15px; margin-top: 32px }
table { border-collapse: collapse; background: #fff; font-variant-numeric: tabular-nums }
th, td { padding: 4px 12px; border-bottom: 1px solid #d9dde5; text-align: right; white-space: nowrap }
th:first-child, td:first-child { text-align: left; font-weight: 600 }
.wide { overflow-x: auto } pre { background: #eef0f4; padding: 12px; overflow-x: auto; border-radius: 6px }
figure { margin: 24px 0; padding: 0 }
figcaption { font-weight: 600; color: #5a6372 } svg { max-width: 100%; height: auto; background: #fff }
figure, table { break-inside: avoid }
@media print { body { background: #fff; margin: 0; max-width: none } .wide { overflow: visible }
  th, td { padding: 2px 6px; white-space: normal } pre { white-space: pre-wrap } }
"""


def command_line(plan: Plan) -> str:
    """What repeats a run in a terminal."""
    words = ["tokenloupe", "bench", plan.model]
    if plan.pre is not None:
        words += ["--pre", plan.pre]
    for corpus in plan.corpora:
        words += ["-f", corpus]
    if plan.contenders:
        words += ["--encoders", ",".join(plan.contenders)]
    for own in plan.own:
        words += ["--own", str(own)]
    if plan.with_peers:
        words.append("--peers")
    words += ["--scenario", ",".join(plan.scenarios)]
    words += ["--threads", ",".join(map(str, plan.threads))]
    words += ["--time-budget", f"{plan.time_budget_s:g}", "--call-limit", f"{plan.call_limit_s:g}"]
    if plan.largest_bytes is not None:
        words += ["--largest", str(plan.largest_bytes)]
    words += ["--repeat", plan.repeat, "--clock", plan.clock, "--seed", str(plan.seed)]
    return shlex.join(words)


def report_text(suffix: str, run: Record, baseline: str, charts: Mapping[str, str]) -> str:
    """A run in the format of a file's ending, as a page where that is none of .md, .csv and .json."""
    match suffix:
        case ".md":
            return markdown_text(run, baseline)
        case ".csv":
            return csv_text(run)
        case ".json":
            return file_text(run)
    return html_text(run, baseline, charts)


def table_lines(run: Record, baseline: str) -> Iterator[str]:
    """For a terminal: all tables, then what they do not say."""
    for each in tables(run, baseline):
        yield from aligned(each)
        yield ""
    yield from notes(run)


def html_text(run: Record, baseline: str, charts: Mapping[str, str]) -> str:
    """One page that needs no other file; `charts` are SVG documents by their titles."""
    title = f"Tokenloupe benchmark: {_vocabulary(run)}"
    body = [
        tag("h1", title),
        _html_notes(notes(run)),
        *(
            tag("figure", joined([tag("figcaption", name), _inline(svg, f"chart{index}-")]))
            for index, (name, svg) in enumerate(charts.items())
        ),
        *map(_html_table, tables(run, baseline)),
        _html_table(Table("Machine and versions", [["", ""], *_environment(run)])),
        tag("h2", "To repeat it"),
        tag("pre", _repeat(run)),
    ]
    head = joined([Html('<meta charset="utf-8">'), tag("title", title), tag("style", Html(STYLE))])
    page = tag("html", joined([tag("head", head), tag("body", joined(body, Html("\n")))]), lang="en")
    return f"<!doctype html>{page}\n"


def markdown_text(run: Record, baseline: str) -> str:
    """Tables that people read in plain text too."""
    parts = [f"# Tokenloupe benchmark: {_vocabulary(run)}", "\n".join(f"- {line}" for line in notes(run))]
    for each in tables(run, baseline):
        parts += [f"## {each.title}", each.note, markdown_table(each)]
    parts += ["## Machine and versions", "\n".join(f"- {name}: {value}" for name, value in _environment(run))]
    parts += ["## To repeat it", f"```\n{_repeat(run)}\n```"]
    return "\n\n".join(part for part in parts if part) + "\n"


def csv_text(run: Record) -> str:
    """A line for each contender and cell; times in seconds."""
    head = [*KEY, *FIGURES, *ENDS, *OF_SOME]
    records = ({**each, **dict(zip(ENDS, each["ci_s"] or (), strict=False))} for each in run["results"])
    return csv_lines([head, *([record.get(name, "") for name in head] for record in records)])


def _vocabulary(run: Record) -> str:
    vocabulary = run.get("vocabulary", {})
    name = str(vocabulary.get("path", "")).replace("\\", "/").rpartition("/")[2]
    chosen = f", split as “{pre}”" if (pre := vocabulary.get("chosen_pre")) else ""
    return f"{name} ({vocabulary.get('type', '?')}, {counted(vocabulary.get('tokens', 0), 'token')}{chosen})"


def _environment(run: Record) -> list[list[str]]:
    rows = [[name, str(value)] for name, value in run.get("environment", {}).items() if value is not None]
    rows += [[each["contender"], each["version"]] for each in run.get("contenders", []) if each["version"]]
    return [*rows, ["vocabulary, SHA-256", str(run.get("vocabulary", {}).get("sha256"))]]


def _repeat(run: Record) -> str:
    try:
        return command_line(plan_from(run.get("plan", {})))
    except BenchError:
        return "The plan of this run was not kept."


def _html_table(shown: Table) -> Html:
    head, *body = shown.rows
    note = tag("p", shown.note) if shown.note else ""
    whole = table(list(map(TableColumn, head)), [list(map(TableCell, row)) for row in body])
    return joined([tag("h2", shown.title), note, whole])


def _html_notes(lines: Sequence[str]) -> Html:
    """Folded: whoever doubts a figure looks."""
    items = joined(tag("li", line) for line in lines)
    summary = tag("summary", counted(len(lines), "remark"))
    return tag("details", joined([summary, tag("ul", items)])) if lines else Html()


def _inline(svg: str, prefix: str) -> Html:
    """An SVG document without what only a file of its own has, its ids different from all others'."""
    return Html(re.sub(r'(\bid="|url\(#|href="#)', rf"\1{prefix}", svg[svg.index("<svg") :]))


# A run as tables for people: one value a cell, the best contender first


class Figures(NamedTuple):
    """What a column holds, by contender; of speeds the highest are the best, of all else the lowest."""

    title: str
    unit: Unit
    values: Mapping[str, float]

    def column(self) -> BenchColumn:
        """Times share the unit in which the shortest has a digit before the point, or nearly."""
        shortest = min(self.values.values(), default=1.0)
        units = TIME_UNITS if self.unit == "s" else ((1.0, self.unit),)
        factor, unit = next((each for each in units if shortest >= 0.1 * each[0]), units[-1])
        cells = {name: figure_text(value / factor) for name, value in self.values.items()}
        return BenchColumn(f"{self.title} {unit}".strip(), cells)

    def order(self, name: str) -> float:
        """To sort by; whoever has no value is the last."""
        if name not in self.values:
            return math.inf
        return -self.values[name] if self.unit == "MB/s" else self.values[name]

    def ratios(self, rows: Sequence[Record], baseline: str) -> BenchColumn:
        """How many times as good as the baseline each of these is that was timed by the same clock."""
        if not (base := self.values.get(baseline)):
            return BenchColumn("", {})
        base_row = next(row for row in rows if row["contender"] == baseline)
        compared = {row["contender"] for row in rows if by_one_clock(row, base_row)}
        of = {
            name: value / base if self.unit == "MB/s" else base / value
            for name, value in self.values.items()
            if name in compared
        }
        return BenchColumn(f"of {baseline}", {name: short_ratio(ratio) for name, ratio in of.items()})


class BenchColumn(NamedTuple):
    """A head, and a cell for each contender that has one; none are no column."""

    head: str
    cells: Mapping[str, str]


def tables(run: Record, baseline: str) -> Iterator[Table]:
    """What was measured, and published figures beside it."""
    yield from measured_tables(run, baseline)
    yield from published_tables(run)


def measured_tables(run: Record, baseline: str) -> Iterator[Table]:
    """One of each text with what scenarios have one figure of, one of each of these, then those of series."""
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for result in run["results"]:
        groups.setdefault((result["scenario"], result["operation"], result["corpus"]), []).append(result)
    single: dict[str, list[list[Record]]] = {}
    for (_, _, corpus), rows in groups.items():
        if not _is_series(rows):
            single.setdefault(corpus, []).append(rows)
    for parts in single.values():
        yield from _tables_of_text(parts, baseline)
    for rows in filter(_is_series, groups.values()):
        yield _series_table(rows, run.get("growth", ()), baseline)


def _is_series(rows: Sequence[Record]) -> bool:
    """Whether these are results of one contender in a row, of sizes or threads."""
    return SCENARIOS[rows[0]["scenario"]].chart == "curves" or len({row["threads"] for row in rows}) > 1


def _tables_of_text(parts: Sequence[list[Record]], baseline: str) -> Iterator[Table]:
    """All about its first scenario and a figure or a few of each other, then all about each of these."""
    first, *others = parts
    comparable = [each for rows in others for each in _comparable_figures(rows)]
    yield _table(_title(first), first, baseline, comparable)
    for rows in others:
        yield _table(_title(rows), rows, baseline)


def _table(title: str, rows: Sequence[Record], baseline: str, comparable: Sequence[Figures] = ()) -> Table:
    """A row for each contender: the figure, its interval and ratio, ids, and figures of other scenarios."""
    lead, *more = _figures(rows)
    columns = [*_tokens_columns([("", rows)]), lead.column()]
    if any(row["ci_s"] for row in rows):
        columns += [_spreads(rows), lead.ratios(rows, baseline), _ids(rows)]
    columns += [each.column() for each in (*more, *comparable)]
    names = dict.fromkeys([*lead.values, *(name for each in comparable for name in each.values)])
    return _by_contender(title, sorted(names, key=lead.order), columns, _note(rows))


def _by_contender(title: str, names: Sequence[str], columns: Sequence[BenchColumn], note: str = "") -> Table:
    shown = [column for column in columns if column.cells]
    head = [CONTENDER, *(column.head for column in shown)]
    lines = [[name, *(column.cells.get(name, NONE) for column in shown)] for name in names]
    return Table(title, [head, *lines], note)


def _figures(rows: Sequence[Record]) -> list[Figures]:
    """What one scenario found of one text, the figure that counts most first."""
    scenario = SCENARIOS[rows[0]["scenario"]]
    if scenario.chart == "memory":
        keys = {"ready": "built_bytes", "more while encoding": "encoding_bytes"}
        return [Figures(title, "MB", _each(rows, key, BYTES_PER_MB)) for title, key in keys.items()]
    if scenario.chart == "latency":
        return [Figures(key.removesuffix("_s"), "s", _each(rows, key)) for key in QUANTILES]
    return [Figures("", scenario.unit, _each(rows, VALUES[scenario.unit]))]


def _comparable_figures(rows: Sequence[Record]) -> list[Figures]:
    """The same to stand beside another scenario's, under its own name."""
    found, scenario = _figures(rows), SCENARIOS[rows[0]["scenario"]]
    return found if scenario.chart == "latency" else [found[0]._replace(title=scenario.label.lower())]


VALUES: Mapping[Unit, str] = {"MB/s": "mb_per_s", "s": "median_s"}


def _each(rows: Sequence[Record], key: str, factor: float = 1.0) -> dict[str, float]:
    return {row["contender"]: row[key] / factor for row in rows if row.get(key) is not None}


def _series_table(rows: Sequence[Record], growth: Sequence[Record], baseline: str) -> Table:
    """A column for each size or number of threads; the ratio is that of the last."""
    scenario = SCENARIOS[rows[0]["scenario"]]
    steps: dict[int, list[Record]] = {}
    for row in sorted(rows, key=lambda row: (int(row["size_bytes"]), int(row["threads"]))):
        steps.setdefault(row["size_bytes"] if scenario.chart == "curves" else row["threads"], []).append(row)
    titles = [
        f"{size_text(step)}," if scenario.chart == "curves" else f"{counted(step, 'thread')},"
        for step in steps
    ]
    series = [
        Figures(title, scenario.unit, _each(each, VALUES[scenario.unit]))
        for title, each in zip(titles, steps.values(), strict=True)
    ]
    *_, last = steps.values()
    names = sorted(
        dict.fromkeys(row["contender"] for row in rows),
        key=lambda name: [each.order(name) for each in reversed(series)],
    )
    columns = [
        *_tokens_columns(list(zip(titles, steps.values(), strict=True))),
        *(each.column() for each in series),
        _spreads(rows),
        series[-1].ratios(last, baseline),
        _growth_column(growth, rows[0]),
        _ids(rows),
    ]
    return _by_contender(_title(rows), names, columns, _note(rows))


def _tokens_columns(steps: Sequence[tuple[str, Sequence[Record]]]) -> list[BenchColumn]:
    """Tokens a second in each step, of scenarios with speeds; tokens of another vocabulary are no measure."""
    if SCENARIOS[steps[0][1][0]["scenario"]].unit != "MB/s":
        return []
    return [
        BenchColumn(
            f"{title} tokens/s".strip(),
            {
                row["contender"]: with_prefix(row["tokens_per_s"])
                for row in rows
                if row["exact"] is not None and row["tokens_per_s"]
            },
        )
        for title, rows in steps
    ]


def _growth_column(growth: Sequence[Record], row: Record) -> BenchColumn:
    """How the time of each contender grows, where that was fitted."""
    fitted = [line for line in growth if all(line[key] == row[key] for key in ("scenario", "corpus"))]
    return BenchColumn("grows", {line["contender"]: growth_text(line) or NONE for line in fitted})


def _title(rows: Sequence[Record]) -> str:
    """What was timed, and with what."""
    longest = max(rows, key=lambda row: int(row["size_bytes"]))
    scenario = SCENARIOS[longest["scenario"]]
    operation = f", {longest['operation']}" if len(scenario.operations) > 1 else ""
    return f"{scenario.title}: {longest['corpus']}, {length_text(longest)}{operation}"


def _note(rows: Sequence[Record]) -> str:
    """How often it was timed."""
    turns = [row["n"] for row in rows if row["ci_s"]]
    if not turns:
        return ""
    least, most = min(turns), max(turns)
    return f"{counted(most, 'turn') if least == most else f'{least} to {most} turns'}, 95 % intervals"


def _spreads(rows: Sequence[Record]) -> BenchColumn:
    """Half the width of the interval, the widest of a contender's."""
    widths: dict[str, float] = {}
    for row in rows:
        if row["ci_s"] and row["n"] > 1:
            width = 100 * half_width(row)
            widths[row["contender"]] = max(widths.get(row["contender"], 0.0), width)
    once = {row["contender"]: ONCE for row in rows if row["ci_s"]}
    return BenchColumn(PLUS_MINUS, {**once, **{name: f"{width:.0f}" for name, width in widths.items()}})


def _ids(rows: Sequence[Record]) -> BenchColumn:
    by_name: dict[str, list[Record]] = {}
    for row in rows:
        by_name.setdefault(row["contender"], []).append(row)
    return BenchColumn(IDS, {name: ids_text(mine) for name, mine in by_name.items()})


def ids_text(results: Sequence[Record]) -> str:
    """Whether the ids of a contender are right, or the least share of spans that are."""
    shares = [result["agreement"] for result in results if result["agreement"] is not None]
    if not shares:
        return "own vocabulary"
    if all(result["exact"] for result in results):
        return EQUAL
    return f"{ALMOST} {percent(min(shares), 1)}"


def published_tables(run: Record) -> Iterator[Table]:
    """Figures of the literature beside this run's, a table for each source that has any."""
    for source, rows in comparable(run).items():
        head = ["", "text", "published", f"× {source.base}", "here", "MB/s", f"× {source.base}", "ids"]
        lines = [
            [
                row.published.contender,
                f"{row.cell['scenario']}: {place_text(row.cell)}{on_threads(row.cell['threads'])}",
                row.published.figure,
                ratio_text(row.published_ratio),
                _absence(run, row) if row.result is None else time_text(row.result["median_s"]),
                NONE if row.result is None else figure_text(row.result["mb_per_s"]),
                ratio_text(row.ratio),
                NONE if row.result is None else ids_text([row.result]),
            ]
            for row in rows
        ]
        note = f"Published in: {source.where}. What differs: {source.differs}."
        yield Table(f"{source.name}: published, and here", [head, *lines], note)


def _absence(run: Record, row: PublishedComparison) -> str:
    """Why a contender has no result where others have one."""
    for each in run.get("left_out", ()):
        in_all = each["scenario"] is None
        if each["contender"] == row.published.contender and (in_all or _is_same_cell(each, row.cell)):
            return str(each["reason"])
    return TOOK_NO_PART


def _is_same_cell(one: Record, other: Record) -> bool:
    return all(one[name] == other[name] for name in ("scenario", "operation", "corpus", "size_bytes"))


def change_table(changes: Sequence[SpeedChange], title: str) -> Table:
    """What is slower or faster than in another run, and how sure that is."""
    rows = [["", "what", "text", "size", "verdict", "times the time", "99 % interval"]]
    for change in changes:
        scenario, operation, contender, corpus, size_bytes, threads = change.key
        what = f"{scenario} ({operation}){on_threads(threads)}"
        ratio, mark = change.ratio, MARKS[change.verdict]
        interval = f"{ratio.low:.2f} to {ratio.high:.2f}"
        verdict = f"{mark} {change.words}".strip()
        size = size_text(size_bytes)
        rows.append([contender, what, corpus, size, verdict, f"{ratio.ratio:.2f}", interval])
    return Table(title, rows)


def change_lines(changes: Sequence[SpeedChange]) -> Iterator[str]:
    """What is slower or faster than before, surely or not."""
    counts = {verdict: [change for change in changes if change.verdict == verdict] for verdict in VERDICTS}
    for verdict in ("slower", "faster"):
        for change in counts[verdict]:
            ratio = change.ratio
            yield (
                f"{change.words.upper()}: {change.title}: {ratio.ratio:.2f} times the time "
                f"(99 %: {ratio.low:.2f} to {ratio.high:.2f})"
            )
    yield ", ".join(f"{len(counts[verdict])} {verdict}" for verdict in VERDICTS)
    if busy := busy_text(changes):
        yield f"{busy}."


def busy_text(changes: Sequence[SpeedChange]) -> str:
    """That other programs ran, and what follows from it for what is sure; "" where none did."""
    if not any(change.margin >= BUSY_MARGIN for change in changes):
        return ""
    return f"The machine was busy: differences below {BUSY_MARGIN:g} × are not reliable"
