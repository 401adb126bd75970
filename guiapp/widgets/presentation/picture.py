"""The picture of one run or training at a step, in its part of the screen."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from guiapp.core.trace.debugger import Debugger
from guiapp.viewmodels.presentation.deck import AnyWalk
from guiapp.viewmodels.presentation.scene import EMPTY, Scene, scene, training_scene
from guiapp.viewmodels.steps.lattice import Lattice, lattice
from guiapp.viewmodels.steps.model import StepsModel
from guiapp.widgets.presentation.arcs import N_PLACES, Places, lay_out_places, paint_arcs
from guiapp.widgets.presentation.around import Stretch, lay_out_around, paint_around
from guiapp.widgets.presentation.paint_strip import cell_width, paint_strip
from guiapp.widgets.presentation.strip import Strip, lay_out, on_the_way
from guiapp.widgets.shared.painting import LEFT, write
from guiapp.widgets.shared.theme import Theme
from guiapp.widgets.steps.pictures.view import LATTICES

AROUND_PX = 84  # from the top of the line of text around to the picture
NAME_PX, NAME_FONT_PX, APART_PX = 44, 30, 28
HIDDEN_KINDS = ("now", "worse")  # arcs that would answer a question


class Picture(NamedTuple):
    """What is drawn, and where; `name` says of a race whose it is."""

    area: QRectF
    scene: Scene
    strip: Strip
    around: list[Stretch]
    lattice: Lattice | None = None
    places: Places | None = None
    name: str = ""

    def on_the_way(self, before: Picture, share: float) -> Picture:
        """The same with letters on their way from where they were."""
        if before.strip.scale != self.strip.scale or self.lattice is not None:
            return self
        return self._replace(strip=on_the_way(before.strip, self.strip, self.scene.blocks, share))

    def paint(self, painter: QPainter, theme: Theme) -> None:
        if self.name:
            row = QRectF(self.area.left(), self.area.top() - NAME_PX, self.area.width(), NAME_PX)
            write(painter, row, self.name, theme.dim, LEFT, Theme.ui_font(NAME_FONT_PX))
        paint_around(painter, theme, self.around)
        if self.lattice is not None and self.places is not None:
            paint_arcs(painter, theme, self.lattice, self.places, self.area)
        else:
            paint_strip(painter, theme, self.scene, self.strip, self.area)


def pictures(walk: AnyWalk, is_covered: bool, area: QRectF) -> list[Picture]:
    """One, or two of a race, one below the other."""
    if not isinstance(walk, StepsModel):
        made = EMPTY if walk.record is None else training_scene(walk.record, walk.position, is_covered)
        return [_picture(made, area)]
    debugger, rival = walk.debugger, walk.race.rival
    if debugger is None:
        return [_picture(EMPTY, area)]
    made = scene(debugger, walk.waiting, is_covered)
    if not walk.race.is_on:
        return [_of_run(debugger, made, is_covered, area)]
    height = (area.height() + APART_PX) / 2
    upper = area.adjusted(0, NAME_PX, 0, -height)
    names = walk.race.names
    found = [_picture(made._replace(around=None), upper, names[0])]
    if rival is not None:
        beside = scene(rival, rival.waiting(), is_covered)._replace(around=None)
        found.append(_picture(beside, upper.translated(0, height), names[1]))
    return found


def _of_run(debugger: Debugger, made: Scene, is_covered: bool, area: QRectF) -> Picture:
    """Where an encoder weighs the ways to each place, all of these."""
    is_lattice = debugger.trace.twin in LATTICES and debugger.trace.piece_at(debugger.position) >= 0
    shown = lattice(debugger, N_PLACES) if is_lattice else Lattice([], [])
    if is_covered:
        shown = Lattice(shown.places, [edge for edge in shown.edges if edge.kind not in HIDDEN_KINDS])
    picture = _picture(made._replace(blocks=[]) if shown.places else made, area)
    if not shown.places:
        return picture
    return picture._replace(lattice=shown, places=lay_out_places(shown, picture.area))


def _picture(shown: Scene, area: QRectF, name: str = "") -> Picture:
    around = [] if shown.around is None else lay_out_around(shown.around, area)
    inner = area.adjusted(0, AROUND_PX, 0, 0) if around else area
    return Picture(inner, shown, lay_out(shown, inner, cell_width), around, name=name)
