"""What an encoder decided about one token: the steps of a trace that it depends on, and what lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from guiapp.analysis.explain.code_marks import code
from guiapp.analysis.explain.merge_tree import token_path
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.explain.why.excerpt import Excerpt
from guiapp.analysis.explain.why.explanation import RankedPair, WhyLine
from guiapp.analysis.explain.why.recording import MERGING, Recorded
from guiapp.analysis.trace.replay import Candidate, ScoredTokens, rejected_cut
from guiapp.analysis.trace.sentences import StepDescriber
from guiapp.analysis.trace.trace import NUMBERS, StepKey
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.figures import counted
from guiapp.core.text.visible_text import visible_text

MOST_CANDIDATES = 400  # that wait, of which the best one that lost is looked for
LISTED = 6
SHOWN = 32
NAMES = {
    "wordpiece": "Longest match",
    "rwkv": "Longest match",
    "greedy": "Longest match",
    "viterbi": "Best segmentation",
    "plamo2": "Cheapest segmentation",
}
TRIED = tuple(NUMBERS[name] for name in ("miss", "fail", "reject", "dead end", "rule out", "back"))
WAYS = (NUMBERS["reach"], NUMBERS["worse"])


class _Slots(NamedTuple):
    """The slots [first, behind) that became a token, and the step that put it in place of a symbol, or -1."""

    first: int
    after: int
    fallback: int


class Decisions:
    """Those about the wanted token of an excerpt, as far as they were recorded."""

    def __init__(
        self, tokenizer: Tokenizer, excerpt: Excerpt, outcome: Recorded, spelling: Spelling = Spelling.SIGNS
    ) -> None:
        self._tokenizer, self._excerpt, self._outcome = tokenizer, excerpt, outcome
        self._debugger = debugger = outcome.debugger
        self._offset = excerpt.offset + outcome.segment.start
        self.trace = debugger.trace
        self._describer = StepDescriber(self.trace, tokenizer.vocabulary, spelling, self._offset)
        pieces, tokens = self.trace.pieces, self.trace.made
        self.piece = int(np.searchsorted(pieces.first_token, outcome.made, side="right")) - 1
        self._number = outcome.made - int(pieces.first_token[self.piece])
        self._token = tuple(int(column[outcome.made]) for column in tokens)
        self._steps = range(int(pieces.first_step[self.piece]), int(pieces.done_step[self.piece]))
        self._merges = debugger.states.has_slots(self.piece)

    @property
    def title(self) -> str:
        """What the encoder does, in two words."""
        return (
            "Merges"
            if self._merges or self.trace.reference_name in MERGING
            else NAMES.get(self.trace.reference_name, "Encoder")
        )

    @property
    def formed(self) -> StepKey:
        """The step that makes the token."""
        steps = [step for step in (self._slots_merges() if self._merges else [self._maker()]) if step >= 0]
        return self.place(steps[-1]) if steps else self._done

    def place(self, step: int) -> StepKey:
        """A step, to be found in other traces of the text."""
        columns = self.trace.columns
        start, end = int(columns.position[step]) + self._offset, int(columns.end[step]) + self._offset
        return StepKey(self.trace.operation(step), start, end, int(columns.result[step]))

    def lines(self) -> list[WhyLine]:
        """In the order of the steps."""
        lines = list(self._merged() if self._merges else self._matched())
        target = self._excerpt.token[0]
        if target != self._token[0]:
            explanation = f"{self._label(*self._token)} is unknown: tokens of its bytes are written instead."
            lines.append(WhyLine(explanation, self.formed))
        return lines or [WhyLine(f"{self._label(*self._token)} is what its piece becomes.", self._done)]

    # Pair merging

    def _merged(self) -> Iterator[WhyLine]:
        steps, fallback = self._slots_merges(), self._slots().fallback
        for step in steps:
            if step != fallback:
                yield self._merge(step)
        if fallback >= 0:
            yield WhyLine(self._describer.sentence(fallback), self.place(fallback))
            return
        if not steps:
            yield WhyLine(f"{self._label(*self._token)} is a symbol that merging begins with.", self._done)
        yield WhyLine(self._why_not_longer(), self._done)

    def _slots_merges(self) -> list[int]:
        """The steps that lead to the token: its merges, and what took the place of the last one's symbol."""
        slots = self._slots()
        steps = [step for step in self._rows("merge") if slots.first <= self._cell(step) < slots.after]
        return [*steps, slots.fallback] if slots.fallback >= 0 else steps

    def _merge(self, step: int) -> WhyLine:
        self._debugger.go_to(step)
        columns = self.trace.columns
        won = (int(columns.left[step]), int(columns.right[step]), int(columns.position[step]))
        start, middle, end = won[2], int(columns.right_position[step]), int(columns.end[step])
        others = [
            each
            for each in self._debugger.waiting(MOST_CANDIDATES).candidates
            if not each.is_stale and (each.left, each.right, each.position) != won
        ]
        competitors = [each for each in others if each.position < end and each.end > start]
        lost = next(iter(competitors or ([] if self._is_cut_out else others)), None)
        made = RankedPair(
            *won[:2], int(columns.result[step]), float(columns.rank[step]), *self._moved(start, middle, end)
        )
        return WhyLine(
            self._describer.pair(step),
            self.place(step),
            self._describer.worth(step),
            self._describe_lost(lost, bool(competitors), made.rank),
            made,
            None if lost is None else self._pair(lost),
        )

    def _describe_lost(self, lost: Candidate | None, is_competitor: bool, rank: float) -> str:
        if lost is None:
            return "no other candidate has one of the two" if self._is_cut_out else "the only candidate"
        left = self._label(lost.left, lost.position, lost.right_position)
        right = self._label(lost.right, lost.right_position, lost.end)
        worth = "of equal rank, but farther right" if lost.rank == rank else f"rank {lost.rank:,.0f}"
        return f"{'beats' if is_competitor else 'goes before'} {left} + {right}, {worth}"

    def _pair(self, candidate: Candidate) -> RankedPair:
        places = candidate.position, candidate.right_position, candidate.end
        return RankedPair(
            candidate.left, candidate.right, candidate.result, float(candidate.rank), *self._moved(*places)
        )

    def _moved(self, *places: int) -> tuple[int, ...]:
        return tuple(place + self._offset for place in places)

    def _slots(self) -> _Slots:
        """Where the token comes from: a symbol that is left, or what stands in place of one or of several."""
        trace = self.trace
        cells = trace.piece_cells(self.piece)
        standing = (trace.lifetimes.standing(cells, self._steps.stop)[0] - cells.start).tolist()
        bounds = [*standing, cells.stop - cells.start]
        fallen: dict[int, list[int]] = {}
        for step in (*self._rows("fallback"), *self._rows("lost")):
            fallen.setdefault(int(trace.columns.other_cell[step]), []).append(step)
        outcome: list[_Slots] = []
        covered = -1
        for slot, after in zip(standing, bounds[1:], strict=True):
            for step in fallen.get(slot, []):
                covered = max(covered, int(trace.columns.cell[step]))
                if trace.operation(step) == "fallback":
                    outcome.append(_Slots(slot, after, step))
            if slot not in fallen and slot > covered:
                outcome.append(_Slots(slot, after, -1))
        return outcome[self._number]

    @property
    def _is_cut_out(self) -> bool:
        """Whether the piece may be only a part of what the whole text has there."""
        at_edge = (self._begins_segment and not self._begins) or (self._ends_segment and not self._ends)
        is_cut_by_patterns = self._outcome.segment.is_sure and len(self._tokenizer.vocabulary.patterns) > 0
        return at_edge and not is_cut_by_patterns

    @property
    def _begins_segment(self) -> bool:
        return self.piece == 0

    @property
    def _ends_segment(self) -> bool:
        return self.piece == self.trace.n_pieces - 1

    @property
    def _begins(self) -> bool:
        return self._outcome.segment.start == self._outcome.fragment.start

    @property
    def _ends(self) -> bool:
        return self._outcome.segment.end == self._outcome.fragment.end

    def _why_not_longer(self) -> str:
        """Why the token is not part of a longer one."""
        before, after = self._neighbours()
        token = self._label(*self._token)
        if not before and not after:
            return "It is the whole piece: merges end at its edges."
        pairs = [pair for pair in (before and f"{before} + {token}", after and f"{token} + {after}") if pair]
        edge = "" if before else " The piece begins with it."
        edge = edge if after else " The piece ends with it."
        return f"No rule joins {' nor '.join(pairs)}.{edge}"

    def _neighbours(self) -> tuple[str, str]:
        """The tokens before and behind it in its piece, "" where that ends."""
        symbols = self._debugger.states.piece_tokens(self._steps.stop, self.piece)
        names = [self._label(*map(int, row)) for row in zip(*symbols, strict=True)]
        before = names[self._number - 1] if self._number else ""
        after = names[self._number + 1] if self._number + 1 < len(names) else ""
        if self._is_cut_out and not before and not self._begins:
            before = self._named(self._excerpt.target - 1)
        if self._is_cut_out and not after and not self._ends:
            after = self._named(self._excerpt.target + 1)
        return before, after

    def _named(self, index: int) -> str:
        """A token of the excerpt."""
        token, start, end = self._excerpt.row(index)
        return self._label(token, start - self._outcome.segment.start, end - self._outcome.segment.start)

    # Matching

    def _matched(self) -> Iterator[WhyLine]:
        maker = self._maker()
        if maker < 0:
            return
        columns = self.trace.columns
        if self.trace.operation(maker) == "whole":
            yield WhyLine(self._whole(maker), self.place(maker))
            return
        rows = np.arange(self._steps.start, self._steps.stop)
        is_tried = np.isin(columns.operation[rows], TRIED) & (
            columns.position[rows] == columns.position[maker]
        )
        for step in rows[is_tried].tolist():
            yield WhyLine(self._describer.sentence(step), self.place(step))
        yield WhyLine(self._describer.sentence(maker), self.place(maker))
        yield from self._other_candidates(maker)
        if self.trace.reference_name == "viterbi" and self.trace.operation(maker) in ("choose", "join"):
            yield from self._rejected(maker)
        elif self.trace.reference_name in ("rwkv", "greedy") and self.trace.operation(maker) == "take":
            yield from self._longer_and_shorter(maker)

    def _other_candidates(self, maker: int) -> Iterator[WhyLine]:
        """The tokens that lead to the same place, or from it, with how much worse they are than the best."""
        columns, rows = self.trace.columns, np.arange(self._steps.start, self._steps.stop)
        edge = columns.position if self.trace.reference_name == "plamo2" else columns.end
        alternatives = rows[np.isin(columns.operation[rows], WAYS) & (edge[rows] == edge[maker])]
        is_own = (columns.result[alternatives] == columns.result[maker]) & (
            columns.position[alternatives] == columns.position[maker]
        )
        if not len(alternatives) or not is_own.any() or np.isnan(columns.rank[alternatives]).any():
            return
        best = float(columns.rank[alternatives[is_own][-1]])
        where = "begin" if self.trace.reference_name == "plamo2" else "end"
        for step in alternatives[~is_own].tolist():
            after = abs(best - float(columns.rank[step]))
            explanation = (
                f"{self._describer.result(step)}, {self._describer.span(step)}, would {where} there, too."
            )
            yield WhyLine(
                explanation, self.place(step), note=f"worse by {after:,.4g}" if after else "just as good"
            )

    def _maker(self) -> int:
        """The step that made the token: the last one that makes it of these bytes."""
        token, start, end = self._token
        columns = self.trace.columns
        rows = np.arange(self._steps.start, self._steps.stop)
        is_made = columns.result[rows] == token
        is_made &= np.isin(self.trace.columns.operation[rows], MAKERS)
        is_made &= (columns.position[rows] <= start) & (columns.end[rows] >= end)
        outcome = rows[is_made]
        return int(outcome[-1]) if len(outcome) else -1

    def _whole(self, step: int) -> str:
        vocabulary = self._tokenizer.vocabulary
        ignores = vocabulary.rules.ignore_merges or (
            vocabulary.parts is not None and vocabulary.parts.model.ignore_merges
        )
        explanation = self._describer.sentence(step)
        return f"`ignore_merges`: {explanation[0].lower()}{explanation[1:]}" if ignores else explanation

    def _rejected(self, maker: int) -> Iterator[WhyLine]:
        outcome = rejected_cut(self.trace, self.piece, maker)
        if outcome is None:
            yield WhyLine("There is no other way to cut the text here.", self.place(maker))
            return
        won, lost, step = outcome
        explanation = f"{self._cut(won)} rather than {self._cut(lost)}, the best way without it."
        yield WhyLine(explanation, self.place(step), note=f"{_score(won.score)} against {_score(lost.score)}")

    def _cut(self, cut: ScoredTokens) -> str:
        shown = [self._label(*token) for token in cut.tokens[:LISTED]]
        return " ".join(shown) + (" …" if len(cut.tokens) > LISTED else "")

    def _longer_and_shorter(self, maker: int) -> Iterator[WhyLine]:
        vocabulary, place = self._tokenizer.vocabulary, self.place(maker)
        path = token_path(vocabulary, vocabulary.token_tree, self._token[0], 3)
        explanation = "No token is longer and begins with it."
        if path.n_continuations:
            names = " ".join(self._label(each, 0, 0) for each in path.continuations)
            more = " …" if path.n_continuations > len(path.continuations) else ""
            rest = self.trace.text[self._token[2] :][:SHOWN]
            follows = f"the text goes on with {code(visible_text(rest, 8))}" if rest else "the text ends here"
            begin = "begins" if path.n_continuations == 1 else "begin"
            explanation = (
                f"{counted(path.n_continuations, 'token')} {begin} with it ({names}{more}), but {follows}."
            )
        yield WhyLine(explanation, place)
        if path.prefixes:
            shorter = " ".join(self._label(each, 0, 0) for each in path.prefixes[-3:])
            yield WhyLine(f"Shorter ones would fit, too: {shorter}.", place)

    # What both need

    def _rows(self, operation: str) -> list[int]:
        here = self.trace.columns.operation[self._steps.start : self._steps.stop]
        outcome: list[int] = (np.flatnonzero(here == NUMBERS[operation]) + self._steps.start).tolist()
        return outcome

    def _cell(self, step: int) -> int:
        return int(self.trace.columns.cell[step])

    def _label(self, token: int, start: int, end: int) -> str:
        return code(self._describer.label(token, start, end))

    @property
    def _done(self) -> StepKey:
        """The end of the piece that the token is in."""
        _, start, end = self._token
        return StepKey("done", start + self._offset, end + self._offset)


MAKERS = tuple(
    NUMBERS[name] for name in ("whole", "take", "choose", "join", "give up", "too long", "fallback")
)


def _score(score: float) -> str:
    return f"{score:,.2f}".replace("-", "−")
