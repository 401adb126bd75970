"""What llama.cpp gets from a folder: the ids of its own files, and those of llama.cpp itself."""

import json
import os
import random
import shutil
from contextlib import suppress
from pathlib import Path

import pytest
from conftest import SHARED
from llama_equality import check, llama_oracle
from model_files import special_texts
from random_texts import text_of

import guiapp
from guiapp import VocabError
from guiapp.analysis.libraries.written_models import hugging_face_json, sentencepiece_model
from guiapp.core.formats.table import load_vocabulary
from guiapp.core.llama_converter.architectures import converter
from guiapp.core.llama_converter.conversion import ROUTES
from guiapp.core.llama_converter.vocabulary import converted_file
from guiapp.core.pretokenize.pre_tokenizers import PRE_TOKENIZERS
from guiapp.core.sources.tokenizer_files import file_in
from guiapp.core.vocabulary.attributes import CONTROL_TYPE, USER_DEFINED_TYPE
from guiapp.core.vocabulary.opening import Opening
from guiapp.core.vocabulary.special_ids import ARCHITECTURES as KNOWN

FORMATS, VOCABS = SHARED / "formats", SHARED / "vocabs"
ARCHITECTURES = {
    "bert-bge": "BertModel",
    "deepseek-coder": "LlamaForCausalLM",
    "gemma-4": "Gemma4ForCausalLM",
    "gpt-2": "GPT2LMHeadModel",
    "llama-bpe": "LlamaForCausalLM",
    "llama-spm": "LlamaForCausalLM",
    "qwen2": "Qwen2ForCausalLM",
    "starcoder": "GPTBigCodeForCausalLM",
}
SLOW = ("deepseek-coder", "gemma-4", "llama-bpe", "qwen2")
LETTERS = {letter: row for row, letter in enumerate("abc ")}


def folder_of(name, folder):
    """The folder that a GGUF was made of, as far as its vocabulary tells, and the GGUF."""
    folder.mkdir()
    original = guiapp.open_model(VOCABS / f"ggml-vocab-{name}.gguf")
    vocabulary = original.vocabulary
    if name.endswith("spm"):
        (folder / "tokenizer.model").write_bytes(sentencepiece_model(vocabulary))
    else:
        document = json.loads(hugging_face_json(original))
        before, after = original.special_affixes()
        pieces = [{"SpecialToken": {"id": str(each), "type_id": 0}} for each in (*before, *after)]
        pieces.insert(len(before), {"Sequence": {"id": "A", "type_id": 0}})
        special = {str(each): {"id": str(each), "ids": [each], "tokens": ["x"]} for each in (*before, *after)}
        template = {"type": "TemplateProcessing", "single": pieces, "pair": [], "special_tokens": special}
        document["post_processor"] = template if special else None
        kinds = dict(enumerate(vocabulary.stored_types.tolist()))
        document["added_tokens"] = [
            {"id": row, "content": vocabulary.raw_text(row).decode(), "special": kind == CONTROL_TYPE}
            for row, kind in kinds.items()
            if kind in (CONTROL_TYPE, USER_DEFINED_TYPE)
        ]
        (folder / "tokenizer.json").write_text(json.dumps(document))
        control = [each["content"] for each in document["added_tokens"] if each["special"]]
        (folder / "tokenizer_config.json").write_text(json.dumps({"additional_special_tokens": control}))
    ids = {f"{role}_token_id": row for role, row in vars(vocabulary.special_ids).items() if row is not None}
    config = {"architectures": [ARCHITECTURES[name]], "vocab_size": len(vocabulary), **ids}
    (folder / "config.json").write_text(json.dumps(config))
    return original


def equal_llama(path, file, count):
    """Whether the reading of a folder has the ids of llama.cpp for the GGUF that is made of it."""
    path = file_in(Path(path))
    ours = guiapp.open_model(path, reading="llama.cpp")
    quiet = Opening(lambda _share: None)
    data, _ = converted_file(path, quiet, lambda other: load_vocabulary(other, pre="transformers"))
    file.write_bytes(data)
    with llama_oracle() as oracle:
        check(ours, oracle.load(str(file)), count)


@pytest.mark.real_vocabs
@pytest.mark.parametrize(
    "name",
    [pytest.param(each, marks=[pytest.mark.slow] if each in SLOW else []) for each in ARCHITECTURES],
)
def test_a_folder_has_the_ids_of_the_gguf_that_was_made_of_it(tmp_path, name):
    original = folder_of(name, tmp_path / name)
    reading = guiapp.open_model(tmp_path / name, reading="llama.cpp")
    assert (reading.exactness.level, reading.vocabulary.library) == ("exact", "llama.cpp")
    assert reading.vocabulary.patterns == original.vocabulary.patterns
    extra = special_texts(original, 50)
    for index in range(100):
        text = text_of(0, index, extra)
        assert reading.encode(text).token_ids.tolist() == original.encode(text).token_ids.tolist(), text


