"""The manual that comes with the program: chapters in Markdown, the targets of links, and a search."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from math import log1p
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
        "data",
        "cluster",
        "vocabulary",
        "doctor",
        "fix",
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
        "how-fast",
        "glossary",
        "architecture",
    ),
)
"""The chapters' files in the order in which they are listed; to add one, write it and add its name."""
HEADING = re.compile(r"^(#+) (.*)")
LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")
ENDING = re.compile(r"(?:ing|ed|es|e|s)$")
SHORTEST_WITH_ENDING = 4
NEARLY_ALL = 0.75  # of the best section's score
FILLERS = re.compile(  # words without meaning for a search
    r"(?:an?|and|are|at|by|can|do|does|for|from|get|given?|how|i|if|in|is|it|make|me|my|of|on|one|or|own"
    r"|that|the|this|to|use|what|when|where|which|who|why|with|without)"
)
ENTRY = re.compile(r"^- `([^`]+)`")  # an item of a list that links can address by its code


class Section(NamedTuple):
    """A part of a chapter: the text below one of its headings, or an entry of a list of codes or words.

    chapter  the name of its file without the suffix
    anchor   the part of a link after `#`: the heading or word in lower case with hyphens, or the code
    title    the heading without markup, the word or code
    text     Markdown, the heading included
    """

    chapter: str
    anchor: str
    title: str
    text: str

    @property
    def topic(self) -> str:
        """The argument of `tokenloupe help` and the target of links."""
        return f"{self.chapter}#{self.anchor}"

    def sentence_with(self, words: list[str]) -> str:
        """The sentence below the title that has most of these words, without Markdown markup."""
        paragraphs = re.split(r"\n{2,}|\n(?=[-|>`]|\d+\.)", self.text.partition("\n")[2].lstrip())
        prose = (" ".join(LINK.sub(r"\1", each).split()) for each in paragraphs if each[:1].isalpha())
        sentences = [sentence for each in prose for sentence in re.split(r"(?<=[.?!]) ", each)]
        return _plain(
            max(sentences, key=lambda each: sum(word in each.lower() for word in words), default="")
        )


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
    """The sections of a chapter in order; the first has the text before the second heading."""
    return tuple(_sections(name))


def find_topic(topic: str) -> Section:
    """The section that a topic such as `compare` or `doctor#pre_missing` names.

    The name of a chapter gives one section with its whole text.  Raises TokenloupeError.
    """
    from difflib import get_close_matches  # imported late, to start faster

    name, _, anchor = topic.partition("#")
    if name not in CHAPTERS:
        near = get_close_matches(name, CHAPTERS, 1, 0.6)
        hint = f"Did you mean “{near[0]}”?" if near else f"Its chapters: {', '.join(CHAPTERS)}."
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
    """Sections with the words of a query, or nearly as many as any section has; the best ones first.

    Rare words weigh more than common ones, and again by their share of the title.
    """
    words = search_words(query)
    every = [section for name in CHAPTERS for section in sections(name)]
    joined = [_joined(section.text) for section in every]
    n_with = {word: sum(word in text for text in joined) for word in words}
    weights = {word: log1p(len(every) / n) for word, n in n_with.items() if n}
    ranked = []
    for section, text in zip(every, joined, strict=True):
        title = _joined(section.title)
        score = sum(weight for word, weight in weights.items() if word in text)
        in_title = [word for word in weights if word in title]
        covered = sum(map(len, in_title)) / max(1, len(title))
        density = sum(map(text.count, weights)) / len(text)
        ranked.append((score, score + covered * sum(map(weights.__getitem__, in_title)), density, section))
    least = NEARLY_ALL * max(score for score, *_ in ranked)
    chosen = [each for each in ranked if each[0] >= least > 0]
    return [section for *_, section in sorted(chosen, key=lambda each: each[1:3], reverse=True)]


def search_words(query: str) -> list[str]:
    """The words of a query without their usual endings, and without fillers."""
    words = [word for word in re.findall(r"[\w#.<>|-]+", query.lower()) if not FILLERS.fullmatch(word)]
    return [ENDING.sub("", word) if len(word) > SHORTEST_WITH_ENDING else word for word in words]


def _joined(text: str) -> str:
    """The text in lower case without spaces, so that “huggingface” finds “Hugging Face”."""
    return "".join(text.lower().split())


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
    """The part of a link to a heading after `#`, as on GitHub."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _plain(words: str) -> str:
    """The words without Markdown markup."""
    return words.replace("`", "").replace("*", "").strip()
