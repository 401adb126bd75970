"""The verdict of a run as the headline of the page, each contender behind its marker, and a line below."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

from guiapp.analysis.bench.findings import FIRST, LONE, Verdict
from guiapp.analysis.bench.history import BUSY
from guiapp.analysis.bench.wording import in_words
from guiapp.core.text.numbers_in_words import counted
from guiapp.kit.widgets.event_filters import plain_tip
from guiapp.kit.widgets.layouts import in_column
from guiapp.kit.widgets.painting import bold, width_of
from guiapp.kit.widgets.theme import UNIT_PX, Theme, ThemeSource, plain_label
from guiapp.pages.bench.charts import marker_image
from guiapp.pages.bench.choice import duration_text
from guiapp.pages.bench.model import BenchModel

NO_MODEL = "Open a model to begin"
NO_CONTENDER = "Add an encoder to begin"
QUESTION = "Which is the fastest on your text, and are its ids right?"
MEASURING = "Measuring …"
LARGE, SMALL = (30, 26, 22, 20), (20, 18)  # px: the first size in which all fits into one line, or the last
MARKER_SHARE = 0.62  # of the size of letters
COUNTED = "No special token is added, and none is looked for in the text, so that all do the same work."
SELECTABLE = Qt.TextInteractionFlag.TextSelectableByMouse


class Headline(QWidget):
    """A large sentence and a dim one."""

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__()
        self._theme_source = theme_source
        self._sizes_px: tuple[int, ...] = LARGE
        self._content: Verdict | str = ""
        self._shown: tuple[object, ...] = ()
        self.verdict = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.verdict.setTextInteractionFlags(SELECTABLE)
        self.verdict.setToolTip(plain_tip(COUNTED))
        self.sentence = plain_label("dim", wraps=True)
        in_column(self.verdict, self.sentence, on=self, spacing=UNIT_PX)
        theme_source.changed.connect(self._draw)

    def show_verdict(self, verdict: Verdict | str, sentence: str) -> None:
        self._content = verdict
        self._draw()
        if sentence != self.sentence.text():
            self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))

    def set_large(self, is_large: bool) -> None:
        self._sizes_px = LARGE if is_large else SMALL
        self._draw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._draw()

    def _draw(self) -> None:
        """Where it is not what is shown: each new text has all around it laid out again."""
        theme, content, size_px = self._theme_source.theme, self._content, self._fitting_px()
        if (content, size_px, theme.name) == self._shown:
            return
        self._shown = content, size_px, theme.name
        parts = [escape(content)] if isinstance(content, str) else _parts(content, theme, size_px)
        self.verdict.setText(f'<span style="font-size: {size_px}px">{"".join(parts)}</span>')
        self.verdict.setAccessibleName(str(content))

    def _fitting_px(self) -> int:
        """The size of letters; about: most of the words are bold, and names have markers."""
        fonts = ((size_px, bold(self._theme_source.theme.ui_font(size_px))) for size_px in self._sizes_px)
        return next(
            (px for px, font in fonts if width_of(str(self._content), font) + 2 * px <= self.width()),
            self._sizes_px[-1],
        )


def _parts(verdict: Verdict, theme: Theme, size_px: int) -> Iterator[str]:
    for words, kind in verdict.parts:
        image = marker_image(words, theme, round(size_px * MARKER_SHARE)) + "&nbsp;" if kind == "name" else ""
        yield f"{image}<b>{escape(words)}</b>" if kind else escape(words)


# The line below a verdict: how far it can be trusted, and what the run does at the moment


def title_of(model: BenchModel, verdict: Verdict | None) -> Verdict | str:
    """What stands at the top of the page: the verdict, or what there is to say in its place."""
    if verdict is not None:
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


def sentence_of(model: BenchModel, verdict: Verdict | None) -> str:
    """One line of short sentences."""
    choice, is_running = model.choice, model.is_running
    if not (is_running or model.results or model.progress):
        if not choice.is_whole:
            return ""
        n_contenders, time = counted(len(choice.contenders), "encoder"), duration_text(choice.expected_s)
        return f"{n_contenders}, about {time}. Ids are compared before times are taken."
    another = "" if is_running or not model.results else model.measured_another
    n_unopened = len(model.unopened) if is_running and (model.measured.loading or model.results) else 0
    n_unmeasured = len(model.awaited) if not is_running and model.results else 0
    noun = "more encoder" if model.results else "encoder"
    sentences = [
        f"Measured with another {another}: run again to measure the one that is open." if another else "",
        "Paused." if model.is_paused else "",
        _trust_in(verdict, is_running),
        f"{_number(n_unopened, noun, 'is', 'are')} still to be opened." if n_unopened else "",
        f"{_number(n_unmeasured, 'encoder', 'was', 'were')} not measured." if n_unmeasured else "",
        _ended(model.progress),
    ]
    return " ".join(filter(None, sentences))


def _trust_in(verdict: Verdict | None, is_running: bool) -> str:
    if verdict is None or not verdict.competitor:
        return ""
    if verdict.was_busy:
        return f"{BUSY}."
    if verdict.is_stable:
        return "Settled." if verdict.is_tie else "Settled: the two intervals do not touch."
    return "" if verdict.is_tie else "Not settled yet." if is_running else "Not settled."


def _number(number: int, noun: str, one: str, many: str) -> str:
    return f"{in_words(number).capitalize()} {noun}{f' {one}' if number == 1 else f's {many}'}"


def _ended(words: str) -> str:
    return f"{words}." if words and words[-1] not in ".…" else words
