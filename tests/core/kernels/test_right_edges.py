"""Counts of prefixes from the merges along their right edges are those of merging each prefix."""

from __future__ import annotations

import numpy as np
import pytest
from pair_vocabularies import BYTE_TOKENS, byte_level

from guiapp.core.counting.append import AppendEncoder
from guiapp.core.kernels import right_edges
from guiapp.core.pipelines.byte_pair import BytePairPipeline
from guiapp.core.tokenizer import Tokenizer

N_VOCABULARIES = 60


def random_rules(rng):
    """Rules in any order: some have to wait for others of a higher rank."""
    tokens, merges = [*"abcé"[: rng.integers(1, 5)]], []
    for _ in range(rng.integers(1, 14)):
        left, right = rng.choice(tokens, 2)
        merges.append(f"{left} {right}".replace("é", "Ã©"))
        tokens += [left + right] * (left + right not in tokens)
    rng.shuffle(merges)
    return tokens, ["Ã ©", *dict.fromkeys(merges)]


def counts_of_prefixes(tokenizer, text):
    return [len(tokenizer.encode(text[:size])) for size in range(1, len(text) + 1)]


@pytest.mark.parametrize(("room", "few"), [(right_edges.ROOM, right_edges.FEW), (1, 0)])
def test_prefixes_count_as_when_each_is_merged_whatever_the_order_of_the_rules(room, few, monkeypatch):
    monkeypatch.setattr(right_edges, "ROOM", room)
    monkeypatch.setattr(right_edges, "FEW", few)
    rng = np.random.default_rng(3)
    for _ in range(N_VOCABULARIES):
        parts, merges = random_rules(rng)
        tokenizer = Tokenizer(byte_level(merges, pre_type="LLAMA3"))
        monkeypatch.setattr(BytePairPipeline, "count_each", None)
        for _ in range(3):
            text = "".join(rng.choice([*parts, " "], 12)).encode()
            assert AppendEncoder(tokenizer).append_each(text).tolist() == counts_of_prefixes(tokenizer, text)


def test_a_piece_that_merging_makes_no_tokens_of_is_encoded():
    tokens = [text for text in BYTE_TOKENS if text != "b"]
    tokenizer = Tokenizer(byte_level(["a b", "ab a"], [*tokens, "aba"], pre_type="LLAMA3"))
    text = b"abab bab abcab aba"
    assert AppendEncoder(tokenizer).append_each(text).tolist() == counts_of_prefixes(tokenizer, text)
