"""`tokenloupe detokenize`"""

from __future__ import annotations

import argparse
import sys

from guiapp.analysis.explain.id_lists import parse_id_blocks
from guiapp.cli.files import InputError, add_file_option, add_model_option, file_blocks, open_tokenizer
from guiapp.core.encode.detokenizing import detokenize_blocks

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
    tokenizer = open_tokenizer(options.model, options.pre)
    listed = (
        [" ".join(options.ids).encode(errors="surrogateescape")] if options.ids else file_blocks(options.file)
    )
    ids = parse_id_blocks(listed, len(tokenizer.vocabulary))
    for text in detokenize_blocks(tokenizer.vocabulary, ids, options.remove_special, options.unparse_special):
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()
    if sys.stdout.isatty():
        print()
    return 0
