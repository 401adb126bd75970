"""`tokenloupe help`"""

from __future__ import annotations

import argparse
import re
from functools import partial

from guiapp.cli.files import InputError, let_terminal_replace
from guiapp.core.manual import CHAPTERS, chapter_title, find_topic, search

EXAMPLES = "tokenloupe help compare", "tokenloupe help --search byte fallback"
CODE = r"```.*?```|`[^`]*`"
LINK = re.compile(rf"({CODE})|\[((?:{CODE}|[^][`])+)\]\(([^)]+)\)", re.DOTALL)


def add_options(parser: argparse.ArgumentParser) -> None:
    about = (
        "a chapter, such as compare, or a section, such as doctor#pre_missing (default: list the chapters)"
    )
    parser.add_argument("topic", nargs="?", metavar="TOPIC", help=about)
    about = "list the sections that contain these words"
    parser.add_argument("--search", nargs="+", metavar="WORD", help=about)


def run(options: argparse.Namespace) -> int:
    """Read the manual, or search it."""
    let_terminal_replace()
    if options.search is not None:
        query = " ".join(options.search)
        if not (results := search(query)):
            raise InputError(f"The manual has nothing on “{query}”. `tokenloupe help` lists its chapters.")
        width = max(len(section.topic) for section in results)
        for section in results:
            print(f"{section.topic:{width}}  {section.title}")
    elif options.topic is None:
        width = max(map(len, CHAPTERS))
        for name in CHAPTERS:
            print(f"{name:{width}}  {chapter_title(name)}")
    else:
        section = find_topic(options.topic)
        print(LINK.sub(partial(_link, section.chapter), section.text), end="")
    return 0


def _link(chapter: str, link: re.Match[str]) -> str:
    """A link as text that can be typed in a terminal; code unchanged."""
    code, words, target = link.groups()
    if code is not None:
        return str(code)
    name, _, anchor = target.partition("#")
    is_topic = not name or name.endswith(".md")
    topic = (name.removesuffix(".md") or chapter) + (f"#{anchor}" if anchor else "")
    return f"{words} (help {topic})" if is_topic else f"{words} ({target})"
