"""The explanation of one token: stages of lines, each with a step of the debugger, and its decision."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from guiapp.analysis.explain.merge_tree import token_path
from guiapp.analysis.explain.spelling import Spelling, code, without_marks
from guiapp.analysis.explain.why.excerpt import REACH_BYTES, Excerpt, Switches, tokens_near
from guiapp.analysis.trace.debugger import Debugger, debugger_for
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.replay import Candidate, ScoredTokens, rejected_cut
from guiapp.analysis.trace.sentences import StepDescriber
from guiapp.analysis.trace.trace import NUMBERS, START, StepKey, TraceTokens
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.text.visible_text import visible_text
from guiapp.errors import EncodeError
from guiapp.native.checkpoint import Progress

FIRST_REACH, GROWTH = 64, 4
MOST_SURE = 1024  # bytes between sure cuts; if there are more, the near text is recorded instead
MOST_RECORDED = 1 << 17  # bytes: a single token, of unknown characters, may be as long as the text
MERGING = ("fast", "scan", "heap")  # the reference implementation of `scan` is too slow for long pieces
MOST_CANDIDATES = 400  # in the queue, among which to find the best one that lost
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
TITLE_COLUMNS = 19


class RankedPair(NamedTuple):
    """Two neighbours that can be merged; offsets are bytes of the text."""

    left: int
    right: int
    result: int
    rank: float
    start: int
    middle: int
    end: int


@dataclass(frozen=True)
class WhyLine:
    """A sentence, with code between backticks, about one step.

    worth   the rank of a merge in words
    note    the candidate that lost, or a further fact
    merged  the pair of a merge; `lost`: the best other candidate
    """

    text: str
    step_key: StepKey = START
    worth: str = ""
    note: str = ""
    merged: RankedPair | None = None
    lost: RankedPair | None = None


@dataclass(frozen=True)
class WhyStage:
    """The lines of one stage; `name` is stable, `title` is for display."""

    name: str
    title: str
    lines: tuple[WhyLine, ...]


@dataclass(frozen=True)
class TokenWhy:
    """The explanation of one token; offsets are bytes of the whole text.

    index    of the token among the tokens of the text
    encoder  that made the decisions
    stages   bytes, partition, normalise, split, encode, token; fewer for special tokens
    """

    index: int
    token_id: int
    start: int
    end: int
    encoder: str
    stages: tuple[WhyStage, ...]

    @property
    def merges(self) -> list[WhyLine]:
        """The lines of its merges, in order."""
        return [line for stage in self.stages for line in stage.lines if line.merged is not None]


# Explanations as JSON records and as lines: the output of `why`


def why_record(tokens: Iterable[TokenWhy]) -> dict[str, object]:
    """The record of `why --json`; missing values of a line are null."""
    return {"tokens": [_token_record(token) for token in tokens]}


def _token_record(token: TokenWhy) -> dict[str, object]:
    return {
        "index": token.index,
        "id": token.token_id,
        "span": [token.start, token.end],
        "encoder": token.encoder,
        "stages": [
            {"stage": stage.name, "lines": [_line_record(line) for line in stage.lines]}
            for stage in token.stages
        ],
    }


def _line_record(line: WhyLine) -> dict[str, object]:
    step_key = line.step_key
    return {
        "text": without_marks(line.text),
        "note": without_marks(line.note) or None,
        "operation": step_key.operation or None,
        "step_span": [step_key.start, step_key.end] if step_key.operation else None,
        "merged": _pair_record(line.merged),
        "lost": _pair_record(line.lost),
    }


def _pair_record(pair: RankedPair | None) -> dict[str, object] | None:
    if pair is None:
        return None
    rank = int(pair.rank) if pair.rank.is_integer() else pair.rank
    ids = {"left": pair.left, "right": pair.right, "result": pair.result}
    return {**ids, "rank": rank, "span": [pair.start, pair.end]}


def why_lines(token: TokenWhy) -> Iterator[str]:
    """Lines to read, each stage's title before its first line."""
    yield f"token {token.index}, bytes {token.start}–{token.end}"
    for stage in token.stages:
        title = stage.title
        for line in stage.lines:
            worth = f"  rank {line.worth}" if line.worth else ""
            yield f"  {title:{TITLE_COLUMNS}}{without_marks(line.text)}{worth}"
            if line.note:
                yield f"  {'':{TITLE_COLUMNS + 2}}{without_marks(line.note)}"
            title = ""


# The decisions of an encoder about one token: the steps of a trace that it depends on, and what lost


class _Slots(NamedTuple):
    """The slots [first, after) that became a token, and the fallback step that replaced a symbol, or -1."""

    first: int
    after: int
    fallback: int


