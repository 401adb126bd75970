"""Models that other programs have put on this machine are found, and open by these names."""

import os

import pytest
from installed_models import fill_home, put, write_manifest

import guiapp
from guiapp import VocabError
from guiapp.core.demo import demo_model_path
from guiapp.core.sources import tokenizer_files
from guiapp.core.sources.installed import Installed, installed_models
from guiapp.core.sources.tokenizer_files import files_in, is_tokenizer_name, preferred

MANIFEST = '{"layers": [{"mediaType": "application/vnd.ollama.image.model", "digest": "%s"}]}'
TOY = demo_model_path("toy").read_bytes()


def test_all_models_of_a_home_are_listed_by_place_and_open(home):
    expected = fill_home(home)
    models = list(installed_models())
    assert {model.name: model.path for model in models} == expected
    assert [model.source for model in models] == (
        ["Ollama"] * 4
        + ["LM Studio"] * 2
        + ["Hugging Face cache"] * 2
        + ["llama.cpp cache", "Jan"]
        + ["GPT4All"] * 2
    )
    for model in models:
        assert model.size_bytes == model.path.stat().st_size
        assert guiapp.open_model(model.name).vocabulary.path == model.path


def test_variables_and_settings_add_search_folders(home, monkeypatch):
    write_manifest(home / "o", "registry.ollama.ai/library/a/latest", 1, demo_model_path("toy"))
    monkeypatch.setenv("OLLAMA_MODELS", str(home / "o"))
    put(home / "studio/p/m/s.gguf", TOY)
    put(home / ".lmstudio/settings.json", f'{{"downloadsFolder": "{home}/studio"}}'.encode())
    put(home / "hf/hub/models--x--y/snapshots/1/h.gguf", TOY)
    monkeypatch.setenv("HF_HOME", str(home / "hf"))
    put(home / "lc/l.gguf", TOY)
    monkeypatch.setenv("LLAMA_CACHE", str(home / "lc"))
    put(home / ".local/share/Jan/settings.json", f'{{"data_folder": "{home}/jan"}}'.encode())
    put(home / "jan/llamacpp/models/j/model.yml", f"model_path: '{home}/elsewhere/j.gguf'\n".encode())
    put(home / "elsewhere/j.gguf", TOY)
    assert [model.name for model in installed_models([home / "elsewhere"])] == [
        "ollama:a", "lmstudio:p/m/s.gguf", "hf:x/y", "llama.cpp:l.gguf", "jan:j",
    ]  # fmt: skip
    monkeypatch.setenv("HF_HUB_CACHE", str(home / "nothing"))
    assert "hf:x/y" not in [model.name for model in installed_models()]


def test_a_file_is_listed_for_one_place_under_all_its_names_and_own_folders_by_their_paths(home):
    toy = demo_model_path("toy")
    for tag in ("latest", "3b"):
        write_manifest(home / ".ollama/models", f"registry.ollama.ai/library/llama3.2/{tag}", 1, toy)
    put(home / "models/a.gguf", TOY)
    (home / "models/c.gguf").symlink_to(home / "models/a.gguf")
    (home / "models/loop.gguf").symlink_to("loop.gguf")
    (home / "models/dead.gguf").symlink_to("nowhere")
    folders = [home / "models", home / "models", home / ".ollama"]
    names = [model.name for model in installed_models(folders)]
    assert names == ["ollama:llama3.2", "ollama:llama3.2:3b", *(f"{home}/models/{x}.gguf" for x in "ac")]
    assert list(installed_models(folders))[2] == Installed(
        f"{home}/models/a.gguf", f"Folder {home}/models", home / "models/a.gguf", len(TOY)
    )


@pytest.mark.parametrize(
    "name", ["llama3.2", "llama3.2:latest", "library/llama3.2", "registry.ollama.ai/library/llama3.2:latest"]
)
def test_ollamas_models_open_by_long_and_short_names(home, name):
    write_manifest(
        home / ".ollama/models", "registry.ollama.ai/library/llama3.2/latest", 1, demo_model_path("toy")
    )
    assert len(guiapp.open_model(f"ollama:{name}").vocabulary) == 9


def test_of_a_repository_the_tokenizer_has_the_short_name(home):
    hub = home / ".cache/huggingface/hub"
    put(hub / "models--o--n--x/blobs/1", TOY)
    for at, name in enumerate(("a.gguf", "b.gguf", "sub/c.gguf")):
        link = put(hub / "models--o--n--x/snapshots/abc" / name, b"")
        link.unlink()
        link.symlink_to(put(hub / f"models--o--n--x/blobs/{at}", TOY + bytes(at)))
    put(hub / "models--gpt2/snapshots/abc/a.gguf", TOY)
    put(hub / "models--gpt2/snapshots/abc/b.gguf", TOY)
    put(hub / "datasets--o--d/snapshots/abc/tokenizer.json", b"{}")
    put(hub / "version.txt", b"1")
    names = [model.name for model in installed_models()]
    assert names == [
        "hf:gpt2", "hf:gpt2@main/b.gguf", "hf:o/n--x", "hf:o/n--x/b.gguf", "hf:o/n--x/sub/c.gguf",
    ]  # fmt: skip
    for name in names:
        assert len(guiapp.open_model(name).vocabulary) == 9


