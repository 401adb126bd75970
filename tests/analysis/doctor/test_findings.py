# ruff: noqa: E501  (sentences are easier to read in one piece)
"""What the doctor says of small files with a few faults each, told in full."""

import json

import pytest
from gguf_builder import write_vocab

import guiapp
from guiapp.analysis.doctor.doctor import Diagnosis, count, is_command, markdown, record, text_lines
from guiapp.analysis.doctor.findings import Finding, TemplateLine, Tokenization, TokenizationChange
from guiapp.core.vocabulary.byte_alphabet import CHARACTER_OF_BYTE

TEMPLATE = "tokenizer.chat_template"
CONVERT = "    remedy: Convert the model again from its original files, with a newer converter."
SAVE = "    remedy: Save the corrected template as fixed.jinja, then run: gguf-new-metadata --chat-template-file fixed.jinja "
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


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            bpe(("word", 3), ("<unused1>", 5)),
            [
                "warning: Token 258 “word”: marked as a control token, but it is a word, and cut out of texts. [word_marked_control]",
                CONVERT,
                "hint: Token 259 “<unused1>”: it only fills the list up to the size of the model. [padded]",
                "    remedy: Nothing, or convert with such tokens marked as unused.",
                "1 warning, 1 hint in m.gguf.",
            ],
        ),
        (
            bpe(("<x>", 9), ("<y>", 0)),
            [
                "error: 2 tokens, the first is token 258 “<x>”: there is no kind 9; known are 1 to 6 (tokenizer.ggml.token_type). [kind_out_of_range]",
                CONVERT,
                "1 error in m.gguf.",
            ],
        ),
        (
            bpe(("<unk>", 2), ("[UNK]", 2), unknown_token_id=258),
            [
                "warning: Token 259 “[UNK]”: marked as the unknown token, but that is another one. [unknown_marked_twice]",
                CONVERT,
                "1 warning in m.gguf.",
            ],
        ),
        (
            bpe(("<|a|>", 3), ("<｜a｜>", 3), ("<|\u0430b|>", 3), ("<c\u200b>", 3), ("<d> ", 3)),
            [
                "warning: Token 260 “<|аb|>”: it has the letter U+0430, which passes for “a”. [special_look_alike]",
                CONVERT,
                "warning: Token 258 “<|a|>”: it looks like another special token, “<｜a｜>”. [special_look_alike]",
                CONVERT,
                "warning: Token 261 “<c\\u200b>”: it has an invisible character, U+200B. [special_invisible]",
                CONVERT,
                "warning: Token 262 “<d> ”: it begins or ends with a blank: where a text has none, it is no token. [special_blank]",
                "    text:   “<d>” is [60, 100, 62]; mended: [262]",
                CONVERT,
                "4 warnings in m.gguf.",
            ],
        ),
        (
            bpe(("abc", 1), ("abcd", 1)),
            [
                "hint: 2 tokens, the first is token 258 “abc”: no merge rule makes it, so no text has it. [token_never_made]",
                CONVERT,
                "1 hint in m.gguf.",
            ],
        ),
        (
            bpe() | {"merges": ["a b", "a b", "x y", "broken"]},
            [
                "error: 1 merge rule does not consist of two texts and a space; it has no effect. [merge_broken]",
                CONVERT,
                "error: No token is what 1 merge rule would join or make, such as “x y”. [merge_of_no_token]",
                CONVERT,
                "warning: In the list again, without effect: 1 merge rule. [merge_twice]",
                CONVERT,
                "2 errors, 1 warning in m.gguf.",
            ],
        ),
        (
            bpe(("</s>", 1), bos_token_id=64, add_bos_token=True),
            [
                "error: The BOS token is 64 “@”, which is ordinary text. [role_is_text]",
                "    text:   “a” is [64, 97]",
                CONVERT,
                "hint: Token 257 “</s>”: marked as ordinary text, but llama.cpp makes it a control token. [control_by_its_text]",
                CONVERT,
                "1 error, 1 hint in m.gguf.",
            ],
        ),
        (
            bpe(
                add_bos_token=True,
                add_eos_token=True,
                keys={TEMPLATE: "{{ bos_token + 'x' }}\n<|im_end|> <|zz|>\u200b"},
            ),
            [
                "error: The BOS token is 11 “ċ”, which is ordinary text. [role_is_text]",
                "    text:   “a” is [11, 97, 257]",
                CONVERT,
                "warning: Each text ends in “</s>” (tokenizer.ggml.add_eos_token), and the file has a chat template: a prompt that is encoded with special tokens tells the model that all is said, before it answers. [eos_behind_prompts]",
                "    text:   “a” is [11, 97, 257]; mended: [11, 97]",
                "    remedy: gguf-new-metadata --force --remove-metadata tokenizer.ggml.add_eos_token m.gguf m-fixed.gguf",
                "warning: The chat template “default” writes “ċ”, and the tokenizer puts it before each text: a program that encodes what the template writes with special tokens has it twice. [bos_twice]",
                "    text:   “ċ” is [11, 196, 139, 257]; mended: [196, 139]",
                "    remedy: Encode rendered prompts without special tokens, or set tokenizer.ggml.add_bos_token to false.",
                "warning: The chat template “default” has the marker “<|im_end|>”, which is ordinary text in this model. [marker_is_text]",
                "    text:   “<|im_end|>” is [60, 124, 105, 109, 95, 101, 110, 100, 124, 62]",
                SAVE + "m-fixed.gguf m-fixed-2.gguf",
                "warning: The chat template “default” has the marker “<|zz|>”, which is ordinary text in this model. [marker_is_text]",
                "    text:   “<|zz|>” is [60, 124, 122, 122, 124, 62]",
                SAVE + "m-fixed.gguf m-fixed-2.gguf",
                "warning: The chat template “default” has an invisible character in line 2: U+200B. [template_invisible]",
                SAVE + "m-fixed.gguf m-fixed-2.gguf",
                "1 error, 5 warnings in m.gguf.",
            ],
        ),
        (
            bpe(("<|im_end|>", 3), ("<|end_of_message|>", 3), keys={TEMPLATE: "<|end_of_message|>"}),
            [
                "warning: Token 259 “<|end_of_message|>”: it looks like the end of a turn, but llama.cpp does not end a generation there. [end_of_turn_goes_on]",
                "    remedy: gguf-new-metadata --special-token-by-id eom 259 m.gguf m-fixed.gguf",
                "1 warning in m.gguf.",
            ],
        ),
        (
            bpe(architecture="qwen3", keys={"qwen3.vocab_size": 300}),
            [
                "warning: The file says 300 tokens (qwen3.vocab_size), and lists 258. [vocabulary_size]",
                "    remedy: Set qwen3.vocab_size to 258, or: Convert the model again from its original files, with a newer converter.",
                "1 warning in m.gguf.",
            ],
        ),
        (
            bpe() | {"pre": "nonsense"},
            [
                "error: The pre-tokenizer “nonsense” is not known. The likeliest is chameleon: it cuts 0 of 129 tokens in two; deepseek-coder, starcoder, default cut no more, but are coarser. [pre_unknown]",
                "    remedy: gguf-new-metadata --pre-tokenizer chameleon m.gguf m-fixed.gguf",
                "error: The BOS token is 11 “ċ”, which is ordinary text. [role_is_text]",
                "    text:   “a” is [11, 97]",
                CONVERT,
                "2 errors in m.gguf.",
            ],
        ),
        (
            bpe() | {"pre": None},
            [
                "error: The file names no pre-tokenizer (tokenizer.ggml.pre). The likeliest is chameleon: it cuts 0 of 129 tokens in two; deepseek-coder, starcoder, default cut no more, but are coarser. [pre_missing]",
                "    remedy: gguf-new-metadata --pre-tokenizer chameleon m.gguf m-fixed.gguf",
                "1 error in m.gguf.",
            ],
        ),
        (
            bpe(
                ("<s>", 3),
                bos_token_id=258,
                add_bos_token=True,
                add_eos_token=True,
                keys={TEMPLATE: "{# <s>\n #}\n{{ bos_token }}\n\u0430"},
            ),
            [
                "warning: Each text ends in “</s>” (tokenizer.ggml.add_eos_token), and the file has a chat template: a prompt that is encoded with special tokens tells the model that all is said, before it answers. [eos_behind_prompts]",
                "    text:   “a” is [258, 97, 257]; mended: [258, 97]",
                "    remedy: gguf-new-metadata --force --remove-metadata tokenizer.ggml.add_eos_token m.gguf m-fixed.gguf",
                "warning: The chat template “default” writes “<s>”, and the tokenizer puts it before each text: a program that encodes what the template writes with special tokens has it twice. [bos_twice]",
                "    text:   “<s>” is [258, 258, 257]; mended: [258]",
                "    remedy: Encode rendered prompts without special tokens, or set tokenizer.ggml.add_bos_token to false.",
                "2 warnings in m.gguf.",
            ],
        ),
        (
            spm(("<0x1>", 6)) | {},
            [
                "warning: Token 261 “<0x1>”: marked as a byte, but not named like <0x0A>. [byte_misnamed]",
                CONVERT,
                "1 warning in m.gguf.",
            ],
        ),
        (
            spm() | {"scores": [0.0] * 261},
            [
                "error: All scores are 0 (tokenizer.ggml.scores): nothing tells which tokens a text is cut into. [scores_missing]",
                CONVERT,
                "1 error in m.gguf.",
            ],
        ),
        (
            spm(("b", 1), ("c", 1)) | {"scores": [0.0] * 259 + [1.5, -2.0, float("nan"), float("inf")]},
            [
                "error: 2 tokens, the first is token 261 “b”: its score is nan, no number to compare. [score_not_finite]",
                CONVERT,
                "warning: 2 tokens, the first is token 259 “a”: its score is 1.5; ordinary ones are at most 0. [score_above_zero]",
                CONVERT,
                "1 error, 1 warning in m.gguf.",
            ],
        ),
        (
            spm((b"\xe4\xb8", 1)),
            [
                "warning: Token 261 “�”: it is no UTF-8 (E4 B8): no text that is becomes it. [token_not_utf8]",
                CONVERT,
                "1 warning in m.gguf.",
            ],
        ),
        (
            spm() | {"types": [2, 3, 3, 1, *[6] * 255, 1, 1]},
            [
                "error: Token 3 “<0x00>”: it stands for a byte, but is not marked so. [byte_not_marked]",
                CONVERT,
                "1 error in m.gguf.",
            ],
        ),
    ],
)
def test_a_diagnosis_is_told_in_full(tmp_path, monkeypatch, given, expected):
    monkeypatch.chdir(tmp_path)
    diagnosis = guiapp.doctor(write_vocab("m.gguf", **given))
    findings = tuple(each for each in diagnosis.findings if each.code != "clean_up")
    assert list(text_lines(Diagnosis(findings, diagnosis.tokenizer, diagnosis.path))) == expected


