"""`tokenloupe train`"""

from __future__ import annotations

import argparse
import sys
from itertools import islice
from pathlib import Path

from guiapp.commands.files import InputError, read


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
    model = train(options.algorithm, text, options.vocab_size)
    if options.log:
        _print_log(options.algorithm, text, options.vocab_size)
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


def _print_log(algorithm: str, text: str, n_tokens: int) -> None:
    from guiapp.core.training.telling import corpus_of, merges, unigram_lines

    if algorithm == "unigram":
        for line in unigram_lines(text, n_tokens):
            print(line)
        return
    corpus = corpus_of(algorithm, text)
    n_merges = n_tokens - 256 if algorithm == "bpe" else n_tokens - len(corpus.symbol_counts)
    for number, merge in enumerate(islice(merges(algorithm, corpus), max(0, n_merges)), 1):
        print(f"{number:>6,}  {merge.sentence}")


def _size(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1_000_000:
        raise argparse.ArgumentTypeError(f"“{text}” is not a number of tokens from 1 to 1,000,000")
    return int(text)
