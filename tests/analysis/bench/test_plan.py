"""Plans that come from elsewhere, and how long they are expected to take."""

import json

import pytest

from guiapp.analysis.bench.plan import (
    BenchError,
    Plan,
    from_any_folder,
    plan_from,
    whole_path,
)


def test_a_plan_travels_as_json():
    original = Plan("demo:bpe", scenarios=("short",), threads=(1, 2), seed=3)
    assert plan_from(json.loads(json.dumps(original.record()))) == original
    with pytest.raises(BenchError, match=r"^This is not a plan for a benchmark: .*colour"):
        plan_from({"model": "m", "colour": "blue"})


@pytest.mark.parametrize(
    "changes",
    [
        *(
            {name: odd}
            for name in Plan("m").record()
            for odd in (-1, 10**400, {"a": 1}, [["a"]], float("nan"))
        ),
        {"model": "a\0b"},
        {"threads": [0]},
        {"threads": [10**9]},
        {"corpora": [1]},
        {"corpora": "english"},
        {"repeat": "often"},
        {"own": [1]},
    ],
)
def test_an_invalid_plan_is_refused(changes):
    with pytest.raises(BenchError, match=r"^This is not a plan for a benchmark: its “[^”]+” is "):
        plan_from({"model": "m", **changes})


@pytest.mark.parametrize("record", [[], None, 1, "model"])
def test_a_plan_is_an_object(record):
    with pytest.raises(BenchError, match="not an object"):
        plan_from(record)


def test_files_of_a_plan_get_their_whole_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("model", "text", "random"):
        (tmp_path / name).touch()
    plan = Plan("model", ("text", "random", "missing"))
    whole = [str(tmp_path / name) for name in ("model", "text")]
    assert from_any_folder(plan) == Plan(whole[0], (whole[1], "random", "missing"))
    assert (whole_path("model"), whole_path("demo:bpe")) == (whole[0], "demo:bpe")
