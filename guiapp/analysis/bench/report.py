"""A run as tables, as text for a terminal, and as files: an HTML page, Markdown, CSV and JSON."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import PureWindowsPath
from typing import NamedTuple

from guiapp.analysis.bench.findings import YOUR_TEXT, growth_text, length_text, notes, verdict_of
from guiapp.analysis.bench.history import NOT_COMPARABLE, SpeedChange, caveats
from guiapp.analysis.bench.plan import SCENARIOS, BenchError, Plan, Unit, plan_from
from guiapp.analysis.bench.published import comparable, ratio_text
from guiapp.analysis.bench.run_results import (
    BYTES_PER_MB,
    KEY,
    QUANTILES,
    BenchResult,
    BenchRun,
    growth_lines,
)
from guiapp.analysis.bench.wording import (
    TIME_UNITS,
    figure_text,
    on_threads,
    size_text,
    time_text,
    times_text,
)
from guiapp.analysis.export.html import Html, rendered, resource
from guiapp.analysis.export.tables import NONE, Table, aligned, csv_lines, file_text, markdown_table
from guiapp.core.text.numbers_in_words import counted, percent, with_prefix

CONTENDER, ONCE, PLUS_MINUS, IDS = "encoder", "once", "± %", "ids"
EQUAL, ALMOST, WRONG = "equal", "≈", "✗"  # ids
ALIKE = 0.5  # the least share of equal spans that is called almost equal
CONDITIONS = {
    "System": "system",
    "clock": "clock (auto: processor time while other programs run)",
    "load_before": "load before (1, 5, 15 minutes)",
    "load_highest": "highest load",
    "load_after": "load after (1, 5, 15 minutes)",
    "held_s": "seconds paused while somebody typed",
}
TYPED = "your-text.txt"
MARKS = {"slower": "▼", "faster": "▲", "same": ""}
VERDICTS = ("slower", "faster", "same", NOT_COMPARABLE)
FIGURES = ("n", "median_s", "mb_per_s", "tokens_per_s", "n_tokens", "exact", "agreement")
ENDS = "ci_low_s", "ci_high_s"  # of the interval
OF_SOME = "built_bytes", "encoding_bytes", *QUANTILES


def command_line(plan: Plan) -> str:
    """The command that repeats a run in a terminal."""
    options = [
        ("--pre", plan.pre),
        *(("-f", corpus) for corpus in plan.corpora),
        ("--encoders", ",".join(plan.contenders)),
        *(("--own", own) for own in plan.own),
        ("--scenario", ",".join(plan.scenarios)),
        ("--threads", ",".join(map(str, plan.threads))),
        ("--time-budget", f"{plan.time_budget_s:g}"),
        ("--call-limit", f"{plan.call_limit_s:g}"),
        ("--largest", plan.largest_bytes),
        ("--repeat", plan.repeat),
        ("--clock", plan.clock),
        ("--seed", plan.seed),
    ]
    words = [word for option, value in options if value not in (None, "") for word in (option, str(value))]
    return shlex.join(["tokenloupe", "bench", plan.model, *words, *["--peers"] * plan.with_peers])


def report_text(suffix: str, run: BenchRun, baseline: str, charts: Mapping[str, str]) -> str:
    """A run in the format of a file's suffix: .md, .csv or .json; an HTML page for any other suffix."""
    match suffix:
        case ".md":
            return markdown_text(run, baseline)
        case ".csv":
            return csv_text(run)
        case ".json":
            return file_text(run.record())
    return html_text(run, baseline, charts)


def table_lines(run: BenchRun, baseline: str) -> Iterator[str]:
    """The lines for a terminal: all tables, then the verdicts and notes."""
    for each in tables(run, baseline):
        yield from aligned(each)
        yield ""
    yield from verdicts(run, baseline)
    yield from notes(run)


def html_text(run: BenchRun, baseline: str, charts: Mapping[str, str]) -> str:
    """A self-contained page; `charts` are SVG documents by their titles."""
    values = {
        "title": f"Tokenloupe benchmark: {_vocabulary(run)}",
        "style": Html(resource("bench.css")),
        "verdicts": verdicts(run, baseline),
        "notes": notes(run),
        "charts": [(name, _inline(svg, f"chart{at}-")) for at, (name, svg) in enumerate(charts.items())],
        "tables": [*tables(run, baseline), Table("Machine and versions", [["", ""], *_environment(run)])],
        "repeat": "\n".join(_repeat(run)),
        "counted": counted,
    }
    return rendered("bench.html", values)


