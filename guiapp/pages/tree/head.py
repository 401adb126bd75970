"""The line over the picture of the tree: what it shows, or what the search in it found."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame

from guiapp.core.text.figures import counted
from guiapp.kit.widgets.fitting_line import FittingLine
from guiapp.kit.widgets.layouts import in_row
from guiapp.kit.widgets.style_sheet import heading, set_role
from guiapp.kit.widgets.theme import MARGIN_PX, UNIT_PX, ThemeSource
from guiapp.pages.tree.model import TreeModel
from guiapp.pages.tree.search import FOUND, TreeSearch

LIES = {"sunburst": "lies around", "icicle": "hangs under"}


def about(shape: str) -> tuple[str, ...]:
    """What somebody sees who has never seen a picture of this shape."""
    first = f"A token {LIES[shape]} the longest token that it begins with."
    return f"{first} Wide: many tokens begin with it. Click one.", f"{first} Click one.", first


class TreeHead(QFrame):
    """One line, in the same place whatever it says."""

    def __init__(self, model: TreeModel, search: TreeSearch, theme_source: ThemeSource) -> None:
        super().__init__()
        self._search = search
        self._model = model
        set_role(self, "ground")
        self.line = FittingLine(theme_source)
        title = heading("Token tree")
        in_row(title, (self.line, 1), on=self, margins=(MARGIN_PX, UNIT_PX), spacing=3 * UNIT_PX)
        search.found_changed.connect(self._follow)
        search.current_changed.connect(self._follow)
        search.job.busy_changed.connect(self._follow)
        model.view_changed.connect(self._follow_view)
        model.shape_changed.connect(self._follow)
        self._follow()

    def _follow_view(self) -> None:
        if self._search.query or self._search.title:
            self._follow()

    def _follow(self) -> None:
        search = self._search
        if search.problem:
            self.line.say(f"⚠ {search.problem}", color="warning")
        elif not (search.query or search.title):
            self.line.say(*about(self._model.shape))
        elif search.job.is_busy:
            self.line.say("Searching …")
        elif not len(search.found_nodes):
            self.line.say("No token matches.", color="text")
        else:
            self.line.say(*self._found(), color="text")

    def _found(self) -> tuple[str, ...]:
        """How many were found, where they are, and how to get there."""
        search, n_found = self._search, len(self._search.found_nodes)
        if search.current is not None:
            place = f"{search.current + 1:,} of {n_found:,}"
            return f"{place}, ringed in the picture. Enter goes to the next, Escape ends.", f"{place} found"
        found = counted(n_found, "token") if search.title == FOUND else f"{search.title}: {n_found:,}"
        where = (
            "bright in the picture and listed under Found"
            if search.is_in_view
            else "none in view, all under Found"
        )
        go = "Enter goes to the first."
        return f"{found} found: {where}. {go}", f"{found} found. {go}", f"{found} found"
