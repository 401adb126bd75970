"""One text in tokens of several models, from Python."""

import os
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import guiapp
from guiapp.analysis.compare import comparison as words_module
from guiapp.analysis.compare.comparison import (
    NO_LETTER,
    ModelSide,
    compare_text,
    context_length_of,
    count_words,
    counts_of,
    fewest_tokens,
    names_apart,
    words_of,
)
from guiapp.analysis.compare.id_changes import compare_ids, notes
from guiapp.analysis.compare.texts_report import svg_text
from guiapp.analysis.tree.picture import SCRIPT_NAMES

TEXT = "Hello worlds, naïve 汉字 don't"
MODELS = ("demo:bpe", "demo:spm", "demo:wordpiece")


@pytest.mark.parametrize("model", ["demo:bpe", b"m.gguf", Path("m.gguf")])
def test_one_model_is_no_list_of_them(model):
    with pytest.raises(TypeError, match="list of models"):
        guiapp.compare(model, "a")


def test_a_difference_has_the_ids_of_each_model_in_it():
    result = guiapp.compare(MODELS, TEXT)
    assert len(result.spans.differences) > 3
    for row, (start, end) in enumerate(result.spans.differences.tolist()):
        for encoding, ids in zip(result.encodings, result.difference_ids(row), strict=True):
            inside = (encoding.spans[:, 0] >= start) & (encoding.spans[:, 1] <= end)
            empty = encoding.spans[:, 0] == encoding.spans[:, 1]
            expected = encoding.token_ids[inside & (empty == (start == end))]
            assert ids == expected.tolist()


def test_sides_may_be_one_model_with_different_encode_options():
    tokenizer = guiapp.open_model("demo:bpe")
    sides = [
        ModelSide("exact", tokenizer),
        ModelSide("greedy", tokenizer, "greedy"),
        ModelSide("bare", tokenizer, None, add_special=False),
        ModelSide("as text", tokenizer, None, parse_special=False),
    ]
    result = compare_text(sides, "<|im_end|> unbelievable")
    assert [len(each) for each in result.encodings] == [
        len(tokenizer.encode("<|im_end|> unbelievable", *switches))
        for switches in ((), (True, True, "greedy"), (False,), (True, False))
    ]
    assert result.spans.differences[0].tolist() == [0, 0]  # no BOS


def test_switches_of_all_models_and_text_that_is_no_utf_8():
    text = b"\xff <|im_end|>"
    result = guiapp.compare(["demo:bpe", "demo:rwkv"], text, add_special=False, parse_special=False)
    assert result.text_bytes == text
    for side, encoding in zip(result.sides, result.encodings, strict=True):
        assert encoding.token_ids.tolist() == side.tokenizer.encode(text, False, False).token_ids.tolist()


@pytest.mark.parametrize("count", [0, 256])
def test_no_models_and_too_many_are_refused_in_a_sentence(count):
    with pytest.raises(guiapp.EncodeError, match=f"{count} models cannot be compared"):
        guiapp.compare([guiapp.open_model("demo:toy")] * count, "")


FOLDER = f"some{os.sep}folder"


@pytest.mark.parametrize(
    ("models", "chosen", "names"),
    [
        (["demo:bpe", "a.gguf"], ["", ""], ["demo:bpe", "a"]),
        ([f"{FOLDER}{os.sep}a.gguf", f"{FOLDER}{os.sep}"], ["", "qwen2"], ["a", "folder (qwen2)"]),
        (["a.json", "a.json"], ["", "qwen2"], ["a.json", "a.json (qwen2)"]),
        (
            [f"x{os.sep}a.gguf", f"y{os.sep}a.gguf"],
            ["", "qwen2"],
            ["a", "a (qwen2)"],
        ),
        (
            [f"x{os.sep}a.gguf", f"y{os.sep}a.gguf"],
            ["p", "p"],
            [f"x{os.sep}a.gguf (p)", f"y{os.sep}a.gguf (p)"],
        ),
        ([f"x{os.sep}a.gguf"] * 2, ["", ""], ["1. a", "2. a"]),
        (["a", "a", "b"], ["p", "p", ""], ["1. a (p)", "2. a (p)", "b"]),
        ([], [], []),
    ],
)
def test_names_are_as_short_as_possible_while_distinct(models, chosen, names):
    assert names_apart(models, chosen) == names


TEXTS = [(".py", "def f(x): return x\n"), (".txt", "Straßen, 汉字 don't"), (".py", "x = f(1)")]


