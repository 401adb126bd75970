"""Trainings for elsewhere: every step with its words, as data, as a drawing."""

import json
from xml.etree import ElementTree

import pytest

from guiapp.analysis.export.runs import TrainingRun, write_apart
from guiapp.analysis.train.record import TrainingRecord
from guiapp.analysis.train.runs import begin
from guiapp.analysis.train.steps import to_json

TEXT = "This is insane! This is impossible | How do lions sleep \x01 in this weather? " * 3
CASES = [("bpe", 290), ("wordpiece", 60), ("unigram", 60)]


def trained(algorithm, n_tokens, text=TEXT, has_end_marks=False):
    run = begin(algorithm, text, n_tokens, has_end_marks)
    record = TrainingRecord(run.start)
    for step in run.steps():
        record.append(to_json(step).encode())
    return record


@pytest.mark.parametrize(("algorithm", "size"), CASES)
def test_all_steps_are_written_in_all_formats(algorithm, size, tmp_path):
    record = trained(algorithm, size)
    sentences = [record.sentence(number) for number in range(1, record.n_steps + 1)]
    TrainingRun(record).write(tmp_path / "run.json")
    data = json.loads((tmp_path / "run.json").read_text())
    assert [row["sentence"] for row in data["steps"]] == sentences
    assert data["n_steps"] == len(data["steps"]) == record.n_steps
    TrainingRun(record).write(tmp_path / "run.svg")
    texts = [element.text for element in ElementTree.parse(tmp_path / "run.svg").iter() if element.text]
    for number, sentence in enumerate(sentences, 1):
        assert f"{number:,}" in texts
        assert sentence.replace("`", "").replace("\x01", "\ufffd") in texts


def test_a_process_of_its_own_writes_some_steps(tmp_path):
    write_apart(TrainingRun(trained("bpe", 290)), tmp_path / "run.json", range(2, 4), lambda share: None)
    rows = json.loads((tmp_path / "run.json").read_text())["steps"]
    assert [row["index"] for row in rows] == [2, 3]
