"""Counts of all prefixes of short texts are those of encoding each, and hardly any is encoded."""

from __future__ import annotations

import numpy as np
import pytest
from pair_vocabularies import byte_level

from guiapp.core.counting import stretch_counts
from guiapp.core.counting.append import MOST_WAITING_BYTES, AppendEncoder
from guiapp.core.counting.stretch_prefixes import count_prefixes_of_long
from guiapp.core.pipelines.byte_pair import BytePairPipeline
from guiapp.core.tokenizer import Tokenizer

MERGES = ["a b", "Ġ a", "Ċ Ċ", "Ġ Ġ", "č Ċ", "ï ¿", "ï¿ ½", "ï¿½ ï¿½", "ã Ģ", "ãĢ Į"]
INDENTS = [*" \n\t", "    ", "\r\n", "\n\n", "def", "'s", "(", "=="]
DIGITS = ["1", "22", "4444", "a", " ", ".", "'ll"]
JAPANESE = ["夏", "目漱石", "「", "」", "。", "\u3000", "\r\n", "\n", "（", "ー", "A"]
OTHERS = ["😀", "👨\u200d👩", "é", "e\u0301", "→", "\ufffd", "\u2028", "\u00a0", " "]
BROKEN = [b"\xff", b"\x80", b"\xe3", b"\xe3\x81", b"\xf0\x9f\x98", b"\xc0\xa0", b"\xed\xa0\x80", "日", "\n"]
PRE_TYPES = ["GPT2", "LLAMA3", "QWEN2", "STARCODER", "DEEPSEEK_CODER", "DEEPSEEK_LLM", "TEKKEN"]


def tokenizer_of(pre_type):
    return Tokenizer(byte_level(MERGES, pre_type=pre_type))


def assert_counts_are_exact(tokenizer, text):
    growing = AppendEncoder(tokenizer)
    counts = growing.append_each(text).tolist()
    assert counts == [len(tokenizer.encode(text[:size])) for size in range(1, len(text) + 1)], text
    assert growing.token_ids.tolist() == tokenizer.encode(text).token_ids.tolist(), text


@pytest.mark.parametrize("pre_type", PRE_TYPES)
def test_counts_are_exact_in_mixes_of_all_that_changes_what_is_before_it(pre_type):
    tokenizer, rng = tokenizer_of(pre_type), np.random.default_rng(4)
    mixes = [INDENTS, DIGITS, JAPANESE, OTHERS, BROKEN, INDENTS + JAPANESE, INDENTS + BROKEN + OTHERS]
    for mix in mixes:
        for _ in range(8):
            chosen = [mix[index] for index in rng.integers(0, len(mix), 20)]
            text = b"".join(part if isinstance(part, bytes) else part.encode() for part in chosen)
            assert_counts_are_exact(tokenizer, text)


@pytest.mark.parametrize("pre_type", ["GPT2", "LLAMA3", "QWEN2", "STARCODER"])
@pytest.mark.parametrize(
    "text",
    [
        "\n\n    def\n        (a)\n  \n \n  a",
        "   ab   ==\r\n\r\nab\t  ab 's",
        "\r\n夏目\r\n（漱石）「」夏。\u3000→😀",
        "\r\n\u3000\u3000（数字）\r\n《「》",
    ],
)
def test_nothing_is_encoded_where_a_character_changes_what_is_before_it(pre_type, text, monkeypatch):
    monkeypatch.setattr(BytePairPipeline, "count_each", None)
    assert_counts_are_exact(tokenizer_of(pre_type), text.encode())


@pytest.mark.parametrize("pre_type", ["GPT2", "LLAMA3", "QWEN2", "STARCODER", "TEKKEN"])
def test_ids_of_stretches_that_were_counted_are_known(pre_type, monkeypatch):
    tokenizer, text = tokenizer_of(pre_type), b"ab  a def (ab)\n\n    ab, 22 ab  \n a" * 3
    expected = tokenizer.encode(text).token_ids.tolist()
    growing, again = AppendEncoder(tokenizer), AppendEncoder(tokenizer)
    growing.append_each(text)
    again.append_each(text)
    monkeypatch.setattr(AppendEncoder, "_encode", None)
    assert growing.token_ids.tolist() == again.token_ids.tolist() == expected


def test_ids_are_those_of_all_text_wherever_it_was_divided():
    tokenizer, text = tokenizer_of("LLAMA3"), "ab 's  夏目\n\nab → ab\r\n".encode() + b"\xff ab" + b"a" * 300
    for at in range(len(text)):
        growing, size = AppendEncoder(tokenizer), 0
        for part in (text[:at], text[at : at + 7], text[at + 7 :]):
            growing.append_each(part)
            size += len(part)
            if part is not text[at : at + 7]:
                assert growing.token_ids.tolist() == tokenizer.encode(text[:size]).token_ids.tolist(), at


def test_ids_of_a_tail_are_not_those_of_one_that_was_as_long():
    tokenizer, text = tokenizer_of("LLAMA3"), b" a" * MOST_WAITING_BYTES
    growing = AppendEncoder(tokenizer)
    growing.append_each(b"ab")
    growing.append(text)
    assert growing.token_ids.tolist() == tokenizer.encode(b"ab" + text).token_ids.tolist()


@pytest.mark.parametrize("pre_type", ["GPT2", "LLAMA3", "QWEN2"])
def test_long_text_without_cuts_is_counted_without_a_look_at_all_tokens(pre_type, monkeypatch):
    monkeypatch.setattr(stretch_counts, "piece_prefixes", pytest.fail)
    tokenizer, rng = tokenizer_of(pre_type), np.random.default_rng(5)
    text = bytes(rng.choice(np.frombuffer(b"abc", np.uint8), 3000))
    counts = AppendEncoder(tokenizer).append_each(text)
    for size in [1, 2, *range(100, 3001, 100)]:
        assert counts[size - 1] == len(tokenizer.encode(text[:size]))


def test_long_text_of_which_pieces_are_not_sure_is_left_to_others():
    tokenizer, text = tokenizer_of("LLAMA3"), np.frombuffer(b"ab" * 200 + b"\xff" + b"ab" * 100, np.uint8)
    assert count_prefixes_of_long(tokenizer.pipeline.own, text) is None
    counts = AppendEncoder(tokenizer).append_each(text.tobytes())
    for size in range(1, len(text), 37):
        assert counts[size - 1] == len(tokenizer.encode(text[:size].tobytes()))
