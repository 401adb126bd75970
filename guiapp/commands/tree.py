"""`tokenloupe tree`"""

from __future__ import annotations

import argparse
import json
import os
import sys

from guiapp.commands.files import open_tokenizer
from guiapp.core.tree_reports import Branch, dot_lines, tree_lines, tree_report


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("prefix", metavar="PREFIX", nargs="?", default="", help="only tokens that begin so")
    parser.add_argument(
        "--levels", metavar="N", type=_positive, help="how deep to go (all; without PREFIX, for people: 1)"
    )
    style = parser.add_mutually_exclusive_group()
    style.add_argument("--json", action="store_true", help="print a JSON object")
    style.add_argument("--dot", action="store_true", help="print a graph for Graphviz")


def run(options: argparse.Namespace) -> int:
    """The token tree: every token under the longest shorter one that it begins with."""
    tokenizer = open_tokenizer(options.model)
    prefix, levels = os.fsencode(options.prefix), options.levels
    if not (prefix or levels or options.json or options.dot):
        levels = 1
    branch = Branch(tokenizer.vocabulary, prefix, levels)
    if options.json:
        print(json.dumps(tree_report(branch)))
        return 0
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # a terminal may be ASCII only
    for line in dot_lines(branch) if options.dot else tree_lines(branch):
        print(line)
    return 0


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"“{text}” is not a whole number above 0")
    return int(text)
