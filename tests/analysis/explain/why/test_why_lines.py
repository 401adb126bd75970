"""All that is told of a few tokens, as people and as programs read it."""

from __future__ import annotations

import json

import pytest

from guiapp import open_model
from guiapp.analysis.explain.spelling import without_marks
from guiapp.analysis.explain.why.explanation import why_lines, why_record
from guiapp.analysis.explain.why.why import why

EXPLANATIONS = {
    ("toy", "abacbb", 0): """
        token 0, bytes 0–2
          Bytes              61 62
                               2 bytes: U+0061 a, U+0062 b
          Special tokens     Ordinary text: there are no special tokens to look for.
          Normalizer         Nothing changes.
          Pre-tokenizer      Piece abacbb: letters, with a space before them.
                                ?\\p{L}+, alternative 8 of 11
          Merges             a + b → ab  rank 0
                               comes before c + b, rank 1
                             No merge rule joins ab + acbb. The piece begins with it.
          Token              ab is id 3
                               normal, rank 0
    """,
    ("spm", "", 0): """
        token 0, bytes 0–0
          Bytes              It has no text of its own.
          Special tokens     <s> is added before the text, as the file specifies.
          Token              <s> is id 1
                               control, score 0
    """,
}


@pytest.mark.parametrize(("model", "text", "at"), EXPLANATIONS)
def test_each_stage_of_a_token_is_explained_in_full(model, text, at):
    (explained,) = why(open_model(f"demo:{model}"), text, at, at if not text else None)
    expected = EXPLANATIONS[model, text, at].strip("\n ").splitlines()
    assert list(why_lines(explained)) == [expected[0], *(line[8:] for line in expected[1:])]


def test_a_record_of_a_merge_has_the_pair_that_won_and_the_one_that_lost():
    record = why_record(why(open_model("demo:toy"), "abacbb", 0))
    (token,) = record["tokens"]
    stages = token.pop("stages")
    assert token == {"index": 0, "id": 3, "span": [0, 2], "encoder": "fast"}
    names = ["bytes", "partition", "normalise", "split", "encode", "token"]
    assert [stage["stage"] for stage in stages] == names
    nothing = dict.fromkeys(("note", "operation", "step_span", "merged", "lost"))
    assert stages[0]["lines"] == [nothing | {"text": "61 62", "note": "2 bytes: U+0061 a, U+0062 b"}]
    merge = {
        "text": "a + b → ab",
        "note": "comes before c + b, rank 1",
        "operation": "merge",
        "step_span": [0, 2],
        "merged": {"left": 0, "right": 1, "result": 3, "rank": 0, "span": [0, 2]},
        "lost": {"left": 2, "right": 1, "result": 4, "rank": 1, "span": [3, 5]},
    }
    unmerged = {"text": "No merge rule joins ab + acbb. The piece begins with it.", "operation": "done"}
    assert stages[4]["lines"] == [merge, nothing | unmerged | {"step_span": [0, 2]}]


@pytest.mark.parametrize(
    ("model", "text", "encoder", "explained"),
    [
        ("bpe", " lions", "fewest", ["·l", "l, bytes 1–2, would also end there. worse by 1"]),
        ("bpe", " lions", "backtrack", ["Nothing can follow ·li: it is taken back.", "·l is taken"]),
        ("toy", "acbcb", "backtrack", ["Nothing can follow ac: it is taken back.", "a is taken"]),
        (
            "toy",
            "abab",
            "scan",
            [
                "a + b → ab comes before a + b, of equal rank, but further right",
                "No merge rule joins ab + ab. The piece begins",
            ],
        ),
        ("spm", "xb", "greedy", ["·x is taken", "No other token", "Shorter tokens would also fit: ·."]),
    ],
)
def test_other_encoders_explain_their_own_decisions(model, text, encoder, explained):
    each = why(open_model(f"demo:{model}"), text, 0, encoder=encoder)[0]
    (lines,) = (stage.lines for stage in each.stages if stage.name == "encode")
    line_texts = [f"{line.text} {line.note}".replace("`", "") for line in lines]
    assert len(line_texts) == len(explained)
    assert all(words in line for words, line in zip(explained, line_texts, strict=True)), line_texts


BERT = {"clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True}
NORMALIZERS = [
    ("Lowercase", {}, "ÉB", "ÉB becomes éb. (Lowercase)"),
    ("Lowercase", {}, b"a\xff", "a<FF> becomes a\ufffd. (Bytes that are not UTF-8 become U+FFFD)"),
    ("Replace", {"pattern": {"String": "b"}, "content": "c"}, "ab", "ab becomes ac. (Replace b with c)"),
    ("Prepend", {"prepend": "▁"}, "ab", "ab becomes ▁ab. (Prepend ▁)"),
    ("BertNormalizer", BERT, "ÀB", "ÀB becomes ab. (BertNormalizer)"),
]
METASPACE = {"replacement": "▁", "split": True}
BYTES = {"add_prefix_space": False, "trim_offsets": True}
HYPHEN = {"pattern": {"String": "-"}, "invert": False}
CUTTERS = [
    ("Whitespace", {}, "ab cd", "Whitespace makes the piece ab."),
    ("Whitespace", {}, b"a\xff b", "a\ufffd·b was not valid UTF-8 before it was split."),
    ("Punctuation", {"behavior": "Isolated"}, "a,b", "Punctuation makes the piece a."),
    (
        *("Metaspace", METASPACE | {"prepend_scheme": "always"}, "ab cd"),
        "Metaspace, which writes spaces as ▁ and adds one in front (always), makes the piece ▁ab.",
    ),
    (
        *("ByteLevel", BYTES | {"use_regex": True}, "ab cd"),
        "ByteLevel, which writes bytes as characters and splits as GPT-2 does, makes the piece ab. "
        r"( ?\p{L}+: letters, with a space before them)",
    ),
    ("Split", HYPHEN | {"behavior": "Removed"}, "ab-c", "Split drops matches of -; it makes the piece ab."),
    (
        *("Split", {"pattern": {"Regex": "[a-z]+|-"}, "behavior": "Isolated", "invert": False}, "ab-cd"),
        "Split isolates matches of [a-z]+|-; it makes the piece ab. ([a-z]+)",
    ),
]


def lines_of(tmp_path, stage, text, **parts):
    """What a stage of the first token is told with, notes in brackets."""
    model = {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({"version": "1.0", "added_tokens": [], "model": model, **parts}))
    explained = why(open_model(path), text, 0, len(text))[0]
    (lines,) = (each.lines for each in explained.stages if each.name == stage)
    return [without_marks(f"{line.text} ({line.note})" if line.note else line.text) for line in lines]


@pytest.mark.parametrize(("name", "options", "text", "explained"), NORMALIZERS)
def test_the_result_of_a_normalizer_is_explained(name, options, text, explained, tmp_path):
    assert lines_of(tmp_path, "normalise", text, normalizer={"type": name, **options}) == [explained]


@pytest.mark.parametrize(("name", "options", "text", "explained"), CUTTERS)
def test_the_piece_of_a_pre_tokenizer_is_explained(name, options, text, explained, tmp_path):
    assert lines_of(tmp_path, "split", text, pre_tokenizer={"type": name, **options}) == [explained]
