"""Write token ids as text for other programs, and parse them from text in any usual form."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.text.outside_json import read_json
from guiapp.core.text.utf16 import as_utf8
from guiapp.errors import TokenloupeError
from guiapp.native.checkpoint import stoppable

if TYPE_CHECKING:
    from guiapp.core.encode.tokenizer import Tokenizer

LONGEST_WORD_BYTES = 200
BANNED = -100  # the least bias in OpenAI's interface; llama.cpp uses false
PER_LINE = 16
GLANCE = 4096  # characters
NO_IDS = np.empty(0, np.int32)
LONGEST_LIST = 1 << 31  # bytes of a list that is read as a whole
LONGEST_WORD = 24  # that is shown whole in an error
BEFORE_LIST = re.compile(
    r"\s*(?:[A-Za-z_][\w\s.:*<>]*(?:\[\w*\]\s*)?=\s*)?"  # `name =`, `type name[n] =`
    r"(?:[A-Za-z_][\w.]*\s*(?=\())?"  # `array(`
)
PART = re.compile(
    r"""[\s,;|/\[\](){}"'`]+"""  # separators of numbers
    r"|(?:dtype|device)\s*=\s*[\w.]+"  # the end of a printed array
    r"""|([^\s,;|/\[\](){}"'`]+)"""
)
RECORD = re.compile(r'\s*\{\s*"')  # unlike a list in C
LISTS_OF_RECORD = re.compile(r'"token_ids"\s*:\s*\[([^\[\]]*)\]')
DIGITS, BETWEEN = b"0123456789", b" \t\n\r,;|[]()"
TO_SPACES = bytes.maketrans(BETWEEN, b" " * len(BETWEEN))
NUMBER = re.compile(r"[+-]?[0-9]+|0[xX][0-9a-fA-F]+")


class ListedId(NamedTuple):
    """An id, written at text[start:end]."""

    token_id: int
    start: int
    end: int


class IdsError(TokenloupeError):
    """A text is not a list of token ids; text[start:end] is the invalid part."""

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.start = start
        self.end = end


def as_plain(token_ids: NDArray[np.int32]) -> str:
    """`1 2 3`"""
    return _joined(token_ids, " ")


def as_json(token_ids: NDArray[np.int32]) -> str:
    """`[1, 2, 3]`"""
    return f"[{_joined(token_ids, ', ')}]"


def _joined(token_ids: NDArray[np.int32], separator: str) -> str:
    from guiapp.analysis.explain.reports import ids_text  # imported late for a fast start

    return b"".join(ids_text(separator)(token_ids)).decode()


def as_python(token_ids: NDArray[np.int32]) -> str:
    """`token_ids = [1, 2, 3]`, broken into lines if it is long."""
    return f"token_ids = [{_lines(token_ids, trailing_comma=True)}]"


def as_c(token_ids: NDArray[np.int32]) -> str:
    """`const int32_t tokens[3] = {1, 2, 3};`, broken into lines if it is long."""
    return f"const int32_t tokens[{len(token_ids)}] = {{{_lines(token_ids, trailing_comma=False)}}};"


FORMATS: dict[str, Callable[[NDArray[np.int32]], str]] = {
    "plain": as_plain,
    "JSON": as_json,
    "Python": as_python,
    "C": as_c,
}


def parse_ids(text: str, n_tokens: int) -> NDArray[np.int32]:
    """The ids in `text`: numbers, decimal or 0x…, with any usual separators, brackets or assignment.

    Also accepts the record of `tokenize --format json`.  Raises IdsError at the first part that is invalid
    or not below `n_tokens`.
    """
    return np.fromiter((listed.token_id for listed in listed_ids(text, n_tokens)), np.int32)


def parse_id_blocks(blocks: Iterable[bytes], n_tokens: int) -> Iterator[NDArray[np.int32]]:
    """`parse_ids` for a file in blocks: decimal numbers block by block, the rest of any other form at once.

    Converts UTF-16, which some shells write into files.  Raises IdsError also for invalid UTF-8.
    """
    rest, n_before, n_ids, is_plain = bytearray(), 0, 0, True
    for block in blocks:
        rest += block
        end = len(rest.rstrip(DIGITS)) if is_plain else 0
        is_plain = is_plain and not rest.translate(None, DIGITS + BETWEEN) and len(rest) - end < LONGEST_WORD
        if is_plain:
            ids = np.fromstring(bytes(rest[:end].translate(TO_SPACES)) + b"0", np.int64, sep=" ")[:-1]
            if is_plain := n_ids + len(ids) > 0 and ids.max(initial=0) < n_tokens:
                yield ids.astype(np.int32)
                n_before, n_ids = n_before + end, n_ids + len(ids)
                del rest[:end]
        elif len(rest) > LONGEST_LIST:
            raise IdsError(f"The list of ids has more than {LONGEST_LIST:,} bytes.", n_before, n_before + 1)
    data = bytes(rest)
    try:
        text = as_utf8(data).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        at = n_before + error.start
        raise IdsError(
            f"The list of ids is not UTF-8: byte {at + 1:,} is 0x{data[error.start]:02X}. "
            "Write ids as text, as `tokenloupe tokenize` prints them.",
            at,
            at + 1,
        ) from None
    listed = (
        _numbers(text, n_tokens, 0, len(text), n_before, n_ids) if n_before else listed_ids(text, n_tokens)
    )
    yield np.fromiter((each.token_id for each in listed), np.int32)


