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
def test_an_existing_file_is_unchanged_without_force(command, name, folder, capsys):
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


READS = {
    "train bpe --vocab-size 300 -f a.gguf -o": ("a.gguf", "a.gguf"),
    "train bpe --vocab-size 300 -f a.gguf -o other.gguf --steps": ("a.gguf", "a.gguf"),
    "data demo:toy a.jsonl --export": ("a.jsonl", "a.jsonl"),
    "data model demo:toy --export": ("model/tokenizer_config.json", "model/tokenizer_config.json"),
    "tree model -o": ("model/tokenizer.json", "model/tokenizer.json"),
    "tree demo:toy -o": ("a.svg", None),
    "hunt demo:bpe demo:spm -f texts --report": ("texts/in/a.md", "texts/in/a.md"),
    "bench demo:toy --compare a.json --json": ("a.json", "a.json"),
    "bench field demo:toy --text a=a.txt -o": ("a.txt", "a.txt"),
    "lesson export a.json -o": ("a.json", "a.json"),
    "screenshot --model demo:toy --beside demo:bpe a.gguf -o": ("a.gguf", "a.gguf"),
    "doctor a.gguf --fix": ("a.gguf", "a.gguf"),
}


@pytest.mark.parametrize("force", [[], ["--force"]], ids=["", "force"])
@pytest.mark.parametrize("link", ["", "symlink", "link"])
@pytest.mark.parametrize("command", READS, ids=map(str, range(len(READS))))
def test_an_input_is_never_replaced(command, link, force, folder, capsys):
    name, input_name = READS[command]
    file = folder / name
    for each in (file, folder / "model" / "tokenizer.json"):
        each.parent.mkdir(parents=True, exist_ok=True)
        each.write_bytes(b"old")
    if link:
        getattr(os, link)(file, folder / "link")
    out = "./link" if link else f"./{name}"
    stdin = os.dup(0)
    with open(file, "rb") as stream:  # which is read where no other input has this name
        os.dup2(stream.fileno() if input_name is None else stdin, 0)
    try:
        assert run([*command.split(), out, *force]) == 1
    finally:
        os.dup2(stdin, 0)
        os.close(stdin)
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert f"input of this command: {input_name or 'standard input'}." in printed.err
    assert file.read_bytes() == b"old"


def test_other_files_next_to_an_input_may_be_replaced(folder):
    (folder / "text.txt").write_text("some text")
    (folder / "old.gguf").write_bytes(b"old")
    assert run(["train", "bpe", "-f", "text.txt", "--vocab-size", "300", "-o", "old.gguf", "--force"]) == 0
    assert (folder / "old.gguf").read_bytes()[:4] == b"GGUF"


def test_a_picture_of_more_models_than_fit_is_refused(folder, capsys):
    words = ["screenshot", "--page", "compare", "-o", "a.png", "--beside", *["demo:toy"] * 4]
    with pytest.raises(SystemExit) as caught:
        run(words)
    assert caught.value.code == 2
    assert "--beside" in capsys.readouterr().err
    assert os.listdir(folder) == []
