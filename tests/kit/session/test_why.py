"""What is cut out of a document around a token is what would be of its encoding."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import guiapp
from guiapp.analysis.editing.token_store import TokenStore
from guiapp.analysis.explain.why.excerpt import REACH_BYTES, excerpt_of
from guiapp.core.encode.encoding import FragmentTokens
from guiapp.kit.session.token_details import excerpt_in

UNKNOWN = "\U0010fffd" * (REACH_BYTES // 4 + 1)  # one token


@pytest.mark.parametrize("text", [f"{UNKNOWN} </s>a", f"a </s>{UNKNOWN}", "a </s>b …", ""])
def test_an_excerpt_is_that_of_the_encoding(text):
    encoding = guiapp.open_model("demo:unigram").encode(text)
    data = encoding.text_bytes
    document = SimpleNamespace(size=len(data), slice=lambda start, end: data[start:end])
    tokens = TokenStore(FragmentTokens(encoding.token_ids, *encoding.spans.T), len(data))
    for index in range(len(encoding)):
        found = excerpt_in(SimpleNamespace(tokens=tokens, document=document), index)
        assert as_lists(found) == as_lists(excerpt_of(encoding, index))


def as_lists(excerpt):
    return {
        name: getattr(value, "tolist", lambda value=value: value)() for name, value in vars(excerpt).items()
    }
