"""Figures about a tree."""

import numpy as np
import pytest
from toy_vocabulary import toy_vocabulary

from guiapp.analysis.tree.coloring import COLORINGS, ColoringInput, node_values
from guiapp.analysis.tree.picture import tree_picture
from guiapp.analysis.tree.reports import UNREACHED, tree_statistics, unreached_finding
from guiapp.analysis.tree.trials import NAMES
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Rules, VocabType

TOKENS = dict.fromkeys(["a", "b", "c", "ab", "abc", "bc", "cb", "<s>"], 0.0) | {"<s>": Attribute.CONTROL}
MERGES = ["a b", "b c", "ab c"]


FINDINGS = [
    ("tokens", "10", [], ""),
    ("leaves", "7", [9, 8, 0, 4, 5, 2, 7], "begin no longer token"),
    ("longest chain", "3", [4, 5, 3, 6, 9, 8, 0, 1, 2, 7], "tokens from the root"),
    ("largest fan-out", "2", [1, 3, 6, 9, 8, 0, 4, 5, 2, 7], "children of one token"),
    ("longest token", "3", [0, 4, 5, 9, 8, 3, 6, 1, 2, 7], "bytes"),
    ("not whole UTF-8", "2", [6, 7], "parts of characters"),
    ("same bytes as another", "1", [9], "matching takes the other one"),
]


def toy_picture():
    return tree_picture(toy_vocabulary(TOKENS, VocabType.BPE, MERGES, Rules(byte_encoding=True)))


def test_findings_count_what_they_say():
    statistics = tree_statistics(toy_picture())
    values = {finding.name: finding.value for finding in statistics.findings}
    assert values["tokens"] == "8"
    assert values["leaves"] == "4"
    assert values["longest chain"] == "3"
    depths, fan_outs = ([(bar.name, bar.value) for bar in chart.bars] for chart in statistics.distributions)
    assert depths == [("1", "4"), ("2", "3"), ("3", "1")]
    assert fan_outs == [("0", "4"), ("1", "4")]


def test_findings_hold_the_tokens_that_they_count_the_most_telling_first():
    tokens = ["<s>", "a", "b", "ab", "abc", "a\u00e9", b"a\xc3", b"\xff", " a", "▁a"]
    kinds = dict.fromkeys(tokens, 0.0) | {"<s>": Attribute.CONTROL}
    findings = tree_statistics(tree_picture(toy_vocabulary(kinds))).findings
    assert [(each.name, each.value, each.tokens.tolist(), each.note) for each in findings] == FINDINGS


def test_no_more_than_twenty_tokens_are_the_longest():
    chain = dict.fromkeys(["a" * n for n in range(1, 31)], 0.0)
    findings = {each.name: each for each in tree_statistics(tree_picture(toy_vocabulary(chain))).findings}
    assert findings["longest token"].tokens.tolist() == list(range(29, 9, -1))
    assert findings["longest chain"].tokens.tolist() == list(range(29, 9, -1))
    assert len(findings["largest fan-out"].tokens) == 20


def test_tokens_that_no_trial_reached_are_a_finding():
    ids = np.array([3, 5], np.int32)
    finding = unreached_finding(ids)
    assert (finding.name, finding.value) == (f"not reached by {len(NAMES)} trials", "2")
    assert (finding.tokens.tolist(), finding.note) == ([3, 5], UNREACHED.format("; ".join(NAMES)))


def test_bars_hold_the_tokens_that_they_count():
    chain = dict.fromkeys(["a" * n for n in range(1, 41)] + ["ab", "ac"], 0.0)
    depths, fan_outs = tree_statistics(tree_picture(toy_vocabulary(chain))).distributions
    assert [bar.name for bar in depths.bars] == [*(str(n) for n in range(1, 17)), "17–32", "33–64"]
    assert [(bar.name, bar.value) for bar in fan_outs.bars] == [("0", "3"), ("1", "38"), ("3–4", "1")]
    deepest = depths.bars[-1].tokens
    assert sorted(deepest.tolist()) == list(range(32, 40))


@pytest.mark.parametrize("tokens", [{}, {"a": 0.0}, {b"\xff": 0.0}], ids=["none", "one", "broken"])
def test_the_smallest_vocabularies_have_statistics_and_colours(tokens):
    picture = tree_picture(toy_vocabulary(tokens))
    assert tree_statistics(picture).findings[0].value == str(len(tokens))
    for coloring in COLORINGS:
        assert len(node_values(coloring.name, ColoringInput(picture)).classes) == len(picture)
