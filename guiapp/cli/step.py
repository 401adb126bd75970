"""`tokenloupe step`"""

from __future__ import annotations

import argparse
import cmd
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from inspect import cleandoc
from pathlib import Path
from typing import IO, TYPE_CHECKING

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.trace.breakpoints import KINDS, absence, column_help, parse_breakpoint
from guiapp.analysis.trace.conditions import COLUMNS, ConditionError, StepExpression, unquoted
from guiapp.analysis.trace.debugger import Debugger, Granularity, compare_with, debugger_for, trace_record
from guiapp.analysis.trace.recorder import ONE_PIECE, beginning, estimate, n_first_bytes, record
from guiapp.analysis.trace.trace import OPERATIONS
from guiapp.cli.files import (
    InputError,
    add_encode_options,
    add_spelling_option,
    let_terminal_replace,
    open_tokenizer,
    print_json,
    text_of,
)
from guiapp.core.text.numbers_in_words import counted
from guiapp.errors import TokenloupeError

if TYPE_CHECKING:
    from guiapp.core.encode.tokenizer import Tokenizer

WINDOW_TOKENS = 12  # shown on either side of the current tokens
HISTORY_LINES = 1000
ALIASES = {
    "s": "step", "n": "next", "b": "break", "c": "continue", "cont": "continue", "r": "reverse",
    "p": "print", "l": "list", "u": "until", "unt": "until", "w": "where", "bt": "where", "q": "quit",
    "h": "help", "EOF": "quit", "bk": "back", "d": "delete", "clear": "delete",
}  # fmt: skip


EXAMPLES = (
    "tokenloupe step demo:bpe 'Hello world'",
    "tokenloupe step model.gguf -f text.txt --break 'rank < 500' --json",
)


def add_options(parser: argparse.ArgumentParser) -> None:
    add_encode_options(parser)
    add_spelling_option(parser)
    parser.add_argument(
        "--break",
        dest="breakpoints",
        metavar="COND",
        action="append",
        default=[],
        help="set a breakpoint: 'rank < 500', 'token \" the\"', 'operation stale'; may be repeated",
    )
    about = "record all of a long text, whatever the time and memory"
    parser.add_argument("--all", action="store_true", help=about)
    about = "print all steps, or with --break the steps at breakpoints, as JSON, and exit"
    parser.add_argument("--json", action="store_true", help=about)


def run(options: argparse.Namespace) -> int:
    """Step through the tokenization of a text, as in a debugger."""
    breakpoints = [parse_breakpoint(text) for text in options.breakpoints]
    text = text_of(options)
    tokenizer = open_tokenizer(options.model, options.pre)
    if not options.all:
        text = _beginning(text, tokenizer, options.encoder)
    trace = record(tokenizer, text, options.encoder, options.special, options.parse_special)
    debugger = debugger_for(tokenizer, trace, Spelling(options.spelling))

    def compare(encoder: str) -> None:
        compare_with(debugger, tokenizer, encoder, options.special, options.parse_special)

    for row in breakpoints:
        if row.kind == "difference":
            compare(unquoted(row.value))
    debugger.set_breakpoints(breakpoints)
    if options.json:
        stops = sorted({int(step) for found in debugger.stops.hits for step in found})
        steps = stops if breakpoints else list(range(len(trace)))
        for row in breakpoints:
            if description := absence(row, debugger.values, tokenizer.encoders):
                print(f"{row.title}: {description}", file=sys.stderr)
        print_json(trace_record(debugger, steps))
        return 0
    let_terminal_replace()
    if options.text is None and options.file is None and not sys.stdin.isatty():
        raise InputError("Standard input was used for the text. Give TEXT, -f FILE or --json instead.")
    with remembered_commands():
        Console(debugger, tokenizer.encoders, compare).cmdloop()
    return 0


