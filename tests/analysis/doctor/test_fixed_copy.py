"""Planted faults in fixed copies: they are gone, and the copies give the ids of the files without faults."""

import json
import pickle
import random
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from faults import FAULTS, Fault, all_of, template, untouched, write
from full_disk import full_disk
from gguf_builder import Raw
from model_files import opened
from planted import set_key
from small_files import bpe, spm

import guiapp
from guiapp.analysis.doctor.doctor import doctor
from guiapp.analysis.doctor.fixed_copy import FixError, save_fixed
from guiapp.analysis.doctor.fixed_report import ids_in_words, record
from guiapp.analysis.doctor.fixes import FIXES
from guiapp.analysis.libraries.llama_library import LlamaVocabulary

CHOICES = {
    ("pre_missing", "qwen2"): "qwen2",
    ("pre_missing", "demo:bpe"): "llama-bpe",
    ("pre_of_other_family", "llama-bpe"): "llama-bpe",
    ("pre_of_other_family", "qwen2"): "qwen2",
    ("pre_of_other_family", "demo:bpe"): "llama-bpe",
    ("kind_out_of_range", "llama-spm"): "normal",
    ("kind_out_of_range", "gpt-2"): "normal",
    ("unknown_marked_twice", "llama-spm"): "normal",
    ("word_marked_control", "llama-spm"): "normal",
    ("byte_misnamed", "llama-spm"): "normal",
    ("role_is_text", "qwen2"): "eos:151643",
    ("end_of_turn_goes_on", "llama-bpe"): "128014",
    ("end_of_turn_goes_on", "starcoder"): "34",
    ("end_of_turn_goes_on", "claude-2.tokenizer.json"): "65000",
    ("bos_twice", "llama-spm"): "no_bos",
}
NOT_IN_COPIES = {
    *(("no_end", "demo:rwkv"), ("template_role_missing", "demo:rwkv"), ("bos_twice", "llama-bpe")),
    *(("marker_is_text", "llama-bpe"), ("marker_is_text", "claude-2.tokenizer.json")),
    *(("word_marked_control", name) for name in ("claude-2.tokenizer.json", "mistral-v1.tokenizer.model")),
}
FIXED = [each for each in FAULTS if each.code in FIXES and each[:2] not in NOT_IN_COPIES]
TEXTS = (
    "Hello world, it's 12345!  We'LL see…\n\n\tdef f(x): return x",
    "<|im_start|>user\nnaïve 汉字 мир 🚀<|im_end|><|eot_id|><s></s>[CLS]",
    " of the  of<0x0A>\r\n x²+y² The End",
)


@cache
def ids_of(path: str, add_special: bool) -> list[list[int]]:
    return [opened(path).encode(text, add_special).token_ids.tolist() for text in TEXTS]


def test_enough_faults_are_fixed():
    assert len(FIXED) == 50


@pytest.mark.slow
@pytest.mark.real_vocabs
@pytest.mark.parametrize("fault", sorted(FIXED, key=lambda fault: fault.model), ids=str)
def test_a_fixed_copy_has_no_such_finding_and_the_ids_of_the_file_without_the_fault(fault, tmp_path: Path):
    original = opened(untouched(fault.model)) if fault.is_against_original else None
    path = write(fault, tmp_path)
    only = [f"{fault.code}={choice}"] if (choice := CHOICES.get(fault[:2])) else None
    diagnosis = pickle.loads(pickle.dumps(doctor(path, original)))
    assert fault.code in {each.code for each in diagnosis.findings}
    assert diagnosis.fixes[fault.code].is_certain is (choice is None)
    out = tmp_path / ("copy.gguf" if path.suffix == ".gguf" else "copy")
    fixed = save_fixed(path, diagnosis, out, only, original, seconds=0)
    assert fault.code in fixed.fixed
    assert fault.code not in {each.code for each in doctor(out, original).findings}
    assert fixed.changes
    copy = guiapp.open_model(out)
    with_special = fault.code != "bos_twice" and fault[:2] != ("role_is_text", "gpt-2")  # which adds BOS
    if fault.code not in ("role_missing", "template_role_missing"):  # of other pre-tokenizers
        own = untouched(fault.model) if fault.model.endswith("json") else without(fault, tmp_path)
        assert [copy.encode(text, with_special).token_ids.tolist() for text in TEXTS] == ids_of(
            str(own), with_special
        )
    if path.suffix == ".gguf":
        pytest.importorskip("xllamacpp")
        reference = LlamaVocabulary(out)
        for text in TEXTS:
            assert np.array_equal(reference.encode(text.encode(), True, True), copy.encode(text).token_ids)
    else:
        tokenizers = pytest.importorskip("tokenizers")
        reference = tokenizers.Tokenizer.from_file(str(out / path.name))
        for text in TEXTS:
            assert reference.encode(text).ids == copy.encode(text).token_ids.tolist()


def without(fault: Fault, folder: Path) -> Path:
    """The same file, written in the same way, without the fault."""
    (folder / "own").mkdir()
    return write(Fault("", fault.model, lambda parts: None), folder / "own")


def codes_of(path: Path) -> set[str]:
    return {each.code for each in doctor(path).findings}


