"""The special tokens of a model: their roles, and the texts that are encoded to them; as JSON and CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from guiapp.analysis.chat.templates import resembles_end, templates_of
from guiapp.analysis.doctor.roles import keeps_going
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.export.tables import NONE, csv_lines, json_text, padded, widths_of
from guiapp.analysis.search.matches import QueryError
from guiapp.analysis.vocabulary_list.columns import NO_LIMIT, TokenFigures, TokenRows, of_tokens
from guiapp.analysis.vocabulary_list.filters import fitting
from guiapp.analysis.vocabulary_list.listing import Flags, ListColumn
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.core.vocabulary.attributes import ATTRIBUTE_OF_TYPE, KINDS, Attribute
from guiapp.core.vocabulary.parts import AddedToken
from guiapp.core.vocabulary.remedies import GGUF
from guiapp.core.vocabulary.special_ids import KEYS, TEXTS_OF_ROLE, reserved
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native.checkpoint import Progress, checkpoint, stoppable

LONGEST = 40  # characters of a token in a line
LONGEST_ID = 10  # digits
LONGEST_ESCAPE = 10  # characters of the longest escape: \U000e0001
CSV_HEAD = (
    *("id", "token", "kind", "roles", "mark", "reached", "text", "around", "end_of_generation"),
    *("strips", "in_template", "reserved", "unused"),
)
SPECIAL = Attribute.CONTROL | Attribute.UNKNOWN | Attribute.USER_DEFINED | Attribute.UNUSED
TOKENIZER_KEYS = "tokenizer.ggml."
ID_KEY, TEXT_KEY = "_token_id", "_token"  # endings of keys whose value is a token's id, or its text
ENDING_ROLES = ("eos", "eot", "eom", "fim_pad", "fim_rep", "fim_sep")
STRIPS = {int(Attribute.LSTRIP): "lstrip", int(Attribute.RSTRIP): "rstrip"}
HIEROGLYPH, PRIVATE_USE = "\U00013000", "\U000ffffd"
RARE = HIEROGLYPH.encode(), PRIVATE_USE.encode()  # in few vocabularies
AT_ONCE = 1 << 12  # texts that are encoded at once


class TokenReach(Enum):
    """How a text is encoded to a token.  NEVER does not prove that no text is.

    TEXT     its own text is, with any settings
    UNKNOWN  each character that is not in the vocabulary is
    PARSED   its own text is, if special tokens are parsed in texts
    NEVER    its own text is not
    """

    TEXT = "text"
    UNKNOWN = "unknown"
    PARSED = "parse_special"
    NEVER = "never"


WAYS = {
    TokenReach.TEXT: "always",
    TokenReach.UNKNOWN: "if unknown",
    TokenReach.PARSED: "if parsed",
    TokenReach.NEVER: "no",
}


class TokenRole(NamedTuple):
    """A use of a token, such as `bos`; `source` is the key that declares it, or how it was found."""

    name: str
    source: str


@dataclass(frozen=True)
class SpecialToken:
    """One special token.

    name         as spelled in the file
    mark         how the file marks it
    text         a text that is encoded to it, as `reach` describes; None for NEVER
    affix_position       "before" or "behind" if it is added before or after each text, else ""
    end          why llama.cpp ends a generation at it, "" if it does not
    is_end_like  generation continues, although the token looks like the end of a turn
    strips       lstrip, rstrip, single_word: its effect on the adjacent text
    in_template  whether a chat template of the model writes it
    is_reserved  whether its kind or name marks it as reserved
    """

    token_id: int
    name: str
    kind: str
    roles: tuple[TokenRole, ...]
    mark: str
    reach: TokenReach
    text: bytes | None
    affix_position: str
    end: str
    is_end_like: bool
    strips: tuple[str, ...]
    in_template: bool
    is_reserved: bool

    @property
    def is_unused(self) -> bool:
        """Whether it is reserved and nothing in the files uses it, so it is free for fine-tuning."""
        is_used = self.roles or self.affix_position or self.end or self.in_template
        return self.is_reserved and not is_used

    @property
    def roles_text(self) -> str:
        """The names of the roles, as `BOS · EOS`, or ""."""
        return " · ".join(role.name.upper().replace("_", " ") for role in self.roles)


def special_list(tokenizer: Tokenizer, progress: Progress = lambda _: None) -> tuple[SpecialToken, ...]:
    """All tokens of a model with a special kind, a role or a reserved name, sorted by id."""
    vocabulary, parts = tokenizer.vocabulary, tokenizer.vocabulary.parts
    is_reserved, is_special = reserved(vocabulary), vocabulary.attributes & SPECIAL > 0
    roles = _roles(vocabulary)
    is_listed = is_special | is_reserved
    is_listed[[*roles, *vocabulary.eog]] = True
    ids = np.flatnonzero(is_listed).tolist()
    special_names = {_name(vocabulary, token_id) for token_id in ids if is_special[token_id]}
    reached = _reached(tokenizer, ids, progress)
    template_ids, affix_positions = _template_ids(tokenizer), _affix_positions(tokenizer)
    added_tokens = {} if parts is None else {token.token_id: token for token in parts.added_tokens}

    def described(token_id: int) -> SpecialToken:
        name, added = _name(vocabulary, token_id), added_tokens.get(token_id)
        own, (reach, text) = tuple(roles.get(token_id, ())), reached.get(token_id, (TokenReach.NEVER, None))
        ends = token_id in vocabulary.eog
        seems_ended = is_special[token_id] and resembles_end(name) and not keeps_going(name, special_names)
        return SpecialToken(
            token_id=token_id,
            name=name,
            kind=vocabulary.kind(token_id),
            roles=own,
            mark=_mark(vocabulary, added, token_id),
            reach=reach,
            text=text,
            affix_position=affix_positions.get(token_id, ""),
            end=_end(own) if ends else "",
            is_end_like=bool(seems_ended) and not ends,
            strips=_strips(int(vocabulary.attributes[token_id]), added),
            in_template=token_id in template_ids,
            is_reserved=bool(is_reserved[token_id]),
        )

    return tuple(map(described, stoppable(ids)))


def _name(vocabulary: Vocabulary, token_id: int) -> str:
    return vocabulary.raw_text(token_id).decode("utf-8", "replace")


# Roles


def _roles(vocabulary: Vocabulary) -> dict[int, list[TokenRole]]:
    """The roles by id: first those of `SpecialIds`, in its order, then roles in keys only, such as `cls`."""
    result: dict[int, list[TokenRole]] = {}
    for name, named in asdict(vocabulary.special_ids).items():
        if named is not None:
            result.setdefault(named, []).append(TokenRole(name, _source(vocabulary, name, named)))
    for token_id, role in _other_roles(vocabulary):
        result.setdefault(token_id, []).append(role)
    return result


def _other_roles(vocabulary: Vocabulary) -> Iterator[tuple[int, TokenRole]]:
    """The roles that llama.cpp does not know: by id in a GGUF, by text in a tokenizer_config.json."""
    known = {field.name for field in fields(vocabulary.special_ids)}
    for key, value in vocabulary.metadata.items():
        short = key.removeprefix(TOKENIZER_KEYS)
        if short != key and short.endswith(ID_KEY) and short not in KEYS:
            if type(value) is int and 0 <= value < len(vocabulary):
                yield value, TokenRole(quoted(short.removesuffix(ID_KEY)), quoted(key))
        elif key.endswith(TEXT_KEY) and "." not in key and key.removesuffix(TEXT_KEY) not in known:
            text = _content(value)
            token_id = vocabulary.find(text.encode("utf-8", "replace")) if isinstance(text, str) else None
            if token_id is not None:
                yield token_id, TokenRole(quoted(key.removesuffix(TEXT_KEY)), quoted(key))


def _source(vocabulary: Vocabulary, role: str, token_id: int) -> str:
    declared = vocabulary.metadata
    keys = (TOKENIZER_KEYS + key for key, its_role in KEYS.items() if its_role == role)
    if key := next((key for key in keys if declared.get(key) == token_id), None):
        return key
    if _content(declared.get(f"{role}_token")) == _name(vocabulary, token_id):
        return f"{role}_token"
    if _name(vocabulary, token_id) in TEXTS_OF_ROLE.get(role, "").split():
        return "its text"
    return f"usual for {vocabulary.format}" if vocabulary.format != GGUF else f"usual for {vocabulary.model}"


def _content(declared: object) -> object:
    """The text of a token that is declared as a string or as an object."""
    return declared.get("content") if isinstance(declared, dict) else declared


def _end(roles: Sequence[TokenRole]) -> str:
    """Why a generation ends with a token: its role, or its text, which llama.cpp knows."""
    role = next((role for role in roles if role.name in ENDING_ROLES), None)
    if role is not None and role.source != "its text":
        return f"{role.name.upper()} by {role.source}" if "usual" not in role.source else role.name.upper()
    return "its text"


def _affix_positions(tokenizer: Tokenizer) -> dict[int, str]:
    before, after = tokenizer.known_affixes()
    return {**dict.fromkeys(after, "behind"), **dict.fromkeys(before, "before")}


def _template_ids(tokenizer: Tokenizer) -> frozenset[int]:
    """The special tokens that the model's chat templates write."""
    texts = [each.text.encode("utf-8", "replace") for each in templates_of(tokenizer.vocabulary)]
    rows = tokenizer.ids_or_none(texts, parse_special=True)
    return frozenset(token_id for ids in rows if ids is not None for token_id in ids.tolist())


