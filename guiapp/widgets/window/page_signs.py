"""Which signs each page draws, beside those of the text; see `signs_card`."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPen

from guiapp.widgets.chat.badge import draw_number
from guiapp.widgets.compare.markers import draw_marker
from guiapp.widgets.shared.icons import icon
from guiapp.widgets.shared.painting import CENTER, RIGHT, fill, ring, write
from guiapp.widgets.shared.style_sheet import blend
from guiapp.widgets.shared.theme import SMALL_FONT_PX, Theme
from guiapp.widgets.spans.painter import QUIET_ALPHA, RADIUS_PX, RING_ALPHA, RING_PX, draw_upright, faded
from guiapp.widgets.vocabulary.marks import OTHERS, draw_hollow, draw_known, draw_suspects
from guiapp.widgets.window.signs_card import IN_STEPS, IN_THE_TEXT, Draw, Sign, words
from guiapp.widgets.window.tree_signs import IN_TREE

BAR_PX = 12
LINE_PX = 2.0
BAND_ALPHA, FAINT_ALPHA = 50, 70
Pen = Qt.PenStyle
Parts = tuple[tuple[str, tuple[Sign, ...]], ...]


def _bar_in(box: QRectF, share: float = 1.0) -> QRectF:
    return QRectF(box.left(), box.center().y() - BAR_PX / 2, box.width() * share, BAR_PX)


def _measured(style: Qt.BrushStyle = Qt.BrushStyle.SolidPattern, has_whisker: bool = False) -> Draw:
    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        color, bar = theme.contenders[0], _bar_in(box, 0.75)
        painter.setPen(QPen(color, 1))
        painter.setBrush(QBrush(color, style))
        painter.drawRect(bar)
        if has_whisker:
            y, half = bar.center().y(), box.width() / 8
            painter.setPen(QPen(theme.text, 1.4))
            left, right = bar.right() - half, bar.right() + half
            lines = (left, y, right, y), (left, y - 4, left, y + 4), (right, y - 4, right, y + 4)
            painter.drawLines([QLineF(*line) for line in lines])

    return draw


def _contenders(painter: QPainter, theme: Theme, box: QRectF) -> None:
    for number in range(4):
        draw_marker(
            painter, QPointF(box.left() + (number + 0.5) * box.width() / 4, box.center().y()), number, theme
        )


def _curve(style: Pen, has_band: bool = False, is_good: bool = False) -> Draw:
    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        color, middle = theme.good if is_good else theme.contenders[0], box.center().y()
        if has_band:
            painter.fillRect(QRectF(box.left(), middle - 5, box.width(), 10), faded(color, BAND_ALPHA))
        painter.setPen(QPen(color, LINE_PX, style))
        painter.drawLine(QPointF(box.left(), middle), QPointF(box.right(), middle))

    return draw


def _faint(painter: QPainter, theme: Theme, box: QRectF) -> None:
    for share, alpha in ((0.25, FAINT_ALPHA), (0.75, 255)):
        painter.setPen(QPen(faded(theme.contenders[0], alpha), LINE_PX))
        y = box.top() + box.height() * share
        painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))


def _fainter(painter: QPainter, theme: Theme, box: QRectF) -> None:
    for number, alpha in enumerate((255, 170, FAINT_ALPHA)):
        bar = QRectF(box.left(), box.top() + 1 + 7 * number, box.width() * (1 - 0.2 * number), 6)
        painter.fillRect(bar, faded(theme.contenders[0], alpha))


def _leader(painter: QPainter, theme: Theme, box: QRectF) -> None:
    painter.setPen(QPen(theme.faint, 1))
    painter.drawLine(QPointF(box.left() + 16, box.bottom() - 5), QPointF(box.right() - 44, box.top() + 8))
    draw_marker(painter, QPointF(box.left() + 14, box.bottom() - 4), 0, theme)
    write(painter, box, "name", theme.text, RIGHT, Theme.ui_font(SMALL_FONT_PX))


def _points(painter: QPainter, theme: Theme, box: QRectF) -> None:
    color = theme.contenders[0]
    for share, brush in ((0.3, QBrush(color)), (0.7, QBrush(Qt.BrushStyle.NoBrush))):
        painter.setPen(QPen(color, LINE_PX))
        painter.setBrush(brush)
        painter.drawEllipse(QPointF(box.left() + share * box.width(), box.center().y()), 5, 5)


def _in_strength(alpha: int, is_ringed: bool = False) -> Draw:
    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        fill(
            painter,
            box,
            faded(theme.span_color(0), alpha) if not is_ringed else theme.span_color(0),
            RADIUS_PX,
        )
        if is_ringed:
            ring(painter, box, QPen(faded(theme.text, RING_ALPHA), RING_PX), RADIUS_PX)
        write(painter, box, "word", theme.span_text, CENTER, Theme.mono_font(SMALL_FONT_PX))

    return draw


def _of_role(painter: QPainter, theme: Theme, box: QRectF) -> None:
    half = box.width() / 2
    for number, word in enumerate(("two", "of")):
        token = QRectF(box.left() + number * half, box.top(), half - 1, box.height())
        fill(painter, token, theme.origins[2 + number], RADIUS_PX)
        write(painter, token, word, theme.span_text, CENTER, Theme.mono_font(SMALL_FONT_PX))


def _of_template(painter: QPainter, theme: Theme, box: QRectF) -> None:
    ring(painter, box, QPen(theme.faint, 1), RADIUS_PX)
    write(painter, box, "<end>", theme.dim, CENTER, Theme.mono_font(SMALL_FONT_PX))


def _hint(is_bad: bool) -> Draw:
    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        color = theme.bad if is_bad else theme.warning
        ring(painter, box.adjusted(0, 3, 0, 0), QPen(color, 1.5), RADIUS_PX)
        draw_number(painter, QPointF(box.left() + 3, box.top() + 5), 1, color, theme)

    return draw


def _cost(painter: QPainter, theme: Theme, box: QRectF) -> None:
    write(painter, box, "+2 7", theme.warning, CENTER, Theme.mono_font(SMALL_FONT_PX))
    painter.fillRect(QRectF(box.right() - 4, box.top() + 4, 4, box.height() - 8), theme.warning)


def _line_cost(painter: QPainter, theme: Theme, box: QRectF) -> None:
    write(painter, box.adjusted(0, 0, 0, -4), "49", theme.warning, CENTER, Theme.mono_font(SMALL_FONT_PX))
    painter.fillRect(QRectF(box.center().x() - 14, box.bottom() - 2, 28, 2), theme.warning)


def _piece_end(painter: QPainter, theme: Theme, box: QRectF) -> None:
    half = box.width() / 2
    for number, (left, word) in enumerate(((0, "two"), (half, "of"))):
        token = QRectF(box.left() + left, box.top(), half, box.height())
        fill(painter, token, theme.span_color(number), RADIUS_PX)
        write(painter, token, word, theme.span_text, CENTER, Theme.mono_font(SMALL_FONT_PX))
        painter.fillRect(QRectF(token.right() - 1, box.top() - 2, 1, box.height() + 4), theme.text)


def _ticks(painter: QPainter, theme: Theme, box: QRectF) -> None:
    for y, width in ((5, 8), (11, 3), (17, 5)):
        painter.fillRect(QRectF(box.center().x() - width / 2, box.top() + y, width, 2), theme.warning)


def _upright(painter: QPainter, theme: Theme, box: QRectF) -> None:
    draw_upright(painter, box.center().x(), box.top(), box.height(), theme.text)


def _guide(is_apart: bool) -> Draw:
    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        painter.setPen(QPen(theme.accent, 2, Pen.DotLine) if is_apart else QPen(theme.faint, 1))
        painter.drawLine(QPointF(box.center().x(), box.top()), QPointF(box.center().x(), box.bottom()))

    return draw


def _outside(painter: QPainter, theme: Theme, box: QRectF) -> None:
    ring(painter, box.adjusted(16, 1, -16, -1), theme.warning, RADIUS_PX)
    write(painter, box, "1", theme.warning, CENTER, Theme.mono_font(SMALL_FONT_PX))


def _moment(painter: QPainter, theme: Theme, box: QRectF) -> None:
    fill(painter, QRectF(box.left(), box.center().y() - 3, box.width(), 6), theme.accent, 3)
    painter.fillRect(QRectF(box.center().x() - 1, box.center().y() - 7, 2, 14), theme.text)


def _shared_and_own(painter: QPainter, theme: Theme, box: QRectF) -> None:
    bar, third = _bar_in(box), box.width() / 3
    grounds = theme.faint, theme.contenders[0], theme.contenders[1]
    styles = Qt.BrushStyle.SolidPattern, Qt.BrushStyle.SolidPattern, Qt.BrushStyle.BDiagPattern
    for number, (color, style) in enumerate(zip(grounds, styles, strict=True)):
        painter.fillRect(
            QRectF(bar.left() + number * third, bar.top(), third, bar.height()), QBrush(color, style)
        )


def _sides(painter: QPainter, theme: Theme, box: QRectF) -> None:
    for number, letter in enumerate("AB"):
        x = box.left() + (0.25 + 0.5 * number) * box.width()
        draw_marker(painter, QPointF(x - 9, box.center().y()), number, theme)
        place = QRectF(x - 2, box.top(), 20, box.height())
        write(painter, place, letter, theme.text, CENTER, Theme.ui_font(SMALL_FONT_PX))


def _icon(name: str, color: str) -> Draw:
    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        icon(name, getattr(theme, color)).paint(painter, box.toRect())

    return draw


def _verdict(text: str, is_good: bool) -> Draw:
    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        write(painter, box, text, theme.good if is_good else theme.warning, CENTER)

    return draw


def _arc(kind: str) -> Draw:
    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        pens = {
            "way": QPen(blend(theme.raised, theme.dim, 0.55), 1.2),
            "worse": QPen(theme.accent, 2.0, Pen.DashLine),
        }
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pens[kind])
        painter.drawArc(box.adjusted(10, 3, -10, box.height()), 0, 180 * 16)

    return draw


def _position(painter: QPainter, theme: Theme, box: QRectF) -> None:
    middle, passed = box.center().y(), blend(theme.raised, theme.accent, 0.7)
    for ground, left, right in ((passed, 0.0, 0.5), (theme.raised, 0.5, 1.0)):
        place = QRectF(box.left() + left * box.width(), middle - 3, (right - left) * box.width(), 6)
        fill(painter, place, ground, 3)
    fill(painter, QRectF(box.center().x() - 4, box.top(), 8, box.height()), theme.text, 3)
    painter.fillRect(QRectF(box.left() + 12, middle + 6, 1, 4), theme.faint)


def _made(painter: QPainter, theme: Theme, box: QRectF) -> None:
    fill(painter, box, theme.accent, 5)
    write(painter, box, "the", theme.on_accent, CENTER, Theme.mono_font(SMALL_FONT_PX))


def _competing(painter: QPainter, theme: Theme, box: QRectF) -> None:
    fill(painter, box.adjusted(0, 0, -box.width() * 0.3, 0), blend(theme.raised, theme.accent, 0.3), 4)
    write(painter, box, "12", theme.text, RIGHT, Theme.mono_font(SMALL_FONT_PX))


def _dropped(painter: QPainter, theme: Theme, box: QRectF) -> None:
    font = Theme.mono_font(SMALL_FONT_PX)
    font.setStrikeOut(True)
    write(painter, box, "ing", theme.dim, CENTER, font)


ON_CHARTS = (
    Sign(_contenders, "contenders: each has a colour and a shape of its own, on every chart"),
    Sign(_measured(), "a figure: the median of the runs"),
    Sign(_measured(has_whisker=True), "the whisker: the true median is in there, to 95 %"),
    Sign(_measured(Qt.BrushStyle.BDiagPattern), "hatched: its ids are not those of the model's own library"),
    Sign(_fainter, "bars of one contender, fainter from each to the next: what each is, it says at its end"),
    Sign(words("≈ 97.2 %"), "the share of its tokens that are those of the model's own library"),
    Sign(words("once"), "measured a single time: nothing is known of its spread"),
    Sign(words("▲  ▼"), "surely faster, surely slower than in the run that it is compared with"),
    Sign(_curve(Pen.SolidLine, has_band=True), "a curve, and the band that it lies in to 95 %"),
    Sign(_curve(Pen.DashLine), "the same, where ids are not those of the model's own library"),
    Sign(_curve(Pen.DotLine), "another way to work, which is named at its end: cold, appending, counting"),
    Sign(_faint, "faint: not the contender that is pointed at"),
    Sign(_leader, "a thin line leads from a point to a name that had no room beside it"),
    Sign(_points, "filled: all ids are equal; empty: not all"),
    Sign(_curve(Pen.DashLine, is_good=True), "nobody is both faster and more exact than who is on this line"),
)
OF_MODELS = (
    Sign(_contenders, "models: each has a colour and a shape of its own"),
    Sign(_in_strength(QUIET_ALPHA), "every model cuts this token"),
    Sign(_in_strength(255), "at least one other does"),
    Sign(_in_strength(255, is_ringed=True), "only this model does"),
    Sign(_cost, "tokens of the line, and how many more than the fewest"),
    Sign(_ticks, "beside the scroll bar: where models differ, wider where it costs more"),
)
OF_TEXTS = (
    Sign(_in_strength(QUIET_ALPHA), "in both texts, in order"),
    Sign(_in_strength(255, is_ringed=True), "only on this side"),
    Sign(_upright, "the end of what both begin with"),
)
OF_VOCABULARIES = (
    Sign(_sides, "the models, A the window's own"),
    Sign(_shared_and_own, "tokens in both, only in A, only in B"),
    Sign(_verdict("≠", False), "both say something, and not the same"),
    Sign(_verdict("✓", True), "both say the same"),
    Sign(words("–"), "nothing, or not there"),
)
OF_SPECIAL_TOKENS = (
    Sign(words("always"), "its own text leads to the token"),
    Sign(words("if parsed"), "it does while special tokens are parsed, as the switch below says"),
    Sign(words("no"), "it does not"),
    Sign(words("yes"), "llama.cpp ends a generation there"),
    Sign(words("looks so"), "it does not, though people may take the token for an end"),
)


def _listed_and_others(painter: QPainter, theme: Theme, box: QRectF) -> None:
    bar = _bar_in(box)
    painter.fillRect(bar, blend(theme.panel, theme.dim, OTHERS))
    painter.fillRect(_bar_in(box, 0.4), theme.contenders[0])


def _marked(draw_marks: Callable[[QPainter, Theme, list[QPointF]], None]) -> Draw:
    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        draw_marks(painter, theme, [box.center()])

    return draw


OF_LISTS = (
    Sign(_listed_and_others, "tokens that are listed, and the others; a click on a bar filters by it"),
    Sign(words("<E2 82>"), "bytes that are no whole characters"),
)
OF_EMBEDDINGS = (
    Sign(_marked(draw_suspects), "looks as if it was never trained; the dashed line is up to where"),
    Sign(_marked(draw_hollow), "the same, and no text that was tried reaches it"),
    Sign(_marked(draw_known), "known to be unused: a byte that no text has, a reserved token …"),
)
OF_HUNTS = (
    Sign(_sides, "the models, A above B"),
    Sign(_guide(False), "a cut that both make"),
    Sign(_guide(True), "a cut that only one makes"),
    Sign(_outside, "a token that comes from no text, such as BOS"),
    Sign(_moment, "the moment at which a new cause was found"),
)
OF_FINDINGS = (
    Sign(_icon("error", "bad"), "an error: texts get other ids than the model has learned, or none"),
    Sign(_icon("warning", "warning"), "a warning: some texts may"),
    Sign(_icon("hint", "dim"), "a hint: odd, and no more"),
    Sign(_guide(False), "a cut that is there now and when the file is mended"),
    Sign(_guide(True), "a cut of one of both"),
)
IN_PROMPTS = (
    Sign(_of_role, "content, in the colour of its role, lighter and darker in turn"),
    Sign(_of_template, "what the template writes; a thin outline: a control token of its own"),
    Sign(_hint(is_bad=True), "content that became a control token, with the number of its hint"),
    Sign(_hint(is_bad=False), "a token that stands twice, or what only looks like a control token"),
    Sign(words("×4"), "how often a line of the template ran; lines that did not are faint"),
    Sign(_in_strength(255, is_ringed=True), "beside another prompt: only on this side"),
)
IN_PICTURES = (
    Sign(_position, "the step that is next, and ticks where pieces begin"),
    Sign(_arc("worse"), "the same, where a better way is known"),
    Sign(_arc("way"), "the last token of the best way to a place"),
)
IN_TRAININGS = (
    Sign(_made, "what the step has made"),
    Sign(_competing, "a pair, and what it is worth beside the best one"),
    Sign(_dropped, "a piece that was dropped"),
)
IN_TEXTS = ("In texts", IN_THE_TEXT)
ON_INSPECT = (
    Sign(_piece_end, "edges of pieces: a token never goes beyond one; the mouse tells the rule that cut"),
    Sign(_line_cost, "tokens of a line; amber, with a bar, where they hold few characters"),
    Sign(_upright, "the end of what the budget has room for"),
)
PAGES: dict[str, Parts] = {
    "bench": (("On the charts", ON_CHARTS),),
    "inspect": (IN_TEXTS, ("On wish, from the menu “Colour by”", ON_INSPECT)),
    "compare": (("Of models side by side", OF_MODELS), IN_TEXTS),
    "compare_texts": (("Of two texts", OF_TEXTS), IN_TEXTS),
    "compare_vocabularies": (("Of two vocabularies", OF_VOCABULARIES), IN_TEXTS),
    "special_tokens": (("Of special tokens", OF_SPECIAL_TOKENS), IN_TEXTS),
    "doctor": (("Of findings", OF_FINDINGS), IN_TEXTS),
    "hunt": (("Of finds", OF_HUNTS), IN_TEXTS),
    "chat": (("In prompts", IN_PROMPTS), IN_TEXTS),
    "vocabulary": (("In the vocabulary", (*OF_LISTS, *OF_EMBEDDINGS)), IN_TEXTS),
    "tree": (("In the tree", tuple(Sign(*row) for row in IN_TREE)), IN_TEXTS),
    "steps": (("In the steps", (*IN_STEPS, *IN_PICTURES)), ("In trainings", IN_TRAININGS), IN_TEXTS),
}


def signs_of(page: str) -> Parts:
    """The lists of signs of a page, with their titles."""
    return PAGES.get(page, (IN_TEXTS,))
