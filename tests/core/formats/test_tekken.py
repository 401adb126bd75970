"""Mistral's tekken.json, against tiktoken with its ranks and pattern, as Mistral's own library uses it."""

from __future__ import annotations

import base64
import json

import numpy as np
import pytest
import tiktoken
from conftest import SHARED
from model_files import opened
from random_texts import random_texts

import guiapp
from guiapp.analysis.chat.templates import special_texts
from guiapp.errors import VocabError

PATH = SHARED / "formats" / "tekken_240718.json"
N_SPECIAL = 1000
SPECIAL = 1 << 20  # in front of their ids there
CONFIG = {"pattern": r"\p{L}+|\s+|[^\s\p{L}]", "default_vocab_size": 262, "default_num_special_tokens": 4}
ROWS = [bytes([byte]) for byte in range(256)] + [b"ab", b"aba", b"beyond"]


def content(config=CONFIG, rows=ROWS, **more):
    vocab = [{"rank": n, "token_bytes": base64.b64encode(text).decode()} for n, text in enumerate(rows)]
    return {"config": config, "vocab": vocab, **more}


def write(folder, content):
    path = folder / "tekken.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


@pytest.fixture(scope="module")
def pair():
    content = json.loads(PATH.read_bytes())
    config = content["config"]
    rows = content["vocab"][: config["default_vocab_size"] - config["default_num_special_tokens"]]
    ranks = {base64.b64decode(row["token_bytes"]): row["rank"] for row in rows}
    tokenizer = opened(PATH)
    special = {tokenizer.vocabulary.raw_text(token).decode(): SPECIAL + token for token in range(N_SPECIAL)}
    reference = tiktoken.Encoding(
        "tekken", pat_str=config["pattern"], mergeable_ranks=ranks, special_tokens=special
    )
    return tokenizer, reference


def as_here(ids):
    """Special tokens come first, and the others behind them."""
    return [token - SPECIAL if token >= SPECIAL else token + N_SPECIAL for token in ids]


@pytest.mark.real_vocabs
@pytest.mark.parametrize("count", [600, pytest.param(40_000, marks=pytest.mark.exhaustive)])
def test_ids_spans_and_bytes_match_tiktoken_after_special_ids(pair, count):
    tokenizer, reference = pair
    vocabulary = tokenizer.vocabulary
    extra = [vocabulary.token_bytes(token) for token in (*range(20), *range(1256, 131_072, 251))]
    for data in random_texts(11, count, extra):
        text = data.decode("utf-8", "replace")
        plain = tokenizer.encode(text, add_special=False, parse_special=False).token_ids
        assert plain.tolist() == as_here(reference.encode_ordinary(text)), text
        encoding = tokenizer.encode(text, add_special=False)
        assert encoding.token_ids.tolist() == as_here(reference.encode(text, allowed_special="all")), text
        ends = np.cumsum([len(vocabulary.token_bytes(token)) for token in encoding.token_ids.tolist()])
        assert (
            encoding.spans.ravel().tolist() == np.stack([np.append(0, ends)[:-1], ends], 1).ravel().tolist()
        )
        assert tokenizer.decode_bytes(encoding.token_ids) == text.encode()


@pytest.mark.real_vocabs
def test_special_tokens_come_first_and_text_begins_with_bos(pair):
    tokenizer, _ = pair
    vocabulary = tokenizer.vocabulary
    assert len(vocabulary) == 131_072
    assert tokenizer.encode("<s>[INST][SUFFIX]<SPECIAL_20></s>").token_ids.tolist() == [1, 1, 3, 16, 20, 2]
    assert vocabulary.eog == {2}
    assert special_texts(vocabulary) == {
        "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"
    }  # fmt: skip
    assert vocabulary.warnings == ("Tokens beyond the vocabulary size are left out: 19,928.",)
    assert tokenizer.exactness.level == "exact"


