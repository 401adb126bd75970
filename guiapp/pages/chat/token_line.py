"""Below the prompt: the selected token in one line, and where it is from."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy

from guiapp.core.text.visible_text import isolate
from guiapp.kit.widgets.buttons import tool_button
from guiapp.kit.widgets.fitted_label import FittedLabel
from guiapp.kit.widgets.layouts import in_row
from guiapp.kit.widgets.page_base import PageRequests
from guiapp.kit.widgets.style_sheet import set_role
from guiapp.kit.widgets.theme import MARGIN_PX, TEXT_FONT_PX, Theme, ThemeSource
from guiapp.pages.chat.model import ChatModel
from guiapp.pages.chat.spans import ChatSpans
from guiapp.pages.chat.words import line_of, places

HEIGHT_PX = 46
MOST_SHOWN = 32
NOTHING = "Choose a token to see where it is from."


class TokenLine(QFrame):
    """`· log   1515   message 2, user · bytes 12–16 of its text   written by line 17   Show in tree`."""

    def __init__(
        self, model: ChatModel, spans: ChatSpans, requests: PageRequests, theme_source: ThemeSource
    ) -> None:
        super().__init__()
        set_role(self, "status")
        self.setAccessibleName("Selected token")
        self._model, self._spans, self._requests = model, spans, requests
        self.setFixedHeight(HEIGHT_PX)
        self.token, self.id = QLabel(), set_role(QLabel(), "number")
        self.token.setFont(Theme.mono_font(TEXT_FONT_PX))
        self.where, self.line = set_role(FittedLabel(), "dim"), set_role(FittedLabel(), "dim")
        self.where.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.tree = tool_button("Show in tree", self._show_in_tree, tip="Show this token in the token tree")
        in_row(
            self.token,
            self.id,
            (self.where, 1),
            self.line,
            self.tree,
            on=self,
            margins=(MARGIN_PX, 0),
            spacing=MARGIN_PX,
        )
        model.selected_changed.connect(self._follow)
        model.result_changed.connect(self._follow)
        model.session.spelling.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        index, encoding = self._model.selected_token, self._model.encoding
        is_there = index is not None and encoding is not None
        self.setVisible(encoding is not None)
        for part in (self.token, self.id, self.tree):
            part.setVisible(is_there)
        if index is None or encoding is None:
            self.where.set_texts([NOTHING])
            self.line.set_texts([""])
            return
        token_id = int(encoding.token_ids[index])
        self.token.setText(isolate(self._spans.label_of(token_id)[:MOST_SHOWN]))
        self.id.setText(f"{token_id}")
        origin = self._model.origins[index]
        self.where.set_texts(places(origin))
        self.line.set_texts([line_of(origin), f"line {origin.line}" if origin.line else ""])

    def _show_in_tree(self) -> None:
        index, encoding = self._model.selected_token, self._model.encoding
        if index is not None and encoding is not None:
            self._requests.token_wanted.emit(int(encoding.token_ids[index]))
