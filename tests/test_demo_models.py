"""The committed demo models: rebuilt byte for byte, and read by llama.cpp."""

import os
import subprocess
import sys

import pytest
from conftest import ROOT

import guiapp
from guiapp.core.demo import DEMO_MODELS, SAMPLES, demo_model_path, sample_text

NAMES = [model.name for model in DEMO_MODELS]


@pytest.fixture(scope="module")
def oracles():
    from llama_oracle import LlamaOracle

    loaded = {name: LlamaOracle().load(demo_model_path(name)) for name in NAMES}
    yield loaded
    for oracle in loaded.values():
        oracle.close()


@pytest.mark.slow
def test_the_script_rebuilds_the_committed_files_byte_for_byte(tmp_path):
    subprocess.run(
        [sys.executable, str(ROOT / "resources" / "build_demo_models.py"), str(tmp_path)],
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": str(ROOT)},
    )
    rebuilt = {path.stem: path.read_bytes() for path in tmp_path.iterdir()}
    assert rebuilt == {name: demo_model_path(name).read_bytes() for name in NAMES}


@pytest.mark.real_vocabs
@pytest.mark.parametrize("name", NAMES)
def test_our_ids_are_those_of_llama_cpp(oracles, name):
    tokenizer = guiapp.open_model(f"demo:{name}")
    for sample in SAMPLES:
        text = sample_text(sample.name)
        for special in (False, True):
            token_ids = tokenizer.encode(text, add_special=special, parse_special=special).token_ids
            assert token_ids.tolist() == oracles[name].tokenize(text, special, special), sample.name


@pytest.mark.real_vocabs
@pytest.mark.parametrize(("text", "pieces"), [(b"abacb", ["ab", "a", "cb"]), (b"abacbb", ["ab", "acbb"])])
def test_the_toy_gives_the_textbook_tokens(oracles, text, pieces):
    token_ids = oracles["toy"].tokenize(text)
    assert [oracles["toy"].token_to_piece(token_id).decode() for token_id in token_ids] == pieces


@pytest.mark.real_vocabs
def test_unigrams_normaliser_reads_variants_as_plain_text(oracles):
    variants = "ｆｕｌｌ ﬁle Ⅳ ½ a\u00a0b e\u0301te\u0301 co\u00adop が か\u3099"
    plain = "full file IV 1⁄2 a b été coop が が"
    assert oracles["unigram"].tokenize(variants) == oracles["unigram"].tokenize(plain)


@pytest.mark.real_vocabs
@pytest.mark.parametrize(
    ("name", "text", "pieces"),
    [
        ("bpe", "<|im_start|>user<think>", ["<|begin_of_text|>", "<|im_start|>", "user", "<think>"]),
        ("spm", "[INST]the</s>", ["<s>", "[INST]", " the", "</s>"]),
        ("wordpiece", "The [MASK]", ["[CLS]", " the", "[MASK]", "[SEP]"]),
        ("unigram", "The <extra_id_0>", [" The", "<extra_id_0>", "</s>"]),
        ("rwkv", "<s> the", ["<s>", " the"]),
    ],
)
def test_special_tokens_are_added_and_parsed(oracles, name, text, pieces):
    token_ids = oracles[name].tokenize(text, add_special=True, parse_special=True)
    assert [oracles[name].token_to_piece(token_id).decode() for token_id in token_ids] == pieces
