"""Each cause is told from the stage at which two tokenizers part."""

from __future__ import annotations

from dataclasses import replace

import planted
import pytest
from planted import flag, put_around, retype, set_key, set_part, set_path, with_mask

import guiapp
from guiapp.core.compare.reasons import Cause, Reason, reason_for
from guiapp.core.demo import DEMO_MODELS
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.vocab.vocabulary import Vocabulary


def reason_of(folder, model: str, kind: str, change, text: str, before=lambda content: None) -> Reason | None:
    plant = planted.Plant("", f"demo:{model}", kind, change, (), before)
    return reason_for(*map(guiapp.open_model, plant.write(folder)), text.encode(), ("A", "B"))


def lowercase_contractions(said) -> None:
    planted.replace_in_patterns(planted.ANY_CASE, planted.LOWER_CASE)(said)


def token_renamed(parts) -> None:
    planted.rename_token("Ġthe".encode(), "Ġthz".encode())(parts)


def normalized_by(form: str):
    return set_path("normalizer", value={"type": form})


keeps_accents = set_path("normalizer", "strip_accents", value=False)
CASES = (
    ("bpe", "gguf", set_part(pre="qwen2"), "12", Cause.PIECES, "digits"),
    ("bpe", "gguf", set_part(pre="trillion"), "a ", None, ""),
    ("bpe", "gguf", set_part(pre="dbrx"), "a .", None, ""),
    ("bpe", "gguf", token_renamed, " the", Cause.TOKEN, "only in the first"),
    ("bpe", "gguf", retype(b"<think>", 1), "<think>", Cause.SPECIAL, "only in the first"),
    ("bpe", "gguf", set_key(add_bos_token=False), "a", Cause.AROUND, "each text"),
    ("bpe", "json", put_around((1, 1)), "a", Cause.AROUND, "each text"),
    ("bpe", "json", lowercase_contractions, "'The", Cause.PIECES, "contractions"),
    ("bpe", "json", normalized_by("NFC"), "e\u0301", Cause.NORMALIZED, "composed characters"),
    ("bpe", "json", normalized_by("Lowercase"), "THE", Cause.NORMALIZED, "case"),
    ("bpe", "json", normalized_by("NFKC"), "ﬁ", Cause.NORMALIZED, "compatible characters"),
    ("bpe", "json", flag(lstrip=True), "a <mask>", Cause.SPECIAL, "white space beside", with_mask),
    ("bpe", "json", flag(content="<mosk>"), "<mask>", Cause.SPECIAL, "only in the first", with_mask),
    ("bpe", "json", planted.swap_texts("Ġthe", "Ġand"), " the", Cause.NUMBER, "ids"),
    ("spm", "gguf", set_key(add_space_prefix=False), "a", Cause.NORMALIZED, "the space in front"),
    ("spm", "json", planted.without_first_normalizer, "a", Cause.NORMALIZED, "the space in front"),
    ("spm", "json", set_path("model", "byte_fallback", value=False), "𝄞", Cause.FALLBACK, "unknown text"),
    ("wordpiece", "json", set_path("normalizer", "lowercase", value=False), "The", Cause.NORMALIZED, "case"),
    ("wordpiece", "json", keeps_accents, "é", Cause.NORMALIZED, "accents"),
    ("wordpiece", "json", set_path("decoder", "cleanup", value=True), "a .", Cause.DECODED, "spaces"),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}.{case[1]} {case[3]} {case[4]}")
def test_the_cause_is_the_first_stage_that_differs(case, tmp_path):
    model, kind, change, text, cause, subject, *before = case
    reason = reason_of(tmp_path, model, kind, change, text, *before)
    if cause is None:
        assert reason is None
    else:
        assert reason is not None
        assert reason.kind == (cause, subject), reason
        assert reason.sentence.endswith(".")


def test_a_missing_rule_is_told_with_its_rank(tmp_path):
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


def test_rules_in_another_order_are_told_both(tmp_path):
    reason = reason_of(tmp_path, "bpe", "gguf", lambda parts: parts["merges"].reverse(), "hello there")
    assert reason is not None
    assert reason.kind == (Cause.MERGE, "order")


def test_taking_whole_pieces_is_told(tmp_path):
    """Where merges do not lead to a token, though it is one."""
    without = drop_all_that_make("Ġthe")
    reason = reason_of(tmp_path, "bpe", "gguf", set_part(pre="dbrx"), " the", without)
    assert reason is not None
    assert reason.kind == (Cause.WHOLE_PIECE, "pieces")


def drop_all_that_make(token: str):
    def change(parts) -> None:
        parts["merges"] = [rule for rule in parts["merges"] if rule.decode().replace(" ", "") != token]
        parts["keys"]["tokenizer.ggml.add_bos_token"] = False

    return change


def test_another_score_is_told(tmp_path):
    """Of Unigram, where one token is worth more than its parts only by its score."""
    first = planted.Plant("", "demo:unigram", "gguf", worst_score("▁the".encode()), ()).write(tmp_path)
    reason = reason_for(*map(guiapp.open_model, first), b"the", ("A", "B"))
    assert reason is not None
    assert reason.kind == (Cause.SCORE, "scores")
    assert "·the" in reason.sentence


def worst_score(token: bytes):
    def change(parts) -> None:
        parts["scores"][parts["tokens"].index(token)] = -90.0

    return change


@pytest.mark.parametrize("model", DEMO_MODELS, ids=lambda model: model.name)
def test_there_is_no_reason_where_nothing_differs(model):
    tokenizer = guiapp.open_model(f"demo:{model.name}")
    for text in ("", "a", "Hello, 世界! é 12", "<|im_end|> x"):
        assert reason_for(tokenizer, guiapp.open_model(f"demo:{model.name}"), text.encode()) is None


def test_what_only_one_refuses_is_told():
    tokenizer = guiapp.open_model("demo:unigram")
    refusing = without_unknown(tokenizer.vocabulary)
    reason = reason_for(tokenizer, Tokenizer(refusing), "𝄞".encode(), ("A", "B"))
    assert reason is not None
    assert reason.cause is Cause.REFUSED
    assert reason.sentence.startswith("B refuses")


def without_unknown(vocabulary: Vocabulary) -> Vocabulary:
    special = replace(vocabulary.special_ids, unk=None)
    return replace(vocabulary, special_ids=special)
