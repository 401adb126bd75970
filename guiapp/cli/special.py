"""`tokenloupe special`"""

from __future__ import annotations

import argparse

from guiapp.cli.files import (
    add_form_options,
    add_model_option,
    open_tokenizer,
    print_json,
    print_lines,
    print_parts,
)


def add_options(parser: argparse.ArgumentParser) -> None:
    add_model_option(parser)
    parser.add_argument(
        "--unused",
        action="store_true",
        help="only those that are kept free, and that nothing in the files uses",
    )
    add_form_options(parser, json="print a JSON object", csv="print lines for a spreadsheet")
    parser.epilog = (
        "“from text”: always: its text leads to it; if parsed: unless --no-parse-special; if unknown: each "
        "character does that the vocabulary does not know; no: its text does not. “ends”: llama.cpp ends a "
        "generation there."
    )


def run(options: argparse.Namespace) -> int:
    """The special tokens: roles, ids, whether text leads to them, which end a generation, which are free."""
    from guiapp.analysis.vocabulary_list.special_tokens import csv_text, record, special_list, text_lines

    tokens = special_list(open_tokenizer(options.model, options.pre))
    if options.unused:
        tokens = tuple(token for token in tokens if token.is_unused)
    if options.form == "json":
        print_json(record(tokens))
    elif options.form == "csv":
        print_parts([csv_text(tokens)])
    elif options.unused and not tokens:
        print("No special token is unused.")
    else:
        print_lines(text_lines(tokens))
    return 0
