"""`tokenloupe step`"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from guiapp.cli.files import (
    InputError,
    add_encode_options,
    add_spelling_option,
    let_terminal_replace,
    open_tokenizer,
    print_json,
    text_of,
)

if TYPE_CHECKING:
    from guiapp.core.encode.tokenizer import Tokenizer


def add_options(parser: argparse.ArgumentParser) -> None:
    add_encode_options(parser)
    add_spelling_option(parser)
    parser.add_argument(
        "--break",
        dest="breakpoints",
        metavar="COND",
        action="append",
        default=[],
        help="a breakpoint, such as 'rank < 500', 'token \" the\"' or 'operation stale'; may be repeated",
    )
    parser.add_argument(
        "--all", action="store_true", help="record a long text whole, however long that takes"
    )
    parser.add_argument(
        "--json", action="store_true", help="print all steps, or those at breakpoints, and end"
    )


def run(options: argparse.Namespace) -> int:
    """Step through the tokenization of a text, as in a debugger."""
    from guiapp.analysis.explain.spelling import Spelling
    from guiapp.analysis.trace.absences import absence
    from guiapp.analysis.trace.breakpoints import parse_breakpoint
    from guiapp.analysis.trace.recorder import record
    from guiapp.analysis.trace.reports import compare_with, debugger_for, trace_record
    from guiapp.analysis.trace.token_names import unquoted
    from guiapp.cli.step_console import Console, remembered_commands

    breakpoints = [parse_breakpoint(text) for text in options.breakpoints]
    text = text_of(options)
    tokenizer = open_tokenizer(options.model, options.pre)
    if not options.all:
        text = _beginning(text, tokenizer, options.encoder)
    trace = record(tokenizer, text, options.encoder, options.special, options.parse_special)
    debugger = debugger_for(tokenizer, trace, Spelling(options.spelling))

    def compare(encoder: str) -> None:
        compare_with(debugger, tokenizer, encoder, options.special, options.parse_special)

    for row in breakpoints:
        if row.kind == "difference":
            compare(unquoted(row.value))
    debugger.set_breakpoints(breakpoints)
    if options.json:
        stops = sorted({int(step) for found in debugger.stops.hits for step in found})
        steps = stops if breakpoints else list(range(len(trace)))
        for row in breakpoints:
            if told := absence(row, debugger.values, tokenizer.encoders):
                print(f"{row.title}: {told}", file=sys.stderr)
        print_json(trace_record(debugger, steps))
        return 0
    let_terminal_replace()
    if options.text is None and options.file is None and not sys.stdin.isatty():
        raise InputError("The text came by standard input, so commands cannot. Give TEXT, -f FILE or --json.")
    with remembered_commands():
        Console(debugger, tokenizer.encoders, compare).cmdloop()
    return 0


def _beginning(text: bytes, tokenizer: Tokenizer, encoder: str | None) -> bytes:
    """As much of a text as is recorded in some seconds; says so where that is not all."""
    from guiapp.analysis.trace.cost import ONE_PIECE, beginning, estimate, n_first_bytes

    twin = tokenizer.readable_twin(encoder or next(iter(tokenizer.encoders)))
    kind = twin, tokenizer.vocabulary.type in ONE_PIECE
    n_bytes = n_first_bytes(*kind, len(text))
    if n_bytes == len(text):
        return text
    cost, part = estimate(*kind, len(text)), beginning(text, n_bytes)
    print(
        f"The text has {len(text):,} bytes; these are the steps of its first {len(part):,}. All of it would "
        f"take about {cost.seconds:,.0f} s and {cost.size_bytes / 1e6:,.0f} MB: add --all for that.",
        file=sys.stderr,
    )
    return part
