"""Edits of a template that mend what it wrote, found by where it wrote that.

None of them runs a template: its text says in the place that a Run knows how characters are spelled there.
"""

from __future__ import annotations

import re

import numpy as np

from guiapp.analysis.chat.chat import ANYWHERE, Chat
from guiapp.analysis.chat.fixes import TemplateEdit
from guiapp.analysis.chat.template_parts import EXPRESSION, owner_before, spelled
from guiapp.analysis.chat.traced import TEMPLATE

BEHIND = re.compile(r"\s*(?:[+~]|-?\}\}|(?:if|else)\b)")  # an expression that is printed as a text
TAG = re.compile(r"\{[{%#]|[{%#]\}")
ASSISTANT = "assistant"


def replacing(chat: Chat, start: int, end: int, text: str) -> TemplateEdit | None:
    """Write another text in the place of these characters of the prompt; None if they are not just written.

    A variable of the template's own, such as `bos_token`, only goes as a whole, and becomes an empty string.
    """
    row = int(chat.runs.rows_at(np.array(start)))
    origin, (first, last) = chat.rendering.runs[row].origin, chat.runs.bounds[row : row + 2].tolist()
    source, place = chat.template.source_text, origin.place
    if origin.kind != TEMPLATE or place < 0 or end > last:
        return None
    if origin.field:
        is_whole = (start, end, text) == (first, last, "") and origin.message is None
        name = is_whole and re.compile(rf"{re.escape(origin.field)}\b").match(source, place)
        return TemplateEdit(place, name.end(), "''") if name else None
    if (found := spelled(chat, row)) is None:
        return None
    start, end = found.places[start - first], found.places[end - first]
    if not found.quote and _changes_more(source, start, end, text):
        return None
    return TemplateEdit(start, end, _in_quotes(text, found.quote) if found.quote else text)


def _changes_more(source: str, start: int, end: int, text: str) -> bool:
    """Whether text between tags, so replaced, makes a tag with what is beside it, or costs a newline there.

    jinja drops one behind the tag of a statement and at the end of a template.
    """
    before, behind = source[max(start - 2, 0) : start], source[end : end + 1]
    is_dropped = (before in ("%}", "#}") and behind == "\n") or (before.endswith("\n") and not behind)
    return bool(TAG.search(before[-1:] + text + behind)) or (is_dropped and not text)


def ending_turn(chat: Chat, message: int, text: str) -> TemplateEdit | None:
    """Write a text behind the content of one of the assistant's messages, and of all others of it.

    None where the template does not print the content as it stands, nor text of its own behind it: what else
    it does with it may take no text.
    """
    runs, source, last = chat.rendering.runs, chat.template.source_text, chat.runs.last_contents[message]
    place, owner = runs[last].origin.place, ""
    if place >= 0:
        owner, expression = owner_before(source, place), EXPRESSION.match(source, place)
        if expression is not None and BEHIND.match(source, expression.end()):
            said = _for_assistants(chat, place, text, owner)
            return None if said is None else TemplateEdit(expression.end(), expression.end(), f" ~ {said}")
    behind = runs[last + 1].origin if last + 1 < len(runs) else None
    if (
        behind is None
        or behind.message != message
        or behind.field
        or behind.place < 0
        or (found := spelled(chat, last + 1)) is None
    ):
        return None
    said = _for_assistants(chat, behind.place, text, owner if behind.place > place else "")
    written = f"{said} ~ " if found.quote else f"{{{{ {said} }}}}"
    return None if said is None else TemplateEdit(behind.place, behind.place, written)


def _for_assistants(chat: Chat, place: int, text: str, owner: str) -> str | None:
    """An expression for a place of the template: a text where a message is the assistant's, else nothing.

    owner  the variable that is the message; with "", None where other messages come by as well
    """
    said, roles_at = f"'{_in_quotes(text)}'", chat.roles_at
    if roles_at[place] == {ASSISTANT} != roles_at[ANYWHERE]:
        return said
    return f"({said} if {owner}['role'] == '{ASSISTANT}' else '')" if owner else None


def _in_quotes(text: str, quote: str = "'") -> str:
    """As a string of a template spells it."""
    return text.replace("\\", "\\\\").replace(quote, f"\\{quote}").replace("\n", "\\n")
