"""The program is killed while somebody types, and started again."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import pytest

from guiapp.core.processes import environment

pytestmark = pytest.mark.slow


PROGRAM = Path(__file__).parents[1] / "typing_program.py"
LOST_S = 0.3  # what is typed later than so long before the end may be lost
LOST_ON_A_BUSY_MACHINE_S = 3.0


def start(seed: int, home: Path, output: IO[str]) -> subprocess.Popen[bytes]:
    (home / "tmp").mkdir(exist_ok=True)
    places = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"), "TMPDIR": str(home / "tmp")}
    command = [sys.executable, str(PROGRAM), str(seed)]
    return subprocess.Popen(command, stdout=output, env=environment() | places)


def type_until_killed(seed: int, home: Path) -> tuple[list[tuple[float, str]], float]:
    """The texts with their times, and when the program was killed: 0.1 to 1.5 s after it was seen."""
    path = home / "told"  # not a pipe: that is soon full, and then nobody types any more
    with path.open("w") as output, start(seed, home, output) as program:
        while b"\n" not in path.read_bytes() and program.poll() is None:
            time.sleep(0.02)
        time.sleep(random.Random(seed).uniform(0.1, 1.5))
        killed_s = time.monotonic()
        program.send_signal(signal.SIGKILL)
    whole, _, _ = path.read_text().rpartition("\n")
    return [tuple(json.loads(line)) for line in whole.splitlines()], killed_s


@pytest.mark.skipif(os.name != "posix", reason="it sends a signal")
@pytest.mark.parametrize(
    ("n_kills", "lost_s"),
    [(2, LOST_ON_A_BUSY_MACHINE_S), pytest.param(50, LOST_S, marks=pytest.mark.exhaustive)],
)
def test_what_was_typed_survives_a_kill(n_kills, lost_s, tmp_path):
    settings, too_old = tmp_path / "config" / "tokenloupe" / "settings.ini", []
    texts, killed_s = type_until_killed(0, tmp_path)
    for seed in range(1, n_kills + 1):
        if settings.exists():
            assert settings.read_bytes().startswith(b"[General]\n")
        before, killed_before_s = texts, killed_s
        texts, killed_s = type_until_killed(seed, tmp_path)
        restored = texts[0][1]
        assert restored in [text for _, text in before], "torn"
        until_s = [*(time_s for time_s, _ in before[1:]), killed_before_s]  # each text is that of the window
        newest_s = max(end_s for end_s, (_, text) in zip(until_s, before, strict=True) if text == restored)
        too_old += [(seed, killed_before_s - newest_s)] if killed_before_s - newest_s > lost_s else []
    assert list(settings.parent.glob("*.spoiled")) == []
    assert len(list((tmp_path / "tmp").iterdir())) == 1, "what the last one left"
    assert too_old == []
