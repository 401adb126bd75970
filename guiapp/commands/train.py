"""`tokenloupe train`"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from guiapp.commands.files import InputError, read

if TYPE_CHECKING:
    from guiapp.core.training.write_gguf import ModelFile


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("algorithm", choices=("bpe", "wordpiece", "unigram"))
    parser.add_argument("-f", "--file", metavar="FILE", help="the text; otherwise standard input is read")
    parser.add_argument("--vocab-size", metavar="N", type=_size, required=True, help="tokens, all included")
    parser.add_argument("-o", "--output", metavar="OUT.gguf", required=True)
    parser.add_argument("--log", action="store_true", help="print each step: what won, and against what")


def run(options: argparse.Namespace) -> int:
    """Train a vocabulary on a text, and save it as a model file."""
    from guiapp.core.training.models import train
    from guiapp.core.training.write_gguf import write_gguf

    text = read(options.file).decode("utf-8", "replace")
    make = _train_aloud if options.log else train
    model = make(options.algorithm, text, options.vocab_size)
    try:
        write_gguf(Path(options.output), model)
    except OSError as error:
        raise InputError(f"{options.output} cannot be written: {error.strerror}.") from error
    n_tokens = len(model.tokens)
    fewer = (
        "" if n_tokens == options.vocab_size else f" of {options.vocab_size:,}: no pair occurs twice any more"
    )
    print(f"{options.output}: {n_tokens:,} tokens{fewer}", file=sys.stderr)
    return 0


def _train_aloud(algorithm: str, text: str, n_tokens: int) -> ModelFile:
    """Print each step while it is made."""
    from guiapp.core.training.runs import begin

    run = begin(algorithm, text, n_tokens)
    for number, told in enumerate(run.steps(), 1):
        print(f"{number:>6,}  {told.sentence}")
    model = run.model()
    assert model is not None  # only end-of-word marks fit into no file
    return model


def _size(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1_000_000:
        raise argparse.ArgumentTypeError(f"“{text}” is not a number of tokens from 1 to 1,000,000")
    return int(text)
