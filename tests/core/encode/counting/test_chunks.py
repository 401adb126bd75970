"""Chunks cover the text, hold no more tokens than allowed, and none could be longer."""

import random
from contextlib import suppress
from functools import partial
from itertools import accumulate, combinations, pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from model_files import ALL_MODELS, opened, special_texts
from pair_vocabularies import sentence_piece
from random_texts import random_texts
from watched_tokenizer import recording_tokenizer

import guiapp
from guiapp.core.encode.counting import chunks as module
from guiapp.core.encode.counting.chunks import (
    LEVELS,
    LOOK_BEYOND,
    Chunk,
    IntervalCounter,
    _last_fitting,
    boundaries,
    chunk_blocks,
    chunk_text,
)
from guiapp.core.encode.counting.growing import encoded_parts
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Rules
from guiapp.errors import EncodeError

N_TEXTS = 8
LONGEST_TEXT = 80  # bytes; what is expected is found by trying everything
FEW_WORDS = Tokenizer(
    sentence_piece(
        {"<unk>": 0, "a": -9, "b": -9, "▁": -9, ".": -9, "ab": -1, "▁a": -2, "aba": -3},
        rules=Rules(escape_spaces=True),
    )
)
SEPARATORS = [".", "...", "!\u201d", "\u3002\u300d", "\u3000", "\n", "\n  \n", "\r", "\r\n", " \t ", '"']
SEPARATORS = [*(separator.encode() for separator in SEPARATORS), b"\xe3\x80", b"\x82"]
SENTENCES = b"The quick brown fox jumps over the lazy dog. Then it sleeps!\nSo do we, all day long.\n" * 3


@pytest.mark.parametrize("model", ALL_MODELS)
def test_chunks_cover_the_text_and_are_maximal(model):
    tokenizer = opened(model)
    for index, text in enumerate(random_texts(11, N_TEXTS)):
        text, by, rng = text[:LONGEST_TEXT], LEVELS[index % 4], random.Random(index)
        max_tokens = rng.choice((5, 8, 20))
        overlap = rng.choice((0, rng.randrange(max_tokens)))
        covered, start_before = 0, -1
        for chunk in chunk_text(tokenizer, text, max_tokens, overlap, by):
            story = (text, by, max_tokens, overlap, chunk)
            assert start_before < chunk.start <= covered < chunk.end, story
            assert chunk.start == covered or count(tokenizer, text, chunk.start, covered) <= overlap, story
            assert chunk.n_tokens == count(tokenizer, text, chunk.start, chunk.end) <= max_tokens, story
            ends = (
                farthest_by_trying(tokenizer, text, chunk.start, level, max_tokens)
                for level in LEVELS[LEVELS.index(by) :]
            )
            assert chunk.end == next(end for end in ends if end is not None), story
            covered, start_before = chunk.end, chunk.start
        assert covered == len(text)


@pytest.mark.parametrize("model", ALL_MODELS)
def test_chunks_by_sections_are_those_of_the_whole_text(model, monkeypatch):
    tokenizer, n_sections, rng = opened(model), 0, random.Random(3)
    for by in LEVELS:
        dwelt_on = [
            *special_texts(tokenizer, 20),
            *(rng.choice(SEPARATORS) * rng.choice((1, 9)) for _ in range(20)),
        ]
        text = b"".join(random_texts(rng.random(), 10, dwelt_on))
        options = rng.choice((12, 20)), rng.choice((0, 5)), by, rng.random() < 0.7
        n_sections += check_sections(tokenizer, text, options, rng.choice((1, 3, 20)), monkeypatch)
    assert n_sections > 10


@pytest.mark.parametrize(
    ("model", "text", "by"),
    [
        ("demo:spm", '。。”””””””””...。」\r\n\ufffd\t  \t  \t  \t  \t  \t \n  \na”"\n', "line"),
        ("demo:wordpiece", f"{9 * '。'}{9 * '”'}{9 * '!”'}!”{9 * chr(13)}", "line"),
        ("demo:rwkv", "\r\n" * 9, "sentence"),
        ("demo:rwkv", "\r\n" * 8 + "\n\ufffd\ufffd", "sentence"),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 20])
