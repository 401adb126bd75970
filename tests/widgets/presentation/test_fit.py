"""Nothing of a presentation is cut off: widths as the fonts measure them, and pixels at the edges."""

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage

import guiapp
from guiapp.core.demo import DEMO_MODELS
from guiapp.core.explain.visible_text import isolate
from guiapp.viewmodels.presentation.letters import Letter
from guiapp.widgets.presentation.around import FONT_PX
from guiapp.widgets.presentation.paint_strip import letter_width
from guiapp.widgets.presentation.screen import PROGRESS_PX
from guiapp.widgets.shared.painting import width_of
from guiapp.widgets.shared.theme import Theme

ENCODERS = [
    (model.name, encoder)
    for model in DEMO_MODELS
    for encoder in guiapp.open_model(f"demo:{model.name}").encoders
    if encoder != "fast"
]
TEXT = "New York, 吾輩は猫👩‍👩‍👧‍👦🇯🇵 שלום مرحبا \u200b\ue000\x00 é ".encode() + b"\xff"
TEXT += b"Supercalifragilisticexpialidocious" * 3
SIZES = (1280, 720), (1024, 768), (3840, 2160)
EDGE_PX = 6
N_PLACES = 4


def assert_fits(presented):
    whole = presented.room
    for picture in presented.pictures:
        assert whole.contains(picture.area)
        for each in picture.strip.letters:
            assert letter_width(each.letter, picture.strip.scale) <= each.cell.width() + 1
            assert picture.area.adjusted(-1, -1, 1, 1).contains(each.cell)
        for stretch in picture.around:
            assert width_of(isolate(stretch.text), Theme.mono_font(FONT_PX)) <= stretch.rect.width() + 1
            assert whole.contains(stretch.rect)
        if picture.places is not None:
            for place, cell in zip(picture.lattice.places, picture.places.cells, strict=False):
                assert letter_width(Letter(place.text, 0), picture.places.scale) <= cell.width() + 1
                assert picture.area.adjusted(-1, 0, 1, 0).contains(cell)
    for paragraph in presented.column.paragraphs:
        place = paragraph.place.translated(0, presented.words_top)
        assert paragraph.document.idealWidth() <= place.width() + 1
        assert whole.contains(place)
        assert place.bottom() <= PROGRESS_PX + whole.height() - 1080
        assert all(place.top() >= picture.area.bottom() for picture in presented.pictures)
    assert_nothing_at_the_edges(presented)


def assert_nothing_at_the_edges(presented):
    """Labels that are only painted do not reach them either."""
    image = presented.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.bytesPerLine() // 4)
    inner = pixels[EDGE_PX:-EDGE_PX, EDGE_PX : image.width() - EDGE_PX]
    ground = pixels[0, 0]
    assert (inner != ground).any()
    for edge in (pixels[:EDGE_PX], pixels[-EDGE_PX:], pixels[:, :EDGE_PX], pixels[:, -EDGE_PX:]):
        assert (edge == ground).all()


@pytest.mark.parametrize(("model", "encoder"), ENCODERS)
def test_every_encoder_of_every_demo_model_fits(make_steps_page, present, model, encoder):
    number = ENCODERS.index((model, encoder))
    page = make_steps_page(model, TEXT, encoder, "light" if number % 3 else "dark")
    presented = present(page, SIZES[number % 2])
    for share in range(N_PLACES):
        page.model.go_to(share * page.model.n_steps // (N_PLACES - 1))
        assert_fits(presented)


def test_every_slide_of_every_lesson_fits_every_screen(make_steps_page, present, qtbot):
    page = make_steps_page()
    player = page.player
    player.begin(player.lessons[0].name, 0)
    presented = present(page)
    for number, lesson in enumerate(player.lessons):
        presented.resize(*SIZES[number % len(SIZES)])
        player.begin(lesson.name, 0)
        for at in range(len(lesson.steps)):
            player.go_to(at)
            qtbot.waitUntil(lambda: player.is_ready)
            assert_fits(presented)
            player.reveal()
            assert_fits(presented)


def test_it_is_as_much_larger_as_the_screen_is_higher(make_steps_page, present):
    page = make_steps_page("toy", b"abacb", "scan")
    presented = present(page, (1920, 1080))
    assert presented.scale == 1.0
    assert presented.room == QRectF(0, 0, 1920, 1080)
    cells = [each.cell for each in presented.pictures[0].strip.letters]
    assert {cell.width() for cell in cells} == {104.0}
    presented.resize(3840, 2160)
    assert presented.scale == 2.0
    assert [each.cell for each in presented.pictures[0].strip.letters] == cells


@pytest.mark.parametrize("text", [b" ", b"", b"\x80\x80", "\u0301".encode()])
@pytest.mark.parametrize("encoder", ["viterbi", "fast"])
def test_a_text_without_a_letter_is_drawn(make_steps_page, present, encoder, text):
    """Nothing of one blank may be left to draw ways between."""
    page = make_steps_page("unigram", text, encoder)
    presented = present(page)
    for step in range(page.model.n_steps + 1):
        page.model.go_to(step)
        assert not presented.grab().isNull()  # what raises while it paints fails the test, or ends it
