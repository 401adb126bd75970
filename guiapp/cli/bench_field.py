"""`tokenloupe bench field`"""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING

from guiapp.cli.bench import print_status
from guiapp.cli.files import (
    InputError,
    add_force_option,
    file_name,
    file_path,
    output_path,
    positive_number,
    refuse_with,
    seed_number,
    write,
)
from guiapp.core.interrupts import INTERRUPTED

if TYPE_CHECKING:
    from guiapp.analysis.bench.field.record import FieldRun
    from guiapp.analysis.bench.field.run import FieldPlan
    from guiapp.analysis.bench.field.texts import TimedText


EXAMPLES = (
    "tokenloupe bench field ~/models -o report.html",
    "tokenloupe bench field --from records.json -o report.html",
)
STATUSES = {INTERRUPTED: "interrupted; finished results are written"}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "models",
        metavar="MODEL",
        nargs="*",
        type=file_name,
        help="model files, or folders to search for known vocabularies: GPT-2, cl100k, o200k, Llama 3, Qwen, "
        "Gemma and Mistral, recognized by their tokens",
    )
    _add_choices(parser.add_argument_group("what to measure"))
    _add_outputs(parser.add_argument_group("results"))
    add_force_option(parser)


def _add_choices(group: argparse._ArgumentGroup) -> None:
    about = "measure only these, such as gpt-2,llama-3"
    group.add_argument("--vocabularies", metavar="A,B", type=_names, default=(), help=about)
    about = "libraries to measure (default: all that are installed)"
    group.add_argument("--contenders", metavar="A,B", type=_names, default=(), help=about)
    group.add_argument(
        "--text",
        metavar="NAME=FILE",
        type=_text,
        action="append",
        default=[],
        help="measure with this text instead of the built-in texts; may be repeated",
    )
    group.add_argument(
        "--time-budget",
        metavar="S",
        type=positive_number,
        default=200.0,
        help="measure speed for S seconds (default: %(default)g)",
    )
    about = "seed of generated texts and of the order of turns"
    group.add_argument("--seed", metavar="N", type=seed_number, default=0, help=about)


def _add_outputs(group: argparse._ArgumentGroup) -> None:
    group.add_argument("-o", "--output", metavar="FILE.html", type=output_path, help="write the page")
    group.add_argument("--json", metavar="FILE", type=output_path, help="write the records as a JSON object")
    group.add_argument(
        "--from",
        dest="record",
        metavar="FILE",
        type=file_path,
        help="read records from a file instead of measuring",
    )


def run(options: argparse.Namespace) -> int:
    """Test whether all installed tokenizer libraries give correct ids, and how fast, and write a page."""
    from guiapp.analysis.bench.field.page import page
    from guiapp.analysis.bench.field.record import json_of, load_field

    if options.output is None and options.json is None:
        raise InputError("Name a file for the report: -o report.html or --json records.json.")
    if options.record is not None:
        others = {"vocabularies": "--vocabularies", "contenders": "--contenders", "text": "--text"}
        refuse_with(options, "--from", models="MODEL", **others)
    found = load_field(options.record) if options.record is not None else _measured(options)
    if options.json is not None:
        write(str(options.json), json_of(found).encode())
    if options.output is not None:
        write(str(options.output), page(found).encode())
    return 0 if found.is_complete else INTERRUPTED


def _measured(options: argparse.Namespace) -> FieldRun:
    from guiapp.analysis.bench.control import stopped_by_signals
    from guiapp.analysis.bench.field.run import run_field

    plan = _plan(options)
    with stopped_by_signals() as control:
        return run_field(plan, control, print_status, command_line(options))


def _plan(options: argparse.Namespace) -> FieldPlan:
    from guiapp.analysis.bench.field.run import FieldPlan
    from guiapp.analysis.bench.field.texts import BUILT_IN, given_vocabularies
    from guiapp.analysis.libraries.table import PEERS

    for name in options.contenders:
        if name not in PEERS:
            raise InputError(f"“{name}” is not a known library. Choose from: {', '.join(PEERS)}.")
        if not PEERS[name].is_installed:
            raise InputError(PEERS[name].how_to_install)
    given = given_vocabularies(options.models, options.vocabularies)
    texts = tuple(options.text) or BUILT_IN
    return FieldPlan(tuple(given), texts, options.contenders, options.time_budget, options.seed)


def command_line(options: argparse.Namespace) -> str:
    """The command that repeats a run in a terminal."""
    words = ["tokenloupe", "bench", "field", *options.models]
    for option, names in (("--vocabularies", options.vocabularies), ("--contenders", options.contenders)):
        words += [option, ",".join(names)] if names else []
    for title, corpus in options.text:
        words += ["--text", f"{title}={corpus}"]
    words += ["--time-budget", f"{options.time_budget:g}", "--seed", str(options.seed), "-o", "report.html"]
    return shlex.join(words)


def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, text.split(","))))


def _text(text: str) -> TimedText:
    from guiapp.analysis.bench.field.texts import TimedText

    title, _, corpus = text.partition("=")
    if not title or not corpus:
        raise argparse.ArgumentTypeError(f"“{text}” is not NAME=FILE, such as English=book.txt")
    return TimedText(title, corpus)