def _beginning(text: bytes, tokenizer: Tokenizer, encoder: str | None) -> bytes:
    """The part of a text that is recorded in a few seconds; prints a note if that is not all."""
    twin = tokenizer.reference_encoder(encoder or next(iter(tokenizer.encoders)))
    kind = twin, tokenizer.vocabulary.type in ONE_PIECE
    n_bytes = n_first_bytes(*kind, len(text))
    if n_bytes == len(text):
        return text
    cost, part = estimate(*kind, len(text)), beginning(text, n_bytes)
    print(
        f"Recorded the first {len(part):,} of {len(text):,} bytes. Add --all to record the whole text, in "
        f"about {cost.seconds:,.0f} s and {cost.size_bytes / 1e6:,.0f} MB.",
        file=sys.stderr,
    )
    return part


class Console(cmd.Cmd):
    """The prompt of the debugger. An empty line repeats the last command that moved."""

    prompt = "(step) "

    def __init__(
        self,
        debugger: Debugger,
        encoders: Collection[str],
        compare: Callable[[str], None],
        stdout: IO[str] | None = None,
    ) -> None:
        """`encoders` are the model's; `compare` encodes the text with one, for breakpoints at differences."""
        super().__init__(stdout=stdout)
        if not sys.stdin.isatty():  # unseen, and it would shift the first line of each answer
            self.prompt = ""
        self._compare = compare
        self._debugger = debugger
        self._encoders = encoders
        self._watches: list[StepExpression] = []

    def preloop(self) -> None:
        trace = self._debugger.trace
        sizes = (
            counted(len(trace), "step"),
            counted(trace.n_pieces, "piece"),
            counted(len(trace.text), "byte"),
        )
        self._write_line(f"{trace.name}: {', '.join(sizes)}.")
        self._write_line("Type help for a list of commands.")
        for number in range(len(self._debugger.breakpoints)):
            self._show_absence(number)
        self._show()

    def precmd(self, line: str) -> str:
        word, _, rest = line.strip().partition(" ")
        return f"{ALIASES.get(word, word)} {rest}".strip() if word else line

    def onecmd(self, line: str) -> bool:
        try:
            return bool(super().onecmd(line))
        except ConditionError as error:
            self._write_line(f"    {error.condition}\n    {' ' * error.position}^\n*** {error}")
        except TokenloupeError as error:
            self._write_line(f"*** {error}")
        return False

    def default(self, line: str) -> None:
        self._write_line(f"*** “{line.split()[0]}” is not a command. Type help for a list.")

    # Moving

    def do_step(self, rest: str) -> None:
        """step [N] [decision|piece|stage]: take N steps of this size (default: one decision)."""
        self._move(rest, 1)

    def do_back(self, rest: str) -> None:
        """back [N] [decision|piece|stage]: undo N steps of this size (default: one decision)."""
        self._move(rest, -1)

    def do_next(self, rest: str) -> None:
        """next: step over the piece.  `back piece` is the opposite."""
        self._debugger.step(Granularity.PIECE)
        self._show()

    def do_out(self, rest: str) -> None:
        """out: run to the end of the piece, or outside of pieces, of the stage."""
        self._debugger.out()
        self._show()

    def do_continue(self, rest: str) -> None:
        """continue: run to the next breakpoint, or to the end."""
        self._debugger.run()
        self._show()

    def do_reverse(self, rest: str) -> None:
        """reverse: run backwards to the previous breakpoint, or to the start."""
        self._debugger.reverse()
        self._show()

    def do_until(self, rest: str) -> None:
        """until STEP: run to a step.  until byte N: run to the next token that covers byte N of the text."""
        word, _, number = rest.strip().partition(" ")
        if word == "byte":
            self._debugger.to_byte(self._number(number, "byte"))
        else:
            self._debugger.until(self._number(word, "step"))
        self._show()

    def do_restart(self, rest: str) -> None:
        """restart: go back to the start."""
        self._debugger.go_to(0)
        self._show()

    # Breakpoints

    def do_break(self, rest: str) -> None:
        """break CONDITION, break KIND VALUE [if CONDITION]: set a breakpoint; break alone lists all.

        Kinds: token ID|"TEXT"|0xE2 0x82, pattern REGEX, pair LEFT RIGHT, rank LOW..HIGH, score LOW..HIGH,
        byte N, piece N, operation NAME, difference ENCODER.  Add `hit N` to stop from the Nth hit on, `once`
        to stop once, or `log MESSAGE` to print a message, such as {result}, instead of stopping.
        """
        if not rest.strip():
            for number, row in enumerate(self._debugger.breakpoints):
                hits = counted(len(self._debugger.stops.hits[number]), "hit")
                self._write_line(f"{number}  {row.title}  {'' if row.is_enabled else '(off) '}{hits}")
                self._show_absence(number)
            return
        row = parse_breakpoint(rest)
        if row.kind == "difference" and unquoted(row.value) in self._encoders:
            self._compare(unquoted(row.value))
        self._debugger.set_breakpoints((*self._debugger.breakpoints, row))
        hits = counted(len(self._debugger.stops.hits[-1]), "hit")
        self._write_line(f"Breakpoint {len(self._debugger.breakpoints) - 1}: {row.title}, {hits}.")
        self._show_absence(-1)

    def do_delete(self, rest: str) -> None:
        """delete N: remove a breakpoint; delete alone removes all."""
        rows = list(self._debugger.breakpoints)
        if rest.strip():
            del rows[self._breakpoint_number(rest)]
        else:
            rows = []
        self._debugger.set_breakpoints(rows)

    def do_enable(self, rest: str) -> None:
        """enable N: turn a breakpoint on again."""
        self._switch(rest, True)

    def do_disable(self, rest: str) -> None:
        """disable N: turn a breakpoint off, but keep it."""
        self._switch(rest, False)

    # Inspecting

    def do_print(self, rest: str) -> None:
        """print EXPRESSION: print its value at this step, such as rank or end - position."""
        self._write_line(self._debugger.description(StepExpression(rest)))

    def do_watch(self, rest: str) -> None:
        """watch EXPRESSION: print its value after each command; watch alone removes all."""
        self._watches = [*self._watches, StepExpression(rest)] if rest.strip() else []
        self._show_watches()

    def do_list(self, rest: str) -> None:
        """list: print the tokens of the piece, and the pairs that could merge."""
        if self._debugger.trace.piece_at(self._debugger.position) < 0:
            self._write_line("This step is not inside a piece.")
            return
        self._show_tokens()
        waiting = self._debugger.waiting(limit=10)
        for entry in waiting.candidates:
            left = self._label(entry.left, entry.position, entry.right_position)
            right = self._label(entry.right, entry.right_position, entry.end)
            stale = "  stale" if entry.is_stale else ""
            self._write_line(f"  {entry.rank:>10,.0f}  {left} + {right}{stale}")

    def do_where(self, rest: str) -> None:
        """where: print the stage, the piece and the step."""
        debugger, trace = self._debugger, self._debugger.trace
        if debugger.position == debugger.n_steps:
            self._write_line("At the end.")
            return
        piece = int(trace.columns.piece[debugger.position])
        in_piece = f", piece {piece + 1:,} of {trace.n_pieces:,}" if piece >= 0 else ""
        start, end = trace.columns.position[debugger.position], trace.columns.end[debugger.position]
        self._write_line(
            f"Step {debugger.position:,} of {debugger.n_steps:,}: {trace.stage(debugger.position)}"
            f"{in_piece}, bytes {start:,}–{end:,}"
        )

    def do_columns(self, rest: str) -> None:
        """columns: list the names for conditions and expressions."""
        self._write_line(column_help())

    def do_help(self, rest: str) -> None:
        """help [COMMAND]: explain a command; help alone lists all."""
        command = getattr(self, f"do_{ALIASES.get(rest, rest)}", None)
        if command is None:
            super().do_help(rest)
        else:
            self._write_line(cleandoc(command.__doc__))

    def do_quit(self, rest: str) -> bool:
        """quit: leave the debugger."""
        return True

    # Completion

    def complete_break(self, text: str, line: str, begin: int, end: int) -> list[str]:
        if line.split()[1:2] == ["operation"]:
            return [row.name for row in OPERATIONS if row.name.startswith(text)]
        return [word for word in (*KINDS, *COLUMNS) if word.startswith(text)]

    def complete_print(self, text: str, line: str, begin: int, end: int) -> list[str]:
        return [word for word in COLUMNS if word.startswith(text)]

    complete_watch = complete_print

    def complete_step(self, text: str, line: str, begin: int, end: int) -> list[str]:
        return [size.value for size in Granularity if size.value.startswith(text)]

    complete_back = complete_step

    # Helpers

    def _move(self, rest: str, direction: int) -> None:
        count, granularity = 1, Granularity.DECISION
        for word in rest.split():
            if word in [size.value for size in Granularity]:
                granularity = Granularity(word)
            else:
                count = self._number(word, "steps")
        self._debugger.step(granularity, direction * max(1, count))
        self._show()

    def _switch(self, rest: str, is_enabled: bool) -> None:
        rows, number = list(self._debugger.breakpoints), self._breakpoint_number(rest)
        rows[number] = replace(rows[number], is_enabled=is_enabled)
        self._debugger.set_breakpoints(rows)

    def _breakpoint_number(self, text: str) -> int:
        number = self._number(text, "breakpoint")
        if number >= len(self._debugger.breakpoints):
            raise TokenloupeError(f"There is no breakpoint {number}. Type break for a list.")
        return number

    def _number(self, text: str, what: str) -> int:
        if not text.strip().isdecimal():
            raise TokenloupeError(f"“{text.strip()}” is not a whole number ({what}).")
        return int(text)

    def _show(self) -> None:
        debugger = self._debugger
        for step, message in debugger.log:
            self._write_line(f"{step:,}: {message}")
        if debugger.stopped_at is not None:
            self._write_line(f"Stopped at: {debugger.stopped_at.title}")
        self._show_tokens()
        at = f"{debugger.position:,}/{debugger.n_steps:,}"
        self._write_line(f"{at}  {debugger.sentence()}")
        self._show_watches()

    def _show_absence(self, number: int) -> None:
        """Print why a breakpoint cannot be hit here, if it cannot."""
        row = self._debugger.breakpoints[number]
        if description := absence(row, self._debugger.values, self._encoders):
            self._write_line(f"*** {row.title}: {description}")

    def _show_watches(self) -> None:
        for expression in self._watches:
            self._write_line(f"  {expression.text} = {self._debugger.description(expression)}")

    def _show_tokens(self) -> None:
        """Print the current tokens of the piece; brackets mark those that the next step merges."""
        debugger, trace = self._debugger, self._debugger.trace
        piece = trace.piece_at(debugger.position)
        if piece < 0:
            return
        tokens = debugger.states.piece_tokens(debugger.position, piece)
        labels = [self._label(*token) for token in tokens.rows()]
        if not labels:
            return
        at = 0
        if trace.operation(debugger.position) == "merge":
            at = tokens.starts.tolist().index(trace.columns.position[debugger.position])
            labels[at : at + 2] = [f"[{labels[at]}·+·{labels[at + 1]}]".replace("·+·", " + ")]
        first, last = max(0, at - WINDOW_TOKENS), at + WINDOW_TOKENS
        before, after = "… " if first else "", " …" if last < len(labels) else ""
        self._write_line(f"  {before}{' | '.join(labels[first:last])}{after}")

    def _label(self, token_id: int, start: int, end: int) -> str:
        return self._debugger.describer.label(token_id, start, end)

    def _write_line(self, line: str) -> None:
        self.stdout.write(f"{line}\n")


@contextmanager
def remembered_commands() -> Iterator[None]:
    """Save the history of commands for the next session, if the terminal has one."""
    try:
        import readline
    except ImportError:  # as on Windows
        yield
        return
    import platformdirs

    path = Path(platformdirs.user_state_dir("tokenloupe", False)) / "step_history"
    with suppress(OSError):  # the history is optional
        readline.read_history_file(path)
    readline.set_history_length(HISTORY_LINES)
    try:
        yield
    finally:
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            readline.write_history_file(path)
