"""`tokenloupe count`"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from guiapp.analysis.explain.characters import HiddenReport, hidden_report
from guiapp.cli.files import (
    FOUND,
    InputError,
    add_exit_code,
    add_model_option,
    add_special_options,
    add_text_source,
    let_terminal_replace,
    open_tokenizer,
    print_json,
    shown_blocks,
    text_of,
)
from guiapp.core.text.numbers_in_words import counted, percent
from guiapp.core.text.visible_text import kind_name, visible_text

if TYPE_CHECKING:
    from guiapp.core.encode.counting.cost import CostlyText, CostlyTexts
    from guiapp.core.encode.tokenizer import Tokenizer

SHOWN_CHARACTERS = 200  # of the text that hidden characters spell


EXAMPLES = (
    "tokenloupe count model.gguf -f text.txt",
    "tokenloupe count demo:bpe 'Hello' --limit 8000 --exit-code",
)
STATUSES = {FOUND: "with --exit-code: more tokens than --limit"}


def add_options(parser: argparse.ArgumentParser) -> None:
    add_model_option(parser)
    add_text_source(parser)
    about = "stop once there are more than N tokens, and print “more than N”"
    parser.add_argument("--limit", metavar="N", type=int, help=about)
    add_exit_code(parser, "the text has more tokens than --limit")
    add_special_options(parser)
    parser.add_argument(
        "--hidden", action="store_true", help="list hidden characters and the tokens they take"
    )
    about = "also list the N words and N lines that take the most tokens"
    parser.add_argument("--dearest", metavar="N", type=int, help=about)
    parser.add_argument("--json", action="store_true", help="print a JSON object")


def run(options: argparse.Namespace) -> int:
    """Count the tokens of a text, and list what takes the most."""
    from guiapp.core.encode.counting.growing import count_blocks

    if options.limit is not None and options.limit < 0:
        raise InputError(f"--limit {options.limit}: choose 0 or more.")
    if options.exit_code and options.limit is None:
        raise InputError("--exit-code needs --limit.")
    if options.hidden and options.limit is not None:
        raise InputError("--hidden reads the whole text. Omit --limit.")
    if options.hidden and options.dearest is not None:
        raise InputError("--hidden and --dearest cannot be combined. Choose one.")
    tokenizer = open_tokenizer(options.model, options.pre)
    if options.hidden:
        report = hidden_report(tokenizer, text_of(options), options.special, options.parse_special)
        if options.json:
            print_json({**report._asdict(), "places": [span._asdict() for span in report.places]})
        else:
            _print_hidden(report)
        return 0
    if options.dearest is not None:
        return _print_most_expensive(options, tokenizer)
    blocks = shown_blocks(options)
    n_tokens = count_blocks(tokenizer, blocks, options.limit, options.special, options.parse_special)
    if options.json:
        print_json({"tokens": n_tokens, "limit": options.limit})
    else:
        print(f"more than {options.limit}" if n_tokens is None else n_tokens)
    return FOUND if options.exit_code and n_tokens is None else 0


def _print_hidden(report: HiddenReport) -> None:
    """Print a line for each occurrence: line number, byte offset, characters, and their cost in tokens."""
    let_terminal_replace()
    for span in report.places:
        what = f"{span.characters} {', '.join(kind_name(kind, span.characters) for kind in span.kinds)}"
        says = [f"“{visible_text(span.says.encode(), SHOWN_CHARACTERS)}”"] if span.says else []
        print(f"line {span.line}", span.start, what, counted(span.tokens, "token"), *says, sep="\t")
    where = f" in {counted(len(report.places), 'place')}" if report.places else ""
    with_them = f"{counted(report.tokens, 'token')} with hidden characters, {report.tokens_without:,} without"
    print(f"{counted(report.characters, 'hidden character')}{where}: {with_them}")


def _print_most_expensive(options: argparse.Namespace, tokenizer: Tokenizer) -> int:
    from guiapp.core.encode.counting.cost import costly_texts

    if options.limit is not None or options.dearest < 1:
        raise InputError("--dearest needs a number of 1 or more, and no --limit.")
    encoding = tokenizer.encode(text_of(options), options.special, options.parse_special)
    result = costly_texts(encoding, options.dearest)
    if options.json:
        print_json(_report(result, encoding.text_bytes))
        return 0
    let_terminal_replace()
    print(result.n_tokens)
    for title, rows in (("words", result.words), ("lines", result.lines)):
        if not rows:
            print(f"\nNo {title.removesuffix('s')} takes more than one token.")
            continue
        print(f"\n{title:>8}{'':8}{'times':>8}{'line':>9}")
        for row in rows:
            share, line = percent(row.n_tokens / result.n_tokens, 1), _line(encoding.text_bytes, row)
            print(f"{row.n_tokens:8,}{share:>8}{row.n_times:8,}{line:9,}  {row.text}")
    return 0


def _report(result: CostlyTexts, text: bytes) -> dict[str, object]:
    parts = ("words", result.words), ("lines", result.lines)
    return {"tokens": result.n_tokens, **{name: [_record(row, text) for row in rows] for name, rows in parts}}


def _record(row: CostlyText, text: bytes) -> dict[str, object]:
    """The row as JSON, with the text unabridged."""
    raw = text[row.start : row.end].decode("utf-8", "replace")
    span = [row.start, row.end]
    return {"text": raw, "tokens": row.n_tokens, "times": row.n_times, "line": _line(text, row), "span": span}


def _line(text: bytes, row: CostlyText) -> int:
    """The number of the line with the first occurrence, from 1."""
    return text.count(b"\n", 0, row.start) + 1
