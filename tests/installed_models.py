"""A typical home folder with twelve models of six programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from guiapp.core.demo import demo_model_path

BLOB = "sha256-" + "{:064x}"


CACHES = ("OLLAMA_MODELS", "LLAMA_CACHE", "HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE")
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
XDG = ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")


def move_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an empty home folder of the user, until the test is over."""
    for name in (*CACHES, *XDG, *PROXIES, *map(str.upper, PROXIES), "HF_ENDPOINT", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    return home


def write_manifest(models: Path, name: str, n_blob: int, source: Path) -> None:
    """Write a model of Ollama whose blob is a link to a file."""
    manifest, blob = models / "manifests" / name, models / "blobs" / BLOB.format(n_blob)
    layers = [
        {"mediaType": "application/vnd.ollama.image.license", "digest": "sha256:" + "e" * 64},
        {"mediaType": "application/vnd.ollama.image.model", "digest": blob.name.replace("-", ":")},
    ]
    put(manifest, json.dumps({"schemaVersion": 2, "layers": layers}).encode())
    put(blob, source.read_bytes())


def put(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def fill_home(home: Path) -> Mapping[str, Path]:
    """Install twelve models; return their paths by name."""
    bpe, spm, toy = (demo_model_path(name) for name in ("bpe", "spm", "toy"))
    ollama = home / ".ollama/models"
    write_manifest(ollama, "registry.ollama.ai/library/llama3.2/latest", 1, bpe)
    write_manifest(ollama, "registry.ollama.ai/library/llama3.2/1b", 2, spm)
    write_manifest(ollama, "registry.ollama.ai/someone/mixed/latest", 3, toy)
    write_manifest(ollama, "hf.co/bartowski/Qwen-GGUF/Q4_K_M", 4, bpe)
    studio, hub = home / ".lmstudio/models", home / ".cache/huggingface/hub"
    files = {
        "lmstudio:TheBloke/Mistral/mistral.Q4.gguf": (studio / "TheBloke/Mistral/mistral.Q4.gguf", spm),
        "lmstudio:lone/gemma/gemma.gguf": (studio / "lone/gemma/gemma.gguf", bpe),
        "hf:openai/whisper": (hub / "models--openai--whisper/snapshots/abc/model.gguf", bpe),
        "hf:org/two": (hub / "models--org--two/snapshots/111/old.gguf", toy),
        "llama.cpp:ggml-org_tiny.gguf": (home / ".cache/llama.cpp/ggml-org_tiny.gguf", toy),
        "jan:author/llama": (home / ".local/share/Jan/data/llamacpp/models/author/llama/model.gguf", bpe),
        "gpt4all:orca.gguf": (home / ".local/share/nomic.ai/GPT4All/orca.gguf", spm),
        "gpt4all:wordpiece.gguf": (
            home / ".local/share/nomic.ai/GPT4All/wordpiece.gguf",
            demo_model_path("wordpiece"),
        ),
    }
    for path, source in files.values():
        put(path, source.read_bytes())
    put(hub / "models--openai--whisper/refs/main", b"abc")
    description = b"name: llama\nmodel_path: llamacpp/models/author/llama/model.gguf\nsize_bytes: 1\n"
    put(home / ".local/share/Jan/data/llamacpp/models/author/llama/model.yml", description)
    names = (
        "ollama:llama3.2",
        "ollama:llama3.2:1b",
        "ollama:someone/mixed",
        "ollama:hf.co/bartowski/Qwen-GGUF:Q4_K_M",
    )
    blobs = {name: ollama / "blobs" / BLOB.format(number) for number, name in enumerate(names, 1)}
    return blobs | {name: path for name, (path, _) in files.items()}
