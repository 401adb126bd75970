"""`tokenloupe tokenize`"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from guiapp.analysis.explain.reports import (
    doubled_special,
    ids_json,
    ids_text,
    segmentations_report,
    token_lines,
)
from guiapp.analysis.explain.spelling import Spelling
from guiapp.cli.files import (
    FOUND,
    InputError,
    add_encode_options,
    add_exit_code,
    add_spelling_option,
    blocks_of,
    let_terminal_replace,
    open_tokenizer,
    print_bytes,
    print_json,
    print_lines,
    shown_blocks,
    text_of,
)

if TYPE_CHECKING:
    from guiapp.core.encode.tokenizer import Tokenizer


EXAMPLES = (
    "tokenloupe tokenize model.gguf 'Hello world' --format table",
    "tokenloupe tokenize demo:bpe -f text.txt",
)
STATUSES = {FOUND: "with --exit-code: the round trip changes the text"}


def add_options(parser: argparse.ArgumentParser) -> None:
    add_encode_options(parser)
    add_spelling_option(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--format", choices=("ids", "json", "table", "color", "log"), help="default: ids")
    form.add_argument(
        "--json", dest="format", action="store_const", const="json", help="same as --format json"
    )
    kind = parser.add_mutually_exclusive_group()
    about = "encode and decode: print the first change of the text, and the rule that causes it"
    kind.add_argument("--round-trip", action="store_true", help=about)
    add_exit_code(parser, "--round-trip finds a change")
    about = "print the N best segmentations, one a line, each after its score (Unigram only)"
    kind.add_argument("--best", metavar="N", type=int, help=about)


def run(options: argparse.Namespace) -> int:
    """Turn a text into token ids."""
    options.format = options.format or "ids"
    if options.exit_code and not options.round_trip:
        raise InputError("--exit-code needs --round-trip.")
    tokenizer = open_tokenizer(options.model, options.pre)
    if options.best is not None:
        _print_best(tokenizer, text_of(options), options)
    elif options.round_trip:
        return _print_round_trip(tokenizer, text_of(options), options)
    elif options.format == "log":
        _print_log(tokenizer, text_of(options), options)
    else:
        _print_tokens(tokenizer, options)
    return 0


def _print_tokens(tokenizer: Tokenizer, options: argparse.Namespace) -> None:
    """Read, encode and print the text part by part."""
    from guiapp.core.encode.counting.growing import EncodedPart, encoded_parts

    head: list[int] = []
    tail: list[int] = []

    def parts() -> Iterator[EncodedPart]:
        encode_options = options.special, options.parse_special, options.encoder
        blocks = blocks_of(options) if sys.stdout.isatty() else shown_blocks(options)
        for part in encoded_parts(tokenizer, blocks, *encode_options):
            ids = part.encoding.token_ids
            head.extend(ids[: 2 - len(head)].tolist())
            tail[:] = [*tail, *ids[-2:].tolist()][-2:]
            yield part

    if options.format == "ids":
        write_ids = ids_text(" ")
        print_bytes(written for part in parts() for written in write_ids(part.encoding.token_ids))
    elif options.format == "json":
        print_bytes(ids_json(tokenizer, parts()))
    else:
        print_lines(token_lines(tokenizer, parts(), options.format, Spelling(options.spelling)))
    if options.special and (doubled := doubled_special(tokenizer, head, tail)):
        print(f"tokenloupe: {doubled} Add --no-special to omit it.", file=sys.stderr)


def _print_round_trip(tokenizer: Tokenizer, text: bytes, options: argparse.Namespace) -> int:
    from guiapp.analysis.explain.round_trip import round_trip

    if options.format not in ("ids", "json"):
        raise InputError(f"--round-trip has no format {options.format}. Use --format json, or no --format.")
    result = round_trip(tokenizer, tokenizer.encode(text, False, options.parse_special, options.encoder))
    if options.format == "json":
        print_json(result.record())
    else:
        print_lines(result.sentences())
    return FOUND if options.exit_code and result.offset is not None else 0


def _print_best(tokenizer: Tokenizer, text: bytes, options: argparse.Namespace) -> None:
    if options.encoder not in (None, "viterbi"):
        raise InputError(f"The encoder “{options.encoder}” gives one segmentation. Use viterbi with --best.")
    if options.format not in ("ids", "json"):
        raise InputError(f"--best has no format {options.format}. Use --format ids or json.")
    best = tokenizer.segmentations(text, options.best, options.special, options.parse_special)
    if options.format == "json":
        print_json(segmentations_report(tokenizer, best))
        return
    for segmentation in best:
        print(f"{segmentation.score:.4f}", *segmentation.encoding.token_ids.tolist())


def _print_log(tokenizer: Tokenizer, text: bytes, options: argparse.Namespace) -> None:
    """Print every step of the encoding, one on each line."""
    from guiapp.analysis.trace.debugger import debugger_for, log_lines
    from guiapp.analysis.trace.recorder import record

    let_terminal_replace()
    trace = record(tokenizer, text, options.encoder, options.special, options.parse_special)
    for line in log_lines(debugger_for(tokenizer, trace, Spelling(options.spelling))):
        print(line)
