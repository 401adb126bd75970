"""The headline of the page: the verdict of a run, markers before its names, and sentences below it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from html import escape

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

from guiapp.analysis.bench.findings import FIRST, LONE, YOUR_TEXT, Verdict
from guiapp.analysis.bench.history import BUSY
from guiapp.analysis.bench.machine import load_now
from guiapp.core.text.numbers_in_words import capitalized, counted
from guiapp.kit.widgets.event_filters import plain_tip, wrapped_tip
from guiapp.kit.widgets.layouts import in_column
from guiapp.kit.widgets.painting import bold
from guiapp.kit.widgets.theme import UI_FONT_PX, UNIT_PX, Theme, ThemeSource
from guiapp.pages.bench.charts import SWATCH_PX, marker_image
from guiapp.pages.bench.choice import THROUGHPUT, duration_text
from guiapp.pages.bench.model import BenchModel

NO_MODEL = "Open a model to begin"
NO_CONTENDER = "Add an encoder to begin"
QUESTION = "Which encoder is fastest on your text, and are its ids right?"
MEASURING = "Measuring …"
SIZES_PX = (30, 26, 22, 20, 18, 16, 14)  # the first in which all fits, or the last
TWO_LINES_PX = 18  # in this size, two lines of verdict fit
N_SENTENCE_LINES = 2
MARKER_SHARE = 0.62  # of the font size
COUNTED = "Special tokens are not added or parsed, so that all encoders do the same work."
QWIDGETSIZE_MAX = (1 << 24) - 1
Parts = Sequence[tuple[str, str]]
SELECTABLE = Qt.TextInteractionFlag.TextSelectableByMouse


class Headline(QWidget):
    """A large sentence and dim ones below, of fixed height: the layout stays when they come and go."""

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__()
        self._theme_source = theme_source
        self._factor = 1.0
        self._content: Verdict | str = ""
        self._sentences: Sequence[str] = ()
        self._warning = ""
        self._shown: tuple[object, ...] = ()
        self.verdict = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.verdict.setTextInteractionFlags(SELECTABLE)
        self.verdict.setToolTip(plain_tip(COUNTED))
        self.verdict.setAlignment(Qt.AlignmentFlag.AlignVCenter)
        self.sentence = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.sentence.setTextInteractionFlags(SELECTABLE)
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignTop)
        in_column(self.verdict, self.sentence, on=self, spacing=UNIT_PX)
        theme_source.changed.connect(self._draw)
        self._fit()

    def show_verdict(self, verdict: Verdict | str, sentences: Sequence[str], warning: str = "") -> None:
        """Show the verdict and as many sentences as fit, the first ones first; a warning dims the verdict."""
        self._content, self._sentences, self._warning = verdict, sentences, warning
        self._draw()

    def set_factor(self, factor: float) -> None:
        """Scale the font sizes."""
        self._factor = factor
        self._fit()

    def _fit(self) -> None:
        rooms_px = (SIZES_PX[0], 1), (TWO_LINES_PX, 2)
        self.verdict.setFixedHeight(max(n * QFontMetrics(self._font(px)).height() for px, n in rooms_px))
        self.sentence.setFixedHeight(N_SENTENCE_LINES * QFontMetrics(self._font(UI_FONT_PX)).lineSpacing())
        self._draw()

    def _font(self, size_px: int) -> QFont:
        return Theme.ui_font(round(size_px * self._factor))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._draw()

    def _draw(self) -> None:
        """Draw only if something changed, because each new text makes Qt lay out the page again."""
        theme, content, width_px = self._theme_source.theme, self._content, self.width()
        shown = content, (*self._sentences, self._warning), self._factor, width_px, theme.name
        if shown == self._shown:
            return
        self._shown = shown
        parts: Parts = [(content, "")] if isinstance(content, str) else content.headline
        ahead: Parts = () if isinstance(content, str) else content.ahead
        color = theme.dim if self._warning else theme.text
        fonts = [bold(self._font(px)) for px in SIZES_PX]
        fitting = (font for font in fonts if self._fits(_words(parts), font, self.verdict))
        self.verdict.setText(_rich(parts, theme, next(fitting, fonts[-1]).pixelSize(), color))
        self.verdict.setAccessibleName(str(content))
        first = [([(self._warning, "")], theme.warning)] if self._warning else []
        first += [([*ahead, (".", "")], color)] if ahead else []
        self._draw_sentences([*first, *(([(words, "")], theme.dim) for words in self._sentences)])

    def _draw_sentences(self, sentences: Sequence[tuple[Parts, QColor]]) -> None:
        """Draw each sentence in its colour; leave out the last ones if there is no room."""
        theme, font = self._theme_source.theme, self._font(UI_FONT_PX)
        self.sentence.setFont(font)  # for the spaces between sentences
        whole = [_words(parts) for parts, _ in sentences]
        shown = len(sentences)
        while shown > 1 and not self._fits(" ".join(whole[:shown]), font, self.sentence):
            shown -= 1
        rich = (_rich(parts, theme, font.pixelSize(), color) for parts, color in sentences[:shown])
        self.sentence.setText(" ".join(rich))
        self.sentence.setToolTip(wrapped_tip(" ".join(whole)))
        self.sentence.setAccessibleName(" ".join(whole[:shown]))

    def _fits(self, words: str, font: QFont, label: QLabel) -> bool:
        room = QRect(0, 0, max(self.width(), 1), QWIDGETSIZE_MAX)
        rect = QFontMetrics(font).boundingRect(room, Qt.TextFlag.TextWordWrap, f"{words}mm")  # for markers
        return rect.height() <= label.height() and rect.width() <= room.width()


def _words(parts: Parts) -> str:
    return "".join(words for words, _ in parts)


def _rich(parts: Parts, theme: Theme, size_px: int, color: QColor) -> str:
    """The rich text of words and their kinds, as in a verdict; each name follows its marker."""
    written, marker_px = [], max(round(size_px * MARKER_SHARE), SWATCH_PX)
    for words, kind in parts:
        image = f"{marker_image(words, theme, marker_px)}&nbsp;" if kind == "name" else ""
        unbroken = escape(words).replace(" ", "&nbsp;") if kind == "figure" else escape(words)
        written.append(f"{image}<b>{unbroken}</b>" if kind else unbroken)
    return f'<span style="font-size: {size_px}px; color: {color.name()}">{"".join(written)}</span>'


# The text of the headline: the verdict, how reliable it is, and the state of the run


def title_of(model: BenchModel, verdict: Verdict | None, text: str) -> Verdict | str:
    """The headline: the verdict, or a sentence in its place."""
    if verdict is not None:
        has_several = len({row.corpus for row in model.results if row.scenario == THROUGHPUT}) > 1
        is_early = model.is_running and verdict.competitor
        about = filter(None, [model.title_of(text) if has_several else "", "so far" if is_early else ""])
        verdict = replace(verdict, about=capitalized(", ".join(about)))
        if verdict.competitor or not (model.awaited or model.failed_to_open):
            return verdict
        return replace(verdict, alone=FIRST if model.is_running and model.awaited else LONE)
    if model.is_running:
        return MEASURING
    if model.results:
        contenders = {row.contender for row in model.results}
        return f"{counted(len(contenders), 'encoder')}, no throughput measured"
    if not model.choice.candidates:
        return NO_MODEL
    return QUESTION if model.choice.contenders else NO_CONTENDER


def warning_of(model: BenchModel, text: str) -> str:
    """A warning if the results are not those of the open model and the chosen text, else ""."""
    another = model.measured_another(text)
    of_text = text if text == YOUR_TEXT else model.title_of(text)
    if another == "model":
        return f"Results for {model.measured.vocabulary_name}. To measure the open model, press Run."
    if another == "changed":
        return "Results for your text before you changed it. To measure it again, press Run."
    return f"Results for {of_text}. To measure the chosen text, press Run." if another else ""


def sentences_of(model: BenchModel, verdict: Verdict | None, text: str) -> list[str]:
    """Short sentences about the run, the most important first."""
    choice, is_running = model.choice, model.is_running
    if not (is_running or model.results or model.progress):
        if not choice.is_whole:
            return []
        n_contenders, time = counted(len(choice.contenders), "encoder"), duration_text(choice.expected_s)
        is_busy = (load_now() or 0.0) > (os.cpu_count() or 1)
        longer = ", or longer because the machine is busy" if is_busy else ""
        return [f"{n_contenders}, about {time}{longer}.", "Ids are compared before speed is measured."]
    n_unmeasured = len(model.awaited) if model.results else 0
    unmeasured = f"{counted(n_unmeasured, 'encoder')} {'still to measure' if is_running else 'not measured'}."
    sentences = [
        "Paused." if model.is_paused else "",
        unmeasured if n_unmeasured else "",
        f"{BUSY}."
        if verdict and verdict.competitor and verdict.was_busy and not verdict.is_too_close
        else "",
        "" if is_running or not model.results else _ended(capitalized(model.measured.ending)),
        _ended(model.progress),
        f"{model.title_of(text)}: {verdict.tokens}." if verdict is not None and verdict.n_tokens else "",
    ]
    return list(filter(None, sentences))


def _ended(words: str) -> str:
    return f"{words}." if words and words[-1] not in ".…" else words
