"""Small model files, odd in one way each: llama.cpp's ids, or our own rule where it dies."""

from __future__ import annotations

import random
import time

import pytest
from deep_oracle import DeepOracle, assert_same_ids
from gguf_builder import BYTE, CONTROL, NORMAL, UNKNOWN, USER_DEFINED, Raw, write_vocab
from pair_vocabularies import BYTE_TOKENS, HEX_TOKENS
from random_texts import random_texts

import guiapp
from guiapp.core.text.charsmap import build_charsmap
from guiapp.errors import EncodeError

SEED = 20261121
SPM_TOKENS = ["<unk>", "<s>", "</s>", *HEX_TOKENS, "▁", "a", "b", "▁a", "ab", "▁▁", "é", "aa", "b▁"]
SPM_TYPES = [UNKNOWN, CONTROL, CONTROL, *[BYTE] * 256, *[NORMAL] * 9]
SPM_SCORES = [0.0] * 259 + [-9.0, -8.0, -7.0, -1.0, -1.0, -2.0, -3.0, -1.0, -1.5]


def bpe(**parts):
    return {"model": "gpt2", "pre": "gpt-2", "tokens": BYTE_TOKENS, "merges": ["a b"], **parts}


def spm(tokens=(), types=(), **parts):
    return {
        "tokens": [*SPM_TOKENS, *tokens],
        "types": [*SPM_TYPES, *types],
        "scores": SPM_SCORES + [0.0] * len(tokens),
        **parts,
    }


MADE = ["ab", "abc", "aba", "bab", "aabb", "Ġa", "ĠĠ", "Ã©"]
STRIPPED = ["<|user|>", "<|end|>", "<mask>", "<|endoftext|>", "<|a|>"]
DNA = ["<dna>", "</dna>", "<oov>", "ACGTAC\ue000", "AAAAAA\ue000", "TTTTAA\ue000", "ACGTAC", "<dn"]
MARKED = ["<|end|>\ue000", "aab\ue000", "<|end|>", "x y\ue000", "c\ue000\ue000"]

