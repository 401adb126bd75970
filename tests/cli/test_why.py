"""`tokenloupe why`: the stages for people and as JSON, one clear line on errors."""

import json

import guiapp
from guiapp.cli.main import run

TEXT = "Hello tokenization<|im_end|>"


def test_a_token_is_named_by_a_byte_or_by_its_number(capsys):
    encoding = guiapp.open_model("demo:bpe").encode(TEXT)
    index = next(row for row, (start, end) in enumerate(encoding.spans.tolist()) if start <= 8 < end)
    outputs = []
    for which in (["--at", "8"], ["--token", str(index)], ["--at", "8:9"]):
        assert run(["why", "demo:bpe", TEXT, *which]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1] == outputs[2]
    start, end = encoding.spans[index]
    assert outputs[0].startswith(f"token {index}, bytes {start}–{end}\n  Bytes   ")
    assert "beats t + o, rank 1,964" in outputs[0]


def test_the_record_has_the_merges_and_what_lost(capsys):
    assert run(["why", "demo:bpe", TEXT, "--at", "8", "--encoder", "heap", "--json"]) == 0
    (token,) = json.loads(capsys.readouterr().out)["tokens"]
    (expected,) = guiapp.why("demo:bpe", TEXT, 8, encoder="heap")
    assert (token["id"], token["span"]) == (expected.token_id, [expected.start, expected.end])
    names = [stage["stage"] for stage in token["stages"]]
    assert names == ["bytes", "partition", "normalise", "split", "encode", "token"]
    lines = token["stages"][4]["lines"]
    merged = [line["merged"]["result"] for line in lines if line["merged"]]
    assert merged == [line.merged.result for line in expected.merges]
    assert lines[0]["lost"]["rank"] > lines[0]["merged"]["rank"]
