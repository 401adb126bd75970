"""What stands for itself in a sentence, between backticks as in Markdown: “`ĠN` is a token.”

A text that has backticks itself stands between more of them than it has side by side: "`` a`b ``".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
BACKTICKS = re.compile("`+")
SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&-])")


class MarkedPart(NamedTuple):
    """A stretch of a sentence without its marks."""

    text: str
    is_code: bool


def code(text: str) -> str:
    """The text between marks that it does not have itself."""
    longest = max(map(len, BACKTICKS.findall(text)), default=0)
    marks = "`" * (longest + 1)
    needs_room = not text or longest or text[0] == text[-1] == " "
    return f"{marks} {text} {marks}" if needs_room else f"{marks}{text}{marks}"


def in_markdown(text: str) -> str:
    """The text with nothing that means something in Markdown."""
    return SPECIAL.sub(r"\\\1", text)


def parts(sentence: str) -> Iterator[MarkedPart]:
    """The stretches of a sentence, those between marks apart; marks without an end are text."""
    end = 0
    for match in CODE.finditer(sentence):
        if match.start() > end:
            yield MarkedPart(sentence[end : match.start()], False)
        yield MarkedPart(_without_room(match[2]), True)
        end = match.end()
    if end < len(sentence):
        yield MarkedPart(sentence[end:], False)


def without_marks(sentence: str) -> str:
    """As it is read where code needs no marks."""
    return "".join(part.text for part in parts(sentence))


def _without_room(inner: str) -> str:
    """Marks keep a space between themselves and a text that could be taken for some."""
    return inner[1:-1] if len(inner) > 1 and inner[0] == inner[-1] == " " else inner
