"""What is timed is judged by the ids that it gives itself."""

from dataclasses import replace

import pytest

from guiapp import open_model
from guiapp.core.bench.contenders.contender import Contender, UnavailableError, ids_only, our_contender
from guiapp.core.bench.operations import METERED, OPERATIONS, SINGLY, Subject, judged_tokens
from guiapp.core.bench.stages import STAGES
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


def fast_subject(**changes):
    ours = our_contender(open_model("demo:bpe"), "fast")
    if wrong := changes.get("counts"):
        count_of, append = ours.part_counter, ours.appender
        ours = replace(
            ours,
            part_counter=lambda text: lambda start, end: count_of(text)(start, end) + wrong,
            appender=lambda text: ([count + wrong for count in append(text)[0]], append(text)[1]),
        )
    if changes.get("ids"):
        append = ours.appender
        ours = replace(ours, appender=lambda text: (append(text)[0], append(text)[1][::-1]))
    return Subject(ours, lambda: ours, [b"How do lions sleep? " * 300], ((0, 10), (3, 9)), threads=2)


@pytest.mark.parametrize("name", [name for name in OPERATIONS if name not in (*STAGES, SINGLY, METERED)])
def test_every_operation_can_be_timed_and_knows_how_many_it_does(name):
    operation = OPERATIONS[name](fast_subject())
    if operation.before:
        operation.before()
    operation.call()
    assert operation.units == (2 if name.endswith("parts") else 1)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("append", {"counts": 1}), ("append", {"counts": -1}), ("append", {"ids": True}),
        ("count parts", {"counts": 1}), ("count parts", {"counts": -1}),
    ],
)  # fmt: skip
def test_what_gives_something_else_is_not_timed(name, change):
    with pytest.raises(UnavailableError, match="not th"):
        OPERATIONS[name](fast_subject(**change))


@pytest.mark.parametrize("name", ["encode batch", "decode", "append", "count parts", *STAGES])
def test_what_a_contender_cannot_do_is_said(name):
    made = replace(contender(None), decode=None)
    with pytest.raises(UnavailableError, match=r"cannot|at a time|no stage"):
        OPERATIONS[name](Subject(made, lambda: made, [b"x"]))


def test_a_worker_tells_the_ids_of_the_batch(monkeypatch):
    worker = Worker("demo:bpe", "fast")
    monkeypatch.setattr(
        "guiapp.core.bench.worker.our_contender",
        lambda tokenizer, name: contender(lambda texts, threads: [text[1:] for text in texts]),
    )
    worker.load()
    assert worker.prepare("encode batch", TEXTS, (), 1).ids.tolist() == list(b"ne.wo words")
