"""Describes steps in plain words: “`·N` + `ew` → `·New`, rank 1,234: the lowest of 7 candidates.”"""

from __future__ import annotations

from collections.abc import Callable

from guiapp.analysis.explain.spelling import Spelling, code
from guiapp.analysis.trace.trace import BEFORE, Trace
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.merges import MARKED_SPACE
from guiapp.core.vocabulary.vocabulary import Vocabulary

LONGEST_LABEL = 32


class StepDescriber:
    """Describes the steps of one trace.

    `offset` is added to byte offsets: the text of the trace may begin at that byte of a longer text.
    """

    def __init__(
        self,
        trace: Trace,
        vocabulary: Vocabulary,
        spelling: Spelling = Spelling.SIGNS,
        offset: int = 0,
    ) -> None:
        self._trace = trace
        self._offset = offset
        self._vocabulary = vocabulary
        self._spelling = spelling
        self._labels: dict[int, str] = {}

    def label(self, token_id: int, start: int, end: int) -> str:
        """How a token is written; a symbol that is not a token is written as the text it covers."""
        if (known := self._labels.get(token_id)) is not None:
            return known
        if not 0 <= token_id < len(self._vocabulary):
            return visible_text(self._trace.text[start:end], LONGEST_LABEL)
        label = self._labels[token_id] = self._spelling.token(self._vocabulary, token_id, LONGEST_LABEL)
        return label

    def character(self, data: bytes) -> str:
        """A character of normalised text, in which the vocabulary's mark may already stand for a space."""
        is_mark = data == MARKED_SPACE == self._vocabulary.spell(b" ")
        return visible_text(b" " if is_mark and self._spelling is Spelling.SIGNS else data)

    def sentence(self, step: int, n_candidates: int | None = None) -> str:
        """Describe a step; `n_candidates` is the number of pairs that could merge, if the caller knows it."""
        operation = self._trace.operation(step)
        if operation == "merge":
            return self._merge(step, n_candidates)
        return DESCRIBERS[operation](self, step)

    def result(self, step: int) -> str:
        """The token that a step makes or tries, in code quotes."""
        return code(self.made(step))

    def made(self, step: int) -> str:
        """The token that a step makes or tries, without quotes."""
        columns = self._trace.columns
        return self.label(int(columns.result[step]), int(columns.position[step]), int(columns.end[step]))

    def joined(self, step: int) -> tuple[str, str]:
        """The two neighbours that a step joins, without quotes."""
        columns = self._trace.columns
        middle = int(columns.right_position[step])
        left = self.label(int(columns.left[step]), int(columns.position[step]), middle)
        return left, self.label(int(columns.right[step]), middle, int(columns.end[step]))

    def span(self, step: int) -> str:
        columns = self._trace.columns
        return f"bytes {columns.position[step] + self._offset:,}–{columns.end[step] + self._offset:,}"

    def covered(self, step: int) -> str:
        """The text that a step is about, in code quotes."""
        columns = self._trace.columns
        text = self._trace.text[columns.position[step] : columns.end[step]]
        return code(visible_text(text, LONGEST_LABEL))

    def pair(self, step: int) -> str:
        left, right = map(code, self.joined(step))
        return f"{left} + {right} → {self.result(step)}"

    def worth(self, step: int) -> str:
        """Rank, score or cost, formatted for display."""
        rank = float(self._trace.columns.rank[step])
        return f"{rank:,.0f}" if rank.is_integer() else f"{rank:,.2f}".replace("-", "−")

    def _merge(self, step: int, n_candidates: int | None) -> str:
        n_pairs = int(self._trace.columns.candidates[step]) if n_candidates is None else n_candidates
        others = {1: "the only candidate"}.get(n_pairs, f"the lowest of {n_pairs:,} candidates")
        why = f": {others}" if n_pairs > 0 else ", the lowest of all"
        return f"{self.pair(step)}, rank {self.worth(step)}{why}."

    def rewritten(self, step: int) -> str:
        trace = self._trace
        pieces = trace.columns.piece[step + 1 :]
        first = int(pieces[0]) if len(pieces) else -1
        if first < 0:
            return f"{self.covered(step)} becomes empty."
        last = first
        while last + 1 < trace.n_pieces and trace.pieces.fragment[last + 1] == trace.pieces.fragment[first]:
            last += 1
        start = trace.piece_range(trace.pieces.first_byte, first, len(trace.work)).start
        stop = trace.piece_range(trace.pieces.first_byte, last, len(trace.work)).stop
        text = code(visible_text(trace.work[start:stop], LONGEST_LABEL))
        return f"The text becomes {text}: {counted(stop - start, 'byte')}."

    def piece_number(self, step: int) -> str:
        return f"Piece {self._trace.columns.piece[step] + 1:,} of {self._trace.n_pieces:,}"

    def reached(self, step: int, verdict: str) -> str:
        worth = self.worth(step)
        if worth == "nan":
            return f"{self.result(step)}, {self.span(step)}, can follow the previous token: noted."
        reached = {"plamo2": f"a cost of {worth}", "fewest": f"a path of {worth} token{'s' * (worth != '1')}"}
        goal = reached.get(self._trace.name, f"a score of {worth}")
        return f"{self.result(step)}, {self.span(step)}, leads to {goal}: {verdict}."

    def done(self, step: int) -> str:
        tokens = counted(int(self._trace.columns.depth[step]), "token")
        return f"{self.piece_number(step)}, {self.covered(step)}, is done: {tokens}."

    def added(self, step: int) -> str:
        where = "before" if self._trace.columns.cell[step] == BEFORE else "after"
        return f"{self.result(step)} is added {where} the text, as the file specifies."

    def fallen(self, step: int) -> str:
        """Describe a fallback; the fallback of a token that the vocabulary does not use is its parts."""
        kind = self._vocabulary.kind(int(self._trace.columns.result[step]))
        if self._vocabulary.pieces is not None and kind == "normal":
            return f"{self.result(step)} is a part of an unused token, which is split."
        made = f"the byte token {self.result(step)}" if kind == "byte" else self.result(step)
        return f"{self.covered(step)} is not in the vocabulary: {made} stands for it."

    def missed(self, step: int) -> str:
        """Describe a failed lookup; of whole words, only the space before them can be left out."""
        follows = {"words": "", "wordlevel": ": it is unknown"}
        return f"{self.covered(step)} is not a token{follows.get(self._trace.name, ': try a shorter one')}."


