"""The normalizers of tokenizer.json: what changes a text before it is cut."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from guiapp.core.hugging_face.aligned import AlignedText, Edits, edited, mapped_characters
from guiapp.core.hugging_face.byte_characters import as_characters
from guiapp.core.hugging_face.characters import (
    DOTTED_CAPITAL_I,
    UnicodeForm,
    ideographs,
    lower_targets,
    members,
    whitespace_members,
)
from guiapp.core.hugging_face.matching import Matcher, matcher_of
from guiapp.core.hugging_face.pieces import whole
from guiapp.core.hugging_face.precompiled import precompiled_of
from guiapp.core.hugging_face.spec import Spec
from guiapp.core.text.unicode_tables import N_CODES
from guiapp.core.text.utf8 import encode

NMT_REMOVED = ((0x01, 0x08), (0x0B, 0x0B), (0x0E, 0x1F), (0x7F, 0x7F), (0x8F, 0x8F), (0x9F, 0x9F))
NMT_SPACES = (
    (0x09, 0x0A), (0x0C, 0x0D), (0x1680, 0x1680), (0x200B, 0x200F), (0x2028, 0x2029), (0x2581, 0x2581),
    (0xFEFF, 0xFEFF), (0xFFFD, 0xFFFD),
)  # fmt: skip
SPACE = ord(" ")


class Normalizer(Protocol):
    """Changes a text."""

    def apply(self, text: AlignedText) -> AlignedText:
        """Raises EncodeError where the text would become far too long."""


@dataclass(frozen=True)
class Sequence:
    """One after the other; without any, the text stays as it is."""

    parts: tuple[Normalizer, ...]

    def apply(self, text: AlignedText) -> AlignedText:
        for part in self.parts:
            text = part.apply(text)
        return text


class Lowercase:
    """Each character in lower case, whatever is around it."""

    def apply(self, text: AlignedText) -> AlignedText:
        return mapped_characters(text, _has_lower(), _lower_case)


class StripAccents:
    """Without combining characters."""

    def apply(self, text: AlignedText) -> AlignedText:
        return without(text, members("combining"))


class Nmt:
    """What the sentencepiece normalisation of that name does to control characters and spaces."""

    def apply(self, text: AlignedText) -> AlignedText:
        removed, spaces = _nmt()
        return mapped_characters(without(text, removed), spaces, lambda _: b" ")


@dataclass(frozen=True)
class Bert:
    """BERT's cleaning, spaces around Chinese characters, no accents, lower case."""

    cleans: bool
    sets_ideographs_apart: bool
    strips_accents: bool
    lowers: bool

    def apply(self, text: AlignedText) -> AlignedText:
        if self.cleans:
            text = without(text, members("control"))
            text = mapped_characters(text, _other_spaces(), lambda _: b" ")
        if self.sets_ideographs_apart:
            text = _with_ideographs_apart(text)
        if self.strips_accents:
            text = without(UnicodeForm("NFD").apply(text), members("nonspacing"))
        return Lowercase().apply(text) if self.lowers else text


@dataclass(frozen=True)
class Strip:
    """Without whitespace at its ends."""

    left: bool
    right: bool

    def apply(self, text: AlignedText) -> AlignedText:
        is_inside = ~whitespace_members()[text.codes()]
        starts = text.character_starts()
        inside = np.flatnonzero(is_inside)
        first, stop = (int(inside[0]), int(inside[-1]) + 1) if len(inside) else (len(is_inside), 0)
        start = int(starts[first]) if self.left else 0
        end = int(starts[stop]) if self.right else len(text.data)
        return text if (start, end) == (0, len(text.data)) else text.part(start, max(start, end))


@dataclass(frozen=True)
class Replace:
    """Something else for whatever a matcher finds."""

    matcher: Matcher
    content: str

    def apply(self, text: AlignedText) -> AlignedText:
        matches = self.matcher.segments(text.data, whole(text).ends)
        starts, ends = matches.starts[matches.are_matches], matches.ends[matches.are_matches]
        chosen = np.zeros(len(starts), np.int64)
        return edited(text, Edits(starts, ends, chosen, [self.content.encode()], takes_last=True))


