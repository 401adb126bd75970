"""Run the benchmark in a process that a window starts and controls.

    python -m guiapp.analysis.bench [--run-own] < PLAN.json

The first line of standard input is the plan; later lines are `pause`, `resume`, `hold` or `stop`.  Each event
of `engine` is one JSON line on standard output; for an invalid plan, the line is {"event": "failed",
"message"}.  The run also stops on SIGINT and SIGTERM, and when either pipe is closed: no process remains.
Custom contenders are programs: a plan with any is refused without --run-own, which the window passes after
its user has agreed.

The window has priority over this process and its workers, which all have the same low priority.  If a core
is free, this changes no figure; if not, the share of the processor in each result shows it.  Two cores are
often the two threads of one, and each makes the other nearly twice as slow without any clock showing it:
so nothing is timed while the user types, when the window sends `hold`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from typing import Any, TextIO

from guiapp.analysis.bench.control import Control, begin_early
from guiapp.core.text.outside_json import read_json
from guiapp.errors import TokenloupeError

LOWER_PRIORITY = 5  # as a nice value


def main() -> int:
    """Run; return exit status 0 if the run was complete or stopped, 1 if the plan was invalid."""
    if hasattr(os, "nice"):
        os.nice(LOWER_PRIORITY)
    control = Control()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: control.stop())
    try:
        record = _read(sys.stdin.readline())
        if isinstance(record, dict):
            begin_early(str(record.get("model", "")), record.get("pre"))  # it preloads imports and model
        from guiapp.analysis.bench.engine import run
        from guiapp.analysis.bench.plan import RUN_OWN, BenchError, plan_from

        plan = plan_from(record)
        if plan.own and RUN_OWN not in sys.argv[1:]:
            programs = "; ".join(own.shown for own in plan.own)
            raise BenchError(f"This plan runs programs: {programs}. To allow that, add {RUN_OWN}.")
        threading.Thread(target=_obey, args=(sys.stdin, control), daemon=True).start()
        for event in run(plan, control):
            print(json.dumps(event), flush=True)
    except TokenloupeError as error:
        print(json.dumps({"event": "failed", "message": str(error)}), flush=True)
        return 1
    except BrokenPipeError:  # the reader is gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _read(line: str) -> Any:
    """Parse a line of JSON; return None, which is not a plan, if it is invalid."""
    try:
        return read_json(line or "{}")
    except ValueError:
        return None


def _obey(commands: TextIO, control: Control) -> None:
    """Follow commands until the pipe is closed, which means stop."""
    actions = {"pause": control.pause, "resume": control.resume, "hold": control.hold, "stop": control.stop}
    for line in commands:
        if (action := actions.get(line.strip())) is not None:
            action()
    control.stop()


if __name__ == "__main__":
    status = main()
    os._exit(status)  # all events are written and all workers ended; a regular exit takes a second or more
