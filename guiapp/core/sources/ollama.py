"""Ollama's models: a manifest for each name and tag says which blob is the model.

Source: https://github.com/ollama/ollama, types/model/name.go and manifest/manifest.go.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from guiapp.core.sources.small_files import json_object
from guiapp.core.sources.tokenizer_files import files_in

MODEL_LAYER = "application/vnd.ollama.image.model"
DIGEST = re.compile(r"sha256:([0-9a-f]{64})")
USUAL_HOST, USUAL_NAMESPACE, USUAL_TAG = "registry.ollama.ai", "library", "latest"
OF_THE_SERVICE = Path("/usr/share/ollama/.ollama/models")


def models() -> Iterator[tuple[str, Path]]:
    """Names such as `llama3.2`, `llama3.2:1b` and `hf.co/owner/name:Q4_K_M`, and the blobs that they mean."""
    for folder in _folders():
        for name, manifest in files_in(folder / "manifests", lambda _name: True):
            model, _, tag = name.rpartition("/")
            blob = _model_blob(folder, manifest) if model.count("/") == 2 else None
            if blob is not None:
                yield short_name(f"{model}:{tag}"), blob


def short_name(name: str) -> str:
    """A name without what goes without saying."""
    short = name.removeprefix(f"{USUAL_HOST}/").removeprefix(f"{USUAL_NAMESPACE}/")
    return short.removesuffix(f":{USUAL_TAG}")


def _folders() -> list[Path]:
    chosen = os.environ.get("OLLAMA_MODELS")
    return [Path(chosen)] if chosen else [Path.home() / ".ollama" / "models", OF_THE_SERVICE]


def _model_blob(folder: Path, manifest: Path) -> Path | None:
    layers = json_object(manifest).get("layers")
    for layer in layers if isinstance(layers, list) else []:
        if isinstance(layer, dict) and layer.get("mediaType") == MODEL_LAYER:
            digest = DIGEST.fullmatch(str(layer.get("digest")))
            if digest is not None:
                return folder / "blobs" / f"sha256-{digest[1]}"
    return None
