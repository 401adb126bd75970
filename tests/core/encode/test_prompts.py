"""Texts with special tokens in them: one native call gives the ids and spans of the readable twins."""

import json
import random
from dataclasses import replace
from functools import cache
from itertools import cycle, pairwise

import pytest
from arrays import as_array, as_lists
from conftest import SHARED
from hypothesis import given, settings
from hypothesis import strategies as st
from model_files import ALL_MODELS, opened, special_texts
from random_tokenizers import random_tokenizer

import guiapp
from guiapp.core.demo import DEMO_MODELS
from guiapp.core.encode.families.components import PartsPipeline
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.special_tokens import join_segments
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.byte_alphabet import CODE_POINTS
from guiapp.errors import EncodeError, VocabError

WORDS = (
    "the",
    " quick",
    "\n\n",
    "fox's",
    "  ",
    "中文。",
    " é",
    "\xa0",
    "▁",
    "2024",
    "<",
    "|>",
    "\u0338",
    "e\u0301",
)
SNIPPETS = [*map(str.encode, WORDS), b"\xf0\x9f", b"\xff", b"\xed\xa0\x80"]
KINDS = [
    Attribute.CONTROL,
    Attribute.USER_DEFINED,
    Attribute.CONTROL | Attribute.LSTRIP,
    Attribute.USER_DEFINED | Attribute.RSTRIP,
    Attribute.CONTROL | Attribute.LSTRIP | Attribute.RSTRIP,
]
FILES = [path for path in sorted((SHARED / "formats").glob("*")) if "config" not in path.name]
MODELS = [*ALL_MODELS, *(pytest.param(path, id=path.name, marks=pytest.mark.real_vocabs) for path in FILES)]


def prompts(special, snippets=SNIPPETS, most=14):
    """Bytes with some of these special tokens between snippets, and pieces of them."""
    some = st.sampled_from([*special, *(text[:-1] for text in special), *(text[1:] for text in special)])
    return st.lists(st.sampled_from(snippets) | some | st.sampled_from(special), max_size=most).map(b"".join)


def assert_same(tokenizer, text, **switches):
    """Twice: what comes again is recalled."""
    try:
        expected = tokenizer.encode_readable(text, **switches)
    except EncodeError:
        with pytest.raises(EncodeError):
            tokenizer.encode(text, **switches)
        return
    for _ in range(2):
        encoding = tokenizer.encode(text, **switches)
        assert encoding.token_ids.tolist() == expected.token_ids.tolist()
        assert encoding.spans.tolist() == expected.spans.tolist()
    assert tokenizer.count(text, **switches) == len(expected)
    inner = tokenizer.encode_readable(text, **{**switches, "add_special": False}).token_ids.tolist()
    parses = switches.get("parse_special", True)
    each = tokenizer.encode_each([text, b"", text], add_special=False, parse_special=parses)
    assert [ids.tolist() for ids in each] == [inner, [], inner]
    name = next(iter(tokenizer.encoders))
    pipeline = tokenizer.pipeline_of(name, parses)
    partition = tokenizer.special_tokens.partition_readable(text, parses)
    for begins in (True, False):  # a document, or behind something else

        def encode_fragment(start, end, begins=begins):
            begins = tokenizer.begins_text_at(start, begins)
            return pipeline.encode_readable(text[start:end], begins, name)

        segment = tokenizer.encode_segment(as_array(text), None, begins, None, parses)
        assert as_lists(segment) == as_lists(join_segments(partition, encode_fragment))


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=15)  # of each of these models
@given(data=st.data())
def test_one_call_matches_the_reference_implementations(model, data):
    tokenizer = opened(model)
    special = special_texts(tokenizer, 40) or [b"<s>"]
    text = data.draw(prompts(list(filter(None, special))))
    assert_same(tokenizer, text, add_special=data.draw(st.booleans()), parse_special=data.draw(st.booleans()))


@cache
def with_special(model):
    """A demo model with tokens of text as special ones: they overlap, and take white space away."""
    vocabulary = guiapp.open_model(f"demo:{model}").vocabulary
    attributes, kinds = vocabulary.attributes.copy(), cycle(KINDS)
    texts = {vocabulary.raw_text(token): token for token in range(len(vocabulary) - 1, -1, -1)}
    for text in ("t", "th", "the", "he", "e", "in", "n", "ing", "\n", "\n\n", " ", "  ", "er", "a"):
        if (token := texts.get(text.encode())) is not None:
            attributes[token] = next(kinds)
    return Tokenizer(replace(vocabulary, attributes=attributes))


