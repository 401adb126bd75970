"""Test which tokens are reachable: encode the bytes of each token in several contexts.

A token that is not reached may still occur in another text.  The tests run in a process of their own: as a
program, this module reads a request from standard input and writes the tokens that were not reached.
"""

from __future__ import annotations

import json
import sys
import unicodedata
from dataclasses import dataclass
from functools import cache
from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.open_model import open_model
from guiapp.core.processes import ApartError, answer_of
from guiapp.core.text.normalizers import symbol_length
from guiapp.core.text.utf8 import LAST_CODE, code_of, is_text
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import TokenTree
from guiapp.errors import TokenloupeError
from guiapp.native.checkpoint import Progress

Ids = NDArray[np.int32]
NOT_TRIED = Attribute.CONTROL | Attribute.UNKNOWN | Attribute.USER_DEFINED | Attribute.BYTE
AT_ONCE = 1 << 14  # texts that are encoded at once
MOST_COMPLETIONS = 256  # for a token with a partial character


@dataclass(frozen=True)
class Trial:
    """A context in which a token's bytes are encoded."""

    name: str
    before: bytes = b""
    after: bytes = b""
    times: int = 1


TRIALS = (
    Trial("alone"),
    Trial("after a space", b" "),
    Trial("between two lines", b"\n", b"\n"),
    Trial("between letters", b"a", b"a"),
    Trial("after a digit", b"0"),
    Trial("after a punctuation mark", b"!"),
    Trial("twice", times=2),
    Trial("between Chinese characters", "中".encode(), "中".encode()),
    Trial("between private-use characters", "\ue000".encode(), "\ue000".encode()),
)
BEHIND_A_WORD = "after a token that no longer token begins with"
NAMES = (*(trial.name for trial in TRIALS), BEHIND_A_WORD)


class TrialError(TokenloupeError):
    """The trials failed; the message states the reason."""


def is_tried(tokenizer: Tokenizer) -> NDArray[np.bool_]:
    """bool[n]: all tokens except control, unknown, user-defined, byte and empty ones."""
    vocabulary = tokenizer.vocabulary
    lengths = vocabulary.token_tree.lengths
    tried: NDArray[np.bool_] = (vocabulary.attributes & NOT_TRIED == 0) & (lengths > 0)
    return tried


def unreached(tokenizer: Tokenizer, progress: Progress) -> Ids:
    """The tested tokens that no trial reaches.

    Tokens with a partial character are tested with bytes that complete it.
    """
    tree, is_left = tokenizer.vocabulary.token_tree, is_tried(tokenizer)
    is_broken = np.zeros(len(is_left), np.bool_)
    is_broken[broken_tokens(tree)] = True
    for trial in (*TRIALS, Trial(BEHIND_A_WORD, _whole_word(tree))):
        ids = np.flatnonzero(is_left)
        texts = (text for token in ids.tolist() for text in _texts(tree, token, bool(is_broken[token])))
        whole = (trial.before + trial.times * text + trial.after for text in texts)
        while bulk := list(islice(whole, AT_ONCE)):
            progress(0.5)
            for reached in tokenizer.ids_or_none(bulk, parse_special=False):
                if reached is not None:
                    is_left[reached] = False
    return np.flatnonzero(is_left).astype(np.int32)


