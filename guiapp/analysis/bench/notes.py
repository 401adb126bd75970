"""What one should know who reads the figures of a run, as sentences."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from operator import itemgetter

from guiapp.analysis.bench.busy import was_busy
from guiapp.analysis.bench.measurement import Record, half_width
from guiapp.analysis.bench.scenarios import SCENARIOS
from guiapp.analysis.bench.wording import length_text, n_times, place_text, size_text, time_text
from guiapp.analysis.libraries.contender import APPENDED_BYTES
from guiapp.core.text.figures import percent

SECONDS = re.compile(r"(\d+(?:\.\d+)?) s\b")
PACKAGE = re.compile(r"is not installed\. Install it with: pip install (\S+)$")


class LinkedNote(str):
    """A sentence about a contender; `parts` are its words, each with a text that it leads to, or ""."""

    contender: str
    parts: list[tuple[str, str]]


def notes(run: Record) -> list[str]:
    """What makes figures doubtful, who deviates, who took no part and why, and what cells say together."""
    results = run["results"]
    return [
        *warnings(run),
        *_repeated(run),
        *_deviations(results),
        *missing_lines(run.get("left_out", [])),
        *_appending(results),
    ]


def warnings(run: Record) -> Iterator[str]:
    """What makes the figures of a run doubtful."""
    n_results = len(run["results"])
    if n_busy := sum(map(was_busy, run["results"])):
        environment = run.get("environment", {})
        load, cores = environment.get("load_highest"), environment.get("cores") or 1
        described = "" if load is None else f" (load up to {load:g} on {cores} cores)"
        during = f"{n_busy} of {n_results} results{described}"
        yield f"The machine was busy during {during}: small differences are not reliable."
    if of_processor := sum(row.get("clock") == "cpu" for row in run["results"]):
        is_wish = run.get("plan", {}).get("clock") == "cpu"
        why = "as was asked for" if is_wish else "as other programs ran beside"
        yield f"{of_processor} of {n_results} results are processor time, {why}."
    wide = [row for row in run["results"] if row["ci_s"] and half_width(row) > 0.1]
    if wide:
        yield f"{len(wide)} of {n_results} results are known to no better than ± 10 %."
    if not run.get("complete", True):
        yield "The run was stopped before its end."


def _repeated(run: Record) -> Iterator[str]:
    """How texts got longer than they are."""
    rows = [row for row in run["results"] if n_times(row) > 1]
    if rows:
        row = max(rows, key=n_times)
        longest = f"{row['corpus']}, {length_text(row)}"
        yield f"Texts are repeated to be longer, up to {longest}; caches make that look faster."
    elif run.get("plan", {}).get("repeat") == "fresh":
        yield "Texts longer than their own go on with words drawn from the samples."


def _deviations(results: Sequence[Record]) -> Iterator[str]:
    """One sentence a contender: where its ids differ first, and on what else."""
    collected: dict[str, dict[str, Record]] = {}
    for row in results:
        if row["exact"] is False:
            collected.setdefault(row["contender"], {}).setdefault(row["corpus"], row)
    for contender, by_text in collected.items():
        (corpus, row), *others = by_text.items()
        difference = row["first_difference"]
        described = (
            f" differs on {corpus} from byte {difference['byte_offset']} on: "
            f"{_id_text(difference.get('found_id'))} instead of {_id_text(difference.get('expected_id'))}; "
            f"{percent(row['agreement'], 2)} of the spans agree"
        )
        parts = [(contender, corpus), (described, "")]
        for between, (text, each) in zip(chain(["; also on "], repeat(", ")), others, strict=False):
            parts += [(between, ""), (text, text), (f" ({percent(each['agreement'], 2)})", "")]
        remark = LinkedNote("".join(words for words, _ in parts) + ".")
        remark.contender, remark.parts = contender, [*parts, (".", "")]
        yield remark


def missing_lines(left_out: Sequence[Record]) -> Iterator[str]:
    """A sentence for all who were left out for the same reason, with the smallest cell that they missed.

    Reasons that differ by seconds are the same.
    """
    collected = {each["contender"]: PACKAGE.search(each["reason"]) for each in left_out}
    packages = {name: package[1] for name, package in collected.items() if package}
    if packages:
        names, install = ", ".join(packages), " ".join(packages.values())
        yield f"Not installed: {names}. To have them: pip install {install}"
    alike: dict[tuple[str, str, str], list[Record]] = {}
    for each in left_out:
        if each["contender"] not in packages:
            kind = SECONDS.sub("", each["reason"])
            alike.setdefault((each["scenario"], each["operation"], kind), []).append(each)
    for (scenario, *_), missed in alike.items():
        names = ", ".join(dict.fromkeys(each["contender"] for each in missed))
        places = list(dict.fromkeys(map(place_text, missed))) if scenario else []
        more = f", and {len(places) - 1} more" if len(places) > 1 else ""
        where = f" in “{_label(scenario)}” ({places[0]}{more})" if scenario else ""
        yield f"{names} took no part{where}: {_of_all([each['reason'] for each in missed])}"


def _of_all(reasons: Sequence[str]) -> str:
    """One that stands for all, which differ by a number of seconds at most."""
    collected = [match for match in map(SECONDS.search, reasons) if match]
    least, most = (pick(collected, key=lambda match: float(match[1]), default=None) for pick in (min, max))
    if least is None or most is None or least[1] == most[1]:
        return reasons[0]
    return SECONDS.sub(f"{least[1]} to {most[1]} s", reasons[0], count=1)


def _label(scenario: str) -> str:
    """Runs of other versions may have left out what is no scenario here."""
    return SCENARIOS[scenario].label if scenario in SCENARIOS else scenario


def _appending(results: Sequence[Record]) -> Iterator[str]:
    """What appending some bytes costs, the best and the worst, beside encoding all of the text again.

    The text that is encoded is the same each time, so that caches know it; what is appended is a text that
    grows, of which they know less.
    """
    place = itemgetter("contender", "corpus", "size_bytes", "operation")
    rows = {place(row): row for row in results if row["scenario"] == "append"}
    described = []
    for (contender, corpus, size_bytes, operation), row in rows.items():
        whole = rows.get((contender, corpus, size_bytes, "encode"))
        if operation == "append" and whole is not None:
            append_s = row["median_s"] / math.ceil(size_bytes / APPENDED_BYTES)
            sentence = (
                f"{contender} appends {APPENDED_BYTES} bytes and counts in {time_text(append_s)} up to "
                f"{size_text(size_bytes)} of {corpus}, and encodes all of that again, known to caches, in "
                f"{time_text(whole['median_s'])}"
            )
            described.append((append_s, sentence))
    yield from _best_and_worst(described)


def _best_and_worst(described: Sequence[tuple[float, str]]) -> Iterator[str]:
    """One sentence of the one with the least figure and the one with the greatest."""
    if described:
        yield "; at worst, ".join(dict.fromkeys((min(described)[1], max(described)[1]))) + "."


def _id_text(token_id: int | None) -> str:
    return "no token" if token_id is None else f"token {token_id}"
