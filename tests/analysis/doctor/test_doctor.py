"""Planted faults, each in a copy of a real vocabulary: all are found, by their codes, and none before."""

import json
import random
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from conftest import SHARED, VOCABS
from faults import CHATML, FAULTS, FORMATS, Fault, all_of, drop_key, template, untouched, write
from gguf_builder import Tensor
from model_files import opened
from planted import document, set_key, set_part
from small_files import TOKENS, bpe, spm

import guiapp
from guiapp.analysis.doctor import pre_tokenizer as pre
from guiapp.analysis.doctor.doctor import CHECKS, doctor, examine
from guiapp.analysis.doctor.examined import ExaminedModel
from guiapp.analysis.doctor.findings import ERROR, HINT, WARNING
from guiapp.analysis.doctor.roles import check_templates
from guiapp.core.pretokenize.pre_tokenizers import PRE_TOKENIZERS

pytestmark = pytest.mark.real_vocabs


@cache
def before(model: str) -> frozenset[str]:
    """What is said of the file as it is."""
    return frozenset(finding.what for finding in doctor(untouched(model)).findings)


@pytest.mark.slow
@pytest.mark.parametrize("fault", sorted(FAULTS, key=lambda fault: fault.model), ids=str)  # each read once
def test_a_planted_fault_is_reported_only_after_planting(fault: Fault, tmp_path: Path):
    original = opened(untouched(fault.model)) if fault.is_against_original else None
    result = [each for each in doctor(write(fault, tmp_path), original).findings if each.code == fault.code]
    assert result
    assert not before(fault.model).issuperset(each.what for each in result)
    assert all(each.what.isprintable() and each.severity in (ERROR, WARNING, HINT) for each in result)


UNTOUCHED = [
    *(path for path in VOCABS.glob("*.gguf")),
    *(path for path in FORMATS.glob("*") if not path.name.endswith("tokenizer_config.json")),
]


@pytest.mark.parametrize("path", UNTOUCHED, ids=lambda path: path.name)
def test_an_untouched_file_has_no_error_and_a_token_is_called_never_made_only_if_it_is(path: Path):
    diagnosis = doctor(path)
    assert diagnosis.tokenizer is not None
    assert diagnosis.worst != ERROR
    vocabulary = diagnosis.tokenizer.vocabulary
    for finding in (each for each in diagnosis.findings if each.code == "token_never_made"):
        for token in finding.tokens:
            data = vocabulary.token_bytes(token)
            texts = (data, b"a " + data, data + b" a", data + data)
            ids = [diagnosis.tokenizer.encode(text, parse_special=False).token_ids for text in texts]
            assert vocabulary.rules.ignore_merges or not any(token in each for each in ids)


@pytest.mark.parametrize("model", ["llama-bpe", "gemma-4"])
def test_a_check_of_a_large_vocabulary_takes_less_than_a_second(model: str):
    examined = ExaminedModel(opened(untouched(model)))
    for check in CHECKS:
        started = time.process_time()
        list(check(examined))
        assert time.process_time() - started < 1, check.__name__


@pytest.mark.parametrize("model", ["gpt-2", "starcoder", "deepseek-coder", "llama-bpe", "qwen2"])
@pytest.mark.parametrize("is_known", [True, False])
def test_the_likeliest_pre_splits_as_the_file_asks(
    model: str, is_known: bool, monkeypatch: pytest.MonkeyPatch
):
    if not is_known:
        monkeypatch.setattr(pre, "KNOWN", {})
    vocabulary = opened(untouched(model)).vocabulary
    name, _ = pre.likeliest(vocabulary)
    assert name is not None
    assert PRE_TOKENIZERS[name].patterns == vocabulary.patterns


