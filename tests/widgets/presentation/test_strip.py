"""Where letters and boxes are: as pure geometry."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRectF

from guiapp.viewmodels.presentation.letters import letters_of
from guiapp.viewmodels.presentation.scene import Block, Mark, Scene
from guiapp.viewmodels.steps.flow import Part
from guiapp.widgets.presentation.strip import (
    ABOVE_PX,
    ABOVE_RESULT_PX,
    BELOW_PX,
    CELL_PX,
    EDGE_PX,
    GAP_PX,
    SCALES,
    WORD_GAP_PX,
    lay_out,
    on_the_way,
)

AREA = QRectF(96, 60, 1728, 600)
MARK = Mark("rank 1", succeeds=True)


def width(letter):
    return CELL_PX * (3.0 if letter.is_sign else 1.5 if letter.text > "\u2e80" else 1.0)


def blocks_of(*texts, marked=(), joined=(), part=Part.TOKEN, below=""):
    blocks, at = [], 0
    for number, text in enumerate(texts):
        end = at + len(text.encode())
        letters = letters_of(text, at, end)
        blocks.append(Block(letters, part, 0, below, number in marked, number in joined))
        at = end
    return blocks


def row(*texts, **look):
    return Scene(blocks_of(*texts, **look), MARK, is_one_row=True)


def test_on_a_merge_only_the_gap_closes():
    apart = lay_out(row("un", "b", "el"), AREA, width)
    merged = lay_out(row("un", "b", "el", marked=(1, 2), joined=(2,)), AREA, width)
    steps = [[b.cell.left() - a.cell.left() for a, b in pairwise(strip.letters)] for strip in (apart, merged)]
    assert steps[0] == [CELL_PX, CELL_PX + GAP_PX, CELL_PX + GAP_PX, CELL_PX]
    assert steps[1] == [CELL_PX, CELL_PX + GAP_PX, CELL_PX, CELL_PX]
    assert [len(box.blocks) for box in merged.boxes] == [1, 2]
    assert merged.boxes[1].seams == (merged.letters[3].cell.left(),)
    assert [each.cell.top() for each in apart.letters] == [each.cell.top() for each in merged.letters]


def test_letters_move_from_where_they_were():
    scene = row("a", "b", marked=(0, 1), joined=(1,))
    apart, merged = lay_out(row("a", "b"), AREA, width), lay_out(scene, AREA, width)
    shares = {share: on_the_way(apart, merged, scene.blocks, share) for share in (0.0, 0.5, 1.0)}
    gaps = {
        share: strip.letters[1].cell.left() - strip.letters[0].cell.right() for share, strip in shares.items()
    }
    assert gaps == {0.0: GAP_PX, 0.5: GAP_PX / 2, 1.0: 0}
    assert shares[0.5].boxes[0].rect.width() == 2 * CELL_PX + GAP_PX / 2


def test_the_size_of_letters_stays_through_a_piece():
    text = "unbelievably"
    scales = {
        lay_out(row(*split), AREA, width).scale
        for split in (text, ["un", "believ", "ably"], [text], ["unbelieva", "bly"])
    }
    assert len(scales) == 1


def test_of_a_long_piece_the_row_shows_what_happens():
    letters = "abcdefghijklmnopqrstuvwxyz" * 3
    for at in (1, 20, 40, 77):
        strip = lay_out(row(*letters, marked=(at - 1, at)), AREA, width)
        seen = {each.block for each in strip.letters}
        assert {at - 1, at} <= seen
        assert strip.cuts == (min(seen) > 0, max(seen) < len(letters) - 1)
        first, last = strip.letters[0].cell, strip.letters[-1].cell
        ends = first.left() - AREA.left(), AREA.right() - last.right()
        for room, is_cut in zip(ends, strip.cuts, strict=True):
            assert 0 <= round(room - EDGE_PX * is_cut, 6) < CELL_PX
        if all(strip.cuts):
            one, other = (each.cell for each in strip.letters if each.block in (at - 1, at))
            assert (one.left() + other.right()) / 2 == pytest.approx(AREA.center().x())
    strip = lay_out(row(*letters), AREA, width)
    assert len({each.cell.top() for each in strip.letters}) > 1, "where nothing happens, as much as fits"


WORDS = st.text(alphabet="ab·xé猫", min_size=1, max_size=12)


@pytest.mark.parametrize("is_one_row", [True, False])
@given(texts=st.lists(WORDS, min_size=1, max_size=60), marked=st.integers(0, 59), low=st.booleans())
def test_everything_is_within_the_area_and_nothing_lies_on_another(is_one_row, texts, marked, low):
    area = QRectF(96, 60, 1728, 270 if low else 600)
    scene = Scene(blocks_of(*texts, marked=(marked % len(texts),)), MARK, is_one_row=is_one_row)
    strip = lay_out(scene, area, width)
    assert any(scene.blocks[each.block].is_marked for each in strip.letters)
    for each in strip.letters:
        assert area.adjusted(-1, -1, 1, 1).contains(each.cell)
    for one, other in pairwise(strip.boxes):
        assert not one.rect.intersects(other.rect)
    if not any(strip.cuts):
        shown = "".join(each.letter.text for each in strip.letters)
        assert shown == "".join(texts)


def test_letters_stand_in_the_middle_with_room_for_what_is_above_and_below():
    for below, is_apart, above, under, gap in (
        ("", False, ABOVE_PX, 0, GAP_PX),
        ("7", False, ABOVE_RESULT_PX, BELOW_PX, GAP_PX),
        ("7", True, ABOVE_PX, BELOW_PX, WORD_GAP_PX),
    ):
        first, second = blocks_of("ab", "c", below=below)
        strip = lay_out(Scene([first, second._replace(is_apart=is_apart)]), AREA, width)
        one, *_, last = (each.cell for each in strip.letters)
        around = QRectF(one.topLeft(), last.bottomRight()).adjusted(0, -above, 0, under)
        assert (around.center(), strip.scale, strip.cuts) == (AREA.center(), 1, (False, False))
        assert last.left() - one.left() == 2 * CELL_PX + gap
    strip = lay_out(row("ab", "c"), AREA, width)
    assert {each.cell.bottom() for each in strip.letters} == {AREA.bottom()}
    assert strip.letters[0].cell.left() - AREA.left() == AREA.right() - strip.letters[-1].cell.right()
    assert lay_out(Scene([]), AREA, width) == ([], [], 1, (False, False))


def test_of_many_rows_those_around_what_is_marked_are_seen():
    for at in (0, 250, 499):
        scene = Scene(blocks_of(*["abcdef"] * 500, marked=(at,)), MARK)
        strip = lay_out(scene, AREA, width)
        seen, tops = [each.block for each in strip.letters], {each.cell.top() for each in strip.letters}
        (marked,) = {each.cell.top() for each in strip.letters if each.block == at}
        assert strip.scale == SCALES[-1]
        assert strip.cuts == (min(seen) > 0, max(seen) < 499)
        assert sum(top < marked for top in tops) == {0: 0, 250: len(tops) // 2, 499: len(tops) - 1}[at]


def test_what_is_read_from_the_right_stands_so():
    strip = lay_out(row("של", "ום", "·ab"), AREA, width)
    assert "".join(each.letter.text for each in strip.letters) == "·abםולש"[:3] + "םולש"


def test_a_long_text_is_cut_before_spaces_and_words_of_a_training_stay_in_their_rows():
    (text,) = blocks_of("how·do·lions·sleep·in·new·york", part=Part.TEXT)
    strip = lay_out(Scene([text]), AREA, width)
    lefts = {}
    for each in strip.letters:
        lefts.setdefault(each.cell.top(), each.letter.text)
    assert list(lefts.values())[1:] == ["·"] * (len(lefts) - 1)
    words = ["lioness", "tiger", "unbelievable", "panther"]
    rows = []
    for split in (list, lambda word: [word]):
        blocks = []
        for number, word in enumerate(words):
            parts = blocks_of(*split(word), below="×2")
            blocks += [part._replace(is_apart=at == 0 < number) for at, part in enumerate(parts)]
        strip = lay_out(Scene(blocks), AREA, width)
        rows.append((strip.scale, [round(each.cell.top()) for each in strip.letters]))
    assert rows[0] == rows[1]