def test_a_pre_tokenizer_that_fits_as_little_as_all_others_is_not_called_unknown(tmp_path):
    given = bpe(("<|x|>", 1), ("[PAD7]", 1))
    findings = guiapp.doctor(write_vocab(tmp_path / "m.gguf", **given)).findings
    (finding,) = (each for each in findings if each.code.startswith("pre_"))
    assert (finding.code, finding.severity) == ("pre_of_other_family", "warning")
    assert finding.what.startswith("The file asks for “gpt-2”, but no pre-tokenizer fits its tokens: even ")
    assert finding.what.endswith(" cuts 1 of 131 tokens in two.")
    (tmp_path / "unknown").mkdir()
    unknown = write_vocab(tmp_path / "unknown" / "m.gguf", **given | {"pre": "nonsense"})
    (finding,) = (each for each in guiapp.doctor(unknown).findings if each.code.startswith("pre_"))
    assert finding.code == "pre_unknown"
    assert finding.what.startswith("The file names no known pre-tokenizer, and no one fits its tokens: even ")


@pytest.mark.parametrize(
    ("chosen", "name", "remedy"),
    [
        ("{{ eos_token }}", "eos", "Save the corrected template"),  # no token looks like one
        ("{{- 'x' + bos_token }}", "bos", "gguf-new-metadata --special-token-by-id bos 0 "),
    ],
)
def test_a_template_that_writes_a_role_that_is_not_there_is_told_with_its_line(
    tmp_path, chosen, name, remedy
):
    keys = {TEMPLATE: f"a\nb\nc\nd\n{chosen}\ne\nf\ng\nh"}
    given = {"model": "rwkv", "tokens": ["<s>", "a"], "types": [3, 1], "keys": keys}
    findings = guiapp.doctor(write_vocab(tmp_path / "m.gguf", **given)).findings
    (finding,) = (each for each in findings if each.code == "template_role_missing")
    assert finding.line == TemplateLine("default", 5, 2, ("b", "c", "d", chosen, "e", "f", "g"))
    assert finding.what == (
        f"The chat template “default” writes {name}_token, "
        f"but the file names none (tokenizer.ggml.{name}_token_id): nothing is written there."
    )
    assert finding.remedy.startswith(remedy)


