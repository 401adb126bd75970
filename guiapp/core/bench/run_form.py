"""What a saved run must hold to be shown: files come from other versions, other machines and editors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

from guiapp.core.bench.measurement import QUANTILES
from guiapp.core.bench.scenarios import SCENARIOS
from guiapp.core.vocab.quoting import printable

MOST_CONTENDERS = 200  # each has a row in charts
LARGEST = 1e18  # JSON knows whole numbers that no float can hold
MOMENTS = ("before", "lowest", "highest", "after")
Check = Callable[[object], bool]


def problem_with(run: object) -> str:
    """What of a run is missing or not as it must be, "" if nothing is."""
    if not isinstance(run, dict) or not isinstance(run.get("results"), list):
        return "it has no list of results"
    for name, is_right in PARTS.items():
        if name in run and not is_right(run[name]):
            return f"its “{name}” is not what it should be"
    for number, result in enumerate(run["results"], 1):
        if problem := _problem_with_result(result):
            return f"result {number} {problem}"
    if len({result["contender"] for result in run["results"]}) > MOST_CONTENDERS:
        return f"more than {MOST_CONTENDERS} contenders take part"
    return ""


def as_shown(value: Any) -> Any:
    """A part of a file with nothing unprintable in its texts, of which terminals and pages obey some.

    Raises ValueError for a number that is none, and RecursionError.
    """
    if isinstance(value, str):
        return value if value.isprintable() else printable(value)
    if isinstance(value, list):
        return [as_shown(each) for each in value]
    if isinstance(value, dict):
        return {as_shown(key): as_shown(each) for key, each in value.items()}
    if isinstance(value, float) and not isfinite(value):
        raise ValueError("it holds a number that is none")
    return value


def _problem_with_result(result: object) -> str:
    if not isinstance(result, dict):
        return "is no object"
    checks = {**HEAD, **_figures_of(result.get("scenario"))}
    for name, is_right in checks.items():
        if name not in result:
            return f"has no “{name}”"
        if not is_right(result[name]):
            return f"has the {name} {result[name]!r:.40}"
    for name, (is_right, problem) in OPTIONAL.items():
        if name in result and not is_right(result[name]):
            return problem
    if result["exact"] is not None and not _is_number(result["agreement"]):
        return "has no agreement"
    if result["exact"] is False and not _is_difference(result["first_difference"]):
        return "does not say where its ids differ"
    return ""


def _figures_of(name: object) -> Mapping[str, Check]:
    scenario = SCENARIOS.get(str(name))
    kinds = () if scenario is None else (scenario.chart, scenario.unit)
    return next((FIGURES_OF[kind] for kind in kinds if kind in FIGURES_OF), FIGURES)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= LARGEST


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and _is_number(value)


def _is_count(value: object) -> bool:
    return _is_whole(value) and value != 0


def _is_time(value: object) -> bool:
    return _is_number(value) and value != 0


def _is_pair_of(is_right: Check) -> Check:
    return lambda value: isinstance(value, list) and len(value) == 2 and all(map(is_right, value))


def _is_none_or(is_right: Check) -> Check:
    return lambda value: value is None or is_right(value)


def _is_verdict(value: object) -> bool:
    return value is None or isinstance(value, bool)


def _is_difference(value: object) -> bool:
    ids = dict.fromkeys(("expected_id", "found_id"), _is_none_or(_is_whole))
    is_placed = _is_object_with(byte_offset=_is_whole, index=_is_whole)
    return is_placed(value) and _is_object_that_may_have(**ids)(value)


def _is_list_of(is_right: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(is_right, value))


def _is_object_with(**checks: Check) -> Check:
    return lambda value: (
        isinstance(value, dict)
        and all(name in value and is_right(value[name]) for name, is_right in checks.items())
    )


def _is_object_that_may_have(**checks: Check) -> Check:
    return lambda value: (
        isinstance(value, dict)
        and all(is_right(value[name]) for name, is_right in checks.items() if name in value)
    )


def _is_left_out(value: object) -> bool:
    """With a place, unless somebody takes no part at all."""
    is_told = _is_object_with(
        contender=_is_text, reason=_is_text, scenario=_is_anything, operation=_is_none_or(_is_text)
    )
    is_placed = _is_object_with(scenario=_is_text, corpus=_is_text, size_bytes=_is_whole)
    return is_told(value) and (_is_object_with(scenario=_is_nothing)(value) or is_placed(value))


def _is_contender(value: object) -> bool:
    return _is_object_with(contender=_is_text, version=_is_text)(value) and _is_object_that_may_have(
        loading_s=NUMBER_OR_NONE
    )(value)


def _is_anything(value: object) -> bool:
    return True


def _is_nothing(value: object) -> bool:
    return value is None


NUMBER_OR_NONE = _is_none_or(_is_number)
DISTURBANCES = ("cores", "load_highest", "stolen_share", *(f"mhz_{when}" for when in MOMENTS))
PARTS: Mapping[str, Check] = {
    "name": _is_text,
    "environment": _is_object_that_may_have(
        load_before=_is_none_or(_is_list_of(_is_number)), **dict.fromkeys(DISTURBANCES, NUMBER_OR_NONE)
    ),
    "vocabulary": _is_object_that_may_have(tokens=_is_whole),
    "plan": _is_object_that_may_have(scenarios=_is_list_of(_is_text), call_limit_s=NUMBER_OR_NONE),
    "corpora": _is_list_of(_is_object_with(name=_is_text, sha256=_is_text)),
    "contenders": _is_list_of(_is_contender),
    "left_out": _is_list_of(_is_left_out),
}
HEAD: Mapping[str, Check] = {
    "scenario": lambda value: isinstance(value, str) and value in SCENARIOS,
    "operation": _is_text,
    "contender": _is_text,
    "corpus": _is_text,
    "size_bytes": _is_count,
    "threads": _is_count,
    "n": _is_count,
    "exact": _is_verdict,
    "agreement": _is_anything,
    "first_difference": _is_anything,
}
OPTIONAL: Mapping[str, tuple[Check, str]] = {
    "processor_share": (NUMBER_OR_NONE, "has a share of a processor that is no number"),
    "first_turn": (_is_whole, "has a first turn that is no number"),
    "own_bytes": (_is_none_or(_is_count), "has a length of its text that is none"),
    "n_tokens": (NUMBER_OR_NONE, "has a number of tokens that is none"),
    "own_s": (_is_none_or(_is_list_of(_is_number)), "has processor times that are no numbers"),
    "samples_s": (_is_list_of(_is_time), "has samples that are no times"),
}
FIGURES: Mapping[str, Check] = {
    "median_s": _is_time,
    "ci_s": _is_pair_of(_is_time),
    "mb_per_s": _is_number,
    "tokens_per_s": _is_number,
}
MEMORY_FIGURES: Mapping[str, Check] = {
    **dict.fromkeys(FIGURES, _is_nothing),
    "built_bytes": _is_number,
    "encoding_bytes": _is_number,
}
FIGURES_OF: Mapping[str, Mapping[str, Check]] = {  # charts and units that have others
    "memory": MEMORY_FIGURES,
    "latency": {**FIGURES, **dict.fromkeys(QUANTILES, _is_time)},
    "J/MB": {**FIGURES, "joules_per_mb": _is_number, "joules_ci": _is_pair_of(_is_number)},
}
