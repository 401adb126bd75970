"""A disk without room: what was there stays, and the error names the file that could not be written."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="files have no limit there")
LIMITED = (
    "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)); "
    "from guiapp.cli.main import run; sys.exit(run(sys.argv[1:]))"
)


@pytest.mark.parametrize(
    "arguments",
    [
        ["tree", "demo:bpe", "-o"],
        ["screenshot", "--model", "demo:toy", "-o"],
        ["train", "bpe", "--vocab-size", "400", "-f", __file__, "-o"],
        [
            "bench",
            "demo:toy",
            "-f",
            "sample:welcome",
            "--encoders",
            "greedy",
            "--time-budget",
            "0.01",
            "--report",
        ],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_failed_write_leaves_the_existing_file(tmp_path, arguments):
    path = tmp_path / {"train": "a.gguf", "bench": "a.html"}.get(arguments[0], "a.png")
    path.write_bytes(b"old")
    command = [sys.executable, "-c", LIMITED, *arguments, str(path)]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONDONTWRITEBYTECODE": "1"}
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert result.returncode == 1, result.stderr
    assert path.name in result.stderr
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
