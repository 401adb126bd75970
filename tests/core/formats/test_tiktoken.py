"""tiktoken's files, against tiktoken itself."""

from __future__ import annotations

import base64
import json
import random
from unicodedata import category, normalize

import pytest
import tiktoken
from conftest import SHARED
from fuzzing import SEED, rounds
from model_files import opened
from random_texts import LOOK_ALIKES, random_texts
from texts_for_components import SAMPLE_CHARACTERS, every_character
from tiktoken.load import load_tiktoken_bpe

import guiapp
from guiapp.core.formats.ranks import RANK_PATTERNS
from guiapp.core.formats.tiktoken import KNOWN_FILES, sniff
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.errors import UnknownPreError, VocabError

FORMATS = SHARED / "formats"
WORDS = (r"[^\r\n\p{L}\p{N}]?\p{L}+", r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
PATTERNS = {
    "cl100k_base.tiktoken": (
        r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"""
        r"""|\s++$|\s*[\r\n]|\s+(?!\S)|\s"""
    ),
    "llama-3.tokenizer.model": "|".join((CONTRACTIONS, WORDS[0], r"\p{N}{1,3}", WORDS[1])),
    "qwen.tiktoken": "|".join((CONTRACTIONS, WORDS[0], r"\p{N}", WORDS[1])),
}
"""As the makers of each publish it."""

ALL_BYTES = [bytes([byte]) for byte in range(256)]


def write(path, texts, first_rank=0, ending="\n"):
    rows = [
        f"{base64.b64encode(text).decode()} {rank}{ending}" for rank, text in enumerate(texts, first_rank)
    ]
    path.write_text("".join(rows))
    return path


@pytest.fixture(scope="module", params=PATTERNS)
def pair(request):
    """A known file as we read it, and as tiktoken does, given the same special tokens."""
    tokenizer = opened(FORMATS / request.param)
    vocabulary = tokenizer.vocabulary
    special = {
        vocabulary.raw_text(token).decode(): token
        for token in range(len(vocabulary))
        if vocabulary.attributes[token] & Attribute.CONTROL
    }
    ranks = load_tiktoken_bpe(str(FORMATS / request.param))
    pattern = PATTERNS[request.param]
    reference = tiktoken.Encoding("same", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)
    return tokenizer, reference


def readable_texts(seed, count, extra):
    for text in random_texts(seed, count, extra):
        try:
            yield text.decode()
        except UnicodeDecodeError:
            continue


def as_given_and_composed(tokenizer, text):
    """Qwen's own code composes characters first; which, depends on Python's version of Unicode."""
    if not tokenizer.vocabulary.rules.composes:
        return text, text
    text = "".join(character for character in text if category(character) != "Cn")
    return text, normalize("NFC", text)


def assert_same(pair, text):
    tokenizer, reference = pair
    given, text = as_given_and_composed(tokenizer, text)
    data = given.encode()
    actual = tokenizer.encode(data, add_special=False)
    assert actual.token_ids.tolist() == reference.encode(text, allowed_special="all"), text
    plain = tokenizer.encode(data, add_special=False, parse_special=False).token_ids.tolist()
    assert plain == reference.encode(text, disallowed_special=()), text
    assert data != text.encode() or [data[start:end] for start, end in actual.spans.tolist()] == [
        reference.decode_single_token_bytes(token) for token in actual.token_ids.tolist()
    ]
    assert tokenizer.decode_bytes(actual.token_ids) == text.encode()


@pytest.mark.real_vocabs
@pytest.mark.parametrize("count", [600, pytest.param(40_000, marks=pytest.mark.exhaustive)])
def test_ids_spans_and_bytes_are_tiktokens(pair, count):
    tokenizer, reference = pair
    rng = random.Random(1)
    tokens = [tokenizer.vocabulary.token_bytes(rng.randrange(100_000)) for _ in range(500)]
    extra = [*tokens, *(text.encode() for text in (*LOOK_ALIKES, *reference.special_tokens_set))]
    for text in readable_texts(7, count, extra):
        assert_same(pair, text)


@pytest.mark.real_vocabs
@pytest.mark.parametrize(
    "of_all", [False, pytest.param(True, marks=pytest.mark.exhaustive)], ids=["telling", "all"]
)
def test_characters_are_cut_as_tiktoken_cuts_them(pair, of_all):
    """Behind a letter, a number, a sign and an apostrophe; all that Unicode 16.0 says about it shows."""
    tokenizer, reference = pair
    characters = every_character() if of_all else SAMPLE_CHARACTERS
    for start in range(0, len(characters), 1000):
        text = "".join(f"a{each}1'{each} " for each in characters[start : start + 1000])
        given, text = as_given_and_composed(tokenizer, text)
        actual = tokenizer.encode(given, add_special=False, parse_special=False).token_ids
        assert actual.tolist() == reference.encode_ordinary(text)


@pytest.mark.real_vocabs
@rounds(usual=10, exhaustive=400)
def test_exact_encoders_and_their_references_agree(pair, count):
    tokenizer, _ = pair
    for text in random_texts(SEED, count):
        expected = tokenizer.encode(text)
        for encoder in tokenizer.exact_encoders:
            assert tokenizer.encode(text, encoder=encoder).token_ids.tolist() == expected.token_ids.tolist()
            readable = tokenizer.encode_readable(text, encoder=encoder)
            assert readable.token_ids.tolist() == expected.token_ids.tolist()
            assert readable.spans.tolist() == expected.spans.tolist()


@pytest.mark.real_vocabs
def test_known_files_are_identified_with_their_special_tokens():
    summaries = {}
    for name in PATTERNS:
        tokenizer = opened(FORMATS / name)
        vocabulary = tokenizer.vocabulary
        ends = [vocabulary.raw_text(token).decode() for token in sorted(vocabulary.eog)]
        summaries[vocabulary.name] = (vocabulary.pre, len(vocabulary), tokenizer.exactness.level, ends)
        assert vocabulary.library == "tiktoken" in tokenizer.exactness.reason
    assert summaries == {
        "cl100k_base": ("cl100k_base", 100277, "exact", ["<|endoftext|>"]),
        "Llama 3": ("llama-3", 128256, "exact", ["<|end_of_text|>", "<|eom_id|>", "<|eot_id|>"]),
        "Qwen": ("qwen", 151851, "exact", ["<|endoftext|>", "<|im_end|>"]),
    }
    llama = opened(FORMATS / "llama-3.tokenizer.model")
    assert llama.encode("<|eot_id|>").token_ids.tolist() == [128000, 128009]
    roles = llama.vocabulary.special_ids
    assert (roles.bos, roles.eos, roles.pad) == (128000, 128001, 128004)


@pytest.mark.real_vocabs
def test_llama_3s_ids_are_those_of_its_gguf():
    theirs = opened(SHARED / "vocabs" / "ggml-vocab-llama-bpe.gguf")
    ours = opened(FORMATS / "llama-3.tokenizer.model")
    assert len(ours.vocabulary) == len(theirs.vocabulary)
    for text in random_texts(5, 300):
        if "ſ" not in text.decode("utf-8", "replace"):  # llama.cpp takes it for no form of s
            actual, expected = (
                ours.encode(text, parse_special=False),
                theirs.encode(text, parse_special=False),
            )
            assert actual.token_ids.tolist() == expected.token_ids.tolist()


@pytest.mark.parametrize(
    "text",
    ["abab ba", "aaaa", "<|x|>", "don'ſt", "12345", "é日本 \n\n x"],
)
def test_an_unknown_file_is_split_with_the_chosen_pattern(tmp_path, text):
    path = write(tmp_path / "own.tiktoken", [*ALL_BYTES, b"ab", b"aba", b"abab", b"ba", b" ba", b"\xc3\xa9"])
    with pytest.raises(UnknownPreError, match="r50k_base keeps its tokens whole") as caught:
        guiapp.open_model(path)
    assert caught.value.pre == ""
    assert caught.value.likely == ("r50k_base", "cl100k_base", "llama-3", "qwen", "kimi", "o200k_base")
    for name, pattern in RANK_PATTERNS.items():
        tokenizer = guiapp.open_model(path, pre=name)
        assert tokenizer.exactness.level == "unknown pre"
        assert tokenizer.vocabulary.warnings == (
            f"Text is split as “{name}”, chosen by hand; the file gives neither that nor special tokens.",
        )
        reference = tiktoken.Encoding(
            "own", pat_str=pattern.source, mergeable_ranks=load_tiktoken_bpe(str(path)), special_tokens={}
        )
        assert tokenizer.encode(text).token_ids.tolist() == reference.encode(text, disallowed_special=())


def test_a_name_that_llama_cpp_knows_will_do_and_another_will_not(tmp_path):
    path = write(tmp_path / "own.tiktoken", ALL_BYTES)
    assert guiapp.open_model(path, pre="falcon").vocabulary.patterns[-1].source == "[0-9][0-9][0-9]"
    with pytest.raises(
        VocabError, match=r"There is no pre-tokenizer “fal\\ncon”\. Choose one of: cl100k_base"
    ):
        guiapp.open_model(path, pre="fal\ncon")


@pytest.mark.parametrize(
    ("tokens", "likely"),
    [
        (["été", " 2024"], "r50k_base"),
        (["123", "getElement", "!\n"], "cl100k_base"),
        (["getElement", "!\n"], "cl100k_base"),
        (["HelloThere", "e\u0301e\u0301", "12", "क्षि"], None),
        (["क्षि", "12", "don't", "的a"], "o200k_base"),
        (["क्षि", "12", "don't"], "kimi"),
        ([], None),
    ],
)
def test_a_hint_names_only_a_pattern_that_cuts_no_token(tmp_path, tokens, likely):
    path = write(tmp_path / "own.tiktoken", [*ALL_BYTES, *(token.encode() for token in tokens)])
    with pytest.raises(UnknownPreError) as caught:
        guiapp.open_model(path)
    assert likely in (None, caught.value.likely[0])
    assert [name for name in RANK_PATTERNS if name in str(caught.value)] == [likely] * bool(likely)


@pytest.mark.real_vocabs
@pytest.mark.parametrize("name", ["cl100k_base.tiktoken", "llama-3.tokenizer.model"])
def test_the_pattern_of_a_real_file_is_inferred_from_its_tokens(tmp_path, name):
    lines = (FORMATS / name).read_bytes().splitlines(keepends=True)
    (path := tmp_path / "unknown.tiktoken").write_bytes(b"".join(lines[:-1]))
    with pytest.raises(UnknownPreError, match=f"{name.partition('.')[0]} keeps its tokens whole"):
        guiapp.open_model(path)


def test_an_empty_token_has_its_rank_and_is_never_produced(tmp_path):
    for empty in ("= 257\n", " 257\n"):
        path = write(tmp_path / "own.tiktoken", [*ALL_BYTES, b"ab"])
        path.write_text(path.read_text() + empty)
        tokenizer = guiapp.open_model(path, pre="r50k_base")
        assert (len(tokenizer.vocabulary), tokenizer.decode_bytes([257, 256])) == (258, b"ab")
        for encoder in tokenizer.encoders:
            for text in ("", "ab", "a b\n\n ab"):
                ids = tokenizer.encode(text, encoder=encoder).token_ids.tolist()
                assert ids == tokenizer.encode_readable(text, encoder=encoder).token_ids.tolist()
                assert tokenizer.decode(ids) == text or encoder == "words"
                assert 257 not in ids


def test_known_files_have_the_special_tokens_of_their_makers():
    known = {file.name: file for file in KNOWN_FILES.values()}
    for name, n_tokens, texts in (
        ("Llama 4", 202048, {"<|eot|>": 200008, "<|patch|>": 200092, "<|reasoning_thinking_end|>": 201143}),
        ("Kimi K2", 163840, {"<|im_middle|>": 163601, "</think>": 163607, "[PAD]": 163839}),
        ("Whisper", 51865, {"<|endoftext|>": 50257, "<|notimestamps|>": 50363, "<|30.00|>": 51864}),
    ):
        special = known[name].special
        assert (max(special.values()) + 1, special | texts) == (n_tokens, special)


def test_kimis_pattern_keeps_marks_in_words_and_chinese_apart(tmp_path):
    texts = [*ALL_BYTES, "क्षि".encode(), "的是".encode(), b"don't", "的a".encode()]
    tokenizer = guiapp.open_model(write(tmp_path / "own.tiktoken", texts), pre="kimi")
    actual = tokenizer.encode("क्षि的是don't的a")
    assert actual.token_ids.tolist()[:3] == [256, 257, 258]
    assert 259 not in actual.token_ids


BITS = (
    *("<|im_end|>", "<|im_start|>", ">", "\u0338", "\u0334", "\u0301", "\u0327", "e", "é", "=", " ", "\n"),
    *("각", "\u1100", "\u1161", "क", "\u093c", "12"),
)


@pytest.mark.real_vocabs
@rounds(usual=300, exhaustive=20_000)
def test_qwens_own_code_composes_first_and_tiktoken_does_not(count):
    """A mark that joins the end of a special token leaves none there."""
    ranks, rng = load_tiktoken_bpe(str(FORMATS / "qwen.tiktoken")), random.Random(SEED)
    own, alone = (guiapp.open_model(FORMATS / "qwen.tiktoken", pre) for pre in (None, "tiktoken"))
    special = own.special_tokens.names
    pattern = PATTERNS["qwen.tiktoken"]
    reference = tiktoken.Encoding("same", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)
    texts = ["".join(rng.choices(BITS, k=rng.randint(1, 9))) for _ in range(count)]
    for text, row in zip(texts, own.encode_each(texts), strict=True):
        expected = reference.encode(normalize("NFC", text), allowed_special="all")
        encoding = own.encode(text)
        assert row.tolist() == encoding.token_ids.tolist() == expected, ascii(text)
        assert own.encode_readable(text).token_ids.tolist() == expected
        assert encoding.spans[-1, 1] == len(text.encode())
        assert alone.encode(text).token_ids.tolist() == reference.encode(text, allowed_special="all")
    assert (own.exactness.level, alone.exactness.level) == ("exact", "approximate")


@pytest.mark.real_vocabs
def test_sidecar_configs_are_ignored_when_read_as_tiktoken(tmp_path):
    ranks = (FORMATS / "cl100k_base.tiktoken").read_bytes()
    (tmp_path / "cl100k_base.tiktoken").write_bytes(ranks)
    named = {"100256": "<|dummy|>", "100262": "<|user|>", "100266": "<|end|>", "7": "(", "x": "y"}
    decoder = {key: {"content": text} for key, text in named.items()} | {"100263": "no object"}
    config = {"added_tokens_decoder": decoder, "eos_token": "<|end|>", "add_bos_token": True}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    own, alone = (guiapp.open_model(tmp_path, pre) for pre in (None, "tiktoken"))
    assert own.encode("<|user|>hi<|end|>").token_ids.tolist() == [100262, 6151, 100266]
    assert (own.vocabulary.special_ids.eos, own.vocabulary.rules.add_bos) == (100266, False)
    assert "<|endofprompt|>" not in own.special_tokens.names  # those of OpenAI are other models'
    actual = alone.encode("<|user|>hi<|end|><|endoftext|>").token_ids.tolist()
    assert (actual[:3], actual[-1]) == ([27, 91, 882], 100257)
    plain = guiapp.open_model(FORMATS / "cl100k_base.tiktoken").encode("<|user|>hi").token_ids
    assert actual[:6] == plain.tolist()


def test_the_tokenizer_class_in_a_config_selects_the_pattern(tmp_path):
    path = write(tmp_path / "own.tiktoken", [*ALL_BYTES, "é".encode()])
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "QWenTokenizer"}')
    assert guiapp.open_model(path).encode("e\u0301").token_ids.tolist() == [256]
    with pytest.raises(UnknownPreError):
        guiapp.open_model(path, "tiktoken")
    assert guiapp.open_model(path, "r50k_base").vocabulary.chosen_pre == "r50k_base"


def test_unassigned_ids_are_named_and_marked_unused(tmp_path):
    path = write(tmp_path / "own.tiktoken", [b"[PAD3]"[:1], b"\xff"], first_rank=2)
    vocabulary = guiapp.open_model(path, pre="qwen").vocabulary
    assert [vocabulary.raw_text(token) for token in range(4)] == [b"[PAD0]", b"[PAD1]", b"[", "ÿ".encode()]
    assert [vocabulary.kind(token) for token in range(4)] == ["unused", "unused", "normal", "normal"]
    assert "254 of the 256 byte tokens are missing" in vocabulary.warnings[-1]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"Iw==", "ends in the middle of a line"),
        (b"Iw== x", "has a line that is not a token in base64 and its rank"),
        (b"I 2", "has a line that is not a token in base64 and its rank"),
        (b"== 2", "has a line that is not a token in base64 and its rank"),
        (b"Iw== -1", "has a line that is not a token in base64 and its rank: “Iw== -1”. Download"),
        (b"I=== 2", "has a line that is not a token in base64 and its rank"),
        (b"I!== 2", "has a line that is not a token in base64 and its rank"),
        (b"Iw==Iw== 2", "has a line that is not a token in base64 and its rank"),
        (b"Iw==\nIw== 3", "has a line that is not a token in base64 and its rank: “Iw==”"),
        (b"=\n= 2", "has a line that is not a token in base64 and its rank: “=”"),
        (b"Iw== 0", "has two tokens with the id 0"),
        (b"IQ== 2", "has two equal tokens: 0 and 2 are both '!'"),
        (b"Iw== 70000", "has 3 tokens, but one has the id 70,000"),
        (b"Iw== 9223372036854775808", "has a line that is not a token in base64 and its rank"),
        (b"Iw== " + b"9" * 5000, "has a line that is not a token in base64 and its rank"),
    ],
)
def test_damaged_files_are_refused_in_a_sentence(tmp_path, line, expected):
    path = tmp_path / "bad.tiktoken"
    path.write_bytes(b"IQ== 0\nIg== 1\n" + line + b"\n")
    with pytest.raises(VocabError) as caught:
        guiapp.open_model(path, pre="qwen")
    assert str(caught.value).startswith(f"bad.tiktoken {expected}")
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_files_are_known_by_their_first_line_whatever_their_name(tmp_path, ending):
    path = write(tmp_path / "anything", ALL_BYTES, ending=ending)
    assert sniff(path.read_bytes()[:4096])
    assert len(guiapp.open_model(path, pre="qwen").vocabulary) == 256
    others = (
        b"",
        b"hello world 1\n",
        b"IQ==\nIg==\n",
        b"IQ== 0\n",
        b"IQ== 0\nIg== 2\n",
        b" IQ== 0\nIg== 1\n",
    )
    assert not any(map(sniff, (*others, b"IQ= 0\nIg== 1\n", b"word 7\nmore 5\n")))
