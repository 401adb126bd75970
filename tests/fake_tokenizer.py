"""A tokenizer without a pipeline: each word, with the space before it, is a token looked up in a list."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from toy_vocabulary import toy_vocabulary

from guiapp.core.encode.catalogue import Algorithm
from guiapp.core.encode.encoding import Encoding, FragmentTokens
from guiapp.core.encode.exactness import Exactness
from guiapp.core.text.special_tokens import Partition
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import SpecialIds
from guiapp.errors import EncodeError

WORDS = (b"", b"one", b" one", b" two", b" three", b"\n", b" ", b"two", b"?")
UNENCODABLE = b"unencodable"
ENCODERS = {
    "fast": Algorithm("fast", "Look words up", True, "O(n)", "tests"),
    "slow": Algorithm("slow", "Guess words", False, "O(n²)", "tests"),
}


@dataclass
class FakeTokenizer:
    """Adds `<s>`, token 0, before each text; words that are not in WORDS become `?`."""

    name: str = "fake"
    chosen_pre: str = ""

    def __post_init__(self) -> None:
        tokens: dict[str | bytes, float | Attribute] = {"<s>": Attribute.CONTROL}
        tokens |= dict.fromkeys(WORDS[1:], 0.0)
        vocabulary = toy_vocabulary(tokens, special_ids=SpecialIds(bos=0))
        self.vocabulary = replace(vocabulary, name=self.name, chosen_pre=self.chosen_pre)
        self.encoders = ENCODERS
        self.exactness = Exactness("exact", "Every word is looked up.")

    def encode(
        self, text: bytes, add_special: bool = True, parse_special: bool = True, encoder: str | None = None
    ) -> Encoding:
        tokens = words_of(text, encoder)
        before, spans_before = ([0], [(0, 0)]) if add_special else ([], [])
        ids = np.array([*before, *tokens.ids], np.int32)
        spans = np.array([*spans_before, *zip(tokens.starts, tokens.ends, strict=True)], np.int64)
        return Encoding(text, ids, spans.reshape(-1, 2), encoder or "fast")

    def encode_each(
        self, texts: Iterable[bytes], add_special: bool, parse_special: bool
    ) -> list[NDArray[np.int32]]:
        return [self.encode(text, add_special, parse_special).token_ids for text in texts]

    # The interface for incremental encoding while a text is edited

    drops_white_space = False
    merging = None

    @property
    def special_tokens(self) -> FakeTokenizer:
        return self

    @property
    def pipeline(self) -> FakeTokenizer:
        return self

    def pipeline_of(self, encoder: str) -> FakeTokenizer:
        return self

    def special_affixes(self) -> tuple[list[int], list[int]]:
        return [0], []

    def longest(self, parse_special: bool) -> int:
        return 1

    @property
    def names(self) -> dict[str, int]:
        return {"<s>": 0}

    def searched_for(self, parse_special: bool) -> NDArray[np.int32]:
        return np.zeros(1, np.int32)

    def may_be_in(self, text: bytes, parse_special: bool) -> bool:
        return False

    def may_begin(self, parse_special: bool) -> NDArray[np.bool_]:
        return np.zeros(256, np.bool_)

    def partition(self, text: NDArray[np.uint8], parse_special: bool) -> Partition:
        none = np.zeros(0, np.int64)
        return Partition(none.astype(np.int32), none, none, np.array([0]), np.array([len(text)]))

    def reach_across(self, text: NDArray[np.uint8], position: int, parse_special: bool) -> None:
        return None

    def cut_before(self, fragment: NDArray[np.uint8], position: int) -> int:
        return fragment.tobytes().rfind(b"\n", 0, max(position - 1, 0)) + 1

    def cut_after(self, fragment: NDArray[np.uint8], position: int) -> int:
        newline = fragment.tobytes().find(b"\n", position)
        return len(fragment) if newline < 0 else newline + 1

    def encode_segment(
        self,
        text: NDArray[np.uint8],
        partition: Partition | None,
        after_special: bool,
        encoder: str | None,
        parse_special: bool,
    ) -> FragmentTokens:
        return words_of(text.tobytes(), encoder)

    def decode_bytes(
        self, ids: Iterable[int], remove_special: bool = False, unparse_special: bool = True
    ) -> bytes:
        return b"".join(WORDS[token_id] for token_id in ids)


def words_of(text: bytes, encoder: str | None) -> FragmentTokens:
    if UNENCODABLE in text:
        raise EncodeError("This text cannot be encoded. Take the word out.")
    pattern = rb"\n| |[^ \n]+" if encoder == "slow" else rb"\n| ?[^ \n]+| "
    words = list(re.finditer(pattern, text))
    ids = [WORDS.index(word[0]) if word[0] in WORDS else len(WORDS) - 1 for word in words]
    starts, ends = [word.start() for word in words], [word.end() for word in words]
    return FragmentTokens(np.array(ids, np.int32), np.array(starts, np.int64), np.array(ends, np.int64))
