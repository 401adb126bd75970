"""What commands read and write: model files, texts, results."""

from __future__ import annotations

import argparse
import codecs
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from io import BufferedReader, BytesIO, UnsupportedOperation
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from guiapp.core.open_model import open_model
from guiapp.core.sources.files import (
    MOST_BYTES,
    blocks_from,
    check_input,
    open_input,
    read_bounded,
    replace_file,
)
from guiapp.core.text.utf16 import LITTLE, MARK, utf8_from, utf16_codec
from guiapp.errors import TokenloupeError

if TYPE_CHECKING:
    from guiapp.core.encode.tokenizer import Tokenizer

MOST_PX = 16_000  # of a side, as for saved trees: Qt paints little more
FOUND = 3  # exit status of a command that has found something
MODEL_HELP = (
    "a model file or its folder, a name from `tokenloupe models`, hf:OWNER/NAME, a URL, or a demo model: "
    "demo:bpe, demo:spm, demo:wordpiece, demo:unigram, demo:rwkv, demo:toy"
)
COMPRESSED = {b"\x1f\x8b\x08": "gzip", b"\xfd7zXZ": "xz", b"\x28\xb5\x2f\xfd": "zstd", b"PK\3\4": "ZIP"}
PROGRESS_WIDTH = 40  # characters
LONG_BYTES = 1 << 24  # from this file size on, reading may take seconds
OPEN_FILES = ("/dev", "/dev/fd", "/proc/self/fd")  # these may lead to a regular file, such as /dev/stdout


class InputError(TokenloupeError):
    """A file or an argument that cannot be read; the message explains why."""


class OneFile(argparse.Action):
    """An option that names a file. A second one is an error, instead of silently replacing the first."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        options: argparse.Namespace,
        value: object,
        option: str | None = None,
    ) -> None:
        if getattr(options, self.dest) is not None:
            parser.error(f"argument {option}: takes one file, not {getattr(options, self.dest)} and {value}")
        setattr(options, self.dest, value)


def file_name(text: str) -> str:
    """Parse the name of a file; an empty name would mean the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("the name of the file is empty")
    return text


def file_path(text: str) -> Path:
    """Parse the name of a file as a Path."""
    return Path(file_name(text))


def refuse_with(options: argparse.Namespace, option: str, **others: str) -> None:
    """Refuse options that `option` would ignore; the values of `others` are their names in the message."""
    for name, written in others.items():
        if getattr(options, name):
            options.refuse(f"argument {option}: not allowed with argument {written}")


class OutputPath(type(Path())):  # type: ignore[misc]  # until Python 3.12, Path itself has no subclasses
    """A file to write. `check_outputs` finds the options of this type."""


def output_path(text: str) -> OutputPath:
    """Parse the name of a file to write; see `add_force_option`."""
    return OutputPath(file_name(text))


def add_force_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--force", action="store_true", help="overwrite files that exist")


def check_outputs(options: argparse.Namespace) -> None:
    """Raise InputError before the work if a result could not be written, or would overwrite a file."""
    paths = [path for path in vars(options).values() if isinstance(path, OutputPath) and not _is_device(path)]
    for path in filter(Path.is_file, paths):
        for file in _input_files(vars(options).values()):
            with suppress(OSError):
                if os.path.samefile(path, file):
                    name = file or "standard input"
                    raise InputError(f"{path} is an input of this command: {name}. Name another file.")
    for path in paths:
        if str(path) == "-" or str(path.parent) in OPEN_FILES:
            continue
        if path.is_dir():
            raise InputError(f"{path} is a folder. Name a file.")
        if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
            raise InputError(f"{path} cannot be written. Name a file in a folder that you can write to.")
        if path.exists() and not options.force:
            raise InputError(f"{path} exists. Add --force to overwrite it, or name another file.")
    if len({path.resolve() for path in paths}) < len(paths):
        raise InputError(f"Two results cannot both be written to {paths[0]}. Name a file for each.")


def _input_files(values: Iterable[object]) -> Iterator[Path | int]:
    """The files that the arguments of a command make it read; standard input is file 0.

    Of a folder with a tokenizer, its files; of other folders, all files.
    """
    from guiapp.core.formats.tokenizer_config import sidecar_paths
    from guiapp.core.sources.tokenizer_files import files_in, is_tokenizer_name, preferred

    yield 0
    for value in values:
        if isinstance(value, (tuple, list)):
            yield from _input_files(value)
        elif isinstance(value, (str, Path)) and not isinstance(value, OutputPath) and os.path.exists(value):
            path = Path(value)
            name = preferred(os.listdir(path)) if path.is_dir() else path.name
            if name is None:
                yield from (file for _, file in files_in(path, lambda name: True))
                continue
            yield (path := path / name if path.is_dir() else path)
            yield from sidecar_paths(path) if is_tokenizer_name(name) else ()


def _is_device(path: Path) -> bool:
    """Whether a file is written to in place: a pipe or a device."""
    return path.exists() and not path.is_file() and not path.is_dir()


