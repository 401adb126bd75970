"""Edits of a template that mend what it wrote, found by where it wrote that.

None of them runs a template: its text says in the place that a Run knows how characters are spelled there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from guiapp.core.chat.chat import Chat
from guiapp.core.chat.fixes import TemplateEdit
from guiapp.core.chat.traced import TEMPLATE

EXPRESSION = re.compile(r"\w*(?:\s*\.\s*\w+|\s*\[[^][]*\]|\([^()]*\)|\s*\|\s*\w+)*")
BEHIND = re.compile(r"\s*(?:[+~]|-?\}\}|(?:if|else)\b)")  # an expression that is printed as a text
OWNER = re.compile(r"(?<![\w.)\]])[^\W\d]\w*$")  # a plain variable, before the dot or bracket of an entry
TAG = re.compile(r"\{[{%#]|[{%#]\}")
ASSISTANT = "assistant"


def replacing(chat: Chat, start: int, end: int, text: str) -> TemplateEdit | None:
    """Write another text in the place of these characters of the prompt; None if they are not just written.

    A variable of the template's own, such as `bos_token`, only goes as a whole, and becomes an empty string.
    """
    row = int(np.searchsorted(chat.run_bounds[:-1], start, "right")) - 1
    origin, (first, last) = chat.rendering.runs[row].origin, chat.run_bounds[row : row + 2].tolist()
    source, place = chat.template.source_text, origin.place
    if origin.kind != TEMPLATE or place < 0 or end > last:
        return None
    if origin.field:
        is_whole = (start, end, text) == (first, last, "") and origin.message is None
        found = is_whole and re.compile(rf"{re.escape(origin.field)}\b").match(source, place)
        return TemplateEdit(place, found.end(), "''") if found else None
    if (spelled := _spelled(chat, row)) is None or (not spelled.quote and TAG.search(text)):
        return None
    start, end = spelled.places[start - first], spelled.places[end - first]
    return TemplateEdit(start, end, _in_quotes(text, spelled.quote) if spelled.quote else text)


class _Spelled(NamedTuple):
    """How a template spells what it writes.

    places  of each character, and where the last ends
    quote   of a string, "" for what stands between tags
    """

    places: Sequence[int]
    quote: str


def _spelled(chat: Chat, row: int) -> _Spelled | None:
    """The text of a run; None where the template says something else in its place."""
    start, end = chat.run_bounds[row : row + 2].tolist()
    source, place, written = (
        chat.template.source_text,
        chat.rendering.runs[row].origin.place,
        chat.text[start:end],
    )
    if source.startswith(written, place):
        return _Spelled(range(place, place + len(written) + 1), "")
    said, places = chat.template.string_at(place)
    return _Spelled(places, source[place]) if said == written else None


def ending_turn(chat: Chat, message: int, text: str) -> TemplateEdit | None:
    """Write a text behind the content of one of the assistant's messages, and of all others of it.

    None where the template does not print the content as it stands, nor text of its own behind it: what else
    it does with it may take no text.
    """
    runs, source = chat.rendering.runs, chat.template.source_text
    rows = [row for row, run in enumerate(runs) if run.origin.message == message]
    last = next((row for row in reversed(rows) if runs[row].origin.kind != TEMPLATE), -1)
    place, owner = runs[last].origin.place, None
    if place >= 0:
        owner, expression = OWNER.search(source[:place]), EXPRESSION.match(source, place)
        if expression is not None and BEHIND.match(source, expression.end()):
            said = _for_assistants(chat, place, text, owner)
            return None if said is None else TemplateEdit(expression.end(), expression.end(), f" ~ {said}")
    behind = runs[last + 1].origin if last + 1 in rows else None
    if behind is None or behind.field or behind.place < 0 or (spelled := _spelled(chat, last + 1)) is None:
        return None
    said = _for_assistants(chat, behind.place, text, owner if behind.place > place else None)
    written = f"{said} ~ " if spelled.quote else f"{{{{ {said} }}}}"
    return None if said is None else TemplateEdit(behind.place, behind.place, written)


def _for_assistants(chat: Chat, place: int, text: str, owner: re.Match[str] | None) -> str | None:
    """An expression for a place of the template: a text where a message is the assistant's, else nothing.

    owner  the variable that is the message; without one, None where other messages come by as well
    """
    said, role_of = f"'{_in_quotes(text)}'", chat.conversation.role
    origins = [run.origin for run in chat.rendering.runs]
    roles = [(role_of(each.message), each.place) for each in origins if each.message is not None]
    here, elsewhere = ({role for role, at in roles if (at == place) is is_here} for is_here in (True, False))
    if here == {ASSISTANT} and elsewhere - here:
        return said
    return None if owner is None else f"({said} if {owner[0]}['role'] == '{ASSISTANT}' else '')"


def _in_quotes(text: str, quote: str = "'") -> str:
    """As a string of a template spells it."""
    return text.replace("\\", "\\\\").replace(quote, f"\\{quote}").replace("\n", "\\n")
