"""The decoders of tokenizer.json, which turn tokens into text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from itertools import groupby, pairwise
from typing import Any

import numpy as np

from guiapp.core.hugging_face.aligned import AlignedText, edited_pieces, most_grown
from guiapp.core.hugging_face.matching import Literal, Matcher, matcher_of
from guiapp.core.hugging_face.pre_tokenizers import metaspace_of
from guiapp.core.hugging_face.spec import Spec
from guiapp.core.vocabulary.byte_alphabet import BYTE_OF_CHARACTER
from guiapp.errors import EncodeError

BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2}|\+[0-9A-Fa-f])>")
REPLACEMENT = "\ufffd"
CLEANINGS = (
    (" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m"),
    (" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"),
)  # fmt: skip


class Decoder:
    """Turns tokens into text."""

    def decode(self, tokens: list[str]) -> str:
        """The text of tokens.  Raises EncodeError if it would become far too long."""
        return "".join(self.steps(tokens, most_grown(_size(tokens))))

    def steps(self, tokens: list[str], most: int) -> list[str]:
        """The changed tokens before they are joined; their number may change.

        `most` is the maximum length of the text; steps that add at most one character to a token ignore it.
        """
        raise NotImplementedError


class Spaces(Decoder):
    """Without a decoder, join tokens with spaces."""

    def steps(self, tokens: list[str], most: int) -> list[str]:
        return [" ".join(tokens)]


@dataclass(frozen=True)
class Sequence(Decoder):
    """Apply several decoders in order."""

    parts: tuple[Decoder, ...]

    def steps(self, tokens: list[str], most: int) -> list[str]:
        for part in self.parts:
            tokens = part.steps(tokens, most)
            _check_size(_size(tokens), most)
        return tokens


@dataclass(frozen=True)
class ByteLevel(Decoder):
    """Convert characters of GPT-2's alphabet to bytes; tokens with other characters are text."""

    keeps_bytes: bool = False  # see `with_bytes_preserved`

    def steps(self, tokens: list[str], most: int) -> list[str]:
        data = b"".join(map(_bytes_of, tokens))
        return [data.decode(errors="surrogateescape" if self.keeps_bytes else "replace")]


def _bytes_of(token: str) -> bytes:
    try:
        return bytes([BYTE_OF_CHARACTER[character] for character in token])
    except KeyError:
        return token.encode()


@dataclass(frozen=True)
class WordPiece(Decoder):
    """Put spaces between words; `prefix` marks the tokens that continue a word."""

    prefix: str
    cleans_up: bool

    def steps(self, tokens: list[str], most: int) -> list[str]:
        first, *others = tokens or [""]
        spaced = [first, *map(self._with_space, others)]
        return [*map(_cleaned_up, spaced)] if self.cleans_up else spaced

    def _with_space(self, token: str) -> str:
        return token.removeprefix(self.prefix) if token.startswith(self.prefix) else f" {token}"


def _cleaned_up(text: str) -> str:
    return reduce(lambda cleaned, pair: cleaned.replace(*pair), CLEANINGS, text)


@dataclass(frozen=True)
class Metaspace(Decoder):
    """Replace a character by spaces; in the first token remove it, if it was added by the pre-tokenizer."""

    replacement: str
    has_prefix: bool

    def steps(self, tokens: list[str], most: int) -> list[str]:
        first, *others = tokens or [""]
        spaces = ["" if self.has_prefix else " ", *[" "] * len(others)]
        pairs = zip([first, *others], spaces, strict=True)
        return [token.replace(self.replacement, space) for token, space in pairs]


@dataclass(frozen=True)
class EndOfWord(Decoder):
    """BPEDecoder: replace `suffix`, which ends a word, by a space, and remove it from the last token."""

    suffix: str

    def steps(self, tokens: list[str], most: int) -> list[str]:
        return [
            *_replaced(tokens[:-1], self.suffix, " ", most),
            *_replaced(tokens[-1:], self.suffix, "", most),
        ]


@dataclass(frozen=True)
class ByteFallback(Decoder):
    """Convert byte tokens such as <0x0A> to text; a run that is not UTF-8 gives U+FFFD for each byte."""

    keeps_bytes: bool = False

    def steps(self, tokens: list[str], most: int) -> list[str]:
        return [
            text
            for is_byte, run in groupby(tokens, lambda token: BYTE_TOKEN.fullmatch(token) is not None)
            for text in (self._text_of_bytes(run) if is_byte else run)
        ]

    def _text_of_bytes(self, tokens: Iterable[str]) -> list[str]:
        data = bytes(int(token[3:5], 16) for token in tokens)
        try:
            return [data.decode(errors="surrogateescape" if self.keeps_bytes else "strict")]
        except UnicodeDecodeError:
            return [REPLACEMENT] * len(data)


class Fuse(Decoder):
    """Join all tokens into one."""

    def steps(self, tokens: list[str], most: int) -> list[str]:
        return ["".join(tokens)]