def listed_ids(text: str, n_tokens: int) -> Iterator[ListedId]:
    """Yield the ids one by one with their positions.  Raises IdsError after yielding the valid ones."""
    first, last = _list_of_record(text) if RECORD.match(text) else (0, len(text))
    return _numbers(text, n_tokens, first, last)


def _lines(token_ids: NDArray[np.int32], trailing_comma: bool) -> str:
    numbers = list(map(str, token_ids.tolist()))
    if len(numbers) <= PER_LINE:
        return ", ".join(numbers)
    rows = (numbers[at : at + PER_LINE] for at in range(0, len(numbers), PER_LINE))
    body = ",\n    ".join(", ".join(row) for row in rows)
    return f"\n    {body}{',' if trailing_comma else ''}\n"


def holds_numbers(text: str) -> bool:
    """Whether a text begins like a list of numbers, in any form that `parse_ids` takes."""
    glance = text[:GLANCE]
    if RECORD.match(glance):
        return '"token_ids"' in glance
    try:
        return len(list(_numbers(glance, sys.maxsize, 0, GLANCE))) > 0
    except IdsError:
        return False


def _list_of_record(text: str) -> tuple[int, int]:
    """The position of the only list of ids in a JSON object."""
    try:
        read_json(text)
    except json.JSONDecodeError as error:
        message = f"This is not valid JSON: {error.msg} at character {error.pos + 1}."
        at = min(error.pos, len(text) - 1)
        raise IdsError(message, at, at + 1) from error
    except ValueError as error:
        raise IdsError(f"This JSON is not a list of ids: {error}.", 0, len(text)) from error
    lists = list(LISTS_OF_RECORD.finditer(text))
    if not lists:
        raise IdsError("This JSON object does not have a list of numbers “token_ids”.", 0, len(text))
    if len(lists) > 1:
        message = f"This JSON object has {len(lists)} lists “token_ids”. Paste only one list of numbers."
        raise IdsError(message, *lists[1].span())
    return lists[0].span(1)


def _numbers(
    text: str, n_tokens: int, first: int, last: int, n_before: int = 0, n_ids: int = 0
) -> Iterator[ListedId]:
    """The numbers in text[first:last]; `n_before` characters and `n_ids` numbers of the list precede them."""
    before = None if n_before else BEFORE_LIST.match(text, first, last)
    words = (part for part in PART.finditer(text, before.end() if before else first, last) if part[1])
    for number, word in enumerate(stoppable(words), n_ids + 1):
        if not NUMBER.fullmatch(word[1]):
            shown = f"“{quoted(word[1], LONGEST_WORD)}” at character {n_before + word.start() + 1}"
            raise IdsError(f"{shown} is not a whole number.", *word.span())
        value = int(word[1], 0 if word[1][1:2] in ("x", "X") else 10) if len(word[1]) < 20 else n_tokens
        if not 0 <= value < n_tokens:
            shown = quoted(word[1], LONGEST_WORD)
            message = f"Id {shown} (number {number} in the list) is not between 0 and {n_tokens - 1:,}."
            raise IdsError(message, *word.span())
        yield ListedId(value, *word.span())


# The variants of a word in a text, each with its tokens, and the request field that biases all of them


class WordVariant(NamedTuple):
    """A variant of a word, and its tokens if encoded alone."""

    text: str
    token_ids: tuple[int, ...]

    @property
    def is_one_token(self) -> bool:
        return len(self.token_ids) == 1


def word_variants(tokenizer: Tokenizer, word: str) -> list[WordVariant]:
    """The distinct variants of a word: as given, lower case, capitalized, upper case, each with and without a
    space; and on a new line."""
    shapes = list(dict.fromkeys((word, word.lower(), word[:1].upper() + word[1:], word.upper())))
    texts = [shape for each in shapes for shape in (each, f" {each}")] + [f"\n{word}"]
    return [
        WordVariant(text, tuple(tokenizer.encode(text, False, False).token_ids.tolist())) for text in texts
    ]


def logit_bias(variants: Iterable[WordVariant], is_llama_cpp: bool) -> str:
    """The request field that bans variants of one token; parts of longer ones would ban other words, too."""
    ids = list(dict.fromkeys(variant.token_ids[0] for variant in variants if variant.is_one_token))
    bias = [[each, False] for each in ids] if is_llama_cpp else {str(each): BANNED for each in ids}
    return f'"logit_bias": {json.dumps(bias)}'
