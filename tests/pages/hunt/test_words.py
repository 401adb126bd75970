"""Causes have names for people, and sentences say A and B."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fake_hunt import START, find_of

from guiapp.analysis.compare.reasons import Cause
from guiapp.analysis.compare.subjects import ORDER
from guiapp.pages.hunt.model import ReasonPart, no_mismatch_lines, plain, sentence, title_of, where


@pytest.mark.parametrize(
    ("kind", "title"),
    [
        ((Cause.PIECES, "digits"), "Groups of digits"),
        ((Cause.PIECES, "the end of the text"), "Pieces: the end of the text"),
        ((Cause.AROUND, "each text"), "Tokens around each text"),
        ((Cause.MERGE, "only in the second"), "Merge: only in B"),
        ((Cause.MERGE, "pieces"), "Merge"),
        ((Cause.NORMALIZED, "case"), "Normalised otherwise: case"),
        ((Cause.REFUSED, "by the first"), "Refused: by A"),
    ],
)
def test_a_cause_has_a_name(kind, title):
    assert title_of(kind) == title


def test_no_two_kinds_share_a_name():
    kinds = [(cause, subject) for cause in Cause for subject in (*ORDER, "contractions")]
    named = [title_of(kind) for kind in kinds if kind[0] in (Cause.PIECES, Cause.NORMALIZED, Cause.DECODED)]
    assert len(set(named)) == len(named) == 3 * (len(ORDER) + 1)


def test_a_sentence_says_letters_for_names_and_keeps_texts_apart():
    find = find_of(
        b"12", sentence="`first.gguf` cuts `1` | `2` and `second.gguf` cuts `12`. It is about digits."
    )
    said = sentence(find, START.subjects)
    assert plain(said) == "A cuts 1 | 2 and B cuts 12."
    assert said[0] == ReasonPart("A", False, "A")
    assert said[2] == ReasonPart("1", True, "")
    assert where(find) == "Pre-tokenizer, from byte 0 on"


def test_nothing_found_says_how_much_was_tried_and_that_this_is_no_proof():
    told = " ".join(no_mismatch_lines(replace(START, tried=182_440, seconds=60.2, n_lines=10_000)))
    assert "182,440 texts in 60 s" in told
    assert "10,000 lines of your own" in told
    assert "no proof" in told
    for n_texts in (0, 9_999):
        few = replace(START, tried=n_texts)
        assert "no proof" not in " ".join(no_mismatch_lines(few))
        assert list(no_mismatch_lines(few))[-1] == few.why_inconclusive != ""
