"""The results of a run in sentences: the verdict, a finding for each scenario, and notes on the figures.

A finding states only what its results support, or is empty.  “Fastest” is each contender that is not clearly
slower than another: several if intervals touch.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat

from guiapp.analysis.bench.history import BUSY, BUSY_MARGIN
from guiapp.analysis.bench.plan import SCENARIOS
from guiapp.analysis.bench.run_results import (
    BYTES_PER_MB,
    BenchResult,
    BenchRun,
    GrowthLine,
    LeftOut,
    growth_lines,
    ratio_of,
)
from guiapp.analysis.bench.statistics import IN_STEP, Ratio
from guiapp.analysis.bench.wording import NUMBERS, in_words, size_text, time_text, times_text
from guiapp.analysis.libraries.peer import pip_install
from guiapp.core.encode.catalogue import TOKENLOUPE
from guiapp.core.text.numbers_in_words import counted, percent

Rows = Sequence[BenchResult]
Find = Callable[[Rows, Sequence[LeftOut], str], str]
"""A sentence from the results of one scenario and text (at least one), who was left out, and the baseline."""
YOUR_TEXT = "your text"
FEWEST_TURNS = 8  # of each, or a ratio is “about”
STABLE_WIDTH = 0.1  # of the interval, as a share of the ratio
AS_ENCODED = "as plain text"  # by all contenders: special tokens are neither added nor parsed
ALONE, FIRST, LONE = "was measured alone", "is ready first", "alone was measured"
ALONE_RIGHT = "alone has the right ids"
LEAST_OVERHEAD_S = 1e-9
MOST_NAMED = 2  # contenders in a sentence
FALLEN, FEWEST_SIZES = 0.5, 4  # a slower contender is below this share of its top speed; sizes for that
SAME = 1.1  # ratio of two times up to which they are called equal
OWN_VOCABULARY, OWN_VOCABULARIES = "with a vocabulary of its own", "with vocabularies of their own"
SECONDS = re.compile(r"(\d+(?:\.\d+)?) s\b")
PACKAGE = re.compile(r"is not installed\. Install it with: .*pip install (\S+)$")


# The verdict: which contender encodes a text fastest, and whether the ids are right


@dataclass(frozen=True)
class Verdict:
    """The fastest contender with the right ids on one text, and how many times as fast as another it is.

    fastest       its name; the fastest of all contenders if none has the right ids
    competitor    the baseline if it is among the others, else the next fastest; "" if there is none
    ratio         how many times as fast `fastest` is as `competitor`, from the turns that both took
    is_stable     whether more turns would hardly change the ratio
    was_busy      whether the machine was, for either of the two: small differences are not reliable
    n_equal, n_contenders  how many have equal ids, of the contenders that can be compared
    n_tokens      0 if a run of another version does not contain it
    about         the first words, such as "English, so far"; "" if they are not needed
    ahead         faster contenders without the right ids, in the form of `parts`
    reference     whose ids the others were compared with; "" if a run of another version does not contain it
    alone         the words if there is no competitor; FIRST or LONE if others were planned
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
    reference: str = ""
    ahead: tuple[tuple[str, str], ...] = ()
    about: str = ""

    @property
    def is_too_close(self) -> bool:
        """Whether the machine was too busy to decide which of the two is faster."""
        return bool(self.competitor) and self.was_busy and self.ratio.ratio < BUSY_MARGIN

    @property
    def is_tie(self) -> bool:
        """Whether the run cannot decide which of the two is faster."""
        return self.is_too_close or (bool(self.competitor) and self.ratio.low <= 1.0 <= self.ratio.high)

    @property
    def parts(self) -> list[tuple[str, str]]:
        """The words of the verdict, each with its kind: "name" of a contender, "figure", or ""."""
        ahead = [("; ", ""), *self.ahead] if self.ahead else []
        return [*self.headline, *ahead, *([("; ", ""), (self.tokens, "")] if self.n_tokens else [])]

    @property
    def tokens(self) -> str:
        return f"{counted(self.n_tokens, 'token')} {AS_ENCODED}"

    @property
    def headline(self) -> list[tuple[str, str]]:
        """Which contender is the fastest, by how much, and whether its ids are right; like `parts`."""
        parts = [(f"{self.about}: ", "")] if self.about else []
        parts.append((self.fastest, "name"))
        if not self.competitor:
            alone = f" {self.alone}"
            if self.alone == ALONE_RIGHT:
                others = in_words(self.n_contenders - 1)
                whose = f"{self.reference}'s" if self.reference else "the right"
                alone = f" alone has {'these' if self.reference == self.fastest else whose} ids"
                differ = f", {others} other{'s differ' if self.n_contenders > 2 else ' differs'}"
                alone += "" if self.ahead else differ
            parts.append((alone, ""))
        elif self.is_tie:
            is_often = self.ratio.low > 0.0  # one turn of each shows nothing
            unclear = (
                "equally fast as far as this run can tell" if is_often else "timed too rarely to compare"
            )
            apart = f"less than {BUSY_MARGIN:g} × apart, too close to tell as the machine was busy"
            tie = f" are {apart if self.is_too_close else unclear}"
            parts += [(" and ", ""), (self.competitor, "name"), (tie, "")]
        else:
            is_sure = self.is_stable and not self.was_busy
            about, times = "" if is_sure else "about ", f"{times_text(self.ratio.ratio)} ×"
            parts += [
                (f" is {about}", ""),
                (times, "figure"),
                (" as fast as ", ""),
                (self.competitor, "name"),
            ]
        if self.ids:
            parts.append((f"; {self.ids}", ""))
        return parts

    @property
    def ids(self) -> str:
        """Whose ids are right, in words; "" if they cannot be compared."""
        is_reference = self.reference == self.fastest  # which is not compared with itself
        if self.n_contenders <= is_reference or self.alone == ALONE_RIGHT:
            return ""
        whose = "equal" if is_reference else f"equal to {self.reference}'s"
        right = whose if self.reference else "right"
        if self.n_equal == 0:
            return f"no ids are {right}"
        if self.n_equal == self.n_contenders > 1:
            return f"all ids are {right}"
        return f"{'their' if self.is_tie or is_reference else 'its'} ids are {right}"

    def __str__(self) -> str:
        """Such as “gigatoken is 1.2 × as fast as fast; all ids are right; 27,483 tokens as plain text”."""
        return "".join(words for words, _ in self.parts)


