"""`tokenloupe doctor`"""

from __future__ import annotations

import argparse

from guiapp.cli.files import MODEL_HELP, OneFile, file_name, print_json, print_lines

STATUS = {None: 0, "hint": 0, "warning": 3, "error": 4}
STATUSES = {0: "no findings, or hints only", 3: "warnings", 4: "errors"}
EXAMPLES = "tokenloupe doctor model.gguf", "tokenloupe doctor model.gguf --original tokenizer.json --json"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help=MODEL_HELP)
    parser.add_argument(
        "--original",
        metavar="FILE",
        action=OneFile,
        type=file_name,
        help="the file that MODEL was converted from, such as tokenizer.json: report differences",
    )
    parser.add_argument("--json", action="store_true", help="print the findings as a JSON object")


def run(options: argparse.Namespace) -> int:
    """Check a tokenizer: list what is wrong, which text it changes, and how to fix it."""
    from guiapp.analysis.doctor.doctor import doctor, record, text_lines

    diagnosis = doctor(options.model, options.original)
    if options.json:
        print_json(record(diagnosis))
    else:
        print_lines(text_lines(diagnosis))
    return STATUS[diagnosis.worst]
