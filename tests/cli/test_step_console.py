"""A session of the console debugger about a text without merges: edges, absences, completion."""

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
SESSION = """\
heap: 5 steps, 2 pieces, 34 bytes.
Type help for the commands.
*** token 99999: The model has no token 99999: its last one is 2,559.
0/5  Piece 1 of 2: `zxqvkjwbzxqvkjwbzxqvkjwbzxqvkjwb`. Tokens never cross its edges.
> s 0
1/5  Piece 2 of 2: `·!`. Tokens never cross its edges.
> l
No piece is being encoded at this step.
> s 40
Stopped at: piece 0
  z | x | q | v | k | j | w | b | z | x | q | v …
2/5  Piece 1 of 2, `zxqvkjwbzxqvkjwbzxqvkjwbzxqvkjwb`, is done: 32 tokens.
> s 20
5/5  That is all: 35 tokens.
> l
No piece is being encoded at this step.
> b difference greedy
(compared with greedy)
Breakpoint 2: difference greedy, 0 hits.
> delete 4
*** There is no breakpoint 4.
> delete 3
*** There is no breakpoint 3.
> disable 2
> b
0  token 99999  0 hits
*** token 99999: The model has no token 99999: its last one is 2,559.
1  piece 0  1 hit
2  difference greedy  (off) 0 hits
> s 2 piece
5/5  That is all: 35 tokens.
> s piece
5/5  That is all: 35 tokens.
> bk
4/5  `<|begin_of_text|>` is put in front of the text, as the file asks.
> bk piece
  · | !
3/5  Piece 2 of 2, `·!`, is done: 2 tokens.
> b token
*** What should it stop at? Write an id, a text in quotes, or bytes such as 0x20.
> w
Step 3 of 5: encode, piece 2 of 2, bytes 32–34
> u byte 33
  · | !
3/5  Piece 2 of 2, `·!`, is done: 2 tokens.
> u 3
  · | !
3/5  Piece 2 of 2, `·!`, is done: 2 tokens.
> u x
*** “x” is not a number. Write a whole number (step).
> u byte
*** “” is not a number. Write a whole number (byte).
> watch rank
  rank = –
> watch end - position
  rank = –
  end - position = 2
> p 1
1
> watch
> h s
step [N] [decision|piece|stage]: take N steps of that size (one decision).
> h fly
*** No help on fly
"""


@pytest.fixture
def console():
    """With its output, and two breakpoints of which one cannot be hit."""
    tokenizer, out = guiapp.open_model("demo:bpe"), io.StringIO()
    debugger = debugger_for(tokenizer, record(tokenizer, TEXT, "heap"))
    debugger.set_breakpoints([parse_breakpoint(each) for each in ("token 99999", "piece 0")])

    def compare(encoder):
        out.write(f"(compared with {encoder})\n")

    return Console(debugger, tokenizer.encoders, compare, out)


def test_a_session_without_merges(console):
    console.preloop()
    for line in SESSION.splitlines():
        if line.startswith("> "):
            console.stdout.write(f"{line}\n")
            assert not console.onecmd(console.precmd(line.removeprefix("> ")))
    assert console.stdout.getvalue() == SESSION


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


def test_an_empty_line_moves_on_as_the_last_one_did(console):
    for line in ("bk", "s", ""):
        console.onecmd(console.precmd(line))
    assert [line.split("/")[0] for line in console.stdout.getvalue().splitlines() if "/5" in line] == [
        "0",
        "1",
        "2",
    ]


def test_words_are_completed_by_what_stands_before_them(console):
    assert console.complete_break("p", "break operation p", 16, 17) == ["piece", "push"]
    assert console.complete_break("tok", "break tok", 6, 9) == ["token"]
    assert console.complete_step("d", "step d", 5, 6) == ["decision"]
    assert console.complete_back("", "back ", 5, 5) == ["decision", "piece", "stage"]
    assert console.complete_watch("en", "watch en", 6, 8) == ["end"]
