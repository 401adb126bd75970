"""The benchmark as a process that a window starts."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from guiapp.core.bench.__main__ import LOWER_PRIORITY
from guiapp.core.bench.plan import Plan


@pytest.mark.skipif(sys.platform != "linux", reason="looks for child processes in /proc")
def test_the_window_goes_before_the_engine_and_all_contenders_alike():
    plan = Plan("demo:toy", ("sample:welcome",), ("heap", "scan"), scenarios=("throughput",))
    command = [sys.executable, "-m", "guiapp.core.bench"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as engine:
        engine.stdin.write(json.dumps(plan.record()) + "\n")
        engine.stdin.flush()
        for line in engine.stdout:
            if json.loads(line)["event"] == "sample":
                break
        children = Path(f"/proc/{engine.pid}/task/{engine.pid}/children").read_text().split()
        priorities = [os.getpriority(os.PRIO_PROCESS, int(each)) for each in (engine.pid, *children)]
        engine.communicate("stop\n", timeout=60)
    assert len(priorities) >= 3  # the engine and both contenders
    assert set(priorities) == {os.getpriority(os.PRIO_PROCESS, 0) + LOWER_PRIORITY}
