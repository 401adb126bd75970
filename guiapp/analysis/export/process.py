"""A process that writes a whole run to a file for the window: a million sentences take a minute or two.

One request as a JSON line on standard input; progress, and at the end what went wrong or "", as JSON lines.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.export.exported_run import ExportedRun
from guiapp.analysis.export.trace_run import TraceRun
from guiapp.analysis.export.training_run import TrainingRun
from guiapp.analysis.trace.reports import debugger_for
from guiapp.analysis.trace.trace import Trace
from guiapp.analysis.train.record import TrainingRecord
from guiapp.core.open_model import open_model
from guiapp.errors import TokenloupeError, not_written


@dataclass(frozen=True)
class ExportRequest:
    """Which steps of which saved run, and the file to write, whose ending names the format.

    model, pre  of a trace; "" for a training
    spelling    of tokens, see `Spelling`
    """

    run_file: str
    output: str
    first: int
    end: int
    model: str = ""
    pre: str = ""
    spelling: str = Spelling.SIGNS.value

    def line(self) -> bytes:
        return json.dumps(asdict(self)).encode() + b"\n"


def work(request: ExportRequest) -> str:
    """Write the file; what went wrong, to show as it stands, or ""."""
    try:
        _run(request).write(
            Path(request.output),
            lambda share: _send(progress=share),
            range(request.first, request.end),
        )
    except TokenloupeError as error:
        return str(error)
    except OSError as error:
        return not_written(request.output, error)
    return ""


def _run(request: ExportRequest) -> ExportedRun:
    path, spelling = Path(request.run_file), Spelling(request.spelling)
    if not request.model:
        return TrainingRun(TrainingRecord.load(path, spelling))
    tokenizer = open_model(request.model, request.pre or None)
    return TraceRun(debugger_for(tokenizer, Trace.load(path), spelling))


def _send(**values: object) -> None:
    print(json.dumps(values), flush=True)


def main() -> None:
    _send(error=work(ExportRequest(**json.loads(sys.stdin.readline()))))


if __name__ == "__main__":
    main()
