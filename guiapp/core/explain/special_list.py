"""The special tokens of a model: what each is for, who says so, and which text leads to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np

from guiapp.core.chat.templates import templates_of
from guiapp.core.doctor.roles import keeps_going, looks_like_end
from guiapp.core.errors import EncodeError
from guiapp.core.system.checkpoint import checkpoint, stoppable
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.vocab.attributes import ATTRIBUTE_OF_TYPE, KINDS, Attribute
from guiapp.core.vocab.parts import AddedToken
from guiapp.core.vocab.reserved import reserved
from guiapp.core.vocab.special_ids import END_TEXTS, KEYS, TEXTS_OF_ROLE
from guiapp.core.vocab.vocabulary import Vocabulary

SPECIAL = Attribute.CONTROL | Attribute.UNKNOWN | Attribute.USER_DEFINED | Attribute.UNUSED
GGUF, TOKENIZER_KEYS = "GGUF", "tokenizer.ggml."
ENDING_ROLES = ("eos", "eot", "eom", "fim_pad", "fim_rep", "fim_sep")
STRIPS = {Attribute.LSTRIP: "lstrip", Attribute.RSTRIP: "rstrip"}
RARE = ("\U00013000", "\U000ffffd")  # a hieroglyph, and what is for private use: few vocabularies know them
AT_ONCE = 1 << 12  # texts that are encoded at once


class Reach(Enum):
    """How a text leads to a token.  That none was found is no proof that there is none.

    TEXT     its own text does, whatever is set
    UNKNOWN  each character does that the vocabulary does not know
    PARSED   its own text does where special tokens are parsed in texts
    NEVER    its own text does not
    """

    TEXT = "text"
    UNKNOWN = "unknown"
    PARSED = "parse_special"
    NEVER = "never"


class Role(NamedTuple):
    """What a token is used for, as `bos`; `source` is the key that says so, or how it was found."""

    name: str
    source: str


@dataclass(frozen=True)
class SpecialToken:
    """One special token.

    name         as the file spells it
    mark         how the file marks it
    text         leads to it by `reach`; None for NEVER
    around       "before" or "behind" where it is put around each text, else ""
    end          why llama.cpp ends a generation there, "" where it goes on
    looks_ended  goes on there, though it looks like the end of a turn
    strips       lstrip, rstrip, single_word: what it does to the text beside it
    in_template  whether a chat template of the model writes it
    is_reserved  by its kind or name
    """

    token_id: int
    name: str
    kind: str
    roles: tuple[Role, ...]
    mark: str
    reach: Reach
    text: bytes | None
    around: str
    end: str
    looks_ended: bool
    strips: tuple[str, ...]
    in_template: bool
    is_reserved: bool

    @property
    def is_unused(self) -> bool:
        """Whether it is kept free, and nothing that the files say uses it: for those who fine-tune."""
        is_used = self.roles or self.around or self.end or self.in_template
        return self.is_reserved and not is_used

    @property
    def roles_text(self) -> str:
        """`BOS · EOS`, or ""."""
        return " · ".join(role.name.upper().replace("_", " ") for role in self.roles)


def special_list(tokenizer: Tokenizer) -> tuple[SpecialToken, ...]:
    """All tokens of a model that are not text alone, by id: those with a kind, a role or a reserved name."""
    vocabulary = tokenizer.vocabulary
    is_reserved = reserved(vocabulary)
    roles = _roles(vocabulary)
    is_listed = (vocabulary.attributes & SPECIAL > 0) | is_reserved
    is_listed[[*roles, *vocabulary.eog]] = True
    ids = np.flatnonzero(is_listed).tolist()
    names = {token_id: _name(vocabulary, token_id) for token_id in stoppable(ids)}
    special_names = {name for token_id, name in names.items() if vocabulary.attributes[token_id] & SPECIAL}
    reached, template_ids = _reached(tokenizer, ids), _template_ids(tokenizer)
    around, added = _around(tokenizer), _added(vocabulary)

    def described(token_id: int) -> SpecialToken:
        name, own = names[token_id], tuple(roles.get(token_id, ()))
        ends = token_id in vocabulary.eog
        seems_ended = name in special_names and looks_like_end(name) and not keeps_going(name, special_names)
        return SpecialToken(
            token_id=token_id,
            name=name,
            kind=vocabulary.kind(token_id),
            roles=own,
            mark=_mark(vocabulary, added.get(token_id), token_id),
            reach=reached[token_id][0],
            text=reached[token_id][1],
            around=around.get(token_id, ""),
            end=_end(name, own) if ends else "",
            looks_ended=seems_ended and not ends,
            strips=_strips(int(vocabulary.attributes[token_id]), added.get(token_id)),
            in_template=token_id in template_ids,
            is_reserved=bool(is_reserved[token_id]),
        )

    return tuple(described(token_id) for token_id in stoppable(ids))


def _name(vocabulary: Vocabulary, token_id: int) -> str:
    return vocabulary.raw_text(token_id).decode("utf-8", "replace")


# Roles


def _roles(vocabulary: Vocabulary) -> dict[int, list[Role]]:
    """By id, in the order of `SpecialIds`; behind them what only the file's keys name, such as `cls`."""
    found: dict[int, list[Role]] = {}
    for role, token_id in asdict(vocabulary.special_ids).items():
        if token_id is not None:
            found.setdefault(token_id, []).append(Role(role, _source(vocabulary, role, token_id)))
    for key, value in vocabulary.metadata.items():
        short = key.removeprefix(TOKENIZER_KEYS)
        if not key.startswith(TOKENIZER_KEYS) or not short.endswith("_token_id") or short in KEYS:
            continue
        if isinstance(value, int) and 0 <= value < len(vocabulary):
            found.setdefault(value, []).append(Role(short.removesuffix("_token_id"), key))
    return found


