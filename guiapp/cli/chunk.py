"""`tokenloupe chunk`"""

from __future__ import annotations

import argparse
from itertools import starmap

from guiapp.cli.files import (
    add_model_option,
    add_parse_special_option,
    add_text_source,
    blocks_of,
    let_terminal_replace,
    open_tokenizer,
    print_json_parts,
)
from guiapp.core.encode.counting.chunks import LEVELS, chunk_blocks, chunk_record
from guiapp.core.text.visible_text import visible_text

SHOWN_CHARACTERS = 60  # at the beginning of a chunk


EXAMPLES = ("tokenloupe chunk model.gguf -f text.txt --max-tokens 512 --overlap 32 --by sentence",)


def add_options(parser: argparse.ArgumentParser) -> None:
    add_model_option(parser)
    add_text_source(parser)
    about = "the most tokens a chunk may have, without BOS and EOS"
    parser.add_argument("--max-tokens", metavar="N", type=int, required=True, help=about)
    about = "repeat up to M tokens of the previous chunk"
    parser.add_argument("--overlap", metavar="M", type=int, default=0, help=about)
    about = "where a chunk may end (default: %(default)s)"
    parser.add_argument("--by", choices=LEVELS[::-1], default="character", help=about)
    add_parse_special_option(parser)
    parser.add_argument("--json", action="store_true", help="print a JSON object, texts included")


def run(options: argparse.Namespace) -> int:
    """Split a text into chunks of at most N tokens, each as long as possible."""
    tokenizer = open_tokenizer(options.model, options.pre)
    chunks = chunk_blocks(
        tokenizer, blocks_of(options), options.max_tokens, options.overlap, options.by, options.parse_special
    )
    if options.json:
        rules = {name: getattr(options, name) for name in ("max_tokens", "overlap", "by")}
        print_json_parts({**rules, "chunks": starmap(chunk_record, chunks)})
        return 0
    let_terminal_replace()
    for chunk, text in chunks:
        print(chunk.start, chunk.end, chunk.n_tokens, visible_text(text, SHOWN_CHARACTERS), sep="\t")
    return 0
