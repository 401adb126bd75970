"""The cache of Hugging Face's libraries: a folder for each repository, with snapshots by commit.

Source: https://huggingface.co/docs/huggingface_hub/guides/manage-cache.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from guiapp.core.sources.small_files import text_of
from guiapp.core.sources.tokenizer_files import files_in

MAIN = "main"


def models() -> Iterator[tuple[str, Path]]:
    """`owner/name/file` for each tokenizer's file in the newest snapshot of each model."""
    for repository in sorted(folder().glob("models--*")):
        owner_and_name = repository.name.removeprefix("models--").replace("--", "/")
        snapshot = snapshot_of(owner_and_name, MAIN)
        if snapshot is not None:
            for name, path in files_in(snapshot):
                yield f"{owner_and_name}/{name}", path


def snapshot_of(owner_and_name: str, revision: str) -> Path | None:
    """The folder of a revision (a branch, tag or commit), where it is here.

    Where nothing says which commit the main branch is, the newest that is here.
    """
    repository = folder() / f"models--{owner_and_name.replace('/', '--')}"
    commit = text_of(repository / "refs" / revision).strip() or revision
    snapshot = repository / "snapshots" / commit
    if snapshot.parent == repository / "snapshots" and commit not in (".", "..") and snapshot.is_dir():
        return snapshot
    return _newest(repository / "snapshots") if revision == MAIN else None


def folder() -> Path:
    """As the libraries' environment variables say."""
    for variable, inner in (("HF_HUB_CACHE", ""), ("HUGGINGFACE_HUB_CACHE", ""), ("HF_HOME", "hub")):
        if chosen := os.environ.get(variable):
            return Path(chosen).expanduser() / inner
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "huggingface" / "hub"


def _newest(snapshots: Path) -> Path | None:
    try:
        found = [each for each in snapshots.iterdir() if each.is_dir()]
        return max(found, key=lambda each: each.stat().st_mtime, default=None)
    except OSError:
        return None
