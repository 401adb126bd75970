"""The pre-tokenizers of tokenizer.json, which split a text into pieces and may change it."""

from __future__ import annotations

from collections.abc import Sequence as Many
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from guiapp.core.hugging_face.aligned import (
    AlignedText,
    Edits,
    Offsets,
    aligned,
    as_characters,
    with_whole_characters,
)
from guiapp.core.hugging_face.characters import (
    CharacterSet,
    members,
    ranges,
    scripts,
    whitespace_members,
)
from guiapp.core.hugging_face.matching import (
    BEHAVIORS,
    Behavior,
    Literal,
    Matcher,
    Pieces,
    RegexMatcher,
    matcher_of,
    whole,
)
from guiapp.core.hugging_face.spec import Spec, flattened
from guiapp.core.pretokenize.pre_tokenizers import Pattern
from guiapp.core.text.normalized import NormalizedText

if TYPE_CHECKING:
    from guiapp.core.hugging_face.normalizers import Normalizer

SPACE = ord(" ")
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
SCHEMES = ("always", "first", "never")


class PreTokenizer(Protocol):
    """Splits a text into pieces."""

    def cut(self, pieces: Pieces) -> Pieces:
        """Cut each piece further.  Raises EncodeError if the text would become far too long."""

    def pattern(self) -> Pattern | None:
        """An equivalent pattern, if the pre-tokenizer only cuts the text; else None."""


class _WithoutPattern:
    def pattern(self) -> Pattern | None:
        return None


@dataclass(frozen=True)
class Sequence(_WithoutPattern):
    """Apply several pre-tokenizers in order; an empty sequence leaves the text as one piece."""

    parts: tuple[PreTokenizer, ...]

    def cut(self, pieces: Pieces) -> Pieces:
        for part in self.parts:
            pieces = part.cut(pieces)
        return pieces


@dataclass(frozen=True)
class Split:
    """Cuts at the matches of a matcher; inverted, the segments between them count as the matches."""

    matcher: Matcher
    behavior: Behavior
    is_inverted: bool

    def cut(self, pieces: Pieces) -> Pieces:
        matches = self.matcher.segments(pieces.text.data, pieces.ends)
        if self.is_inverted:
            matches = matches._replace(are_matches=~matches.are_matches)
        return pieces.cut(matches, self.behavior)

    def pattern(self) -> Pattern | None:
        return self.matcher.pattern if self.behavior == "Isolated" else None


@dataclass(frozen=True)
class Characters:
    """Cuts at each character of a set."""

    name: CharacterSet
    behavior: Behavior

    def cut(self, pieces: Pieces) -> Pieces:
        return pieces.cut(pieces.segments_of(members(self.name)), self.behavior)

    def pattern(self) -> Pattern | None:
        if self.behavior not in ("Isolated", "Contiguous"):
            return None
        spelled = "".join(f"\\x{{{first:x}}}-\\x{{{last:x}}}" for first, last in ranges(self.name))
        return Pattern(f"[{spelled}]{'+' * (self.behavior == 'Contiguous')}", "oniguruma")


@dataclass(frozen=True)
class WhitespaceSplit(_WithoutPattern):
    """Keeps the text between whitespace."""

    def cut(self, pieces: Pieces) -> Pieces:
        return pieces.cut(pieces.segments_of(whitespace_members()), "Removed")


class Whitespace(_WithoutPattern):
    r"""Keeps runs of word characters, and runs of other characters that are not whitespace."""

    def cut(self, pieces: Pieces) -> Pieces:
        pieces = pieces.cut(pieces.segments_of(whitespace_members()), "Removed")
        is_word = members("word")[pieces.text.codes()]
        return pieces.cut_at(np.diff(is_word, prepend=is_word[:1]))


@dataclass(frozen=True)
class FixedLength(_WithoutPattern):
    """Cuts after every `length` characters."""

    length: int

    def cut(self, pieces: Pieces) -> Pieces:
        starts = pieces.first_characters()
        sizes = np.diff(starts, append=len(pieces.text.character_starts()) - 1)
        within = np.arange(sizes.sum()) - np.repeat(starts, sizes)
        return pieces.cut_at(within % self.length == 0)


