"""Small runs as they are drawn, to the letter."""

from functools import partial

import pytest

import guiapp
from guiapp.analysis.export.exported_run import box, document, label_at, note
from guiapp.analysis.export.runs import TraceRun, TrainingRun
from guiapp.analysis.trace.debugger import debugger_for
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.trace import NUMBERS
from guiapp.analysis.train.record import TrainingRecord
from guiapp.analysis.train.runs import begin
from guiapp.analysis.train.steps import to_json

BPE = guiapp.open_model("demo:bpe")
WORDS = "abcdefghi"
TRAINED_ON = " ".join(f"th{letter}" for letter in WORDS) + "|"


def traced(text, encoder, tokenizer=BPE):
    return debugger_for(tokenizer, record(tokenizer, text, encoder))


def trained(text, n_tokens, has_end_marks=False):
    run = begin("bpe", text, n_tokens, has_end_marks)
    kept = TrainingRecord(run.start)
    for told in run.steps():
        kept.append(to_json(told).encode())
    return kept


def row(top, step, sentence, boxes, x=100.0):
    """A number, a sentence, and boxes side by side: (label, whether it is outlined)."""
    parts = [note(16, top + 25, f"{step:,}"), note(100.0, top + 58, sentence)]
    for number, (label, is_made) in enumerate(boxes):
        drawn, width = box(x, top, label, number, is_made)
        parts.append(drawn)
        x += width + 4
    return "".join(parts), x


def test_a_trace_as_a_drawing():
    run = TraceRun(traced("unb", "backtrack"))
    begin_of_text = "<|begin_of_text|>"
    rows = [
        row(40, 1, "un is taken, bytes 0–2.", [("un", True)]),
        row(118, 2, "b is taken, bytes 2–3.", [("un", False), ("b", True)]),
        row(
            196,
            4,
            f"{begin_of_text} is put in front of the text, as the file asks.",
            [(begin_of_text, True), ("un", False), ("b", False)],
        ),
    ]
    reaching = [(f"{drawn}\n", right + 20) for drawn, right in rows[:2]]
    reaching.append(
        (
            f"{rows[2][0]}\n",
            100 + 7.5 * len(f"{begin_of_text} is put in front of the text, as the file asks."),
        )
    )
    expected = document(reaching, 78, "backtrack on “unb”: 3 tokens")
    assert "".join(run.chunks(".svg", run.steps)) == "".join(expected)


@pytest.mark.parametrize(
    ("text", "encoder", "model"),
    [("How do lions sleep? " * 9, "heap", "bpe"), ("unbelievable lions", "viterbi", "unigram")],
)
def test_a_row_shows_the_tokens_around_what_is_formed(text, encoder, model):
    debugger = traced(text, encoder, guiapp.open_model(f"demo:{model}"))
    run, columns = TraceRun(debugger), debugger.trace.columns
    for step in run.drawn(run.steps):
        made = (int(columns.position[step]), int(columns.end[step]))
        tokens = list(zip(*(column.tolist() for column in debugger.states.tokens(step + 1)), strict=True))
        if columns.operation[step] == NUMBERS["reach"]:
            tokens = [(int(columns.result[step]), *made)]
        at = sum(start < made[0] for _, start, _ in tokens)
        shown = tokens[max(0, at - 15) : at + 15]
        debugger.go_to(step)
        sentence = debugger.sentence().replace("`", "")
        boxes = [(debugger.describer.label(*token), token[1:] == made) for token in shown]
        expected, right = row(7, step, sentence, boxes)
        if at > 15:
            cut = label_at(86.0, 7, "…")
            expected = expected.replace("<rect", f"{cut}<rect", 1)
        if at + 15 < len(tokens):
            expected += label_at(right + 10, 7, "…")
        drawn, reach = run.drawing_row(step, 7)
        assert drawn == f"{expected}\n"
        assert reach == max(right + 20, 100 + 7.5 * len(sentence))


