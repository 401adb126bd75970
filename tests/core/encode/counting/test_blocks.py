"""Texts are read no further than the answer takes."""

from io import BytesIO

import guiapp
from guiapp.core.encode.counting.blocks import blocks_from
from guiapp.core.encode.counting.growing import count_blocks


def test_blocks_grow_up_to_some_size():
    asked = []
    text = BytesIO(b"x" * 1_000_000)

    def read(size):
        asked.append(size)
        return text.read(size)

    assert b"".join(blocks_from(read)) == b"x" * 1_000_000
    doubled = [4096 << step for step in range(7)]
    assert asked[:9] == [*doubled, 1 << 18, 1 << 18]
    assert list(blocks_from(BytesIO(b"").read)) == []


def test_blocks_behind_a_sure_answer_are_not_asked_for():
    def blocks(n_words):
        for _ in range(5):
            asked.append(n_words)
            yield b"lions " * n_words

    tokenizer = guiapp.open_model("demo:bpe")
    for n_words, limit, n_asked in ((1000, 10, 1), (1000, None, 5), (1, 2, 5)):
        asked = []
        n_tokens = len(tokenizer.encode(b"lions " * n_words * 5))
        expected = n_tokens if limit is None or n_tokens <= limit else None
        assert count_blocks(tokenizer, blocks(n_words), limit, True, True) == expected
        assert len(asked) == n_asked
