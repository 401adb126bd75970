"""Thousands of random keys, clicks, wheels, models and runs leave the window quick and small."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from guiapp.core.processes import environment

PROGRAM = Path(__file__).parents[1] / "random_use.py"
FEW_FONTS = {"FONTCONFIG_FILE": str(Path(__file__).with_name("few_fonts.conf"))}
N_EVENTS, WARM_EVENTS = 20_000, 2_000
MOST_GROWTH = 1.3
LONGEST_EVENT_S = 1.0
LONGEST_RUN_S = 3 * 3600

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="it looks at memory as Linux tells it"),
    pytest.mark.slow,
]


def do(seed: int, n_events: int, *rests: int, fonts: Mapping[str, str] | None = None) -> dict:
    """What a window of its own says of so many events; shown where the test fails or `-s` asks for it."""
    command = [sys.executable, str(PROGRAM), *map(str, (seed, n_events, *rests))]
    variables = {**environment(), **(fonts or {})}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=LONGEST_RUN_S)
    assert done.returncode == 0, done.stderr[-5000:]
    summary = json.loads(done.stdout)
    print(f"seed {seed}: {summary['events']} events, MB at rest: {summary['at_rest_mb']}")
    for name, blocked_s, elapsed_s in summary["longest"]:
        print(f"{name}: {blocked_s} s, {elapsed_s} s on a machine with so much else to do")
    return summary


def test_hundreds_of_random_events_raise_nothing():
    assert do(11, 200)["problems"] == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", [1, 2])
def test_twenty_thousand_random_events_leave_no_trace(seed):
    summary = do(seed, N_EVENTS, WARM_EVENTS, N_EVENTS, fonts=FEW_FONTS)
    at_rest_mb = summary["at_rest_mb"]
    assert summary["problems"] == []
    assert at_rest_mb[str(N_EVENTS)] <= MOST_GROWTH * at_rest_mb[str(WARM_EVENTS)]
    assert summary["longest"][0][1] < LONGEST_EVENT_S