def test_a_drawing_without_anything_formed_shows_the_first_step():
    run = TraceRun(traced("lower", "heap", guiapp.open_model("demo:toy")))
    assert run.drawn(run.steps) == [0]
    assert run.drawn(range(3, 6)) == [3]


def test_the_place_stays_whatever_is_written_meanwhile():
    debugger = traced("unb", "backtrack")
    debugger.go_to(2)
    run = TraceRun(debugger)
    debugger.go_to(0)
    "".join(run.chunks(".html", run.steps))
    assert run.step_record() == run.record(2)
    assert debugger.position == 0
    debugger.go_to(debugger.n_steps)
    assert TraceRun(debugger).step_record() == run.record(4)


def test_the_parts_at_each_place():
    debugger = traced("un un", "heap")
    places = []
    for place in range(debugger.n_steps + 1):
        debugger.go_to(place)
        run = TraceRun(debugger)
        parts = run.choices(".json")
        assert parts.pop("All") == range(7)
        assert run.choices(".svg").pop("This piece", None) == parts.get("This piece")
        places.append((parts["This step"], run.choices(".svg")["This step"], parts.get("This piece")))
    one = [range(step, step + 1) for step in range(7)]
    assert places == [
        (one[0], one[0], None),
        (one[1], one[1], None),
        (one[2], one[2], range(2, 4)),
        (one[3], one[2], range(2, 4)),
        (one[4], one[4], range(4, 6)),
        (one[5], one[4], range(4, 6)),
        (one[6], one[6], None),
        (one[6], one[6], None),
    ]


def test_a_trace_without_steps_has_no_parts():
    run = TraceRun(traced("", None, guiapp.open_model("demo:rwkv")))
    assert (run.choices(".json"), run.choices(".svg"), run.drawn(run.steps)) == ({}, {}, [])
    assert run.step_record() == {"encoder": "rwkv", "text": "", "token_ids": [], "n_steps": 0, "steps": []}


@pytest.mark.parametrize(
    ("step", "sentence", "words"),
    [
        (
            1,
            "t + h → th, 9 times: more than · + t with 8 times.",
            [["·", "th", letter] for letter in WORDS[:8]],
        ),
        (2, "· + th → ·th, 8 times: the last pair.", [["·th", letter] for letter in WORDS[1:]]),
    ],
)
def test_a_training_as_a_drawing(step, sentence, words):
    if step == 1:
        words[0] = words[0][1:]
    expected, x = row(7, step, sentence, [])
    for word in words:
        boxes = [(symbol, symbol == ("th" if step == 1 else "·th")) for symbol in word]
        drawn, right = row(7, step, sentence, boxes, x)
        expected += drawn[drawn.index("<rect") :]
        x = right + 22
    if step == 1:
        expected += label_at(x, 7, "…")
    assert TrainingRun(trained(TRAINED_ON, 260)).drawing_row(step, 7) == (f"{expected}\n", x)


@pytest.mark.parametrize("text", ["ab ab", "汉字汉字x 汉字x"])
def test_a_training_is_drawn_as_wide_as_its_sentences(text):
    kept = trained(text, 280, True)
    sentence = kept.sentence(1).replace("`", "")
    n_columns = sum(1 + (letter in "汉字") for letter in sentence)
    assert TrainingRun(kept).drawing_row(1, 0)[1] == 100 + 7.5 * n_columns


def test_the_place_in_a_training(tmp_path):
    kept = trained(TRAINED_ON, 260)
    at = partial(TrainingRun, kept)
    assert at().step_record() == at().record_head()
    assert at(2).step_record() == at().record(2)
    assert at().choices(".json") == {"All": range(1, 3)}
    for place in (1, 2):
        assert at(place).choices(".json") == {"All": range(1, 3), "This step": range(place, place + 1)}
    assert TrainingRun(trained("a", 260)).choices(".json") == {}
    at(1).save(tmp_path / "training")
    assert list(TrainingRecord.load(tmp_path / "training").lines()) == list(kept.lines())
