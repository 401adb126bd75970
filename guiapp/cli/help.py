"""`tokenloupe help`"""

from __future__ import annotations

import argparse
import re

from guiapp.cli.files import InputError, let_terminal_replace
from guiapp.core.manual import CHAPTERS, chapter_title, find_topic, search

EXAMPLES = "tokenloupe help compare", "tokenloupe help --search byte fallback"
LINK = re.compile(r"\[([^]]+)\]\(([\w-]+)\.md(#[\w-]+)?\)")


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
        print(LINK.sub(r"\1 (help \2\3)", find_topic(options.topic).text), end="")
    return 0