LIKE_LLAMA_CPP = {
    "66 odd merges": bpe(tokens=[*BYTE_TOKENS, "ab"], merges=["ab", "", " a", "a b", " ", "  b", "b  c"]),
    "66 no merges": bpe(merges=[]),
    "67 merges of unknown tokens": bpe(merges=["a b", "ab c", "x y", "a b c", "Ġ a", "Ġa b"]),
    "67 merges that skip tokens": bpe(
        tokens=[*BYTE_TOKENS, "abc", "aabb"], merges=["a b", "ab c", "a ab", "aab b"]),
    "68 cyclic merges": bpe(
        tokens=[*BYTE_TOKENS, *MADE], merges=["a b", "ab a", "b a", "a ba", "a b", "ba b", "b ab"]),
    "70 few byte tokens": bpe(tokens=["a", "b", "ab", "Ġ", "Ã", "©"], merges=["a b", "Ã ©"]),
    "whole words": bpe(pre="llama-bpe", tokens=[*BYTE_TOKENS, *MADE], merges=["a b"]),
    "BOS and EOS asked for": bpe(
        tokens=[*BYTE_TOKENS, "<s>", "</s>"], types=[*[NORMAL] * 256, CONTROL, CONTROL],
        bos_token_id=256, eos_token_id=257, add_bos_token=True, add_eos_token=True,
    ),
    "spm": spm(),
    "spm with BOS and EOS": spm(add_bos_token=True, add_eos_token=True),
    "spm without space prefix": spm(add_space_prefix=False, add_bos_token=False),
    "spm with all sorts of scores": spm(
        scores=[0.0] * 259 + [float("inf"), 1e38, -1e38, 1e-45, -1e-45, float("-inf"), 0.0, -0.0, 0.0]
    ),
    "spm with special tokens that overlap": spm(
        ["<|a|>", "<|a|><|b|>", "b|><|", "aaa", "aaaa", " a", "<s", "▁b"],
        [CONTROL, USER_DEFINED, USER_DEFINED, USER_DEFINED, CONTROL, USER_DEFINED, CONTROL, USER_DEFINED],
    ),
    "phi-3": spm(STRIPPED, [CONTROL, CONTROL, USER_DEFINED, CONTROL, USER_DEFINED], name="Phi-3 mini"),
    "nomic mask": spm(
        ["<mask>", "mask", "  "], [CONTROL, USER_DEFINED, USER_DEFINED], architecture="nomic-bert-moe"),
    "jina mask": bpe(
        tokens=[*BYTE_TOKENS, "<mask>", "k> "], types=[*[NORMAL] * 256, CONTROL, USER_DEFINED],
        pre="jina-v2-de",
    ),
    "modern-bert": bpe(
        tokens=[*BYTE_TOKENS, "[MASK]", "[SEP]"], types=[*[NORMAL] * 256, CONTROL, CONTROL],
        name="Modern-Bert base",
    ),
    "hybriddna": bpe(
        model="hybriddna", tokens=[*BYTE_TOKENS, "ab", *DNA], merges=["a b", "A C"],
        types=[*[NORMAL] * 257, USER_DEFINED, USER_DEFINED, *[NORMAL] * 6],
    ),
    "hybriddna, special tokens among the groups": bpe(
        model="hybriddna", tokens=[*BYTE_TOKENS, "ab", *DNA, *MARKED], merges=["a b"],
        types=[*[NORMAL] * 265, CONTROL, USER_DEFINED, CONTROL, UNKNOWN, USER_DEFINED],
    ),
    "hybriddna, marks in the text": bpe(model="hybriddna", tokens=[*BYTE_TOKENS, "ab", *DNA]),
    "hybriddna without DNA": bpe(model="hybriddna", tokens=[*BYTE_TOKENS, "ab"]),
    "white space": bpe(
        model="whitespace", pre="whitespace", tokens=["a", "b", "ab", "é", "中", "<", ">", *HEX_TOKENS],
        merges=["a b", "ab é"],
    ),
    "white space, lower case": bpe(
        model="whitespace", pre="whitespace", tokens=["a", "b", "ab", "é", "i", *HEX_TOKENS], merges=["a b"],
        keys={"tokenizer.ggml.normalizer.lowercase": True},
    ),
    "white space, split as other text": bpe(
        model="whitespace", pre="gpt-2", tokens=[*BYTE_TOKENS, "ab", "AB", "ba", "a<"],
        merges=["a b", "A B", "b a", "a <"],
    ),
    "white space, split as other text, cased": bpe(
        model="whitespace", pre="llama-bpe", tokens=[*BYTE_TOKENS, "ab", "aB", "ba", "a<"],
        merges=["a b", "a B", "b a", "a <"], keys={"tokenizer.ggml.normalizer.lowercase": False},
    ),
    "white space that is marked": bpe(
        model="whitespace", pre="sarvam-moe", tokens=["a", "b", "ab", "▁", "▁a", "b▁", *HEX_TOKENS],
        merges=["a b", "▁ a", "b ▁"],
    ),
}  # fmt: skip

PIECES = [
    "a", "b", "ab", "aab", "aaaa", " ", "  ", "\n", "\t", "é", "▁", "c", "x y", "1", "中", "<s>", "</s>",
    "<s", "<|a|>", "<|b|>", "<|a|><|b|>", "<mask>", "<|user|>", "<|end|>", "[MASK]", "[SEP]", "k> ", "mask",
    "<unk>", "<dna>", "</dna>", "ACGTAC", "acgtac", "ACGTNN", "TTTT", "<dn", "<oov>", "İ", "AB", "\u3000",
    "\x0b", "\0",
]  # fmt: skip
BROKEN = [b"\xe2", b"\x96\x81", b"\xc3", b"\xff", b"\xf0\x9f", b"\xe2\x96", b"\xc0\x80"]


def texts(count=100):
    rng = random.Random(SEED)
    pieces = [piece.encode() for piece in PIECES]
    for index in range(count):
        yield b"".join(rng.choices(pieces + BROKEN * (index % 2), k=rng.randint(0, 12)))
    yield from random_texts(SEED, 30, pieces)


@pytest.fixture
def opened(tmp_path):
    oracles = []

    def open_both(parts):
        path = write_vocab(tmp_path / "model.gguf", **parts)
        oracles.append(DeepOracle(path))
        return guiapp.open_model(path), oracles[-1]

    yield open_both
    for oracle in oracles:
        oracle.close()


