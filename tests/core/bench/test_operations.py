"""What is timed is judged by the ids that it gives itself."""

import pytest

from guiapp import open_model
from guiapp.core.bench.contenders import Contender, ids_only, our_contender
from guiapp.core.bench.operations import Subject, judged_tokens
from guiapp.core.bench.worker import Worker

TEXTS = (b"One.", b"Two words", b"")


def contender(encode_batch):
    return Contender(
        list, take_text=bytes, tokens=lambda given: ids_only(list(given)), encode_batch=encode_batch
    )


def subject(encode_batch):
    made = contender(encode_batch)
    return Subject(made, lambda: made, TEXTS, threads=2)


def test_a_batch_that_loses_tokens_is_judged_by_what_it_gives():
    lossy = subject(lambda texts, threads: [text[:threads] for text in texts])
    assert judged_tokens("encode batch", lossy).ids.tolist() == list(b"OnTw")
    assert judged_tokens("encode each", lossy).ids.tolist() == list(b"One.Two words")


@pytest.mark.parametrize("encoder", ["fast", "greedy"])
def test_our_batches_are_those_of_single_texts_and_their_spans_are_known(encoder):
    ours = our_contender(open_model("demo:bpe"), encoder)
    tokens = judged_tokens("encode batch", Subject(ours, lambda: ours, TEXTS, threads=2))
    rows = [ours.row_tokens(row).ids.tolist() for row in ours.encode_batch(list(TEXTS), 2)]
    assert tokens.ids.tolist() == [token for row in rows for token in row]
    assert tokens.spans[-1].tolist() == [7, 13]


def test_a_worker_tells_the_ids_of_the_batch(monkeypatch):
    worker = Worker("demo:bpe", "fast")
    monkeypatch.setattr(
        "guiapp.core.bench.worker.our_contender",
        lambda tokenizer, name: contender(lambda texts, threads: [text[1:] for text in texts]),
    )
    worker.load()
    assert worker.prepare("encode batch", TEXTS, (), 1).ids.tolist() == list(b"ne.wo words")
