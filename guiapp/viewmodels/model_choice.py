"""The rows of the model picker, and what there is to say about the model that is open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

from guiapp.core.demo import DEMO_MODELS, PREFIX
from guiapp.core.explain.visible_text import visible_text
from guiapp.core.vocab.vocabulary import Vocabulary
from guiapp.viewmodels.model_loader import OpenModel, display_name
from guiapp.viewmodels.recent_files import RecentFile

SHOWN_BYTES = 24


@dataclass(frozen=True)
class ModelRow:
    """A model that can be opened.

    name        what to open: a path or `demo:<name>`
    is_missing  the file is not there any more
    is_current  it is the one that is open
    """

    section: str
    name: str
    title: str
    detail: str
    is_missing: bool
    is_current: bool


def model_rows(recent: tuple[RecentFile, ...], current: str | None) -> list[ModelRow]:
    """Recent files, then the demo models."""
    rows = [
        ModelRow(
            section="Recent",
            name=file.path,
            title=file.name or Path(file.path).stem,
            detail=joined(file.type, file.pre, f"{file.n_tokens:,}", Path(file.path).name),
            is_missing=not Path(file.path).is_file(),
            is_current=file.path == current,
        )
        for file in recent
    ]
    return rows + [
        ModelRow(
            "Demo", PREFIX + demo.name, demo.title, demo.description, False, PREFIX + demo.name == current
        )
        for demo in DEMO_MODELS
    ]


def summary(model: OpenModel) -> str:
    """`BPE · llama-bpe · 128,256`: type, pre-tokenizer and size."""
    vocabulary = model.tokenizer.vocabulary
    return joined(vocabulary.type.value, vocabulary.pre_type and vocabulary.pre, f"{len(vocabulary):,}")


def facts(model: OpenModel) -> list[tuple[str, str]]:
    """Names and values to show about the model that is open."""
    vocabulary = model.tokenizer.vocabulary
    rows = [
        ("name", display_name(model)),
        ("type", vocabulary.type.value),
        ("pre-tokenizer", vocabulary.pre if vocabulary.pre_type else ""),
        ("tokens", f"{len(vocabulary):,}"),
        ("merges", f"{len(vocabulary.merge_offsets) - 1:,}" if len(vocabulary.merge_offsets) > 1 else ""),
        ("file", "" if model.name.startswith(PREFIX) else model.name),
    ]
    return [(name, value) for name, value in rows if value] + list(special_facts(vocabulary))


def special_facts(vocabulary: Vocabulary) -> Iterator[tuple[str, str]]:
    """The roles that tokens have, as `BOS`, `128000 <|begin_of_text|>`."""
    for role in fields(vocabulary.special_ids):
        token_id = getattr(vocabulary.special_ids, role.name)
        if token_id is not None and 0 <= token_id < len(vocabulary):
            text = visible_text(vocabulary.raw_text(token_id), SHOWN_BYTES)
            yield role.name.upper().replace("_", " "), f"{token_id} {text}"


def joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)