@pytest.mark.slow
@pytest.mark.real_vocabs
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_llama_itself_gives_these_ids(tmp_path, name):
    folder_of(name, tmp_path / name)
    equal_llama(tmp_path / name, tmp_path / "converted.gguf", 300)


REAL = Path(os.environ.get("TOKENLOUPE_FOLDERS", SHARED / "folders"))


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "path", sorted(each.parent for each in REAL.glob("**/*config.json")), ids=lambda each: each.name
)
def test_llama_itself_gives_the_ids_of_real_folders(tmp_path, path):
    try:
        equal_llama(path, tmp_path / "converted.gguf", 300)
    except VocabError as error:
        pytest.skip(str(error))


def write(folder, model=None, config=None, **sections):
    folder.mkdir(exist_ok=True)
    content = {"added_tokens": [], "model": {"type": "BPE", "vocab": LETTERS, "merges": []}, **sections}
    (folder / "tokenizer.json").write_text(json.dumps(content))
    for name, values in (("config.json", model), ("tokenizer_config.json", config)):
        if values is not None:
            (folder / name).write_text(json.dumps(values))
    return folder


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ({"architectures": ["GPT2LMHeadModel"]}, r"hash of a text's ids is [0-9a-f]{64}"),
        ({"architectures": ["WhisperForConditionalGeneration"]}, "Whisper.* does not know"),
        ({"architectures": ["Plamo2ForCausalLM"]}, "not followed here"),
        ({"architectures": ["BaichuanForCausalLM"]}, r"no tokenizer\.model"),
        ({"architectures": ["GPT2LMHeadModel"], "vocab_size": 2}, "room for 2"),
        ({"architectures": ["GPT2LMHeadModel"], "vocab_size": "x"}, "config"),
        ({"architectures": 5}, "config"),
        ({}, r"no config\.json"),
    ],
)
def test_what_the_converter_refuses_is_refused_with_the_reason(tmp_path, model, reason):
    with pytest.raises(VocabError, match=reason):
        guiapp.open_model(write(tmp_path, model), reading="llama.cpp")


@pytest.mark.real_vocabs
def test_without_a_config_the_class_of_the_tokenizer_suggests_an_architecture(tmp_path):
    shutil.copy(FORMATS / "mistral-v1.tokenizer.model", tmp_path / "tokenizer.model")
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "LlamaTokenizer"}')
    assert "llama.cpp" not in guiapp.open_model(tmp_path).vocabulary.readings
    exactness = guiapp.open_model(tmp_path, reading="llama.cpp").exactness
    assert exactness.level == "approximate"
    assert "LlamaForCausalLM" in exactness.reason


@pytest.mark.real_vocabs
def test_a_gguf_is_read_so_anyway_and_other_files_are_not():
    assert guiapp.open_model("demo:bpe", reading="llama.cpp").vocabulary.chosen_pre == ""
    with pytest.raises(VocabError, match=r"not read as llama\.cpp"):
        guiapp.open_model(FORMATS / "qwen.tiktoken", reading="llama.cpp")


def test_all_that_the_table_names_is_known_here():
    routes = {each["route"] for each in converter()["architectures"].values()}
    assert routes == {*ROUTES, ""}
    architectures = {each["architecture"] for each in converter()["architectures"].values()}
    assert architectures <= {*KNOWN.split()}
    of_words = {"jina-v2-en", "bert-bge-large"}
    assert {*converter()["pre_of_hash"].values()} - of_words <= {*PRE_TOKENIZERS}


@pytest.mark.real_vocabs
def test_hostile_configs_are_refused_or_ignored(tmp_path):
    chance = random.Random(0)
    odd = [None, 5, -1, True, "x", [], {}, ["x"], {"a": 1}, [None], {"content": 1}, 1 << 70]
    roles = ("bos", "eos", "unk", "cls", "sep", "pad", "eot")
    for number in range(60):
        folder = tmp_path / str(number)
        folder.mkdir()
        shutil.copy(FORMATS / "mistral-v1.tokenizer.model", folder / "tokenizer.model")
        config = {"add_bos_token": True, "added_tokens_decoder": {"5": {"content": "<x>"}}}
        config |= {"added_tokens_decoder": chance.choice([{}, {"-1": {"content": "x"}}, {"7": 5}, [], None])}
        model = {
            "vocab_size": 32_000,
            "architectures": [chance.choice(["LlamaForCausalLM", "Phi3ForCausalLM"])],
        }
        for role in roles:
            config[f"{role}_token"] = chance.choice([*odd, "<s>"])
            model[f"{role}_token_id"] = chance.choice(odd)
        for values in (config, model):
            key = chance.choice([*values])
            values[key] = chance.choice(odd)
        processors = [{"type": kind, "single": chance.choice(odd), "pair": chance.choice(odd)} for kind in
                      ("TemplateProcessing", "RobertaProcessing", "Sequence")]  # fmt: skip
        write(folder, model, config, post_processor=chance.choice([*odd, *processors]))
        with suppress(VocabError):
            guiapp.open_model(folder, reading="llama.cpp")
