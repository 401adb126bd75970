"""Values set in JSON texts: the texts say the new value, and all else stands as it stood."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guiapp.core.text.json_edits import with_value

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(
    said=st.dictionaries(st.text(max_size=3), VALUES, max_size=4),
    key=st.text(max_size=3),
    value=VALUES,
    indent=st.sampled_from([None, 0, 2]),
    is_ascii=st.booleans(),
)
def test_only_the_value_changes(said, key, value, indent, is_ascii):
    text = " " + json.dumps({"a": 1, "deep": said}, indent=indent, ensure_ascii=is_ascii) + "\n"
    changed = with_value(text, ["deep", key], value)
    result = json.loads(changed)
    assert result == {"a": 1, "deep": {**said, key: value}}
    assert list(result["deep"]) == list({**said, key: value})


def test_spacing_and_other_spellings_are_preserved():
    text = '\ufeff{\r\n\t"a" : 1.0e0,\n\t"é": "\\u00e9\\/", "x": [1,  2]\n}'
    assert with_value(text, ["x"], None) == text.replace("[1,  2]", "null")
    assert with_value(text, ["new"], "ü") == text.replace("2]\n", '2],\r\n\t"new": "ü"\n')


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a"', '{"a": 1 "b"', '{"a": [1}', '{"b": 1}', "[" * 9999])
def test_a_broken_text_is_a_value_error(text):
    with pytest.raises(ValueError):  # noqa: PT011
        with_value(text, ["a", "b"], 1)
