"""Planted faults in fixed copies: they are gone, and the copies give the ids of the files without faults."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from faults import CHATML, FAULTS, FORMATS, Fault, all_of, template, untouched, write
from model_files import opened
from planted import retype, set_key, set_part
from small_files import bpe

import guiapp
from guiapp.analysis.doctor.doctor import doctor
from guiapp.analysis.doctor.fixed_copy import ids_in_words, record, save_fixed
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
CERTAIN = {
    *("pre_unknown", "merge_broken", "merge_twice", "control_marked_normal", "control_by_its_text"),
    *("byte_not_marked", "role_out_of_range", "role_missing", "key_of_other_type", "vocabulary_size"),
    *("eos_behind_prompts", "template_invisible", "template_look_alike", "original_merges", "original_kind"),
    *("original_score", "original_role", "original_rule", "original_ids"),
}
OTHERS = (("pre_missing", "gpt-2"), ("word_marked_control", "gpt-2"), ("role_is_text", "bert-bge"))
OTHERS += (("role_is_text", "gpt-2"), ("template_role_missing", "demo:bpe"), ("marker_is_text", "qwen2"))
OTHERS += tuple(("pre_of_other_family", model) for model in ("gpt-2", "starcoder", "deepseek-coder"))
FIXED = [
    each for each in FAULTS if each.code in CERTAIN or each[:2] in OTHERS or each[:2] in CHOICES
]  # all but one of what can be fixed
TEXTS = (
    "Hello world, it's 12345!  We'LL see…\n\n\tdef f(x): return x",
    "<|im_start|>user\nnaïve 汉字 мир 🚀<|im_end|><|eot_id|><s></s>[CLS]",
    " of the  of<0x0A>\r\n x²+y² The End",
)


@cache
def ids_of(path: str, add_special: bool) -> list[list[int]]:
    return [opened(path).encode(text, add_special).token_ids.tolist() for text in TEXTS]


def test_enough_faults_are_fixed():
    assert len(FIXED) >= 40
    assert {each.code for each in FIXED} <= FIXES.keys()


@pytest.mark.slow
@pytest.mark.real_vocabs
@pytest.mark.parametrize("fault", sorted(FIXED, key=lambda fault: fault.model), ids=str)
def test_a_fixed_copy_has_no_such_finding_and_the_ids_of_the_file_without_the_fault(fault, tmp_path: Path):
    original = opened(untouched(fault.model)) if fault.is_against_original else None
    path = write(fault, tmp_path)
    only = [f"{fault.code}={choice}"] if (choice := CHOICES.get(fault[:2])) else None
    found = doctor(path, original)
    assert fault.code in {each.code for each in found.findings}
    assert found.fixes[fault.code].is_certain is (choice is None)
    out = tmp_path / ("copy.gguf" if path.suffix == ".gguf" else "copy")
    fixed = save_fixed(found, out, only, original, seconds=0)
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
