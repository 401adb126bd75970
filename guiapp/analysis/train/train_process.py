"""A process that trains for the window: plain Python would make the window's own process stutter.

One request as a JSON line on standard input; on standard output a line about the start, one for each step,
and one at the end, which names the model file if there is one, or says what is wrong.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from guiapp.analysis.train.runs import begin
from guiapp.analysis.train.steps import to_json
from guiapp.analysis.train.write_gguf import write_gguf
from guiapp.errors import TokenloupeError


@dataclass(frozen=True)
class TrainRequest:
    """What to train on, and where the model file goes."""

    algorithm: str
    text_file: str
    n_tokens: int
    has_end_marks: bool
    output: str

    def line(self) -> bytes:
        return json.dumps(asdict(self)).encode() + b"\n"


@dataclass(frozen=True)
class Finished:
    """The end of a training: a model file, or an error to show as it stands."""

    output: str = ""
    n_tokens: int = 0
    error: str = ""


def work(request: TrainRequest) -> Finished:
    """Train, and tell each step."""
    try:
        text = Path(request.text_file).read_bytes().decode("utf-8", "replace")
        run = begin(request.algorithm, text, request.n_tokens, request.has_end_marks)
    except TokenloupeError as error:
        return Finished(error=str(error))
    _send(run.start.line())
    for learned in run.steps():
        _send(to_json(learned).encode())
    model = run.model()
    try:
        write_gguf(Path(request.output), model)
    except OSError as error:
        return Finished(error=f"{request.output} cannot be written: {error.strerror}.")
    return Finished(request.output, len(model.tokens))


def _send(line: bytes) -> None:
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


def main() -> None:
    request = TrainRequest(**json.loads(sys.stdin.readline()))
    _send(json.dumps({"finished": asdict(work(request))}).encode())


if __name__ == "__main__":
    main()
