"""Says which Debian package is missing where Qt cannot start, instead of an abort or a traceback."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

# Libraries that Qt's modules and its xcb plugin link to, and what brings them in Debian 12 and Ubuntu.
PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libGLX.so.0": "libglx0",
    "libOpenGL.so.0": "libopengl0",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libX11.so.6": "libx11-6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxcb.so.1": "libxcb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libz.so.1": "zlib1g",
}
MODULES = ("PySide6.QtCore", "PySide6.QtGui", "PySide6.QtWidgets", "PySide6.QtSvg")
SONAME = re.compile(r"(lib[\w.+-]+\.so(?:\.\d+)*): cannot open shared object file")

Attempt = Callable[[], object]


def problem(environment: Mapping[str, str] = os.environ) -> str | None:
    """Why no window can be opened, in one line that says what to install; None if all is there."""
    missing = first_failure([_import_modules, *_plugin_attempts(environment)])
    if missing is not None:
        return missing
    if sys.platform == "linux" and not _has_display(environment):
        return (
            "There is no display to show a window on. The other commands work without one: "
            "see “tokenloupe --help”."
        )
    return None


def first_failure(attempts: list[Attempt]) -> str | None:
    """The sentence for the first attempt that fails for want of a library."""
    for attempt in attempts:
        try:
            attempt()
        except (ImportError, OSError) as error:
            return explain(str(error))
    return None


def explain(message: str) -> str:
    """A sentence for what the dynamic linker said."""
    found = SONAME.search(message)
    if not found:
        return f"Qt cannot be loaded: {message}"
    library = found[1]
    package = PACKAGES.get(library)
    if package is None:
        return f"Qt needs the library {library}. Install the package of your system that brings it."
    return f"Qt needs the library {library}. Install it: sudo apt install {package}"


def _import_modules() -> None:
    for module in MODULES:
        importlib.import_module(module)


def _plugin_attempts(environment: Mapping[str, str]) -> list[Attempt]:
    """Load what shows windows under X11 as Qt would, to see what it lacks; Qt itself aborts."""
    platform = environment.get("QT_QPA_PLATFORM", "")
    wants_xcb = platform.startswith("xcb") or (not platform and "DISPLAY" in environment)
    if sys.platform != "linux" or not wants_xcb or environment.get("WAYLAND_DISPLAY"):
        return []
    return [_load_xcb_plugin]


def _load_xcb_plugin() -> None:
    package = importlib.util.find_spec("PySide6")
    for folder in package.submodule_search_locations or [] if package else []:
        plugin = Path(folder) / "Qt" / "plugins" / "platforms" / "libqxcb.so"
        if plugin.is_file():
            ctypes.CDLL(str(plugin))


def _has_display(environment: Mapping[str, str]) -> bool:
    return any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
