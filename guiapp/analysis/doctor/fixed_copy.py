"""Write a fixed copy of a model's file, examine it, and compare it with the file."""

from __future__ import annotations

import json
import os
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from guiapp.analysis.chat.templates import FOLDER, JSON
from guiapp.analysis.doctor.doctor import Diagnosis, doctor
from guiapp.analysis.doctor.findings import SEVERITIES, Finding
from guiapp.analysis.doctor.fixes import FileFix, ValueEdit
from guiapp.analysis.hunt.engine import HuntPlan, hunt
from guiapp.analysis.hunt.mismatches import Hunt
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.formats.file_bytes import file_state
from guiapp.core.formats.gguf_copy import GgufChange, GgufValue, copy_with
from guiapp.core.formats.table import format_of
from guiapp.core.formats.tokenizer_config import name_before, sidecar_paths
from guiapp.core.pretokenize.pre_tokenizers import PRE_TOKENIZERS
from guiapp.core.sources.files import check_space, replacement
from guiapp.core.sources.locate import located
from guiapp.core.text.json_edits import with_value
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.core.text.outside_json import read_json
from guiapp.core.vocabulary.opening import Opening
from guiapp.core.vocabulary.remedies import GGUF
from guiapp.errors import TokenloupeError, not_written
from guiapp.native.checkpoint import Progress

HUNT_S = 5.0
COPIED, EXAMINED = 0.6, 0.7  # progress after these steps
MOST_SHOWN, MOST_LISTED = 60, 8  # characters of a text, values of a list
ONE_FILE = frozenset({".json", ".model", ".txt", ".tiktoken", ".bin", ".gguf"})


class FixError(TokenloupeError):
    """No copy was written; the message states why, and what to do."""


class ChangedValue(NamedTuple):
    """A value of a file in words, before and after; None if it does not exist."""

    file: str
    key: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class Fixed:
    """A fixed copy of a model's file, and its findings.

    path      of the copy: a file, or a folder with a tokenizer and its sidecar files
    chosen    the fixes that were applied, as arguments of `--only`
    changes   every value that differs
    fixed     codes of findings that the copy does not have
    remaining findings of the copy that the file also has
    new       findings of the copy only
    fixes     of the copy, as in Diagnosis
    hunt      comparison of both files on texts, if both open; else `why_no_hunt` is the reason
    """

    path: Path
    chosen: tuple[str, ...]
    changes: tuple[ChangedValue, ...]
    fixed: tuple[str, ...]
    remaining: tuple[Finding, ...]
    new: tuple[Finding, ...]
    fixes: Mapping[str, FileFix]
    hunt: Hunt | None = None
    why_no_hunt: str = ""

    @property
    def worst(self) -> str | None:
        """The severity of the worst finding of the copy; None if there is none."""
        severities = {each.severity for each in (*self.remaining, *self.new)}
        return next(filter(severities.__contains__, SEVERITIES), None)

    def __repr__(self) -> str:
        return f"<Fixed {self.path.name}: {', '.join(self.fixed) or 'nothing'}>"


def fix(
    model: str | os.PathLike[str],
    out: str | os.PathLike[str],
    only: Sequence[str] | None = None,
    original: str | os.PathLike[str] | Tokenizer | None = None,
    **options: Any,
) -> Fixed:
    """Examine a model, then save a fixed copy: see `save_fixed`."""
    return save_fixed(model, doctor(model, original), Path(out), only, original, **options)


def chosen_fixes(fixes: Mapping[str, FileFix], only: Sequence[str] | None = None) -> tuple[str, ...]:
    """The fixes to apply, each as CODE or CODE=CHOICE; by default, all that need no choice.

    Raises FixError for an unknown or impossible fix, or if there is nothing to fix.
    """
    known = [name for fix in fixes.values() for name in fix.names]
    chosen = [code for code, each in fixes.items() if each.is_certain] if only is None else list(only)
    for each in chosen:
        fix = fixes.get(each.partition("=")[0])
        if fix is not None and not fix.options:
            raise FixError(f"{fix.code} cannot be fixed in a copy. {fix.reason}")
        if each not in known and known:
            choices = ", ".join(known if fix is None else fix.names)
            raise FixError(f"“{quoted(each)}” names no fix of this file. Choose from: {choices}.")
    if not known:
        raise FixError("There is nothing to fix: no finding of this file can be fixed in a copy.")
    if not chosen:
        raise FixError(f"Nothing can be fixed without a choice. Choose with --only: {', '.join(known)}.")
    return tuple(dict.fromkeys(chosen))


