"""Each cause is told from the stage at which two tokenizers part."""

from __future__ import annotations

import re
from dataclasses import replace

import planted
import pytest
from planted import flag, retype, set_key, set_part, set_path, with_mask

import guiapp
from guiapp.analysis.compare.reasons import (
    Cause,
    Reason,
    reason_for,
    what_differs,
    what_is_cut,
)
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.vocabulary import Vocabulary


def reason_of(folder, model: str, kind: str, change, text: str, before=lambda content: None) -> Reason | None:
    plant = planted.Plant("", f"demo:{model}", kind, change, (), before)
    return reason_for(*map(guiapp.open_model, plant.write(folder)), text.encode(), ("A", "B"))


def lowercase_contractions(document) -> None:
    planted.replace_in_patterns(planted.ANY_CASE, planted.LOWER_CASE)(document)


def token_renamed(parts) -> None:
    planted.rename_token("Ġthe".encode(), "Ġthz".encode())(parts)


def normalized_by(form: str):
    return set_path("normalizer", value={"type": form})


def drop_all_that_make(token: str):
    def change(parts) -> None:
        parts["merges"] = [rule for rule in parts["merges"] if rule.decode().replace(" ", "") != token]
        parts["keys"]["tokenizer.ggml.add_bos_token"] = False

    return change


def worst_score(token: bytes):
    def change(parts) -> None:
        parts["scores"][parts["tokens"].index(token)] = -90.0

    return change


IN_FRONT = "A normalizes the text to `·a`, B to `a`. They differ in the space in front."
CASES = (
    ("bpe", "gguf", set_part(pre="qwen2"), "12", Cause.PIECES, "digits",
     "A pre-tokenizes into one piece `12`, B into the pieces `1` | `2`. They differ in digits."),



    ("bpe", "gguf", token_renamed, " the", Cause.TOKEN, "only in the first", "B has no token `·the`."),
    ("bpe", "gguf", retype(b"<think>", 1), "<think>", Cause.SPECIAL, "only in the first",
     "A takes `<think>` as one special or added token, B as text."),
    ("bpe", "gguf", set_key(add_bos_token=False), "a", Cause.AROUND, "each text",
     "A adds BOS, id 2549, before the text; B adds nothing."),

    ("bpe", "json", lowercase_contractions, "'The", Cause.PIECES, "contractions",
     "A pre-tokenizes into the pieces `'T` | `he`, B into one piece `'The`. They differ in contractions."),
    ("bpe", "json", normalized_by("NFC"), "e\u0301", Cause.NORMALIZED, "composed characters",
     "A normalizes the text to `e\u0301`, B to `\u00e9`. They differ in composed characters."),

    ("bpe", "json", normalized_by("NFKC"), "ﬁ", Cause.NORMALIZED, "compatible characters",
     "A normalizes the text to `ﬁ`, B to `fi`. They differ in compatible characters."),
    ("bpe", "json", flag(lstrip=True), "a <mask>", Cause.SPECIAL, "white space next to it",
     "White space next to `<mask>` belongs to the token in only one model.", with_mask),

    ("bpe", "json", planted.swap_texts("Ġthe", "Ġand"), "a the", Cause.NUMBER, "ids",
     "The token `·the` has the id 263 in A and 295 in B."),
    ("bpe", "gguf", set_part(pre="dbrx"), " the", Cause.WHOLE_PIECE, "pieces",
     "A takes the piece `·the` as one token, B merges it.", drop_all_that_make("Ġthe")),
    ("bpe", "gguf", lambda parts: parts["merges"].reverse(), "hello there", Cause.MERGE, "order",
     "A merges `h` + `e` (rank 3) first, B `e` + `l` (rank 2,084)."),
    ("unigram", "gguf", worst_score("▁the".encode()), "the", Cause.SCORE, "scores",
     "The token `·the` has the score -4.1055 in A and -90 in B."),
    ("spm", "gguf", set_key(add_space_prefix=False), "a", Cause.NORMALIZED, "the space in front", IN_FRONT),

    ("spm", "json", set_path("model", "byte_fallback", value=False), "𝄞", Cause.FALLBACK, "unknown text",
     "`·𝄞` has text that is not in the vocabulary: A gives byte tokens, B no such tokens."),



    ("wordpiece", "json", set_path("decoder", "cleanup", value=True), "a .", Cause.DECODED, "spaces",
     "A decodes the same ids to `a·.`, B to `a.`: "
     "B drops spaces before punctuation (its clean-up of spaces)."),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}.{case[1]} {case[3]} {case[4]}")
