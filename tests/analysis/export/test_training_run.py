"""Trainings for elsewhere: every step with its words, as data, as a drawing."""

import json
from xml.etree import ElementTree

import pytest

from guiapp.analysis.export.runs import TrainingRun
from guiapp.analysis.train.record import TrainingRecord
from guiapp.analysis.train.runs import begin
from guiapp.analysis.train.steps import to_json

TEXT = "This is insane! This is impossible | How do lions sleep \x01 in this weather? " * 3
CASES = [("bpe", 290), ("wordpiece", 60), ("unigram", 60)]


def trained(algorithm, n_tokens, text=TEXT, has_end_marks=False):
    run = begin(algorithm, text, n_tokens, has_end_marks)
    record = TrainingRecord(run.start)
    for told in run.steps():
        record.append(to_json(told).encode())
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


def test_words_can_be_followed_from_the_start_to_the_end(tmp_path):
    record = trained("bpe", 290, "This is insane! This is impossible", has_end_marks=True)
    TrainingRun(record).write(tmp_path / "run.json")
    data = json.loads((tmp_path / "run.json").read_text())
    words = [cut for cut, _ in data["words"]]
    assert (data["steps"][0]["left"], data["steps"][0]["right"]) == ("i", "s")
    for row in data["steps"]:
        for index, cut in row["recuts"]:
            words[index] = cut
    assert words == [list(cut) for cut, _, _ in record.words(record.n_steps)]
    assert json.loads(TrainingRun(record, 2).step_json())["left"] == "is"
    assert json.loads(TrainingRun(record, 0).step_json())["words"][0] == [["T", "h", "i", "s", "</w>"], 2]
