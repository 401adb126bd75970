"""How sizes, times and findings of a run are worded, the same in tables, charts and sentences.

A finding says only what its records bear out, or nothing.  “Fastest” is who is beaten by nobody's interval;
several are named where intervals touch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from guiapp.analysis.bench.statistics import IN_STEP, LESS, WORST_FIT, growth_records, growth_words
from guiapp.core.text.numbers_in_words import percent, three_digits, with_prefix

Record = Mapping[str, Any]
BYTES_PER_MB = 1e6
TIME_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
YOUR_TEXT = "your text"
LEAST_OVERHEAD_S = 1e-9
Rows = Sequence[Record]
Find = Callable[[Rows, Rows, str], str]
"""What the results of one scenario and text, at least one, and those left out say; also gets the baseline."""
MOST_NAMED = 2  # contenders in a sentence
SAME = 1.1  # the most times that something takes longer and is called as long
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def size_text(size_bytes: int) -> str:
    """A size in the unit that needs the fewest digits; kB are thousands, KiB 1024."""
    for factor, unit in ((1 << 20, "MiB"), (1_000_000, "MB"), (1 << 10, "KiB"), (1_000, "kB")):
        if size_bytes >= factor and size_bytes % factor == 0:
            return f"{size_bytes // factor} {unit}"
    return f"{size_bytes:,} B"


def place_text(result: Record) -> str:
    """The text of a result, and how much of it."""
    return f"{result['corpus']}, {size_text(result['size_bytes'])}"


def length_text(row: Record) -> str:
    """How long the text of a result is, and how often it was repeated to be so."""
    times = n_times(row)
    if times <= 1:
        return size_text(row["size_bytes"])
    own = size_text(row["own_bytes"])
    return f"{'your' if row['corpus'] == YOUR_TEXT else 'its'} {own}, {times} times"


def n_times(row: Record) -> int:
    """How many times over a text is in what was encoded; runs of older versions do not tell."""
    return round(int(row["size_bytes"]) / int(row.get("own_bytes") or row["size_bytes"]))


def growth_text(line: Record) -> str:
    """How time grows with length, and what a call costs beside that; "" where nothing is known."""
    words, overhead_s = growth_words(line), line["overhead_s"]
    return f"{words}, {time_text(overhead_s)} a call" if words and overhead_s >= LEAST_OVERHEAD_S else words


def figure_text(value: float) -> str:
    """Three digits, more where they are before the point, never an exponent."""
    if not value:
        return "0"
    return f"{value:.{max(2 - math.floor(math.log10(abs(value))), 0)}f}"


def short_ratio(ratio: float) -> str:
    """Two decimals, and of less than a tenth two digits."""
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.2g}"


def time_text(seconds: float) -> str:
    """Three digits, in the unit that has one before the point."""
    factor, unit = next((each for each in TIME_UNITS if seconds >= each[0]), TIME_UNITS[-1])
    return f"{seconds / factor:.3g} {unit}"


def on_threads(n_threads: int) -> str:
    """Behind the name of a place; "" for one."""
    return f", {n_threads} threads" if n_threads > 1 else ""


def speed_number(speed: float, key: str) -> str:
    """A speed without its unit, by its key in records: "126 M" tokens a second, "1,024" MB/s."""
    return with_prefix(speed) if key == "tokens_per_s" else three_digits(speed)


def speed_text(speed: float, key: str) -> str:
    """The same with its unit, which stays beside it."""
    unit = "tokens/s" if key == "tokens_per_s" else "MB/s"
    return f"{speed_number(speed, key)} {unit}".replace(" ", "\N{NO-BREAK SPACE}")


def in_words(number: int) -> str:
    return NUMBERS[number] if number < len(NUMBERS) else str(number)


def names_of(names: Sequence[str]) -> str:
    """“a and b”, or “five contenders” where that is too long to read."""
    return " and ".join(names) if len(names) <= MOST_NAMED else f"{in_words(len(names))} contenders"


def leaders(rows: Rows) -> list[str]:
    """The fastest, and everybody whose interval touches its, the fastest first; no name twice."""
    timed = sorted((row for row in rows if row["median_s"]), key=lambda row: float(row["median_s"]))
    reach = timed[0]["ci_s"][1] if timed else 0.0
    return list(dict.fromkeys(row["contender"] for row in timed if row["ci_s"][0] <= reach))


def by_one_clock(*rows: Record) -> bool:
    """Whether figures may be put in proportion: processor time is none beside time."""
    return len({row.get("clock") for row in rows}) <= 1


def stopped(rows: Rows, left_out: Rows) -> list[str]:
    """Who did the same with other texts of this kind, and was left out of these."""
    gone = {_place(each) for each in left_out}
    return list(dict.fromkeys(row["contender"] for row in rows if _place(row) in gone))


def _place(record: Record) -> tuple[object, ...]:
    return tuple(record.get(key) for key in ("scenario", "corpus", "operation", "contender"))


def time_by_length(rows: Rows, _left_out: Rows, _baseline: str) -> str:
    told = [line for line in growth_records(rows) if line["error"] < WORST_FIT]
    if 2 * len(told) <= len({row["contender"] for row in rows}):
        return ""
    faster = [line["contender"] for line in told if line["exponent"] > IN_STEP]
    if not faster:
        is_in_step = all(line["exponent"] > LESS for line in told)
        return f"Time grows {'in step with' if is_in_step else 'no faster than'} the length of the text"
    if len(faster) == len(told):
        return "Time grows faster than the length of the text"
    return f"Time grows in step with the length of the text, but not for {names_of(faster)}"


def worst_case(rows: Rows, left_out: Rows, _baseline: str) -> str:
    text = str(rows[0]["corpus"]).capitalize()
    text = "One letter, repeated," if text == "One letter" else text
    n_of = len({row["contender"] for row in rows})
    verb = "stop" if text.endswith("s") else "stops"
    if gone := stopped(rows, left_out):
        share = (len(gone), n_of) if n_of >= len(NUMBERS) else (in_words(len(gone)), in_words(n_of))
        return f"{text} {verb} {share[0]} of {share[1]}"
    told = [line for line in growth_records(rows) if line["error"] < WORST_FIT]
    slow = [line["contender"] for line in told if line["exponent"] > IN_STEP]
    if not told or len(told) < n_of:
        return ""
    does = f"make{'s' if verb == 'stops' else ''}"
    return f"{text} {does} {names_of(slow)} slow" if slow else f"{text} {verb} nobody"


def short_calls(rows: Rows, _left_out: Rows, _baseline: str) -> str:
    by_size: dict[int, list[Record]] = {}
    for row in rows:
        by_size.setdefault(row["size_bytes"], []).append(row)
    ahead = [leaders(found) for _, found in sorted(by_size.items())]
    if len({row["contender"] for row in rows}) < 2 or not all(
        by_one_clock(*each) for each in by_size.values()
    ):
        return ""
    if max(len(ahead[0]), len(ahead[-1])) > MOST_NAMED:
        return ""
    if all(set(each) == set(ahead[0]) for each in ahead):
        return f"{_are(ahead[0])} the fastest at every length"
    if set(ahead[0]) == set(ahead[-1]):
        return ""
    return f"{_are(ahead[0])} the fastest for the shortest, {names_of(ahead[-1])} for the longest"


def ahead(verb: str) -> Find:
    """“X decodes fastest, 2.1 times as fast as fast”."""

    def find(rows: Rows, _left_out: Rows, baseline: str) -> str:
        best, base = leaders(rows), _of(rows, baseline)
        if len({row["contender"] for row in rows}) < 2 or not by_one_clock(*rows):
            return ""
        if len(best) > 1:
            return f"{names_of(best)} {verb} fastest" if len(best) <= MOST_NAMED else ""
        told = f"{best[0]} {verb}s fastest"
        if base is None or best[0] == baseline:
            return told
        times = base["median_s"] / min(row["median_s"] for row in rows if row["contender"] == best[0])
        return f"{told}, {_two_digits(times)} times as fast as {baseline}"

    return find


def gain_of_threads(rows: Rows, _left_out: Rows, baseline: str) -> str:
    mine = sorted((row for row in rows if row["contender"] == baseline), key=lambda row: int(row["threads"]))
    if len(mine) < 2 or mine[0]["threads"] != 1:
        return ""
    one, most = mine[0], mine[-1]
    if most["ci_s"][1] >= one["ci_s"][0] or not by_one_clock(one, most):
        return ""
    times = one["median_s"] / most["median_s"]
    return (
        f"{baseline} is {_two_digits(times)} times as fast on {in_words(most['threads'])} threads as on one"
    )


def appending(rows: Rows, _left_out: Rows, baseline: str) -> str:
    """How many times as long it takes as encoding at once the longest text of which both are known."""
    mine = {(row["size_bytes"], row["operation"]): row for row in rows if row["contender"] == baseline}
    for size_bytes in sorted({size_bytes for size_bytes, _ in mine}, reverse=True):
        bit_by_bit, whole = (mine.get((size_bytes, operation)) for operation in ("append", "encode"))
        if bit_by_bit and whole and by_one_clock(bit_by_bit, whole):
            times = _times(bit_by_bit["median_s"] / whole["median_s"])
            return f"Appending bit by bit takes {baseline} {times} as encoding once"
    return ""


def least_memory(rows: Rows, _left_out: Rows, baseline: str) -> str:
    sizes = {row["contender"]: (row["built_bytes"] + row["encoding_bytes"]) / BYTES_PER_MB for row in rows}
    if len(sizes) < 2:
        return ""
    least, most = (pick(sizes, key=lambda name: sizes[name]) for pick in (min, max))
    beside = (
        "" if baseline in (least, most) or baseline not in sizes else f", {baseline} {sizes[baseline]:.3g} MB"
    )
    return f"{least} needs {sizes[least]:.3g} MB{beside}, {most} {sizes[most]:.3g} MB"


def slow_calls(rows: Rows, _left_out: Rows, baseline: str) -> str:
    mine = _of(rows, baseline)
    return (
        ""
        if mine is None or not mine.get("p99_s")
        else f"Of 100 calls of {baseline}, 99 end within {time_text(mine['p99_s'])}"
    )


def _of(rows: Rows, name: str) -> Record | None:
    return next((row for row in rows if row["contender"] == name), None)


def _are(names: Sequence[str]) -> str:
    return f"{names_of(names)} {'is' if len(names) == 1 else 'are'}"


def _two_digits(value: float) -> str:
    """“4,200”, “12”, “1.3”: nobody wants more in a sentence."""
    rounded = float(f"{value:.2g}")
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:.1f}"


def _times(ratio: float) -> str:
    """“as long”, or so many times as long."""
    if 1 / SAME < ratio < SAME:
        return "as long"
    return f"{_two_digits(ratio)} times as long" if ratio > 1 else f"{percent(ratio)} of the time"
