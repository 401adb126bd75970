"""A tokenizer that needs no pipeline: every word with the space before it is a token, looked up in a list."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from toy_vocabulary import toy_vocabulary

from guiapp.core.catalogue import Algorithm
from guiapp.core.encoding import Encoding
from guiapp.core.errors import EncodeError
from guiapp.core.tokenizer import Exactness
from guiapp.core.vocab.vocabulary import Attribute, SpecialIds

WORDS = (b"", b"one", b" one", b" two", b" three", b"\n", b" ", b"two", b"?")
UNENCODABLE = b"unencodable"
ENCODERS = {
    "fast": Algorithm("fast", "Look words up", True, "O(n)", "tests"),
    "slow": Algorithm("slow", "Guess words", False, "O(n²)", "tests"),
}


@dataclass
class FakeTokenizer:
    """`<s>` is token 0 and stands before each text; words that are not in WORDS become `?`."""

    name: str = "fake"

    def __post_init__(self) -> None:
        tokens: dict[str | bytes, float | Attribute] = {"<s>": Attribute.CONTROL}
        tokens |= dict.fromkeys(WORDS[1:], 0.0)
        self.vocabulary = replace(toy_vocabulary(tokens, special_ids=SpecialIds(bos=0)), name=self.name)
        self.encoders = ENCODERS
        self.exactness = Exactness("exact", "Every word is looked up.")

    def encode(
        self, text: bytes, add_special: bool = True, parse_special: bool = True, encoder: str | None = None
    ) -> Encoding:
        if UNENCODABLE in text:
            raise EncodeError("This text cannot be encoded. Take the word out.")
        words = list(re.finditer(rb"\n| ?[^ \n]+| ", text))
        ids = [WORDS.index(word[0]) if word[0] in WORDS else len(WORDS) - 1 for word in words]
        spans = [word.span() for word in words]
        if add_special:
            ids, spans = [0, *ids], [(0, 0), *spans]
        array = np.array(spans, np.int64).reshape(-1, 2)
        return Encoding(text, np.array(ids, np.int32), array, encoder or "fast", 1000)

    def decode_bytes(
        self, ids: Iterable[int], remove_special: bool = False, unparse_special: bool = True
    ) -> bytes:
        return b"".join(WORDS[token_id] for token_id in ids)
