"""What there is while a question waits for an answer, and nothing of what happens then."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from guiapp.analysis.lessons.places import labels_now
from guiapp.analysis.trace.debugger import Debugger
from guiapp.core.text.visible_text import isolate, visible_text
from guiapp.kit.widgets.style_sheet import set_role
from guiapp.kit.widgets.theme import MARGIN_PX, TEXT_FONT_PX, UI_FONT_PX
from guiapp.pages.steps.drawing import Drawing

HINT = "What happens next is covered. Make up your mind, then press Reveal."
MOST_TOKENS = 400
MOST_CHARACTERS = 2000


class Cover(QLabel):
    """Lies over an encoder: the text, and the tokens there are so far."""

    def __init__(self, drawing: Drawing) -> None:
        super().__init__(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self._theme_source, self._zoom, _ = drawing
        self.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setMargin(MARGIN_PX)
        set_role(self, "card")

    def show_state(self, debugger: Debugger) -> None:
        """Of the place where a debugger is."""
        theme = self._theme_source.theme
        self.setFont(self._zoom.mono_font(TEXT_FONT_PX + 9))
        text = escape(isolate(visible_text(debugger.trace.text, MOST_CHARACTERS)))
        colors = [color.name() for color in theme.span_colors]
        tokens = "  ".join(
            f"<span style='background-color:{colors[at % len(colors)]}; white-space:pre'>"
            f"&nbsp;{escape(isolate(label))}&nbsp;</span>"
            for at, label in enumerate(labels_now(debugger)[:MOST_TOKENS])
        )
        dim, family = theme.dim.name(), theme.ui_font(UI_FONT_PX).family()
        hint = f"color:{dim}; font-family:'{family}'; font-size:{self._zoom.scaled(UI_FONT_PX)}px"
        self.setText(f'<p style="color:{dim}">{text}</p><p>{tokens}</p><p style="{hint}">{HINT}</p>')
