"""The other tokenizer libraries that can take part; to add one, add a row to `_ROWS`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from guiapp.analysis.export.tables import NONE
from guiapp.analysis.libraries.contender import (
    Contender,
    UnavailableError,
    as_str,
    ids_of_object,
    ids_only,
    on_threads,
)
from guiapp.analysis.libraries.custom import CustomContender
from guiapp.analysis.libraries.llama_library import LlamaLibraryError, LlamaVocabulary
from guiapp.analysis.libraries.peer import LONGEST_REASON, Form, Peer, check_type
from guiapp.analysis.libraries.written_models import (
    CL100K,
    READS_JSON,
    READS_TOKENS,
    USUAL,
    NamedRanks,
    RanksAndPattern,
    check_hugging_face,
    check_ranks,
    hugging_face_json,
    name_of,
    named_ranks,
    ranks_and_pattern,
    rwkv_rows,
    sentencepiece_model,
    unsplit_hugging_face_json,
    with_special,
)
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.formats.tokenizer_config import CONFIG, MODEL, name_before
from guiapp.core.text.numbers_in_words import printable, quoted
from guiapp.core.vocabulary.parts import SENTENCEPIECE as SENTENCEPIECE_MODEL
from guiapp.core.vocabulary.vocabulary import LLAMA_CPP as READS_GGUF
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary

UNSUPPORTED = re.compile(r"Unsupported (.+?)(?: type)?(?: for SentencePiece tokenizers)?: (.+?)(?: \(.*\))?$")
HEAD = ("encoder", "version", "returns", "")
NOTE = (
    "Lists and objects are read outside of the timing. "
    "What a library refuses only when it opens the file appears in the run."
)
BPE, SPM, UGM, WPM, RWKV = VocabType.BPE, VocabType.SPM, VocabType.UGM, VocabType.WPM, VocabType.RWKV


# Forms and their checks


def _check_json(vocabulary: Vocabulary, name: str) -> None:
    check_hugging_face(vocabulary)


def _check_pieces(vocabulary: Vocabulary, name: str) -> None:
    if vocabulary.parts is not None:
        raise UnavailableError(f"{name} does not support the parts that tokenizer.json names.")


def _check_openai(vocabulary: Vocabulary, name: str) -> None:
    if not name_of(vocabulary):
        raise UnavailableError(f"{name} only supports OpenAI's vocabularies, and downloads them itself.")


def _check_gguf(vocabulary: Vocabulary, name: str) -> None:
    if vocabulary.path is None:
        raise UnavailableError(f"{name} only reads model files, and this vocabulary does not have one.")
    if vocabulary.library != READS_GGUF or vocabulary.chosen_pre == READS_GGUF:
        what = "not converted yet" if vocabulary.library == READS_GGUF else f"for {vocabulary.library}"
        raise UnavailableError(f"{name} only reads GGUF files, and this one is {what}.")
    if vocabulary.chosen_pre:
        raise UnavailableError(
            f"{name} splits text as the file specifies, not as “{vocabulary.chosen_pre}”, chosen by hand."
        )


def _refuse(vocabulary: Vocabulary, name: str) -> None:
    raise UnavailableError(f"{name} only reads tekken.json.")


def _pieces(tokenizer: Tokenizer) -> bytes:
    """A SentencePiece model: the opened file itself if it is one."""
    vocabulary = tokenizer.vocabulary
    if vocabulary.model == SENTENCEPIECE_MODEL and vocabulary.path is not None:
        return vocabulary.path.read_bytes()
    return sentencepiece_model(vocabulary)


def _json_or_pieces(tokenizer: Tokenizer) -> str | bytes:
    vocabulary = tokenizer.vocabulary
    has_pieces = vocabulary.type in (SPM, UGM) and vocabulary.parts is None
    return _pieces(tokenizer) if has_pieces else hugging_face_json(tokenizer)


READS_PIECES = {"SentencePiece": Path.read_bytes}
READS_TEKKEN = {"tekken.json": Path}
JSON = Form(hugging_face_json, _check_json, READS_JSON)  # as a str
PIECES = Form(_pieces, _check_pieces, READS_PIECES)
JSON_OR_PIECES = Form(_json_or_pieces, _check_json, {**READS_JSON, **READS_PIECES})
JSON_OR_TOKENS = Form(hugging_face_json, _check_json, {**READS_JSON, **READS_TOKENS})
JSON_OR_FOLDER = Form(
    hugging_face_json,
    _check_json,
    dict.fromkeys(("tokenizer.json", "SentencePiece", "tiktoken", *READS_TOKENS), attrgetter("parent")),
    is_read=lambda path: _is_in_folder(path),
)
JSON_OR_TEKKEN = Form(hugging_face_json, _check_json, {**READS_JSON, **READS_TEKKEN})
TEKKEN = Form(lambda tokenizer: tokenizer.vocabulary.path, _refuse, READS_TEKKEN)
RANKS = Form(ranks_and_pattern, check_ranks)
OPENAI_NAME = Form(lambda tokenizer: name_of(tokenizer.vocabulary), usual=USUAL)
OPENAI_RANKS = Form(named_ranks, _check_openai)
RWKV_ROWS = Form(rwkv_rows)
GGUF = Form(lambda tokenizer: tokenizer.vocabulary.path, _check_gguf)


# Functions that open libraries, for those that need more than one call


@contextmanager
def _as_file(source: str) -> Iterator[str]:
    """The path of a temporary file with the source, for libraries that only read files."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "tokenizer.json")
        path.write_text(source, "utf-8")
        yield str(path)


