"""What pipelines tell of their work: each piece with its steps and tokens."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from arrays import as_lists
from hypothesis import given
from hypothesis import strategies as st
from pair_vocabularies import (
    BYTE_TOKENS,
    HEX_TOKENS,
    HOSTILE_BITS,
    byte_level,
    character_level,
    sentence_piece,
)
from unpaired_pipelines import PIPELINES as UNPAIRED

import guiapp
from guiapp.core.encode.families.byte_pair import BytePairPipeline, SentencePiecePipeline
from guiapp.core.encode.families.words import WordsPipeline
from guiapp.core.vocabulary.vocabulary import Rules

WORDS = byte_level(["a b", "Ġ a", "Ã ©", "ab c"])
HEX_SCORES = {"<unk>": 0.0, **dict.fromkeys(HEX_TOKENS, 0.0)}
SCORES = {**HEX_SCORES, "▁": -9, "a": -8, "b": -7, "▁a": -1, "ab": -1}
WHITE = Rules(byte_encoding=True, lowercase=True)
WHOLE = Rules(byte_encoding=True, ignore_merges=True)
DNA = ["<dna>", "</dna>", "<oov>", "AAAAAA\ue000", "ACGTAA\ue000", *BYTE_TOKENS]


def parts_pipeline():
    """That of a tokenizer.json, with an added token that is found once a text is normalised."""
    added = {"id": 4, "content": "ab", "special": False, "normalized": True}
    added |= dict.fromkeys(("single_word", "lstrip", "rstrip"), False)
    model = {"type": "WordLevel", "vocab": {"[UNK]": 0, "a": 1, "b": 2, "中": 3}, "unk_token": "[UNK]"}
    parts = {"normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"}, "decoder": None}
    document = {"version": "1.0", "added_tokens": [added], "model": model, "post_processor": None, **parts}
    with TemporaryDirectory() as folder:
        path = Path(folder, "tokenizer.json")
        path.write_text(json.dumps(document))
        return guiapp.open_model(path).pipeline


PIPELINES = {
    **UNPAIRED,
    "parts": parts_pipeline(),
    "words": WordsPipeline(WORDS),
    "byte level": BytePairPipeline(WORDS),
    "not split": BytePairPipeline(WORDS).without_splitting(),
    "whole pieces": BytePairPipeline(byte_level(["a b"], [*BYTE_TOKENS, "ab", "abc"], rules=WHOLE)),
    "lines": BytePairPipeline(
        character_level(["▁ a", "a b", "\n \n"], [*HEX_TOKENS, "▁", "a", "b", "▁a", "ab", "\n\n"])
    ),
    "pieces": SentencePiecePipeline(sentence_piece(SCORES)),
    "pieces without prefix": SentencePiecePipeline(sentence_piece(SCORES, rules=Rules(escape_spaces=True))),
    "white space": BytePairPipeline(byte_level(["a b"], model="whitespace", rules=WHITE)),
    "dna": BytePairPipeline(byte_level(["a b"], DNA, model="hybriddna")),
}
each_pipeline = pytest.mark.parametrize("name", PIPELINES)
BITS = [*HOSTILE_BITS, *map(str.encode, [*"ab .中x", "AB", "<dna>ACGT", "ACGTA", "AAA", "</dna>"])]
TEXTS = st.lists(st.sampled_from(BITS), min_size=1, max_size=25).map(b"".join)


def of_source(normalized, start, end):
    """The span in what `normalized` was made of; a token without bytes stands behind the one before."""
    if normalized is None:
        return start, end
    source_end = int(normalized.ends[end - 1])
    return (int(normalized.starts[start]) if start < end else source_end), source_end


class Recorder:
    """Keeps what it is told, and checks that it comes in order."""

    def __init__(self, fragment):
        self.fragment, self.names, self.found, self.piece_ends = fragment, [], [], []

    def begin(self, data, normalized, start):
        assert not self.piece_ends
        if normalized is None:
            assert self.fragment[start:].startswith(data)
        else:
            assert normalized.data.tobytes() == data
            sources = list(zip(normalized.starts.tolist(), normalized.ends.tolist(), strict=True))
            assert all(one == two or one[1] <= two[0] for one, two in pairwise(sources))
        self.data, self.normalized, self.start = data, normalized, start
        self.names.append("begin")

    def split(self, piece_ends):
        self.names.append("split")
        self.piece_ends = [0, *piece_ends]
        assert self.piece_ends == sorted(self.piece_ends)
        assert self.piece_ends.pop() == len(self.data) if piece_ends else not self.data
        self.piece_ends = [*self.piece_ends[1:], len(self.data)] if piece_ends else []
        self.piece_start = 0

    def piece(self, start, data, marked, symbols):
        self.names.append("piece")
        assert start == self.piece_start
        self.piece_start = self.piece_ends.pop(0)
        assert data == (self.data[start : self.piece_start] if marked is None else marked.data.tobytes())
        if symbols is not None:
            assert [0, *(end for _, _, end in symbols)] == [*(start for _, start, _ in symbols), len(data)]
        self.marked, self.at = marked, start

    def step(self, step):
        self.names.append(type(step).__name__)

    def end_piece(self, tokens):
        self.names.append("end_piece")
        for token, start, end in tokens:
            start, end = (self.at + edge for edge in of_source(self.marked, start, end))
            start, end = of_source(self.normalized, start, end)
            self.found.append([token, self.start + start, self.start + end])


@each_pipeline
@given(data=st.data(), text=TEXTS)
def test_traced_steps_add_up_to_the_tokens(name, data, text):
    recorder, encoder = Recorder(text), data.draw(st.sampled_from(PIPELINES[name].encoders))
    tokens = PIPELINES[name].encode_readable(text, data.draw(st.booleans()), encoder, recorder)
    assert not recorder.piece_ends
    if name != "lines":  # lone spaces are put in afterwards
        assert recorder.found == [list(token) for token in zip(*as_lists(tokens), strict=True)]


def steps_by_piece(name, encoder):
    """The steps of encoding "abc ab", by piece."""
    recorder = Recorder(b"abc ab")
    PIPELINES[name].encode_readable(b"abc ab", True, encoder, recorder)
    steps = " ".join(each for each in recorder.names if each not in ("begin", "split", "end_piece"))
    return steps.removeprefix("piece ").split(" piece ")
