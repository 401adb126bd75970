"""Where compiled kernels are kept: a folder for each module, named after everything it is made from.

numba itself notices edits in a kernel's own file only, but routines and constants of other modules are
compiled in.  So a folder's name holds a hash of the module and of all that it imports from this package,
directly or not: an edit compiles again what it can change, and no more.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2]  # the folder `guiapp`
IMPORT = re.compile(r"^\s*from (guiapp[\w.]*) import ([\w ,]+|\([\w\s,]+\))", re.MULTILINE)


def cache_folder(module: str) -> Path:
    """Where the kernels of a module are kept."""
    return cache_root() / f"{module.rpartition('.')[2]}-{_hash_of(sources_of([module]))}"


def complete_mark(modules: Iterable[str]) -> Path:
    """The file that exists once all kernels of these modules have been compiled."""
    return cache_root() / f"complete-{_hash_of(sources_of(modules))}"


def sources_of(modules: Iterable[str], package: Path = PACKAGE) -> list[Path]:
    """The source files of modules and of what they import from this package, sorted."""
    found: set[Path] = set()
    waiting = [path for name in modules if (path := _path_of(name, package))]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += _imported_by(path, package)
    return sorted(found)


@cache
def _imported_by(path: Path, package: Path) -> tuple[Path, ...]:
    names = _imported_names(_source(path).decode())
    return tuple(found for name in names if (found := _path_of(name, package)))


def _imported_names(source: str) -> Iterator[str]:
    """The modules that a source text may import: what stands behind `import` can be one too."""
    for module, names in IMPORT.findall(source):
        yield module
        for name in names.strip("()").split(","):
            if words := name.split():
                yield f"{module}.{words[0]}"


@cache
def _path_of(module: str, package: Path) -> Path | None:
    path = package.joinpath(*module.split(".")[1:])
    candidates = (path.with_suffix(".py"), path / "__init__.py")
    return next((candidate for candidate in candidates if candidate.exists()), None)


@cache
def _source(path: Path) -> bytes:
    return path.read_bytes()


def _hash_of(sources: Iterable[Path]) -> str:
    from hashlib import sha256

    digest = sha256()
    for source in sources:
        digest.update(source.relative_to(PACKAGE).as_posix().encode())
        digest.update(_source(source))
    return digest.hexdigest()[:16]


@cache
def cache_root() -> Path:
    """The folder of all kernels that this numba and this Python compile."""
    from hashlib import sha256

    import platformdirs

    digest = sha256(_version_of("numba"))
    for part in (sys.version, os.environ.get("NUMBA_BOUNDSCHECK", ""), str(PACKAGE)):
        digest.update(part.encode())
    root = os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir("tokenloupe", False)
    return Path(root) / "kernels" / digest.hexdigest()[:16]


def _version_of(package: str) -> bytes:
    """What tells the versions of a package apart; `importlib.metadata` takes 50 ms to be imported."""
    found = find_spec(package)
    assert found is not None
    return Path(str(found.origin)).with_name("_version.py").read_bytes()
