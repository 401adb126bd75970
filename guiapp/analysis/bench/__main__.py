"""The benchmark as a process that a window starts and talks to.

    python -m guiapp.analysis.bench [--run-own] < PLAN.json

The first line of standard input is the plan; later ones are `pause`, `resume`, `hold` or `stop`.  Each event
of `engine` is one JSON line on standard output; what is wrong with the plan is one of {"event": "failed",
"message"}.  It also stops on SIGINT and SIGTERM, and when either pipe is closed: nothing stays running.
Contenders of one's own are programs: a plan with some is wrong unless --run-own says yes to them, as the
window does, whose user has.

The window goes first where both want a core: this process and its workers, all alike, have a low priority.
On a machine with a free core that changes no figure; where there is none, the figure says so by its share
of the processor.  Two cores of a machine are often halves of one, each of which makes the other nearly
twice as slow, and no clock tells: so nothing is timed while somebody types, which `hold` says.
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
    """Exit status 0 if the run was complete or was stopped, 1 if the plan was at fault."""
    if hasattr(os, "nice"):
        os.nice(LOWER_PRIORITY)
    control = Control()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: control.stop())
    try:
        record = _read(sys.stdin.readline())
        if isinstance(record, dict):
            begin_early(str(record.get("model", "")), record.get("pre"))  # imports and opens what this does
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
    except BrokenPipeError:  # nobody listens any more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _read(line: str) -> Any:
    """What a line of JSON says; None, which is no plan, for anything else."""
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
    os._exit(status)  # all is told and all workers are gone; tidying up would take a second or more
