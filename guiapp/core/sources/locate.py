"""What people name as MODEL: a path, `demo:bpe`, `ollama:llama3.2` and the like, `hf:owner/name`, a URL."""

from __future__ import annotations

from difflib import get_close_matches
from os import PathLike, fsdecode
from pathlib import Path
from typing import NamedTuple

from guiapp.core.demo import PREFIX, demo_model_path, known_models
from guiapp.core.errors import VocabError
from guiapp.core.sources.installed import PLACES, Place
from guiapp.core.sources.kept import Kept
from guiapp.core.vocab.opening import DOWNLOAD, Opening
from guiapp.core.vocab.quoting import quoted

HUB = "hf"
WEB = ("https://", "http://")


class Located(NamedTuple):
    """Where a model lies.

    whole_bytes  the size of the file, where only its front is here
    remark       what people should know about where it comes from, "" for nothing
    """

    path: Path
    whole_bytes: int | None = None
    remark: str = ""


def located(named: str | bytes | PathLike[str], opening: Opening) -> Located:
    """The file, fetched if it has to be; raises VocabError for the name of nothing."""
    text = fsdecode(named)
    prefix, _, rest = text.partition(":")
    if text.lower().startswith(WEB):
        from guiapp.core.sources.fetch import fetched

        opening.begin(DOWNLOAD)
        return _from_web(fetched(text, {}, opening))
    if prefix == HUB:
        from guiapp.core.sources.hub import hub_file

        opening.begin(DOWNLOAD)
        return _from_web(hub_file(rest, opening))
    place = next((each for each in PLACES if each.prefix == prefix), None)
    return Located(plain_path(text) if place is None else _found(place, rest))


def lasting_name(named: str) -> str:
    """The same, but a path that holds wherever the program is started."""
    is_path = is_plain(named) and not named.startswith(PREFIX)
    return str(Path(named).absolute()) if is_path else named


def is_fetched(named: str) -> bool:
    """Whether it may have to be fetched from the web."""
    return named.lower().startswith((f"{HUB}:", *WEB))


def is_plain(named: str) -> bool:
    """Whether this is a path or a demo model, which are looked for nowhere."""
    prefix = named.partition(":")[0]
    return not named.lower().startswith(WEB) and all(prefix != each.prefix for each in PLACES)


def _from_web(file: Kept) -> Located:
    remark = f"This is what was fetched last time: {file.why_old}" if file.why_old else ""
    return Located(file.path, file.whole_bytes, remark)


def plain_path(text: str) -> Path:
    """The file of a path or a demo model; raises VocabError."""
    if not text:
        raise VocabError(f"The name of the model is empty. Give a file, or a demo model: {known_models()}.")
    if text.startswith(PREFIX):
        return demo_model_path(text.removeprefix(PREFIX))
    return Path(text)


def _found(place: Place, name: str) -> Path:
    there = {found: path for found, path in place.find() if path.is_file()}
    if name in there:
        return there[name]
    near = get_close_matches(name, there, 1)
    hint = f"Did you mean {place.prefix}:{quoted(near[0])}?" if near else "`tokenloupe models` lists all."
    raise VocabError(f"{place.title} has no model “{quoted(name)}” on this machine. {hint}")
