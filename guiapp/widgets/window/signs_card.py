"""What signs mean: a sample of each, drawn as it is on the page, and words beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QScrollArea, QWidget

from guiapp.core.explain.spelling import Spelling
from guiapp.core.vocab.attributes import Attribute
from guiapp.viewmodels.spelling import SharedSpelling
from guiapp.viewmodels.steps.lattice import Edge
from guiapp.widgets.shared.layouts import in_column, scroll_down
from guiapp.widgets.shared.painting import CENTER, LEFT, WRAP, Painted, fill, outline, write
from guiapp.widgets.shared.popover import Popover
from guiapp.widgets.shared.segments import Segments
from guiapp.widgets.shared.shaped_texts import MonoTexts
from guiapp.widgets.shared.style_sheet import heading
from guiapp.widgets.shared.theme import GAP_PX, MARGIN_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource
from guiapp.widgets.spans.painter import RADIUS_PX, draw_roofed, draw_signed, draw_wave, faded
from guiapp.widgets.spans.row_pixmaps import SQUARE_PX
from guiapp.widgets.steps.pictures.lattice import Arc, paint_arc
from guiapp.widgets.steps.pictures.scales import Scale, paint_scale_below
from guiapp.widgets.steps.pictures.standing import Standing, paint_badge, paint_box
from guiapp.widgets.steps.timeline import paint_fork

WIDTH_PX, SAMPLE_PX, BOX_PX, LINE_PX = 460, 92, 22, 18
DOT_PX = 9.0
Draw = Callable[[QPainter, Theme, QRectF], None]


class Sign(NamedTuple):
    """One sign: how to draw it in a box, and what it means."""

    draw: Draw
    meaning: str


def _token(painter: QPainter, theme: Theme, box: QRectF, text: str, tint: int = 0) -> None:
    fill(painter, box, theme.span_color(tint), RADIUS_PX)
    write(painter, box, text, theme.span_text, CENTER, Theme.mono_font(SMALL_FONT_PX))


def _plain(painter: QPainter, theme: Theme, box: QRectF) -> None:
    half = box.width() / 2
    _token(painter, theme, box.adjusted(0, 0, -half, 0), "two")
    _token(painter, theme, box.adjusted(half, 0, 0, 0), "of", 1)


def words(text: str) -> Draw:
    """A sign that is written."""

    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        write(painter, box, text, theme.text, CENTER, Theme.mono_font(SMALL_FONT_PX))

    return draw


def _outlined(attribute: Attribute, text: str) -> Draw:
    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        is_control = attribute is Attribute.CONTROL
        fill(painter, box, faded(theme.warning, 24) if is_control else theme.span_color(2), RADIUS_PX)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(outline(theme, attribute))
        painter.drawRoundedRect(box.adjusted(0.7, 0.7, -0.7, -0.7), RADIUS_PX, RADIUS_PX)
        write(painter, box, text, theme.span_text, CENTER, Theme.mono_font(SMALL_FONT_PX))

    return draw


def _torn(painter: QPainter, theme: Theme, box: QRectF) -> None:
    fill(painter, box, theme.span_color(0), RADIUS_PX)
    draw_signed(painter, theme, box.toRect())
    write(painter, box, "汉", theme.span_text, CENTER, Theme.mono_font(SMALL_FONT_PX))


def _byte(painter: QPainter, theme: Theme, box: QRectF) -> None:
    _token(painter, theme, box, "é")
    for x in (-3, 0):
        painter.fillRect(QRectF(box.center().x() + x, box.bottom() - 4, 2, 3), faded(theme.text, 175))


def _unknown(painter: QPainter, theme: Theme, box: QRectF) -> None:
    _token(painter, theme, box, "ꙮ", 3)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    draw_wave(painter, theme, box)


def _inserted(painter: QPainter, theme: Theme, box: QRectF) -> None:
    _token(painter, theme, box, "word")
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.dim)
    x, top = box.left() + 4, box.top() - 3
    painter.drawPolygon([QPointF(x - 3, top), QPointF(x + 3, top), QPointF(x, top + 5)])


def _roofed(painter: QPainter, theme: Theme, box: QRectF) -> None:
    draw_roofed(painter, theme, box)
    write(painter, box, "word", theme.span_text, CENTER, Theme.mono_font(SMALL_FONT_PX))


def _ringed(is_dashed: bool = False) -> Draw:
    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        _token(painter, theme, box, "word")
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.accent, 2, Qt.PenStyle.DashLine if is_dashed else Qt.PenStyle.SolidLine))
        painter.drawRoundedRect(box, RADIUS_PX + 1, RADIUS_PX + 1)

    return draw


def _chip(label: str, is_dear: bool) -> Draw:
    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        chip = box.adjusted(6, 3, -6, -3)
        painter.setBrush(theme.warning if is_dear else Qt.BrushStyle.NoBrush)
        painter.setPen(Qt.PenStyle.NoPen if is_dear else QPen(faded(theme.text, 110), 1))
        painter.drawRoundedRect(chip, 3, 3)
        write(painter, chip, label, theme.background if is_dear else theme.text, CENTER, Theme.mono_font(10))

    return draw


def _match(painter: QPainter, theme: Theme, box: QRectF) -> None:
    _token(painter, theme, box, "word")
    for part in (
        QRectF(box.left(), box.bottom() + 1, box.width(), 2),
        QRectF(box.left(), box.bottom() - 3, 2, 4),
        QRectF(box.right() - 2, box.bottom() - 3, 2, 4),
    ):
        painter.fillRect(part, theme.text)


def _passing(painter: QPainter, theme: Theme, box: QRectF) -> None:
    _token(painter, theme, box, "p\u0430ypal")
    for at in range(2):
        place = QRectF(box.left() + 32 + 2 * at * SQUARE_PX, box.bottom() - SQUARE_PX, SQUARE_PX, SQUARE_PX)
        painter.fillRect(place, theme.warning)


def _dot(color: str, is_filled: bool = True) -> Draw:
    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        shade = theme.bad if color == "bad" else theme.warning
        painter.setPen(Qt.PenStyle.NoPen if is_filled else QPen(shade, 1.4))
        painter.setBrush(shade if is_filled else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(box.center(), DOT_PX / 2, DOT_PX / 2)

    return draw


def _standing(standing: Standing) -> Draw:
    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        font = Theme.mono_font(SMALL_FONT_PX)
        font.setBold(standing.is_bold)
        font.setStrikeOut(standing is Standing.OUT)
        paint_box(painter, theme, box, standing)
        write(painter, box, "on", standing.text(theme), CENTER, font)
        if standing is Standing.WINNER:
            paint_badge(painter, theme, box.topLeft() + QPointF(box.height() / 2, box.height() / 2))

    return draw


def _arc(is_left: bool) -> Draw:
    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        edge = Edge(0, 1, "", "chosen" if is_left else "now", is_left)
        paint_arc(painter, theme, Arc(edge, box.left() + 8, box.right() - 8, box.bottom()), box.height(), 1)

    return draw


def _fork(painter: QPainter, theme: Theme, box: QRectF) -> None:
    fill(painter, QRectF(box.left(), box.center().y() - 3, box.width(), 6), theme.raised, 3)
    paint_fork(painter, theme, box.center())


def _dotted_line(painter: QPainter, theme: Theme, box: QRectF) -> None:
    _token(painter, theme, box.adjusted(0, 0, -box.width() / 2 - 2, 0), "a")
    _token(painter, theme, box.adjusted(box.width() / 2 + 2, 0, 0, 0), "cb", 1)
    painter.setPen(QPen(theme.warning, 2, Qt.PenStyle.DotLine))
    painter.drawLine(QPointF(box.center().x(), box.top()), QPointF(box.center().x(), box.bottom()))


def _scale(painter: QPainter, theme: Theme, box: QRectF) -> None:
    paint_scale_below(painter, theme, box.adjusted(0, 2, 0, 0), Scale(100, is_log=True), MonoTexts(), "rank")


IN_THE_TEXT = (
    Sign(_plain, "two tokens; colours only tell neighbours apart"),
    Sign(
        _outlined(Attribute.CONTROL, "<s>"),
        "a control token: it speaks to the model, such as where a text begins",
    ),
    Sign(
        _outlined(Attribute.USER_DEFINED, "<think>"),
        "a user-defined token: never split, whatever is around it",
    ),
    Sign(_torn, "a character that several tokens share; a bar below for each of them"),
    Sign(_byte, "a token of a single byte, where the model has none for the character"),
    Sign(_unknown, "nothing in the vocabulary stands for this"),
    Sign(_roofed, "a token that the exact encoder does not give, while an approximate one is chosen"),
    Sign(_inserted, "a token between two others that comes from no text"),
    Sign(_ringed(), "the token that is selected on all pages"),
    Sign(_chip("200B", False), "characters without a picture; a click tells what they are"),
    Sign(_chip("152 hidden", True), "the same, where it costs 8 tokens or more"),
    Sign(_match, "what the search found"),
    Sign(
        _passing,
        "a Cyrillic, Greek, Armenian or Cherokee letter that passes for a Latin one",
    ),
    Sign(words("·  →  ↵"), "space, tab, newline"),
    Sign(words("Ġ  Ċ"), "space and newline as files of byte-level BPE write them: a letter for each byte"),
    Sign(words("▁  <0x0A>"), "space, and a byte, as files of SentencePiece write them"),
)
IN_STEPS = (
    Sign(_ringed(), "the tokens that the step is about"),
    Sign(_ringed(is_dashed=True), "text that the step is about, and that is no token yet"),
    Sign(_standing(Standing.WINNER), "what wins: it is taken, or goes first; what it wins against is quiet"),
    Sign(_standing(Standing.NOW), "what the step looks at, which has not won"),
    Sign(_standing(Standing.OUT), "a pair that is stale: one of its two is part of another token by now"),
    Sign(_arc(is_left=False), "a token on the way; the arrow tells where this pass leads"),
    Sign(_arc(is_left=True), "the same from the end to the start: the best way is read backwards"),
    Sign(_fork, "in the timeline: from here on the two of a race go other ways"),
    Sign(_dotted_line, "from here on their tokens differ"),
    Sign(_scale, "a scale: what bars are measured by; “logarithmic”: ten times as much is one step more"),
    Sign(_dot("bad"), "a breakpoint, and in the timeline where it is hit; a run stops there"),
    Sign(_dot("bad", is_filled=False), "one that is switched off"),
    Sign(_dot("warning"), "one that only notes something"),
)
CHARACTERS = "Characters of tokens"
CHOICES = {Spelling.SIGNS: "·  ↵  and hex", Spelling.FILE: "As in the file:  Ġ  ▁  <0x0A>"}


class SignsCard(Popover):
    """Lists of signs by title, and how tokens are written; a click elsewhere or Escape closes it."""

    def __init__(
        self,
        lists: Sequence[tuple[str, tuple[Sign, ...]]],
        spelling: SharedSpelling,
        theme_source: ThemeSource,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName("What the signs mean")
        inside = QWidget()
        self.spelling = Segments(tuple(CHOICES.values()))
        self.spelling.choose(list(CHOICES).index(spelling.now))
        self.spelling.chosen.connect(self._choose)
        self._shared = spelling
        parts = [part for title, signs in lists for part in (heading(title), SignList(signs, theme_source))]
        switch = heading(CHARACTERS), self.spelling
        in_column(*parts, *switch, on=inside, margins=MARGIN_PX, spacing=GAP_PX)
        self._inside = inside
        self._area = QScrollArea()
        scroll_down(self._area, inside)
        in_column(self._area, on=self, margins=1)

    def _choose(self, choice: int) -> None:
        self._shared.choose(list(CHOICES)[choice])

    def open_in(self, window: QWidget, below: QWidget) -> None:
        """At the right of a window, below one of its bars, as high as there is room for."""
        top = below.mapToGlobal(QPoint(0, below.height() + UNIT_PX))
        corner = window.mapToGlobal(QPoint(window.width(), window.height()))
        height = min(self._inside.sizeHint().height() + 2 * UNIT_PX, corner.y() - top.y() - GAP_PX)
        bar = self._area.verticalScrollBar().sizeHint().width()
        self.setFixedSize(WIDTH_PX + 2 * (MARGIN_PX + 1) + bar, height)
        self.move(corner.x() - self.width() - GAP_PX, top.y())
        self.show()


class SignList(Painted):
    """Rows of signs."""

    def __init__(self, signs: tuple[Sign, ...], theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "; ".join(sign.meaning for sign in signs))
        self._signs = signs
        theme_source.changed.connect(self.update)
        self.setFixedHeight(sum(self._heights()))

    def sizeHint(self) -> QSize:
        return QSize(WIDTH_PX, self.height())

    def _heights(self) -> list[int]:
        room = QRectF(0, 0, WIDTH_PX - SAMPLE_PX - 2 * GAP_PX, 1000)
        metrics = QFontMetricsF(Theme.ui_font(SMALL_FONT_PX))
        words = [metrics.boundingRect(room, int(LEFT | WRAP), sign.meaning).height() for sign in self._signs]
        return [max(BOX_PX, round(each)) + 2 * UNIT_PX for each in words]

    def paint(self, painter: QPainter, theme: Theme) -> None:
        top = 0
        for sign, height in zip(self._signs, self._heights(), strict=True):
            box = QRectF(2, top + (height - BOX_PX) / 2, SAMPLE_PX, BOX_PX)
            painter.save()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            sign.draw(painter, theme, box)
            painter.restore()
            words = QRectF(SAMPLE_PX + 2 * GAP_PX, top, WIDTH_PX - SAMPLE_PX - 2 * GAP_PX, height)
            write(painter, words, sign.meaning, theme.text, int(LEFT | WRAP), Theme.ui_font(SMALL_FONT_PX))
            top += height
