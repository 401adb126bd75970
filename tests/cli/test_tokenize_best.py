"""`tokenloupe tokenize --best`: the best segmentations with their scores, one clear line on errors."""

import json

import pytest

import guiapp
from guiapp.cli.main import run


def test_the_best_segmentations_are_printed_after_their_scores(capsys):
    assert run(["tokenize", "demo:unigram", "New York", "--best", "3", "--encoder", "viterbi"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    expected = guiapp.open_model("demo:unigram").segmentations("New York", 3)
    assert [list(map(int, ids)) for _, *ids in lines] == [
        each.encoding.token_ids.tolist() for each in expected
    ]
    assert [float(score) for score, *_ in lines] == pytest.approx([each.score for each in expected], abs=1e-4)


def test_the_best_segmentations_are_printed_as_json(capsys):
    assert run(["tokenize", "demo:unigram", "New York", "--best", "3", "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    expected = guiapp.open_model("demo:unigram").segmentations("New York", 3)
    assert report["encoder"] == "viterbi"
    assert [each["score"] for each in report["segmentations"]] == [each.score for each in expected]
    for each in report["segmentations"]:
        assert [token["id"] for token in each["tokens"]] == each["token_ids"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["demo:bpe", "x", "--best", "2"], "of the type BPE"),
        (["demo:unigram", "x", "--best", "0"], "Ask for 1 or more."),
        (["demo:unigram", "x", "--best", "2", "--encoder", "words"], "Use viterbi"),
        (["demo:unigram", "x", "--best", "2", "--format", "table"], "Use --format ids or json."),
    ],
)
def test_an_impossible_request_is_refused_in_one_line(capsys, arguments, message):
    assert run(["tokenize", *arguments]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1
