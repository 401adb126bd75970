"""Where the tokens of a prompt are from, in columns: an object for each one would fill memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from operator import eq
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.chat.rendering import Rendering
from guiapp.analysis.chat.traced import CHANGED, CONTENT, CharacterOrigin

ADDED = "added"
AT_ONCE = 1 << 13
NO_MESSAGE = -1


class TokenOrigin(NamedTuple):
    """Where a token is from; of a token with several origins, that of the first content in it.

    kind     TEMPLATE, CONTENT or CHANGED as in Origin; ADDED: put around the text by the tokenizer
    message  from 0, as in Origin
    role     of that message; `tools` where it is from a tool, "" for neither
    field    of the message
    line     of the template
    start, end  of a CONTENT, its characters in the text of the field
    is_mixed    whether it has characters of other origins, too
    also        other messages that have content in it
    """

    kind: str
    message: int | None = None
    role: str = ""
    field: str = ""
    line: int = 0
    start: int = 0
    end: int = 0
    is_mixed: bool = False
    also: tuple[int, ...] = ()

    @property
    def is_content(self) -> bool:
        return self.kind in (CONTENT, CHANGED)


class RunOrigins:
    """Where stretches of a text are from.

    bounds   int64[n + 1]: the characters where runs begin, and the end of the text
    of_runs  of tokens in each run, but for their places; behind them that of what the tokenizer adds
    """

    def __init__(self, rendering: Rendering, role_of: Callable[[CharacterOrigin], str]) -> None:
        self._runs = rendering.runs
        self.bounds = np.array([*(run.start for run in rendering.runs), len(rendering.text)], np.int64)
        self.of_runs = [
            TokenOrigin(origin.kind, origin.message, role_of(origin), origin.field, origin.line)
            for _, origin, _ in rendering.runs
        ]
        self.of_runs.append(TokenOrigin(ADDED))

    @cached_property
    def last_contents(self) -> dict[int | None, int]:
        """The last run of content of each message."""
        return {each.message: row for row, each in enumerate(self.of_runs) if each.is_content}

    def rows_at(self, characters: NDArray[np.int64]) -> NDArray[np.int64]:
        """The runs that these are in."""
        return np.searchsorted(self.bounds[:-1], characters, "right") - 1

    def within(self, start: int, end: int, row: int) -> TokenOrigin:
        """Of a token with these characters of the text, all of them in one run."""
        whole = self.of_runs[row]
        if whole.kind != CONTENT:
            return whole
        shift = self._runs[row].offset - self._runs[row].start
        return TokenOrigin(*whole[:5], start + shift, end + shift)

    def first_content(self, row: int, end_row: int) -> int:
        """The first of some runs that is content; if none is, the first."""
        return next((at for at in range(row, end_row) if self.of_runs[at].is_content), row)

    def across(self, start: int, end: int, row: int, end_row: int) -> TokenOrigin:
        """The same as `within` of several runs: that of the first content among them."""
        origins, first = self.of_runs[row:end_row], self.first_content(row, end_row)
        run_start, run_end = self.bounds[first : first + 2].tolist()
        result = self.within(max(start, run_start), min(end, run_end), first)
        messages = dict.fromkeys(each.message for each in origins if each.is_content)
        also = tuple(each for each in messages if each is not None and each != result.message)
        is_mixed = any(each[:4] != result[:4] for each in origins)
        return result._replace(is_mixed=is_mixed, also=also)


class TokenOrigins(Sequence[TokenOrigin]):
    """Of each token in order."""

    def __init__(
        self,
        runs: RunOrigins,
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        n_affixes: tuple[int, int],
    ) -> None:
        """Of tokens with these characters, and so many before and behind them that the tokenizer adds."""
        self._runs = runs
        rows = runs.rows_at(starts)
        end_rows = np.maximum(np.searchsorted(runs.bounds[:-1], ends, "left"), rows + 1)
        columns = np.stack([starts, ends, rows, end_rows]).astype(np.int32)
        added = len(runs.of_runs) - 1
        before, behind = (np.tile([[0], [0], [added], [added + 1]], n).astype(np.int32) for n in n_affixes)
        self._columns = np.concatenate([before, columns, behind], axis=1)

    def __len__(self) -> int:
        return len(self._columns[0])

    @overload
    def __getitem__(self, index: int) -> TokenOrigin: ...
    @overload
    def __getitem__(self, index: slice) -> list[TokenOrigin]: ...
    def __getitem__(self, index: int | slice) -> TokenOrigin | list[TokenOrigin]:
        result = self._columns[:, index].tolist()
        return list(map(self._origin, *result)) if isinstance(index, slice) else self._origin(*result)

    def __iter__(self) -> Iterator[TokenOrigin]:
        for start in range(0, len(self), AT_ONCE):
            yield from self[start : start + AT_ONCE]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TokenOrigins) and len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]

    def _origin(self, start: int, end: int, row: int, end_row: int) -> TokenOrigin:
        if end_row == row + 1:
            return self._runs.within(start, end, row)
        return self._runs.across(start, end, row, end_row)

    @cached_property
    def rows(self) -> NDArray[np.int32]:
        """int32[n]: the runs that tokens count to, the number of runs for what the tokenizer adds."""
        rows, end_rows = self._columns[2:]
        main: NDArray[np.int32] = rows.copy()
        for index in np.flatnonzero(end_rows > rows + 1).tolist():
            main[index] = self._runs.first_content(int(rows[index]), int(end_rows[index]))
        return main

    @cached_property
    def is_content(self) -> NDArray[np.bool_]:
        """bool[n]."""
        are_content = np.array([each.is_content for each in self._runs.of_runs], np.bool_)
        result: NDArray[np.bool_] = are_content[self.rows]
        return result

    @cached_property
    def messages(self) -> NDArray[np.int64]:
        """int64[n]: NO_MESSAGE for None."""
        said = [NO_MESSAGE if each.message is None else each.message for each in self._runs.of_runs]
        return np.array(said, np.int64)[self.rows]

    def counts(self) -> list[tuple[TokenOrigin, int]]:
        """How many tokens count to each run that has some, but for their places; in order."""
        rows, firsts, counts = np.unique(self.rows, return_index=True, return_counts=True)
        order = np.argsort(firsts)
        return [(self._runs.of_runs[rows[at]], int(counts[at])) for at in order.tolist()]
