"""The texts to encode: files, folders, samples, random tokens of a vocabulary, and a tutorial's line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import numpy as np

from guiapp.analysis.chat.chat import chat_of
from guiapp.analysis.chat.messages import ChatSettings, conversation_of
from guiapp.core.demo import SAMPLES, sample_text
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.sources.files import InputTooLongError, read_input
from guiapp.core.text.numbers_in_words import in_bytes
from guiapp.core.text.utf8 import is_text
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.errors import ChatError, TokenloupeError

SAMPLE = "sample:"
RANDOM, TUTORIAL = "random", "tutorial"
TUTORIAL_LINE = "汉武帝飞🚀向了浩瀚无穷的宇宙 😍 🦄 🐉   [INST] Hello, 世界!🤔\r\n"
TUTORIAL_TIMES = 100
RANDOM_BYTES = 200_000
MOST_BYTES = 1_000_000_000  # of a file, or of all files of a folder: contenders hold several copies
WORST_TEXTS = ("one letter", "random letters", "joined tokens")
FRESH_SAMPLES = ("english", "everyday", "code", "languages")
ROLES = "user", "assistant"
DEFAULT = (f"{SAMPLE}english", f"{SAMPLE}code", f"{SAMPLE}languages", TUTORIAL)


class CorpusError(TokenloupeError):
    """A corpus that cannot be read; the message states the reason."""


@dataclass(frozen=True)
class BenchText:
    """A text and its name in results."""

    name: str
    text: bytes


def is_made(name: str) -> bool:
    """Whether a corpus is built in, not a file or folder."""
    return name in (RANDOM, TUTORIAL) or name.startswith(SAMPLE)


def corpus_named(name: str, vocabulary: Vocabulary, seed: int = 0) -> BenchText:
    """The text of a file, a folder, `sample:NAME`, `random` or `tutorial`; raises CorpusError."""
    if name == RANDOM:
        return BenchText(name, random_text(vocabulary, RANDOM_BYTES, seed))
    if name == TUTORIAL:
        return BenchText(name, TUTORIAL_LINE.encode() * TUTORIAL_TIMES)
    if name.startswith(SAMPLE):
        return BenchText(name, _sample(name.removeprefix(SAMPLE)))
    text = _read(Path(name))
    if not text:
        raise CorpusError(f"{name} is empty. Choose a corpus that has text.")
    return BenchText(Path(name).name or name, text)


def _sample(name: str) -> bytes:
    try:
        return sample_text(name)
    except KeyError as error:
        known = ", ".join(sample.name for sample in SAMPLES)
        raise CorpusError(f"There is no sample “{name}”. Choose one of: {known}.") from error


def _read(path: Path) -> bytes:
    """The bytes of a file, or of all files below a folder in the order of their names; at most MOST_BYTES."""
    try:
        if not path.is_dir():
            return _read_file(path, MOST_BYTES)
        texts: list[bytes] = []
        left = MOST_BYTES
        for file in sorted(path.rglob("*")):
            if file.is_file():
                texts.append(_read_file(file, left))
                left -= len(texts[-1])
        return b"\n".join(texts)
    except OSError as error:
        raise CorpusError(
            f"{path} cannot be read: {error.strerror}. A corpus is a file, a folder, {SAMPLE}NAME, "
            f"{RANDOM} or {TUTORIAL}."
        ) from error


def _read_file(path: Path, most_bytes: int) -> bytes:
    """The bytes of a file or a pipe; raises CorpusError if there are more, OSError for a device."""
    try:
        return read_input(path, most_bytes)
    except InputTooLongError as error:
        raise CorpusError(
            f"With {path}, the corpus is larger than {in_bytes(MOST_BYTES)}. "
            "Choose a smaller one: the results will be the same."
        ) from error


def stretched(text: bytes, size_bytes: int) -> bytes:
    """The text, repeated as needed, cut between characters, and padded with spaces to the size."""
    text = text or b" "
    repeated = text * (size_bytes // len(text) + 1)
    end = size_bytes
    while end and repeated[end] & 0xC0 == 0x80:
        end -= 1
    return repeated[:end].ljust(size_bytes)


def fresh_text(size_bytes: int, seed: int) -> bytes:
    """Random words of the samples; in scripts without spaces, up to 16 characters count as a word."""
    text = b" ".join(map(sample_text, FRESH_SAMPLES)).decode()
    return _drawn([word.encode() for word in re.findall(r"\s*\S{1,16}", text)], size_bytes, seed)


def random_text(vocabulary: Vocabulary, size_bytes: int, seed: int) -> bytes:
    """Random normal tokens that are valid UTF-8, all equally likely."""
    texts = [text for text in _normal_texts(vocabulary) if is_text(text)]
    return _drawn(texts or [b"a"], size_bytes, seed)


def chat_prompt(tokenizer: Tokenizer, contents: Sequence[str]) -> bytes:
    """Turns of a user and an assistant, formatted by the model's chat template.

    Without a usable template, each turn has one of the model's special tokens at its start and its end.
    """
    messages = [{"role": role, "content": text} for role, text in zip(cycle(ROLES), contents, strict=False)]
    with suppress(ChatError):
        return chat_of(tokenizer, conversation_of(messages), ChatSettings()).text.encode()
    names = tokenizer.special_tokens.names
    start = next((name for name in names if "start" in name), next(iter(names), ""))
    end = next((name for name in names if "end" in name or "eot" in name), start)
    turns = (f"{start}{message['role']}\n{message['content']}{end}\n" for message in messages)
    return "".join(turns).encode()


def worst_texts(vocabulary: Vocabulary, size_bytes: int, seed: int = 0) -> dict[str, bytes]:
    """Texts that pre-tokenization cannot split, by name.

    The last one is made for this vocabulary: its longest tokens of letters only, joined without spaces, so
    that every stage of merging has work and neighbours compete for the letters between them.
    """
    letters = [bytes([letter]) for letter in range(ord("a"), ord("z") + 1)]
    words = sorted((text for text in _normal_texts(vocabulary) if text.isalpha()), key=len, reverse=True)
    longest = words[: max(len(words) // 4, 1)]
    texts = b"a" * size_bytes, _drawn(letters, size_bytes, seed), _drawn(longest or letters, size_bytes, seed)
    return dict(zip(WORST_TEXTS, texts, strict=True))


def _normal_texts(vocabulary: Vocabulary) -> Iterator[bytes]:
    for token in np.flatnonzero(vocabulary.attributes & Attribute.NORMAL).tolist():
        if text := vocabulary.token_bytes(token):
            yield text


def _drawn(texts: list[bytes], size_bytes: int, seed: int) -> bytes:
    """Randomly drawn texts, joined and cut to the size."""
    generator = np.random.default_rng(seed)
    lengths = np.array([len(text) for text in texts])
    n_texts = int(size_bytes / lengths.mean() * 1.5) + 16
    drawn = b"".join(map(texts.__getitem__, generator.integers(0, len(texts), n_texts).tolist()))
    return stretched(drawn, size_bytes)
