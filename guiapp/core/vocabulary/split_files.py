"""Models that are split into several files: the vocabulary is in the first one."""

from __future__ import annotations

import os
import re
from pathlib import Path

from guiapp.core.vocabulary.notes import FileNote
from guiapp.core.vocabulary.quoting import quoted

PART_NAME = re.compile(r"(?P<prefix>.*)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf", re.DOTALL)


def first_part(path: Path) -> str | None:
    """The name of the first part, if the name of `path` is that of a part."""
    match = PART_NAME.fullmatch(path.name)
    return f"{match['prefix']}-00001-of-{match['count']}.gguf" if match else None


def all_parts(path: Path) -> list[Path]:
    """All files of a model that are there: `path` alone if its name is not that of a part."""
    match = PART_NAME.fullmatch(path.name)
    if match is None:
        return [path]
    present = _names_in_folder(path)
    names = (
        f"{match['prefix']}-{part:05}-of-{match['count']}.gguf" for part in range(1, int(match["count"]) + 1)
    )
    return [path.with_name(name) for name in names if name in present or name == path.name]


def split_refusals(path: Path, number: int, count: int) -> list[FileNote]:
    """Why llama.cpp does not load part `number` (from 0) of `count`, whose vocabulary can be used."""
    if count <= 1:
        return []
    match = PART_NAME.fullmatch(path.name)
    if match is None or int(match["count"]) != count or int(match["number"]) != number + 1:
        ending = f"-{number + 1:05}-of-{count:05}.gguf"
        message = f"This is part {number + 1} of {count}, but its name does not end in {ending} as it should."
        return [FileNote("part_misnamed", message)]
    if number:
        first = quoted(first_part(path) or "")
        return [
            FileNote(
                "part_not_first", f"This is part {number + 1} of {count}: llama.cpp wants {first} opened."
            )
        ]
    present = _names_in_folder(path)
    parts = (f"{match['prefix']}-{part:05}-of-{count:05}.gguf" for part in range(1, count + 1))
    missing = [name for name in parts if name not in present]
    if not missing:
        return []
    more = f" and {len(missing) - 1:,} more" if len(missing) > 1 else ""
    message = f"Part {quoted(missing[0], 200)}{more} is missing: the vocabulary is whole, the model is not."
    return [FileNote("part_missing", message)]


def _names_in_folder(path: Path) -> frozenset[str]:
    try:
        return frozenset(os.listdir(path.parent))
    except OSError:
        return frozenset([path.name])