def _source(vocabulary: Vocabulary, role: str, token_id: int) -> str:
    said = vocabulary.metadata
    keys = (TOKENIZER_KEYS + key for key, its_role in KEYS.items() if its_role == role)
    if key := next((key for key in keys if said.get(key) == token_id), None):
        return key
    if _content(said.get(f"{role}_token")) == _name(vocabulary, token_id):
        return f"{role}_token"
    if _name(vocabulary, token_id) in TEXTS_OF_ROLE.get(role, "").split():
        return "its text"
    return f"usual for {vocabulary.format}" if vocabulary.format != GGUF else f"usual for {vocabulary.model}"


def _content(said: object) -> object:
    """The text of a token, which stands by itself or in an object."""
    return said.get("content") if isinstance(said, dict) else said


def _end(name: str, roles: Sequence[Role]) -> str:
    """Why a generation ends with a token."""
    role = next((role for role in roles if role.name in ENDING_ROLES), None)
    if role is not None and role.source != "its text":
        return f"{role.name.upper()} by {role.source}" if "usual" not in role.source else role.name.upper()
    return "its text" if role is not None or name in END_TEXTS.split() else "the file"


def _around(tokenizer: Tokenizer) -> dict[int, str]:
    try:
        before, behind = tokenizer.special_ids_around()
    except EncodeError:
        return {}
    return {**dict.fromkeys(behind, "behind"), **dict.fromkeys(before, "before")}


def _template_ids(tokenizer: Tokenizer) -> frozenset[int]:
    """The special tokens that the model's chat templates write."""
    ids: set[int] = set()
    for template in templates_of(tokenizer.vocabulary):
        for row in _ids_of_each(tokenizer, [template.text.encode("utf-8", "replace")], True):
            ids.update(row)
    return frozenset(ids)


# How files mark them


def _added(vocabulary: Vocabulary) -> dict[int, AddedToken]:
    """The added tokens of a file of `tokenizers`, by id."""
    tokens = () if vocabulary.parts is None else vocabulary.parts.added_tokens
    return {token.token_id: token for token in tokens}