def _from_file(load: str) -> Callable[[Any, str], Any]:
    """A `load` that calls a function of the module with the path of a file."""

    def load_file(module: Any, source: str) -> Any:
        with _as_file(source) as path:
            return attrgetter(load)(module)(path)

    return load_file


def _tokenizers(module: Any, source: str) -> Contender:
    library = module.Tokenizer.from_str(source)
    library.no_truncation()
    library.no_padding()
    library.encode_special_tokens = True

    def encode_special(text: str, adds_special: bool) -> Any:
        library.encode_special_tokens = False
        try:
            return library.encode(text, add_special_tokens=adds_special)
        finally:
            library.encode_special_tokens = True

    return Contender(
        partial(library.encode, add_special_tokens=False),
        as_str,
        ids_of_object,
        partial(library.decode, skip_special_tokens=False),
        encode_batch=lambda texts, _: library.encode_batch(texts, add_special_tokens=False),
        encode_special=encode_special if library.get_added_tokens_decoder() else None,
        offsets=lambda text: encode_special(text, False).offsets,
        parse_special=partial(_parse_reopened, _tokenizers, module, source),
    )


def _gigatoken(module: Any, source: str | bytes) -> Any:
    load = module.Tokenizer
    try:
        return load.from_json(source) if isinstance(source, str) else load.from_sentencepiece(source)
    except RuntimeError as error:
        raise UnavailableError(_gigatoken_reason(str(error))) from error


def _gigatoken_reason(message: str) -> str:
    """A sentence from gigatoken's message: the first line names the part, the others lines of its source."""
    reason = message.partition("\n")[0]
    if part := UNSUPPORTED.match(reason):
        kind, name = part[1].replace("_", "-"), quoted(part[2], LONGEST_REASON)
        return f"gigatoken has no {kind} “{name}”, which this file needs."
    return f"gigatoken cannot read this file: {quoted(reason, LONGEST_REASON).rstrip('.')}."


def _refuse_for_gigatoken(vocabulary: Vocabulary) -> None:
    check_type("gigatoken", vocabulary, (BPE, SPM))
    if (pieces := vocabulary.pieces) is not None and not (pieces.merges and pieces.has_byte_fallback):
        raise UnavailableError(
            "gigatoken only reads SentencePiece models of the type BPE with byte fallback."
        )


def _llama_cpp(_: Any, source: Path) -> Contender:
    try:
        vocabulary = LlamaVocabulary(source)
    except (LlamaLibraryError, OSError, AttributeError) as error:
        raise UnavailableError(f"llama.cpp cannot be used: {error}.") from error
    return Contender(
        vocabulary.encode,
        bytes,
        ids_only,
        vocabulary.decode,
        lambda ids: np.ascontiguousarray(ids, np.int32),
        on_threads(vocabulary.encode),
        encode_special=lambda text, adds_special: vocabulary.encode(text, adds_special, True),
        parse_special=lambda special: partial(vocabulary.encode, parse_special=True),
    )