def verdict_of(results: Rows, corpus: str, baseline: str, reference: str = "") -> Verdict | None:
    """The verdict from the throughput on a text, finished or not; None if no contender was timed on it."""
    rows = [row for row in results if (row.scenario, row.corpus) == ("throughput", corpus) and row.median_s]
    if not rows:
        return None
    judged = [row for row in rows if row.exact is not None]
    right = [row for row in judged if row.exact]
    fastest, *others = sorted(right or judged or rows, key=lambda row: row.median_s)
    competitor = next((row for row in others if row.contender == baseline), others[0] if others else None)
    verdict = Verdict(
        fastest.contender,
        "",
        Ratio(1.0, 1.0, 1.0),
        is_stable=False,
        was_busy=fastest.was_busy,
        n_equal=len(right),
        n_contenders=len(judged),
        n_tokens=round(fastest.n_tokens),
        alone=ALONE_RIGHT if len(judged) > len(right) == 1 else ALONE,
        reference=reference and reference_of([row for row in results if row.corpus == corpus], reference),
        ahead=tuple(_ahead(fastest, [row for row in rows if not row.exact]))[1:],
    )
    if competitor is None:
        return verdict
    ratio, busy = ratio_of(fastest, competitor), fastest.was_busy or competitor.was_busy
    is_narrow = busy or ratio.high <= ratio.low * (1 + STABLE_WIDTH)  # more turns would not make it narrower
    is_stable = is_narrow and min(fastest.n, competitor.n) >= FEWEST_TURNS
    return replace(verdict, competitor=competitor.contender, ratio=ratio, is_stable=is_stable, was_busy=busy)


