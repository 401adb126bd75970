"""`tokenloupe tokenize`"""

from __future__ import annotations

import argparse
import json
import sys

from guiapp.commands.files import add_encode_options, open_tokenizer, text_of
from guiapp.core.reports import ids_report, token_lines
from guiapp.core.tokenizer import Tokenizer


def add_options(parser: argparse.ArgumentParser) -> None:
    add_encode_options(parser)
    parser.add_argument("--format", choices=("ids", "json", "table", "color", "log"), default="ids")


def run(options: argparse.Namespace) -> int:
    """The token ids of a text."""
    text = text_of(options)
    tokenizer = open_tokenizer(options.model, len(text), options.pre)
    if options.format == "log":
        _print_log(tokenizer, text, options)
        return 0
    encoding = tokenizer.encode(text, options.special, options.parse_special, options.encoder)
    if options.format == "ids":
        print(*encoding.token_ids.tolist())
    elif options.format == "json":
        print(json.dumps(ids_report(tokenizer, encoding), ensure_ascii=False))
    else:
        sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # a terminal may be ASCII only
        for line in token_lines(tokenizer, encoding, options.format):
            print(line)
    return 0


def _print_log(tokenizer: Tokenizer, text: bytes, options: argparse.Namespace) -> None:
    """Every step of the encoding, one a line."""
    from guiapp.core.trace.recorder import record
    from guiapp.core.trace.reports import debugger_for, log_lines

    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # a terminal may be ASCII only
    trace = record(tokenizer, text, options.encoder, options.special, options.parse_special)
    for line in log_lines(debugger_for(tokenizer, trace)):
        print(line)
