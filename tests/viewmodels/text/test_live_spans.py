"""Tokens that wait for a new encoding follow the edits of their text."""

import numpy as np
import pytest
from fake_tokenizer import FakeTokenizer

from guiapp.core.editing.options import Options
from guiapp.core.editing.text_buffer import TextEdit
from guiapp.core.editing.token_store import TokenStore
from guiapp.core.encoding import FragmentTokens
from guiapp.viewmodels.text.document import TextDocument
from guiapp.viewmodels.text.live_spans import SMALL, LiveSpans, follow_edit

SPANS = [(0, 0), (0, 4), (4, 6), (6, 9), (9, 9)]  # with tokens before and behind the text


@pytest.mark.parametrize(
    ("start", "removed", "added", "expected"),
    [
        (4, 0, 2, [(0, 0), (0, 4), (6, 8), (8, 11), (11, 11)]),
        (5, 0, 2, [(0, 0), (0, 4), (4, 8), (8, 11), (11, 11)]),
        (5, 2, 0, [(0, 0), (0, 4), (4, 5), (5, 7), (7, 7)]),
        (3, 4, 1, [(0, 0), (0, 3), (3, 6), (6, 6)]),
        (0, 0, 3, [(0, 0), (3, 7), (7, 9), (9, 12), (12, 12)]),
        (9, 0, 3, [(0, 0), (0, 4), (4, 6), (6, 9), (12, 12)]),
        (0, 9, 5, [(0, 0), (5, 5)]),
    ],
)
def test_tokens_are_moved_cut_or_gone(start, removed, added, expected):
    starts, ends = np.array(SPANS, np.int64).T
    tokens = TokenStore(FragmentTokens(np.arange(5, dtype=np.int32), starts, ends), 9)
    follow_edit(tokens, TextEdit(start, removed, added, 0))
    assert [tokens.span(index) for index in range(len(tokens))] == expected


@pytest.mark.parametrize("size", [100, SMALL + 100])
def test_what_is_made_only_once_is_in_no_time_that_is_told(qtbot, size):
    class LazyTokenizer(FakeTokenizer):
        """Makes tables at its first encoding."""

        n_encoded = 0

        def encode(self, *arguments, **named):
            encoding = super().encode(*arguments, **named)
            encoding.elapsed_ns = 643_000_000 if self.n_encoded == 0 else 1000
            self.n_encoded += 1
            return encoding

    spans = LiveSpans(TextDocument(b"one two " * (size // 8)))
    with qtbot.waitSignal(spans.encoded):
        spans.use(LazyTokenizer(), Options())
        spans.encode_again()
    assert spans.encoded_text.elapsed_ns == 1000
    assert spans.encoded_text.timed_bytes == size // 8 * 8


def test_a_text_in_the_place_of_another_one_is_timed_too(qtbot):
    document = TextDocument(b"one two")
    spans = LiveSpans(document)
    with qtbot.waitSignal(spans.encoded):
        spans.use(FakeTokenizer(), Options())
        spans.encode_again()
    with qtbot.waitSignal(spans.timed):
        document.replace(0, document.size, b"three four five")
    assert spans.encoded_text.timed_bytes == document.size
    assert len(spans.encoded_text.tokens) > 0
    spans.timing.wait()
