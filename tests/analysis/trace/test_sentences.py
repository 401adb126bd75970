"""What a step says: in words, behind the number of the line of pseudo code that it does, and in columns."""

import pytest

import guiapp
from guiapp.analysis.trace.debugger import debugger_for
from guiapp.analysis.trace.pseudo_code import pseudo_code
from guiapp.analysis.trace.recorder import record

WALKS = {
    ("bpe", "heap", "a <|im_start|>lion"): """
0 `<|im_start|>` is a special token: it is cut out before anything else.
0 `a·` is text between special tokens, bytes 0–2.
2 Piece 1 of 3: `a`. Tokens never cross its edges.
2 Piece 2 of 3: `·`. Tokens never cross its edges.
0 The piece `a` is taken as `a`: nothing to merge.
8 Piece 1 of 3, `a`, is done: 1 token.
0 The piece `·` is taken as `·`: nothing to merge.
8 Piece 2 of 3, `·`, is done: 1 token.
0 `lion` is text between special tokens, bytes 14–18.
2 Piece 3 of 3: `lion`. Tokens never cross its edges.
1 `l` + `i` → `li` could merge: it enters the queue with rank 570.
1 `i` + `o` → `io` could merge: it enters the queue with rank 1,247.
1 `o` + `n` → `on` could merge: it enters the queue with rank 35.
5 `o` + `n` → `on`, rank 35: the lowest of 3 candidates.
6 `i` + `on` → `ion` could merge: it enters the queue with rank 163.
5 `i` + `on` → `ion`, rank 163: the lowest of 2 candidates.
4 `l` + `i` → `li` leaves the queue, but one of the two is gone meanwhile: skip it.
4 `i` + `o` → `io` leaves the queue, but one of the two is gone meanwhile: skip it.
8 Piece 3 of 3, `lion`, is done: 2 tokens.
4 `<|begin_of_text|>` is put in front of the text, as the file asks.
""",
    ("bpe", "scan", "on"): """
2 Piece 1 of 1: `on`. Tokens never cross its edges.
0 The piece `on` is taken as `on`: nothing to merge.
5 Piece 1 of 1, `on`, is done: 1 token.
4 `<|begin_of_text|>` is put in front of the text, as the file asks.
""",
    ("toy", "backtrack", "acbcb"): """
2 Piece 1 of 1: `acbcb`. Tokens never cross its edges.
4 `ac` is taken, bytes 0–2.
3 `b` fits the text but not the token before it: try a shorter one.
5 Nothing can follow `ac`: it is taken back.
4 `a` is taken, bytes 0–1.
4 `cb` is taken, bytes 1–3.
4 `cb` is taken, bytes 3–5.
6 Piece 1 of 1, `acbcb`, is done: 3 tokens.
""",
    ("toy", "table", "acb"): """
2 Piece 1 of 1: `acb`. Tokens never cross its edges.
3 `ac`, bytes 0–2, can follow what is before it: noted.
3 `a`, bytes 0–1, can follow what is before it: noted.
3 `cb`, bytes 1–3, can follow what is before it: noted.
5 Going back from the end, the best way has `cb` at bytes 1–3.
5 Going back from the end, the best way has `a` at bytes 0–1.
6 Piece 1 of 1, `acb`, is done: 2 tokens.
""",
    ("toy", "fewest", "acb"): """
2 Piece 1 of 1: `acb`. Tokens never cross its edges.
3 `ac`, bytes 0–2, leads to a way of 1 token: the best way there so far.
3 `a`, bytes 0–1, leads to a way of 1 token: the best way there so far.
3 `cb`, bytes 1–3, leads to a way of 2 tokens: the best way there so far.
4 `c`, bytes 1–2, leads to a way of 2 tokens: not better than what is known.
4 `b`, bytes 2–3, leads to a way of 2 tokens: not better than what is known.
5 Going back from the end, the best way has `cb` at bytes 1–3.
5 Going back from the end, the best way has `a` at bytes 0–1.
6 Piece 1 of 1, `acb`, is done: 2 tokens.
""",
    ("toy", "heap", "ax"): """
2 Piece 1 of 1: `ax`. Tokens never cross its edges.
6 `x` is no token, and the vocabulary has none for its bytes.
7 Piece 1 of 1, `ax`, is done: 1 token.
""",
    ("spm", "heap", "a ☃"): """
1 The text becomes `▁a▁☃`: 10 bytes.
2 Piece 1 of 1: `a·☃`. Tokens never cross its edges.
0 `·` + `a` → `·a` could merge: it enters the queue with rank 2.
4 `·` + `a` → `·a`, rank 2: the only candidate.
6 `<E2>` is part of no token: the byte token `<E2>` stands for it.
6 `<98>` is part of no token: the byte token `<98>` stands for it.
6 `<83>` is part of no token: the byte token `<83>` stands for it.
7 Piece 1 of 1, `a·☃`, is done: 5 tokens.
4 `<s>` is put in front of the text, as the file asks.
""",
    ("wordpiece", "wordpiece", "Lion's xyz☃"): """
1 The text becomes `▁lion▁'▁s▁xyz☃`: 24 bytes.
2 Piece 1 of 4: `Lion`. Tokens never cross its edges.
2 Piece 2 of 4: `'`. Tokens never cross its edges.
2 Piece 3 of 4: `s`. Tokens never cross its edges.
2 Piece 4 of 4: `xyz☃`. Tokens never cross its edges.
2 `Lion` is no token: try a shorter one.
2 `Lio` is no token: try a shorter one.
3 `·li` is taken, bytes 0–2.
3 `on` is taken, bytes 2–4.
6 Piece 1 of 4, `Lion`, is done: 2 tokens.
3 `·'` is taken, bytes 4–5.
6 Piece 2 of 4, `'`, is done: 1 token.
3 `·s` is taken, bytes 5–6.
6 Piece 3 of 4, `s`, is done: 1 token.
2 `xyz☃` is no token: try a shorter one.
2 `xyz` is no token: try a shorter one.
2 `xy` is no token: try a shorter one.
3 `·x` is taken, bytes 7–8.
2 `yz☃` is no token: try a shorter one.
2 `yz` is no token: try a shorter one.
3 `y` is taken, bytes 8–9.
2 `z☃` is no token: try a shorter one.
3 `z` is taken, bytes 9–10.
2 `☃` is no token: try a shorter one.
4 No token fits here: all of `xyz☃` becomes `[UNK]`.
6 Piece 4 of 4, `xyz☃`, is done: 1 token.
4 `[CLS]` is put in front of the text, as the file asks.
4 `[SEP]` is put behind the text, as the file asks.
""",
    ("wordpiece", "linear", "lions"): """
1 The text becomes `▁lions`: 8 bytes.
2 Piece 1 of 1: `lions`. Tokens never cross its edges.
2 No token goes on behind `li`: what is certain of it is taken.
3 `·li` is taken, bytes 0–2.
2 No token goes on behind `ons`: what is certain of it is taken.
3 `ons` is taken, bytes 2–5.
6 Piece 1 of 1, `lions`, is done: 2 tokens.
4 `[CLS]` is put in front of the text, as the file asks.
4 `[SEP]` is put behind the text, as the file asks.
""",
    ("unigram", "viterbi", "a l☃☂"): """
1 The text becomes `▁a▁l☃☂`: 14 bytes.
2 Piece 1 of 1: `a·l☃☂`. Tokens never cross its edges.
3 `·`, bytes 0–0, leads to a score of −2.98: the best way there so far.
3 `·a`, bytes 0–1, leads to a score of −4.41: the best way there so far.
4 `a`, bytes 0–1, leads to a score of −7.60: not better than what is known.
3 `·`, bytes 2–2, leads to a score of −7.39: the best way there so far.
3 `·l`, bytes 2–3, leads to a score of −11.81: the best way there so far.
4 `l`, bytes 2–3, leads to a score of −13.12: not better than what is known.
3 `<unk>`, bytes 3–6, leads to a score of −34.71: the best way there so far.
3 `<unk>`, bytes 6–9, leads to a score of −57.60: the best way there so far.
6 Going back from the end, the best way has `<unk>` at bytes 6–9.
7 What is unknown side by side becomes one `<unk>`, bytes 3–9.
6 Going back from the end, the best way has `·l` at bytes 2–3.
6 Going back from the end, the best way has `·a` at bytes 0–1.
8 Piece 1 of 1, `a·l☃☂`, is done: 3 tokens.
4 `</s>` is put behind the text, as the file asks.
""",
    ("rwkv", "rwkv", "lion é"): """
2 Piece 1 of 1: `lion·é`. Tokens never cross its edges.
2 `li` is taken, bytes 0–2.
2 `on` is taken, bytes 2–4.
2 `·é` is taken, bytes 4–7.
3 Piece 1 of 1, `lion·é`, is done: 3 tokens.
""",
    ("rwkv", "words", "the xyzzq"): """
2 Piece 1 of 1: `the·xyzzq`. Tokens never cross its edges.
1 `the` is no token.
2 `<s>` is taken, bytes 0–3.
1 `·xyzzq` is no token.
1 `xyzzq` is no token.
2 `<s>` is taken, bytes 4–9.
3 Piece 1 of 1, `the·xyzzq`, is done: 2 tokens.
""",
}


