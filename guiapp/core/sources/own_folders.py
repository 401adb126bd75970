"""The folders in which somebody wants models to be looked for, beside the usual places."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from guiapp.core.sources.small_files import text_of
from guiapp.core.system.outside_json import read_json
from guiapp.core.system.replace_file import replace_file

MOST = 100


def own_folders() -> list[Path]:
    """None where the list is missing or spoiled."""
    try:
        saved = read_json(text_of(_file()))
    except ValueError:
        return []
    named = [each for each in saved if isinstance(each, str)] if isinstance(saved, list) else []
    return [Path(each) for each in dict.fromkeys(named[:MOST])]


def add_folder(folder: Path) -> None:
    """Raises OSError."""
    _write([*own_folders(), folder.absolute()])


def remove_folder(folder: Path) -> bool:
    """Whether it was there; raises OSError."""
    folders = own_folders()
    _write(each for each in folders if each != folder.absolute())
    return folder.absolute() in folders


def _write(folders: Iterable[Path]) -> None:
    _file().parent.mkdir(parents=True, exist_ok=True)
    replace_file(_file(), json.dumps(list(dict.fromkeys(map(str, folders))), indent=1).encode())


def _file() -> Path:
    import platformdirs

    return platformdirs.user_config_path("tokenloupe", False) / "model_folders.json"