def _quicktok(module: Any, source: str | Path) -> Any:
    if isinstance(source, str):
        with _as_file(source) as path:
            return _quicktok(module, Path(path))
    with TemporaryDirectory() as folder:  # for the patterns that it compiles
        module.import_tokenizer(str(source), "loaded", folder)
        return module.Tokenizer("loaded", folder)


def _quicktok_batch(library: Any, texts: list[str], n_threads: int) -> list[Any]:
    ids, offsets = library.encode_batch(texts, n_threads)
    return np.split(ids, offsets[1:-1])


def _iree_batch(library: Any, texts: list[str], _: int) -> list[Any]:
    ids, lengths = library.encode_batch_to_array(texts)
    return np.split(ids, np.cumsum(lengths)[:-1])


def _rs_bpe(module: Any, name: str) -> Any:
    return module.openai.cl100k_base() if name == CL100K else module.openai.o200k_base()


def _rs_bpe_batch(library: Any, texts: list[str], n_threads: int) -> Any:
    if n_threads == 1:
        return library.encode_batch(texts)[0]
    options = import_module("rs_bpe.bpe").openai.ParallelOptions(1, 0, n_threads)
    return library.encode_batch_parallel(texts, options)[0]


def _kitoken(module: Any, source: str | bytes) -> Any:
    if isinstance(source, str):
        return module.Kitoken.from_tokenizers(source.encode())
    return module.Kitoken.from_sentencepiece(source)


def _wordchipper(module: Any, source: NamedRanks) -> Contender:
    """Open wordchipper with the file in its cache; it would fetch a missing one from the network."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "openai", source.name, f"{source.name}.tiktoken")
        path.parent.mkdir(parents=True)
        path.write_bytes(source.file)
        os.environ["WORDCHIPPER_CACHE_DIR"] = folder
        library = module.Tokenizer.from_pretrained(source.name)
    no_special = module.SpecialFilter.include_none()
    return Contender(
        partial(library.encode, special_filter=no_special),
        as_str,
        ids_only,
        library.decode,
        encode_batch=lambda texts, _: library.encode_batch(texts, special_filter=no_special),
    )


def _tiktoken(module: Any, source: RanksAndPattern) -> Any:
    return module.Encoding(
        "loaded", pat_str=source.pattern, mergeable_ranks=source.ranks, special_tokens=dict(source.special)
    )


def _sentencepiece(module: Any, source: bytes) -> Any:
    return module.SentencePieceProcessor(model_proto=source)


def _is_in_folder(path: Path) -> bool:
    """Whether transformers finds a file in its folder: by its name, and through a config next to it."""
    has_config = any(path.with_name(name).is_file() for name in (CONFIG, MODEL))
    return name_before(path) == "" and (has_config or path.name == "tokenizer.json")


def _transformers(module: Any, source: str | Path) -> Contender:
    """Open a folder with AutoTokenizer, without running the model's code; or the text of a tokenizer.json."""
    if isinstance(source, Path):
        library = module.AutoTokenizer.from_pretrained(
            str(source), trust_remote_code=False, local_files_only=True
        )
    else:
        with _as_file(source) as path:
            library = module.PreTrainedTokenizerFast(tokenizer_file=path, clean_up_tokenization_spaces=False)
    plain = {**NO_SPECIAL, "split_special_tokens": True, "verbose": False}
    parsing = {**plain, "split_special_tokens": False}

    def encode_special(text: str, adds_special: bool) -> Any:
        return library(text, **{**parsing, "add_special_tokens": adds_special})["input_ids"]

    def offsets(text: str) -> Any:
        return library(text, **parsing, return_offsets_mapping=True)["offset_mapping"]

    return Contender(
        partial(library.encode, **plain),
        as_str,
        ids_only,
        partial(library.decode, skip_special_tokens=False),
        encode_batch=lambda texts, _: library(texts, **plain)["input_ids"],
        encode_special=encode_special,
        offsets=offsets if library.is_fast else None,
        parse_special=partial(_parse_reopened, _transformers, module, source),
        special_texts=tuple(library.get_added_vocab()),
    )


def _parse_reopened(
    load: Callable[[Any, Any], Contender], module: Any, source: Any, special: Mapping[str, int]
) -> Callable[[Any], Any]:
    """An `encode` that parses special tokens, from a library opened again with them."""
    encode = load(module, with_special(source, special)).encode_special
    assert encode is not None
    return lambda text: encode(text, False)


