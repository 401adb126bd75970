"""The formats that tokenizers are read from.

A new format is one file beside this one, with `sniff` and `read` as below, and one row of FORMATS.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
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
from guiapp.core.formats.tokenizer_config import files_beside
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

_States = tuple[FileState | None, ...]  # of a file and all that may lie beside it
_Key = tuple[Path, _States, str | None]  # the last is the pre-tokenizer chosen by hand


class RecentVocabularies:
    """The vocabularies opened last, as long as their files stay as they were; each may be large."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._lock = threading.Lock()
        self._found: OrderedDict[_Key, Vocabulary] = OrderedDict()

    def get(self, key: _Key) -> Vocabulary | None:
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
            return self._found.get(key)

    def put(self, key: _Key, vocabulary: Vocabulary) -> None:
        with self._lock:
            self._found[key] = vocabulary
            while len(self._found) > self._capacity:
                self._found.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._found.clear()


RECENT = RecentVocabularies(capacity=1)  # another would cost up to 40 MB, and to read it anew takes 0.05 s


def load_vocabulary(
    path: str | PathLike[str], opening: Opening | None = None, pre: str | None = None
) -> Vocabulary:
    """Read the tokenizer in a file of any format, or in a folder; of a GGUF file only the header.

    `pre` is a name to split text by instead of what the file says.
    `opening` is told of each stage.
    Raises VocabError for every file that holds no usable vocabulary.
    """
    path, opening = Path(path), opening or Opening(_ignore)
    if os.path.isdir(path):  # Path's own raises where it must not look
        path = file_in(path)
    states = _states(path)
    vocabulary = RECENT.get((path.absolute(), states, pre)) if states else None
    if vocabulary is None:
        found = format_of(path)
        vocabulary = replace(found.read(path, opening, pre), format=found.name)
        if states and _states(path) == states:
            RECENT.put((path.absolute(), states, pre), vocabulary)
    return vocabulary


def _states(path: Path) -> _States:
    """What identifies the present content; empty where there is none to look at."""
    state = file_state(path)
    return () if state is None else (state, *map(file_state, files_beside(path)))


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


def _ignore(_share: float) -> None:
    pass
