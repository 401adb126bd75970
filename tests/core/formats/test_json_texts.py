"""Long parts of tokenizers in JSON are read as Python's reader reads them, and refused like there."""

import base64
import json
from itertools import pairwise

import pytest

from guiapp.core.formats.model_sections import (
    PackedTexts,
    RankedTexts,
    read_json_with_ranks,
    read_json_with_texts,
)

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
    if not isinstance(part, PackedTexts):
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
    assert isinstance(model["vocab"], PackedTexts)
    assert isinstance(model["merges"], PackedTexts)
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


ROWS = r"""[
  {"rank": 0, "token_bytes": "AA==", "é": "\u0000\""}, {"token_bytes": "YWI=", "rank": 7, "more": 12},
  {"token_str": null, "\u0072ank": 3, "token_bytes": "\u002f+//"}, {"rank": 123456, "token_bytes": ""}]"""
ODD_ROWS = [
    *("[]", "[[]]", "[{}]", '["a"]', "{}", "3", '[{"rank": 1}]', '[{"token_bytes": "AA=="}]'),
    *(
        f'[{{"rank": {rank}, "token_bytes": "AA=="}}]'
        for rank in ("-1", "1.5", "1e2", '"1"', "null", "99999999999")
    ),
    *(
        f'[{{"rank": 1, "token_bytes": {text}}}]'
        for text in ('"A"', '"A==="', '"AA=A"', '"A!=="', "null", "1")
    ),
    '[{"rank": 1, "token_bytes": "AA==", "rank": 2}]',
    '[{"rank": 1, "token_bytes": "AA==", "token_bytes": "AQ=="}]',
    *(f'[{{"rank": 1, "token_bytes": "AA==", "x": {value}}}]' for value in ("true", "[]", r'"\ud800"')),
]


def ranks_document(rows):
    return f'{{"config": {{"n": 0.5}}, "vocab": {rows}, "type": "x"}}'.encode()


def test_ranks_and_tokens_are_those_of_pythons_reader():
    content = read_json_with_ranks(ranks_document(ROWS))
    expected = json.loads(ranks_document(ROWS))
    (data, offsets), ranks = content.pop("vocab")
    rows = expected.pop("vocab")
    assert content == expected
    assert ranks.tolist() == [row["rank"] for row in rows] == [0, 7, 3, 123456]
    tokens = [data[start:end].tobytes() for start, end in pairwise(offsets)]
    assert (
        tokens
        == [base64.b64decode(row["token_bytes"]) for row in rows]
        == [b"\0", b"ab", b"\xff\xef\xff", b""]
    )


@pytest.mark.parametrize("rows", ODD_ROWS)
def test_ranks_of_another_form_are_read_as_other_json(rows):
    found = read_json_with_ranks(ranks_document(rows))
    if isinstance(found["vocab"], RankedTexts):
        assert rows == "[]"
        assert len(found.pop("vocab").ranks) == 0
        found["vocab"] = []
    assert found == json.loads(ranks_document(rows))


def test_ranks_that_end_anywhere_are_refused():
    data = ranks_document(ROWS)
    for end in range(len(data)):
        with pytest.raises(ValueError):  # noqa: PT011
            read_json_with_ranks(data[:end])
