"""Fixes that a click on a hint applies: to the template, or to how messages become tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from guiapp.analysis.chat.chat import ASSISTANT, Chat
from guiapp.analysis.chat.messages import ChatSettings
from guiapp.analysis.chat.templates import ChatTemplate
from guiapp.analysis.chat.traced import TEMPLATE

EXPRESSION = re.compile(r"\w*(?:\s*\.\s*\w+|\s*\[[^][]*\]|\([^()]*\)|\s*\|\s*\w+)*")
OWNER, LONGEST_OWNER = re.compile(r"(?<![\w.)\]])[^\W\d]\w*\Z"), 100
AFTER_PRINTED = re.compile(r"\s*(?:[+~]|-?\}\}|(?:if|else)\b)")  # what may follow a printed expression
TAG = re.compile(r"\{[{%#]|[{%#]\}")


@dataclass(frozen=True)
class TemplateEdit:
    """Replaces the characters [start, end) of a template, whose lines all end in LF, by a text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Fix:
    """What one click does: exactly one of the fields after `label` is set.

    label        of the button
    add_special  the new value of the setting
    as_text      the new value of the setting
    template     an edit of the template
    remedy       a fix for the model's file, to copy; it changes nothing here
    """

    label: str
    add_special: bool | None = None
    as_text: bool | None = None
    template: TemplateEdit | None = None
    remedy: str | None = None


def apply_fix(settings: ChatSettings, template: ChatTemplate, fix: Fix) -> ChatSettings:
    """The settings after a fix; `template` is the one that wrote the prompt."""
    if fix.add_special is not None:
        settings = replace(settings, add_special=fix.add_special)
    if fix.as_text is not None:
        settings = replace(settings, as_text=fix.as_text)
    if fix.template is not None:
        source, edit = template.source_text, fix.template
        settings = replace(settings, template=source[: edit.start] + edit.text + source[edit.end :])
    return settings


# Edits of a template that fix what it wrote, located by where it wrote that


def replacing(chat: Chat, start: int, end: int, text: str) -> TemplateEdit | None:
    """Write another text instead of these characters of the prompt; None unless they are literal text.

    A variable such as `bos_token` can only be removed as a whole: it becomes an empty string.
    """
    row = int(chat.runs.rows_at(np.array(start)))
    origin, (first, last) = chat.rendering.runs[row].origin, chat.runs.bounds[row : row + 2].tolist()
    source, offset = chat.template.source_text, origin.source_offset
    if origin.kind != TEMPLATE or offset < 0 or end > last:
        return None
    if origin.field:
        is_whole = (start, end, text) == (first, last, "") and origin.message is None
        name = is_whole and re.compile(rf"{re.escape(origin.field)}\b").match(source, offset)
        return TemplateEdit(offset, name.end(), "''") if name else None
    if (result := spelling_of(chat, row)) is None:
        return None
    start, end = result.offsets[start - first], result.offsets[end - first]
    if not result.quote and _changes_more(source, start, end, text):
        return None
    return TemplateEdit(start, end, _in_quotes(text, result.quote) if result.quote else text)


def _changes_more(source: str, start: int, end: int, text: str) -> bool:
    """Whether this replacement of text between tags makes a new tag, or loses a newline.

    jinja drops a newline after the tag of a statement and at the end of a template.
    """
    before, after = source[max(start - 2, 0) : start], source[end : end + 1]
    is_dropped = (before in ("%}", "#}") and after == "\n") or (before.endswith("\n") and not after)
    return bool(TAG.search(before[-1:] + text + after)) or (is_dropped and not text)