def reference_of(results: Rows, library: str) -> str:
    """Whose ids others are compared with: the library if it was measured and has our ids, else ours."""
    is_measured = any(row.contender == library and row.exact for row in results)
    return library if is_measured else TOKENLOUPE


def _ahead(fastest: BenchResult, others: Rows) -> Iterator[tuple[str, str]]:
    """The contenders faster than `fastest`, and why they do not count, in the form of `Verdict.parts`."""
    reasons = {
        False: ("but its ids differ", "but their ids differ"),
        None: (OWN_VOCABULARY, OWN_VOCABULARIES),
    }
    for exact, (one, many) in reasons.items():
        ahead = [row for row in others if row.exact is exact and row.median_s < fastest.median_s]
        if not ahead:
            continue
        is_sure = all(_is_clear(row, fastest) for row in ahead)
        are = ("is" if len(ahead) == 1 else "are") if is_sure else "may be"
        names = [[(row.contender, "name")] for row in ahead]
        if len(names) > MOST_NAMED:
            names = [[(f"{in_words(len(ahead))} encoders", "")]]
        yield from chain([("; ", "")], names[0], *([(" and ", ""), *name] for name in names[1:]))
        yield f" {are} faster, {one if len(ahead) == 1 else many}", ""


def _is_clear(faster: BenchResult, slower: BenchResult) -> bool:
    """Whether one is clearly faster: intervals do not touch; on a busy machine also BUSY_MARGIN times."""
    is_reliable = slower.median_s >= BUSY_MARGIN * faster.median_s or not (faster.was_busy or slower.was_busy)
    return is_reliable and faster.ci_s[1] < slower.ci_s[0]


def deviations(results: Rows, text: str = "") -> dict[str, BenchResult]:
    """Contenders with wrong ids, each with its result on this text if any, else on the longest whole text."""

    def relevance(row: BenchResult) -> tuple[bool, bool, bool, int]:
        scenario = SCENARIOS[row.scenario]
        is_own = scenario.grows and not scenario.own_texts
        return scenario.chart == "bars", row.corpus == text, is_own, row.size_bytes

    chosen: dict[str, BenchResult] = {}
    for row in results:
        if row.first_difference is not None:
            chosen[row.contender] = max(chosen.get(row.contender, row), row, key=relevance)
    return chosen


# Notes: what a reader of a run's figures should know


class LinkedNote(str):
    """A sentence about a contender; `parts` are its words, each with the text that it links to, or ""."""

    contender: str
    parts: list[tuple[str, str]]


def notes(run: BenchRun, is_going_on: bool = False) -> list[str]:
    """All notes: what makes figures doubtful, whose ids differ, and who took no part and why."""
    rows = run.results
    return [
        *warnings(run, is_going_on),
        *_repeated(run, rows),
        *_deviations(rows, run.vocabulary.get("bos")),
        *missing_lines(run.left_out),
    ]


def warnings(run: BenchRun, is_going_on: bool = False) -> Iterator[str]:
    """What makes the figures of a run doubtful."""
    rows = run.results
    if n_busy := sum(row.was_busy for row in rows):
        load, cores = run.environment.get("load_highest"), run.environment.get("cores") or 1
        described = "" if load is None else f", with a load of up to {load:g} on {cores} cores"
        yield f"{BUSY}. This affects {n_busy} of {len(rows)} results{described}."
    if of_processor := sum(row.clock == "cpu" for row in rows):
        why = "as you asked" if run.plan.get("clock") == "cpu" else "because other programs were running"
        yield f"{of_processor} of {len(rows)} results leave out the time spent waiting, {why}."
    if n_wide := sum(row.half_width > 0.1 for row in rows):
        yield f"{n_wide} of {len(rows)} results have intervals wider than ± 10 %."
    if not (run.is_complete or is_going_on) and rows:
        yield "The run was stopped before it finished."
    library = run.vocabulary.get("library", "")
    if rows and library and reference_of(rows, library) != library:
        yield f"Ids were compared with {TOKENLOUPE}'s; {library} itself was not measured in this run."


