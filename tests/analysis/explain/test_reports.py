"""What the command line prints about a model and an encoding."""

from dataclasses import replace

import pytest
from model_files import opened

import guiapp
from guiapp.analysis.explain.reports import (
    BACKGROUNDS,
    RESET,
    doubled_special,
    ids_report,
    segmentations_report,
    token_lines,
)


def colored(index: int, text: str) -> str:
    return f"\x1b[48;5;{BACKGROUNDS[index % len(BACKGROUNDS)]};38;5;231m{text}{RESET}"


def test_a_table_has_a_line_for_each_token():
    tokenizer = guiapp.open_model("demo:wordpiece")
    assert list(token_lines(tokenizer, tokenizer.encode(" A \n"), "table")) == [
        "  index      id              span  kind          token                     bytes",
        "      0       2               0–0  control       [CLS]                     5B 43 4C 53 5D",
        "      1     441               1–2  normal        ·a                        20 61",
        "      2       3               4–4  control       [SEP]                     5B 53 45 50 5D",
    ]


def test_what_belongs_to_no_token_has_no_colour_and_lines_stay_lines():
    wordpiece, bpe = guiapp.open_model("demo:wordpiece"), guiapp.open_model("demo:bpe")
    assert list(token_lines(wordpiece, wordpiece.encode(" A  \n b\n"), "color")) == [
        f"{colored(0, '[CLS]')}·{colored(1, 'A')}··↵",
        f"·{colored(2, 'b')}↵",
        colored(3, "[SEP]"),
    ]
    words = ["<|begin_of_text|>", "H", "ow", "↵", "l", "ions", "↵"]
    boxes = [colored(index, word) for index, word in enumerate(words)]
    assert list(token_lines(bpe, bpe.encode("How\nlions\n"), "color")) == [
        "".join(boxes[:4]),
        "".join(boxes[4:]),
    ]


def test_records_hold_each_token_with_its_span():
    tokenizer = guiapp.open_model("demo:bpe")
    report = ids_report(tokenizer, tokenizer.encode("a\n", encoder="heap"))
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


BOS = 2549  # of demo:bpe
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


@pytest.mark.parametrize(
    "ids", [[], [BOS], [64, BOS], [BOS, 64], [64, 64], [BOS + 1, BOS], [BOS + 1, BOS + 1]]
)
def test_the_special_token_once_or_another_one_twice_is_all_right(ids):
    assert doubled_special(guiapp.open_model("demo:bpe"), ids, ids) is None
