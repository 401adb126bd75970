"""`tokenloupe step`"""

from __future__ import annotations

import argparse
import sys

from guiapp.commands.files import InputError, add_encode_options, open_tokenizer, print_json, text_of


def add_options(parser: argparse.ArgumentParser) -> None:
    add_encode_options(parser)
    parser.add_argument(
        "--break",
        dest="breakpoints",
        metavar="COND",
        action="append",
        default=[],
        help="a breakpoint, such as 'rank < 500', 'token \"Ġthe\"' or 'operation stale'; may be repeated",
    )
    parser.add_argument(
        "--json", action="store_true", help="print all steps, or those at breakpoints, and end"
    )


def run(options: argparse.Namespace) -> int:
    """Step through the tokenization of a text, as in a debugger."""
    from guiapp.commands.step_console import Console, remembered_commands
    from guiapp.core.trace.absences import absence
    from guiapp.core.trace.breakpoints import parse_breakpoint
    from guiapp.core.trace.recorder import record
    from guiapp.core.trace.reports import compare_with, debugger_for, trace_record
    from guiapp.core.trace.spelling import unquoted

    breakpoints = [parse_breakpoint(text) for text in options.breakpoints]
    text = text_of(options)
    tokenizer = open_tokenizer(options.model, options.pre)
    trace = record(tokenizer, text, options.encoder, options.special, options.parse_special)
    debugger = debugger_for(tokenizer, trace)

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
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # a terminal may be ASCII only
    if options.text is None and options.file is None and not sys.stdin.isatty():
        raise InputError("The text came by standard input, so commands cannot. Give TEXT, -f FILE or --json.")
    with remembered_commands():
        Console(debugger, tokenizer.encoders, compare).cmdloop()
    return 0
