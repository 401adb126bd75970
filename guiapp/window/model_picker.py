"""The button that names the open model, and the popup to open another."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFormLayout,
    QFrame,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from guiapp.core.sources.locate import lasting_name
from guiapp.core.text.numbers_in_words import in_bytes
from guiapp.kit.session.choice import Choice, facts, model_rows, named_row, summary
from guiapp.kit.session.loader import ModelLoader, display_name
from guiapp.kit.state.qt_exceptions import protect_overrides
from guiapp.kit.state.recent import InstalledModels, RecentFiles
from guiapp.kit.widgets.controls import Popover, push_button
from guiapp.kit.widgets.event_filters import plain_tip
from guiapp.kit.widgets.labels import Span, StyledText
from guiapp.kit.widgets.layouts import in_column, in_row, scroll_down
from guiapp.kit.widgets.menu_button import MenuButton
from guiapp.kit.widgets.painting import LEFT, RIGHT, bold, elided, icon, width_of, write
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    heading,
    set_role,
)

LIST_SIZE = QSize(460, 430)
LEAST_LIST_PX, MOST_LIST_PX, AROUND_LIST_PX = 240, 640, 220  # limits of its height; what surrounds the list
FACTS_WIDTH_PX = 320
LONGEST_NAME_PX, SHORTEST_NAME_PX, LEAST_SUMMARY_PX = 280, 120, 60
HEIGHT_PX, ICON_PX, SIDE_PX = 30, 16, 10
AROUND_NAME_PX = 2 * (SIDE_PX + ICON_PX + GAP_PX)  # margins and icons, with the gaps next to the name
MOST_LINES = 6  # of a value


class ModelButton(MenuButton):
    """`name  type · pre · size ▾`, as much as fits; a click opens the picker."""

    def __init__(self, loader: ModelLoader, theme_source: ThemeSource) -> None:
        self._name = self._summary = self._lesson = ""
        super().__init__(theme_source)
        self._loader = loader
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        loader.model_changed.connect(self._refresh)
        loader.loading_changed.connect(self._refresh)
        self._refresh()

    def sizeHint(self) -> QSize:
        width = min(self._name_px, LONGEST_NAME_PX) + GAP_PX + self._summary_px
        return QSize(AROUND_NAME_PX + ceil(width), HEIGHT_PX)

    def minimumSizeHint(self) -> QSize:
        return QSize(AROUND_NAME_PX + ceil(min(self._name_px, SHORTEST_NAME_PX)), HEIGHT_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Shorten the summary if it does not fit, then omit it, then shorten the name."""
        super().paintEvent(event)  # paints the frame
        theme, room = self._theme_source.theme, self.rect().adjusted(SIDE_PX, 0, 1 - SIDE_PX, 0)
        with QPainter(self) as painter:
            self._model_icon.paint(painter, room, LEFT)
            self._arrow.paint(painter, room, RIGHT)
            room.adjust(ICON_PX + GAP_PX, 0, -ICON_PX - GAP_PX, 0)
            font, small = bold(Theme.ui_font()), Theme.ui_font()
            most = min(room.width(), LONGEST_NAME_PX)
            shown = elided(self._name, font, most, Qt.TextElideMode.ElideMiddle)
            write(painter, room, shown, theme.text, LEFT, font)
            room.adjust(ceil(width_of(shown, font)) + GAP_PX, 0, 0, 0)
            if room.width() >= min(self._summary_px, LEAST_SUMMARY_PX):
                write(painter, room, elided(self._summary, small, room.width()), theme.dim, LEFT, small)

    @property
    def _name_px(self) -> float:
        return width_of(self._name, bold(Theme.ui_font()))

    @property
    def _summary_px(self) -> float:
        return width_of(self._summary, Theme.ui_font())

    def name_lesson(self, setting: str) -> None:
        """Show the model of a running lesson; "" for the open model."""
        if setting != self._lesson:
            self._lesson = setting
            self._refresh()

    def _refresh(self) -> None:
        model = self._loader.model
        self._name = "No model" if model is None else display_name(model)
        self._summary = "open one" if model is None else summary(model)
        if self._lesson:
            name, self._name = self._name, self._lesson.removeprefix("with ")
            self._summary = f"in this lesson · {name} stays open"
        about = f"{self._name}\n{self._summary}"
        self.setToolTip(plain_tip(about if model is None else f"{about}\n{model.name}"))
        self.setAccessibleName(f"Model: {self._name}, {self._summary}")
        self.updateGeometry()
        self.update()

    def _color(self) -> None:
        dim = self._theme_source.theme.dim
        self._model_icon, self._arrow = icon("model", dim), icon("chevron-down", dim)


