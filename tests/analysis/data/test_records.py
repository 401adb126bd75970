"""Records of files: all shapes and packings, found in pieces, and hostile files."""

import gzip
import json
import random

import pytest

import guiapp
from guiapp.analysis.data import records as module
from guiapp.analysis.data.records import RawRecord, RecordError, open_records, read_record
from guiapp.errors import TokenloupeError

HI, YES, NO = (
    {"role": role, "content": text}
    for role, text in (("user", "Hi"), ("assistant", "Yes"), ("assistant", "No"))
)
SHAPED = [
    ({"messages": [HI, YES]}, "messages", ["Hi", "Yes"], 0),
    (
        {"conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Yes"}]},
        "conversations",
        ["Hi", "Yes"],
        0,
    ),
    ({"prompt": "Hi", "completion": "Yes"}, "prompt-completion", "HiYes", 2),
    ({"prompt": [HI], "completion": [YES]}, "prompt-completion", ["Hi", "Yes"], 1),
    ({"prompt": "Hi", "completion": [YES]}, "prompt-completion", ["Hi", "Yes"], 1),
    ({"prompt": "Hi", "chosen": "Yes", "rejected": "No"}, "preference", "HiYes", 2),
    ({"chosen": [HI, YES], "rejected": [HI, NO]}, "preference", ["Hi", "Yes"], 0),
    ({"prompt": "Hi", "chosen": [HI, YES], "rejected": [HI, NO]}, "preference", ["Hi", "Yes"], 0),
    ({"text": "Hi"}, "text", "Hi", 0),
    ("Hi", "text", "Hi", 0),
    ([HI, YES], "messages", ["Hi", "Yes"], 0),
]


@pytest.mark.parametrize(("value", "shape", "content", "n_prompt"), SHAPED)
def test_the_shape_of_a_record_is_detected(value, shape, content, n_prompt):
    for given in (value, json.dumps(value).encode()):
        record = read_record(RawRecord(1, 1, given))
        actual_content = record.text or [message["content"] for message in record.conversation.messages]
        assert (record.shape, actual_content, record.n_prompt) == (shape, content, n_prompt)


def values_of(records):
    records.up_to(1 << 40)
    return [(raw.number, raw.line, json.loads(raw.content)) for raw in records.raw(0, len(records))]


@pytest.mark.parametrize("block", [1, 7, 64, 1 << 20])
def test_all_records_are_read_with_any_block_size(block, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "BLOCK_BYTES", block)
    draw = random.Random(block)
    values = [{"text": 'ab\n"{}[],é🙂'[: draw.randint(0, 12)]} for _ in range(40)]
    lines = [json.dumps(value, ensure_ascii=False) for value in values]
    spread = [text for line in lines for text in (line, *([""] * draw.randint(0, 2)))]
    numbers = [row for row, line in enumerate(spread, 1) if line]
    expected = [
        (number, line, value) for number, (line, value) in enumerate(zip(numbers, values, strict=True), 1)
    ]
    for name, text in (
        ("a.jsonl", "\n".join(spread)),
        ("b.jsonl", "\r\n".join(spread) + "\r\n"),
        ("c.jsonl", "\ufeff" + "\n".join(spread)),
    ):
        (tmp_path / name).write_bytes(text.encode())
        assert values_of(open_records(tmp_path / name)) == expected
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
        assert values_of(open_records(tmp_path / f"{name}.gz")) == expected
    for name, text in (
        ("d.json", json.dumps(values)),
        ("e.json", json.dumps(values, indent=2)),
        ("f.json", "\n".join(json.dumps(each, indent=1) for each in values)),
    ):
        (tmp_path / name).write_text(text)
        result = values_of(open_records(tmp_path / name))
        assert [(number, value) for number, _, value in result] == list(enumerate(values, 1))
        rows = text.split("\n")
        assert all("{" in rows[line - 1] for _, line, _ in result)


