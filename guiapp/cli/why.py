"""`tokenloupe why`"""

from __future__ import annotations

import argparse
import re

from guiapp.cli.files import (
    InputError,
    add_encode_options,
    add_spelling_option,
    let_terminal_replace,
    open_tokenizer,
    print_json,
    text_of,
)
from guiapp.core.text.numbers_in_words import counted

BYTE_RANGE = re.compile(r"(\d+)(?:[:–-](\d+))?")


EXAMPLES = "tokenloupe why demo:bpe 'Hello world' --token 1", "tokenloupe why model.gguf -f text.txt --at 0:5"


def add_options(parser: argparse.ArgumentParser) -> None:
    add_encode_options(parser)
    which = parser.add_mutually_exclusive_group()
    about = "explain the token at byte N of the text, or the tokens of bytes N:M (default: all tokens)"
    which.add_argument("--at", metavar="N[:M]", help=about)
    which.add_argument(
        "--token", metavar="N", type=int, help="explain token number N, counted from 0, as in JSON"
    )
    add_spelling_option(parser)
    parser.add_argument("--json", action="store_true", help="print the stages as a JSON object")


def run(options: argparse.Namespace) -> int:
    """Explain why a token results: each stage, the merges with their ranks, and what lost against them."""
    from guiapp.analysis.explain.spelling import Spelling
    from guiapp.analysis.explain.why.excerpt import Switches, excerpt_of
    from guiapp.analysis.explain.why.explanation import why_lines, why_record
    from guiapp.analysis.explain.why.why import why, why_of

    byte_range = None if options.at is None else _byte_range(options.at)
    text = text_of(options)
    tokenizer = open_tokenizer(options.model, options.pre)
    switches, spelling = (options.special, options.parse_special), Spelling(options.spelling)
    if options.token is not None:
        encoding = tokenizer.encode(text, *switches, options.encoder)
        if not 0 <= options.token < len(encoding):
            n_tokens = counted(len(encoding), "token")
            raise InputError(f"--token {options.token}: the text has {n_tokens}, numbered from 0.")
        excerpt = excerpt_of(encoding, options.token)
        found = [why_of(tokenizer, excerpt, Switches(encoding.encoder, *switches, spelling))]
    else:
        start, end = byte_range or (0, len(text))
        found = why(tokenizer, text, start, end, *switches, options.encoder, spelling)
    if options.json:
        print_json(why_record(found))
        return 0
    if not found:
        where = "The text has no tokens" if options.at is None else f"--at {options.at} has no token"
        raise InputError(f"{where}. Write a text, or a range with text, such as 0:1.")
    let_terminal_replace()
    print("\n\n".join("\n".join(why_lines(token)) for token in found))
    return 0


def _byte_range(text: str) -> tuple[int, int | None]:
    found = BYTE_RANGE.fullmatch(text)
    if found is None:
        raise InputError(
            f"--at “{text}” is not an offset. Write a byte, such as 7, or a range, such as 7:12."
        )
    return int(found[1]), None if found[2] is None else int(found[2])