def save_fixed(
    model: str | os.PathLike[str],
    before: Diagnosis,
    out: Path,
    only: Sequence[str] | None = None,
    original: str | os.PathLike[str] | Tokenizer | None = None,
    *,
    force: bool = False,
    seconds: float = HUNT_S,
    progress: Progress = lambda _share: None,
    shall_stop: Callable[[], bool] = lambda: False,
) -> Fixed:
    """Write a copy of an examined model with the chosen fixes, examine it, and hunt for `seconds`.

    `progress` is called with the share done; an exception from it stops the work and removes the copy.
    `shall_stop` only ends the hunt.  Raises FixError if no copy can be written, VocabError if the file is
    broken or has changed since it was examined.
    """
    chosen = chosen_fixes(before.fixes, only)
    assert before.path is not None
    if located(model, Opening(lambda _share: None)).whole_bytes is not None:
        raise FixError("Only the beginning of this model is on this machine. Download the file, then fix it.")
    if before.tokenizer is not None and (files := before.tokenizer.vocabulary.opened_files) is not None:
        files.reduced()  # raises VocabError if they have changed since they were examined
    edits = [edit for each in chosen for edit in _edits_of(before.fixes, each)]
    was_there = _check_out(before.path, out, force)
    try:
        write = _write_gguf if format_of(before.path).name == GGUF else _write_files
        changes = write(before.path, out, edits, lambda share: progress(share * COPIED))
    except OSError as error:
        raise FixError(not_written(out, error)) from error
    try:
        after = doctor(out, original, lambda share: progress(COPIED + share * (EXAMINED - COPIED)))
        codes = {each.code for each in before.findings}
        now = {each.code for each in after.findings}
        fixed = Fixed(
            out,
            chosen,
            changes,
            tuple(dict.fromkeys(each.code for each in before.findings if each.code not in now)),
            tuple(each for each in after.findings if each.code in codes),
            tuple(each for each in after.findings if each.code not in codes),
            after.fixes,
        )
        return _hunted(fixed, before, after, seconds, progress, shall_stop)
    except BaseException:
        if not was_there:
            shutil.rmtree(out) if out.is_dir() else out.unlink(missing_ok=True)
        raise


def _edits_of(fixes: Mapping[str, FileFix], name: str) -> tuple[ValueEdit, ...]:
    code, _, choice = name.partition("=")
    return fixes[code].options[choice]


def _check_out(path: Path, out: Path, force: bool) -> bool:
    """Whether `out` exists and may be replaced.  Raises FixError if it must not be written."""
    own = path.parent, *_files(path)
    if out.exists() and any(out.samefile(each) for each in own):
        raise FixError(f"{out} belongs to the model itself, which stays as it is. Name another file.")
    was_there = os.path.lexists(out)
    if was_there and not (force and out.is_file()):
        raise FixError(f"{out} exists{'' if out.is_file() else ', and is not a file'}. Choose another name.")
    return was_there


# Writing


def _write_gguf(
    path: Path, out: Path, edits: Iterable[ValueEdit], progress: Progress
) -> tuple[ChangedValue, ...]:
    changes = defaultdict[str, list[GgufChange]](list)
    for edit in edits:
        changes[edit.keys[0]].append(edit.change)
    values = copy_with(path, out, {key: partial(_changed, each) for key, each in changes.items()}, progress)
    return tuple(
        ChangedValue(path.name, key, *_in_words(*pair))
        for key, pair in values.items()
        if pair[0] is not pair[1]
    )


def _changed(changes: Sequence[GgufChange], old: GgufValue | None) -> GgufValue | None:
    for change in changes:
        old = change(old)
    return old


def _files(path: Path) -> list[Path]:
    """A tokenizer's file other than GGUF, and the sidecar files that are read with it."""
    prefix = name_before(path) or ""
    templates = [] if prefix else [*path.with_name(FOLDER).glob("*.jinja")]
    others = [*sidecar_paths(path), path.with_name(prefix + JSON), *templates]
    return [path, *(each for each in others if each.is_file() and each != path)]


