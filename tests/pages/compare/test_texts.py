"""Two texts in tokens of one model: what both have is right whoever is edited, and nothing is lost."""

import random
from itertools import islice

import numpy as np
import pytest
from instant_recorder import load_once

from guiapp.analysis.compare.id_changes import compare_ids, id_changes
from guiapp.analysis.explain.id_lists import as_plain
from guiapp.core.demo import sample_text
from guiapp.core.text.normalized import n_equal_from_start
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.pages.compare.texts import ComparedTexts
from guiapp.pages.compare.texts_details import beginning, counts, in_a_line

TEXT = sample_text("welcome")[:1500]
SCRAPS = (b"a", b"  ", b" the", b"ing\n", "é".encode(), "🦄".encode(), b"<|endoftext|>", b"1234", b"", b"")


@pytest.fixture
def open_texts(qtbot):
    """Opens a model over a text, to be compared with others."""
    made = []

    def make(text=TEXT, model="demo:bpe"):
        session = ModelSession(TextSession(text), load=load_once)
        compared = ComparedTexts(session)
        made.append(compared)
        compared.watch(True)
        session.loader.open(model)
        qtbot.waitUntil(lambda: session.tokenizer is not None and not compared.is_outdated)
        return compared

    yield make
    for compared in made:
        compared.stop()
        compared.first.close()
        compared.first.text.close()


@pytest.fixture
def compared(open_texts):
    return open_texts()


def write(compared, text, qtbot):
    """Put a text on the right side, and wait until all is compared."""
    compared.second.text.show(text)
    qtbot.waitUntil(lambda: not compared.is_outdated and compared.report is not None)


def paste(compared, text, qtbot):
    """Put ids on the right side, and wait until they are read."""
    compared.take_ids(True)
    document = compared.ids.text.document
    document.replace(0, document.size, text if isinstance(text, bytes) else text.encode())
    qtbot.waitUntil(lambda: not compared.is_outdated)


def encoded(compared, text):
    options = compared.first.options
    return compared.first.tokenizer.encode(text, options.add_special, options.parse_special).token_ids


def assert_shows(compared, *texts):
    """The changes lead from one text's tokens to the other's, and each token is marked accordingly."""
    first, second = (encoded(compared, text) for text in texts)
    outcome = compared.outcome
    assert [outcome.first.tolist(), outcome.second.tolist()] == [first.tolist(), second.tolist()]
    assert outcome.n_common == n_equal_from_start(first, second)
    unchanged = []
    for side, ids in zip(compared.sides, (first, second), strict=True):
        window = side.spans_in(0, side.document.size)
        assert window.ids.tolist() == ids.tolist()
        unchanged.append(window.ids[~side.is_changed(window)].tolist())
        start, end = 0, side.common_end
        assert np.count_nonzero((window.starts >= start) & (window.ends <= end)) >= outcome.n_common
    assert unchanged[0] == unchanged[1]
    assert len(unchanged[0]) == outcome.n_unchanged


def test_the_comparison_is_updated_at_every_edit_of_either_side(compared, qtbot):
    chance = random.Random(4)
    write(compared, TEXT, qtbot)
    assert not len(compared.outcome.rows)
    for _ in range(60):
        document = chance.choice((compared.first, compared.second)).document
        start = document.character_start(chance.randrange(document.size))
        end = document.character_start(min(start + chance.choice((0, 0, 1, 9)), document.size))
        document.replace(start, end, chance.choice(SCRAPS))
        qtbot.waitUntil(lambda: not compared.is_outdated)
        assert_shows(compared, compared.first.document.text(), compared.second.document.text())
    with qtbot.waitSignal(compared.report_changed):
        pass
    best = id_changes(
        *(encoded(compared, each.document.text()) for each in (compared.first, compared.second))
    )
    assert compared.report.outcome.n_unchanged == compared.outcome.n_unchanged == best.n_unchanged


def test_the_report_is_the_command_lines_and_is_forgotten_at_a_key(compared, qtbot):
    write(compared, TEXT[:700] + b"!" + TEXT[720:], qtbot)
    qtbot.waitUntil(lambda: compared.report is not None)
    both = (encoded(compared, each.document.text()) for each in (compared.first, compared.second))
    expected = compare_ids(compared.first.tokenizer, compared.names, *both)
    assert compared.report.outcome.changes == expected.outcome.changes
    assert compared.report.is_same_text == expected.is_same_text
    compared.second.document.insert(b"x")
    assert compared.report is None
    qtbot.waitUntil(lambda: compared.report is not None)


