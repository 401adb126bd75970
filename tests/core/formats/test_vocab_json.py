"""vocab.json and merges.txt, and CLIP's packed merges, against `tokenizers` told to do the same."""

from __future__ import annotations

import gzip
import os

import pytest
from conftest import SHARED, VOCABS
from model_files import opened
from token_lists import check, model_of, texts_with, write_vocab_json
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

import guiapp
from guiapp.core.formats import clip
from guiapp.core.formats.json_parts import CLIP_SPLIT, QWEN_SPLIT
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.errors import VocabError

GPT2_SPECIAL = ["<|endoftext|>"]
ROBERTA_SPECIAL = ["<s>", "</s>", "<unk>", "<pad>", AddedToken("<mask>", lstrip=True)]
CLIP_SPECIAL = ["<|startoftext|>", "<|endoftext|>"]
CLIP_FILE = SHARED / "formats" / "bpe_simple_vocab_16e6.txt.gz"


def byte_level(vocab, merges, special, *splits, **options):
    """As transformers builds its byte-level tokenizers."""
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges, **options))
    own = pre_tokenizers.ByteLevel(
        add_prefix_space=False, use_regex=not any(isinstance(each, str) for each in splits)
    )
    parts = [
        pre_tokenizers.Split(Regex(each), "isolated") if isinstance(each, str) else each for each in splits
    ]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*parts, own])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(special)
    return tokenizer


def between(tokenizer, first, last):
    sep, cls = ((text, tokenizer.token_to_id(text)) for text in (last, first))
    tokenizer.post_processor = processors.RobertaProcessing(
        sep, cls, trim_offsets=False, add_prefix_space=False
    )
    return tokenizer


def gpt2(vocab, merges):
    return byte_level(vocab, merges, GPT2_SPECIAL)


def prefixed_gpt2(vocab, merges):
    tokenizer = gpt2(vocab, merges)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    bos = GPT2_SPECIAL[0]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{bos} $A", pair=f"{bos} $A {bos} $B", special_tokens=[(bos, tokenizer.token_to_id(bos))]
    )
    return tokenizer


def roberta(vocab, merges):
    return between(byte_level(vocab, merges, ROBERTA_SPECIAL), "<s>", "</s>")


def qwen2(vocab, merges):
    tokenizer = byte_level(vocab, merges, GPT2_SPECIAL, QWEN_SPLIT["pattern"]["Regex"])
    tokenizer.normalizer = normalizers.NFC()
    return tokenizer


def clip_like(vocab, merges):
    split = pre_tokenizers.Split(Regex(CLIP_SPLIT["pattern"]["Regex"]), "removed", invert=True)
    tokenizer = byte_level(
        vocab, merges, CLIP_SPECIAL, split, end_of_word_suffix="</w>", unk_token="<|endoftext|>"
    )
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]
    )
    return between(tokenizer, *CLIP_SPECIAL)


FAMILIES = {
    "GPT-2": (gpt2, {"config": {"model_type": "gpt2"}}),
    "GPT-2 with a space and BOS": (
        prefixed_gpt2,
        {
            "tokenizer_config": {
                "tokenizer_class": "GPT2Tokenizer",
                "add_prefix_space": True,
                "add_bos_token": True,
            }
        },
    ),
    "RoBERTa": (roberta, {"tokenizer_config": {"tokenizer_class": "RobertaTokenizerFast"}}),
    "Qwen 2": (qwen2, {"tokenizer_config": {"tokenizer_class": "Qwen2Tokenizer"}}),
    "unknown": (gpt2, {"tokenizer_config": {"tokenizer_class": "SomethingTokenizer"}}),
    "nothing beside": (gpt2, {}),
}


def demo_rules():
    model = model_of(guiapp.open_model("demo:bpe"))
    return model | {"merges": [tuple(rule) for rule in model["merges"]]}


@pytest.mark.parametrize("name", FAMILIES)
def test_sidecar_files_identify_the_tokenizer(tmp_path, name):
    build, files = FAMILIES[name]
    model = demo_rules()
    path = write_vocab_json(tmp_path, model, **files)
    ours, theirs = guiapp.open_model(path), build(model["vocab"], model["merges"])
    for text in texts_with(7, 60, "<s>", "</s>", " <mask> ", "<|endoftext|>"):
        check(ours, theirs, text)
    warns = any("split as in GPT-2" in warning for warning in ours.vocabulary.warnings)
    assert warns == (name in ("unknown", "nothing beside"))
    assert guiapp.open_model(path.with_name("merges.txt")).vocabulary.path == path
    assert guiapp.open_model(tmp_path).vocabulary.path == path


@pytest.mark.real_vocabs
@pytest.mark.parametrize("count", [300, pytest.param(20_000, marks=pytest.mark.exhaustive)])
def test_gpt_2s_own_files_give_the_ids_of_tokenizers(tmp_path, count):
    model = model_of(opened(VOCABS / "ggml-vocab-gpt-2.gguf"))
    ours = guiapp.open_model(write_vocab_json(tmp_path, model, config={"model_type": "gpt2"}))
    theirs = gpt2(model["vocab"], [tuple(rule) for rule in model["merges"]])
    for text in texts_with(8, count, "<|endoftext|>"):
        check(ours, theirs, text)
        assert ours.decode(ours.encode(text).token_ids) == text


