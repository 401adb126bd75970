"""What the section “model” of a tokenizer.json gives, and what is said of one that cannot be used."""

from __future__ import annotations

import base64
import json
import math
from itertools import pairwise

import numpy as np
import pytest
from tokenizers import Tokenizer, models

from guiapp.core.formats import model_sections
from guiapp.core.formats.model_sections import (
    PackedTexts,
    RankedTexts,
    model_section,
    read_json_with_ranks,
    read_json_with_texts,
)
from guiapp.core.formats.tokenizer_document import MOST_AROUND, affix_ids
from guiapp.core.hugging_face.spec import ComponentError

VOCAB = {"a": 3, "b": 1, "ab": 0, "##b": 5, "[UNK]": 7, "<unk>": 8}
BPE = {"type": "BPE", "vocab": VOCAB, "merges": ["a b"]}
WORD_PIECE = {"type": "WordPiece", "vocab": VOCAB}
UNIGRAM = {"type": "Unigram", "vocab": [["<unk>", 0.0], ["a", -1.5], ["a", -2]], "unk_id": 0}


def without_type(component):
    return {key: value for key, value in component.items() if key != "type"}


@pytest.mark.parametrize(
    ("component", "kind"),
    [
        (BPE, "BPE"),
        (UNIGRAM, "Unigram"),
        (WORD_PIECE | {"max_input_chars_per_word": 9}, "WordPiece"),
        ({"vocab": VOCAB}, "WordLevel"),
    ],
)
def test_old_files_do_not_name_the_kind(component, kind):
    assert model_section(without_type(component)).options.kind == kind


def test_tokens_are_looked_up_by_text_preferring_the_last():
    section = model_section(BPE)
    assert section.find(["ab", "x", "<unk>"]) == [0, None, 8]
    assert (section.n_texts, section.ids.tolist()) == (6, [3, 1, 0, 5, 7, 8])
    assert bytes(section.data) == "".join(VOCAB).encode()
    section = model_section(UNIGRAM)
    assert section.find(["a", "<unk>", "b"]) == [2, 0, None]
    assert (section.n_texts, section.ids.tolist(), section.scores.tolist()) == (3, [0, 1, 2], [0.0, -1.5, -2])


@pytest.mark.parametrize(
    "merges", [["a b", "é ab"], [["a", "b"], ["é", "ab"]], ["#version: 0.2", "a b", "é ab"]]
)
def test_rules_are_two_texts_in_either_spelling(merges):
    section = model_section(BPE | {"merges": merges})
    rules = np.split(section.merge_data, section.merge_offsets[1:-1])
    assert [bytes(rule).replace(model_sections.MERGE_SEPARATOR, b"+").decode() for rule in rules] == [
        "a+b",
        "é+ab",
    ]


