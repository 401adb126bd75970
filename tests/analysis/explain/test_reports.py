"""What the command line prints about a model and an encoding."""

import json
from dataclasses import asdict, replace
from functools import partial
from itertools import chain

import numpy as np
import pytest
from model_files import ALL_MODELS, opened, special_texts
from random_texts import random_texts

import guiapp
from guiapp.analysis.explain.reports import (
    doubled_special,
    ids_json,
    ids_text,
    segmentations_report,
    token_lines,
)
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.export.tables import json_text
from guiapp.core.encode.counting.growing import encoded_parts
from guiapp.native.model_files import fill_in, packed


def test_records_hold_each_token_with_its_span():
    tokenizer = guiapp.open_model("demo:bpe")
    parts = encoded_parts(tokenizer, [b"a\n"], encoder="heap")
    report = json.loads(b"".join(ids_json(tokenizer, parts)))
    assert (report["encoder"], report["exactness"]["level"], report["token_ids"]) == (
        "heap",
        "exact",
        [2549, 64, 198],
    )
    assert report["tokens"] == [
        {
            "id": 2549,
            "span": [0, 0],
            "raw": "<|begin_of_text|>",
            "bytes": b"<|begin_of_text|>".hex(),
            "kind": "control",
        },
        {"id": 64, "span": [0, 1], "raw": "a", "bytes": "61", "kind": "normal"},
        {"id": 198, "span": [1, 2], "raw": "Ċ", "bytes": "0a", "kind": "normal"},
    ]


def readable_table(vocabulary, ids, spans):
    yield f"{'index':>7} {'id':>7} {'span':>17}  {'kind':12}  {'token':24}  bytes"
    for index, (token_id, (start, end)) in enumerate(zip(ids, spans, strict=True)):
        token, data = Spelling.SIGNS.token(vocabulary, token_id, 24), vocabulary.token_bytes(token_id)
        row = f"{index:>7} {token_id:>7} {f'{start}–{end}':>17}  {vocabulary.kind(token_id):12}  {token:24}  "
        yield row + data.hex(" ").upper()


@pytest.mark.parametrize("number", [0, 9, 10, 999_999, 9_999_999, 10_000_000, 1 << 40])
def test_numbers_have_spaces_before_them_up_to_their_widths(number):
    texts = packed([b"", b" a ", b"-", b"\n"])
    numbers = np.array([[number, number, 7]])
    row = fill_in(np.zeros(1, np.int32), numbers, np.array([7, 9, 0], np.int32), texts).tobytes().decode()
    assert row == f"{number:>7} a {f'{number}-7':>10}\n"


@pytest.mark.parametrize("model", [model for model in ALL_MODELS if isinstance(model, str)])
def test_parts_are_written_as_the_whole_is(model):
    tokenizer = opened(model)
    texts = random_texts(
        5, 30, [b"\r\n", b"\xff", "\u200b\u2028".encode(), b" " * 300, *special_texts(tokenizer, 9)]
    )
    for size, text in enumerate([b"", *texts]):
        blocks = [text[start : start + size + 1] for start in range(0, len(text), size + 1)]
        tiny = partial(encoded_parts, tokenizer, blocks, least_bytes=1)
        ids, spans = (
            column.tolist() for column in (tokenizer.encode(text).token_ids, tokenizer.encode(text).spans)
        )
        write = ids_text(" ")
        assert (
            b"".join(each for part in tiny() for each in write(part.encoding.token_ids))
            == " ".join(map(str, ids)).encode()
        )
        whole, vocabulary = [*encoded_parts(tokenizer, [text], least_bytes=1 << 30)], tokenizer.vocabulary
        assert [*token_lines(tokenizer, tiny(), "color")] == [*token_lines(tokenizer, whole, "color")]
        table = [row.split("\n") for row in token_lines(tokenizer, tiny(), "table")]
        assert [*chain.from_iterable(table)] == [*readable_table(vocabulary, ids, spans)]
        head = {
            "encoder": whole[0].encoding.encoder,
            "exactness": asdict(tokenizer.exactness),
            "token_ids": ids,
        }
        raw = (vocabulary.raw_text(token_id).decode("utf-8", "backslashreplace") for token_id in ids)
        tokens = [
            {
                "id": token_id,
                "span": span,
                "raw": text,
                "bytes": vocabulary.token_bytes(token_id).hex(),
                "kind": vocabulary.kind(token_id),
            }
            for token_id, span, text in zip(ids, spans, raw, strict=True)
        ]
        assert b"".join(ids_json(tokenizer, tiny())).decode() == json_text({**head, "tokens": tokens})


def test_the_best_segmentations_are_reported_with_scores():
    tokenizer = guiapp.open_model("demo:unigram")
    best = tokenizer.segmentations("lions", 3)
    report = segmentations_report(tokenizer, best)
    assert [each["score"] for each in report["segmentations"]] == [each.score for each in best]
    assert [each["token_ids"] for each in report["segmentations"]] == [
        each.encoding.token_ids.tolist() for each in best
    ]
    unknown = [replace(best[0], score=float("-inf"))]
    assert segmentations_report(tokenizer, unknown)["segmentations"][0]["score"] is None


BEGINS = "The text begins with {}, and the model adds another one."
ENDS = "The text ends with {}, and the model adds another one."


@pytest.mark.parametrize(
    ("model", "text", "message"),
    [
        ("demo:bpe", "<|begin_of_text|>hi", BEGINS.format("<|begin_of_text|>")),
        ("demo:bpe", "hi<|begin_of_text|>", None),
        ("demo:bpe", "", None),
        ("demo:wordpiece", "hi [SEP]", ENDS.format("[SEP]")),
        ("demo:wordpiece", "[CLS] hi [SEP]", f"{BEGINS.format('[CLS]')} {ENDS.format('[SEP]')}"),
        ("demo:rwkv", "hi", None),
    ],
)
def test_a_doubled_special_token_is_reported(model, text, message):
    tokenizer = opened(model)
    ids = tokenizer.encode(text).token_ids.tolist()
    assert doubled_special(tokenizer, ids[:2], ids[-2:]) == message
