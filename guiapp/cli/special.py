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
    show_progress,
)

COLUMNS = """column “from text”: whether text can become the token
  always      its text always becomes the token
  if parsed   its text becomes the token, except with --no-parse-special
  if unknown  a character that is not in the vocabulary becomes the token
  no          no text becomes the token
column “ends”: whether llama.cpp stops generating at the token"""
EXAMPLES = "tokenloupe special model.gguf", "tokenloupe special model.gguf --unused --csv"


def add_options(parser: argparse.ArgumentParser) -> None:
    add_model_option(parser)
    parser.add_argument("--unused", action="store_true", help="list only reserved tokens that no file uses")
    add_form_options(parser, json="print a JSON object", csv="print CSV for a spreadsheet")
    parser.epilog = COLUMNS


def run(options: argparse.Namespace) -> int:
    """List the special tokens: roles, ids, whether text can become them, and which end a generation."""
    from guiapp.analysis.vocabulary_list.special_tokens import csv_text, record, special_list, text_lines

    def report(share: float) -> None:
        show_progress(f"Examining special tokens: {share:.0%}")

    tokens = special_list(open_tokenizer(options.model, options.pre), report)
    show_progress("")
    if options.unused:
        tokens = tuple(token for token in tokens if token.is_unused)
    if options.form == "json":
        print_json(record(tokens))
    elif options.form == "csv":
        print_parts([csv_text(tokens)])
    elif options.unused and not tokens:
        print("There are no unused special tokens.")
    else:
        print_lines(text_lines(tokens))
    return 0
