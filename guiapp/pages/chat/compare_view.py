"""The prompt with another one beside it: what it is compared with, counts, and two columns."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QFrame, QMenu, QSizePolicy

from guiapp.core.text.figures import counted
from guiapp.core.vocabulary.quoting import quoted
from guiapp.kit.widgets.buttons import tool_button
from guiapp.kit.widgets.fitted_label import FittedLabel
from guiapp.kit.widgets.layouts import framed, in_column, in_row
from guiapp.kit.widgets.menu_button import MenuButton, add_choice
from guiapp.kit.widgets.page_base import PageRequests
from guiapp.kit.widgets.style_sheet import plain_label, set_role
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, ThemeSource
from guiapp.kit.widgets.walk_buttons import WalkButtons
from guiapp.pages.chat.beside import Beside, ChatBeside, Compared, Way
from guiapp.pages.chat.side_by_side import BETWEEN_PX, SIDE_PX, SideBySide
from guiapp.pages.chat.template_panel import ask_for_template

LONGEST_NAME = 28
RIGHT_PX = 30  # with the scrollbar


class CompareMenu(MenuButton):
    """Lists what a prompt can be compared with.

    Signals:
        chosen(Beside | None): one of them; None for nothing.
    """

    chosen = Signal(object)

    def __init__(self, beside: ChatBeside, requests: PageRequests, themes: ThemeSource) -> None:
        super().__init__(themes, "Compare…", tip="Put another prompt of these messages beside")
        self._beside, self._requests = beside, requests
        self.list_anew(self._list)

    def _list(self, menu: QMenu) -> None:
        model, now = self._beside.model, self._beside.beside
        own = model.settings.add_generation_prompt
        rows = [
            ("Content as text", Beside(Way.AS_TEXT)),
            (f"{'Without' if own else 'With'} generation prompt", Beside(Way.NO_PROMPT)),
            ("llama.cpp's own prompt", Beside(Way.LLAMA_CPP)),
        ]
        for title, each in rows:
            self._add(menu, title, each)
        menu.addSeparator()
        shown = None if model.result is None or model.result.template is None else model.result.template.name
        for template in model.templates:
            if template.name != shown:
                self._add(
                    menu,
                    f"Template {quoted(template.name, LONGEST_NAME)}",
                    Beside(Way.TEMPLATE, template.name),
                )
        menu.addAction("A template's file…", self._ask_for_file)
        menu.addAction("Another model…", self._ask_for_model)
        if now is not None:
            menu.addSeparator()
            menu.addAction("Nothing", partial(self.chosen.emit, None))

    def _add(self, menu: QMenu, title: str, beside: Beside) -> None:
        add_choice(menu, title, beside == self._beside.beside, partial(self.chosen.emit, beside))

    def _ask_for_file(self) -> None:
        if name := ask_for_template(self):
            self.chosen.emit(Beside(Way.TEMPLATE, name))

    def _ask_for_model(self) -> None:
        self._requests.model_wanted.emit(self, self._take_model)

    def _take_model(self, name: str, pre: str | None) -> None:
        self.chosen.emit(Beside(Way.MODEL, name, pre))


class CompareView(QFrame):
    """A head, two columns, and the selected token below; `menu` stands wherever the page puts it.

    Signals:
        left(): people have seen enough.
    """

    left = Signal()

    def __init__(self, beside: ChatBeside, requests: PageRequests, themes: ThemeSource) -> None:
        super().__init__()
        self.beside, self._requests = beside, requests
        self.menu = CompareMenu(beside, requests, themes)
        self.menu.chosen.connect(beside.choose)
        self.columns = SideBySide(themes, beside.model.session.spelling)
        self.names = FittedLabel(), FittedLabel()
        self.counts = set_role(FittedLabel(), "dim")
        self.told = plain_label("dim", wraps=True)
        self.token = set_role(FittedLabel(), "number")
        self._back, self._on = (
            self._action("Previous difference", "Shift+F8", -1),
            self._action("Next difference", "F8", 1),
        )
        self.walk = WalkButtons(self._back, self._on, "Difference")
        self.close_button = tool_button(
            "×", self.left.emit, tip="End the comparison (Escape)", name="End the comparison"
        )
        head = in_row(
            (self.told, 1), self.walk, self.close_button, margins=(MARGIN_PX, GAP_PX), spacing=GAP_PX
        )
        for label in self.names:
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        sides = SIDE_PX, 0, RIGHT_PX, 0
        titles = in_row((self.names[0], 1), (self.names[1], 1), margins=sides, spacing=BETWEEN_PX)
        counts = in_row((self.counts, 1), margins=(MARGIN_PX, GAP_PX))
        self.tree = tool_button("Show in tree", self._show_in_tree, tip="Show this token in the token tree")
        below = in_row((self.token, 1), self.tree, margins=(MARGIN_PX, GAP_PX))
        in_column(
            framed(in_column(head, titles, counts, spacing=0), "bar"),
            (self.columns, 1),
            framed(below, "status"),
            on=self,
            spacing=0,
        )
        end = QAction("End the comparison", self)
        end.setShortcut(Qt.Key.Key_Escape)
        end.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        end.triggered.connect(self.left)
        for part in (self, self.menu):  # which has the focus again when its menu has closed
            part.addAction(end)
        self.setFocusProxy(self.columns)
        beside.changed.connect(self._follow)
        beside.model.result_changed.connect(self._follow)
        self.columns.selected_changed.connect(self._follow_selected)
        self._follow()

    def _action(self, text: str, keys: str, by: int) -> QAction:
        action = QAction(text, self)
        action.setShortcut(QKeySequence(keys))
        action.triggered.connect(partial(self.columns.step, by))
        self.addAction(action)
        return action

    def _follow(self) -> None:
        compared, beside = self.beside.compared, self.beside.beside
        self.columns.show_compared(compared, self.beside.is_busy or self.beside.model.is_behind)
        self.menu.setText("Compare…" if beside is None else f"Beside: {name_of(beside)}")
        if compared is None:
            said = self.beside.failure or ("Comparing…" if self.beside.is_busy else "There is no prompt yet.")
            self.told.setText(quoted(said, 300))
            for label in (*self.names, self.counts):
                label.set_texts([""])
        else:
            self._tell(compared)
        self._follow_selected()

    def _tell(self, compared: Compared) -> None:
        comparison = compared.comparison
        if compared.told:
            alike = compared.told
        elif comparison.has_same_ids:
            alike = "Equal to llama.cpp ✓" if compared.beside.way is Way.LLAMA_CPP else "The same ids"
        else:
            first, second = (int((~shared).sum()) for shared in comparison.is_shared)
            alike = f"{counted(first, 'token')} only at the left, {second:,} only at the right"
        n_shown, n_turns = len(compared.turns), len(comparison.turns)
        rest = "" if n_shown == n_turns else f" – the first {n_shown:,} of {n_turns:,} turns are shown"
        self.told.setText(alike + rest)
        names = names_of(compared.beside, self.beside.model.settings.add_generation_prompt)
        sizes = len(comparison.first.encoding), len(comparison.second.encoding)
        for label, name, n_tokens in zip(self.names, names, sizes, strict=True):
            label.set_texts([f"{name}   {counted(n_tokens, 'token')}", counted(n_tokens, "token")])
        parts = [
            f"{quoted(name, LONGEST_NAME)} {first:,}"
            + (f" → {second:,} ({_change(second - first)})" if first != second else "")
            for name, first, second in comparison.counts
            if first or second
        ]
        differing = [part for part in parts if "→" in part]
        self.counts.set_texts(["     ".join(parts), "     ".join(differing) or "all counts are the same"])

    def _follow_selected(self) -> None:
        """A token of what the page shows is selected there, too."""
        columns, model = self.columns, self.beside.model
        self.walk.show_place(columns.number, len(columns.differences))
        told = columns.told(columns.selected)
        parts = [] if told is None else [told.label, str(told.token_id), told.where, told.shared]
        texts = (
            [parts, [*parts[:2], *parts[3:]], parts[:2]]
            if parts
            else [["Choose a token to see where it is from."]]
        )
        self.token.set_texts(["   ".join(each) for each in texts])
        chat = columns.chat
        self.tree.setVisible(chat is not None and chat.tokenizer is model.session.tokenizer)
        if columns.selected is not None and chat is not None and chat.encoding is model.encoding:
            model.select_token(columns.selected[1])

    def _show_in_tree(self) -> None:
        if self.columns.selected is not None and (chat := self.columns.chat) is not None:
            self._requests.token_wanted.emit(int(chat.token_ids[self.columns.selected[1]]))


def name_of(beside: Beside) -> str:
    """What something is compared with, on a button."""
    if beside.way in (Way.TEMPLATE, Way.MODEL):
        return quoted(Path(beside.name).name or beside.name, LONGEST_NAME)
    return {
        Way.AS_TEXT: "content as text",
        Way.NO_PROMPT: "generation prompt",
        Way.LLAMA_CPP: "llama.cpp",
    }[beside.way]


def names_of(beside: Beside, has_prompt: bool) -> tuple[str, str]:
    """The titles of both columns."""
    other = name_of(beside)
    return {
        Way.AS_TEXT: ("As the model reads it", "Content as text"),
        Way.NO_PROMPT: (
            ("With generation prompt", "Without")
            if has_prompt
            else ("Without generation prompt", "With generation prompt")
        ),
        Way.TEMPLATE: ("This template", f"Template {other}"),
        Way.MODEL: ("This model", other),
        Way.LLAMA_CPP: ("Tokenloupe", "llama.cpp"),
    }[beside.way]


def _change(by: int) -> str:
    return f"{by:+,}".replace("-", "−")
