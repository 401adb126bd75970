"""`tokenloupe help`"""

from __future__ import annotations

import argparse

from guiapp.cli.files import InputError, let_terminal_replace
from guiapp.core.manual import CHAPTERS, chapter_title, find_topic, search


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "topic",
        nargs="?",
        metavar="TOPIC",
        help="a chapter of the manual, such as compare, or a part of it, such as doctor#pre_missing",
    )
    parser.add_argument(
        "--search", metavar="WORDS", help="list the parts of the manual that have these words"
    )


def run(options: argparse.Namespace) -> int:
    """The manual: a chapter, a part of one, or what words are in."""
    let_terminal_replace()
    if options.search is not None:
        if not (results := search(options.search)):
            raise InputError(
                f"The manual has nothing on “{options.search}”. `tokenloupe help` lists its chapters."
            )
        width = max(len(section.topic) for section in results)
        for section in results:
            print(f"{section.topic:{width}}  {section.title}")
    elif options.topic is None:
        width = max(map(len, CHAPTERS))
        for name in CHAPTERS:
            print(f"{name:{width}}  {chapter_title(name)}")
    else:
        print(find_topic(options.topic).text, end="")
    return 0
