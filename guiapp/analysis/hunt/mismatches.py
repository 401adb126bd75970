"""The results of a hunt so far, as values to show, print and save."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from guiapp.analysis.compare.reasons import Cause, Reason
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.sources.files import whole_hash
from guiapp.core.text.numbers_in_words import counted

MOST_TEXTS = 12  # stored for each kind
MOST_LOCATIONS = 50  # in the user's own texts, stored for each kind
ENOUGH_TEXTS = 10_000  # to conclude that nothing differs
Kind = tuple[Cause, str]
Spans = tuple[tuple[int, int], ...]


class UserLine(NamedTuple):
    """A line of the user's own texts, or a part of a long line.

    number  line number in the file, from 1
    start   byte offset in the file
    """

    file: str
    number: int
    start: int
    text: bytes


class LineOffset(NamedTuple):
    """The byte offset `at` in a line from which the ids differ."""

    line: UserLine
    at: int


class OfKind(NamedTuple):
    """How many texts of a batch are of a kind; for the user's lines, the first locations as well."""

    kind: Kind
    n_texts: int
    locations: tuple[LineOffset, ...] = ()


@dataclass(frozen=True)
class Find:
    """A mismatch: the shortest known text of one kind of difference.

    token_ids   of each side, with BOS and EOS; None if the side refuses the text
    spans       of each side: the bytes of the text that each token came from; None if unknown
    at          the byte from which the ids differ
    generator   the name of the generator whose text was shrunk to this one
    n_texts     how many texts differ in this way; extrapolated from samples if there are many
    n_lines     likewise for the user's own lines
    locations   of the first of those lines
    others      further short texts of the kind, the shortest first
    """

    text: bytes
    token_ids: tuple[tuple[int, ...] | None, tuple[int, ...] | None]
    at: int
    reason: Reason
    generator: str = ""
    n_texts: int = 0
    n_lines: int = 0
    locations: tuple[LineOffset, ...] = ()
    others: tuple[Find, ...] = ()
    spans: tuple[Spans | None, Spans | None] = (None, None)

    @property
    def is_shorter_than(self) -> tuple[int, bytes]:
        return len(self.text), self.text

    def with_text(self, other: Find) -> Find:
        """This mismatch with one more text of its kind."""
        texts = {each.text: each for each in (other, *self.others, self)}
        first, *others = sorted(texts.values(), key=lambda each: each.is_shorter_than)[:MOST_TEXTS]
        first = replace(first, n_texts=self.n_texts, n_lines=self.n_lines, locations=self.locations)
        return replace(first, others=tuple(replace(each, others=()) for each in others))

    def with_count(self, counted: OfKind, are_lines: bool) -> Find:
        more = replace(self, n_texts=self.n_texts + counted.n_texts)
        if not are_lines:
            return more
        locations = tuple(sorted((*self.locations, *counted.locations))[:MOST_LOCATIONS])
        return replace(more, n_lines=self.n_lines + counted.n_texts, locations=locations)


@dataclass(frozen=True)
class Batch:
    """The result of one batch of texts.

    n_texts    how many texts at least one side encodes
    kinds      the counts of the differing texts by kind
    are_lines  whether the texts are the user's own lines
    generator  the name of the generator
    """

    n_texts: int
    n_differing: int
    finds: tuple[Find, ...] = ()
    kinds: tuple[OfKind, ...] = ()
    are_lines: bool = False
    generator: str = ""


@dataclass(frozen=True)
class HuntSubject:
    """One of the two sides that are compared, for reports.

    version   the version of a library, "" for a file
    split_as  the pre-tokenizer that was chosen instead of the file's own, "" if none
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
        """The hash of the whole file, calculated on demand: files with weights take a while."""
        return None if self.path is None else whole_hash(self.path)


def _unseen(kind: Kind, batch: Batch) -> OfKind:
    """The count for a kind that a batch does not list: BOS and EOS differ for every text, others for none."""
    return OfKind(kind, batch.n_texts if kind[0] is Cause.AROUND else 0)


@dataclass(frozen=True)
class Hunt:
    """The state of a hunt at a moment.

    seconds    since the first texts; opening both sides is not included
    n_batches  finished batches of generated texts, which are numbered from 0
    tried      number of texts, including the user's own lines
    trying     the generator of the last batch
    generators the names of the chosen generators, empty for all
    n_lines, n_differing_lines  counts of the user's own lines, not counting differences in BOS and EOS
    finds      one for each kind of difference, the shortest texts first
    notes      further sentences for the reader
    is_incomplete  whether texts were skipped because a side crashed; a note says which
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
        """The share of the user's own lines that differ in this way; None if there are no lines."""
        return find.n_lines / self.n_lines if self.n_lines else None

    @property
    def unlike(self) -> str:
        """Why the vocabularies have too little in common for a hunt, "" if they have enough."""
        causes = (find.reason for find in self.finds if find.token_ids == (None, None) and not find.text)
        return next((each.sentence for each in causes if each.cause is Cause.OTHER_VOCABULARY), "")

    @property
    def why_inconclusive(self) -> str:
        """If nothing was found, why that is not conclusive, and what to do; else ""."""
        if self.finds:
            return ""
        if self.tried < ENOUGH_TEXTS:
            few = f"Fewer than {ENOUGH_TEXTS:,} texts were compared."
            return f"{few} Hunt longer, or with more texts."
        return "Texts were skipped because one side crashed. Hunt again." if self.is_incomplete else ""

    def with_note(self, note: str) -> Hunt:
        return self if note in self.notes else replace(self, notes=(*self.notes, note))

    def with_find(self, find: Find) -> Hunt:
        """This hunt with a mismatch added: a new kind, or one more text of a known kind."""
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