def _mark(vocabulary: Vocabulary, added: AddedToken | None, token_id: int) -> str:
    if added is not None:
        return "added token, special" if added.special else "added token"
    if vocabulary.parts is not None:
        return "in the vocabulary" if vocabulary.parts.in_model[token_id] else "no token has this id"
    stored = int(vocabulary.stored_types[token_id])
    is_known = 0 < stored < len(ATTRIBUTE_OF_TYPE)
    kind = KINDS[Attribute(int(ATTRIBUTE_OF_TYPE[stored]))] if is_known else "undefined"
    if vocabulary.format == GGUF:
        now = vocabulary.kind(token_id)
        return f"token_type {stored}, {kind}" + (f"; llama.cpp: {now}" if now != kind else "")
    if vocabulary.pieces is not None:
        return f"piece type {kind}"
    return {"unused": "no token has this id", "control": "special token"}.get(kind, kind)


def _strips(attributes: int, added: AddedToken | None) -> tuple[str, ...]:
    if added is None:
        return tuple(name for bit, name in STRIPS.items() if attributes & bit)
    flags = {"lstrip": added.lstrip, "rstrip": added.rstrip, "single_word": added.single_word}
    return tuple(name for name, is_set in flags.items() if is_set)


# Which text leads to them


def _reached(tokenizer: Tokenizer, ids: Sequence[int]) -> dict[int, tuple[Reach, bytes | None]]:
    """For each id how its own text leads to it, and that text."""
    found: dict[int, tuple[Reach, bytes | None]] = {}
    for way, parses in ((Reach.TEXT, False), (Reach.UNKNOWN, False), (Reach.PARSED, True)):
        left = [token_id for token_id in ids if token_id not in found]
        pairs = _unknown(tokenizer, left) if way is Reach.UNKNOWN else _own_texts(tokenizer, left)
        for bulk in _bulks(list(pairs)):
            rows = _ids_of_each(tokenizer, [text for _, text in bulk], parses)
            for (token_id, text), row in zip(bulk, rows, strict=True):
                if token_id in row:
                    found.setdefault(token_id, (way, text))
    return {token_id: found.get(token_id, (Reach.NEVER, None)) for token_id in ids}


def _own_texts(tokenizer: Tokenizer, ids: Sequence[int]) -> Iterator[tuple[int, bytes]]:
    """What a token is searched for by, and what it stands for, where that is another text."""
    vocabulary = tokenizer.vocabulary
    data, offsets = vocabulary.unmarked_texts
    for token_id in ids:
        searched = data[offsets[token_id] : offsets[token_id + 1]].tobytes()
        for text in dict.fromkeys((searched, vocabulary.token_bytes(token_id))):
            if text:
                yield token_id, text


def _unknown(tokenizer: Tokenizer, ids: Sequence[int]) -> Iterator[tuple[int, bytes]]:
    for token_id in ids:
        if tokenizer.vocabulary.signs[token_id] & Attribute.UNKNOWN:
            yield from ((token_id, character.encode()) for character in RARE)


def _bulks(pairs: list[tuple[int, bytes]]) -> Iterator[list[tuple[int, bytes]]]:
    for begin in range(0, len(pairs), AT_ONCE):
        checkpoint()
        yield pairs[begin : begin + AT_ONCE]


def _ids_of_each(tokenizer: Tokenizer, texts: list[bytes], parses: bool) -> list[list[int]]:
    """The ids of each text, or with `parses` of special tokens alone, where those can be had at once.

    None of a text that the vocabulary cannot express.
    """
    if parses and tokenizer.vocabulary.parts is None:
        found = tokenizer.special_tokens.partition_each(texts, True)
        rows: list[list[int]] = [[] for _ in texts]
        for text, token_id in zip(found.texts_of_ids.tolist(), found.ids.tolist(), strict=True):
            rows[text].append(token_id)
        return rows
    try:
        return [row.tolist() for row in tokenizer.encode_each(texts, False, parses)]
    except EncodeError:
        if len(texts) == 1:
            return [[]]
        half = len(texts) // 2
        return [
            each for part in (texts[:half], texts[half:]) for each in _ids_of_each(tokenizer, part, parses)
        ]
