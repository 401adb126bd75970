"""`tokenloupe info`"""

from __future__ import annotations

import argparse

from guiapp.analysis.explain.reports import info_report, value_text
from guiapp.analysis.hunt.other_readings import other_readings
from guiapp.cli.files import (
    add_file_option,
    add_model_option,
    file_text,
    let_terminal_replace,
    open_tokenizer,
    print_json,
)
from guiapp.core.text.numbers_in_words import percent, quoted

LONGEST = 200  # of a value from the file; --json shows all of it


EXAMPLES = (
    "tokenloupe info model.gguf",
    "tokenloupe info hf:OWNER/NAME --json",
    "tokenloupe info FOLDER -f my-texts.txt",
)


def add_options(parser: argparse.ArgumentParser) -> None:
    add_model_option(parser)
    about = "also measure how many tokens approximate encoders get right"
    parser.add_argument("--agreement", action="store_true", help=about)
    add_file_option(parser, "also count on how many lines of a text other programs give other ids")
    parser.add_argument("--json", action="store_true", help="print a JSON object")


def run(options: argparse.Namespace) -> int:
    """Show a tokenizer's type, size, encoders and settings."""
    tokenizer = open_tokenizer(options.model, options.pre)
    lines = file_text(options.file, False).splitlines() if options.file else []
    others = other_readings(tokenizer, list(filter(None, lines)))
    report = info_report(tokenizer, options.agreement)
    report["readings"] = [each.record() for each in others]
    if options.json:
        print_json(report, indent=2)
    else:
        let_terminal_replace()
        report["readings"] = [each.sentence() for each in others]
        items = tokenizer.vocabulary.metadata.items()
        report["metadata"] = {
            quoted(key, LONGEST): quoted(value_text(value), LONGEST) for key, value in items
        }
        width = max(map(len, report))
        for key, value in report.items():
            for line in _lines_of(value):
                print(f"{key:{width}}  {line}")
                key = ""
    return 0


def _lines_of(value: object) -> list[str]:
    if isinstance(value, dict):
        return [f"{key}: {_line_of(item)}" for key, item in value.items()] or ["none"]
    if isinstance(value, list):
        return [str(item) for item in value] or ["none"]
    return [str(value) or "none"]


def _line_of(value: object) -> str:
    """A value, or a list of shares."""
    if isinstance(value, dict):
        shares = ", ".join(f"{percent(share, 1)} of {key}" for key, share in value.items())
        return f"gives of the exact tokens {shares}"
    return str(value)
