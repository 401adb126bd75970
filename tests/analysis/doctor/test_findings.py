"""What the doctor says of small files with a few faults each."""

import json
import os
import re
from pathlib import Path

import pytest
from conftest import SHARED
from gguf_builder import write_vocab

import guiapp
from guiapp.analysis.doctor.doctor import OF_REMARKS, Diagnosis, record
from guiapp.analysis.doctor.findings import Finding, TemplateLine, Tokenization, TokenizationChange
from guiapp.analysis.doctor.template_words import words_asked_for
from guiapp.core.manual import find_topic
from guiapp.core.vocabulary.byte_alphabet import CHARACTER_OF_BYTE
from guiapp.errors import NOT_USABLE

TEMPLATE = "tokenizer.chat_template"
GPT2 = {"model": "gpt2", "pre": "gpt-2", "merges": ["a b"]}


def bpe(*more, **changes):
    """A vocabulary of all bytes, `ab`, `</s>`, and more tokens with their kinds; `a` is 97."""
    more = ({"</s>": 3} | dict(more)).items()
    given = GPT2 | {"tokens": [*CHARACTER_OF_BYTE, "ab", *[text for text, _ in more]]}
    given |= {"types": [*[1] * 257, *[kind for _, kind in more]], "eos_token_id": 257}
    return {name: value for name, value in (given | changes).items() if value is not None}


def spm(*more, **changes):
    tokens = ["<unk>", "<s>", "</s>", *[f"<0x{byte:02X}>" for byte in range(256)], "a", "▁a"]
    given = {"model": "llama", "bos_token_id": 1, "eos_token_id": 2, "unknown_token_id": 0}
    given |= {"tokens": [*tokens, *[text for text, _ in more]]}
    given |= {"types": [2, 3, 3, *[6] * 256, 1, 1, *[kind for _, kind in more]]}
    return given | {"scores": [*[0.0] * 259, -1.0, -2.0, *[-3.0] * len(more)]} | changes


def test_every_code_has_a_title_of_its_own():
    folders = (Path(guiapp.__path__[0]) / name for name in ("core", "analysis/doctor"))
    source = "".join(path.read_text() for folder in folders for path in folder.rglob("*.py"))
    codes = set(re.findall(r'(?:FileNote|Finding)\(\s*"(\w+)"', source)) | {*OF_REMARKS, NOT_USABLE}
    codes |= set(re.findall(r'about\([^"]*?"(\w+)"', source))
    codes -= {"pre_by_hand"}  # which is no finding
    assert len(codes) > 60
    for code in codes:
        section = find_topic(f"doctor#{code}")
        assert f"**{Finding(code, 'hint', '').title}" in section.text.replace("`", ""), code


def test_a_file_that_is_cut_off_has_a_remedy(tmp_path):
    path = write_vocab(tmp_path / "m.gguf", **bpe())
    path.write_bytes(path.read_bytes()[:400])
    (finding,) = guiapp.doctor(path).findings
    assert (finding.code, "download it again" in finding.remedy.casefold()) == ("not_usable", True)
    assert finding.remedy not in finding.what


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (bpe(("word", 3), ("<unused1>", 5)), ["warning word_marked_control", "hint padded"]),
        (bpe(("<x>", 9), ("<y>", 0)), ["error kind_out_of_range"]),
        (bpe(("<unk>", 2), ("[UNK]", 2), unknown_token_id=258), ["warning unknown_marked_twice"]),
        (
            bpe(("<|a|>", 3), ("<｜a｜>", 3), ("<|\u0430b|>", 3), ("<c\u200b>", 3), ("<d> ", 3)),
            [
                "warning special_look_alike",
                "warning special_look_alike",
                "warning special_invisible",
                "warning special_blank",
            ],
        ),
        (bpe(("abc", 1), ("abcd", 1)), ["hint token_never_made"]),
        (
            bpe() | {"merges": ["a b", "a b", "x y", "broken"]},
            ["error merge_broken", "error merge_of_no_token", "warning merge_twice"],
        ),
        (
            bpe(("</s>", 1), bos_token_id=64, add_bos_token=True),
            ["error role_is_text", "hint control_by_its_text"],
        ),
        (
            bpe(
                add_bos_token=True,
                add_eos_token=True,
                keys={TEMPLATE: "{{ bos_token + 'x' }}\n<|im_end|> <|zz|>\u200b"},
            ),
            [
                "error role_is_text",
                "warning eos_behind_prompts",
                "warning marker_is_text",
                "warning marker_is_text",
                "warning template_invisible",
                "hint bos_twice",
            ],
        ),
        (
            bpe(("<|im_end|>", 3), ("<|end_of_message|>", 3), keys={TEMPLATE: "<|end_of_message|>"}),
            ["warning end_of_turn_goes_on"],
        ),
        (bpe(architecture="qwen3", keys={"qwen3.vocab_size": 300}), ["warning vocabulary_size"]),
        (bpe() | {"pre": "nonsense"}, ["error pre_unknown", "error role_is_text"]),
        (bpe() | {"pre": None}, ["error pre_missing"]),
        (
            bpe(
                ("<s>", 3),
                bos_token_id=258,
                add_bos_token=True,
                add_eos_token=True,
                keys={TEMPLATE: "{# <s>\n #}\n{{ bos_token }}\n\u0430"},
            ),
            ["warning eos_behind_prompts", "hint bos_twice"],
        ),
        (spm(("<0x1>", 6)) | {}, ["warning byte_misnamed"]),
        (spm() | {"scores": [0.0] * 261}, ["error scores_missing"]),
        (
            spm(("b", 1), ("c", 1)) | {"scores": [0.0] * 259 + [1.5, -2.0, float("nan"), float("inf")]},
            ["error score_not_finite", "warning score_above_zero"],
        ),
        (spm((b"\xe4\xb8", 1)), ["warning token_not_utf8"]),
        (spm() | {"types": [2, 3, 3, 1, *[6] * 255, 1, 1]}, ["error byte_not_marked"]),
    ],
)
def test_each_fault_is_reported_and_nothing_else(tmp_path, given, expected):
    findings = guiapp.doctor(write_vocab(tmp_path / "m.gguf", **given)).findings
    assert [f"{each.severity} {each.code}" for each in findings if each.code != "clean_up"] == expected


