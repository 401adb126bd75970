"""The tokenizer data of a model: its tokens, their kinds and scores, and the rules of its tokenizer.

Loaded once, never changed.  Field names follow llama.cpp, whose behaviour they describe.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from guiapp.core.pretokenize.pre_tokenizers import Pattern
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.core.vocabulary import byte_alphabet
from guiapp.core.vocabulary.attributes import KIND_NAMES, KINDS, Attribute
from guiapp.core.vocabulary.opening import FileNote
from guiapp.core.vocabulary.parts import Parts, PieceRules
from guiapp.native import token_tree as native
from guiapp.native.checkpoint import stoppable
from guiapp.native.model_files import (
    BYTE_STAND_INS,
    ESCAPES,
    MARKED_SPACES,
    PLAIN,
    StringTable,
    TokenDecoder,
    packed,
    sliced,
    spell_out,
)
from guiapp.native.token_tree import TreeColumns

NOT_MATCHED = Attribute.CONTROL | Attribute.UNKNOWN
FIRST_ESCAPED_BYTE, LAST_ESCAPED_BYTE = "\udc80", "\udcff"  # a stray byte under "surrogateescape"
NAMING_LIMIT_BYTES = 1 << 28
LLAMA_CPP, LLAMA_CPP_VERSION = "llama.cpp", "2026.10"  # the release that ids are compared with
MERGES_VERSION = b"#version"  # begins a line that is not a rule
MERGE_SEPARATOR = b"\xff"  # in rules from files of `tokenizers`, whose texts may contain spaces


class VocabType(Enum):
    """The tokenizer family; the value is its name on screen."""

    SPM = "SPM"
    BPE = "BPE"
    WPM = "WPM"
    UGM = "UGM"
    WORD_LEVEL = "WordLevel"
    RWKV = "RWKV"
    PLAMO2 = "PLAMO2"
    TEST = "TEST"


SCORED = (VocabType.SPM, VocabType.UGM, VocabType.PLAMO2)  # text is encoded by the scores of tokens


class Reducible(Protocol):
    """The source that a vocabulary was read from."""

    def reduced(self) -> tuple[Callable[..., Vocabulary], tuple[object, ...]]:
        """The data that `pickle` stores: a function that reads it again, and its arguments."""


@dataclass(frozen=True)
class SpecialIds:
    """Token ids with a role, `None` if the vocabulary has none."""

    bos: int | None = None
    eos: int | None = None
    eot: int | None = None
    eom: int | None = None
    unk: int | None = None
    sep: int | None = None
    pad: int | None = None
    mask: int | None = None
    fim_pre: int | None = None
    fim_suf: int | None = None
    fim_mid: int | None = None
    fim_pad: int | None = None
    fim_rep: int | None = None
    fim_sep: int | None = None


@dataclass(frozen=True)
class Rules:
    """The switches of a tokenizer, after applying type, pre-tokenizer name and file."""

    add_bos: bool = False
    add_eos: bool = False
    add_sep: bool = False
    add_space_prefix: bool = False
    escape_spaces: bool = False  # replace every space by U+2581 before encoding
    clean_spaces: bool = False  # when detokenising
    ignore_merges: bool = False  # a piece that is a token is taken whole
    merges_all_pairs: bool = False  # any two symbols whose texts make a normal token, the lowest id first
    ignore_newline_merges: bool = False  # the same for pieces that begin with a newline
    byte_encoding: bool = False  # token texts use GPT-2's printable stand-ins for bytes
    composes: bool = False  # characters, before any other step (NFC)
    remove_extra_whitespaces: bool = False
    lowercase: bool = False
    strip_accents: bool = False


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The tokenizer part of one model file.

    token_data     uint8[…]     the raw texts of all tokens, concatenated
    token_offsets  int64[n+1]   raw text of token i is token_data[token_offsets[i] : token_offsets[i+1]]
    scores         float32[n]   log-probabilities (SPM, UGM, PLAMO2), else 0
    attributes     uint16[n]    `Attribute` bits after all of llama.cpp's repairs
    stored_types   int32[n]     token_type as in the file
    merge_data, merge_offsets   raw merge strings in rank order, stored like the tokens (BPE only)
    charsmap       uint8[…]     precompiled_charsmap (UGM only), header included
    eog            ids that end a generation
    warnings       what was repaired or is odd, one sentence each
    refusals       why llama.cpp would not load the file, one sentence each
    deviation      where ids may differ from llama.cpp's for the same file, "" if they are the same
    readings       other readings of the file, by name: a sentence on when libraries read it so
    metadata       scalar keys as Python values; arrays as a short description
    token_table    finds tokens by their raw text
    """

    path: Path | None
    name: str
    type: VocabType
    model: str  # tokenizer.ggml.model
    token_data: NDArray[np.uint8]
    token_offsets: NDArray[np.int64]
    scores: NDArray[np.float32]
    attributes: NDArray[np.uint16]
    stored_types: NDArray[np.int32]
    special_ids: SpecialIds
    rules: Rules
    eog: frozenset[int]
    architecture: str = ""
    pre: str = ""  # tokenizer.ggml.pre, "" if missing
    patterns: tuple[Pattern, ...] = ()  # these split text into pieces, in turn
    merge_data: NDArray[np.uint8] = field(default_factory=lambda: np.empty(0, np.uint8))
    merge_offsets: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    charsmap: NDArray[np.uint8] = field(default_factory=lambda: np.empty(0, np.uint8))
    warnings: tuple[FileNote, ...] = ()
    refusals: tuple[FileNote, ...] = ()
    deviation: str = ""
    metadata: Mapping[str, object] = field(default_factory=dict)
    readings: Mapping[str, str] = field(default_factory=dict)
    chosen_pre: str = ""  # splits the text instead of `pre`, if the user chose it
    library: str = LLAMA_CPP  # the library with the same ids for the same file
    format: str = ""  # of its file, as shown to the user
    parts: Parts | None = None  # the pipeline of a file of `tokenizers`
    pieces: PieceRules | None = None  # additional rules of a SentencePiece model
    token_table: StringTable = None  # type: ignore[assignment]  # built if it is not given
    opened_files: Reducible | None = field(default=None, init=False)  # so that `replace` leaves it out

    def __post_init__(self) -> None:
        if self.token_table is None:
            object.__setattr__(self, "token_table", StringTable(self.token_data, self.token_offsets))

    def __repr__(self) -> str:
        return f"<Vocabulary {quoted(self.name)}: {self.type.value}, {counted(len(self), 'token')}>"

    def opened_from(self, files: Reducible | None) -> Vocabulary:
        """This vocabulary, after recording that it was read from `files`."""
        object.__setattr__(self, "opened_files", files)
        return self

    def __reduce__(self) -> tuple[Callable[..., Vocabulary], tuple[object, ...]]:
        if self.opened_files is None:
            raise TypeError(
                f"The vocabulary {self.name} was made in memory and cannot be pickled. "
                "Write it to a file and open that."
            )
        return self.opened_files.reduced()

    def __copy__(self) -> Vocabulary:  # it never changes
        return self

    def __deepcopy__(self, _memo: object) -> Vocabulary:
        return self

    @property
    def pre_in_use(self) -> str:
        """The name of the pre-tokenizer that splits the text."""
        return self.pre if self.chosen_pre == LLAMA_CPP else self.chosen_pre or self.pre

    def __len__(self) -> int:
        return len(self.token_offsets) - 1

    def raw_text(self, token_id: int) -> bytes:
        """The token's text as spelled in the file (`Ġthe`, `▁the`, `<0x0A>`), as bytes."""
        return _slice(self.token_data, self.token_offsets, token_id)

    def token_bytes(self, token_id: int) -> bytes:
        """The text that the token stands for (` the`, a newline), control tokens included."""
        return _slice(*self.token_bytes_table, token_id)

    def kind(self, token_id: int) -> str:
        """The kind of a token, in one word; of several bits, the one that decides how it is used."""
        return KIND_NAMES[int(self.kinds[_checked(token_id, len(self))])]

    @cached_property
    def kinds(self) -> NDArray[np.uint8]:
        """`kind` of all tokens, as indexes into KIND_NAMES."""
        kinds = np.full(len(self), len(KINDS), np.uint8)
        for number, bit in reversed(list(enumerate(KINDS))):
            kinds[self.attributes & bit > 0] = number
        return kinds

    @cached_property
    def effective_attributes(self) -> NDArray[np.uint16]:
        """`attributes`, with UNKNOWN also for the unknown token of a file that marks it as control.

        Except one that also begins or ends texts, as in CLIP and GPT-2, which have tokens for all bytes.
        """
        effective_attributes, ids = self.attributes.copy(), self.special_ids
        if ids.unk is not None and ids.unk < len(self) and ids.unk not in (ids.bos, ids.eos):
            effective_attributes[ids.unk] |= Attribute.UNKNOWN.value
        return effective_attributes

    def score(self, token_id: int) -> float:
        return float(self.scores[_checked(token_id, len(self))])

    def find(self, raw_text: bytes) -> int | None:
        """The token with this spelling in the file, or None."""
        row = int(self.token_table.find([raw_text])[0])
        return row if row >= 0 else None

    @cached_property
    def merges(self) -> tuple[tuple[bytes, bytes], ...]:
        """The merge rules by rank, each as two raw texts; empty texts if it has no effect."""
        separator = self.merge_separator
        return tuple(_cut_in_two(rule, separator) for rule in sliced(self.merge_data, self.merge_offsets))

    @property
    def merge_separator(self) -> bytes:
        """The separator between both sides of a rule in `merge_data`, from its second byte on."""
        return b" " if self.parts is None else MERGE_SEPARATOR

    @cached_property
    def unmarked_texts(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """`token_data` and `token_offsets`, without the suffix that distinguishes DNA from words.

        Special tokens are searched for by these texts.
        """
        return (
            _without_dna_suffix(self) if self.model == "hybriddna" else (self.token_data, self.token_offsets)
        )

    @cached_property
    def token_bytes_table(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """`token_bytes` of all tokens: uint8[…] and int64[n+1], token i is data[offsets[i] : offsets[i+1]].

        llama.cpp repeats the whole token for each of its characters that stands for no byte.  If that would
        fill the memory (only in a file made for it), such characters are unchanged.
        The suffix of `tokenizers` at the end of words (`</w>`) stands for a space.
        """
        if self.type is VocabType.TEST:
            return packed([b"%x" % token_id for token_id in range(len(self))])
        has_suffix = self.parts is not None and self.parts.model.end_suffix
        texts = _with_spaces_after_words(self) if has_suffix else self.unmarked_texts
        size = len(texts[0])  # enough except for names of unknown characters
        spell = partial(spell_out, texts, self._spelling_attributes, self._spelling, byte_alphabet.BYTES)
        data, offsets, full_size = spell(True, size)
        if full_size > size:
            name_unknown = full_size <= NAMING_LIMIT_BYTES
            data, offsets, full_size = spell(name_unknown, full_size if name_unknown else size)
        return data[:full_size].copy(), offsets

    @cached_property
    def decoder(self) -> TokenDecoder:
        """Concatenates the `token_bytes` of ids."""
        return TokenDecoder(*self.token_bytes_table)

    @cached_property
    def longest_token_bytes(self) -> int:
        """The number of bytes that the longest token stands for."""
        return int(np.diff(self.token_bytes_table[1]).max(initial=0))

    @cached_property
    def token_tree(self) -> TokenTree:
        """The tree with every token under its longest proper prefix that is a token."""
        return token_tree(self)

    @property
    def has_letters(self) -> bool:
        """Whether the file writes tokens as text of its own; else it has bytes, or escapes for them."""
        return not (self.rules.merges_all_pairs or self.type in (VocabType.RWKV, VocabType.TEST))

    def spell(self, data: bytes) -> bytes:
        """The spelling in the file of the bytes that tokens stand for."""
        if self._spelling == BYTE_STAND_INS:
            return byte_alphabet.spell(data).encode()
        return data.replace(b" ", "▁".encode()) if self._spelling == MARKED_SPACES else data

    @property
    def _spelling_attributes(self) -> NDArray[np.uint16]:
        """`attributes`, but SentencePiece decodes user-defined and unused pieces like normal ones."""
        if self.pieces is None:
            return self.attributes
        is_text = self.attributes & (Attribute.USER_DEFINED | Attribute.UNUSED) > 0
        return np.where(is_text, np.uint16(Attribute.NORMAL), self.attributes)

    @property
    def _spelling(self) -> int:
        if self.parts is not None:
            return self.parts.spelling
        if self.type is VocabType.RWKV:
            return ESCAPES
        if self.type is VocabType.PLAMO2:
            return PLAIN
        if self.type is VocabType.BPE and not self.rules.escape_spaces:
            return BYTE_STAND_INS
        return MARKED_SPACES


def special_role(vocabulary: Vocabulary, token_id: int) -> str:
    """The roles for which the file or llama.cpp uses a token, such as `BOS` or `EOS · EOG`."""
    roles = [role for role, used in vars(vocabulary.special_ids).items() if used == token_id]
    return " · ".join(roles + ["eog"] * (token_id in vocabulary.eog)).upper().replace("_", " ")


def _checked(token_id: int, n_tokens: int) -> int:
    if not 0 <= token_id < n_tokens:
        raise IndexError(f"{token_id} is not one of the {n_tokens:,} token ids")
    return token_id


def _slice(data: NDArray[np.uint8], offsets: NDArray[np.int64], token_id: int) -> bytes:
    at = _checked(token_id, len(offsets) - 1)
    return data[offsets.item(at) : offsets.item(at + 1)].tobytes()


def _cut_in_two(merge: bytes, separator: bytes) -> tuple[bytes, bytes]:
    """Both sides of the first separator after the first byte; empty if there is none."""
    at = merge.find(separator, 1)
    return (merge[:at], merge[at + 1 :]) if at > 0 else (b"", b"")


def _with_spaces_after_words(vocabulary: Vocabulary) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Token texts with a space, spelled as in the file, instead of the end-of-word suffix."""
    assert vocabulary.parts is not None
    suffix = vocabulary.parts.model.end_suffix.encode()
    space = byte_alphabet.CHARACTER_OF_BYTE[ord(" ")] if vocabulary.rules.byte_encoding else " "
    data, is_word = vocabulary.token_data.tobytes(), vocabulary.attributes & Attribute.NORMAL > 0
    texts = [data[start:end] for start, end in stoppable(pairwise(vocabulary.token_offsets.tolist()))]
    for token_id in np.flatnonzero(is_word).tolist():
        if texts[token_id].endswith(suffix):
            texts[token_id] = texts[token_id].removesuffix(suffix) + space.encode()
    return packed(texts)


def _without_dna_suffix(vocabulary: Vocabulary) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Token texts; those after `<oov>` lose the U+E000 that distinguishes DNA from words."""
    suffix = "\ue000".encode()
    first = vocabulary.find(b"<oov>")
    texts = [vocabulary.raw_text(token_id) for token_id in stoppable(range(len(vocabulary)))]
    if first is not None:
        texts[first + 1 :] = [text.removesuffix(suffix) or text for text in stoppable(texts[first + 1 :])]
    return packed(texts)


@dataclass(frozen=True, eq=False)
class TokenTree:
    """A tree of tokens by their bytes: token i stands for data[offsets[i] : offsets[i + 1]].

    native  the tree itself, for encoders
    """

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    native: native.TokenTreeHandle

    def __len__(self) -> int:
        """The number of tokens in the tree."""
        return len(self.order)

    @property
    def is_matched(self) -> NDArray[np.bool_]:
        """bool[n]: whether `longest_match` can find a token."""
        return self.native.is_matched

    @property
    def parents(self) -> NDArray[np.int32]:
        """int32[n]: the longest proper prefix of each token that is a token and matches, or -1."""
        return self.native.parents

    @property
    def order(self) -> NDArray[np.int32]:
        """int32[k]: the tokens in the tree sorted by their bytes, parents first."""
        return self.native.order

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        """int32[n]: the number of bytes of each token."""
        return np.diff(self.offsets).astype(np.int32)

    @cached_property
    def columns(self) -> TreeColumns:
        """Depths, sizes, children and so on of all tokens."""
        return self.native.columns()

    def token_bytes(self, token_id: int) -> bytes:
        return self.data[self.offsets[token_id] : self.offsets[token_id + 1]].tobytes()

    def added_bytes(self, token_id: int) -> bytes:
        """The bytes that a token adds to its parent."""
        return self.data[self.added_start(token_id) : self.offsets[token_id + 1]].tobytes()

    def added_start(self, token_id: int) -> int:
        """The offset in `data` of the bytes that a token adds to its parent."""
        parent = self.parent(token_id)
        return int(self.offsets[token_id]) + (0 if parent is None else int(self.lengths[parent]))

    def shown_bytes(self, token_id: int) -> bytes:
        """The bytes that a token adds to its parent; if they complete a character, the whole character."""
        own = self.token_bytes(token_id)
        start = self.added_start(token_id) - int(self.offsets[token_id])
        for lead in range(start - 1, max(0, start - 3) - 1, -1):
            if own[lead] >= 0xC0 and not _begins_with_character(own[lead:start]):
                return own[lead:] if _begins_with_character(own[lead:]) else own[start:]
        return own[start:]

    def parent(self, token_id: int) -> int | None:
        """The longest proper prefix of a token that is also a token, or None."""
        parent = int(self.parents[token_id])
        return None if parent < 0 else parent

    def path(self, token_id: int) -> list[int]:
        """The ids from the root to a token, itself included."""
        path, parent = [token_id], self.parent(token_id)
        while parent is not None:
            path.append(parent)
            parent = self.parent(parent)
        return path[::-1]

    def children(self, token_id: int | None) -> NDArray[np.int32]:
        """The children of a token, or of the root, sorted by their bytes."""
        row = len(self.parents) if token_id is None else token_id
        start, end = self.columns.child_offsets[row : row + 2]
        return self.columns.children[start:end]

    def subtree(self, token_id: int) -> NDArray[np.int32]:
        """A token and everything below it, sorted by bytes."""
        position = int(self.columns.places[token_id])
        return self.order[position : position + int(self.columns.sizes[token_id])]

    def starting_with(self, prefix: bytes) -> NDArray[np.int32]:
        """All tokens whose bytes begin with `prefix`, sorted by bytes."""
        order = self.order

        def head(position: int) -> bytes:
            start, end = self.offsets[order[position] : order[position] + 2]
            return self.data[start : min(end, start + len(prefix))].tobytes()

        first = bisect_left(range(len(order)), prefix, key=head)
        last = bisect_left(range(len(order)), True, lo=first, key=lambda position: head(position) > prefix)
        return order[first:last]

    def longest_match(self, text: bytes, start: int = 0) -> int | None:
        """The longest token that text[start:] begins with; the shorter ones are its ancestors."""
        return self.longest_match_in(np.frombuffer(bytearray(text), np.uint8), start)

    def longest_match_in(self, data: NDArray[np.uint8], start: int) -> int | None:
        """The same for a text in an array."""
        result = self.native.longest_match(data, start)
        return None if result < 0 else result


def _begins_with_character(data: bytes) -> bool:
    first = data.decode("utf-8", "surrogateescape")[:1]
    return not FIRST_ESCAPED_BYTE <= first <= LAST_ESCAPED_BYTE


def token_tree(vocabulary: Vocabulary) -> TokenTree:
    """The tree of all tokens of a vocabulary.

    Control and unknown tokens are in it by their text, as leaves: plain text does not match them.  Of several
    tokens for the same bytes one matches: the lowest id or, if there is one, the lowest that is not a byte
    token; the others are leaves next to it.
    """
    data, offsets = vocabulary.token_bytes_table
    is_byte = (vocabulary.attributes & Attribute.BYTE) > 0
    is_text = ((vocabulary.attributes & NOT_MATCHED) == 0) & (np.diff(offsets) > 0)
    is_worse = (~is_text & is_byte, ~is_text & ~is_byte, is_text & is_byte, is_text & ~is_byte)
    worst_first = np.concatenate([np.flatnonzero(part)[::-1] for part in is_worse]).astype(np.int32)
    return tree_of(data, offsets, worst_first, is_text)


def tree_of(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], ids: NDArray[np.int32], may_match: NDArray[np.bool_]
) -> TokenTree:
    """The tree of the tokens `ids`; of those with the same bytes, the last one that may match does."""
    return TokenTree(data, offsets, native.TokenTreeHandle(data, offsets, ids, may_match))
