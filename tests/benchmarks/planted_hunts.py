"""Hunt for planted differences, one by one, and print the first mismatch of each and its time.

    python tests/benchmarks/planted_hunts.py [--seconds 60] [NAME …]

Needs the vocabularies of ../shared (or TOKENLOUPE_SHARED).  NAME is a part of the name of a row.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from planted import PLANTS, Plant

from guiapp.analysis.hunt.engine import HuntPlan, hunt
from guiapp.analysis.hunt.mismatches import Hunt

MOST_CHARACTERS = 12  # a shrunk text up to this length is short


class Result(NamedTuple):
    """The result of a hunt for one planted difference; `text` is None if nothing was found."""

    plant: Plant
    seconds: float
    tried: int
    text: str | None
    causes: tuple[str, ...]
    is_right: bool

    @property
    def is_short(self) -> bool:
        return self.text is not None and len(self.text) <= MOST_CHARACTERS


def hunt_for(plant: Plant, seconds: float, after_s: float = 2.0) -> Result:
    """Hunt until the first mismatch and `after_s` longer; the cause is that of the shortest text."""
    with tempfile.TemporaryDirectory() as folder:
        first, second = plant.write(Path(folder))
        found_s, last = None, None
        for state in hunt(HuntPlan(str(first), str(second), seconds=seconds)):
            last = state
            if state.finds and found_s is None:
                found_s = state.seconds
            if found_s is not None and state.seconds > found_s + after_s:
                break
    assert last is not None
    return _result(plant, last, found_s)


def _result(plant: Plant, state: Hunt, found_s: float | None) -> Result:
    if found_s is None:
        return Result(plant, state.seconds, state.tried, None, (), False)
    text = state.finds[0].text.decode("utf-8", "backslashreplace")
    causes = [find.reason.cause for find in state.finds]
    names = tuple(dict.fromkeys(cause.value for cause in causes))
    return Result(plant, found_s, state.tried, text, names, causes[0] in plant.causes)


def row(result: Result) -> str:
    text = "not found" if result.text is None else ascii(result.text)
    marks = f"{'short' if result.is_short else 'LONG':6}{'right' if result.is_right else 'WRONG':6}"
    causes = ", ".join(result.causes)
    return f"{result.plant!s:55} {result.seconds:6.1f} s {result.tried:9,} {text:22} {marks} {causes}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    plants = [
        each for each in PLANTS if not options.names or any(name in str(each) for name in options.names)
    ]
    results = []
    for plant in plants:
        results.append(hunt_for(plant, options.seconds))
        print(row(results[-1]), flush=True)
    successes = [each for each in results if each.text is not None]
    n_short, n_right = sum(each.is_short for each in successes), sum(each.is_right for each in successes)
    print(f"{len(results)} planted, {len(successes)} found, {n_short} short, {n_right} named right")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
