"""`tokenloupe count`"""

from __future__ import annotations

import argparse

from guiapp.commands.files import (
    InputError,
    add_parse_special_option,
    add_pre_option,
    add_text_source,
    blocks_of,
    open_tokenizer,
)


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


def run(options: argparse.Namespace) -> int:
    """The number of tokens of a text."""
    from guiapp.core.counting.count import count_blocks

    if options.limit is not None and options.limit < 0:
        raise InputError(f"No text has fewer than {options.limit} tokens. Choose a limit of 0 or more.")
    tokenizer = open_tokenizer(options.model, options.pre)
    blocks = blocks_of(options)
    n_tokens = count_blocks(tokenizer, blocks, options.limit, options.special, options.parse_special)
    print(f"more than {options.limit}" if n_tokens is None else n_tokens)
    return 0
