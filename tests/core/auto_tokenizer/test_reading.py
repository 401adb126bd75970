"""The reading of transformers: what the files of a folder do to it, and equality with AutoTokenizer."""

from __future__ import annotations

import json
import os
import random
import shutil
from contextlib import suppress
from pathlib import Path

import pytest
from conftest import SHARED
from token_lists import texts_with, write_vocab_json, write_vocab_txt

import guiapp
from guiapp.analysis.libraries.written_models import hugging_face_json, sentencepiece_model
from guiapp.cli.main import run
from guiapp.core.auto_tokenizer.classes import CLASSES, KEEPING
from guiapp.core.auto_tokenizer.reading import CLASS_BY_TYPE, TABLE, WRONG_CLASS, resolved
from guiapp.core.formats import json_parts as part
from guiapp.core.formats.tokenizer_config import FLAGS
from guiapp.core.vocabulary.byte_alphabet import CHARACTER_OF_BYTE
from guiapp.errors import EncodeError, VocabError

FAMILIES = {
    "bpe": "GPT2 Roberta Qwen2 Qwen3_5 GPTNeoX Cohere CodeGen Deberta Whisper CLIP",
    "spm": "Llama CodeLlama Gemma Siglip2",
    "wordpiece": "Bert DistilBert ConvBert MPNet Electra DPRReader",
    "unigram": "T5 XLMRoberta Albert XLNet DebertaV2 Camembert MBart FNet RemBert",
}
ROLES = [f"{role}_token" for role in ("bos", "eos", "unk", "sep", "pad", "cls", "mask")]
USER = {"content": "<|user|>", "special": True, "normalized": False}
BYTES = {character: number for number, character in enumerate(CHARACTER_OF_BYTE)}
EMPTY = {"added_tokens": []} | dict.fromkeys(("normalizer", "pre_tokenizer", "post_processor", "decoder"))
MARKS = {"▁": 0, "a": 1, "▁a": 2, "x": 3, "▁x": 4, "<s>": 5, "<unk>": 6}


def byte_pairs(**parts):
    vocab = BYTES | {"12": 256, "34": 257, "Ġa": 258}
    model = {"type": "BPE", "vocab": vocab, "merges": ["1 2", "3 4", "Ġ a"]}
    split = {"pre_tokenizer": part.BYTE_LEVEL, "decoder": part.BYTE_LEVEL}
    return EMPTY | split | {"model": model} | parts


def words(**parts):
    vocab = {text: row for row, text in enumerate(("[UNK]", "[CLS]", "[SEP]", "Hi", "hi", "hé", "he"))}
    model = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "vocab": vocab}
    cased = {"normalizer": part.bert_normalizer(False, False), "pre_tokenizer": part.BERT_SPLIT}
    return EMPTY | cased | {"model": model} | parts


def marked(**parts):
    added = [{"id": 5, "content": "<s>", "special": True, "normalized": False}]
    model = {"type": "BPE", "vocab": MARKS, "merges": ["▁ a", "▁ x"], "unk_token": "<unk>"}
    normalizer = part.normalizers(part.PREPENDS, part.MARKS)
    return EMPTY | {"normalizer": normalizer, "added_tokens": added, "model": model} | parts


def folder(path, document=None, **configs):
    """With a tokenizer.json, and configs by their names without .json."""
    path.mkdir(exist_ok=True)
    if document is not None:
        configs["tokenizer"] = {"version": "1.0", "truncation": None, "padding": None} | document
    for name, content in configs.items():
        (path / f"{name}.json").write_text(json.dumps(content))
    return path


def ids(path, text):
    return guiapp.open_model(path, reading="transformers").encode(text).token_ids.tolist()


SINGLE = byte_pairs(pre_tokenizer=part.pre_tokenizers(part.DIGITS, part.BYTE_LEVEL))
WITH_USER = byte_pairs(added_tokens=[{"id": 259, **USER}])
GPT2, LLAMA, BERT = ({"tokenizer_class": f"{name}Tokenizer"} for name in ("GPT2", "Llama", "Bert"))
LISTED = {"added_tokens_decoder": {"259": USER}}
STRIPS = {"added_tokens_decoder": {"259": USER | {"rstrip": True}}}


