"""Beside the text: the tokens of each line, amber with a bar where they hold few characters."""

from __future__ import annotations

from guiapp.kit.document.document import TextDocument
from guiapp.kit.document.line_costs import LineCosts
from guiapp.kit.spans.editor import SpanEditor
from guiapp.kit.spans.margin import LineCost, LineMargin
from guiapp.kit.widgets.seen import SeenWatch
from guiapp.kit.widgets.theme import ThemeSource


class TextLineMargin(LineMargin):
    """Numbers at the first row of each line, while somebody wants them."""

    def __init__(
        self, document: TextDocument, costs: LineCosts, editor: SpanEditor, theme_source: ThemeSource
    ) -> None:
        super().__init__(document, editor, theme_source)
        self._costs = costs
        self.setToolTip("Tokens of each line; amber: fewer than two characters a token")
        costs.changed.connect(self.update)
        SeenWatch(self, costs.set_shown)

    def n_before(self) -> int:
        return self._costs.session.n_around[0]

    def cost_of(self, start: int, end: int) -> LineCost:
        n_tokens, is_dear = self._costs.of_line(start, end)
        return LineCost(n_tokens, is_dear, "", n_tokens / max(self._costs.most, n_tokens, 1))
