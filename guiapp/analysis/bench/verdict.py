"""The one sentence that a run is made for: who encodes a text fastest, and are the ids right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from guiapp.analysis.bench.busy import was_busy
from guiapp.analysis.bench.findings import by_one_clock
from guiapp.analysis.bench.measurement import Record
from guiapp.analysis.bench.statistics import HIDDEN, Ratio, ratio_in_turns
from guiapp.core.text.figures import counted

SCENARIO, OPERATION = "throughput", "encode"
FEWEST_TURNS = 8  # together, before anything is settled
SETTLED_WIDTH = 0.1  # of the interval, as a share of the ratio
NO_RATIO = Ratio(1.0, 1.0, 1.0)
AS_ENCODED = "as plain text"  # by all: no special token is added, nor looked for in the text
ALONE, FIRST, LONE = "takes part alone", "is ready first", "alone was measured"
ALONE_RIGHT = "alone has the right ids"


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