@pytest.mark.parametrize(
    ("component", "sentence"),
    [
        (BPE | {"unk_token": "x"}, "names the unknown token “x”, which is not in its model"),
        (BPE | {"dropout": 1.1}, "has an invalid dropout: 1.1"),
        (BPE | {"dropout": -0.1}, "has an invalid dropout: -0.1"),
        (BPE | {"dropout": "x"}, "has an invalid dropout: 'x'"),
        (BPE | {"fuse_unk": 0}, "has a “fuse_unk” that is neither true nor false"),
        (BPE | {"end_of_word_suffix": 0}, "has a “end_of_word_suffix” that is not text"),
        *(
            (BPE | {"merges": [rule]}, "has a merge rule that is not two texts")
            for rule in (" b", "a ", "ab", "")
        ),
        (BPE | {"merges": [["", "b"]]}, "has a merge rule that is not two texts"),
        *((BPE | {"merges": merges}, "has merge rules that are not a list") for merges in ({}, "", None, 3)),
        (
            BPE | {"merges": ["a ##b", "a b"], "continuing_subword_prefix": "##"},
            "has a merge rule whose second text is shorter than the prefix “##”",
        ),
        (BPE | {"vocab": {"a": True}}, "has a vocabulary that does not give each text an id"),
        (
            WORD_PIECE | {"max_input_chars_per_word": -1},
            "has a “max_input_chars_per_word” that is not a whole number",
        ),
        (
            WORD_PIECE | {"max_input_chars_per_word": 1 << 63},
            "has a “max_input_chars_per_word” that is not a whole number",
        ),
        (
            WORD_PIECE | {"max_input_chars_per_word": True},
            "has a “max_input_chars_per_word” that is not a whole number",
        ),
        (UNIGRAM | {"unk_id": 3}, "has 3 tokens, but names 3 as the unknown one"),
        (UNIGRAM | {"unk_id": 1.0}, "has a “unk_id” that is not a whole number"),
        (UNIGRAM | {"vocab": [["a", [1.0]]]}, "has tokens whose scores are not numbers"),
        *(
            (UNIGRAM | {"vocab": [["a", score]]}, "has tokens whose scores are not numbers")
            for score in ("-1", True, None)
        ),
        *(
            (
                UNIGRAM | {"vocab": [["a", score]]},
                "has tokens whose scores are infinite or too large to be added",
            )
            for score in (math.nan, math.inf, -math.inf, 1e301, -1e301)
        ),
        ({"type": "Magic"}, "has a model of the unknown type “Magic”"),
    ],
)
def test_what_cannot_be_used_is_the_end_of_a_sentence(component, sentence):
    with pytest.raises(ComponentError) as error:
        model_section(component)
    assert str(error.value) == sentence


VOCAB_JSON_TEXTS = r'{"a": 0, "\u00e9\n": 17, "": 23, "\ud83d\ude00 \"": 4}'
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


def unpacked(part):
    if not isinstance(part, PackedTexts):
        return part
    data, bounds = part.data.tobytes(), part.offsets.tolist()
    texts = [data[start:end].decode() for start, end in pairwise(bounds)]
    if len(part.numbers):
        return dict(zip(texts, part.numbers.tolist(), strict=True))
    return [list(pair) for pair in zip(texts[::2], texts[1::2], strict=True)] if part.are_pairs else texts


@pytest.mark.parametrize("merges", [PAIRS, LINES])
def test_tokens_and_rules_are_those_of_pythons_reader(merges):
    data = document(VOCAB_JSON_TEXTS, merges)
    content = read_json_with_texts(data)
    model = content["model"]
    assert isinstance(model["vocab"], PackedTexts)
    assert isinstance(model["merges"], PackedTexts)
    content["model"] = {key: unpacked(part) for key, part in model.items()}
    assert content == json.loads(data)


@pytest.mark.parametrize("part", ODD)
def test_what_has_another_form_is_read_as_other_json(part):
    for data in (document(part, LINES), document(VOCAB_JSON_TEXTS, part)):
        model = read_json_with_texts(data)["model"]
        assert {key: unpacked(each) for key, each in model.items()} == json.loads(data)["model"]


def test_a_document_that_ends_anywhere_is_refused():
    data = document(VOCAB_JSON_TEXTS, PAIRS)
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
    parsed = read_json_with_ranks(ranks_document(rows))
    if isinstance(parsed["vocab"], RankedTexts):
        assert rows == "[]"
        assert len(parsed.pop("vocab").ranks) == 0
        parsed["vocab"] = []
    assert parsed == json.loads(ranks_document(rows))


def test_ranks_that_end_anywhere_are_refused():
    data = ranks_document(ROWS)
    for end in range(len(data)):
        with pytest.raises(ValueError):  # noqa: PT011
            read_json_with_ranks(data[:end])


BERT = {"type": "BertProcessing", "sep": ["c", 2], "cls": ["b", 1]}
ROBERTA = BERT | {"type": "RobertaProcessing", "trim_offsets": True, "add_prefix_space": True}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}