# How files mark special tokens


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


# Which texts are encoded to special tokens


def _reached(
    tokenizer: Tokenizer, ids: Sequence[int], progress: Progress
) -> dict[int, tuple[TokenReach, bytes]]:
    """By id, how texts are encoded to a token, and such a text; without tokens that no text here gives."""
    vocabulary = tokenizer.vocabulary
    own_texts = [(token_id, text) for token_id in stoppable(ids) for text in _own_texts(vocabulary, token_id)]
    are_unknown = vocabulary.effective_attributes & Attribute.UNKNOWN > 0
    rare_texts = [(token_id, text) for token_id in ids if are_unknown[token_id] for text in RARE]
    ways = (
        (TokenReach.TEXT, own_texts, False),
        (TokenReach.UNKNOWN, rare_texts, False),
        (TokenReach.PARSED, own_texts, True),
    )
    result: dict[int, tuple[TokenReach, bytes]] = {}
    for number, (reach, texts, parses) in enumerate(ways):
        left = [pair for pair in texts if pair[0] not in result]
        for begin in range(0, len(left), AT_ONCE):
            checkpoint()
            progress((number + begin / len(left)) / len(ways))
            some = left[begin : begin + AT_ONCE]
            rows = tokenizer.ids_or_none([text for _, text in some], parses)
            for (token_id, text), ids_of_text in zip(some, rows, strict=True):
                if ids_of_text is not None and token_id in ids_of_text.tolist():
                    result.setdefault(token_id, (reach, text))
    return result


