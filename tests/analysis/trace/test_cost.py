"""What recording will cost, and when a person is asked."""

import pytest

from guiapp.analysis.trace.recorder import (
    TraceCost,
    beginning,
    estimate,
    first_start,
    must_ask,
    n_first_bytes,
)


@pytest.mark.parametrize(
    ("encoder", "n_bytes", "is_one_piece", "n_steps", "seconds"),
    [
        ("heap", 1000, False, 2600, 0.104),
        ("scan", 1000, False, 1000, 0.04),
        ("scan", 1000, True, 1000, 0.04 + 2.5),
        ("viterbi", 1000, True, 6000, 0.24),
        ("heap", 0, True, 0, 0),
    ],
)
def test_a_cost_goes_with_the_text(encoder, n_bytes, is_one_piece, n_steps, seconds):
    cost = estimate(encoder, is_one_piece, n_bytes)
    assert (cost.n_steps, cost.size_bytes) == (n_steps, 80 * n_steps)
    assert cost.seconds == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("seconds", "n_bytes", "asks"),
    [(20.0, 100_000, False), (20.1, 10, True), (0.0, 100_001, True)],
)
def test_a_person_is_asked_about_long_texts_and_long_waits(seconds, n_bytes, asks):
    assert must_ask(TraceCost(1, 1, seconds), n_bytes) is asks


@pytest.mark.parametrize(
    ("encoder", "is_one_piece", "n_bytes", "first"),
    [
        ("heap", False, 100_000, 100_000),
        ("heap", False, 100_001, 20_000),
        ("heap", False, 10**9, 20_000),
        ("scan", True, 2_000, 2_000),
        ("scan", True, 3_000, 1_500),  # 22.6 s at once, 5.7 s for the half
        ("scan", True, 50_000, 2_500),  # 20,000, 10,000 and 5,000 take too long as well
    ],
)
def test_of_a_long_text_its_beginning_is_recorded(encoder, is_one_piece, n_bytes, first):
    assert n_first_bytes(encoder, is_one_piece, n_bytes) == first


@pytest.mark.parametrize(
    ("text", "n_bytes", "expected"),
    [
        (b"short", 5, b"short"),
        (b"one\ntwo three", 4, b"one\n"),
        (b"a" * 90 + b"\n" + b"b" * 50, 100, b"a" * 90 + b"\n"),
        (b"a" * 89 + b"\n" + b"b" * 50, 100, b"a" * 89 + b"\n" + b"b" * 10),
        (b"a" * 95 + b" " + b"b" * 50, 100, b"a" * 95),
        (b"a" * 100 + b" " + b"b" * 50, 100, b"a" * 100),
        ("é".encode() * 60, 99, "é".encode() * 49),
        ("日".encode() * 60, 100, "日".encode() * 33),
        ("🙂".encode() * 60, 99, "🙂".encode() * 24),
        (b"\x80" * 60, 50, b"\x80" * 50),
    ],
)
def test_a_beginning_ends_behind_a_line_or_a_word_or_a_character(text, n_bytes, expected):
    assert beginning(text, n_bytes) == expected


@pytest.mark.parametrize("is_one_piece", [True, False])
@pytest.mark.parametrize("encoder", ["heap", "scan", "viterbi"])
def test_what_is_recorded_at_first_never_takes_long(encoder, is_one_piece):
    for size in (0, 1, 3000, 20_000, 100_000, 10_000_000):
        n_bytes = n_first_bytes(encoder, is_one_piece, size)
        assert n_bytes == size or 1000 <= n_bytes <= 20_000
        assert not must_ask(estimate(encoder, is_one_piece, n_bytes), n_bytes)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        (b"one two\nthree\nfour", 8),
        (b"one two three", 3),
        ("字字字".encode()[1:], 2),
        ("字字".encode(), 0),
        (b"one\n", 4),
        (b"\x80\x80\x80\x80", 0),
        (b"", 0),
    ],
)
def test_what_is_cut_out_of_a_text_begins_with_a_line_a_word_or_a_character(text, start):
    assert first_start(text) == start
