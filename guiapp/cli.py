"""The command line: one function per subcommand, each a few lines over the core.

Results go to standard output, everything else to standard error.  Exit status: 0 done, 1 the input was
at fault (one line says what and what to do), 2 usage.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from guiapp import __version__, open_model
from guiapp.core.demo import resolve_model
from guiapp.core.errors import EncodeError, TokenloupeError
from guiapp.core.kernels.compile import interpret_if_small
from guiapp.core.reports import ids_report, info_report, token_lines
from guiapp.core.tokenizer import Tokenizer

Command = Callable[[argparse.Namespace], int]


class InputError(TokenloupeError):
    """A file or an argument that cannot be read; the message says why."""


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status."""
    try:
        options = _parse(arguments)
        status = options.command(options)
        sys.stdout.flush()
        return int(status)
    except TokenloupeError as error:
        print(f"tokenloupe: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def info(options: argparse.Namespace) -> int:
    """What the file says about its tokenizer."""
    tokenizer = _open(options.model)
    report = info_report(tokenizer)
    if options.json:
        print(json.dumps(report, indent=2, ensure_ascii=False))
    else:
        width = max(map(len, report))
        for key, value in report.items():
            for line in _lines_of(value):
                print(f"{key:{width}}  {line}")
                key = ""
    return 0


def tokenize(options: argparse.Namespace) -> int:
    """The token ids of a text."""
    text = _text_of(options)
    tokenizer = _open(options.model, len(text))
    encoding = tokenizer.encode(text, options.special, options.parse_special, options.encoder)
    if options.format == "ids":
        print(*encoding.token_ids.tolist())
    elif options.format == "json":
        print(json.dumps(ids_report(tokenizer, encoding), ensure_ascii=False))
    else:
        sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # a terminal may be ASCII only
        for line in token_lines(tokenizer, encoding, options.format):
            print(line)
    return 0


def detokenize(options: argparse.Namespace) -> int:
    """The text of token ids."""
    listed = " ".join(options.ids) if options.ids else _read(options.file).decode("ascii", "replace")
    ids = _parse_ids(listed)
    tokenizer = _open(options.model, len(listed))
    text = tokenizer.decode_bytes(ids, options.remove_special, options.unparse_special)
    sys.stdout.buffer.write(text)
    if sys.stdout.isatty():
        print()
    return 0


def screenshot(options: argparse.Namespace) -> int:
    """A picture of a page, made without a display."""
    from guiapp.app import save_screenshot

    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    text = None if options.text is None else os.fsencode(options.text)
    save_screenshot(options.page, options.model, text, options.theme, options.size, Path(options.output))
    return 0


def bench(options: argparse.Namespace) -> int:
    """Measure the window's own latencies: start-up, opening a model, typing, scrolling."""
    from guiapp.latencies.measurement import report, table_lines
    from guiapp.latencies.run import measure_all

    measurements = measure_all(options.model)
    print(*table_lines(measurements), sep="\n")
    if options.json is not None:
        _write(options.json, json.dumps(report(measurements), indent=2).encode() + b"\n")
    return 0


def window(options: argparse.Namespace) -> int:
    """The window."""
    from guiapp.app import run_window

    return run_window(options.model, None if options.textfile is None else Path(options.textfile))


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    if arguments and arguments[0] not in COMMANDS and arguments[0] not in ("-h", "--help", "--version"):
        return _window_parser().parse_args(arguments)
    if not arguments:
        return _window_parser().parse_args([])
    return _command_parser().parse_args(arguments)


def _window_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tokenloupe", description="Open the window.")
    parser.add_argument("model", nargs="?", metavar="MODEL", help="a .gguf file, or demo:bpe and the like")
    parser.add_argument("textfile", nargs="?", metavar="TEXTFILE", help="a text to open")
    parser.set_defaults(command=window)
    return parser


def _command_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tokenloupe",
        usage="tokenloupe [MODEL] [TEXTFILE]\n       tokenloupe COMMAND …",
        description="See exactly what a model sees: the tokens of any text, for any model file. "
        "Without a command the window opens. MODEL is a .gguf file or a demo model: demo:bpe, demo:spm, "
        "demo:wordpiece, demo:unigram, demo:rwkv, demo:toy.",
    )
    parser.add_argument("--version", action="version", version=f"tokenloupe {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, prog="tokenloupe")
    for name, (function, add_options) in COMMANDS.items():
        command = commands.add_parser(name, help=function.__doc__, description=function.__doc__)
        add_options(command)
        command.set_defaults(command=function)
    return parser


def _add_info_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("--json", action="store_true", help="print a JSON object")


def _add_tokenize_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("text", metavar="TEXT", nargs="?", help="otherwise FILE or standard input is read")
    parser.add_argument("-f", "--file", metavar="FILE", help="read the text from a file, byte for byte")
    parser.add_argument("--encoder", metavar="NAME", help="an algorithm that `info` lists")
    parser.add_argument(
        "--no-special", dest="special", action="store_false", help="add no BOS, EOS and the like"
    )
    parser.add_argument(
        "--no-parse-special",
        dest="parse_special",
        action="store_false",
        help="treat the text of control tokens as ordinary text",
    )
    parser.add_argument("--format", choices=("ids", "json", "table", "color"), default="ids")


def _add_detokenize_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("ids", metavar="ID", nargs="*", help="otherwise FILE or standard input is read")
    parser.add_argument("-f", "--file", metavar="FILE", help="read the ids from a file")
    parser.add_argument("--remove-special", action="store_true", help="drop BOS in front and EOS at the end")
    parser.add_argument(
        "--no-unparse-special",
        dest="unparse_special",
        action="store_false",
        help="leave control tokens out instead of writing their text",
    )


def _add_screenshot_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--page", choices=("inspect",), default="inspect")
    parser.add_argument("--model", metavar="MODEL", default="demo:bpe")
    parser.add_argument("--text", metavar="TEXT", help="the sample text by default")
    parser.add_argument("--theme", choices=("dark", "light"), default="dark")
    parser.add_argument("--size", metavar="WxH", type=_size, default=(1440, 900))
    parser.add_argument("-o", "--output", metavar="FILE.png", required=True)


def _add_bench_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("ui",), help="ui: the latencies of the window")
    parser.add_argument("--model", metavar="MODEL", default="demo:bpe")
    parser.add_argument("--json", metavar="FILE", help="write the figures as a JSON object")


