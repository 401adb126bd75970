"""The path of the native library, and whether it was built from the sources next to it.

Imports nothing of the program: `build.py` also runs where the program cannot be imported.
"""

from __future__ import annotations

import os
import sys
import zlib
from pathlib import Path

FOLDER = Path(__file__).parent
SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
KIND = os.environ.get("TOKENLOUPE_NATIVE", "")  # "checked" and "address" are for tests
WIDE = "v3"  # the kind for processors of the level x86-64-v3, which handle 32 bytes at once


def library_path(kind: str = KIND) -> Path:
    return FOLDER / f"_native{kind and '_' + kind}{SUFFIX}"


def fault(library: Path, kind: str = KIND) -> str | None:
    """The problem with the library, without loading it; None if there is none."""
    if not library.exists():
        return f"The native library is missing. {remedy(library.parent, kind)}"
    if _is_older(library) and source_mark(library.parent) not in library.read_bytes():
        return f"The native library is older than its sources. {remedy(library.parent, kind)}"
    return None


def remedy(folder: Path = FOLDER, kind: str = KIND) -> str:
    if not sources(folder):
        return "Install Tokenloupe again."
    return f"Build it: python -m guiapp.native.build{kind and ' --' + kind}"


def sources(folder: Path = FOLDER) -> list[Path]:
    """All C++ files; none in an installed wheel."""
    return sorted(path for path in folder.iterdir() if path.suffix in (".cpp", ".h"))


def source_mark(folder: Path = FOLDER) -> bytes:
    """The mark that a library built from these sources contains."""
    checksum = 0
    for path in sources(folder):
        checksum = zlib.crc32(path.read_bytes(), zlib.crc32(path.name.encode(), checksum))
    return b"loupe-sources:%08x" % checksum


def _is_older(library: Path) -> bool:
    """Whether a source is newer, as all are after checking out another commit, changed or not."""
    built = library.stat().st_mtime_ns
    with os.scandir(library.parent) as entries:
        return any(
            entry.stat().st_mtime_ns > built for entry in entries if entry.name.endswith((".cpp", ".h"))
        )
