"""Where runs are kept, what they are called, and in what two of them differ."""

import json
import tempfile
from pathlib import Path

import pytest
from bench_runs import record

from guiapp.core.bench import history
from guiapp.core.bench.drift import Drift
from guiapp.core.bench.history import (
    BUSY_MARGIN,
    MARGIN,
    Change,
    compare_runs,
    different_conditions,
    load_run,
    name_of,
    rename_run,
    save_run,
    save_run_somewhere,
)
from guiapp.core.bench.plan import BenchError
from guiapp.core.bench.statistics import Ratio

RUN = {"name": "«früher»", "results": []}


def test_a_run_is_one_json_object_in_a_folder_that_is_made(tmp_path):
    path = tmp_path / "new" / "folder" / "run.json"
    save_run(path, RUN)
    save_run(path, RUN)
    assert path.read_text(encoding="utf-8") == '{\n "name": "«früher»",\n "results": []\n}\n'
    assert load_run(path) == RUN


def test_what_cannot_be_written_says_why(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(BenchError, match=r"run\.json cannot be written: (Not a directory|File exists)\.$"):
        save_run(tmp_path / "file" / "run.json", RUN)


def test_a_run_without_its_place_goes_to_the_temporary_files(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    save_run_somewhere(tmp_path / "run.json", RUN)
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]
    impossible = tmp_path / "run.json" / "run.json"
    with pytest.raises(BenchError) as caught:
        save_run_somewhere(impossible, RUN)
    (instead,) = tmp_path.glob("tokenloupe-run-*.json")
    assert str(caught.value).startswith(f"{impossible} cannot be written: ")
    assert str(caught.value).endswith(f". The run is in {instead} instead.")
    assert load_run(instead) == RUN


def test_a_run_that_can_be_written_nowhere_leaves_nothing(tmp_path, monkeypatch):
    def refuse(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(history, "replace_file", refuse)
    with pytest.raises(BenchError) as caught:
        save_run_somewhere(tmp_path / "run.json", RUN)
    assert str(caught.value) == f"{tmp_path / 'run.json'} cannot be written: No space left on device."
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{", "{} is not JSON: "),
        (b"\xff", "{} is not JSON: "),
        (b"[]", "{} is not a run as `tokenloupe bench --json` writes it: it is no object."),
    ],
)
def test_what_is_no_run_is_told(tmp_path, content, told):
    path = tmp_path / "run.json"
    path.write_bytes(content)
    with pytest.raises(BenchError) as caught:
        load_run(path)
    assert str(caught.value).startswith(told.format(path))
    missing = tmp_path / "missing"
    with pytest.raises(BenchError) as caught:
        load_run(missing)
    assert str(caught.value) == f"{missing} cannot be read: No such file or directory."


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ('{\n "name": "a, b,",\n', "a, b,"),
        ('{\n "name": "x"\n}', "x"),
        ('{\n "name": ["x"],\n', ""),
        ('{\n "names": "x",\n', ""),
        ('{\n "name": "' + "x" * 4_086 + '",\n', ""),
        ('{\n "name": "' + "x" * 4_085 + '",\n', "x" * 4_085),
        ('{ "name": "x",\n', ""),
    ],
)
def test_a_name_is_found_in_the_second_line(tmp_path, content, name):
    path = tmp_path / "run.json"
    path.write_bytes(content.encode())
    assert name_of(path) == name


def test_a_name_is_one_line_and_not_too_long(tmp_path):
    path = tmp_path / "run.json"
    save_run(path, RUN)
    rename_run(path, "a  b\n" + "c" * 100)
    assert load_run(path)["name"] == "a b " + "c" * 76
    rename_run(path, " \n")
    assert json.loads(path.read_text()) == {"results": []}


def change(low: float, high: float, **more) -> Change:
    key = ("worst", "encode", "heap", "one letter", 12_345, more.pop("threads", 1))
    return Change(key, Ratio((low + high) / 2, low, high), **more)


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        (change(1.2, 1.4), "slower"),
        (change(1.0, 1.4), "same"),
        (change(0.5, 0.9), "faster"),
        (change(0.5, 0.95), "same"),
        (change(1.2, 1.4, margin=1.3), "same"),
        (change(0.5, 0.9, margin=1.3), "same"),
        (change(1.2, 1.4, is_disturbed=True), "disturbed"),
        (change(1.2, 1.4, drift=Drift(1.2)), "same"),
        (change(1.0, 1.0, drift=Drift(0.5)), "slower"),
        (change(1.0, 1.0, drift=Drift(2.0)), "faster"),
    ],
)
def test_what_is_sure_lies_beyond_the_margin_and_beside_the_drift(changed, verdict):
    assert changed.verdict == verdict


def test_a_change_is_told_by_its_title_and_beside_the_drift():
    assert change(1.0, 2.0).title == "heap: worst (encode), one letter, 12,345 bytes"
    assert change(1.0, 2.0, threads=2).title == "heap: worst (encode), one letter, 12,345 bytes, 2 threads"
    assert change(1.0, 2.0, drift=Drift(2.0)).own == Ratio(0.75, 0.5, 1.0)
    assert change(1.0, 2.0).own == Ratio(1.5, 1.0, 2.0)


