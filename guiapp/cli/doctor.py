"""`tokenloupe doctor`"""

from __future__ import annotations

import argparse

from guiapp.cli.files import OneFile, file_name, print_json, print_lines

STATUS = {None: 0, "hint": 0, "warning": 3, "error": 4}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument(
        "--original",
        metavar="FILE",
        action=OneFile,
        type=file_name,
        help="what MODEL was converted from, such as tokenizer.json: show how it differs",
    )
    parser.add_argument("--json", action="store_true", help="print the findings as a JSON object")
    parser.epilog = (
        "Exit status: 0 nothing but hints, 3 warnings, 4 errors, 1 the input was at fault, 2 usage."
    )


def run(options: argparse.Namespace) -> int:
    """What is wrong with a tokenizer, what text that changes, and what fixes it."""
    from guiapp.analysis.doctor.doctor import doctor, record, text_lines

    diagnosis = doctor(options.model, options.original)
    if options.json:
        print_json(record(diagnosis))
    else:
        print_lines(text_lines(diagnosis))
    return STATUS[diagnosis.worst]
