"""What the Tree page shows: the picture, the chosen node, what is in view, and how it is coloured."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.tree.coloring import COLORINGS, ColoringInput, NodeValues, node_values
from guiapp.analysis.tree.partial_characters import begun_characters
from guiapp.analysis.tree.picture import ROOT, TreePicture, tree_picture
from guiapp.core.text.figures import counted
from guiapp.core.vocabulary.merges import PairMerging
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.kit.session.loader import display_name
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import LatestJob, Progress, Working, later
from guiapp.pages.tree.geometry import View, view_of, view_showing, within

SHAPES = ("sunburst", "icicle")
LEAST_SHARE = 0.05  # of the view, for a node that is to be seen
MOST_REMEMBERED = 200
COUNT_MS = 150  # the use in the text is counted when typing pauses
LABEL_LIMIT = 40
WORDS = {b"": "∅", b" ": "(space)"}  # whose signs are too small to be read alone
LINE_END = "\n"  # within a label
MORE_SIGN = "\u2002·\u2002"  # behind it: how many tokens are in a group, or what part of a character begins


class _Built(NamedTuple):
    """A picture, and what its nodes are coloured by under the name of a coloring."""

    picture: TreePicture
    values: NodeValues
    coloring: str


class TreeModel(Working):
    """The token tree of the session's vocabulary, as the Tree page looks at it.

    picture  None until the tree of the open vocabulary is ready
    values   what the nodes are coloured by; follows `coloring` when `evaluating` is done
    counts   how often each token occurs in the text

    Signals:
        picture_changed(): `picture` is new: another vocabulary is open, or its tree is ready.
        preparing_changed(): `is_preparing` is new.
        values_changed(): `values` is new.
        chosen_changed(): `chosen` is new.
        view_changed(): `view` is new.
        shape_changed(): `shape` is new.
        history_changed(): `can_go_back` or `can_go_forward` is new.
        counts_changed(): `counts` is new.
    """

    picture_changed = Signal()
    preparing_changed = Signal()
    values_changed = Signal()
    chosen_changed = Signal()
    view_changed = Signal()
    shape_changed = Signal()
    history_changed = Signal()
    counts_changed = Signal()

    def __init__(self, session: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.spelling = session.spelling
        self.picture: TreePicture | None = None
        self._chosen: int | None = None
        self._view: View = (0.0, 1.0)
        self._shape = SHAPES[0]
        self._coloring = COLORINGS[0].name
        self.values: NodeValues | None = None
        self.counts: NDArray[np.int64] | None = None
        self._back: list[View] = []
        self._forward: list[View] = []
        self.job = LatestJob[_Built](self, self._take_picture)
        self.evaluating = LatestJob[NodeValues](self, self._take_values)
        self._counting = later(self, COUNT_MS, self._count)
        session.vocabulary_changed.connect(self._build)
        session.loader.loading_changed.connect(self.preparing_changed)
        session.tokens_changed.connect(self._on_tokens_changed)
        session.selected_token_changed.connect(self._show_selection)
        self._build()

    # Picture

    @property
    def is_preparing(self) -> bool:
        """Whether a picture is on its way; else there is no model."""
        return self._session.vocabulary is not None or self._session.loader.loading_name is not None

    def _build(self) -> None:
        vocabulary = self._session.vocabulary
        self.picture = self.values = self._chosen = self.counts = None
        self._back, self._forward = [], []
        self.evaluating.cancel()
        if vocabulary is None:
            self.job.cancel()
        else:
            self.job.start(partial(_build, vocabulary, self._merging, self._coloring))
        self.picture_changed.emit()

    def _take_picture(self, built: _Built) -> None:
        self.picture, self.values, coloring = built
        self._view = view_of(self.picture, ROOT)
        self._count()
        self.picture_changed.emit()
        self.values_changed.emit()
        if coloring != self._coloring:
            self._evaluate()
        self.history_changed.emit()
        self._choose_selected()

    # Colours

    @property
    def coloring(self) -> str:
        return self._coloring

    def set_coloring(self, name: str) -> None:
        """Choose one of COLORINGS."""
        if name != self._coloring:
            self._coloring = name
            self._evaluate()

    def _count(self) -> None:
        vocabulary = self._session.vocabulary
        if vocabulary is None or self.picture is None:
            return
        ids = self._session.tokens.ids(0, len(self._session.tokens))
        self.counts = np.bincount(ids, minlength=len(vocabulary)).astype(np.int64)
        self.counts_changed.emit()
        if self._coloring == "use":
            self._evaluate()

    def _evaluate(self) -> None:
        if self.picture is not None:
            given = ColoringInput(self.picture, self._merging, self.counts)
            coloring = self._coloring
            self.evaluating.start(lambda _: node_values(coloring, given))

    @property
    def _merging(self) -> PairMerging | None:
        tokenizer = self._session.tokenizer
        return None if tokenizer is None else tokenizer.merging

    def _take_values(self, values: NodeValues) -> None:
        self.values = values
        self.values_changed.emit()

    # The chosen node

    @property
    def chosen(self) -> int | None:
        """The node that is looked at."""
        return self._chosen

    @property
    def chosen_token(self) -> int | None:
        """The token that is looked at, None for groups and the root."""
        if self.picture is None or self._chosen is None:
            return None
        return self.picture.token(self._chosen)

    @property
    def chosen_path(self) -> list[int]:
        """The nodes from the root to the chosen one."""
        if self.picture is None or self._chosen is None:
            return []
        return self.picture.path(self._chosen)

    def choose(self, node: int) -> None:
        """Look at a node, and select it in the text where it occurs."""
        self._set_chosen(node)
        if (token := self.chosen_token) is not None:
            self._session.select_use(token)

    def show_token(self, token: int) -> None:
        """Light the path to a token without selecting it in the text."""
        if self.picture is not None and (node := self.picture.node(token)) >= 0:
            self._set_chosen(node)
            self.set_view(view_showing(self.picture, self._view, node, LEAST_SHARE), remember=False)

    def walk(self, direction: str) -> None:
        """Go to the "parent", first "child", "next" or "previous" sibling of the chosen node."""
        if self.picture is None:
            return
        node = ROOT if self._chosen is None else self._chosen
        found = _neighbour(self.picture, node, direction)
        if found is not None:
            self.choose(found)
            self.reveal(found)

    def label(self, node: int, is_whole: bool = False) -> str:
        """What a node adds to its parent, or the whole token, as visible text; the whole root is a number."""
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
        """How a token of the picture is written."""
        return "" if self.picture is None else self.spelling.now.token(self.picture.vocabulary, token, limit)

    def part(self, data: bytes, limit: int) -> str:
        """How some bytes of tokens are written."""
        return "" if self.picture is None else self.spelling.now.part(self.picture.vocabulary, data, limit)

    @property
    def name(self) -> str:
        """What the root is called."""
        model = self._session.loader.model
        return "" if model is None else display_name(model)

    def _set_chosen(self, node: int | None) -> None:
        if node != self._chosen:
            self._chosen = node
            self.chosen_changed.emit()

    def _show_selection(self) -> None:
        """Fly to the token that was selected in the text; not to the one that a new text begins with."""
        before = self._chosen
        self._choose_selected()
        if before not in (None, self._chosen) and self._chosen is not None and self.picture is not None:
            view = view_showing(self.picture, self._view, self._chosen, LEAST_SHARE)
            self.set_view(view, remember=False)

    def _on_tokens_changed(self) -> None:
        self._counting.start()
        self._choose_selected()

    def _choose_selected(self) -> None:
        token = self._session.selected_id
        if self.picture is None or token is None:
            return
        if token != self.chosen_token and 0 <= token < len(self.picture.vocabulary):
            self._set_chosen(self.picture.node(token))

    # The view

    @property
    def view(self) -> View:
        """The stretch of leaves to be shown."""
        return self._view

    @property
    def can_go_back(self) -> bool:
        return bool(self._back)

    @property
    def can_go_forward(self) -> bool:
        return bool(self._forward)

    def set_view(self, view: View, remember: bool = True) -> None:
        """Show a stretch of leaves; `remember` where somebody may want to come back to the present one."""
        if self.picture is None:
            return
        view = within(self.picture, view)
        if view == self._view:
            return
        if remember:
            self._back = [*self._back[-MOST_REMEMBERED:], self._view]
            self._forward = []
            self.history_changed.emit()
        self._view = view
        self.view_changed.emit()

    def show(self, node: int) -> None:
        """Let a node fill the view."""
        if self.picture is not None:
            self.set_view(view_of(self.picture, node))

    def reveal(self, node: int) -> None:
        """Bring a node into view, large enough to be seen."""
        if self.picture is not None:
            self.set_view(view_showing(self.picture, self._view, node, LEAST_SHARE))

    def fit(self) -> None:
        """Show the whole tree."""
        self.show(ROOT)

    def go_back(self) -> None:
        if self._back:
            self._forward.append(self._view)
            self.set_view(self._back.pop(), remember=False)
            self.history_changed.emit()

    def go_forward(self) -> None:
        if self._forward:
            self._back.append(self._view)
            self.set_view(self._forward.pop(), remember=False)
            self.history_changed.emit()

    # The shape

    @property
    def shape(self) -> str:
        """One of SHAPES."""
        return self._shape

    def set_shape(self, shape: str) -> None:
        if shape != self._shape:
            self._shape = shape
            self.shape_changed.emit()


def _build(vocabulary: Vocabulary, merging: PairMerging | None, coloring: str, progress: Progress) -> _Built:
    picture = tree_picture(vocabulary)
    return _Built(picture, node_values(coloring, ColoringInput(picture, merging)), coloring)


def _neighbour(picture: TreePicture, node: int, direction: str) -> int | None:
    parent = picture.parent(node)
    if direction == "parent":
        return parent
    if direction == "child":
        return next(iter(picture.children(node)), None)
    siblings = range(1) if parent is None else picture.children(parent)
    other = node + (1 if direction == "next" else -1)
    return other if other in siblings else None
