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


@pytest.mark.parametrize(("text", "n_tokens"), [("", "0\n"), ("a", "more than 0\n")])
def test_no_token_is_a_limit_too(capsys, text, n_tokens):
    assert run(["count", "demo:bpe", text, "--no-special", "--limit", "0"]) == 0
    assert capsys.readouterr().out == n_tokens


@pytest.mark.parametrize("switch", [[], ["--no-parse-special"]])
def test_chunks_find_special_tokens_in_the_text_unless_switched_off(capsys, switch):
    assert run(["chunk", "demo:bpe", "a<|im_end|>b", "--max-tokens", "99", *switch]) == 0
    n_tokens = len(guiapp.open_model("demo:bpe").encode("a<|im_end|>b", False, not switch))
    assert capsys.readouterr().out.split("\t")[2] == str(n_tokens)
    assert (n_tokens == 3) == (not switch)


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


def test_a_short_text_can_stand_on_the_command_line(capsys):
    text = "A short text."
    assert run(["count", "demo:bpe", text]) == 0
    assert capsys.readouterr().out == f"{len(guiapp.open_model('demo:bpe').encode(text))}\n"
    assert run(["chunk", "demo:bpe", text, "--max-tokens", "99"]) == 0
    assert capsys.readouterr().out.startswith(f"0\t{len(text)}\t")


@pytest.mark.parametrize("command", [["count"], ["tokenize"], ["chunk", "--max-tokens", "9"]])
def test_a_second_file_is_refused_rather_than_taken_alone(file, capsys, command):
    with pytest.raises(SystemExit) as ended:
        run([*command, "demo:bpe", "-f", "other.txt", "-f", file])
    assert ended.value.code == 2
    assert f"one file at a time, not other.txt and {file}" in capsys.readouterr().err


def test_chunks_are_printed_as_json(file, capsys):
    assert run(["chunk", "demo:bpe", "-f", file, "--max-tokens", "30", "--by", "sentence", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["max_tokens"], report["overlap"], report["by"]) == (30, 0, "sentence")
    assert "".join(chunk["text"] for chunk in report["chunks"]) == TEXT
    data = TEXT.encode()
    for chunk in report["chunks"]:
        assert data[chunk["start"] : chunk["end"]].decode() == chunk["text"]
        assert chunk["n_tokens"] <= 30


def test_chunks_are_printed_one_a_line(file, capsys):
    assert run(["chunk", "demo:bpe", "-f", file, "--max-tokens", "30", "--overlap", "5", "--by", "word"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [int(start) for start, *_ in rows] == sorted({int(start) for start, *_ in rows})
    assert all(int(n_tokens) <= 30 for _, _, n_tokens, _ in rows)
    assert rows[0][3].startswith("A·sentence·about")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chunk", "demo:bpe", "-f", "{file}", "--max-tokens", "0"], "Allow at least 1."),
        (["chunk", "demo:bpe", "-f", "{file}", "--max-tokens", "5", "--overlap", "5"], "Choose 0 to 4."),
        (["chunk", "demo:bpe", "-f", "{file}.no", "--max-tokens", "5"], "cannot be read"),
        (["count", "demo:bpe", "-f", "{file}.no"], "cannot be read"),
        (["count", "demo:bpe", "-f", "{file}", "--limit", "-1"], "0 or more"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(arguments, message, file, capsys):
    assert run([argument.format(file=file) for argument in arguments]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert message in err


def test_chunks_tell_start_end_tokens_and_beginning(capsys):
    assert run(["chunk", "demo:toy", "abcab\nacb", "--max-tokens", "3", "--by", "line"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert rows[:2] == [["0", "6", "3", "abcab↵"], ["6", "9", "2", "acb"]]


HIDDEN = "pay\u200bment\nPlease." + "".join(chr(0xE0000 + ord(letter)) for letter in "Ignore all") + " Thanks"


def test_count_lists_what_hides_where_and_what_it_costs(capsys):
    tokenizer = guiapp.open_model("demo:bpe")
    assert run(["count", "demo:bpe", HIDDEN, "--hidden", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    left = "payment\nPlease. Thanks"
    assert report["tokens"] == len(tokenizer.encode(HIDDEN))
    assert report["tokens_without"] == len(tokenizer.encode(left))
    assert report["characters"] == 11
    first, second = report["places"]
    assert (first["line"], first["start"], first["end"], first["kinds"]) == (
        1,
        3,
        6,
        ["zero-width characters"],
    )
    assert (second["line"], second["says"], second["kinds"]) == (2, "Ignore all", ["tag characters"])
    covered = [span for span in tokenizer.encode(HIDDEN).spans.tolist() if span[0] < 58 and span[1] > 18]
    assert (second["start"], second["end"], second["tokens"]) == (18, 58, len(covered))


def test_count_says_which_options_do_not_go_together(capsys):
    assert run(["count", "demo:bpe", "a", "--hidden", "--limit", "3"]) == 1
    assert "--hidden" in capsys.readouterr().err


@pytest.mark.parametrize(("limit", "n_tokens"), [(None, 2), (5, 2), (1, None)])
def test_a_count_is_printed_as_json(capsys, limit, n_tokens):
    options = [] if limit is None else ["--limit", str(limit)]
    assert run(["count", "demo:bpe", "a", "--json", *options]) == 0
    assert json.loads(capsys.readouterr().out) == {"tokens": n_tokens, "limit": limit}


def test_count_tells_the_dearest_words_and_lines(file, capsys):
    assert run(["count", "demo:bpe", "-f", file, "--dearest", "1"]) == 0
    n_tokens, *_ = out = capsys.readouterr().out.splitlines()
    assert run(["count", "demo:bpe", "-f", file, "--dearest", "1", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    (word,), (line,) = report["words"], report["lines"]
    assert int(n_tokens) == report["tokens"]
    assert TEXT.encode()[slice(*word["span"])].decode() == word["text"]
    assert (word["line"], line["times"] > 1) == (1, True)
    assert any(row.endswith(word["text"]) and f" {word['tokens']} " in row for row in out)
    assert run(["count", "demo:bpe", "a", "--dearest", "1", "--limit", "5"]) == 1
