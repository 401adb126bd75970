"""The rows of the model picker, and facts about the open model."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path

from guiapp.analysis.explain.spelling import Spelling
from guiapp.core.demo import DEMO_MODELS, PREFIX
from guiapp.core.sources.installed import FOLDER, Installed
from guiapp.core.sources.locate import is_fetched, is_plain, lasting_name
from guiapp.core.text.numbers_in_words import in_bytes, printable, quoted
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.kit.session.loader import OpenModel, display_name, file_of
from guiapp.kit.state.recent import InstalledRow, RecentFile

FILE_ADDRESS = "file://"
SHOWN_BYTES = 24
MOST_REMARKS, MOST_SAID, LONGEST_SAID = 20, 200, 200


def model_rows(
    recent: Iterable[RecentFile],
    missing: Container[str],
    installed: Iterable[InstalledRow],
    current: str | None,
) -> Iterator[Choice]:
    """Recent files, installed models and demo models; `missing` has the paths that no longer exist."""
    for file in recent:
        yield _recent_row(file, file.path not in missing, current)
    for row in installed:
        yield _installed_row(row, current)
    for demo in DEMO_MODELS:
        name = PREFIX + demo.name
        yield Choice("Demo", name, demo.title, demo.description, is_current=name == current)


def named_row(typed: str) -> list[Choice]:
    """A row for typed or pasted text: a path, or the name of a model to download or to find."""
    if path := _typed_path(typed):
        return [Choice("By name", path, typed, "Open this file or folder")]
    is_name = not is_plain(typed) and not typed.endswith((":", "/"))
    detail = "Download its tokenizer" if is_fetched(typed) else "Look for it on this machine"
    return [Choice("By name", typed, typed, detail)] if is_name else []


def _typed_path(typed: str) -> str:
    """The path in a text, also in quotes or as a file URL, as programs copy them; "" for none."""
    text = typed.strip("\"'")
    if text.startswith(FILE_ADDRESS):
        from urllib.request import url2pathname  # slow: imports network modules

        text = url2pathname(text.removeprefix(FILE_ADDRESS))
    is_path = text.startswith(("~", f".{os.sep}", f"..{os.sep}")) or os.path.isabs(text)
    return os.path.expanduser(text) if is_path else ""


def _installed_row(row: InstalledRow, current: str | None) -> Choice:
    model, seen = row
    section, name = _section_and_name(model)
    size = "" if seen is None or seen.n_tokens is None else f"{seen.n_tokens:,}"
    kind = () if seen is None else (seen.type or seen.format, quoted(seen.pre), size)
    detail, location = joined(*kind, in_bytes(model.size_bytes)), shown_path(model.path)
    is_current = lasting_name(model.name) == current
    choice = Choice(section, model.name, quoted(name, 200), detail, True, is_current, location)
    if seen is not None and seen.problem:
        return replace(choice, detail=seen.problem, is_there=False)
    return choice


def _section_and_name(model: Installed) -> tuple[str, str]:
    """The section of an installed model and its name there; a folder is shortened with `~`."""
    if not model.source.startswith(FOLDER):
        return model.source, model.name.partition(":")[2]
    folder = Path(model.source.removeprefix(FOLDER))
    return f"{FOLDER}{shown_path(folder)}", str(model.path.relative_to(folder))


def _recent_row(file: RecentFile, is_there: bool, current: str | None) -> Choice:
    path, is_path = Path(file.path), is_plain(file.path)
    named = path.name if is_path else file.path
    detail = joined(file.type, shown_pre(file.pre, file.chosen_pre), f"{file.n_tokens:,}", named)
    return Choice(
        "Recent",
        file.path,
        file.name or (path.stem if is_path else file.path),
        detail if is_there else f"not found: {file.path}",
        is_there,
        is_current=file.path == current,
        location=shown_path(path.parent) if is_path and is_there else "",
    )


def shown_path(path: Path) -> str:
    """A path for display, with `~` for the home folder."""
    home, shown = str(Path.home()), str(path)
    if shown == home or shown.startswith(home + os.sep):
        shown = f"~{shown[len(home) :]}"
    return quoted(shown, len(shown))


def shown_pre(pre: str, chosen_pre: str) -> str:
    """The pre-tokenizer that a file names, and the one chosen by hand, if any."""
    return f"{quoted(pre) or 'no pre-tokenizer'} → {chosen_pre}" if chosen_pre else pre


def summary(model: OpenModel) -> str:
    """`BPE · llama-bpe · 128,256`: type, pre-tokenizer and size."""
    vocabulary = model.tokenizer.vocabulary
    pre = shown_pre(vocabulary.pre, vocabulary.chosen_pre) if vocabulary.patterns else ""
    return joined(vocabulary.type.value, pre, f"{len(vocabulary):,}")


def about(model: OpenModel) -> str:
    """The file or folder that the model was opened from, then its summary."""
    return joined(file_of(model), summary(model))


def facts(model: OpenModel) -> list[tuple[str, str]]:
    """Names and values to show about the open model."""
    vocabulary = model.tokenizer.vocabulary
    path = None if is_plain(model.name) else vocabulary.path
    rows = [
        ("name", display_name(model)),
        ("format", vocabulary.format),
        ("type", vocabulary.type.value),
        ("pre-tokenizer", quoted(vocabulary.pre) if vocabulary.patterns else ""),
        (
            "read as" if vocabulary.chosen_pre in vocabulary.readings else "replaced by",
            f"{vocabulary.chosen_pre}, chosen by hand" if vocabulary.chosen_pre else "",
        ),
        ("tokens", f"{len(vocabulary):,}"),
        ("merges", f"{len(vocabulary.merge_offsets) - 1:,}" if len(vocabulary.merge_offsets) > 1 else ""),
        ("file", "" if model.name.startswith(PREFIX) or not is_plain(model.name) else model.name),
        ("opened as", "" if is_plain(model.name) else model.name),
        ("location", "" if path is None else shown_path(path)),
    ]
    rows += [*special_facts(vocabulary), *file_facts(vocabulary)]
    return [(name, value) for name, value in rows if value]


def file_facts(vocabulary: Vocabulary) -> Iterator[tuple[str, str]]:
    """Yield the warnings about a file, its chat templates and its metadata."""
    from guiapp.analysis.explain.reports import value_text

    yield "warnings", "\n".join(vocabulary.warnings[:MOST_REMARKS])
    values = {quoted(key, LONGEST_SAID): value for key, value in vocabulary.metadata.items()}
    for key in [key for key in values if "chat_template" in key]:
        yield key.rpartition(".")[2].replace("_", " "), printable(value_text(values.pop(key)))
    lines = [f"{key}  {quoted(value_text(value), LONGEST_SAID)}" for key, value in values.items()]
    yield "metadata", "\n".join(lines[:MOST_SAID])


def special_facts(vocabulary: Vocabulary) -> Iterator[tuple[str, str]]:
    """Yield the roles of tokens, as `BOS`, `128000 <|begin_of_text|>`."""
    for role in fields(vocabulary.special_ids):
        token_id = getattr(vocabulary.special_ids, role.name)
        if token_id is not None and 0 <= token_id < len(vocabulary):
            text = Spelling.SIGNS.token(vocabulary, token_id, SHOWN_BYTES)
            yield role.name.upper().replace("_", " "), f"{token_id} {text}"


def joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


@dataclass(frozen=True)
class Choice:
    """An item to choose.

    section     the heading above it
    name        identifies it; never shown
    detail      a second line
    is_there    whether it can be chosen
    is_current  whether it is in use
    location    shown after the detail if there is room
    keys        shortcuts that do the same
    """

    section: str
    name: str
    title: str
    detail: str
    is_there: bool = True
    is_current: bool = False
    location: str = ""
    keys: tuple[str, ...] = ()


def matching(choices: Iterable[Choice], typed: str) -> Iterator[Choice]:
    """Yield the choices that contain all typed words, ignoring case."""
    words = typed.casefold().split()
    for choice in choices:
        of_choice = choice.section, choice.title, choice.detail, choice.location, choice.name, *choice.keys
        described = " ".join(of_choice).casefold()
        if all(word in described for word in words):
            yield choice
