"""Small files of other programs, which may be missing, huge or anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from guiapp.core.system.outside_json import read_json

MOST_BYTES = 1 << 20


def text_of(path: Path) -> str:
    """What is in a file; "" where it cannot be read, or is long."""
    try:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            return ""
        return path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""


def json_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file; an empty one where there is none."""
    try:
        content = read_json(text_of(path))
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}
