"""How far the ids of a vocabulary can be trusted."""

from dataclasses import replace

import pytest
from format_samples import SAMPLES
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.core.encode.exactness import REFUSED, exactness_of
from guiapp.core.vocabulary.vocabulary import VocabType


@pytest.mark.parametrize(
    ("vocab_type", "said", "level", "named"),
    [
        (VocabType.BPE, {}, "exact", "“llama-bpe”"),
        (VocabType.SPM, {}, "exact", "SPM"),
        (VocabType.SPM, {"pre": "gpt-2"}, "exact", "SPM"),
        (VocabType.BPE, {"pre": ""}, "unknown pre", "tokenizer.ggml.pre"),
        (VocabType.BPE, {"chosen_pre": "gpt-2"}, "approximate", "“gpt-2”"),
        (VocabType.BPE, {"pre": "new", "chosen_pre": "gpt-2"}, "unknown pre", "“new”"),
        (VocabType.UGM, {"deviation": "Keys are cut."}, "approximate", "Keys are cut."),
        (
            VocabType.BPE,
            {"refusals": ("It is broken.", "It is old."), "deviation": "x"},
            REFUSED,
            "It is old.",
        ),
    ],
)
def test_the_ids_are_trusted_as_far_as_the_file_tells_how_text_is_split(vocab_type, said, level, named):
    found = exactness_of(replace(toy_vocabulary({"a": 0.0}, vocab_type), **said))
    assert (found.level, named in found.reason) == (level, True)


@pytest.mark.parametrize(
    ("sample_format", "words"),
    [
        ("tokenizer.json", "tokenizers"),
        ("vocab.txt", "transformers"),
        ("CLIP's merges", "transformers"),
        ("tekken.json", "tiktoken"),
    ],
)
def test_it_is_told_whether_the_file_itself_says_how_text_is_split(tmp_path, sample_format, words):
    sample = next(each for each in SAMPLES if each.format == sample_format)
    sample.write(tmp_path / sample.name)
    said = exactness_of(guiapp.open_model(tmp_path / sample.name).vocabulary)
    assert said.level == "exact"
    assert words in said.reason