def template(single, pair="A B"):
    """Texts are A and B; 1 and 2 are themselves, and 3 is put as two of it."""

    def pieces(written):
        return [
            {"SpecialToken" if each.isdigit() else "Sequence": {"id": each, "type_id": 0}}
            for each in written.split()
        ]

    return {
        "type": "TemplateProcessing",
        "single": pieces(single),
        "pair": pieces(pair),
        "special_tokens": {
            name: {"id": name, "ids": ids, "tokens": [name] * len(ids)}
            for name, ids in {"1": [1], "2": [2], "3": [3, 3]}.items()
        },
    }


def in_a_row(*each):
    return {"type": "Sequence", "processors": list(each)}


@pytest.mark.parametrize(
    ("component", "affixes"),
    [
        (None, ((), ())),
        (BYTE_LEVEL, ((), ())),
        (BERT, ((1,), (2,))),
        (ROBERTA, ((1,), (2,))),
        (template("3 1 A 2"), ((3, 3, 1), (2,))),
        (in_a_row(template("A 3"), BERT), ((1,), (2, 3, 3, 2))),
        (in_a_row(template("A 3"), ROBERTA), ((1,), (2, 2, 3, 3, 2))),
        (in_a_row(template("A 1"), template("A", "B 3 A 2")), ((1, 3, 3), (2,))),
        (in_a_row(template("1 A"), in_a_row(template("A", "B 3 A")), BERT), ((1,), (2, 3, 3, 2, 1, 2))),
    ],
)
def test_affix_ids_match_the_library(component, affixes):
    assert affix_ids(component) == affixes
    theirs = Tokenizer(models.WordLevel({"a": 0, "b": 1, "c": 2, "d": 3}, "a"))
    theirs = Tokenizer.from_str(json.dumps(json.loads(theirs.to_str()) | {"post_processor": component}))
    assert theirs.encode("a").ids == [*affixes[0], 0, *affixes[1]]


THREE = template("1 A 1")


@pytest.mark.parametrize(
    ("component", "message"),
    [
        (template("1"), "repeats or drops the text instead of adding ids to it"),
        (template("A A"), "repeats or drops the text instead of adding ids to it"),
        (in_a_row(template("1 A"), template("A", "A")), "repeats or drops the text"),
        (template("A B"), "refers to a missing text “B”"),
        (in_a_row(template("1 A"), template("A", "A C B")), "refers to a missing text “C”"),
        (in_a_row(THREE, THREE), "fills a template from more than two parts"),
        (BERT | {"sep": ["c", True]}, "with an invalid id: True"),
        (BERT | {"cls": ["b", -1]}, "with an invalid id: -1"),
        (ROBERTA | {"sep": ["c", "2"]}, "with an invalid id: '2'"),
        (template("A" + " 1" * (MOST_AROUND + 1)), "adds more than 4,096 ids"),
    ],
)
def test_processors_that_do_not_just_add_ids_are_refused(component, message):
    with pytest.raises(ComponentError, match=message):
        affix_ids(component)


def test_ids_that_are_named_often_are_refused_before_they_fill_the_memory():
    spec = template("A" + " 1" * 100_000)
    spec["special_tokens"]["1"]["ids"] = [1] * 100_000
    with pytest.raises(ComponentError, match="adds more than 4,096 ids"):
        affix_ids(spec)


def test_the_largest_number_of_affix_ids_is_accepted():
    assert affix_ids(template("A" + " 1" * (MOST_AROUND))) == ((), (1,) * (MOST_AROUND))


def test_as_many_rules_as_are_read_and_no_more(monkeypatch):
    monkeypatch.setattr(model_sections, "MOST_MERGES", 2)
    assert len(model_section(BPE | {"merges": ["a b"] * 2}).merge_offsets) == 3
    with pytest.raises(ComponentError, match="has 3 merge rules; the limit is 2"):
        model_section(BPE | {"merges": ["a b"] * 3})
