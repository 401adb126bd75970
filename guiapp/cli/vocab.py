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

SHOWN = 100  # tokens, for people
MOST_ROWS = 1 << 22
FORMS = {
    "csv": "print lines for a spreadsheet",
    "json": "print a JSON object",
    "markdown": "print a table to paste",
}
FILTERS = """
Filters, all of which must hold; a minus before one means all others:
  the  '"new york"'    tokens that contain these characters
  /^\\s+$/              that a regular expression matches
  0xE282  #9906  100..200            with these bytes, with this id, with one of these
  kind:control  script:Han           of this kind or script
  length:>=8  rank:..500  score:>-5  children:>100  characters:1  depth:4  below:0
  is:unreached  is:untrained  is:notutf8  is:duplicate  is:byte  is:reserved  is:special
With --embeddings also norm:<0.1  distance:..2  cosine:<0.05  residual:<0.05
Put them between quotes, or -- before them where the first begins with a minus.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = FILTERS
    add_model_option(parser)
    parser.add_argument("filters", metavar="FILTER", nargs="*", help="see below; without any, all tokens")
    parser.add_argument("--sort", metavar="COLUMN", help="otherwise those nearest to the text come first")
    parser.add_argument("--descending", action="store_true", help="with --sort: the largest first")
    parser.add_argument(
        "--columns",
        metavar="NAME,…",
        help="what to print of each token; `--columns help` lists what there is",
    )
    parser.add_argument("--limit", metavar="N", type=int, help=f"at most N tokens (for people {SHOWN})")
    parser.add_argument(
        "--embeddings", action="store_true", help="read those of a GGUF, and tell which look never trained"
    )
    parser.add_argument(
        "--unused",
        metavar="ROWS",
        help="the same, comparing with these rows, such as 3,100..120, in place of those that are found",
    )
    add_spelling_option(parser)
    add_form_options(parser, **FORMS)


def _rows(written: str) -> list[int]:
    """The numbers in `3,100..120`."""
    rows: list[int] = []
    for part in written.split(","):
        first, _, last = part.partition("..")
        if not (first.isdecimal() and (last.isdecimal() or part == first)):
            raise InputError(f"“{part}” is not a row, nor a range such as 100..120.")
        start, end = int(first), int(last or first)
        if end - start >= MOST_ROWS:
            raise InputError(f"{part} are more rows than any model has.")
        rows += range(start, end + 1)
    return rows


def run(options: argparse.Namespace) -> int:
    """The tokens of a model, filtered, sorted, and with what is known of each."""
    from guiapp.analysis.explain.spelling import Spelling
    from guiapp.analysis.search.matches import QueryError
    from guiapp.analysis.vocabulary_list.columns import COLUMNS
    from guiapp.analysis.vocabulary_list.filters import check_filter, vocabulary_list
    from guiapp.analysis.vocabulary_list.listing import FORMS as WRITERS

    if options.limit is not None and options.limit < 0:
        raise InputError(f"There are no {options.limit} tokens to print. Choose a limit of 0 or more.")
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
        print(f"tokenloupe: {limit:,} of {len(shown.ids):,} tokens. --limit N prints more.", file=sys.stderr)
    return 0
