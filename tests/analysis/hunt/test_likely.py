"""One wrong pre-tokenizer is told from all that was found; nothing else is taken for one."""

from __future__ import annotations

import planted
import pytest

from guiapp.analysis.compare.reasons import Cause, Reason
from guiapp.analysis.hunt.engine import HuntPlan, likely_pre
from guiapp.analysis.hunt.mismatches import Find

DIGITS = Reason(Cause.PIECES, "digits", "")
FINDS = (Find(b"12", ((), ()), 1, DIGITS, others=(Find(b"4567", ((), ()), 1, DIGITS),)),)
DROPPED = planted.gguf_parts("demo:bpe")["merges"][300:]


@pytest.mark.parametrize(
    ("changes", "second", "name"),
    [
        ({"pre": "qwen2"}, "", "qwen2"),
        ({"pre": "qwen2", "merges": DROPPED}, "", ""),
        ({"pre": "qwen2"}, "tokenizers", ""),
    ],
)
def test_the_pre_tokenizer_is_named_with_which_nothing_differs(changes, second, name, tmp_path):
    plant = planted.Plant("", "demo:bpe", "gguf", planted.set_part(**changes), ())
    first, other = map(str, plant.write(tmp_path))
    word = Find(b"the letters", ((), ()), 0, Reason(Cause.MERGE, "order", ""))
    assert likely_pre(HuntPlan(first, second or other), (*FINDS, word)) == name


def test_what_is_no_matter_of_pieces_is_not_asked():
    merge = Find(b"12", ((), ()), 1, Reason(Cause.MERGE, "order", ""))
    assert likely_pre(HuntPlan("no such file", "nor this"), (merge,)) == ""