@pytest.mark.parametrize(("model", "encoder", "text"), WALKS)
def test_each_step_is_told_and_its_line_shown(model, encoder, text):
    tokenizer = guiapp.open_model(f"demo:{model}")
    walk = debugger_for(tokenizer, record(tokenizer, text, encoder))
    told = [
        f"{pseudo_code(walk.trace, step)[1]} {walk.describer.sentence(step)}\n"
        for step in range(walk.n_steps)
    ]
    assert "".join(told) == WALKS[model, encoder, text].lstrip("\n")


PAIRS = {"push", "merge", "stale"}
OWN_TOKEN = {"take", "choose", "give up", "too long", "join", "whole"}
WAYS = {"reach", "worse"}
COLUMNS = {
    "left": PAIRS,
    "right": PAIRS,
    "right_position": PAIRS,
    "other_cell": PAIRS | OWN_TOKEN | WAYS | {"lost", "fallback"},
    "cell": PAIRS | OWN_TOKEN | WAYS | {"add", "back"},
    "result": PAIRS | OWN_TOKEN | WAYS | {"special", "add", "reject", "back", "fallback"},
}


@pytest.mark.parametrize(("model", "encoder", "text"), WALKS)
def test_a_column_is_empty_where_a_step_has_nothing_of_the_kind(model, encoder, text):
    trace = record(guiapp.open_model(f"demo:{model}"), text, encoder)
    for step in range(len(trace)):
        filled = {name for name in COLUMNS if getattr(trace.columns, name)[step] != -1}
        assert filled == {name for name, operations in COLUMNS.items() if trace.operation(step) in operations}
