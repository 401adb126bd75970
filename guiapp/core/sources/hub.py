"""`hf:owner/name[@revision][/file]`: in the cache of Hugging Face's libraries, else on the hub."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

from guiapp.core.errors import VocabError
from guiapp.core.sources import hub_cache
from guiapp.core.sources.fetch import fetched
from guiapp.core.sources.kept import Kept
from guiapp.core.sources.small_files import json_object
from guiapp.core.sources.tokenizer_files import preferred
from guiapp.core.sources.web import HUB_TOKEN
from guiapp.core.vocab.opening import Opening
from guiapp.core.vocab.quoting import quoted

USUAL_ENDPOINT = "https://huggingface.co"
# A revision that has a slash is written with %2F.
NAME = re.compile(
    r"(?P<repository>[\w.-]+/[\w.-]+?)(?:@(?P<revision>[\w.%-]+))?(?:/(?P<file>[^/@].*))?", re.ASCII
)
ROLES = ("tokenizer_config.json", "special_tokens_map.json")
LISTS = (*ROLES, "added_tokens.json", "config.json")
READ_WITH = {
    "tokenizer.json": ROLES,
    "vocab.json": ("merges.txt", *LISTS),
    "merges.txt": ("vocab.json", *LISTS),
    "vocab.txt": LISTS,
}


class HubName(NamedTuple):
    """What `hf:` is followed by.

    file  "" for whichever of the repository's is its tokenizer
    """

    repository: str
    revision: str
    file: str


class Hub:
    """The server, as the environment says."""

    def __init__(self) -> None:
        self._endpoint = os.environ.get("HF_ENDPOINT", USUAL_ENDPOINT).rstrip("/")
        token = os.environ.get(HUB_TOKEN)
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def files_of(self, wanted: HubName, opening: Opening) -> list[str]:
        """The names of all files of a repository; raises VocabError."""
        url = f"{self._endpoint}/api/models/{wanted.repository}/revision/{quote(wanted.revision, safe='')}"
        said = json_object(fetched(url, self._headers, opening).path).get("siblings")
        rows = said if isinstance(said, list) else []
        return [str(row.get("rfilename")) for row in rows if isinstance(row, dict)]

    def file(self, wanted: HubName, name: str, opening: Opening) -> Kept:
        """One of them; raises VocabError."""
        path = f"{wanted.repository}/resolve/{quote(wanted.revision, safe='')}/{quote(name)}"
        return fetched(f"{self._endpoint}/{path}", self._headers, opening)


def hub_file(name: str, opening: Opening) -> Kept:
    """The file that a name means, and those that are read with it beside it; raises VocabError."""
    wanted = parsed(name)
    if (here := _in_cache(wanted)) is not None:
        return Kept(here)
    hub = Hub()
    folder, slash, name = wanted.file.rpartition("/")
    if wanted.file and name not in READ_WITH:
        return hub.file(wanted, wanted.file, opening)
    names = hub.files_of(wanted, opening)
    chosen = name or preferred(names)
    if chosen is None:
        raise VocabError(f"{wanted.repository} has no file of a tokenizer. Choose another repository.")
    beside = {f"{folder}{slash}{each}" for each in READ_WITH.get(chosen, ())}
    for each in beside.intersection(names):
        hub.file(wanted, each, opening)
    return hub.file(wanted, f"{folder}{slash}{chosen}", opening)


def parsed(name: str) -> HubName:
    """Raises VocabError for what names no repository."""
    match = NAME.fullmatch(name)
    if match is None or ".." in unquote(name):
        raise VocabError(
            f"“hf:{quoted(name)}” names no repository. Write hf:OWNER/NAME or hf:OWNER/NAME@REVISION/FILE."
        )
    return HubName(match["repository"], unquote(match["revision"] or hub_cache.MAIN), match["file"] or "")


def _in_cache(wanted: HubName) -> Path | None:
    snapshot = hub_cache.snapshot_of(wanted.repository, wanted.revision)
    if snapshot is None:
        return None
    name = wanted.file or preferred([each.name for each in snapshot.iterdir()])
    return snapshot / name if name and (snapshot / name).is_file() else None
