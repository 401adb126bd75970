"""What a search or a figure found on the Tree page, and the figures about the whole tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from guiapp.analysis.tree.reports import (
    Distribution,
    TreeFinding,
    TreeStatistics,
    tree_statistics,
    unreached_finding,
)
from guiapp.analysis.tree.trials import Ids, unreached_apart
from guiapp.analysis.vocabulary_list.columns import TokenRows, of_tokens
from guiapp.analysis.vocabulary_list.listing import ListColumn
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import LatestJob, Working
from guiapp.kit.state.settings import Settings
from guiapp.kit.token_table.list_model import ListRequest, TokenRowsModel
from guiapp.kit.token_table.table_view import TokenTable
from guiapp.kit.widgets.controls import push_button
from guiapp.kit.widgets.layouts import AS_AROUND, STRETCH, in_column, in_row, scroll_down
from guiapp.kit.widgets.painting import RIGHT as AT_RIGHT
from guiapp.kit.widgets.painting import PaintedButton, fill, write
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    heading,
    sentence,
    set_role,
)
from guiapp.pages.tree.model import FOUND, TreeModel, TreeSearch

ListTokens = Callable[[str, NDArray[np.int32]], None]
ABOUT_FINDINGS = "Counts over all tokens of the model. A click lists the tokens behind one."
SCALE = "Log scale: each time that there are ten times as many, the bar grows by the same length."
NO_MODEL = "Open a model to count its tokens."
HOW_TO_SEARCH = "Type in the search field: text, #9906 for an id, 0x20 E6 for bytes, /^the?$/ for a pattern."
ABOUT = "What the search or a figure found, the nearest first. A row shows its token in the tree."
NOT_FOUND = "No token matches."


COLUMNS: Sequence[ListColumn[TokenRows]] = tuple(
    of_tokens(("id", "token", "below"), without=("reached",)).values()
)


class ResultsModel(TokenRowsModel[TokenRows]):
    """The tokens that were found; the chosen one is looked at in the tree."""

    def __init__(
        self, model: TreeModel, search: TreeSearch, session: ModelSession, settings: Settings
    ) -> None:
        super().__init__(session.spelling, settings, "found_columns", search)
        self._tree, self._search, self._session = model, search, session
        self._found: TokenRows | None = None
        search.found_changed.connect(self._on_search_changed)
        search.current_changed.connect(self._on_current_changed)
        self._on_search_changed()

    @property
    def source(self) -> TokenRows | None:
        return self._found

    @property
    def column_table(self) -> Sequence[ListColumn[TokenRows]]:
        return COLUMNS

    def choose(self, row: int) -> None:
        super().choose(row)
        self._search.go_to_result(row)

    def _on_search_changed(self) -> None:
        tokenizer, picture = self._session.tokenizer, self._tree.picture
        self._found = None
        if tokenizer is not None and picture is not None and picture.vocabulary is tokenizer.vocabulary:
            tokens = picture.layout.tokens[self._search.result_nodes]
            self._found = TokenRows(self.figures_of(tokenizer), tokens)
        self._set_chosen(None)
        self.request = ListRequest()
        self._list()

    def _on_current_changed(self) -> None:
        self._set_chosen(self._search.current)


class ResultsPanel(QWidget):
    """Tokens in a table; the present row is what is looked at in the tree."""

    def __init__(
        self,
        model: TreeModel,
        search: TreeSearch,
        session: ModelSession,
        settings: Settings,
        theme_source: ThemeSource,
    ) -> None:
        super().__init__()
        self._search = search
        self._title = heading(FOUND)
        self._title.setWordWrap(True)
        self._hint = set_role(QLabel(wordWrap=True), "dim")
        self.model = ResultsModel(model, search, session, settings)
        self.table = TokenTable(self.model, theme_source, "Found tokens", "tokens", counts=False)
        self.view = self.table.view
        self.clear = push_button("Clear", search.end, tip="Show all tokens alike again (Escape)")
        head = in_row((self._title, 1), self.clear, self.table.export)
        parts = head, sentence(ABOUT), self._hint, (self.table, 1), STRETCH
        in_column(*parts, on=self, margins=(MARGIN_PX, GAP_PX), spacing=AS_AROUND)
        search.found_changed.connect(self._on_search_changed)
        self._on_search_changed()

    def stop(self) -> None:
        self.table.saving.close()
        self.model.close()

    def _on_search_changed(self) -> None:
        search, n_found = self._search, len(self._search.result_nodes)
        title = f"{search.title or FOUND} · {n_found:,}" if search.title or search.query else FOUND
        self._title.setText(title.upper())
        self.clear.setVisible(bool(search.title))
        self.table.export.setVisible(n_found > 0)
        self.table.setVisible(n_found > 0)
        self._hint.setVisible(n_found == 0)
        self._hint.setText(search.problem or (NOT_FOUND if search.query else HOW_TO_SEARCH))


class TreeFindings(Working):
    """Figures about the tree of a model.

    statistics  None until they are wanted and counted
    unreached   the tokens that none of the trials led to; None until they were made
    problem     why `unreached` will not follow; "" while it may

    Signals:
        changed(): `statistics`, `findings` or `problem` is new.
    """

    changed = Signal()

    def __init__(self, model: TreeModel, session: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._session = session
        self.statistics: TreeStatistics | None = None
        self._is_wanted = False
        self.job = LatestJob[TreeStatistics](self, self._take)
        self.unreached: Ids | None = None
        self.trying = LatestJob[Ids](self, self._take_unreached, self._fail)
        self.problem = ""
        model.picture_changed.connect(self._on_picture_changed)
        model.preparing_changed.connect(self.changed)

    @property
    def is_coming(self) -> bool:
        """Whether statistics follow; else there is no model."""
        return self.statistics is None and self._model.is_preparing

    @property
    def findings(self) -> tuple[TreeFinding, ...]:
        """All figures; the last one follows later, when `unreached` is known."""
        if self.statistics is None:
            return ()
        more = () if self.unreached is None else (unreached_finding(self.unreached),)
        return self.statistics.findings + more

    def want(self) -> None:
        self._is_wanted = True
        picture = self._model.picture
        if picture is not None and self.statistics is None and not self.job.is_busy:
            self.job.start(lambda _: tree_statistics(picture))

    def _on_picture_changed(self) -> None:
        self.job.cancel()
        self.trying.cancel()
        self.statistics = self.unreached = None
        self.problem = ""
        self.changed.emit()
        if self._is_wanted:
            self.want()

    def _take(self, statistics: TreeStatistics) -> None:
        self.statistics = statistics
        tokenizer = self._session.tokenizer
        if tokenizer is not None:
            self.trying.start(partial(unreached_apart, tokenizer))
        self.changed.emit()

    def _fail(self, problem: str) -> None:
        self.problem = problem
        self.changed.emit()

    def _take_unreached(self, unreached: Ids) -> None:
        self.unreached = unreached
        self.changed.emit()


class FindingsPanel(QScrollArea):
    """Figures about the tree; a click on one lists its tokens."""

    def __init__(self, findings: TreeFindings, list_tokens: ListTokens, theme_source: ThemeSource) -> None:
        super().__init__()
        self._findings = findings
        self._list_tokens = list_tokens
        self._theme_source = theme_source
        scroll_down(self)
        findings.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        inside = set_role(QFrame(), "panel")
        column = in_column(on=inside, margins=(MARGIN_PX, GAP_PX, MARGIN_PX, MARGIN_PX), spacing=0)
        statistics = self._findings.statistics
        if statistics is None:
            column.addWidget(_waiting("Counting …" if self._findings.is_coming else NO_MODEL))
        else:
            column.addWidget(sentence(ABOUT_FINDINGS))
            column.addSpacing(GAP_PX)
            for finding in self._findings.findings:
                column.addWidget(FigureRow(finding, finding.name, self._list_tokens, self._theme_source))
            if self._findings.trying.is_busy:
                column.addWidget(_waiting("Trying whether text leads to each token …"))
            elif self._findings.problem:
                column.addWidget(_waiting(self._findings.problem))
            for distribution in statistics.distributions:
                self._add_chart(column, distribution)
        column.addStretch()
        at = self.verticalScrollBar().value()
        self.setWidget(inside)
        self.verticalScrollBar().setValue(at)

    def _add_chart(self, column: QVBoxLayout, distribution: Distribution) -> None:
        column.addSpacing(MARGIN_PX)
        column.addWidget(heading(distribution.title))
        column.addSpacing(UNIT_PX)
        column.addWidget(sentence(f"{distribution.about} {SCALE}"))
        column.addSpacing(UNIT_PX)
        most = max((len(bar.tokens) for bar in distribution.bars), default=1)
        for bar in distribution.bars:
            share = float(np.log1p(len(bar.tokens)) / np.log1p(most))
            title = f"{distribution.title}: {bar.name}"
            column.addWidget(FigureRow(bar, title, self._list_tokens, self._theme_source, share))


def _waiting(text: str) -> QLabel:
    return set_role(QLabel(text, wordWrap=True), "dim")


class FigureRow(PaintedButton):
    """One figure: its value and its name; or, where it has a share, its name, a bar, and its value."""

    HEIGHT_PX, BAR_HEIGHT_PX = 26, 19
    FIRST_PX = 62  # the first column, from the left edge
    VALUE_PX = 66  # behind a bar
    radius_px = 5

    def __init__(
        self,
        finding: TreeFinding,
        title: str,
        list_tokens: ListTokens,
        theme_source: ThemeSource,
        share: float | None = None,
    ) -> None:
        super().__init__(theme_source)
        self._finding = finding
        self._title = title
        self._list_tokens = list_tokens
        self._share = share
        self.setFixedHeight(self.HEIGHT_PX if share is None else self.BAR_HEIGHT_PX)
        self.setAccessibleName(f"{title}: {finding.value}")
        self.setToolTip(finding.note)
        self.setEnabled(bool(len(finding.tokens)))
        self.setCursor(Qt.CursorShape.PointingHandCursor if self.isEnabled() else Qt.CursorShape.ArrowCursor)
        self.clicked.connect(self._list)

    def sizeHint(self) -> QSize:
        return QSize(200, self.height())

    def paint(self, painter: QPainter, theme: Theme) -> None:
        first = QRectF(0, 0, self.FIRST_PX, self.height())
        rest = QRectF(self.FIRST_PX + GAP_PX, 0, self.width() - self.FIRST_PX - GAP_PX, self.height())
        if self._share is None:
            write(painter, first, self._finding.value, theme.text, AT_RIGHT, Theme.mono_font(SMALL_FONT_PX))
            color = theme.text if self.isEnabled() else theme.dim
            font = Theme.ui_font(SMALL_FONT_PX)
            write(painter, rest, self._finding.name, color, font=font)
            metrics, note = QFontMetricsF(font), self._finding.note
            behind = rest.adjusted(metrics.horizontalAdvance(self._finding.name) + GAP_PX, 0, 0, 0)
            if metrics.horizontalAdvance(note) <= behind.width():
                write(painter, behind, note, theme.dim, font=font)
        else:
            self._paint_bar(painter, theme, first, rest, self._share)

    def _paint_bar(self, painter: QPainter, theme: Theme, first: QRectF, rest: QRectF, share: float) -> None:
        write(painter, first, self._finding.name, theme.dim, AT_RIGHT, Theme.mono_font(SMALL_FONT_PX))
        width = max(2.0, (rest.width() - self.VALUE_PX) * share)
        fill(painter, QRectF(rest.left(), 4, width, self.height() - 8), theme.contenders[0], 3)
        write(painter, rest.adjusted(width + GAP_PX, 0, 0, 0), self._finding.value, theme.text)

    def _list(self) -> None:
        self._list_tokens(self._title, self._finding.tokens)