def markdown_text(run: BenchRun, baseline: str) -> str:
    """Markdown whose tables are readable as plain text, too."""
    parts = [f"# Tokenloupe benchmark: {_vocabulary(run)}", *verdicts(run, baseline)]
    parts += ["\n".join(f"- {line}" for line in notes(run))]
    for each in tables(run, baseline):
        parts += [f"## {each.title}", each.note, markdown_table(each)]
    parts += ["## Machine and versions", "\n".join(f"- {name}: {value}" for name, value in _environment(run))]
    parts += ["## Repeat this run", "\n".join(["```", *_repeat(run), "```"])]
    return "\n\n".join(part for part in parts if part) + "\n"


def csv_text(run: BenchRun) -> str:
    """A line for each contender and cell; times in seconds."""
    head = [*KEY, *FIGURES, *ENDS, *OF_SOME]
    records = (row.record() for row in run.finished)
    lines = ({**each, **dict(zip(ENDS, each["ci_s"] or (), strict=False))} for each in records)
    return csv_lines([head, *([line.get(name, "") for name in head] for line in lines)])


def _vocabulary(run: BenchRun) -> str:
    vocabulary, name = run.vocabulary, run.vocabulary_name
    chosen = f", pre-tokenizer “{pre}”" if (pre := vocabulary.get("chosen_pre")) else ""
    return f"{name} ({vocabulary.get('type', '?')}, {counted(vocabulary.get('tokens', 0), 'token')}{chosen})"


def _environment(run: BenchRun) -> list[list[str]]:
    known = ((name, value) for name, value in run.environment.items() if value is not None)
    rows = [[CONDITIONS.get(name, name), _condition_text(name, value)] for name, value in known]
    rows += [[each["contender"], each["version"]] for each in run.contenders if each["version"]]
    return [*rows, ["vocabulary, SHA-256", str(run.vocabulary.get("sha256"))]]


def _condition_text(name: str, value: object) -> str:
    if name in ("started", "ended"):
        return str(value).replace("T", " ")
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def verdicts(run: BenchRun, baseline: str) -> list[str]:
    """The verdict on each text: which contender is the fastest, and whether ids are right."""
    texts, reference = dict.fromkeys(row.corpus for row in run.finished), run.vocabulary.get("library", "")
    of_each = ((text, verdict_of(run.finished, text, baseline, reference)) for text in texts)
    return [f"{text}: {verdict}." for text, verdict in of_each if verdict is not None]


def _repeat(run: BenchRun) -> list[str]:
    """The files to put into a folder, and a command that repeats the run there, on any computer."""
    try:
        plan = plan_from(run.plan)
    except BenchError:
        return ["The plan of this run was not saved."]
    hashes = {_file_name(each["name"]): each["sha256"] for each in run.corpora}
    hashes[_file_name(plan.model)] = str(run.vocabulary.get("sha256"))
    names = [plan.model, *plan.corpora]
    model, *corpora = map(_file_name, names)
    files = [file for file, name in zip((model, *corpora), names, strict=True) if file != name]
    return [
        *[f"# Save your typed text as {TYPED}."] * (TYPED in files),
        *(f"# {name}: SHA-256 {hashes.get(name, 'not saved')}" for name in files),
        command_line(replace(plan, model=model, corpora=tuple(corpora))),
    ]


def _file_name(name: str) -> str:
    """The file name of an absolute path of any system, TYPED for typed text, other names unchanged."""
    path = PureWindowsPath(name)  # which accepts both slashes
    if path.name == YOUR_TEXT:
        return TYPED
    return path.name if path.is_absolute() or name.startswith("/") else name


def _inline(svg: str, prefix: str) -> Html:
    """An SVG document to embed in HTML: without its prolog, with a prefix that makes its ids unique."""
    return Html(re.sub(r'(\bid="|url\(#|href="#)', rf"\1{prefix}", svg[svg.index("<svg") :]))


# Tables for readers: one value per cell, the best contender first


class BenchColumn(NamedTuple):
    """A heading, and a cell for each contender that has one; a column without cells is left out."""

    head: str
    cells: Mapping[str, str]


class Figures(NamedTuple):
    """The values of a column, by contender; the highest speed is the best, otherwise the lowest value."""

    title: str
    unit: Unit
    values: Mapping[str, float]

    def column(self) -> BenchColumn:
        """The column as text; times share the largest unit in which the shortest is at least 0.1."""
        shortest = min(self.values.values(), default=1.0)
        units = TIME_UNITS if self.unit == "s" else ((1.0, self.unit),)
        factor, unit = next((each for each in units if shortest >= 0.1 * each[0]), units[-1])
        cells = {name: figure_text(value / factor) for name, value in self.values.items()}
        return BenchColumn(f"{self.title} {unit}".strip(), cells)

    def order(self, name: str) -> float:
        """The sort key; contenders without a value are last."""
        if name not in self.values:
            return math.inf
        return -self.values[name] if self.unit == "MB/s" else self.values[name]

    def ratios(self, baseline: str) -> BenchColumn:
        """How many times as good as the baseline each is."""
        if not (base := self.values.get(baseline)):
            return BenchColumn("", {})
        ratios = {
            name: value / base if self.unit == "MB/s" else base / value for name, value in self.values.items()
        }
        return BenchColumn(f"of {baseline}", {name: times_text(ratio) for name, ratio in ratios.items()})