def _own_texts(vocabulary: Vocabulary, token_id: int) -> Iterable[bytes]:
    """The text that is searched for, and the text that the token stands for if different."""
    data, offsets = vocabulary.unmarked_texts
    searched = data[offsets[token_id] : offsets[token_id + 1]].tobytes()
    return dict.fromkeys(filter(None, (searched, vocabulary.token_bytes(token_id))))


# The output of `special`, which the window copies


def record(tokens: Iterable[SpecialToken]) -> dict[str, Any]:
    """The record of `special --json`; `text` is null if no text is known that is encoded to the token."""
    return {"tokens": [_record(token) for token in tokens]}


def _record(token: SpecialToken) -> dict[str, Any]:
    return {
        "id": token.token_id,
        "token": token.name,
        "kind": token.kind,
        "roles": [{"role": role.name, "source": role.source} for role in token.roles],
        "mark": token.mark,
        "reached": token.reach.value,
        "text": None if token.text is None else token.text.decode("utf-8", "replace"),
        "around": token.affix_position or None,
        "end_of_generation": token.end or None,
        "looks_like_end": token.is_end_like,
        "strips": list(token.strips),
        "in_template": token.in_template,
        "reserved": token.is_reserved,
        "unused": token.is_unused,
    }


def csv_text(tokens: Iterable[SpecialToken]) -> str:
    """The tokens as CSV; several roles are joined in one cell."""
    return csv_lines([CSV_HEAD, *map(_cells, tokens)])


def _cells(token: SpecialToken) -> list[object]:
    record = _record(token)
    record["roles"] = " ".join(role.name for role in token.roles)
    record["strips"] = " ".join(token.strips)
    record |= {name: "yes" if value else "no" for name, value in record.items() if isinstance(value, bool)}
    return ["" if record[name] is None else record[name] for name in CSV_HEAD]


def json_list(tokens: Iterable[SpecialToken]) -> str:
    """The texts as a JSON list, the form of `additional_special_tokens`."""
    return json_text([token.name for token in tokens], 2) + "\n"


def python_list(tokens: Iterable[SpecialToken]) -> str:
    """The ids and texts as a Python list."""
    lines = (f"    ({token.token_id}, {token.name!r}),\n" for token in tokens)
    return f"special_tokens = [\n{''.join(lines)}]\n"


