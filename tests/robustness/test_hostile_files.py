"""Files broken by chance neither crash nor hang: a child process opens and uses them, with little memory.

The checked library (`python -m guiapp.native.build --checked`) is taken where TOKENLOUPE_NATIVE says so.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from fuzzing import SEED, rounds

from guiapp.core.processes import environment

AT_ONCE = 500
LIMIT_S = 600  # of a child, which needs some seconds
LIMIT_BYTES = 4 << 30
CHILD = Path(__file__).with_name("hostile_files.py")
LIMITED = (
    "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_AS, ({0}, {0})); "
    "sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
)


@pytest.mark.skipif(sys.platform == "win32", reason="memory has no limit there")
@rounds(usual=300, exhaustive=10_000)
def test_broken_files_are_refused_or_used(count):
    n_opened = 0
    for first in range(0, count, AT_ONCE):
        lines, story = run(first, min(AT_ONCE, count - first))
        assert "".join(lines[-1:]).startswith("opened "), story
        n_opened += int(lines[-1].split()[1])
    assert 0 < n_opened < count


def run(first, count):
    """What the child said, and how it ended."""
    command = [
        sys.executable,
        "-c",
        LIMITED.format(LIMIT_BYTES),
        str(CHILD),
        str(SEED),
        str(first),
        str(count),
    ]
    try:
        child = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, env=environment())
        output, story = child.stdout, f"ended with {child.returncode}: {child.stderr[-3000:]}"
    except subprocess.TimeoutExpired as late:
        output, story = (late.stdout or b"").decode(), "does not end"
    lines = output.splitlines()
    return lines, f"seed {SEED}, file {lines[-1] if lines else first}: {story}"