def test_long_texts_are_compared_in_full_once_typing_pauses(open_texts, qtbot):
    text = b"".join(b"%d, " % (number * number) for number in range(20000))
    compared = open_texts(text)
    other = text.replace(b"49, ", b"fifty, ")
    compared.second.text.show(other)
    qtbot.waitUntil(lambda: not compared.is_outdated)
    assert not compared.outcome.is_whole
    qtbot.waitUntil(lambda: compared.report is not None)
    assert compared.outcome.is_whole
    n_changes = len(compared.outcome.rows)
    assert n_changes == text.count(b"49, ")
    compared.first.document.replace(30000, 30001, b"!")
    assert len(compared.outcome.rows) in (n_changes, n_changes + 1)
    assert_shows(compared, compared.first.document.text(), other)


def test_changes_are_walked_round_from_the_caret(compared, qtbot):
    write(compared, b"x " + TEXT[:300] + b" y " + TEXT[300:] + b" z", qtbot)
    n_changes = len(compared.outcome.rows)
    assert n_changes >= 3
    compared.second.document.set_caret(150)
    compared.step(1, 1)
    assert compared.right.byte_span(compared.current_change)[0] >= 150
    first = compared.walk.current
    for _ in range(n_changes):
        compared.step(1, 1)
    assert compared.walk.current == first
    compared.step(-1, 1)
    assert compared.walk.current == (first - 1) % n_changes
    compared.walk.go_to(2)
    compared.first.document.replace(10, 10, b"Q")
    assert compared.current_change == compared.change(3), "it stays through edits before it"
    start = compared.left.byte_span(compared.current_change)[0]
    compared.first.document.replace(max(start - 5, 0), compared.first.document.size, b"")
    assert compared.walk.current is None
    compared.second.document.set_caret(0)
    compared.step(-1, 1)
    assert compared.walk.current == compared.n_changes - 1


def test_an_offset_in_one_text_is_mapped_to_the_other(compared, qtbot):
    other = b"Some words in front. " + TEXT[:500] + b"INSERTED" + TEXT[600:]
    write(compared, other, qtbot)
    left, right = compared.sides
    for offset in (100, 300, 700, 1100):
        counterpart = left.counterpart_offset(right, offset)
        assert other[counterpart : counterpart + 20] == TEXT[offset : offset + 20]
        assert right.counterpart_offset(left, counterpart) == offset
    assert left.counterpart_offset(right, len(TEXT)) == len(other)


def test_text_and_ids_of_the_right_side_survive_other_choices(compared, qtbot):
    write(compared, b"Another text", qtbot)
    paste(compared, "1 2 3", qtbot)
    compared.first.loader.open("demo:spm")
    qtbot.waitUntil(lambda: compared.first.loader.model.name == "demo:spm" and not compared.is_outdated)
    assert compared.second.tokenizer is compared.first.tokenizer
    assert compared.outcome.second.tolist() == [1, 2, 3]
    assert compared.ids.text.document.text() == b"1 2 3"
    compared.take_ids(False)
    qtbot.waitUntil(lambda: not compared.is_outdated)
    assert_shows(compared, TEXT, b"Another text")


@pytest.mark.parametrize("takes_ids", [False, True])
@pytest.mark.parametrize("is_watching", [False, True])
def test_results_are_discarded_when_the_model_changes(compared, takes_ids, is_watching, qtbot):
    write(compared, TEXT[3:], qtbot)
    paste(compared, "2559 2558 2557", qtbot)
    compared.take_ids(takes_ids)
    compared.walk.go_to(0)
    assert compared.n_changes > 0
    compared.watch(is_watching)
    emitted = []
    for signal in (compared.changed, compared.report_changed, compared.walk.changed):
        signal.connect(lambda: emitted.append(beginning(compared)))
    compared.first.loader.open("demo:toy")  # of nine tokens
    qtbot.waitUntil(lambda: len(compared.first.vocabulary) == 9 and not compared.is_outdated)
    assert beginning(compared)
    compared.watch(True)
    assert max(compared.outcome.first, default=0) < 9
    assert compared.walk.current is None


