"""Each stage of opening a model is reported, and stops there when it is told to."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from format_samples import SAMPLES
from small_files import bpe, spm
from unpaired_vocabularies import write_plamo2, write_rwkv, write_unigram, write_wordpiece

import guiapp
from guiapp.core.formats.table import LAST
from guiapp.core.text.charsmap import build_charsmap
from guiapp.core.vocabulary.opening import (
    DOWNLOAD,
    ENCODERS,
    FILE,
    SPECIAL,
    STARTS,
    TABLES,
    TOKENS,
    stage_of,
)
from guiapp.native.checkpoint import at_checkpoints, has_visitor
from guiapp.native.encoders import TokenMatcher
from guiapp.native.model_files import StringTable, sort_longest_first
from guiapp.native.pairs import NO_PIECES, PairModel, PairOptions
from guiapp.native.token_tree import TokenTreeHandle

WRITERS = {
    "BPE": lambda path: bpe().write(path),
    "SPM": lambda path: spm().write(path),
    "WPM": lambda path: write_wordpiece(path, 1, None, None),
    "UGM": lambda path: write_unigram(path, 1, True, True, build_charsmap({"a": "b", "xyz": "u"})),
    "RWKV": lambda path: write_rwkv(path, 1),
    "PLAMO2": lambda path: write_plamo2(path, 1),
}


class CancelledError(Exception):
    pass


class Caller:
    """Somebody who cancels at the report of one number, if at any."""

    def __init__(self, last: int | None = None) -> None:
        self.last = last
        self.shares: list[float] = []

    def __call__(self, share: float) -> None:
        self.shares.append(share)
        if len(self.shares) - 1 == self.last:
            raise CancelledError


def open_uncached(path, progress, pre=None):
    LAST.clear()
    return guiapp.open_model(path, pre, progress)


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_all_stages_are_reported_and_each_report_can_end_it(tmp_path, write):
    path, threads = write(tmp_path / "model.gguf"), threading.active_count()
    examined = Caller()
    open_uncached(path, None)  # makes what all models share
    open_uncached(path, examined)
    assert examined.shares == sorted(examined.shares)
    assert examined.shares[-1] == 1.0
    assert {stage_of(share) for share in examined.shares[:-1]} == {*STARTS} - {FILE, DOWNLOAD, TABLES}
    for number in range(len(examined.shares)):
        caller = Caller(number)
        with pytest.raises(CancelledError):
            open_uncached(path, caller)
        assert len(caller.shares) == number + 1  # nothing went on
        assert not has_visitor()
    assert threading.active_count() == threads
    assert open_uncached(path, None).encode("ab", add_special=False) is not None


WITHOUT = {"RWKV vocabulary": SPECIAL, "tokenizer.bin": TOKENS}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.format)
def test_other_formats_report_their_stages_and_end_there_too(tmp_path, sample):
    sample.write(tmp_path / sample.name)
    pre, examined = "gpt-2" if sample.is_silent else None, Caller()
    open_uncached(tmp_path / sample.name, None, pre)  # makes what all models share
    open_uncached(tmp_path / sample.name, examined, pre)
    assert examined.shares == sorted(examined.shares)
    stages = {TOKENS, SPECIAL, ENCODERS} - {WITHOUT.get(sample.format)}
    assert stages <= {stage_of(share) for share in examined.shares}
    for number in range(len(examined.shares)):
        with pytest.raises(CancelledError):
            open_uncached(tmp_path / sample.name, Caller(number), pre)


def many_strings(count):
    digits = np.arange(count)[:, None] // 26 ** np.arange(6) % 26
    data = (digits + ord("a")).astype(np.uint8).reshape(-1)
    return data, np.arange(count + 1, dtype=np.int64) * 6


def tables_of(count):
    data, offsets = many_strings(count)
    ids, all_of_them = np.arange(count, dtype=np.int32), np.ones(count, np.bool_)
    options = PairOptions((data, offsets), ids[:0], None, True, False, False, NO_PIECES, False)
    by_score = options._replace(merges=None, token_ranks=ids, is_byte_level=False)
    tokens = StringTable(data, offsets)
    return {
        "strings": lambda: StringTable(data, offsets),
        "merges": lambda: PairModel(tokens, options, None),
        "cuts": lambda: PairModel(tokens, by_score, None),
        "matcher": lambda: TokenMatcher(data, offsets, ids),
        "tree": lambda: TokenTreeHandle(data, offsets, ids, all_of_them),
    }


@pytest.mark.parametrize("name", ["strings", "merges", "cuts", "matcher", "tree"])
def test_long_work_of_the_native_library_asks_often_and_stops(name):
    make = tables_of(300_000)[name]
    asked = Caller()
    with at_checkpoints(lambda: asked(0.0)):
        assert make() is not None
    n_asked = len(asked.shares)
    assert n_asked >= 2
    for number in sorted({0, n_asked // 2, n_asked - 1}):
        caller = Caller(number)
        with pytest.raises(CancelledError), at_checkpoints(lambda caller=caller: caller(0.0)):
            make()
        assert len(caller.shares) == number + 1


def test_special_tokens_are_sorted_unless_that_is_stopped():
    lengths = np.random.default_rng(1).integers(1, 9, 1_000_000)
    with pytest.raises(CancelledError), at_checkpoints(lambda: Caller(0)(0.0)):
        sort_longest_first(np.arange(len(lengths), dtype=np.int32), lengths)
