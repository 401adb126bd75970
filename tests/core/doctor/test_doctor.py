"""Planted faults, each in a copy of a real vocabulary: all are found, by their codes, and none before."""

import json
import random
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
from conftest import VOCABS
from faults import CHATML, FAULTS, FORMATS, Fault, all_of, drop_key, template, untouched, write
from gguf_builder import Tensor
from planted import document, set_key, set_part
from small_files import bpe, spm

import guiapp
from guiapp.core.doctor import pre
from guiapp.core.doctor.doctor import CHECKS, doctor
from guiapp.core.doctor.findings import ERROR, HINT, WARNING
from guiapp.core.doctor.patient import Patient
from guiapp.core.split.pre_tokenizers import PRE_TOKENIZERS

pytestmark = pytest.mark.real_vocabs


@cache
def before(model: str) -> frozenset[str]:
    """What is said of the file as it is."""
    return frozenset(finding.what for finding in doctor(untouched(model)).findings)


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_planted_fault_is_found_and_was_not_there_before(fault: Fault, tmp_path: Path):
    original = untouched(fault.model) if fault.is_against_original else None
    found = [each for each in doctor(write(fault, tmp_path), original).findings if each.code == fault.code]
    assert found
    assert not before(fault.model).issuperset(each.what for each in found)
    assert all(each.what.isprintable() and each.severity in (ERROR, WARNING, HINT) for each in found)


UNTOUCHED = [
    *(path for path in VOCABS.glob("*.gguf")),
    *(path for path in FORMATS.glob("*") if not path.name.endswith("tokenizer_config.json")),
]


@pytest.mark.parametrize("path", UNTOUCHED, ids=lambda path: path.name)
def test_an_untouched_file_has_no_error(path: Path):
    diagnosis = doctor(path)
    assert diagnosis.tokenizer is not None
    assert diagnosis.worst != ERROR


@pytest.mark.parametrize("model", ["llama-bpe", "gemma-4"])
def test_a_check_of_a_large_vocabulary_takes_less_than_a_second(model: str):
    patient = Patient(guiapp.open_model(untouched(model)))
    for check in CHECKS:
        started = time.process_time()
        list(check(patient))
        assert time.process_time() - started < 1, check.__name__


@pytest.mark.parametrize("model", ["gpt-2", "starcoder", "deepseek-coder", "llama-bpe", "qwen2"])
@pytest.mark.parametrize("is_known", [True, False])
def test_the_likeliest_pre_splits_as_the_file_asks(
    model: str, is_known: bool, monkeypatch: pytest.MonkeyPatch
):
    if not is_known:
        monkeypatch.setattr(pre, "KNOWN", {})
    vocabulary = guiapp.open_model(untouched(model)).vocabulary
    name, _ = pre.likeliest(vocabulary)
    assert name is not None
    assert PRE_TOKENIZERS[name].patterns == vocabulary.patterns


def test_the_ids_before_and_after_are_those_of_the_file_and_of_the_mended_one(tmp_path: Path):
    path = write(Fault("", "gpt-2", set_part(pre="llama-bpe")), tmp_path)
    [change] = [each.changes for each in doctor(path).findings if each.code == "pre_of_other_family"]
    assert change is not None
    ids = [
        guiapp.open_model(each).encode(change.text, False).token_ids.tolist()
        for each in (path, untouched("gpt-2"))
    ]
    assert change.after is not None
    assert ids == [list(change.before.ids), list(change.after.ids)]
    assert ids[0] != ids[1]


@pytest.mark.parametrize("seed", range(60))
def test_a_damaged_file_is_told_or_refused(seed: int, tmp_path: Path):
    """Some bytes are others; nothing else than a VocabError is raised."""
    rng = random.Random(seed)
    make = rng.choice((bpe, spm))
    file = make(keys={"tokenizer.chat_template": CHATML}, types=rng.choices(range(-1, 8), k=6))
    file.tensors = [Tensor("token_embd.weight", (8, 6))]
    data = bytearray(file.to_bytes())
    for _ in range(rng.randrange(4)):
        data[rng.randrange(24, len(data))] = rng.randrange(256)
    (tmp_path / "model.gguf").write_bytes(data)
    with suppress(guiapp.VocabError):
        assert doctor(tmp_path / "model.gguf").findings


@pytest.mark.parametrize("key", ["add_bos_token", "add_eos_token", "add_sep_token"])
def test_a_token_that_is_asked_for_and_missing_hides_nothing(key: str, tmp_path: Path):
    changes = all_of(set_part(pre="glm4"), set_key(**{key: True}), drop_key("bos_token_id", "eos_token_id"))
    path = write(Fault("", "demo:bpe", all_of(changes, template("{{ bos_token }}"))), tmp_path)
    assert {each.code for each in doctor(path, "demo:bpe").findings} >= {"original_ids"}


@pytest.mark.parametrize("model", ["gpt-2", "qwen2", "llama-spm", "starcoder"])
def test_a_file_that_says_the_same_does_not_differ_from_its_original(model: str, tmp_path: Path):
    (tmp_path / "tokenizer.json").write_text(json.dumps(document(model)))
    found = doctor(untouched(model), tmp_path / "tokenizer.json").findings
    assert not [each for each in found if each.code.startswith("original") and each.severity != HINT]
