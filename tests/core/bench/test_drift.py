"""What all contenders share of a change."""

import pytest

from guiapp.core.bench.drift import NO_DRIFT, Drift, drift_of

LIBRARIES = ("tiktoken", "tokenizers", "gigatoken", "sentencepiece")


def run(*names, version="1"):
    return {"contenders": [{"contender": name, "version": version} for name in names]}


def times(names, *factors):
    return {name: [factor] for name, factor in zip(names, factors, strict=True)}


OURS = ("fast", "heap", "scan", "table")


@pytest.mark.parametrize(
    ("ratios", "drift"),
    [
        ({}, NO_DRIFT),
        (times(OURS[:2], 2.0, 2.0), NO_DRIFT),
        (times(OURS[:3], 2.0, 2.0, 2.0), Drift(2.0, OURS[:3])),
        (times(OURS, 2.0, 2.1, 1.9, 9.0), Drift(2.05, OURS[:3])),
        (times(OURS, 2.0, 2.0, 9.0, 9.0), NO_DRIFT),
        (times(OURS[:3], 1.0, 1.08, 1.16), NO_DRIFT),
        (times(OURS[:3], 1.04, 1.04, 1.04), Drift(1.04, OURS[:3])),
        (times(OURS[:3], 1.02, 1.02, 1.02), NO_DRIFT),
        (times(OURS[:3], 0.98, 0.98, 0.98), NO_DRIFT),
        (times(OURS[:3], 0.96, 0.96, 0.96), Drift(0.96, OURS[:3])),
        (times(OURS[:3], 1.03, 1.03, 1.03), Drift(1.03, OURS[:3])),
        (times(OURS[:3], 1 / 1.03, 1 / 1.03, 1 / 1.03), Drift(1 / 1.03, OURS[:3])),
        ({"fast": [1.0, 2.0, 90.0], "heap": [2.0], "scan": [2.0]}, Drift(2.0, OURS[:3])),
    ],
)
def test_it_is_the_middle_of_those_that_moved_alike(ratios, drift):
    assert drift_of({}, {}, ratios) == drift


def test_libraries_of_the_same_version_tell_it_best():
    ratios = times((*OURS, *LIBRARIES[:3]), 3.0, 3.0, 3.0, 3.0, 1.5, 1.5, 1.5)
    same = run(*OURS, *LIBRARIES)
    assert drift_of(same, same, ratios) == Drift(1.5, LIBRARIES[:3], True)
    for other in ({}, run("tiktoken", "gigatoken"), run(*LIBRARIES, version="2")):
        assert drift_of(same, other, ratios) == drift_of(other, same, ratios) == NO_DRIFT
    unsplit = times([f"{name} (unsplit)" for name in LIBRARIES[:3]], 1.5, 1.5, 1.5)
    assert drift_of(run(*unsplit), run(*unsplit), unsplit).by_libraries


def test_a_library_of_another_version_counts_as_one_of_ours():
    versions = {"contenders": [{"contender": name, "version": name} for name in LIBRARIES]}
    for changed in LIBRARIES:
        other = {
            "contenders": [
                each | {"version": "2"} if each["contender"] == changed else each
                for each in versions["contenders"]
            ]
        }
        rest = tuple(name for name in LIBRARIES if name != changed)
        ratios = times(LIBRARIES, 1.5, 1.5, 1.5, 1.5)
        assert drift_of(versions, other, ratios) == Drift(1.5, rest, True)


def test_libraries_that_did_not_move_leave_no_drift_to_ours():
    ratios = times((*OURS, *LIBRARIES[:3]), 3.0, 3.0, 3.0, 3.0, 1.0, 1.0, 1.0)
    assert drift_of(run(*LIBRARIES), run(*LIBRARIES), ratios) == NO_DRIFT
    ours = {name: ratios[name] for name in OURS}
    assert drift_of(run(*OURS), run(*OURS), ours) == Drift(3.0, OURS)


def test_it_is_told_with_who_says_so():
    assert str(NO_DRIFT) == str(Drift(2.0)) == ""
    assert str(Drift(1.25, ("a", "b", "c"), True)) == (
        "This machine ran at 0.80 of its earlier speed: so did 3 libraries that "
        "are the same in both runs. Changes are judged beside that"
    )
    assert str(Drift(0.5, ("a", "b", "c", "d"))) == (
        "All contenders together ran at 2.00 of their earlier speed: it is this machine, or "
        "something that 4 of them share. Changes are judged beside that"
    )
