"""The formats that tokenizers are read from.

A new format is one file beside this one, with `sniff` and `read` as below, and one row of FORMATS.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from guiapp.core.formats import (
    clip,
    gguf,
    rwkv,
    sentencepiece,
    tekken,
    tiktoken,
    tokenizer_bin,
    tokenizer_json,
    vocab_json,
    vocab_txt,
)
from guiapp.core.formats.tokenizer_config import paths_beside
from guiapp.core.sources.tokenizer_files import file_in
from guiapp.core.vocab.header_bytes import FileState, file_state, open_regular
from guiapp.core.vocab.opening import Opening
from guiapp.core.vocab.vocabulary import Vocabulary

HEAD_BYTES = 1 << 12


class Format(NamedTuple):
    """A kind of file.

    name   as people call it
    sniff  whether a file is of this kind, by its first bytes
    read   the vocabulary in a file, told of the stages, and of the name of what is to split the text instead
           of what the file says; raises VocabError, and UnknownPreError where only such a name helps
    """

    name: str
    sniff: Callable[[bytes], bool]
    read: Callable[[Path, Opening, str | None], Vocabulary]


FORMATS = (
    Format("GGUF", gguf.sniff, gguf.read),
    Format("tekken.json", tekken.sniff, tekken.read),
    Format("tokenizer.json", tokenizer_json.sniff, tokenizer_json.read),
    Format("tiktoken", tiktoken.sniff, tiktoken.read),
    Format("RWKV vocabulary", rwkv.sniff, rwkv.read),
    Format("vocab.json and merges.txt", vocab_json.sniff, vocab_json.read),
    Format("vocab.txt", vocab_txt.sniff, vocab_txt.read),
    Format("CLIP's merges", clip.sniff, clip.read),
    Format("SentencePiece", sentencepiece.sniff, sentencepiece.read),
    Format("tokenizer.bin", tokenizer_bin.sniff, tokenizer_bin.read),
)

_Key = tuple[Path, tuple[FileState | None, ...], str | None]  # the last is the pre-tokenizer chosen by hand


class LastVocabulary:
    """The vocabulary opened last, as long as its files stay as they were; another would cost up to 40 MB."""

    def __init__(self) -> None:
        self._kept: tuple[_Key, Vocabulary] | None = None  # replaced at once, for other threads

    def get(self, key: _Key) -> Vocabulary | None:
        kept = self._kept
        return kept[1] if kept is not None and kept[0] == key else None

    def put(self, key: _Key, vocabulary: Vocabulary) -> None:
        self._kept = key, vocabulary

    def clear(self) -> None:
        self._kept = None


LAST = LastVocabulary()


def load_vocabulary(
    path: str | PathLike[str], opening: Opening | None = None, pre: str | None = None
) -> Vocabulary:
    """Read the tokenizer in a file of any format, or in a folder; of a GGUF file only the header.

    `pre` is a name to split text by instead of what the file says.
    `opening` is told of each stage.
    Raises VocabError for every file that holds no usable vocabulary.
    """
    path, opening = Path(path), opening or Opening(lambda share: None)
    if os.path.isdir(path):  # Path's own raises where it must not look
        path = file_in(path)
    key = _key_of(path, pre)
    vocabulary = LAST.get(key)
    if vocabulary is None:
        found = format_of(path)
        vocabulary = replace(found.read(path, opening, pre), format=found.name)
        if key[1][0] is not None and _key_of(path, pre) == key:
            LAST.put(key, vocabulary)
    return vocabulary


def _key_of(path: Path, pre: str | None) -> _Key:
    return path.absolute(), tuple(map(file_state, (path, *paths_beside(path)))), pre


def format_of(path: Path) -> Format:
    """By the first bytes; GGUF, whose reader says what is wrong, for what no format begins with.

    Raises VocabError where the file cannot be read.
    """
    head = b""
    with open_regular(path) as file, suppress(OSError):  # the reader meets it again, and says so
        head = file.read(HEAD_BYTES)
    return next((each for each in FORMATS if each.sniff(head)), FORMATS[0])


def is_tokenizer(head: bytes) -> bool:
    """Whether a file that begins so is of a known format."""
    return any(each.sniff(head) for each in FORMATS)
