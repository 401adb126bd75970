"""What the Special tokens page shows: those of the window's model, which are listed, and in what order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.vocabulary_list.special_tokens import COLUMNS, SpecialToken, TokenReach, special_list
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import LatestJob, Progress, Working
from guiapp.native.checkpoint import stoppable

Tokens = tuple[SpecialToken, ...]


class SpecialGroup(NamedTuple):
    """Tokens with something in common."""

    title: str
    has: Callable[[SpecialToken], bool]


GROUPS = {
    "all": SpecialGroup("All", lambda token: True),
    "roles": SpecialGroup("Roles", lambda token: bool(token.roles)),
    "ends": SpecialGroup("Ends", lambda token: bool(token.end)),
    "looks": SpecialGroup("Look like ends", lambda token: token.is_end_like),
    "template": SpecialGroup("In template", lambda token: token.in_template),
    "never": SpecialGroup("Not from their text", lambda token: token.reach is TokenReach.NEVER),
    "unused": SpecialGroup("Unused", lambda token: token.is_unused),
}


class GatheredTokens(NamedTuple):
    """All special tokens of a model, with what going through them often would take too long for.

    sizes     how many each of GROUPS has
    searched  of each token the line in which a query is looked for
    """

    tokens: Tokens = ()
    sizes: Mapping[str, int] = dict.fromkeys(GROUPS, 0)
    searched: tuple[str, ...] = ()


class SpecialTokensModel(Working):
    """The special tokens of a session's model; found while somebody looks at them.

    tokens   None until they are found
    group    which of GROUPS is listed
    query    what of the token's name, role or id is searched for
    order    by which of COLUMNS they are sorted, and whether the last come first
    shown    what is listed
    chosen   the token that is looked at, None for none; it follows the token that is selected in the text

    Signals:
        tokens_changed(): `tokens` or `is_busy` is new.
        shown_changed(): `shown` is new.
        chosen_changed(): `chosen` is new.
        occurrences_changed(): the text, or how it is tokenized, is new.
    """

    tokens_changed = Signal()
    shown_changed = Signal()
    chosen_changed = Signal()
    occurrences_changed = Signal()

    def __init__(self, session: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._gathered: GatheredTokens | None = None
        self.group, self.query = "all", ""
        self.shown: Tokens = ()
        self.chosen: SpecialToken | None = None
        self.order = 0, False
        self._is_active = False
        self._job = LatestJob[GatheredTokens](self, self._take)
        session.vocabulary_changed.connect(self._forget)
        session.selected_token_changed.connect(self._on_selection_changed)
        session.tokens_changed.connect(self._on_text_changed)
        session.options_changed.connect(self._on_text_changed)

    @property
    def tokens(self) -> Tokens | None:
        return None if self._gathered is None else self._gathered.tokens

    @property
    def sizes(self) -> Mapping[str, int]:
        return (self._gathered or GatheredTokens()).sizes

    @property
    def is_busy(self) -> bool:
        return self._job.is_busy

    def set_active(self, is_active: bool) -> None:
        """Whether anybody sees what is shown here."""
        self._is_active = is_active
        if not is_active:
            self._job.cancel()
        self._find()
        self._on_selection_changed()
        self._on_text_changed()

    # Finding them

    def _forget(self) -> None:
        self._job.cancel()
        self._take(None)
        self._find()

    def _find(self) -> None:
        tokenizer = self.session.tokenizer
        if self._is_active and tokenizer is not None and self._gathered is None and not self.is_busy:
            self._job.start(lambda progress: _gathered(tokenizer, progress))
            self.tokens_changed.emit()

    def _take(self, gathered: GatheredTokens | None) -> None:
        self._gathered = gathered
        self.group, self.query = "all", ""
        self._choose(None)
        self.tokens_changed.emit()
        self._list()
        self._on_selection_changed()

    # Listing

    def set_query(self, query: str) -> None:
        if query != self.query:
            self.query = query
            self._list()

    def show_group(self, group: str) -> None:
        if group != self.group:
            self.group = group
            self._list()

    def end(self) -> None:
        self.set_query("")

    def set_order(self, column: int, is_descending: bool) -> None:
        """Sort by one of COLUMNS; what is equal there stays in the order of ids."""
        self.order = column, is_descending
        self._list()

    def _list(self) -> None:
        gathered, query = self._gathered or GatheredTokens(), self.query.strip().casefold()
        listed = list(gathered.tokens)
        if query:
            pairs = zip(gathered.tokens, gathered.searched, strict=True)
            number = query.removeprefix("#")
            token_id = int(number) if number.isascii() and number.isdecimal() and len(number) < 10 else None
            listed = [token for token, line in pairs if query in line or token.token_id == token_id]
        listed = list(filter(GROUPS[self.group].has, listed))
        column, is_descending = self.order
        if column:
            text = COLUMNS[column][1]
            listed.sort(key=lambda token: text(token).casefold(), reverse=is_descending)
            listed.sort(key=lambda token: text(token) == "")  # those last
        elif is_descending:
            listed.reverse()
        self.shown = tuple(listed)
        self.shown_changed.emit()

    # Choosing

    def choose(self, index: int) -> None:
        self._choose(self.shown[index])

    def step(self, by: int) -> None:
        """Look at the next one that is listed, or the one before."""
        if self.shown:
            at = self.index_of_chosen
            self.choose((0 if by > 0 else -1) if at is None else (at + by) % len(self.shown))

    @property
    def index_of_chosen(self) -> int | None:
        """Where it is listed; None if it is not."""
        return next((at for at, token in enumerate(self.shown) if token is self.chosen), None)

    def _choose(self, token: SpecialToken | None) -> None:
        if token is not self.chosen:
            self.chosen = token
            self.chosen_changed.emit()

    def _on_selection_changed(self) -> None:
        """Look at the token that is selected in the text, if it is a special one."""
        tokens = self.tokens if self._is_active else None
        selected = self.session.selected_id
        token = next((each for each in tokens or () if each.token_id == selected), None)
        if token is not None:
            self._choose(token)

    # The text

    @property
    def n_occurrences(self) -> int:
        return 0 if self.chosen is None else self.session.tokens.count(self.chosen.token_id)

    @property
    def is_parsed(self) -> bool:
        return self.session.options.parse_special

    def insert(self) -> None:
        """Put what leads to the chosen token where the caret is."""
        if self.chosen is not None and self.chosen.text is not None:
            self.session.document.insert(self.chosen.text)

    def select_next(self) -> None:
        """Select the chosen token in the text where it is next, from the start again behind the last."""
        if self.chosen is not None and (index := self.session.next_use(self.chosen.token_id)) is not None:
            self.session.select_token(index)

    def _on_text_changed(self) -> None:
        if self._is_active:
            self.occurrences_changed.emit()


def _gathered(tokenizer: Tokenizer, progress: Progress) -> GatheredTokens:
    progress(0.1)
    tokens = special_list(tokenizer)
    sizes = {name: sum(map(group.has, stoppable(tokens))) for name, group in GROUPS.items()}
    return GatheredTokens(tokens, sizes, tuple(map(_searched, stoppable(tokens))))


def _searched(token: SpecialToken) -> str:
    return f"{token.name}\n{token.roles_text}".casefold()
