"""What a hunt has found so far, as values that are shown, printed and saved."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from guiapp.core.compare.reasons import Cause, Reason
from guiapp.core.tokenizer import Tokenizer


@dataclass(frozen=True)
class Find:
    """The shortest text known of one kind of difference.

    token_ids   of both, with what they put around texts; None where one refuses the text
    at          the byte from which on ids differ
    generator   what made the text that it was shrunk from
    n_lines     of the user's own lines that differ so
    """

    text: bytes
    token_ids: tuple[tuple[int, ...] | None, tuple[int, ...] | None]
    at: int
    reason: Reason
    generator: str = ""
    n_lines: int = 0

    @property
    def is_shorter_than(self) -> tuple[int, bytes]:
        return len(self.text), self.text


@dataclass(frozen=True)
class Batch:
    """What came of one batch of texts.

    are_lines      whether these are the user's own; then `lines_by_kind` counts those that differ
    """

    n_texts: int
    n_differing: int
    finds: tuple[Find, ...] = ()
    are_lines: bool = False
    lines_by_kind: tuple[tuple[tuple[Cause, str], int], ...] = ()


@dataclass(frozen=True)
class Subject:
    """One of the two that are compared, for reports."""

    name: str
    version: str = ""  # of a library
    format: str = ""
    path: Path | None = None
    tokens: int = 0

    @classmethod
    def of_model(cls, name: str, tokenizer: Tokenizer) -> Subject:
        vocabulary = tokenizer.vocabulary
        return cls(name, "", vocabulary.format, vocabulary.path, len(vocabulary))

    @cached_property
    def sha256(self) -> str | None:
        """Of all of the file, so only where it is asked for: weights take a while."""
        if self.path is None:
            return None
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


def _is_around(find: Find) -> bool:
    return find.reason.cause is Cause.AROUND


@dataclass(frozen=True)
class Hunt:
    """A hunt at a moment.

    seconds    since it began, opening the files included
    n_batches  done of those that the seed decides, which are numbered from 0
    tried      texts, the user's own lines among them
    n_lines, n_differing_lines  of the user's own texts, what is put around each left aside
    finds      one for each kind of difference, the shortest texts first
    notes      what else is to be known, a sentence each
    """

    subjects: tuple[Subject, Subject]
    seed: int
    seconds: float = 0.0
    n_batches: int = 0
    tried: int = 0
    n_differing: int = 0
    n_lines: int = 0
    n_differing_lines: int = 0
    finds: tuple[Find, ...] = ()
    notes: tuple[str, ...] = ()
    is_over: bool = False

    def share(self, find: Find) -> float | None:
        """Of the user's own lines that differ as a find does; None where there are no lines."""
        return find.n_lines / self.n_lines if self.n_lines else None

    def with_note(self, note: str) -> Hunt:
        return self if note in self.notes else replace(self, notes=(*self.notes, note))

    def with_find(self, find: Find) -> Hunt:
        """With a find that is the first of its kind, or shorter than the one that is known."""
        finds = {each.reason.kind: each for each in self.finds}
        known = finds.get(find.reason.kind)
        if known is not None and known.is_shorter_than <= find.is_shorter_than:
            return self
        finds[find.reason.kind] = find if known is None else replace(find, n_lines=known.n_lines)
        in_order = sorted(finds.values(), key=lambda each: each.is_shorter_than)
        return replace(self, finds=tuple(in_order))

    def with_batch(self, batch: Batch) -> Hunt:
        hunt, are_lines = self, batch.are_lines
        for find in batch.finds:
            hunt = hunt.with_find(find)
        counts = dict(batch.lines_by_kind)
        around = batch.n_texts * are_lines  # which is the same for each
        finds = tuple(
            replace(find, n_lines=find.n_lines + counts.get(find.reason.kind, around * _is_around(find)))
            for find in hunt.finds
        )
        return replace(
            hunt,
            finds=finds,
            n_batches=self.n_batches + (not are_lines),
            tried=self.tried + batch.n_texts,
            n_differing=self.n_differing + batch.n_differing,
            n_lines=self.n_lines + batch.n_texts * are_lines,
            n_differing_lines=self.n_differing_lines + batch.n_differing * are_lines,
        )
