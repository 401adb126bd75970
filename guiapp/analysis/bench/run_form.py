"""What a saved run must hold to be shown: files come from other versions, other machines and editors."""

from __future__ import annotations

from math import isfinite
from typing import Any

from guiapp.analysis.bench.measurement import QUANTILES
from guiapp.analysis.bench.scenarios import SCENARIOS
from guiapp.core.vocabulary.quoting import printable

MOST_CONTENDERS = 200  # each has a row in charts
LARGEST = 1e18  # JSON knows whole numbers that no float can hold


def number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= LARGEST


def whole(value: object) -> bool:
    return isinstance(value, int) and number(value)


def count(value: object) -> bool:
    return whole(value) and value != 0


def time(value: object) -> bool:
    return number(value) and value != 0


def scenario(value: object) -> bool:
    return isinstance(value, str) and value in SCENARIOS


# A form is {"key": form, "optional key?": form}, [form of each], [form of the first, of the second],
# (one form, or another), None, a type, or a function that says whether a value is right.
LEFT_OUT = {"contender": str, "reason": str, "operation": (None, str)}
RUN = {
    "results": [dict],
    "name?": str,
    "environment?": {"cores?": (None, number), "load_highest?": (None, number)},
    "vocabulary?": {"tokens?": whole},
    "plan?": {"scenarios?": [str], "call_limit_s?": (None, number)},
    "corpora?": [{"name": str, "sha256": str}],
    "contenders?": [{"contender": str, "version": str}],
    "left_out?": [
        (LEFT_OUT | {"scenario": None}, LEFT_OUT | {"scenario": str, "corpus": str, "size_bytes": whole})
    ],
}
RESULT = {
    "scenario": scenario,
    "operation": str,
    "contender": str,
    "corpus": str,
    "size_bytes": count,
    "threads": count,
    "n": count,
    "exact": (None, bool),
    "agreement": object,
    "first_difference": object,
    "processor_share?": (None, number),
    "first_turn?": whole,
    "own_bytes?": (None, count),
    "n_tokens?": (None, number),
    "samples_s?": [time],
}
DIFFERENCE = {
    "byte_offset": whole,
    "index": whole,
    "expected_id?": (None, whole),
    "found_id?": (None, whole),
}
FIGURES = {"median_s": time, "ci_s": [time, time], "mb_per_s": number, "tokens_per_s": number}
FIGURES_OF = {  # charts and units that have others
    "memory": {**dict.fromkeys(FIGURES), "built_bytes": number, "encoding_bytes": number},
    "latency": {**FIGURES, **dict.fromkeys(QUANTILES, time)},
}


def problem_with(run: object) -> str:
    """What of a run is missing or not as it must be, "" if nothing is."""
    if not isinstance(run, dict):
        return "it is no object"
    if deviation := _deviation(run, RUN):
        place, what = deviation
        return f"its “{place.removeprefix('.')}” is {what}"
    for index, result in enumerate(run["results"]):
        if deviation := _deviation(result, _form_of(result)):
            place, what = deviation
            return f"its “results[{index}]{place}” is {what}"
    if len({result["contender"] for result in run["results"]}) > MOST_CONTENDERS:
        return f"more than {MOST_CONTENDERS} contenders take part"
    return ""


def _form_of(result: dict[str, Any]) -> dict[str, Any]:
    """Figures depend on the scenario; what was compared has an agreement, and says where it differs."""
    known = SCENARIOS.get(str(result.get("scenario")))
    kinds = () if known is None else (known.chart, known.unit)
    form = RESULT | next((FIGURES_OF[kind] for kind in kinds if kind in FIGURES_OF), FIGURES)
    if result.get("exact") is not None:
        form["agreement"] = number
    if result.get("exact") is False:
        form["first_difference"] = DIFFERENCE
    return form


def _deviation(value: Any, form: Any) -> tuple[str, str] | None:
    """Where a value is not of its form, and what is there instead."""
    if isinstance(form, tuple):
        found = [_deviation(value, each) for each in form]
        return None if None in found else found[-1]
    if isinstance(form, dict) and isinstance(value, dict):
        for key, part in form.items():
            name = key.removesuffix("?")
            if name in value:
                if deviation := _deviation(value[name], part):
                    return f".{name}{deviation[0]}", deviation[1]
            elif name == key:
                return f".{name}", "missing"
        return None
    if isinstance(form, list) and isinstance(value, list) and len(form) in (1, len(value)):
        for index, each in enumerate(value):
            if deviation := _deviation(each, form[index % len(form)]):
                return f"[{index}]{deviation[0]}", deviation[1]
        return None
    if isinstance(form, type):
        is_right = isinstance(value, form)
    else:
        is_right = form(value) if callable(form) else form is value is None
    return None if is_right else ("", f"{value!r:.40}")


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
