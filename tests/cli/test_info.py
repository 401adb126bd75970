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


def test_what_a_file_says_is_a_record(capsys):
    assert run(["info", "demo:toy", "--json"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith('{\n  "path": ')
    assert json.loads(printed) == info_report(guiapp.open_model("demo:toy"))


def test_what_strangers_wrote_into_a_file_is_no_command_for_a_terminal(capsys, tmp_path):
    template = "\x1b[2J\n" + "x" * 5000
    said = {"tokenizer.chat_template": template, "odd.number": math.inf}
    path = spm(keys=said).write(tmp_path / "m.gguf")
    assert run(["info", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "tokenizer.chat_template: \\x1b[2J\\nxxx" in printed
    assert max(map(len, printed.splitlines())) < 300
    assert run(["info", str(path), "--json"]) == 0
    said = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)["metadata"]
    assert (said["tokenizer.chat_template"], said["odd.number"]) == (template, "inf")


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
def test_a_list_that_is_no_text_is_told_where(listed, at, byte, tmp_path, capsys):
    (tmp_path / "ids").write_bytes(listed)
    assert run(["detokenize", "demo:toy", "-f", str(tmp_path / "ids")]) == 1
    assert capsys.readouterr().err == (
        f"tokenloupe: The list of ids is not UTF-8: byte {at} is 0x{byte}. "
        "Write ids as text, as `tokenloupe tokenize` prints them.\n"
    )
