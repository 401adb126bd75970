"""Find `hf:owner/name[@revision][/file]` in the cache of Hugging Face's libraries, else on the hub."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from os.path import isfile
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

from guiapp.core.sources import cached
from guiapp.core.sources.cached import CachedFile
from guiapp.core.sources.files import json_object, text_of
from guiapp.core.sources.tokenizer_files import files_in, name_in, preferred
from guiapp.core.sources.web import hub, hub_path
from guiapp.core.text.numbers_in_words import quoted
from guiapp.errors import VocabError

MAIN, PREFIX = "main", "models--"
Fetch = Callable[[str], CachedFile]

# A slash in a revision is written as %2F; old models have no owner.
NAME = re.compile(
    r"(?P<repository>[\w.-]+/[\w.-]+?|[\w.-]+?(?=@|$))(?:@(?P<revision>[\w.%-]+))?(?:/(?P<file>[^/@].*))?",
    re.ASCII,
)
ADDRESS = re.compile(
    r"/(?P<repository>[\w.-]+(?:/[\w.-]+)?)/(?:blob|raw|resolve|tree)/(?P<revision>[^/?#]+)(?P<file>/[^?#]+)?",
    re.ASCII,
)
ROLES = ("tokenizer_config.json", "special_tokens_map.json")
LISTS = (*ROLES, "added_tokens.json", "config.json")
READ_WITH = {
    "tokenizer.json": ROLES,
    "vocab.json": ("merges.txt", *LISTS),
    "merges.txt": ("vocab.json", *LISTS),
    "vocab.txt": LISTS,
}
"""The sidecar files that are read with a file."""


class HubName(NamedTuple):
    """A name after `hf:`.

    file  "" for the repository's tokenizer, whatever its name
    """

    repository: str
    revision: str
    file: str


def hub_file(name: str, fetch: Fetch) -> CachedFile:
    """The file that a name means; its sidecar files are fetched too.  Raises VocabError.

    `fetch` is called with the address of each file that is not in the cache of Hugging Face's libraries.
    """
    requested = parsed(name)
    if (here := _in_cache(requested)) is not None:
        return CachedFile(here)
    if requested.file and name_in(requested.file) not in READ_WITH:
        return fetch(_address(requested, requested.file))
    names = _files_of(requested, fetch)
    chosen = requested.file or preferred(names)
    if not chosen:
        raise VocabError(f"{requested.repository} has no tokenizer file. Choose another repository.")
    where, _, last = chosen.rpartition("/")
    for sidecar in (f"{where}/{other}".lstrip("/") for other in READ_WITH.get(last, ())):
        if sidecar in names:
            fetch(_address(requested, sidecar))
    return fetch(_address(requested, chosen))


def name_of(url: str) -> str | None:
    """The name after `hf:` for the address of a file on the hub; None for other addresses."""
    parts = ADDRESS.fullmatch((hub_path(url) or "").partition("?")[0])
    if parts is None:
        return None
    is_usual = parts["revision"] == MAIN and "/" in parts["repository"]
    revision = "" if is_usual else f"@{parts['revision']}"
    return f"{parts['repository']}{revision}{unquote(parts['file'] or '')}"


def cached_models() -> Iterator[tuple[str, Path]]:
    """Files fetched from the web, by name: `hf:owner/name/file` if on the hub, else the address."""
    for url, path in cached.models():
        name = name_of(url)
        yield url if name is None else f"hf:{name}", path


def parsed(name: str) -> HubName:
    """Parse the name after `hf:`; raises VocabError if it does not name a repository."""
    match = NAME.fullmatch(name)
    if match is None or ".." in unquote(name):
        raise VocabError(
            f"“hf:{quoted(name)}” is not a repository. Write hf:OWNER/NAME or hf:OWNER/NAME@REVISION/FILE."
        )
    return HubName(match["repository"], unquote(match["revision"] or MAIN), match["file"] or "")


def _files_of(requested: HubName, fetch: Fetch) -> list[str]:
    """The names of all files of a repository."""
    revision = quote(requested.revision, safe="")
    answer = json_object(fetch(f"{hub()}/api/models/{requested.repository}/revision/{revision}").path)
    rows = answer.get("siblings")
    return (
        [str(row.get("rfilename")) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    )


def _address(requested: HubName, file: str) -> str:
    return f"{hub()}/{requested.repository}/resolve/{quote(requested.revision, safe='')}/{quote(file)}"


def _in_cache(requested: HubName) -> Path | None:
    snapshot = snapshot_of(requested.repository, requested.revision)
    if snapshot is None:
        return None
    name = requested.file or preferred(dict(files_in(snapshot)))
    return snapshot / name if name and isfile(snapshot / name) else None


# The cache of Hugging Face's libraries: a folder for each repository, with snapshots by commit


def models() -> Iterator[tuple[str, Path]]:
    """`owner/name` for the tokenizer in the newest snapshot of each model, with `/file` for others in it.

    Old models have no owner; their files are named `name@main/file`.
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
    """The cached folder of a revision (a branch, tag or commit); None if it is not cached.

    If the commit of the main branch is unknown, the newest cached snapshot.
    """
    cached = folder() / f"{PREFIX}{repository.replace('/', '--')}"
    snapshots, commit = (
        _names_in(cached / "snapshots"),
        text_of(cached / "refs" / revision).strip() or revision,
    )
    if commit in snapshots:
        return cached / "snapshots" / commit
    newest = max((cached / "snapshots" / name for name in snapshots), key=_changed_s, default=None)
    return newest if revision == MAIN else None


def folder() -> Path:
    """The cache folder, by the environment variables of Hugging Face's libraries."""
    for variable, inner in (("HF_HUB_CACHE", ""), ("HUGGINGFACE_HUB_CACHE", ""), ("HF_HOME", "hub")):
        if chosen := os.environ.get(variable):
            return Path(chosen).expanduser() / inner
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "huggingface" / "hub"


def _names_in(folder: Path) -> list[str]:
    """The names in a folder; empty if it cannot be read."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _changed_s(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