def tables(run: BenchRun, baseline: str) -> Iterator[Table]:
    """The tables of results, then published figures next to the run's."""
    yield from measured_tables(run.finished, baseline)
    yield from published_tables(run)


def measured_tables(
    results: Sequence[BenchResult], baseline: str, order: Sequence[str] | None = None
) -> Iterator[Table]:
    """A table for each scenario and text, series last; encoders in `order`, else the best first."""
    groups: dict[tuple[str, str, str], list[BenchResult]] = {}
    for row in results:
        groups.setdefault((row.scenario, row.operation, row.corpus), []).append(row)
    single: dict[str, list[list[BenchResult]]] = {}
    for rows in groups.values():
        if not _is_series(rows):
            single.setdefault(rows[0].corpus, []).append(rows)
    for rows in (*chain.from_iterable(single.values()), *filter(_is_series, groups.values())):
        yield _table(rows, baseline, order)


def _is_series(rows: Sequence[BenchResult]) -> bool:
    """Whether each contender has several of these results, by size or number of threads."""
    return SCENARIOS[rows[0].scenario].chart == "curves" or len({row.threads for row in rows}) > 1


def _table(rows: Sequence[BenchResult], baseline: str, order: Sequence[str] | None) -> Table:
    """A row for each contender: figures, the interval, the ratio of the last figure, growth and ids."""
    steps = _steps(rows)
    leads = [_figures(each)[0] for each in steps.values()]
    if _is_series(rows):
        leads = [lead._replace(title=title) for title, lead in zip(steps, leads, strict=True)]
    more = [] if _is_series(rows) else _figures(rows)[1:]
    columns = [*_tokens_columns(steps), *(each.column() for each in (*leads, *more))]
    if any(row.median_s for row in rows):
        columns += [_spreads(rows), leads[-1].ratios(baseline), _growth_column(rows), _ids(rows)]
    columns = [each for each in columns if each.cells]

    def rank(name: str) -> list[float]:
        if order is None:
            return [lead.order(name) for lead in reversed(leads)]
        return [order.index(name) if name in order else len(order)]

    names = sorted(dict.fromkeys(name for each in leads for name in each.values), key=rank)
    head = [CONTENDER, *(column.head for column in columns)]
    lines = [[name, *(column.cells.get(name, NONE) for column in columns)] for name in names]
    return Table(_title(rows), [head, *lines], _note(rows))


def _steps(rows: Sequence[BenchResult]) -> dict[str, list[BenchResult]]:
    """The results by size or number of threads if they are a series, else all; keys are column titles."""
    steps: dict[str, list[BenchResult]] = {}
    by_size = SCENARIOS[rows[0].scenario].chart == "curves"
    for row in sorted(rows, key=lambda row: (row.size_bytes, row.threads)):
        title = f"{size_text(row.size_bytes)}," if by_size else f"{counted(row.threads, 'thread')},"
        steps.setdefault(title if _is_series(rows) else "", []).append(row)
    return steps


def _figures(rows: Sequence[BenchResult]) -> list[Figures]:
    """The figures of one scenario and text, the most important first."""
    scenario = SCENARIOS[rows[0].scenario]
    if scenario.chart == "memory":
        keys = {"ready": "built_bytes", "more while encoding": "encoding_bytes"}
        return [Figures(title, "MB", _each(rows, key, BYTES_PER_MB)) for title, key in keys.items()]
    if scenario.chart == "latency":
        return [Figures(key.removesuffix("_s"), "s", _each(rows, key)) for key in QUANTILES]
    return [Figures("", scenario.unit, _each(rows, "mb_per_s" if scenario.unit == "MB/s" else "median_s"))]


def _each(rows: Sequence[BenchResult], key: str, factor: float = 1.0) -> dict[str, float]:
    return {row.contender: getattr(row, key) / factor for row in rows if getattr(row, key) or factor > 1.0}


def _tokens_columns(steps: Mapping[str, Sequence[BenchResult]]) -> list[BenchColumn]:
    """Tokens a second in each step, for scenarios with speeds; only of right ids: others do not compare."""
    return [
        BenchColumn(
            f"{title} tokens/s".strip(),
            {row.contender: with_prefix(row.tokens_per_s) for row in rows if row.exact},
        )
        for title, rows in steps.items()
        if SCENARIOS[rows[0].scenario].unit == "MB/s"
    ]


