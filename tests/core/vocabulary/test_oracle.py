"""Real vocabularies are loaded as llama.cpp loads them."""

import random

import numpy as np
import pytest
from conftest import VOCABS
from gguf_builder import write_vocab

from guiapp.core.formats.table import load_vocabulary
from guiapp.core.vocabulary.special_ids import CHANNEL_TEXTS, END_TEXTS, TEXTS_OF_ROLE

pytestmark = [pytest.mark.real_vocabs, pytest.mark.slow]

NAMES = sorted(path.name for path in VOCABS.glob("*.gguf"))
ROLES = (
    "bos", "eos", "eot", "sep", "pad", "mask", "fim_pre", "fim_suf", "fim_mid", "fim_pad", "fim_rep",
    "fim_sep",
)  # fmt: skip
SAMPLE_SIZE = 20_000


@pytest.fixture(scope="module", params=NAMES)
def both(request):
    from llama_oracle import LlamaOracle

    oracle = LlamaOracle().load(VOCABS / request.param)
    yield load_vocabulary(VOCABS / request.param), oracle
    oracle.close()


def test_type_size_ids_and_switches(both):
    vocabulary, oracle = both
    assert_same_roles(vocabulary, oracle.info())


def assert_same_roles(vocabulary, expected):
    assert (vocabulary.type.name, len(vocabulary)) == (expected["type"], expected["n"])
    ids = {
        role: -1 if (actual := getattr(vocabulary.special_ids, role)) is None else actual for role in ROLES
    }
    assert ids == {role: expected[role] for role in ROLES}
    for switch in ("add_bos", "add_eos", "add_sep"):
        assert getattr(vocabulary.rules, switch) == expected[switch]


def test_texts_and_attributes_of_all_tokens(both):
    vocabulary, oracle = both
    every_id = range(len(vocabulary))
    assert vocabulary.attributes.tolist() == [oracle.attr(token_id) for token_id in every_id]
    assert [vocabulary.raw_text(token_id) for token_id in every_id] == [oracle.text(i) for i in every_id]
    assert vocabulary.eog == {token_id for token_id in every_id if oracle.is_eog(token_id)}


def test_what_tokens_stand_for(both):
    vocabulary, oracle = both
    sample = random.Random(1).sample(range(len(vocabulary)), min(SAMPLE_SIZE, len(vocabulary)))
    odd = np.flatnonzero(vocabulary.attributes != 4).tolist()
    for token_id in {*sample, *odd}:
        assert vocabulary.token_bytes(token_id) == oracle.token_to_piece(token_id), token_id


def test_only_oddities_are_reported_as_warnings():
    warnings = {name: load_vocabulary(VOCABS / name).warnings for name in NAMES}
    odd = warnings.pop("ggml-vocab-starcoder.gguf")
    assert [text.split(":")[0] for text in odd] == ["14 of the 256 byte tokens are missing"]
    assert not any(warnings.values())


TOKENS = ["<unk>", "<s>", "</s>", "<pad>", *[f"<0x{byte:02X}>" for byte in range(256)], "\n", "▁", "a"]
KEYS_OF_MODEL = {
    "gpt2": {"merges": ["a a"], "pre": "gpt-2"},
    "t5": {"precompiled_charsmap": None},
    "plamo2": {"types": [1] * 4 + [6] * 256 + [1] * 3},
}


@pytest.mark.parametrize("model", ["llama", "gpt2", "bert", "t5", "rwkv", "plamo2"])
def test_what_a_file_leaves_open_is_as_llama_cpp_takes_it(model, tmp_path):
    from llama_oracle import LlamaOracle

    path = write_vocab(
        tmp_path / "x.gguf",
        model=model,
        tokens=TOKENS,
        scores=[0.0] * len(TOKENS),
        **KEYS_OF_MODEL.get(model, {}),
    )
    oracle = LlamaOracle().load(path)
    assert_same_roles(load_vocabulary(path), oracle.info())
    oracle.close()


NAMED = ({}, {"name": "Phi-3 mini"}, {"name": "my PHI3"}, {"name": "modern-bert"}, {"pre": "jina-v2-code"})
PHI3 = ("</s>", "<unk>", "<s>", "<|endoftext|>")


def test_ends_of_generation_and_kinds_are_llama_cpps_for_any_texts_kinds_keys_and_names(tmp_path):
    """Of fill-in texts one at most for each role: which of several counts differs between builds."""
    from llama_oracle import LlamaOracle

    several = [*END_TEXTS.split(), *CHANNEL_TEXTS.split(), "<|plamo:eos|>", "<|end|>"]
    several += ["[MASK]", "<mask>", "<unused_7>", "x unused", *PHI3]
    rng, oracle = random.Random(4), LlamaOracle()
    for number in range(60):
        fill_in = [rng.choice(TEXTS_OF_ROLE[role].split()) for role in ("fim_pad", "fim_rep", "fim_sep")]
        texts = {*rng.sample(several, rng.randint(1, 12)), *rng.sample(fill_in, rng.randint(0, 3))}
        named = rng.choice(NAMED)
        if "hi" in named.get("name", "").lower():
            texts |= {*PHI3}
        tokens = ["a", "b", "ab", "un", "used", *sorted(texts)]
        keys = {
            f"{role}_token_id": rng.randrange(len(tokens))
            for role in ("eos", "eot", "eom", "fim_pad")
            if rng.random() < 0.4
        }
        if "<|plamo:eos|>" in texts:
            keys["eos_token_id"] = tokens.index("<|plamo:eos|>")
        types = [1, 1, 1, 3, 3, *(rng.choice((1, 3, 4, 5)) for _ in texts)]
        given = {"model": "gpt2", "pre": "gpt-2", "merges": ["a b"], "tokens": tokens, "types": types}
        path = write_vocab(tmp_path / f"{number}.gguf", **given | keys | named)
        oracle.load(path)
        actual, every_id = load_vocabulary(path), range(len(tokens))
        assert actual.eog == {token_id for token_id in every_id if oracle.is_eog(token_id)}, given
        assert actual.attributes.tolist() == [oracle.attr(token_id) for token_id in every_id], given
    oracle.close()