def test_long_runs_of_separators_between_sections_change_nothing(model, text, by, size, monkeypatch):
    for max_tokens, overlap in ((4, 0), (4, 2), (9, 2)):
        check_sections(opened(model), text.encode(), (max_tokens, overlap, by), size, monkeypatch)


def check_sections(tokenizer, text, options, size, monkeypatch):
    """Compare small sections, of blocks of a size, with one that holds all; how many there were."""
    monkeypatch.setattr(module, "WINDOW_BYTES", 1)
    monkeypatch.setattr(module, "encoded_parts", partial(encoded_parts, least_bytes=1))
    sections, results = [], []
    monkeypatch.setattr(
        module, "IntervalCounter", lambda *given: sections.append(1) or IntervalCounter(*given)
    )
    blocks = [text[start : start + size] for start in range(0, len(text), size)]
    for parts, section_bytes in (([text], len(text)), (blocks, 1)):
        sections.clear()
        results.append([])
        with suppress(EncodeError):
            for chunk, chunk_bytes in chunk_blocks(tokenizer, parts, *options, section_bytes=section_bytes):
                assert text[chunk.start : chunk.end] == chunk_bytes
                results[-1].append(chunk)
    assert results[0] == results[1], (text, options)
    return len(sections)


@given(
    text=st.text(alphabet="ab .", max_size=40),
    sizes=st.integers(1, 6).flatmap(lambda most: st.tuples(st.just(most), st.integers(0, most - 1))),
    by=st.sampled_from(LEVELS),
)
@example(text="b b  ", sizes=(3, 2), by="word")  # no word more fits behind the last one
@example(text="ab" * 20, sizes=(2, 1), by="character")
def test_chunks_advance_and_cover_the_text_with_any_overlap(text, sizes, by):
    chunks = chunk_text(FEW_WORDS, text, *sizes, by)
    for before, after in pairwise(chunks):
        assert before.start < after.start <= before.end < after.end
    assert (chunks[0].start, chunks[-1].end) == (0, len(text)) if text else not chunks


@pytest.mark.parametrize("by", LEVELS)
@pytest.mark.parametrize(("max_tokens", "overlap"), [(30, 0), (30, 1), (30, 12), (40, 39)])
def test_as_much_overlaps_as_is_allowed(max_tokens, overlap, by):
    tokenizer = guiapp.open_model("demo:bpe")
    chunks = chunk_text(tokenizer, SENTENCES, max_tokens, overlap, by)
    for before, after in pairwise(chunks):
        allowed = (
            start
            for start in boundaries(SENTENCES, by).tolist()
            if before.start < start < before.end
            and count(tokenizer, SENTENCES, start, before.end) <= overlap
            and (farthest_by_trying(tokenizer, SENTENCES, start, by, max_tokens) or 0) > before.end
        )
        assert after.start == (next(allowed, before.end) if overlap else before.end)


def count(tokenizer, text, start, end):
    return len(tokenizer.encode(text[start:end], add_special=False))


def farthest_by_trying(tokenizer, text, start, level, max_tokens):
    """The farthest boundary that fits; None where none does."""
    ends = IntervalCounter(tokenizer, text).outside_special_tokens(boundaries(text, level)).tolist()
    fits = (end for end in ends[::-1] if end > start and count(tokenizer, text, start, end) <= max_tokens)
    return next(fits, None)


def test_a_chunk_reaches_beyond_a_place_that_does_not_fit():
    vocabulary = sentence_piece(
        {"<unk>": 0, "a": -9, "b": -9, "c": -9, "d": -9, "abcd": -1, "ab": -2, "abc": -3},
        rules=Rules(escape_spaces=True),
    )
    tokenizer = Tokenizer(vocabulary)
    counts = [count(tokenizer, b"dabcd", 0, end) for end in range(1, 6)]
    assert counts == [1, 2, 2, 2, 2]
    assert chunk_text(tokenizer, b"dabcd", 2) == [Chunk(0, 5, 2)]


