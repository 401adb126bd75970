"""The normalizers of tokenizer.json, which change a text before it is split."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from guiapp.core.hugging_face.aligned import (
    AlignedText,
    Edits,
    Offsets,
    as_characters,
    edited,
    mapped_characters,
)
from guiapp.core.hugging_face.characters import (
    DOTTED_CAPITAL_I,
    Form,
    UnicodeForm,
    ideographs,
    lower_targets,
    members,
    of_ranges,
    whitespace_members,
)
from guiapp.core.hugging_face.matching import Matcher, replaced_matcher_of, whole
from guiapp.core.hugging_face.spec import Spec, flattened
from guiapp.core.text.charsmap import IS_LEAF, IS_VALUE, LABEL, Charsmap, open_charsmap, own_bases
from guiapp.core.text.unicode_tables import N_CODES
from guiapp.core.text.utf8 import encode
from guiapp.native.checkpoint import stoppable

OTHER, CR, BREAKING, EXTENDING, PREPENDING, LEADING, VOWEL, TRAILING, SYLLABLE, CLOSED = range(10)
JOINED = {
    LEADING: (LEADING, VOWEL, SYLLABLE, CLOSED),
    VOWEL: (VOWEL, TRAILING),
    SYLLABLE: (VOWEL, TRAILING),
    TRAILING: (TRAILING,),
    CLOSED: (TRAILING,),
}
ZERO_WIDTH_JOINER = 0x200D
SYLLABLES = slice(0xAC00, 0xD7A4)
SYLLABLES_PER_VOWEL = 28
LONGEST_WHOLE = 5  # bytes of a grapheme that is looked up as a whole
LONGEST_CHARSMAP = 1 << 25  # characters of base64
NO_KEY = -1
NMT_REMOVED = ((0x01, 0x08), (0x0B, 0x0B), (0x0E, 0x1F), (0x7F, 0x7F), (0x8F, 0x8F), (0x9F, 0x9F))
NMT_SPACES = (
    (0x09, 0x0A), (0x0C, 0x0D), (0x1680, 0x1680), (0x200B, 0x200F), (0x2028, 0x2029), (0x2581, 0x2581),
    (0xFEFF, 0xFEFF), (0xFFFD, 0xFFFD),
)  # fmt: skip
SPACE = ord(" ")


class Normalizer(Protocol):
    """Changes a text."""

    def apply(self, text: AlignedText) -> AlignedText:
        """Return the changed text.  Raises EncodeError if it would become far too long."""


@dataclass(frozen=True)
class Sequence:
    """Apply several normalizers in order; an empty sequence changes nothing."""

    parts: tuple[Normalizer, ...]

    def apply(self, text: AlignedText) -> AlignedText:
        for part in self.parts:
            text = part.apply(text)
        return text


class Lowercase:
    """Convert each character to lower case, independent of context."""

    def apply(self, text: AlignedText) -> AlignedText:
        return mapped_characters(text, _has_lower(), _lower_case)


class StripAccents:
    """Remove combining characters."""

    def apply(self, text: AlignedText) -> AlignedText:
        return without(text, members("combining"))


class Nmt:
    """Change control characters and spaces as in SentencePiece's normalization “nmt”."""

    def apply(self, text: AlignedText) -> AlignedText:
        removed, spaces = _nmt()
        return mapped_characters(without(text, removed), spaces, lambda _: b" ")


@dataclass(frozen=True)
class Bert:
    """BERT's steps, each optional: cleaning, spaces around Chinese characters, no accents, lower case."""

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
    """Remove whitespace at the ends of the text."""

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
    """Replace each match of a matcher."""

    matcher: Matcher
    content: str

    def apply(self, text: AlignedText) -> AlignedText:
        matches = self.matcher.segments(text.data, whole(text).ends)
        return edited(text, matches.replaced_by(self.content, takes_last=True))


@dataclass(frozen=True)
class Prepend:
    """Prepend a string to each non-empty text."""

    content: str

    def apply(self, text: AlignedText) -> AlignedText:
        if len(text.data) == 0:
            return text
        at = np.zeros(1, np.int64)
        return edited(text, Edits.alike(at, at, self.content))


class ByteLevel:
    """Replace each byte by its character in GPT-2's alphabet."""

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
    offsets = np.stack([starts[which], starts[which + 1]], axis=1).reshape(-1)
    takes_last = np.arange(len(offsets)) % 2 > 0
    return edited(text, Edits.alike(offsets, offsets, " ", takes_last))


