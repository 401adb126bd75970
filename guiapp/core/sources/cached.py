"""What was fetched from the web, in the user's cache folder; asked for again, only what is new is fetched.

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
    """A file, or its front.

    path         where it lies
    whole_bytes  of the file on the web; None where nobody said
    validators   what identifies this content for its server: headers to ask with
    why_old      why the server could not be asked whether it is still the same, "" where it was
    """

    path: Path
    whole_bytes: int | None = None
    validators: Mapping[str, str] = {}
    why_old: str = ""


def folder() -> Path:
    """Where all of it is."""
    import platformdirs

    return platformdirs.user_cache_path("tokenloupe", False) / "models"


def path_of(url: str) -> Path:
    """Where the file of an address is kept, or will be; files of one folder stay together.

    Raises VocabError for what is no address.
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
    import hashlib  # here and below: imports that starting has no time for

    return folder() / hashlib.sha256(address.encode()).hexdigest()[:16] / safe


def cached(url: str) -> CachedFile | None:
    """What is kept of an address."""
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
    """The addresses of all tokenizers that are kept, and where they lie."""
    for _, record in files_in(folder(), lambda name: name.endswith(RECORD)):
        url, path = json_object(record).get("url"), record.with_name(record.name.removesuffix(RECORD))
        if isinstance(url, str) and is_tokenizer_name(path.name):
            yield url, path


def keep(url: str, fetched: Path, whole_bytes: int | None, headers: Mapping[str, str]) -> CachedFile:
    """Take over a file that was fetched to beside its place; raises OSError."""
    path = path_of(url)
    headers_to_save = {
        "If-None-Match": headers.get("ETag"),
        "If-Modified-Since": headers.get("Last-Modified"),
    }
    validators = {name: value for name, value in headers_to_save.items() if value}
    _record_of(path).unlink(missing_ok=True)  # a file without a record is as good as none
    fetched.replace(path)
    record = {"url": url, "kept_bytes": _size(path), "whole_bytes": whole_bytes, "validators": validators}
    replace_file(_record_of(path), json.dumps(record, indent=1).encode())
    return CachedFile(path, whole_bytes, validators)


def size_bytes() -> int:
    """Of all that is kept."""
    return sum(_size(path) or 0 for _, path in files_in(folder(), lambda _name: True))


def clear() -> None:
    """Forget all of it; raises OSError."""
    import shutil

    for entry in os.scandir(folder()) if folder().is_dir() else ():
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry)
        else:
            os.unlink(entry)


def _size(path: Path) -> int | None:
    """None where there is no such file."""
    try:
        return path.lstat().st_size
    except OSError:
        return None


def _record_of(path: Path) -> Path:
    return path.with_name(path.name + RECORD)