def test_the_text_of_a_special_token_is_not_split():
    tokenizer = guiapp.open_model("demo:bpe")
    text = b"one<|im_end|>two<|im_end|>"
    chunks = chunk_text(tokenizer, text, 1)
    assert b"<|im_end|>" in [text[chunk.start : chunk.end] for chunk in chunks]
    assert len(chunk_text(tokenizer, text, 1, parse_special=False)) > len(chunks)


def test_a_chunk_may_end_between_special_tokens_of_which_the_text_has_only_one():
    vocabulary = sentence_piece({"<unk>": 0, "b": -1, "xa": 0, "ab": 0}, rules=Rules())
    vocabulary.attributes[2:] = Attribute.USER_DEFINED.value
    tokenizer = Tokenizer(vocabulary)
    assert tokenizer.encode(b"xab").token_ids.tolist() == [2, 1]
    assert chunk_text(tokenizer, b"xab", 1) == [Chunk(0, 2, 1), Chunk(2, 3, 1)]


def test_what_does_not_fit_as_a_whole_is_cut_at_the_next_finer_place():
    tokenizer = guiapp.open_model("demo:bpe")
    chunks = chunk_text(tokenizer, SENTENCES, 12, by="line")
    ends = {
        offset for level in ("line", "sentence", "word") for offset in boundaries(SENTENCES, level).tolist()
    }
    assert {chunk.end for chunk in chunks} <= ends
    assert len(chunk_text(tokenizer, b"x" * 50, 3, by="line")) > 1


