"""A process that writes a whole training to a file for the window.

One request as a JSON line on standard input; progress, and at the end what went wrong or "", as JSON lines.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from guiapp.core.trace.export_process import attempt, tell, tell_progress
from guiapp.core.training.export import write_training
from guiapp.core.training.record import TrainingRecord


@dataclass(frozen=True)
class TrainingExportRequest:
    """Which steps of which saved record, and the file to write, whose ending names the format."""

    record_file: str
    output: str
    first: int
    end: int

    def line(self) -> bytes:
        return json.dumps(asdict(self)).encode() + b"\n"


def work(request: TrainingExportRequest) -> str:
    """Write the file; what went wrong, to show as it stands, or ""."""

    def write() -> None:
        record = TrainingRecord.load(Path(request.record_file))
        write_training(record, Path(request.output), tell_progress, range(request.first, request.end))

    return attempt(write, request.output)


def main() -> None:
    tell(error=work(TrainingExportRequest(**json.loads(sys.stdin.readline()))))


if __name__ == "__main__":
    main()
