"""`tokenloupe count`"""

from __future__ import annotations

import argparse
import sys

from guiapp.commands.files import (
    InputError,
    add_parse_special_option,
    add_pre_option,
    add_text_source,
    blocks_of,
    open_tokenizer,
    print_json,
    text_of,
)
from guiapp.core.explain.figures import counted
from guiapp.core.explain.hidden_report import HiddenReport, hidden_report
from guiapp.core.explain.visible_text import visible_text

SHOWN_CHARACTERS = 200  # of what hidden characters spell


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL")
    add_pre_option(parser)
    add_text_source(parser)
    parser.add_argument(
        "--limit", metavar="N", type=int, help="stop as soon as there are more, and say “more than N”"
    )
    parser.add_argument(
        "--no-special", dest="special", action="store_false", help="leave BOS, EOS and the like out"
    )
    add_parse_special_option(parser)
    parser.add_argument(
        "--hidden", action="store_true", help="list the characters that nobody sees, and what they cost"
    )
    parser.add_argument("--json", action="store_true", help="print the list of --hidden as a JSON object")


def run(options: argparse.Namespace) -> int:
    """The number of tokens of a text."""
    from guiapp.core.counting.count import count_blocks

    if options.limit is not None and options.limit < 0:
        raise InputError(f"No text has fewer than {options.limit} tokens. Choose a limit of 0 or more.")
    if options.hidden and options.limit is not None:
        raise InputError("--hidden looks at the whole text. Leave out --limit.")
    if options.json and not options.hidden:
        raise InputError("--json goes with --hidden. A count alone is a number already.")
    tokenizer = open_tokenizer(options.model, options.pre)
    if options.hidden:
        report = hidden_report(tokenizer, text_of(options), options.special, options.parse_special)
        if options.json:
            print_json({**report._asdict(), "places": [place._asdict() for place in report.places]})
        else:
            _tell_hidden(report)
        return 0
    blocks = blocks_of(options)
    n_tokens = count_blocks(tokenizer, blocks, options.limit, options.special, options.parse_special)
    print(f"more than {options.limit}" if n_tokens is None else n_tokens)
    return 0


def _tell_hidden(report: HiddenReport) -> None:
    """A line for each place: of which line of the text, from which byte on, what, and what it costs."""
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # a terminal may be ASCII only
    for place in report.places:
        what = f"{place.characters} {', '.join(place.kinds)}"
        says = [f"“{visible_text(place.says.encode(), SHOWN_CHARACTERS)}”"] if place.says else []
        print(f"line {place.line}", place.start, what, counted(place.tokens, "token"), *says, sep="\t")
    where = f" in {counted(len(report.places), 'place')}" if report.places else ""
    with_them = f"{counted(report.tokens, 'token')} with them, {report.tokens_without:,} without"
    print(f"{counted(report.characters, 'hidden character')}{where}: {with_them}")