def _write_files(
    path: Path, out: Path, edits: Iterable[ValueEdit], progress: Progress
) -> tuple[ChangedValue, ...]:
    """Write a folder with the tokenizer and its sidecar files, or one file if there are no others."""
    files, texts, changes = _files(path), dict[Path, str](), list[ChangedValue]()
    states = [file_state(each) for each in files]
    for edit in edits:
        file = path.with_name((name_before(path) or "") + edit.file) if edit.file else path
        if file not in texts:
            texts[file] = file.read_bytes().decode("utf-8", "surrogateescape") if file.is_file() else "{}\n"
        try:
            texts[file], old, new = _edited(texts[file], edit)
        except (ValueError, RecursionError) as error:
            raise FixError(f"{file.name} is not valid JSON: {quoted(str(error))}.") from error
        if old != new:
            changes.append(ChangedValue(file.name, ".".join(edit.keys), *_in_words(old, new)))
    files += [each for each in texts if each not in files]
    if len(files) > 1 and out.suffix in ONE_FILE:
        raise FixError(f"The copy has {len(files)} files, such as {files[1].name}. Name a folder, not {out}.")
    check_space(out, sum(each.stat().st_size for each in files if each.is_file()))
    data = {file: text.encode("utf-8", "surrogateescape") for file, text in texts.items()}
    with replacement(out) if len(files) == 1 else _new_folder(out, path.parent) as new:
        for number, file in enumerate(files):
            progress(number / len(files))
            target = new if len(files) == 1 else new / file.relative_to(path.parent)
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(data[file]) if file in data else shutil.copyfile(file, target)
        if states != [file_state(each) for each in files[: len(states)]]:
            raise FixError(f"{path.name} changed while it was copied. Wait until it is complete.")
    return tuple(changes)


def _edited(text: str, edit: ValueEdit) -> tuple[str, Any, Any]:
    """The text of the file after the edit, the old value, and the new value."""
    if not edit.keys:
        new = edit.change(text)
        return new, text, new
    old = read_json(text.removeprefix("\ufeff"))
    for key in edit.keys:
        old = old.get(key) if isinstance(old, dict) else None
    new = edit.change(old)
    return text if new == old else with_value(text, edit.keys, new), old, new


@contextmanager
def _new_folder(out: Path, source: Path) -> Iterator[Path]:
    """A temporary folder to fill, renamed to `out` at the end; removed if an exception is raised."""
    with TemporaryDirectory(dir=out.resolve().parent, prefix=".tokenloupe-") as folder:
        new = Path(folder) / out.name
        new.mkdir()
        yield new
        shutil.copymode(source, new)
        new.rename(out)


def _in_words(old: Any, new: Any) -> tuple[str | None, str | None]:
    values = [each.value if isinstance(each, GgufValue) else each for each in (old, new)]
    if all(isinstance(each, np.ndarray) for each in values):
        n_changed = int((values[0] != values[1]).sum())
        return counted(len(values[0]), "value"), f"{n_changed:,} changed"
    if all(isinstance(each, str | bytes) for each in values):
        pairs = enumerate(zip(*values, strict=False))
        at = next((row for row, (one, other) in pairs if one != other), 0)
        values = [each[max(at - MOST_SHOWN // 4, 0) :] for each in values]
    before, after = map(_value_in_words, values)
    return before, after


def _value_in_words(value: Any) -> str | None:
    if isinstance(value, list | np.ndarray):
        return counted(len(value), "value")
    if isinstance(value, str | bytes):
        return f"“{quoted(value, MOST_SHOWN)}”"
    return None if value is None else json.dumps(value)


# Comparing


def _hunted(
    fixed: Fixed,
    before: Diagnosis,
    after: Diagnosis,
    seconds: float,
    progress: Progress,
    shall_stop: Callable[[], bool],
) -> Fixed:
    if not seconds:
        return fixed
    if before.tokenizer is None or after.tokenizer is None:
        which = "file" if before.tokenizer is None else "copy"
        return replace(fixed, why_no_hunt=f"No texts were compared: the {which} does not open.")
    vocabulary = before.tokenizer.vocabulary
    pre = vocabulary.chosen_pre if vocabulary.pre not in ("", *PRE_TOKENIZERS) else ""
    plan = HuntPlan(str(vocabulary.path), str(fixed.path), seconds=seconds, pres=(pre or None, None))
    try:
        for state in hunt(plan, shall_stop):
            progress(EXAMINED + (1 - EXAMINED) * min(1.0, state.seconds / seconds))
            fixed = replace(fixed, hunt=state)
    except (OSError, TokenloupeError) as error:
        return replace(fixed, hunt=None, why_no_hunt=f"No texts were compared: {error}")
    return fixed
