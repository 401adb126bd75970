"""Tokens that wait for a new encoding follow the edits of their text."""

import numpy as np
import pytest
from fake_tokenizer import FakeTokenizer

import guiapp
from guiapp.analysis.editing.live_encoding import LiveEncoding
from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.analysis.editing.token_store import Options, TokenStore
from guiapp.core.encode.encoding import FragmentTokens
from guiapp.kit.document.document import TextDocument
from guiapp.kit.document.live_spans import LiveSpans, compared, move_spans
from guiapp.native.checkpoint import at_checkpoints

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
    move_spans(tokens, TextEdit(start, removed, added, 0))
    assert [tokens.span(index) for index in range(len(tokens))] == expected


def live(document):
    """Spans that follow a document as those of a session do."""
    spans = LiveSpans(document)
    document.written.connect(spans.apply_edit)
    document.edited.connect(lambda edit: spans.catch_up())
    document.selection_changed.connect(spans.expect_edit)
    return spans


def use(spans, tokenizer):
    spans.use(tokenizer, Options())
    spans.catch_up()


@pytest.fixture
def document(qapp):
    return TextDocument(b"one two")


@pytest.fixture
def spans(document, qtbot):
    made = live(document)
    with qtbot.waitSignal(made.encoded):
        use(made, FakeTokenizer())
    yield made
    made.close()


def recorded_signals(spans):
    """The signals, and how many tokens there were each time."""
    signals = []
    for name in ("encoded", "timed", "failed"):
        getattr(spans, name).connect(lambda *given, name=name: signals.append((name, len(spans.tokens))))
    return signals


def size(spans):
    return len(spans.tokens), spans.elapsed_ns, spans.timed_bytes


def test_a_small_edit_is_encoded_at_once_and_a_failure_leaves_nothing(spans, document, qtbot):
    signals = recorded_signals(spans)
    document.replace(7, 7, b" one")
    assert (signals, spans.is_behind) == ([], False)
    assert size(spans)[0] == 4
    with qtbot.waitSignal(spans.failed) as failed:
        document.replace(0, 0, b"unencodable")
        assert spans.is_behind
    assert failed.args == ["This text cannot be encoded. Take the word out."]
    assert signals == [("encoded", 0), ("failed", 0)]
    assert (size(spans), spans.is_behind) == ((0, 0, 0), False)
    assert spans.count_part(0, 3) is None
    with qtbot.waitSignal(spans.encoded):
        document.replace(0, 11, b"")
    assert size(spans) == (4, spans.elapsed_ns, 11)
    assert spans.elapsed_ns > 0


def test_a_part_of_the_text_is_counted_separately(spans, document):
    document.replace(7, 7, b" three")  # <s>, one, two, three
    assert [spans.count_part(*part) for part in ((0, 13), (2, 4))] == [3, 2]


def test_the_text_is_encoded_with_both_and_the_same_options():
    tokenizer = guiapp.open_model("demo:bpe")
    text, shares = b"<|im_start|>unbelievable", []
    for options in (
        Options(True, True, "greedy"),
        Options(False, True, "greedy"),
        Options(True, False, "greedy"),
    ):
        switches = options.add_special, options.parse_special
        comparison = compared(tokenizer, text, options, shares.append)
        assert comparison.n_exact == len(tokenizer.encode(text, *switches))
        assert comparison.share < 1 or comparison.first_difference is None
        other = tokenizer.encode(text, *switches, encoder="greedy")
        assert (comparison.first_difference is None) == (
            other.token_ids.tolist() == tokenizer.encode(text, *switches).token_ids.tolist()
        )
    assert shares == [0.4, 0.8] * 3


def test_work_on_a_text_that_is_gone_stops_between_all_its_steps():
    """Twelve undos across 50 MB had a short text wait for 4 s: a job made all spans before it stopped."""
    tokenizer = guiapp.open_model("demo:bpe")
    text = b"The quick brown fox jumps over the lazy dog. " * 40_000

    def steps(allowed: int) -> int:
        visits = iter(range(allowed))
        encoding = tokenizer.encode(text)
        with at_checkpoints(lambda: next(visits)):
            LiveEncoding(tokenizer, encoding, Options())
        return allowed - len([*visits])

    n_steps = [steps(1000) for _ in range(2)][-1]  # once more than what is made only once
    assert n_steps >= 3
    for allowed in range(n_steps):
        with pytest.raises(StopIteration):
            steps(allowed)
