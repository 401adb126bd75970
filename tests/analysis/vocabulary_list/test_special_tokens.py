"""What is said of special tokens is so: by the file, by llama.cpp, and by encoding; in each form."""

import json
from dataclasses import replace

import pytest
from conftest import VOCABS
from format_samples import SAMPLES
from gguf_builder import CONTROL, NORMAL, UNUSED, USER_DEFINED, write_vocab
from model_files import ALL_MODELS, opened

import guiapp
from guiapp.analysis.vocabulary_list.special_tokens import (
    SpecialToken,
    TokenReach,
    TokenRole,
    record,
    special_list,
)

TOKENS = [
    "<unk>",
    "a",
    "b",
    "ab",
    "<|im_end|>",
    "<|x|>",
    "<|reserved_1|>",
    "<|reserved_2|>",
    "<|reserved_3|>",
]
TYPES = [2, NORMAL, NORMAL, NORMAL, NORMAL, USER_DEFINED, CONTROL, CONTROL, UNUSED]


def tokens_of(tmp_path, **parts):
    defaults = {"model": "gpt2", "pre": "gpt-2", "tokens": TOKENS, "types": TYPES, "merges": ["a b"]}
    path = write_vocab(tmp_path / "model.gguf", **{**defaults, **parts})
    return {token.name: token for token in guiapp.special(path)}


@pytest.mark.parametrize("model", ALL_MODELS)
def test_each_token_reported_as_reachable_is_encoded_from_its_text(model):
    tokenizer = opened(model)
    for token in special_list(tokenizer)[:400]:
        parses = token.reach is TokenReach.PARSED
        if token.reach is not TokenReach.NEVER:
            assert token.token_id in tokenizer.encode_readable(token.text, False, parses).token_ids, token


@pytest.mark.real_vocabs
@pytest.mark.parametrize("path", sorted(VOCABS.glob("*.gguf")), ids=lambda path: path.stem)
def test_llama_cpp_ends_generations_at_the_same_tokens_and_reaches_them_by_the_same_texts(path):
    from llama_oracle import LlamaOracle

    oracle = LlamaOracle().load(path)
    tokens = guiapp.special(opened(path))
    ends = {token_id for token_id in range(oracle.info()["n"]) if oracle.is_eog(token_id)}
    assert {token.token_id for token in tokens if token.end} == ends
    for token in tokens:
        text = token.name.encode() if token.text is None else token.text
        actual = [parse for parse in (False, True) if token.token_id in oracle.tokenize(text, False, parse)]
        assert actual == {TokenReach.NEVER: [], TokenReach.PARSED: [True]}.get(token.reach, [False, True]), (
            token
        )
    oracle.close()


def test_roles_name_the_key_or_text_that_assigns_them(tmp_path):
    keys = {"tokenizer.ggml.\x1b[m_token_id": 2}
    tokens = tokens_of(tmp_path, eos_token_id=5, padding_token_id=6, cls_token_id=1, keys=keys)
    assert {name: token.roles for name, token in tokens.items() if token.roles} == {
        "a": (("cls", "tokenizer.ggml.cls_token_id"),),
        "b": (("\\x1b[m", "tokenizer.ggml.\\x1b[m_token_id"),),
        "<|im_end|>": (("eot", "its text"),),
        "<|x|>": (("eos", "tokenizer.ggml.eos_token_id"),),
        "<|reserved_1|>": (("pad", "tokenizer.ggml.padding_token_id"),),
    }
    ends = {name: token.end for name, token in tokens.items() if token.end}
    assert ends == {"<|im_end|>": "its text", "<|x|>": "EOS by tokenizer.ggml.eos_token_id"}


