"""Session files written so that people can read them, and programs compare them line by line."""

from __future__ import annotations

import os
import re
from base64 import encodebytes
from collections.abc import Iterator
from os import PathLike
from pathlib import Path

from guiapp.analysis.sessions.session_file import (
    MOST_CONDITIONS,
    MOST_FILE_BYTES,
    MOST_NOTES,
    OFF,
    VERSION,
    SessionFile,
)
from guiapp.core.demo import PREFIX
from guiapp.core.sources.files import replace_file
from guiapp.core.sources.locate import is_plain
from guiapp.core.text.figures import in_bytes
from guiapp.errors import TokenloupeError, not_written

HEAD = "# A session of Tokenloupe. `tokenloupe FILE`, or dropping it on the window, opens it."
UNSEEN = re.compile(r"[^\n\t\x20-\x7e]+|(?<![ \t])[ \t]++(?=\n|\Z)")  # the second at the ends of lines
QUOTES = re.compile(r'"(?="")|"\Z')
SHORT = {"\t": "\\t", "\r": "\\r", "\n": "\\n"}


def save(session: SessionFile, named: str | PathLike[str]) -> None:
    """Write a session; raises TokenloupeError where there is no place for it, or its text is too long."""
    path = Path(named)
    if len(session.notes) > MOST_NOTES:
        raise TokenloupeError(f"Notes may have {MOST_NOTES:,} characters. Shorten them.")
    for what, rows in (("breakpoints", session.breakpoints), ("watches", session.watches)):
        if len(rows) > MOST_CONDITIONS:
            told = f"A session may have {MOST_CONDITIONS} {what}, and this one has {len(rows)}."
            raise TokenloupeError(told)
    content = written(session, path.parent).encode()
    if len(content) > MOST_FILE_BYTES:
        raise TokenloupeError(
            f"The session would have {in_bytes(len(content))}, and may have {in_bytes(MOST_FILE_BYTES)}. "
            "Save the text by itself, and a session with a part of it."
        )
    try:
        replace_file(path, content)
    except OSError as error:
        raise TokenloupeError(not_written(path, error)) from error


def written(session: SessionFile, folder: Path) -> str:
    """What stands in the file of a session in a folder."""
    lines = [HEAD, f"session = {VERSION}"]
    lines += [f"{key} = {value}" for key, value in _entries(session, folder)]
    return "\n".join(lines) + "\n"


def _entries(session: SessionFile, folder: Path) -> Iterator[tuple[str, str]]:
    """What is not as it would be without an entry; long texts are the last."""
    yield "model", _quoted(_seen_from(folder, session.model))
    for key in ("sha256", "pre", "encoder"):
        if value := getattr(session, key):
            yield key, _quoted(value)
    yield "add_special", str(session.add_special).lower()
    yield "parse_special", str(session.parse_special).lower()
    yield "page", _quoted(session.page)
    yield "selection", str(list(session.selection))
    if rows := session.breakpoints:
        yield "breakpoints", _listed([f"{'' if row.is_enabled else OFF}{row.title}" for row in rows])
    if session.watches:
        yield "watches", _listed(session.watches)
    yield "step_size", _quoted(session.step_size.value)
    if session.recorded is not None:
        yield "recorded", str(list(session.recorded))
        yield "step", str(session.step)
    if session.race:
        yield "race", _quoted(session.race)
    if session.chat:
        yield "chat", _lines(session.chat)
    if session.notes:
        yield "notes", _lines(session.notes)
    try:
        yield "text", _lines(session.text.decode())
    except UnicodeDecodeError:
        yield "text_base64", f'"""\n{encodebytes(session.text).decode()}"""'


def _seen_from(folder: Path, model: str) -> str:
    """A path from the folder for what lies in it or beside it, so that both can move; else the whole path."""
    if not is_plain(model) or model.startswith(PREFIX):
        return model
    path, base = Path(model).absolute(), folder.absolute()
    is_near = path.is_relative_to(base) or (path.is_relative_to(base.parent) and len(base.parents) > 1)
    return Path(os.path.relpath(path, base)).as_posix() if is_near else str(path)


def _listed(texts: tuple[str, ...] | list[str]) -> str:
    return "[\n" + "".join(f"    {_quoted(text)},\n" for text in texts) + "]"


def _quoted(text: str) -> str:
    if '"' in text and "'" not in text and text.isprintable():
        return f"'{text}'"
    escaped = UNSEEN.sub(_escaped, text.replace("\\", "\\\\").replace('"', '\\"')).replace("\n", "\\n")
    return f'"{escaped}"'


def _lines(text: str) -> str:
    """In lines as they are; what nobody sees is escaped, also what editors take away at the ends of lines."""
    escaped = UNSEEN.sub(_escaped, QUOTES.sub('\\"', text.replace("\\", "\\\\")))
    return f'"""\n{escaped}"""'


def _escaped(match: re.Match[str]) -> str:
    run = match[0]
    return run if run.isprintable() and not run.isspace() else "".join(map(_escape, run))


def _escape(character: str) -> str:
    if character in SHORT:
        return SHORT[character]
    if character.isprintable() and character != " ":
        return character
    return f"\\u{ord(character):04x}" if ord(character) < 0x10000 else f"\\U{ord(character):08x}"