COMMANDS: dict[str, tuple[Command, Callable[[argparse.ArgumentParser], None]]] = {
    "info": (info, _add_info_options),
    "tokenize": (tokenize, _add_tokenize_options),
    "detokenize": (detokenize, _add_detokenize_options),
    "bench": (bench, _add_bench_options),
    "screenshot": (screenshot, _add_screenshot_options),
}


def _open(model: str, text_bytes: int = 0) -> Tokenizer:
    path = resolve_model(model)
    if path.is_file():
        interpret_if_small(path.stat().st_size, text_bytes)
    return open_model(path)


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{2,5})x(\d{2,5})", text)
    if not match:
        raise argparse.ArgumentTypeError(f"“{text}” is not WIDTHxHEIGHT in pixels, such as 1440x900")
    return int(match[1]), int(match[2])


def _text_of(options: argparse.Namespace) -> bytes:
    return os.fsencode(options.text) if options.text is not None else _read(options.file)


def _read(file: str | None) -> bytes:
    """The bytes of a file, of standard input where there is none."""
    if file is None or file == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from error


def _write(file: str, data: bytes) -> None:
    if file == "-":
        sys.stdout.buffer.write(data)
        return
    try:
        Path(file).write_bytes(data)
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}.") from error


def _parse_ids(text: str) -> list[int]:
    """Ids separated by spaces, commas, brackets or newlines."""
    words = [word for word in re.split(r"[\s,;\[\](){}]+", text) if word]
    for word in words:
        if not re.fullmatch(r"[+-]?\d{1,18}", word):
            raise EncodeError(f"“{word}” is not a token id. Ids are whole numbers, separated by spaces.")
    return [int(word) for word in words]


def _lines_of(value: object) -> list[str]:
    if isinstance(value, dict):
        return [f"{key}: {item}" for key, item in value.items()] or ["none"]
    if isinstance(value, list):
        return [str(item) for item in value] or ["none"]
    return [str(value)]
