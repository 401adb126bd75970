"""The state of the Tree page: picture, chosen node, view, search results and greedy walk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal

from guiapp.analysis.explain.merge_tree import Explainer
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.tree.coloring import COLORINGS, ColoringInput, NodeValues, node_values
from guiapp.analysis.tree.picture import ROOT, TreePicture, tree_picture
from guiapp.analysis.tree.reports import PrefixTree, WalkStep, greedy_walk, prefix_tree
from guiapp.analysis.tree.trials import begun_characters
from guiapp.analysis.vocabulary_list.columns import COLUMNS as TOKEN_COLUMNS
from guiapp.analysis.vocabulary_list.columns import TokenColumn, TokenFigures
from guiapp.analysis.vocabulary_list.filters import REACHED, distances, fitting
from guiapp.analysis.vocabulary_list.listing import in_order
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.merges import PairMerging
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.kit.session.loader import display_name
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import Background, Progress, Working
from guiapp.kit.state.settings import Settings
from guiapp.kit.token_table.list_model import ALL, ListRequest, ShownRows
from guiapp.kit.token_table.vocabulary import VocabularyModel
from guiapp.pages.tree.geometry import View, view_of, view_showing, within

STEP_MS = 450
MOST_TEXT = 1024  # bytes of the text for a walk
PREFIX_BEFORE, PREFIX_BEHIND = 16, 24  # bytes around the selected token
MOST_PREFIXES = 256  # the unknown token may cover the whole text
SHAPES = ("sunburst", "icicle")
LEAST_SHARE = 0.05  # of the view, for a node that is revealed
MOST_REMEMBERED = 200
COUNT_MS = 150  # occurrences in the text are counted when typing pauses
COUNTED_AT_ONCE = 1 << 17  # tokens
LABEL_LIMIT = 40
WORDS = {b"": "∅", b" ": "(space)"}  # for tokens whose symbols are too small to read alone
LINE_END = "\n"  # within a label
MORE_SIGN = "\u2002·\u2002"  # before the number of tokens in a group, or the begun part of a character


class _Built(NamedTuple):
    """A picture, and the explainer of its tokens."""

    picture: TreePicture
    explainer: Explainer


def _counted(ids: NDArray[np.int32], n_tokens: int, progress: Progress) -> NDArray[np.int64]:
    """Count the occurrences of each token; in batches, since NumPy blocks the window while it counts."""
    counts = np.zeros(n_tokens, np.int64)
    for first in range(0, len(ids), COUNTED_AT_ONCE):
        counts += np.bincount(ids[first : first + COUNTED_AT_ONCE], minlength=n_tokens)
        progress(first / len(ids))
    return counts


class TreeModel(Working):
    """The token tree of the session's vocabulary, and how the Tree page shows it.

    picture  None until the tree of the open vocabulary is ready; likewise the explainer
    chosen   the chosen node
    view     the visible range of leaves
    shape    one of SHAPES
    evaluating  the values that the nodes are coloured by; follows `coloring`
    counts   the number of occurrences of each token in the text

    Signals:
        picture_changed(): `picture` is new: another vocabulary is open, or its tree is ready.
        preparing_changed(): `is_preparing` is new.
        chosen_changed(): `chosen` is new.
        view_changed(): `view` is new.
        shape_changed(): `shape` is new.
        history_changed(): `can_go_back` or `can_go_forward` is new.
        counts_changed(): `counts` is new.
    """

    picture_changed = Signal()
    preparing_changed = Signal()
    chosen_changed = Signal()
    view_changed = Signal()
    shape_changed = Signal()
    history_changed = Signal()
    counts_changed = Signal()

    def __init__(self, session: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.spelling = session.spelling
        self.picture: TreePicture | None = None
        self.explainer: Explainer | None = None
        self.chosen: int | None = None
        self.view: View = (0.0, 1.0)
        self.shape = SHAPES[0]
        self.coloring = COLORINGS[0].name
        self._back: list[View] = []
        self._forward: list[View] = []
        self._building = Background[_Built](self, self._prepare_picture, is_watched=True)
        self._building.changed.connect(self._on_built)
        self.evaluating = Background[NodeValues](self, self._prepare_values, is_watched=True)
        self._counting = Background[NDArray[np.int64]](self, self._prepare_counts, is_watched=True)
        self._counting.changed.connect(self._on_counted)
        session.vocabulary_changed.connect(self._build)
        session.loader.loading_changed.connect(self.preparing_changed)
        session.tokens_changed.connect(self._on_tokens_changed)
        session.selected_token_changed.connect(self._show_selection)
        session.looked_at_changed.connect(self._show_selection)
        self._build()

    # Picture

    @property
    def is_preparing(self) -> bool:
        """Whether a picture is being built; otherwise there is no model."""
        return self.session.vocabulary is not None or self.session.loader.loading_name is not None

    def _build(self) -> None:
        self.picture = self.chosen = None
        self._back, self._forward = [], []
        self._counting.forget()
        self.evaluating.forget()
        self._building.forget()
        self._building.refresh()
        self.picture_changed.emit()

    def _prepare_picture(self) -> Callable[[Progress], _Built] | None:
        vocabulary = self.session.vocabulary
        return None if vocabulary is None else partial(_build, vocabulary, self._merging)

    def _on_built(self) -> None:
        if (built := self._building.value) is None:
            return
        self.picture, self.explainer = built
        self.view = view_of(self.picture, ROOT)
        self._counting.refresh()
        self._choose_selected()
        self.picture_changed.emit()
        self.evaluating.refresh()
        self.history_changed.emit()

    # Colours

    def set_coloring(self, name: str) -> None:
        if name != self.coloring:
            self.coloring = name
            self.evaluating.refresh()

    @property
    def counts(self) -> NDArray[np.int64] | None:
        return self._counting.value

    def _prepare_counts(self) -> Callable[[Progress], NDArray[np.int64]] | None:
        vocabulary, tokens = self.session.vocabulary, self.session.tokens
        if vocabulary is None or self.picture is None:
            return None
        return partial(_counted, tokens.ids(0, len(tokens)), len(vocabulary))

    def _on_counted(self) -> None:
        if not self._counting.is_current:
            return
        self.counts_changed.emit()
        if self.coloring == "use":
            self.evaluating.refresh()

    def _prepare_values(self) -> Callable[[Progress], NodeValues] | None:
        if self.picture is None:
            return None
        given, coloring = ColoringInput(self.picture, self._merging, self.counts), self.coloring
        return lambda _: node_values(coloring, given)

    @property
    def _merging(self) -> PairMerging | None:
        tokenizer = self.session.tokenizer
        return None if tokenizer is None else tokenizer.merging

    # The chosen node

    @property
    def chosen_token(self) -> int | None:
        """The chosen token; None for groups and the root."""
        if self.picture is None or self.chosen is None:
            return None
        return self.picture.token(self.chosen)

    @property
    def chosen_path(self) -> list[int]:
        if self.picture is None or self.chosen is None:
            return []
        return self.picture.path(self.chosen)

    def choose(self, node: int) -> None:
        """Choose a node, and select its token in the text if it occurs there."""
        self._set_chosen(node)
        if (token := self.chosen_token) is not None:
            self.session.select_use(token)

    def show_token(self, token: int) -> None:
        if self.picture is not None and (node := self.picture.node(token)) >= 0:
            self._set_chosen(node)
            self.reveal(node, remember=False)

    def walk(self, direction: str) -> None:
        """Go to the "parent", first "child", "next" or "previous" sibling of the chosen node."""
        if self.picture is None:
            return
        node = ROOT if self.chosen is None else self.chosen
        found = _neighbour(self.picture, node, direction)
        if found is not None:
            self.choose(found)
            self.reveal(found)

    def label(self, node: int, is_whole: bool = False) -> str:
        assert self.picture is not None
        token, tree = self.picture.token(node), self.picture.tree
        if token is not None:
            whole = tree.token_bytes(token)
            shown = whole if is_whole else tree.shown_bytes(token)
            text = self.written(token) if shown == whole else self.part(shown, LABEL_LIMIT)
            if not text or self.spelling.now is Spelling.SIGNS:
                text = WORDS.get(shown, text)
            begun = begun_characters(whole)
            return f"{text}{MORE_SIGN}{begun}" if begun else text
        if node == ROOT and is_whole:
            return counted(self.picture.n_below(node), "token").replace(" ", LINE_END)
        name = self.name if node == ROOT else self.picture.script(node)
        return f"{name}{MORE_SIGN}{self.picture.n_below(node):,}"

    def written(self, token: int, limit: int = LABEL_LIMIT) -> str:
        return "" if self.picture is None else self.spelling.now.token(self.picture.vocabulary, token, limit)

    def part(self, data: bytes, limit: int) -> str:
        return "" if self.picture is None else self.spelling.now.part(self.picture.vocabulary, data, limit)

    @property
    def name(self) -> str:
        model = self.session.loader.model
        return "" if model is None else display_name(model)

    def _set_chosen(self, node: int | None) -> None:
        if node != self.chosen:
            self.chosen = node
            self.chosen_changed.emit()

    def _show_selection(self) -> None:
        """Move to the token that was selected in the text, except the first token of a new text."""
        before = self.chosen
        self._choose_selected()
        if before not in (None, self.chosen) and self.chosen is not None:
            self.reveal(self.chosen, remember=False)

    def _on_tokens_changed(self) -> None:
        """Follow the token at the caret if it is out of view."""
        self._counting.refresh(COUNT_MS)
        self._choose_selected()
        if self.picture is not None and self.chosen is not None:
            start, end = self.picture.span(self.chosen)
            if start >= self.view[1] or end <= self.view[0]:
                self.reveal(self.chosen, remember=False)

    def _choose_selected(self) -> None:
        session = self.session
        token = session.selected_id if session.looked_at is None else session.looked_at
        if self.picture is None or token is None:
            return
        if token != self.chosen_token and 0 <= token < len(self.picture.vocabulary):
            self._set_chosen(self.picture.node(token))

    # The view

    @property
    def can_go_back(self) -> bool:
        return bool(self._back)

    @property
    def can_go_forward(self) -> bool:
        return bool(self._forward)

    def set_view(self, view: View, remember: bool = True) -> None:
        """Show a range of leaves; `remember` adds the present view to the history."""
        if self.picture is None:
            return
        view = within(self.picture, view)
        if view == self.view:
            return
        if remember:
            self._back = [*self._back[-MOST_REMEMBERED:], self.view]
            self._forward = []
            self.history_changed.emit()
        self.view = view
        self.view_changed.emit()

    def show(self, node: int) -> None:
        if self.picture is not None:
            self.set_view(view_of(self.picture, node))

    def reveal(self, node: int, remember: bool = True) -> None:
        if self.picture is not None:
            self.set_view(view_showing(self.picture, self.view, node, LEAST_SHARE), remember)

    def fit(self) -> None:
        self.show(ROOT)

    def go_back(self) -> None:
        self._return(self._back, self._forward)

    def go_forward(self) -> None:
        self._return(self._forward, self._back)

    def _return(self, taken: list[View], left: list[View]) -> None:
        if taken:
            left.append(self.view)
            self.set_view(taken.pop(), remember=False)
            self.history_changed.emit()

    # The shape

    def set_shape(self, shape: str) -> None:
        if shape != self.shape:
            self.shape = shape
            self.shape_changed.emit()


def _build(vocabulary: Vocabulary, merging: PairMerging | None, progress: Progress) -> _Built:
    return _Built(tree_picture(vocabulary), Explainer(vocabulary, merging))


def _neighbour(picture: TreePicture, node: int, direction: str) -> int | None:
    parent = picture.parent(node)
    if direction == "parent":
        return parent
    if direction == "child":
        return next(iter(picture.children(node)), None)
    siblings = range(1) if parent is None else picture.children(parent)
    other = node + (1 if direction == "next" else -1)
    return other if other in siblings else None


NOTHING = np.zeros(0, np.int32)
FOUND = "Found"
COLUMNS = tuple(
    replace(each, is_usual=each.name in ("id", "token", "below"))
    for each in TOKEN_COLUMNS
    if each.name != REACHED
)


class TreeSearch(VocabularyModel):
    """Lists tokens of the tree by a filter, or a given list of tokens; empty without either.

    Choosing a row chooses its token in the tree.
    """

    def __init__(
        self, model: TreeModel, settings: Settings | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(model.session, settings, parent, "found_columns")
        self._tree = model
        self._given = NOTHING  # the given tokens; their title is the group of the request
        model.picture_changed.connect(self._on_picture_changed)

    @property
    def column_table(self) -> Sequence[TokenColumn]:
        return COLUMNS

    @property
    def title(self) -> str:
        """The title of the listed tokens; "" if there is no search."""
        request = self.shown.request
        if self.shown.problem:
            return ""
        return request.group if request.group != ALL else FOUND if request.query.strip() else ""

    @cached_property
    def result_nodes(self) -> NDArray[np.int32]:
        """The nodes of the listed tokens, in their order."""
        picture, source = self._tree.picture, self.shown.source
        if picture is None or source is None or picture.vocabulary is not source.vocabulary:
            return NOTHING
        return picture.layout.nodes[np.asarray(self.shown.rows, np.int32)]

    @property
    def current(self) -> int | None:
        """The index of the chosen token in the list, from 0."""
        return self.position_of(self.chosen)

    @property
    def current_node(self) -> int | None:
        return None if self.current is None or not len(self.result_nodes) else self.result_nodes[self.current]

    @property
    def is_in_view(self) -> bool:
        """Whether any result is in view."""
        picture, (left, right) = self._tree.picture, self._tree.view
        if picture is None:
            return False
        starts, ends = picture.layout.starts[self.result_nodes], picture.layout.ends[self.result_nodes]
        return bool(((starts < right) & (ends > left)).any())

    def set_query(self, query: str) -> None:
        """Search for a query; this replaces a given list."""
        self._request(self.request._replace(query=query, group=ALL), pauses="/" in query)

    @property
    def is_listed(self) -> bool:
        return super().is_listed and (len(self.result_nodes) > 0 or not len(self.shown.rows))

    def list_tokens(self, title: str, tokens: NDArray[np.int32]) -> None:
        """List the given tokens as results, and choose the first."""
        self._given, self.request, self._waiting = tokens, ListRequest(group=title), 1
        self.request_changed.emit()
        self._list()

    def _list(self, wait_ms: int = 0) -> None:
        if self.query.strip() or self.request.group != ALL:
            super()._list(wait_ms)
        else:
            self._show_now(ShownRows(self.request, self.source))

    def gather(self, tokenizer: Tokenizer, progress: Progress) -> TokenFigures:
        figures = TokenFigures(tokenizer)
        figures.positions, figures.depths  # noqa: B018  # computed for searches
        return figures

    def list_rows(
        self, source: TokenFigures, request: ListRequest, progress: Progress
    ) -> ShownRows[TokenFigures]:
        """The requested tokens, sorted by a column, or else nearest first, from left to right."""
        query, given, sort = request.query, self._given[self._given < len(source)], self.sorting(request)
        if request.group != ALL:
            flags = source.flags(given)
        else:
            with closing(source.matcher):
                flags = fitting(source, query, progress)
        flags &= source.depths > 0
        if sort is not None:
            return ShownRows(request, source, in_order(source, flags, sort, request.is_descending))
        if request.group != ALL:
            return ShownRows(request, source, given[flags[given]])
        ids = np.flatnonzero(flags).astype(np.int32)
        order = np.lexsort((source.positions[ids], distances(source, query, ids)))
        wider = self.wider_than(source, query, len(ids), progress)
        return ShownRows(request, source, ids[order], wider=wider)

    def choose(self, row: int) -> None:
        super().choose(row)
        if self._tree.picture is not None:
            self._tree.choose(node := self._tree.picture.node(row))
            self._tree.reveal(node)

    def _on_selection_changed(self) -> None:
        """Ignore a selection in the text: it is not a search result."""

    def _on_picture_changed(self) -> None:
        self._show(self.shown)

    def _show(self, shown: ShownRows[TokenFigures]) -> None:
        is_other, self.shown = shown.request != self.shown.request, shown
        self.__dict__.pop("result_nodes", None)
        if is_other:
            self._set_chosen(None)
        super()._show(shown)


class TreeWalk(Working):
    """A greedy walk through the text; it begins at the selected token, and restarts with each selection.

    Signals:
        changed(): `step` or `is_playing` is new.
    """

    changed = Signal()

    def __init__(self, model: TreeModel, session: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._session = session
        self._steps: list[WalkStep] | None = None
        self._begin = 0
        self._at = -1
        self._timer = QTimer(self, interval=STEP_MS)
        self._timer.timeout.connect(self._tick)
        session.tokens_changed.connect(self._forget)
        session.selected_token_changed.connect(self._forget)
        model.picture_changed.connect(self._forget)

    @property
    def steps(self) -> list[WalkStep]:
        """All steps of the walk; offsets count from its beginning."""
        if self._steps is None:
            picture = self._model.picture
            text = self._session.document.slice(self._begin, self._begin + MOST_TEXT)
            special = self._special_tokens(len(text))
            self._steps = [] if picture is None else greedy_walk(picture.tree, text, special)
        return self._steps

    def _special_tokens(self, size: int) -> dict[int, tuple[int, int]]:
        """The special tokens in the walk's text: their end and id, by their start."""
        session = self._session
        shown = session.tokens.between(*session.tokens.indexes_in(self._begin, self._begin + size))
        is_special = session.attributes_of(shown.ids) & (Attribute.CONTROL | Attribute.USER_DEFINED) > 0
        starts, ends = shown.starts - self._begin, shown.ends - self._begin
        rows = np.flatnonzero(is_special & (starts < ends))
        return {int(starts[row]): (int(ends[row]), int(shown.ids[row])) for row in rows}

    @property
    def step(self) -> WalkStep | None:
        return self.steps[self._at] if 0 <= self._at < len(self.steps) else None

    @property
    def is_playing(self) -> bool:
        return self._timer.isActive()

    def read(self, end: int, start: int = 0) -> bytes:
        """The text between two offsets of the walk."""
        return self._session.document.slice(self._begin + start, self._begin + end)

    def play(self) -> None:
        """Play the walk, from the selected token if it has not begun or is at its end; or pause."""
        if self.is_playing:
            self._timer.stop()
        else:
            if self.step is None or self._at + 1 >= len(self.steps):
                self.restart()
            self._timer.start()
        self.changed.emit()

    def restart(self) -> None:
        index = self._session.selected_token
        self._begin = 0 if index is None else self._session.tokens.span(index)[0]
        self._steps, self._at = None, -1

    def move(self, by: int) -> None:
        if self.step is None and by > 0 and self._steps is None:
            self.restart()
        self._at = max(-1, min(self._at + by, len(self.steps) - 1))
        step = self.step
        if step is not None and step.token is not None:
            self._model.show_token(step.token)
        self.changed.emit()

    def prefix_tree(self) -> PrefixTree | None:
        """The last token of each prefix of the text around the selected token; None without one."""
        tokenizer, index = self._session.tokenizer, self._session.selected_token
        if tokenizer is None or index is None or index >= len(self._session.tokens):
            return None
        start, end = self._session.tokens.span(index)
        first = index
        while first > 0 and start - self._session.tokens.span(first - 1)[0] <= PREFIX_BEFORE:
            first -= 1
        begin = self._session.tokens.span(first)[0]
        last = min(end + PREFIX_BEHIND, begin + MOST_PREFIXES)
        return prefix_tree(tokenizer, self._session.document.slice(begin, last))

    def _tick(self) -> None:
        if self._at + 1 >= len(self.steps):
            self._timer.stop()
            self.changed.emit()
        else:
            self.move(1)

    def _forget(self) -> None:
        self._timer.stop()
        self._steps, self._at, self._begin = None, -1, 0
        self.changed.emit()
