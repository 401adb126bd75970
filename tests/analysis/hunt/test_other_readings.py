"""Which other programs would give other ids for a model, with the shortest text that shows it."""

import json
import shutil

import pytest
from conftest import SHARED
from model_files import opened

import guiapp
from guiapp.analysis.hunt import other_readings as module
from guiapp.analysis.hunt.other_readings import other_readings
from guiapp.analysis.hunt.pair import LibrarySide
from guiapp.analysis.libraries.table import PEERS
from guiapp.analysis.libraries.written_models import hugging_face_json
from guiapp.core.formats.tiktoken import CL100K

FORMATS, VOCABS = SHARED / "formats", SHARED / "vocabs"
LETTERS = {letter: row for row, letter in enumerate("<|user>abc ")}


@pytest.fixture(autouse=True)
def few_texts(monkeypatch):
    """The samples and the special tokens show each difference of these tests; a hunt's texts go along."""
    monkeypatch.setattr(module, "MOST_OF_GENERATOR", 20)


def write(folder, config, **sections):
    """A tokenizer.json of single letters, and a config next to it."""
    content = {"added_tokens": [], "model": {"type": "BPE", "vocab": LETTERS, "merges": []}, **sections}
    (folder / "tokenizer.json").write_text(json.dumps(content))
    if config:
        (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return folder


def adding(text, **flags):
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "added_tokens_decoder": {str(len(LETTERS)): {"content": text, "special": True, **flags}},
    }


def test_without_configs_and_other_files_there_is_nothing_to_compare(tmp_path):
    assert other_readings(guiapp.open_model(write(tmp_path, {}))) == ()
    assert other_readings(guiapp.open_model("demo:bpe")) == ()


def test_a_token_that_only_the_config_has_is_the_shortest_text(tmp_path):
    own = guiapp.open_model(write(tmp_path, adding("<|user|>")))
    [reading] = other_readings(own, [b"ab", b"a<|user|>", b"b"])
    assert (reading.name, reading.is_same, reading.text) == ("transformers", False, b"<|user|>")
    assert reading.token_ids == (len(LETTERS),)
    assert list(reading.own_token_ids) == own.encode("<|user|>").token_ids.tolist()
    assert (reading.lines, reading.differing_lines) == (3, 1)
    [back] = other_readings(guiapp.open_model(tmp_path, "transformers"))
    assert (back.name, back.text, back.token_ids) == ("tokenizers", b"<|user|>", reading.own_token_ids)


def test_a_config_that_changes_nothing_gives_the_same_ids(tmp_path):
    [reading] = other_readings(guiapp.open_model(write(tmp_path, {"model_max_length": 9})))
    assert (reading.is_same, reading.differ, reading.text) == (True, 0, None)
    assert "same ids" in reading.sentence()


@pytest.mark.real_vocabs
def test_a_bos_difference_is_reported_for_the_empty_text(tmp_path):
    shutil.copy(FORMATS / "cl100k_base.tiktoken", tmp_path / "tiktoken.model")
    decoder = {str(row): {"content": text} for text, row in CL100K.items()}
    config = {"added_tokens_decoder": decoder, "bos_token": "<|endoftext|>", "add_bos_token": True}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    readings = {each.name: each for each in other_readings(guiapp.open_model(tmp_path), [b"b"])}
    reading = readings["tiktoken"]
    assert (reading.text, reading.token_ids, reading.own_token_ids) == (b"", (), (100257,))
    assert (reading.differ, reading.differing_lines) == (reading.compared, 1)


def test_of_a_class_that_is_not_known_there_is_no_verdict(tmp_path):
    model = guiapp.open_model(write(tmp_path, {"tokenizer_class": "PhobertTokenizer"}))
    [reading] = other_readings(model)
    assert (reading.is_same, reading.text) == (None, None)
    assert "PhobertTokenizer" in reading.why
    assert reading.record()["same"] is None


@pytest.mark.real_vocabs
def test_a_gguf_and_a_tokenizer_json_of_one_folder_are_compared(tmp_path):
    shutil.copy(VOCABS / "ggml-vocab-gpt-2.gguf", tmp_path)
    write(tmp_path, {})
    [reading] = other_readings(guiapp.open_model(tmp_path / "ggml-vocab-gpt-2.gguf"))
    assert (reading.name, reading.source) == ("tokenizers", "tokenizer.json")
    assert reading.is_same is False
    shutil.copy(VOCABS / "ggml-vocab-qwen2.gguf", tmp_path)  # which model's is the other file?
    assert not other_readings(guiapp.open_model(tmp_path / "ggml-vocab-gpt-2.gguf"))


