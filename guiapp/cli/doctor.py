"""`tokenloupe doctor`"""

from __future__ import annotations

import argparse

from guiapp.cli.files import (
    MODEL_HELP,
    OneFile,
    add_force_option,
    file_name,
    output_path,
    print_json,
    print_lines,
    show_progress,
)
from guiapp.core import interrupts

STATUS = {None: 0, "hint": 0, "warning": 3, "error": 4}
STATUSES = {
    0: "no findings, or hints only; with --fix, in the copy",
    1: "invalid input, or no copy was written",
    3: "warnings",
    4: "errors",
}
EXAMPLES = (
    "tokenloupe doctor model.gguf",
    "tokenloupe doctor model.gguf --original tokenizer.json --json",
    "tokenloupe doctor model.gguf --fix fixed.gguf --only pre_missing=llama-bpe",
)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help=MODEL_HELP)
    parser.add_argument(
        "--original",
        metavar="FILE",
        action=OneFile,
        type=file_name,
        help="the file that MODEL was converted from, such as tokenizer.json: report differences",
    )
    parser.add_argument(
        "--fix",
        metavar="OUT",
        type=output_path,
        help="write a fixed copy, examine it, and compare its token ids with those of MODEL",
    )
    parser.add_argument(
        "--only",
        metavar="CODE[=CHOICE]",
        action="append",
        help="fix only findings with this code (default: all that need no choice); may be repeated",
    )
    parser.add_argument("--json", action="store_true", help="print the results as a JSON object")
    add_force_option(parser)


def run(options: argparse.Namespace) -> int:
    """Check a tokenizer: list what is wrong, which text it changes, and how to fix it; write a fixed copy."""
    from guiapp.analysis.doctor.doctor import doctor, record, text_lines

    if options.fix is not None:
        return _fix(options)
    for name in ("only", "force"):
        if getattr(options, name):
            options.refuse(f"argument --{name}: only with --fix")
    diagnosis = doctor(options.model, options.original)
    if options.json:
        print_json(record(diagnosis))
    else:
        print_lines(text_lines(diagnosis))
    return STATUS[diagnosis.worst]


def _fix(options: argparse.Namespace) -> int:
    from guiapp.analysis.bench.control import stopped_by_signals
    from guiapp.analysis.doctor.fixed_copy import EXAMINED, fix
    from guiapp.analysis.doctor.fixed_report import record, text_lines

    if str(options.fix) == "-":
        options.refuse("argument --fix: a copy is a file, not standard output")
    with stopped_by_signals() as control:

        def report(share: float) -> None:
            interrupts.has_results.set()  # removing a copy takes longer than an interrupt waits
            if control.shall_stop() and share < EXAMINED:
                raise KeyboardInterrupt
            show_progress(f"Fixing and comparing: {share:.0%}")

        fixed = fix(
            options.model,
            options.fix,
            options.only,
            options.original,
            force=options.force,
            progress=report,
            shall_stop=control.shall_stop,
        )
    show_progress("")
    if options.json:
        print_json(record(fixed))
    else:
        print_lines(text_lines(fixed))
    return STATUS[fixed.worst]