@pytest.fixture(scope="module")
def sides():
    return [ModelSide(name, guiapp.open_model(name)) for name in ("demo:bpe", "demo:spm", "demo:wordpiece")]


@pytest.fixture(scope="module")
def counts(sides):
    models = [(side.name, side.tokenizer.vocabulary) for side in sides]
    return counts_of(models, ((kind, compare_text(sides, text).encodings) for kind, text in TEXTS))


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({"llama.context_length": 4096}, 4096),
        ({"model_max_length": 512}, 512),
        ({"model_max_length": 10**30}, None),
        ({"llama.context_length": "4096", "x": 1}, None),
        ({"llama.context_length": True}, None),
        ({}, None),
    ],
)
def test_the_context_length_is_read_from_the_metadata(sides, metadata, expected):
    vocabulary = replace(sides[0].tokenizer.vocabulary, metadata=metadata)
    assert context_length_of(vocabulary) == expected


def by_name(counts):
    return {SCRIPT_NAMES[script]: int(count) for script, count in enumerate(counts) if count}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("don't stop, naïve cafe\u0301 foo_bar2baz", {"Latin": 7}),
        ("‘tis the ’end’", {"Latin": 3}),
        ("汉字かなABCไม่ได้", {"Han": 2, "Kana": 2, "Latin": 1, "Thai": 4}),
        ("می\u200cخواهم है। नमस्ते", {"Arabic": 1, "Devanagari": 2}),
        ("Привет, мир", {"Cyrillic": 2}),
        ("1,000 + 2 = 👩‍👩‍👧 ❤\ufe0f!", {}),
        ("\u0301", {"Other letters": 1}),
        ("", {}),
    ],
)
def test_words_are_runs_of_letters_of_one_script(text, expected):
    assert by_name(words_of(text.encode()).counts) == expected


@given(
    st.text(alphabet="aбの汉\u0301' \n1é", max_size=40).map(str.encode) | st.binary(max_size=40),
    st.lists(st.integers(0, 40), max_size=20),
    st.integers(0, 8),
)
def test_counts_by_short_segments_equal_counts_of_the_whole_text(text, cuts, segment_bytes):
    ends = sorted({min(cut, len(text)) for cut in cuts} | {len(text)})
    spans = np.array([(0, 0), *pairwise([0, *ends]), (0, 0)], np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words_module, "STRETCH_BYTES", max(segment_bytes, 1))
        n_words, [n_tokens] = count_words(text, [spans])
    whole = words_of(text)
    scripts = whole.first_scripts(*spans.T)
    expected = np.bincount(scripts[scripts != NO_LETTER], minlength=len(SCRIPT_NAMES))
    assert by_name(n_words) == by_name(whole.counts)
    assert by_name(n_tokens) == by_name(expected)


@given(st.binary(max_size=20))
def test_letters_lie_where_they_are_also_in_broken_text(data):
    words = words_of(data)
    decoded = data.decode("utf-8", "surrogateescape")
    letters = [data[start:end] for start, end in zip(words.starts, words.ends, strict=True)]
    assert [letter for letter in letters if letter.isalpha()] == [
        character.encode() for character in decoded if character.isascii() and character.isalpha()
    ]


def test_a_vocabulary_that_writes_unknown_tokens_never_has_the_fewest():
    sides = [ModelSide(name, guiapp.open_model(f"demo:{name}")) for name in ("bpe", "wordpiece")]
    first, second = (counts.whole for counts in compare_text(sides, "a 🦄🦄🦄 zoo").counts)
    assert (first.n_unknown, second.n_unknown) == (0, 1)
    assert second.unknown_share == 1 / second.n_tokens
    assert second.n_tokens < first.n_tokens
    assert fewest_tokens((each.n_tokens, each.n_unknown) for each in (first, second)) == first.n_tokens
    assert fewest_tokens([(9, 2), (7, 1)]) == 7
    assert svg_text(compare_text(sides[::-1], "a 🦄🦄🦄 zoo").counts).count("stroke-width") == 1, "of bpe"
    assert svg_text(compare_text(sides[1:], "a 🦄").counts).count("stroke-width") == 0
    outcome = compare_ids(
        sides[1].tokenizer, ("one", "two"), *(sides[1].encode(b).token_ids for b in (b"a", "🦄".encode()))
    )
    assert next(notes(outcome)) == "Two: 33.3 % unknown tokens."
    assert fewest_tokens([]) == 0
