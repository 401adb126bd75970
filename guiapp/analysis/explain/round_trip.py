"""Whether the tokens of a text give it back; if not, which rules of the file change it, and what is lost.

A token came from a span of the text and stands for bytes of its own: where both differ, the ids do not hold
the text.  Where they are the same everywhere, the ids are right, and only decoding writes something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import category, normalize

import numpy as np
from numpy.typing import NDArray

from guiapp.core.hugging_face import decoders, normalizers, pre_tokenizers
from guiapp.core.hugging_face.aligned import aligned
from guiapp.core.hugging_face.characters import UnicodeForm
from guiapp.core.text.figures import counted
from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.parts import Parts
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary
from guiapp.native import detokenizer as native
from guiapp.native.checkpoint import stoppable
from guiapp.native.strings import packed

if TYPE_CHECKING:
    from guiapp.analysis.editing.options import Options
    from guiapp.core.encode.encoding import Encoding
    from guiapp.core.encode.tokenizer import Tokenizer

SHOWN_BYTES = 16
CONTINUING_BITS, CONTINUING = np.uint8(0xC0), np.uint8(0x80)  # of a byte that does not begin a character
NAMED = Attribute.CONTROL | Attribute.USER_DEFINED
TOKENS_AT_ONCE = 1 << 14
MOST_PLACES = 10_000  # that are looked at one by one; those of unknown tokens are always found


class RoundTripChange(NamedTuple):
    """What a rule does to the text.

    start, end  the bytes of the first place
    text        what is there, and what comes back instead
    n_places    of those that were looked at
    """

    rule: Rule
    start: int
    end: int
    text: bytes
    instead: bytes
    n_places: int

    @property
    def sentence(self) -> str:
        """`lowercase (normalizer.lowercase): … First at byte 3: “A” → “a”, in 12 places.`"""
        name, key, does, _ = self.rule
        named = name if key == name else f"{name} ({key})"
        pair = f"“{visible_text(self.text, SHOWN_BYTES)}” → “{visible_text(self.instead, SHOWN_BYTES)}”"
        times = f", in {counted(self.n_places, 'place')}" if self.n_places > 1 else ""
        return f"{named}: {does}. First at byte {self.start:,}: {pair}{times}."


@dataclass(frozen=True)
class RoundTrip:
    """What decoding the tokens of a text gave.

    offset   the first byte that differs, None where all are the same
    changes  why, the worst first; none where it is the same
    """

    offset: int | None
    changes: tuple[RoundTripChange, ...] = ()

    @property
    def is_same(self) -> bool:
        return self.offset is None

    def sentences(self) -> list[str]:
        """A sentence on the whole, and one on each change."""
        if self.offset is None:
            return ["Decoding the tokens gives exactly this text."]
        whole = f"Decoding the tokens gives another text, from byte {self.offset:,} on."
        return [whole, *(change.sentence for change in self.changes)]

    def record(self) -> dict[str, object]:
        """The stable JSON record of `tokenize --round-trip`."""
        changes = [
            {
                "rule": change.rule.name,
                "key": change.rule.key,
                "does": change.rule.does,
                "loss": change.rule.loss.name.lower(),
                "span": [change.start, change.end],
                "text": change.text.decode("utf-8", "replace"),
                "instead": change.instead.decode("utf-8", "replace"),
                "places": change.n_places,
            }
            for change in self.changes
        ]
        return {"same": self.is_same, "first_difference": self.offset, "changes": changes}

    @property
    def worst(self) -> RoundTripChange | None:
        """What loses the most; None where the text comes back."""
        return self.changes[0] if self.changes else None


def round_trip(tokenizer: Tokenizer, encoding: Encoding) -> RoundTrip:
    """Of an encoding without the special tokens around the text."""
    text, decoded = encoding.text_bytes, tokenizer.decode_bytes(encoding.token_ids)
    offset = first_difference(text, decoded)
    if offset is None:
        return RoundTrip(None)
    return RoundTrip(offset, changes_of(tokenizer, encoding, decoded))


def round_trip_of(
    tokenizer: Tokenizer,
    text: bytes,
    token_ids: NDArray[np.int32],
    options: Options,
    progress: Callable[[float], None],
) -> RoundTrip:
    """Of a text whose tokens, without the special ones around it, were made by these options."""
    if tokenizer.decode_bytes(token_ids) == text:
        return RoundTrip(None)
    progress(0.4)
    encoding = tokenizer.encode(text, False, options.parse_special, options.encoder)
    progress(0.6)
    return round_trip(tokenizer, encoding)


def changes_of(tokenizer: Tokenizer, encoding: Encoding, decoded: bytes) -> tuple[RoundTripChange, ...]:
    """What came of a text that was `decoded` to another one, the worst first."""

    rules, text, by_rule = rules_of(tokenizer.vocabulary), encoding.text_bytes, dict[str, RoundTripChange]()

    def note(rule: Rule, start: int, end: int, instead: bytes) -> None:
        known = by_rule.get(rule.name)
        if known is None or known.rule.loss < rule.loss:
            n_before = 0 if known is None else known.n_places
            by_rule[rule.name] = RoundTripChange(rule, start, end, text[start:end], instead, n_before + 1)
        else:
            by_rule[rule.name] = known._replace(n_places=known.n_places + 1)

    def note_decoding(rule: Rule, result: bytes) -> None:
        if (start := first_difference(text, result)) is not None:
            note(rule, start, min(start + SHOWN_BYTES, len(text)), result[start : start + SHOWN_BYTES])

    for place in places_of(rules, encoding):
        for rule in rules.between(text, place):
            if rule is not rules.prefix or place.start or decoded.startswith(b" "):
                note(rule, place.start, place.end, place.holds)
    for rule, decode in rules.decodings:
        note_decoding(rule, decode(text))
    loses_first_space = text[:1].isspace() and not decoded[:1].isspace()
    if rules.spaces and loses_first_space and rules.spaces.name not in by_rule:
        note_decoding(rules.spaces, decoded)
    elif not by_rule:
        note_decoding(rules.decoding, decoded)
    return tuple(sorted(by_rule.values(), key=lambda change: (-change.rule.loss, change.start)))


def places_of(rules: FileRules, encoding: Encoding) -> Iterator[TokenPosition]:
    """Where tokens hold other bytes than those that they came from, with what is skipped before each.

    At most MOST_PLACES, but for those of unknown tokens.
    """

    text, effective_attributes, (data, offsets) = (
        encoding.text_bytes,
        rules.vocabulary.effective_attributes,
        rules.table,
    )
    ids, starts, ends = encoding.token_ids, *encoding.spans.T
    firsts, n_places = _firsts_of_places(rules, encoding), 0
    for at in stoppable(_suspects(rules.table, text, ids, ends, firsts)):
        first = int(firsts[at])
        following = int(firsts[at + 1]) if at + 1 < len(firsts) else len(ids)
        start, end = int(ends[first - 1]) if first else 0, int(ends[following - 1])
        holds = b"".join(data[offsets[each] : offsets[each + 1]].tobytes() for each in ids[first:following])
        is_unknown = bool(effective_attributes[ids[first]] & Attribute.UNKNOWN)
        if holds == text[start:end] or (n_places >= MOST_PLACES and not is_unknown):
            continue
        n_places += 1
        follows = first == 0 or bool(effective_attributes[ids[first - 1]] & NAMED)
        yield TokenPosition(start, int(starts[first]), end, holds, int(ids[first]), follows)
    last_end = int(ends[-1]) if len(ends) else 0
    if last_end < len(text):
        yield TokenPosition(last_end, len(text), len(text), b"", -1, False)


def _firsts_of_places(rules: FileRules, encoding: Encoding) -> NDArray[np.int64]:
    """The tokens with which places begin, the first one always: no place cuts what became of a character.

    Empty tokens belong to the one before, but for the prefix of what follows a special token.
    """
    ids, starts, ends = encoding.token_ids, *encoding.spans.T
    data, offsets = rules.table
    source = np.append(np.frombuffer(encoding.text_bytes, np.uint8), np.uint8(0))
    own = np.append(data, np.uint8(0))[offsets[ids]]
    after_special = np.append(True, (rules.vocabulary.effective_attributes[ids[:-1]] & NAMED) > 0)[: len(ids)]
    is_within = (source[starts] & CONTINUING_BITS == CONTINUING) | (own & CONTINUING_BITS == CONTINUING)
    last = np.append(data, np.uint8(0))[offsets[ids + 1] - 1]
    changes = (own[1:] != source[starts[1:]]) & (
        last[:-1] != source[starts[1:] - 1]
    )  # on both sides of its start
    is_within[1:] |= changes & (starts[1:] == ends[:-1]) & (ends[:-1] > starts[:-1])
    is_first = np.where(ends > starts, ~is_within, after_special)
    is_first[:1] = True
    return np.flatnonzero(is_first)


def _suspects(
    table: tuple[NDArray[np.uint8], NDArray[np.int64]],
    text: bytes,
    ids: NDArray[np.int32],
    ends: NDArray[np.int64],
    firsts: NDArray[np.int64],
) -> Iterator[int]:
    """Which of the first tokens of their places may hold something else, by their numbers."""
    data, offsets = table
    source = np.frombuffer(text, np.uint8)
    for begin in range(0, len(firsts), TOKENS_AT_ONCE):
        rows = firsts[begin : begin + TOKENS_AT_ONCE]
        following = np.append(firsts[begin + 1 : begin + 1 + len(rows)], len(ids))[: len(rows)]
        before = np.where(rows > 0, ends[np.maximum(rows - 1, 0)], 0)
        sizes = ends[rows] - before
        own = offsets[ids[rows] + 1] - offsets[ids[rows]]
        is_alike = (sizes == own) & (following == rows + 1)
        alike = np.flatnonzero(is_alike & (sizes > 0))
        counts = sizes[alike]
        within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        same = source[np.repeat(before[alike], counts) + within]
        same = same == data[np.repeat(offsets[ids[rows[alike]]], counts) + within]
        if len(alike):
            is_alike[alike] &= np.logical_and.reduceat(same, np.cumsum(counts) - counts)
        yield from (begin + np.flatnonzero(~is_alike)).tolist()


def first_difference(one: bytes, other: bytes) -> int | None:
    """Where two byte strings part; None if they are the same."""
    if one == other:
        return None
    size = min(len(one), len(other))
    differs = np.frombuffer(one, np.uint8)[:size] != np.frombuffer(other, np.uint8)[:size]
    return int(differs.argmax()) if differs.any() else size


# The rules of a file that change a text on its way to ids and back, by the keys that it has for them


class Loss(IntEnum):
    """What the ids do not tell of a text: nothing; something of how it was written; a part of it at all."""

    NONE = 0
    PART = 1
    ALL = 2


class Rule(NamedTuple):
    """A rule: its name, the key that the file has for it, what it does in words, and what is lost by it."""

    name: str
    key: str
    does: str
    loss: Loss


class TokenPosition(NamedTuple):
    """A stretch [start, end) of the text, and what its token holds instead.

    token_start  what is before that was skipped
    """

    start: int
    token_start: int
    end: int
    holds: bytes
    token_id: int
    after_special: bool


Of = Callable[[str], str]
"""What becomes of a part of a text."""


@dataclass(frozen=True, eq=False)
class FileRules:
    """What one file asks for.

    table     what tokens stand for once they are decoded side by side, as `Vocabulary.token_bytes_table`
    texts     rules that change characters, each with what it does to a part of a text
    spaces    how white space is lost; None where it is not
    prefix    how a space comes in front of a text, or of what follows a special token
    unknown   for text that no token stands for
    cleaning  for characters that are left out; None where none are
    at_ends   those of `texts` that act only at the ends of the text
    decodings  what changes a text that the ids hold
    decoding  what else decoding may do
    stripping  by token, how it takes white space along
    """

    vocabulary: Vocabulary
    table: tuple[NDArray[np.uint8], NDArray[np.int64]]
    texts: Sequence[tuple[Rule, Of]]
    spaces: Rule | None
    prefix: Rule
    unknown: Rule
    decoding: Rule
    cleaning: Rule | None = None
    at_ends: frozenset[str] = frozenset()
    decodings: Sequence[tuple[Rule, Callable[[bytes], bytes]]] = ()
    stripping: Mapping[int, Rule] = field(default_factory=dict)

    def between(self, text: bytes, place: TokenPosition) -> list[Rule]:
        """Which rules made what the tokens of a place hold of the text there."""
        if place.token_id >= 0 and self.vocabulary.effective_attributes[place.token_id] & Attribute.UNKNOWN:
            return [self.unknown]
        try:
            was = text[place.start : place.end].decode()
        except UnicodeDecodeError:
            return [NOT_UTF8]
        became = place.holds.decode("utf-8", "replace")
        if "".join(was.split()) == "".join(became.split()):
            return self._of_spaces(was, became, place, place.end == len(text))
        is_outermost = place.start == 0 or place.end == len(text)
        applied = [
            rule
            for rule, change in self.texts
            if change(was) != was and (is_outermost or rule.name not in self.at_ends)
        ]
        joined, came = normalize("NFC", was), normalize("NFC", became)
        if applied and joined.strip() == came.strip():
            applied = [rule._replace(loss=Loss.NONE) for rule in applied]
            if self.spaces is not None and joined not in (came, came.removeprefix(" ")):
                applied.append(self.spaces)
        if applied:
            return applied
        skipped = text[place.start : place.token_start].decode("utf-8", "replace").strip()
        if self.cleaning is not None and all(category(each)[0] == "C" for each in skipped):
            return [self.cleaning]
        return [self.unknown if skipped else NORMALIZED]

    def _of_spaces(self, was: str, became: str, place: TokenPosition, is_last: bool) -> list[Rule]:
        if (strip := self.stripping.get(place.token_id)) is not None and len(became) < len(was):
            return [strip]
        if any(decode(place.holds) == was.encode() for _, decode in self.decodings):
            return []  # it comes back
        if became == f" {was}" or not was:
            return [self.prefix if place.after_special or self.spaces is None else self.spaces]
        if self.spaces is not None and {each for each in was if each.isspace()} == {" "}:
            return [self.spaces]
        is_outermost = place.start == 0 or is_last
        applied = [
            rule
            for rule, change in self.texts
            if change(was) != was and (is_outermost or rule.name not in self.at_ends)
        ]
        return applied or [self.spaces or NORMALIZED]


NOT_UTF8 = Rule("no UTF-8", "no UTF-8", "bytes that are no text are replaced by U+FFFD", Loss.PART)
NORMALIZED = Rule("normalizer", "normalizer", "the text is changed before it is encoded", Loss.PART)
LOWERCASE = "capital letters are made small"
ACCENTS = "accents are taken off letters"
FORMS = {
    "NFC": "parts of a character are joined to one, which Unicode calls equal",
    "NFD": "characters are taken apart, which Unicode calls equal",
    "NFKC": "characters are replaced by plainer ones that look alike, and joined",
    "NFKD": "characters are replaced by plainer ones that look alike, and taken apart",
}
CHARSMAP = "characters are replaced by those that a table in the file has for them"
NO_TOKEN = "no token stands for this text, so a model does not see it"
DUMMY = "ids are right, a space that was put in front is decoded too"
EXTRA = "white space at the ends, and more than one space in a row, is dropped"
WORDS = "words are cut at white space and signs, and the ids do not tell how much was there"
CLEANED = "ids are right, decoding drops a space"
CLEANED_WORDS = "decoding drops a space before a sign, and the ids do not tell whether there was one"
JOINED = "ids are right, decoding joins the tokens in another way"


def rules_of(vocabulary: Vocabulary) -> FileRules:
    """Those of a file."""
    if vocabulary.parts is not None:
        return _of_parts(vocabulary, vocabulary.parts)
    if vocabulary.pieces is not None:
        return _of_pieces(vocabulary, "normalizer_spec.", "add_dummy_prefix")
    return _of_gguf(vocabulary)


def _of_gguf(vocabulary: Vocabulary) -> FileRules:
    rules, is_bert = vocabulary.rules, vocabulary.type is VocabType.WPM
    texts: list[tuple[Rule, Of]] = []
    if rules.lowercase:
        key = _key(vocabulary, "lowercase", "tokenizer.ggml.normalizer.")
        texts.append((Rule("lowercase", key, LOWERCASE, Loss.PART), str.lower))
    if rules.strip_accents:
        key = _key(vocabulary, "strip_accents", "tokenizer.ggml.normalizer.")
        texts.append((Rule("strip_accents", key, ACCENTS, Loss.PART), _without_accents))
    cleaned = _cleaned("clean_spaces", "clean_spaces", is_bert)
    bert = "tokenizer.ggml.model"
    if not is_bert:
        plain = _of_pieces(vocabulary, "tokenizer.ggml.", "add_space_prefix")
        return replace(plain, decodings=[(cleaned, _clean)] if rules.clean_spaces else [])
    return FileRules(
        vocabulary,
        vocabulary.token_bytes_table,
        texts,
        spaces=Rule("white space", bert, WORDS, Loss.PART),
        prefix=Rule("space in front", bert, DUMMY, Loss.NONE),
        unknown=_unknown("tokenizer.ggml.unknown_token_id"),
        cleaning=Rule("control characters", bert, "characters without a picture are left out", Loss.PART),
        decodings=[(cleaned, _clean)] if rules.clean_spaces else [],
        decoding=Rule("decoding", bert, JOINED, Loss.NONE),
    )


def _of_pieces(vocabulary: Vocabulary, section: str, dummy: str) -> FileRules:
    """SentencePiece's rules, which files of both kinds have."""
    rules, texts = vocabulary.rules, list[tuple[Rule, Of]]()
    if len(vocabulary.charsmap):
        key = f"{section}precompiled_charsmap"
        name = (
            str(vocabulary.metadata.get("normalizer_spec.name", "")).strip("“”\"'") or "precompiled_charsmap"
        )
        texts.append((Rule(name, key, CHARSMAP, Loss.PART), _always_changed))
    extra = Rule("remove_extra_whitespaces", f"{section}remove_extra_whitespaces", EXTRA, Loss.PART)
    strips = {Attribute.LSTRIP: "lstrip", Attribute.RSTRIP: "rstrip"}
    stripping = {
        token_id: _strip(vocabulary.raw_text(token_id).decode("utf-8", "replace"), name)
        for bit, name in strips.items()
        for token_id in np.flatnonzero(vocabulary.attributes & bit.value).tolist()
    }
    return FileRules(
        vocabulary,
        vocabulary.token_bytes_table,
        texts,
        spaces=extra if rules.remove_extra_whitespaces else None,
        prefix=Rule(dummy, f"{section}{dummy}", DUMMY, Loss.NONE),
        unknown=_unknown(
            f"{section}unknown_token_id" if section.startswith("tok") else "trainer_spec.unk_id"
        ),
        decoding=Rule(dummy, f"{section}{dummy}", "ids are right, decoding drops the first space", Loss.NONE),
        stripping=stripping,
    )


