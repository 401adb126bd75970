"""Tokens or merge rules of two compared vocabularies as rows for Qt's table views."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QObject

from guiapp.core.text.visible_text import isolate, visible_text
from guiapp.kit.state.row_table import LEFT, RIGHT, Column, RowTable
from guiapp.kit.state.spelling import SharedSpelling
from guiapp.pages.compare.vocabulary_details import NOTHING, Describer, worth_name
from guiapp.pages.compare.vocabulary_rows import ABSENT, GROUPS, NO_ROWS, Group, Rows, Sides, token_of

LONGEST_TEXT = 60  # characters


class Listed(NamedTuple):
    """A row of a group, and who tells about it."""

    say: Describer
    group: Group
    place: tuple[int, int]

    @property
    def token(self) -> Sides:
        return token_of(self.say.found, self.group, self.place)


def _seen(ways: Iterable[bytes], between: str = " / ") -> str:
    seen = [visible_text(each, LONGEST_TEXT) for each in ways]
    return seen[0] if len(seen) == 1 else between.join(map(isolate, seen))


def _number(side: int) -> Callable[[Listed], str]:
    return lambda row: NOTHING if row.place[side] == ABSENT else str(row.place[side])


SIDES = ("A", _number(0)), ("B", _number(1))
ABOUT = (
    Column[Listed]("script", LEFT, lambda row: row.say.script(row.token)),
    Column[Listed]("bytes", RIGHT, lambda row: f"{len(row.say.text(row.group, row.place)):,}"),
)
WORTH = Column[Listed]("", RIGHT, lambda row: row.say.both(row.token, row.say.worth))
TOKEN_COLUMNS = (
    Column[Listed]("token", LEFT, lambda row: _seen(row.say.shown(row.group, row.place))),
    *(Column[Listed](f"id in {side}", RIGHT, text) for side, text in SIDES),
    Column[Listed]("kind", LEFT, lambda row: row.say.both(row.token, row.say.kind)),
    WORTH,
    *ABOUT,
)
RULE_COLUMNS = (
    Column[Listed]("merge rule", LEFT, lambda row: _seen(row.say.rule(row.place), " + ")),
    *(Column[Listed](f"place in {side}", RIGHT, text) for side, text in SIDES),
    Column[Listed]("makes", LEFT, lambda row: _seen(row.say.shown(row.group, row.place))),
    *ABOUT,
)


class VocabularyTable(RowTable[Listed]):
    """One row for each; the column without a title is named after what the tokens are worth."""

    def __init__(self, spelling: SharedSpelling, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._describer: Describer | None = None
        self._group = GROUPS["all"]
        self._rows = NO_ROWS
        spelling.changed.connect(self.tell_all_anew)

    @property
    def columns(self) -> Sequence[Column[Listed]]:
        return RULE_COLUMNS if self._group.is_rules else TOKEN_COLUMNS

    @property
    def n_rows(self) -> int:
        return 0 if self._describer is None else len(self._rows)

    def show(self, describer: Describer | None, group: Group, rows: Rows) -> None:
        """List some rows of a group."""
        self.beginResetModel()
        self._describer, self._group, self._rows = describer, group, rows
        self.endResetModel()

    def row(self, index: int) -> Listed | None:
        if self._describer is None:
            return None
        first, second = self._rows[index].tolist()
        return Listed(self._describer, self._group, (first, second))

    def title(self, column: Column[Listed]) -> str:
        if column is not WORTH or self._describer is None:
            return column.title
        tokenizers = self._describer.found.tokenizers
        return "/".join(dict.fromkeys(worth_name(each.vocabulary) for each in tokenizers))
