"""The walk down the token tree is that of the encoder."""

import pytest

import guiapp
from guiapp.core.trace.recorder import record
from guiapp.core.trace.reports import debugger_for
from guiapp.viewmodels.steps.tree_walk import MOST_OTHERS, walk

TEXT = "How many unbelievable lions sleep in New York? 😍"


@pytest.mark.parametrize(("model", "encoder"), [("demo:bpe", "greedy"), ("demo:rwkv", "rwkv")])
def test_each_token_taken_ends_a_walk_through_its_prefixes(model, encoder):
    tokenizer = guiapp.open_model(model)
    debugger = debugger_for(tokenizer, record(tokenizer, TEXT, encoder))
    tree = tokenizer.vocabulary.token_tree
    n_walks = 0
    for step in range(debugger.n_steps + 1):
        debugger.go_to(step)
        shown = walk(debugger, tree)
        if step == debugger.n_steps or debugger.trace.operation(step) != "take":
            assert not shown.nodes
            continue
        n_walks += 1
        columns = debugger.trace.columns
        taken = debugger.trace.text[columns.position[step] : columns.end[step]]
        spelled = [tokenizer.vocabulary.token_bytes(node.token_id) for node in shown.nodes]
        assert spelled[-1] == taken
        assert all(taken.startswith(prefix) for prefix in spelled)
        assert [len(prefix) for prefix in spelled] == sorted({len(prefix) for prefix in spelled})
        every_prefix = {taken[:size] for size in range(1, len(taken) + 1)}
        assert {prefix for prefix in every_prefix if tree.longest_match(prefix) is not None} >= set(spelled)
        for node in shown.nodes:
            assert node.added not in node.others
            assert len(node.others) <= min(MOST_OTHERS, node.n_others)
    assert n_walks > 5
