"""After any edits, the tokens of a document are those of encoding its text from scratch."""

import json
import random
from dataclasses import astuple
from functools import lru_cache

import pytest
from arrays import as_array
from conftest import SHARED, VOCABS
from gguf_builder import write_vocab
from model_files import opened
from pair_vocabularies import BYTE_TOKENS
from piece_models import trained
from random_tokenizers import IN_TEXTS, random_tokenizer
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.analysis.editing.live_encoding import LiveEncoding
from guiapp.analysis.editing.token_store import Options
from guiapp.core.demo import DEMO_MODELS
from guiapp.core.encode.families.words import WORDS
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import SpecialIds
from guiapp.errors import VocabError

pytestmark = pytest.mark.slow


PARTS = [
    *"aAbz09 \n\t.,'\"-_/(<|>[]=é汉字ö\u0301\u200d🚀\u3000\u2581", "  ", "\n\n", "\r\n", "'s", "'LL",
    "the ", " of the", "Token", "ization", "123456", "    ", "<s>", "</s>", "<unk>", "<|", "|>",
    "<|im_start|>", "<|endoftext|>", "<|begin_of_text|>", "[MASK]", "[SEP]", "<bos>", "<eos>", "<turn|>",
    "<mask>", "中文字符", "こんにちは", "한국어", "русский", "مرحبا", "def f(x):\n    return x\n",
]  # fmt: skip
DNA_PARTS = [
    *["<dna>", "</dna>"] * 3, *"ab \n<>/é", "<d", "na>", "</", "acgt", "ACGTAC", "dna", "ab cd", "1234", "  ",
]  # fmt: skip
STRAY = [b"\xff", b"\xe2", b"\xe2\x82", b"\x80", b"\xc3", b"\xed\xa0\x80", b"\xf0\x9f"]
REAL = sorted(path.name for path in VOCABS.glob("*.gguf"))
N_DOCUMENTS, N_EDITS = 12, 12


def some_text(rng, most, parts):
    return b"".join(
        rng.choice(STRAY) if rng.random() < 0.03 else rng.choice(parts).encode()
        for _ in range(rng.randrange(most))
    )


def check_edits(tokenizer, seed, parts=PARTS, encoder=None):
    rng = random.Random(seed)
    for _ in range(N_DOCUMENTS):
        options = Options(rng.random() < 0.5, rng.random() < 0.7, encoder)
        text = some_text(rng, 80, parts)
        live = LiveEncoding(tokenizer, tokenizer.encode(text, *astuple(options)), options)
        for _ in range(N_EDITS):
            start = rng.randrange(len(text) + 1)
            removed = min(rng.choice([0, 0, 1, 2, 5, 30]), len(text) - start)
            new = some_text(rng, 4, parts)
            before = text
            text = text[:start] + new + text[start + removed :]
            array = as_array(text)
            live.update(array, live.window(array, start, removed, len(new)))
            expected = tokenizer.encode(text, *astuple(options))
            story = f"seed {seed}: {before!r}[{start}:{start + removed}] = {new!r}, {options}"
            tokens = live.tokens.between(0, len(live.tokens))
            assert tokens.ids.tolist() == expected.token_ids.tolist(), story
            assert tokens.starts.tolist() == expected.spans[:, 0].tolist(), story
            assert tokens.ends.tolist() == expected.spans[:, 1].tolist(), story


@pytest.mark.parametrize("name", [model.name for model in DEMO_MODELS])
@pytest.mark.parametrize("seed", range(4))
def test_edits_of_demo_models_are_exact(name, seed):
    check_edits(guiapp.open_model(f"demo:{name}"), seed)


@pytest.mark.parametrize("name", [model.name for model in DEMO_MODELS])
@pytest.mark.parametrize("seed", range(4))
def test_edits_of_words_are_exact(name, seed):
    check_edits(guiapp.open_model(f"demo:{name}"), seed, [*PARTS, " ", "\v", "\f"], encoder=WORDS)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("takes", [Attribute.LSTRIP, Attribute.RSTRIP, Attribute.LSTRIP | Attribute.RSTRIP])
