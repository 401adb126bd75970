"""The vocabulary that the converter writes: tokens, types, scores and merge rules, by one of its routes.

Source: https://github.com/ggml-org/llama.cpp, conversion/base.py and the files next to it, at the commit
that converter.json names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.auto_tokenizer.backend import ADDITIONAL, DECODER, EXTRA, converted, text_of
from guiapp.core.auto_tokenizer.reading import document_of
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.formats.file_bytes import WholeFile
from guiapp.core.formats.gguf_copy import GgufValue
from guiapp.core.formats.model_sections import SPACE, read_json_with_texts
from guiapp.core.formats.sentencepiece import UNIGRAM, Model, model_of
from guiapp.core.formats.tokenizer_config import CONFIG, SidecarFiles, model_name, name_before
from guiapp.core.hugging_face.spec import ComponentError
from guiapp.core.llama_converter.architectures import converter, text_config
from guiapp.core.llama_converter.special_keys import SpecialKeys
from guiapp.core.vocabulary.attributes import (
    BYTE_TYPE,
    CONTROL_TYPE,
    NORMAL_TYPE,
    UNKNOWN_TYPE,
    UNUSED_TYPE,
    USER_DEFINED_TYPE,
)
from guiapp.core.vocabulary.opening import Opening
from guiapp.core.vocabulary.parts import AddedToken
from guiapp.core.vocabulary.vocabulary import MERGE_SEPARATOR, Vocabulary
from guiapp.native.checkpoint import stoppable
from guiapp.native.model_files import Packed, packed, sliced

TOKENIZER_JSON, PIECES, T5, FAIRSEQ = (
    "tokenizer.json",
    "tokenizer.model",
    "spiece.model",
    "sentencepiece.bpe.model",
)
MARK, SPACE_IN_RULE = "▁", "Ġ".encode()
BYTE_NAME = re.compile(rb"<0x[0-9A-Fa-f]{2}>")
LOOKS_SPECIAL = re.compile(r"<pad>|<mask>|<2mass>|\[@BOS@]|<\|.*\|>|<｜.*｜>|<unused.*>", re.DOTALL)
VISIBLE_IN_GEMMA4 = (
    b'<|channel> <channel|> <|tool_call> <tool_call|> <|tool_response> <tool_response|> <|"|>'.split()
)
UNUSED_SCORE, ADDED_SCORE = -10_000.0, -1_000.0
MOST_TOKENS = 1 << 20
REFUSED = "is refused by llama.cpp's converter"


class Tokens(NamedTuple):
    """The tokens of a vocabulary by id; the scores may be unused."""

    texts: list[bytes]
    types: NDArray[np.int32]
    scores: NDArray[np.float32]

    @classmethod
    def unused(cls, count: int) -> Tokens:
        if not 0 < count <= MOST_TOKENS:
            raise ComponentError(f"comes with a config.json whose vocab_size is {count:,}")
        texts = [b"[PAD%d]" % row for row in range(count)]
        return cls(texts, np.full(count, UNUSED_TYPE, np.int32), np.full(count, UNUSED_SCORE, np.float32))

    def put(self, token_id: int, text: str, kind: int) -> None:
        """Store an added token; ids beyond the vocabulary size are ignored."""
        if token_id < 0:
            raise ComponentError(f"comes with a config that gives a token the id {token_id:,}")
        if token_id < len(self.texts):
            self.texts[token_id], self.types[token_id] = text.encode(), kind
            self.scores[token_id] = ADDED_SCORE

    def put_added(self, token_id: int, text: str, is_special: object) -> None:
        """Store an added token as most routes do: as special, or with spaces instead of marks."""
        if is_special or LOOKS_SPECIAL.fullmatch(text):
            self.put(token_id, text, CONTROL_TYPE)
        else:
            self.put(token_id, text.replace(MARK, " "), USER_DEFINED_TYPE)


class Conversion:
    """The metadata written for one folder; `values` are by key without "tokenizer.ggml."."""

    def __init__(
        self,
        path: Path,
        sidecars: SidecarFiles,
        rules: Mapping[str, Any],
        opening: Opening,
        load: Callable[[Path], Vocabulary],
    ) -> None:
        """`load` returns what AutoTokenizer makes of a file and the configs next to it."""
        self.values: dict[str, GgufValue] = {}
        self._path, self._sidecars, self._rules, self._opening = path, sidecars, rules, opening
        self._config = sidecars.config if self._has(CONFIG) else {}
        self._model = text_config(sidecars.model)
        if (multiple := rules.get("pad_to")) and "vocab_size" in self._model:
            if not rules.get("pads_always"):
                multiple = self._model.get("pad_vocab_size_multiple", multiple)
            self._model["vocab_size"] = -(self._model["vocab_size"] // -multiple) * multiple
        self._load = load
        self._loaded: Vocabulary | None = None
        self._content: dict[str, Any] | None = None
        if self._has(TOKENIZER_JSON):
            file = WholeFile(self._sidecar(TOKENIZER_JSON), opening)
            self._data = file.data
            self._content = file.json_object(read_json_with_texts)

    def run(self) -> None:
        """Fill `values`.  Raises ComponentError, KeyError, TypeError or similar where the converter fails."""
        self._set(self._rules.get("first", {}))
        ROUTES[self._rules["route"]](self)
        self._set(self._rules.get("last", {}))

    # The files

    def _sidecar(self, name: str) -> Path:
        return self._path.with_name((name_before(self._path) or "") + name)

    def _has(self, name: str) -> bool:
        return self._sidecar(name).is_file()

    def _pieces(self, *names: str, all_fit: bool = False) -> tuple[Model, Tokens]:
        """A SentencePiece model and `vocab_size` tokens, padded or cut; `all_fit`: raise instead of a cut."""
        name = next(filter(self._has, names), None)
        if name is None:
            raise ComponentError(f"has no {' or '.join(names)} next to it, which llama.cpp's converter needs")
        model = model_of(WholeFile(self._sidecar(name), self._opening), self._opening)
        texts = sliced(model.table.data, model.table.offsets)
        size = self._model.get("vocab_size") or len(texts)
        tokens = Tokens.unused(max(size, len(texts)) if name == FAIRSEQ else size)
        count = min(len(texts), len(tokens.texts))
        if all_fit and count < len(texts):
            raise ComponentError(f"has {len(texts):,} pieces, but config.json has room for {count:,} only")
        tokens.texts[:count] = texts[:count]
        tokens.types[:count] = np.where(model.kinds == USER_DEFINED_TYPE, NORMAL_TYPE, model.kinds)[:count]
        tokens.scores[:count] = model.scores[:count]
        return model, tokens

    def _vocabulary(self) -> Vocabulary:
        if self._loaded is None:
            self._loaded = self._load(self._path if self._content is None else self._sidecar(TOKENIZER_JSON))
        return self._loaded

    def _added(self) -> tuple[AddedToken, ...]:
        parts = self._vocabulary().parts
        assert parts is not None  # `load` always sets them
        return parts.added_tokens

    # The tokens

    def _tokens(self) -> Tokens:
        """The tokens as in AutoTokenizer; also sets `pre`."""
        vocabulary = self._vocabulary()
        tokenizer, n_own = Tokenizer(vocabulary), len(vocabulary)
        size = self._model.get("vocab_size", n_own)
        if n_own > size:
            raise ComponentError(f"has the token {n_own - 1:,}, but config.json has room for {size:,} only")
        ids = tokenizer.encode(converter()["text"]).token_ids.tolist()
        digest = sha256(str(ids).encode()).hexdigest()
        if (pre := converter()["pre_of_hash"].get(digest)) is None:
            raise ComponentError(
                f"{REFUSED}, which does not know its pre-tokenizer: the hash of a text's ids is {digest}"
            )
        self.values["pre"] = GgufValue("string", pre.encode())
        tokens = Tokens.unused(size)
        tokens.texts[:n_own] = sliced(vocabulary.token_data, vocabulary.token_offsets)
        tokens.types[:n_own][vocabulary.stored_types != UNUSED_TYPE] = NORMAL_TYPE
        for token in stoppable(self._added()):
            text = token.content
            if not token.normalized:
                text = tokenizer.decode(tokenizer.encode(text, add_special=False).token_ids.tolist())
            tokens.put_added(token.token_id, text, token.special)
        return tokens

    def _tokens_of_llama(self) -> Tokens:
        """The tokens of a BPE tokenizer.json with byte fallback, as in LlamaHfVocab."""
        vocabulary, added = self._vocabulary(), self._added()
        assert vocabulary.parts is not None
        assert self._content is not None
        n_base = int(np.count_nonzero(vocabulary.parts.in_model))
        rows = [*range(n_base), *sorted(token.token_id for token in added if token.token_id >= n_base)]
        _, own = document_of(self._content, self._data, self._sidecars, model_name(self._path))
        more = [
            self._config.get("cls_token"),
            *(self._config.get(EXTRA) or self._config.get(ADDITIONAL) or []),
        ]
        special = [*own.roles.values(), *(text_of(converted(each)) for each in more if each is not None)]
        ids = vocabulary.token_table.find([text.encode() for text in special])
        texts = sliced(vocabulary.token_data, vocabulary.token_offsets)
        types = np.full(len(vocabulary), NORMAL_TYPE, np.int32)
        types[n_base:] = USER_DEFINED_TYPE
        types[ids[ids >= 0]] = CONTROL_TYPE
        types[[row for row in range(n_base) if BYTE_NAME.fullmatch(texts[row])]] = BYTE_TYPE
        scores = np.full(len(rows), ADDED_SCORE, np.float32)
        return Tokens([texts[row] for row in rows], types[rows], scores)

    def _is_for_llama(self) -> bool:
        """Whether tokenizer.json is BPE with byte fallback, as LlamaHfVocab requires."""
        if self._content is None:
            return False
        model, decoder = self._content["model"], self._content.get("decoder") or {}
        has_bytes = model["type"] == "BPE" and model.get("byte_fallback", False)
        return bool(has_bytes) and decoder.get("type") == "Sequence"

    def _merges(self) -> Packed:
        data, offsets = self._vocabulary().merge_data, self._vocabulary().merge_offsets
        if (data == SPACE).any():
            data, offsets = packed([rule.replace(b" ", SPACE_IN_RULE) for rule in sliced(data, offsets)])
        return np.where(data == MERGE_SEPARATOR[0], np.uint8(SPACE), data), offsets

    # What is written

    def _set(self, values: Mapping[str, int]) -> None:
        for key, value in values.items():
            self.values[key] = GgufValue("bool" if isinstance(value, bool) else "uint32", value)

    def _put(self, model: str, tokens: Tokens, has_scores: bool = True, has_merges: bool = False) -> None:
        """Set the tokens, then the keys that follow from the configs."""
        self.values["model"] = GgufValue("string", model.encode())
        if has_scores:
            self.values["scores"] = GgufValue("array of float32", tokens.scores)
            if model != "gemma4":
                self.values["pre"] = GgufValue("string", b"default")
        self.values["tokens"] = GgufValue("array of string", tokens.texts)
        self.values["token_type"] = GgufValue("array of int32", tokens.types)
        n_tokens = None if has_merges else len(tokens.texts)  # roles with higher ids are ignored
        keys = SpecialKeys(self._content, self._config, self._sidecars.model, n_tokens)
        if has_merges and len((merges := self._merges())[1]) > 1:
            self.values["merges"] = GgufValue("array of string", merges)
        for role, text in self._rules.get("roles", {}).items():
            keys.set(role, {each.content: each.token_id for each in self._added()}[text])
        for role, token_id in self._rules.get("ids", {}).items():
            keys.set(role, token_id)
        self.values.update(keys.values())

    # Routes

    def bytes(self) -> None:
        self._put("gpt2", self._tokens(), has_scores=False, has_merges=True)

    def pieces(self) -> None:
        _, tokens = self._pieces(PIECES)
        self._put_listed(tokens)
        for token_id, spec in self._config.get(DECODER, {}).items():
            tokens.put_added(int(token_id), spec["content"], spec.get("special"))
        self._put("llama", tokens)
        if self._rules.get("prefix"):
            self._put_prefix()

    def _put_listed(self, tokens: Tokens) -> None:
        for text, token_id in self._sidecars.added.items():
            tokens.put(token_id, text, USER_DEFINED_TYPE)

    def _put_prefix(self) -> None:
        if isinstance(adds := self._config.get("add_prefix_space"), bool):
            self._set({"add_space_prefix": adds})

    def pieces_or_bytes(self) -> None:
        if self._has(PIECES):
            self.pieces()
            self._set(self._rules.get("last_of_pieces", {}))
        else:
            self.bytes()

    def bytes_or_pieces(self) -> None:
        self.pieces() if self._content is None else self.bytes()

    def llama(self) -> None:
        if self._has("tekken.json") and self._content is None:
            raise ComponentError("is taken from tekken.json by llama.cpp's converter: not followed here")
        self._put_prefix()
        if self._has(PIECES):
            self.pieces()
        elif self._is_for_llama():
            self._put("llama", self._tokens_of_llama())
        else:
            self.bytes()
        sizes: dict[Any, dict[str, int]]
        sizes = {32_016: {"eot_token_id": 32_010}, 49_152: {"add_bos_token": False}}
        self._set(sizes.get(self._model.get("vocab_size", 32_000), {}))

    def gemma4(self) -> None:
        if not self._is_for_llama():
            raise ComponentError(f"{REFUSED}: it is not BPE with byte fallback")
        tokens = self._tokens_of_llama()
        for row, text in enumerate(tokens.texts):
            if text in VISIBLE_IN_GEMMA4:
                tokens.types[row] = USER_DEFINED_TYPE
        self._put("gemma4", tokens, has_merges=True)

    def phi3(self) -> None:
        if self._config and self._config["tokenizer_class"] == "GPT2Tokenizer":
            self.bytes()
            return
        _, tokens = self._pieces(PIECES, all_fit=True)
        self._put_listed(tokens)
        listed = [*self._config.get(DECODER, {}).items()]
        listed += [(each["id"], each) for each in (self._content or {}).get("added_tokens", [])]
        for token_id, spec in listed:
            if int(token_id) >= len(tokens.texts):
                raise ComponentError(f"has the token {int(token_id):,}, for which config.json has no room")
            kind = CONTROL_TYPE if spec.get("special") else USER_DEFINED_TYPE
            tokens.put(int(token_id), spec["content"], kind)
        self._put("llama", tokens)

    def words(self) -> None:
        tokens = self._tokens()
        for row in np.flatnonzero(tokens.types != CONTROL_TYPE).tolist():
            text = tokens.texts[row]
            tokens.texts[row] = text[2:] if text.startswith(b"##") else MARK.encode() + text
        self._put("bert", tokens, has_scores=False)

    def roberta(self) -> None:
        self.words() if self._content is None else self.bytes()

    def nomic(self) -> None:
        kind = (self._content or {"model": {}})["model"].get("type")
        if kind not in ("Unigram", "WordPiece"):
            raise ComponentError(f"{REFUSED}: it is neither Unigram nor WordPiece")
        self.fairseq() if kind == "Unigram" else self.words()

    def jina(self) -> None:
        pre_tokenizer = (self._content or {}).get("pre_tokenizer") or {}
        is_bert = self._config["tokenizer_class"] == "BertTokenizer"
        if not is_bert and pre_tokenizer.get("type") == "Whitespace":
            raise ComponentError("is converted by llama.cpp in a way that is not followed here")
        self.words() if is_bert else self.bytes()

    def t5(self) -> None:
        model, tokens = self._pieces(PIECES, T5, all_fit=True)
        if model.type != UNIGRAM:
            self.pieces()
            return
        self._put_listed(tokens)
        self._put_unigram(model, tokens)

    def fairseq(self) -> None:
        """XLM-RoBERTa, whose special tokens have an order of their own."""
        if not self._has(FAIRSEQ):
            raise ComponentError(
                f"is converted by llama.cpp without {FAIRSEQ} in a way that is not followed here"
            )
        model, tokens = self._pieces(FAIRSEQ)
        tokens.texts[:] = [b"<s>", b"<pad>", b"</s>", b"<unk>", *tokens.texts[3:-1]]
        tokens.types[4:], tokens.types[:4] = tokens.types[3:-1].copy(), (*[CONTROL_TYPE] * 3, UNKNOWN_TYPE)
        tokens.scores[4:], tokens.scores[:4] = tokens.scores[3:-1].copy(), 0
        if self._model.get("moe_every_n_layers"):
            tokens.put(250_001, "<mask>", CONTROL_TYPE)
            tokens.scores[250_001] = 0
        self._put_unigram(model, tokens)

    def _put_unigram(self, model: Model, tokens: Tokens) -> None:
        text = model.rules.text
        self._set({"add_space_prefix": text.adds_space, "remove_extra_whitespaces": text.removes_spaces})
        if len(text.charsmap):
            self.values["precompiled_charsmap"] = GgufValue("array of uint8", text.charsmap)
        self._put("t5", tokens)


ROUTES: dict[str, Callable[[Conversion], None]] = {
    "bytes": Conversion.bytes,
    "bytes or pieces": Conversion.bytes_or_pieces,
    "fairseq": Conversion.fairseq,
    "gemma4": Conversion.gemma4,
    "jina": Conversion.jina,
    "llama": Conversion.llama,
    "nomic": Conversion.nomic,
    "phi3": Conversion.phi3,
    "pieces": Conversion.pieces,
    "pieces or bytes": Conversion.pieces_or_bytes,
    "roberta": Conversion.roberta,
    "t5": Conversion.t5,
    "words": Conversion.words,
}