@pytest.mark.real_vocabs
def test_the_gguf_that_llama_would_make_is_compared_once(tmp_path):
    gguf = VOCABS / "ggml-vocab-gpt-2.gguf"
    document = json.loads(hugging_face_json(opened(gguf)))
    document["added_tokens"] = [{"id": 50256, "content": "<|endoftext|>", "special": True}]
    (tmp_path / "tokenizer.json").write_text(json.dumps(document))
    (tmp_path / "config.json").write_text('{"architectures": ["GPT2LMHeadModel"]}')
    own = guiapp.open_model(tmp_path / "tokenizer.json")
    titles = {each.title: each.is_same for each in other_readings(own)}
    assert titles == {"transformers 5.24.0": True, "llama.cpp 2026.10 (converted to GGUF)": True}
    back = [each.name for each in other_readings(guiapp.open_model(tmp_path / "tokenizer.json", "llama.cpp"))]
    assert back == ["tokenizers", "transformers"]
    shutil.copy(gguf, tmp_path / "model.gguf")
    assert [each.source for each in other_readings(own) if each.name == "llama.cpp"] == ["model.gguf"]
    shutil.copy(VOCABS / "ggml-vocab-starcoder.gguf", tmp_path / "model.gguf")
    sources = [(each.source, each.is_same) for each in other_readings(own) if each.name == "llama.cpp"]
    assert sources == [("", True), ("model.gguf", False)]


@pytest.mark.real_vocabs
def test_what_mistral_common_reads_is_compared_from_either_side(tmp_path):
    tekken, pieces = tmp_path / "tekken.json", tmp_path / "tokenizer.model.v3"
    shutil.copy(FORMATS / "tekken_240718.json", tekken)
    (tmp_path / "tokenizer.json").write_text(hugging_face_json(opened(FORMATS / "tekken_240718.json")))
    [reading] = other_readings(guiapp.open_model(tmp_path / "tokenizer.json"), [b"<s>"])
    assert (reading.name, reading.source, reading.text) == ("mistral-common", "tekken.json", b"<s>")
    [reading] = other_readings(guiapp.open_model(tekken), [b"<s>"])
    assert (reading.name, reading.source, reading.text) == ("tokenizers", "tokenizer.json", b"<s>")
    tekken.unlink()
    shutil.copy(FORMATS / "mistral-v3.tokenizer.model.v3", pieces)
    [reading] = other_readings(guiapp.open_model(tmp_path / "tokenizer.json"))
    assert (reading.name, reading.source) == ("mistral-common", "tokenizer.model.v3")


@pytest.mark.real_vocabs
def test_tiktoken_alone_does_not_compose_for_qwen():
    qwen = opened(FORMATS / "qwen.tiktoken")
    [reading] = other_readings(qwen, ["é".encode(), b"e\xcc\x81"])
    assert (reading.name, reading.differing_lines) == ("tiktoken", 1)
    assert reading.text.decode() != qwen.decode(reading.own_token_ids)


def test_doctor_warns_of_a_config_that_changes_ids(tmp_path):
    findings = guiapp.doctor(write(tmp_path, adding("<|user|>"))).findings
    [finding] = [each for each in findings if each.code == "readings_differ"]
    assert (finding.severity, finding.changes.text) == ("warning", "<|user|>")
    assert "transformers 5.24.0" in finding.what
    (tmp_path / "tokenizer_config.json").unlink()
    assert "readings_differ" not in [each.code for each in guiapp.doctor(tmp_path).findings]


# Against the library itself


@pytest.fixture
def library():
    if not PEERS["transformers"].is_installed:
        pytest.skip("transformers is not installed")
    return lambda folder: LibrarySide("transformers", guiapp.open_model(folder))


@pytest.mark.slow
def test_the_library_gives_the_ids_that_are_foretold(library, tmp_path):
    folder = write(tmp_path, adding("<|user|>", rstrip=True))
    side, own = library(folder), guiapp.open_model(folder)
    [reading] = other_readings(own)
    assert PEERS["transformers"].version == reading.version
    for text in (reading.text, b"<|user|>  ab", b"a b", b"<|user|"):
        expected = guiapp.open_model(folder, "transformers").encode(text, add_special=False)
        assert side.encode_each([text])[0].tolist() == expected.token_ids.tolist()
    assert side.spans(b"b<|user|>  a") == ((0, 1), (1, 11), (11, 12))
    assert b"<|user|>" in side.special_texts


@pytest.mark.slow
def test_code_of_a_model_is_not_run(library, tmp_path):
    config = {"auto_map": {"AutoTokenizer": ["own.Own", None]}, "tokenizer_class": "Own"}
    ran = tmp_path / "ran"
    (tmp_path / "own.py").write_text(f"open({str(ran)!r}, 'w')\nclass Own: pass\n")
    with pytest.raises(guiapp.TokenloupeError):
        library(write(tmp_path, config))
    assert not ran.exists()
