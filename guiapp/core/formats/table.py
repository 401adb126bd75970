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
from guiapp.core.formats.tokenizer_config import sidecar_paths
from guiapp.core.sources.file_hash import file_hash
from guiapp.core.sources.tokenizer_files import file_in
from guiapp.core.vocabulary.header_bytes import FileState, file_state, open_regular
from guiapp.core.vocabulary.opening import Opening
from guiapp.core.vocabulary.quoting import quoted
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.errors import VocabError

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


class OpenedFiles(NamedTuple):
    """The files that a vocabulary was read from, by which it can be read again: what it is pickled as.

    path         of the tokenizer; configs may lie beside it
    states       of the path and of all that may be read with it, as they were then
    pre          the pre-tokenizer that was chosen by hand
    whole_bytes  the size of the file, where only its front is here
    """

    path: Path
    states: tuple[FileState | None, ...]
    pre: str | None
    whole_bytes: int | None

    @classmethod
    def now(cls, path: Path, pre: str | None, whole_bytes: int | None) -> OpenedFiles:
        states = tuple(map(file_state, (path, *sidecar_paths(path))))
        return cls(path.absolute(), states, pre, whole_bytes)

    def reduced(self) -> tuple[Callable[..., Vocabulary], tuple[object, ...]]:
        """For `pickle`; raises VocabError where the files are no longer those that were opened."""
        if self.states[0] is None or self != self.now(self.path, self.pre, self.whole_bytes):
            raise VocabError(f"{quoted(self.path.name)} has changed since it was opened. Open it again.")
        return _opened_again, (self.path, self.pre, self.whole_bytes, _hashes(self.path))


def _opened_again(path: Path, pre: str | None, whole_bytes: int | None, hashes: list[str]) -> Vocabulary:
    """What was pickled; raises VocabError where the files are no longer there, or others."""
    if _hashes(path) != hashes:
        raise VocabError(
            f"{quoted(path.name)}, or a file beside it, is no longer the one that was pickled. Open it again."
        )
    opening = Opening(lambda share: None)
    opening.whole_bytes = whole_bytes
    return load_vocabulary(path, opening, pre)


def _hashes(path: Path) -> list[str]:
    return [file_hash(each) if each.is_file() else "" for each in (path, *sidecar_paths(path))]


class LastVocabulary:
    """The vocabulary opened last, as long as its files stay as they were; another would cost up to 40 MB."""

    def __init__(self) -> None:
        self._cached: Vocabulary | None = None  # replaced at once, for other threads

    def get(self, files: OpenedFiles) -> Vocabulary | None:
        cached = self._cached
        return cached if cached is not None and cached.opened_files == files else None

    def put(self, vocabulary: Vocabulary) -> None:
        self._cached = vocabulary

    def clear(self) -> None:
        self._cached = None


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
    files = OpenedFiles.now(path, pre, opening.whole_bytes)
    vocabulary = LAST.get(files)
    if vocabulary is None:
        file_format = format_of(path)
        vocabulary = replace(file_format.read(path, opening, pre), format=file_format.name).opened_from(files)
        if files.states[0] is not None and OpenedFiles.now(path, pre, opening.whole_bytes) == files:
            LAST.put(vocabulary)
    return vocabulary


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
