"""Session files: the complete state of the user's work in one text file (TOML, like lessons).

    session = 1                     the version of the format
    notes = "…"                     by its author
    model = "models/own.gguf"       relative to the session's folder; or any name that opens a model
    sha256 = "…"                    of the model's file, or of its first 64 MiB
    pre = "llama-bpe"               as `--pre`
    text = "…"                      or text_base64 = "…" if it is not UTF-8
    encoder = "scan"                by default the model's own
    add_special = true              also parse_special
    page = "steps"
    selection = [12, 15]            bytes of the text, from the anchor to the caret
    breakpoints = ["rank < 5"]      as typed in Steps; with `off ` before it: disabled
    watches = ["rank"]
    step_size = "decision"          or "piece", "stage"
    recorded = [0, 900]             the bytes of the text that are stepped through
    step = 34                       the current step
    race = "heap"                   the encoder that runs next to it
    chat = "{…}"                    the Chat page's request, or messages alone, as JSON

Only version, model and text are required.  Nothing in a session is ever run as code.
"""

from __future__ import annotations

import binascii
import os
import re
from base64 import b64decode, encodebytes
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from enum import Enum
from os import PathLike
from os.path import exists, normpath
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from guiapp.analysis.chat.messages import conversation_of, is_text, settings_of
from guiapp.analysis.sessions.name import ALIASES, PAGES
from guiapp.analysis.trace.breakpoints import Breakpoint, parse_breakpoint
from guiapp.analysis.trace.conditions import StepExpression
from guiapp.analysis.trace.debugger import Granularity
from guiapp.core.demo import PREFIX
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.open_model import open_model
from guiapp.core.sources.files import replace_file
from guiapp.core.sources.locate import cached_name, is_another, is_cached, is_fetched, is_plain
from guiapp.core.text.numbers_in_words import counted, in_bytes, quoted
from guiapp.core.text.outside_json import (
    Fault,
    TomlFile,
    error_of,
    kind_fault,
    line_of,
    unknown_entry,
)
from guiapp.errors import TokenloupeError, not_written

HEAD = "# A session of Tokenloupe. `tokenloupe FILE`, or dropping it on the window, opens it."
UNSEEN = re.compile(r"[^\n\t\x20-\x7e]+|(?<![ \t])[ \t]++(?=\n|\Z)")  # and white space at line ends
QUOTES = re.compile(r'"(?="")|"\Z')
SHORT = {"\t": "\\t", "\r": "\\r", "\n": "\\n"}
Open = Callable[[str, str | None], Tokenizer]
VERSION = 1
WHAT = "session"
OFF, TEXT_BYTES = "off ", "text_base64"
ALWAYS = "add_special", "parse_special", "step", "text"  # written even if they have the default value
LONG = "chat", "notes", "text", TEXT_BYTES  # written as multi-line strings
MOST_FILE_BYTES = 1 << 24
MOST_NOTES = 50_000  # characters; text fields are slow with longer lines
MOST_CONDITIONS = 200  # each is evaluated for all steps
Parsed = TypeVar("Parsed")
SPAN = "must be two whole numbers, such as [0, 12]."


@dataclass(frozen=True)
class SessionFile:
    """The state in a session; the module docstring documents the fields.

    model  an absolute path, or another name that opens a model
    """

    model: str
    text: bytes
    notes: str = ""
    sha256: str = ""
    pre: str = ""
    encoder: str = ""
    add_special: bool = True
    parse_special: bool = True
    page: str = "inspect"
    selection: tuple[int, int] = (0, 0)
    breakpoints: tuple[Breakpoint, ...] = ()
    watches: tuple[str, ...] = ()
    step_size: Granularity = Granularity.DECISION
    recorded: tuple[int, int] | None = None
    step: int = 0
    race: str = ""
    chat: str = ""


def load(named: str | PathLike[str]) -> SessionFile:
    """Read a session; raises FaultyFileError, whose `faults` are all errors in the file."""
    path = Path(named)
    file = TomlFile(path, WHAT, MOST_FILE_BYTES)
    faults = list(_faults(file.content))
    values: dict[str, Any] = {}
    for key, entry in ENTRIES.items():
        if key in file.content and not faults:
            try:
                values["text" if key == TEXT_BYTES else key] = entry.read(file.content[key])
            except TokenloupeError as error:
                faults.append((key, f"“{key}” {error}"))
    if faults:
        raise error_of(path.name, *(Fault(line_of(file.lines, 0, key), message) for key, message in faults))
    session = SessionFile(**values)
    size = len(session.text)
    return replace(
        session,
        model=_seen_from(path.parent, session.model),
        selection=_within(session.selection, size),
        recorded=None if session.recorded is None else _within(session.recorded, size),
    )