@pytest.mark.parametrize("model", [model.name for model in DEMO_MODELS])
@settings(max_examples=30)
@given(text=st.text("then ig\n\tr", max_size=40).map(str.encode) | prompts([b"then", b" in g"]))
def test_tokens_that_overlap_and_take_white_space_away_are_cut_out_in_order(model, text):
    tokenizer = with_special(model)
    for parse_special in (True, False):
        assert_same(tokenizer, text, parse_special=parse_special)


@pytest.mark.parametrize("seed", range(60))
def test_added_tokens_of_any_tokenizer_json(seed, tmp_path):
    rng = random.Random(seed)
    document = random_tokenizer(rng)
    (tmp_path / "tokenizer.json").write_text(json.dumps(document))
    try:
        tokenizer = guiapp.open_model(tmp_path / "tokenizer.json")
    except VocabError:
        return
    special = [token["content"].encode() for token in document["added_tokens"]] or [b"<s>"]
    for _ in range(12):
        text = b"".join(rng.choices([*SNIPPETS[:-3], *special, *special, b" "], k=rng.randrange(12)))
        assert_same(tokenizer, text, parse_special=rng.random() < 0.7)


@pytest.mark.parametrize("prepend", [[], [{"type": "Prepend", "prepend": "▁"}]])
@settings(max_examples=30)
@given(text=prompts([b"<s>", b"[M]", "▁a".encode()]), parse_special=st.booleans())
def test_a_normalizer_that_only_marks_spaces(prepend, text, parse_special, tmp_path_factory):
    replace_spaces = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    texts = [
        "<unk>",
        *(f"<0x{byte:02X}>" for byte in range(256)),
        *"▁theqx2",
        "▁▁",
        "th",
        "he",
        "the",
        "▁the",
    ]
    merges = ["▁ ▁", "t h", "h e", "th e", "▁ the"]
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    added = [("<s>", {"special": True}), ("[M]", {"special": False, "rstrip": True})]
    document = {
        "added_tokens": [
            {"id": len(texts) + number, "content": content, **flags, **own}
            for number, (content, own) in enumerate(added)
        ],
        "normalizer": {"type": "Sequence", "normalizers": [*prepend, replace_spaces]},
        "model": {
            "type": "BPE",
            "unk_token": "<unk>",
            "byte_fallback": True,
            "vocab": {each: number for number, each in enumerate(texts)},
            "merges": merges,
        },
    }
    path = tmp_path_factory.getbasetemp() / f"marked-{len(prepend)}.json"
    path.write_text(json.dumps(document))
    tokenizer = opened(path)
    assert tokenizer.pipeline.marks_spaces
    assert_same(tokenizer, text, parse_special=parse_special)


@pytest.mark.parametrize("model", [model.name for model in DEMO_MODELS])
def test_long_prompts_of_varied_segments_match_the_reference(model):
    tokenizer, rng = opened(f"demo:{model}"), random.Random(1)
    special = special_texts(tokenizer) or [b"<s>"]
    book = ("The quick brown fox isn't   here;\n\n\tit's 2024…  " * 30).encode()
    cuts = sorted(rng.sample(range(len(book)), 30))
    parts = [book[start:end] for start, end in pairwise(cuts)] * 2
    text = b"".join(
        part for pair in zip(rng.choices(special, k=len(parts)), parts, strict=True) for part in pair
    )
    assert_same(tokenizer, text)
    assert tokenizer.with_threads(3).encode_batch([text, text])[0].shape == (2, tokenizer.count(text))


@pytest.mark.parametrize("form", ["NFKD", "NFC"])
@settings(max_examples=30)
@given(text=prompts([b"<s>"], [*SNIPPETS, "ﬁ".encode(), b"a", b" b", b"c\n", "e\u0301".encode()]))
def test_a_pipeline_of_parts_encodes_segments_together(form, text, tmp_path_factory):
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    cutter = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True}
    document = {
        "added_tokens": [{"id": 256, "content": "<s>", "special": True, **flags}],
        "normalizer": {"type": form},
        "pre_tokenizer": cutter,
        "model": {
            "type": "BPE",
            "vocab": {chr(code): byte for byte, code in enumerate(CODE_POINTS.tolist())},
            "merges": [],
        },
    }
    path = tmp_path_factory.getbasetemp() / f"parts-{form}.json"
    path.write_text(json.dumps(document))
    tokenizer = opened(path)
    assert isinstance(tokenizer.pipeline, PartsPipeline)
    assert_same(tokenizer, b"<s>a" + "ﬁ".encode() + b"<s>b<s>" + text)
