"""What a contender does with texts, and who can do what."""

import threading

import numpy as np
import pytest

from guiapp import open_model
from guiapp.core.bench.contenders.contender import (
    Contender,
    as_split,
    as_str,
    ids_only,
    on_threads,
    our_contender,
    split_name,
)
from guiapp.core.bench.operations import OPERATIONS, Subject, encode_all, judged_tokens
from guiapp.core.tokenizer import Tokenizer


@pytest.fixture(scope="module")
def tokenizer():
    return open_model("demo:bpe")


def test_names_say_who_splits():
    assert split_name("heap") == ("heap", True)
    assert split_name("heap (unsplit)") == ("heap", False)


def test_ids_become_arrays_and_bytes_text():
    tokens = ids_only([1, 2, 3])
    assert (tokens.ids.tolist(), tokens.ids.dtype, tokens.spans) == ([1, 2, 3], np.int32, None)
    assert as_str(b"a\xffb") == "a\ufffdb"


def test_a_text_is_split_or_one_piece(tokenizer):
    assert as_split(tokenizer, True) is tokenizer
    text = b"don't  stop"
    whole, one_piece = (
        each.encode(text, False, False).token_ids.tolist()
        for each in (as_split(tokenizer, False), tokenizer.without_splitting())
    )
    assert whole == one_piece


@pytest.mark.parametrize(("n_threads", "are_others"), [(1, False), (2, True)])
def test_many_texts_are_encoded_in_order_on_threads_of_their_own(n_threads, are_others):
    names = set()

    def encode(number: int) -> int:
        names.add(threading.current_thread().name)
        return -number

    for n_texts in (0, 1, 2, 100):
        assert on_threads(encode)(list(range(n_texts)), n_threads) == [-each for each in range(n_texts)]
    assert (threading.current_thread().name not in names) is are_others
    assert len(names) <= n_threads * 4


def test_texts_go_to_threads_in_an_eighth_of_its_share_at_once(monkeypatch):
    shares = []

    class Pool:
        def __init__(self, n_threads):
            self.n_threads = n_threads

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def map(self, call, texts, chunksize):
            shares.append((self.n_threads, chunksize))
            return map(call, texts)

    monkeypatch.setattr("guiapp.core.bench.contenders.contender.ThreadPoolExecutor", Pool)
    for n_texts in (3, 160, 200):
        on_threads(str)(list(range(n_texts)), 5)
    assert shares == [(5, 1), (5, 4), (5, 5)]


def test_our_contender_adds_and_finds_no_special_tokens(tokenizer):
    ours = our_contender(tokenizer, "heap")
    text = b"a <think> <|begin_of_text|> b"
    tokens = ours.tokens(ours.encode(ours.take_text(bytearray(text))))
    wanted = tokenizer.encode(text, add_special=False, parse_special=False)
    assert tokens.ids.tolist() == wanted.token_ids.tolist()
    assert tokens.spans.tolist() == wanted.spans.tolist()
    rows = [ours.row_tokens(row) for row in ours.encode_batch([text, b"c"], 2)]
    assert rows[0].ids.tolist() == tokens.ids.tolist()
    assert (len(rows), rows[0].spans) == (2, None)
    ids = ours.take_ids(wanted.token_ids[::-1])
    assert ids.flags.c_contiguous
    assert ours.decode(ours.take_ids(wanted.token_ids)) == text
    assert next(iter(ours.stages(text))) == "partition"
    assert ours.other_vocabulary == ""


def test_batches_and_single_texts_are_of_the_encoder_that_is_asked_for(tokenizer):
    text = b"How do lions sleep in the tutorial? " * 3
    greedy, exact = (our_contender(tokenizer, name) for name in ("greedy", "fast"))
    found, wanted = (encode_all(each, [text]).ids.tolist() for each in (greedy, exact))
    assert found == tokenizer.encode(text, False, False, "greedy").token_ids.tolist() != wanted
    assert judged_tokens("encode batch", Subject(greedy, lambda: greedy, [text])).spans is not None


def test_one_thread_encodes_and_tables_are_made_while_loading(tokenizer, monkeypatch):
    n_threads = []
    monkeypatch.setattr(Tokenizer, "make_tables", lambda self: n_threads.append(self.n_threads))
    our_contender(tokenizer.with_threads(3), "heap")
    assert n_threads == [1]