def _parsing(
    method: str = "encode", /, **options: Any
) -> Callable[[Any, Mapping[str, int]], Callable[[Any], Any]]:
    """A `parse` that calls a method of the library with options."""
    return lambda library, special: partial(getattr(library, method), **options)


LIST, OBJECT, ARRAY = "a list", "an object with a list", "an array"
NO_SPECIAL = {"add_special_tokens": False}
ORDINARY: dict[str, Any] = {  # the names in tiktoken and its replacements
    "encode": "encode_ordinary",
    "decode": "decode_bytes",
    "batch": "encode_ordinary_batch",
}
AS_OBJECT: dict[str, Any] = {"batch": "encode_batch", "options": NO_SPECIAL, "ids": OBJECT}
_ROWS = (
    Peer(
        "tiktoken",
        "tiktoken",
        RANKS,
        _tiktoken,
        **ORDINARY,
        threads="num_threads",
        types=(BPE,),
        parse=_parsing(allowed_special="all"),
    ),
    Peer(
        "tokenizers",
        "tokenizers",
        JSON_OR_TOKENS,
        _tokenizers,
        ids="an object with a list, spans and more",
        unsplit=unsplit_hugging_face_json,
    ),
    Peer(
        "sentencepiece",
        "sentencepiece",
        PIECES,
        _sentencepiece,
        batch="encode",
        threads="num_threads",
        types=(SPM, UGM),
    ),
    Peer(
        "gigatoken",
        "gigatoken",
        JSON_OR_PIECES,
        _gigatoken,
        batch=lambda library, texts, n: library.encode_batch(texts, parallel=n > 1),
        ids=ARRAY,
        parse=_parsing(),
        refuse=_refuse_for_gigatoken,
        take_text=lambda text: as_str(text).encode(),  # its batches crash on bytes that are not UTF-8
        take_ids=lambda ids: ids.astype(np.uint32),
    ),
    Peer("rs-bpe", "rs_bpe.bpe", OPENAI_NAME, _rs_bpe, batch=_rs_bpe_batch),
    Peer(
        "rwkv-package",
        "rwkv.rwkv_tokenizer",
        RWKV_ROWS,
        _from_file("TRIE_TOKENIZER"),
        "encodeBytes",
        "decodeBytes",
        batch=lambda library, texts, _: [library.encodeBytes(text) for text in texts],
        types=(RWKV,),
        package="rwkv",
        take_text=bytes,
    ),
    Peer("llama.cpp", "xllamacpp", GGUF, _llama_cpp, ids=ARRAY, package="xllamacpp"),
    Peer(
        "snaptokens",
        "snaptokens",
        JSON,
        "Tokenizer.from_json_str",
        **AS_OBJECT,
        types=(BPE,),
        parse=_parsing(**NO_SPECIAL),
    ),
    Peer(
        "splintr-rs",
        "splintr",
        JSON,
        lambda module, source: module.from_json_bytes(source.encode()),
        "encode_raw",
        batch="encode_batch",
        parse=_parsing("encode_raw"),
    ),
    Peer(
        "tuetoken",
        "tuetoken",
        JSON,
        _from_file("Tokenizer"),
        "encode_ordinary",
        batch="encode_ordinary_batch",
        types=(BPE, SPM),
    ),
    Peer(
        "quicktok-v1",
        "quicktok",
        JSON_OR_TEKKEN,
        _quicktok,
        "encode_ordinary",
        "decode_bytes",
        batch=_quicktok_batch,
        parse=_parsing("encode_with_special"),
        types=(BPE,),
    ),
    Peer(
        "tokie",
        "tokie",
        JSON,
        _from_file("Tokenizer.from_json"),
        decode="decode_bytes",
        **AS_OBJECT,
        parse=_parsing(**NO_SPECIAL),
    ),
    Peer(
        "fastokens",
        "fastokens",
        JSON,
        "Tokenizer.from_json_str",
        batch="encode_batch",
        options={**NO_SPECIAL, "split_special_tokens": True},
        parse=_parsing(**NO_SPECIAL),
        ids=OBJECT,
        types=(BPE, SPM),
    ),
    Peer(
        "riptoken",
        "riptoken",
        RANKS,
        lambda module, source: module.CoreBPE(source.ranks, dict(source.special), source.pattern),
        parse=lambda library, special: partial(library.encode, allowed_special=set(special)),
        **ORDINARY,
        types=(BPE,),
    ),
    Peer(
        "kitoken",
        "kitoken",
        JSON_OR_PIECES,
        _kitoken,
        batch="encode_all",
        options={"encode_specials": False},
        parse=_parsing(encode_specials=True),
        types=(BPE, SPM, UGM, WPM),
    ),
    Peer(
        "bpe-openai",
        "bpe_openai",
        OPENAI_NAME,
        lambda module, name: module.get_encoding(name or USUAL),
        **ORDINARY,
        threads="num_threads",
    ),
    Peer(
        "iree-tokenizer",
        "iree.tokenizer",
        JSON,
        "Tokenizer.from_str",
        "encode_to_array",
        batch=_iree_batch,
        parse=_parsing("encode_to_array"),
        ids=ARRAY,
    ),
    Peer("wordchipper", "wordchipper", OPENAI_RANKS, _wordchipper),
    Peer("budtiktok", "budtiktok", JSON, "Tokenizer.from_str", **AS_OBJECT),
    Peer(
        "mistral-common",
        "mistral_common.tokens.tokenizers.tekken",
        TEKKEN,
        "Tekkenizer.from_file",
        options={"bos": False, "eos": False},
    ),
    Peer(
        "transformers",
        "transformers",
        JSON_OR_FOLDER,
        _transformers,
        environment={"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"},
    ),
)
PEERS: dict[str, Peer] = {peer.name: peer for peer in _ROWS}
"""To add a library, add one row: its name, the module to import, the form of its sources, how to open one,
and the methods for encoding, decoding and batches; `Peer` documents each field.  If the name of a method is
not enough, use a function."""


