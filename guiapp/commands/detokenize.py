"""`tokenloupe detokenize`"""

from __future__ import annotations

import argparse
import re
import sys

from guiapp.commands.files import InputError, add_file_option, add_pre_option, open_tokenizer, read
from guiapp.core.errors import EncodeError

MOST_DIGITS = 18


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL")
    add_pre_option(parser)
    parser.add_argument("ids", metavar="ID", nargs="*", help="otherwise FILE or standard input is read")
    add_file_option(parser, "read the ids from a file")
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
    listed = " ".join(options.ids) if options.ids else read(options.file).decode("ascii", "replace")
    ids = _parse_ids(listed)
    tokenizer = open_tokenizer(options.model, len(listed), options.pre)
    text = tokenizer.decode_bytes(ids, options.remove_special, options.unparse_special)
    sys.stdout.buffer.write(text)
    if sys.stdout.isatty():
        print()
    return 0


def _parse_ids(text: str) -> list[int]:
    """Ids separated by spaces, commas, brackets or newlines."""
    words = [word for word in re.split(r"[\s,;\[\](){}]+", text) if word]
    for word in words:
        if not re.fullmatch(r"[+-]?\d+", word):
            raise EncodeError(f"“{word}” is not a token id. Ids are whole numbers, separated by spaces.")
        if len(word) > MOST_DIGITS:
            raise EncodeError(f"“{word[:MOST_DIGITS]}…” is no token id: no vocabulary is that large.")
    return [int(word) for word in words]
