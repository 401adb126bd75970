"""The common part of all fast tokenizers of `transformers`: read configs, add tokens, build the template.

Source: https://github.com/huggingface/transformers, version 5.24.0, tokenization_utils_base.py
(`_from_pretrained`, `__init__`) and tokenization_utils_tokenizers.py (`TokenizersBackend`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from guiapp.core.formats import json_parts as part
from guiapp.core.formats.json_parts import Part
from guiapp.core.formats.model_sections import ModelSection
from guiapp.core.formats.tokenizer_config import FLAGS, TOKEN_KEYS, SidecarFiles
from guiapp.core.hugging_face.spec import ComponentError
from guiapp.core.text.numbers_in_words import quoted
from guiapp.native.checkpoint import stoppable

Arguments = dict[str, Any]
"""The arguments with which a class is constructed, by name: values of the configs, tokens as TokenSpec."""
MARK = "__type"
EXTRA, ADDITIONAL = "extra_special_tokens", "additional_special_tokens"
NAMED = "model_specific_special_tokens"
DECODER = "added_tokens_decoder"
MISTRAL_SIZE = 100_000  # only larger vocabularies may get Mistral's pattern
MISTRAL_TYPES = {"mistral", "mistral3", "voxtral", "ministral", "pixtral"}
FIXED_VERSION = 5
CLEANED = (" .", " ?", " !", " ,", " ' ", " n't", " 'm", " 's", " 've", " 're")


class TokenSpec(NamedTuple):
    """An added token as in configs; `normalized` defaults to `not special`."""

    content: str
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool | None = None
    special: bool = False

    @classmethod
    def of(cls, spec: Mapping[str, Any], **more: bool) -> TokenSpec:
        """Read a token, ignoring unknown keys.  Raises ComponentError for values that the library refuses."""
        given = {key: value for key, value in {"content": "", **spec, **more}.items() if key in cls._fields}
        if not isinstance(given["content"], str) or any(
            type(given.get(flag, True)) is not bool for flag in FLAGS
        ):
            raise ComponentError(f"has an added token in a config that is not valid: {quoted(repr(spec))}")
        return cls(**given)

    def resolved(self) -> TokenSpec:
        return self if self.normalized is not None else self._replace(normalized=not self.special)

    def as_added(self, token_id: int, is_special: bool) -> dict[str, Any]:
        """The token as in tokenizer.json."""
        return {**self.resolved()._asdict(), "special": is_special, "id": token_id}


Given = str | TokenSpec


def text_of(token: object) -> str:
    """The text that a class writes into its components; "None" for None, as in the library."""
    return token.content if isinstance(token, TokenSpec) else str(token)


# The arguments


def arguments_of(sidecars: SidecarFiles, added: list[Any] | None) -> Arguments:
    """The values of the configs, as passed to a class.

    added  the added tokens of a tokenizer.json, which then defines itself what is added to texts
    Raises ComponentError, TypeError or similar where the library fails.
    """
    config = {
        key: value
        for key, value in sidecars.config.items()
        if key not in ("tokenizer_class", "chat_template")
    }
    if config.pop("init_inputs", ()):
        raise ComponentError("comes with a tokenizer_config.json whose init_inputs are not supported")
    if added is not None:
        config.pop("add_bos_token", None)
        config.pop("add_eos_token", None)
    if ADDITIONAL in config and not config.get(EXTRA):
        config[EXTRA] = config.pop(ADDITIONAL)
    names = [key for key, value in config.items() if _is_named(key) and isinstance(value, str)]
    named = {key: config.pop(key) for key in names}
    if isinstance(config.get(EXTRA), dict):
        named |= config.pop(EXTRA)
    if named:
        config[NAMED] = named
    tokens = _added_tokens(config, sidecars, added)
    arguments = {key: converted(value) for key, value in config.items()}
    by_text = {token.content: token for _, token in tokens}
    for key in TOKEN_KEYS:
        if arguments.get(key) is not None:
            arguments[key] = by_text.get(text_of(arguments[key]), arguments[key])
    return arguments | {DECODER: dict(tokens)}


def _is_named(key: str) -> bool:
    """Whether a key may be a role that only some models have."""
    return key.endswith("_token") and key not in TOKEN_KEYS


def _added_tokens(
    config: Arguments, sidecars: SidecarFiles, added: list[Any] | None
) -> list[tuple[Any, TokenSpec]]:
    """Added tokens with ids; the last of equal ids counts.  May copy special_tokens_map.json to `config`."""
    if DECODER in config:
        return [(int(key), TokenSpec.of({**spec})) for key, spec in config.pop(DECODER).items()]
    for key, value in sidecars.special.items():
        if key == EXTRA and isinstance(value, list):
            known = [*(config.get(EXTRA) or [])]
            more = [_of_special(each) if isinstance(each, dict) else each for each in value]
            value = [*known, *(each for each in more if each not in known)]
        elif isinstance(value, dict) and key != EXTRA:
            value = TokenSpec.of(value, special=True)
        config[key] = value
    if isinstance(config.get(EXTRA), dict):
        config[NAMED] = {**config.get(NAMED, {}), **config.pop(EXTRA)}
    special = {text_of(config[key]) for key in TOKEN_KEYS if config.get(key)}
    special.update(map(text_of, config.get(EXTRA) or ()))
    tokens: list[tuple[Any, TokenSpec]] = [
        (token_id, TokenSpec(text, normalized=text not in special, special=text in special))
        for text, token_id in sidecars.added.items()
    ]
    return tokens + [(each["id"], TokenSpec.of(each)) for each in added or ()]


def _of_special(spec: Mapping[str, Any]) -> TokenSpec:
    if "special" in spec:
        raise ComponentError("comes with a special_tokens_map.json that gives “special” to a special token")
    return TokenSpec.of(spec, special=True)


def converted(value: Any) -> Any:
    """The value with marked objects in it converted to added tokens."""
    if isinstance(value, dict):
        if value.get(MARK) == "AddedToken":
            return TokenSpec.of(value)
        return {key: converted(each) for key, each in value.items()}
    return [converted(each) for each in value] if isinstance(value, list) else value


# The tokenizer


class Backend:
    """A tokenizer of the library `tokenizers` to which tokens are being added.

    section  its model
    parts    normalizer, pre_tokenizer, post_processor and decoder, as in tokenizer.json
    """

    def __init__(self, section: ModelSection, parts: Mapping[str, Any], added: Iterable[Any] = ()) -> None:
        self.section = section
        self.parts = dict(parts)
        self._tokens: dict[int, TokenSpec] = {}
        self._ids: dict[str, int] = {}
        self._special: set[str] = set()
        self.roles: dict[str, Given | None] = {}
        self.extra: list[Any] = []
        self._is_switched = False
        self.add(TokenSpec.of(each) for each in added)

    def add(self, tokens: Iterable[Given], are_special: bool = False) -> None:
        """Add tokens in this order; a known token gets new flags."""
        specs = [TokenSpec(each) if isinstance(each, str) else each for each in tokens]
        if odd := [each for each in specs if not isinstance(each, TokenSpec)]:
            raise ComponentError(f"has an added token in a config that is not valid: {quoted(repr(odd[0]))}")
        known = self.section.find([token.content for token in specs])
        next_id = max(self.section.n_texts, max(self._tokens, default=-1) + 1)
        for spec, in_model in zip(stoppable(specs), known, strict=True):
            token = (spec._replace(special=True) if are_special else spec).resolved()
            if not token.content:
                continue
            token_id = self._ids.get(token.content, in_model)
            if token_id is None:
                token_id, next_id = next_id, next_id + 1
            self._ids[token.content], self._tokens[token_id] = token_id, token
            if token.special:
                self._special.add(token.content)

    def id_of(self, text: str) -> int | None:
        return self._ids[text] if text in self._ids else self.section.find([text])[0]

    def id_of_role(self, role: str, otherwise: Mapping[str, int] | None = None) -> int | None:
        """The id of a role's token, or the unknown token's; if no config names the role, from `otherwise`."""
        token = self.roles.get(role)
        return (otherwise or {}).get(role) if token is None else self.id_or_unknown(text_of(token))

    def id_or_unknown(self, text: str) -> int:
        token_id = self.id_of(text)
        unknown = self.roles.get("unk_token")
        if token_id is None and unknown is not None:
            token_id = self.id_of(text_of(unknown))
        if token_id is None:
            raise ComponentError(f"comes with a config that names “{quoted(text)}”, which is not a token")
        return token_id

    def set_up(self, arguments: Arguments, padding: Mapping[str, Any] | None) -> None:
        """Apply the arguments as the base class does; `padding` is from tokenizer.json."""
        arguments = ({"pad_token": padding["pad_token"]} if padding else {}) | arguments
        self.parts["post_processor"] = arguments.pop("post_processor", None) or self.parts["post_processor"]
        has_frame = self.parts["post_processor"] is not None
        self._is_switched = not has_frame or "add_bos_token" in arguments or "add_eos_token" in arguments
        self._set_roles(arguments)
        for key in ("padding_side", "truncation_side"):
            if arguments.get(key, "left") not in ("left", "right"):
                raise ComponentError(f"comes with a config whose {key} is neither left nor right")
        if arguments.get("split_special_tokens"):
            raise ComponentError(
                "comes with a tokenizer_config.json that turns split_special_tokens on: not supported"
            )
        self._add_missing(arguments.get(DECODER, {}))
        if arguments.get("clean_up_tokenization_spaces"):
            self._clean_up(arguments)
        if self._is_switched:
            self.parts["post_processor"] = self.switched_template(arguments)

    def _set_roles(self, arguments: Arguments) -> None:
        if ADDITIONAL in arguments and EXTRA not in arguments:
            arguments[EXTRA] = arguments.pop(ADDITIONAL)
        self.roles = dict.fromkeys(TOKEN_KEYS)
        named: dict[str, Any] = {}
        for key, value in arguments.items():
            if key in TOKEN_KEYS:
                self.roles[key] = _token(key, value)
            elif key == EXTRA and isinstance(value, dict):
                self.roles |= {name: _required(name, each) for name, each in value.items()}
            elif key == EXTRA and value is not None and not isinstance(value, list):
                raise ComponentError(f"comes with a config whose {EXTRA} is neither a list nor an object")
            elif key == EXTRA:
                self.extra = list(value or ())
            elif key.endswith("_token") and isinstance(value, (str, TokenSpec)):
                named[key] = value
        explicit = arguments.get(NAMED)
        if explicit is not None and not isinstance(explicit, dict):
            raise ComponentError(f"comes with a config whose {NAMED} is not an object")
        named |= explicit or {}
        self.roles |= {key: _required(key, value) for key, value in named.items()}

    def _add_missing(self, decoder: Mapping[Any, TokenSpec]) -> None:
        """Add the configs' added tokens, sorted by id; then tokens of roles, then the others."""
        tokens: list[Any] = [token for _, token in sorted(decoder.items())]
        known = {*self._ids, *(token.content for token in tokens)}
        roles = [token for token in self.roles.values() if token is not None]
        for token in (*roles, *self.extra):
            if text_of(token) not in known and token not in tokens:
                tokens.append(token)
        texts = {text_of(token) for token in self.roles.values() if token}
        self.add(_added(token, texts) for token in tokens)

    def post_init(self, arguments: Arguments) -> None:
        """Add all tokens of roles and other special tokens again, as special; may rebuild the template."""
        tokens = [token for token in self.roles.values() if token is not None] + self.extra
        texts_too = [TokenSpec(each, normalized=False) if isinstance(each, str) else each for each in tokens]
        self.add(texts_too, True)
        if self._is_switched:
            self.parts["post_processor"] = self.switched_template(arguments)

    def switched_template(self, arguments: Arguments) -> Part:
        """The template with BOS and EOS, each if its switch is on."""
        affixes = [
            self.roles.get(role) if arguments.get(switch, False) else None
            for role, switch in (("bos_token", "add_bos_token"), ("eos_token", "add_eos_token"))
        ]
        before, after = ([] if token is None else [text_of(token)] for token in affixes)
        return self.template([*before, None, *after])

    def template(
        self, single: list[str | None], ids: Mapping[str, int | None] | None = None, is_listed: bool = False
    ) -> Part:
        """The template of tokens around the text (None); unless `is_listed`, spaces in tokens are refused."""
        texts = [text for text in single if text is not None]
        known = dict[str, int]()
        for text in texts:
            token_id = self.id_or_unknown(text) if ids is None else ids[text]
            is_odd = ":" in text or text.startswith("$") or not text or (" " in text and not is_listed)
            if token_id is None or is_odd:
                raise ComponentError(f"comes with a config that puts “{quoted(text)}” around texts")
            known[text] = token_id
        return part.template(single, known)

    def fix_mistral_pattern(self, arguments: Arguments, sidecars: SidecarFiles) -> None:
        """Replace the pattern of large tokenizers of older Mistral models, if the switch is on."""
        n_tokens = self.section.n_texts + self.section.find([*self._ids]).count(None)
        current = self.parts["pre_tokenizer"]
        if n_tokens <= MISTRAL_SIZE or current is None or not arguments.get("fix_mistral_regex"):
            return
        if not sidecars.model or not _is_old_mistral(sidecars.model):
            return
        steps = [current]
        if current.get("type") == "Sequence":
            steps = current["pretokenizers"][1:]
        elif current.get("type") == "Metaspace":
            steps = [part.byte_level(use_regex=False)]
        self.parts["pre_tokenizer"] = part.pre_tokenizers(part.TEKKEN_SPLIT, *steps)

    def _clean_up(self, arguments: Arguments) -> None:
        """Make the decoder drop spaces before punctuation, unless the model is BPE."""
        forced = arguments.get("clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output")
        if self.parts["decoder"] is None or (self.section.options.kind == "BPE" and not forced):
            return
        steps = [part.replaced(text, text.strip()) for text in CLEANED]
        self.parts["decoder"] = part.decoders(self.parts["decoder"], part.FUSE, *steps)

    def document(self) -> dict[str, Any]:
        """The equivalent tokenizer.json; its model is a ModelSection."""
        added = [
            token.as_added(token_id, token.content in self._special)
            for token_id, token in self._tokens.items()
        ]
        return {**self.parts, "added_tokens": added, "ids_hold": True, "model": self.section}


def _token(key: str, value: Any) -> Given | None:
    return None if value is None else _required(key, value)


def _required(key: str, value: Any) -> Given:
    if isinstance(value, (str, TokenSpec)):
        return value
    raise ComponentError(f"comes with a config whose {quoted(key)} is not a token: {quoted(repr(value))}")


def _added(token: Any, named: set[str]) -> Any:
    """A token as the base class adds it: strings and tokens of roles are special."""
    if isinstance(token, str):
        return TokenSpec(token, special=True)
    if isinstance(token, TokenSpec) and token.content in named:
        return token._replace(special=True)
    return token


def _is_old_mistral(model: Mapping[str, Any]) -> bool:
    version, model_type = model.get("transformers_version"), model.get("model_type")
    if version:
        parsed = re.match(r"\s*v?(?:\d+!)?(\d+)", str(version))
        if parsed is None:
            raise ComponentError(f"comes with a config.json of an unknown version: {quoted(repr(version))}")
        if int(parsed[1]) >= FIXED_VERSION:
            return False
    return model_type is None or model_type in MISTRAL_TYPES
