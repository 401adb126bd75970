"""What a chip of invisible characters stands for, what it costs, and ways to be rid of it."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
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
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, SMALL_FONT_PX, Theme, ThemeSource, set_role

WIDTH_PX = 400
MOST_LINES, MOST_SHOWN = 8, 2000  # lines at a time, and characters in all, of what is spelt
MOST_NAMES, MOST_BYTES = 12, 24


class ChipFacts(NamedTuple):
    """What the card says of the bytes [start, end), one visible text each.

    about   what the characters are
    content    what they spell, or their names, one a line
    bytes   the first ones, with bars where tokens begin
    costs   figures
    """

    start: int
    end: int
    n_hidden: int
    title: str
    about: str
    content: str
    bytes: str
    costs: tuple[str, ...]


class HiddenCard(Popover):
    """Opens over the text at a chip; a click elsewhere or Escape closes it."""

    def __init__(
        self,
        facts: ChipFacts,
        hidden: HiddenCharacters,
        actions: tuple[QAction, QAction],
        theme_source: ThemeSource,
        parent: QWidget,
    ) -> None:
        """`actions` remove all that hides, and copy the text without it."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(facts.title)
        self._facts, self._hidden = facts, hidden
        theme = theme_source.theme
        self.content = StyledText(Theme.mono_font(SMALL_FONT_PX), MOST_LINES)
        self.content.setAccessibleName("What it spells")
        self.bytes = StyledText(Theme.mono_font(SMALL_FONT_PX), 3)
        self.bytes.setAccessibleName("Bytes, with bars where tokens begin")
        about = set_role(QLabel(facts.about, wordWrap=True, textFormat=Qt.TextFormat.PlainText), "dim")
        costs = [set_role(QLabel(text), "dim") for text in facts.costs]
        title = set_role(QLabel(facts.title), "strong")
        between = [part for label in costs for part in (label, (STRETCH, 1))][:-1]
        for text, shown, color, room_px in (
            (self.content, facts.content, theme.text, 2 * (MARGIN_PX + CARD_MARGIN_PX + 1)),
            (self.bytes, facts.bytes, theme.dim, 2 * MARGIN_PX),
        ):
            text.resize(WIDTH_PX - room_px, 1)  # its height follows from its width
            text.set_spans([Span(shown, color)])
        content = card(self.content)
        parts = title, about, content, self.bytes, in_row(*between), GAP_PX // 2, self._buttons(*actions)
        in_column(*parts, on=self, margins=MARGIN_PX, spacing=GAP_PX)
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
        is_more = self._hidden.n_characters > self._facts.n_hidden
        self.remove_button.setVisible(self._facts.n_hidden > 0)
        self.remove_all_button.setVisible(is_more)
        self.copy_button.setVisible(self._hidden.n_characters > 0)
        self.next_button.setVisible(is_more)
        return row

    def _remove(self) -> None:
        self._hidden.remove_within(self._facts.start, self._facts.end)

    def _go_on(self) -> None:
        self._hidden.step_from(self._facts.end, 1)

    def open_at(self, place: QPoint) -> None:
        """Below a point of the screen, inside the window; above it where there is no room below."""
        self.show()
        self.adjustSize()  # now that its texts know how high they are
        parent = self.parentWidget()
        assert parent is not None
        window = parent.window().frameGeometry()
        x = max(min(place.x(), window.right() - self.width() - GAP_PX), window.left())
        y = place.y() + MARGIN_PX
        if y + self.height() > window.bottom():
            y = max(place.y() - MARGIN_PX - self.height(), window.top())
        self.move(x, y)


def chip_facts(session: ModelSession, hidden: HiddenCharacters, start: int, end: int) -> ChipFacts:
    """What there is to say about a chip of the session's text; a long place has several chips."""
    start, end = hidden.whole_places(start, end)
    data = session.document.slice(start, end)
    text = data.decode("utf-8", "ignore")
    first, last = session.tokens.indexes_in(start, end)
    n_tokens, n_hidden = last - first, hidden.within(start, end).n_characters
    what = counted(n_hidden, "hidden character") if n_hidden else counted(len(text), "character")
    said = decoded(text[: MOST_SHOWN + 1])
    each = f"{n_tokens / len(text):.3g} token{'s' * (n_tokens != len(text))} each" if len(text) > 1 else ""
    share = f"{percent(n_tokens / len(session.tokens), 1)} of all tokens" if n_tokens else ""
    return ChipFacts(
        start,
        end,
        n_hidden,
        f"{what}, {counted(n_tokens, 'token')}",
        _about(text, n_hidden, bool(said)),
        visible_lines(said) if said else "\n".join(code_points(text, MOST_NAMES)),
        bytes_in_tokens(session.document, session, start, end, MOST_BYTES),
        tuple(filter(None, (counted(len(data), "byte"), each, share))),
    )


def visible_lines(text: str) -> str:
    """What is spelt, its lines and spaces kept, and nothing in them hidden once more."""
    lines = (line.split(" ") for line in text[:MOST_SHOWN].split("\n"))
    shown = "\n".join(" ".join(visible_text(word.encode(), MOST_SHOWN) for word in line) for line in lines)
    return shown + (" …" if len(text) > MOST_SHOWN else "")


def _about(text: str, n_hidden: int, spells: bool) -> str:
    if not n_hidden:
        return "Blank, or part of how the script is written: it stays when hidden characters are removed."
    kinds = ", ".join(kind_name(kind, len(text)) for kind in kinds_of(text)[:2])
    first, last = min(text), max(text)
    points = f"U+{ord(first):04X}" + (f" to U+{ord(last):04X}" if first != last else "")
    said = "Nothing is drawn; a model can read:" if spells else "Nothing is drawn."
    return f"{kinds[0].upper()}{kinds[1:]}, {points}. {said}"
