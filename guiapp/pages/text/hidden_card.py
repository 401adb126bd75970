"""A card about a chip of invisible characters: their contents, their cost, and buttons to remove them."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QColor
from PySide6.QtWidgets import QLabel, QWidget

from guiapp.analysis.explain.characters import code_points
from guiapp.core.text.numbers_in_words import counted, percent
from guiapp.core.text.visible_text import decoded, kind_name, kinds_of, visible_text
from guiapp.kit.document.search import HiddenCharacters
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.token_details import bytes_in_tokens
from guiapp.kit.widgets.controls import Popover, push_button
from guiapp.kit.widgets.labels import Span, StyledText
from guiapp.kit.widgets.layouts import CARD_MARGIN_PX, STRETCH, card, in_column, in_row
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    Theme,
    ThemeSource,
    plain_label,
    set_role,
)

WIDTH_PX = 400
MOST_LINES, MOST_SHOWN = 8, 2000  # visible lines, and characters in all, of the decoded text
MOST_NAMES, MOST_BYTES = 12, 24


class HiddenCard(Popover):
    """Opens over the text at a chip; closed by a click elsewhere or Escape."""

    def __init__(
        self,
        session: ModelSession,
        hidden: HiddenCharacters,
        span: tuple[int, int],
        actions: tuple[QAction, QAction],
        theme_source: ThemeSource,
        parent: QWidget,
    ) -> None:
        """`span` is a chip's (a long run has several); `actions` remove hidden text, and copy without it."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._hidden = hidden
        self._start, self._end = start, end = hidden.whole_spans(*span)
        self.n_hidden = hidden.within(start, end).n_characters
        data = session.document.slice(start, end)
        text = data.decode("utf-8", "ignore")
        meaning = decoded(text[: MOST_SHOWN + 1])
        spelt = visible_lines(meaning) if meaning else "\n".join(code_points(text, MOST_NAMES))
        shown_bytes = bytes_in_tokens(session.document, session, start, end, MOST_BYTES)
        first, last = session.tokens.indexes_in(start, end)
        count = counted(self.n_hidden or len(text), "hidden character" if self.n_hidden else "character")
        title = set_role(QLabel(f"{count}, {counted(last - first, 'token')}"), "strong")
        self.setAccessibleName(title.text())
        self.about = plain_label("dim", wraps=True)
        self.about.setText(_about(text, self.n_hidden, bool(meaning)))
        theme, in_card_px = theme_source.theme, 2 * (MARGIN_PX + CARD_MARGIN_PX + 1)
        self.content = _area("Hidden text", spelt, theme.text, MOST_LINES, in_card_px)
        name = "Bytes, with a bar at the start of each token"
        self.bytes = _area(name, shown_bytes, theme.dim, 3, 2 * MARGIN_PX)
        costs = [set_role(QLabel(cost), "dim") for cost in _costs(session, data, text, last - first)]
        between = [part for label in costs for part in (label, (STRETCH, 1))][:-1]
        parts = title, self.about, card(self.content), self.bytes, in_row(*between), GAP_PX // 2
        in_column(*parts, self._buttons(*actions), on=self, margins=MARGIN_PX, spacing=GAP_PX)
        self.setFixedWidth(WIDTH_PX)

    def _buttons(self, remove_all: QAction, copy: QAction) -> QWidget:
        row = QWidget()
        self.remove_button = push_button("Remove", self._remove, role="primary")
        self.remove_all_button = push_button("Remove all", remove_all.trigger)
        self.copy_button = push_button("Copy without", copy.trigger, tip=copy.text())
        self.next_button = push_button("Next ›", self._go_on, role="quiet")
        buttons = self.remove_button, self.remove_all_button, self.copy_button, self.next_button
        for button in buttons:
            button.clicked.connect(self.close)
        in_row(*buttons[:3], (STRETCH, 1), self.next_button, on=row, spacing=GAP_PX // 2)
        is_more = self._hidden.n_characters > self.n_hidden
        self.remove_button.setVisible(self.n_hidden > 0)
        self.remove_all_button.setVisible(is_more)
        self.copy_button.setVisible(self._hidden.n_characters > 0)
        self.next_button.setVisible(is_more)
        return row

    def _remove(self) -> None:
        self._hidden.remove_within(self._start, self._end)

    def _go_on(self) -> None:
        self._hidden.step_from(self._end, 1)

    def open_at(self, point: QPoint) -> None:
        """Open below a point of the screen, inside the window; above it if there is no room below."""
        self.show()
        self.adjustSize()  # now that the heights of its texts are known
        parent = self.parentWidget()
        assert parent is not None
        window = parent.window().frameGeometry()
        x = max(min(point.x(), window.right() - self.width() - GAP_PX), window.left())
        y = point.y() + MARGIN_PX
        if y + self.height() > window.bottom():
            y = max(point.y() - MARGIN_PX - self.height(), window.top())
        self.move(x, y)


def _area(name: str, words: str, color: QColor, most_lines: int, margins_px: int) -> StyledText:
    made = StyledText(Theme.mono_font(SMALL_FONT_PX), most_lines, name)
    made.resize(WIDTH_PX - margins_px, 1)  # its height follows from its width
    made.set_spans([Span(words, color)])
    return made


def _costs(session: ModelSession, data: bytes, text: str, n_tokens: int) -> Iterator[str]:
    yield counted(len(data), "byte")
    if len(text) > 1:
        yield f"{n_tokens / len(text):.3g} token{'s' * (n_tokens != len(text))} each"
    if n_tokens:
        yield f"{percent(n_tokens / len(session.tokens), 1)} of all tokens"


def visible_lines(text: str) -> str:
    """The decoded text with its lines and spaces; hidden characters in it become visible."""
    lines = (line.split(" ") for line in text[:MOST_SHOWN].split("\n"))
    shown = "\n".join(" ".join(visible_text(word.encode(), MOST_SHOWN) for word in line) for line in lines)
    return shown + (" …" if len(text) > MOST_SHOWN else "")


def _about(text: str, n_hidden: int, spells: bool) -> str:
    if not n_hidden:
        return "A space, or a character that the script needs. “Remove hidden characters” does not delete it."
    kinds = ", ".join(kind_name(kind, len(text)) for kind in kinds_of(text)[:2])
    first, last = min(text), max(text)
    points = f"U+{ord(first):04X}" + (f" to U+{ord(last):04X}" if first != last else "")
    sentence = "You cannot see it, but a model reads:" if spells else "You cannot see it."
    return f"{kinds[0].upper()}{kinds[1:]}, {points}. {sentence}"
