"""`tokenloupe step`: commands, scripts and what goes wrong."""

from __future__ import annotations

import io
import json

import guiapp
from guiapp.analysis.trace import recorder as cost
from guiapp.analysis.trace.debugger import compare_with, debugger_for
from guiapp.analysis.trace.recorder import record
from guiapp.cli.main import run
from guiapp.cli.step import Console

TEXT = "How do lions sleep in New York?"


def console_output(*commands: str) -> str:
    """What the console says to some commands."""
    tokenizer = guiapp.open_model("demo:bpe")
    out = io.StringIO()
    debugger = debugger_for(tokenizer, record(tokenizer, TEXT, "heap"))

    def compare(encoder):
        compare_with(debugger, tokenizer, encoder, True, True)

    console = Console(debugger, tokenizer.encoders, compare, out)
    for command in commands:
        console.onecmd(console.precmd(command))
    return out.getvalue()


def test_help_covers_every_command():
    names = [name[3:] for name in dir(Console) if name.startswith("do_")]
    help_text = console_output(*(f"help {name}" for name in names))
    assert "No help on" not in help_text
    assert not any(line.startswith(" ") for line in help_text.splitlines())
    assert console_output("help b") == console_output("help break")
    assert "No help on" in console_output("help fly")
    assert "restart" in console_output("help")


def test_json_holds_all_steps_or_those_at_breakpoints(capsys):
    assert run(["step", "demo:bpe", TEXT, "--json"]) == 0
    everything = json.loads(capsys.readouterr().out)
    assert len(everything["steps"]) == everything["n_steps"]
    assert run(["step", "demo:bpe", TEXT, "--json", "--break", "operation merge", "--break", "rank < 9"]) == 0
    some = json.loads(capsys.readouterr().out)
    assert some["steps"] == [step for step in everything["steps"] if step["operation"] == "merge"] != []


def test_a_broken_condition_is_one_line_and_status_1(capsys):
    assert run(["step", "demo:bpe", "x", "--break", "rank <"]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_of_a_long_text_the_beginning_is_stepped_through_unless_all_is_asked_for(
    capsys, monkeypatch, tmp_path
):
    monkeypatch.setattr(cost, "LONGEST_WITHOUT_ASKING", 1000)
    monkeypatch.setattr(cost, "FIRST_BYTES", 300)
    file = tmp_path / "long.txt"
    file.write_bytes(("Löwen und Schafe\n" * 100).encode())
    assert run(["step", "demo:bpe", "-f", str(file), "--json"]) == 0
    console_output = capsys.readouterr()
    assert json.loads(console_output.out)["text"] == "Löwen und Schafe\n" * 16
    assert "1,800 bytes" in console_output.err
    assert "first 288" in console_output.err
    assert "--all" in console_output.err
    assert run(["step", "demo:bpe", "-f", str(file), "--json", "--all"]) == 0
    console_output = capsys.readouterr()
    assert json.loads(console_output.out)["text"] == "Löwen und Schafe\n" * 100
    assert not console_output.err


SESSION = """\
heap: 21 steps, 2 pieces, 9 bytes.
Type help for a list of commands.
0/21  Piece 1 of 2: `How`. Tokens never cross its edges.
> n
1/21  Piece 2 of 2: `·lions`. Tokens never cross its edges.
> s 2
  H | [o + w]
3/21  `o` + `w` → `ow`, rank 62: the only candidate.
> u 13
  ·l | [i + on] | s
13/21  `i` + `on` → `ion`, rank 163: the lowest of 2 candidates.
> l
  ·l | [i + on] | s
         163  i + on
         201  ·l + i
         570  l + i  stale
       1,247  i + o  stale
> w
Step 13 of 21: encode, piece 2 of 2, bytes 5–8
> watch rank
  rank = 163
> s
  ·l | ion | s
14/21  `ion` + `s` → `ions` could merge: it enters the queue with rank 1,251.
  rank = 1,251
> b operation merge
Breakpoint 0: operation merge, 5 hits.
> b token 1507 once
Breakpoint 1: token 1507 once, 1 hit.
> b
0  operation merge  5 hits
1  token 1507 once  1 hit
> disable 0
> b
0  operation merge  (off) 0 hits
1  token 1507 once  1 hit
> c
Stopped at: token 1507 once
  ·l | [ion + s]
18/21  `ion` + `s` → `ions`, rank 1,251: the only candidate.
  rank = 1,251
> r
0/21  Piece 1 of 2: `How`. Tokens never cross its edges.
  rank = –
> enable 0
> delete 0
> b
0  token 1507 once  (off) 0 hits
> clear
> watch
> u byte 8
  ·l | [ion + s]
18/21  `ion` + `s` → `ions`, rank 1,251: the only candidate.
> out
  ·l | ions
19/21  Piece 2 of 2, `·lions`, is done: 2 tokens.
> bk 2 piece
  H | o | w
2/21  `o` + `w` → `ow` could merge: it enters the queue with rank 62.
> p end - position
2
> w
Step 2 of 21: encode, piece 1 of 2, bytes 1–3
> restart
0/21  Piece 1 of 2: `How`. Tokens never cross its edges.
> s stage
  H | o | w
2/21  `o` + `w` → `ow` could merge: it enters the queue with rank 62.
> finish
*** “finish” is not a command. Type help for a list.
> delete 7
*** There is no breakpoint 7. Type break for a list.
> disable 3
*** There is no breakpoint 3. Type break for a list.
> s x
*** “x” is not a whole number (steps).
> b operation merge log made {result}
Breakpoint 0: operation merge log made {result}, 5 hits.
> c
3: made ow
9: made ·l
11: made on
13: made ion
18: made ions
21/21  Finished: 5 tokens.
> w
At the end.
> h where
where: print the stage, the piece and the step.
"""


def test_a_session_from_the_start_to_the_end():
    tokenizer, out = guiapp.open_model("demo:bpe"), io.StringIO()
    debugger = debugger_for(tokenizer, record(tokenizer, "How lions", "heap"))
    console = Console(debugger, tokenizer.encoders, print, out)
    console.preloop()
    for line in SESSION.splitlines():
        if line.startswith("> "):
            out.write(f"{line}\n")
            console.onecmd(console.precmd(line.removeprefix("> ")))
    assert out.getvalue() == SESSION