def test_a_pre_tokenizer_that_fits_as_little_as_all_others_is_not_called_unknown(tmp_path):
    given = bpe(("<|x|>", 1), ("[PAD7]", 1))
    findings = guiapp.doctor(write_vocab(tmp_path / "m.gguf", **given)).findings
    (finding,) = (each for each in findings if each.code.startswith("pre_"))
    assert (finding.code, finding.severity) == ("pre_of_other_family", "warning")
    assert finding.what.startswith(
        "The file specifies “gpt-2”, but no known pre-tokenizer fits its tokens: even "
    )
    assert finding.what.endswith(" splits 1 of 131 tokens.")
    (tmp_path / "unknown").mkdir()
    unknown = write_vocab(tmp_path / "unknown" / "m.gguf", **given | {"pre": "nonsense"})
    (finding,) = (each for each in guiapp.doctor(unknown).findings if each.code.startswith("pre_"))
    assert finding.code == "pre_unknown"
    assert finding.what.startswith(
        "The file does not name a known pre-tokenizer, and none fits its tokens: even "
    )


@pytest.mark.parametrize(
    ("chosen", "name", "remedy"),
    [
        ("{{ eos_token }}", "eos", "Save the corrected template"),  # no token looks like one
        ("{{- 'x' + bos_token }}", "bos", "Save the corrected template"),
    ],
)
def test_a_template_with_a_missing_role_is_reported_with_its_line(tmp_path, chosen, name, remedy):
    keys = {TEMPLATE: f"a\nb\nc\nd\n{chosen}\ne\nf\ng\nh"}
    given = {"model": "rwkv", "tokens": ["<s>", "a"], "types": [3, 1], "keys": keys}
    findings = guiapp.doctor(write_vocab(tmp_path / "m.gguf", **given)).findings
    (finding,) = (each for each in findings if each.code == "template_role_missing")
    assert finding.line == TemplateLine("default", 5, 2, ("b", "c", "d", chosen, "e", "f", "g"))
    assert finding.what == (
        f"The chat template “default” writes {name}_token, "
        f"but the file does not name one (tokenizer.ggml.{name}_token_id): nothing is written there."
    )
    assert finding.remedy.startswith(remedy)


WHOLE = Diagnosis(
    (
        Finding(
            "one", "error", "It *is* so.", "tokenloupe doctor m.gguf --fix x", pre="qwen2", tokens=(1, 2)
        ),
        Finding(
            "two",
            "warning",
            "Another <b>.",
            "Do it.",
            TokenizationChange("a b", Tokenization(tuple(range(13))), Tokenization((7,))),
            line=TemplateLine("default", 3, 1, ("x", "y", "z")),
        ),
        Finding("three", "warning", "A third.", "", TokenizationChange("c", Tokenization(tuple(range(12))))),
    ),
    None,
    None,
)


@pytest.mark.parametrize(
    "asked",
    [
        "'invoice' in m.content|lower",
        "m['content'].lower().find(\"bank\") >= 0",
        "m.content.split()[0] in ['pay', '/x']",
        "m.content == 'hi'",
    ],
)
def test_only_unusual_words_that_a_template_tests_for_are_reported(asked):
    text = "{% for m in messages %}\n{% if ASKED %}x{% endif %}{{ m.content }}{% endfor %}"
    assert [line for line, _ in words_asked_for(text.replace("ASKED", asked))] == [2]
    renamed = text.replace("{% if", "{% set c = m.content %}{% if").replace(
        "ASKED", asked.replace("m.content", "c")
    )
    assert [line for line, _ in words_asked_for(renamed)] == [2]
    for usual in ("'</think>' in m.content", "m.content.startswith('/think')", "'text' in m.content[0]"):
        assert not list(words_asked_for(text.replace("ASKED", usual)))


def test_templates_of_well_known_models_ask_for_no_word():
    templates = [*(SHARED / "templates").rglob("*.jinja")]
    assert templates or "TOKENLOUPE_SHARED" not in os.environ
    assert not [each for path in templates for each in words_asked_for(path.read_text())]


def test_a_record_has_all_that_is_known_of_a_finding():
    nothing = {"changes": None, "tokens": [], "pre": "", "line": None, "fix": []}
    assert json.loads(json.dumps(record(WHOLE))) == {
        "file": None,
        "findings": [
            nothing
            | {"code": "one", "severity": "error", "what": "It *is* so.", "pre": "qwen2", "tokens": [1, 2]}
            | {"remedy": "tokenloupe doctor m.gguf --fix x"},
            nothing
            | {"code": "two", "severity": "warning", "what": "Another <b>.", "remedy": "Do it."}
            | {"changes": {"text": "a b", "before": [*range(13)], "after": [7]}}
            | {"line": {"template": "default", "number": 3}},
            nothing
            | {"code": "three", "severity": "warning", "what": "A third.", "remedy": ""}
            | {"changes": {"text": "c", "before": [*range(12)], "after": None}},
        ],
    }
