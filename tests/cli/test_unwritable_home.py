"""Where nothing can be kept, commands do what they were asked for all the same."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow


FOLDERS = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "APPDATA")
COMMANDS = {
    "info": ["info", "demo:toy"],
    "tokenize": ["tokenize", "demo:bpe", "Hello world"],
    "count": ["count", "demo:spm", "Hello"],
    "compare": ["compare", "demo:bpe", "demo:spm", "--text", "Hello"],
    "special": ["special", "demo:bpe"],
    "step": ["step", "demo:bpe", "Hello world"],
    "tree": ["tree", "demo:toy", "-o", "made.png"],
    "train": ["train", "bpe", "--vocab-size", "300", "-f", __file__, "-o", "made.gguf"],
    "screenshot": ["screenshot", "--model", "demo:toy", "-o", "made.png"],
    "bench": [
        "bench", "demo:toy", "-f", "sample:welcome", "--encoders", "greedy", "--time-budget", "0.01",
        "--report", "made.html",
    ],
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_home_that_is_a_file_fails_no_command(tmp_path, command):
    no_folder = tmp_path / "file"
    no_folder.write_bytes(b"")
    homes = dict.fromkeys(FOLDERS, str(no_folder / "below"))
    environment = {**os.environ, **homes, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": os.getcwd()}
    result = subprocess.run(
        [sys.executable, "-P", "-m", "guiapp", *command],
        cwd=tmp_path,
        env=environment,
        input="step\nquit\n",
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout or "-o" in command or "--report" in command
    made = sorted(path.name for path in tmp_path.iterdir() if path != no_folder)
    assert made == [name for name in command if name.startswith("made.")]