def _repeated(run: BenchRun, rows: Rows) -> Iterator[str]:
    """How short texts were lengthened."""
    longest = max(rows, key=lambda row: row.n_times, default=None)
    if longest is not None and longest.n_times > 1:
        shown = f"{longest.corpus}, {length_text(longest)}"
        yield f"Texts are repeated, up to {shown}; caches make repeated text look faster."
    elif run.plan.get("repeat") == "fresh":
        yield "Short texts are extended with words of the samples."


def _deviations(results: Rows, bos: int | None) -> Iterator[str]:
    """One sentence per contender: where its ids first differ, or that it adds BOS, and on what else."""
    collected: dict[str, dict[str, BenchResult]] = {}
    for row in results:
        if row.exact is False:
            collected.setdefault(row.contender, {}).setdefault(row.corpus, row)
    for contender, by_text in collected.items():
        (corpus, row), *others = by_text.items()
        difference = row.first_difference
        assert difference is not None
        described = (
            f" differs on {corpus} from byte {difference.byte_offset}: {_id_text(difference.found_id)} "
            f"instead of {_id_text(difference.expected_id)}; {percent(row.agreement, 2)} of the spans agree"
        )
        if difference.index == 0 and difference.found_id == bos is not None:
            described = f" adds BOS (token {bos}) to {corpus}, but Bench requests no special tokens"
        parts = [(contender, corpus), (described, "")]
        for between, (text, each) in zip(chain(["; also on "], repeat(", ")), others, strict=False):
            parts += [(between, ""), (text, text), (f" ({percent(each.agreement, 2)})", "")]
        note = LinkedNote("".join(words for words, _ in parts) + ".")
        note.contender, note.parts = contender, [*parts, (".", "")]
        yield note


def missing_lines(left_out: Sequence[LeftOut]) -> Iterator[str]:
    """One sentence for all contenders left out for the same reason, with the first cell that they missed.

    Reasons that differ only in seconds are the same.  Libraries that are not installed share a sentence.
    """
    collected = {each.contender: PACKAGE.search(each.reason) for each in left_out}
    packages = {name: package[1] for name, package in collected.items() if package}
    if packages:
        names, install = ", ".join(packages), " ".join(packages.values())
        yield f"Not installed: {names}. To install: {pip_install(install)}"
    alike: dict[tuple[str | None, str | None, str], list[LeftOut]] = {}
    for each in left_out:
        if each.contender not in packages:
            kind = SECONDS.sub("", each.reason)
            alike.setdefault((each.scenario, each.operation, kind), []).append(each)
    for (scenario, *_), missed in alike.items():
        contenders = dict.fromkeys(each.contender for each in missed)
        names, were = ", ".join(contenders), "were" if len(contenders) > 1 else "was"
        where = ""
        if scenario:
            cells = list(
                dict.fromkeys(f"{each.corpus}, {size_text(each.size_bytes or 0)}" for each in missed)
            )
            more = f", and {len(cells) - 1} more" if len(cells) > 1 else ""
            label = SCENARIOS[scenario].label if scenario in SCENARIOS else scenario
            where = f" in “{label}” ({cells[0]}{more})"
        yield f"{names} {were} not measured{where}: {_of_all([each.reason for each in missed])}"


def _of_all(reasons: Sequence[str]) -> str:
    """One reason for all, which differ only in seconds: these become a range."""
    seconds = sorted((match[1] for match in map(SECONDS.search, reasons) if match), key=float)
    if not seconds or seconds[0] == seconds[-1]:
        return reasons[0]
    return SECONDS.sub(f"{seconds[0]} to {seconds[-1]} s", reasons[0], count=1)


def _id_text(token_id: int | None) -> str:
    return "no token" if token_id is None else f"token {token_id}"


