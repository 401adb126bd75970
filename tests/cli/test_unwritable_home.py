"""Where nothing can be kept, commands do what they were asked for all the same."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow


FOLDERS = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "APPDATA")
ONE_PROCESS_EACH = {  # what opens windows, or processes of its own
    "tree": ["tree", "demo:toy", "-o", "made.png"],
    "screenshot": ["screenshot", "--model", "demo:toy", "-o", "made.png"],
    "bench": [
        "bench", "demo:toy", "-f", "sample:welcome", "--encoders", "greedy", "--time-budget", "0.01",
        "--report", "made.html",
    ],
}  # fmt: skip
OTHERS = [
    ["info", "demo:toy"],
    ["tokenize", "demo:bpe", "Hello world"],
    ["count", "demo:spm", "Hello"],
    ["compare", "demo:bpe", "demo:spm", "--text", "Hello"],
    ["special", "demo:bpe"],
    ["step", "demo:bpe", "Hello world"],
    ["train", "bpe", "--vocab-size", "300", "-f", __file__, "-o", "made.gguf"],
]
RUN_ALL = f"from guiapp.cli.main import run; print([run(words) for words in {OTHERS}])"


def ended(folder, *options):
    """A process with a home that is a file."""
    no_folder = folder / "file"
    no_folder.write_bytes(b"")
    homes = dict.fromkeys(FOLDERS, str(no_folder / "below"))
    result = subprocess.run(
        [sys.executable, "-P", *options],
        cwd=folder,
        env={**os.environ, **homes, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": os.getcwd()},
        input="step\nquit\n",
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr
    no_folder.unlink()
    return result.stdout, [path.name for path in folder.iterdir()]


@pytest.mark.parametrize("command", ONE_PROCESS_EACH.values(), ids=ONE_PROCESS_EACH)
def test_a_home_that_is_a_file_fails_no_command(tmp_path, command):
    _, made = ended(tmp_path, "-m", "guiapp", *command)
    assert made == [command[-1]]


def test_nor_does_it_one_that_only_prints(tmp_path):
    printed, made = ended(tmp_path, "-c", RUN_ALL)
    assert printed.splitlines()[-1] == str([0] * len(OTHERS))
    assert made == ["made.gguf"]
