"""What an encoder decided about one token: the steps of a trace that it depends on, and what lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from guiapp.analysis.explain.code_marks import code
from guiapp.analysis.explain.merge_tree import token_path
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.explain.why.excerpt import Excerpt
from guiapp.analysis.explain.why.recording import MERGING, Recorded
from guiapp.analysis.explain.why.told import Line, RankedPair
from guiapp.analysis.trace.candidates import Candidate
from guiapp.analysis.trace.operations import NUMBERS
from guiapp.analysis.trace.places import Place
from guiapp.analysis.trace.segmentation import Cut, rejected_cut
from guiapp.analysis.trace.sentences import Teller
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
    behind: int
    fallback: int


class Decisions:
    """Those about the wanted token of an excerpt, as far as they were recorded."""

    def __init__(
        self, tokenizer: Tokenizer, excerpt: Excerpt, found: Recorded, spelling: Spelling = Spelling.SIGNS
    ) -> None:
        self._tokenizer, self._excerpt, self._found = tokenizer, excerpt, found
        self._debugger = debugger = found.debugger
        self._offset = excerpt.offset + found.stretch.start
        self.trace = debugger.trace
        self._teller = Teller(self.trace, tokenizer.vocabulary, spelling, self._offset)
        pieces, tokens = self.trace.pieces, self.trace.made
        self.piece = int(np.searchsorted(pieces.first_token, found.made, side="right")) - 1
        self._number = found.made - int(pieces.first_token[self.piece])
        self._token = tuple(int(column[found.made]) for column in tokens)
        self._steps = range(int(pieces.first_step[self.piece]), int(pieces.done_step[self.piece]))
        self._merges = debugger.states.has_slots(self.piece)

    @property
    def title(self) -> str:
        """What the encoder does, in two words."""
        return (
            "Merges" if self._merges or self.trace.twin in MERGING else NAMES.get(self.trace.twin, "Encoder")
        )

    @property
    def formed(self) -> Place:
        """The step that makes the token."""
        steps = [step for step in (self._slots_merges() if self._merges else [self._maker()]) if step >= 0]
        return self.place(steps[-1]) if steps else self._done

    def place(self, step: int) -> Place:
        """A step, to be found in other traces of the text."""
        columns = self.trace.columns
        start, end = int(columns.position[step]) + self._offset, int(columns.end[step]) + self._offset
        return Place(self.trace.operation(step), start, end, int(columns.result[step]))

    def lines(self) -> list[Line]:
        """In the order of the steps."""
        lines = list(self._merged() if self._merges else self._matched())
        wanted = self._excerpt.token[0]
        if wanted != self._token[0]:
            told = f"{self._label(*self._token)} is unknown: tokens of its bytes are written instead."
            lines.append(Line(told, self.formed))
        return lines or [Line(f"{self._label(*self._token)} is what its piece becomes.", self._done)]

    # Pair merging

    def _merged(self) -> Iterator[Line]:
        steps, fallback = self._slots_merges(), self._slots().fallback
        for step in steps:
            if step != fallback:
                yield self._merge(step)
        if fallback >= 0:
            yield Line(self._teller.sentence(fallback), self.place(fallback))
            return
        if not steps:
            yield Line(f"{self._label(*self._token)} is a symbol that merging begins with.", self._done)
        yield Line(self._stays(), self._done)

    def _slots_merges(self) -> list[int]:
        """The steps that lead to the token: its merges, and what took the place of the last one's symbol."""
        slots = self._slots()
        steps = [step for step in self._rows("merge") if slots.first <= self._cell(step) < slots.behind]
        return [*steps, slots.fallback] if slots.fallback >= 0 else steps

    def _merge(self, step: int) -> Line:
        self._debugger.go_to(step)
        columns = self.trace.columns
        won = (int(columns.left[step]), int(columns.right[step]), int(columns.position[step]))
        start, middle, end = won[2], int(columns.right_position[step]), int(columns.end[step])
        others = [
            each
            for each in self._debugger.waiting(MOST_CANDIDATES).candidates
            if not each.is_stale and (each.left, each.right, each.position) != won
        ]
        rivals = [each for each in others if each.position < end and each.end > start]
        lost = next(iter(rivals or ([] if self._is_cut_out else others)), None)
        made = RankedPair(
            *won[:2], int(columns.result[step]), float(columns.rank[step]), *self._moved(start, middle, end)
        )
        return Line(
            self._teller.pair(step),
            self.place(step),
            self._teller.worth(step),
            self._told_lost(lost, bool(rivals), made.rank),
            made,
            None if lost is None else self._pair(lost),
        )

    def _told_lost(self, lost: Candidate | None, is_rival: bool, rank: float) -> str:
        if lost is None:
            return "no other candidate has one of the two" if self._is_cut_out else "the only candidate"
        left = self._label(lost.left, lost.position, lost.right_position)
        right = self._label(lost.right, lost.right_position, lost.end)
        worth = "of equal rank, but farther right" if lost.rank == rank else f"rank {lost.rank:,.0f}"
        return f"{'beats' if is_rival else 'goes before'} {left} + {right}, {worth}"

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
        found: list[_Slots] = []
        covered = -1
        for slot, behind in zip(standing, bounds[1:], strict=True):
            for step in fallen.get(slot, []):
                covered = max(covered, int(trace.columns.cell[step]))
                if trace.operation(step) == "fallback":
                    found.append(_Slots(slot, behind, step))
            if slot not in fallen and slot > covered:
                found.append(_Slots(slot, behind, -1))
        return found[self._number]

    @property
    def _is_cut_out(self) -> bool:
        """Whether the piece may be only a part of what the whole text has there."""
        at_edge = (self._begins_stretch and not self._begins) or (self._ends_stretch and not self._ends)
        is_cut_by_patterns = self._found.stretch.is_sure and len(self._tokenizer.vocabulary.patterns) > 0
        return at_edge and not is_cut_by_patterns

    @property
    def _begins_stretch(self) -> bool:
        return self.piece == 0

    @property
    def _ends_stretch(self) -> bool:
        return self.piece == self.trace.n_pieces - 1

    @property
    def _begins(self) -> bool:
        return self._found.stretch.start == self._found.fragment.start

    @property
    def _ends(self) -> bool:
        return self._found.stretch.end == self._found.fragment.end

    def _stays(self) -> str:
        """Why the token is not part of a longer one."""
        before, behind = self._beside()
        token = self._label(*self._token)
        if not before and not behind:
            return "It is the whole piece: merges end at its edges."
        pairs = [
            pair for pair in (before and f"{before} + {token}", behind and f"{token} + {behind}") if pair
        ]
        edge = "" if before else " The piece begins with it."
        edge = edge if behind else " The piece ends with it."
        return f"No rule joins {' nor '.join(pairs)}.{edge}"

    def _beside(self) -> tuple[str, str]:
        """The tokens before and behind it in its piece, "" where that ends."""
        symbols = self._debugger.states.piece_tokens(self._steps.stop, self.piece)
        names = [self._label(*map(int, row)) for row in zip(*symbols, strict=True)]
        before = names[self._number - 1] if self._number else ""
        behind = names[self._number + 1] if self._number + 1 < len(names) else ""
        if self._is_cut_out and not before and not self._begins:
            before = self._named(self._excerpt.wanted - 1)
        if self._is_cut_out and not behind and not self._ends:
            behind = self._named(self._excerpt.wanted + 1)
        return before, behind

    def _named(self, index: int) -> str:
        """A token of the excerpt."""
        token, start, end = self._excerpt.row(index)
        return self._label(token, start - self._found.stretch.start, end - self._found.stretch.start)

    # Matching

    def _matched(self) -> Iterator[Line]:
        maker = self._maker()
        if maker < 0:
            return
        columns = self.trace.columns
        if self.trace.operation(maker) == "whole":
            yield Line(self._whole(maker), self.place(maker))
            return
        rows = np.arange(self._steps.start, self._steps.stop)
        is_tried = np.isin(columns.operation[rows], TRIED) & (
            columns.position[rows] == columns.position[maker]
        )
        for step in rows[is_tried].tolist():
            yield Line(self._teller.sentence(step), self.place(step))
        yield Line(self._teller.sentence(maker), self.place(maker))
        yield from self._other_ways(maker)
        if self.trace.twin == "viterbi" and self.trace.operation(maker) in ("choose", "join"):
            yield from self._rejected(maker)
        elif self.trace.twin in ("rwkv", "greedy") and self.trace.operation(maker) == "take":
            yield from self._longer_and_shorter(maker)

    def _other_ways(self, maker: int) -> Iterator[Line]:
        """The tokens that lead to the same place, or from it, with how much worse they are than the best."""
        columns, rows = self.trace.columns, np.arange(self._steps.start, self._steps.stop)
        edge = columns.position if self.trace.twin == "plamo2" else columns.end
        ways = rows[np.isin(columns.operation[rows], WAYS) & (edge[rows] == edge[maker])]
        is_own = (columns.result[ways] == columns.result[maker]) & (
            columns.position[ways] == columns.position[maker]
        )
        if not len(ways) or not is_own.any() or np.isnan(columns.rank[ways]).any():
            return
        best = float(columns.rank[ways[is_own][-1]])
        where = "begin" if self.trace.twin == "plamo2" else "end"
        for step in ways[~is_own].tolist():
            behind = abs(best - float(columns.rank[step]))
            told = f"{self._teller.result(step)}, {self._teller.span(step)}, would {where} there, too."
            yield Line(told, self.place(step), note=f"worse by {behind:,.4g}" if behind else "just as good")

    def _maker(self) -> int:
        """The step that made the token: the last one that makes it of these bytes."""
        token, start, end = self._token
        columns = self.trace.columns
        rows = np.arange(self._steps.start, self._steps.stop)
        is_made = columns.result[rows] == token
        is_made &= np.isin(self.trace.columns.operation[rows], MAKERS)
        is_made &= (columns.position[rows] <= start) & (columns.end[rows] >= end)
        found = rows[is_made]
        return int(found[-1]) if len(found) else -1

    def _whole(self, step: int) -> str:
        vocabulary = self._tokenizer.vocabulary
        ignores = vocabulary.rules.ignore_merges or (
            vocabulary.parts is not None and vocabulary.parts.model.ignore_merges
        )
        told = self._teller.sentence(step)
        return f"`ignore_merges`: {told[0].lower()}{told[1:]}" if ignores else told

    def _rejected(self, maker: int) -> Iterator[Line]:
        found = rejected_cut(self.trace, self.piece, maker)
        if found is None:
            yield Line("There is no other way to cut the text here.", self.place(maker))
            return
        won, lost, step = found
        told = f"{self._cut(won)} rather than {self._cut(lost)}, the best way without it."
        yield Line(told, self.place(step), note=f"{_score(won.score)} against {_score(lost.score)}")

    def _cut(self, cut: Cut) -> str:
        shown = [self._label(*token) for token in cut.tokens[:LISTED]]
        return " ".join(shown) + (" …" if len(cut.tokens) > LISTED else "")

    def _longer_and_shorter(self, maker: int) -> Iterator[Line]:
        vocabulary, place = self._tokenizer.vocabulary, self.place(maker)
        path = token_path(vocabulary, vocabulary.token_tree, self._token[0], 3)
        told = "No token is longer and begins with it."
        if path.n_continuations:
            names = " ".join(self._label(each, 0, 0) for each in path.continuations)
            more = " …" if path.n_continuations > len(path.continuations) else ""
            rest = self.trace.text[self._token[2] :][:SHOWN]
            follows = f"the text goes on with {code(visible_text(rest, 8))}" if rest else "the text ends here"
            begin = "begins" if path.n_continuations == 1 else "begin"
            told = f"{counted(path.n_continuations, 'token')} {begin} with it ({names}{more}), but {follows}."
        yield Line(told, place)
        if path.prefixes:
            shorter = " ".join(self._label(each, 0, 0) for each in path.prefixes[-3:])
            yield Line(f"Shorter ones would fit, too: {shorter}.", place)

    # What both need

    def _rows(self, operation: str) -> list[int]:
        here = self.trace.columns.operation[self._steps.start : self._steps.stop]
        found: list[int] = (np.flatnonzero(here == NUMBERS[operation]) + self._steps.start).tolist()
        return found

    def _cell(self, step: int) -> int:
        return int(self.trace.columns.cell[step])

    def _label(self, token: int, start: int, end: int) -> str:
        return code(self._teller.label(token, start, end))

    @property
    def _done(self) -> Place:
        """The end of the piece that the token is in."""
        _, start, end = self._token
        return Place("done", start + self._offset, end + self._offset)


MAKERS = tuple(
    NUMBERS[name] for name in ("whole", "take", "choose", "join", "give up", "too long", "fallback")
)


def _score(score: float) -> str:
    return f"{score:,.2f}".replace("-", "−")
