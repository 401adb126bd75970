"""A run to give away: one HTML page with its charts, Markdown, and CSV, each with how to repeat it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence

from guiapp.analysis.bench.measurement import KEY, QUANTILES, Record
from guiapp.analysis.bench.notes import notes
from guiapp.analysis.bench.plan import BenchError, Plan, plan_from
from guiapp.analysis.bench.tables import tables
from guiapp.analysis.export.html import Html, TableCell, TableColumn, joined, table, tag
from guiapp.analysis.export.tables import Table, aligned, csv_lines, file_text, markdown_table
from guiapp.core.text.figures import counted

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
