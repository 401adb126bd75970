"""The pre-tokenizers to choose from."""

from types import SimpleNamespace

from guiapp.core.formats.ranks import RANK_PATTERNS
from guiapp.core.pretokenize.pre_tokenizers import PRE_TOKENIZERS
from guiapp.core.vocabulary.vocabulary import VocabType
from guiapp.kit.session.choice import matching
from guiapp.kit.session.loader import RefusedModel, can_choose
from guiapp.kit.widgets.choice_list import (
    AS_THE_FILE_SAYS,
    pre_choices,
    question,
)


def refusing(pre, likely=()):
    return SimpleNamespace(refused=RefusedModel("odd.gguf", pre, "unknown", likely), model=None)


def showing(**parts):
    usual = {"type": VocabType.BPE, "model": "gpt2", "chosen_pre": "", "parts": None, "readings": {}}
    vocabulary = SimpleNamespace(**usual | parts)
    return SimpleNamespace(
        refused=None, model=SimpleNamespace(tokenizer=SimpleNamespace(vocabulary=vocabulary))
    )


def test_similar_names_come_first_and_then_all_names():
    rows = pre_choices(refusing("qwen2.5", ("qwen2", "qwen35")))
    assert [row.name for row in rows if row.section == "Likely"] == ["qwen2", "qwen35"]
    assert sorted(PRE_TOKENIZERS) == [row.name for row in rows if row.section == "All"]


def test_the_name_in_the_file_can_be_returned_to():
    rows = pre_choices(showing(pre="gpt-2", chosen_pre="qwen2"))
    assert rows[0].name == AS_THE_FILE_SAYS
    assert [row.name for row in rows if row.is_current] == ["qwen2"]


def test_lists_of_ranks_are_also_split_as_published_ones_are():
    likely = ("qwen", "r50k_base")
    rows = pre_choices(refusing("", likely))
    assert [row.name for row in rows[:2]] == [*likely]
    assert {row.name for row in rows[2:]} == {*PRE_TOKENIZERS, *RANK_PATTERNS}
    rows = pre_choices(showing(pre="cl100k_base", model="tiktoken"))
    assert rows[0].title == "cl100k_base, as in the file"
    assert "┆ 123 ┆ 45 ┆" in rows[0].detail.replace("·", "")
    assert {row.name for row in rows[1:]} == {*PRE_TOKENIZERS, *RANK_PATTERNS}
    assert not {row.name for row in pre_choices(showing(pre="gpt-2"))} & {*RANK_PATTERNS}


def test_rows_match_words_in_any_order():
    rows = pre_choices(refusing("foo"))
    assert "llama-bpe" in [row.name for row in matching(rows, "BPE llama")]
    assert not list(matching(rows, "no such name"))


def test_only_vocabularies_that_are_split_offer_a_choice():
    assert can_choose(showing(pre="olmo"))
    assert can_choose(refusing("foo"))
    assert not can_choose(showing(pre="tekken", model="tekken"))
    assert not can_choose(showing(type=VocabType.SPM))
    assert not can_choose(SimpleNamespace(refused=None, model=None))


def test_each_reading_of_an_ambiguous_file_is_offered():
    readings = {"llama-first": "Converted otherwise."}
    loader = showing(readings=readings, pre="", chosen_pre="llama-first")
    assert can_choose(loader)
    assert [(row.name, row.detail, row.is_current) for row in pre_choices(loader)] == [
        (AS_THE_FILE_SAYS, "", False),
        ("llama-first", "Converted otherwise.", True),
    ]
    assert "Libraries" in question(loader)
    assert not can_choose(showing(parts=SimpleNamespace(), pre=""))