class UnicodeScripts(_WithoutPattern):
    """Cuts where the script changes; spaces belong to the preceding piece, leading spaces are lost."""

    def cut(self, pieces: Pieces) -> Pieces:
        own = scripts()[pieces.text.codes()]
        is_known = own > 0
        first = np.zeros(len(own), np.bool_)
        first[pieces.first_characters()] = True
        piece_of = np.cumsum(first)
        known = np.flatnonzero(is_known)
        is_start = np.zeros(len(own), np.bool_)
        key = np.stack([piece_of[known], own[known]])
        is_start[known] = np.any(np.diff(key, axis=1, prepend=0) != 0, axis=0)
        # Characters before the first start in their piece are dropped.
        n_starts = np.cumsum(is_start)
        before = np.append(0, n_starts)[np.flatnonzero(first)]
        is_selected = n_starts > before[piece_of - 1] if len(own) else is_start
        return _selected(pieces.cut_at(is_start), is_selected)


def _selected(pieces: Pieces, is_selected: NDArray[np.bool_]) -> Pieces:
    """The pieces with only the selected characters; the others make up whole pieces."""
    if is_selected.all():
        return pieces
    kept_bytes = np.repeat(is_selected, np.diff(pieces.text.character_starts()))
    ends = np.cumsum(np.append(0, kept_bytes))[pieces.ends]
    ends = ends[np.diff(ends, prepend=0) > 0]
    return Pieces(pieces.text.keep(kept_bytes), ends)


@dataclass(frozen=True)
class ByteLevel:
    """Spells each byte as a character; before that, may prepend a space and cut like GPT-2."""

    adds_prefix_space: bool
    uses_expression: bool
    maps_bytes: bool = True

    def cut(self, pieces: Pieces) -> Pieces:
        if self.adds_prefix_space and len(pieces.ends):
            starts = pieces.starts
            offsets = starts[pieces.text.data[starts] != SPACE]
            pieces = pieces.edited(Edits.alike(offsets, offsets, " "))
        if self.uses_expression:
            pieces = Split(_gpt2(), "Isolated", False).cut(pieces)
        return Pieces(*as_characters(*pieces)) if self.maps_bytes else pieces

    def pattern(self) -> Pattern | None:
        return _gpt2().pattern if self.uses_expression and not self.adds_prefix_space else None


@dataclass(frozen=True)
class Metaspace(_WithoutPattern):
    """Replaces spaces by another character, may prepend it, and may cut before each one."""

    replacement: str
    scheme: str
    splits: bool

    def cut(self, pieces: Pieces) -> Pieces:
        symbol = self.replacement.encode()
        spaces = np.flatnonzero(pieces.text.data == SPACE)
        pieces = pieces.edited(Edits.alike(spaces, spaces + 1, self.replacement))
        if self.scheme != "never" and len(pieces.ends):
            starts = pieces.starts
            lacks = ~_begin_with(pieces.text, starts, symbol)
            if self.scheme == "first":
                lacks &= starts < pieces.text.n_first
            pieces = pieces.edited(Edits.alike(starts[lacks], starts[lacks], self.replacement))
        if not self.splits:
            return pieces
        return pieces.cut(Literal(symbol).segments(pieces.text.data, pieces.ends), "MergedWithNext")


def _begin_with(text: AlignedText, starts: Offsets, prefix: bytes) -> NDArray[np.bool_]:
    matches = np.ones(len(starts), np.bool_)
    for offset, byte in enumerate(prefix):
        matches &= text.data[np.minimum(starts + offset, len(text.data) - 1)] == byte
    return matches


def _gpt2() -> RegexMatcher:
    return RegexMatcher(GPT2)


# From tokenizer.json


def pre_tokenizer_of(spec: Any) -> PreTokenizer:
    """The pre-tokenizer that a JSON object describes; None does not split.  Raises ComponentError."""
    return Sequence(()) if spec is None else _read(Spec("pre-tokenizer", spec))