def _of_parts(vocabulary: Vocabulary, parts: Parts) -> FileRules:
    leaves = list(normalizers.flattened(parts.normalizer))
    cutters = pre_tokenizers.flattened(parts.pre_tokenizer)
    drops = any(_drops_white_space(each) for each in cutters)
    prefix = next(filter(None, map(_prefix_key, (*leaves, *cutters))), "decoder")
    decoder = parts.decoder
    name = type(decoder).__name__ if not isinstance(decoder, decoders.Spaces) else "none"
    cleaned = _cleaned("cleanup", "decoder.cleanup", drops)
    cleans = isinstance(decoder, decoders.WordPiece) and decoder.cleans_up
    return FileRules(
        vocabulary,
        _spaced_table(vocabulary, decoder),
        [pair for leaf in leaves for pair in _texts_of(leaf)],
        spaces=Rule("white space", "pre_tokenizer", WORDS, Loss.PART) if drops else None,
        prefix=Rule(prefix.rpartition(".")[2], prefix, DUMMY, Loss.NONE),
        unknown=_unknown("model.unk_token"),
        at_ends=frozenset(("Strip", "Prepend")),
        decodings=[(cleaned, _clean_punctuation)] if cleans else [],
        decoding=Rule(f"decoder {name}", f"decoder.type: {name}", JOINED, Loss.NONE),
        stripping={
            token.token_id: _strip(token.content, "lstrip" if token.lstrip else "rstrip")
            for token in parts.added_tokens
            if token.lstrip or token.rstrip
        },
    )


