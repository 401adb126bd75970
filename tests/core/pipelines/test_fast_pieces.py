"""The encoder `fast`: what it knows before the first text, and that threads may share it."""

from __future__ import annotations

import numpy as np
import pytest
from pair_vocabularies import BYTE_TOKENS, byte_level

import guiapp
from guiapp.core.kernels import compile as kernels
from guiapp.core.kernels import piece_keys
from guiapp.core.pipelines import pair_merging
from guiapp.core.pipelines.byte_pair import BytePairPipeline
from guiapp.core.pipelines.fast_pieces import FastPieces
from guiapp.core.vocab.vocabulary import Rules

WHOLE_WORDS = byte_level(
    ["a b"], [*BYTE_TOKENS, "ab", "abc"], rules=Rules(byte_encoding=True, ignore_merges=True)
)


def ids_of(pipeline, text: bytes, encoder="fast"):
    return pipeline.encode(np.frombuffer(bytearray(text), np.uint8), True, encoder).ids.tolist()


def test_tokens_are_not_entered_one_by_one_in_python(monkeypatch):
    monkeypatch.setattr(kernels._State, "interpreted", True)
    monkeypatch.setattr(piece_keys, "enter_tokens", None)
    pipeline = BytePairPipeline(WHOLE_WORDS)
    for text in (b"abc ab abc", b"abc"):
        assert ids_of(pipeline, text) == ids_of(pipeline, text, "heap")


@pytest.mark.skipif(kernels.NEVER_COMPILED, reason="nothing will be compiled")
def test_tables_are_made_when_kernels_run_compiled(monkeypatch):
    made = []
    monkeypatch.setattr(pair_merging, "FastPieces", lambda *args: made.append(args) or FastPieces(*args))
    pipeline = BytePairPipeline(WHOLE_WORDS)
    for is_interpreted in (True, False):
        kernels.run_interpreted(is_interpreted)
        pipeline.make_tables()
        assert len(made) == (not is_interpreted)
        assert ids_of(pipeline, b"abc ab") == ids_of(pipeline, b"abc ab", "heap")
        assert len(made) == (not is_interpreted)


def test_a_call_that_finds_no_cache_makes_its_own():
    pipeline = BytePairPipeline(WHOLE_WORDS)
    taken = pipeline._encoder._fast._caches
    taken.clear()  # as other threads leave it that are at work
    assert ids_of(pipeline, b"abc ab") == ids_of(pipeline, b"abc ab", "heap")
    assert len(taken) == 1


def test_long_pieces_that_are_tokens_are_taken_whole():
    tokens = ["abc" * times for times in range(4, 12)]
    rules = Rules(byte_encoding=True, ignore_merges=True)
    pipeline = BytePairPipeline(byte_level(["a b"], [*BYTE_TOKENS, "ab", *tokens, "é" * 12], rules=rules))
    for text in (*tokens, "é" * 6, "abc" * 12, "abcabcab" * 3, "c" + "abc" * 6):
        ids = ids_of(pipeline, text.encode())
        assert ids == ids_of(pipeline, text.encode(), "heap")
        assert (len(ids) == 1) == (text in tokens), text


@pytest.mark.parametrize("name", ["bpe", "spm"])
def test_overlong_forms_of_characters_are_only_bytes(name):
    tokenizer = guiapp.open_model(f"demo:{name}")
    codes = range(0x800)
    text = b"".join(b"a" + bytes((0xE0, 0x80 | code >> 6, 0x80 | code & 0x3F)) for code in codes)
    text += b"".join(b"a" + bytes((0xC0 | code >> 6, 0x80 | code & 0x3F)) for code in range(0x80))
    fast = tokenizer.encode(text, False, False, "fast").token_ids
    assert fast.tolist() == tokenizer.encode(text, False, False, "scan").token_ids.tolist()