def run(*results, **environment):
    return {"environment": {"cores": 2, **environment}, "results": list(results)}


def timed(name: str, samples: list[float], **more):
    return record("throughput", name, 1_000, samples[0], samples_s=samples, **more)


STEADY = [1.0] * 8


def test_changes_are_compared_with_how_much_each_run_wandered():
    halves, doubled = [1.0] * 4 + [1.5] * 4, [2.0] * 8
    pairs = {"calm": (STEADY, doubled), "before": (halves, doubled), "after": (doubled, halves)}
    old = run(*(timed(name, before) for name, (before, _) in pairs.items()))
    new = run(*(timed(name, after) for name, (_, after) in pairs.items()))
    margins = {each.key[2]: each.margin for each in compare_runs(old, new)}
    assert margins == {"calm": MARGIN, "before": 1.5, "after": 1.5}
    for busy in (
        (run(*old["results"], stolen_share=0.5), new),
        (old, run(*new["results"], stolen_share=0.5)),
    ):
        assert {each.margin for each in compare_runs(*busy)} == {BUSY_MARGIN}


def test_changes_begin_with_the_most_slowed_down_and_need_samples_of_both():
    old = run(timed("a", STEADY), timed("b", STEADY), timed("c", STEADY), timed("only old", STEADY))
    new = run(
        timed("a", [0.5] * 8),
        timed("b", [3.0] * 8),
        timed("c", [2.0] * 8),
        timed("only new", STEADY),
        record("memory", "a", 1_000, 1.0),
    )
    old["results"].append(record("memory", "a", 1_000, 1.0))
    changes = compare_runs(old, new)
    assert [(each.key[2], each.ratio.ratio) for each in changes] == [
        ("b", pytest.approx(3.0)),
        ("c", pytest.approx(2.0)),
        ("a", pytest.approx(0.5)),
    ]
    assert {each.is_disturbed for each in changes} == {False}


@pytest.mark.parametrize("shares", [(0.5, 1.0), (1.0, 0.5)])
def test_what_was_disturbed_says_nothing_about_the_drift(shares):
    old, new = (
        run(
            *(timed(name, [s] * 8) for name in "abcdefghijk"),
            *(timed(name, [s * 3] * 8, processor_share=share) for name in "xy"),
        )
        for s, share in zip((1.0, 2.0), shares, strict=True)
    )
    old["results"] += [timed("z", [1.0] * 8)]
    new["results"] += [timed("z", [2.0] * 8)]
    changes = {each.key[2]: each for each in compare_runs(old, new)}
    assert {name for name, each in changes.items() if each.is_disturbed} == {"x", "y"}
    assert changes["a"].drift == Drift(pytest.approx(2.0), tuple("abcdefghijkz"))


def test_conditions_differ_by_machine_vocabulary_and_text():
    sums = ["0123456789abcdef" * 4, "fedcba9876543210" * 4]
    old, new = (
        {
            "environment": {
                "processor": "A",
                "cores": n,
                "clock": "wall",
                "Python": "3.11",
                "numpy": f"{n}.0",
                "load": n,
            },
            "vocabulary": {"sha256": digest, "chosen_pre": pre},
            "corpora": [
                {"name": "t", "sha256": digest},
                {"name": "u", "sha256": "x"},
                {"name": pre, "sha256": "y"},
            ],
        }
        for n, digest, pre in zip((1, 2), sums, (None, "qwen2"), strict=True)
    )
    assert different_conditions(old, new) == [
        "cores was 1, now 2",
        "numpy was 1.0, now 2.0",
        "vocabulary was 0123456789ab, now fedcba987654",
        "chosen pre-tokenizer was none, now qwen2",
        "text t was 0123456789ab, now fedcba987654",
    ]
    assert different_conditions({}, {}) == []
    assert different_conditions({"environment": {"clock": "x" * 63}}, {}) == [
        f"clock was {'x' * 63}, now None"
    ]


def test_nothing_in_a_run_from_elsewhere_turns_a_terminal_or_a_page(tmp_path):
    path = tmp_path / "run.json"
    name = "fast\x1b[2J\u202etsaf\ud800"
    path.write_text(json.dumps({"name": name, "results": [record("throughput", name, 10, 1.0)]}))
    run = history.load_run(path)
    assert run["results"][0]["contender"] == run["name"] == "fast\\x1b[2J\\u202etsaf\\ud800"
    history.rename_run(path, "mine")
    assert history.name_of(path) == "mine"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"results": [], "environment": {"mhz": NaN}}', "it holds a number that is none"),
        ('{"results": [], "environment": {"mhz": 1e999}}', "it holds a number that is none"),
        ('{"results": [], "more": ' + "[" * 480 + "]" * 480 + "}", "nested too deeply"),
    ],
)
def test_a_run_that_could_not_be_written_again_is_none(tmp_path, content, told):
    path = tmp_path / "run.json"
    path.write_text(content)
    with pytest.raises(history.BenchError, match=told):
        history.load_run(path)
