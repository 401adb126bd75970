"""What a hunt has found so far, as values that are shown, printed and saved."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from guiapp.analysis.compare.reasons import Cause, Reason
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.sources.files import whole_hash
from guiapp.core.text.numbers_in_words import counted

MOST_TEXTS = 12  # of a kind
MOST_PLACES = 50  # of a kind in the user's own texts
ENOUGH_TEXTS = 10_000  # to say that nothing differs
Kind = tuple[Cause, str]
Spans = tuple[tuple[int, int], ...]


class UserLine(NamedTuple):
    """A line of the user's own texts, or a part of a long one.

    number  counts lines of the file from 1
    start   the byte of the file where it begins
    """

    file: str
    number: int
    start: int
    text: bytes


class LineOffset(NamedTuple):
    """Where a line first differs: behind so many of its bytes."""

    line: UserLine
    at: int


class OfKind(NamedTuple):
    """How many texts of a batch are of a kind, and where the first of them are if these are lines."""

    kind: Kind
    n_texts: int
    places: tuple[LineOffset, ...] = ()


@dataclass(frozen=True)
class Find:
    """The shortest text known of one kind of difference.

    token_ids   of both, with what they put around texts; None where one refuses the text
    spans       of both: the bytes of the text that each token came from, where that is known
    at          the byte from which on ids differ
    generator   what made the text that it was shrunk from
    n_texts     of all texts that differ so; where many do, some stand for the others
    n_lines     the same of the user's own lines
    places      where the first of those are
    others      further short texts of the kind, the shortest first
    """

    text: bytes
    token_ids: tuple[tuple[int, ...] | None, tuple[int, ...] | None]
    at: int
    reason: Reason
    generator: str = ""
    n_texts: int = 0
    n_lines: int = 0
    places: tuple[LineOffset, ...] = ()
    others: tuple[Find, ...] = ()
    spans: tuple[Spans | None, Spans | None] = (None, None)

    @property
    def is_shorter_than(self) -> tuple[int, bytes]:
        return len(self.text), self.text

    def with_text(self, other: Find) -> Find:
        """The same kind with one more text."""
        texts = {each.text: each for each in (other, *self.others, self)}
        first, *others = sorted(texts.values(), key=lambda each: each.is_shorter_than)[:MOST_TEXTS]
        first = replace(first, n_texts=self.n_texts, n_lines=self.n_lines, places=self.places)
        return replace(first, others=tuple(replace(each, others=()) for each in others))

    def with_count(self, counted: OfKind, are_lines: bool) -> Find:
        more = replace(self, n_texts=self.n_texts + counted.n_texts)
        if not are_lines:
            return more
        places = tuple(sorted((*self.places, *counted.places))[:MOST_PLACES])
        return replace(more, n_lines=self.n_lines + counted.n_texts, places=places)


@dataclass(frozen=True)
class Batch:
    """What came of one batch of texts.

    n_texts    of them that at least one of both encodes
    kinds      of those that differ
    are_lines  whether these are the user's own
    generator  what made them
    """

    n_texts: int
    n_differing: int
    finds: tuple[Find, ...] = ()
    kinds: tuple[OfKind, ...] = ()
    are_lines: bool = False
    generator: str = ""


@dataclass(frozen=True)
class HuntSubject:
    """One of the two that are compared, for reports.

    version   of a library
    split_as  the pre-tokenizer that was chosen instead of the file's own
    """

    name: str
    version: str = ""
    format: str = ""
    path: Path | None = None
    tokens: int = 0
    split_as: str = ""

    @classmethod
    def of_model(cls, name: str, tokenizer: Tokenizer) -> HuntSubject:
        vocabulary = tokenizer.vocabulary
        chosen = vocabulary.chosen_pre
        return cls(name, "", vocabulary.format, vocabulary.path, len(vocabulary), chosen)

    @cached_property
    def sha256(self) -> str | None:
        """Of all of the file, so only where it is asked for: weights take a while."""
        return None if self.path is None else whole_hash(self.path)


def _unseen(kind: Kind, batch: Batch) -> OfKind:
    """Of a kind that a batch does not tell of: what is put around is the same for each text."""
    return OfKind(kind, batch.n_texts if kind[0] is Cause.AROUND else 0)


@dataclass(frozen=True)
class Hunt:
    """A hunt at a moment.

    seconds    since the first texts; to open both is not included
    n_batches  done of those that the seed decides, which are numbered from 0
    tried      texts, the user's own lines among them
    trying     what made the texts of the last batch
    generators those that were chosen, none for all
    n_lines, n_differing_lines  of the user's own texts, what is put around each left aside
    finds      one for each kind of difference, the shortest texts first
    notes      what else is to be known, a sentence each
    is_incomplete  whether texts were left out as one of both crashed; a note says which
    """

    subjects: tuple[HuntSubject, HuntSubject]
    seed: int
    generators: tuple[str, ...] = ()
    seconds: float = 0.0
    n_batches: int = 0
    tried: int = 0
    n_differing: int = 0
    n_lines: int = 0
    n_differing_lines: int = 0
    finds: tuple[Find, ...] = ()
    notes: tuple[str, ...] = ()
    is_incomplete: bool = False
    trying: str = ""
    is_over: bool = False

    def __repr__(self) -> str:
        causes = counted(len(self.finds), "cause")
        return f"<Hunt: {causes} of differences in {counted(self.tried, 'text')}>"

    def share(self, find: Find) -> float | None:
        """Of the user's own lines that differ as a find does; None where there are no lines."""
        return find.n_lines / self.n_lines if self.n_lines else None

    @property
    def unlike(self) -> str:
        """Why the vocabularies have too little in common for a hunt, "" where they have enough."""
        causes = (find.reason for find in self.finds if find.token_ids == (None, None) and not find.text)
        return next((each.sentence for each in causes if each.cause is Cause.OTHER_VOCABULARY), "")

    @property
    def why_inconclusive(self) -> str:
        """Why it does not follow that nothing differs, though nothing was found, and what to do; else ""."""
        if self.finds:
            return ""
        if self.tried < ENOUGH_TEXTS:
            few = f"Fewer than {ENOUGH_TEXTS:,} texts were compared."
            return f"{few} Hunt longer, or with more texts."
        return "Texts were skipped because one side crashed. Hunt again." if self.is_incomplete else ""

    def with_note(self, note: str) -> Hunt:
        return self if note in self.notes else replace(self, notes=(*self.notes, note))

    def with_find(self, find: Find) -> Hunt:
        """With a find that is the first of its kind, or one more text of the one that is known."""
        finds = {each.reason.kind: each for each in self.finds}
        known = finds.get(find.reason.kind)
        finds[find.reason.kind] = find if known is None else known.with_text(find)
        in_order = sorted(finds.values(), key=lambda each: each.is_shorter_than)
        return replace(self, finds=tuple(in_order))

    def with_batch(self, batch: Batch) -> Hunt:
        hunt, are_lines = self, batch.are_lines
        for find in batch.finds:
            hunt = hunt.with_find(find)
        counts = {each.kind: each for each in batch.kinds}
        finds = tuple(
            find.with_count(counts.get(kind := find.reason.kind, _unseen(kind, batch)), are_lines)
            for find in hunt.finds
        )
        return replace(
            hunt,
            finds=finds,
            trying=batch.generator,
            n_batches=self.n_batches + (not are_lines),
            tried=self.tried + batch.n_texts,
            n_differing=self.n_differing + batch.n_differing,
            n_lines=self.n_lines + batch.n_texts * are_lines,
            n_differing_lines=self.n_differing_lines + batch.n_differing * are_lines,
        )
