"""The texts to compare ids on, and vocabularies that are known by their tokens."""

from __future__ import annotations

import shutil

import pytest
from conftest import SHARED, VOCABS

from guiapp import open_model
from guiapp.analysis.bench.field.texts import BUILT_IN, TimedText, compared_texts, given_vocabularies
from guiapp.analysis.bench.plan import BenchError
from guiapp.core.demo import demo_model_path
from guiapp.errors import VocabError


def test_texts_to_compare_are_many_different_the_shortest_first_and_the_same_again():
    tokenizer = open_model("demo:bpe")
    texts = compared_texts(tokenizer, BUILT_IN, 0)
    assert texts == compared_texts(tokenizer, BUILT_IN, 0)
    assert len(texts) > 5_000
    assert len({each.text for each in texts}) == len(texts)
    lengths = [len(each.text) for each in texts]
    assert lengths == sorted(lengths)
    assert {"sample “japanese”", "generated: digits"} <= {each.origin for each in texts}
    assert texts != compared_texts(tokenizer, BUILT_IN, 1)


def test_texts_hold_nothing_that_the_file_cuts_out_of_ordinary_text(tmp_path):
    file = tmp_path / "text.txt"
    file.write_text("Some [INST] words.\nOthers.\n")
    texts = {each.text for each in compared_texts(open_model("demo:spm"), [TimedText("Mine", str(file))], 0)}
    assert b"Others.\n" in texts
    assert not any(b"[INST]" in text for text in texts)


FORMATS = SHARED / "formats"


@pytest.mark.real_vocabs
@pytest.mark.parametrize(
    ("path", "name"),
    [
        (VOCABS / "ggml-vocab-gpt-2.gguf", "gpt-2"),
        (FORMATS / "cl100k_base.tiktoken", "cl100k"),
        (VOCABS / "ggml-vocab-llama-bpe.gguf", "llama-3"),
        (FORMATS / "llama-3.tokenizer.model", "llama-3"),
        (VOCABS / "ggml-vocab-qwen2.gguf", "qwen"),
        (FORMATS / "qwen.tiktoken", "qwen"),
        (VOCABS / "ggml-vocab-gemma-4.gguf", "gemma"),
        (FORMATS / "tekken_240718.json", "mistral"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_a_vocabulary_is_known_by_its_tokens_whatever_the_file_is(path, name, tmp_path):
    other = tmp_path / f"model{path.suffix}"
    shutil.copy(path, other)
    (given,) = given_vocabularies([str(other)])
    assert (given.name, given.known.name) == (name, name)


@pytest.mark.real_vocabs
def test_of_two_files_of_one_vocabulary_the_gguf_is_taken(tmp_path):
    shutil.copy(FORMATS / "qwen.tiktoken", tmp_path / "a.tiktoken")
    shutil.copy(VOCABS / "ggml-vocab-qwen2.gguf", tmp_path / "b.gguf")
    assert [each.path for each in given_vocabularies([str(tmp_path)])] == [str(tmp_path / "b.gguf")]


def test_a_file_that_is_named_takes_part_under_its_name_and_one_of_a_folder_does_not(tmp_path):
    shutil.copy(demo_model_path("bpe"), tmp_path / "mine.gguf")
    (tmp_path / "broken.gguf").write_bytes(b"GGUF")
    (given,) = given_vocabularies([str(tmp_path / "mine.gguf")])
    assert (given.known, given.title) == (None, "mine")
    assert "named after its file" in given.about
    assert given_vocabularies([str(tmp_path)]) == []


def test_what_cannot_be_is_one_sentence(tmp_path):
    with pytest.raises(BenchError, match=r"no known vocabulary “gpt5”. Choose from: gpt-2, cl100k"):
        given_vocabularies([], ("gpt5",))
    with pytest.raises(VocabError):
        given_vocabularies([str(tmp_path / "none.gguf")])
