"""Sidecar files of a tokenizer: roles of tokens, the chat template, switches of `transformers`.

The ids of a text follow from tokenizer.json alone.  `transformers` loads that file and then applies changes
from tokenizer_config.json, by rules that depend on its version and on a class name in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from guiapp.core.text.outside_json import read_json
from guiapp.core.vocabulary.opening import FileNote

FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
TOKEN_KEYS = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
ADDITIONAL = ("additional_special_tokens", "extra_special_tokens")

Token = dict[str, Any]  # an added token, as in tokenizer.json
CONFIG, MAP, TEMPLATE = "tokenizer_config.json", "special_tokens_map.json", "chat_template.jinja"
ADDED, MODEL, GENERATION = "added_tokens.json", "config.json", "generation_config.json"
HALVES = ("vocab.json", "merges.txt", "encoder.json", "vocab.bpe")  # each is half of a tokenizer
USUAL_NAME = re.compile(
    r"(?:tokenizer\.json|vocab\.json|vocab\.txt|merges\.txt|tokenizer\.bin|tekken\.json"
    r"|(?:tokenizer|spiece|sentencepiece\.bpe|spm|ice_text|tiktoken)\.model(?:\.v\w+)?|source\.spm)$"
)
ROLES = {
    "bos_token": "bos",
    "eos_token": "eos",
    "unk_token": "unk",
    "sep_token": "sep",
    "pad_token": "pad",
    "mask_token": "mask",
}
MOST_BYTES = 1 << 24
TRANSFORMERS, VERSION = "transformers", "5.24.0"  # the name of a reading, and the version that it follows
WHY = f"AutoTokenizer of transformers {VERSION} applies the configs next to the file."


class SidecarFiles(NamedTuple):
    """The contents of the sidecar files.

    roles     text of each role's token
    config    tokenizer_config.json, unchanged
    warnings  about files that cannot be read, one sentence each
    special, added, model, generation   special_tokens_map.json, added_tokens.json, config.json and
        generation_config.json, unchanged
    """

    roles: dict[str, str]
    config: dict[str, Any]
    warnings: tuple[FileNote, ...] = ()
    special: Mapping[str, Any] = {}
    added: Mapping[str, Any] = {}
    model: Mapping[str, Any] = {}
    generation: Mapping[str, Any] = {}

    @property
    def readings(self) -> dict[str, str]:
        """The reading of transformers, if any of the files has contents."""
        return {TRANSFORMERS: WHY} if self.config or self.special or self.added or self.model else {}


def read_sidecars(path: Path) -> SidecarFiles:
    """Read the sidecar files; for a file X.tokenizer.json, their names begin with X. as well."""
    warnings: list[FileNote] = []
    prefix = name_before(path) or ""
    config, special, added, model, generation = (
        _object(path.with_name(prefix + name), warnings) for name in (CONFIG, MAP, ADDED, MODEL, GENERATION)
    )
    template = _text(path.with_name(prefix + TEMPLATE))
    if template is not None:
        config.setdefault("chat_template", template)
    roles = {
        role: text
        for key, role in ROLES.items()
        if (text := _content(config.get(key)) or _content(special.get(key)))
    }
    return SidecarFiles(roles, config, tuple(warnings), special, added, model, generation)


def sidecar_paths(path: Path) -> list[Path]:
    """The files that may be read with a tokenizer's file, existing or not."""
    prefix = name_before(path) or ""
    return [
        path.with_name(prefix + name) for name in (CONFIG, MAP, TEMPLATE, ADDED, MODEL, GENERATION, *HALVES)
    ]


def name_before(path: Path) -> str | None:
    """The part of a file name before a usual name such as tokenizer.json; None for any other name."""
    usual = USUAL_NAME.search(path.name)
    return None if usual is None else path.name[: usual.start()]


def model_name(path: Path) -> str:
    """A name for the model: from its file, or from its folder if the file has a usual name."""
    before = name_before(path)
    if before is None:
        return path.stem
    folder = path.absolute().parent
    if folder.parent.name == "snapshots":  # of a repository, by commit
        folder = folder.parents[1]
    return before.rstrip(".-_") or folder.name.removeprefix("models--").replace("--", "/")