def _growth_column(rows: Sequence[BenchResult]) -> BenchColumn:
    """How the time of each contender grows, if that was fitted."""
    return BenchColumn("grows", {line.contender: growth_text(line) or NONE for line in growth_lines(rows)})


def _title(rows: Sequence[BenchResult]) -> str:
    """What was timed, and on which text."""
    longest = max(rows, key=lambda row: row.size_bytes)
    scenario = SCENARIOS[longest.scenario]
    operation = f", {longest.operation}" if len(scenario.operations) > 1 else ""
    return f"{scenario.title}: {longest.corpus}, {length_text(longest)}{operation}"


def _note(rows: Sequence[BenchResult]) -> str:
    """How often it was timed."""
    turns = sorted(row.n for row in rows if row.median_s)
    if not turns:
        return ""
    least, most = turns[0], turns[-1]
    return f"{counted(most, 'turn') if least == most else f'{least} to {most} turns'}, 95 % intervals"


def _spreads(rows: Sequence[BenchResult]) -> BenchColumn:
    """Half the width of each contender's widest interval, in per cent."""
    widest: dict[str, str] = {}
    for row in sorted(rows, key=lambda row: row.half_width):
        widest[row.contender] = (
            f"{100 * row.half_width:.0f}" if row.n > 1 else widest.get(row.contender, ONCE)
        )
    return BenchColumn(PLUS_MINUS, widest)


def _ids(rows: Sequence[BenchResult]) -> BenchColumn:
    names = dict.fromkeys(row.contender for row in rows)
    return BenchColumn(
        IDS, {name: ids_text([row for row in rows if row.contender == name]) for name in names}
    )


def ids_text(results: Sequence[BenchResult]) -> str:
    """Whether the ids of a contender are right; if not, the smallest share of right spans."""
    shares = [row.agreement for row in results if row.exact is not None]
    if not shares:
        return "own vocabulary"
    mark = ALMOST if min(shares) >= ALIKE else WRONG
    return EQUAL if all(row.exact for row in results) else f"{mark} {percent(min(shares), 1)}"


def interval_text(row: BenchResult) -> str:
    """The interval of a speed, with both sides if they differ."""
    low, high = (100 * (end / row.mb_per_s - 1) for end in row.interval("mb_per_s"))
    return f"± {high:.0f} %" if f"{-low:.0f}" == f"{high:.0f}" else f"−{-low:.0f} … +{high:.0f} %"


def published_tables(run: BenchRun) -> Iterator[Table]:
    """Published figures next to this run's, a table for each source that has any."""
    for source, rows in comparable(run).items():
        there, here = ("published", f"published, × {source.base}"), ("here", "here, MB/s")
        head = [CONTENDER, "text", *there, *here, f"here, × {source.base}", "ids"]
        lines = [head]
        for published, row, ratio in rows:
            text = f"{row.scenario}: {row.corpus}, {size_text(row.size_bytes)}{on_threads(row.threads)}"
            theirs = [published.contender, text, published.figure, ratio_text(published.ratio)]
            ours = [time_text(row.median_s), figure_text(row.mb_per_s), ratio_text(ratio), ids_text([row])]
            lines.append([*theirs, *ours])
        note = f"Published in: {source.where}. Differences: {source.differs}."
        yield Table(f"{source.name}: published and here", lines, note)


def change_table(changes: Sequence[SpeedChange], title: str) -> Table:
    """What is slower or faster than in another run, and how certain that is."""
    rows = [[CONTENDER, "what", "text", "size", "verdict", "× the time", "interval"]]
    for change in changes:
        now, ratio = change.now, change.ratio
        what = f"{now.scenario} ({now.operation}){on_threads(now.threads)}"
        verdict = f"{MARKS.get(change.verdict, '')} {change.words}".strip()
        times = [f"{ratio.ratio:.2f}", f"{ratio.low:.2f} to {ratio.high:.2f}"]
        times = times if change.is_comparable else [NONE, NONE]
        rows.append([now.contender, what, now.corpus, size_text(now.size_bytes), verdict, *times])
    return Table(title, rows)


def change_lines(changes: Sequence[SpeedChange]) -> Iterator[str]:
    """What is slower or faster than before, certain or not; then counts and caveats."""
    counts = {verdict: [change for change in changes if change.verdict == verdict] for verdict in VERDICTS}
    for change in (*counts["slower"], *counts["faster"]):
        ratio = change.ratio
        bounds = f"{ratio.ratio:.2f} × the time ({ratio.low:.2f} to {ratio.high:.2f})"
        yield f"{change.words.upper()}: {change.title}: {bounds}"
    n_others = len(counts[NOT_COMPARABLE])
    if n_others < len(changes):
        yield ", ".join(f"{len(counts[verdict])} {verdict}" for verdict in VERDICTS[: 3 + bool(n_others)])
    yield from (f"{each}." for each in caveats(changes))
