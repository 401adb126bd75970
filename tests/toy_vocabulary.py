"""A vocabulary of a few tokens, small enough to merge by hand, with what the token panels ask of one."""

from __future__ import annotations

import numpy as np

from guiapp.core.vocab.vocabulary import Attribute, Rules, SpecialIds, VocabType

KINDS = {
    Attribute.NORMAL: "normal",
    Attribute.CONTROL: "control",
    Attribute.USER_DEFINED: "user-defined",
    Attribute.BYTE: "byte",
}


class ToyVocabulary:
    """`tokens` maps raw texts to scores, or to attributes where they are not normal tokens."""

    def __init__(
        self,
        tokens: dict[str | bytes, float | Attribute],
        vocab_type: VocabType = VocabType.SPM,
        rules: Rules | None = None,
        special_ids: SpecialIds | None = None,
        eog: frozenset[int] = frozenset(),
    ) -> None:
        self.texts = [text.encode() if isinstance(text, str) else text for text in tokens]
        is_attribute = [isinstance(value, Attribute) for value in tokens.values()]
        values = list(tokens.values())
        self.scores = np.array(
            [0 if flag else value for flag, value in zip(is_attribute, values, strict=True)]
        )
        self.attributes = np.array(
            [int(value) if flag else 4 for flag, value in zip(is_attribute, values, strict=True)], np.uint16
        )
        self.type = vocab_type
        self.rules = rules or Rules()
        self.special_ids = special_ids or SpecialIds()
        self.eog = eog

    def __len__(self) -> int:
        return len(self.texts)

    def raw_text(self, token_id: int) -> bytes:
        return self.texts[token_id]

    def token_bytes(self, token_id: int) -> bytes:
        return self.texts[token_id].replace("▁".encode(), b" ")

    def token_bytes_table(self) -> tuple[np.ndarray, np.ndarray]:
        tokens = [self.token_bytes(token_id) for token_id in range(len(self))]
        data = np.frombuffer(bytearray(b"".join(tokens)), np.uint8)
        return data, np.cumsum([0, *map(len, tokens)], dtype=np.int64)

    def kind(self, token_id: int) -> str:
        return KINDS[Attribute(int(self.attributes[token_id]))]

    def score(self, token_id: int) -> float:
        return float(self.scores[token_id])