def test_long_text_without_cuts_is_divided_in_a_moment():
    tokenizer = guiapp.open_model("demo:spm")
    chunks = chunk_text(tokenizer, b"a" * 20_000, 500)
    assert sum(chunk.end - chunk.start for chunk in chunks) == 20_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_tokens": 0}, "at least 1"),
        ({"max_tokens": 4, "overlap": 4}, "Choose 0 to 3"),
        ({"max_tokens": 4, "overlap": -1}, "Choose 0 to 3"),
        ({"max_tokens": 4, "by": "page"}, "line, sentence, word, character"),
        ({"max_tokens": 1, "overlap": 1}, "Choose 0 to 0"),
        ({"max_tokens": -1}, "at least 1"),
        ({"max_tokens": 1}, "character at byte 4 alone has 3 tokens"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    with pytest.raises(EncodeError, match=message):
        chunk_text(guiapp.open_model("demo:bpe"), "abc 🧿", **options)


@given(size=st.integers(0, 300), n_fitting=st.integers(0, 300), beyond=st.integers(1, LOOK_BEYOND))
def test_the_last_fit_is_found_beyond_some_that_do_not_fit(size, n_fitting, beyond):
    n_fitting = min(size, n_fitting)
    asked = []

    def fits(index):
        asked.append(index)
        assert 0 <= index < size
        return index < n_fitting or index == n_fitting - 1 + beyond

    expected = n_fitting - 1 + beyond if n_fitting - 1 + beyond < size else n_fitting - 1
    assert _last_fitting(fits, size) == expected
    assert len(asked) == len(set(asked)) <= 2 * LOOK_BEYOND + 20


def parts(text, level):
    data = text if isinstance(text, bytes) else text.encode()
    offsets = [0, *boundaries(data, level).tolist()]
    return [data[start:end].decode("utf-8", "replace") for start, end in pairwise(offsets)]


@pytest.mark.parametrize(
    ("level", "text", "expected"),
    [
        ("line", "a\r\nb\n\nc\rd", ["a\r\n", "b\n", "\n", "c\r", "d"]),
        ("word", "one  two\nthree\u3000four ", ["one", "  two", "\nthree", "\u3000four", " "]),
        (
            "sentence",
            "It costs 3.50. “Really?” Yes... no",
            ["It costs 3.50.", " “Really?”", " Yes...", " no"],
        ),
        ("sentence", "今日は。「はい！」と言う", ["今日は。", "「はい！」", "と言う"]),
        ("sentence", "A heading\n \nThe text", ["A heading", "\n \nThe text"]),
        ("character", "aé汉🚀", ["a", "é", "汉", "🚀"]),
        ("character", b"a\xe6\xb1\xff", ["a", "\ufffd", "\ufffd", "\ufffd"]),
    ],
)
def test_parts_are_what_readers_expect(level, text, expected):
    assert parts(text, level) == expected


@given(text=st.binary() | st.text(alphabet="ab \n\r.!?。”\u3000é").map(str.encode))
@pytest.mark.parametrize("level", LEVELS)
def test_boundaries_rise_to_the_end_and_lie_between_characters(level, text):
    offsets = boundaries(text, level).tolist()
    assert offsets == sorted(set(offsets))
    assert offsets[-1:] == ([len(text)] if text else [])
    assert 0 not in offsets
    assert set(offsets) <= set(boundaries(text, "character").tolist())


@given(st.text("a\x7f\x80\u07ff\u0800\uffff\U00010000😀\udc80\udcff"))
def test_characters_end_where_their_bytes_end(text):
    data = text.encode("utf-8", "surrogateescape")
    sizes = [len(each.encode("utf-8", "surrogateescape")) for each in data.decode("utf-8", "surrogateescape")]
    assert boundaries(data, "character").tolist() == list(accumulate(sizes))


def test_a_long_run_of_marks_takes_no_time():
    assert parts("." * 1_000_000 + "x", "sentence") == ["." * 1_000_000 + "x"]


N_TEXTS_INTERVAL, N_PARTS = 25, 10
N_SPECIAL = 60  # that are mixed into texts


@pytest.mark.parametrize("model", ALL_MODELS)
def test_counts_equal_encoding_the_part_alone(model):
    tokenizer = opened(model)
    special = special_texts(tokenizer, N_SPECIAL)
    for index, text in enumerate(random_texts(9, N_TEXTS_INTERVAL, special)):
        rng = random.Random(index)
        if rng.random() < 0.5:
            text = b" and the other day. ".join([text, text])
        parse_special = rng.random() < 0.7
        counter = IntervalCounter(tokenizer, text, parse_special)
        for _ in range(N_PARTS):
            start = rng.choice((0, rng.randrange(len(text) + 1)))
            end = rng.choice((len(text), rng.randrange(start, len(text) + 1)))
            expected = tokenizer.encode(text[start:end], False, parse_special)
            assert counter.count(start, end) == len(expected), (text, start, end, parse_special)


@given(st.text(alphabet="ab ﷺ½ﬁ.\n", max_size=10))
@example(text="bﷺ theﬁ\nx")
def test_so_they_do_where_a_character_becomes_several_words(text):
    tokenizer = opened("demo:unigram")
    counter, data = IntervalCounter(tokenizer, text), text.encode()
    ends = [0, *boundaries(data, "character").tolist()]
    for start, end in combinations(ends, 2):
        assert counter.count(start, end) == count(tokenizer, data, start, end), (text, start, end)


@pytest.mark.parametrize("model", ["demo:bpe", "demo:spm", "demo:wordpiece", "demo:unigram", "demo:rwkv"])
def test_a_long_part_costs_as_little_as_a_short_one(model):
    tokenizer = recording_tokenizer(model)
    text = b"The quick brown fox jumps over the lazy dog. " * 2000
    counter = IntervalCounter(tokenizer, text)
    expected = len(tokenizer.encode(text[11:80_011], add_special=False))
    assert counter.count(11, 80_011) == expected
    assert sum(tokenizer.encoded) < 200


def test_offsets_within_special_tokens_are_left_out():
    text = b"a<|im_start|>b<|im_start|>"
    counter = IntervalCounter(guiapp.open_model("demo:bpe"), text)
    assert counter.outside_special_tokens(np.arange(len(text) + 1)).tolist() == [0, 1, 13, 14, 26]
    unparsed = IntervalCounter(guiapp.open_model("demo:bpe"), text, parse_special=False)
    assert unparsed.outside_special_tokens(np.arange(len(text) + 1)).tolist() == list(range(27))
    assert counter.n_tokens == 4
    assert [counter.n_tokens_before(at) for at in (0, 1, 2, 13, 14, 26)] == [0, 1, 2, 2, 3, 4]


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (2, 1), (0, 4)])
def test_what_is_no_part_is_refused(start, end):
    with pytest.raises(ValueError, match="not a part"):
        IntervalCounter(guiapp.open_model("demo:toy"), b"abc").count(start, end)
