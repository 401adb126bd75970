"""Other people's tokenizers as contenders, each with the very vocabulary that is loaded where it can be."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import numpy as np

from guiapp.core.bench import peer_models
from guiapp.core.bench.contenders import Contender, UnavailableError, as_str, ids_only, on_threads
from guiapp.core.bench.llama_library import LlamaLibraryError, LlamaVocabulary
from guiapp.core.bench.sentencepiece_model import sentencepiece_model
from guiapp.core.formats import clip, vocab_json, vocab_txt
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.vocab.attributes import Attribute
from guiapp.core.vocab.piece_rules import SENTENCEPIECE
from guiapp.core.vocab.quoting import quoted
from guiapp.core.vocab.vocabulary import LLAMA_CPP, VocabType, Vocabulary

UNSUPPORTED = re.compile(r"Unsupported (.+?)(?: type)?(?: for SentencePiece tokenizers)?: (.+?)(?: \(.*\))?$")
LONGEST_REASON = 150


def _take_any(vocabulary: Vocabulary) -> None:
    """Nothing is against it."""


@dataclass(frozen=True)
class Peer:
    """A tokenizer library.

    module   what is imported
    package  what is installed
    check    raises UnavailableError where no such source can be made of a vocabulary; soon done
    source   a vocabulary that it can take, in a form that it reads
    build    the contender from that, as often as a fresh one is wanted
    unsplit  the source of one that takes a text as one piece; None where the library cannot
    files    the formats that it reads, if need be as a tokenizer.json that says the same, and how such files
             become a source
    refuse   raises UnavailableError for what the library cannot take, not even in a file that it reads
    """

    name: str
    module: str
    package: str
    check: Callable[[Vocabulary], None]
    source: Callable[[Tokenizer], Any]
    build: Callable[[Any], Contender]
    unsplit: Callable[[Tokenizer], Any] | None = None
    files: Mapping[str, Callable[[Path], Any]] = field(default_factory=dict)
    refuse: Callable[[Vocabulary], None] = _take_any

    def check_all(self, vocabulary: Vocabulary) -> None:
        """Raises UnavailableError where neither its file nor what can be made of a vocabulary is taken."""
        self.refuse(vocabulary)
        if self.file_source(vocabulary) is None:
            self.check(vocabulary)

    def file_source(self, vocabulary: Vocabulary) -> Callable[[], Any] | None:
        """What makes a source of the very file that was opened, where the library reads such files."""
        read, path = self.files.get(vocabulary.format), vocabulary.path
        return None if read is None or path is None or vocabulary.chosen_pre else partial(read, path)

    @property
    def is_installed(self) -> bool:
        return find_spec(self.module) is not None

    @property
    def version(self) -> str:
        """The installed version; raises UnavailableError with the way to get it where there is none."""
        try:
            return version(self.package)
        except PackageNotFoundError as error:
            raise UnavailableError(self.how_to_install) from error

    @property
    def how_to_install(self) -> str:
        return f"{self.name} is not installed. Install it with: pip install {self.package}"


def reason_against(name: str, vocabulary: Vocabulary | None) -> str:
    """Why a peer cannot take part, "" where nothing is known against it."""
    peer = PEERS[name]
    if not peer.is_installed:
        return peer.how_to_install
    try:
        if vocabulary is not None:
            peer.check_all(vocabulary)
    except UnavailableError as error:
        return str(error)
    return ""


def peer_source(name: str, tokenizer: Tokenizer, is_split: bool = True) -> Any:
    """What a peer is built from; UnavailableError where it is missing or cannot take the vocabulary."""
    peer = PEERS[name]
    if not peer.is_installed:
        raise UnavailableError(peer.how_to_install)
    if is_split:
        peer.check_all(tokenizer.vocabulary)
        read_file = peer.file_source(tokenizer.vocabulary)
        return peer.source(tokenizer) if read_file is None else read_file()
    peer.check(tokenizer.vocabulary)
    if peer.unsplit is None:
        raise UnavailableError(f"{name} always splits texts before it merges.")
    return peer.unsplit(tokenizer)


def _check_tiktoken(vocabulary: Vocabulary) -> None:
    _need(vocabulary, "tiktoken", VocabType.BPE)
    peer_models.check_ranks(vocabulary)


def _tiktoken_source(tokenizer: Tokenizer) -> tuple[str, dict[bytes, int]]:
    vocabulary = tokenizer.vocabulary
    return peer_models.single_pattern(vocabulary, "tiktoken"), peer_models.ranks_of_bytes(vocabulary)


def _tiktoken(source: tuple[str, dict[bytes, int]]) -> Contender:
    pattern, ranks = source
    encoding = import_module("tiktoken").Encoding(
        "loaded", pat_str=pattern, mergeable_ranks=ranks, special_tokens={}
    )
    return Contender(
        encoding.encode_ordinary,
        as_str,
        ids_only,
        encoding.decode_bytes,
        encode_batch=lambda texts, n_threads: encoding.encode_ordinary_batch(texts, num_threads=n_threads),
    )


def _tokenizers(source: str) -> Contender:
    library = import_module("tokenizers").Tokenizer.from_str(source)
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
        lambda encoding: ids_only(encoding.ids),
        partial(library.decode, skip_special_tokens=False),
        encode_batch=lambda texts, _: library.encode_batch(texts, add_special_tokens=False),
        encode_special=encode_special if library.get_added_tokens_decoder() else None,
    )


def _check_sentencepiece(vocabulary: Vocabulary) -> None:
    _need(vocabulary, "sentencepiece", VocabType.SPM, VocabType.UGM)
    if vocabulary.parts is not None:
        raise UnavailableError("sentencepiece knows nothing of the parts that tokenizer.json names.")


def _sentencepiece_source(tokenizer: Tokenizer) -> bytes:
    """The very file where it is a model."""
    vocabulary = tokenizer.vocabulary
    if vocabulary.model == SENTENCEPIECE and vocabulary.path is not None:
        return vocabulary.path.read_bytes()
    return sentencepiece_model(vocabulary)


def _sentencepiece(source: bytes) -> Contender:
    processor = import_module("sentencepiece").SentencePieceProcessor(model_proto=source)
    return Contender(
        processor.encode,
        as_str,
        ids_only,
        processor.decode,
        encode_batch=lambda texts, n_threads: processor.encode(texts, num_threads=n_threads),
    )


def _refuse_for_gigatoken(vocabulary: Vocabulary) -> None:
    _need(vocabulary, "gigatoken", VocabType.BPE, VocabType.SPM)
    if (pieces := vocabulary.pieces) is not None and not (pieces.merges and pieces.has_byte_fallback):
        raise UnavailableError(
            "gigatoken takes models of SentencePiece only if they merge and fall back to bytes."
        )


def _gigatoken_source(tokenizer: Tokenizer) -> str | bytes:
    if tokenizer.vocabulary.type is VocabType.SPM:
        return _sentencepiece_source(tokenizer)
    return peer_models.hugging_face_json(tokenizer)


def _gigatoken(source: str | bytes) -> Contender:
    load = import_module("gigatoken").Tokenizer
    try:
        library = load.from_json(source) if isinstance(source, str) else load.from_sentencepiece(source)
    except RuntimeError as error:
        raise UnavailableError(_refusal_of_gigatoken(str(error))) from error
    return Contender(
        library.encode,
        _well_formed,
        ids_only,
        library.decode,
        lambda ids: ids.astype(np.uint32),
        lambda texts, n_threads: library.encode_batch(texts, parallel=n_threads > 1),
    )


def _refusal_of_gigatoken(told: str) -> str:
    """A sentence of what it tells, whose first line names a part and the others places in its source."""
    reason = told.partition("\n")[0]
    if part := UNSUPPORTED.match(reason):
        kind, name = part[1].replace("_", "-"), quoted(part[2], LONGEST_REASON)
        return f"gigatoken has no {kind} “{name}”, which this file asks for."
    return f"gigatoken cannot read this file: {quoted(reason, LONGEST_REASON).rstrip('.')}."


def _rs_bpe(source: None) -> Contender:
    """The package offers OpenAI's two vocabularies only."""
    openai = import_module("rs_bpe.bpe").openai
    library = openai.o200k_base()

    def encode_batch(texts: list[str], n_threads: int) -> Iterable[Any]:
        if n_threads == 1:
            ids, *_ = library.encode_batch(texts)
        else:
            ids, *_ = library.encode_batch_parallel(texts, openai.ParallelOptions(1, 0, n_threads))
        return cast(Iterable[Any], ids)

    return Contender(
        library.encode,
        as_str,
        ids_only,
        library.decode,
        encode_batch=encode_batch,
        other_vocabulary="o200k_base",
    )


