"""What a saved run must hold to be shown: files come from other versions, other machines and editors."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from guiapp.core.bench.measurement import QUANTILES
from guiapp.core.bench.scenarios import SCENARIOS

LARGEST = 1e18  # JSON knows whole numbers that no float can hold
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
    return ""


def _problem_with_result(result: object) -> str:
    if not isinstance(result, dict):
        return "is no object"
    checks = {**HEAD, **FIGURES_OF.get(str(result.get("scenario")), FIGURES)}
    for name, is_right in checks.items():
        if name not in result:
            return f"has no “{name}”"
        if not is_right(result[name]):
            return f"has the {name} {result[name]!r:.40}"
    if not _is_number(result.get("processor_share") or 0):
        return "has a share of a processor that is no number"
    if not _is_whole(result.get("first_turn") or 0):
        return "has a first turn that is no number"
    if not _is_number(result.get("n_tokens") or 0):
        return "has a number of tokens that is none"
    if "samples_s" in result and not _is_list_of(_is_time)(result["samples_s"]):
        return "has samples that are no times"
    if result["exact"] is not None and not _is_number(result["agreement"]):
        return "has no agreement"
    if result["exact"] is False and not _is_difference(result["first_difference"]):
        return "does not say where its ids differ"
    return ""


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


def _is_interval(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_time, value))


def _is_verdict(value: object) -> bool:
    return value is None or isinstance(value, bool)


def _is_difference(value: object) -> bool:
    return _is_object_with(byte_offset=_is_whole, index=_is_whole)(value)


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _is_list_of(is_right: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(is_right, value))


def _is_object_with(**checks: Check) -> Check:
    return lambda value: (
        isinstance(value, dict)
        and all(name in value and is_right(value[name]) for name, is_right in checks.items())
    )


def _is_environment(value: object) -> bool:
    """With numbers where it says how busy the machine was."""
    return (
        isinstance(value, dict)
        and all(_is_number(value.get(name) or 0) for name in ("cores", "load_highest", "stolen_share"))
        and _is_list_of(_is_number)(value.get("load_before") or [])
    )


def _is_plan(value: object) -> bool:
    return isinstance(value, dict) and _is_list_of(_is_text)(value.get("scenarios", []))


def _is_left_out(value: object) -> bool:
    """With a place, unless somebody takes no part at all."""
    is_told = _is_object_with(
        contender=_is_text, reason=_is_text, scenario=_is_anything, operation=_is_anything
    )
    is_placed = _is_object_with(scenario=_is_text, corpus=_is_text, size_bytes=_is_whole)
    return is_told(value) and (_is_object_with(scenario=_is_nothing)(value) or is_placed(value))


def _is_anything(value: object) -> bool:
    return True


def _is_nothing(value: object) -> bool:
    return value is None


PARTS: Mapping[str, Check] = {
    "name": _is_text,
    "environment": _is_environment,
    "vocabulary": _is_object,
    "plan": _is_plan,
    "corpora": _is_list_of(_is_object_with(name=_is_text, sha256=_is_text)),
    "contenders": _is_list_of(_is_object),
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
FIGURES: Mapping[str, Check] = {
    "median_s": _is_time,
    "ci_s": _is_interval,
    "mb_per_s": _is_number,
    "tokens_per_s": _is_number,
}
MEMORY_FIGURES: Mapping[str, Check] = {
    **dict.fromkeys(FIGURES, _is_nothing),
    "built_bytes": _is_number,
    "encoding_bytes": _is_number,
}
FIGURES_OF: Mapping[str, Mapping[str, Check]] = {  # scenarios that have others
    "memory": MEMORY_FIGURES,
    "latency": {**FIGURES, **dict.fromkeys(QUANTILES, _is_time)},
    "energy": {**FIGURES, "joules_per_mb": _is_number, "joules_ci": _is_list_of(_is_number)},
}
