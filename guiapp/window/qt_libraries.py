"""Explains why Qt cannot start, such as a missing Debian package, instead of an abort or a traceback."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Mapping, MutableMapping
from contextlib import suppress
from pathlib import Path

from guiapp.core.interrupts import end_at_first_interrupt

OTHERWISE = {
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libz.so.1": "zlib1g",
}
"""Debian packages whose names do not follow section 8.1 of the Debian policy."""

MODULES = ("PySide6.QtCore", "PySide6.QtGui", "PySide6.QtWidgets", "PySide6.QtSvg")
SONAME = re.compile(r"(lib[\w.+-]+\.so(?:\.\d+)*): cannot open shared object file")

SCALES = {"QT_SCALE_FACTOR": (0.2, 10), "QT_SCREEN_SCALE_FACTORS": (0.2, 10), "QT_FONT_DPI": (20, 1000)}

Attempt = Callable[[], object]


def problem(environment: Mapping[str, str] = os.environ) -> str | None:
    """Why no window can be opened, in one line that names what to install; None if nothing is missing.

    This loads Qt. After that, the first interrupt ends the process.
    """
    if sys.platform == "linux" and not _has_display(environment):
        return (
            "There is no display to show a window on. The other commands work without one: "
            "see “tokenloupe --help”."
        )
    end_at_first_interrupt()
    return first_failure([_import_modules, *_plugin_attempts(environment)])


def ignore_unusable_scales(environment: MutableMapping[str, str] = os.environ) -> None:
    """Remove scale factors with which Qt paints nothing or takes all memory, and print a message."""
    for name, (least, most) in SCALES.items():
        scales = [part.rpartition("=")[2] for part in environment.get(name, "").split(";")]
        if not all(scale == "" or _is_between(scale, least, most) for scale in scales):
            print(f"tokenloupe: {name} is ignored. It takes numbers from {least} to {most}.", file=sys.stderr)
            del environment[name]


def _is_between(text: str, least: float, most: float) -> bool:
    try:
        return least <= float(text) <= most
    except ValueError:
        return False


def first_failure(attempts: list[Attempt]) -> str | None:
    """The message for the first attempt that fails because a library is missing."""
    for attempt in attempts:
        try:
            attempt()
        except (ImportError, OSError) as error:
            return explain(str(error))
    return None


def explain(message: str) -> str:
    """A message for an error of the dynamic linker."""
    found = SONAME.search(message)
    if not found:
        return f"Qt cannot be loaded: {message}"
    library = found[1]
    return f"Qt needs the library {library}. Install it: sudo apt install {package_of(library)}"


def package_of(library: str) -> str:
    """A library's package in Debian and Ubuntu: `libegl1` has `libEGL.so.1`, `libx11-6` `libX11.so.6`."""
    stem, _, version = library.lower().partition(".so.")
    return OTHERWISE.get(library) or f"{stem}{'-' * stem[-1:].isdigit()}{version}"


def _import_modules() -> None:
    for module in MODULES:
        importlib.import_module(module)


def _plugin_attempts(environment: Mapping[str, str]) -> list[Attempt]:
    """Attempts to load the libraries of the X11 plugin, to find missing ones: Qt itself would abort."""
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
    """Whether one of the displays that Qt would try is available: else Qt aborts."""
    names = {name.partition(":")[0] for name in environment.get("QT_QPA_PLATFORM", "").split(";")} - {""}
    displays = {"wayland": _answers_wayland, "xcb": _answers_x11}
    return any(name not in displays or displays[name](environment) for name in names or displays)


def _answers_wayland(environment: Mapping[str, str]) -> bool:
    if not (name := environment.get("WAYLAND_DISPLAY")):
        return False
    import socket

    with suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(Path(environment.get("XDG_RUNTIME_DIR", ""), name)))
        return True
    return False


def _answers_x11(environment: Mapping[str, str]) -> bool:
    if not (name := environment.get("DISPLAY")):
        return False
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True  # loading Qt's libraries reports the problem
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(os.fsencode(name), None))
    error = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return not error
