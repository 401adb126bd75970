"""The special tokens that `transformers` gives a list of tokens, which does not say itself what they are.

Source: https://github.com/huggingface/transformers, tokenization_utils_base.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from guiapp.core.formats.tokenizer_config import ROLES as NAMES_OF_ROLES
from guiapp.core.formats.tokenizer_config import SidecarFiles
from guiapp.core.vocabulary.notes import FileNote

FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
ROLES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
ADDITIONAL = ("additional_special_tokens", "extra_special_tokens")

Token = dict[str, Any]  # as tokenizer.json has added tokens


def role_tokens(sidecars: SidecarFiles, usual: Mapping[str, Any]) -> dict[str, Token]:
    """The token of each role: as the files say, else the usual one, a text or an added token."""
    spec = dict(usual)
    for key in ROLES:
        if "added_tokens_decoder" not in sidecars.config and key in sidecars.special:
            spec[key] = sidecars.special[key]
        elif key in sidecars.config:
            spec[key] = sidecars.config[key]
    return {key: _token(spec[key], True) for key in ROLES if spec.get(key)}


def with_roles(sidecars: SidecarFiles, roles: Mapping[str, Token], *notes: FileNote) -> SidecarFiles:
    """The same with the roles that were found, and more warnings."""
    texts = {NAMES_OF_ROLES[key]: token["content"] for key, token in roles.items() if key in NAMES_OF_ROLES}
    return sidecars._replace(roles=texts, warnings=(*notes, *sidecars.warnings))


def added_tokens(sidecars: SidecarFiles, roles: Mapping[str, Token]) -> list[Token]:
    """All that are cut out of texts, in the order in which they get their ids."""
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
    """Those with ids of their own."""
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
    """A token that stands as its text, or as an object."""
    token = {"content": spec} if isinstance(spec, str) else dict(spec)
    if not isinstance(token["content"], str):
        raise TypeError(f"{token['content']!r} is no text of a token")
    token.setdefault("special", special)
    token.setdefault("normalized", not token["special"])
    return {"content": token["content"], **{flag: bool(token.get(flag)) for flag in FLAGS}}


def with_ids(tokens: list[Token], ids: Mapping[str, int]) -> dict[str, int]:
    """Give added tokens the ids of their texts among `ids`, else the next ones; all by their texts."""
    new = count(len(ids))
    for token in tokens:
        text = token["content"]
        token["id"] = ids[text] if text in ids else next(new)
    return {token["content"]: token["id"] for token in tokens}
