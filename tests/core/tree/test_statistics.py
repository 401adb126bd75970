"""Figures about a tree."""

from __future__ import annotations

import pytest
from toy_vocabulary import toy_vocabulary

from guiapp.core.tree.coloring import COLORINGS, ColoringInput, node_values
from guiapp.core.tree.picture import tree_picture
from guiapp.core.tree.statistics import tree_statistics
from guiapp.core.vocab.vocabulary import Attribute, Rules, VocabType

TOKENS = dict.fromkeys(["a", "b", "c", "ab", "abc", "bc", "cb", "<s>"], 0.0) | {"<s>": Attribute.CONTROL}
MERGES = ["a b", "b c", "ab c"]


def toy_picture():
    return tree_picture(toy_vocabulary(TOKENS, VocabType.BPE, MERGES, Rules(byte_encoding=True)))


def test_findings_count_what_they_say():
    statistics = tree_statistics(toy_picture())
    values = {finding.name: finding.value for finding in statistics.findings}
    assert values["tokens"] == "8"
    assert values["leaves"] == "4"
    assert values["longest chain"] == "3"
    assert statistics.depths.tolist() == [4, 3, 1]
    assert statistics.fan_outs.tolist() == [4, 4]


@pytest.mark.parametrize("tokens", [{}, {"a": 0.0}, {b"\xff": 0.0}], ids=["none", "one", "broken"])
def test_the_smallest_vocabularies_have_statistics_and_colours(tokens):
    picture = tree_picture(toy_vocabulary(tokens))
    assert tree_statistics(picture).findings[0].value == str(len(tokens))
    for coloring in COLORINGS:
        assert len(node_values(coloring.name, ColoringInput(picture)).classes) == len(picture)
