"""Recording in a process of its own: the same traces as here, mistakes are raised, nobody waits in vain."""

from __future__ import annotations

import pytest
from full_disk import full_disk

from guiapp import open_model
from guiapp.analysis.trace.record_process import RecordingProcess
from guiapp.analysis.trace.recorder import record
from guiapp.errors import TokenloupeError


class RecordingCancelledError(Exception):
    """Raised in place of a trace that nobody wants any more."""


@pytest.fixture
def process():
    made = RecordingProcess()
    yield made
    made.close()


def ignore(share):
    """Somebody who waits."""


def give_up(share):
    if share:
        raise RecordingCancelledError


@pytest.mark.parametrize(
    ("model", "pre", "text", "encoder", "switches"),
    [
        ("demo:spm", None, b"<s>ab", "scan", (False, True)),
        ("demo:spm", None, b"<s>ab\xff", "heap", (True, False)),
        ("demo:bpe", "qwen2", b"12", "fast", (True, True)),
    ],
)
def test_it_records_what_is_asked_for_again_and_again(process, model, pre, text, encoder, switches):
    tokenizer = open_model(model, pre)
    ours = record(tokenizer, text, encoder, *switches)
    for _ in range(2):
        theirs = process.record(tokenizer, text, encoder, *switches, ignore).trace
        assert theirs.result.ids.tolist() == ours.result.ids.tolist()
        assert theirs.columns.result.tolist() == ours.columns.result.tolist()
        assert (theirs.text, theirs.encoder, theirs.reference_name) == (
            ours.text,
            ours.encoder,
            ours.reference_name,
        )


def test_mistakes_and_full_disks_are_raised_and_the_next_text_is_recorded(process):
    tokenizer = open_model("demo:toy")
    with pytest.raises(TokenloupeError, match=r"^This vocabulary has no encoder “none”\."):
        process.record(tokenizer, b"ab", "none", True, True, ignore)
    assert process.record(tokenizer, b"ab", "heap", True, True, ignore).trace.text == b"ab"
    process.close()
    process = RecordingProcess()
    with full_disk(1000), pytest.raises(TokenloupeError, match=r"cannot be written: File too large\."):
        process.record(tokenizer, b"abacb", "heap", True, False, ignore)
    process.close()


def test_a_cancelled_recording_ends_and_the_next_one_succeeds(process):
    tokenizer, shares = open_model("demo:toy"), []
    with pytest.raises(RecordingCancelledError):
        process.record(tokenizer, b"abacb" * 20_000, "heap", True, True, give_up)
    long = process.record(tokenizer, b"abacb" * 4000, "heap", True, True, shares.append)
    assert len(long.trace.text) == 20_000
    assert shares == sorted(shares)
    assert 0 < shares[-1] <= 1


def test_a_process_that_dies_is_reported():
    dying = RecordingProcess("guiapp.no_such_module")
    with pytest.raises(TokenloupeError, match="stopped unexpectedly"):
        dying.record(open_model("demo:toy"), b"ab", "heap", True, True, ignore)
    dying.close()
