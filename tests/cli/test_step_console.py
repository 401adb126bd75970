"""A session of the console debugger: how it ends, prompts, repeats and completes."""

from __future__ import annotations

import io
import sys

import pytest

import guiapp
from guiapp.analysis.trace.breakpoints import parse_breakpoint
from guiapp.analysis.trace.debugger import debugger_for
from guiapp.analysis.trace.recorder import record
from guiapp.cli.step import Console

TEXT = "zxqvkjwb" * 4 + " !"


@pytest.fixture
def console():
    """With its output, and two breakpoints of which one cannot be hit."""
    tokenizer, out = guiapp.open_model("demo:bpe"), io.StringIO()
    debugger = debugger_for(tokenizer, record(tokenizer, TEXT, "heap"))
    debugger.set_breakpoints([parse_breakpoint(each) for each in ("token 99999", "piece 0")])

    def compare(encoder):
        out.write(f"(compared with {encoder})\n")

    return Console(debugger, tokenizer.encoders, compare, out)


@pytest.mark.parametrize("word", ["EOF", "q", "quit"])
def test_a_session_is_left_by_a_word_or_the_end_of_what_is_read(console, word):
    assert console.onecmd(console.precmd(word)) is True


@pytest.mark.parametrize(("is_terminal", "prompt"), [(True, "(step) "), (False, "")])
def test_only_a_person_is_prompted(monkeypatch, is_terminal, prompt):
    stdin = io.StringIO()
    monkeypatch.setattr(stdin, "isatty", lambda: is_terminal)
    monkeypatch.setattr(sys, "stdin", stdin)
    tokenizer = guiapp.open_model("demo:bpe")
    debugger = debugger_for(tokenizer, record(tokenizer, "a"))
    assert Console(debugger, tokenizer.encoders, print).prompt == prompt


def test_words_are_completed_by_what_stands_before_them(console):
    assert console.complete_break("p", "break operation p", 16, 17) == ["piece", "push"]
    assert console.complete_break("tok", "break tok", 6, 9) == ["token"]
    assert console.complete_step("d", "step d", 5, 6) == ["decision"]
    assert console.complete_back("", "back ", 5, 5) == ["decision", "piece", "stage"]
    assert console.complete_watch("en", "watch en", 6, 8) == ["end"]
