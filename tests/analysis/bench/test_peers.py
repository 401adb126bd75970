"""How other libraries are called, what they say no to, and that their ids are ours."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import CORPORA, SHARED, VOCABS
from format_samples import READ_IN_TWO_WAYS, SAMPLES
from model_files import opened
from pair_vocabularies import byte_level
from piece_models import trained
from token_lists import model_of, write_vocab_json, write_vocab_txt

from guiapp import open_model
from guiapp.analysis.bench.operations import BATCH, encode_all
from guiapp.analysis.bench.worker import WorkerProcess
from guiapp.analysis.libraries import llama_library
from guiapp.analysis.libraries.contender import UnavailableError, as_split, our_contender
from guiapp.analysis.libraries.llama_library import LlamaLibraryError, LlamaVocabulary
from guiapp.analysis.libraries.table import PEERS, peer_source, reason_against
from guiapp.core.demo import sample_text
from guiapp.core.encode.catalogue import ALGORITHMS
from guiapp.core.vocabulary.vocabulary import VocabType

pytestmark = pytest.mark.slow


TEXTS = [sample_text(name) for name in ("english", "languages", "code")]
TAKES = [
    ("tiktoken", "demo:bpe"),
    ("tokenizers", "demo:bpe"),
    ("tokenizers", "demo:spm"),
    ("tokenizers", "demo:wordpiece"),
    ("tokenizers", "demo:unigram"),
    ("sentencepiece", "demo:spm"),
    ("sentencepiece", "demo:unigram"),
    ("gigatoken", "demo:bpe"),
    ("gigatoken", "demo:spm"),
    ("llama.cpp", "demo:bpe"),
    ("llama.cpp", "demo:spm"),
    ("llama.cpp", "demo:wordpiece"),
    ("llama.cpp", "demo:unigram"),
    ("llama.cpp", "demo:rwkv"),
    ("rwkv-package", "demo:rwkv"),
]
TOKEN_FILES = ("vocab.txt", "vocab.json and merges.txt", "CLIP's merges")
ONE_VOCABULARY_A_PROCESS = ("rs-bpe",)  # its batches on threads keep to the first that was opened
OWN_FILES_ONLY = ("mistral-common", "quicktok-v1", "wordchipper")  # or patterns that it knows
BYTE_PAIR_PEERS = ("tiktoken", "tokenizers", "gigatoken", "llama.cpp")


def contender(name: str, tokenizer):
    pytest.importorskip(PEERS[name].module)
    return PEERS[name].open(peer_source(name, tokenizer))


@pytest.mark.parametrize(("name", "model"), TAKES)
def test_a_peer_built_from_our_vocabulary_gives_our_ids(name, model):
    tokenizer = opened(model)
    peer, ours = contender(name, tokenizer), our_contender(tokenizer, next(iter(tokenizer.encoders)))
    for text in TEXTS[:1] if model == "demo:wordpiece" else TEXTS:  # Bert's normalisers differ abroad
        assert encode_all(peer, [text]).ids.tolist() == encode_all(ours, [text]).ids.tolist()


@pytest.mark.parametrize("is_split", [True, False])
@pytest.mark.parametrize("name", ["fast", *BYTE_PAIR_PEERS, "transformers", "sentencepiece"])
def test_a_peer_that_can_parses_special_tokens_where_the_scenario_asks_for_that_alone(name, is_split):
    tokenizer = opened("demo:bpe")
    special = tokenizer.special_tokens.names
    text = sample_text("chat").replace(b"think>", b"").replace(b"tool_call>", b"")  # which are parsed always
    if name == "fast":
        peer = our_contender(as_split(tokenizer, is_split), name)
    elif not is_split and PEERS[name].unsplit is None:
        pytest.skip("it always splits")
    elif name == "sentencepiece":
        peer = contender(name, opened("demo:spm"))
        with pytest.raises(UnavailableError, match="does not parse special tokens"):
            peer.parsing(special)
        return
    else:
        pytest.importorskip(PEERS[name].module)
        peer = PEERS[name].open(peer_source(name, tokenizer, is_split))
    ours = as_split(tokenizer, is_split)
    for parses, each in ((False, peer), (True, peer.parsing(special)), (False, peer)):
        expected = ours.encode(text, add_special=False, parse_special=parses).token_ids.tolist()
        assert encode_all(each, [text]).ids.tolist() == expected
    assert set(special.values()) & set(tokenizer.encode(text, False, True).token_ids.tolist())


@pytest.mark.real_vocabs
@pytest.mark.parametrize("file", ["cl100k_base.tiktoken", "tekken_240718.json"])
def test_tiktoken_has_the_ranks_and_the_pattern_of_a_file(file):
    tokenizer = opened(SHARED / "formats" / file)
    text = b"".join(TEXTS)
    actual = encode_all(contender("tiktoken", tokenizer), [text]).ids
    assert actual.tolist() == tokenizer.encode(text, add_special=False).token_ids.tolist()
    assert reason_against("llama.cpp", tokenizer.vocabulary) == (
        "llama.cpp only reads GGUF files, and this one is for tiktoken."
    )


@pytest.mark.parametrize(
    ("model", "library", "format_name"),
    [
        ("demo:bpe", "tokenizers", "tokenizer.json"),
        ("demo:unigram", "sentencepiece", "SentencePiece"),
    ],
)
def test_a_library_reads_the_very_file_that_is_its_own(tmp_path, model, library, format_name):
    tokenizer = open_model(model)
    pytest.importorskip(library)
    source = peer_source(library, tokenizer)
    path = tmp_path / "file"
    path.write_bytes(source if isinstance(source, bytes) else source.encode())
    own = open_model(model)
    own.vocabulary = replace(tokenizer.vocabulary, format=format_name, path=path, type=VocabType.TEST)
    ours = our_contender(tokenizer, next(iter(tokenizer.encoders)))
    assert reason_against(library, own.vocabulary) == ""
    assert encode_all(contender(library, own), TEXTS).ids.tolist() == encode_all(ours, TEXTS).ids.tolist()
    assert "no TEST vocabularies" in reason_against("tiktoken", own.vocabulary)


@pytest.mark.parametrize(
    ("kind", "has_bytes", "message"),
    [
        ("bpe", True, ""),
        ("bpe", False, "of the type BPE with byte fallback"),
        ("char", False, "of the type BPE with byte fallback"),
        ("unigram", True, "gigatoken has no UGM vocabularies"),
    ],
)
def test_gigatoken_is_offered_for_those_of_sentencepieces_files_that_it_takes(
    tmp_path, kind, has_bytes, message
):
    path = tmp_path / "spiece.model"
    path.write_bytes(trained(model_type=kind, byte_fallback=has_bytes))
    tokenizer = open_model(path)
    reason = reason_against("gigatoken", tokenizer.vocabulary)
    assert message in reason
    assert bool(message) == bool(reason)
    load = pytest.importorskip("gigatoken").Tokenizer.from_sentencepiece
    with pytest.raises(ValueError, match="models are supported") if message else nullcontext():
        load(path.read_bytes())
    with pytest.raises(UnavailableError, match=message) if message else nullcontext():
        contender("gigatoken", tokenizer)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"normalizer": {"type": "NFKC"}}, "has no normalizer “NFKC”, which this file needs"),
        (
            {"pre_tokenizer": {"type": "WhitespaceSplit"}},
            "has no pre-tokenizer “WhitespaceSplit”, which this",
        ),
        ({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}}, "cannot read this file: .*byte 0x00"),
    ],
)
def test_gigatoken_names_the_unsupported_part_in_a_sentence(changed, message):
    pytest.importorskip("gigatoken")
    source = json.loads(peer_source("tokenizers", open_model("demo:bpe"))) | changed
    with pytest.raises(UnavailableError, match=f"^gigatoken {message}[^\n]*\\.$"):
        PEERS["gigatoken"].open(json.dumps(source))


@pytest.mark.real_vocabs
@pytest.mark.parametrize("name", BYTE_PAIR_PEERS)
def test_so_it_is_with_a_real_vocabulary(name):
    tokenizer = opened(VOCABS / "ggml-vocab-gpt-2.gguf")
    peer, ours = contender(name, tokenizer), our_contender(tokenizer, "fast")
    text = (CORPORA / "shakespeare.txt").read_bytes()[:20_000]
    assert encode_all(peer, [text]).ids.tolist() == encode_all(ours, [text]).ids.tolist()


@pytest.mark.parametrize("name", [name for name in PEERS if name not in OWN_FILES_ONLY])
def test_peers_decode_what_they_encode_and_take_batches(name):
    model = {"sentencepiece": "demo:spm", "rwkv-package": "demo:rwkv"}.get(name, "demo:bpe")
    tokenizer = opened(model)
    peer = contender(name, tokenizer)
    text = b"Hello, world! This is a small text."
    ids = encode_all(peer, [text]).ids
    decoded = peer.decode(peer.take_ids(ids))
    assert (decoded if isinstance(decoded, bytes) else decoded.encode()).strip() == text
    taken = [peer.take_text(text) for _ in range(5)]
    for threads in (1,) if name in ONE_VOCABULARY_A_PROCESS else (1, 2):
        rows = [peer.tokens(row).ids.tolist() for row in peer.encode_batch(taken, threads)]
        assert rows == [ids.tolist()] * 5


@pytest.mark.parametrize("name", ONE_VOCABULARY_A_PROCESS)
def test_batches_are_right_in_a_process_of_its_own(name):
    pytest.importorskip(PEERS[name].module)
    text = b"Hello, world! This is a small text."
    process = WorkerProcess("demo:bpe", name, 2, lambda: False)
    try:
        process.ask(60, "load")
        each, together = (process.ask(60, "prepare", does, (text,) * 5, 2) for does in ("encode each", BATCH))
    finally:
        process.end()
    assert each.ids.tolist() == together.ids.tolist()


def test_bytes_that_are_not_utf8_crash_no_peer():
    tokenizer = open_model("demo:bpe")
    for name in BYTE_PAIR_PEERS:
        peer = contender(name, tokenizer)
        encoded = list(peer.encode_batch([peer.take_text(b"a\xff\xe2\x82")] * 3, 2))
        assert len(encoded) == 3
        assert all(len(peer.tokens(each).ids) > 0 for each in encoded)


def test_a_vocabulary_of_its_own_is_marked():
    assert contender("rs-bpe", open_model("demo:bpe")).other_vocabulary == "o200k_base"


@pytest.mark.parametrize("name", PEERS)
def test_what_is_against_a_peer_is_known_without_building_it(name):
    pytest.importorskip(PEERS[name].module)
    for model in ("bpe", "spm", "wordpiece", "unigram", "rwkv"):
        tokenizer = open_model(f"demo:{model}")
        if reason := reason_against(name, tokenizer.vocabulary):
            with pytest.raises(UnavailableError, match=re.escape(reason)):
                peer_source(name, tokenizer)
        else:
            peer_source(name, tokenizer)
    assert reason_against(name, None) == ""


def test_no_peer_has_the_name_of_an_encoder():
    assert not PEERS.keys() & ALGORITHMS.keys()


@pytest.mark.parametrize(
    "sample", [each for each in SAMPLES if not each.is_silent], ids=lambda sample: sample.format
)
def test_the_library_of_each_format_gives_our_ids_for_the_very_file(tmp_path, sample):
    path = tmp_path / sample.name
    sample.write(path)
    tokenizer = open_model(path)
    is_rwkv = sample.format == "RWKV vocabulary"
    peer = contender("rwkv-package" if is_rwkv else tokenizer.vocabulary.library, tokenizer)
    ours = our_contender(tokenizer, next(iter(tokenizer.encoders)))
    text = sample.text * 3
    assert encode_all(peer, [text]).ids.tolist() == encode_all(ours, [text]).ids.tolist()


@pytest.mark.parametrize("name", ["tokenizers", "sentencepiece"])
@pytest.mark.parametrize(
    "sample", [each for each in SAMPLES if not each.is_silent], ids=lambda each: each.format
)
def test_a_library_is_given_only_files_that_it_reads(tmp_path, name, sample):
    pytest.importorskip(PEERS[name].module)
    path = tmp_path / sample.name
    sample.write(path)
    tokenizer = open_model(path)
    if reason_against(name, tokenizer.vocabulary):
        with pytest.raises(UnavailableError):
            peer_source(name, tokenizer)
        assert not (name == "tokenizers" and sample.format in TOKEN_FILES)
    else:
        actual = encode_all(contender(name, tokenizer), [sample.text]).ids
        assert actual.tolist() == tokenizer.encode(sample.text, add_special=False).token_ids.tolist()


@pytest.mark.real_vocabs
@pytest.mark.parametrize("format_name", TOKEN_FILES)
def test_tokenizers_gives_the_same_ids_for_token_list_files(tmp_path, format_name):
    if format_name == "CLIP's merges":
        path = SHARED / "formats" / "bpe_simple_vocab_16e6.txt.gz"
    elif format_name == "vocab.txt":
        path = write_vocab_txt(tmp_path, model_of(open_model(VOCABS / "ggml-vocab-bert-bge.gguf"))["vocab"])
    else:
        model = model_of(opened(VOCABS / "ggml-vocab-gpt-2.gguf"))
        path = write_vocab_json(tmp_path, model, config={"model_type": "gpt2"})
    tokenizer = open_model(path)
    assert tokenizer.vocabulary.format == format_name
    peer, ours = contender("tokenizers", tokenizer), our_contender(tokenizer, next(iter(tokenizer.encoders)))
    for text in (*TEXTS, " <|endoftext|> [CLS] É\u0301 中\n".encode()):
        assert encode_all(peer, [text]).ids.tolist() == encode_all(ours, [text]).ids.tolist()


def test_a_token_list_damaged_after_loading_is_reported(tmp_path):
    path = write_vocab_txt(tmp_path, {text: row for row, text in enumerate(("[UNK]", "[CLS]", "[SEP]"))})
    tokenizer = open_model(path)
    path.write_bytes(b"\xff")
    with pytest.raises(UnavailableError, match="is not UTF-8"):
        peer_source("tokenizers", tokenizer)


def test_a_file_read_differently_by_its_library_is_not_compared(tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(READ_IN_TWO_WAYS))
    assert reason_against("tokenizers", open_model(path).vocabulary) == ""
    assert "read differently" in reason_against("tokenizers", open_model(path, pre="llama-first").vocabulary)


def test_llama_cpp_reads_files_and_splits_as_they_ask():
    vocabulary = open_model("demo:bpe").vocabulary
    assert peer_source("llama.cpp", open_model("demo:bpe")) == vocabulary.path
    chosen = replace(vocabulary, chosen_pre="qwen2")
    assert reason_against("llama.cpp", chosen) == (
        "llama.cpp splits text as the file specifies, not as “qwen2”, chosen by hand."
    )
    assert reason_against("llama.cpp", byte_level(["a b"])) == (
        "llama.cpp only reads model files, and this vocabulary does not have one."
    )


def test_a_library_not_installed_names_its_install_command(monkeypatch):
    missing = replace(PEERS["rs-bpe"], module="no_such_module", package="no-such-package")
    assert PEERS["rs-bpe"].is_installed
    assert not missing.is_installed
    monkeypatch.setitem(PEERS, "rs-bpe", missing)
    message = f"rs-bpe is not installed. Install it with: {sys.executable} -m pip install no-such-package"
    assert reason_against("rs-bpe", None) == message
    with pytest.raises(UnavailableError) as caught:
        peer_source("rs-bpe", open_model("demo:bpe"))
    assert str(caught.value) == message
    with pytest.raises(UnavailableError) as caught:
        _ = missing.version
    assert str(caught.value) == message


@pytest.fixture(scope="module")
def llama():
    pytest.importorskip("xllamacpp")
    return LlamaVocabulary(open_model("demo:bpe").vocabulary.path)


def test_llama_cpp_neither_adds_nor_parses_special_tokens(llama):
    tokenizer = open_model("demo:bpe")
    for text in (b"", b"a", "<|begin_of_text|>汉 b".encode()):
        expected_result = tokenizer.encode(text, add_special=False, parse_special=False).token_ids
        assert llama.encode(text).tolist() == expected_result.tolist()


def test_llama_cpp_decodes_whatever_is_long_and_writes_special_tokens_out(llama):
    tokenizer = open_model("demo:bpe")
    vocabulary = tokenizer.vocabulary
    longest = max(range(len(vocabulary)), key=lambda token: len(vocabulary.token_bytes(token)))
    special = vocabulary.special_ids.bos
    for ids in ([], [longest], [longest] * 100, [special, longest], [longest, special]):
        expected_result = b"".join(
            vocabulary.token_bytes(token) or vocabulary.raw_text(token) for token in ids
        )
        assert llama.decode(np.array(ids, np.int32)) == expected_result


def test_a_file_that_llama_cpp_cannot_load_is_reported(tmp_path, llama):
    (tmp_path / "bad.gguf").write_bytes(b"GGUF")
    with pytest.raises(LlamaLibraryError, match=r"^llama\.cpp cannot load this file$"):
        LlamaVocabulary(tmp_path / "bad.gguf")
    with pytest.raises(
        UnavailableError, match=r"^llama.cpp cannot be used: llama.cpp cannot load this file\.$"
    ):
        PEERS["llama.cpp"].open(tmp_path / "bad.gguf")


def test_llama_cpp_prints_nothing(llama):
    path = open_model("demo:bpe").vocabulary.path
    code = f"from {llama_library.__name__} import *; LlamaVocabulary(Path({str(path)!r})).encode(b'a')"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


class FakeLlama:
    """Its parameters lie where they are put."""

    def __init__(self, n_gpu_layers, switches):
        raw = bytearray(llama_library.PARAMETER_BYTES)
        raw[16:20], raw[72:76] = n_gpu_layers.to_bytes(4, "little", signed=True), switches
        self.parameters = llama_library.Parameters.from_buffer(raw)
        self.log = []

    def llama_model_default_params(self):
        return self.parameters

    def llama_model_load_from_file(self, path, parameters):
        self.log.append((path, bytes(parameters.raw[72:76])))
        return 5


@pytest.mark.parametrize(
    ("n_gpu_layers", "switches"), [(0, b"\0\0\1\0"), (-1, b"\0\0\0\0"), (-1, b"\1\0\1\0")]
)
def test_parameters_that_lie_elsewhere_are_not_touched(n_gpu_layers, switches, monkeypatch):
    library = FakeLlama(n_gpu_layers, switches)
    monkeypatch.setattr(llama_library, "_library", lambda: library)
    with pytest.raises(LlamaLibraryError, match="another layout of parameters"):
        LlamaVocabulary(Path("model"))
    assert library.log == []