@pytest.mark.parametrize(
    ("model", "name", "severities"),
    [
        ("qwen2", "qwen35", [HINT]),  # as a file of llama.cpp's own tests
        ("qwen2", "stablelm2", []),
        ("qwen2", "default", [ERROR]),
        ("llama-bpe", "stablelm2", [HINT]),  # whose ranks are those of cl100k_base, too
        ("llama-bpe", "dbrx", []),
        ("llama-bpe", "qwen2", [ERROR]),
        ("gpt-2", "phi-2", []),
    ],
)
def test_a_known_vocabulary_has_a_family_of_pre_tokenizers(
    model: str, name: str, severities: list[str], tmp_path: Path
):
    result = doctor(write(Fault("", model, set_part(pre=name)), tmp_path)).findings
    result = tuple(each for each in result if each.code.startswith("pre_"))
    assert [each.severity for each in result] == severities
    assert all(each.changes for each in result)


def test_the_ids_before_and_after_match_the_faulty_and_fixed_file(tmp_path: Path):
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
def test_a_damaged_file_has_findings_or_is_refused(seed: int, tmp_path: Path):
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
def test_an_equivalent_file_does_not_differ_from_its_original(model: str, tmp_path: Path):
    (tmp_path / "tokenizer.json").write_text(json.dumps(document(model)))
    original = guiapp.open_model(tmp_path / "tokenizer.json")
    result = examine(opened(untouched(model)), original).findings
    assert not [each for each in result if each.code.startswith("original") and each.severity != HINT]


CONVERTED = {  # the first original has names of Llama 3.1; in the second file </s> is made a control token
    ("llama-bpe", "llama-3.tokenizer.model"): {"special_tokens", "remark"},
    ("qwen2", "qwen.tiktoken"): {"special_tokens", "kind"},
}


@pytest.mark.parametrize("pair", CONVERTED, ids=" ".join)
def test_reported_differences_from_an_original_are_real(pair: tuple[str, str]):
    model, original = opened(untouched(pair[0])), opened(FORMATS / pair[1])
    result = [each for each in examine(model, original).findings if "original" in each.code]
    assert {each.code.removeprefix("original_") for each in result} == CONVERTED[pair]
    ours, theirs = (
        [each.vocabulary.raw_text(i) for i in range(len(each.vocabulary))] for each in (model, original)
    )
    is_true = {
        "original_special_tokens": lambda token: [ours[token]] != theirs[token : token + 1],
        "original_kind": lambda token: model.vocabulary.kind(token) != original.vocabulary.kind(token),
    }
    for each in result:
        assert all(is_true[each.code](token) for token in each.tokens)
    for text in (SHARED / "corpora").glob("*.txt"):
        data = text.read_bytes()[:50_000]
        ids = [
            each.encode(data, add_special=False, parse_special=False).token_ids for each in (model, original)
        ]
        assert np.array_equal(*ids), "as it is not said that ids differ"


def test_a_missing_end_of_turn_is_fixed_in_a_sidecar_file(tmp_path: Path):
    content = document("gpt-2")
    content["added_tokens"].append(
        {**content["added_tokens"][0], "id": 50257, "content": "<|end_of_message|>"}
    )
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    result = doctor(tmp_path)
    assert result.path == tmp_path / "tokenizer.json"
    [finding] = [each for each in result.findings if each.code == "end_of_turn_goes_on"]
    assert finding.remedy.startswith("Add 50257 to eos_token_id of generation_config.json.")


def test_a_file_with_many_faults_of_a_kind_has_few_findings(tmp_path: Path):
    names = [f"<x{number}\u200b>" for number in range(5000)]
    path = bpe(tokens=[*TOKENS, *names], types=[2, 3, 3, 1, 1, 1, *[3] * len(names)]).write(
        tmp_path / "m.gguf"
    )
    result = [each for each in doctor(path).findings if each.code == "special_invisible"]
    assert len(result) == 21
    assert result[-1].what.startswith("4,980 more")


def test_a_template_of_many_lines_and_markers_takes_less_than_a_second(tmp_path: Path):
    text = "\n" * 200_000 + "".join(f"<|x{number}|>" for number in range(2000))
    examined = ExaminedModel(
        guiapp.open_model(bpe(keys={"tokenizer.chat_template": text}).write(tmp_path / "m.gguf"))
    )
    started = time.process_time()
    result = list(check_templates(examined))
    assert time.process_time() - started < 1
    assert [each.line.number for each in result if each.line is not None] == [200_001] * 2000
