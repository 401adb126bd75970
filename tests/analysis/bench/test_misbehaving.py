"""Contenders that do what none should: each is a line in a run that goes on, and nothing stays behind."""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

import misbehaving
import pytest

from guiapp.analysis.bench.control import Control
from guiapp.analysis.bench.engine import run
from guiapp.analysis.bench.plan import Plan
from guiapp.analysis.bench.run_results import BenchRun
from guiapp.analysis.libraries.custom import CustomContender, make_custom

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="some are killed as only Linux can"),
    pytest.mark.slow,
]
HERE = Path(misbehaving.__file__).with_suffix("")
LINES = {
    "prints": "",
    "forks": "",
    "leaves a child": "",
    "crashes_beside_its_child": r"It crashed: SIGABRT\.",
    "leaks": r"It needed more than \d{3} MB of memory\.|It did not answer within 1 s\.",
    "never_returns": r"It did not answer within 1 s\.",
    "segfaults": r"It crashed: SIGSEGV\.",
    "raises": r"KeyError: .*\\x1b\[31m\\u202e(no){50,}…",
    "raises_what_cannot_be_told": "UntellableError: an error without a message",
    "exits": "SystemExit: 3",
    "exits_at_once": r"It ended with status 4\.",
    "closes_all_files": r"It closed its pipe\.|It ended with status 1\.",
    "needs_the_network": "ConnectionRefusedError: .*",
    "gives_a_str": r"It returned something of the type str instead of ids\.",
    "gives_floats": r"It returned a list with float in it instead of ids\.",
    "gives_negatives": r"It returned -1, which cannot be an id\.",
    "gives_giants": r"It returned a list with more than 64 bits in it instead of ids\.",
    "gives_none": r"It returned None instead of ids\.",
    "gives_nested": r"It returned a list with list in it instead of ids\.",
    "gives_switches": r"It returned a list with bool in it instead of ids\.",
    "gives_later": r"It returned something of the type generator instead of ids\.",
    "is missing": "ModuleNotFoundError: No module named 'nowhere'",
    "endless answer": r"It needed more than \d{3,} MB of memory\.|It did not answer within 1 s\.",
    "one answer without end": r"Its answer to 5 bytes has no end of line in 65,856 bytes\.",
    "ends in words": r"It ended with status 7: so it goes\.",
    "answers in words": "It answered “four” where an id is expected.",
}
SHELL = {
    "endless answer": ("command", "sh -c 'if test $(wc -c) != 5; then yes 12345; fi'"),
    "one answer without end": ("stream", "sh -c 'yes 1 | tr -d \"\\n\"'"),
    "ends in words": ("command", "sh -c 'echo so it goes >&2; exit 7'"),
    "answers in words": ("command", "echo 1, 2, four"),
}


def misbehaving_contender(name: str) -> CustomContender:
    if name in SHELL:
        return make_custom(name, *SHELL[name])
    target = "nowhere:encode" if name == "is missing" else f"{HERE}:{name}"
    return CustomContender(name, "python", target)


def record_of_all(child_id_file: Path) -> dict:
    """One run of them all beside one that behaves; the file is told the number of a process."""
    leaving = make_custom(
        "leaves a child", "command", f"sh -c 'sleep 600 >&- 2>&- & echo $! >{child_id_file}; echo 1'"
    )
    others = (misbehaving_contender(name) for name in LINES if name != leaving.name)
    plan = Plan(
        "demo:bpe",
        corpora=("sample:welcome",),
        contenders=("fast",),
        scenarios=("throughput",),
        time_budget_s=0.1,
        call_limit_s=1.0,
        own=(leaving, *others),
    )
    measured = BenchRun()
    for event in run(plan, Control()):
        measured.add(event)
    return measured.record()


def test_each_failure_is_reported_and_leaves_no_process_running(tmp_path):
    """All of it in one test: each process of tests would make that long run for those that it is given."""
    record = record_of_all(tmp_path / "pid")
    assert record["complete"]
    assert "fast" in {row["contender"] for row in record["results"]}
    for name, line in LINES.items():
        reasons = [each["reason"] for each in record["left_out"] if each["contender"] == name]
        assert len(reasons) == bool(line), (name, reasons)
        if line:
            assert re.fullmatch(line, reasons[0]), (name, reasons)
        else:
            assert [row["exact"] for row in record["results"] if row["contender"] == name] == [False], name
    stat = Path("/proc", (tmp_path / "pid").read_text().strip(), "stat")
    deadline = time.monotonic() + 10
    while stat.exists() and stat.read_text().split()[2] != "Z":  # one whose parent does not look
        assert time.monotonic() < deadline
