"""A run as text for people: a table for each scenario, speeds beside a baseline's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter

from guiapp.core.bench.beside import Beside, beside, ratio_text
from guiapp.core.bench.contenders.contender import APPENDED_BYTES
from guiapp.core.bench.drift import NO_DRIFT
from guiapp.core.bench.history import BUSY_MARGIN, Change
from guiapp.core.bench.measurement import Record
from guiapp.core.bench.scenarios import SCENARIOS
from guiapp.core.bench.stages import STAGES, WHOLE
from guiapp.core.explain.figures import counted, percent
from guiapp.core.export.tables import Table, aligned

BYTES_PER_MB = 1e6
NAME_WIDTH = 14
MARKS = {"slower": "▼", "faster": "▲", "same": "", "disturbed": ""}
TOOK_NO_PART = "took no part"
VERDICTS = ("slower", "faster", "same")


def tables(run: Record, baseline: str) -> Iterator[Table]:
    """What was measured, and published figures beside it."""
    yield from measured_tables(run, baseline)
    yield from published_tables(run)


def measured_tables(run: Record, baseline: str) -> Iterator[Table]:
    """One for each scenario and operation, and for each text of the worst case."""
    groups: dict[tuple[str, ...], list[Record]] = {}
    for result in run["results"]:
        groups.setdefault(_table_key(result), []).append(result)
    for results in groups.values():
        match SCENARIOS[results[0]["scenario"]].chart:
            case "memory":
                yield _memory_table(results)
            case "stages":
                yield _stage_table(results)
            case _:
                yield _table(results, baseline)


def table_lines(run: Record, baseline: str) -> Iterator[str]:
    """All scenarios, then what grows how, who deviates, and who is missing."""
    for table in tables(run, baseline):
        yield from aligned(table)
        yield ""
    yield from notes(run)


def notes(run: Record) -> Iterator[str]:
    """What the tables do not say: what grows how, who deviates, and who is missing."""
    yield from _growth_lines(run.get("growth", []))
    yield from _counting_lines(run["results"])
    yield from _appending_lines(run["results"])
    yield from _deviation_lines(run["results"])
    yield from missing_lines(run.get("left_out", []))


def _table_key(result: Record) -> tuple[str, ...]:
    """Texts of the worst case have a table each, and so have texts with all stages together."""
    scenario = SCENARIOS[result["scenario"]]
    has_stages = scenario.chart == "stages"
    corpus = result["corpus"] if scenario.own_texts or has_stages else ""
    return result["scenario"], "" if has_stages else result["operation"], corpus


def _table(results: Sequence[Record], baseline: str) -> Table:
    scenario, operation, corpus = _table_key(results[0])
    unit = "time per call" if SCENARIOS[scenario].unit == "s" else "MB/s"
    title = f"{SCENARIOS[scenario].title}: {corpus}" if corpus else SCENARIOS[scenario].title
    title = f"{title} — {operation}, {unit}, half width of the 95 % interval, × {baseline}"
    columns = list(dict.fromkeys(map(_column, results)))
    cells = {(result["contender"], _column(result)): result for result in results}
    rows = [["", *columns, "ids"]]
    for contender in dict.fromkeys(result["contender"] for result in results):
        mine = [result for result in results if result["contender"] == contender]
        row = [contender]
        for column in columns:
            row.append(_value(cells.get((contender, column)), cells.get((baseline, column)), unit))
        rows.append([*row, _ids(mine)])
    return Table(title, rows)


def _stage_table(results: Sequence[Record]) -> Table:
    """The time of each stage and its share of the whole call; stages run alone need not add up to it."""
    times = {(result["contender"], result["operation"]): result["median_s"] for result in results}
    stages = [stage for stage in STAGES if any(stage == operation for _, operation in times)]
    rows = [["", *stages, "whole call"]]
    for contender in dict.fromkeys(name for name, _ in times):
        whole = times.get((contender, WHOLE))
        row = [contender]
        for stage in stages:
            seconds = times.get((contender, stage))
            share = f" {percent(seconds / whole)}" if seconds is not None and whole else ""
            row.append("–" if seconds is None else time_text(seconds) + share)
        rows.append([*row, "–" if whole is None else time_text(whole)])
    title = f"{SCENARIOS[results[0]['scenario']].title}: {place_text(results[0])}"
    return Table(f"{title} — time, share of the whole call", rows)


def _memory_table(results: Sequence[Record]) -> Table:
    rows = [["", "ready", "more while encoding"]]
    for result in results:
        ready, more = (result[key] / BYTES_PER_MB for key in ("built_bytes", "encoding_bytes"))
        rows.append([result["contender"], f"{ready:.1f}", f"{more:.1f}"])
    return Table(f"{SCENARIOS[results[0]['scenario']].title}, MB", rows)


def published_tables(run: Record) -> Iterator[Table]:
    """Figures of the literature beside this run's, a table for each source that has any."""
    for source, rows in beside(run).items():
        head = ["", "text", "published", f"× {source.base}", "here", f"× {source.base}", "ids"]
        lines = [
            [
                row.published.contender,
                f"{row.cell['scenario']}: {place_text(row.cell)}",
                row.published.figure,
                ratio_text(row.published_ratio),
                _absence(run, row) if row.result is None else _figure_text(row.result),
                ratio_text(row.ratio),
                "–" if row.result is None else _ids([row.result]),
            ]
            for row in rows
        ]
        note = f"Published in: {source.where}. What differs: {source.differs}."
        yield Table(f"{source.name}: published, and here", [head, *lines], note)