WHOLE = Diagnosis(
    (
        Finding("one", "error", "It *is* so.", "gguf-new-metadata --x m.gguf", pre="qwen2", tokens=(1, 2)),
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


def test_a_record_has_all_that_is_known_of_a_finding():
    nothing = {"changes": None, "tokens": [], "pre": "", "line": None}
    assert json.loads(json.dumps(record(WHOLE))) == {
        "file": None,
        "findings": [
            nothing
            | {"code": "one", "severity": "error", "what": "It *is* so.", "pre": "qwen2", "tokens": [1, 2]}
            | {"remedy": "gguf-new-metadata --x m.gguf"},
            nothing
            | {"code": "two", "severity": "warning", "what": "Another <b>.", "remedy": "Do it."}
            | {"changes": {"text": "a b", "before": [*range(13)], "after": [7]}}
            | {"line": {"template": "default", "number": 3}},
            nothing
            | {"code": "three", "severity": "warning", "what": "A third.", "remedy": ""}
            | {"changes": {"text": "c", "before": [*range(12)], "after": None}},
        ],
    }


def test_the_file_is_named_where_there_is_one(tmp_path):
    diagnosis = guiapp.doctor(write_vocab(tmp_path / "m.gguf", **spm()))
    assert record(diagnosis) == {"file": "m.gguf", "findings": []}
    assert list(text_lines(diagnosis)) == ["No findings in m.gguf."]
    assert diagnosis.worst is None
    assert WHOLE.worst == "error"


def test_ids_of_a_text_are_told_up_to_twelve():
    assert list(text_lines(WHOLE)) == [
        "error: It *is* so. [one]",
        "    remedy: gguf-new-metadata --x m.gguf",
        "warning: Another <b>. [two]",
        "    text:   “a b” is [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …]; mended: [7]",
        "    remedy: Do it.",
        "warning: A third. [three]",
        "    text:   “c” is [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]",
        "1 error, 2 warnings.",
    ]


def test_in_markdown_each_severity_has_a_heading_and_commands_are_code():
    told = markdown("a*b.gguf", WHOLE).split("\n")
    assert [line for line in told if line] == [
        r"# What the doctor says of a\*b.gguf",
        "1 error, 2 warnings.",
        "## 1 error",
        r"- It \*is\* so. (`one`)",
        "  - Remedy: `gguf-new-metadata --x m.gguf`",
        "## 2 warnings",
        r"- Another \<b\>. (`two`)",
        r"  - Text: “a b” is \[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …\]; mended: \[7\]",
        "  - Remedy: Do it.",
        "- A third. (`three`)",
        r"  - Text: “c” is \[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11\]",
    ]
    assert told[-1] == ""
    assert count(WHOLE.findings[1:2]) == "1 warning"
    assert count(()) == "No findings"
    assert not is_command("Do gguf-new-metadata ")