class Decisions:
    """The recorded decisions about the target token of an excerpt."""

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
        """The method of the encoder, in two words."""
        name = self.trace.reference_name
        return "Merges" if self._merges or name in MERGING else NAMES.get(name, "Encoder")

    @property
    def formed(self) -> StepKey:
        """The step that makes the token."""
        step = next(reversed(self._slots_merges()), -1) if self._merges else self._maker()
        return self.step_key(step) if step >= 0 else self._done

    def step_key(self, step: int) -> StepKey:
        """The key of a step, which is valid in other traces of the text."""
        columns = self.trace.columns
        start, end = int(columns.position[step]) + self._offset, int(columns.end[step]) + self._offset
        return StepKey(self.trace.operation(step), start, end, int(columns.result[step]))

    def lines(self) -> list[WhyLine]:
        """The lines, in the order of the steps."""
        lines = list(self._merged() if self._merges else self._matched())
        target = self._excerpt.token[0]
        if target != self._token[0]:
            explanation = f"{self._label(*self._token)} is unknown, so its bytes become tokens instead."
            lines.append(WhyLine(explanation, self.formed))
        return lines or [WhyLine(f"Its piece becomes {self._label(*self._token)}.", self._done)]

    # Pair merging

    def _merged(self) -> Iterator[WhyLine]:
        steps, fallback = self._slots_merges(), self._slots().fallback
        for step in steps:
            if step != fallback:
                yield self._merge(step)
        if fallback >= 0:
            yield WhyLine(self._describer.sentence(fallback), self.step_key(fallback))
            return
        if not steps:
            yield WhyLine(f"{self._label(*self._token)} is a symbol that merging starts from.", self._done)
        yield WhyLine(self._why_not_longer(), self._done)

    def _slots_merges(self) -> list[int]:
        """The steps that lead to the token: its merges, and a fallback of the last symbol."""
        slots = self._slots()
        cells = self.trace.columns.cell
        steps = [step for step in self._rows("merge") if slots.first <= cells[step] < slots.after]
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
        offsets = (offset + self._offset for offset in (start, middle, end))
        made = RankedPair(*won[:2], int(columns.result[step]), float(columns.rank[step]), *offsets)
        return WhyLine(
            self._describer.pair(step),
            self.step_key(step),
            self._describer.worth(step),
            self._describe_lost(lost, bool(competitors), made.rank),
            made,
            None if lost is None else self._pair(lost),
        )

    def _describe_lost(self, lost: Candidate | None, is_competitor: bool, rank: float) -> str:
        if lost is None:
            return "no other candidate contains either token" if self._is_cut_out else "the only candidate"
        left = self._label(lost.left, lost.position, lost.right_position)
        right = self._label(lost.right, lost.right_position, lost.end)
        worth = "of equal rank, but further right" if lost.rank == rank else f"rank {lost.rank:,.0f}"
        return f"{'beats' if is_competitor else 'comes before'} {left} + {right}, {worth}"

    def _pair(self, candidate: Candidate) -> RankedPair:
        bounds = candidate.position, candidate.right_position, candidate.end
        offsets = (offset + self._offset for offset in bounds)
        return RankedPair(candidate.left, candidate.right, candidate.result, float(candidate.rank), *offsets)

    def _slots(self) -> _Slots:
        """The slots of the token: a remaining symbol, or a fallback of one or several symbols."""
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
        """Whether the piece may be only a part of the piece in the whole text."""
        is_first, is_last = self.piece == 0, self.piece == self.trace.n_pieces - 1
        at_edge = (is_first and not self._begins) or (is_last and not self._ends)
        is_cut_by_patterns = self._outcome.segment.is_sure and len(self._tokenizer.vocabulary.patterns) > 0
        return at_edge and not is_cut_by_patterns

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
            return "It is the whole piece, and merges stay within a piece."
        pairs = [pair for pair in (before and f"{before} + {token}", after and f"{token} + {after}") if pair]
        edge = "" if before else " The piece begins with it."
        edge = edge if after else " The piece ends with it."
        return f"No merge rule joins {' or '.join(pairs)}.{edge}"

    def _neighbours(self) -> tuple[str, str]:
        """The previous and the next token in the piece, "" at its ends."""
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
        """The label of a token of the excerpt."""
        token, start, end = self._excerpt.row(index)
        return self._label(token, start - self._outcome.segment.start, end - self._outcome.segment.start)

    # Matching

    def _matched(self) -> Iterator[WhyLine]:
        maker = self._maker()
        if maker < 0:
            return
        columns = self.trace.columns
        if self.trace.operation(maker) == "whole":
            yield WhyLine(self._whole(maker), self.step_key(maker))
            return
        rows = np.arange(self._steps.start, self._steps.stop)
        rows = rows[columns.position[rows] == columns.position[maker]]
        for step in rows[np.isin(columns.operation[rows], TRIED)].tolist():
            yield WhyLine(self._describer.sentence(step), self.step_key(step))
        yield WhyLine(self._describer.sentence(maker), self.step_key(maker))
        yield from self._other_candidates(maker)
        if self.trace.reference_name == "viterbi" and self.trace.operation(maker) in ("choose", "join"):
            yield from self._rejected(maker)
        elif self.trace.reference_name in ("rwkv", "greedy") and self.trace.operation(maker) == "take":
            yield from self._longer_and_shorter(maker)

    def _other_candidates(self, maker: int) -> Iterator[WhyLine]:
        """Other tokens that end, or begin, at the same position, and how much worse they are."""
        columns, rows = self.trace.columns, np.arange(self._steps.start, self._steps.stop)
        edge = columns.position if self.trace.reference_name == "plamo2" else columns.end
        alternatives = rows[np.isin(columns.operation[rows], WAYS) & (edge[rows] == edge[maker])]
        is_own = columns.result[alternatives] == columns.result[maker]
        is_own &= columns.position[alternatives] == columns.position[maker]
        if not len(alternatives) or not is_own.any() or np.isnan(columns.rank[alternatives]).any():
            return
        best = float(columns.rank[alternatives[is_own][-1]])
        where = "begin" if self.trace.reference_name == "plamo2" else "end"
        for step in alternatives[~is_own].tolist():
            after = abs(best - float(columns.rank[step]))
            token = f"{self._describer.result(step)}, {self._describer.span(step)}"
            note = f"worse by {after:,.4g}" if after else "equally good"
            yield WhyLine(f"{token}, would also {where} there.", self.step_key(step), note=note)

    def _maker(self) -> int:
        """The last step that makes the token from these bytes; -1 if there is none."""
        token, start, end = self._token
        columns = self.trace.columns
        rows = np.arange(self._steps.start, self._steps.stop)
        is_made = (columns.result[rows] == token) & np.isin(columns.operation[rows], MAKERS)
        outcome = rows[is_made & (columns.position[rows] <= start) & (columns.end[rows] >= end)]
        return int(outcome[-1]) if len(outcome) else -1

    def _whole(self, step: int) -> str:
        vocabulary = self._tokenizer.vocabulary
        options = vocabulary.rules if vocabulary.parts is None else vocabulary.parts.model
        ignores = vocabulary.rules.ignore_merges or options.ignore_merges
        explanation = self._describer.sentence(step)
        return f"`ignore_merges`: {explanation[0].lower()}{explanation[1:]}" if ignores else explanation

    def _rejected(self, maker: int) -> Iterator[WhyLine]:
        outcome = rejected_cut(self.trace, self.piece, maker)
        if outcome is None:
            yield WhyLine("There is no other segmentation here.", self.step_key(maker))
            return
        won, lost, step = outcome
        explanation = f"{self._cut(won)} instead of {self._cut(lost)}, the best segmentation without it."
        yield WhyLine(
            explanation, self.step_key(step), note=f"{_score(won.score)} against {_score(lost.score)}"
        )

    def _cut(self, cut: ScoredTokens) -> str:
        shown = [self._label(*token) for token in cut.tokens[:LISTED]]
        return " ".join(shown) + (" …" if len(cut.tokens) > LISTED else "")

    def _longer_and_shorter(self, maker: int) -> Iterator[WhyLine]:
        vocabulary, step_key = self._tokenizer.vocabulary, self.step_key(maker)
        path = token_path(vocabulary, vocabulary.token_tree, self._token[0], 3)
        explanation = "No other token begins with it."
        if path.n_continuations:
            names = " ".join(self._label(each, 0, 0) for each in path.continuations)
            more = " …" if path.n_continuations > len(path.continuations) else ""
            rest = self.trace.text[self._token[2] :][:SHOWN]
            follows = f"the text has {code(visible_text(rest, 8))} next" if rest else "the text ends here"
            begin = f"{counted(path.n_continuations, 'token')} begin{'s' * (path.n_continuations == 1)}"
            explanation = f"{begin} with it ({names}{more}), but {follows}."
        yield WhyLine(explanation, step_key)
        if path.prefixes:
            shorter = " ".join(self._label(each, 0, 0) for each in path.prefixes[-3:])
            yield WhyLine(f"Shorter tokens would also fit: {shorter}.", step_key)

    # Shared by both

    def _rows(self, operation: str) -> list[int]:
        here = self.trace.columns.operation[self._steps.start : self._steps.stop]
        outcome: list[int] = (np.flatnonzero(here == NUMBERS[operation]) + self._steps.start).tolist()
        return outcome

    def _label(self, token: int, start: int, end: int) -> str:
        return code(self._describer.label(token, start, end))

    @property
    def _done(self) -> StepKey:
        """The step that ends the token's piece."""
        _, start, end = self._token
        return StepKey("done", start + self._offset, end + self._offset)


