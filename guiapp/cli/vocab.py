"""`tokenloupe vocab`"""

from __future__ import annotations

import argparse
import sys

from guiapp.cli.files import (
    InputError,
    add_form_options,
    add_model_option,
    add_spelling_option,
    open_tokenizer,
    print_parts,
)

SHOWN = 100  # tokens, in text output
MOST_ROWS = 1 << 22
FORMS = {
    "csv": "print CSV for a spreadsheet",
    "json": "print a JSON object",
    "markdown": "print a Markdown table",
}
FILTERS = """
filters (a token must match all; a minus before a filter inverts it):
  the  '"new york"'    contains these characters
  /^\\s+$/              matches this regular expression
  0xE282  #9906  100..200            contains these bytes, has this id, has an id in this range
  kind:control  script:Han           is of this kind, is of this script
  length:>=8  rank:..500  score:>-5  children:>100  characters:1  depth:4  below:0
  is:unreached  is:untrained  is:notutf8  is:duplicate  is:byte  is:reserved  is:special
With --embeddings, also: norm:<0.1  distance:..2  cosine:<0.05  residual:<0.05
Put filters in quotes. If the first begins with a minus, write -- before it.
"""
EXAMPLES = (
    "tokenloupe vocab model.gguf kind:control",
    "tokenloupe vocab demo:bpe 'length:>=8' --sort rank --csv",
)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.epilog = FILTERS.strip()
    add_model_option(parser)
    parser.add_argument("filters", metavar="FILTER", nargs="*", help="list matching tokens only; see below")
    parser.add_argument("--sort", metavar="COLUMN", help="sort by this column (default: best match first)")
    parser.add_argument("--descending", action="store_true", help="with --sort: largest first")
    parser.add_argument("--columns", metavar="NAME,…", help="columns to print; `--columns help` lists them")
    about = f"print at most N tokens (default: {SHOWN}; no limit for CSV, JSON and Markdown)"
    parser.add_argument("--limit", metavar="N", type=int, help=about)
    parser.add_argument(
        "--embeddings", action="store_true", help="read the embeddings of a GGUF, and mark untrained tokens"
    )
    about = "with --embeddings: reference ids of unused tokens, such as 3,100..120 (default: detect them)"
    parser.add_argument("--unused", metavar="IDS", help=about)
    add_spelling_option(parser)
    add_form_options(parser, **FORMS)


def _rows(written: str) -> list[int]:
    """The numbers in `3,100..120`."""
    rows: list[int] = []
    for part in written.split(","):
        first, _, last = part.partition("..")
        if not (first.isdecimal() and (last.isdecimal() or part == first)):
            raise InputError(f"--unused: “{part}” is not an id. Write an id, or a range such as 100..120.")
        start, end = int(first), int(last or first)
        if end - start >= MOST_ROWS:
            raise InputError(f"--unused: the range {part} has more ids than any model. Choose a smaller one.")
        rows += range(start, end + 1)
    return rows


def run(options: argparse.Namespace) -> int:
    """List the tokens of a model: filter them, sort them, choose columns."""
    from guiapp.analysis.explain.spelling import Spelling
    from guiapp.analysis.search.matches import QueryError
    from guiapp.analysis.vocabulary_list.columns import COLUMNS
    from guiapp.analysis.vocabulary_list.filters import check_filter, vocabulary_list
    from guiapp.analysis.vocabulary_list.listing import FORMS as WRITERS

    if options.limit is not None and options.limit < 0:
        raise InputError(f"--limit {options.limit}: choose 0 or more.")
    if options.descending and options.sort is None:
        options.refuse("argument --descending: needs --sort")
    if options.columns == "help":
        print("\n".join(f"{column.name:11} {column.about}" for column in COLUMNS))
        return 0
    try:
        check_filter(" ".join(options.filters))
    except QueryError as error:
        options.refuse(str(error))
    tokenizer = open_tokenizer(options.model, options.pre)
    shown = vocabulary_list(
        tokenizer,
        " ".join(options.filters),
        options.sort,
        options.descending,
        None if options.columns is None else options.columns.split(","),
        Spelling(options.spelling),
        reads_embeddings=options.embeddings or options.unused is not None,
        unused=None if options.unused is None else _rows(options.unused),
    )
    if shown.figures.indicators is not None and options.form is None:
        print(*shown.figures.indicators.sentences, sep="\n", file=sys.stderr)
    limit = SHOWN if options.limit is None and options.form is None else options.limit
    print_parts(WRITERS[options.form or "text"](shown.first(limit)))
    if limit is not None and limit < len(shown.ids):
        print(
            f"tokenloupe: {limit:,} of {len(shown.ids):,} tokens. Print more with --limit N.", file=sys.stderr
        )
    return 0