def _cleaned(name: str, key: str, drops_spaces: bool) -> Rule:
    words_and_loss = (CLEANED_WORDS, Loss.PART) if drops_spaces else (CLEANED, Loss.NONE)
    return Rule(name, key, *words_and_loss)


def _strip(token: str, key: str) -> Rule:
    side = "before" if key == "lstrip" else "behind"
    return Rule(key, f"added_tokens {token} {key}", f"white space {side} the token goes with it", Loss.PART)


def _unknown(key: str) -> Rule:
    return Rule("unknown token", key, NO_TOKEN, Loss.ALL)


def _key(vocabulary: Vocabulary, name: str, section: str) -> str:
    """With its section where the file has the key; else it follows from the rest of the file."""
    return f"{section}{name}" if f"{section}{name}" in vocabulary.metadata else name


def _texts_of(leaf: normalizers.Normalizer) -> Iterator[tuple[Rule, Of]]:
    """Its rules; those of BERT are told one by one."""
    if isinstance(leaf, normalizers.Bert):
        off = normalizers.Bert(False, False, False, False)
        for name, does, alone in (
            ("clean_text", "control characters are left out, and other spaces made plain", {"cleans": True}),
            (
                "handle_chinese_chars",
                "spaces are put around Chinese characters",
                {"sets_ideographs_apart": True},
            ),
            ("strip_accents", ACCENTS, {"strips_accents": True}),
            ("lowercase", LOWERCASE, {"lowers": True}),
        ):
            (field,) = alone
            if getattr(leaf, field):
                yield Rule(name, f"normalizer.{name}", does, Loss.PART), _applied(replace(off, **alone))
        return
    if isinstance(leaf, UnicodeForm):
        name, does = leaf.form, FORMS[leaf.form]
    elif isinstance(leaf, normalizers.ByteLevel):
        return  # another spelling, which decoding takes back
    else:
        name = type(leaf).__name__
        does = DOES.get(name, NORMALIZED.does)
    yield Rule(name, f"normalizer.type: {name}", does, Loss.PART), _applied(leaf)