def ending_turn(chat: Chat, message: int, text: str) -> TemplateEdit | None:
    """Write a text after the content of this and of all other messages of the assistant.

    None unless the template prints the content as it is, or literal text after it: other expressions may not
    allow another text.
    """
    source, origins = chat.template.source_text, [run.origin for run in chat.rendering.runs]
    contents = [row for row, each in enumerate(chat.runs.of_runs) if each.is_content]
    last = max(row for row in contents if origins[row].message == message)
    offset, taken, owner = origins[last].source_offset, origins[last].taken, ""
    if offset >= taken >= 0 and "endfor" not in source[taken:offset]:
        owner, expression = owner_before(source, taken), EXPRESSION.match(source, offset)
        if expression is not None and AFTER_PRINTED.match(source, expression.end()):
            offset, written = expression.end(), _for_assistants(chat, offset, text, owner)
            return TemplateEdit(offset, offset, f" ~ {written}") if written else None
    after = origins[last + 1] if last + 1 < len(origins) else None
    if after is None or after.message != message or after.field or after.source_offset < 0:
        return None
    spelling = spelling_of(chat, last + 1)
    written = _for_assistants(chat, after.source_offset, text, owner if after.source_offset > offset else "")
    if spelling is None or not written:
        return None
    return TemplateEdit(
        after.source_offset,
        after.source_offset,
        f"{written} ~ " if spelling.quote else f"{{{{ {written} }}}}",
    )


def _for_assistants(chat: Chat, offset: int, text: str, owner: str) -> str:
    """An expression for a position of the template: the text if the message is the assistant's, else "".

    owner  the variable that holds the message; if it is "" and other messages pass here too, return ""
    """
    literal, role_of = f"'{_in_quotes(text)}'", chat.conversation.role
    origins = (run.origin for run in chat.rendering.runs)
    roles = {(each.source_offset, role_of(each.message)) for each in origins if each.message is not None}
    if {role for at, role in roles if at == offset} == {ASSISTANT} != {role for _, role in roles}:
        return literal
    return f"({literal} if {owner}['role'] == '{ASSISTANT}' else '')" if owner else ""


def _in_quotes(text: str, quote: str = "'") -> str:
    """A text as a string of a template spells it."""
    return text.replace("\\", "\\\\").replace(quote, f"\\{quote}").replace("\n", "\\n")


# The parts of a template that wrote a text: strings, text between tags, and expressions


class TemplateSpelling(NamedTuple):
    """How a template spells what it writes.

    offsets  the offset of each character, and where the last one ends
    quote    of a string, "" for text between tags
    """

    offsets: Sequence[int]
    quote: str


def spelling_of(chat: Chat, row: int) -> TemplateSpelling | None:
    """The spelling of a run; None if the template has no such text there."""
    start, end = chat.runs.bounds[row : row + 2].tolist()
    source, offset = chat.template.source_text, chat.rendering.runs[row].origin.source_offset
    written = chat.text[start:end]
    if source.startswith(written, offset):
        return TemplateSpelling(range(offset, offset + len(written) + 1), "")
    string, offsets = chat.template.string_at(offset)
    return TemplateSpelling(offsets, source[offset]) if string == written else None


def owner_before(source: str, offset: int) -> str:
    """The plain variable before the dot or bracket of an entry; "" if there is none."""
    found = OWNER.search(source[max(offset - LONGEST_OWNER, 0) : offset])
    return found[0] if found else ""


def part_that_wrote(chat: Chat, first: int, last: int) -> tuple[int, int] | None:
    """The characters of the template that wrote these of the prompt, or the first content in them.

    They are offsets in `source_text`, up to the end of the line; None if unknown.
    """
    row, last_row = chat.runs.rows_at(np.array((first, max(first, last - 1)))).tolist()
    row = chat.runs.first_content(row, last_row + 1)
    origin, source = chat.rendering.runs[row].origin, chat.template.source_text
    start = origin.source_offset
    if start < 0:
        return None
    if origin.kind == TEMPLATE and not origin.field:
        found = spelling_of(chat, row)
        end = start + 1 if found is None else found.offsets[-1] + len(found.quote)
    else:
        expression = EXPRESSION.match(source, start)
        end = expression.end() if expression else start
        start -= len(owner_before(source, start))
    line_end = source.find("\n", start)
    return start, end if line_end < 0 else min(end, line_end)