DESCRIBERS: dict[str, Callable[[StepDescriber, int], str]] = {
    "special": lambda t, step: f"{t.result(step)} is a special token: it is cut out before anything else.",
    "text": lambda t, step: f"{t.covered(step)} is text between special tokens, {t.span(step)}.",
    "normalise": StepDescriber.rewritten,
    "piece": lambda t, step: f"{t.piece_number(step)}: {t.covered(step)}. Tokens never cross its edges.",
    "whole": lambda t, step: f"The piece {t.covered(step)} is the token {t.result(step)}: nothing to merge.",
    "push": lambda t, step: f"{t.pair(step)} could merge: it enters the queue with rank {t.worth(step)}.",
    "stale": lambda t, step: (
        f"{t.pair(step)} leaves the queue, but one of the two has already merged: skip it."
    ),
    "miss": StepDescriber.missed,
    "fail": lambda t, step: f"No token continues after {t.covered(step)}: its certain tokens are taken.",
    "reject": lambda t, step: (
        f"{t.result(step)} fits the text but not the previous token: try a shorter one."
    ),
    "dead end": lambda t, step: f"{t.result(step)} fits, but no token can begin where it ends.",
    "rule out": lambda t, step: f"{t.result(step)} is skipped at random.",
    "take": lambda t, step: f"{t.result(step)} is taken, {t.span(step)}.",
    "back": lambda t, step: f"Nothing can follow {t.result(step)}: it is taken back.",
    "give up": lambda t, step: f"No token fits here: all of {t.covered(step)} becomes {t.result(step)}.",
    "too long": lambda t, step: f"{t.covered(step)} is too long to look up: it becomes {t.result(step)}.",
    "reach": lambda t, step: t.reached(step, "the best path to its end so far"),
    "worse": lambda t, step: t.reached(step, "not better than the best path so far"),
    "choose": lambda t, step: (
        f"Going back from the end, the best path has {t.result(step)} at {t.span(step)}."
    ),
    "join": lambda t, step: f"Adjacent unknown tokens become one {t.result(step)}, {t.span(step)}.",
    "fallback": StepDescriber.fallen,
    "lost": lambda t, step: (
        f"{t.covered(step)} is not a token, and the vocabulary has no tokens for its bytes."
    ),
    "done": StepDescriber.done,
    "add": StepDescriber.added,
}
