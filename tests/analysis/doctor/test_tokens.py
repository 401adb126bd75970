"""What the doctor says of tokens and merges holds for one as for many, and the remedy fits."""

import json

import pytest
from gguf_builder import write_vocab

import guiapp
from guiapp.analysis.doctor.examined import ExaminedModel
from guiapp.analysis.doctor.roles import check_end_ids
from guiapp.core.vocabulary.byte_alphabet import CHARACTER_OF_BYTE

BYTES = [*CHARACTER_OF_BYTE, "ab"]
GPT2 = {"model": "gpt2", "pre": "gpt-2", "merges": ["a b"]}


def test_an_end_within_another_token_of_the_template_is_not_written_by_it(tmp_path):
    ends = ["<end_of_message>", "[<end_of_message>]"]
    given = {"tokens": [*BYTES, *ends], "types": [*[1] * len(BYTES), 3, 3]}
    keys = {"tokenizer.chat_template": ends[1]}
    findings = guiapp.doctor(write_vocab(tmp_path / "m.gguf", **GPT2 | given, keys=keys)).findings
    severities = {each.tokens[0]: each.severity for each in findings if each.code == "end_of_turn_goes_on"}
    assert severities == {len(BYTES): "hint", len(BYTES) + 1: "warning"}


@pytest.mark.parametrize(
    "keys",
    [{}, {"qwen3.pooling_type": 3}, {"qwen3.attention.causal": False}, {"tokenizer.chat_template": ""}],
)
def test_eos_after_each_prompt_is_reported_for_chat_models(tmp_path, keys):
    given = GPT2 | {"tokens": [*BYTES, "<end>"], "types": [*[1] * len(BYTES), 3], "architecture": "qwen3"}
    given |= {"eos_token_id": len(BYTES), "keys": {"tokenizer.chat_template": "{{ messages }}"} | keys}
    path = write_vocab(tmp_path / "m.gguf", **given, add_eos_token=True)
    matching = [each for each in guiapp.doctor(path).findings if each.code == "eos_behind_prompts"]
    assert len(matching) == (not keys)
    for finding in matching:
        fixed = guiapp.open_model(write_vocab(tmp_path / "mended.gguf", **given))
        assert list(finding.changes.before.ids) == [BYTES.index("a"), len(BYTES)]
        assert list(finding.changes.after.ids) == fixed.encode("a").token_ids.tolist()
        assert finding.remedy.startswith("tokenloupe doctor ")


def test_a_raw_byte_is_no_broken_text_but_a_cut_character_is(tmp_path):
    tokens = ["<unk>", b"\xe4", b"\xe4\xb8", "\ufffd", "a"]
    given = {"tokens": tokens, "types": [2, 1, 1, 1, 1], "scores": [0.0, -1.0, -2.0, -3.0, -4.0]}
    findings = guiapp.doctor(write_vocab(tmp_path / "m.gguf", **given)).findings
    assert [each.tokens for each in findings if each.code == "token_not_utf8"] == [(2,)]


def byte_level(path, missing, *more):
    """A tokenizer.json of bytes as tokens, without some."""
    tokens = [*(each for byte, each in enumerate(CHARACTER_OF_BYTE) if byte not in missing), *more]
    pre_tokenizer = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False}
    return tokenizer_json(path, tokens, pre_tokenizer=pre_tokenizer, decoder=pre_tokenizer)


def tokenizer_json(path, tokens, **parts):
    model = {"type": "BPE", "vocab": {token: row for row, token in enumerate(tokens)}, "merges": []}
    model["byte_fallback"] = parts.pop("byte_fallback", False)
    path.mkdir(exist_ok=True)
    content = {"version": "1.0", "added_tokens": [], "normalizer": None, "post_processor": None}
    (path / "tokenizer.json").write_text(json.dumps(content | {"model": model} | parts))
    return path / "tokenizer.json"


def severities(path, original=None):
    matching = [each for each in guiapp.doctor(path, original).findings if each.code == "bytes_missing"]
    for finding in matching:
        ids = guiapp.open_model(path).encode(finding.changes.text, False).token_ids.tolist()
        assert list(finding.changes.before.ids) == ids
    return [(each.severity, each.changes.text) for each in matching]


