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
0 The piece `a` is the token `a`: nothing to merge.
8 Piece 1 of 3, `a`, is done: 1 token.
0 The piece `·` is the token `·`: nothing to merge.
8 Piece 2 of 3, `·`, is done: 1 token.
0 `lion` is text between special tokens, bytes 14–18.
2 Piece 3 of 3: `lion`. Tokens never cross its edges.
1 `l` + `i` → `li` could merge: it enters the queue with rank 570.
1 `i` + `o` → `io` could merge: it enters the queue with rank 1,247.
1 `o` + `n` → `on` could merge: it enters the queue with rank 35.
5 `o` + `n` → `on`, rank 35: the lowest of 3 candidates.
6 `i` + `on` → `ion` could merge: it enters the queue with rank 163.
5 `i` + `on` → `ion`, rank 163: the lowest of 2 candidates.
4 `l` + `i` → `li` leaves the queue, but one of the two has already merged: skip it.
4 `i` + `o` → `io` leaves the queue, but one of the two has already merged: skip it.
8 Piece 3 of 3, `lion`, is done: 2 tokens.
4 `<|begin_of_text|>` is added before the text, as the file specifies.
""",
}


@pytest.mark.parametrize(("model", "encoder", "text"), WALKS)
def test_each_step_has_a_sentence_and_a_line_of_code(model, encoder, text):
    tokenizer = guiapp.open_model(f"demo:{model}")
    walk = debugger_for(tokenizer, record(tokenizer, text, encoder))
    described = [
        f"{pseudo_code(walk.trace, step)[1]} {walk.describer.sentence(step)}\n"
        for step in range(walk.n_steps)
    ]
    assert "".join(described) == WALKS[model, encoder, text].lstrip("\n")
