"""Find the files in a folder that may be tokenizers, by their names alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from guiapp.core.text.numbers_in_words import quoted
from guiapp.errors import VocabError
from guiapp.native.checkpoint import stoppable

MOST_FILES = 20_000  # checked in a folder and its subfolders
DEEPEST = 6  # levels of subfolders
KINDS = (
    "tokenizer.json",
    "tekken.json",
    "tokenizer.model",
    "tokenizer.model.v*",
    "spiece.model",
    "sentencepiece.bpe.model",
    "spm.model",
    "source.spm",
    "ice_text.model",
    "tiktoken.model",
    "tokenizer.bin",
    "*.tiktoken",
    "vocab.json",
    "vocab.txt",
    "rwkv_vocab*.txt",
    "bpe_simple_vocab*.txt.gz",
    "*.tokenizer.json",
    "tekken*.json",
    "*.tokenizer.model",
    "*.tokenizer.model.v*",
    "*.gguf",
)
"""Patterns of file names, in the order in which a folder's tokenizer is chosen."""

N_TOLD = 10  # patterns in the message about a folder without a tokenizer


def preferred(paths: Iterable[str]) -> str | None:
    """The tokenizer among the files of a folder and its subfolders; None if there is none."""
    known = (path for path in paths if is_tokenizer_name(name_in(path)))
    return min(known, key=lambda path: (path.count("/"), _rank(name_in(path)), path), default=None)


def name_in(path: str) -> str:
    """The file name in a path with slashes."""
    return path.rpartition("/")[2]


def is_tokenizer_name(name: str) -> bool:
    """Whether a file of this name may be a tokenizer; later parts of split models have no vocabulary."""
    lower = name.lower()
    if lower.endswith(".gguf") and (
        lower.startswith("mmproj") or ("-of-" in lower and "-00001-of-" not in lower)
    ):
        return False
    return _rank(name) < len(KINDS)


def _rank(name: str) -> int:
    """The index of the first pattern in KINDS that matches; len(KINDS) if none does."""
    lower = name.lower()
    return next((rank for rank, kind in enumerate(KINDS) if fnmatchcase(lower, kind)), len(KINDS))


def file_in(folder: Path) -> Path:
    """The tokenizer's file in the folder of one model, such as a snapshot of a repository.

    Raises VocabError if there is none, or if the folder has several models.
    """
    name = quoted(folder.name or str(folder))
    try:
        names = os.listdir(folder)
    except OSError as error:
        raise VocabError(
            f"The folder {name} cannot be read: {error.strerror}. Check its permissions."
        ) from error
    chosen = preferred(names)
    if chosen is None:
        looked_for = ", ".join(KINDS[:N_TOLD])
        raise VocabError(f"The folder {name} has no tokenizer, such as {looked_for}. Choose another folder.")
    competitors = [other for other in names if is_tokenizer_name(other) and _rank(other) == _rank(chosen)]
    if len(competitors) > 1 and "*" in KINDS[_rank(chosen)]:
        n_models = sum(map(is_tokenizer_name, names))
        raise VocabError(
            f"The folder {name} has {n_models:,} models, such as {quoted(chosen)}. Choose one by its file."
        )
    return folder / chosen


def files_in(folder: Path, is_match: Callable[[str], bool] = is_tokenizer_name) -> Iterator[tuple[str, Path]]:
    """The matching files in a folder and its subfolders, each with its relative and its full path.

    Hidden, unreadable and too deep folders are left out; the search ends after MOST_FILES files.  Links to
    folders are followed, but each folder is visited once.
    """
    n_seen, been = 0, set[tuple[int, int]]()
    if not os.path.isdir(folder):  # also for an invalid path in the settings
        return
    for where, inner, names in stoppable(os.walk(folder, followlinks=True)):
        if (identity := _identity(where)) in been:
            inner[:] = []
            continue
        been.add(identity)
        is_deep = len(Path(where).relative_to(folder).parts) >= DEEPEST
        inner[:] = [] if is_deep else sorted(name for name in inner if not name.startswith("."))
        for name in sorted(names):
            if is_match(name):
                path = Path(where, name)
                yield path.relative_to(folder).as_posix(), path
        n_seen += len(names) + len(inner)
        if n_seen > MOST_FILES:
            return


def _identity(folder: str) -> tuple[int, int]:
    try:
        state = os.stat(folder)
    except OSError:  # deleted meanwhile
        return 0, 0
    return state.st_dev, state.st_ino