def _read(spec: Spec) -> PreTokenizer:
    match spec.type:
        case "Sequence":
            return Sequence(tuple(map(_read, spec.parts("pretokenizers"))))
        case "Split":
            behavior = cast(Behavior, spec.choice("behavior", BEHAVIORS))
            return Split(matcher_of(spec), behavior, spec.flag("invert"))
        case "ByteLevel":
            spec.flag("trim_offsets")
            return ByteLevel(spec.flag("add_prefix_space"), spec.flag("use_regex", True))
        case "Metaspace":
            return metaspace_of(spec)
        case "Whitespace":
            return Whitespace()
        case "WhitespaceSplit":
            return WhitespaceSplit()
        case "BertPreTokenizer":
            return Sequence((WhitespaceSplit(), Characters("punctuation", "Isolated")))
        case "Punctuation":
            behavior = cast(Behavior, spec.choice("behavior", BEHAVIORS, "Isolated"))
            return Characters("punctuation", behavior)
        case "Digits":
            return Characters("numeric", "Isolated" if spec.flag("individual_digits") else "Contiguous")
        case "CharDelimiterSplit":
            return Split(Literal(spec.character("delimiter").encode()), "Removed", False)
        case "UnicodeScripts":
            return UnicodeScripts()
        case "FixedLength":
            length = spec.count("length", 5)
            if length == 0:
                raise spec.error("whose “length” is 0")
            return FixedLength(min(length, 1 << 40))
    raise spec.unknown()


def metaspace_of(spec: Spec) -> Metaspace:
    """Read a Metaspace; old files use “add_prefix_space” instead of “prepend_scheme”."""
    scheme = spec.choice("prepend_scheme", SCHEMES, "always")
    if spec.has("add_prefix_space") and not spec.flag("add_prefix_space"):
        if spec.has("prepend_scheme") and scheme != "never":
            raise spec.error("whose “add_prefix_space” and “prepend_scheme” do not agree")
        scheme = "never"
    splits = spec.flag("split") if spec.has("split") else True
    return Metaspace(spec.character("replacement"), scheme, splits)


# Patterns and texts for the native encoders


def without_byte_mapping(pre_tokenizer: PreTokenizer) -> PreTokenizer | None:
    """The pre-tokenizer without its mapping of bytes to characters; None if that is not its last step."""
    parts = flattened(pre_tokenizer)
    last = parts[-1] if parts else None
    if not isinstance(last, ByteLevel) or any(isinstance(part, ByteLevel) for part in parts[:-1]):
        return None
    return Sequence((*parts[:-1], replace(last, maps_bytes=False)))


def patterns_of(pre_tokenizer: PreTokenizer) -> tuple[Pattern, ...] | None:
    """Equivalent patterns, if the pre-tokenizer only cuts the text and then maps bytes; else None."""
    bare = without_byte_mapping(pre_tokenizer)
    if bare is None:
        return None
    *parts, last = cast(Many[PreTokenizer], flattened(bare))
    assert isinstance(last, ByteLevel)
    if last.adds_prefix_space:
        return None
    patterns = [part.pattern() for part in (*parts, *([last] if last.uses_expression else []))]
    return None if None in patterns else tuple(cast(list[Pattern], patterns))


class PreparedText(NamedTuple):
    """All pieces of a fragment, concatenated, and their ends; removed text is in no piece.

    ends  int64[n]; no piece is empty
    """

    text: AlignedText
    ends: Offsets

    @property
    def normalized(self) -> NormalizedText:
        return self.text.normalized


def normalize(normalizer: Normalizer, fragment: bytes, is_first: bool) -> AlignedText:
    """Normalize a fragment of UTF-8; `is_first`: it is the beginning of the whole text.

    Raises EncodeError if it would become far too long.
    """
    given = aligned(fragment, is_first)
    return with_whole_characters(normalizer.apply(given), given.data)


def pre_tokenize(pre_tokenizer: PreTokenizer, text: AlignedText) -> PreparedText:
    """Split a normalized text or a part of one.  Raises EncodeError if it would become far too long."""
    pieces = pre_tokenizer.cut(whole(text))
    return PreparedText(*pieces)
