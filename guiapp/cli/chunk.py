"""`tokenloupe chunk`"""

from __future__ import annotations

import argparse

from guiapp.cli.files import (
    add_model_option,
    add_parse_special_option,
    add_text_source,
    let_terminal_replace,
    open_tokenizer,
    print_json,
    text_of,
)
from guiapp.core.encode.counting.chunks import LEVELS, Chunk, chunk_record, chunk_text
from guiapp.core.text.visible_text import visible_text

SHOWN_CHARACTERS = 60  # of the beginning of a chunk


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
    text = text_of(options)
    tokenizer = open_tokenizer(options.model, options.pre)
    chunks = chunk_text(
        tokenizer, text, options.max_tokens, options.overlap, options.by, options.parse_special
    )
    if options.json:
        print_json(_report(options, text, chunks))
    else:
        let_terminal_replace()
        for chunk in chunks:
            beginning = visible_text(text[chunk.start : chunk.end], SHOWN_CHARACTERS)
            print(chunk.start, chunk.end, chunk.n_tokens, beginning, sep="\t")
    return 0


def _report(options: argparse.Namespace, text: bytes, chunks: list[Chunk]) -> dict[str, object]:
    return {
        "max_tokens": options.max_tokens,
        "overlap": options.overlap,
        "by": options.by,
        "chunks": [chunk_record(text, chunk) for chunk in chunks],
    }