def _faults(content: dict[str, Any]) -> Iterator[tuple[str, str]]:
    version = content.get("session")
    if type(version) is not int:
        yield "session", "this is not a session: the line session = 1 is missing."
        return
    if version != VERSION:
        yield "session", f"this session has version {version}; Tokenloupe reads version {VERSION}."
        return
    for key, value in content.items():
        if key not in ENTRIES:
            if key != "session":
                yield key, f"there is {unknown_entry(key, ENTRIES)}"
        elif kind := kind_fault(value, ENTRIES[key].kind):
            yield key, f"“{key}” {kind}"
    if not content.get("model"):
        yield "model", 'there is no model. Add a line such as model = "demo:bpe".'
    if ("text" in content) == (TEXT_BYTES in content):
        yield "text", "there must be one entry “text”, or “text_base64” for bytes that are not UTF-8."


def _within(span: tuple[int, int], size: int) -> tuple[int, int]:
    return min(span[0], size), min(span[1], size)


def _seen_from(folder: Path, model: str) -> str:
    is_path = is_plain(model) and not model.startswith(PREFIX)
    return normpath(folder.absolute() / model) if is_path else model


# The entries


class EntryError(TokenloupeError):
    """An entry is not valid; the message continues a sentence that begins with its name."""


def _base64(value: str) -> bytes:
    try:
        return b64decode("".join(value.split()), validate=True)
    except binascii.Error as error:
        raise EntryError("is not base64.") from error


def _notes(value: str) -> str:
    if len(value) > MOST_NOTES:
        raise EntryError(f"may have {MOST_NOTES:,} characters.")
    return value


def _page(value: str) -> str:
    page = ALIASES.get(value, value)
    if page not in PAGES:
        raise EntryError(f"names an unknown page. Known pages: {', '.join((*ALIASES, *PAGES))}.")
    return page


def _step_size(value: str) -> Granularity:
    try:
        return Granularity(value)
    except ValueError as error:
        raise EntryError(f"must be one of {', '.join(each.value for each in Granularity)}.") from error


def _step(value: int) -> int:
    if value < 0:
        raise EntryError("must not be negative.")
    return value


def _span(value: list[Any]) -> tuple[int, int]:
    if len(value) != 2 or not all(type(each) is int and each >= 0 for each in value):
        raise EntryError(SPAN)
    return value[0], value[1]


def _breakpoints(value: list[Any]) -> tuple[Breakpoint, ...]:
    rows = []
    for text in _texts(value):
        typed = text.removeprefix(OFF)
        rows.append(replace(_checked(parse_breakpoint, typed), is_enabled=typed == text))
    return tuple(rows)


def _watches(value: list[Any]) -> tuple[str, ...]:
    texts = _texts(value)
    for text in texts:
        _checked(StepExpression, text)
    return texts


def _chat(value: str) -> str:
    try:
        conversation_of(value, is_limited=False)
        template = settings_of(value).template or ""
    except TokenloupeError as error:
        raise EntryError(f"does not contain messages: {error}") from error
    if not is_text(template) and Path(template).name != template:
        raise EntryError("names a template file. Give its text instead.")
    return value


def _texts(value: list[Any]) -> tuple[str, ...]:
    if not all(type(text) is str for text in value):
        raise EntryError('must be a list of texts, such as ["a", "b"].')
    if len(value) > MOST_CONDITIONS:
        raise EntryError(f"has {counted(len(value), 'row')}. The limit is {MOST_CONDITIONS}.")
    return tuple(value)


def _checked(parse: Callable[[str], Parsed], text: str) -> Parsed:
    """Parse a text; raises EntryError with the parser's message."""
    try:
        return parse(text)
    except TokenloupeError as error:
        raise EntryError(f"has “{quoted(text)}”: {error}") from error


class SessionEntry(NamedTuple):
    """An entry of a file: its type in TOML, and the conversion to a field of SessionFile."""

    kind: type
    read: Callable[[Any], Any] = lambda value: value


ENTRIES = {
    "model": SessionEntry(str),
    "sha256": SessionEntry(str),
    "pre": SessionEntry(str),
    "encoder": SessionEntry(str),
    "add_special": SessionEntry(bool),
    "parse_special": SessionEntry(bool),
    "page": SessionEntry(str, _page),
    "selection": SessionEntry(list, _span),
    "breakpoints": SessionEntry(list, _breakpoints),
    "watches": SessionEntry(list, _watches),
    "step_size": SessionEntry(str, _step_size),
    "recorded": SessionEntry(list, _span),
    "step": SessionEntry(int, _step),
    "race": SessionEntry(str),
    "chat": SessionEntry(str, _chat),
    "notes": SessionEntry(str, _notes),
    "text": SessionEntry(str, str.encode),
    TEXT_BYTES: SessionEntry(str, _base64),
}
"""In the order in which they are written; each is a field of SessionFile, the last two are the same field."""


# Open the model of a session, or determine what to ask the user first


class Obstacle(Enum):
    """Why a session does not open without asking the user."""

    MISSING = "its model is not there"
    ON_WEB = "its model has to be fetched"
    CHANGED = "its model is another file"


@dataclass(frozen=True, eq=False)
class OpenedSession:
    """A session with its model, or the obstacle to opening it.

    tokenizer    None while the model is missing, or the user has not allowed fetching it
    explanation  a sentence about the obstacle; "" if there is none
    """

    session: SessionFile
    tokenizer: Tokenizer | None
    obstacle: Obstacle | None = None
    explanation: str = ""

    @property
    def lacking(self) -> str:
        """A sentence if the model does not have the session's encoder, else ""."""
        encoder = self.session.encoder
        if self.tokenizer is None or not encoder or encoder in self.tokenizer.encoders:
            return ""
        own = next(iter(self.tokenizer.encoders))
        return f"This model has no encoder “{quoted(encoder)}”: {own} is used instead."


