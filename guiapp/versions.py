"""What runs here, for the About dialog and for reports of mistakes."""

from __future__ import annotations

import platform

from guiapp import __version__

PACKAGES = {
    "PySide6-Essentials": "LGPL-3.0-only",
    "pyqtgraph": "MIT",
    "numpy": "BSD-3-Clause",
    "numba": "BSD-2-Clause",
    "gguf": "MIT",
    "platformdirs": "MIT",
}


def versions() -> list[tuple[str, str]]:
    """Names and versions of the program and of what it is made from."""
    rows = [("Tokenloupe", __version__), ("Python", platform.python_version())]
    rows += [(name, _version(name)) for name in PACKAGES]
    return [*rows, ("System", f"{platform.system()} {platform.release()}")]


def versions_text() -> str:
    return "\n".join(f"{name} {value}" for name, value in versions())


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # 30 ms that starting does not have

    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