def test_the_cause_is_the_first_stage_that_differs(case, tmp_path):
    model, kind, change, text, cause, subject, sentence, *before = case
    plant = planted.Plant("", f"demo:{model}", kind, change, (), *before or [lambda content: None])
    first, second = map(guiapp.open_model, plant.write(tmp_path))
    reason = reason_for(first, second, text.encode(), ("A", "B"))
    assert reason == (None if cause is None else Reason(cause, subject, sentence))
    back = reason_for(second, first, text.encode(), ("B", "A"))
    if reason is None:
        assert back is None
    elif subject.startswith("only in") or cause is Cause.WHOLE_PIECE:
        assert back == Reason(cause, subject.replace("first", "second"), sentence)
    else:
        assert back.kind == reason.kind
        assert sorted(re.findall(r"`[^`]+`|[AB0-9]", back.sentence)) == sorted(
            re.findall(r"`[^`]+`|[AB0-9]", sentence)
        )


def test_a_missing_merge_rule_is_reported_with_its_rank(tmp_path):
    tokenizer = planted.opened("demo:bpe")
    rules = [rule.decode() for rule in planted.gguf_parts("demo:bpe")["merges"]]
    at = rules.index("Ġt he")
    reason = reason_of(tmp_path, "bpe", "gguf", lambda parts: parts["merges"].pop(at), " thez")
    assert reason is not None
    assert reason.kind == (Cause.MERGE, "only in the first")
    assert reason.sentence == f"A merges `·t` + `he` (rank {at:,}), B has no such rule."
    assert tokenizer.encode(" thez", add_special=False).token_ids[0] == tokenizer.vocabulary.find(
        "Ġthe".encode()
    )


def test_a_text_refused_by_one_side_is_reported():
    tokenizer = guiapp.open_model("demo:unigram")
    refusing = without_unknown(tokenizer.vocabulary)
    reason = reason_for(tokenizer, Tokenizer(refusing), "𝄞".encode(), ("A", "B"))
    assert reason is not None
    assert reason.kind == (Cause.REFUSED, "by the second")
    assert reason.sentence.startswith("B refuses `𝄞`: ")
    assert not reason.sentence.endswith("..")
    back = reason_for(Tokenizer(refusing), tokenizer, "𝄞".encode(), ("B", "A"))
    assert back == replace(reason, subject="by the first")


def without_unknown(vocabulary: Vocabulary) -> Vocabulary:
    special = replace(vocabulary.special_ids, unk=None)
    return replace(vocabulary, special_ids=special)


@pytest.mark.parametrize(
    ("mine", "other", "subject"),
    [
        (" a", "a", "the space in front"),
        ("a  b", "a b", "spaces"),
        ("a\n", "a", "line ends"),
        ("a\r\nb", "a b", "line ends"),
        ("A", "a", "case"),
        ("e\u0301", "é", "composed characters"),
        ("ﬁ", "fi", "compatible characters"),
        ("é", "e", "accents"),
        ("É", "e", "accents and case"),
        ("a", "b", "characters"),
    ],
)
def test_texts_differ_in_the_first_thing_without_which_they_are_equal(mine, other, subject):
    assert what_differs(mine, other) == subject


@pytest.mark.parametrize(
    ("before", "after", "subject"),
    [
        ("12", "3", "digits"),
        ("I'", "M x", "contractions"),
        ("'", "a", "signs"),
        ("a\r", "\nb", "line ends"),
        ("a ", " b", "spaces"),
        ("e", "\u0301", "accents"),
        ("don't", " a", "contractions"),
        ("don't ", "a", "spaces"),
        ("a", "’D", "contractions"),
        ("", "'re", "contractions"),
        ("a", "", "letters"),
        ("", "", "the end of the text"),
    ],
)
def test_a_split_is_named_after_the_adjacent_characters(before, after, subject):
    assert what_is_cut(f"{before}{after}".encode(), len(before.encode())) == subject


@pytest.mark.parametrize("text", [" tokenize", "Die cats tokenize"])
def test_an_added_prefix_space_does_not_explain_later_differences(text):
    reason = reason_for(*map(guiapp.open_model, ("demo:bpe", "demo:spm")), text.encode(), ("A", "B"))
    assert reason.cause is not Cause.NORMALIZED


@pytest.mark.parametrize("text", [" |", " ||"])
def test_other_cuts_in_the_space_in_front_are_about_pieces(tmp_path, text):
    reason = reason_of(tmp_path, "bpe", "gguf", set_part(pre="default"), text, set_part(pre="gpt-2"))
    assert reason is not None
    assert reason.cause is Cause.PIECES
