"""Which files of a folder may be tokenizers, by their names alone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from guiapp.core.errors import VocabError
from guiapp.core.system.checkpoint import stoppable
from guiapp.core.vocab.quoting import quoted

MOST_FILES = 20_000  # that are looked at in a folder and all in it
DEEPEST = 6  # folders in folders
KINDS = (
    "tokenizer.json",
    "tekken.json",
    "tokenizer.model",
    "tokenizer.model.v*",
    "spiece.model",
    "sentencepiece.bpe.model",
    "tokenizer.bin",
    "*.tiktoken",
    "vocab.json",
    "vocab.txt",
    "rwkv_vocab*.txt",
    "bpe_simple_vocab*.txt.gz",
    "*.gguf",
)
"""What programs call them, in the order in which one of a folder is chosen."""


def preferred(names: Iterable[str]) -> str | None:
    """Which of the files of a folder is its tokenizer; None where none is."""
    known = sorted(name for name in names if is_tokenizer_name(name) and "/" not in name)
    return min(known, key=_rank, default=None)


def is_tokenizer_name(name: str) -> bool:
    """Whether a file called so may be a tokenizer's; later parts of split models have no vocabulary."""
    lower = name.lower()
    if lower.endswith(".gguf") and (("-of-" in lower and "-00001-of-" not in lower) or "mmproj" in lower[:6]):
        return False
    return _rank(name.rpartition("/")[2]) < len(KINDS)


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
        looked_for = f"{', '.join(KINDS[:-1])} and {KINDS[-1]}"
        raise VocabError(
            f"The folder {name} holds no tokenizer: looked for were {looked_for}. Choose another."
        )
    rivals = [other for other in names if is_tokenizer_name(other) and _rank(other) == _rank(chosen)]
    if len(rivals) > 1 and "*" in KINDS[_rank(chosen)]:
        raise VocabError(
            f"The folder {name} holds {len(rivals):,} models: {quoted(chosen)} is one of them. "
            "Choose one by its file."
        )
    return folder / chosen


def files_in(folder: Path) -> Iterator[tuple[str, Path]]:
    """The files of tokenizers in a folder and those in it, each with its path from there.

    Hidden folders are left out, and so is what lies deep, or behind MOST_FILES others.
    """
    n_seen = 0
    for where, inner, names in stoppable(os.walk(folder)):
        is_deep = len(Path(where).relative_to(folder).parts) >= DEEPEST
        inner[:] = [] if is_deep else sorted(name for name in inner if not name.startswith("."))
        for name in sorted(names):
            if is_tokenizer_name(name):
                path = Path(where, name)
                yield path.relative_to(folder).as_posix(), path
        n_seen += len(names) + len(inner)
        if n_seen > MOST_FILES:
            return