def _absence(run: Record, row: Beside) -> str:
    """Why a contender has no result where others have one."""
    for each in run.get("left_out", ()):
        in_all = each["scenario"] is None
        if each["contender"] == row.published.contender and (in_all or _is_same_cell(each, row.cell)):
            return str(each["reason"])
    return TOOK_NO_PART


def _is_same_cell(one: Record, other: Record) -> bool:
    return all(one[name] == other[name] for name in ("scenario", "operation", "corpus", "size_bytes"))


def _figure_text(result: Record) -> str:
    return f"{time_text(result['median_s'])}, {result['mb_per_s']:.3g} MB/s{_on_threads(result)}"


def _column(result: Record) -> str:
    """What tells this cell from the others of its scenario."""
    scenario = SCENARIOS[result["scenario"]]
    if scenario.chart == "curves":
        return size_text(result["size_bytes"])
    return str(result["corpus"]) if scenario.by_text else counted(result["threads"], "thread")


def _value(result: Record | None, baseline: Record | None, unit: str) -> str:
    if result is None:
        return "–"
    shown = f"{result['mb_per_s']:.3g}" if unit == "MB/s" else time_text(result["median_s"])
    low, high = result["ci_s"]
    spread = f"±{percent((high - low) / 2 / result['median_s'])}" if result["n"] > 1 else "once"
    ratio = f" {ratio_text(baseline['median_s'] / result['median_s'])}" if baseline is not None else ""
    return f"{shown} {spread}{ratio}"


def _ids(results: Sequence[Record]) -> str:
    shares = [result["agreement"] for result in results if result["agreement"] is not None]
    if not shares:
        return "own vocabulary"
    if all(result["exact"] for result in results):
        return "equal"
    return f"{percent(min(shares), 1)} of spans"


def _growth_lines(growth: Sequence[Record]) -> Iterator[str]:
    if growth:
        yield "Time = overhead + slope · bytes ^ exponent"
        for line in growth:
            yield (
                f"  {line['contender']:{NAME_WIDTH}} {line['scenario']} {line['corpus']}: exponent "
                f"{line['exponent']:.2f}, overhead {time_text(line['overhead_s'])}, "
                f"points within {percent(line['error'])}"
            )
        yield ""


def _counting_lines(results: Sequence[Record]) -> Iterator[str]:
    """Whether the time of counting a part depends on its length."""
    rows_of: dict[tuple[str, str], list[Record]] = {}
    for result in results:
        if result["operation"] == "count parts":
            rows_of.setdefault((result["contender"], result["corpus"]), []).append(result)
    for (contender, corpus), rows in rows_of.items():
        shortest, longest = (pick(rows, key=lambda row: row["size_bytes"]) for pick in (min, max))
        more = longest["median_s"] / shortest["median_s"]
        yield (
            f"{contender} counts a part of {corpus} of {size_text(shortest['size_bytes'])} in "
            f"{time_text(shortest['median_s'])}, and one of {size_text(longest['size_bytes'])}, "
            f"{longest['size_bytes'] / shortest['size_bytes']:.0f} times as long, in "
            f"{time_text(longest['median_s'])}: {more:.2f} times the time."
        )


def _appending_lines(results: Sequence[Record]) -> Iterator[str]:
    """What appending bit by bit costs beside encoding the same text once."""
    place = itemgetter("contender", "corpus", "size_bytes", "operation")
    rows = {place(row): row for row in results if row["scenario"] == "append"}
    for (contender, corpus, size_bytes, operation), row in rows.items():
        whole = rows.get((contender, corpus, size_bytes, "encode"))
        if operation == "append" and whole is not None:
            yield (
                f"{contender} appends {size_text(size_bytes)} of {corpus}, {APPENDED_BYTES} bytes at a time "
                f"with a count after each, in {time_text(row['median_s'])}: "
                f"{row['median_s'] / whole['median_s']:.2f} times the time of encoding it once."
            )


