"""What is timed: judged by the ids that it gives itself, and refused where it gives others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from guiapp import open_model
from guiapp.analysis.bench.operations import (
    MOST_CALLS,
    N_SINGLE,
    OPERATIONS,
    SINGLY,
    Clock,
    OperationInput,
    TimedOperation,
    calls_per_sample,
    compared_tokens,
    take_sample,
)
from guiapp.analysis.libraries.contender import Contender, UnavailableError, ids_only, our_contender

TEXTS = (b"One.", b"Two words", b"")


def contender(encode_batch):
    return Contender(
        list, take_text=bytes, tokens=lambda given: ids_only(list(given)), encode_batch=encode_batch
    )


def subject(made, *texts, threads=1):
    return OperationInput(made, lambda: made, texts, threads)


def test_a_batch_is_compared_by_the_tokens_it_returns():
    lossy = subject(contender(lambda texts, threads: [text[:threads] for text in texts]), *TEXTS, threads=2)
    assert compared_tokens("encode batch", lossy).ids.tolist() == list(b"OnTw")
    assert compared_tokens("encode each", lossy).ids.tolist() == list(b"One.Two words")


@pytest.mark.parametrize("encoder", ["fast", "greedy"])
def test_our_batches_are_those_of_single_texts_and_their_spans_are_known(encoder):
    tokenizer = open_model("demo:bpe")
    ours = our_contender(tokenizer, encoder)
    tokens = compared_tokens("encode batch", subject(ours, *TEXTS, threads=2))
    expected = [tokenizer.encode(text, False, False, encoder).token_ids.tolist() for text in TEXTS]
    assert tokens.ids.tolist() == [token for ids in expected for token in ids]
    assert tokens.spans[-1].tolist() == [7, 13]


def appending(wrong_at=None, ids=None):
    """A contender of which a count, or its ids, are wrong; its ids are the bytes."""

    def append(text: bytes):
        counts = [min(end, len(text)) for end in range(4, len(text) + 4, 4)]
        if wrong_at is not None:
            counts[wrong_at] += 1
        return counts, ids_only(list(text) if ids is None else ids).ids

    return replace(contender(None), appender=append)


def test_counts_while_appending_are_compared_from_the_first_to_the_last():
    text = b"abc" * 34  # whose last part is shorter
    OPERATIONS["append"](subject(appending(), text)).call()
    for wrong_at in (0, 1, 24, 25):
        with pytest.raises(UnavailableError, match=f"After {min((wrong_at + 1) * 4, 102)} bytes"):
            OPERATIONS["append"](subject(appending(wrong_at), text))
    with pytest.raises(UnavailableError, match="differ from the ids of the whole text"):
        OPERATIONS["append"](subject(appending(ids=[1, 2]), text))


@pytest.mark.parametrize("name", [name for name in OPERATIONS if name != SINGLY])
def test_every_operation_can_be_timed_and_knows_how_many_it_does(name):
    texts = TEXTS[:2] if name in ("encode each", "encode batch") else TEXTS[:1]
    operation = OPERATIONS[name](subject(our_contender(open_model("demo:bpe"), "fast"), *texts))
    operation.call()
    assert operation.units == (2 if name == "encode each" else 1)


def test_single_calls_are_timed_one_by_one_with_texts_that_a_new_contender_has_not_seen():
    seen: list[bytes] = []
    old, new = (Contender(encode, bytes, ids_only) for encode in (pytest.fail, seen.append))
    texts = [f"text {number}".encode() for number in range(2 * N_SINGLE + 1)]
    operation = OPERATIONS[SINGLY](OperationInput(old, lambda: new, texts))
    assert seen == texts[:1]
    samples = [take_sample(operation, calls_per_sample(operation)) for _ in range(2)]
    assert seen == texts, "none comes twice as long as there are others"
    assert [len(sample.calls_s) for sample in samples] == [N_SINGLE, N_SINGLE]
    assert all(sum(sample.calls_s) <= sample.wall_s * N_SINGLE for sample in samples)


class FakeTime:
    """Time that passes only when the operation runs: so much on the wall, half of it on the processor."""

    def __init__(self, call_ns: int) -> None:
        self.now_ns = 0
        self.call_ns = call_ns
        self.clock = Clock(lambda: self.now_ns, lambda: self.now_ns // 2)

    def call(self) -> None:
        self.now_ns += self.call_ns


def test_short_calls_are_repeated_until_the_clock_is_fine_enough():
    time = FakeTime(10_000)
    assert calls_per_sample(TimedOperation(time.call, units=3), time.clock) == 512
    assert calls_per_sample(TimedOperation(FakeTime(10**9).call), time.clock) == MOST_CALLS
    slow = FakeTime(10**9)
    assert calls_per_sample(TimedOperation(slow.call), slow.clock) == 1