@pytest.mark.parametrize(
    ("document", "config", "text", "expected"),
    [
        (byte_pairs(), LISTED, "<|user|>12", [259, 256]),
        (byte_pairs(), {"additional_special_tokens": ["<|user|>"]}, "<|user|>", [259]),
        (byte_pairs(), {"extra_special_tokens": {"image_token": "<i>"}}, "<i>", [259]),
        (byte_pairs(), {"pad_token": "[P]"}, "[P]12", [259, 256]),
        (WITH_USER, STRIPS, "<|user|>\n 12", [259, 256]),
        (SINGLE, {}, "1234", [49, 50, 51, 52]),
        (SINGLE, GPT2, "1234", [256, 257]),
        (SINGLE, {"tokenizer_class": "GPT2TokenizerFast"}, "1234", [256, 257]),
        (SINGLE, LLAMA, "12", [49, 50]),
        (byte_pairs(), GPT2 | {"add_prefix_space": True}, "a", [258]),
        (words(), BERT, "Hi", [1, 4, 2]),
        (words(), BERT | {"do_lower_case": False}, "Hi", [1, 3, 2]),
        (words(), BERT | {"strip_accents": False}, "Hé", [1, 5, 2]),
        (words(), BERT, "Hé", [1, 6, 2]),
        (marked(), {}, " x<s>x", [0, 4, 5, 4]),
        (marked(), LLAMA | {"legacy": True}, " x<s>x", [4, 5, 4]),
        (marked(), LLAMA, " x<s>x", [4, 5, 3]),
    ],
)
def test_configs_count(tmp_path, document, config, text, expected):
    assert ids(folder(tmp_path, document, tokenizer_config=config), text) == expected


def test_other_files_of_a_folder_count_too(tmp_path):
    folder(tmp_path, byte_pairs(), added_tokens={"<|user|>": 259})
    assert ids(tmp_path, "<|user|>12") == [259, 256]
    folder(tmp_path, byte_pairs(), special_tokens_map={"cls_token": "[C]"})
    assert ids(tmp_path, "<|user|>[C]") == [259, 260]
    folder(tmp_path, SINGLE, config={"model_type": "gpt2"})
    assert ids(tmp_path, "1234") == [256, 257]


def test_a_class_reads_scores_as_pythons_json_does(tmp_path):
    """The library `tokenizers` rounds a number of a file otherwise, which decides between equal sums."""
    scores = {"<pad>": 0, "</s>": 0, "<unk>": -2, "▁": -2.0122928619384766}
    scores |= {"-": -5.129043102264404, "---": -12.130167007446289}
    model = {"type": "Unigram", "unk_id": 2, "vocab": [*scores.items()], "byte_fallback": False}
    path = folder(tmp_path, EMPTY | {"pre_tokenizer": part.metaspace(), "model": model})
    assert ids(path, "-------") == [3, 5, 5, 4]
    folder(path, tokenizer_config={"tokenizer_class": "T5Tokenizer", "extra_ids": 0})
    assert ids(path, "-------") == [3, 4, 5, 5, 1]


def test_flags_of_a_token_whose_id_another_has_count(tmp_path):
    special = {"pad_token": {"content": "[P]", "single_word": True}}
    folder(tmp_path, WITH_USER, added_tokens={"[P]": 259}, special_tokens_map=special)
    assert ids(tmp_path, "1[P]2") == [BYTES["1"], 260, BYTES["2"]]


def test_the_bos_switch_adds_a_token_without_a_tokenizer_json(tmp_path):
    folder(tmp_path, vocab=BYTES | {"<s>": 256}, tokenizer_config={"add_bos_token": True, "bos_token": "<s>"})
    (tmp_path / "merges.txt").write_text("#version: 0.2\n")
    folder(tmp_path, config={"model_type": "gpt2"})
    assert ids(tmp_path, "a") == [256, BYTES["a"]]


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ({"tokenizer_class": "MarianTokenizer"}, "MarianTokenizer, which is not known here"),
        ({"auto_map": {"AutoTokenizer": ["own.Slow", None]}}, "the model's own code"),
        ({"added_tokens_decoder": {"259": "<|user|>"}}, "does not read"),
        ({"added_tokens_decoder": {"259": USER | {"lstrip": 1}}}, "not valid"),
        ({"bos_token": ["<s>"]}, "bos_token"),
        ({"tokenizer_class": 5}, "tokenizer_class"),
        ({"split_special_tokens": True}, "split_special_tokens"),
        (
            {"tokenizer_class": "T5Tokenizer", "additional_special_tokens": {"a": "b"}}
            | {"extra_special_tokens": ["<c>"]},
            "does not read",
        ),
        ({"tokenizer_class": "WhisperTokenizer", "unk_token": " 1"}, "around texts"),
    ],
)
def test_what_cannot_be_read_so_is_refused(tmp_path, config, why):
    with pytest.raises(VocabError, match=why):
        ids(folder(tmp_path, byte_pairs(), tokenizer_config=config), "a")