def test_folders_that_may_not_be_read_have_no_models(home, monkeypatch):
    def refuse(path, *_arguments, **_named):
        raise PermissionError(13, "Permission denied", str(path))

    fill_home(home)
    monkeypatch.setattr(os, "scandir", refuse)
    monkeypatch.setattr(os, "listdir", refuse)
    assert list(installed_models([home])) == []
    monkeypatch.undo()
    monkeypatch.setattr(os, "stat", refuse)
    assert list(installed_models([home])) == []
    with pytest.raises(VocabError, match=r"Ollama has no model"):
        guiapp.open_model("ollama:llama3.2")


@pytest.mark.parametrize(
    "manifest",
    [
        "",
        "[]",
        "{}",
        '{"layers": 1}',
        '{"layers": [1, {}, {"mediaType": "application/vnd.ollama.image.model"}]}',
        MANIFEST % "sha256:../../../../../x.gguf",
        MANIFEST % ("sha256:" + "0" * 64),
        "{" * 200_000,
        "1" * 6000,
    ],
)
def test_a_damaged_manifest_names_nothing(home, manifest):
    put(home / ".ollama/models/manifests/registry.ollama.ai/library/x/latest", manifest.encode())
    assert list(installed_models()) == []
    with pytest.raises(VocabError, match=r"Ollama has no model “x” on this machine\."):
        guiapp.open_model("ollama:x")


def test_settings_that_are_broken_or_huge_are_as_good_as_none(home):
    for name in (".lmstudio/settings.json", ".local/share/Jan/settings.json"):
        for content in (b"\xff", b"[1]", b'{"downloadsFolder": 3, "data_folder": []}', b" " * (2 << 20)):
            put(home / name, content)
            assert list(installed_models()) == []


def test_the_nearest_name_is_offered(home):
    fill_home(home)
    with pytest.raises(VocabError) as caught:
        guiapp.open_model("ollama:llama3.3")
    assert str(caught.value) == (
        "Ollama has no model “llama3.3” on this machine. Did you mean ollama:llama3.2?"
    )
    with pytest.raises(
        VocabError, match=r"GPT4All has no model “” on this machine\. `tokenloupe models` lists all models\."
    ):
        guiapp.open_model("gpt4all:")


def test_folders_are_searched_but_not_without_end(tmp_path, monkeypatch):
    for name in (
        "b/x.gguf",
        "a/1/2/3/4/5/deep.gguf",
        "a/1/2/3/4/5/6/deeper.gguf",
        ".git/hidden.gguf",
        "b/text.txt",
    ):
        put(tmp_path / name, b"")
    assert [name for name, _ in files_in(tmp_path)] == ["a/1/2/3/4/5/deep.gguf", "b/x.gguf"]
    put(tmp_path.parent / "outside/y.gguf", b"")
    for link, target in (
        ("b/loop", tmp_path),
        ("c", tmp_path.parent / "outside"),
        ("d", tmp_path.parent / "outside"),
    ):
        (tmp_path / link).symlink_to(target)
    assert [name for name, _ in files_in(tmp_path)] == ["a/1/2/3/4/5/deep.gguf", "b/x.gguf", "c/y.gguf"]
    monkeypatch.setattr(tokenizer_files, "MOST_FILES", 2)
    assert [name for name, _ in files_in(tmp_path)] == []
    assert list(files_in(tmp_path / "missing")) == []


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("a.gguf", True), ("A.GGUF", True), ("m-00001-of-00002.gguf", True), ("m-00002-of-00002.gguf", False),
        ("mmproj-x.gguf", False), ("qwen.tiktoken", True), ("tokenizer.json", True), ("tekken.json", True),
        ("tokenizer_config.json", False), ("model.safetensors", False), ("merges.txt", False),
        ("end-of-story.tiktoken", True), ("claude-2.tokenizer.json", True), ("tekken_240718.json", True),
        ("mistral.tokenizer.model.v3", True), ("rwkv_vocab_v20230424.txt", True), ("model.json", False),
        ("added_tokens.json", False), ("notes.txt", False), ("m.tiktoken.bak", False),
    ],
)  # fmt: skip
def test_files_are_chosen_by_their_names(name, is_one):
    assert is_tokenizer_name(name) is is_one


def test_of_a_folder_the_richest_description_is_preferred():
    names = [
        "z.gguf",
        "a.gguf",
        "vocab.txt",
        "vocab.json",
        "tokenizer.model",
        "tekken.json",
        "tokenizer.json",
    ]
    chosen = []
    names += ["sub/tokenizer.json", "README.md"]
    while (best := preferred(names)) is not None:
        chosen.append(best)
        names.remove(best)
    assert chosen == [
        "tokenizer.json", "tekken.json", "tokenizer.model", "vocab.json", "vocab.txt", "a.gguf", "z.gguf",
        "sub/tokenizer.json",
    ]  # fmt: skip
