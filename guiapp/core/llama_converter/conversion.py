"""The vocabulary that the converter writes: tokens, types, scores and merge rules, by the architecture's route.

Source: https://github.com/ggml-org/llama.cpp, conversion/base.py and the files beside it, whose commit
converter.json names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.auto_tokenizer.backend import ADDITIONAL, EXTRA, converted, text_of
from guiapp.core.auto_tokenizer.reading import document_of
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.formats.file_bytes import WholeFile
from guiapp.core.formats.gguf_copy import GgufValue
from guiapp.core.formats.model_sections import read_json_with_texts
from guiapp.core.formats.sentencepiece import UNIGRAM, Model, model_of
from guiapp.core.formats.tokenizer_config import CONFIG, SidecarFiles, model_name, name_before
from guiapp.core.hugging_face.spec import ComponentError
from guiapp.core.llama_converter.architectures import Architecture, converter, text_config
from guiapp.core.llama_converter.special_keys import KEYS, SpecialKeys
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.vocabulary.attributes import (
    BYTE_TYPE,
    CONTROL_TYPE,
    NORMAL_TYPE,
    UNKNOWN_TYPE,
    UNUSED_TYPE,
    USER_DEFINED_TYPE,
)
from guiapp.core.vocabulary.opening import Opening
from guiapp.core.vocabulary.vocabulary import MERGE_SEPARATOR, Vocabulary
from guiapp.native.checkpoint import checkpoint, stoppable
from guiapp.native.model_files import sliced

TOKENIZER_JSON, PIECES, T5_PIECES, FAIRSEQ = (
    "tokenizer.json",
    "tokenizer.model",
    "spiece.model",
    "sentencepiece.bpe.model",
)
MARK, SPACE_IN_RULE = "▁", "Ġ".encode()
BYTE_NAME = re.compile(rb"<0x[0-9A-Fa-f]{2}>")
LOOK_SPECIAL = re.compile(r"<pad>|<mask>|<2mass>|\[@BOS@]|<\|.*\|>|<｜.*｜>|<unused.*>", re.DOTALL)
GEMMA4_VISIBLE = (
    b'<|channel> <channel|> <|tool_call> <tool_call|> <|tool_response> <tool_response|> <|"|>'.split()
)
UNUSED_SCORE, ADDED_SCORE = -10_000.0, -1_000.0
MOST_TOKENS = 1 << 22


class Tokens(NamedTuple):
    """All of a vocabulary, by id: each a text, a type as GGUF files number them, and a score, if they have."""

    texts: list[bytes]
    types: NDArray[np.int32]
    scores: NDArray[np.float32] | None = None

    @classmethod
    def unused(cls, count: int) -> Tokens:
        if not 0 < count <= MOST_TOKENS:
            raise ComponentError(f"comes with a config.json whose vocab_size is {count:,}")
        texts = [b"[PAD%d]" % row for row in range(count)]
        return cls(texts, np.full(count, UNUSED_TYPE, np.int32), np.full(count, UNUSED_SCORE, np.float32))

    def put(self, token_id: int, text: str, kind: int) -> None:
        """An added token; one that has no room is left out."""
        if not -1 < token_id:
            raise ComponentError(f"comes with a config that gives a token the id {token_id:,}")
        if token_id < len(self.texts):
            self.texts[token_id], self.types[token_id] = text.encode(), kind
            if self.scores is not None:
                self.scores[token_id] = ADDED_SCORE


class Conversion:
    """What is written for one folder; `values` are by key without "tokenizer.ggml."."""

    def __init__(
        self,
        path: Path,
        sidecars: SidecarFiles,
        architecture: Architecture,
        opening: Opening,
        load: Callable[[Path], Vocabulary],
    ) -> None:
        """`load` gives what AutoTokenizer makes of a file and the configs next to it."""
        self.values: dict[str, GgufValue] = {}
        self._path, self._sidecars, self._rules, self._opening = path, sidecars, architecture.rules, opening
        self._config = sidecars.config if self._beside(CONFIG).is_file() else {}
        self._model = text_config(sidecars.model)
        if (multiple := self._rules.get("pad_to")) and "vocab_size" in self._model:
            multiple = self._model.get("pad_vocab_size_multiple", multiple)
            multiple = self._rules["pad_to"] if self._rules.get("pads_always") else multiple
            self._model["vocab_size"] = -(self._model["vocab_size"] // -multiple) * multiple
        self._load, self._content = load, self._tokenizer_json()
        self._loaded: Vocabulary | None = None

    def run(self) -> None:
        """Raises ComponentError, KeyError, TypeError and the like where the converter fails."""
        self._switch(self._rules.get("first", {}))
        ROUTES[self._rules["route"]](self)
        self._switch(self._rules.get("last", {}))
        for role, token_id in self._rules.get("ids_last", {}).items():
            self.values[f"{KEYS[role]}_token_id"] = GgufValue("uint32", token_id)

    # The files

    def _beside(self, name: str) -> Path:
        return self._path.with_name((name_before(self._path) or "") + name)

    def _has(self, name: str) -> bool:
        return self._beside(name).is_file()

    def _tokenizer_json(self) -> dict[str, Any] | None:
        if not self._has(TOKENIZER_JSON):
            return None
        file = WholeFile(self._beside(TOKENIZER_JSON), self._opening)
        self._names_byte_level = b'"ByteLevel"' in file.data
        return file.json_object(read_json_with_texts)

    def _pieces(self, *names: str, all_fit: bool = False) -> tuple[Model, Tokens]:
        """A SentencePiece model and its tokens, as many as config.json says; `all_fit`: never fewer."""
        name = next(filter(self._has, names), None)
        if name is None:
            raise ComponentError(f"has no {' or '.join(names)} next to it, which llama.cpp's converter needs")
        model = model_of(WholeFile(self._beside(name), self._opening), self._opening)
        texts = sliced(model.table.data, model.table.offsets)
        size = self._model.get("vocab_size") or len(texts)
        tokens = Tokens.unused(max(size, len(texts)) if name == FAIRSEQ else size)
        count = min(len(texts), len(tokens.texts))
        if all_fit and count < len(texts):
            raise ComponentError(f"has {len(texts):,} pieces, but config.json has room for {count:,} only")
        tokens.texts[:count] = texts[:count]
        tokens.types[:count] = np.where(model.kinds == USER_DEFINED_TYPE, NORMAL_TYPE, model.kinds)[:count]
        assert tokens.scores is not None
        tokens.scores[:count] = model.scores[:count]
        return model, tokens

    def _vocabulary(self) -> Vocabulary:
        if self._loaded is None:
            self._loaded = self._load(self._path if self._content is None else self._beside(TOKENIZER_JSON))
            if self._loaded.parts is None:
                raise ComponentError("is not read by transformers as a tokenizer of its own library")
        return self._loaded

    # The tokens

    def _tokens(self) -> Tokens:
        """As AutoTokenizer has them; `pre` is written, too."""
        vocabulary = self._vocabulary()
        tokenizer, n_own = Tokenizer(vocabulary), len(vocabulary)
        self._put_pre(tokenizer)
        size = self._model.get("vocab_size", n_own)
        if n_own > size:
            raise ComponentError(f"has the token {n_own - 1:,}, but config.json has room for {size:,} only")
        tokens = Tokens.unused(size)
        texts = sliced(vocabulary.token_data, vocabulary.token_offsets)
        is_there = vocabulary.stored_types != UNUSED_TYPE
        for row in np.flatnonzero(is_there).tolist():
            tokens.texts[row] = texts[row]
        tokens.types[:n_own][is_there] = NORMAL_TYPE
        assert vocabulary.parts is not None
        for token in stoppable(vocabulary.parts.added_tokens):
            text = token.content
            if not token.normalized:
                text = tokenizer.decode(tokenizer.encode(text, add_special=False).token_ids.tolist())
            if token.special or LOOK_SPECIAL.fullmatch(text):
                tokens.put(token.token_id, text, CONTROL_TYPE)
            else:
                tokens.put(token.token_id, text.replace(MARK, " "), USER_DEFINED_TYPE)
        return tokens._replace(scores=None)

    def _put_pre(self, tokenizer: Tokenizer) -> None:
        ids = tokenizer.encode(converter()["text"]).token_ids.tolist()
        found = sha256(str(ids).encode()).hexdigest()
        pre = converter()["pre_of_hash"].get(found)
        if pre is None:
            raise ComponentError(
                "is refused by llama.cpp's converter: it does not know the pre-tokenizer. The ids of its check "
                f"text have the hash {found}"
            )
        self.values["pre"] = GgufValue("string", pre.encode())

    def _tokens_of_llama(self) -> Tokens:
        """Those of a BPE tokenizer.json with byte fallback, as LlamaHfVocab has them."""
        vocabulary = self._vocabulary()
        assert vocabulary.parts is not None
        parts = vocabulary.parts
        n_base = int(np.count_nonzero(parts.in_model))
        special = set(vocabulary.token_table.find(self._special_texts()).tolist())
        added = sorted(each for each in parts.added_tokens if each.token_id >= n_base)
        rows = [*range(n_base), *(token.token_id for token in added)]
        raw = sliced(vocabulary.token_data, vocabulary.token_offsets)
        kinds = [CONTROL_TYPE if row in special else NORMAL_TYPE for row in rows[:n_base]]
        for row in range(n_base):
            if BYTE_NAME.fullmatch(raw[row]):
                kinds[row] = BYTE_TYPE
        kinds += [CONTROL_TYPE if row in special else USER_DEFINED_TYPE for row in rows[n_base:]]
        scores = np.full(len(rows), ADDED_SCORE, np.float32)
        return Tokens([raw[row] for row in rows], np.array(kinds, np.int32), scores)

    def _special_texts(self) -> list[bytes]:
        """Those of all roles and of the config's list, as AutoTokenizer has them."""
        assert self._content is not None
        name = model_name(self._path)
        _, own = document_of(self._content, self._sidecars, self._names_byte_level, name)
        more = [
            self._config.get("cls_token"),
            *(self._config.get(EXTRA) or self._config.get(ADDITIONAL) or []),
        ]
        texts = [*own.roles.values(), *(text_of(converted(each)) for each in more if each is not None)]
        return [text.encode() for text in texts]

    def _is_for_llama(self) -> bool:
        """Whether tokenizer.json is such a one."""
        if self._content is None:
            return False
        model, decoder = self._content["model"], self._content.get("decoder") or {}
        has_bytes = model["type"] == "BPE" and model.get("byte_fallback", False)
        return bool(has_bytes) and decoder.get("type") == "Sequence"

    # What is written

    def _switch(self, values: Mapping[str, bool]) -> None:
        self.values |= {key: GgufValue("bool", value) for key, value in values.items()}

    def _put(self, model: str, tokens: Tokens, has_merges: bool = False, counts: bool = True) -> None:
        """The tokens, then what the configs say of them; `counts`: roles are for ids of these alone."""
        self.values["model"] = GgufValue("string", model.encode())
        self.values["tokens"] = GgufValue("array of string", tokens.texts)
        if tokens.scores is not None:
            self.values["scores"] = GgufValue("array of float32", tokens.scores)
        self.values["token_type"] = GgufValue("array of int32", tokens.types)
        n_tokens = len(tokens.texts) if counts else None
        keys = SpecialKeys(self._content, self._config, self._sidecars.model, n_tokens)
        if has_merges and (merges := list(self._merges())):
            self.values["merges"] = GgufValue("array of string", merges)
        for role, text in self._rules.get("roles", {}).items():
            added = {each.content: each.token_id for each in self._parts_added()}
            if text not in added:
                raise ComponentError(f"has no token {text}, which llama.cpp's converter needs")
            keys.set(role, added[text])
        for role, token_id in self._rules.get("ids", {}).items():
            keys.set(role, token_id)
        self.values.update(keys.values())

    def _parts_added(self) -> Iterable[Any]:
        parts = self._vocabulary().parts
        return () if parts is None else parts.added_tokens

    def _merges(self) -> Iterator[bytes]:
        vocabulary = self._vocabulary()
        for rule in stoppable(sliced(vocabulary.merge_data, vocabulary.merge_offsets)):
            yield rule.replace(b" ", SPACE_IN_RULE).replace(MERGE_SEPARATOR, b" ")

    # Routes

    def bytes(self) -> None:
        self._put("gpt2", self._tokens(), has_merges=True, counts=False)

    def pieces(self) -> None:
        _, tokens = self._pieces(PIECES)
        self._put_added(tokens, self._sidecars.added.items())
        for token_id, spec in self._config.get("added_tokens_decoder", {}).items():
            text = spec["content"]
            is_control = spec.get("special") or LOOK_SPECIAL.fullmatch(text)
            text = text if is_control else text.replace(MARK, " ")
            tokens.put(int(token_id), text, CONTROL_TYPE if is_control else USER_DEFINED_TYPE)
        self._put_pieces(tokens)
        if self._rules.get("prefix"):
            self._put_prefix()

    def _put_pieces(self, tokens: Tokens) -> None:
        self.values["pre"] = GgufValue("string", b"default")
        self._put("llama", tokens)

    def _put_added(self, tokens: Tokens, added: Iterable[tuple[str, int]]) -> None:
        for text, token_id in added:
            tokens.put(token_id, text, USER_DEFINED_TYPE)

    def _put_prefix(self) -> None:
        if isinstance(adds := self._config.get("add_prefix_space"), bool):
            self._switch({"add_space_prefix": adds})

    def pieces_or_bytes(self) -> None:
        if not self._has(PIECES):
            return self.bytes()
        self.pieces()
        self._switch(self._rules.get("last_of_pieces", {}))

    def bytes_or_pieces(self) -> None:
        self.pieces() if self._content is None else self.bytes()

    def llama(self) -> None:
        if self._has("tekken.json") and self._content is None:
            raise ComponentError(
                "is taken from tekken.json by llama.cpp's converter; that is not followed here"
            )
        self._put_prefix()
        if self._has(PIECES):
            self.pieces()
        elif self._is_for_llama():
            self._put_pieces(self._tokens_of_llama())
        else:
            self.bytes()
        if self._model.get("vocab_size", 32_000) == 32_016:
            self.values["eot_token_id"] = GgufValue("uint32", 32_010)
        if self._model.get("vocab_size", 32_000) == 49_152:
            self._switch({"add_bos_token": False})

    def deci(self) -> None:
        is_llama = self._model.get("vocab_size", 128_256) != 128_256
        self._put_pieces(self._tokens_of_llama()) if is_llama else self.bytes()

    def jamba(self) -> None:
        if self._has(PIECES):
            return self.pieces()
        if not self._is_for_llama():
            raise ComponentError("is refused by llama.cpp's converter: it is no BPE with byte fallback")
        self._put_pieces(self._tokens_of_llama())
        self._switch({"add_space_prefix": False})

    def gemma4(self) -> None:
        if not self._is_for_llama():
            raise ComponentError("is refused by llama.cpp's converter: it is no BPE with byte fallback")
        tokens = self._tokens_of_llama()
        for row, text in enumerate(tokens.texts):
            if text in GEMMA4_VISIBLE:
                tokens.types[row] = USER_DEFINED_TYPE
        self._put("gemma4", tokens, has_merges=True, counts=False)

    def phi3(self) -> None:
        if self._config and self._config["tokenizer_class"] == "GPT2Tokenizer":
            return self.bytes()
        _, tokens = self._pieces(PIECES, all_fit=True)
        self._put_added(tokens, self._sidecars.added.items())
        listed = [*self._config.get("added_tokens_decoder", {}).items()]
        listed += [(each["id"], each) for each in (self._content or {}).get("added_tokens", [])]
        for token_id, spec in listed:
            tokens.put(
                int(token_id), spec["content"], CONTROL_TYPE if spec.get("special") else USER_DEFINED_TYPE
            )
        self._put_pieces(tokens)

    def words(self) -> None:
        tokens = self._tokens()
        for row, kind in enumerate(tokens.types.tolist()):
            if kind != CONTROL_TYPE:
                text = tokens.texts[row]
                tokens.texts[row] = text[2:] if text.startswith(b"##") else MARK.encode() + text
        self._put("bert", tokens)

    def roberta(self) -> None:
        self.words() if self._content is None else self.bytes()

    def nomic(self) -> None:
        kind = (self._content or {"model": {}})["model"].get("type")
        if kind not in ("Unigram", "WordPiece"):
            raise ComponentError("is refused by llama.cpp's converter: it is neither Unigram nor WordPiece")
        self.fairseq() if kind == "Unigram" else self.words()

    def jina(self) -> None:
        kind = self._config["tokenizer_class"]
        pre_tokenizer = (self._content or {}).get("pre_tokenizer") or {}
        if kind not in ("BertTokenizer", "RobertaTokenizer") or pre_tokenizer.get("type") == "Whitespace":
            raise ComponentError(f"has the tokenizer_class {quoted(str(kind))}, which is not followed here")
        self.words() if kind == "BertTokenizer" else self.bytes()

    def t5(self) -> None:
        model, tokens = self._pieces(PIECES, T5_PIECES, all_fit=True)
        if model.type != UNIGRAM:
            return self.pieces()
        self._put_added(tokens, self._sidecars.added.items())
        self._put_unigram(model, tokens)

    def fairseq(self) -> None:
        """Of XLM-RoBERTa: the special tokens in an order of its own."""
        model, tokens = self._pieces(FAIRSEQ)
        assert tokens.scores is not None
        tokens.texts[:] = [b"<s>", b"<pad>", b"</s>", b"<unk>", *tokens.texts[3:-1]]
        first = [CONTROL_TYPE] * 3 + [UNKNOWN_TYPE]
        tokens.types[:] = [*first, *tokens.types[3:-1].tolist()]
        tokens.scores[:] = [*[0.0] * 4, *tokens.scores[3:-1].tolist()]
        if self._model.get("moe_every_n_layers"):
            tokens.put(250_001, "<mask>", CONTROL_TYPE)
            tokens.scores[250_001] = 0
        self._put_unigram(model, tokens)

    def _put_unigram(self, model: Model, tokens: Tokens) -> None:
        text = model.rules.text
        self.values["pre"] = GgufValue("string", b"default")
        self._switch({"add_space_prefix": text.adds_space, "remove_extra_whitespaces": text.removes_spaces})
        if len(text.charsmap):
            self.values["precompiled_charsmap"] = GgufValue("array of uint8", text.charsmap)
        self._put("t5", tokens)


ROUTES: dict[str, Callable[[Conversion], None]] = {
    "bytes": Conversion.bytes,
    "bytes or pieces": Conversion.bytes_or_pieces,
    "deci": Conversion.deci,
    "fairseq": Conversion.fairseq,
    "gemma4": Conversion.gemma4,
    "jamba": Conversion.jamba,
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