def opened(session: SessionFile, may_fetch: bool = False, open_: Open = open_model) -> OpenedSession:
    """Open the model of a session; a server is asked only if it `may_fetch`.  Raises VocabError."""
    name = quoted(session.model, 200)
    is_file = is_plain(session.model) and not session.model.startswith(PREFIX)
    if is_file and not exists(session.model):
        return OpenedSession(
            session, None, Obstacle.MISSING, f"The model of this session was not found: {name}"
        )
    if not is_fetched(session.model) or may_fetch:
        return _opened_as(session, session.model, open_)
    if not is_cached(session.model):
        return OpenedSession(
            session, None, Obstacle.ON_WEB, f"The model of this session is on the web: {name}"
        )
    return _opened_as(session, cached_name(session.model), open_)


def with_model(session: SessionFile, path: Path) -> SessionFile:
    """The session with another file instead of its missing model."""
    return replace(session, model=str(path.absolute()))


def _opened_as(session: SessionFile, name: str, open_: Open) -> OpenedSession:
    tokenizer = open_(name, session.pre or None)
    if is_another(tokenizer, session.model, session.sha256):
        shown = quoted(Path(session.model).name)
        explanation = f"{shown} is not the file that this session was saved with: tokens may differ."
        return OpenedSession(session, tokenizer, Obstacle.CHANGED, explanation)
    return OpenedSession(session, tokenizer)


# Write session files so that users can read them, and programs can compare them line by line


def save(session: SessionFile, named: str | PathLike[str]) -> None:
    """Write a session; raises TokenloupeError if it is too large or cannot be written."""
    path = Path(named)
    if len(session.notes) > MOST_NOTES:
        raise TokenloupeError(f"Notes can have at most {MOST_NOTES:,} characters. Shorten them.")
    for what, rows in (("breakpoints", session.breakpoints), ("watches", session.watches)):
        if len(rows) > MOST_CONDITIONS:
            message = f"A session can have at most {MOST_CONDITIONS} {what}, but this one has {len(rows)}."
            raise TokenloupeError(message)
    content = written(session, path.parent).encode()
    if len(content) > MOST_FILE_BYTES:
        raise TokenloupeError(
            f"The session would have {in_bytes(len(content))}; the limit is {in_bytes(MOST_FILE_BYTES)}. "
            "Save the text separately, and a session with a part of it."
        )
    try:
        replace_file(path, content)
    except OSError as error:
        raise TokenloupeError(not_written(path, error)) from error


def written(session: SessionFile, folder: Path) -> str:
    """The content of a session's file in a folder."""
    lines = [HEAD, f"session = {VERSION}"]
    lines += [f"{key} = {value}" for key, value in _entries(session, folder)]
    return "\n".join(lines) + "\n"


def _entries(session: SessionFile, folder: Path) -> Iterator[tuple[str, str]]:
    """The keys and values of entries that are not the default; long texts come last."""
    values = {field.name: getattr(session, field.name) for field in fields(session)}
    values["model"] = _named_from(folder, session.model)
    values["breakpoints"] = [f"{'' if row.is_enabled else OFF}{row.title}" for row in session.breakpoints]
    values["step_size"] = session.step_size.value
    if session.recorded is None:
        del values["recorded"], values["step"]
    try:
        values["text"] = session.text.decode()
    except UnicodeDecodeError:
        values[TEXT_BYTES] = encodebytes(values.pop("text")).decode()
    for key in ENTRIES:
        if key in values and (values[key] or key in ALWAYS):
            yield key, _literal(key, values[key])


def _literal(key: str, value: Any) -> str:
    """A value as TOML spells it."""
    if isinstance(value, str):
        return _lines(value) if key in LONG else _quoted(value)
    if key in ("breakpoints", "watches"):
        return "[\n" + "".join(f"    {_quoted(text)},\n" for text in value) + "]"
    return str(list(value) if isinstance(value, tuple) else value).lower()


def _named_from(folder: Path, model: str) -> str:
    """A relative path if the model is in the folder or its parent, so that both can move; else absolute."""
    if not is_plain(model) or model.startswith(PREFIX):
        return model
    path, base = Path(model).absolute(), folder.absolute()
    is_near = path.is_relative_to(base) or (path.is_relative_to(base.parent) and len(base.parents) > 1)
    return Path(os.path.relpath(path, base)).as_posix() if is_near else str(path)


def _quoted(text: str) -> str:
    if '"' in text and "'" not in text and text.isprintable():
        return f"'{text}'"
    escaped = UNSEEN.sub(_escaped, text.replace("\\", "\\\\").replace('"', '\\"')).replace("\n", "\\n")
    return f'"{escaped}"'


def _lines(text: str) -> str:
    """A multi-line string; invisible characters are escaped, also white space that editors trim."""
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