class ModelPicker(Popover):
    """Recent files, installed models and demo models to filter and choose from; facts about the open model.

    Signals:
        chosen(str): open this model: a path, `demo:<name>` and the like.

    open_button    asks for a file, once this is closed
    folder_button  asks for a folder to search for models, once this is closed
    """

    chosen = Signal(str)

    def __init__(
        self,
        loader: ModelLoader,
        recent: RecentFiles,
        installed: InstalledModels,
        theme_source: ThemeSource,
        parent: QWidget,
    ) -> None:
        from guiapp.kit.widgets.choice_list import ChoiceList

        protect_overrides()
        super().__init__(parent)
        self._loader = loader
        self._recent = recent
        self._installed = installed
        self._theme_source = theme_source
        self.setAccessibleName("Choose a model")
        hint, nothing = "Filter, or type a path or hf:OWNER/NAME", "No model matches"
        self.choices = ChoiceList("Models", theme_source, hint=hint, nothing=nothing)
        self.choices.rows.setFixedSize(LIST_SIZE)
        self.open_button = push_button("Open file…", self.close)
        self.folder_button = push_button(
            "Add folder…", self.close, tip="Also look for models in another folder"
        )
        self.clear_button = push_button("", self._clear, tip="Delete models downloaded from the web")
        self._found = set_role(QLabel(), "dim")
        self._named: list[Choice] = []
        self._offered: list[Choice] = []
        self._facts = set_role(QFrame(), "card")
        self._facts_layout = QFormLayout(self._facts)
        self._build_layout()
        self.choices.chosen.connect(self._choose)
        self.choices.filter.textEdited.connect(self._on_typed)
        installed.looking_changed.connect(self._show_status)
        recent.changed.connect(self._renew)
        installed.changed.connect(self._renew)
        loader.model_changed.connect(self._renew)

    def open_under(self, widget: QWidget) -> None:
        self.choices.filter.clear()
        self._named = []
        room_px = widget.window().height()
        self.choices.rows.setFixedHeight(min(max(LEAST_LIST_PX, room_px - AROUND_LIST_PX), MOST_LIST_PX))
        self._renew()
        self.choices.show_choices(self._offered)
        self._recent.check_missing()
        self._installed.scan()
        self._show_facts()
        for part in (self.choices, self):  # the layout may still be that of another window
            if (layout := part.layout()) is not None:
                layout.activate()
        super().open_under(widget)
        self.choices.setFocus()

    def _build_layout(self) -> None:
        facts_area = QScrollArea()
        facts_area.setFixedWidth(FACTS_WIDTH_PX)
        scroll_down(facts_area, self._facts)
        self._facts_layout.setContentsMargins(MARGIN_PX, MARGIN_PX, MARGIN_PX, MARGIN_PX)
        self._facts_layout.setHorizontalSpacing(MARGIN_PX)
        self._facts_layout.setVerticalSpacing(UNIT_PX)
        buttons = in_row(self.open_button, self.folder_button, spacing=UNIT_PX)
        right = in_column(heading("Model of this window"), (facts_area, 1), buttons, self.clear_button)
        left = in_column(self.choices, self._found)
        in_row(left, right, on=self, margins=MARGIN_PX, spacing=MARGIN_PX)

    def _renew(self) -> None:
        current = None if self._loader.model is None else lasting_name(self._loader.model.name)
        files, missing = self._recent.files, self._recent.missing
        self._offered = [*model_rows(files, missing, self._installed.rows, current)]
        self.choices.renew_choices([*self._named, *self._offered])
        self.clear_button.setText(f"Delete {in_bytes(self._installed.downloaded_bytes)} of downloads")
        self.clear_button.setVisible(self._installed.downloaded_bytes > 0)
        self._show_status()

    def _on_typed(self) -> None:
        named = named_row(self.choices.filter.text().strip())
        if named != self._named:
            self._named = named
            self.choices.renew_choices([*named, *self._offered])

    def _show_status(self) -> None:
        n_models = len(self._installed.rows)
        found = f"{n_models:,} model{'s' * (n_models != 1)} found on this machine"
        self._found.setText("Looking for models on this machine…" if self._installed.is_looking else found)

    def _show_facts(self) -> None:
        while self._facts_layout.rowCount():
            self._facts_layout.removeRow(0)
        if self._loader.model is None:
            self._facts_layout.addRow(QLabel("No model is open yet."))
            return
        for name, value in facts(self._loader.model):
            label, text = QLabel(name), StyledText(Theme.mono_font(SMALL_FONT_PX), MOST_LINES, name)
            set_role(label, "dim")
            text.set_spans([Span(value, self._theme_source.theme.text)])
            self._facts_layout.addRow(label, text)

    def _choose(self, name: str) -> None:
        self.close()
        self.chosen.emit(name)

    def _clear(self) -> None:
        self._installed.delete_downloads()