def test_a_byte_is_missing_only_if_a_text_loses_it(tmp_path):
    """As in Gemma's tokenizer.json: the tab is a token, so nothing falls back to its byte."""
    tokens = ["a", "\t", *(f"<0x{byte:02X}>" for byte in range(256) if byte != 9)]
    decoder = {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]}
    made = [
        tokenizer_json(tmp_path / str(len(each)), each, byte_fallback=True, decoder=decoder)
        for each in (tokens, [*tokens[:1], *tokens[2:]])
    ]
    assert [severities(path) for path in made] == [[], [("error", "a\ta")]]


def test_bytes_that_no_token_has_were_missing_in_the_original_too(tmp_path):
    """As in Falcon's, which was trained on texts without most control characters."""
    tokens = [each for byte, each in enumerate(CHARACTER_OF_BYTE) if byte not in (3, ord("z"))]
    converted = write_vocab(tmp_path / "m.gguf", **GPT2, tokens=[*tokens, "ab", "zz"])
    lacks_3, lacks_both, has_all = (
        byte_level(tmp_path / name, missing, "zz")
        for name, missing in {"one": [3], "both": [3, ord("z")], "none": []}.items()
    )
    never, lost = ("hint", "a\x03a"), ("error", "aza")
    assert severities(converted) == severities(lacks_both) == [lost, never]
    assert severities(lacks_3) == [never]
    assert severities(converted, lacks_both) == [("hint", "a\x03a")]
    assert severities(converted, has_all) == [("error", "a\x03a")]
    assert severities(has_all) == []


@pytest.mark.parametrize(
    ("literal", "is_reported"),
    [
        (r"\p{N}{1,3}", True),
        (r"[^\r\n]+", True),
        ("[0-9]", True),
        ("(", False),
        ("...", False),
        ("[MASK]", False),
    ],
)
def test_a_literal_that_looks_like_a_pattern_gets_a_hint(tmp_path, literal, is_reported):
    split = {"type": "Split", "pattern": {"String": literal}, "behavior": "Isolated", "invert": False}
    replace = {"type": "Replace", "pattern": {"String": literal}, "content": "x"}
    regex = {"type": "Replace", "pattern": {"Regex": "[0-9]"}, "content": "x"}
    nested = {"type": "Sequence", "pretokenizers": [split]}
    parts = {"normalizer": regex, "pre_tokenizer": nested, "decoder": replace}
    findings = guiapp.doctor(tokenizer_json(tmp_path, ["a"], **parts)).findings
    matching = [each for each in findings if each.code == "pattern_is_text"]
    assert [each.severity for each in matching] == ["hint"] * 2 * is_reported
    assert all(literal in each.what for each in matching)


@pytest.mark.parametrize(
    ("config", "generation", "end", "differ"),
    [
        (0, 0, "b", True),
        (0, [1, 0], "b", False),  # as chat models whose base ends otherwise
        ([1, 0], None, "b", False),
        (0, None, "b", True),
        (7, [0, 1], {"content": "b"}, True),  # no such token
        (0, 0, None, False),
        (None, [0], "nothing", False),
        ({"eos_token_id": [0]}, None, "b", True),  # of a model that sees pictures
        ("0", True, "b", False),  # odd values
    ],
)
def test_ends_that_differ_between_files_of_a_folder_get_a_hint(tmp_path, config, generation, end, differ):
    path = tokenizer_json(tmp_path, ["a", "b"])
    own = {"text_config": config} if isinstance(config, dict) else {"eos_token_id": config}
    (tmp_path / "config.json").write_text(json.dumps(own))
    (tmp_path / "generation_config.json").write_text(json.dumps({"eos_token_id": generation}))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"eos_token": end}))
    matching = list(check_end_ids(ExaminedModel(guiapp.open_model(path), None)))
    assert all(each.code == "ends_differ" for each in matching)
    assert [each.severity for each in matching] == ["hint"] * differ
    assert all("tokenizer_config.json" in each.what and set(each.tokens) == {0, 1} for each in matching)


@pytest.mark.parametrize(
    ("target", "content", "grows"),
    [
        ({"Regex": "."}, "ab" * 9, True),
        ({"String": "the bank"}, "x" * 999, True),
        ({"String": "a"}, "b" * 9, False),
    ],
)
def test_a_normalizer_that_makes_texts_far_longer_is_an_error(tmp_path, target, content, grows):
    replace = {"type": "Replace", "pattern": target, "content": content}
    path = tokenizer_json(tmp_path, ["a"], normalizer={"type": "Sequence", "normalizers": [replace] * 2})
    matching = [each for each in guiapp.doctor(path).findings if each.code == "text_grows"]
    assert [each.severity for each in matching] == ["error"] * grows