def length_text(row: BenchResult) -> str:
    """The length of a result's text, and how often the text was repeated to be that long."""
    if row.n_times <= 1:
        return size_text(row.size_bytes)
    whose = "your" if row.corpus == YOUR_TEXT else "its"
    return f"{whose} {size_text(row.own_bytes or 0)}, {row.n_times} times"


def growth_text(line: GrowthLine) -> str:
    """How time grows with length, and the overhead of a call; "" if neither is known."""
    growth = line.growth
    has_overhead = growth.is_fit and growth.overhead_s >= LEAST_OVERHEAD_S
    return f"{growth.words}, {time_text(growth.overhead_s)} a call" if has_overhead else growth.words


# Findings: one sentence about the results of a scenario, above its chart


def finding(scenario: str, rows: Rows, left_out: Sequence[LeftOut], baseline: str) -> str:
    """The finding of a scenario, a sentence; "" if there is none."""
    find = FINDINGS.get(scenario)
    return find(rows, left_out, baseline) if find is not None and rows else ""


def leaders(rows: Rows) -> list[str]:
    """The fastest contender whose ids are not wrong, then all that are not clearly slower."""
    right = [row for row in rows if row.exact is not False] or rows
    timed = sorted((row for row in right if row.median_s), key=lambda row: row.median_s)
    return list(dict.fromkeys(row.contender for row in timed if not _is_clear(timed[0], row)))


def stopped(rows: Rows, left_out: Sequence[LeftOut]) -> list[str]:
    """Contenders with some of these results that were left out of other sizes of the same text."""
    gone = {(each.scenario, each.corpus, each.operation, each.contender) for each in left_out}
    keys = ((row.scenario, row.corpus, row.operation, row.contender) for row in rows)
    return list(dict.fromkeys(key[-1] for key in keys if key in gone))


def _names(names: Sequence[str]) -> str:
    """“a and b”, or “five encoders” if there are more than MOST_NAMED."""
    return " and ".join(names) if len(names) <= MOST_NAMED else f"{in_words(len(names))} encoders"


def _are(names: Sequence[str]) -> str:
    return f"{_names(names)} {'is' if len(names) == 1 else 'are'}"


def _n_contenders(rows: Rows) -> int:
    return len({row.contender for row in rows})


def _time_by_length(rows: Rows, _: Sequence[LeftOut], _baseline: str) -> str:
    """Which contenders are much slower on their longest text than on a shorter one."""
    series = [[row for row in rows if row.contender == name] for name in {row.contender: 0 for row in rows}]
    if min(map(len, series)) < FEWEST_SIZES:
        return ""
    last = (max(mine, key=lambda row: row.size_bytes) for mine in series)
    fallen = [
        row.contender
        for row, mine in zip(last, series, strict=True)
        if row.mb_per_s < FALLEN * max(each.mb_per_s for each in mine)
    ]
    if not fallen:
        return "No encoder is much slower on longer texts"
    slow = "Every encoder is" if len(fallen) == len(series) else f"Only {_are(fallen)}"
    return f"{slow} much slower on longer texts"


def _worst_case(rows: Rows, left_out: Sequence[LeftOut], _baseline: str) -> str:
    text = rows[0].corpus.capitalize()
    text = "One letter, repeated," if text == "One letter" else text
    is_many, n_of = text.endswith("s"), _n_contenders(rows)
    stop = "stop" if is_many else "stops"
    if gone := stopped(rows, left_out):
        share = (len(gone), n_of) if n_of >= len(NUMBERS) else (in_words(len(gone)), in_words(n_of))
        return f"{text} {stop} {share[0]} of {share[1]}"
    fits = [line for line in growth_lines(rows) if line.growth.is_fit]
    slow = [line.contender for line in fits if line.growth.exponent > IN_STEP]
    if not fits or len(fits) < n_of:
        return ""
    make = "make" if is_many else "makes"
    return f"{text} {make} {_names(slow)} slow" if slow else f"{text} {stop} nobody"