def reason_against(name: str, vocabulary: Vocabulary | None) -> str:
    """Why a library cannot take part, "" if there is no known reason."""
    peer = PEERS[name]
    if not peer.is_installed:
        return peer.how_to_install
    try:
        if vocabulary is not None:
            peer.check_all(vocabulary)
    except UnavailableError as error:
        return str(error)
    return ""


def version_of(name: str) -> str:
    """The version of a library, "" if it is not installed, or not as a package."""
    try:
        return PEERS[name].version if PEERS[name].is_installed else ""
    except UnavailableError:
        return ""


def ids_form(name: str) -> str:
    """A sentence about what a library returns; anything but an array is converted outside of the timing."""
    ids = PEERS[name].ids
    return f"It returns {ids}{'' if ids == 'an array' else ', which is read outside of the timing'}."


def peer_source(name: str, tokenizer: Tokenizer, is_split: bool = True) -> Any:
    """The source of a library; raises UnavailableError if it is missing or cannot use the vocabulary."""
    peer = PEERS[name]
    if not peer.is_installed:
        raise UnavailableError(peer.how_to_install)
    if is_split:
        peer.check_all(tokenizer.vocabulary)
        read_file = peer.file_source(tokenizer.vocabulary)
        return peer.takes.write(tokenizer) if read_file is None else read_file()
    peer.check(tokenizer.vocabulary)
    if peer.unsplit is None:
        raise UnavailableError(f"{name} always splits texts before it merges.")
    return peer.unsplit(tokenizer)


def listing(tokenizer: Tokenizer, own: Iterable[CustomContender] = ()) -> Iterator[str]:
    """All contenders for a model, with reasons against them, as lines for a terminal."""
    rows = [HEAD]
    rows += [
        (name, "", "an object with arrays", f"ours, {each.complexity}")
        for name, each in tokenizer.encoders.items()
    ]
    for name, peer in PEERS.items():
        reason, usual = reason_against(name, tokenizer.vocabulary), peer.takes.usual
        if not reason and usual and not peer.takes.write(tokenizer):
            reason = f"with {usual} of its own instead of this vocabulary"
        rows.append((name, version_of(name) or NONE, peer.ids, reason))
    rows += [(each.name, "", each.kind, each.shown) for each in own]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        cells = (f"{cell:{width}}" for cell, width in zip(row, widths, strict=False))
        yield printable("  ".join((*cells, row[3])).rstrip())
    yield f"\n{NOTE}"