def test_the_reading_is_offered_applied_and_named(tmp_path, capsys):
    folder(tmp_path, byte_pairs(), tokenizer_config={"added_tokens_decoder": {"259": USER}})
    own = guiapp.open_model(tmp_path)
    assert "transformers" in own.vocabulary.readings
    assert "Choose “transformers”" in own.exactness.reason
    chosen = guiapp.open_model(tmp_path, "transformers")
    assert (chosen.exactness.level, chosen.vocabulary.chosen_pre) == ("exact", "transformers")
    assert "transformers 5.24" in chosen.exactness.reason
    assert run(["tokenize", str(tmp_path), "--as", "transformers", "<|user|>"]) == 0
    assert run(["tokenize", str(tmp_path), "--as", "tokenizers", "<|user|>"]) == 0
    assert capsys.readouterr().out.splitlines() == ["259", "60 124 117 115 101 114 124 62"]
    with pytest.raises(VocabError, match="not read as transformers"):
        guiapp.open_model("demo:bpe", reading="transformers")


@pytest.mark.parametrize("name", ["tiktoken", "llama-first", "llama-legacy", "sentencepiece", "tokenizers"])
def test_a_reading_that_a_file_does_not_have_is_refused_as_one(capsys, name):
    with pytest.raises(VocabError, match=f"not read as {name}"):
        guiapp.open_model("demo:bpe", reading=name)
    assert run(["count", "demo:bpe", "a", "--as", name]) == 1
    assert f"not read as {name}" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["zz", ""])
def test_an_unknown_reading_is_refused_with_those_that_there_are(capsys, name):
    with pytest.raises(VocabError, match=f"no reading “{name}”.*transformers"):
        guiapp.open_model("demo:bpe", reading=name)
    with pytest.raises(SystemExit):
        run(["tokenize", "demo:bpe", "a", "--as", name])
    printed = capsys.readouterr().err
    assert f"invalid choice: '{name}'" in printed
    assert "transformers" in printed


def test_anchors_match_the_start_and_end_of_a_text(tmp_path):
    path = folder(tmp_path, byte_pairs(normalizer=part.matched(r"\A +| +\z", "")))
    assert ids(path, "  12  34  ") == [256, 32, 32, 257]
    assert ids(path, "   ") == []


# Against the library

EXTRA = ["<|user|>", "[PAD]", "<s>", "</s>", "<unk>", "é", "中", " sp", "a b", "the"]
ODD = [
    None, 5, -1, True, "x", [], {}, ["x"], {"a": 1}, 1.5, [None], {"content": 1}, {"__type": "AddedToken"},
]  # fmt: skip


def token(chance, texts):
    return {"content": chance.choice(texts)} | {
        flag: chance.random() < 0.3 for flag in FLAGS if chance.random() < 0.7
    }


def typed(chance, texts):
    return chance.choice([chance.choice(texts), token(chance, texts) | {"__type": "AddedToken"}])


def random_configs(chance, classes, texts, n_tokens):
    """The configs of a folder; each of their keys is sometimes there."""
    some = [*classes] * 8 + [*CLASSES, *KEEPING, "PreTrained", "Foo"]
    config = {"tokenizer_class": f"{chance.choice(some)}Tokenizer{chance.choice(['', 'Fast'])}"}
    rows = [n_tokens, n_tokens + 1, n_tokens + 2, chance.randrange(n_tokens)]
    listed = {str(chance.choice(rows)): token(chance, texts) for _ in range(chance.randrange(5))}
    config |= {"added_tokens_decoder": listed} if chance.random() < 0.4 else {}
    config |= {role: chance.choice([None, typed(chance, texts)]) for role in ROLES if chance.random() < 0.2}
    for key in ("additional_special_tokens", "extra_special_tokens"):
        if chance.random() < 0.2:
            tokens = [typed(chance, texts) for _ in range(chance.randrange(4))]
            config[key] = chance.choice([tokens, tokens, {"image_token": chance.choice(texts)}, None])
    switches = (
        "do_lower_case strip_accents tokenize_chinese_chars add_prefix_space add_bos_token add_eos_token "
        "legacy keep_accents clean_up_tokenization_spaces split_by_punct fix_mistral_regex"
    )
    config |= {key: chance.random() < 0.5 for key in switches.split() if chance.random() < 0.2}
    special = {role: chance.choice([token, typed])(chance, texts) for role in ROLES if chance.random() < 0.3}
    files = {"tokenizer_config": config, "special_tokens_map": special}
    files["added_tokens"] = {chance.choice(texts): chance.choice(rows) for _ in range(chance.randrange(4))}
    files["config"] = {"model_type": chance.choice([*CLASS_BY_TYPE, "foo"])}
    shares = {"tokenizer_config": 0.9, "special_tokens_map": 0.3, "added_tokens": 0.2, "config": 0.2}
    return {name: content for name, content in files.items() if chance.random() < shares[name]}


