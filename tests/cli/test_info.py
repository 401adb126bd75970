"""`tokenloupe info` and `tokenloupe detokenize`, as they are printed."""

import io
import json
import math
import sys

import pytest
from small_files import spm

import guiapp
from guiapp.analysis.explain.reports import info_report
from guiapp.cli.main import run


def test_json_prints_the_info_report(capsys):
    assert run(["info", "demo:toy", "--json"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith('{\n  "path": ')
    assert json.loads(printed) == info_report(guiapp.open_model("demo:toy")) | {"readings": []}


@pytest.fixture
def folder(tmp_path):
    """A tokenizer.json with a config that adds a token."""
    vocab = {letter: row for row, letter in enumerate("<|user>ab")}
    content = {"added_tokens": [], "model": {"type": "BPE", "vocab": vocab, "merges": []}}
    decoder = {str(len(vocab)): {"content": "<|user|>", "special": True}}
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "added_tokens_decoder": decoder}
    for name, values in (("tokenizer.json", content), ("tokenizer_config.json", config)):
        (tmp_path / name).write_text(json.dumps(values))
    return tmp_path


def test_other_programs_are_named_with_the_shortest_text_and_the_share_of_own_lines(folder, capsys):
    texts = folder / "texts.txt"
    texts.write_text("ab\n<|user|>ab\n\nab <|user|>\nb\n")
    assert run(["info", str(folder), "-f", str(texts), "--json"]) == 0
    [reading] = json.loads(capsys.readouterr().out)["readings"]
    assert (reading["name"], reading["version"], reading["same"]) == ("transformers", "5.24.0", False)
    assert (reading["text"], reading["lines"], reading["differing_lines"]) == ("<|user|>", 4, 2)
    for name, key in ((None, "own_token_ids"), ("transformers", "token_ids")):
        assert guiapp.open_model(folder, name).encode("<|user|>").token_ids.tolist() == reading[key]
    assert 0 < reading["differ"] < reading["compared"]
    assert run(["info", str(folder)]) == 0
    assert "transformers 5.24.0 gives" in capsys.readouterr().out


def test_what_strangers_wrote_into_a_file_is_no_command_for_a_terminal(capsys, tmp_path):
    template = "\x1b[2J\n" + "x" * 5000
    values = {"tokenizer.chat_template": template, "odd.number": math.inf}
    path = spm(keys=values).write(tmp_path / "m.gguf")
    assert run(["info", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "tokenizer.chat_template: \\x1b[2J\\nxxx" in printed
    assert max(map(len, printed.splitlines())) < 300
    assert run(["info", str(path), "--json"]) == 0
    values = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)["metadata"]
    assert (values["tokenizer.chat_template"], values["odd.number"]) == (template, "inf")


class Screen(io.TextIOWrapper):
    def isatty(self):
        return True


@pytest.mark.parametrize(("stream", "end"), [(Screen, b"\n"), (io.TextIOWrapper, b"")])
def test_a_text_ends_its_line_on_a_screen_only(stream, end, monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", stream(written))
    assert run(["detokenize", "demo:toy", "3", "8"]) == 0
    assert written.getvalue() == b"abacbb" + end


@pytest.mark.parametrize(
    ("listed", "at", "byte"), [(b"1 2\xff", "4", "FF"), (b"1" * 2000 + b"\xe5", "2,001", "E5")]
)
def test_invalid_utf8_in_a_list_of_ids_is_located(listed, at, byte, tmp_path, capsys):
    (tmp_path / "ids").write_bytes(listed)
    assert run(["detokenize", "demo:toy", "-f", str(tmp_path / "ids")]) == 1
    assert capsys.readouterr().err == (
        f"tokenloupe: The list of ids is not UTF-8: byte {at} is 0x{byte}. "
        "Write ids as text, as `tokenloupe tokenize` prints them.\n"
    )
