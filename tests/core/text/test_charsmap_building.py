"""A table that is built from rules is read as these rules say; llama.cpp reads those of the demo models."""

import pytest
from arrays import as_array
from hypothesis import given
from hypothesis import strategies as st

from guiapp.core.text.charsmap import build_charsmap, longest_match, open_charsmap

TEXTS = st.text("abcdeé世\U0001f680", min_size=1, max_size=4).map(str.encode)


@pytest.mark.parametrize("rules", [{"": "a"}, {"a\0": "b"}, {"a": "b\0"}])
def test_rules_that_the_format_cannot_represent_are_refused(rules):
    with pytest.raises(ValueError, match="cannot map"):
        build_charsmap(rules)


@given(
    rules=st.dictionaries(TEXTS, st.text("xyz", max_size=3).map(str.encode), min_size=1, max_size=30),
    text=TEXTS | st.binary(min_size=1, max_size=6),
)
def test_matching_agrees_with_the_rules(rules, text):
    longest = max((source for source in rules if text.startswith(source)), key=len, default=None)
    table = build_charsmap({source.decode(): to.decode() for source, to in rules.items()})
    expected = None if longest is None else (rules[longest], len(longest))
    assert longest_match(open_charsmap(as_array(table)), text, 0) == expected
