"""The rules of a file that change a text when it is encoded and decoded, with their keys in the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import NamedTuple
from unicodedata import category, normalize

import numpy as np
from numpy.typing import NDArray

from guiapp.core.hugging_face import decoders, normalizers, pre_tokenizers
from guiapp.core.hugging_face.aligned import aligned
from guiapp.core.hugging_face.characters import PythonForm, UnicodeForm
from guiapp.core.hugging_face.spec import flattened
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.parts import Parts
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary
from guiapp.native import model_files as native
from guiapp.native.checkpoint import stoppable
from guiapp.native.model_files import packed


class Loss(IntEnum):
    """How much of a text the ids lose: nothing, details of its spelling, or a whole part."""

    NONE = 0
    PART = 1
    ALL = 2


class Rule(NamedTuple):
    """A rule: its name, its key in the file, its effect in words, and its loss."""

    name: str
    key: str
    does: str
    loss: Loss


class TokenPosition(NamedTuple):
    """A span [start, end) of the text, and the bytes that its tokens stand for instead.

    token_start  where the first token begins; text before it was skipped
    """

    start: int
    token_start: int
    end: int
    holds: bytes
    token_id: int
    after_special: bool


Of = Callable[[str], str]
"""Maps a part of a text to its changed form."""


@dataclass(frozen=True, eq=False)
class FileRules:
    """The rules of one file.

    table     the bytes of tokens when decoded in a row, as `Vocabulary.token_bytes_table`
    texts     rules that change characters, each with its function
    spaces    the rule that loses white space, or None
    prefix    the rule that adds a space before a text, or after a special token
    unknown   the rule for text without tokens
    cleaning  the rule that removes characters, or None
    at_ends   the names of `texts` that act only at the ends of the text
    decodings  rules that change the text in decoding, each with its function
    decoding  the rule for all else that decoding may change
    stripping  the rule of each token that strips white space
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

    def between(self, text: bytes, position: TokenPosition) -> list[Rule]:
        """The rules that changed the text of a span into the bytes of its tokens."""
        if (
            position.token_id >= 0
            and self.vocabulary.effective_attributes[position.token_id] & Attribute.UNKNOWN
        ):
            return [self.unknown]
        try:
            was = text[position.start : position.end].decode()
        except UnicodeDecodeError:
            return [NOT_UTF8]
        became = position.holds.decode("utf-8", "replace")
        is_outermost = position.start == 0 or position.end == len(text)
        if "".join(was.split()) == "".join(became.split()):
            return self._of_spaces(was, became, position, is_outermost)
        applied = self._that_change(was, is_outermost)
        joined, came = normalize("NFC", was), normalize("NFC", became)
        if applied and joined.strip() == came.strip():
            applied = [rule._replace(loss=Loss.NONE) for rule in applied]
            if self.spaces is not None and joined not in (came, came.removeprefix(" ")):
                applied.append(self.spaces)
        if applied:
            return applied
        skipped = text[position.start : position.token_start].decode("utf-8", "replace").strip()
        if self.cleaning is not None and all(category(each)[0] == "C" for each in skipped):
            return [self.cleaning]
        return [self.unknown if skipped else NORMALIZED]

    def _that_change(self, text: str, is_outermost: bool) -> list[Rule]:
        rules = [rule for rule, change in self.texts if change(text) != text]
        return [rule for rule in rules if is_outermost or rule.name not in self.at_ends]

    def _of_spaces(self, was: str, became: str, position: TokenPosition, is_outermost: bool) -> list[Rule]:
        if (strip := self.stripping.get(position.token_id)) is not None and len(became) < len(was):
            return [strip]
        if any(decode(position.holds) == was.encode() for _, decode in self.decodings):
            return []  # decoding restores it
        if became == f" {was}" or not was:
            return [self.prefix if position.after_special or self.spaces is None else self.spaces]
        if self.spaces is not None and {each for each in was if each.isspace()} == {" "}:
            return [self.spaces]
        return self._that_change(was, is_outermost) or [self.spaces or NORMALIZED]