def test_several_faults_are_fixed_at_once_and_the_copy_is_compared(tmp_path: Path):
    changes = (
        template("{{ bos_token }}<|im_\u200bstart|>"),
        set_key(padding_token_id=99_999, add_bos_token=True),
    )
    path = write(Fault("", "demo:bpe", all_of(*changes)), tmp_path)
    before = path.read_bytes()
    fixed = guiapp.fix(path, tmp_path / "copy.gguf", seconds=1)
    assert {"role_out_of_range", "template_invisible"} <= set(fixed.fixed)
    assert {each.code for each in (*fixed.remaining, *fixed.new)} == codes_of(tmp_path / "copy.gguf")
    assert fixed.hunt is not None
    assert not fixed.hunt.finds
    assert ids_in_words(fixed) == f"Token ids are equal on {fixed.hunt.tried:,} texts."
    content = json.loads(json.dumps(record(fixed)))
    assert {each["key"] for each in content["changes"]} == {
        "tokenizer.ggml.padding_token_id",
        "tokenizer.chat_template",
    }
    assert path.read_bytes() == before


def folder_of(folder: Path) -> Path:
    """A tokenizer.json with files beside it; the template has a marker of another model."""
    path = write(Fault("", "claude-2.tokenizer.json", lambda content: content.update(config={})), folder)
    path.write_text(path.read_text().replace('"<EOT>"', '"<|im_end|>"'))
    text = '{\n  "chat_template" : "{{ m }}<| im_end |>\\u00e9",\n  "x": [1,2], "y": 1.0e5\n}\n'
    (folder / "tokenizer_config.json").write_text(text)
    return path


@pytest.mark.real_vocabs
def test_only_changed_values_differ_in_a_copied_folder(tmp_path: Path):
    path = folder_of(tmp_path)
    with pytest.raises(FixError, match="Name a folder"):
        guiapp.fix(path, tmp_path / "copy.json", seconds=0)
    fixed = guiapp.fix(tmp_path, tmp_path / "copy", seconds=0)
    assert "marker_is_text" in fixed.fixed
    copied, config = tmp_path / "copy", "tokenizer_config.json"
    assert (copied / path.name).read_bytes() == path.read_bytes()
    assert (copied / config).read_text() == (tmp_path / config).read_text().replace(
        "<| im_end |>", "<|im_end|>"
    )
    assert sorted(each.name for each in copied.iterdir()) == [path.name, config]


def test_what_cannot_be_written_is_an_error_and_leaves_nothing(tmp_path: Path, monkeypatch):
    path = write(Fault("", "demo:bpe", set_key(padding_token_id=99_999)), tmp_path)
    before, out = path.read_bytes(), tmp_path / "copy.gguf"
    for only, what in (
        (["nonesuch"], "names no fix"),
        (["role_out_of_range=7"], "Choose from: role_out_of_range"),
        (["clean_up"], "cannot be fixed"),
    ):
        with pytest.raises(FixError, match=what):
            guiapp.fix(path, out, only)
    with pytest.raises(FixError, match="nothing to fix"):
        guiapp.fix("demo:wordpiece", out)
    link = tmp_path / "link.gguf"
    link.hardlink_to(path)
    for place, what in ((path, "stays as it is"), (link, "stays as it is"), (tmp_path, "model itself")):
        with pytest.raises(FixError, match=what):
            guiapp.fix(path, place, force=True)
    with pytest.raises(FixError, match="cannot be written"):
        guiapp.fix(path, tmp_path / "none" / "copy.gguf")
    with full_disk(len(before) // 2), pytest.raises(FixError, match="cannot be written"):
        guiapp.fix(path, out)
    diagnosis = doctor(path)
    for share in (0.0, 0.65):  # while it is copied, and examined

        def stop(done: float, share: float = share) -> None:
            if done >= share:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            guiapp.fix(path, out, progress=stop)
    path.write_bytes(before + b"more")
    with pytest.raises(guiapp.VocabError, match="has changed"):
        save_fixed(path, diagnosis, out)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link.gguf", "model.gguf"]


@pytest.mark.parametrize(
    "value", ["50256", "x", Raw("i32", -1), 1.5, True, Raw("u64", 1 << 40), "9" * 5000, [1]]
)
def test_a_key_of_another_type_becomes_the_same_value_or_goes(value, tmp_path: Path):
    path = bpe(eos_token_id=value, add_bos_token=1).write(tmp_path / "model.gguf")
    fixed = guiapp.fix(path, tmp_path / "copy.gguf", seconds=0)
    assert "key_of_other_type" in fixed.fixed
    change, switch = fixed.changes
    assert switch.after == "true"
    assert change.after == {"50256": "50256", "True": "1"}.get(str(value))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_whatever_is_offered_removes_its_finding(seed: int, tmp_path: Path):
    rng = random.Random(seed)
    names = ("bos_token_id", "eos_token_id", "unknown_token_id", "padding_token_id", "eot_token_id")
    values = (0, 1, 2, 3, 99, True, "1", "x", Raw("i32", -1), Raw("array:i32", [1, 2]))
    keys = {
        name: rng.choice(values) for name in (*names, "add_bos_token", "add_eos_token") if rng.random() < 0.3
    }
    keys |= {"types": rng.choices(range(-1, 8), k=6)} if rng.random() < 0.5 else {}
    texts = "{{ bos_token }}<| s >\u200b", "{% for m in messages %}<|im_end|>{% endfor %}"
    path = rng.choice((bpe, spm))(keys={"tokenizer.chat_template": rng.choice(texts)}, **keys)
    path = path.write(tmp_path / "model.gguf")
    diagnosis = doctor(path)
    for name in [name for fix in diagnosis.fixes.values() for name in fix.names]:
        fixed = save_fixed(path, diagnosis, tmp_path / "copy.gguf", [name], force=True, seconds=0)
        assert name.partition("=")[0] in fixed.fixed
