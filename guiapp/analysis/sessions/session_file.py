"""Session files: all of a piece of work in one text (TOML, like lessons), which opens exactly there.

    session = 1                     the version of the format
    notes = "…"                     what its author says about it
    model = "models/own.gguf"       seen from the session's folder; or any name that opens a model
    sha256 = "…"                    of the model's file, of a large one of its first 64 MiB
    pre = "llama-bpe"               as `--pre`
    text = "…"                      or text_base64 = "…" where it is no UTF-8
    encoder = "scan"                the model's own where there is none
    add_special = true              likewise parse_special
    page = "steps"
    selection = [12, 15]            bytes of the text, from where it was begun to the caret
    breakpoints = ["rank < 5"]      as they are typed in Steps; `off ` in front: switched off
    watches = ["rank"]
    step_size = "decision"          or "piece", "stage"
    recorded = [0, 900]             the bytes of the text that are stepped through
    step = 34                       where among these steps
    race = "heap"                   the encoder that runs beside
    chat = "{…}"                    the Chat page's request, or messages alone, as JSON

All but the version, the model and the text may be left out.  Nothing here is ever run.
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from os import PathLike
from os.path import normpath
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from guiapp.analysis.chat.messages import conversation_of
from guiapp.analysis.chat.requests import settings_of
from guiapp.analysis.chat.settings import is_text
from guiapp.analysis.trace.breakpoints import Breakpoint, parse_breakpoint
from guiapp.analysis.trace.conditions import StepExpression
from guiapp.analysis.trace.debugger import Granularity
from guiapp.core.demo import PREFIX
from guiapp.core.sources.locate import is_plain
from guiapp.core.text.figures import counted, quoted
from guiapp.core.text.outside_json import (
    Fault,
    TomlFile,
    error_of,
    kind_fault,
    line_of,
    unknown_entry,
)
from guiapp.errors import TokenloupeError

VERSION = 1
WHAT = "session"
OFF = "off "
PAGES = (
    *("inspect", "compare", "compare_texts", "compare_vocabularies", "hunt"),
    *("chat", "vocabulary", "special_tokens", "doctor"),
    *("tree", "steps", "bench"),
)
MOST_FILE_BYTES = 1 << 24
MOST_NOTES = 50_000  # characters; editors are slow with lines that are longer
MOST_CONDITIONS = 200  # each of them looks at all steps
Parsed = TypeVar("Parsed")
SPAN = "must be two whole numbers, such as [0, 12]."


@dataclass(frozen=True)
class SessionFile:
    """A piece of work; the module says what the entries mean.

    model  a path that holds from anywhere, or another name that opens a model
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
    """Read a session; raises FaultyFileError, whose `faults` are all that is wrong with the file."""
    path = Path(named)
    file = TomlFile(path, WHAT, MOST_FILE_BYTES)
    faults = list(_faults(file.content))
    values: dict[str, Any] = {}
    for key, entry in ENTRIES.items():
        if key in file.content and not faults:
            try:
                values[entry.field] = entry.read(file.content[key])
            except TokenloupeError as error:
                faults.append((key, f"“{key}” {error}"))
    if faults:
        raise error_of(path.name, *(Fault(line_of(file.lines, 0, key), told) for key, told in faults))
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
        yield "session", "this is no session: there is no line session = 1."
        return
    if version != VERSION:
        yield "session", f"this session is of version {version}, and version {VERSION} is known here."
        return
    for key, value in content.items():
        if key not in ENTRIES:
            if key != "session":
                yield key, f"there is {unknown_entry(key, ENTRIES)}"
        elif kind := kind_fault(value, ENTRIES[key].kind):
            yield key, f"“{key}” {kind}"
    if not content.get("model"):
        yield "model", 'there is no model. Add a line such as model = "demo:bpe".'
    if ("text" in content) == ("text_base64" in content):
        yield "text", "there must be one entry “text”, or “text_base64” for what is no UTF-8."


def _within(span: tuple[int, int], size: int) -> tuple[int, int]:
    return min(span[0], size), min(span[1], size)


def _seen_from(folder: Path, model: str) -> str:
    is_path = is_plain(model) and not model.startswith(PREFIX)
    return normpath(folder.absolute() / model) if is_path else model


# The entries


class EntryError(TokenloupeError):
    """An entry that cannot be; the message follows its name."""


def _base64(value: str) -> bytes:
    try:
        return b64decode("".join(value.split()), validate=True)
    except binascii.Error as error:
        raise EntryError("is no base64.") from error


def _notes(value: str) -> str:
    if len(value) > MOST_NOTES:
        raise EntryError(f"may have {MOST_NOTES:,} characters.")
    return value


def _page(value: str) -> str:
    if value not in PAGES:
        raise EntryError(f"names no page. There are: {', '.join(PAGES)}.")
    return value


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
        raise EntryError(f"holds no messages: {error}") from error
    if not is_text(template) and Path(template).name != template:
        raise EntryError("names the file of a template. Give the text of it.")
    return value


def _texts(value: list[Any]) -> tuple[str, ...]:
    if not all(type(text) is str for text in value):
        raise EntryError('must be a list of texts, such as ["a", "b"].')
    if len(value) > MOST_CONDITIONS:
        raise EntryError(f"has {counted(len(value), 'row')}. There may be {MOST_CONDITIONS}.")
    return tuple(value)


def _checked(parse: Callable[[str], Parsed], text: str) -> Parsed:
    """What a text means that could have been typed."""
    try:
        return parse(text)
    except TokenloupeError as error:
        raise EntryError(f"has “{quoted(text)}”: {error}") from error


class EntryReader(NamedTuple):
    """How an entry of a file becomes a field of a session: its type in TOML, and what reads it."""

    field: str
    kind: type
    read: Callable[[Any], Any] = lambda value: value


ENTRIES = {
    "notes": EntryReader("notes", str, _notes),
    "model": EntryReader("model", str),
    "sha256": EntryReader("sha256", str),
    "pre": EntryReader("pre", str),
    "text": EntryReader("text", str, str.encode),
    "text_base64": EntryReader("text", str, _base64),
    "encoder": EntryReader("encoder", str),
    "add_special": EntryReader("add_special", bool),
    "parse_special": EntryReader("parse_special", bool),
    "page": EntryReader("page", str, _page),
    "selection": EntryReader("selection", list, _span),
    "breakpoints": EntryReader("breakpoints", list, _breakpoints),
    "watches": EntryReader("watches", list, _watches),
    "step_size": EntryReader("step_size", str, _step_size),
    "recorded": EntryReader("recorded", list, _span),
    "step": EntryReader("step", int, _step),
    "race": EntryReader("race", str),
    "chat": EntryReader("chat", str, _chat),
}