def _deviation_lines(results: Sequence[Record]) -> Iterator[str]:
    told = set()
    for result in results:
        difference = result["first_difference"]
        if difference is None or (result["contender"], result["corpus"]) in told:
            continue
        told.add((result["contender"], result["corpus"]))
        yield (
            f"{result['contender']} differs on {result['corpus']} from byte {difference['byte_offset']} on: "
            f"{_id_text(difference['found_id'])} instead of {_id_text(difference['expected_id'])}; "
            f"{percent(result['agreement'], 2)} of the spans agree."
        )


def missing_lines(left_out: Sequence[Record]) -> Iterator[str]:
    """One line for all that were left out for the same reason, with the smallest of the cells they missed."""
    reasons: dict[tuple[str, str, str], list[Record]] = {}
    for each in left_out:
        reasons.setdefault((each["scenario"], each["operation"], each["reason"]), []).append(each)
    for (scenario, _, reason), missed in reasons.items():
        names = ", ".join(dict.fromkeys(each["contender"] for each in missed))
        where = "" if scenario is None else f" in {scenario} ({place_text(missed[0])})"
        yield f"{names} left out{where}: {reason}"


def change_table(changes: Sequence[Change], title: str) -> Table:
    """What is surely slower or faster than in another run, and how sure that is."""
    drift = changes[0].drift if changes else NO_DRIFT
    beside = ["beside the drift"] if drift.contenders else []
    rows = [["", "what", "text", "size", "verdict", "times the time", "99 % interval", *beside]]
    for change in changes:
        scenario, operation, contender, corpus, size_bytes, threads = change.key
        what = f"{scenario} ({operation})" + (f", {threads} threads" if threads > 1 else "")
        ratio, mark = change.ratio, MARKS[change.verdict]
        interval = f"{ratio.low:.2f} to {ratio.high:.2f}"
        verdict = f"{mark} {change.verdict}".strip()
        size = size_text(size_bytes)
        own = [f"{change.own.ratio:.2f}"] if beside else []
        rows.append([contender, what, corpus, size, verdict, f"{ratio.ratio:.2f}", interval, *own])
    return Table(title, rows)


def change_lines(changes: Sequence[Change]) -> Iterator[str]:
    """What all share, and what is surely slower or faster than before beside that."""
    if changes and (drift := str(changes[0].drift)):
        yield f"{drift}."
    counts = {verdict: [change for change in changes if change.verdict == verdict] for verdict in VERDICTS}
    for verdict in ("slower", "faster"):
        for change in counts[verdict]:
            ratio = change.ratio
            yield (
                f"{verdict.upper()}: {change.title}: {ratio.ratio:.2f} times the time "
                f"(99 %: {ratio.low:.2f} to {ratio.high:.2f})"
            )
    yield ", ".join(f"{len(counts[verdict])} {verdict}" for verdict in VERDICTS)
    if busy := busy_text(changes):
        yield f"{busy}."


def busy_text(changes: Sequence[Change]) -> str:
    """That other programs ran, and what follows from it for what is sure; "" where none did."""
    n_disturbed = sum(change.is_disturbed for change in changes)
    told = []
    if any(change.margin >= BUSY_MARGIN for change in changes):
        told.append(f"only what differs more than {BUSY_MARGIN:g} times is sure")
    if n_disturbed:
        told.append(f"nothing is sure of {counted(n_disturbed, 'result')} that had less than a core")
    return f"Machine busy: {', and '.join(told)}" if told else ""


def size_text(size_bytes: int) -> str:
    """A size in the unit that needs the fewest digits; kB are thousands, KiB 1024."""
    for factor, unit in ((1 << 20, "MiB"), (1_000_000, "MB"), (1 << 10, "KiB"), (1_000, "kB")):
        if size_bytes >= factor and size_bytes % factor == 0:
            return f"{size_bytes // factor} {unit}"
    return f"{size_bytes:,} B"


def place_text(result: Record) -> str:
    """The text of a result, and how much of it."""
    return f"{result['corpus']}, {size_text(result['size_bytes'])}"


def time_text(seconds: float) -> str:
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= factor:
            return f"{seconds / factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def _on_threads(result: Record) -> str:
    return f", {result['threads']} threads" if result["threads"] > 1 else ""


def _id_text(token_id: int | None) -> str:
    return "no token" if token_id is None else f"token {token_id}"
