"""`tokenloupe compare`"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from guiapp.analysis.compare.comparison import names_apart
from guiapp.analysis.languages.languages import REFERENCE
from guiapp.cli.files import (
    FOUND,
    MODEL_HELP,
    InputError,
    add_exit_code,
    add_form_options,
    add_special_options,
    add_spelling_option,
    file_name,
    file_text,
    let_terminal_replace,
    open_tokenizer,
    print_json,
    print_parts,
    refuse_with,
    text_blocks,
)
from guiapp.core.text.numbers_in_words import counted, printable

if TYPE_CHECKING:
    from guiapp.analysis.compare.comparison import ModelSide
    from guiapp.analysis.compare.texts_report import Terms
    from guiapp.core.encode.tokenizer import Tokenizer

LISTED = 10  # differences, in text output
BLOCK_CHARACTERS = 1 << 20
FOR_ONE = re.compile(r"(\d+)=(.*)", re.DOTALL)
FORMS = {
    "json": "print a JSON object",
    "csv": "print CSV for a spreadsheet",
    "markdown": "print Markdown tables",
    "svg": "print a bar chart as SVG",
    "html": "with --languages: print a page with bars",
}
EXAMPLES = (
    "tokenloupe compare a.gguf b.gguf -f text.txt",
    "tokenloupe compare --vocab a.gguf b.gguf --exit-code",
    "tokenloupe compare a.gguf b.gguf --languages flores/ --reference eng_Latn",
    "tokenloupe compare --vocab target.gguf draft.gguf --draft",
)
STATUSES = {FOUND: "with --exit-code: a difference; with --draft: no"}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("models", metavar="MODEL", nargs="+", help=f"{MODEL_HELP}; the first is the baseline")
    parser.add_argument("--text", help="the text to compare (default: read FILE or standard input)")
    parser.add_argument(
        "-f",
        "--file",
        dest="files",
        metavar="FILE",
        action="append",
        type=file_name,
        help="a text, or a folder of texts; may be repeated",
    )
    parser.add_argument("--utf16", action="store_true", help="convert the texts that are read from UTF-16")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--vocab", action="store_true", help="compare the vocabularies of two models")
    about = "with --vocab: may the second MODEL draft for the first in speculative decoding?"
    parser.add_argument("--draft", action="store_true", help=about)
    about = "with one MODEL: compare with the tokens of this text"
    kind.add_argument("--against", metavar="FILE", type=file_name, help=about)
    kind.add_argument("--ids", help="with one MODEL: compare with these ids; - reads standard input")
    about = "count a folder of parallel texts, a file for each language"
    kind.add_argument("--languages", metavar="FOLDER", type=file_name, help=about)
    about = f"with --languages: the language that premiums refer to (default: {REFERENCE})"
    parser.add_argument("--reference", metavar="LANGUAGE", help=about)
    for name, about in (("pre", "pre-tokenizer (BPE only)"), ("encoder", "encoder that `info` lists")):
        about += ", for the Nth MODEL or for all"
        parser.add_argument(f"--{name}", metavar="[N=]NAME", action="append", default=[], help=about)
    add_special_options(parser)
    about = "context length in tokens (default: the files')"
    parser.add_argument("--context", metavar="N", type=int, help=about)
    about = "dollars per million tokens, one price for all models or one for each"
    parser.add_argument("--price", metavar="P[,P…]", type=_prices, default=(), help=about)
    add_spelling_option(parser)
    add_exit_code(parser, "ids differ, or with --vocab anything differs")
    add_form_options(parser, **FORMS)


def run(options: argparse.Namespace) -> int:
    """Compare texts in several models, two texts in one model, two vocabularies, or languages."""
    if options.languages is not None:
        return _compare_languages(options)
    if options.reference is not None or options.form == "html":
        raise InputError(f"--{'html' if options.form == 'html' else 'reference'} needs --languages FOLDER.")
    one_model = options.against is not None or options.ids is not None
    if options.vocab and len(options.models) != 2:
        raise InputError(f"--vocab compares two models, not {len(options.models)}.")
    if one_model and len(options.models) != 1:
        raise InputError(f"--against and --ids take one model, not {len(options.models)}.")
    if options.vocab:
        refuse_with(options, "--vocab", text="--text", files="-f", encoder="--encoder")
    if options.draft and not options.vocab:
        raise InputError("--draft works with --vocab and two models.")
    if options.vocab or one_model:
        kind = "--vocab" if options.vocab else "--ids" if options.against is None else "--against"
        refuse_with(options, kind, price="--price", context="--context")
    if options.form in (("svg", "csv") if one_model else ("svg",) if options.vocab else ()):
        raise InputError(f"--{options.form} does not work here. Use --json or --markdown.")
    if options.text is not None and (options.files or options.utf16):
        raise InputError("--text cannot be combined with -f or --utf16. Omit one.")
    if "-" in (options.ids, options.against) and options.text is None and not options.files:
        raise InputError("Standard input is used for --ids or --against. Give the text with --text or -f.")
    if options.draft:
        return 0 if _check_draft(options) else FOUND
    compare = _compare_vocabularies if options.vocab else _compare_changes if one_model else _compare_texts
    is_same = compare(options)
    return FOUND if options.exit_code and not is_same else 0


def _compare_texts(options: argparse.Namespace) -> bool:
    """Print the tokens of several models for texts; return whether all give the same ids."""
    from guiapp.analysis.compare.texts import compare_texts
    from guiapp.analysis.compare.texts_report import csv_text, summary, svg_text, tables
    from guiapp.analysis.export.tables import page_of

    sides = _sides(options)
    terms = _terms(options)
    if options.form == "json":
        return _print_texts_record(sides, terms, options)
    compared = compare_texts(sides, _texts(options), LISTED)
    match options.form:
        case "csv":
            print_parts([csv_text(compared.counts, terms)])
        case "svg":
            print_parts([svg_text(compared.counts)])
        case _:
            let_terminal_replace()
            is_markdown = options.form == "markdown"
            print(page_of(tables(compared, terms), after=[summary(compared)], is_markdown=is_markdown))
    return compared.has_same_ids


def _print_texts_record(sides: list[ModelSide], terms: Terms, options: argparse.Namespace) -> bool:
    """Print the comparison as JSON.  Differences end the record: until then, a temporary file holds them."""
    from tempfile import TemporaryFile

    from guiapp.analysis.compare.texts import TextDifference, compare_texts
    from guiapp.analysis.compare.texts_report import difference_record, record
    from guiapp.analysis.export.tables import json_text

    with TemporaryFile("w+", encoding="utf-8", newline="") as saved:

        def save(difference: TextDifference) -> None:
            saved.write(f", {json_text(difference_record(difference))}")

        compared = compare_texts(sides, _texts(options), on_difference=save)
        saved.seek(len(", "))
        beginning = json_text(record(compared, terms)).removesuffix("]}")
        print_parts(chain((beginning,), iter(partial(saved.read, BLOCK_CHARACTERS), ""), ("]}\n",)))
    return compared.has_same_ids


def _compare_changes(options: argparse.Namespace) -> bool:
    """Print the changes from the ids of a text to another list of ids; return whether there are none."""
    from guiapp.analysis.compare.id_changes import as_text, compare_ids, record
    from guiapp.analysis.explain.id_lists import parse_ids
    from guiapp.analysis.explain.spelling import Spelling

    [side] = _sides(options)
    texts = list(_texts(options))
    if len(texts) != 1:
        raise InputError(f"--against and --ids take one text, not {len(texts)}. Give one file.")
    name, text = texts[0][0], b"".join(texts[0][1])
    if options.against is not None:
        names = name or "The text", options.against
        second = side.encode(file_text(options.against, options.utf16)).token_ids
    else:
        names = name or "The text", "the list of ids"
        given = file_text(None, False).decode("utf-8", "replace") if options.ids == "-" else options.ids
        second = parse_ids(given, len(side.tokenizer.vocabulary))
    report = compare_ids(side.tokenizer, names, side.encode(text).token_ids, second)
    if options.form == "json":
        print_json(record(report))
    else:
        let_terminal_replace()
        print(as_text(report, options.form == "markdown", Spelling(options.spelling)))
    return not report.outcome.changes


def _compare_vocabularies(options: argparse.Namespace) -> bool:
    """Print what two vocabularies share and where they differ; return whether they are identical."""
    from guiapp.analysis.compare.vocabularies import compare_vocabularies
    from guiapp.analysis.compare.vocabulary_report import csv_rows, page_text, record
    from guiapp.analysis.export.tables import csv_blocks

    tokenizers = _tokenizers(options)
    first, second = _names(options)
    found, names = compare_vocabularies(*tokenizers), (first, second)
    match options.form:
        case "json":
            print_json(record(found, names))
        case "csv":
            print_parts(csv_blocks(csv_rows(found, names)))
        case _:
            let_terminal_replace()
            print(page_text(found, names, is_markdown=options.form == "markdown"))
    return found.is_identical


def _compare_languages(options: argparse.Namespace) -> int:
    """Print the number of tokens of parallel texts in each language."""
    from guiapp.analysis.compare.texts_report import side_record
    from guiapp.analysis.languages.languages import compare_languages
    from guiapp.analysis.languages.languages_report import report

    others = {"text": "--text", "files": "-f", "utf16": "--utf16", "price": "--price"}
    refuse_with(
        options, "--languages", **others, context="--context", draft="--draft", exit_code="--exit-code"
    )
    if options.form == "svg":
        raise InputError("--svg does not work here. Use --html.")
    sides = _sides(options)
    reference = REFERENCE if options.reference is None else options.reference
    compared = compare_languages(sides, Path(options.languages), reference)
    for note in compared.notes if options.form != "json" else ():
        print(f"tokenloupe: {printable(note)}", file=sys.stderr)
    records = [*map(side_record, sides)]
    text = report(compared, options.form, options.models, options.languages, records)
    if options.form in (None, "markdown"):
        let_terminal_replace()
        sys.stdout.write(text)
    else:
        print_parts([text])
    return 0


def _check_draft(options: argparse.Namespace) -> bool:
    """Print whether the second model may draft for the first, by program; return whether none forbids it."""
    from guiapp.analysis.compare.draft import DraftVerdict, draft_verdicts, in_words, may_draft
    from guiapp.analysis.export.tables import csv_lines, page_of

    verdicts, names = draft_verdicts(*_tokenizers(options)), _names(options)
    match options.form:
        case "json":
            rows = [each._asdict() for each in verdicts]
            print_json({"models": names, "may_draft": may_draft(verdicts), "verdicts": rows})
        case "csv":
            print_parts([csv_lines([DraftVerdict._fields, *verdicts])])
        case _:
            let_terminal_replace()
            lines = [in_words(each) for each in verdicts]
            print(page_of((), lines, is_markdown=options.form == "markdown"))
    return may_draft(verdicts) is not False


def _sides(options: argparse.Namespace) -> list[ModelSide]:
    from guiapp.analysis.compare.comparison import ModelSide

    encoders = _for_each(options, "encoder")
    return [
        ModelSide(name, tokenizer, encoder, options.special, options.parse_special)
        for name, tokenizer, encoder in zip(_names(options), _tokenizers(options), encoders, strict=True)
    ]


def _tokenizers(options: argparse.Namespace) -> list[Tokenizer]:
    """The tokenizers of the models. A file that is named twice is opened once."""
    opened: dict[tuple[str, str | None], Tokenizer] = {}
    tokenizers = []
    for key in zip(options.models, _for_each(options, "pre"), strict=True):
        if key not in opened:
            opened[key] = open_tokenizer(*key)
        tokenizers.append(opened[key])
    return tokenizers


def _names(options: argparse.Namespace) -> list[str]:
    """As given, for programs; for readers a short unique name, with the options chosen for each model."""
    if options.form == "json":
        return list(options.models)
    chosen = [
        ", ".join(filter(None, pair))
        for pair in zip(_for_each(options, "pre"), _for_each(options, "encoder"), strict=True)
    ]
    return names_apart(options.models, chosen)


def _for_each(options: argparse.Namespace, option: str) -> list[str | None]:
    """The value of an option for each model."""
    chosen: list[str | None] = [None] * len(options.models)
    for value in getattr(options, option):
        if (found := FOR_ONE.fullmatch(value)) is None:
            chosen = [value] * len(chosen)
        elif 1 <= (number := int(found[1])) <= len(chosen):
            chosen[number - 1] = found[2]
        else:
            count = counted(len(chosen), "model")
            raise InputError(f"--{option} {value}: there is no MODEL number {number}. You gave {count}.")
    return chosen


def _terms(options: argparse.Namespace) -> Terms:
    from guiapp.analysis.compare.texts_report import Terms

    if options.context is not None and options.context < 1:
        raise InputError(f"--context {options.context}: choose 1 or more.")
    if len(options.price) not in (0, 1, len(options.models)):
        raise InputError(f"--price takes one price or {len(options.models)}, not {len(options.price)}.")
    return Terms(options.context, options.price)


def _prices(text: str) -> tuple[float, ...]:
    """Parse the value of --price."""
    try:
        prices = tuple(map(float, text.split(",")))
    except ValueError:
        prices = (-1.0,)
    if not all(0 <= price < float("inf") for price in prices):
        raise argparse.ArgumentTypeError(f"“{text}” is not a price or a list of prices, such as 0.5,2")
    return prices


def _texts(options: argparse.Namespace) -> Iterator[tuple[str, Iterable[bytes]]]:
    """The texts in blocks, each with the name of its file."""
    if options.text is not None:
        yield "", [os.fsencode(options.text)]
        return
    for file in options.files or [None]:
        if file is None or not os.path.isdir(file):
            yield "" if file in (None, "-") else file, text_blocks(file, options.utf16)
        else:
            yield from _texts_in(file, options.utf16)


def _texts_in(folder: str, is_utf16: bool) -> Iterator[tuple[str, Iterable[bytes]]]:
    from guiapp.analysis.compare.texts import text_files

    paths, n_others = text_files(Path(folder), is_utf16)
    for path in paths:
        yield str(path), text_blocks(str(path), is_utf16)
    if n_others:
        print(f"tokenloupe: {folder}: skipped {counted(n_others, 'file')} without text.", file=sys.stderr)
