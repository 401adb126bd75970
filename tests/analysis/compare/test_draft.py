"""May one model draft for another: verdicts of three programs, those of llama.cpp against itself."""

import ctypes
import json
from itertools import combinations_with_replacement

import pytest
from conftest import VOCABS
from gguf_builder import Raw, write_vocab
from planted import _write_gguf as write_gguf
from planted import gguf_parts, set_key

import guiapp
from guiapp.analysis.compare.draft import OTHER_DRAFT, may_draft
from guiapp.analysis.libraries.llama_library import LlamaVocabulary

BOOL, INT = ctypes.c_bool, ctypes.c_int32
SIGNATURES = {"type": INT, "get_add_bos": BOOL, "get_add_eos": BOOL, "bos": INT, "eos": INT, "n_tokens": INT}


class LlamaFacts:
    """What llama.cpp itself says of a vocabulary."""

    def __init__(self, path):
        model = LlamaVocabulary(path)

        def ask(name, kind, token_id=0):
            function = getattr(model._library, f"llama_vocab_{name}")
            function.restype, function.argtypes = kind, [ctypes.c_void_p, INT]
            return function(model._vocabulary, token_id)

        for name, kind in SIGNATURES.items():
            setattr(self, name, ask(name, kind))
        self.texts = [ask("get_text", ctypes.c_char_p, token_id) for token_id in range(self.n_tokens)]


def expected_verdict(target, draft):
    """`common_speculative_are_compatible` of llama.cpp's common/speculative.cpp, and the id that it names."""
    if target.type != draft.type:
        return False, None
    for role in ("bos", "eos"):
        adds = [getattr(each, f"get_add_{role}") for each in (target, draft)]
        ids = [getattr(each, role) for each in (target, draft)]
        if adds[0] != adds[1] or (adds[0] and ids[0] != ids[1]):
            return False, ids[1] if adds[0] == adds[1] else None
    if abs(target.n_tokens - draft.n_tokens) > 128:
        return False, None
    for token_id in range(5, min(target.n_tokens, draft.n_tokens)):
        if target.texts[token_id] != draft.texts[token_id]:
            return False, token_id
    return True, None


EDITS = {
    "same": ({}, 0, {}),
    "bos": ({}, 0, {"bos_token_id": 7}),
    "unadded bos": ({}, 0, {"bos_token_id": 7, "add_bos_token": False}),
    "eos": ({}, 0, {"eos_token_id": 8, "add_eos_token": True}),
    "unadded eos": ({}, 0, {"eos_token_id": 8}),
    "id 4": ({4: b"<other>"}, 0, {}),
    "id 5": ({5: b"<other>"}, 0, {}),
    "last": ({-1: b"<other>"}, 0, {}),
    "empty": ({9: b""}, 0, {}),
    "128 more": ({}, 128, {}),
    "129 more": ({}, 129, {}),
}
"""What is changed in a copy of a file: texts by their ids, how many tokens there are more, keys."""


def edited_copy(folder, name):
    texts, n_more, keys = EDITS[name]
    parts = gguf_parts("llama-spm")
    for token_id, text in texts.items():
        parts["tokens"][token_id] = text
    more = [b"<more %d>" % number for number in range(n_more)], [1] * n_more, [0.0] * n_more
    for key, values in zip(("tokens", "types", "scores"), more, strict=True):
        parts[key] += values
    set_key(**{"add_bos_token": True, "add_eos_token": False, **keys})(parts)
    return write_gguf(folder / f"{name}.gguf", parts)


@pytest.mark.slow
@pytest.mark.real_vocabs
def test_verdicts_are_those_of_llama_cpp(tmp_path):
    """Of all pairs of real files, and of copies with changes."""
    pytest.importorskip("xllamacpp")
    answers = []
    for paths in (sorted(VOCABS.glob("*.gguf")), [edited_copy(tmp_path, name) for name in EDITS]):
        models = [(path.stem, guiapp.open_model(path), LlamaFacts(path)) for path in paths]
        for (name, target, facts), (other, draft, other_facts) in combinations_with_replacement(models, 2):
            verdict = guiapp.draft(target, draft)[0]
            assert (verdict.may_draft, verdict.token_id) == expected_verdict(facts, other_facts), (
                name,
                other,
                verdict,
            )
            answers.append(verdict.may_draft)
    assert min(answers.count(True), answers.count(False)) > 20


def written(folder, tokens, config):
    """A tokenizer.json of some tokens, with what its config.json says."""
    folder.mkdir()
    model = {"type": "BPE", "vocab": {token: row for row, token in enumerate(tokens)}, "merges": []}
    (folder / "tokenizer.json").write_text(json.dumps({"added_tokens": [], "model": model}))
    (folder / "config.json").write_text(json.dumps(config))
    return folder


@pytest.mark.parametrize(
    ("tokens", "configs", "expected"),
    [
        (("ab", "ab"), (None, None), (True, "", None)),
        (("ab", "ac"), (None, None), (False, "id 1 differs", 1)),
        (("ab", "abc"), (None, None), (False, "other size", None)),
        (("ab", "abc"), ({"vocab_size": 8}, {"text_config": {"vocab_size": 8}}), (False, "id 2 differs", 2)),
        (("ab", "ab"), ({"vocab_size": 8}, {"vocab_size": 9}), (False, "other size", None)),
        (("ab", "ab"), ({"vocab_size": "8"}, {"text_config": [9], "vocab_size": -1}), (True, "", None)),
        (("ab", "ab"), ([1], {"text_config": {"vocab_size": True}}), (True, "", None)),
    ],
)
def test_other_programs_want_equal_sizes_and_ids(tmp_path, tokens, configs, expected):
    models = list(map(written, (tmp_path / "A", tmp_path / "B"), tokens, configs))
    llama_cpp, *others = guiapp.draft(*models)
    assert (llama_cpp.may_draft, llama_cpp.cause) == (None, "not GGUF")
    assert [each.program for each in others] == ["vLLM", "SGLang"]
    for verdict in others:
        assert (verdict.may_draft, verdict.cause, verdict.token_id) == expected
        assert (verdict.remedy == "") is expected[0]
    assert may_draft([llama_cpp]) is None


def test_a_remedy_is_for_all_that_forbids_it(tmp_path):
    tokens = ["<unk>", "<s>", "</s>", *"abcdef", "<x>"]
    types = Raw("array:i32", [2, 3, 3, *[1] * 6, 3])

    def model(name, tokens=tokens, **keys):
        usual = {"bos_token_id": 1, "add_bos_token": True, "types": types, "scores": [0.0] * len(tokens)}
        return guiapp.open_model(write_vocab(tmp_path / name, tokens=tokens, **usual | keys))

    target, other_bos = model("target.gguf"), model("bos.gguf", bos_token_id=2)
    assert guiapp.draft(target, other_bos)[0].remedy == "Set tokenizer.ggml.bos_token_id to 1 in the draft."
    other_tokens = model("tokens.gguf", [*tokens[:-2], "g", "<y>"], bos_token_id=2)
    verdict = guiapp.draft(target, other_tokens)[0]
    assert (verdict.cause, verdict.token_id, verdict.remedy) == ("other BOS", 2, OTHER_DRAFT)
    special = guiapp.draft(target, model("special.gguf", [*tokens[:-1], "<y\u202e>"]))[0]
    assert (special.token_id, "special tokens" in special.remedy, "\u202e" in special.reason) == (
        9,
        True,
        False,
    )
