"""`tokenloupe train`"""

from __future__ import annotations

import argparse
import sys

from guiapp.analysis.explain.spelling import Spelling
from guiapp.cli.files import (
    InputError,
    add_file_option,
    add_force_option,
    add_spelling_option,
    let_terminal_replace,
    output_path,
    read,
)
from guiapp.core.text.numbers_in_words import counted, printable
from guiapp.core.text.utf16 import as_utf8

EXAMPLES = ("tokenloupe train bpe -f text.txt --vocab-size 500 -o own.gguf --log",)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("algorithm", choices=("bpe", "wordpiece", "unigram"))
    add_file_option(parser, "the text to train on (default: standard input)")
    about = "size of the vocabulary, special tokens included"
    parser.add_argument("--vocab-size", metavar="N", type=_size, required=True, help=about)
    parser.add_argument("-o", "--output", metavar="OUT.gguf", type=output_path, required=True)
    about = "bpe only: merge characters, with a mark at the end of each word, as in textbooks; the file uses "
    about += "the space after a word as its mark"
    parser.add_argument("--end-marks", action="store_true", help=about)
    parser.add_argument(
        "--steps",
        metavar="FILE",
        type=output_path,
        help="also write each step: as data (.json), a drawing (.svg) or a page (.html)",
    )
    add_force_option(parser)
    add_spelling_option(parser)
    parser.add_argument("--log", action="store_true", help="print each step: what won, and the runners-up")


def run(options: argparse.Namespace) -> int:
    """Train a vocabulary on a text, and save it as a model file."""
    from guiapp.analysis.export.exported_run import ENDINGS
    from guiapp.analysis.export.runs import TrainingRun
    from guiapp.analysis.train.models import shortfall, write_gguf
    from guiapp.analysis.train.record import TrainingRecord
    from guiapp.analysis.train.runs import begin
    from guiapp.analysis.train.steps import to_json

    text = as_utf8(read(options.file)).decode("utf-8", "replace")
    if options.end_marks and options.algorithm != "bpe":
        raise InputError(f"--end-marks works with bpe only, not with {options.algorithm}. Omit it.")
    if options.steps and options.steps.suffix.lower() not in ENDINGS:
        raise InputError(f"--steps {options.steps}: name a file that ends with {' or '.join(ENDINGS)}.")
    training = begin(options.algorithm, text, options.vocab_size, options.end_marks)
    record = TrainingRecord(training.start, Spelling(options.spelling))
    let_terminal_replace()
    for number, step in enumerate(training.steps(), 1):
        if options.log:
            print(f"{number:>6,}  {step.sentence(record.write)}")
        if options.steps:
            record.append(to_json(step).encode())
    model, path = training.model(), options.steps
    try:
        if options.steps:
            TrainingRun(record).write(options.steps)
        path = options.output
        write_gguf(path, model)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.") from error
    n_tokens, made = len(model.tokens), {merge.replace(" ", "") for merge in model.merges}
    fewer = shortfall(options.algorithm, n_tokens, options.vocab_size, len(model.merges) - len(made))
    print(f"{printable(str(options.output))}: {fewer or counted(n_tokens, 'token')}", file=sys.stderr)
    return 0


def _size(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1_000_000:
        raise argparse.ArgumentTypeError(f"“{text}” is not a number of tokens from 1 to 1,000,000")
    return int(text)