def positive_number(text: str) -> float:
    """Parse an amount."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"“{text}” is not a number above 0")
    return number


def positive_count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"“{text}” is not a whole number above 0")
    return int(text)


def seed_number(text: str) -> int:
    """Parse the seed of a random number generator."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"“{text}” is not a whole number, 0 or more")
    return int(text)


def add_file_option(parser: argparse._ActionsContainer, about: str) -> None:
    """Add -f FILE to a parser or a group of its options."""
    parser.add_argument("-f", "--file", metavar="FILE", action=OneFile, type=file_name, help=about)


def add_text_source(parser: argparse.ArgumentParser) -> None:
    """Add TEXT and -f FILE; see `text_of`."""
    source = parser.add_mutually_exclusive_group()
    source.add_argument("text", metavar="TEXT", nargs="?", help="text (default: FILE or standard input)")
    add_file_option(source, "read the text from a file, byte for byte")
    parser.add_argument("--utf16", action="store_true", help="convert the text that is read from UTF-16")


def add_pre_option(parser: argparse.ArgumentParser) -> None:
    from guiapp.core.formats.table import READINGS

    group = parser.add_mutually_exclusive_group()
    about = "override the file's pre-tokenizer, for example with llama-bpe (BPE only)"
    group.add_argument("--pre", metavar="NAME", help=about)
    about = f"read the file as a library does: {', '.join(READINGS)} (default: the file's own library)"
    group.add_argument("--as", dest="pre", metavar="NAME", choices=list(READINGS), help=about)


def add_model_option(parser: argparse.ArgumentParser) -> None:
    """Add the model of a command, and the option for its pre-tokenizer."""
    parser.add_argument("model", metavar="MODEL", help=MODEL_HELP)
    add_pre_option(parser)


def add_exit_code(parser: argparse.ArgumentParser, when: str) -> None:
    help_ = f"exit with status {FOUND} if {when}"
    parser.add_argument("--exit-code", action="store_true", help=help_)


def add_form_options(parser: argparse.ArgumentParser, **forms: str) -> None:
    """Add options for the form of the output, at most one at a time, as `form`; each with its help."""
    group = parser.add_mutually_exclusive_group()
    for form, about in forms.items():
        group.add_argument(f"--{form}", dest="form", action="store_const", const=form, help=about)


def add_special_options(parser: argparse.ArgumentParser) -> None:
    about = "do not add BOS, EOS or other special tokens"
    parser.add_argument("--no-special", dest="special", action="store_false", help=about)
    add_parse_special_option(parser)


def add_parse_special_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--no-parse-special",
        dest="parse_special",
        action="store_false",
        help="encode the text of control tokens as ordinary text",
    )


def add_spelling_option(parser: argparse.ArgumentParser) -> None:
    """Add the option for how tokens are written; see `Spelling`."""
    parser.add_argument(
        "--spelling",
        choices=("signs", "file"),
        default="signs",
        help="write tokens with signs (·the ↵ <E2>) or as in the model's file (Ġthe, ▁the, <0x0A>)",
    )


def open_tokenizer(model: str, pre: str | None = None) -> Tokenizer:
    """Open the tokenizer of a model file; warn on standard error if `pre` differs from the file's own."""
    tokenizer = open_model(model, pre)
    if tokenizer.vocabulary.chosen_pre:
        print(f"tokenloupe: {tokenizer.exactness.reason}", file=sys.stderr)
    return tokenizer