MAKERS = tuple(
    NUMBERS[name] for name in ("whole", "take", "choose", "join", "give up", "too long", "fallback")
)


def _score(score: float) -> str:
    return f"{score:,.2f}".replace("-", "−")


# The shortest text around a token whose recorded steps are the same as in the whole text


class Segment(NamedTuple):
    """Text between two special tokens, or a part of it, with offsets in the excerpt.

    begins   whether it begins a document, or follows a special token
    is_sure  whether it certainly has the same tokens alone as in the whole text
    """

    start: int
    end: int
    begins: bool
    is_sure: bool = True


class Recorded(NamedTuple):
    """A segment with its recorded steps, and the index `made` of the target among its tokens.

    fragment  all text between the surrounding special tokens
    """

    fragment: Segment
    segment: Segment
    debugger: Debugger
    made: int


def recorded(
    tokenizer: Tokenizer, excerpt: Excerpt, fragment: Segment, switches: Switches, progress: Progress
) -> Recorded:
    """Record the shortest text that gives the same target token and neighbours as the whole text.

    Raises EncodeError if no part does.
    """
    encoder = "heap" if switches.encoder in MERGING and "heap" in tokenizer.encoders else switches.encoder
    for segment in _segments(tokenizer, excerpt, fragment, switches):
        try:
            trace = record(
                tokenizer,
                excerpt.text[segment.start : segment.end],
                encoder,
                False,
                switches.parse_special,
                progress,
                after_special=segment.begins,
            )
        except EncodeError:
            continue  # the vocabulary may be unable to express a partial character
        index = _find(excerpt, segment, trace.made)
        if index < 0 and _find(excerpt, segment, trace.result) >= 0:
            index = _covering(excerpt, segment, trace.made)
        if index >= 0:
            return Recorded(fragment, segment, debugger_for(tokenizer, trace), index)
    raise EncodeError(
        "This token depends on text that is too far away to be examined. Select the text before and after "
        "it, and step through that part."
    )


