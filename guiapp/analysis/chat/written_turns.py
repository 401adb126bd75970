"""Locate the assistant's turns in a rendered text, for templates that do not mark them.

A turn begins where the prompt of the previous messages, with the generation prompt, ends; its end includes
the marker that ends it.  Only strings are compared, in the process that runs the template.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from guiapp.analysis.chat.messages import functions_of

MARKER = re.compile(
    r"<\s?[|｜]\s?[^<>|｜\n]{1,40}\s?[|｜]\s?>|<\s?/?\s?[a-z][a-z_]{0,30}\s?>"
    r"|\[\s?/?\s?[A-Z][A-Z_]{2,30}\s?\]"
)
TAIL = re.compile(rf"(?:{MARKER.pattern}|<turn\|>)\Z")
LONGEST_MARKER = 100
ASSISTANT = "assistant"
EXACT, REWRITTEN, OTHER_PROMPT = "", "rewritten", "other_prompt"
UNKNOWN = -1  # characters of a turn that was not located

Render = Callable[[Sequence[Any], bool], str | None]


class WrittenTurn(NamedTuple):
    """A turn of the assistant in a text.

    message     from 0
    start, end  characters of the text; UNKNOWN if only the origins of the text can locate the turn
    how         EXACT; REWRITTEN: later messages change how the template writes this one or previous ones;
                OTHER_PROMPT: the turn does not begin like the generation prompt
    header      the text that the generation prompt adds
    """

    message: int
    start: int
    end: int
    how: str
    header: str


def written_turns(
    render: Render, messages: Sequence[Any], text: str, first: int, eos: str, usual: str = ""
) -> Iterator[WrittenTurn]:
    """The turns of the assistant's messages from `first` on, in order.

    render  returns the text of some messages, with or without generation prompt; None if the template fails
    text    of all messages, without generation prompt
    usual   the text that the generation prompt adds to a user's message; "" if unknown
    """
    owners = [row for row, each in enumerate(messages) if each["role"] == ASSISTANT and row >= first]
    at = 0
    for left, row in zip(range(len(owners), 0, -1), owners, strict=True):
        prompt = render(messages[:row], True)
        whole = text if row + 1 == len(messages) else render(messages[: row + 1], False)
        start, how, header = _start(render, messages[:row], text, prompt, whole, at, left)
        end = UNKNOWN
        if start != UNKNOWN and whole is not None:
            end, is_same = _end(messages[row], text, start, whole, prompt or "")
            if (
                end == UNKNOWN and usual
            ):  # the last message may end otherwise: use the text before a generation prompt
                before = render(messages[: row + 1], True) or ""
                size = len(before) - len(usual) if before.endswith(usual) else 0
                if size > start and text.startswith(before[:size]):
                    before, end = before[:size], size
                    is_same = whole.startswith(TAIL.sub("", before.rstrip()))
            how = how or (EXACT if is_same else REWRITTEN)
        if start != UNKNOWN and usual and text.startswith(usual, start):  # this prompt did not write it
            start, how = start + len(usual), OTHER_PROMPT
        if end == UNKNOWN:
            yield WrittenTurn(row, UNKNOWN, UNKNOWN, how or REWRITTEN, header)
            continue
        at = end
        yield WrittenTurn(row, start, without_blanks(text, start, end, eos), how, header)


def _start(
    render: Render,
    before: Sequence[Any],
    text: str,
    prompt: str | None,
    whole: str | None,
    at: int,
    left: int,
) -> tuple[int, str, str]:
    """The first character of a turn after `at`, how it was located, and the header.

    left  how many turns of the assistant remain, including this one
    """
    if prompt is None:
        return UNKNOWN, REWRITTEN, ""
    if text.startswith(prompt):
        return len(prompt), EXACT, ""
    shorter = render(before, False) if before else ""
    header = prompt[len(shorter) :] if shorter is not None and prompt.startswith(shorter) else ""
    if whole is not None and header and text.startswith(whole):
        first = len(prompt) - len(header)
        inner = n_of_header(header, text[first : first + len(header)])
        return (first + inner if inner else UNKNOWN), OTHER_PROMPT, header
    for size in reversed(_borders(header)):
        if text.count(header[:size], at) == left:
            found = text.index(header[:size], at)
            return found + n_of_header(header, text[found : found + len(header)]), REWRITTEN, header
    return UNKNOWN, REWRITTEN, header


def n_of_header(header: str, text: str) -> int:
    """The length of the header's prefix that a text begins with, cut at the end of a line or a marker."""
    common = n_alike(header, text)
    return max([0, *(each for each in _borders(header) if each <= common)])


def _borders(header: str) -> list[int]:
    """The ends of its lines and markers, and its own end."""
    ends = {result.end() for result in MARKER.finditer(header)} | {len(header)} - {0}
    return sorted(ends | {at for at, each in enumerate(header, 1) if each == "\n"})


def _end(message: Any, text: str, start: int, whole: str, prompt: str) -> tuple[int, bool]:
    """The end of a turn, UNKNOWN if uncertain, and whether later messages left the turn unchanged.

    whole  the text of the messages up to and including this one
    """
    if text.startswith(whole) and len(whole) >= start:
        return len(whole), True
    if not whole.startswith(prompt):
        return UNKNOWN, False
    own, content = whole[len(prompt) :], _content(message)
    common = n_alike(own, text[start : start + len(own)])
    inside = own.rfind(content, 0, common)
    if content and inside >= 0:  # equal up to the marker, which may differ for the last message
        after = inside + len(content)
        ours, here = _marker(own, after), _marker(text, start + after)
        if ours and here:
            return here, True
    rest = own.find(text[start + common : start + common + 8], common + 1) if common < len(own) else -1
    while rest >= 0:  # the text omits something, such as reasoning
        size = len(own) - rest
        if text.startswith(own[rest:], start + common) and content in own[rest:]:
            return start + common + size, False
        rest = own.find(text[start + common : start + common + 8], rest + 1)
    return UNKNOWN, False


def n_alike(first: str, second: str) -> int:
    """The length of the common prefix of two texts."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _content(message: Any) -> str:
    """The text that a turn must contain: its content, or else the name of its last call."""
    content = message.get("content")
    if isinstance(content, list):
        content = next((each["text"] for each in reversed(content) if "text" in each), "")
    if isinstance(content, str) and content.strip():
        return content.strip()
    names = [each.get("name") for each in functions_of(message.get("tool_calls"))]
    return names[-1] if names and isinstance(names[-1], str) else ""


def _marker(text: str, at: int) -> int:
    """The end of the marker that follows, after blanks; 0 if none does."""
    part = text[at : at + LONGEST_MARKER]
    result = MARKER.match(part, len(part) - len(part.lstrip()))
    return at + result.end() if result else 0


def without_blanks(text: str, start: int, end: int, eos: str = "") -> int:
    """The end of a turn without the blanks after its final marker."""
    stripped = max(start, len(text[:end].rstrip()))
    tail = text[max(start, stripped - LONGEST_MARKER) : stripped]
    return stripped if TAIL.search(tail) or (eos and tail.endswith(eos)) else end