def test_options_of_the_window_are_those_of_both_texts(compared, qtbot):
    write(compared, TEXT, qtbot)
    compared.first.set_add_special(False)
    qtbot.waitUntil(lambda: not compared.is_outdated)
    assert compared.second.options == compared.first.options
    assert_shows(compared, TEXT, TEXT)
    assert not len(compared.outcome.rows)


def test_the_left_text_is_copied_with_a_way_back(compared, qtbot):
    write(compared, b"before", qtbot)
    compared.copy_left()
    assert compared.second.document.text() == TEXT
    compared.second.document.undo()
    assert compared.second.document.text() == b"before"


def test_a_hidden_page_compares_nothing_until_it_is_shown(compared, qtbot):
    write(compared, TEXT, qtbot)
    compared.watch(False)
    outcome = compared.outcome
    compared.first.document.insert(b"new ")
    assert compared.outcome is outcome
    compared.watch(True)
    assert_shows(compared, compared.first.document.text(), TEXT)


def test_pasted_ids_lie_where_they_are_written_and_decoded(compared, qtbot):
    ids = encoded(compared, TEXT)
    paste(compared, f"tokens = {ids.tolist()}", qtbot)
    assert not len(compared.outcome.rows)
    written = compared.ids.text.document.text()
    numbers = compared.numbers.spans_in(0, len(written))
    assert [int(written[start:end]) for start, end in zip(numbers.starts, numbers.ends, strict=True)] == (
        ids.tolist()
    )
    assert compared.ids.read.text == TEXT
    decoded = compared.decoded.spans_in(0, len(TEXT))
    left = compared.left.spans_in(0, len(TEXT))
    for column in ("ids", "starts", "ends"):
        assert getattr(decoded, column).tolist() == getattr(left, column).tolist()


def test_ids_after_multibyte_characters_have_the_right_spans(compared, qtbot):
    paste(compared, "1\u00a0,\u200312\u3000\u2003 5", qtbot)
    written = compared.ids.text.document.text()
    spans = compared.numbers.spans_in(0, len(written))
    assert [written[start:end] for start, end in zip(spans.starts, spans.ends, strict=True)] == [
        b"1",
        b"12",
        b"5",
    ]


@pytest.mark.parametrize(
    ("text", "n_read", "error"),
    [
        (b"", 0, ""),
        (b"  \n ", 0, ""),
        (b"1 2 x 3", 2, "is not a whole number"),
        (b"1 -1", 1, "is not between 0"),
        (b"5 4294967296", 1, "is not between 0"),
        (b"7 " + b"9" * 100_000, 1, "is not between 0"),
        (b"1 2 \xff\xfe 3", 2, "is not a whole number"),
        ("1 é2".encode(), 1, "is not a whole number"),
        (b'{"token_ids": [1, 2', 0, "JSON"),
        (b"[" * 10_000, 0, ""),
        (b"1 \0 2", 1, "is not a whole number"),
    ],
    ids=repr,
)
def test_lists_that_are_none_are_read_up_to_the_mistake(compared, qtbot, text, n_read, error):
    paste(compared, text, qtbot)
    read = compared.ids.read
    assert len(read.token_ids) == n_read
    assert (error in read.error) if error else not read.error
    assert compared.outcome.second.tolist() == read.token_ids.tolist()
    spans = compared.numbers.spans_in(0, len(text))
    assert len(spans.ids) == n_read + bool(error)
    if error:
        assert spans.ids[-1] < 0
        assert text[spans.starts[-1] : spans.ends[-1]].strip()


def test_ids_that_stand_for_more_text_than_fits_are_refused(compared, qtbot, monkeypatch):
    monkeypatch.setattr("guiapp.pages.compare.texts.LARGEST_TEXT_BYTES", 100)
    longest = int(np.diff(compared.first.vocabulary.token_bytes_table[1]).argmax())
    paste(compared, f"1 {' '.join([str(longest)] * 100)} 1", qtbot)
    assert "too much to show" in compared.ids.read.error
    assert compared.ids.read.text == b""


def test_a_hundred_thousand_pasted_ids_are_read_and_compared(open_texts, qtbot):
    text = b"".join(islice((b"word %d of many\n" % number for number in range(10**9)), 20_000))
    compared = open_texts(text)
    ids = encoded(compared, text)
    assert len(ids) > 100_000
    paste(compared, as_plain(np.delete(ids, 50_000)), qtbot)
    assert compared.outcome.changes == ((50_000, 50_001, 50_000, 50_000),)


