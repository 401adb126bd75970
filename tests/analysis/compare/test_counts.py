"""What texts come to in tokens of several models."""

from dataclasses import replace

import pytest

import guiapp
from guiapp.analysis.compare.comparison import ModelSide, compare_text, context_length_of, counts_of
from guiapp.analysis.tree.picture import SCRIPT_NAMES

TEXTS = [(".py", "def f(x): return x\n"), (".txt", "Straßen, 汉字 don't"), (".py", "x = f(1)")]
LATIN, HAN = SCRIPT_NAMES.index("Latin"), SCRIPT_NAMES.index("Han")


@pytest.fixture(scope="module")
def sides():
    return [ModelSide(name, guiapp.open_model(name)) for name in ("demo:bpe", "demo:spm", "demo:wordpiece")]


@pytest.fixture(scope="module")
def counts(sides):
    models = [(side.name, side.tokenizer.vocabulary) for side in sides]
    return counts_of(models, ((kind, compare_text(sides, text).encodings) for kind, text in TEXTS))


def test_tokens_bytes_and_characters_are_those_of_each_text(sides, counts):
    for side, found in zip(sides, counts, strict=True):
        for kind, tally in found.file_types.items():
            texts = [text for other, text in TEXTS if other == kind]
            assert tally.n_tokens == sum(len(side.encode(text.encode())) for text in texts)
            assert tally.n_characters == sum(map(len, texts))
            assert tally.n_bytes == sum(len(text.encode()) for text in texts)
        assert list(found.file_types) == [".py", ".txt"]
        assert found.whole.n_tokens == sum(tally.n_tokens for tally in found.file_types.values())
        assert found.ratio_to(counts[0]) == found.whole.n_tokens / counts[0].whole.n_tokens
        assert found.whole.characters_per_token == found.whole.n_characters / found.whole.n_tokens


def test_fertility_is_tokens_a_word_by_script(sides, counts):
    whole = counts[0].whole
    assert whole.n_words[LATIN] == 9  # def f x return x Straßen don't x f
    assert whole.n_words[HAN] == 2
    assert whole.script_fertility(LATIN) == whole.n_word_tokens[LATIN] / 9 == whole.fertility
    assert whole.script_fertility(HAN) >= 1
    assert whole.script_fertility(SCRIPT_NAMES.index("Thai")) is None


def test_nothing_has_no_ratios(sides):
    models = [(side.name, side.tokenizer.vocabulary) for side in sides]
    [first, *_] = counts_of(models, [])
    assert first.whole.n_tokens == 0
    assert first.whole.characters_per_token is first.whole.fertility is first.ratio_to(first) is None


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
def test_the_context_is_what_the_file_says_if_it_says_so(sides, metadata, expected):
    vocabulary = replace(sides[0].tokenizer.vocabulary, metadata=metadata)
    assert context_length_of(vocabulary) == expected
