"""`tokenloupe tokenize --round-trip`: as sentences, as JSON, and no other way."""

import json

import guiapp
from guiapp.analysis.explain.round_trip import round_trip
from guiapp.cli.main import run


def test_the_round_trip_is_printed_as_text_or_json(capsys):
    tokenizer = guiapp.open_model("demo:spm")
    result = round_trip(tokenizer, tokenizer.encode("a  b", False))
    assert run(["tokenize", "demo:spm", "a  b", "--round-trip"]) == 0
    assert capsys.readouterr().out.splitlines() == [*result.sentences()]
    assert run(["tokenize", "demo:spm", "a  b", "--round-trip", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(result.record()))
