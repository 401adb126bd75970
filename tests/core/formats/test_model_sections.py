"""What the section “model” of a tokenizer.json gives, and what is said of one that cannot be used."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from guiapp.core.formats import model_sections
from guiapp.core.formats.model_sections import model_section, packed_texts
from guiapp.core.hugging_face.spec import ComponentError
from guiapp.core.vocabulary.parts import ModelOptions

VOCAB = {"a": 3, "b": 1, "ab": 0, "##b": 5, "[UNK]": 7, "<unk>": 8}
BPE = {"type": "BPE", "vocab": VOCAB, "merges": ["a b"]}
WORD_PIECE = {"type": "WordPiece", "vocab": VOCAB}
UNIGRAM = {"type": "Unigram", "vocab": [["<unk>", 0.0], ["a", -1.5], ["a", -2]], "unk_id": 0}


def without_type(said):
    return {key: value for key, value in said.items() if key != "type"}


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (BPE, "BPE"),
        (UNIGRAM, "Unigram"),
        (WORD_PIECE | {"max_input_chars_per_word": 9}, "WordPiece"),
        ({"vocab": VOCAB}, "WordLevel"),
    ],
)
def test_old_files_do_not_name_the_kind(said, kind):
    assert model_section(without_type(said)).options.kind == kind


def test_each_kind_has_its_options_or_those_of_the_library():
    def options(said, **changes):
        return model_section(said | changes).options

    assert options(BPE) == ModelOptions("BPE", None, "", "", False, False, False)
    whole = {
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "",
        "end_of_word_suffix": "</w>",
        "fuse_unk": True,
        "byte_fallback": False,
        "ignore_merges": None,
    }
    assert options(BPE, **whole) == ModelOptions("BPE", 7, "", "</w>", True, False, False)
    flags = {"fuse_unk": False, "byte_fallback": True, "ignore_merges": True}
    assert options(BPE, **flags) == ModelOptions("BPE", None, "", "", False, True, True)
    assert options(WORD_PIECE) == ModelOptions("WordPiece", 7, "##", most_characters=100)
    changed = {"unk_token": "a", "continuing_subword_prefix": "", "max_input_chars_per_word": 0}
    assert options(WORD_PIECE, **changed) == ModelOptions("WordPiece", 3, "", most_characters=0)
    assert options({"type": "WordLevel", "vocab": VOCAB}) == ModelOptions("WordLevel", 8)
    assert options({"type": "WordLevel", "vocab": VOCAB, "unk_token": "x"}) == ModelOptions("WordLevel", None)
    assert options(UNIGRAM) == ModelOptions("Unigram", 0)
    assert options(UNIGRAM, unk_id=2, byte_fallback=True) == ModelOptions("Unigram", 2, byte_fallback=True)
    assert options(UNIGRAM, unk_id=None) == ModelOptions("Unigram", None)


def test_tokens_are_found_by_their_texts_and_of_equal_ones_the_last():
    section = model_section(BPE)
    assert section.find(["ab", "x", "<unk>"]) == [0, None, 8]
    assert (section.n_texts, section.ids.tolist()) == (6, [3, 1, 0, 5, 7, 8])
    assert bytes(section.data) == "".join(VOCAB).encode()
    section = model_section(UNIGRAM)
    assert section.find(["a", "<unk>", "b"]) == [2, 0, None]
    assert (section.n_texts, section.ids.tolist(), section.scores.tolist()) == (2, [0, 1, 2], [0.0, -1.5, -2])


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


def test_pairs_may_hold_spaces():
    section = model_section(BPE | {"merges": [["a b", " "]]})
    assert bytes(section.merge_data) == b"a b" + model_sections.MERGE_SEPARATOR + b" "


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (BPE | {"unk_token": "x"}, "has the unknown token “x”, which is none of its model's"),
        (BPE | {"dropout": 1.1}, "has a dropout of 1.1"),
        (BPE | {"dropout": -0.1}, "has a dropout of -0.1"),
        (BPE | {"dropout": "x"}, "has a dropout of 'x'"),
        (BPE | {"fuse_unk": 0}, "has a “fuse_unk” that is neither true nor false"),
        (BPE | {"end_of_word_suffix": 0}, "has a “end_of_word_suffix” that is no text"),
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
        (WORD_PIECE | {"max_input_chars_per_word": -1}, "has a “max_input_chars_per_word” that is no count"),
        (
            WORD_PIECE | {"max_input_chars_per_word": 1 << 63},
            "has a “max_input_chars_per_word” that is no count",
        ),
        (
            WORD_PIECE | {"max_input_chars_per_word": True},
            "has a “max_input_chars_per_word” that is no count",
        ),
        (UNIGRAM | {"unk_id": 3}, "has 3 tokens, and calls 3 the unknown one"),
        (UNIGRAM | {"unk_id": 1.0}, "has a “unk_id” that is no count"),
        (UNIGRAM | {"vocab": [["a", [1.0]]]}, "has tokens whose scores are no numbers"),
        ({"type": "Magic"}, "has a model of the kind “Magic”, which is not known here"),
    ],
)
def test_what_cannot_be_used_is_the_end_of_a_sentence(said, sentence):
    with pytest.raises(ComponentError) as error:
        model_section(said)
    assert str(error.value) == sentence


def test_as_many_rules_as_are_read_and_no_more(monkeypatch):
    monkeypatch.setattr(model_sections, "MOST_MERGES", 2)
    assert len(model_section(BPE | {"merges": ["a b"] * 2}).merge_offsets) == 3
    with pytest.raises(ComponentError, match="has 3 merge rules; at most 2 are read"):
        model_section(BPE | {"merges": ["a b"] * 3})


@pytest.mark.parametrize(("dropout", "said"), [(0.25, "0.25"), (1, "1"), (0, ""), (None, "")])
def test_dropout_is_told_and_not_applied(dropout, said):
    warnings = [*model_section(BPE | {"dropout": dropout}).warnings]
    assert warnings == ([f"A dropout of {said} is for training, and not applied."] if said else [])


@pytest.mark.parametrize("texts", [["a"], ["a", "é", "", "bc"], ["a\0", "b"], ["", ""], ["\0", ""]])
def test_texts_lie_one_behind_the_other(texts):
    data, offsets = packed_texts(texts)
    assert [bytes(data[start:end]).decode() for start, end in pairwise(offsets)] == texts
    data[:] = 0  # it is nobody else's