@dataclass(frozen=True)
class Strip(Decoder):
    """Remove up to `start` copies of a character at the start of each token, and up to `stop` at its end."""

    content: str
    start: int
    stop: int

    def steps(self, tokens: list[str], most: int) -> list[str]:
        return [*map(self._stripped, tokens)]

    def _stripped(self, token: str) -> str:
        """If both sides strip the same characters, the library crashes; here nothing is left then."""
        n_before = min(len(token) - len(token.lstrip(self.content)), self.start)
        n_behind = min(len(token) - len(token.rstrip(self.content)), self.stop)
        return token[n_before : max(len(token) - n_behind, n_before)]


@dataclass(frozen=True)
class Replace(Decoder):
    """Replace each match of a matcher in a token."""

    matcher: Matcher
    content: str

    def steps(self, tokens: list[str], most: int) -> list[str]:
        errors = "surrogateescape" if isinstance(self.matcher, Literal) else "strict"  # needs characters
        data = [token.encode(errors=errors) for token in tokens]
        ends = np.cumsum([len(each) for each in data], dtype=np.int64)
        text = AlignedText(np.frombuffer(b"".join(data), np.uint8), most=4 * most)  # bytes
        edits = self.matcher.segments(text.data, ends).replaced_by(self.content)
        new, moved = edited_pieces(text, edits, ends)
        joined, edges = new.data.tobytes(), [0, *moved.tolist()]
        return [joined[start:end].decode(errors=errors) for start, end in pairwise(edges)]


@dataclass(frozen=True)
class CTC(Decoder):
    """Decode a speech model: merge repeated tokens, drop padding, put spaces at word ends."""

    pad_token: str
    word_delimiter: str
    cleans_up: bool

    def steps(self, tokens: list[str], most: int) -> list[str]:
        texts = _replaced([token for token, _ in groupby(tokens)], self.pad_token, "", most)
        if self.cleans_up:
            texts = _replaced([*map(_cleaned_up, texts)], self.word_delimiter, " ", most)
        return [text for text in texts if text]


def is_local(decoder: Decoder) -> bool:
    """Whether the text after a token that is neither blank nor a byte is independent of the tokens before it
    and of later tokens.
    """
    is_joined = False
    for part in decoder.parts if isinstance(decoder, Sequence) else (decoder,):
        if isinstance(part, Strip):
            if part.content != " " or (is_joined and part.stop):
                return False
        elif is_joined or not isinstance(part, (Fuse, Spaces, Metaspace, WordPiece, ByteFallback, Replace)):
            return False
        elif isinstance(part, Replace) and not isinstance(part.matcher, Literal):
            return False  # a regular expression needs characters, which changes how all bytes are read
        is_joined |= isinstance(part, (Fuse, Spaces))
    return True


def _replaced(tokens: list[str], old: str, new: str, most: int) -> list[str]:
    growth = max(len(new) - len(old), 0) * sum(token.count(old) for token in tokens)
    _check_size(_size(tokens) + growth, most)
    return [token.replace(old, new) for token in tokens]


def _size(tokens: list[str]) -> int:
    """The total number of characters, plus one for each token."""
    return sum(map(len, tokens)) + len(tokens)


def _check_size(size: int, most: int) -> None:
    if size > most:
        raise EncodeError(
            f"The file's decoder makes {size:,} characters or more of a few tokens. Decode less."
        )


def with_bytes_preserved(decoder: Decoder) -> Decoder:
    """The same decoder, but bytes that are not UTF-8 become lone surrogates, as with `surrogateescape`."""
    if isinstance(decoder, Sequence):
        return Sequence(tuple(map(with_bytes_preserved, decoder.parts)))
    return type(decoder)(keeps_bytes=True) if isinstance(decoder, ByteLevel | ByteFallback) else decoder


def decoder_of(spec: Any) -> Decoder:
    """The decoder that a JSON object describes; None puts spaces between tokens.  Raises ComponentError."""
    return Spaces() if spec is None else _read(Spec("decoder", spec))


def _read(spec: Spec) -> Decoder:
    match spec.type:
        case "Sequence":
            return Sequence(tuple(map(_read, spec.parts("decoders"))))
        case "ByteLevel":
            return ByteLevel()
        case "WordPiece":
            return WordPiece(spec.text("prefix"), spec.flag("cleanup"))
        case "Metaspace":
            metaspace = metaspace_of(spec)
            return Metaspace(metaspace.replacement, metaspace.scheme != "never")
        case "BPEDecoder":
            return EndOfWord(spec.text("suffix"))
        case "ByteFallback":
            return ByteFallback()
        case "Fuse":
            return Fuse()
        case "Strip":
            return Strip(spec.character("content"), spec.count("start"), spec.count("stop"))
        case "Replace":
            return Replace(matcher_of(spec), spec.text("content"))
        case "CTC":
            return CTC(spec.text("pad_token"), spec.text("word_delimiter_token"), spec.flag("cleanup"))
    raise spec.unknown()