@pytest.mark.real_vocabs
@pytest.mark.parametrize("parts", LIKE_LLAMA_CPP.values(), ids=LIKE_LLAMA_CPP)
def test_odd_vocabularies_give_llama_cpps_ids_and_bytes(opened, parts):
    tokenizer, oracle = opened(parts)
    rng = random.Random(SEED)
    for text in texts():
        add, parse, remove, unparse = (rng.random() < 0.5 for _ in range(4))
        expected = oracle.tokenize(text, add, parse)
        for encoder in tokenizer.exact_encoders:
            actual_ids = tokenizer.encode(text, add, parse, encoder).token_ids
            assert_same_ids(actual_ids, expected, f"{encoder}, {text!r}, {add=}, {parse=}")
        readable = tokenizer.encode_readable(text, add, parse).token_ids
        assert_same_ids(readable, expected, f"readable, {text!r}, {add=}, {parse=}")
        decoded = tokenizer.decode_bytes(expected, remove, unparse)
        assert decoded == oracle.detokenize(expected.tolist(), remove, unparse), (expected, remove, unparse)


@pytest.mark.parametrize("parts", LIKE_LLAMA_CPP.values(), ids=LIKE_LLAMA_CPP)
def test_odd_vocabularies_encode_many_texts_like_each(tmp_path, parts):
    tokenizer = guiapp.open_model(write_vocab(tmp_path / "model.gguf", **parts))
    many = list(texts())
    for parse in (True, False):
        each = [tokenizer.encode(text, True, parse).token_ids.tolist() for text in many]
        together = tokenizer.encode_each(many, True, parse)
        assert [ids.tolist() for ids in together] == each


@pytest.mark.real_vocabs
@pytest.mark.parametrize("count", [17, 40, 90])
def test_special_tokens_of_one_length_are_tried_in_the_order_of_the_reference(opened, count):
    rng = random.Random(count)
    made = {"".join(rng.choices("abc", k=rng.choice((3, 3, 3, 4)))) for _ in range(4 * count)}
    specials = rng.sample(sorted(made), k=min(count, len(made)))
    kinds = [rng.choice((CONTROL, USER_DEFINED)) for _ in specials]
    normal = [token for token in BYTE_TOKENS if token not in specials]
    parts = bpe(tokens=[*normal, *specials], types=[NORMAL] * len(normal) + kinds, merges=[])
    tokenizer, oracle = opened(parts)
    for _ in range(300):
        text = "".join(rng.choices("abc", k=rng.randint(3, 40))).encode()
        for parse in (True, False):
            actual_ids = tokenizer.encode(text, False, parse).token_ids
            assert_same_ids(actual_ids, oracle.tokenize(text, False, parse), (text, parse))


def many_special_tokens(count):
    """Tokens most of which begin like others or end within them."""
    rng = random.Random(count)
    texts: dict[str, None] = {}
    while len(texts) < count:
        text = "".join(rng.choices("ab<", k=rng.randint(4, 24)))
        texts.update(dict.fromkeys(text[:end] for end in range(3, len(text) + 1)))
    specials = list(texts)[:count]
    return specials, rng


def open_with(path, specials):
    types = [NORMAL] * 256 + [USER_DEFINED] * len(specials)
    return write_vocab(path, **bpe(tokens=[*BYTE_TOKENS, *specials], types=types, merges=[]))


@pytest.mark.real_vocabs
def test_twenty_thousand_added_tokens(tmp_path):
    specials, rng = many_special_tokens(20_000)
    path = open_with(tmp_path / "model.gguf", specials)
    tokenizer, oracle = guiapp.open_model(path), DeepOracle(path)
    for _ in range(20):
        text = "".join(rng.choices("aaabbb<", k=rng.randint(3, 400))).encode()
        actual_ids = tokenizer.encode(text, False, False).token_ids
        assert_same_ids(actual_ids, oracle.tokenize(text, False, False), text)
    oracle.close()
    assert_fast(tokenizer, "".join(rng.choices("aaabbb<", k=300_000)).encode())


def test_a_long_added_token_and_all_its_beginnings(tmp_path):
    specials = ["<" + "a" * length for length in range(1, 2_000)]
    tokenizer = guiapp.open_model(open_with(tmp_path / "model.gguf", specials))
    tokenizer.encode(b"ab")
    assert_fast(tokenizer, b"<" + b"a" * 300_000)
    assert_fast(tokenizer, (b"<" + b"a" * 1_500) * 200)