def _object(path: Path, warnings: list[FileNote]) -> dict[str, Any]:
    text = _text(path)
    try:
        content = {} if text is None else read_json(text)
    except ValueError as error:
        entry = f"{path.name} next to the file is not valid JSON and is ignored: {error}."
        warnings.append(FileNote("config_broken", entry))
        return {}
    if not isinstance(content, dict):
        entry = f"{path.name} next to the file is not a JSON object and is ignored."
        warnings.append(FileNote("config_broken", entry))
        return {}
    return content


def _text(path: Path) -> str | None:
    try:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            return None
        return path.read_text("utf-8", "replace")
    except OSError:
        return None


def _content(entry: Any) -> str:
    """The text of a token, which may be a string or an object."""
    text = entry.get("content") if isinstance(entry, dict) else entry
    return text if isinstance(text, str) else ""


def role_tokens(sidecars: SidecarFiles, usual: Mapping[str, Any]) -> dict[str, Token]:
    """The token of each role: from the files, else from `usual`, which has texts or added tokens."""
    spec = dict(usual)
    for key in TOKEN_KEYS:
        if "added_tokens_decoder" not in sidecars.config and key in sidecars.special:
            spec[key] = sidecars.special[key]
        elif key in sidecars.config:
            spec[key] = sidecars.config[key]
    return {key: _token(spec[key], True) for key in TOKEN_KEYS if spec.get(key)}


def with_roles(sidecars: SidecarFiles, roles: Mapping[str, Token], *notes: FileNote) -> SidecarFiles:
    """The same sidecar files with the given roles and more warnings."""
    texts = {ROLES[key]: token["content"] for key, token in roles.items() if key in ROLES}
    return sidecars._replace(roles=texts, warnings=(*notes, *sidecars.warnings))


def added_tokens(sidecars: SidecarFiles, roles: Mapping[str, Token]) -> list[Token]:
    """All added tokens, in the order in which they get their ids."""
    tokens = [*_listed(sidecars, roles), *roles.values(), *_additional(sidecars)]
    by_text: dict[str, Token] = {}
    for token in tokens:
        if token["content"] not in by_text:
            by_text[token["content"]] = token
    special = {token["content"] for token in (*roles.values(), *_additional(sidecars))}
    for text in special:
        by_text[text]["special"] = True
    return [*by_text.values()]


def _listed(sidecars: SidecarFiles, roles: Mapping[str, Token]) -> Iterator[Token]:
    """The added tokens that the files list with ids."""
    decoder = sidecars.config.get("added_tokens_decoder")
    if decoder:
        for _, spec in sorted(decoder.items(), key=lambda item: int(item[0])):
            yield _token(spec, False)
        return
    special = {token["content"] for token in (*roles.values(), *_additional(sidecars))}
    for text, _ in sorted(sidecars.added.items(), key=lambda item: int(item[1])):
        yield _token(text, text in special)


def _additional(sidecars: SidecarFiles) -> list[Token]:
    spec = (each.get(key) for each in (sidecars.special, sidecars.config) for key in ADDITIONAL)
    return [_token(each, True) for each in next(filter(None, spec), ())]


def _token(spec: Any, special: bool) -> Token:
    """The added token of an entry, which may be a string or an object."""
    token = {"content": spec} if isinstance(spec, str) else dict(spec)
    if not isinstance(token["content"], str):
        raise TypeError(f"{token['content']!r} is not the text of a token")
    token.setdefault("special", special)
    token.setdefault("normalized", not token["special"])
    return {"content": token["content"], **{flag: bool(token.get(flag)) for flag in FLAGS}}


def with_ids(tokens: list[Token], ids: Mapping[str, int]) -> dict[str, int]:
    """Give each added token the id of its text in `ids`, else the next free id; return all ids by text."""
    new = count(len(ids))
    for token in tokens:
        text = token["content"]
        token["id"] = ids[text] if text in ids else next(new)
    return {token["content"]: token["id"] for token in tokens}
