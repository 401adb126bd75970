"""Training told step by step agrees with training, and with the textbook."""

from __future__ import annotations

from itertools import islice

import pytest

from guiapp.core.training import bpe, wordpiece
from guiapp.core.training.telling import corpus_of, merges, textbook_corpus, unigram_lines

TEXT = "This is insane! This is impossible"


def test_the_textbook_run_merges_i_and_s_first():
    told = list(islice(merges("bpe", textbook_corpus(TEXT)), 4))
    assert (told[0].left, told[0].right, told[0].worth) == ("i", "s", 4)
    assert told[0].ties == (("s", "</w>"),)
    assert "`i` + `s` → `is`, 4 times: as good as `s` + `</w>`" in told[0].sentence
    assert dict(told[0].words)[("T", "h", "is", "</w>")] == 2
    assert (told[1].left, told[1].right) == ("is", "</w>")


@pytest.mark.parametrize(("algorithm", "trainer"), [("bpe", bpe), ("wordpiece", wordpiece)])
def test_what_is_told_is_what_is_trained(algorithm, trainer):
    text = "low lower lowest new newer newest wide wider widest " * 2
    told = [(merge.left, merge.right) for merge in merges(algorithm, corpus_of(algorithm, text))]
    trained = [(merge.left, merge.right) for merge in trainer.steps(corpus_of(algorithm, text))]
    assert told == trained != []


def test_rivals_are_worth_less_and_ties_as_much():
    corpus = textbook_corpus(TEXT)
    for merge in merges("bpe", corpus):
        assert all(worth < merge.worth for _, worth in merge.rivals)
        assert all((merge.left, merge.right) < tie for tie in merge.ties)
        assert merge.sentence.endswith(".")


def test_unigram_rounds_end_with_nothing_to_drop():
    lines = list(unigram_lines("this is a text that has this and that " * 4, 13))
    assert len(lines) > 1
    assert lines[-1].endswith("nothing to drop")