def test_special_tokens_between_words_are_shown_in_the_text(compared, qtbot):
    special = compared.first.vocabulary.special_ids
    word = compared.first.vocabulary.find(b"a")
    paste(compared, f"{special.bos} {word} {special.eos} {word} {special.eos}", qtbot)
    eos = compared.first.vocabulary.token_bytes(special.eos)
    assert compared.ids.read.text == b"a" + eos + b"a"
    spans = compared.decoded.spans_in(0, len(compared.ids.read.text))
    assert spans.starts.tolist() == [0, 0, 1, 1 + len(eos), 2 + len(eos)]
    assert spans.ends[-1] == spans.starts[-1]


# What is said of them


LIONS = "How do lions\nsleep in Ünal?\n".encode()


@pytest.fixture
def lions(open_texts):
    return open_texts(LIONS)


def rows_of(lions):
    return [in_a_line(lions, index) for index in range(len(lions.outcome.rows))]


@pytest.mark.parametrize(
    ("text", "part_at", "rows"),
    [
        (LIONS.decode(), "", []),
        (
            "How do tigers\nsleep in x?",
            "First difference in line 1, at token 5: ",
            ["·l|ions → ·t|ig|ers", "·|<C3>|<9… (5) → ·x (id 846)", "removed ↵ (id 198)"],
        ),
        (
            "How do lions",
            "First difference in line 1, at token 7: ",
            ["removed ↵|s|leep|… (11)"],
        ),
        (f"{LIONS.decode()}more", "First difference in line 3, at token 18: ", ["inserted m|ore"]),
    ],
)
def test_the_first_difference_and_the_changes_are_reported(lions, qtbot, text, part_at, rows):
    write(lions, text.encode(), qtbot)
    assert beginning(lions)[2].startswith(part_at)
    assert rows_of(lions) == rows


def test_differences_of_id_lists_have_their_own_messages(lions, qtbot):
    ids = lions.first.tokens.ids(0, 17).tolist()
    paste(lions, str(ids[:-1]).encode(), qtbot)
    assert "100 %" in beginning(lions).lines[0]
    assert counts(lions) == "1 change: 1 missing, 0 too many"
    paste(lions, b"2549 39 318 75 72 x", qtbot)
    assert [each in line for each, line in zip(("“x”", "5 ids", "60 %"), beginning(lions).lines, strict=True)]
    assert (counts(lions), rows_of(lions)[0].partition(" → ")[2]) == (
        "1 change: 14 missing, 2 too many",
        "l|i",
    )
    paste(lions, b"39 318 403", qtbot)
    assert beginning(lions)[0] == "0 tokens in common"


def test_ids_that_split_the_same_text_differently_are_reported(lions, qtbot):
    lions.first.set_add_special(False)
    lions.first.document.set_text(b" lions")
    paste(lions, b"220 75 1507", qtbot)
    qtbot.waitUntil(lambda: lions.report is not None)
    assert beginning(lions).lines[:-1][-1] == "The ids decode to the same text, but cut it differently."


def test_the_spans_of_a_list_are_the_models_but_for_the_mistake(lions, qtbot):
    paste(lions, b"2549 39 x", qtbot)
    numbers, first = lions.ids.numbers, lions.first
    window = numbers.spans_in(0, 9)
    assert window.ids.tolist() == [2549, 39, -1]
    attributes = numbers.attributes_of(window.ids).tolist()
    assert attributes == [*first.attributes_of(window.ids[:2]).tolist(), Attribute.UNKNOWN.value]
    assert (numbers.label_of(-1), numbers.label_of(0), numbers.label_of(39)) == (
        "no id",
        first.label_of(0),
        first.label_of(39),
    )
    assert (numbers.tokenizer, numbers.vocabulary) == (first.tokenizer, first.vocabulary)
    emitted = []
    numbers.tokens_changed.connect(lambda edit, tokens: emitted.append((edit is not None, len(tokens))))
    lions.ids.text.document.replace(9, 9, b"y")
    assert emitted == [(True, 3)]
    qtbot.waitUntil(lambda: not lions.is_outdated)
    assert emitted == [(True, 3), (False, 3)]
    assert numbers.spans_in(0, 10).ends.tolist() == [4, 7, 10]