def _texts(tree: TokenTree, token: int, is_broken: bool) -> list[bytes]:
    own = tree.token_bytes(token)
    if not is_broken:
        return [own]
    found = completions(own)
    return found[:: 1 + len(found) // MOST_COMPLETIONS]


def _whole_word(tree: TokenTree) -> bytes:
    """A token (a space and a word) that no longer token begins with: it can be taken whole in any context."""
    words = tree.starting_with(b" ")
    own = map(tree.token_bytes, words[tree.columns.sizes[words] == 1].tolist())
    return next((word for word in own if word[1:].isalpha() and is_text(word)), b" ")


def unreached_apart(tokenizer: Tokenizer, progress: Progress) -> Ids:
    """Like `unreached`, in a process of its own if the model is in a file.  Raises TrialError."""
    vocabulary = tokenizer.vocabulary
    if vocabulary.path is None:
        return unreached(tokenizer, progress)
    request = {"model": str(vocabulary.path), "pre": vocabulary.chosen_pre}
    try:
        answer = answer_of(__name__, json.dumps(request).encode(), progress)
    except ApartError as error:
        reason = str(error) or "the process ended without a message"
        raise TrialError(f"The search for unreached tokens failed: {reason}") from error
    return np.array(json.loads(answer), np.int32)


def main() -> None:
    request = json.load(sys.stdin)
    try:
        tokenizer = open_model(request["model"], request["pre"] or None)
    except TokenloupeError as error:
        sys.exit(str(error))
    print(json.dumps(unreached(tokenizer, lambda share: None).tolist()))


# Partial characters, and their completions to valid UTF-8


FOLLOWING = range(0x80, 0xC0)  # continuation bytes
LEAST_CODES = (0, 0, 0x80, 0x800, 0x10000)  # the lowest code point by the number of bytes
SEEN = "LNPS"  # letters, numbers, punctuation and symbols
KINDS = (0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF)  # the limits of all ranges of valid second bytes
MARKS = (0x80, 0xBF)
NEVER = 9
NEEDS = np.repeat(np.array([0, NEVER, 1, 2, 3, NEVER], np.uint8), (0xC0, 2, 30, 16, 5, 11))
"""The number of continuation bytes that each byte requires; NEVER for bytes that do not occur in UTF-8."""
SECOND_BYTES = ((0xE0, 0xA0, 0xBF), (0xED, 0x80, 0x9F), (0xF0, 0x90, 0xBF), (0xF4, 0x80, 0x8F))
HEADS: tuple[tuple[bytes, ...], ...] = (  # possible beginnings, by the number of continuation bytes after it
    (b"",),
    (
        *map(bytes, product(range(0xC2, 0xE0))),
        *map(bytes, product(range(0xE0, 0xF0), KINDS)),
        *map(bytes, product(range(0xF0, 0xF5), KINDS, MARKS)),
    ),
    (*map(bytes, product(range(0xE0, 0xF0))), *map(bytes, product(range(0xF0, 0xF5), KINDS))),
    (*map(bytes, product(range(0xF0, 0xF5))),),
)
TAILS: tuple[tuple[bytes, ...], ...] = (  # possible endings of a character, by the number of missing bytes
    (b"",),
    (*map(bytes, product(FOLLOWING)),),
    (*map(bytes, product(FOLLOWING, KINDS)),),
    (*map(bytes, product(FOLLOWING, MARKS, MARKS)),),
)


def open_ends(data: bytes) -> tuple[bytes, bytes]:
    """The leading continuation bytes, and the bytes of an incomplete last character."""
    n_before = next((at for at, byte in enumerate(data) if byte not in FOLLOWING), len(data))
    for size in range(1, min(4, len(data) - n_before) + 1):
        if data[-size] not in FOLLOWING:
            is_whole = symbol_length(data[-size]) <= size
            return data[:n_before], b"" if is_whole else data[-size:]
    return data[:n_before], b""


def begun_characters(data: bytes) -> str:
    """The range of an incomplete last character, such as `夀–夿`; "" if an end of it is not visible."""
    ending = open_ends(data)[1]
    if not ending:
        return ""
    possible = possible_codes(ending)
    codes = range(max(possible.start, LEAST_CODES[symbol_length(ending[0])]), possible.stop)
    ends = [chr(code) for code in (*codes[:1], *codes[-1:])]
    return "–".join(ends) if all(unicodedata.category(end)[0] in SEEN for end in ends) else ""


def completions(data: bytes) -> list[bytes]:
    """Texts that contain the bytes and complete their characters: many, and at least one if any exists."""
    beginning, ending = open_ends(data)
    if not is_text(data[len(beginning) : len(data) - len(ending)]):
        return []
    ends = [data + tail for tail in _tails(ending)]
    return [head + end for head, end in product(_heads(beginning), ends)]


def n_lacking(ending: bytes) -> int:
    """The number of bytes that an incomplete last character lacks."""
    return symbol_length(ending[0]) - len(ending) if ending else 0


def possible_codes(data: bytes) -> range:
    """The code points of the characters that begin with these bytes (one character or a part of it)."""
    size = symbol_length(data[0])
    code = code_of(data, size)
    open_bits = 6 * (size - len(data))
    return range(code << open_bits, min((code + 1) << open_bits, LAST_CODE + 1))


@cache
def _heads(beginning: bytes) -> list[bytes]:
    choices = HEADS[len(beginning)] if len(beginning) < len(HEADS) else ()
    return [head for head in choices if is_text(head + beginning)]


@cache
def _tails(ending: bytes) -> list[bytes]:
    return [tail for tail in TAILS[n_lacking(ending)] if is_text(ending + tail)]


def broken_tokens(tree: TokenTree) -> NDArray[np.int32]:
    """The tokens whose bytes are not complete characters, in ascending order."""
    data, starts, ends = tree.data, tree.offsets[:-1], tree.offsets[1:]
    needs, continues = NEEDS[data], (data & 0xC0) == 0x80
    should_continue = np.zeros(len(data), np.bool_)
    is_doubtful = needs == NEVER
    for back in (1, 2, 3):
        should_continue[back:] |= needs[:-back] >= back
    for lead, low, high in SECOND_BYTES:
        is_doubtful[1:] |= (data[:-1] == lead) & ((data[1:] < low) | (data[1:] > high))
    at = np.flatnonzero(is_doubtful | (should_continue != continues))
    tokens = np.searchsorted(tree.offsets, at, "right") - 1
    doubtful = [tokens, tokens - 1]  # a first byte may show that the token before it is incomplete
    lengths = ends - starts
    for back in (1, 2, 3):
        rows = np.flatnonzero(lengths >= back)
        doubtful += [rows[needs[ends[rows] - back] >= back], rows[continues[starts[rows]]]]
    tried = np.unique(np.concatenate(doubtful))
    broken = [token for token in tried[tried >= 0].tolist() if not is_text(tree.token_bytes(token))]
    return np.array(broken, np.int32)


if __name__ == "__main__":
    main()
