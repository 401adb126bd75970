"""The libraries of the field, each with the same tokenizer: whose ids are right, and on what they are not."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from conftest import CORPORA, SHARED, VOCABS

from guiapp import open_model
from guiapp.analysis.libraries.contender import Contender, UnavailableError
from guiapp.analysis.libraries.table import PEERS, peer_source, reason_against
from guiapp.analysis.libraries.written_models import CL100K, name_of
from guiapp.core.encode.tokenizer import Tokenizer

pytestmark = [pytest.mark.real_vocabs, pytest.mark.slow]
MODELS = {
    "gpt-2": VOCABS / "ggml-vocab-gpt-2.gguf",
    "llama-bpe": VOCABS / "ggml-vocab-llama-bpe.gguf",
    "llama-spm": VOCABS / "ggml-vocab-llama-spm.gguf",
    "cl100k": SHARED / "formats" / "cl100k_base.tiktoken",
    "tekken": SHARED / "formats" / "tekken_240718.json",
    "deepseek-v4": SHARED / "formats" / "deepseek-v4.tokenizer.json",
}
FIELD = tuple(name for name in PEERS if name not in ("llama.cpp", "rwkv-package", "sentencepiece"))
WRONG = {  # shortest texts of our corpora and llama.cpp's vectors on which ids differ
    ("iree-tokenizer", "gpt-2"): "ែពិសេសអាចខល",
    ("iree-tokenizer", "llama-bpe"): "````",
    ("iree-tokenizer", "llama-spm"): "!!!!!",
    ("iree-tokenizer", "cl100k"): "````",
    ("iree-tokenizer", "tekken"): "!!!!",
    ("iree-tokenizer", "deepseek-v4"): "がいい",
    ("budtiktok", "gpt-2"): "\n\n\n🚀",
    ("budtiktok", "llama-bpe"): "3333",
    ("budtiktok", "llama-spm"): " ",
    ("budtiktok", "cl100k"): "3333",
    ("budtiktok", "tekken"): " ½",
    ("budtiktok", "deepseek-v4"): "3333",
    ("tokie", "tekken"): "t'st",
    ("splintr-rs", "llama-spm"): "",
    ("quicktok-v1", "llama-bpe"): "着しない",
}
CORPUS_BYTES = 30_000
TAKES_ALL = "tokenizers"


@cache
def opened(model: str) -> Tokenizer:
    return open_model(MODELS[model])


@cache
def texts(model: str) -> list[bytes]:
    """llama.cpp's vectors, of another vocabulary where there are none, and beginnings of our corpora."""
    vectors = Path(f"{MODELS[model]}.inp")
    if not vectors.exists():
        vectors = Path(f"{MODELS['llama-bpe']}.inp")
    listed = [text.encode() for text in vectors.read_text("utf-8").split("\n__ggml_vocab_test__\n")]
    begun = [path.read_bytes()[:CORPUS_BYTES] for path in sorted(CORPORA.iterdir())]
    return [*listed, *(text.decode("utf-8", "ignore").encode() for text in begun)]


def ids_of(contender: Contender, text: bytes) -> list[int]:
    return contender.tokens(contender.encode(contender.take_text(text))).ids.tolist()


@cache
def our_ids(model: str, text: bytes) -> list[int]:
    return opened(model).encode(text, add_special=False, parse_special=False).token_ids.tolist()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # some leave files open
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")  # of what they call
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", FIELD)
def test_each_of_the_field_gives_our_ids_or_is_known_to_be_wrong(name, model):
    peer = PEERS[name]
    if not peer.is_installed:
        pytest.skip(peer.how_to_install)
    if reason := reason_against(name, opened(model).vocabulary):
        assert name != TAKES_ALL
        pytest.skip(reason)
    try:
        contender = peer.open(peer_source(name, opened(model)))
    except UnavailableError as error:
        assert name != TAKES_ALL
        pytest.skip(str(error))
    if contender.other_vocabulary:
        assert name_of(opened(model).vocabulary) == ""
        pytest.skip(f"{name} brings {contender.other_vocabulary}.")
    if (name, model) in WRONG:
        text = WRONG[name, model].encode()
        assert ids_of(contender, text) != our_ids(model, text)
        return
    for text in texts(model):
        assert ids_of(contender, text) == our_ids(model, text)
    if contender.encode_batch is not None:
        some = texts(model)[:20]
        rows = contender.encode_batch([contender.take_text(text) for text in some], 2)
        row_tokens = contender.row_tokens or contender.tokens
        assert [row_tokens(row).ids.tolist() for row in rows] == [our_ids(model, text) for text in some]


def test_tokenizers_reads_gemma_as_we_write_it():
    pytest.importorskip("tokenizers")
    tokenizer = open_model(VOCABS / "ggml-vocab-gemma-4.gguf")
    contender = PEERS["tokenizers"].open(peer_source("tokenizers", tokenizer))
    for text in texts("llama-bpe"):
        assert ids_of(contender, text) == tokenizer.encode(text, False, False).token_ids.tolist()


def test_openai_s_vocabularies_are_known_by_their_ranks():
    assert {model: name_of(opened(model).vocabulary) for model in MODELS} == {
        **dict.fromkeys(MODELS, ""),
        "cl100k": CL100K,
    }