@pytest.mark.real_vocabs
@pytest.mark.parametrize("count", [300, pytest.param(20_000, marks=pytest.mark.exhaustive)])
def test_clips_file_gives_the_ids_of_tokenizers_with_the_same_rules(count):
    ours = opened(CLIP_FILE)
    lines = gzip.decompress(CLIP_FILE.read_bytes()).decode().split("\n")[1 : 49_152 - 256 - 2 + 1]
    merges = [tuple(line.split()) for line in lines]
    theirs = clip_like(clip_vocab(merges), merges)
    assert len(ours.vocabulary) == 49_408
    assert ours.encode("a diagram").token_ids.tolist() == [49406, 320, 22697, 49407]  # of CLIP's README
    assert any("ftfy" in warning for warning in ours.vocabulary.warnings)
    for text in texts_with(9, count, *CLIP_SPECIAL):
        check(ours, theirs, text)


def clip_vocab(merges):
    """As CLIP's own code derives it."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    letters = [*map(chr, plain), *(chr(256 + n) for n in range(256 - len(plain)))]
    texts = [*letters, *(letter + "</w>" for letter in letters), *map("".join, merges), *CLIP_SPECIAL]
    return {text: row for row, text in enumerate(texts)}


def test_what_ends_words_stands_for_a_space_and_the_end_of_texts_is_not_unknown(tmp_path):
    texts = [
        "a",
        "b",
        "Ġ",
        "<",
        "a</w>",
        "b</w>",
        "ab</w>",
        "</w>",
        "a</w>b",
        "<|startoftext|>",
        "<|endoftext|>",
    ]
    model = {"vocab": {text: row for row, text in enumerate(texts)}, "merges": [("a", "b</w>")]}
    sidecar_files = {"tokenizer_config": {"tokenizer_class": "CLIPTokenizer"}}
    vocabulary = guiapp.open_model(write_vocab_json(tmp_path, model, **sidecar_files)).vocabulary
    assert [*map(vocabulary.token_bytes, range(len(texts)))] == [
        *(b"a", b"b", b" ", b"<", b"a ", b"b ", b"ab ", b" "),
        *(b"a</w>b", b"<|startoftext|>", b"<|endoftext|>"),
    ]
    assert vocabulary.special_ids.unk == vocabulary.special_ids.eos == 10
    assert not vocabulary.effective_attributes[10] & Attribute.UNKNOWN


def test_a_missing_companion_file_is_reported(tmp_path):
    path = write_vocab_json(tmp_path, demo_rules())
    merges = path.with_name("merges.txt").rename(tmp_path / "m.txt")
    for given, missing in ((path, "merges.txt"), (merges, "vocab.json")):
        (tmp_path / "vocab.json").rename(tmp_path / "v.json") if given is merges else None
        with pytest.raises(VocabError, match=rf"and there is no {missing} next to it"):
            guiapp.open_model(given)


@pytest.mark.parametrize(
    ("vocab", "merges", "expected"),
    [
        (b'{"a": 0, "b": 1, "c": 2, "d": 3', b"", "vocab.json is not valid JSON"),
        (
            b'{"a": 0, "b": 1, "c": 2, "d": "x"}',
            b"",
            "vocab.json has a vocabulary that does not give each text an id",
        ),
        (b'{"a": 0, "b": 1, "c": 2, "d": 9223372036854775808}', b"", "vocab.json "),
        (
            b'{"a": 0, "b": 1, "c": 2, "d": 3}',
            b"a b c\n",
            "vocab.json has a merge rule that is not two texts",
        ),
        (b'{"a": 0, "b": 1, "c": 2, "d": 3}', b"a b\n", "vocab.json "),
        (b'{"a": 0, "b": 1, "c": 2, "d": 3}', b"\xff\n", "merges.txt is not UTF-8: byte 0 is 0xff"),
    ],
)
def test_damaged_files_are_refused_in_a_sentence(tmp_path, vocab, merges, expected):
    (tmp_path / "vocab.json").write_bytes(vocab)
    (tmp_path / "merges.txt").write_bytes(merges)
    with pytest.raises(VocabError) as caught:
        guiapp.open_model(tmp_path / "vocab.json").encode("ab")
    assert expected in str(caught.value)
    assert len(str(caught.value)) < 300


def test_a_file_of_hundreds_of_megabytes_is_not_read(tmp_path):
    path = write_vocab_json(tmp_path, demo_rules())
    os.truncate(path, 300 << 20)
    with pytest.raises(VocabError, match=r"vocab\.json is 314,572,800 bytes long"):
        guiapp.open_model(path)


def test_a_bomb_is_not_unpacked(tmp_path):
    path = tmp_path / "bomb.txt.gz"
    path.write_bytes(gzip.compress(clip.FIRST_LINE + b"0.2\n" + b"\0" * (40 << 20), 6))
    with pytest.raises(VocabError, match="unpacks to more than 33,554,432 bytes"):
        guiapp.open_model(path)
    path.write_bytes(path.read_bytes()[:-4000])
    with pytest.raises(VocabError, match=r"unpacks to more|is incomplete and cannot be unpacked"):
        guiapp.open_model(path)
