"""The manual that comes with the program: chapters in Markdown, what a link in them means, and a search."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from guiapp.core.demo import resources_folder
from guiapp.core.text.numbers_in_words import quoted
from guiapp.errors import TokenloupeError

CHAPTERS = (
    *(
        "start",
        "text",
        "compare",
        "languages",
        "hunt",
        "chat",
        "vocabulary",
        "doctor",
        "tree",
        "steps",
        "lessons",
        "bench",
    ),
    *(
        "formats",
        "sources",
        "sessions",
        "command-line",
        "json",
        "python",
        "exactness",
        "glossary",
        "architecture",
    ),
)
"""Their files in the order in which they are listed; to add one, write it and add its name."""
HEADING = re.compile(r"^(#+) (.*)")
ENTRY = re.compile(r"^- `([^`]+)`")  # of a list that can be linked to by its code


class Section(NamedTuple):
    """A part of a chapter: what is below one of its headings, or an entry of a list of codes or words.

    chapter  the name of its file without the ending
    anchor   what a link has behind `#`: the heading or word in lower case with hyphens, or the code
    title    the heading without its signs, the word or code
    text     Markdown, the heading included
    """

    chapter: str
    anchor: str
    title: str
    text: str

    @property
    def topic(self) -> str:
        """What `tokenloupe help` and links take."""
        return f"{self.chapter}#{self.anchor}"


def manual_folder() -> Path:
    return resources_folder() / "manual"


@cache
def chapter_text(name: str) -> str:
    """The Markdown of a chapter."""
    return (manual_folder() / f"{name}.md").read_text("utf-8")


def chapter_title(name: str) -> str:
    return _plain(chapter_text(name).partition("\n")[0].lstrip("# "))


@cache
def sections(name: str) -> tuple[Section, ...]:
    """Those of a chapter in order, the first with what stands before the second heading."""
    return tuple(_sections(name))


def find_topic(topic: str) -> Section:
    """The section that a topic such as `compare` or `doctor#pre_missing` names.

    A chapter alone is one section with its whole text.  Raises TokenloupeError.
    """
    from difflib import get_close_matches  # time that starting does not have

    name, _, anchor = topic.partition("#")
    if name not in CHAPTERS:
        near = get_close_matches(name, CHAPTERS, 1, 0.6)
        hint = f"Did you mean “{near[0]}”?" if near else f"Topics are {', '.join(CHAPTERS)}."
        raise TokenloupeError(f"The manual has no chapter “{quoted(name)}”. {hint}")
    if not anchor:
        return Section(name, "", chapter_title(name), chapter_text(name))
    for section in sections(name):
        if section.anchor == anchor:
            return section
    anchors = [section.anchor for section in sections(name)]
    near = get_close_matches(anchor, anchors, 1, 0.6)
    hint = f"Did you mean “{name}#{near[0]}”?" if near else f"`tokenloupe help {name}` shows the chapter."
    raise TokenloupeError(f"The chapter “{name}” has no section “{quoted(anchor)}”. {hint}")


def search(query: str) -> list[Section]:
    """Sections that have all words of a query, those first that have them in their titles."""
    words = query.lower().split()
    ranked = []
    for name in CHAPTERS:
        for section in sections(name):
            text, title = section.text.lower(), section.title.lower()
            if words and all(word in text for word in words):
                in_title = sum(word in title for word in words)
                ranked.append((-in_title, -sum(map(text.count, words)) / len(text), section))
    return [section for *_, section in sorted(ranked, key=lambda each: each[:2])]


def _sections(name: str) -> Iterator[Section]:
    lines: list[str] = []
    title, is_code = "", False
    for line in [*chapter_text(name).splitlines(), "# "]:
        if line.startswith("```"):
            is_code = not is_code
        match = None if is_code else HEADING.match(line)
        if match is None:
            lines.append(line)
            continue
        if lines:
            yield Section(name, anchor_of(title), title, "\n".join(lines).strip() + "\n")
            yield from _entries(name, lines)
        lines, title = [line], _plain(match[2])


def _entries(name: str, lines: list[str]) -> Iterator[Section]:
    """The items of lists that begin with a code, each with the lines that belong to it."""
    starts = [number for number, line in enumerate(lines) if ENTRY.match(line)]
    for start in starts:
        end = next((at for at in range(start + 1, len(lines)) if lines[at][:1] != " "), len(lines))
        match = ENTRY.match(lines[start])
        assert match is not None
        yield Section(name, anchor_of(match[1]), match[1], "\n".join(lines[start:end]) + "\n")


def anchor_of(heading: str) -> str:
    """What a link to a heading has behind `#`, as GitHub makes it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _plain(words: str) -> str:
    """Without signs of Markdown."""
    return words.replace("`", "").replace("*", "").strip()
