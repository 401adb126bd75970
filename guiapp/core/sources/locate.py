"""Find the file of a MODEL: a path, `demo:bpe`, `ollama:llama3.2` and similar, `hf:owner/name`, or a URL."""

from __future__ import annotations

from os import PathLike, fsdecode
from os.path import isfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from guiapp.core.demo import PREFIX, demo_model_path, known_models
from guiapp.core.sources.cached import CachedFile, cached
from guiapp.core.sources.files import file_hash
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.vocabulary.opening import DOWNLOAD, FileNote, Opening
from guiapp.errors import VocabError

if TYPE_CHECKING:
    from guiapp.core.encode.tokenizer import Tokenizer
    from guiapp.core.sources.installed import ModelFolder

HUB, KEPT = "hf:", "kept:"
WEB = ("https://", "http://")
LONGEST = 200  # characters of a name in a message


class Located(NamedTuple):
    """The location of a model.

    whole_bytes  the size of the file, if only its first part is available
    note         for the user, about its source
    """

    path: Path
    whole_bytes: int | None = None
    note: FileNote | None = None


def located(named: str | bytes | PathLike[str], opening: Opening) -> Located:
    """The file of a name, fetched if necessary; raises VocabError for an unknown name."""
    text = fsdecode(named)
    name = text.removeprefix(KEPT)
    if is_fetched(name):
        return _from_web(name, opening, is_cached=name != text)
    folder = _folder_of(text)
    return Located(
        plain_path(text) if folder is None else _installed_path(folder, text.removeprefix(folder.prefix))
    )


def lasting_name(named: str) -> str:
    """The name with an absolute path instead of a relative one, and without the `kept:` of an address."""
    name = named.removeprefix(KEPT)
    if is_fetched(name):
        return name
    is_path = is_plain(named) and not named.startswith(PREFIX)
    return str(Path(named).absolute()) if is_path else named


def cached_name(named: str) -> str:
    """The name with `kept:` if it is fetched from the web: use the cached file, ask no server."""
    return KEPT + named if is_fetched(named) else named


def is_fetched(named: str) -> bool:
    """Whether a name refers to the hub or the web, so that its file may have to be fetched."""
    return named.startswith(HUB) or named.lower().startswith(WEB)


def is_cached(named: str) -> bool:
    """Whether the file is cached here or by Hugging Face's libraries; no server is asked."""
    try:
        located(KEPT + named, Opening(lambda _share: None))
    except VocabError:
        return False
    return True


def hash_of(tokenizer: Tokenizer, model: str) -> str:
    """The hash of a model's file; "" for a model from the web, of which only the first part may be here."""
    path = tokenizer.vocabulary.path
    return "" if path is None or is_fetched(model) else file_hash(path)


def is_another(tokenizer: Tokenizer, model: str, sha256: str) -> bool:
    """Whether a model's file has another hash than `sha256`; False if either hash is unknown."""
    return bool(sha256) and hash_of(tokenizer, model) not in ("", sha256.lower())


def short_name(stem: str) -> str:
    """A short name for a file: without the common prefix of llama.cpp's own vocabularies."""
    return stem.removeprefix("ggml-vocab-")


def is_plain(named: str) -> bool:
    """Whether this is a path or a demo model, which need no search."""
    return not is_fetched(named) and _folder_of(named) is None


def _folder_of(named: str) -> ModelFolder | None:
    if ":" not in named or named.startswith(PREFIX):
        return None
    from guiapp.core.sources.installed import MODEL_FOLDERS  # here and below: slow imports

    return next((each for each in MODEL_FOLDERS if named.startswith(each.prefix)), None)


def _from_web(name: str, opening: Opening, is_cached: bool) -> Located:
    """The file from the hub or another server; with `is_cached`, only a file fetched earlier."""
    from guiapp.core.sources.fetch import fetched
    from guiapp.core.sources.hub import hub_file, name_of

    def fetch(url: str) -> CachedFile:
        if not is_cached:
            return fetched(url, opening)
        if (file := cached(url)) is None:
            raise VocabError(f"{quoted(name, LONGEST)} is not cached. Open it by this name to download it.")
        return file

    opening.begin(DOWNLOAD)
    on_hub = name.removeprefix(HUB) if name.startswith(HUB) else name_of(name)
    file = fetch(name) if on_hub is None else hub_file(on_hub, fetch)
    message = f"This is the copy from the last download: {file.why_old}"
    note = FileNote("fetched_before", message) if file.why_old else None
    return Located(file.path, file.whole_bytes, note)


def plain_path(text: str) -> Path:
    """The path of a file or demo model; raises VocabError."""
    if not text:
        raise VocabError(f"The name of the model is empty. Give a file, or a demo model: {known_models()}.")
    if text.startswith(PREFIX):
        return demo_model_path(text.removeprefix(PREFIX))
    return Path(text)


def _installed_path(folder: ModelFolder, name: str) -> Path:
    there = {match: path for match, path in folder.find() if isfile(path)}
    if (short := folder.short(name)) in there:
        return there[short]
    from difflib import get_close_matches

    near = get_close_matches(short, there, 1)
    hint = (
        f"Did you mean {folder.prefix}{quoted(near[0])}?" if near else "`tokenloupe models` lists all models."
    )
    raise VocabError(f"{folder.title} has no model “{quoted(name)}” on this machine. {hint}")
