"""Long parts of a tokenizer.json are read as Python's reader reads them, and refused like there."""

import json
from itertools import pairwise

import pytest

from guiapp.core.formats.json_texts import Texts, read_json_with_texts

VOCAB = r'{"a": 0, "\u00e9\n": 17, "": 23, "\ud83d\ude00 \"": 4}'
PAIRS, LINES = r'[["a", "b"], ["c", "\"é"]]', '["a b", "c d"]'
ODD = [
    '{"a": 1.5}',
    '{"a": -1}',
    '{"a": 1e2}',
    '{"a": 99999999999}',
    '{"a": null}',
    '[["a", "b", "c"]]',
    "[[]]",
]


def document(vocab, merges):
    return f'{{"model": {{"vocab": {vocab}, "merges": {merges}, "dropout": 0.5}}, "version": "1.0"}}'.encode()


def spelled_out(part):
    if not isinstance(part, Texts):
        return part
    data, bounds = part.data.tobytes(), part.offsets.tolist()
    texts = [data[start:end].decode() for start, end in pairwise(bounds)]
    if len(part.numbers):
        return dict(zip(texts, part.numbers.tolist(), strict=True))
    return [list(pair) for pair in zip(texts[::2], texts[1::2], strict=True)] if part.are_pairs else texts


@pytest.mark.parametrize("merges", [PAIRS, LINES])
def test_tokens_and_rules_are_those_of_pythons_reader(merges):
    data = document(VOCAB, merges)
    content = read_json_with_texts(data)
    model = content["model"]
    assert isinstance(model["vocab"], Texts)
    assert isinstance(model["merges"], Texts)
    content["model"] = {key: spelled_out(part) for key, part in model.items()}
    assert content == json.loads(data)


@pytest.mark.parametrize("part", ODD)
def test_what_has_another_form_is_read_as_other_json(part):
    for data in (document(part, LINES), document(VOCAB, part)):
        model = read_json_with_texts(data)["model"]
        assert {key: spelled_out(each) for key, each in model.items()} == json.loads(data)["model"]


def test_a_document_that_ends_anywhere_is_refused():
    data = document(VOCAB, PAIRS)
    for end in range(len(data)):
        with pytest.raises(ValueError):  # noqa: PT011  (Python's reader has a sentence for each)
            read_json_with_texts(data[:end])


@pytest.mark.parametrize(
    "vocab", ['{"a": 01}', '{"a" 1}', r'{"\x": 1}', '{"a": 1,}', '{"\t": 1}', '{"a": 1 2}']
)
def test_what_is_no_json_is_refused(vocab):
    with pytest.raises(ValueError):  # noqa: PT011
        read_json_with_texts(document(vocab, LINES))
