"""States of a trace are those that come of taking its steps; what is rejected is the best that was left."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest
import sentencepiece
from arrays import as_lists
from piece_models import trained, with_unused
from random_texts import random_texts
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.analysis.trace.debugger import debugger_for
from guiapp.analysis.trace.pseudo_code import pseudo_code
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.replay import Replay, rejected_cut
from guiapp.analysis.trace.trace import BEFORE, EFFECTS, Effect
from guiapp.core.demo import DEMO_MODELS
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Rules, SpecialIds, VocabType

MODELS = {demo.name: guiapp.open_model(f"demo:{demo.name}") for demo in DEMO_MODELS}
CASES = [(name, encoder) for name, tokenizer in MODELS.items() for encoder in tokenizer.encoders]
TEXTS = [b"New York\xf0\x9f\x98 <|endoftext|>a</s>b", *random_texts(3, 3, [b"<s>", b"[CLS]"])]


class Slow:
    """Takes the steps of a trace one by one."""

    def __init__(self, trace) -> None:
        self.trace = trace
        self.slots = defaultdict(dict)  # of each piece: token or tokens by slot, or by place
        self.taken = defaultdict(list)
        self.best_steps = defaultdict(dict)
        self.around = {True: [], False: []}
        self.special = []
        self.begun = []
        self.fallen = set()

    def take(self, step: int) -> None:
        row = {name: column[step].item() for name, column in self.trace.columns._asdict().items()}
        operation, piece = self.trace.operation(step), row["piece"]
        token = (row["result"], row["position"], row["end"])
        slots, taken = self.slots[piece], self.taken[piece]
        effect = EFFECTS[row["operation"]]
        if operation == "special":
            self.special.append(token)
        elif operation == "add":
            self.around[row["cell"] == BEFORE].append(token)
        elif operation == "lost":
            slots[row["other_cell"]] = []
        elif operation == "fallback":
            before = slots[row["other_cell"]] if (piece, row["other_cell"]) in self.fallen else []
            slots[row["other_cell"]] = [*before, token]
            for slot in range(row["other_cell"] + 1, row["cell"] + 1):
                slots[slot] = []
            self.fallen.add((piece, row["other_cell"]))
        elif effect == Effect.MERGE:
            slots[row["cell"]], slots[row["other_cell"]] = [token], []
        elif effect == Effect.WAY:
            self.best_steps[piece][row["cell"]] = step
        elif effect in (Effect.JOIN, Effect.POP):
            taken.pop()
        elif effect == Effect.RESTART:
            taken.clear()
        if effect in (Effect.APPEND, Effect.JOIN, Effect.RESTART):
            taken.append((row["other_cell"], token))

    def begin(self, piece: int) -> None:
        self.begun.append(piece)
        cells = self.trace.piece_cells(piece)
        rows = list(zip(*(column[cells].tolist() for column in self.trace.cells), strict=True))
        if Replay(self.trace).has_slots(piece):
            self.slots[piece] = {slot: [row] for slot, row in enumerate(rows)}

    def piece_tokens(self, piece: int) -> list[tuple[int, int, int]]:
        if self.taken[piece]:
            return [token for _, token in sorted(self.taken[piece], key=lambda taken: taken[0])]
        return [token for slot in sorted(self.slots[piece]) for token in self.slots[piece][slot]]

    def tokens(self) -> list[tuple[int, int, int]]:
        fragments = defaultdict(list)
        for piece in self.begun:
            fragments[int(self.trace.pieces.fragment[piece])] += self.piece_tokens(piece)
        for number, token in enumerate(self.special):
            fragments[2 * number + 1].append(token)
        inside = [token for number in sorted(fragments) for token in fragments[number]]
        return [*self.around[True], *inside, *self.around[False]]


def rows_of(tokens) -> list[tuple[int, int, int]]:
    return list(zip(*as_lists(tokens), strict=True))


@pytest.mark.parametrize(("model", "encoder"), CASES)
def test_a_state_is_that_of_steps_taken_one_by_one(model, encoder):
    check_states(MODELS[model], encoder, TEXTS)


@pytest.mark.parametrize("encoder", ["fast", "heap", "scan", "backtrack", "table", "greedy", "fewest"])
@pytest.mark.parametrize("kind", ["char", "bpe"])
def test_neighbouring_unknown_characters_are_one_token_in_the_last_state(tmp_path, kind, encoder):
    path = tmp_path / "spiece.model"
    path.write_bytes(trained(model_type=kind, user_defined_symbols=["\u6771", "zq"]))
    tokenizer = guiapp.open_model(path)
    texts = ["H\u0159\U0001f600 THINGS \u6771\u20ac\u20adzq\u20ae\u2581".encode(), *random_texts(5, 8)]
    check_states(tokenizer, encoder, texts[:4])
    for text in texts:
        trace = record(tokenizer, text, encoder)
        expected = tokenizer.encode(text, encoder=encoder)
        assert Replay(trace).tokens(len(trace)).ids.tolist() == expected.token_ids.tolist()
        for step in range(len(trace)):
            code, line = pseudo_code(trace, step)
            assert code.lines[line]
        inside = rows_of(trace.made)
        assert set(inside) <= set(rows_of(trace.result))
        for middle in range(0, len(text), 9):
            near = rows_of(Replay(trace).tokens(len(trace), (middle, middle + 1)))
            covering = [row for row in inside if row[1] <= middle < row[2]]
            assert set(covering) <= set(near)


@pytest.mark.parametrize("fallback", [False, True])
def test_unused_pieces_are_taken_apart_by_the_end_of_their_piece(tmp_path, fallback):
    data = trained(model_type="bpe", byte_fallback=fallback)
    library = sentencepiece.SentencePieceProcessor(model_proto=data)
    is_normal = [
        not (library.is_control(row) or library.is_unknown(row) or library.is_byte(row))
        for row in range(library.get_piece_size())
    ]
    data = with_unused(data, np.flatnonzero(is_normal)[::5].tolist())
    library = sentencepiece.SentencePieceProcessor(model_proto=data)
    path = tmp_path / "spiece.model"
    path.write_bytes(data)
    tokenizer = guiapp.open_model(path)
    texts = [
        "This is a text about things,\u20ac there",
        *(text.decode(errors="replace") for text in random_texts(6, 20)),
    ]
    check_states(tokenizer, "heap", [texts[0].encode()])
    for text in texts:
        trace = record(tokenizer, text, "heap", add_special=False, parse_special=False)
        actual = [
            Replay(trace).piece_tokens(done, piece)
            for piece, done in enumerate(trace.pieces.done_step.tolist())
        ]
        made = [row for tokens in actual for row in rows_of(tokens)]
        assert made == rows_of(trace.made)
        assert [token for token, *_ in rows_of(trace.result)] == library.encode(text)
    walk = debugger_for(tokenizer, record(tokenizer, texts[0], "heap"))
    assert any("unused" in walk.describer.sentence(step) for step in range(walk.n_steps))


def check_states(tokenizer, encoder, texts):
    for text in texts:
        trace = record(tokenizer, text, encoder)
        states, slow = Replay(trace), Slow(trace)
        firsts = trace.pieces.first_step.tolist()
        for step in range(len(trace) + 1):
            if step in firsts:
                slow.begin(firsts.index(step))
            assert rows_of(states.tokens(step)) == slow.tokens()
            piece = trace.piece_at(step) if step < len(trace) else -1
            if piece >= 0:
                assert rows_of(states.piece_tokens(step, piece)) == slow.piece_tokens(piece)
                size = len(trace.piece_work(piece)) + 1
                expected = [slow.best_steps[piece].get(at, -1) for at in range(size)]
                if not states.has_slots(piece):
                    assert states.best_steps(step, piece, slice(0, size)).tolist() == expected
                    assert states.best_steps(step, piece, slice(1, size - 1)).tolist() == expected[1:-1]
            if step < len(trace):
                slow.take(step)


SCORES = {"a": -3.0, "b": -4.0, "ab": -5.5, "ba": -6.25, "aba": -8.0, "bb": -9.0, "abab": -10.75, "c": -2.0}
NAMES = ["<unk>", *SCORES]


def tokenizer_of(scores):
    vocabulary = toy_vocabulary(
        {"<unk>": Attribute.UNKNOWN, **scores},
        VocabType.UGM,
        rules=Rules(byte_encoding=False, escape_spaces=False),
        special_ids=SpecialIds(unk=0),
    )
    return Tokenizer(vocabulary)


def all_cuts(text):
    """Each way to cut a text into tokens: from where to where."""
    if not text:
        yield []
    for size in range(1, len(text) + 1):
        if text[:size] in SCORES:
            for rest in all_cuts(text[size:]):
                yield [(0, size), *((start + size, end + size) for start, end in rest)]


def score_of(text, cut):
    return sum(SCORES[text[start:end]] for start, end in cut)


@pytest.mark.parametrize("text", ["a", "ab", "abab", "babab", "aabba", "cabac", "bbbbab", "ccc", "abababab"])
def test_what_is_rejected_is_the_best_cut_without_the_token(text):
    tokenizer = tokenizer_of(SCORES)
    trace = record(tokenizer, text, "viterbi", False)
    makers = [step for step in range(len(trace)) if trace.operation(step) == "choose"]
    ends = {0, len(text)}
    chosen = sorted((int(trace.columns.position[step]), int(trace.columns.end[step])) for step in makers)
    assert {place for span in chosen for place in span} >= ends
    best = score_of(text, chosen)
    assert best == max(score_of(text, cut) for cut in all_cuts(text))
    for step in makers:
        token = int(trace.columns.position[step]), int(trace.columns.end[step])
        others = [score_of(text, cut) for cut in all_cuts(text) if token not in cut]
        actual = rejected_cut(trace, 0, step)
        assert (actual is None) == (not others)
        if actual is None:
            continue
        won, lost, last = actual
        assert best - won.score + lost.score == pytest.approx(max(others))
        assert (trace.columns.end[last], trace.columns.result[last]) == (
            lost.tokens[-1][2],
            lost.tokens[-1][0],
        )
        for cut in (won, lost):
            assert all(NAMES[token_id] == text[start:end] for token_id, start, end in cut.tokens)
            assert all(one[2] == other[1] for one, other in pairwise(cut.tokens))
            assert cut.score == pytest.approx(sum(SCORES[NAMES[each[0]]] for each in cut.tokens))
        assert any(each[1:] == token for each in won.tokens)
        assert (won.tokens[0][1], won.tokens[-1][2]) == (lost.tokens[0][1], lost.tokens[-1][2])
        assert won.tokens[0] != lost.tokens[0]
        assert won.tokens[-1] != lost.tokens[-1]
