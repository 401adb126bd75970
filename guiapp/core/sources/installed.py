"""Find the tokenizers that programs have installed on this machine, without network access.

A new source is one function and one row of MODEL_FOLDERS.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from guiapp.core.sources import hub
from guiapp.core.sources.files import json_object, replace_file, text_of
from guiapp.core.sources.tokenizer_files import files_in
from guiapp.core.text.outside_json import read_json
from guiapp.native.checkpoint import stoppable

MOST = 100
MODEL_LAYER = "application/vnd.ollama.image.model"
DIGEST = re.compile(r"sha256:([0-9a-f]{64})")
USUAL_HOST, USUAL_NAMESPACE, USUAL_TAG = "registry.ollama.ai", "library", "latest"
OF_THE_SERVICE = Path("/usr/share/ollama/.ollama/models")
FOLDER = "Folder "  # before the path of a folder added by the user
Found = Iterable[tuple[str, Path]]  # names and their files


def models() -> Iterator[tuple[str, Path]]:
    """Ollama's names such as `llama3.2`, `llama3.2:1b` and `hf.co/owner/name:Q4_K_M`, and their blobs."""
    for folder in _folders():
        for name, manifest in files_in(folder / "manifests", lambda _name: True):
            model, _, tag = name.rpartition("/")
            blob = _model_blob(folder, manifest) if model.count("/") == 2 else None
            if blob is not None:
                yield short_name(f"{model}:{tag}"), blob


def short_name(name: str) -> str:
    """A name of Ollama without the default host, namespace and tag."""
    short = name.removeprefix(f"{USUAL_HOST}/").removeprefix(f"{USUAL_NAMESPACE}/")
    return short.removesuffix(f":{USUAL_TAG}")


def _folders() -> list[Path]:
    chosen = os.environ.get("OLLAMA_MODELS")
    return [Path(chosen)] if chosen else [Path.home() / ".ollama" / "models", OF_THE_SERVICE]


def _model_blob(folder: Path, manifest: Path) -> Path | None:
    layers = json_object(manifest).get("layers")
    for layer in layers if isinstance(layers, list) else []:
        if isinstance(layer, dict) and layer.get("mediaType") == MODEL_LAYER:
            digest = DIGEST.fullmatch(str(layer.get("digest")))
            if digest is not None:
                return folder / "blobs" / f"sha256-{digest[1]}"
    return None


class Installed(NamedTuple):
    """A tokenizer's file on this machine.

    name    such as `ollama:llama3.2`; opens the same file as its path
    source  the title of its ModelFolder
    """

    name: str
    source: str
    path: Path
    size_bytes: int


class ModelFolder(NamedTuple):
    """A source of models, such as the folder of a program.

    prefix  of the names of its models
    title   its name for the user
    find    returns all its models, by name without the prefix
    short   shortens a name without the prefix to the form that `find` returns
    """

    prefix: str
    title: str
    find: Callable[[], Found]
    short: Callable[[str], str] = str


def installed_models(folders: Iterable[Path] = ()) -> Iterator[Installed]:
    """All models in MODEL_FOLDERS and in the user's folders; files that cannot be read are left out.

    A file in several sources belongs to the first one.  The search is lazy.
    """
    seen = set[Path]()
    for folder in chain(MODEL_FOLDERS, map(_own, folders)):
        there = []
        for name, path in stoppable(sorted(folder.find())):
            if (size_bytes := _size(path)) is not None and (real := path.resolve()) not in seen:
                there.append(real)
                yield Installed(folder.prefix + name, folder.title, path, size_bytes)
        seen.update(there)


def lm_studio() -> Found:
    home = Path.home() / ".lmstudio"
    chosen = json_object(home / "settings.json").get("downloadsFolder")
    folders = [Path(chosen)] if isinstance(chosen, str) and chosen else []
    return _in_folders([*folders, home / "models", Path.home() / ".cache" / "lm-studio" / "models"])


def llama_cpp() -> Found:
    import platformdirs

    folder = os.environ.get("LLAMA_CACHE")
    return _in_folders([Path(folder) if folder else platformdirs.user_cache_path() / "llama.cpp"])


def jan() -> Found:
    """The models of Jan: a folder for each, with a description that names its file if it is elsewhere."""
    import platformdirs

    program = platformdirs.user_data_path(roaming=True) / "Jan"
    chosen = json_object(program / "settings.json").get("data_folder")
    data = Path(chosen) if isinstance(chosen, str) and chosen else program / "data"
    models = data / "llamacpp" / "models"
    for _, description in files_in(models, "model.yml".__eq__):
        lines = text_of(description).splitlines()
        named = [
            line.partition(":")[2].strip().strip("'\"") for line in lines if line.startswith("model_path:")
        ]
        for path in named[:1]:
            yield description.parent.relative_to(models).as_posix(), data / path


def gpt4all() -> Found:
    import platformdirs

    return _in_folders([platformdirs.user_data_path() / "nomic.ai" / "GPT4All"])


MODEL_FOLDERS = (
    ModelFolder("ollama:", "Ollama", models, short_name),
    ModelFolder("lmstudio:", "LM Studio", lm_studio),
    ModelFolder("hf:", "Hugging Face cache", hub.models),
    ModelFolder("llama.cpp:", "llama.cpp cache", llama_cpp),
    ModelFolder("jan:", "Jan", jan),
    ModelFolder("gpt4all:", "GPT4All", gpt4all),
    ModelFolder("kept:", "Fetched", hub.cached_models),
)


def _own(folder: Path) -> ModelFolder:
    return ModelFolder(f"{folder}{os.sep}", f"{FOLDER}{folder}", lambda: files_in(folder))


def _in_folders(folders: Iterable[Path]) -> Found:
    return {name: path for folder in folders for name, path in files_in(folder)}.items()


def _size(path: Path) -> int | None:
    """The size of a file; None if it is not a file, or not a valid path (settings may contain anything)."""
    try:
        return path.stat().st_size if os.path.isfile(path) else None
    except OSError:  # deleted meanwhile
        return None


def own_folders() -> list[Path]:
    """The folders added by the user; empty if the list is missing or damaged."""
    try:
        saved = read_json(text_of(_file()))
    except ValueError:
        return []
    named = [each for each in saved if isinstance(each, str)] if isinstance(saved, list) else []
    return [Path(each) for each in dict.fromkeys(named[:MOST])]


def add_folder(folder: Path) -> None:
    """Add a folder to the user's list.  Raises OSError."""
    _write([*own_folders(), folder.absolute()])


def remove_folder(folder: Path) -> bool:
    """Remove a folder from the list; return whether it was there.  Raises OSError."""
    folders = own_folders()
    _write(each for each in folders if each != folder.absolute())
    return folder.absolute() in folders


def _write(folders: Iterable[Path]) -> None:
    _file().parent.mkdir(parents=True, exist_ok=True)
    replace_file(_file(), json.dumps(list(dict.fromkeys(map(str, folders))), indent=1).encode())


def _file() -> Path:
    import platformdirs

    return platformdirs.user_config_path("tokenloupe", False) / "model_folders.json"
