"""Plays the greedy walk of the text through the tree, and says what could have followed at each byte."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame

from guiapp.core.text.figures import counted
from guiapp.core.text.visible_text import isolate, visible_text
from guiapp.kit.widgets.controls import tool_button
from guiapp.kit.widgets.labels import TEXT_MARGIN_PX, FittingLine, Span, StyledText
from guiapp.kit.widgets.layouts import in_column, in_row
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    heading,
    set_role,
)
from guiapp.pages.tree.greedy_walk import TreeWalk
from guiapp.pages.tree.model import TreeModel

ABOUT = (
    "One way to cut text: go down the tree byte by byte as far as it leads, take that token, begin anew.",
    "Goes down the tree byte by byte as far as it leads, and takes that token.",
    "Always the longest token.",
)
HINT = "Play it from the selected token on, or go one byte at a time."
PLAY, PAUSE = "Play", "Pause"
N_LINES, MORE_LINES = 1, 2  # where there is room for a sentence in so many, and where there is not
SENTENCE = 75  # characters
TALL = 4  # pixels that lines with characters from other fonts are higher by
NAME_PX = 80
BUTTON_PX = 28


class Detail(NamedTuple):
    """How much of the walk is told: bytes of the text around, characters of what was read and of a name."""

    context: int
    longest: int
    n_names: int


DETAILS = (Detail(18, 60, 3), Detail(18, 30, 3), Detail(12, 24, 2), Detail(6, 16, 1), Detail(0, 12, 1))


class WalkBar(QFrame):
    """Step back, play or pause, step on; and what happens at the present byte."""

    def __init__(self, walk: TreeWalk, model: TreeModel, theme_source: ThemeSource) -> None:
        super().__init__()
        self._walk = walk
        self._model = model
        self._theme_source = theme_source
        set_role(self, "panel")
        self._play = tool_button(PAUSE, walk.play, tip="Play or pause the walk")
        self._play.setMinimumWidth(self._play.fontMetrics().horizontalAdvance(PAUSE) + 2 * GAP_PX)
        self._story = StyledText(Theme.mono_font(SMALL_FONT_PX), MORE_LINES)
        self._story.setAccessibleName("Greedy walk")
        back = tool_button("‹ Back", partial(walk.move, -1), tip="One byte back")
        on = tool_button("On ›", partial(walk.move, 1), tip="One byte on")
        about = FittingLine(theme_source, *ABOUT)
        head = in_row(heading("Greedy walk"), back, self._play, on, (about, 1), spacing=GAP_PX)
        in_column(head, self._story, on=self, margins=(MARGIN_PX, UNIT_PX), spacing=0)
        for button in (back, self._play, on):
            button.setFixedHeight(BUTTON_PX)
        walk.changed.connect(self._refresh)
        model.spelling.changed.connect(self._refresh)
        theme_source.changed.connect(self._refresh)
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Be as high as a sentence needs: the text below stays where it is while the walk plays."""
        super().resizeEvent(event)
        self.setFixedHeight(BUTTON_PX + self._story_px() + 2 * UNIT_PX)
        self._refresh()

    def _story_px(self) -> int:
        """The height for what is told."""
        metrics = self._story.fontMetrics()
        room = self.width() - 2 * MARGIN_PX - 2 * TEXT_MARGIN_PX
        n_lines = N_LINES if room >= metrics.horizontalAdvance("0" * SENTENCE) else MORE_LINES
        return n_lines * (metrics.lineSpacing() + TALL) + 2 * TEXT_MARGIN_PX

    def _refresh(self) -> None:
        self._play.setText(PAUSE if self._walk.is_playing else PLAY)
        for detail in self._details():
            self._story.set_spans(self._spans(detail))
            if self._story.document().size().height() <= self._story_px():
                break

    def _details(self) -> list[Detail]:
        """The most telling first."""
        most = DETAILS[0]._replace(n_names=self._story.width() // NAME_PX)
        return [most, *DETAILS] if most.n_names > DETAILS[0].n_names else list(DETAILS)

    def _spans(self, detail: Detail) -> list[Span]:
        theme, step, picture = self._theme_source.theme, self._walk.step, self._model.picture
        if step is None or picture is None:
            return [Span(HINT, theme.dim)]

        def name(token: int) -> str:
            return isolate(self._model.written(token, detail.longest))

        reached = step.offset + 1
        before = self._walk.read(step.start, max(0, step.start - detail.context))
        seen = self._walk.read(reached, max(step.start, reached - detail.longest))
        spans = [
            Span(visible_text(before), theme.faint),
            Span(visible_text(seen), theme.span_text, theme.span_colors[0], is_bold=True),
            Span(visible_text(self._walk.read(reached + detail.context, reached)), theme.dim),
        ]
        if step.taken is not None:
            spans += [Span("   takes ", theme.dim), Span(name(step.taken), theme.accent, is_bold=True)]
            if step.n_children:
                longer = counted(step.n_children, "longer token")
                spans.append(Span(f": none of {longer} follows here", theme.dim))
        elif step.n_children:
            names = [name(child) for child in step.continuations[: detail.n_names]]
            more = f" … of {step.n_children:,}" if step.n_children > len(names) else ""
            spans.append(Span(f"   may go on to {', '.join(names)}{more}", theme.dim))
        return spans
