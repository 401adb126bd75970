"""Checks that a tokenizer gives the same results as Hugging Face's `tokenizers` with the same file."""

from __future__ import annotations

import json
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any
from unicodedata import combining, normalize

import numpy as np
import pytest
import tokenizers

import guiapp
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.byte_alphabet import CHARACTER_OF_BYTE
from guiapp.errors import EncodeError

JAMO = [chr(code) for code in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))]  # join a Hangul syllable


class Pair:
    """A file, opened by us and by `tokenizers`."""

    def __init__(self, path: Path) -> None:
        self.ours: Tokenizer = guiapp.open_model(path)
        document = json.loads(path.read_bytes())
        self._tells_places = counts_all_bytes(document["model"]) and keeps_places(document["normalizer"])
        self.theirs = tokenizers.Tokenizer.from_str(json.dumps(without_trimming(document)))

    def check(self, text: str, add: bool = True, parse: bool = True, encoder: str | None = None) -> list[int]:
        """Assert equal ids and offsets with these options; return the ids, none if both refuse the text."""
        self.theirs.encode_special_tokens = not parse
        try:
            expected = self.theirs.encode(text, add_special_tokens=add)
        except Exception:  # there is no unknown token
            with pytest.raises(EncodeError):
                self.ours.encode(text, add, parse, encoder)
            return []
        actual = self.ours.encode(text, add, parse, encoder)
        story = f"{text!r}, {add=}, {parse=}, {encoder=}"
        assert actual.token_ids.tolist() == expected.ids, story
        if self._tells_places and not has_stacked_marks(text):
            assert_same_offsets(text, actual.spans, expected, story)
        return expected.ids

    def check_twin(self, text: str, add: bool = True, parse: bool = True) -> None:
        """Assert that all exact encoders and their reference implementations agree with the default one."""
        try:
            expected = self.ours.encode(text, add, parse)
        except EncodeError:
            return
        for encoder in self.ours.exact_encoders:
            for encode in (self.ours.encode, self.ours.encode_readable):
                actual = encode(text, add, parse, encoder)
                assert actual.token_ids.tolist() == expected.token_ids.tolist(), (encoder, text)
                assert actual.spans.tolist() == expected.spans.tolist(), (encoder, text)

    def check_decoding(self, ids: list[int], shows_special: bool = True) -> None:
        try:
            expected = self.theirs.decode(ids, skip_special_tokens=not shows_special)
        except BaseException as error:  # it panics if Strip removes a whole token from both ends
            if type(error).__name__ != "PanicException":
                raise
            return
        assert self.ours.decode(ids, unparse_special=shows_special) == expected, (ids, shows_special)


def without_trimming(document: dict[str, Any]) -> dict[str, Any]:
    """The same file, with offsets that include white space, and without truncation and padding."""
    processors = [document.get("post_processor")]
    for each in processors:
        if each is not None:
            processors += each.get("processors", [])
            if "trim_offsets" in each:
                each["trim_offsets"] = False
    return document | {"truncation": None, "padding": None}


def has_stacked_marks(text: str) -> bool:
    """Whether several accents follow each other, which Unicode's normal forms sort and join.

    The source characters of each are then ambiguous; here all accents of such a run share theirs.
    """
    return any(map(all, pairwise(map(combining, normalize("NFKD", text)))))


def joins(character: str) -> bool:
    """Whether one of Unicode's normal forms may join this character and the preceding one."""
    first = normalize("NFKD", character)[0]
    return combining(first) > 0 or first in JAMO


def counts_all_bytes(model: dict[str, Any]) -> bool:
    """Whether the library's offsets are reliable.

    It counts the bytes of a piece's tokens from its start.  Unknown characters without a token are not
    counted; marks written as byte tokens are.  If only some bytes have a byte token, these precede unknown
    characters before them.  Unigram gives each byte token the span of the whole unknown run.
    """
    if model.get("type") != "BPE":
        return not model.get("byte_fallback")
    names = {f"<0x{byte:02X}>" for byte in range(256)}
    has_bytes = names <= set(model["vocab"])
    if model.get("byte_fallback"):
        return has_bytes and not (model.get("continuing_subword_prefix") or model.get("end_of_word_suffix"))
    return bool(model.get("unk_token")) or set(CHARACTER_OF_BYTE) <= set(model["vocab"])


def keeps_places(normalizer: Any) -> bool:
    """Whether the library knows the source of all characters.

    It gives inserted text the position of the preceding text, and if several characters become one it counts
    only one: the last for Replace, else the first.
    """
    parts = [normalizer]
    for each in parts:
        parts += (each or {}).get("normalizers", [])
    kinds = {each["type"] for each in parts if each}
    joins = any("Regex" in each.get("pattern", ()) for each in parts if each)
    return not joins and not kinds & {"BertNormalizer", "Precompiled"}


def assert_same_offsets(text: str, spans: np.ndarray, expected: tokenizers.Encoding, story: str) -> None:
    """Assert equal offsets: theirs count characters; ours count bytes, and are empty for inserted text.

    If a character became more bytes than it had, ours give the extra bytes no span: a token that continues
    with the next character begins at that, while in theirs it shares the first character with the previous
    token.  A composed character comes from all its parts in ours, from the first in theirs.
    """
    starts = [0, *accumulate(len(character.encode()) for character in text)]
    index = np.searchsorted(starts, np.arange(starts[-1] + 1), "right") - 1
    before = (0, 0)
    for (start, end), offsets, is_special in zip(
        spans.tolist(), expected.offsets, expected.special_tokens_mask, strict=True
    ):
        if start < end and not is_special:
            actual = int(index[start]), int(index[end - 1]) + 1
            while actual[1] > offsets[1] and joins(text[actual[1] - 1]):
                actual = actual[0], actual[1] - 1
            is_shared = offsets[0] == actual[0] - 1 == before[1] - 1
            assert (actual[0] - is_shared, actual[1]) == offsets, (story, (start, end), offsets)
        before = offsets
