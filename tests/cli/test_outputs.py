"""The files that commands write: nothing is overwritten unasked, and errors come before the work."""

import os
import subprocess
import sys
import threading

import pytest

from guiapp.cli.main import run

TRAIN = f"train bpe -f {__file__} --vocab-size 300"
OUTPUTS = {
    f"{TRAIN} -o": "made.gguf",
    f"{TRAIN} -o other.gguf --steps": "made.json",
    "tree demo:toy -o": "made.svg",
    "screenshot --model demo:toy -o": "made.png",
    "lesson export 7-wordpiece -o": "made.html",
    "bench demo:toy --json": "made.json",
    "bench demo:toy --report": "made.html",
    "bench field demo:toy -o": "made.html",
    "bench field demo:toy --json": "made.json",
    "hunt demo:bpe demo:spm --report": "made.md",
}
OF_EACH = pytest.mark.parametrize(("command", "name"), OUTPUTS.items(), ids=map(str, range(len(OUTPUTS))))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@OF_EACH
def test_a_file_that_is_there_stays_without_force(command, name, folder, capsys):
    (folder / name).write_bytes(b"old")
    assert run([*command.split(), name]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert name in err
    assert "--force" in err
    assert (folder / name).read_bytes() == b"old"
    assert os.listdir(folder) == [name]


@OF_EACH
@pytest.mark.parametrize("place", ["", "no/"])
def test_a_place_that_takes_no_file_is_refused_before_the_work(command, name, place, folder, capsys):
    if not place:
        (folder / name).mkdir()
    assert run([*command.split(), f"{place}{name}"]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    assert os.listdir(folder) == [] if place else [name]


def test_one_file_takes_one_output(folder, capsys):
    assert run([*TRAIN.split(), "-o", "a.json", "--steps", "./a.json"]) == 1
    assert "a.json" in capsys.readouterr().err
    assert run(["bench", "field", "demo:toy", "--json", "-", "-o", "-"]) == 1
    assert os.listdir(folder) == []


@pytest.mark.parametrize("command", [f"{TRAIN} -o", "lesson export 7-wordpiece -o", "tree demo:toy -o"])
def test_force_replaces_a_file(command, folder):
    name = OUTPUTS.get(command, "made.html")
    (folder / name).write_bytes(b"old")
    words = [sys.executable, "-m", "guiapp", *command.split(), name, "--force"]
    subprocess.run(words, check=True)  # a picture needs a process of its own: Qt's application is made once
    assert len((folder / name).read_bytes()) > 3


@pytest.mark.skipif(sys.platform == "win32", reason="has no such files")
def test_pipes_and_devices_are_written_to(folder):
    words = TRAIN.split()
    assert run([*words, "-o", "/dev/null"]) == 0
    os.mkfifo("pipe.gguf")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((folder / "pipe.gguf").read_bytes()))
    reader.start()
    assert run([*words, "-o", "pipe.gguf"]) == 0
    reader.join()
    assert read[0].startswith(b"GGUF")
    command = [sys.executable, "-m", "guiapp", *words, "-o", "/dev/stdout"]
    assert subprocess.run(command, capture_output=True, check=True).stdout == read[0]
    with open("out.gguf", "wb") as file:
        subprocess.run(command, stdout=file, check=True)
    assert (folder / "out.gguf").read_bytes() == read[0]
