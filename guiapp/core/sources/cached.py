"""Files fetched from the web, in the user's cache folder; they are fetched again only if they have changed.

    tokenloupe/models/<hash of the folder's address>/<file>
                                                     <file>.kept.json   address, identity, sizes

Other programs may clean the folder up at any time.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit, urlunsplit

from guiapp.core.sources.files import json_object, replace_file
from guiapp.core.sources.tokenizer_files import files_in, is_tokenizer_name
from guiapp.core.text.numbers_in_words import quoted
from guiapp.errors import VocabError

UNSAFE = re.compile(r"[^\w.+=@-]")
LONGEST_NAME = 120
RECORD = ".kept.json"


class CachedFile(NamedTuple):
    """A cached file, or its first part.

    path         in the cache folder
    whole_bytes  the size of the file on the web; None if unknown
    validators   request headers that identify this content for its server
    why_old      why the server could not be asked for a newer version, "" if it was
    """

    path: Path
    whole_bytes: int | None = None
    validators: Mapping[str, str] = {}
    why_old: str = ""


def folder() -> Path:
    """The folder of all cached files."""
    import platformdirs

    return platformdirs.user_cache_path("tokenloupe", False) / "models"


def path_of(url: str) -> Path:
    """The path at which the file of an address is or will be cached; files of one folder stay together.

    Raises VocabError if `url` is not an address.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        raise VocabError(
            f"“{quoted(url)}” is not the address of a file on the web. Check its spelling."
        ) from None
    where, _, name = parts.path.rpartition("/")
    address = urlunsplit(parts._replace(path=where, query=parts.query, fragment=""))
    safe = UNSAFE.sub("_", unquote(name)).lstrip(".")[-LONGEST_NAME:] or "model"
    import hashlib  # here and below: imports that would slow down the start

    return folder() / hashlib.sha256(address.encode()).hexdigest()[:16] / safe


def cached(url: str) -> CachedFile | None:
    """The cached file of an address; None if there is none."""
    path = path_of(url)
    record = json_object(_record_of(path))
    whole_bytes, validators = record.get("whole_bytes"), record.get("validators")
    if (record.get("url"), record.get("kept_bytes")) != (url, _size(path)) or not isinstance(
        validators, dict
    ):
        return None
    known_size = whole_bytes if isinstance(whole_bytes, int) else None
    return CachedFile(path, known_size, {str(name): str(value) for name, value in validators.items()})


def models() -> Iterator[tuple[str, Path]]:
    """The addresses and paths of all cached tokenizers."""
    for _, record in files_in(folder(), lambda name: name.endswith(RECORD)):
        url, path = json_object(record).get("url"), record.with_name(record.name.removesuffix(RECORD))
        if isinstance(url, str) and is_tokenizer_name(path.name):
            yield url, path


def keep(url: str, fetched: Path, whole_bytes: int | None, headers: Mapping[str, str]) -> CachedFile:
    """Move a fetched file from a temporary folder into the cache; raises OSError."""
    path = path_of(url)
    headers_to_save = {
        "If-None-Match": headers.get("ETag"),
        "If-Modified-Since": headers.get("Last-Modified"),
    }
    validators = {name: value for name, value in headers_to_save.items() if value}
    _record_of(path).unlink(missing_ok=True)  # a file without a record is ignored
    fetched.replace(path)
    record = {"url": url, "kept_bytes": _size(path), "whole_bytes": whole_bytes, "validators": validators}
    replace_file(_record_of(path), json.dumps(record, indent=1).encode())
    return CachedFile(path, whole_bytes, validators)


def size_bytes() -> int:
    """The total size of all cached files."""
    return sum(_size(path) or 0 for _, path in files_in(folder(), lambda _name: True))


def clear() -> None:
    """Delete all cached files; raises OSError."""
    import shutil

    for entry in os.scandir(folder()) if folder().is_dir() else ():
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry)
        else:
            os.unlink(entry)


def _size(path: Path) -> int | None:
    """The size of a file; None if it does not exist."""
    try:
        return path.lstat().st_size
    except OSError:
        return None


def _record_of(path: Path) -> Path:
    return path.with_name(path.name + RECORD)
