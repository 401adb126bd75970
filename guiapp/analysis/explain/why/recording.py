"""The least text around a token that is recorded, so that its steps are those of the whole text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from guiapp.analysis.explain.why.excerpt import REACH_BYTES, Excerpt, Switches, tokens_near
from guiapp.analysis.trace.debugger import Debugger, debugger_for
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.trace import TraceTokens
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.errors import EncodeError
from guiapp.native.checkpoint import Progress

FIRST_REACH, GROWTH = 64, 4
MOST_SURE = 1024  # bytes between sure cuts that are recorded rather than what is near
MOST_RECORDED = 1 << 17  # bytes: a single token, of unknown characters, may be as long as the text
MERGING = ("fast", "scan", "heap")  # of these, the readable twin of the second is too slow for long pieces


class Segment(NamedTuple):
    """Text between two special tokens, or a part of it, offsets in the excerpt.

    begins   whether it begins a document, or follows a special token
    is_sure  whether the tokens of it by itself are certainly those that the whole text has there
    """

    start: int
    end: int
    begins: bool
    is_sure: bool = True


class Recorded(NamedTuple):
    """A stretch whose steps are known, and which of the tokens that it made is the wanted one.

    fragment  all text between the special tokens around it
    """

    fragment: Segment
    segment: Segment
    debugger: Debugger
    made: int


def recorded(
    tokenizer: Tokenizer, excerpt: Excerpt, fragment: Segment, switches: Switches, progress: Progress
) -> Recorded:
    """The steps of as little text as gives the wanted token, and those beside it, as the whole does.

    Raises EncodeError where no part gives them.
    """
    encoder = "heap" if switches.encoder in MERGING and "heap" in tokenizer.encoders else switches.encoder
    for segment in _segments(tokenizer, excerpt, fragment, switches):
        try:
            trace = record(
                tokenizer,
                excerpt.text[segment.start : segment.end],
                encoder,
                False,
                switches.parse_special,
                progress,
                after_special=segment.begins,
            )
        except EncodeError:
            continue  # part of a character may be more than the vocabulary can express
        index = _find(excerpt, segment, trace.made)
        if index < 0 and _find(excerpt, segment, trace.result) >= 0:
            index = _covering(excerpt, segment, trace.made)
        if index >= 0:
            return Recorded(fragment, segment, debugger_for(tokenizer, trace), index)
    raise EncodeError(
        "What decides about this token is farther away than is looked at. Select the text around it, and "
        "step through that."
    )


def _segments(
    tokenizer: Tokenizer, excerpt: Excerpt, fragment: Segment, switches: Switches
) -> Iterator[Segment]:
    """What may be enough, the shortest first: between sure cuts, then at tokens ever farther away."""
    _, start, end = excerpt.token
    pipeline = tokenizer.pipeline_of(switches.encoder, switches.parse_special)
    text = np.frombuffer(excerpt.text, np.uint8)[fragment.start : fragment.end]
    first = fragment.start + pipeline.cut_before(text, start - fragment.start)
    last = fragment.start + pipeline.cut_after(text, end - fragment.start)
    if last - first <= MOST_SURE and start < end:
        yield Segment(first, last, fragment.begins and first == fragment.start)
    reach, seen = FIRST_REACH, None
    while reach <= GROWTH * REACH_BYTES:
        near = tokens_near(excerpt.starts, excerpt.ends_of, excerpt.target, reach)
        first = max(int(excerpt.starts[near.start]), fragment.start)
        last = min(int(excerpt.ends_of[near.stop - 1]), fragment.end)
        first = fragment.start if first - fragment.start <= reach // 2 else first
        last = fragment.end if fragment.end - last <= reach // 2 else last
        is_all = (first, last) == (fragment.start, fragment.end)
        segment = Segment(first, last, fragment.begins and first == fragment.start, is_all)
        if segment != seen and first < last <= first + MOST_RECORDED:
            yield segment
        reach, seen = reach * GROWTH, segment


def _find(excerpt: Excerpt, segment: Segment, made: TraceTokens) -> int:
    """Which of the tokens that a stretch made is the wanted one, its neighbours being right too; or -1.

    Of several tokens alike, which have no text of their own, it is the one before which as many come as in
    the excerpt.
    """
    rows = list(zip(made.ids.tolist(), *((each + segment.start).tolist() for each in made[1:]), strict=True))
    at, n_before = excerpt.target - 1, 0
    while at >= 0 and excerpt.starts[at] == excerpt.token[1]:
        n_before += excerpt.row(at) == excerpt.token
        at -= 1
    alike = [row for row, each in enumerate(rows) if each == excerpt.token][n_before:]
    if not alike:
        return -1
    for shift in (-1, 1):
        row, place = alike[0] + shift, excerpt.target + shift
        if 0 <= row < len(rows) and 0 <= place < len(excerpt.ids) and rows[row] != excerpt.row(place):
            return -1
    return alike[0]


def _covering(excerpt: Excerpt, segment: Segment, made: TraceTokens) -> int:
    """The token in place of which several were written, the wanted one among them; or -1."""
    _, start, end = excerpt.token
    covers = (made.starts + segment.start <= start) & (made.ends + segment.start >= end)
    index = np.flatnonzero(covers)
    return int(index[-1]) if len(index) else -1
