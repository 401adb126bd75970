"""`tokenloupe detokenize`"""

from __future__ import annotations

import argparse
import sys

from guiapp.analysis.explain.id_lists import parse_ids
from guiapp.cli.files import InputError, add_file_option, add_model_option, open_tokenizer, read
from guiapp.core.text.utf16 import as_utf8

EXAMPLES = "tokenloupe detokenize model.gguf 1489 1171", "tokenloupe detokenize model.gguf -f ids.json"


def add_options(parser: argparse.ArgumentParser) -> None:
    add_model_option(parser)
    parser.add_argument("ids", metavar="ID", nargs="*", help="ids (default: read FILE or standard input)")
    about = "read ids from a file: numbers; a list in Python, C or JSON; or the JSON that tokenize prints"
    add_file_option(parser, about)
    parser.add_argument("--remove-special", action="store_true", help="omit a leading BOS and a trailing EOS")
    parser.add_argument(
        "--no-unparse-special",
        dest="unparse_special",
        action="store_false",
        help="omit control tokens instead of writing their text",
    )


def run(options: argparse.Namespace) -> int:
    """Turn token ids into text."""
    if options.ids and options.file is not None:
        raise InputError("Give ids as arguments or a file of ids, not both.")
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
            "Write ids as text, as `tokenloupe tokenize` prints them."
        ) from None
