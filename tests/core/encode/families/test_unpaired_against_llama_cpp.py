"""WPM, UGM, RWKV, PLAMO2 and TEST vocabularies give llama.cpp's ids; `random_texts.text_of` replays one."""

import random

import pytest
from conftest import VOCABS
from fuzzing import SEED, rounds
from gguf_builder import BYTE, NORMAL, UNKNOWN, write_vocab
from random_texts import random_texts
from unpaired_vocabularies import (
    ALPHABET,
    USER_DEFINED_TOKENS,
    write_plamo2,
    write_rwkv,
    write_test,
    write_unigram,
    write_wordpiece,
)

import guiapp
from guiapp.core.encode.reference.plamo2 import UNKNOWN_COST
from guiapp.core.formats.table import load_vocabulary

pytestmark = [pytest.mark.real_vocabs, pytest.mark.slow]


def compare(path, texts, each_readable=3):
    """Both twins against llama.cpp, text by text."""
    from llama_oracle import LlamaOracle

    oracle = LlamaOracle().load(str(path))
    tokenizer = guiapp.open_model(path)
    for index, text in enumerate(texts):
        expected = oracle.tokenize(text, add_special=False, parse_special=False)
        for encoder in tokenizer.exact_encoders:
            encoding = tokenizer.encode(text, False, False, encoder)
            assert encoding.token_ids.tolist() == expected, (SEED, index, encoder, text)
            if index % each_readable == 0:
                readable = tokenizer.encode_readable(text, False, False, encoder)
                assert readable.token_ids.tolist() == expected, (SEED, index, encoder, text)
                assert readable.spans.tolist() == encoding.spans.tolist(), (SEED, index, encoder, text)


def bits_of_tokens(vocabulary):
    """Texts of random tokens, to mix into random texts."""
    rng = random.Random(SEED)
    texts = (vocabulary.raw_text(rng.randrange(len(vocabulary))) for _ in range(3000))
    return [text.replace("▁".encode(), b" ") for text in texts]


ABOVE_UNICODE = [b"\xf4\x90\x80\x80", b"a \xf5\x80\x80\x80b\xf7\xbf\xbf\xbf"]


@pytest.mark.parametrize(("name", "more"), [("bert-bge", []), ("nomic-bert-moe", ABOVE_UNICODE)])
def test_real_vocabularies(name, more):
    path = VOCABS / f"ggml-vocab-{name}.gguf"
    texts = random_texts(SEED, 800, bits_of_tokens(load_vocabulary(path)))
    compare(path, [*more, *texts], each_readable=8)


def test_code_points_near_extension_e_match_llama_cpp_in_bert():
    texts = (f"a{chr(code)} 1 b{chr(code)}c".encode() for code in range(0x2B7F0, 0x2B950))
    compare(VOCABS / "ggml-vocab-bert-bge.gguf", texts)


@pytest.fixture(scope="module")
def real_charsmap():
    return load_vocabulary(VOCABS / "ggml-vocab-nomic-bert-moe.gguf").charsmap.tolist()


def hostile_texts(count):
    rng = random.Random(SEED)
    pieces = ["".join(rng.choices(ALPHABET, k=rng.randint(1, 6))) for _ in range(500)]
    pieces += [token[: rng.randint(1, len(token))] for token in USER_DEFINED_TOKENS for _ in range(40)]
    return random_texts(SEED, count, [piece.encode() for piece in pieces])


@rounds(usual=120, exhaustive=600)
@pytest.mark.parametrize("with_charsmap", [True, False])
@pytest.mark.parametrize("remove_extra_whitespaces", [True, False])
@pytest.mark.parametrize("add_space_prefix", [True, False])
def test_unigram(tmp_path, count, real_charsmap, add_space_prefix, remove_extra_whitespaces, with_charsmap):
    charsmap = real_charsmap if with_charsmap else None
    path = write_unigram(tmp_path / "u.gguf", SEED, add_space_prefix, remove_extra_whitespaces, charsmap)
    compare(path, hostile_texts(count))


@pytest.mark.parametrize("with_charsmap", [True, False])
def test_beginnings_of_user_defined_tokens(tmp_path, real_charsmap, with_charsmap):
    path = write_unigram(tmp_path / "u.gguf", SEED, False, True, real_charsmap if with_charsmap else None)
    beginnings = [token[:end] for token in USER_DEFINED_TOKENS for end in range(1, len(token) + 1)]
    ends = ["", "x", " ", "ﬁ", "Ａ", "\u0301", "\n"]
    compare(
        path, (f"{first}{end}{second}".encode() for first in beginnings for end in ends for second in "é<中")
    )


@rounds(usual=120, exhaustive=600)
@pytest.mark.parametrize("lowercase", [None, True, False])
@pytest.mark.parametrize("strip_accents", [None, True, False])
def test_wordpiece(tmp_path, count, lowercase, strip_accents):
    compare(write_wordpiece(tmp_path / "w.gguf", SEED, lowercase, strip_accents), hostile_texts(count))


@rounds(usual=250, exhaustive=1_500)
@pytest.mark.parametrize("write", [write_rwkv, write_plamo2])
def test_rwkv_and_plamo2(tmp_path, write, count):
    compare(write(tmp_path / "v.gguf", SEED), hostile_texts(count))


def test_plamo2_takes_a_token_of_that_score_for_an_unknown_character(tmp_path):
    path = write_plamo2(tmp_path / "p.gguf", SEED, more_scores=[UNKNOWN_COST / -1e4])
    compare(path, hostile_texts(600))


def test_plamo2_above_unicode(tmp_path):
    texts = [b"\xf4\x90\x80\x80", b"a\xf5\x80\x80\x80b", b"\xf7\xbf\xbf\xbf", b"\xef\xbb\xbf\xf4\x90\x80\x80"]
    compare(write_plamo2(tmp_path / "p.gguf", SEED), texts)


@pytest.mark.parametrize("model", ["plamo2", "rwkv", "test"])
def test_the_bos_and_eos_flags_of_a_file_match_llama_cpp(tmp_path, model):
    from llama_oracle import LlamaOracle

    tokens = ["<unk>", "a", "b", *(f"<0x{byte:02X}>" for byte in range(256))]
    types = [UNKNOWN, NORMAL, NORMAL, *[BYTE] * 256]
    keys = {"add_bos_token": True, "add_eos_token": True, "bos_token_id": 1, "eos_token_id": 2}
    path = write_vocab(tmp_path / "v.gguf", model=model, tokens=tokens, types=types, **keys)
    oracle, tokenizer = LlamaOracle().load(str(path)), guiapp.open_model(path)
    for text in ("", "ab"):
        assert tokenizer.encode(text).token_ids.tolist() == oracle.tokenize(text, add_special=True)


def test_hashes(tmp_path):
    compare(write_test(tmp_path / "t.gguf"), hostile_texts(300))