def _short_calls(rows: Rows, _: Sequence[LeftOut], _baseline: str) -> str:
    sizes = sorted({row.size_bytes for row in rows})
    first, *_others = ahead = [leaders([row for row in rows if row.size_bytes == size]) for size in sizes]
    last = ahead[-1]
    if _n_contenders(rows) < 2 or max(len(first), len(last)) > MOST_NAMED:
        return ""
    if all(set(each) == set(first) for each in ahead):
        return f"{_are(first)} fastest at every length"
    if set(first) == set(last):
        return ""
    return f"{_are(first)} fastest for the shortest texts, {_names(last)} for the longest"


def _decoding(rows: Rows, _: Sequence[LeftOut], baseline: str) -> str:
    best, base = leaders(rows), _of(rows, baseline)
    if _n_contenders(rows) < 2 or len(best) > MOST_NAMED:
        return ""
    if len(best) > 1:
        return f"{_names(best)} decode fastest"
    fastest = f"{best[0]} decodes fastest"
    if base is None or best[0] == baseline:
        return fastest
    ratio = base.median_s / min(row.median_s for row in rows if row.contender == best[0])
    return f"{fastest}, {times_text(ratio)} times as fast as {baseline}"


def _gain_of_threads(rows: Rows, _: Sequence[LeftOut], baseline: str) -> str:
    mine = sorted((row for row in rows if row.contender == baseline), key=lambda row: row.threads)
    if len(mine) < 2 or mine[0].threads != 1 or not _is_clear(mine[-1], mine[0]):
        return ""
    ratio, n_threads = mine[0].median_s / mine[-1].median_s, in_words(mine[-1].threads)
    return f"{baseline} is {times_text(ratio)} times as fast on {n_threads} threads as on one"


def _appended(rows: Rows, _: Sequence[LeftOut], baseline: str) -> str:
    """How long appending takes the baseline compared with encoding once, on the longest text with both."""
    mine = {(row.size_bytes, row.operation): row for row in rows if row.contender == baseline}
    for size_bytes in sorted({size_bytes for size_bytes, _ in mine}, reverse=True):
        bit_by_bit, whole = (mine.get((size_bytes, operation)) for operation in ("append", "encode"))
        if bit_by_bit and whole:
            ratio = bit_by_bit.median_s / whole.median_s
            times = f"{times_text(ratio)} times as long" if ratio > 1 else f"{percent(ratio)} of the time"
            takes = "as long" if 1 / SAME < ratio < SAME else times
            return f"Appending bit by bit takes {baseline} {takes} as encoding once"
    return ""


def _least_memory(rows: Rows, _: Sequence[LeftOut], baseline: str) -> str:
    sizes = {row.contender: (row.built_bytes + row.encoding_bytes) / BYTES_PER_MB for row in rows}
    if len(sizes) < 2:
        return ""
    least, most = (pick(sizes, key=lambda name: sizes[name]) for pick in (min, max))
    has_between = baseline in sizes and baseline not in (least, most)
    between = f", {baseline} {sizes[baseline]:.3g} MB" if has_between else ""
    return f"{least} needs {sizes[least]:.3g} MB{between}, {most} {sizes[most]:.3g} MB"


def _slow_calls(rows: Rows, _: Sequence[LeftOut], baseline: str) -> str:
    mine = _of(rows, baseline)
    if mine is None or not mine.p99_s:
        return ""
    return f"Of 100 calls of {baseline}, 99 end within {time_text(mine.p99_s)}"


def _of(rows: Rows, name: str) -> BenchResult | None:
    return next((row for row in rows if row.contender == name), None)


FINDINGS: Mapping[str, Find] = {
    "scaling": _time_by_length,
    "short": _short_calls,
    "latency": _slow_calls,
    "worst": _worst_case,
    "threads": _gain_of_threads,
    "decode": _decoding,
    "append": _appended,
    "memory": _least_memory,
}