def _check_rwkv(vocabulary: Vocabulary) -> None:
    _need(vocabulary, "rwkv-package", VocabType.RWKV)


def _rwkv_source(tokenizer: Tokenizer) -> str:
    """Its rows as we write them: what a line of such a file says is run as Python there."""
    vocabulary = tokenizer.vocabulary
    rows = ((token, vocabulary.token_bytes(token)) for token in range(len(vocabulary)))
    is_text = vocabulary.attributes & Attribute.NORMAL > 0
    return "".join(f"{token} {text!r} {len(text)}\n" for token, text in rows if is_text[token] and text)


def _rwkv(source: str) -> Contender:
    with TemporaryDirectory() as folder:
        path = Path(folder, "vocabulary.txt")
        path.write_text(source, "utf-8")
        library = import_module("rwkv.rwkv_tokenizer").TRIE_TOKENIZER(str(path))
    return Contender(
        library.encodeBytes,
        bytes,
        ids_only,
        library.decodeBytes,
        encode_batch=lambda texts, _: [library.encodeBytes(text) for text in texts],
    )


def _check_llama_cpp(vocabulary: Vocabulary) -> None:
    if vocabulary.path is None:
        raise UnavailableError("llama.cpp reads model files only, and this vocabulary has none.")
    if vocabulary.library != LLAMA_CPP:
        raise UnavailableError(f"llama.cpp reads GGUF files only, and this one is for {vocabulary.library}.")
    if vocabulary.chosen_pre:
        raise UnavailableError(
            f"llama.cpp splits text as the file asks, not as “{vocabulary.chosen_pre}”, chosen by hand."
        )


