"""`tokenloupe count` and `tokenloupe chunk`: results on standard output, one clear line on errors."""

import io
import json

import pytest

import guiapp
from guiapp.cli.main import run

TEXT = "A sentence about Straßen.\nAnother one, with <|im_end|> in it! " * 20


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


def test_count_gives_the_number_of_tokens(file, capsys):
    tokenizer = guiapp.open_model("demo:bpe")
    assert run(["count", "demo:bpe", "-f", file]) == 0
    assert capsys.readouterr().out == f"{len(tokenizer.encode(TEXT))}\n"
    assert run(["count", "demo:bpe", "-f", file, "--no-special", "--no-parse-special"]) == 0
    assert capsys.readouterr().out == f"{len(tokenizer.encode(TEXT, False, False))}\n"
    assert run(["count", "demo:bpe", "-f", file, "--limit", "50"]) == 0
    assert capsys.readouterr().out == "more than 50\n"


class Endless(io.RawIOBase):
    """Standard input from a program that never ends."""

    def isatty(self):
        return False

    @property
    def buffer(self):
        return self

    def read(self, size=-1):
        assert size > 0, "that would never be over"
        return b"hello world\n" * (size // 12)


def test_counting_ends_when_the_answer_is_sure_and_the_input_goes_on(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", Endless())
    assert run(["count", "demo:bpe", "--limit", "10000"]) == 0
    assert capsys.readouterr().out == "more than 10000\n"


def test_an_empty_input_is_counted(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    assert run(["count", "demo:bpe", "--no-special"]) == 0
    assert capsys.readouterr().out == "0\n"


def test_chunks_are_printed_as_json(file, capsys):
    assert run(["chunk", "demo:bpe", "-f", file, "--max-tokens", "30", "--by", "sentence", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["max_tokens"], report["overlap"], report["by"]) == (30, 0, "sentence")
    assert "".join(chunk["text"] for chunk in report["chunks"]) == TEXT
    data = TEXT.encode()
    for chunk in report["chunks"]:
        assert data[chunk["start"] : chunk["end"]].decode() == chunk["text"]
        assert chunk["n_tokens"] <= 30


@pytest.mark.parametrize(("limit", "n_tokens"), [(None, 2), (5, 2), (1, None)])
def test_a_count_is_printed_as_json(capsys, limit, n_tokens):
    options = [] if limit is None else ["--limit", str(limit)]
    assert run(["count", "demo:bpe", "a", "--json", *options]) == 0
    assert json.loads(capsys.readouterr().out) == {"tokens": n_tokens, "limit": limit}