def test_counting_belongs_to_the_default_encoder(tokenizer):
    fast, heap = (our_contender(tokenizer, name) for name in ("fast", "heap"))
    assert (heap.appender, heap.part_counter) == (None, None)
    text = "A <think> <|begin_of_text|> of 汉字.".encode()
    counts, ids = fast.appender(text)
    ends = [*range(4, len(text), 4), len(text)]
    encoded = [tokenizer.encode(text[:end], False, False).token_ids.tolist() for end in ends]
    assert counts == [len(each) for each in encoded]
    assert ids.tolist() == encoded[-1]
    count = fast.part_counter(text)
    assert [count(2, end) for end in (2, 9, 27)] == [
        len(tokenizer.encode(text[2:end], False, False).token_ids) for end in (2, 9, 27)
    ]


class Recorder:
    """A contender of letters that knows what it was asked; its ids are the bytes."""

    def __init__(self) -> None:
        self.asked: list[tuple[object, ...]] = []

    def note(self, *what: object) -> object:
        self.asked.append(what)
        return what[-1]

    def contender(self, **changes) -> Contender:
        return Contender(
            **{
                "encode": lambda text: self.note("encode", text),
                "take_text": lambda text: list(text),
                "tokens": ids_only,
                "decode": lambda ids: self.note("decode", ids),
                "encode_batch": lambda texts, threads: self.note("batch", threads, texts),
                **changes,
            }
        )

    def calls_of(self, operation: str, texts: list[bytes], **changes) -> tuple[int, list[object]]:
        """The units of an operation and what one call of it asks."""
        made = self.contender(**changes)

        def rebuild() -> Contender:
            self.note("rebuild", None)
            return made

        timed = OPERATIONS[operation](Subject(made, rebuild, texts, ((0, 1), (1, 3), (0, 3)), 7))
        self.asked.clear()
        if timed.before is not None:
            timed.before()
            self.note("time", None)
        timed.call()
        return timed.units, self.asked


@pytest.mark.parametrize(
    ("operation", "texts", "units", "asked"),
    [
        ("encode", [b"ab"], 1, [("encode", [97, 98])]),
        ("encode each", [b"a", b"b"], 2, [("encode", [97]), ("encode", [98])]),
        ("encode first", [b"a"], 1, [("rebuild", None), ("time", None), ("encode", [97])]),
        ("encode batch", [b"a", b"b"], 1, [("batch", 7, [[97], [98]])]),
        ("decode", [b"a", b"b"], 1, [("decode", [97, 98])]),
        ("encode parts", [b"abc"], 3, [("encode", [97]), ("encode", [98, 99]), ("encode", [97, 98, 99])]),
    ],
)
def test_each_operation_asks_only_for_what_is_timed(operation, texts, units, asked):
    assert Recorder().calls_of(operation, texts) == (units, asked)


def test_parts_are_counted_one_after_the_other():
    recorder = Recorder()
    counted = recorder.calls_of(
        "count parts",
        [b"abc"],
        part_counter=lambda text: lambda start, end: recorder.note("count", start, end) - start,
    )
    assert counted == (3, [("count", 0, 1), ("count", 1, 3), ("count", 0, 3)])


def appends(wrong_at: int | None):
    """Counts after each four bytes, one of them wrong."""

    def append(text: bytes):
        counts = [min(end, len(text)) for end in range(4, len(text) + 4, 4)]
        if wrong_at is not None:
            counts[wrong_at] += 1
        return counts, np.array(list(text), np.int32)

    return append


@pytest.mark.parametrize("wrong_at", [0, 1, 24, 25])
def test_counts_while_appending_are_compared_from_the_first_to_the_last(wrong_at):
    text = b"abc" * 34  # whose last part is shorter
    assert Recorder().calls_of("append", [text], appender=appends(None))[0] == 1
    size = min((wrong_at + 1) * 4, 102)
    with pytest.raises(Exception, match=f"count after {size} bytes"):
        Recorder().calls_of("append", [text], appender=appends(wrong_at))


def test_fifty_of_many_counts_are_compared():
    recorder = Recorder()
    made = recorder.contender(appender=appends(None))
    OPERATIONS["append"](Subject(made, lambda: made, [b"a" * 800]))
    sizes = [len(text) for _, text in recorder.asked]
    assert sizes == [800, *((int(at) + 1) * 4 for at in np.linspace(0, 199, 50))]


def test_spans_of_several_texts_are_those_of_all_together(tokenizer):
    ours = our_contender(tokenizer, "fast")
    tokens = encode_all(ours, [b"ab", b"", b"c d"])
    assert tokens.spans[0, 0] == 0
    assert [start for start, _ in tokens.spans.tolist()][-2:] == [2, 3]
    assert tokens.spans[-1].tolist() == [3, 5]
    assert encode_all(Recorder().contender(), [b"ab", b"c"]).spans is None