@cache
def _has_lower() -> NDArray[np.bool_]:
    matches: NDArray[np.bool_] = lower_targets() != np.arange(N_CODES)
    matches[DOTTED_CAPITAL_I] = True
    return matches


def _lower_case(code: int) -> bytes:
    return "i\u0307".encode() if code == DOTTED_CAPITAL_I else encode(int(lower_targets()[code]))


@cache
def _nmt() -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    return of_ranges(NMT_REMOVED), of_ranges(NMT_SPACES)


@cache
def _other_spaces() -> NDArray[np.bool_]:
    matches = whitespace_members().copy()
    matches[SPACE] = False
    return matches


def unicode_forms(normalizer: Normalizer) -> list[Form] | None:
    """The normal forms of a normalizer that does nothing else, else None; they never change or join ASCII."""
    forms = [part.form if isinstance(part, UnicodeForm) else None for part in flattened(normalizer)]
    return None if None in forms else [form for form in forms if form]


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
            return Replace(replaced_matcher_of(spec), spec.text("content"))
        case "Prepend":
            return Prepend(spec.text("prepend"))
        case "ByteLevel":
            return ByteLevel()
    raise spec.unknown()


@dataclass(frozen=True, eq=False)
class Precompiled:
    """Replaces the keys of a character map.

    A grapheme of fewer than six bytes that begins with a key is replaced as a whole, whatever else it
    contains; in other text, each character is looked up by itself.  If several keys match, the shortest one
    counts, whereas SentencePiece takes the longest.
    """

    charsmap: Charsmap

    def apply(self, text: AlignedText) -> AlignedText:
        if len(self.charsmap.units) == 0 or len(text.data) == 0:
            return text
        codes, starts = text.codes(), text.character_starts()
        begins = np.append(grapheme_starts(codes), len(codes))
        n_characters = np.diff(begins)
        is_whole = (n_characters > 1) & (np.diff(starts[begins]) <= LONGEST_WHOLE)
        # Units: graphemes that count as a whole, and all other characters.
        outputs = self._of_code[codes]
        ends = starts[1:].copy()
        is_unit = np.ones(len(codes), np.bool_)
        data = text.data.tobytes()
        for first, stop in stoppable(
            zip(begins[:-1][is_whole].tolist(), begins[1:][is_whole].tolist(), strict=True)
        ):
            output = self._shortest(data[starts[first] : starts[stop]])
            if output != NO_KEY:
                outputs[first], ends[first] = output, starts[stop]
                is_unit[first + 1 : stop] = False
        which = np.flatnonzero(is_unit & (outputs != NO_KEY))
        if len(which) == 0:
            return text
        distinct, chosen = np.unique(outputs[which], return_inverse=True)
        edits = Edits(starts[which], ends[which], chosen, [*map(self._replacement, distinct.tolist())])
        return _with_first(text, edited(text, edits))

    def outputs(self, codes: NDArray[np.int64]) -> list[str]:
        """The distinct replacements of those characters in `codes` that are replaced."""
        offsets = np.unique(self._of_code[codes])
        return [self._replacement(each).decode() for each in offsets[offsets != NO_KEY].tolist()]

    @cached_property
    def _of_code(self) -> NDArray[np.int64]:
        """int64[0x110000]: the offset of the replacement for the shortest key that begins a character."""
        result = np.full(N_CODES, NO_KEY, np.int64)
        codes = np.arange(1, N_CODES)
        size = 1 + (codes >= 0x80) + (codes >= 0x800) + (codes >= 0x10000)
        lead = np.array([0, 0, 0xC0, 0xE0, 0xF0])[size]
        units = self.charsmap.units.astype(np.int64)
        own = own_bases(units)
        nodes = np.full(len(codes), own[0])
        for index in range(4):
            shift = 6 * (size - 1 - index)
            byte = np.where(
                index == 0, lead | codes >> np.maximum(shift, 0), 0x80 | codes >> np.maximum(shift, 0) & 0x3F
            )
            nodes = nodes ^ byte
            goes_on = (size > index) & (units[nodes] & (IS_VALUE | LABEL) == byte)
            codes, size, lead, nodes = (each[goes_on] for each in (codes, size, lead, nodes))
            is_leaf = units[nodes] & IS_LEAF > 0
            nodes = nodes ^ own[nodes]
            result[codes[is_leaf]] = units[nodes[is_leaf]] & (IS_VALUE - 1)
            codes, size, lead, nodes = (each[~is_leaf] for each in (codes, size, lead, nodes))
        return result

    def _shortest(self, text: bytes) -> int:
        """The offset of the replacement for the shortest key that a text begins with."""
        units = self.charsmap.units
        node = int(own_bases(units[:1].astype(np.int64))[0])
        for byte in text:
            node ^= byte
            unit = int(units[node])
            if byte == 0 or unit & (IS_VALUE | LABEL) != byte:
                return NO_KEY
            node ^= (unit >> 10) << ((unit & 0x200) >> 6)
            if unit & IS_LEAF:
                return int(units[node]) & (IS_VALUE - 1)
        return NO_KEY

    def _replacement(self, offset: int) -> bytes:
        return self._replacements[offset : offset + (1 << 16)].partition(b"\0")[0]

    @cached_property
    def _replacements(self) -> bytes:
        return self.charsmap.replacements.tobytes()