def test_some_records_are_read_without_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "BLOCK_BYTES", 50)
    (tmp_path / "a.jsonl").write_text("\n".join(json.dumps({"text": str(row)}) for row in range(300)))
    records = open_records(tmp_path / "a.jsonl")
    assert records.up_to(5)
    assert not records.is_complete
    assert 0 < records.share < 1
    records.up_to(300)
    assert [raw.number for raw in records.raw(17, 190)] == list(range(18, 191))
    few = records.raw(10, 300, 40)
    assert 1 <= len(few) < 10
    assert few[0].number == 11
    assert [json.loads(records.raw(row, row + 1, 1)[0].content)["text"] for row in (0, 299)] == ["0", "299"]


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('{"text": "a"', "broken"),
        ('{"text": "\udcff"}', "broken"),
        ('{"messages": ' + DEEP, "broken"),
        ('{"text": ' + "9" * 10_000 + "}", "broken"),
        ("null", "shape"),
        ('{"other": 1}', "shape"),
        ('{"messages": "Hi"}', "shape"),
        ('{"messages": [{"content": "Hi"}]}', "shape"),
        ('{"messages": []}', "empty"),
        ('{"prompt": 1, "completion": 2}', "shape"),
        ('{"text": {}}', "shape"),
        ('{"conversations": [{"from": 1, "value": 2}]}', "shape"),
        (
            '{"messages": [{"role": "user", "content": "a", "x": ' + '{"a":' * 40 + "1" + "}" * 41 + "]}",
            "shape",
        ),
    ],
)
def test_a_hostile_line_is_a_finding_with_its_line_and_not_the_end(line, code, tmp_path):
    good = json.dumps({"text": "good"})
    (tmp_path / "a.jsonl").write_text(f"{good}\n\n{line}\n{good}\n", errors="surrogateescape")
    data = guiapp.data("demo:bpe", tmp_path / "a.jsonl", workers=0)
    finding = next(each for each in data.findings if each.code == code)
    assert (finding.n_records, finding.record) == (1, 2)
    assert (data.records[1].raw.line, data.n_records) == (3, 3)
    assert data.trained.tolist()[::2] == [3, 3]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (gzip.compress(b"{}\n" * 100, mtime=0)[:-12], "gzip"),
        ('{"text": "a"}\n'.encode("utf-16"), "UTF-16"),
        (None, "cannot be read"),
    ],
    ids=("gzip", "UTF-16", "none"),
)
def test_a_file_that_cannot_be_used_is_an_error(content, words, tmp_path):
    if content is not None:
        (tmp_path / "a").write_bytes(content)
    with pytest.raises(TokenloupeError, match=words):
        guiapp.data("demo:bpe", tmp_path / "a", workers=0)


def test_a_key_twice_is_noticed_and_an_unknown_shape_refused():
    assert read_record(RawRecord(1, 1, b'{"text": "a", "text": "b"}')).has_duplicate_key
    with pytest.raises(RecordError):
        read_record(RawRecord(1, 1, b'{"text": "a"}'), "messages")


def test_an_empty_file_has_no_records(tmp_path):
    for name, text in (("a", ""), ("b", "\n\n"), ("c", "[]"), ("d", " [ ]\n")):
        (tmp_path / name).write_text(text)
        assert guiapp.data("demo:bpe", tmp_path / name, workers=0).n_records == 0


def test_parquet_has_the_same_records(tmp_path):
    pyarrow, parquet = map(pytest.importorskip, ("pyarrow", "pyarrow.parquet"))
    values = [{"messages": [HI, YES], "text": None}, *[{"text": str(row)} for row in range(50)]]
    path = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.Table.from_pylist(values), path, row_group_size=7)
    result = guiapp.data("demo:bpe", path, workers=0)
    assert result.lengths.tolist() == guiapp.data("demo:bpe", values, workers=0).lengths.tolist()
    path.write_bytes(b"PAR1" + bytes(50))
    with pytest.raises(TokenloupeError, match="cannot be read"):
        open_records(path)