def test_special_tokens_that_are_listed_replace_the_usual_ones(tmp_path):
    listed = [{"rank": 0, "token_str": "<unk>"}, {"rank": 3, "token_str": "[END]"}]
    vocabulary = guiapp.open_model(write(tmp_path, content(special_tokens=listed))).vocabulary
    texts = [vocabulary.raw_text(token).decode() for token in range(4)]
    assert texts == ["<unk>", "<SPECIAL_1>", "<SPECIAL_2>", "[END]"]
    assert [vocabulary.kind(token) for token in (0, 1, 2, 3, 4)] == [*["control"] * 4, "normal"]
    assert not vocabulary.rules.add_bos  # there is none
    assert special_texts(vocabulary) == {"unk_token": "<unk>"}


def test_a_template_that_ends_turns_with_eos_renders_and_text_alone_gets_no_eos(tmp_path):
    tokenizer = guiapp.open_model(write(tmp_path, content()))
    assert tokenizer.encode("ab").token_ids.tolist() == [1, 256 + 4]
    template = "{{ bos_token }}{% for m in messages %}{{ m.content }}{{ eos_token }}{% endfor %}"
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    chat = guiapp.chat(tokenizer, messages, template=template, add_special=False)
    assert chat.text == "<s>a</s>b</s>"
    assert chat.token_ids.tolist() == [1, ord("a") + 4, 2, ord("b") + 4, 2]


def test_tokens_beyond_the_size_are_left_out(tmp_path):
    tokenizer = guiapp.open_model(write(tmp_path, content()))
    assert len(tokenizer.vocabulary) == 262
    assert tokenizer.encode("ababeyond", add_special=False).token_ids.tolist() == [
        *[256 + 4, 256 + 4],
        *(ord(letter) + 4 for letter in "eyond"),
    ]
    assert tokenizer.vocabulary.warnings == ("Tokens beyond the vocabulary size are left out: 1.",)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('{"config": {"default_num_special_tokens"', "is not valid JSON: "),
        ('{"config": {"default_num_special_tokens": 1}}', "does not have the layout of such files: "),
        (
            {**content(), "vocab": [{"rank": 0, "token_bytes": "I"}]},
            "does not have the layout of such files: ",
        ),
        (
            {**content(), "vocab": [{"rank": -1, "token_bytes": "IQ=="}]},
            "does not have the layout of such files: ",
        ),
        (
            {**content(), "vocab": [{"rank": 0, "token_bytes": "é"}]},
            "does not have the layout of such files: ",
        ),
        ({**content(), "vocab": 3}, "does not have the layout of such files: "),
        (
            {**content(), "special_tokens": [{"rank": 2**63, "token_str": ""}]},
            "does not have the layout of such files",
        ),
        (content({**CONFIG, "default_num_special_tokens": True}), "does not have the layout of such files: "),
        (content({**CONFIG, "default_vocab_size": 1e300}), "does not have the layout of such files: "),
        (content(rows=[b""]), "has an empty token"),
        (content(special_tokens=[{"rank": 0, "token_str": ""}]), "has an empty token"),
        (content(rows=[b"a", b"a"]), "has two equal tokens: 4 and 5 are both 'a'"),
        (content({**CONFIG, "pattern": r"(?<=a)b"}), "splits text by an unsupported pattern: "),
        (content({**CONFIG, "pattern": "(" * 3_000}), "splits text by an unsupported pattern: "),
        (
            content({**CONFIG, "pattern": "(?:" * 900 + ")" * 900}),
            "splits text by an unsupported pattern",
        ),
        (
            content({**CONFIG, "pattern": r"(?:\p{L}{1,999}){1,999}"}),
            "splits text by an unsupported pattern",
        ),
        (
            '{"config": {"default_num_special_tokens": ' + "[" * 100_000,
            "is not valid JSON: it is nested too deep",
        ),
        (
            '{"config": {"default_num_special_tokens": ' + "9" * 5000 + "}}",
            "is not valid JSON: it has a number",
        ),
    ],
)
def test_damaged_files_are_refused_in_a_sentence(tmp_path, content, expected):
    with pytest.raises(VocabError) as caught:
        guiapp.open_model(write(tmp_path, content))
    assert str(caught.value).startswith(f"tekken.json {expected}")
    assert len(str(caught.value)) < 300