def add_encode_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for what to encode, and how."""
    add_model_option(parser)
    add_text_source(parser)
    parser.add_argument("--encoder", metavar="NAME", help="an encoder that `tokenloupe info` lists")
    add_special_options(parser)


def text_of(options: argparse.Namespace) -> bytes:
    """The argument TEXT, or else the contents of the file or of standard input."""
    if options.text is not None:
        return _argument(options)
    return file_text(options.file, options.utf16)


def file_text(file: str | None, is_utf16: bool) -> bytes:
    """The text in a file, or on standard input if `file` is None."""
    text = read(file)
    codec = _codec(file, is_utf16, text)
    return text if codec is None else utf8_from(text, codec)


def blocks_of(options: argparse.Namespace) -> Iterator[bytes]:
    """The same in blocks, read on demand: the input may be endless."""
    if options.text is not None:
        yield from blocks_from(BytesIO(_argument(options)).read)
        return
    yield from text_blocks(options.file, options.utf16)


def shown_blocks(options: argparse.Namespace) -> Iterator[bytes]:
    """`blocks_of`, with a progress line for a long file if nothing else is printed on the screen."""
    is_file = options.text is None and options.file not in (None, "-") and os.path.isfile(options.file)
    n_bytes, n_read = os.path.getsize(options.file) if is_file else 0, 0
    for block in blocks_of(options):
        if n_bytes >= LONG_BYTES:
            show_progress(f"{min(n_read / n_bytes, 1):.0%}")
        yield block
        n_read += len(block)
    if n_bytes >= LONG_BYTES:
        show_progress("")


def text_blocks(file: str | None, is_utf16: bool) -> Iterator[bytes]:
    """`file_text` in blocks."""
    with _opened(file) as stream:
        blocks = blocks_from(stream.read)
        first = next(blocks, b"")
        codec = _codec(file, is_utf16, first)
        if codec is None:
            yield from chain((first,), blocks)
            return
        decoder = codecs.getincrementaldecoder(codec)("replace")
        texts = (decoder.decode(block, final=not block) for block in chain((first,), blocks, (b"",)))
        yield next(texts).removeprefix(MARK).encode()
        yield from (text.encode() for text in texts)


def file_blocks(file: str | None) -> Iterator[bytes]:
    """The bytes of a file, or of standard input, in blocks."""
    with _opened(file) as stream:
        yield from blocks_from(stream.read)


def _argument(options: argparse.Namespace) -> bytes:
    if options.utf16:
        raise InputError("--utf16 applies to -f and standard input, not to TEXT. Omit it.")
    return os.fsencode(options.text)


def _codec(file: str | None, is_utf16: bool, text: bytes) -> str | None:
    """The encoding to convert the input from; warns if the input is UTF-16 without --utf16."""
    codec = utf16_codec(text)
    if is_utf16:
        return codec or LITTLE
    if codec is not None:
        print(
            f"tokenloupe: {_name(file)} is UTF-16, and its bytes are read as they are. Convert with --utf16.",
            file=sys.stderr,
        )
    for beginning, kind in COMPRESSED.items():
        if text.startswith(beginning):
            what = f"is compressed ({kind}), and its bytes are read as they are. Decompress it first."
            print(f"tokenloupe: {_name(file)} {what}", file=sys.stderr)
    return None


def read(file: str | None) -> bytes:
    """The bytes of a file, or of standard input if `file` is None."""
    with _opened(file) as stream:
        from guiapp.core.encode.encoding import LONGEST_TEXT

        return read_bounded(stream, LONGEST_TEXT if stream.seekable() else MOST_BYTES)


def _name(file: str | None) -> str:
    """The name of the input in messages."""
    return "Standard input" if file is None or file == "-" else file


@contextmanager
def _opened(file: str | None) -> Iterator[BinaryIO]:
    """A file to read, or standard input."""
    name = _name(file)
    if name != file and sys.stdin.isatty():
        print("tokenloupe: Type the input. End it with Ctrl+D on an empty line.", file=sys.stderr)
    try:
        if name == file:
            opened: AbstractContextManager[BinaryIO] = BufferedReader(open_input(file, takes_pipes=True))
        else:
            with suppress(UnsupportedOperation):  # not a file, if a program has replaced it
                check_input(sys.stdin.fileno(), takes_pipes=True)
            opened = nullcontext(sys.stdin.buffer)
        with opened as stream:
            yield stream
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror}.") from error


def show_progress(line: str) -> None:
    """Show a progress line in place of the last one, on a terminal only; "" clears it."""
    if sys.stderr.isatty():
        print(f"\r{line:{PROGRESS_WIDTH}}\r", end="", file=sys.stderr, flush=True)


def let_terminal_replace() -> None:
    """Print a replacement for characters that the terminal's encoding lacks: it may be ASCII only."""
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]


def print_lines(lines: Iterable[str]) -> None:
    """Print lines for readers."""
    let_terminal_replace()
    sys.stdout.writelines(f"{line}\n" for line in lines)


def print_parts(parts: Iterable[str]) -> None:
    """Print the contents of a file, whatever the terminal's encoding."""
    sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")  # type: ignore[union-attr]
    sys.stdout.writelines(parts)


def print_bytes(parts: Iterable[bytes]) -> None:
    """Print a line in parts, each as soon as it is ready."""
    for part in chain(parts, (b"\n",)):
        sys.stdout.buffer.write(part)
        sys.stdout.buffer.flush()


def print_json(record: object, indent: int | None = None) -> None:
    """Print a record in UTF-8, the encoding of JSON, whatever the terminal's encoding."""
    from guiapp.analysis.export.tables import json_text

    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    print(json_text(record, indent))


def print_json_parts(record: object) -> None:
    """Print a record that is never in memory as a whole; see `json_parts`."""
    from guiapp.analysis.export.tables import json_parts

    print_parts(chain(json_parts(record), "\n"))


def write(file: str, data: bytes) -> None:
    """Write a file; `-` is standard output."""
    if file == "-":
        sys.stdout.buffer.write(data)
        return
    try:
        replace_file(Path(file), data)
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}.") from error


# Shared by commands that make pictures


def need_no_display() -> None:
    """Let Qt paint without a display, or raise an error that names what is missing."""
    from guiapp.window import qt_libraries

    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    if (problem := qt_libraries.problem()) is not None:
        raise TokenloupeError(problem)


def picture_size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{2,5})x(\d{2,5})", text)
    if not match:
        raise argparse.ArgumentTypeError(f"“{text}” is not WIDTHxHEIGHT in pixels, such as 1440x900")
    width, height = int(match[1]), int(match[2])
    if max(width, height) > MOST_PX:
        raise argparse.ArgumentTypeError(f"“{text}” is larger than {MOST_PX:,} pixels a side")
    return width, height
