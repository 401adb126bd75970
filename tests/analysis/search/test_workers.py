"""What the processes that search say to the one that asked them."""

import io
import re
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guiapp.analysis.search import in_text_worker, in_tokens_worker
from guiapp.core.processes import read_frame, write_frame
from guiapp.native.model_files import packed

TOKENS = [b"a", b"", b"ab", "é".encode(), b"\xff", b"A"]


def answers(monkeypatch, *frames):
    """What the process writes that tries expressions on tokens."""
    asked, told, limited = io.BytesIO(), io.BytesIO(), []
    for frame in frames:
        write_frame(asked, frame)
    asked.seek(0)
    streams = {"stdin": SimpleNamespace(buffer=asked), "stdout": SimpleNamespace(buffer=told)}
    monkeypatch.setattr(in_tokens_worker, "sys", SimpleNamespace(**streams))
    monkeypatch.setattr(in_tokens_worker, "limit_memory", limited.append)
    in_tokens_worker.main()
    told.seek(0)
    return list(iter(lambda: read_frame(told), None)), limited


def test_each_expression_is_answered_with_the_tokens_that_match(monkeypatch):
    request = in_tokens_worker.request(*packed(TOKENS))
    found, limited = answers(monkeypatch, request, b"a", "é|^$".encode(), b"nothing", b".")
    assert limited == [request]
    assert found[0] == b""
    ids = [np.frombuffer(answer, np.int32).tolist() for answer in found[1:]]
    assert ids == [[0, 2], [1, 3], [], [0, 2, 3, 4, 5]]


def test_a_process_that_is_asked_nothing_ends(monkeypatch):
    assert answers(monkeypatch) == ([], [])


@pytest.mark.parametrize("block", [1, 2, 1 << 20])
@given(text=st.text("aé漢😀\n", max_size=12), matches_case=st.booleans(), most=st.integers(0, 5))
def test_matches_in_a_text_are_told_in_bytes(block, text, matches_case, most):
    expression = "[A漢]|😀+|x*"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(in_text_worker, "BLOCK", block)
        message = in_text_worker.request(expression, matches_case, most, text.encode())
        places = in_text_worker.places(message).tolist()
    flags = re.NOFLAG if matches_case else re.IGNORECASE
    spans = [match.span() for match in re.finditer(expression, text, flags) if match[0]]
    expected = [[len(text[:place].encode()) for place in span] for span in spans[: most + 1]]
    assert places == expected