NOT_UTF8 = Rule("no UTF-8", "no UTF-8", "bytes that are not UTF-8 are replaced by U+FFFD", Loss.PART)
NORMALIZED = Rule("normalizer", "normalizer", "the text is changed before it is encoded", Loss.PART)
CLEARED = "control characters are removed, and other white space becomes plain spaces"
LOWERCASE = "capital letters become lower case"
ACCENTS = "accents are removed from letters"
FORMS = {
    "NFC": "parts of a character are composed, which Unicode treats as equal",
    "NFD": "characters are decomposed, which Unicode treats as equal",
    "NFKC": "characters are replaced by plainer ones that look alike, and composed",
    "NFKD": "characters are replaced by plainer ones that look alike, and decomposed",
}
CHARSMAP = "the character map in the file replaces characters"
NO_TOKEN = "no token covers this text, so the model does not see it"
DUMMY = "the ids are right, but decoding keeps the space that was added in front"
EXTRA = "white space at the ends is dropped, and repeated spaces become one"
WORDS = "words are split at white space and punctuation, and the ids do not record the white space"
CLEANED = "the ids are right, but decoding drops a space"
CLEANED_WORDS = "decoding drops a space before punctuation, and the ids do not record whether there was one"
JOINED = "the ids are right, but decoding joins the tokens differently"


def rules_of(vocabulary: Vocabulary) -> FileRules:
    """The rules of a file."""
    if vocabulary.parts is not None:
        return _of_parts(vocabulary, vocabulary.parts)
    if vocabulary.pieces is not None:
        return _of_pieces(vocabulary, "normalizer_spec.", "add_dummy_prefix")
    return _of_gguf(vocabulary)


def _of_gguf(vocabulary: Vocabulary) -> FileRules:
    rules, is_bert = vocabulary.rules, vocabulary.type is VocabType.WPM
    texts: list[tuple[Rule, Of]] = []
    for name, is_on, does, change in (
        ("lowercase", rules.lowercase, LOWERCASE, str.lower),
        ("strip_accents", rules.strip_accents, ACCENTS, _without_accents),
    ):
        key = f"tokenizer.ggml.normalizer.{name}"  # if missing, the switch follows from the rest of the file
        key = key if key in vocabulary.metadata else name
        texts += [(Rule(name, key, does, Loss.PART), change)] if is_on else []
    cleaned = _cleaned("clean_spaces", "clean_spaces", is_bert)
    decodings = [(cleaned, _clean)] if rules.clean_spaces else []
    if not is_bert:
        own = _of_pieces(vocabulary, "tokenizer.ggml.", "add_space_prefix")
        composed = _texts_of(PythonForm("NFC")) if rules.composes else ()
        return replace(own, texts=[*own.texts, *composed], decodings=decodings)
    bert = "tokenizer.ggml.model"
    return FileRules(
        vocabulary,
        vocabulary.token_bytes_table,
        texts,
        spaces=Rule("white space", bert, WORDS, Loss.PART),
        prefix=Rule("space in front", bert, DUMMY, Loss.NONE),
        unknown=_unknown("tokenizer.ggml.unknown_token_id"),
        cleaning=Rule("control characters", bert, "characters that cannot be printed are removed", Loss.PART),
        decodings=decodings,
        decoding=Rule("decoding", bert, JOINED, Loss.NONE),
    )


def _of_pieces(vocabulary: Vocabulary, section: str, dummy: str) -> FileRules:
    """SentencePiece's rules, for its own files and for GGUF."""
    rules, texts = vocabulary.rules, list[tuple[Rule, Of]]()
    if len(vocabulary.charsmap):
        key = f"{section}precompiled_charsmap"
        name = str(vocabulary.metadata.get("normalizer_spec.name", "")).strip("“”\"'")
        rule = Rule(name or "precompiled_charsmap", key, CHARSMAP, Loss.PART)
        texts.append((rule, lambda text: text + "\0"))  # counts as changing every text
    extra = Rule("remove_extra_whitespaces", f"{section}remove_extra_whitespaces", EXTRA, Loss.PART)
    strips = {Attribute.LSTRIP: "lstrip", Attribute.RSTRIP: "rstrip"}
    stripping = {
        token_id: _strip(vocabulary.raw_text(token_id).decode("utf-8", "replace"), name)
        for bit, name in strips.items()
        for token_id in np.flatnonzero(vocabulary.attributes & bit.value).tolist()
    }
    unknown = f"{section}unknown_token_id" if section.startswith("tok") else "trainer_spec.unk_id"
    return FileRules(
        vocabulary,
        vocabulary.token_bytes_table,
        texts,
        spaces=extra if rules.remove_extra_whitespaces else None,
        prefix=Rule(dummy, f"{section}{dummy}", DUMMY, Loss.NONE),
        unknown=_unknown(unknown),
        decoding=Rule(dummy, f"{section}{dummy}", f"{CLEANED} at the start", Loss.NONE),
        stripping=stripping,
    )


