"""BERT's vocab.txt, against `tokenizers` told to do what `transformers` does."""

from __future__ import annotations

import unicodedata

import pytest
from conftest import VOCABS
from model_files import opened
from token_lists import check, model_of, texts_with, write_vocab_txt
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

import guiapp
from guiapp.core.encode import tokenizer as tokenizers
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.errors import VocabError

SPECIAL = ("[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]")
WORDS = [
    "the",
    "un",
    "##able",
    "##aff",
    "a",
    "##b",
    "é",
    "e",
    "中",
    "##文",
    "Ab",
    "ab",
    "##!",
    "!",
    "<",
    "x",
    "##x",
]
SMALL = {text: row for row, text in enumerate([*SPECIAL, *WORDS])}


def reference(vocab, added=(), chinese=True, **options):
    """As transformers builds a BertTokenizer."""
    tokenizer = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=chinese, **{"strip_accents": None, "lowercase": True, **options}
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(prefix="##")
    tokenizer.add_tokens([token for token in added if not token.special])
    tokenizer.add_special_tokens([*SPECIAL, *(token for token in added if token.special)])
    ends = [(text, tokenizer.token_to_id(text)) for text in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=ends
    )
    return tokenizer


CONFIGS = {
    "none": (None, {}),
    "cased": ({"do_lower_case": False}, {"lowercase": False}),
    "accents stay": ({"strip_accents": False}, {"strip_accents": False}),
    "accents go": (
        {"do_lower_case": False, "strip_accents": True},
        {"lowercase": False, "strip_accents": True},
    ),
    "Chinese words": ({"tokenize_chinese_chars": False}, {"chinese": False}),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_the_sidecar_config_defines_normalization(tmp_path, name):
    settings, options = CONFIGS[name]
    files = {} if settings is None else {"tokenizer_config": settings}
    ours = guiapp.open_model(write_vocab_txt(tmp_path, SMALL, **files))
    theirs = reference(SMALL, **options)
    for text in ("the Unable é中文 Ab", *texts_with(3, 60, *SPECIAL, *WORDS)):
        check(ours, theirs, text)
    warns = any("lower case" in warning for warning in ours.vocabulary.warnings)
    assert warns == ("do_lower_case" not in (settings or {}))


@pytest.mark.parametrize("words", [["Ab", "un-able"], None])
def test_never_split_words_are_reported_but_still_split(tmp_path, words):
    settings = {"do_lower_case": True, "never_split": words}
    ours = guiapp.open_model(write_vocab_txt(tmp_path, SMALL, tokenizer_config=settings))
    check(ours, reference(SMALL), "Ab un-able Un-Able")
    reported = [warning for warning in ours.vocabulary.warnings if "never_split" in warning]
    assert len(reported) == bool(words)


CODES = [*range(0x3200), *range(0xA000, 0xAC80), *range(0xF8F0, 0x10100), *range(0x10200, 0x30000, 61)]


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("codes", [CODES[::3], pytest.param(range(0x20000), marks=pytest.mark.exhaustive)])
def test_every_character_becomes_what_it_becomes_in_tokenizers(tmp_path, name, codes):
    settings, options = CONFIGS[name]
    characters = [chr(code) for code in codes if not 0xD800 <= code < 0xE000]
    parts = [
        *characters,
        *"".join(characters).lower(),
        *unicodedata.normalize("NFD", "".join(characters)),
        *"ab!",
    ]
    lines = [*SPECIAL, *(f"{mark}{part}" for part in parts for mark in ("", "##") if not part.isspace())]
    vocab = {text: row for row, text in enumerate(dict.fromkeys(lines))}
    files = {} if settings is None else {"tokenizer_config": settings}
    ours, theirs = guiapp.open_model(write_vocab_txt(tmp_path, vocab, **files)), reference(vocab, **options)
    for start in range(0, len(characters), 200):
        some = characters[start : start + 200]
        for text in (
            "".join(f"a{each}b {each}!" for each in some),
            *(f"a{each}b {each}" for each in some[::9]),
        ):
            expected = theirs.encode(text, add_special_tokens=False).ids
            for encoder in ours.exact_encoders:
                assert ours.encode(text, False, encoder=encoder).token_ids.tolist() == expected, text


@pytest.mark.parametrize(
    "text", ["x" * 100, "x" * 101, "é" * 100, "é" * 101, "中" * 300, "a가 b", "▁the", "a\u0301\u0316"]
)
def test_what_the_fast_encoder_cannot_do_goes_the_long_way(tmp_path, text):
    vocab = {
        text: row
        for row, text in enumerate([*SPECIAL, *"xeab中", "##x", "##e", "the", "##\u1100", "##\u1161"])
    }
    ours, theirs = guiapp.open_model(write_vocab_txt(tmp_path, vocab)), reference(vocab)
    for each in (text, f"a {text} b", f"{text}{text}"):
        check(ours, theirs, each)
        many = ours.encode_each([each, "a", each], add_special=False)
        assert [row.tolist() for row in many][::2] == [theirs.encode(each, add_special_tokens=False).ids] * 2
    assert ours.encoders["fast"].exact


def test_special_tokens_come_from_the_sidecar_files(tmp_path):
    ours = guiapp.open_model(
        write_vocab_txt(
            tmp_path,
            SMALL,
            special_tokens_map={
                "mask_token": {"content": "[MASK]", "lstrip": True, "normalized": False},
                "additional_special_tokens": ["<new>"],
            },
            added_tokens={"two Words": len(SMALL) + 1, "<new>": len(SMALL)},
        )
    )
    added = [AddedToken("<new>", special=True), AddedToken("two Words", normalized=True)]
    theirs = Tokenizer.from_str(reference(SMALL).to_str())
    theirs.add_special_tokens([added[0]])
    theirs.add_tokens([added[1]])
    for text in (
        "a<new>b Two words [CLS]x",
        "the two wordsx <new>",
        *texts_with(4, 40, "<new>", "two Words"),
    ):
        if "[MASK]" not in text:
            check(ours, theirs, text)
    assert ours.encode("a [MASK]", False).spans.tolist() == [[0, 1], [1, 8]]
    ids = ours.vocabulary.special_ids
    assert (ids.bos, ids.sep, ids.pad, ids.mask, ids.unk) == (3, 1, 2, 4, 0)


def test_added_tokens_are_special_only_if_a_file_declares_it(tmp_path):
    listed = {"22": {"content": "two words"}, "23": {"content": "<new>", "special": True}}
    model = guiapp.open_model(
        write_vocab_txt(tmp_path, SMALL, tokenizer_config={"added_tokens_decoder": listed})
    )
    attributes = model.vocabulary.attributes
    assert [Attribute(int(attributes[token])) for token in (22, 23)] == [
        Attribute.USER_DEFINED,
        Attribute.CONTROL,
    ]


@pytest.mark.real_vocabs
@pytest.mark.parametrize("count", [300, pytest.param(20_000, marks=pytest.mark.exhaustive)])
def test_a_real_vocabulary_gives_the_ids_of_tokenizers(tmp_path, count):
    vocab = model_of(opened(VOCABS / "ggml-vocab-bert-bge.gguf"))["vocab"]
    ours, theirs = guiapp.open_model(write_vocab_txt(tmp_path, vocab)), reference(vocab)
    assert len(ours.vocabulary) == 30_522
    assert ours.vocabulary.name == tmp_path.name
    for text in texts_with(5, count, *SPECIAL):
        check(ours, theirs, text)


@pytest.mark.parametrize(
    ("data", "config", "expected"),
    [
        (b"[UNK]\n[CLS]\n\xff\n", {}, "is not UTF-8: byte 12 is 0xff"),
        (b"[UNK]\n[CLS]\n" + b"\n" * (1 << 20), {}, "has more than 1,048,576 lines"),
        (b"[UNK]\n[CLS]\n", {"added_tokens_decoder": 5}, "does not have the layout of such files"),
        (b"[UNK]\n[CLS]\n", {"unk_token": {"x": 1}}, "does not have the layout of such files"),
        (b"[UNK]\n[CLS]\n", {"do_lower_case": "perhaps"}, ""),
    ],
)
def test_damaged_files_are_refused_in_a_sentence(tmp_path, data, config, expected):
    path = write_vocab_txt(tmp_path, {}, tokenizer_config=config)
    path.write_bytes(data)
    with pytest.raises(VocabError) as caught:
        guiapp.open_model(path)
    assert str(caught.value).startswith(f"vocab.txt {expected}")
    assert len(str(caught.value)) < 300


def test_long_texts_are_encoded_in_parts_as_in_one(tmp_path, monkeypatch):
    monkeypatch.setattr(tokenizers, "LEAST_LONG_BYTES", 200)
    monkeypatch.setattr(tokenizers, "LEAST_PART", 50)
    ours = guiapp.open_model(write_vocab_txt(tmp_path, SMALL)).with_threads(3)
    text = "".join([*texts_with(9, 300, *WORDS), "가", "x" * 300, *texts_with(10, 300, *WORDS)])
    encoding, whole = ours.encode(text), ours.with_threads(1).encode(text)
    assert encoding.token_ids.tolist() == whole.token_ids.tolist() == reference(SMALL).encode(text).ids
    assert encoding.spans.tolist() == whole.spans.tolist()
