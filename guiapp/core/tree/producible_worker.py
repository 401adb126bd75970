"""A process that tries which tokens texts can lead to; see `producible`.

Reads a request from standard input, writes what it found to standard output, both as JSON.
"""

from __future__ import annotations

import json
import sys

import numpy as np

from guiapp import open_model
from guiapp.core.errors import TokenloupeError
from guiapp.core.system.processes import ApartError, answer_of
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.tree.producible import Producible, Progress, producible
from guiapp.core.tree.refusals import Refusal


class TrialError(TokenloupeError):
    """Why it is not known which tokens texts can lead to."""


def producible_apart(tokenizer: Tokenizer, progress: Progress) -> Producible:
    """The same as `producible`, in a process of its own if the model is in a file.  Raises TrialError."""
    vocabulary = tokenizer.vocabulary
    if vocabulary.path is None:
        return producible(tokenizer, progress)
    request = {"model": str(vocabulary.path), "pre": vocabulary.chosen_pre}
    try:
        return _read(answer_of(__name__, json.dumps(request).encode(), progress))
    except ApartError as error:
        reason = str(error) or "the process ended without a word"
        raise TrialError(f"Whether text leads to each token could not be tried: {reason}") from error


def _read(answer: bytes) -> Producible:
    found = json.loads(answer)
    counts = tuple((Refusal[name], count) for name, count in found["refusals"])
    return Producible(np.array(found["never"], np.int32), counts, np.array(found["undecided"], np.int32))


def _written(found: Producible) -> str:
    return json.dumps(
        {
            "never": found.never.tolist(),
            "refusals": [(reason.name, count) for reason, count in found.refusals],
            "undecided": found.undecided.tolist(),
        }
    )


def main() -> None:
    request = json.load(sys.stdin)
    try:
        tokenizer = open_model(request["model"], request["pre"] or None)
    except TokenloupeError as error:
        sys.exit(str(error))
    print(_written(producible(tokenizer, lambda share: None)))


if __name__ == "__main__":
    main()
