"""What is found out about the round trip of a text that is being edited."""

import pytest

import guiapp
from guiapp.core.editing.options import Options
from guiapp.viewmodels.text.round_trip import compare


@pytest.mark.parametrize(
    ("model", "text", "names"),
    [
        ("demo:bpe", b"Hello  world\n", []),
        ("demo:spm", b"Hello  world\n", []),
        ("demo:wordpiece", b"a Hat", ["lowercase", "space in front"]),
    ],
)
def test_rules_are_looked_for_only_where_the_text_does_not_come_back(model, text, names):
    tokenizer, shares = guiapp.open_model(model), []
    ids = tokenizer.encode(text, add_special=False).token_ids
    result = compare(tokenizer, text, ids, Options(), shares.append)
    assert [change.rule.name for change in result.changes] == names
    assert (result.is_same, len(shares)) == (not names, 2 * bool(names))
