"""Temporary files of programs that are killed go with the next start, and no others."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it sends a signal, and locks a folder")
LEAVES_TEXT = """
import multiprocessing.util, os, sys, tempfile
from guiapp.core.sources.files import begin_scratch

end = begin_scratch()
multiprocessing.util.get_temp_dir()
with open(os.path.join(tempfile.mkdtemp(prefix="tokenloupe-"), "text-1"), "w") as file:
    file.write("secret")
print(tempfile.gettempdir(), flush=True)
sys.stdin.read()
end()
"""


@pytest.fixture
def started(tmp_path):
    """Starts a program; gives it, and the folder of its temporary files."""
    programs = []

    def start(*command):
        given = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
        pipe = subprocess.PIPE
        programs.append(
            subprocess.Popen([sys.executable, *command], stdin=pipe, stdout=pipe, text=True, env=given)
        )
        return programs[-1], programs[-1].stdout.readline().strip()

    yield start
    for program in programs:
        program.kill()
        program.communicate()


def test_the_next_start_removes_what_was_killed_and_nothing_else(started, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "file").touch()
    (tmp_path / "tokenloupe-tmp-link").symlink_to(elsewhere)
    (tmp_path / "tokenloupe-tmp-file").touch()
    others = {*tmp_path.iterdir()}
    living, own = started("-c", LEAVES_TEXT)
    killed, left = started("-c", LEAVES_TEXT)
    (text,) = (path for path in tmp_path.glob("*/*/text-1") if str(path).startswith(left))
    assert text.parents[1].stat().st_mode & 0o077 == 0
    killed.kill()
    killed.wait()
    assert len(os.listdir(left)) == 2, "a text, and what multiprocessing keeps"
    started("-m", "guiapp", "chat", "--help")[0].communicate()
    assert {str(path) for path in {*tmp_path.iterdir()} - others} == {own}
    assert len(os.listdir(own)) == 2
    assert (elsewhere / "file").exists()
    living.communicate()
    assert {*tmp_path.iterdir()} == others
