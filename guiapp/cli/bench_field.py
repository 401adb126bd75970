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


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "models",
        metavar="MODEL",
        nargs="*",
        type=file_name,
        help="files to measure with, or folders in which the field's vocabularies are looked for: GPT-2, "
        "cl100k, o200k, Llama 3, Qwen, Gemma, Mistral, known by their tokens",
    )
    _add_choices(parser.add_argument_group("what is measured"))
    _add_outputs(parser.add_argument_group("what becomes of it"))
    add_force_option(parser)


def _add_choices(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--vocabularies", metavar="A,B", type=_names, default=(), help="of these alone, such as gpt-2,llama-3"
    )
    group.add_argument(
        "--contenders",
        metavar="A,B",
        type=_names,
        default=(),
        help="libraries, otherwise all that are installed",
    )
    group.add_argument(
        "--text",
        metavar="NAME=FILE",
        type=_text,
        action="append",
        default=[],
        help="time with this text instead of the built-in ones; may be repeated",
    )
    group.add_argument(
        "--time-budget",
        metavar="S",
        type=positive_number,
        default=200.0,
        help="for timing alone: %(default)g",
    )
    group.add_argument(
        "--seed", type=seed_number, default=0, help="for generated texts and the order of turns"
    )


def _add_outputs(group: argparse._ArgumentGroup) -> None:
    group.add_argument("-o", "--output", metavar="FILE.html", type=output_path, help="write the page")
    group.add_argument("--json", metavar="FILE", type=output_path, help="write the records as a JSON object")
    group.add_argument(
        "--from",
        dest="record",
        metavar="FILE",
        type=file_path,
        help="make the page of records, measure nothing",
    )


def run(options: argparse.Namespace) -> int:
    """All tokenizer libraries that are installed: whose ids are right, and how fast they are, as one page."""
    from guiapp.analysis.bench.field.page import page
    from guiapp.analysis.bench.field.record import json_of, load_field

    if options.output is None and options.json is None:
        raise InputError("Say where the report goes: -o report.html, or --json records.json.")
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
            raise InputError(f"There is no library “{name}”. Choose from: {', '.join(PEERS)}.")
        if not PEERS[name].is_installed:
            raise InputError(PEERS[name].how_to_install)
    given = given_vocabularies(options.models, options.vocabularies)
    texts = tuple(options.text) or BUILT_IN
    return FieldPlan(tuple(given), texts, options.contenders, options.time_budget, options.seed)


def command_line(options: argparse.Namespace) -> str:
    """What repeats a run in a terminal."""
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
        raise argparse.ArgumentTypeError(f"“{text}” is not a name and a file, such as English=book.txt")
    return TimedText(title, corpus)
