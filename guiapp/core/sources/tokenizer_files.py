"""Which files of a folder may be tokenizers, by their names alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from guiapp.core.text.numbers_in_words import quoted
from guiapp.errors import VocabError
from guiapp.native.checkpoint import stoppable

MOST_FILES = 20_000  # that are looked at in a folder and all in it
DEEPEST = 6  # folders in folders
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
"""What programs and people call them, in the order in which one of a folder is chosen."""

N_TOLD = 10  # of them, where none is there


def preferred(paths: Iterable[str]) -> str | None:
    """Which of the files in a folder, and in those in it, is its tokenizer; None where none is."""
    known = (path for path in paths if is_tokenizer_name(name_in(path)))
    return min(known, key=lambda path: (path.count("/"), _rank(name_in(path)), path), default=None)


def name_in(path: str) -> str:
    """Behind the last folder of a path with slashes."""
    return path.rpartition("/")[2]


def is_tokenizer_name(name: str) -> bool:
    """Whether a file called so may be a tokenizer's; later parts of split models have no vocabulary."""
    lower = name.lower()
    if lower.endswith(".gguf") and (
        lower.startswith("mmproj") or ("-of-" in lower and "-00001-of-" not in lower)
    ):
        return False
    return _rank(name) < len(KINDS)


def _rank(name: str) -> int:
    """The place of its kind among all, the number of these for others."""
    lower = name.lower()
    return next((rank for rank, kind in enumerate(KINDS) if fnmatchcase(lower, kind)), len(KINDS))


def file_in(folder: Path) -> Path:
    """The tokenizer's file of a folder in which one model lies, such as a snapshot of a repository.

    Raises VocabError where there is none, or where several models lie side by side.
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
    """The files with wanted names in a folder and those in it, each with its path from there.

    Hidden folders are left out, and so is what cannot be read, lies deep, or behind MOST_FILES others.  Links
    to folders are followed, into each folder once.
    """
    n_seen, been = 0, set[tuple[int, int]]()
    if not os.path.isdir(folder):  # also where settings name what can be no path
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
    except OSError:  # gone since
        return 0, 0
    return state.st_dev, state.st_ino
