"""The verdict of a run as the headline of the page, each contender behind its marker, and a line below."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

from guiapp.analysis.bench.verdict import AS_ENCODED, Verdict, times_text
from guiapp.kit.widgets.layouts import in_column
from guiapp.kit.widgets.painting import bold, width_of
from guiapp.kit.widgets.plain_tip import plain_tip
from guiapp.kit.widgets.style_sheet import plain_label
from guiapp.kit.widgets.theme import UNIT_PX, Theme, ThemeSource
from guiapp.pages.bench.contender_look import look_of
from guiapp.pages.bench.markers import marker_image

LARGE, SMALL = (
    (30, 26, 22, 20),
    (20, 18),
)  # px, the first that there is room for in one line, or else the last
MARKER_SHARE = 0.62  # of the size of letters
COUNTED = "No special token is added, and none is looked for in the text, so that all do the same work."
SELECTABLE = Qt.TextInteractionFlag.TextSelectableByMouse


class Headline(QWidget):
    """A large sentence and a dim one."""

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__()
        self._theme_source = theme_source
        self._sizes_px: tuple[int, ...] = LARGE
        self._said: Verdict | str = ""
        self._shown: tuple[object, ...] = ()
        self.verdict = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.verdict.setTextInteractionFlags(SELECTABLE)
        self.verdict.setToolTip(plain_tip(COUNTED))
        self.sentence = plain_label("dim", wraps=True)
        in_column(self.verdict, self.sentence, on=self, spacing=UNIT_PX)
        theme_source.changed.connect(self._draw)

    def say(self, verdict: Verdict | str, sentence: str) -> None:
        """A verdict, or what there is in its place."""
        self._said = verdict
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
        theme, said, size_px = self._theme_source.theme, self._said, self._fitting_px()
        if (said, size_px, theme.name) == self._shown:
            return
        self._shown = said, size_px, theme.name
        parts = [escape(said)] if isinstance(said, str) else _parts(said, theme, size_px)
        self.verdict.setText(f'<span style="font-size: {size_px}px">{"".join(parts)}</span>')
        self.verdict.setAccessibleName(str(said))

    def _fitting_px(self) -> int:
        """The size of letters; about: most of the words are bold, and names have markers."""
        fonts = ((size_px, bold(self._theme_source.theme.ui_font(size_px))) for size_px in self._sizes_px)
        return next(
            (px for px, font in fonts if width_of(str(self._said), font) + 2 * px <= self.width()),
            self._sizes_px[-1],
        )


def _parts(verdict: Verdict, theme: Theme, size_px: int) -> Iterator[str]:
    """The sentence of a verdict, with names behind their markers."""

    def name(contender: str) -> str:
        image = marker_image(look_of(contender, theme), round(size_px * MARKER_SHARE))
        return f"{image}&nbsp;<b>{escape(contender)}</b>"

    yield name(verdict.fastest)
    if not verdict.beside:
        yield f" {verdict.alone}"
    elif verdict.is_tie:
        yield f" and {name(verdict.beside)} are equally fast as far as this run can tell"
    else:
        about = "about " if verdict.was_busy else ""
        yield f" is {about}<b>{times_text(verdict.ratio.ratio)}&nbsp;×</b> as fast as {name(verdict.beside)}"
    if verdict.ids:
        yield f"; {verdict.ids}"
    if verdict.n_tokens:
        yield f"; <b>{verdict.n_tokens:,}</b> token{'' if verdict.n_tokens == 1 else 's'} {AS_ENCODED}"