def _llama_cpp_source(tokenizer: Tokenizer) -> Path | None:
    return tokenizer.vocabulary.path


def _llama_cpp(source: Path) -> Contender:
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
    )


def _well_formed(text: bytes) -> bytes:
    """Gigatoken's batches crash on bytes that are not UTF-8."""
    return as_str(text).encode()


def _need(vocabulary: Vocabulary, peer: str, *types: VocabType) -> None:
    if vocabulary.type not in types:
        names = " and ".join(each.value for each in types)
        raise UnavailableError(f"{peer} has no {vocabulary.type.value} vocabularies; it takes {names} only.")


READS_JSON = {"tokenizer.json": partial(Path.read_text, encoding="utf-8")}
READS_PIECES = {"SentencePiece": Path.read_bytes}
READS_TOKENS = {
    "vocab.txt": partial(peer_models.document_json, vocab_txt.document),
    "vocab.json and merges.txt": partial(peer_models.document_json, vocab_json.document),
    "CLIP's merges": partial(peer_models.document_json, clip.document),
}
PEERS: dict[str, Peer] = {
    peer.name: peer
    for peer in (
        Peer("tiktoken", "tiktoken", "tiktoken", _check_tiktoken, _tiktoken_source, _tiktoken),
        Peer(
            "tokenizers",
            "tokenizers",
            "tokenizers",
            peer_models.check_hugging_face,
            peer_models.hugging_face_json,
            _tokenizers,
            peer_models.unsplit_hugging_face_json,
            {**READS_JSON, **READS_TOKENS},
        ),
        Peer(
            "sentencepiece",
            "sentencepiece",
            "sentencepiece",
            _check_sentencepiece,
            _sentencepiece_source,
            _sentencepiece,
            files=READS_PIECES,
        ),
        Peer(
            "gigatoken",
            "gigatoken",
            "gigatoken",
            peer_models.check_hugging_face,
            _gigatoken_source,
            _gigatoken,
            files={**READS_JSON, **READS_PIECES},
            refuse=_refuse_for_gigatoken,
        ),
        Peer("rs-bpe", "rs_bpe", "rs-bpe", _take_any, lambda tokenizer: None, _rs_bpe),
        Peer("rwkv-package", "rwkv", "rwkv", _check_rwkv, _rwkv_source, _rwkv),
        Peer("llama.cpp", "xllamacpp", "xllamacpp", _check_llama_cpp, _llama_cpp_source, _llama_cpp),
    )
}
