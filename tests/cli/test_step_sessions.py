"""`tokenloupe step`: breakpoints that cannot be hit, long pieces, and where a session reads."""

import io
import sys

import pytest

import guiapp
from guiapp.analysis.trace.breakpoints import parse_breakpoint
from guiapp.analysis.trace.debugger import debugger_for
from guiapp.analysis.trace.recorder import record
from guiapp.cli.main import run
from guiapp.cli.step import Console, remembered_commands

ABSENT = (
    "*** operation reach: heap has no operation “reach”. It has: special, text, normalise, piece, whole, "
    "push, stale, merge, fallback, lost, done, add."
)


def session(text, *commands, breakpoints=()):
    """The lines that are said."""
    tokenizer, out = guiapp.open_model("demo:bpe"), io.StringIO()
    debugger = debugger_for(tokenizer, record(tokenizer, text, "heap"))
    debugger.set_breakpoints([parse_breakpoint(each) for each in breakpoints])
    console = Console(debugger, tokenizer.encoders, print, out)
    if breakpoints:
        console.preloop()
    for command in commands:
        console.onecmd(console.precmd(command))
    return out.getvalue().splitlines()


def test_unreachable_breakpoints_are_explained_wherever_listed():
    assert session("How lions", "break operation reach") == ["Breakpoint 0: operation reach, 0 hits.", ABSENT]
    assert session("How lions", "b operation push", "b operation reach", "b")[-3:] == [
        "0  operation push  8 hits",
        "1  operation reach  0 hits",
        ABSENT,
    ]
    assert session("How lions", breakpoints=["operation push", "operation reach"])[2:4] == [
        ABSENT,
        "0/21  Piece 1 of 2: `How`. Tokens never cross its edges.",
    ]


class Terminal(io.TextIOWrapper):
    def isatty(self):
        return True


def piped(text):
    return io.TextIOWrapper(io.BytesIO(text))


def test_a_text_from_standard_input_leaves_none_for_commands(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", piped(b"abc"))
    assert run(["step", "demo:toy"]) == 1
    output = "Standard input was used for the text. Give TEXT, -f FILE or --json instead."
    assert capsys.readouterr().err == f"tokenloupe: {output}\n"


@pytest.mark.parametrize("source", ["text", "file", "terminal", "json"])
def test_other_texts_leave_standard_input_to_the_commands(source, monkeypatch, capsys, tmp_path):
    (tmp_path / "text").write_text("abc")
    words, stdin = {
        "text": (["abc"], piped(b"where\n")),
        "file": (["-f", str(tmp_path / "text")], piped(b"where\n")),
        "terminal": ([], Terminal(io.BytesIO(b"abc"))),
        "json": (["--json"], piped(b"abc")),
    }[source]
    monkeypatch.setattr(sys, "stdin", stdin)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert run(["step", "demo:toy", *words]) == 0
    output = capsys.readouterr().out
    assert ("Step 0 of" in output) == (source in ("text", "file"))
    assert ("abc" in output) == (source in ("text", "file", "terminal", "json"))


def test_commands_are_remembered_from_one_session_to_the_next(monkeypatch, tmp_path):
    readline = pytest.importorskip("readline")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "a" / "state"))
    before = [readline.get_history_item(1 + at) for at in range(readline.get_current_history_length())]
    length = readline.get_history_length()
    try:
        readline.clear_history()
        for command in ("step", "where"):
            with remembered_commands():
                assert readline.get_history_length() == 1000
                readline.add_history(command)
            readline.clear_history()
        with remembered_commands():
            count = readline.get_current_history_length()
            assert [readline.get_history_item(1 + at) for at in range(count)] == ["step", "where"]
    finally:
        readline.set_history_length(length)
        readline.clear_history()
        for command in before:
            readline.add_history(command)