def random_folder(chance, path, documents):
    name = chance.choice([*documents])
    document = json.loads(documents[name])
    vocab = document["model"]["vocab"]
    known = [each[0] for each in vocab] if isinstance(vocab, list) else [*vocab]
    if chance.random() < 0.5:
        document["added_tokens"] = [{"id": len(vocab)} | dict.fromkeys(FLAGS, False) | USER]
    shutil.rmtree(path, ignore_errors=True)
    texts = EXTRA + chance.sample(known, 5)
    configs = random_configs(chance, FAMILIES[name].split(), texts, len(vocab))
    if chance.random() < 0.7:
        return folder(path, document, **configs), texts
    folder(path, **configs)
    if name == "bpe":
        write_vocab_json(path, document["model"])
    elif name == "wordpiece":
        write_vocab_txt(path, vocab)
    else:
        model = sentencepiece_model(guiapp.open_model(f"demo:{name}").vocabulary)
        (path / "tokenizer.model").write_bytes(model)
    return path, texts


def test_fnet_keeps_what_becomes_of_a_sentencepiece_model(tmp_path):
    path = folder(tmp_path, tokenizer_config={"tokenizer_class": "PreTrainedTokenizerFast"})
    model = sentencepiece_model(guiapp.open_model("demo:unigram").vocabulary)
    (path / "tokenizer.model").write_bytes(model)
    ids_before = ids(path, "Große Augen")
    folder(path, tokenizer_config={"tokenizer_class": "FNetTokenizer"})
    assert ids(path, "Große Augen") == ids_before
    pairs = guiapp.open_model("demo:spm").vocabulary
    (path / "tokenizer.model").write_bytes(sentencepiece_model(pairs))
    actual = ids(path, "the")[-2:]
    assert [pairs.raw_text(row) for row in actual] == ["▁t".encode(), b"he"], (
        "as Unigram, whatever the model says"
    )


@pytest.fixture(scope="module")
def documents():
    return {name: hugging_face_json(guiapp.open_model(f"demo:{name}")) for name in FAMILIES}


@pytest.fixture(scope="module")
def library():
    os.environ["HF_HUB_OFFLINE"] = "1"
    transformers = pytest.importorskip("transformers")
    transformers.logging.set_verbosity_error()
    return transformers.AutoTokenizer.from_pretrained


def agree(path, load, texts):
    """Ids are equal; "" where both refuse, or we do, whose class is not known here."""
    try:
        ours = guiapp.open_model(path, "transformers")
    except VocabError:
        return False
    theirs = load(path, trust_remote_code=False)
    for text in texts:
        try:
            expected = theirs(text)["input_ids"]
        except Exception:  # there is no token for unknown text
            with pytest.raises(EncodeError):
                ours.encode(text)
            continue
        assert ours.encode(text).token_ids.tolist() == expected, (path, text)
    return True


@pytest.mark.slow
@pytest.mark.parametrize("number", range(8))
def test_random_folders_give_the_ids_of_auto_tokenizer(tmp_path, documents, library, number):
    chance, n_agreed = random.Random(number), 0
    for _ in range(25):
        path, tokens = random_folder(chance, tmp_path / "folder", documents)
        n_agreed += agree(path, library, texts_with(number, 12, *tokens))
    assert n_agreed > 5


REAL = Path(os.environ.get("TOKENLOUPE_FOLDERS", SHARED / "folders"))


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "path", sorted(each.parent for each in REAL.glob("**/*config.json")), ids=lambda each: each.name
)
def test_real_folders_give_the_ids_of_auto_tokenizer(path, library):
    try:
        added = [each.content for each in guiapp.open_model(path).vocabulary.parts.added_tokens]
    except (VocabError, AttributeError):
        added = []
    if not agree(path, library, texts_with(0, 300, *EXTRA, *added)):
        pytest.skip("not known here")


def test_hostile_configs_are_refused_or_ignored(tmp_path, documents):
    chance = random.Random(0)
    for _ in range(150):
        path, _ = random_folder(chance, tmp_path / "folder", documents)
        for file in path.glob("*.json"):
            content = json.loads(file.read_text())
            for key in [*content]:
                if chance.random() < 0.2:
                    content[key] = chance.choice(ODD)
            file.write_text(json.dumps(content if chance.random() < 0.9 else chance.choice(ODD)))
        with suppress(VocabError):
            guiapp.open_model(path, "transformers")


def test_no_class_of_the_library_is_taken_for_an_unknown_name():
    assert {name for name in CLASS_BY_TYPE.values() if resolved(name) is None} == set()


@pytest.mark.slow
def test_the_table_of_classes_is_the_librarys(library):
    from transformers.models.auto import tokenization_auto as auto

    named = {key: name.removesuffix("Fast") for key, name in auto.TOKENIZER_MAPPING_NAMES.items() if name}
    assert named == CLASS_BY_TYPE
    assert auto.MODELS_WITH_INCORRECT_HUB_TOKENIZER_CLASS == WRONG_CLASS
    assert not set(TABLE["types_without_config"]) & set(auto.CONFIG_MAPPING_NAMES)
