"""A process that writes a whole run to a file for the window: a million sentences take a minute or two.

One request as a JSON line on standard input; progress, and at the end what went wrong or "", as JSON lines.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from guiapp import open_model
from guiapp.core.errors import TokenloupeError
from guiapp.core.kernels.compile import run_interpreted
from guiapp.core.kernels.compiled import is_complete
from guiapp.core.trace.export import write_run
from guiapp.core.trace.reports import debugger_for
from guiapp.core.trace.trace import Trace


@dataclass(frozen=True)
class ExportRequest:
    """Which steps of which trace of which model, and the file to write, whose ending names the format."""

    model: str
    pre: str
    trace_file: str
    output: str
    first: int
    end: int

    def line(self) -> bytes:
        return json.dumps(asdict(self)).encode() + b"\n"


def work(request: ExportRequest) -> str:
    """Write the file; what went wrong, to show as it stands, or ""."""

    def write() -> None:
        tokenizer = open_model(request.model, request.pre or None)
        debugger = debugger_for(tokenizer, Trace.load(Path(request.trace_file)))
        write_run(debugger, Path(request.output), tell_progress, range(request.first, request.end))

    return attempt(write, request.output)


def attempt(write: Callable[[], None], output: str) -> str:
    """Call it; what went wrong, to show as it stands, or ""."""
    try:
        write()
    except TokenloupeError as error:
        return str(error)
    except OSError as error:
        return f"{output} cannot be written: {error.strerror}. Choose another place."
    return ""


def tell_progress(share: float) -> None:
    tell(progress=share)


def tell(**values: object) -> None:
    print(json.dumps(values), flush=True)


def main() -> None:
    if not is_complete():
        run_interpreted(True)  # sooner done than compiling
    tell(error=work(ExportRequest(**json.loads(sys.stdin.readline()))))


if __name__ == "__main__":
    main()
