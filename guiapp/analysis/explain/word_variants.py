"""The ways in which a text writes a word, each with its tokens, and the line that biases all of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from guiapp.core.encode.tokenizer import Tokenizer

LONGEST_WORD_BYTES = 200
BANNED = -100  # the least bias that the interface of OpenAI takes; llama.cpp says false


class WordVariant(NamedTuple):
    """One way to write a word, and the tokens of that by itself."""

    text: str
    token_ids: tuple[int, ...]

    @property
    def is_one_token(self) -> bool:
        return len(self.token_ids) == 1


def word_variants(tokenizer: Tokenizer, word: str) -> list[WordVariant]:
    """The word as it is, in small letters, with a capital and in capitals, each with and without a space; and
    on a new line.  None twice."""
    shapes = list(dict.fromkeys((word, word.lower(), word[:1].upper() + word[1:], word.upper())))
    texts = [shape for each in shapes for shape in (each, f" {each}")] + [f"\n{word}"]
    return [
        WordVariant(text, tuple(tokenizer.encode(text, False, False).token_ids.tolist())) for text in texts
    ]


def logit_bias(variants: Iterable[WordVariant], is_llama_cpp: bool) -> str:
    """The field of a request that bans those of one token; parts of others would ban other words too."""
    ids = list(dict.fromkeys(variant.token_ids[0] for variant in variants if variant.is_one_token))
    bias = [[each, False] for each in ids] if is_llama_cpp else {str(each): BANNED for each in ids}
    return f'"logit_bias": {json.dumps(bias)}'
