"""The bar at the top: the model, the modes of the page, the encoder, and how exact the tokens are."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QMenu, QToolButton

from guiapp.core.encode.catalogue import ALGORITHMS, encoder_label
from guiapp.core.encode.exactness import REFUSED
from guiapp.core.formats.tokenizer_config import TRANSFORMERS, VERSION
from guiapp.core.text.numbers_in_words import percent
from guiapp.core.vocabulary.vocabulary import LLAMA_CPP, LLAMA_CPP_VERSION
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.widgets.controls import Explanation
from guiapp.kit.widgets.event_filters import plain_tip
from guiapp.kit.widgets.layouts import STRETCH, framed, in_row
from guiapp.kit.widgets.menu_button import IconButton, MenuButton
from guiapp.kit.widgets.painting import icon
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, ThemeSource, color_again, set_role
from guiapp.window.actions import ActionTable
from guiapp.window.model_picker import ModelButton
from guiapp.window.pages import PageModes

STATES = {
    "exact": ("good", "check"),
    "approximate": ("warning", "approximate"),
    "unknown pre": ("warning", "warning"),
    REFUSED: ("warning", "warning"),
}
WHOSE = {
    TRANSFORMERS: f" for transformers {VERSION.rpartition('.')[0]}",
    LLAMA_CPP: f" for llama.cpp {LLAMA_CPP_VERSION}",
}
"""Names for the ids of a pre-tokenizer that the user chose."""
LOSS_COLORS = ("dim", "warning", "bad")  # nothing lost, something lost, text that no token stands for
ICON_PX = 14
WORDS_FROM_PX = 1280  # from this width of the window on, the search button has a label
USUAL_PX, MODES_PX = 1280, 400  # in windows of this width or more, modes begin at x = 400
SHRINKING, LEAST_MODEL_PX = 60, 176  # percent of the missing width that the model button gives up
SIDE_PX = MARGIN_PX - 2
STYLES = Qt.ToolButtonStyle.ToolButtonTextBesideIcon, Qt.ToolButtonStyle.ToolButtonIconOnly
MOST_REMARKS = 4  # about the file; the model picker shows all
HEIGHT_PX = 48
SEARCH_PX, SHORT_SEARCH_PX = 122, 34
AROUND_NAME_PX = 46  # the arrow and margins of the encoder button


class TopBar(QFrame):
    """Model, modes, badges and encoder; their positions depend only on the width of the window.

    Badges are icons if the widest modes leave no room for their words.
    """

    def __init__(
        self,
        session: ModelSession,
        modes: PageModes,
        actions: ActionTable,
        theme_source: ThemeSource,
    ) -> None:
        super().__init__()
        set_role(self, "bar")
        self.setFixedHeight(HEIGHT_PX)
        self.modes = modes
        self.model_button = ModelButton(session.loader, theme_source)
        self.encoder_button = EncoderButton(session, actions, theme_source)
        self.exactness = ExactnessBadge(session, theme_source, actions["inexact_next"], actions["choose_pre"])
        self.round_trip = RoundTripBadge(session, theme_source, [actions["round_trip_difference"]])
        self.palette_button = PaletteButton(actions, theme_source)
        self._badges: list[Badge] = [self.exactness, self.round_trip]
        self._left = framed(in_row(self.model_button, STRETCH, spacing=0))
        self._right = [*self._badges, self.encoder_button, self.palette_button]
        margins = SIDE_PX, 0, SIDE_PX - 2, 0
        in_row(self._left, modes, STRETCH, *self._right, on=self, margins=margins, spacing=GAP_PX)
        for changed in (
            modes.refreshed,
            session.options_changed,
            *(badge.reworded for badge in self._badges),
        ):
            changed.connect(self._fit)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        missing = max(USUAL_PX - self.width(), 0)
        self._left.setFixedWidth(
            max(MODES_PX - missing * SHRINKING // 100, LEAST_MODEL_PX) - SIDE_PX - GAP_PX
        )
        self.palette_button.set_short(self.width() < WORDS_FROM_PX)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()  # the children have their fonts only now

    def name_lesson(self, setting: str) -> None:
        """Show the model of a lesson, and disable badges and encoder, which describe the open model."""
        self.model_button.name_lesson(setting)
        for part in (*self._badges, self.encoder_button):
            part.setEnabled(not setting)

    def _fit(self) -> None:
        room = self.width() - self._left.width() - self.modes.most_px - 2 * (SIDE_PX + GAP_PX)
        for are_short in ((False, False), (True, False), (False, True), (True, True)):
            for badge, is_short in zip(self._badges, are_short, strict=True):
                badge.set_short(is_short)
            if sum(part.sizeHint().width() + GAP_PX for part in self._right if not part.isHidden()) <= room:
                break


class EncoderButton(MenuButton):
    """Shows the current encoder; a click lists those that the vocabulary offers.  Its width is constant."""

    def __init__(self, session: ModelSession, actions: ActionTable, theme_source: ThemeSource) -> None:
        super().__init__(theme_source)
        self._session = session
        menu = QMenu(self, toolTipsVisible=True)
        menu.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        for row, action in actions:
            if row.group == "encoder":
                menu.addAction(action)
        self.setMenu(menu)
        session.options_changed.connect(self._refresh)
        self._refresh()

    def sizeHint(self) -> QSize:
        """Wide enough for the longest name."""
        longest = max(map(self.fontMetrics().horizontalAdvance, map(encoder_label, ALGORITHMS)))
        return QSize(longest + AROUND_NAME_PX, super().sizeHint().height())

    def _refresh(self) -> None:
        algorithm = self._session.algorithm
        self.setVisible(algorithm is not None)
        if algorithm is not None:
            name = encoder_label(algorithm.name)
            self.setText(name)
            mark = "exact" if algorithm.exact else "approximate"
            about = f"{algorithm.title} ({mark}), {algorithm.complexity}\n{algorithm.source}"
            self.setToolTip(f"Encoder: {name}. Click to choose another one.\n{about}")
            self.setAccessibleName(f"Encoder: {name}, {mark}")


class PaletteButton(IconButton):
    """Opens the command palette and resembles its text field; has no label if there is no room."""

    def __init__(self, actions: ActionTable, theme_source: ThemeSource) -> None:
        action = actions["palette"]
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        tip, name = f"{action.text()} ({keys})", action.text()
        super().__init__(
            theme_source, "search", action.trigger, text="Commands", role="search", tip=tip, name=name
        )
        self.set_short(False)

    def set_short(self, is_short: bool) -> None:
        self.setToolButtonStyle(STYLES[is_short])
        self.setFixedWidth(SHORT_SEARCH_PX if is_short else SEARCH_PX)


# The badges at the top right that show how exact the tokens are; a click shows the reason


class Badge(QToolButton):
    """A word in a pill, with a colour and an icon for its state.

    Signals:
        reworded(): the text is new, and may need more or less room.
    """

    reworded = Signal()

    def __init__(
        self,
        title: str,
        theme_source: ThemeSource,
        remedies: Sequence[QAction] = (),
    ) -> None:
        super().__init__()
        self._title = title
        self._remedies = remedies
        self._theme_source = theme_source
        self._state = ("", "")
        self._reason = ""
        set_role(self, "badge")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(ICON_PX, ICON_PX))
        theme_source.changed.connect(self._color)
        for action in remedies:
            action.enabledChanged.connect(self._update_card)
        self.clicked.connect(self.explain)

    def show_state(self, text: str, color: str, icon_name: str, reason: str) -> None:
        """Show a state. `color` names a colour of the theme."""
        is_other, self._state, self._reason = (color, icon_name) != self._state, (color, icon_name), reason
        is_reworded = text != self.text()
        self.setText(text)
        self.setToolTip(plain_tip(f"{text}\n{reason}"))
        self.setAccessibleName(f"{self._title}: {text}")
        self.setAccessibleDescription(reason)
        if is_reworded:
            self.reworded.emit()
        if is_other:
            self.setProperty("state", color)
            self._color()
        self._update_card()

    def set_short(self, is_short: bool) -> None:
        self.setToolButtonStyle(STYLES[is_short])

    def explain(self) -> None:
        """Open the explanation under the badge."""
        Explanation(self._title, self._reason, self, self.remedies()).open_under(self)

    def _update_card(self) -> None:
        """Update the explanation if it is open."""
        card = self.findChild(Explanation)
        if isinstance(card, Explanation):
            card.show_text(self._reason, self.remedies())

    def remedies(self) -> list[QAction]:
        """The actions that the explanation offers."""
        return [action for action in self._remedies if action.isEnabled()]

    def _color(self) -> None:
        color_name, icon_name = self._state
        if not color_name:  # no state yet
            return
        color: QColor = getattr(self._theme_source.theme, color_name)
        self.setIcon(icon(icon_name, color))
        color_again(self)


class ExactnessBadge(Badge):
    """Whether the tokens are those of llama.cpp, or of the library that the file is made for."""

    def __init__(
        self,
        session: ModelSession,
        theme_source: ThemeSource,
        next_inexact: QAction,
        choose_pre: QAction,
    ) -> None:
        super().__init__("Exactness", theme_source, [next_inexact, choose_pre])
        self._choose_pre = choose_pre
        self._session = session
        session.vocabulary_changed.connect(self._refresh)
        session.options_changed.connect(self._refresh)
        session.encoder_check.changed.connect(self._refresh)
        session.readings.changed.connect(self._refresh)
        session.tokens_changed.connect(self._on_tokens_changed)
        self._is_refused = False
        self._refresh()

    def remedies(self) -> list[QAction]:
        return [each for each in super().remedies() if each is not self._choose_pre or self._offers_pre]

    @property
    def _offers_pre(self) -> bool:
        """Whether another pre-tokenizer may be right: the ids are doubtful, or libraries differ."""
        tokenizer = self._session.tokenizer
        if tokenizer is None:
            return False
        return bool(tokenizer.vocabulary.readings) or tokenizer.exactness.level not in ("exact", REFUSED)

    def _on_tokens_changed(self) -> None:
        if self._session.spans.is_refused != self._is_refused:
            self._is_refused = not self._is_refused
            self._refresh()

    def _refresh(self) -> None:
        exactness = self._session.exactness
        self.setVisible(exactness is not None)
        if exactness is not None and self._is_refused:
            self.show_state("no tokens", "bad", "warning", "The text was not encoded. See the notice.")
        elif exactness is not None:
            agreement = self._session.encoder_check.value
            share = "" if agreement is None else f" {percent(agreement.share, 1)}"
            vocabulary = self._session.vocabulary
            remarks = () if vocabulary is None else vocabulary.warnings[:MOST_REMARKS]
            others = [each.sentence() for each in self._session.readings.value or () if not each.is_same]
            reason = "\n\n".join((exactness.reason, *others, *remarks))
            chosen = "" if vocabulary is None else vocabulary.chosen_pre
            whose = WHOSE.get(chosen, "")
            self.show_state(f"{exactness.level}{whose}{share}", *STATES[exactness.level], reason)


class RoundTripBadge(Badge):
    """Whether the tokens decode to the text again, or else the rule that prevents it.

    It shows a warning colour only if the ids do not represent all of the text.
    """

    def __init__(
        self, session: ModelSession, theme_source: ThemeSource, remedies: Sequence[QAction] = ()
    ) -> None:
        super().__init__("Round trip", theme_source, remedies)
        self._session = session
        session.round_trip.changed.connect(self._refresh)
        session.vocabulary_changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        result = self._session.round_trip.value
        self.setVisible(self._session.vocabulary is not None)
        if result is None:
            self.show_state("round trip", "dim", "round-trip", "Not checked yet.")
        elif (worst := result.worst) is None:
            self.show_state("round trip", "good", "round-trip", *result.sentences())
        else:
            color = LOSS_COLORS[worst.rule.loss]
            self.show_state(worst.rule.name, color, "round-trip", "\n\n".join(result.sentences()))