DOES = {
    "Lowercase": LOWERCASE,
    "StripAccents": ACCENTS,
    "Strip": "white space at the ends of the text is dropped",
    "Nmt": "control characters are left out, and other spaces made plain",
    "Precompiled": CHARSMAP,
    "Replace": "what the file looks for is replaced",
    "Prepend": "something is put in front of the text",
}


def _applied(leaf: normalizers.Normalizer) -> Of:
    if isinstance(leaf, normalizers.Prepend):  # which is before a part that is empty, too
        return leaf.content.__add__

    def change(text: str) -> str:
        return leaf.apply(aligned(text.encode(), False)).text()

    return change


def _drops_white_space(cutter: object) -> bool:
    named = pre_tokenizers.WhitespaceSplit, pre_tokenizers.Whitespace, pre_tokenizers.UnicodeScripts
    return isinstance(cutter, named) or getattr(cutter, "behavior", "") == "Removed"


def _prefix_key(part: object) -> str:
    """The key by which a normalizer or pre-tokenizer puts a space in front; "" where it does not."""
    if isinstance(part, normalizers.Prepend):
        return "normalizer.prepend"
    if isinstance(part, pre_tokenizers.Metaspace) and part.scheme != "never":
        return "pre_tokenizer.prepend_scheme"
    if isinstance(part, pre_tokenizers.ByteLevel) and part.adds_prefix_space:
        return "pre_tokenizer.add_prefix_space"
    return ""


def _spaced_table(
    vocabulary: Vocabulary, decoder: decoders.Decoder
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Tokens as decoders write them that put spaces between words."""
    if isinstance(decoder, decoders.Spaces):
        prefix = None
    elif isinstance(decoder, decoders.WordPiece):
        prefix = decoder.prefix.encode()
    else:
        return vocabulary.token_bytes_table
    texts = [vocabulary.token_bytes(token_id) for token_id in stoppable(range(len(vocabulary)))]
    spaced = [
        text.removeprefix(prefix) if prefix and text.startswith(prefix) else b" " + text for text in texts
    ]
    return packed(spaced)


def _without_accents(text: str) -> str:
    return "".join(each for each in normalize("NFD", text) if category(each) != "Mn")


def _always_changed(text: str) -> str:
    return text + "\0"


def _clean(text: bytes) -> bytes:
    data = np.frombuffer(bytearray(text), np.uint8)
    return data[: native.clean_spaces(data)].tobytes()


def _clean_punctuation(text: bytes) -> bytes:
    for sign in b".?!,":
        text = text.replace(bytes((32, sign)), bytes((sign,)))
    return text
