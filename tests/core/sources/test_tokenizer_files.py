"""A folder stands for the one tokenizer in it."""

from __future__ import annotations

import os

import pytest
from installed_models import put

import guiapp
from guiapp import VocabError
from guiapp.core.demo import demo_model_path
from guiapp.core.sources.tokenizer_files import file_in, preferred
from guiapp.kit.state.saving import is_model_file

TOY = demo_model_path("toy").read_bytes()
ORDER = [
    *(
        "tokenizer.json",
        "tekken.json",
        "Tokenizer.model",
        "tokenizer.model.v3",
        *("spm.model", "source.spm", "ice_text.model", "tiktoken.model"),
        "qwen.tiktoken",
        "vocab.json",
    ),
    *("vocab.txt", "rwkv_vocab_v20230424.txt", "bpe_simple_vocab_16e6.txt.gz", "model-00001-of-00002.gguf"),
]
OTHERS = [
    "merges.txt",
    "config.json",
    "README.txt",
    "mmproj-f16.gguf",
    "model-00002-of-00002.gguf",
    "a.safetensors",
]


@pytest.mark.parametrize("first", range(len(ORDER)))
def test_the_best_known_file_of_a_folder_is_taken(tmp_path, first):
    names = [*OTHERS, *reversed(ORDER[first:])]
    for name in names:
        put(tmp_path / "m" / name, b"")
    assert preferred(names) == ORDER[first]
    assert file_in(tmp_path / "m") == tmp_path / "m" / ORDER[first]


def test_a_snapshot_of_links_opens_by_its_folder_as_by_its_file(tmp_path):
    blob = put(tmp_path / "models--o--n/blobs/0123", TOY)
    snapshot = tmp_path / "models--o--n/snapshots/abcd"
    snapshot.mkdir(parents=True)
    (snapshot / "model.gguf").symlink_to(os.path.relpath(blob, snapshot))
    for named in (snapshot, f"{snapshot}/"):
        assert guiapp.open_model(named).vocabulary.path == snapshot / "model.gguf"
        assert is_model_file(snapshot)


@pytest.mark.parametrize("names", [[], OTHERS, ["a.gguf", "b.gguf"], ["a.tiktoken", "b.tiktoken", "c.gguf"]])
def test_a_folder_without_a_single_tokenizer_is_reported(tmp_path, names):
    for name in names:
        put(tmp_path / "m" / name, b"")
    (tmp_path / "m").mkdir(exist_ok=True)
    with pytest.raises(VocabError) as caught:
        guiapp.open_model(tmp_path / "m")
    several = (
        f"The folder m has {len(names)} models, such as {names[0]}. Choose one by its file." if names else ""
    )
    nothing = "The folder m has no tokenizer, such as tokenizer.json, tekken.json, tokenizer.model"
    assert str(caught.value) == several if len(names) in (2, 3) else str(caught.value).startswith(nothing)
    assert len(str(caught.value)) < 300


def test_a_folder_that_cannot_be_listed_is_reported(tmp_path, monkeypatch):
    def refuse(_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "listdir", refuse)
    with pytest.raises(VocabError, match="cannot be read: Permission denied"):
        file_in(tmp_path)