def plain_list(tokens: Iterable[SpecialToken]) -> str:
    """A line for each token: id, tab, text."""
    return "".join(
        f"{token.token_id}\t{quoted(token.name, len(token.name) * LONGEST_ESCAPE)}\n" for token in tokens
    )


def end_text(token: SpecialToken) -> str:
    """`yes` for an end of generation, `looks so` for a token that only looks like one, else ""."""
    return "yes" if token.end else "looks so" if token.is_end_like else ""


WORDS: Mapping[str, Callable[[SpecialToken], str]] = {
    "id": lambda token: str(token.token_id),
    "token": lambda token: quoted(token.name, LONGEST),
    "role": lambda token: token.roles_text or ("unused" if token.is_unused else ""),
    "kind": lambda token: token.kind,
    "from text": lambda token: WAYS[token.reach],
    "ends": end_text,
    "the file": lambda token: token.mark,
}
"""The columns of the printed table, by title."""


def text_lines(tokens: Sequence[SpecialToken]) -> Iterator[str]:
    """Yield the lines of a table, and a summary."""
    rows = [[*WORDS], *([text(token) or NONE for text in WORDS.values()] for token in tokens)]
    if tokens:
        widths = widths_of(rows)
        yield from ("  ".join(padded(row, widths, [False] * len(row))).rstrip() for row in rows)
    yield summary(tokens)


def summary(tokens: Sequence[SpecialToken]) -> str:
    """A sentence such as `256 special tokens: 2 end a generation, 251 are unused.`"""
    if not tokens:
        return "No special tokens."
    facts = (
        (sum(bool(token.end) for token in tokens), "ends a generation", "end a generation"),
        (sum(token.is_unused for token in tokens), "is unused", "are unused"),
        (sum(token.reach is TokenReach.NEVER for token in tokens), *["not reached by its own text"] * 2),
    )
    listed = ", ".join(f"{n:,} {one if n == 1 else several}" for n, one, several in facts if n)
    return counted(len(tokens), "special token") + (f": {listed}." if listed else ".")


# As rows of a table


class SpecialRows(TokenRows):
    """A list with a row for each special token of a model."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokens = special_list(tokenizer)
        super().__init__(TokenFigures(tokenizer), np.array([each.token_id for each in self.tokens], np.int32))

    @cached_property
    def names(self) -> list[str]:
        """The case-folded text of each token that a query is searched in: name and roles."""
        return [f"{token.name}\n{token.roles_text}".casefold() for token in stoppable(self.tokens)]

    def fitting(self, query: str, progress: Progress) -> Flags:
        """bool[n]: whether name, id, role or a filter of tokens matches the query.  Raises QueryError."""
        needle = query.strip().casefold()
        number = needle.removeprefix("#")
        is_id = number.isascii() and number.isdecimal() and len(number) < LONGEST_ID
        flags = np.array([needle in name for name in self.names], np.bool_)
        flags |= self.ids == (int(number) if is_id else -1)
        try:
            return flags | fitting(self.figures, query, progress)[self.ids]
        except QueryError:
            if flags.any():
                return flags
            raise


def _words(
    title: str, about: str, write: Callable[[SpecialToken], str], widest: str, yields: bool = False
) -> ListColumn[SpecialRows]:
    def write_row(rows: SpecialRows, row: int, _: Spelling) -> str:
        return write(rows.tokens[row])

    return ListColumn(title, about, write=write_row, share=0.3, widest=widest, yields=yields)


_OF_TOKENS: dict[str, ListColumn[SpecialRows]] = of_tokens(
    ("id", "kind"), without=("token", "role", "reached"), yielding=("kind",)
)
COLUMNS: tuple[ListColumn[SpecialRows], ...] = (
    _OF_TOKENS.pop("id"),
    ListColumn(
        "token",
        "how the file spells it",
        write=lambda rows, row, spelling: spelling.token(rows.figures.vocabulary, rows.token(row), LONGEST),
        whole=lambda rows, row, spelling: spelling.token(rows.figures.vocabulary, rows.token(row), NO_LIMIT),
        share=3.1,
    ),
    _words("role", "what the model uses it for", lambda token: token.roles_text, "unused"),
    _OF_TOKENS.pop("kind"),
    _words("from text", "whether its own text becomes it", WORDS["from text"], "if unknown", yields=True),
    _words("ends", "whether llama.cpp ends a generation at it", end_text, "looks so"),
    _words("the file", "how the file marks it", WORDS["the file"], "token_type 3, control", yields=True),
    *_OF_TOKENS.values(),
)