def _of_parts(vocabulary: Vocabulary, parts: Parts) -> FileRules:
    leaves = list(flattened(parts.normalizer))
    cutters = flattened(parts.pre_tokenizer)
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
    side = "before" if key == "lstrip" else "after"
    return Rule(key, f"added_tokens {token} {key}", f"white space {side} the token is dropped", Loss.PART)


def _unknown(key: str) -> Rule:
    return Rule("unknown token", key, NO_TOKEN, Loss.ALL)


def _texts_of(leaf: normalizers.Normalizer) -> Iterator[tuple[Rule, Of]]:
    """The rules of a normalizer, each with its function; BERT's are separate."""
    if isinstance(leaf, normalizers.Bert):
        off = normalizers.Bert(False, False, False, False)
        for name, does, switch in (
            ("clean_text", CLEARED, "cleans"),
            ("handle_chinese_chars", "Chinese characters are set apart by spaces", "sets_ideographs_apart"),
            ("strip_accents", ACCENTS, "strips_accents"),
            ("lowercase", LOWERCASE, "lowers"),
        ):
            if getattr(leaf, switch):
                alone = replace(off, **{switch: True})
                yield Rule(name, f"normalizer.{name}", does, Loss.PART), _applied(alone)
        return
    if isinstance(leaf, UnicodeForm):
        name, does = leaf.form, FORMS[leaf.form]
    elif isinstance(leaf, normalizers.ByteLevel):
        return  # only another spelling, which decoding reverts
    else:
        name = type(leaf).__name__
        does = DOES.get(name, NORMALIZED.does)
    yield Rule(name, f"normalizer.type: {name}", does, Loss.PART), _applied(leaf)


DOES = {
    "Lowercase": LOWERCASE,
    "StripAccents": ACCENTS,
    "Strip": "white space at the ends of the text is dropped",
    "Nmt": CLEARED,
    "Precompiled": CHARSMAP,
    "Replace": "text that the file names is replaced",
    "Prepend": "text is added in front",
}


def _applied(leaf: normalizers.Normalizer) -> Of:
    if isinstance(leaf, normalizers.Prepend):  # which also applies to an empty part
        return leaf.content.__add__
    return lambda text: leaf.apply(aligned(text.encode(), False)).text()


def _drops_white_space(cutter: object) -> bool:
    named = pre_tokenizers.WhitespaceSplit, pre_tokenizers.Whitespace, pre_tokenizers.UnicodeScripts
    return isinstance(cutter, named) or getattr(cutter, "behavior", "") == "Removed"


def _prefix_key(part: object) -> str:
    """The key that makes a normalizer or pre-tokenizer add a space in front; "" if it does not."""
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
    """The bytes of tokens for decoders that add spaces between words."""
    if not isinstance(decoder, decoders.Spaces | decoders.WordPiece):
        return vocabulary.token_bytes_table
    prefix = decoder.prefix.encode() if isinstance(decoder, decoders.WordPiece) else b""

    def spaced(token_id: int) -> bytes:
        text = vocabulary.token_bytes(token_id)
        return text.removeprefix(prefix) if prefix and text.startswith(prefix) else b" " + text

    return packed([*map(spaced, stoppable(range(len(vocabulary))))])


def _without_accents(text: str) -> str:
    return "".join(each for each in normalize("NFD", text) if category(each) != "Mn")


def _clean(text: bytes) -> bytes:
    data = np.frombuffer(bytearray(text), np.uint8)
    return data[: native.clean_spaces(data)].tobytes()


def _clean_punctuation(text: bytes) -> bytes:
    for sign in b".?!,":
        text = text.replace(bytes((32, sign)), bytes((sign,)))
    return text
