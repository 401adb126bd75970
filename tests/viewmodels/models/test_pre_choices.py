"""The pre-tokenizers to choose from."""

from types import SimpleNamespace

import pytest

from guiapp.core.split.pre_tokenizers import PRE_TOKENIZERS
from guiapp.core.vocab.vocabulary import VocabType
from guiapp.viewmodels.models.choices import matching
from guiapp.viewmodels.models.loader import RefusedModel
from guiapp.viewmodels.models.pre_choices import (
    AS_THE_FILE_SAYS,
    can_choose,
    example_split,
    pre_choices,
    question,
)


def refusing(pre):
    return SimpleNamespace(refused=RefusedModel("odd.gguf", pre, "unknown"), model=None)


def showing(**parts):
    vocabulary = SimpleNamespace(**{"type": VocabType.BPE, "model": "gpt2", "chosen_pre": "", **parts})
    return SimpleNamespace(
        refused=None, model=SimpleNamespace(tokenizer=SimpleNamespace(vocabulary=vocabulary))
    )


def test_names_like_the_unknown_one_come_first_and_all_follow():
    rows = pre_choices(refusing("qwen2.5"))
    assert "qwen2" in [row.name for row in rows if row.section == "Similar name"]
    assert sorted(PRE_TOKENIZERS) == [row.name for row in rows if row.section == "All"]


def test_the_name_in_the_file_can_be_returned_to():
    rows = pre_choices(showing(pre="gpt-2", chosen_pre="qwen2"))
    assert rows[0].name == AS_THE_FILE_SAYS
    assert [row.name for row in rows if row.is_current] == ["qwen2"]


def test_what_the_file_says_has_the_tick_where_nothing_was_chosen():
    rows = pre_choices(showing(pre="gpt-2"))
    assert [row.title for row in rows if row.is_current] == ["gpt-2, as the file says"]


def test_each_name_shows_how_it_splits():
    assert "┆ 12345 ┆".replace(" ", "") in example_split("gpt-2").replace("·", "").replace(" ", "")
    assert "1 ┆ 2 ┆ 3" in example_split("qwen2")


def test_rows_are_found_by_words_in_any_order():
    rows = pre_choices(refusing("foo"))
    assert "llama-bpe" in [row.name for row in matching(rows, "BPE llama")]
    assert not list(matching(rows, "no such name"))


@pytest.mark.parametrize(
    ("loader", "words"),
    [
        (refusing("foo"), "“foo”, which is not known"),
        (showing(pre=""), "names no"),
        (showing(pre="olmo"), "“olmo”"),
    ],
)
def test_the_question_says_what_the_file_says(loader, words):
    assert words in question(loader)


def test_only_vocabularies_that_are_split_offer_a_choice():
    assert can_choose(showing(pre="olmo"))
    assert can_choose(refusing("foo"))
    assert not can_choose(showing(type=VocabType.SPM))
    assert not can_choose(SimpleNamespace(refused=None, model=None))
