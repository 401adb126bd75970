"""What the command line prints about a model and an encoding."""

import json
from dataclasses import asdict, replace
from functools import partial

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
from guiapp.analysis.export.tables import json_text
from guiapp.core.encode.counting.growing import encoded_parts


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
        for form in ("table", "color"):
            assert [*token_lines(tokenizer, tiny(), form)] == [*token_lines(tokenizer, whole, form)]
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


def test_the_best_segmentations_are_told_with_scores():
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
    ("model", "text", "said"),
    [
        ("demo:bpe", "<|begin_of_text|>hi", BEGINS.format("<|begin_of_text|>")),
        ("demo:bpe", "hi<|begin_of_text|>", None),
        ("demo:bpe", "", None),
        ("demo:wordpiece", "hi [SEP]", ENDS.format("[SEP]")),
        ("demo:wordpiece", "[CLS] hi [SEP]", f"{BEGINS.format('[CLS]')} {ENDS.format('[SEP]')}"),
        ("demo:rwkv", "hi", None),
    ],
)
def test_a_special_token_twice_is_told(model, text, said):
    tokenizer = opened(model)
    ids = tokenizer.encode(text).token_ids.tolist()
    assert doubled_special(tokenizer, ids[:2], ids[-2:]) == said