def test_edits_next_to_space_stripping_special_tokens_are_exact(takes, seed):
    tokens = {"<unk>": Attribute.UNKNOWN, "<x>": Attribute.CONTROL | takes, "▁": -1.0, "a": -1.0, "▁a": -0.5}
    vocabulary = toy_vocabulary(tokens, special_ids=SpecialIds(unk=0))
    check_edits(Tokenizer(vocabulary), seed, ["a", " ", "  ", "<x>", "<", "x>", "\n"])


@pytest.fixture(scope="module")
def dna_tokenizer(tmp_path_factory):
    marks = ["<dna>", "</dna>", "<oov>", "ACGTAC\ue000", "GGAAAA\ue000"]
    path = tmp_path_factory.mktemp("dna") / "dna.gguf"
    return guiapp.open_model(
        write_vocab(path, model="hybriddna", tokens=[*BYTE_TOKENS, "ab", *marks], merges=["a b"])
    )


@pytest.mark.parametrize("seed", range(12))
def test_edits_of_dna_are_exact(dna_tokenizer, seed):
    check_edits(dna_tokenizer, seed, DNA_PARTS)


def test_typing_in_text_of_a_model_for_dna_encodes_only_a_neighbourhood(dna_tokenizer):
    word = b"the quick brown fox. "
    check_neighbourhood(dna_tokenizer, word * 10_000)
    check_neighbourhood(dna_tokenizer, b"<dna>ACGTAC</dna> and text. " * 10_000)


@lru_cache(maxsize=1)
def real(name):
    return opened(VOCABS / name)


@pytest.mark.real_vocabs
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", REAL)
def test_edits_of_real_models_are_exact(name, seed):
    check_edits(real(name), seed)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_edits_of_sentencepiece_models_are_exact(tmp_path, kind, seed):
    path = tmp_path / "a.model"
    path.write_bytes(trained(model_type=kind, user_defined_symbols=["\u2581\u2581", "ab", "abc"]))
    check_edits(guiapp.open_model(path), seed, [*PARTS, "ab", "abc", "\ufb01", "\x01"])


@pytest.mark.parametrize("name", [model.name for model in DEMO_MODELS])
def test_typing_in_a_long_text_encodes_only_a_neighbourhood(name):
    text = b"the quick brown fox jumps over the lazy dog. " * 5000
    check_neighbourhood(guiapp.open_model(f"demo:{name}"), text)
    check_neighbourhood(guiapp.open_model(f"demo:{name}"), text, encoder=WORDS)


def check_neighbourhood(tokenizer, text, encoder=None):
    options = Options(encoder=encoder)
    live = LiveEncoding(tokenizer, tokenizer.encode(text, encoder=encoder), options)
    changed = as_array(text[:100_000] + b"x" + text[100_000:])
    window = live.window(changed, 100_000, 0, 1)
    assert window.end - window.start < 1000


@pytest.mark.real_vocabs
@pytest.mark.parametrize("name", ["claude-2", "deepseek-v4"])
def test_any_edit_under_a_tokenizer_json_of_a_real_model(name):
    tokenizer = opened(SHARED / "formats" / f"{name}.tokenizer.json")
    check_edits(tokenizer, 1, [*PARTS, "<META>", "<EOT>", "<｜User｜>", "＝\u0338", "=\u0338", "ﬁ"])


def test_any_edit_under_random_tokenizers(tmp_path):
    path = tmp_path / "tokenizer.json"
    for seed in range(12):
        path.write_text(json.dumps(random_tokenizer(random.Random(seed))))
        try:
            tokenizer = guiapp.open_model(path)
        except VocabError:
            continue
        check_edits(tokenizer, seed, IN_TEXTS)