def _segments(
    tokenizer: Tokenizer, excerpt: Excerpt, fragment: Segment, switches: Switches
) -> Iterator[Segment]:
    """Segments to try, the shortest first: between sure cuts, then between tokens ever farther away."""
    _, start, end = excerpt.token
    pipeline = tokenizer.pipeline_of(switches.encoder, switches.parse_special)
    text = np.frombuffer(excerpt.text, np.uint8)[fragment.start : fragment.end]
    first = fragment.start + pipeline.cut_before(text, start - fragment.start)
    last = fragment.start + pipeline.cut_after(text, end - fragment.start)
    if last - first <= MOST_SURE and start < end:
        yield Segment(first, last, fragment.begins and first == fragment.start)
    reach, seen = FIRST_REACH, None
    while reach <= GROWTH * REACH_BYTES:
        near = tokens_near(excerpt.starts, excerpt.ends_of, excerpt.target, reach)
        first = max(int(excerpt.starts[near.start]), fragment.start)
        last = min(int(excerpt.ends_of[near.stop - 1]), fragment.end)
        first = fragment.start if first - fragment.start <= reach // 2 else first
        last = fragment.end if fragment.end - last <= reach // 2 else last
        is_all = (first, last) == (fragment.start, fragment.end)
        segment = Segment(first, last, fragment.begins and first == fragment.start, is_all)
        if segment != seen and first < last <= first + MOST_RECORDED:
            yield segment
        reach, seen = reach * GROWTH, segment


def _find(excerpt: Excerpt, segment: Segment, made: TraceTokens) -> int:
    """The index of the target among the tokens of a segment, if its neighbours also match; or -1.

    Among equal tokens without text, it is the one preceded by as many as in the excerpt.
    """
    rows = list(zip(made.ids.tolist(), *((each + segment.start).tolist() for each in made[1:]), strict=True))
    at, n_before = excerpt.target - 1, 0
    while at >= 0 and excerpt.starts[at] == excerpt.token[1]:
        n_before += excerpt.row(at) == excerpt.token
        at -= 1
    alike = [row for row, each in enumerate(rows) if each == excerpt.token][n_before:]
    if not alike:
        return -1
    for shift in (-1, 1):
        row, index = alike[0] + shift, excerpt.target + shift
        if 0 <= row < len(rows) and 0 <= index < len(excerpt.ids) and rows[row] != excerpt.row(index):
            return -1
    return alike[0]


def _covering(excerpt: Excerpt, segment: Segment, made: TraceTokens) -> int:
    """The index of the token that was replaced by several, including the target; or -1."""
    _, start, end = excerpt.token
    covers = (made.starts + segment.start <= start) & (made.ends + segment.start >= end)
    index = np.flatnonzero(covers)
    return int(index[-1]) if len(index) else -1