def _with_first(old: AlignedText, new: AlignedText) -> AlignedText:
    """Set `n_first` as in the library: after dropped leading characters, the next one counts as the first."""
    if old.n_first == 0 or new.n_first > 0 or len(new.data) == 0:
        return new
    return replace(new, n_first=int(new.character_starts()[1]))


def precompiled_of(spec: Spec) -> Precompiled:
    """Read a character map from its base64 text.  Raises ComponentError for an unusable map."""
    try:
        data = base64.b64decode(spec.text("precompiled_charsmap", longest=LONGEST_CHARSMAP), validate=True)
        charsmap = open_charsmap(np.frombuffer(data, np.uint8))
    except binascii.Error:
        raise spec.error("whose map is not base64") from None
    except ValueError as error:
        raise spec.error(f"whose map {error}") from None
    if not charsmap.is_whole:
        raise spec.error("whose map contains broken characters")
    return Precompiled(charsmap)


# Grapheme boundaries, correct for graphemes of fewer than six bytes


def grapheme_starts(codes: NDArray[np.uint32]) -> Offsets:
    """The indices of the characters that begin a grapheme."""
    kinds = _kinds()[codes]
    is_joined = _joined()[kinds[:-1], kinds[1:]]
    is_joined |= (codes[:-1] == ord("\r")) & (codes[1:] == ord("\n"))
    if (codes == ZERO_WIDTH_JOINER).any():
        is_joined |= _in_pictures(codes)
    if members("linkers")[codes].any():
        is_joined |= _in_conjuncts(codes)
    return np.flatnonzero(np.append(True, ~is_joined)[: len(codes)])


def _in_pictures(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Whether there is no boundary between a joiner and the next picture, because a picture precedes too."""
    is_picture = members("pictographic")[codes]
    base = np.append(-1, _last_where(~members("between_pictures")[codes])[:-1])
    is_bound = (codes == ZERO_WIDTH_JOINER) & (base >= 0) & is_picture[base]
    bound: NDArray[np.bool_] = is_bound[:-1] & is_picture[1:]
    return bound


def _in_conjuncts(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Whether there is no boundary before a consonant, because a linker joins it to an earlier one."""
    is_consonant = members("consonants")[codes]
    base = _last_where(~(members("linking")[codes] | members("linkers")[codes]))
    linker = _last_where(members("linkers")[codes])
    is_bound = (base >= 0) & is_consonant[base] & (linker > base)
    bound: NDArray[np.bool_] = is_bound[:-1] & is_consonant[1:]
    return bound


def _last_where(is_it: NDArray[np.bool_]) -> Offsets:
    """For each index, the last index up to it at which `is_it` is true; -1 if there is none."""
    last: Offsets = np.maximum.accumulate(np.where(is_it, np.arange(len(is_it)), -1))
    return last


@cache
def _kinds() -> NDArray[np.uint8]:
    kinds = np.zeros(N_CODES, np.uint8)
    kinds[0x1100:0x1160] = kinds[0xA960:0xA97D] = LEADING
    kinds[0x1160:0x11A8] = kinds[0xD7B0:0xD7C7] = VOWEL
    kinds[0x11A8:0x1200] = kinds[0xD7CB:0xD7FC] = TRAILING
    kinds[SYLLABLES] = CLOSED
    kinds[SYLLABLES][::SYLLABLES_PER_VOWEL] = SYLLABLE
    kinds[members("prepending")] = PREPENDING
    kinds[members("breaking")] = BREAKING
    kinds[members("extending")] = EXTENDING
    return kinds


@cache
def _joined() -> NDArray[np.bool_]:
    """bool[kind, kind]: whether there is no grapheme boundary between two characters."""
    joined = np.zeros((10, 10), np.bool_)
    for left, rights in JOINED.items():
        joined[left, list(rights)] = True
    joined[PREPENDING] = True
    joined[:, EXTENDING] = True
    joined[BREAKING] = joined[:, BREAKING] = False
    return joined
