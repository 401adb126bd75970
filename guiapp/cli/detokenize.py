"""`tokenloupe detokenize`"""

from __future__ import annotations

import argparse
import sys

from guiapp.analysis.explain.id_lists import parse_ids
from guiapp.cli.files import InputError, add_file_option, add_model_option, open_tokenizer, read
from guiapp.core.text.utf16 import as_utf8


def add_options(parser: argparse.ArgumentParser) -> None:
    add_model_option(parser)
    parser.add_argument("ids", metavar="ID", nargs="*", help="otherwise FILE or standard input is read")
    add_file_option(
        parser, "a file of ids: numbers, a list as in Python, C or JSON, or what tokenize prints as JSON"
    )
    parser.add_argument("--remove-special", action="store_true", help="drop BOS in front and EOS at the end")
    parser.add_argument(
        "--no-unparse-special",
        dest="unparse_special",
        action="store_false",
        help="leave control tokens out instead of writing their text",
    )


def run(options: argparse.Namespace) -> int:
    """The text of token ids."""
    if options.ids and options.file is not None:
        raise InputError("There are ids and a file of ids. Give either.")
    listed = " ".join(options.ids) if options.ids else _decoded(read(options.file))
    tokenizer = open_tokenizer(options.model, options.pre)
    ids = parse_ids(listed, len(tokenizer.vocabulary))
    text = tokenizer.decode_bytes(ids, options.remove_special, options.unparse_special)
    sys.stdout.buffer.write(text)
    if sys.stdout.isatty():
        print()
    return 0


def _decoded(listed: bytes) -> str:
    """What was read as text, UTF-16 too: some shells write that into files."""
    try:
        return as_utf8(listed).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"The list of ids is not UTF-8: byte {error.start + 1:,} is 0x{listed[error.start]:02X}. "
            "Give ids as text, as tokenize prints them."
        ) from None
