"""Trainings for elsewhere: every step with its words, as data, as a drawing."""

import io
import json
import sys
from xml.etree import ElementTree

import pytest

from guiapp.analysis.export.runs import ExportRequest, TrainingRun, main
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


def test_a_process_writes_some_steps_of_a_saved_record(tmp_path, monkeypatch, capsys):
    record = trained("bpe", 290)
    (tmp_path / "record").write_bytes(b"\n".join(record.lines()))
    for output, error in ((tmp_path / "run.json", ""), (tmp_path / "no" / "run.json", "cannot be written")):
        request = ExportRequest(str(tmp_path / "record"), str(output), 2, 4)
        monkeypatch.setattr(sys, "stdin", io.StringIO(request.line().decode()))
        main()
        assert error in json.loads(capsys.readouterr().out.splitlines()[-1])["error"]
    rows = json.loads((tmp_path / "run.json").read_text())["steps"]
    assert [row["index"] for row in rows] == [2, 3]
