"""How far the ids of a vocabulary can be trusted."""

from dataclasses import replace

import pytest
from format_samples import SAMPLES
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.core.encode.exactness import REFUSED, Exactness, exactness_of
from guiapp.core.vocabulary.vocabulary import VocabType

EQUAL = "The ids equal llama.cpp's for the same file, text and options; this is tested with random texts."
AS_ASKED = "llama.cpp splits it as the file specifies, unless you override it."


@pytest.mark.parametrize(
    ("vocab_type", "details", "level", "reason"),
    [
        (VocabType.BPE, {}, "exact", f"BPE vocabulary, split as “llama-bpe” specifies. {EQUAL}"),
        (VocabType.SPM, {}, "exact", f"SPM vocabulary. {EQUAL}"),
        (VocabType.SPM, {"pre": "gpt-2"}, "exact", f"SPM vocabulary. {EQUAL}"),
        (
            VocabType.BPE,
            {"pre": ""},
            "unknown pre",
            "The file does not name its pre-tokenizer (tokenizer.ggml.pre). Text is split by llama.cpp's "
            "default: the ids equal llama.cpp's, but the model may have been trained on other ids.",
        ),
        (
            VocabType.BPE,
            {"chosen_pre": "gpt-2"},
            "approximate",
            f"The file specifies “llama-bpe”. Text is split as “gpt-2”, chosen by hand. {AS_ASKED}",
        ),
        (
            VocabType.BPE,
            {"pre": "new", "chosen_pre": "gpt-2"},
            "unknown pre",
            "The file specifies “new”, which is unknown. Text is split as “gpt-2”, chosen by hand. The "
            "model may have been trained on other ids.",
        ),
        (VocabType.UGM, {"deviation": "Keys are cut."}, "approximate", "Keys are cut."),
        (
            VocabType.BPE,
            {"refusals": ("It is broken.", "It is old."), "deviation": "Keys are cut."},
            REFUSED,
            "llama.cpp cannot load this file. It is broken. It is old.",
        ),
    ],
)
def test_exactness_depends_on_how_the_file_defines_splitting(vocab_type, details, level, reason):
    vocabulary = replace(toy_vocabulary({"a": 0.0}, vocab_type), **details)
    assert exactness_of(vocabulary) == Exactness(level, reason)


@pytest.mark.parametrize(
    ("sample_format", "words"),
    [
        (
            "tokenizer.json",
            "the parts that the file names. The ids equal those of tokenizers for the same",
        ),
        (
            "vocab.txt",
            "as transformers does for such models. The ids equal those of tokenizers set up so",
        ),
        ("CLIP's merges", "here as transformers does for such models."),
        ("tekken.json", "Tokens by rank, split by the pattern in the file. The ids equal tiktoken's"),
    ],
)
def test_the_reason_states_where_the_splitting_is_defined(tmp_path, sample_format, words):
    sample = next(each for each in SAMPLES if each.format == sample_format)
    sample.write(tmp_path / sample.name)
    details = exactness_of(guiapp.open_model(tmp_path / sample.name).vocabulary)
    assert details.level == "exact"
    assert words in details.reason