def test_how_text_leads_to_them(tmp_path):
    reach = {name: token.reach for name, token in tokens_of(tmp_path).items()}
    assert reach["<|x|>"] is TokenReach.TEXT
    assert reach["<|im_end|>"] is TokenReach.PARSED
    assert reach["<|reserved_3|>"] is TokenReach.NEVER
    unknown = {token.name: token.reach for token in guiapp.special("demo:wordpiece")}["[UNK]"]
    assert unknown is TokenReach.UNKNOWN


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.format)
def test_each_format_has_them(sample, tmp_path):
    sample.write(tmp_path / sample.name)
    tokenizer = guiapp.open_model(tmp_path / sample.name, "gpt-2" if sample.is_silent else None)
    tokens = special_list(tokenizer)
    assert {token.token_id for token in tokens} >= tokenizer.vocabulary.eog
    assert all(token.mark for token in tokens)


def test_odd_files_do_not_break_the_list(tmp_path):
    tokens = tokens_of(
        tmp_path, model="t5", pre=None, tokens=["", "a", "<unused0>"], types=[CONTROL, 9, 0], merges=None
    )
    assert [(token.reach, token.mark) for token in tokens.values()] == [
        (TokenReach.PARSED, "token_type 3, control"),  # by the name that llama.cpp gives what is empty
        (TokenReach.NEVER, "token_type 9, undefined"),
        (TokenReach.TEXT, "token_type 0, undefined"),
    ]


@pytest.mark.parametrize("pre", ["default", "llama-bpe"])  # which takes pieces whole
def test_what_is_made_by_merging_is_reached_by_text_alone(tmp_path, pre):
    tokens = ["a", "b", "ab", "<|x|>", *"<|x>"]
    types = [NORMAL, NORMAL, CONTROL, CONTROL, *[NORMAL] * 4]
    file = write_vocab(
        tmp_path / "x.gguf", model="gpt2", pre=pre, tokens=tokens, types=types, merges=["a b", "x y"]
    )
    actual = {token.name: token.reach for token in special_list(guiapp.open_model(file))}
    assert (actual["ab"], actual["<|x|>"]) == (TokenReach.TEXT, TokenReach.PARSED)


END = SpecialToken(
    token_id=2,
    name="</s>",
    kind="control",
    roles=(TokenRole("eos", "tokenizer.ggml.eos_token_id"), TokenRole("fim_pad", "its text")),
    mark="token_type 3, control",
    reach=TokenReach.PARSED,
    text=b"</s>",
    affix_position="behind",
    end="EOS by tokenizer.ggml.eos_token_id",
    is_end_like=False,
    strips=("lstrip", "rstrip"),
    in_template=True,
    is_reserved=False,
)
NOTHING = {"affix_position": "", "end": "", "strips": (), "in_template": False, "roles": ()}
FREE = replace(
    END, token_id=10, name="<free>", reach=TokenReach.NEVER, text=None, is_reserved=True, **NOTHING
)
ODD = replace(
    END, token_id=3, name="\t\U000e0001é'", kind="unknown", mark="", reach=TokenReach.UNKNOWN, **NOTHING
)
ALL = (
    END,
    FREE,
    replace(ODD, text=b"\xff", is_end_like=True),
    replace(ODD, token_id=4, reach=TokenReach.TEXT),
)


def test_a_record_has_all_fields_with_null_for_missing_values():
    first, free, odd, _ = record(ALL)["tokens"]
    assert first == {
        "id": 2,
        "token": "</s>",
        "kind": "control",
        "roles": [
            {"role": "eos", "source": "tokenizer.ggml.eos_token_id"},
            {"role": "fim_pad", "source": "its text"},
        ],
        "mark": "token_type 3, control",
        "reached": "parse_special",
        "text": "</s>",
        "around": "behind",
        "end_of_generation": "EOS by tokenizer.ggml.eos_token_id",
        "looks_like_end": False,
        "strips": ["lstrip", "rstrip"],
        "in_template": True,
        "reserved": False,
        "unused": False,
    }
    nothing = {"around": None, "end_of_generation": None, "text": None, "roles": [], "strips": []}
    free_one = {"id": 10, "token": "<free>", "reached": "never", "reserved": True, "unused": True}
    assert free == first | nothing | free_one | {"in_template": False}
    assert (odd["text"], odd["looks_like_end"], odd["reached"]) == ("\ufffd", True, "unknown")
    assert json.loads(json.dumps(record(ALL))) == record(ALL)
