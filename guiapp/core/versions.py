"""The versions of the program and its packages, for the About dialog and bug reports."""

from __future__ import annotations

import platform
from collections.abc import Iterable

from guiapp import __version__

PACKAGES = {
    "PySide6-Essentials": "LGPL-3.0-only",
    "numpy": "BSD-3-Clause",
    "gguf": "MIT",
    "platformdirs": "MIT",
    "requests": "Apache-2.0",
    "google-re2": "BSD-3-Clause",
    "jinja2": "BSD-3-Clause",
}
NAMES = ("Tokenloupe", "Python", *PACKAGES, "System")


def versions() -> list[tuple[str, str]]:
    """Names and versions of the program and its packages.  The first call takes as long as two frames."""
    packages = map(_version, PACKAGES)
    values = (__version__, platform.python_version(), *packages, f"{platform.system()} {platform.release()}")
    return list(zip(NAMES, values, strict=True))


def versions_text(rows: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"{name} {value}" for name, value in rows)


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # imported late, to start faster

    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
