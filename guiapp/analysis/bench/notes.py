"""What a run says in sentences: who encodes fastest, and what one should know who reads its figures."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

from guiapp.analysis.bench.measurement import Record, half_width, was_busy
from guiapp.analysis.bench.scenarios import SCENARIOS
from guiapp.analysis.bench.statistics import HIDDEN, Ratio, ratio_in_turns
from guiapp.analysis.bench.wording import by_one_clock, length_text, n_times, place_text, time_text
from guiapp.analysis.libraries.contender import APPENDED_BYTES
from guiapp.core.text.numbers_in_words import counted, percent

SCENARIO, OPERATION = "throughput", "encode"
FEWEST_TURNS = 8  # together, before anything is settled
SETTLED_WIDTH = 0.1  # of the interval, as a share of the ratio
NO_RATIO = Ratio(1.0, 1.0, 1.0)
AS_ENCODED = "as plain text"  # by all: no special token is added, nor looked for in the text
ALONE, FIRST, LONE = "takes part alone", "is ready first", "alone was measured"
ALONE_RIGHT = "alone has the right ids"
SECONDS = re.compile(r"(\d+(?:\.\d+)?) s\b")
PACKAGE = re.compile(r"is not installed\. Install it with: pip install (\S+)$")


class LinkedNote(str):
    """A sentence about a contender; `parts` are its words, each with a text that it leads to, or ""."""

    contender: str
    parts: list[tuple[str, str]]


def notes(run: Record) -> list[str]:
    """What makes figures doubtful, who deviates, and who took no part and why."""
    return [
        *warnings(run),
        *_repeated(run),
        *_deviations(run["results"]),
        *missing_lines(run.get("left_out", [])),
        *_appending(run["results"]),
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
    """What a count after some bytes costs, in the longest text of each contender."""
    appended = [row for row in results if (row["scenario"], row["operation"]) == ("append", "append")]
    longest = {row["contender"]: row for row in sorted(appended, key=lambda row: int(row["size_bytes"]))}
    for contender, row in longest.items():
        append_s = row["median_s"] / math.ceil(row["size_bytes"] / APPENDED_BYTES)
        cost = f"appends {APPENDED_BYTES} bytes and counts in {time_text(append_s)}"
        yield f"{contender} {cost}, up to {place_text(row)}."


def _id_text(token_id: int | None) -> str:
    return "no token" if token_id is None else f"token {token_id}"


# The one sentence that a run is made for: who encodes a text fastest, and are the ids right


@dataclass(frozen=True)
class Verdict:
    """Who is fastest on one text of those whose ids are right, and how many times as fast as somebody else.

    fastest       of all that take part, if nobody's ids are right
    competitor    the baseline, or whoever is next where that is the fastest; "" where there is none
    ratio         how many times as fast `fastest` is as `competitor`, from the turns that both took
    is_stable    more turns would hardly change the sentence
    was_busy      the machine was, while one of the two was measured: small differences are not reliable
    n_equal, n_contenders  how many have equal ids, of those that can be compared
    n_tokens      0 where a run of another version does not tell
    alone         what to say where there is nobody else, or nobody else with the right ids; it is FIRST or
                  LONE where others were to be
    """

    fastest: str
    competitor: str
    ratio: Ratio
    is_stable: bool
    was_busy: bool
    n_equal: int
    n_contenders: int
    n_tokens: int
    alone: str = ALONE

    @property
    def is_tie(self) -> bool:
        """Whether the run cannot tell which of the two is faster."""
        return bool(self.competitor) and self.ratio.low <= 1.0 <= self.ratio.high

    @property
    def comparison(self) -> str:
        """Who is fastest and how much, as far as the run can tell."""
        if not self.competitor:
            return f"{self.fastest} {self.alone}"
        if self.is_tie:
            return f"{self.fastest} and {self.competitor} are equally fast as far as this run can tell"
        about = "about " if self.was_busy else ""
        return f"{self.fastest} {about}{times_text(self.ratio.ratio)} × as fast as {self.competitor}"

    @property
    def ids(self) -> str:
        """Whose ids are right, in words; "" where they cannot be compared."""
        if not self.n_contenders:
            return ""
        if self.n_equal == self.n_contenders:
            return "all ids equal" if self.n_contenders > 1 else "its ids are right"
        return f"ids of {self.n_equal} of {self.n_contenders} right"

    def __str__(self) -> str:
        """Such as “gigatoken 1.2 × as fast as fast; all ids equal; 27,483 tokens as plain text”."""
        tokens = f"{counted(self.n_tokens, 'token')} {AS_ENCODED}" if self.n_tokens else ""
        return "; ".join(filter(None, [self.comparison, self.ids, tokens]))


def verdict_of(results: Sequence[Record], corpus: str, baseline: str) -> Verdict | None:
    """From the throughput of each on a text, finished or not; None where nobody was timed on it."""
    rows = [
        row
        for row in results
        if (row["scenario"], row["operation"], row["corpus"]) == (SCENARIO, OPERATION, corpus)
        and row.get("median_s")
    ]
    if not rows:
        return None
    judged = [row for row in rows if row["exact"] is not None]
    right = [row for row in judged if row["exact"]]
    ranked = sorted(right or judged or rows, key=_own_time_s)
    fastest, others = ranked[0], ranked[1:]
    competitor = next((row for row in others if row["contender"] == baseline), others[0] if others else None)
    busy = any(was_busy(row) for row in (fastest, competitor) if row is not None)
    ratio = NO_RATIO if competitor is None else _ratio(competitor, fastest)
    return Verdict(
        fastest["contender"],
        "" if competitor is None else competitor["contender"],
        ratio,
        is_stable=competitor is not None and _is_stable(ratio, min(fastest["n"], competitor["n"]), busy),
        was_busy=busy,
        n_equal=len(right),
        n_contenders=len(judged),
        n_tokens=round(fastest.get("n_tokens") or 0),
        alone=ALONE_RIGHT if len(judged) > len(right) == 1 else ALONE,
    )


def _ratio(slower: Record, faster: Record) -> Ratio:
    """From the turns that both took; wider beside other programs, and unknown where two clocks timed them."""
    has_samples = slower.get("samples_s") and faster.get("samples_s")  # some runs kept none
    if not (has_samples and by_one_clock(slower, faster)):
        return Ratio(slower["median_s"] / faster["median_s"], 0.0, float("inf"))
    first = max(slower.get("first_turn", 0), faster.get("first_turn", 0))
    ratio = ratio_in_turns(
        *(row["samples_s"][first - row.get("first_turn", 0) :] for row in (faster, slower))
    )
    hidden = 1.0 + HIDDEN if was_busy(slower) or was_busy(faster) else 1.0
    return Ratio(ratio.ratio, ratio.low / hidden, ratio.high * hidden)


def _own_time_s(row: Record) -> float:
    """What it takes of a core, where it had none of its own."""
    share = 1.0 if row.get("clock") == "cpu" else min(row.get("processor_share") or 1.0, 1.0)
    return float(row["median_s"] * (share if row["threads"] == 1 else 1.0))


def _is_stable(ratio: Ratio, n_turns: int, is_busy: bool) -> bool:
    """Beside other programs more turns make no interval narrower."""
    is_narrow = ratio.high <= ratio.low * (1 + SETTLED_WIDTH)
    return n_turns >= FEWEST_TURNS and (is_narrow or is_busy)


def times_text(ratio: float) -> str:
    """A ratio as people say it: `1.2`, `16`, `1,300`; two decimals where one would say 1.0."""
    if ratio < 1.095:
        return f"{ratio:.2f}"
    return f"{ratio:.1f}" if ratio < 10 else f"{ratio:,.0f}"
