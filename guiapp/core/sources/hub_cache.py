"""The cache of Hugging Face's libraries: a folder for each repository, with snapshots by commit.

Source: https://huggingface.co/docs/huggingface_hub/guides/manage-cache.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from guiapp.core.sources.small_files import text_of
from guiapp.core.sources.tokenizer_files import files_in, preferred

MAIN, PREFIX = "main", "models--"


def models() -> Iterator[tuple[str, Path]]:
    """`owner/name` for the tokenizer in the newest snapshot of each model, with `/file` for others in it.

    Old models have no owner; of them it is `name@main/file`.
    """
    for name in sorted(_names_in(folder())):
        repository = name.removeprefix(PREFIX).replace("--", "/", 1)
        snapshot = snapshot_of(repository, MAIN) if name.startswith(PREFIX) else None
        files = {} if snapshot is None else dict(files_in(snapshot))
        usual = preferred(files)
        where = repository if "/" in repository else f"{repository}@{MAIN}"
        for file, path in files.items():
            yield repository if file == usual else f"{where}/{file}", path


def snapshot_of(repository: str, revision: str) -> Path | None:
    """The folder of a revision (a branch, tag or commit), where it is here.

    Where nothing says which commit the main branch is, the newest that is here.
    """
    kept = folder() / f"{PREFIX}{repository.replace('/', '--')}"
    snapshots, commit = _names_in(kept / "snapshots"), text_of(kept / "refs" / revision).strip() or revision
    if commit in snapshots:
        return kept / "snapshots" / commit
    newest = max((kept / "snapshots" / name for name in snapshots), key=_changed_s, default=None)
    return newest if revision == MAIN else None


def folder() -> Path:
    """As the libraries' environment variables say."""
    for variable, inner in (("HF_HUB_CACHE", ""), ("HUGGINGFACE_HUB_CACHE", ""), ("HF_HOME", "hub")):
        if chosen := os.environ.get(variable):
            return Path(chosen).expanduser() / inner
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "huggingface" / "hub"


def _names_in(folder: Path) -> list[str]:
    """What is in a folder; nothing where that cannot be told."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _changed_s(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