def assert_fast(tokenizer, text):
    started = time.process_time()
    encoding = tokenizer.encode(text)
    assert time.process_time() - started < 5
    assert tokenizer.decode_bytes(encoding.token_ids) == text


def test_bpe_that_asks_for_a_bos_it_does_not_have(tmp_path):
    path = write_vocab(tmp_path / "model.gguf", **bpe(tokens=["a", "b"], add_bos_token=True))
    tokenizer = guiapp.open_model(path)
    with pytest.raises(EncodeError, match="BOS"):
        tokenizer.encode("ab")
    assert tokenizer.encode("ab", add_special=False).token_ids.tolist() == [0, 1]


def test_wordpiece_without_its_default_bos(tmp_path):
    tokens = ["[UNK]", "▁a", "b"]
    path = write_vocab(tmp_path / "model.gguf", model="bert", tokens=tokens, unknown_token_id=0)
    tokenizer = guiapp.open_model(path)
    with pytest.raises(EncodeError, match="bos_token_id"):
        tokenizer.encode("ab")
    assert tokenizer.encode("ab", add_special=False).token_ids.tolist() == [1, 2]


def test_rwkv_with_bad_escapes_encodes_anything(tmp_path):
    tokens = ["<s>", "\\xZZ", "\\x", "\\", "\\q", "\\x0", "a\\", "\\x61b", "xyz"]
    path = write_vocab(tmp_path / "model.gguf", model="rwkv", tokens=tokens, unknown_token_id=0)
    tokenizer = guiapp.open_model(path)
    encoding = tokenizer.encode(b"ab x\\q\xff", add_special=False)
    assert encoding.token_ids.tolist()[0] == 7
    tokenizer.decode_bytes(range(len(tokens)))


@pytest.mark.parametrize("longest", [200, 1_000_000])
@pytest.mark.parametrize("text", ["a" * 1000, "b" * 1000 + "a" * 1000, "a" * 200_000], ids=len)
def test_a_character_map_that_makes_a_text_a_hundred_times_longer_is_refused(tmp_path, longest, text):
    charsmap = Raw("array:u8", build_charsmap({"a": "x" * longest}))
    tokens, scores = ["<unk>", "x", "y", "▁"], [0.0, -1.0, -2.0, -1.0]
    write_vocab(
        tmp_path / "t5.gguf",
        model="t5",
        tokens=tokens,
        scores=scores,
        unknown_token_id=0,
        precompiled_charsmap=charsmap,
    )
    tokenizer = guiapp.open_model(tmp_path / "t5.gguf")
    for encode in (tokenizer.encode, tokenizer.encode_readable, lambda text: tokenizer.encode_each([text])):
        if longest == 200 and "b" in text:
            assert encode(text) is not None
            continue
        with pytest.raises(EncodeError, match="more than 128 times"):
            encode(text)


def test_words_of_spaces_are_never_merged(tmp_path):
    parts = bpe(pre="whitespace", tokens=["a", "b", "▁", "ab", "  "], merges=["a b"])
    tokenizer = guiapp.open_model(write_vocab(tmp_path / "model.gguf", **parts))
    for encoder in tokenizer.exact_encoders:
        assert tokenizer.encode("ab  ab", encoder=encoder).token_ids.tolist() == [3, 3]


def test_the_first_part_of_a_split_file_has_the_whole_vocabulary(tmp_path):
    def part(number):
        keys = {"split.count": Raw("u16", 2), "split.no": Raw("u16", number)}
        return {"keys": {**keys, "split.tensors.count": Raw("i32", 0)}}

    first, second = (tmp_path / f"model-0000{number}-of-00002.gguf" for number in (1, 2))
    write_vocab(first, **bpe(), **part(0))
    assert any("00002" in warning for warning in guiapp.open_model(first).vocabulary.warnings)
    write_vocab(second, architecture="llama", model=None, **part(1))
    with pytest.raises(guiapp.VocabError, match="00001"):
        guiapp.open_model(second)
    assert guiapp.open_model(first).encode("ab").token_ids.tolist() == [97, 98]
