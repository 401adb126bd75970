"""Two tokenizers side by side: which texts they encode or decode otherwise, and why."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from guiapp.analysis.compare.reasons import (
    Cause,
    Reason,
    around_reason,
    decoded_reason,
    reason_for,
    refused_reason,
    shown,
    told_decoded,
)
from guiapp.analysis.compare.seen_stages import plain_text, plain_texts
from guiapp.analysis.hunt.beside import reason_beside
from guiapp.analysis.hunt.finds import Spans
from guiapp.analysis.hunt.sides import FileSide, Ids, LibrarySide
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.figures import percent

N_PROBED = 2_000  # ids that tell whether two vocabularies are numbered alike
ALIKE = 0.5
SAME_TOKENS = 0.9
DECODED_TOGETHER = 64  # texts


class Pair:
    """Compares ids, and where they are equal the text that they are decoded to.

    Ids are compared as numbers, unless two vocabularies have the same tokens under other numbers: then as
    tokens.
    remark    what is to be known about that, as a sentence, "" if nothing
    unrelated why nothing can be compared, None if it can
    n_refused how many of the texts that were compared last both refuse
    """

    def __init__(self, ours: FileSide, theirs: FileSide | LibrarySide) -> None:
        self.ours, self.theirs = ours, theirs
        self.names = ours.name, theirs.name
        self.takes_bytes = ours.takes_bytes and theirs.takes_bytes
        self._tokenizer = ours.tokenizer
        self._renumbered: Ids | None = None
        self.remark, self.unrelated, self.n_refused = "", "", 0
        if theirs.tokenizer is not None:
            self._compare_numbers(theirs.tokenizer)

    def _compare_numbers(self, theirs: Tokenizer) -> None:
        mine, other = self._tokenizer.vocabulary, theirs.vocabulary
        probes = np.linspace(0, min(len(mine), len(other)) - 1, N_PROBED).astype(int).tolist()
        share = np.mean([plain_text(mine, i) == plain_text(other, i) for i in probes])
        if share >= ALIKE:
            return
        ids = {text: i for i, text in enumerate(plain_texts(mine))}
        found = [ids.get(text, -1 - i) for i, text in enumerate(plain_texts(other))]
        known = np.mean(np.array(found) >= 0)
        if known >= SAME_TOKENS:
            self._renumbered = np.array(found, np.int32)
            self.remark = "The two number their tokens otherwise: compared is what tokens stand for, not ids."
        else:
            self.unrelated = (
                f"These are two vocabularies: {percent(float(share))} of the ids stand for the same text in "
                f"both, and {percent(float(known))} of the tokens of {self.names[1]} are tokens of "
                f"{self.names[0]}. So nearly every text differs, and there is nothing to hunt for."
            )

    def encode_each(self, texts: Sequence[bytes]) -> tuple[list[Ids | None], list[Ids | None]]:
        return self.ours.encode_each(texts), self.theirs.encode_each(texts)

    def differing(self, texts: Sequence[bytes]) -> list[int]:
        """Which of some texts are encoded, or else decoded, otherwise."""
        mine, other = self.encode_each(texts)
        self.n_refused = sum(one is None and two is None for one, two in zip(mine, other, strict=True))
        are_equal = [self._are_equal(*pair) for pair in zip(mine, other, strict=True)]
        found = [
            at for at, is_equal in enumerate(are_equal) if not is_equal and not self._is_unheard(texts[at])
        ]
        if self._renumbered is None:
            equal = [(at, ids) for at, ids in enumerate(mine) if ids is not None and are_equal[at]]
            for start in range(0, len(equal), DECODED_TOGETHER):
                found += self._decoded_otherwise(equal[start : start + DECODED_TOGETHER])
        return found

    def _is_unheard(self, text: bytes) -> bool:
        """Whether we find tokens in a text of which the library was told nothing: those of users."""
        if self.theirs.tokenizer is not None or self.ours.parses_special:
            return False
        found = self._tokenizer.special_tokens.partition(np.frombuffer(text, np.uint8), False)
        return len(found.ids) > 0

    def _are_equal(self, mine: Ids | None, other: Ids | None) -> bool:
        if mine is None or other is None:
            return mine is other
        if self._renumbered is not None:
            other = self._renumbered[other]
        return mine.tobytes() == other.tobytes()

    def _decoded_otherwise(self, rows: list[tuple[int, Ids]]) -> list[int]:
        """Which texts' ids are decoded otherwise; several are decoded at once."""
        if not rows or self._decodes_alike(np.concatenate([ids for _, ids in rows])):
            return []
        if len(rows) == 1:
            return [rows[0][0]]
        middle = len(rows) // 2
        return self._decoded_otherwise(rows[:middle]) + self._decoded_otherwise(rows[middle:])

    def _decodes_alike(self, ids: Ids) -> bool:
        return self.ours.decode(ids) == self.theirs.decode(ids)

    def differs(self, text: bytes) -> bool:
        return bool(self.differing([text]))

    def ids(self, text: bytes) -> tuple[list[int] | None, list[int] | None]:
        """All ids of a text on both sides, those around it as well; None where it is refused."""
        found = []
        for side in (self.ours, self.theirs):
            inner = side.encode_each([text])[0]
            before, after = side.around()
            found.append(None if inner is None else [*before, *inner.tolist(), *after])
        return found[0], found[1]

    def spans(self, text: bytes) -> tuple[Spans | None, Spans | None]:
        """For each token of `ids` where it came from; None where that is not known."""
        found: list[Spans | None] = []
        for side in (self.ours, self.theirs):
            before, after = side.around()
            inner = side.spans(text)
            edges = ((0, 0),) * len(before), ((len(text), len(text)),) * len(after)
            found.append(None if inner is None else (*edges[0], *inner, *edges[1]))
        return found[0], found[1]

    def around(self) -> Reason | None:
        """Whether other ids are put around texts."""
        mine, other = self.ours.around(), self.theirs.around()
        if self._renumbered is not None:
            before, behind = (self._renumbered[np.array(ids, int)].tolist() for ids in other)
            other = before, behind
        return around_reason(mine, other, self.names)

    def reason(self, text: bytes) -> Reason | None:
        """Why a text of up to some hundred bytes differs; None where it does not.

        What is put around texts is no reason: `around` tells of that.
        """
        if not self.differs(text):
            return None
        (mine,), (other,) = self.encode_each([text])
        if (theirs := self.theirs.tokenizer) is not None:
            found = reason_for(self._tokenizer, theirs, text, self.names)
            if found is None or found.cause is not Cause.AROUND or mine is None:
                return found
            return decoded_reason(self._tokenizer, theirs, mine.tolist(), self.names)
        if mine is None or other is None:
            return refused_reason(other is None, shown(text), self.names)
        if self._are_equal(mine, other):
            return told_decoded(self.ours.decode(mine), self.theirs.decode(mine), self.names)

        def ids_of(piece: bytes) -> list[int] | None:
            ids = self.theirs.encode_each([piece])[0]
            return None if ids is None else ids.tolist()

        return reason_beside(self._tokenizer, text, mine.tolist(), other.tolist(), ids_of, self.names)

    def first_difference(self, text: bytes) -> int:
        """The byte of a text from which on the ids differ; 0 where that cannot be told."""
        (mine,), (other,) = self.encode_each([text])
        if mine is None or other is None:
            return 0
        if self._renumbered is not None:
            other = self._renumbered[other]
        n_common = min(len(mine), len(other))
        at = next((i for i in range(n_common) if mine[i] != other[i]), n_common)
        spans = self._tokenizer.encode(text, add_special=False, parse_special=self.ours.parses_special).spans
        return int(spans[at, 0]) if at < len(spans) else len(text)