@dataclass(frozen=True)
class Prepend:
    """Something in front of each text that is not empty."""

    content: str

    def apply(self, text: AlignedText) -> AlignedText:
        if len(text.data) == 0:
            return text
        at = np.zeros(1, np.int64)
        return edited(text, Edits(at, at, at, [self.content.encode()]))


class ByteLevel:
    """Each byte as the character that GPT-2 writes for it."""

    def apply(self, text: AlignedText) -> AlignedText:
        return as_characters(text, np.zeros(0, np.int64))[0]


def without(text: AlignedText, removed: NDArray[np.bool_]) -> AlignedText:
    """The text without the characters of a set, bool[0x110000]."""
    is_removed = removed[text.codes()]
    if not is_removed.any():
        return text
    return text.keep(np.repeat(~is_removed, np.diff(text.character_starts())))


def _with_ideographs_apart(text: AlignedText) -> AlignedText:
    which = np.flatnonzero(ideographs()[text.codes()])
    if len(which) == 0:
        return text
    starts = text.character_starts()
    places = np.stack([starts[which], starts[which + 1]], axis=1).reshape(-1)
    takes_last = np.arange(len(places)) % 2 > 0
    return edited(text, Edits(places, places, np.zeros(len(places), np.int64), [b" "], takes_last))


@cache
def _has_lower() -> NDArray[np.bool_]:
    matches: NDArray[np.bool_] = lower_targets() != np.arange(N_CODES)
    matches[DOTTED_CAPITAL_I] = True
    return matches


def _lower_case(code: int) -> bytes:
    return "i\u0307".encode() if code == DOTTED_CAPITAL_I else encode(int(lower_targets()[code]))


@cache
def _nmt() -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    removed, spaces = np.zeros((2, N_CODES), np.bool_)
    for matches, included in ((removed, NMT_REMOVED), (spaces, NMT_SPACES)):
        for first, last in included:
            matches[first : last + 1] = True
    return removed, spaces


@cache
def _other_spaces() -> NDArray[np.bool_]:
    matches = whitespace_members().copy()
    matches[SPACE] = False
    return matches


def flattened(normalizer: Normalizer) -> Iterator[Normalizer]:
    """The parts of a sequence, and of sequences in it, or the one that there is."""
    if isinstance(normalizer, Sequence):
        for part in normalizer.parts:
            yield from flattened(part)
    else:
        yield normalizer


def is_unicode_form(normalizer: Normalizer) -> bool:
    """Whether it is one of the normal forms, or several: then ASCII stays, and is joined to nothing."""
    return all(isinstance(part, UnicodeForm) for part in flattened(normalizer))


def normalizer_of(spec: Any) -> Normalizer:
    """The normalizer that a JSON object describes; None changes nothing.  Raises ComponentError."""
    return Sequence(()) if spec is None else _read(Spec("normalizer", spec))


def _read(spec: Spec) -> Normalizer:
    match spec.type:
        case "Sequence":
            return Sequence(tuple(map(_read, spec.parts("normalizers"))))
        case "BertNormalizer":
            lowers = spec.flag("lowercase")
            strips = spec.flag("strip_accents") if spec.has("strip_accents") else lowers
            return Bert(spec.flag("clean_text"), spec.flag("handle_chinese_chars"), strips, lowers)
        case "Strip":
            return Strip(spec.flag("strip_left"), spec.flag("strip_right"))
        case "StripAccents":
            return StripAccents()
        case "NFC" | "NFD" | "NFKC" | "NFKD":
            return UnicodeForm(spec.type)
        case "Lowercase":
            return Lowercase()
        case "Nmt":
            return Nmt()
        case "Precompiled":
            return precompiled_of(spec)
        case "Replace":
            return Replace(matcher_of(spec), spec.text("content"))
        case "Prepend":
            return Prepend(spec.text("prepend"))
        case "ByteLevel":
            return ByteLevel()
    raise spec.unknown()
