"""The command line: the window, or one of the subcommands in `guiapp.cli`.

Results go to standard output, everything else to standard error.  Exit status: 0 done, 1 the input was
at fault (one line says what and what to do), 2 usage, 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from textwrap import fill
from types import ModuleType
from typing import NoReturn

from guiapp import __version__
from guiapp.analysis.sessions.name import is_session
from guiapp.cli.files import MODEL_HELP, InputError, check_outputs, file_path
from guiapp.core.interrupts import INTERRUPTED
from guiapp.core.sources.locate import is_plain, plain_path
from guiapp.core.text.numbers_in_words import printable
from guiapp.errors import TokenloupeError, UnknownPreError

COMMANDS = (
    "info",
    "models",
    "tokenize",
    "detokenize",
    "step",
    "why",
    "count",
    "chunk",
    "compare",
    "chat",
    "data",
    "special",
    "doctor",
    "bench",
    "bench field",
    "hunt",
    "tree",
    "vocab",
    "lesson",
    "train",
    "screenshot",
    "help",
)


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status."""
    _open_closed_streams()
    try:
        options = _parse(arguments)
        check_outputs(options)
        status = options.command(options)
        sys.stdout.flush()
        return int(status)
    except TokenloupeError as error:
        how = (
            " Choose one with --pre NAME." if isinstance(error, UnknownPreError) and "pre" in options else ""
        )
        print(f"tokenloupe: {printable(str(error))}{how}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader, such as `head`, has closed the pipe
        _drop_output()
        return 0
    except OSError as error:
        if error.errno is None:  # not from the system, such as our own TimeoutError
            raise
        _drop_output()
        what = error.filename or "The output cannot be written"  # only the standard streams have no name
        print(f"tokenloupe: {printable(str(what))}: {error.strerror}.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED


def _open_closed_streams() -> None:
    """Replace missing standard streams by empty ones: Python sets them to None."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115  (for as long as we run)


def _drop_output() -> None:
    """Let Python exit without another attempt to write."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def window(options: argparse.Namespace) -> int:
    """The window."""
    if options.model is not None and is_plain(options.model) and _is_missing(plain_path(options.model)):
        raise InputError(
            _like_a_command(options.model)
            or f"“{options.model}” is neither a model file nor a command. Run `tokenloupe --help` for a list."
        )
    if options.textfile is not None and is_session(Path(options.model or "")):
        raise InputError(f"The session {options.model} contains its own text. Omit {options.textfile}.")
    if options.textfile is not None and _is_missing(options.textfile):
        raise InputError(f"The text {options.textfile} does not exist. Name a file that does.")
    from guiapp.window import qt_libraries

    if (problem := qt_libraries.problem()) is not None:
        raise TokenloupeError(problem)
    from guiapp.window.app import run_window

    run_window(options.model, options.textfile)


def _is_missing(path: Path) -> bool:
    """Whether the file does not exist; other problems are left to the window to report."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    if arguments and arguments[0] not in COMMANDS and arguments[0] not in ("-h", "--help", "--version"):
        options, unknown = _window_parser().parse_known_args(arguments)
        if unknown:
            near = _like_a_command(arguments[0])
            options.refuse(near or f"unrecognized arguments: {' '.join(unknown)}")
        return options
    if not arguments:
        return _window_parser().parse_args([])
    if (two_words := " ".join(arguments[:2])) in COMMANDS:
        arguments = [two_words, *arguments[2:]]
    names = [name for name in COMMANDS if name == arguments[0]]
    options, unknown = _command_parser(names or COMMANDS).parse_known_args(arguments)
    if unknown:
        near = options.near_option(unknown[0])
        if near:
            options.refuse(f"unrecognized arguments: {' '.join(unknown)}. Did you mean {near}?")
        has_words = any(not word.startswith("-") for word in unknown)
        hint = (
            ". Put the text in quotes, or -f before the name of a file"
            if has_words and "file" in options
            else ""
        )
        if unknown[0].startswith("-") and {"text", "filters", "prefix"} & vars(options).keys():
            hint = f". If {unknown[0]} is no option, write -- before it"
        options.refuse(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    return options


def _window_parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="tokenloupe", description="Open the window.")
    parser.add_argument("model", nargs="?", metavar="MODEL", help=f"{MODEL_HELP}; or a session file")
    parser.add_argument("textfile", nargs="?", metavar="TEXTFILE", type=file_path, help="the text to open")
    parser.set_defaults(command=window, refuse=parser.error)
    return parser


def _like_a_command(word: str) -> str:
    """A sentence about a word that is nearly a command, or ""."""
    from difflib import get_close_matches

    near = get_close_matches(word, COMMANDS, 1, 0.75)
    return f"“{word}” is not a command. Did you mean `{near[0]}`?" if near else ""


class _Parser(argparse.ArgumentParser):
    """A parser whose errors repeat the input."""

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


class _CommandParser(_Parser):
    """A parser that takes options before, between and after the arguments of a command."""

    def near_option(self, word: str) -> str:
        """The option that the user may have meant, or ""."""
        from difflib import get_close_matches

        options = [option for option in self._option_string_actions if option.startswith("--")]
        near = get_close_matches(word.partition("=")[0], options, 1, 0.6) if word.startswith("--") else []
        return near[0] if near else ""

    def _match_arguments_partial(
        self, actions: Sequence[argparse.Action], arg_strings_pattern: str
    ) -> list[int]:
        """How many of the next words each argument takes; an optional argument waits for the last option.

        The argparse of Python 3.11 takes it as omitted when an option comes first
        (https://github.com/python/cpython/issues/59317). Remove this when we require a newer Python.
        """
        counts = super()._match_arguments_partial(actions, arg_strings_pattern)
        while "O" in arg_strings_pattern and counts and counts[-1] == 0:
            counts.pop()
        return counts


def _command_parser(names: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of these commands only: importing all takes longer than running a short one."""
    parser = _Parser(
        prog="tokenloupe",
        usage="tokenloupe [MODEL] [TEXTFILE]\n       tokenloupe COMMAND …",
        description="See exactly what a model sees: the tokens of any text, for any model file. "
        f"Without a command, the window opens. MODEL is {MODEL_HELP}.",
        epilog="`tokenloupe COMMAND --help` explains a command. `tokenloupe help` opens the manual.",
    )
    parser.add_argument("--version", action="version", version=f"tokenloupe {__version__}")
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, prog="tokenloupe", parser_class=_CommandParser
    )
    for name in names:
        source = import_module(f"guiapp.cli.{name.replace(' ', '_')}")
        command = commands.add_parser(
            name, help=source.run.__doc__, description=fill(source.run.__doc__ or "", 78)
        )
        command.formatter_class = argparse.RawDescriptionHelpFormatter
        source.add_options(command)
        command.epilog = _epilog(source, command.epilog)
        command.set_defaults(command=source.run, refuse=command.error, near_option=command.near_option)
    return parser


def _epilog(source: ModuleType, notes: str | None) -> str:
    """The text after the options of a command: its notes, EXAMPLES, and the meaning of its STATUSES."""
    parts = [notes, "\n  ".join(["examples:", *source.EXAMPLES])]
    if statuses := getattr(source, "STATUSES", None):
        meanings = {0: "success", 1: "invalid input", 2: "wrong usage"} | statuses
        rows = (f"{status:<3} {meaning}" for status, meaning in sorted(meanings.items()))
        parts.append("\n  ".join(["exit status:", *rows]))
    return "\n\n".join(filter(None, parts))
