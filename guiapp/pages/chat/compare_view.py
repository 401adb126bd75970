"""The prompt next to another one, with counts; and a badge that compares it with llama.cpp's prompt."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QMenu, QToolButton

from guiapp.analysis.chat.chat import Turn
from guiapp.analysis.chat.llama_cpp import is_installed, llama_prompt
from guiapp.analysis.chat.report import ChatComparison
from guiapp.analysis.compare.id_changes import IdChange, IdChanges, id_changes
from guiapp.analysis.explain.id_lists import NO_IDS
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.kit.prompt.spans import ChatSpans, line_of, origin_descriptions
from guiapp.kit.prompt.view import SIDE_PX, PromptView, TokenLine
from guiapp.kit.session.token_details import hover_text
from guiapp.kit.side_by_side.head import SideHead
from guiapp.kit.side_by_side.linked import ChangeSpans, LinkedViews, MarkedSpans, map_changes
from guiapp.kit.side_by_side.walk import DifferenceWalk
from guiapp.kit.spans.view import SpanView
from guiapp.kit.state.background import Background, NotReadyError, Progress, later
from guiapp.kit.widgets.controls import WalkButtons, tool_button
from guiapp.kit.widgets.event_filters import wrapped_tip
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import STRETCH, framed, in_column, in_row, in_splitter
from guiapp.kit.widgets.menu_button import MenuButton, add_choice
from guiapp.kit.widgets.page_base import PageRequests, PageSetting
from guiapp.kit.widgets.painting import LEFT, icon, write
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    Theme,
    ThemeSource,
    color_again,
    plain_label,
    set_role,
)
from guiapp.pages.chat.counterpart import (
    ComparedPrompt,
    ComparedPrompts,
    Counterpart,
    PromptComparison,
    PromptVariant,
)
from guiapp.pages.chat.model import ChatModel
from guiapp.pages.chat.template_panel import ask_for_template

if TYPE_CHECKING:
    from guiapp.analysis.chat.chat import Chat

LONGEST_NAME = 28
FRAME_MS = 8.0  # a frame, for new rows, on each side
IDS, TEXT, DIFFERS = "same as llama.cpp", "same text as llama.cpp", "differs from llama.cpp"
DATE = "only the date differs"
ABOUT_IDS = "llama.cpp makes the same text and the same ids from these messages."
ABOUT_TEXT = "llama.cpp makes the same text from these messages. It cannot read this model's file."
NO_OTHER = "There is no prompt to compare with."
LONGEST_PROBLEM = 400
IDLE_MS = 2_000
ICON_PX = 14


class CompareMenu(MenuButton):
    """Lists the prompts to compare with.

    Signals:
        chosen(Counterpart | None): the chosen one; None to end the comparison.
    """

    chosen = Signal(object)

    def __init__(self, counterpart: PromptComparison, requests: PageRequests, themes: ThemeSource) -> None:
        super().__init__(themes, "Compare…", tip="Compare with another prompt of these messages")
        self._beside, self._requests = counterpart, requests
        self.fill_on_open(self._list)

    def _list(self, menu: QMenu) -> None:
        model, now = self._beside.model, self._beside.counterpart
        own = model.settings.add_generation_prompt
        self._add(menu, "Content as text", Counterpart(PromptVariant.AS_TEXT))
        with_or_without = f"{'Without' if own else 'With'} generation prompt"
        self._add(menu, with_or_without, Counterpart(PromptVariant.NO_PROMPT))
        self._add(menu, "llama.cpp's own prompt", Counterpart(PromptVariant.LLAMA_CPP))
        menu.addSeparator()
        shown = None if model.result is None or model.result.template is None else model.result.template.name
        for name in (template.name for template in model.templates if template.name != shown):
            counterpart = Counterpart(PromptVariant.TEMPLATE, name)
            self._add(menu, f"Template {quoted(name, LONGEST_NAME)}", counterpart)
        menu.addAction("A template file…", self._ask_for_file)
        menu.addAction("Another model…", self._ask_for_model)
        if now is not None:
            menu.addSeparator()
            menu.addAction("Nothing", partial(self.chosen.emit, None))

    def _add(self, menu: QMenu, title: str, counterpart: Counterpart) -> None:
        is_chosen = counterpart == self._beside.counterpart
        add_choice(menu, title, is_chosen, partial(self.chosen.emit, counterpart))

    def _ask_for_file(self) -> None:
        if path := ask_for_template(self):
            self.chosen.emit(Counterpart(PromptVariant.TEMPLATE, str(path)))

    def _ask_for_model(self) -> None:
        self._requests.model_wanted.emit(self, self._take_model)

    def _take_model(self, name: str, pre: str | None) -> None:
        self.chosen.emit(Counterpart(PromptVariant.MODEL, name, pre))


class CompareView(QFrame):
    """A head, two columns, and the selected token below; the page places `menu`.

    outcome  the changes from the tokens of the left prompt to the tokens of the right one

    Signals:
        left(): the user ends the comparison.
    """

    left = Signal()

    def __init__(self, counterpart: PromptComparison, setting: PageSetting) -> None:
        super().__init__()
        self.counterpart = counterpart
        self.outcome: IdChanges = id_changes(NO_IDS, NO_IDS)
        themes = self._themes = setting.theme_source
        self.menu = CompareMenu(counterpart, setting.requests, themes)
        self.menu.chosen.connect(counterpart.choose)
        self.sides = PromptColumn(self, 0, themes), PromptColumn(self, 1, themes)
        self.links = LinkedViews(setting.actions["whitespace"], _sync, self)
        self.names = set_role(FittedLabel(), "strong"), set_role(FittedLabel(), "strong")
        self.heads = SideHead(themes, self.names[0]), SideHead(themes, self.names[1])
        self.walk = DifferenceWalk(self.sides[0].spans.document, self._differences, self)
        self.description = plain_label("dim", wraps=True)
        self.lines = [TokenLine(side.prompt, side.spans, setting.requests, themes) for side in self.sides]
        self.shared = set_role(QLabel(), "dim")  # whether both have the selected token
        self._aligning = later(self, 0, self._align_turns)
        self._build_layout()
        self.setFocusProxy(self.sides[0])
        for side in self.sides:
            self.links.add(side, FRAME_MS)
            side.prompt.selected_changed.connect(partial(self._on_selected_changed, side))
            for signal in (side.resized, side.zoom_changed):
                signal.connect(self._aligning.start)
        self.walk.moved.connect(self._show_difference)
        self.walk.changed.connect(self._show_index)
        counterpart.changed.connect(self._refresh)
        counterpart.model.result_changed.connect(self._refresh)
        self._refresh()

    @property
    def is_shown(self) -> bool:
        return self.counterpart.value is not None

    @property
    def is_painted(self) -> bool:
        """Whether all turns are in position, and all visible rows are fully painted."""
        return not self._aligning.isActive() and all(side.is_painted for side in self.sides)

    @property
    def selected(self) -> PromptColumn | None:
        """The side with the selected token."""
        return next((side for side in self.sides if side.prompt.selected_token is not None), None)

    def _build_layout(self) -> None:
        back = self._action("Previous difference", "Shift+F8", -1)
        self.walking = WalkButtons(back, self._action("Next difference", "F8", 1), "Difference")
        self.close_button = tool_button("×", self.left.emit, tip="End the comparison (Escape)")
        margins = MARGIN_PX, GAP_PX
        parts = (self.description, 1), self.walking, self.close_button
        above = framed(in_row(*parts, margins=margins, spacing=GAP_PX), "bar")
        for line in self.lines:
            set_role(line, "panel")  # the line above it continues to the right
        lines = (self.lines[0], 1), (self.lines[1], 1)
        below = framed(in_row(*lines, self.shared, MARGIN_PX, spacing=0), "status")
        columns = [
            framed(in_column(head, (side, 1), spacing=0))
            for head, side in zip(self.heads, self.sides, strict=True)
        ]
        self._columns = in_splitter(*columns, sizes=(500, 500), grows=(0, 1))
        in_column(above, (self._columns, 1), STRETCH, below, on=self, spacing=0)
        end = QAction("End the comparison", self)
        end.setShortcut(Qt.Key.Key_Escape)
        end.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        end.triggered.connect(self.left)
        for part in (self, self.menu):  # the button has focus after its menu closes
            part.addAction(end)

    def _action(self, text: str, keys: str, by: int) -> QAction:
        action = QAction(text, self)
        action.setShortcut(QKeySequence(keys))
        action.triggered.connect(partial(self.walk.step, by))
        self.addAction(action)
        return action

    # The comparison

    def _refresh(self) -> None:
        compared, counterpart = self.counterpart.value, self.counterpart.counterpart
        problem, model = self.counterpart.problem, self.counterpart.model
        is_outdated = self.counterpart.is_busy or model.is_outdated
        shown = (model.shown if problem else None, None) if compared is None else compared.sides
        self.outcome = id_changes(NO_IDS, NO_IDS) if compared is None else compared.comparison.changes
        for side, prompt in zip(self.sides, shown, strict=True):
            side.prompt.show(prompt, is_outdated)
        self.sides[1].set_placeholder(quoted(problem, LONGEST_PROBLEM))
        adds = [side.adds_before for side in self.sides]
        for side in self.sides:
            side.keep_rows_for_added(any(adds), False)
        self.menu.setText("Compare…" if counterpart is None else f"With: {name_of(counterpart)}")
        self.walking.setVisible(compared is not None)
        self._columns.setVisible(compared is not None or self.counterpart.is_busy or bool(problem))
        if counterpart is not None:
            names = names_of(counterpart, model.settings.add_generation_prompt)
            for label, name in zip(self.names, names, strict=True):
                label.set_texts([name])
        if compared is None:
            for side, head in zip(self.sides, self.heads, strict=True):
                side.begin_turns()
                side.cut_again()
                map_changes(side, side.spans, self._themes)
                head.show_counts(0, 0, 0, 0, is_known=False)
                head.show_size("")
            waits = "Comparing …" if self.counterpart.is_busy else "There is no prompt yet."
            self.description.setText(NO_OTHER if problem else waits)
            self.sides[1].setAccessibleDescription(problem)
        else:
            self._describe(compared)
        self._aligning.start()
        self.walk.changed.emit()
        self._on_selected_changed(self.sides[0])

    def _describe(self, compared: ComparedPrompts) -> None:
        comparison = compared.comparison
        if compared.description:
            alike = compared.description
        elif comparison.has_same_ids:
            is_of_llama = compared.counterpart.way is PromptVariant.LLAMA_CPP
            alike = "Equal to llama.cpp ✓" if is_of_llama else "The same ids"
        else:
            first, second = self.outcome.n_removed, self.outcome.n_inserted
            alike = f"{counted(first, 'token')} only on the left, {second:,} only on the right"
        self.description.setText(alike)
        sizes = len(comparison.first.encoding), len(comparison.second.encoding)
        for number, head in enumerate(self.heads):
            n_here, n_there = sizes[number], sizes[1 - number]
            head.show_counts(n_here, n_here - n_there, self.outcome.n_common, max(sizes))
            head.show_size(*_counts_in_words(comparison, number))

    def _align_turns(self) -> None:
        """Align the turns of the same message on both sides."""
        if (compared := self.counterpart.value) is None or not self.isVisible():
            return
        for side in self.sides:
            side.begin_turns()
        for pair in compared.comparison.turns:
            spans = [side.bytes_of(turn) for side, turn in zip(self.sides, pair, strict=True)]
            rows = [
                0 if span is None else side.rows.n_rows_between(*span)
                for side, span in zip(self.sides, spans, strict=True)
            ]
            for side, turn, span, n_rows in zip(self.sides, pair, spans, rows, strict=True):
                if max(rows):
                    absence = "" if turn is not None else _absence(pair.first or pair.second)
                    side.add_turn(span, n_rows, max(rows), absence)
        for side in self.sides:
            side.end_turns()
            map_changes(side, side.spans, self._themes)

    # The current difference and the selected token

    def _differences(self) -> ChangeSpans | None:
        return ChangeSpans(self.sides[0].spans, self.outcome) if self.is_shown else None

    def _show_index(self) -> None:
        self.walking.show_index(self.walk.current, self.walk.n_all)

    def _show_difference(self) -> None:
        """Select the first token of a difference, at the left if there is one; scroll both sides there."""
        assert self.walk.current is not None
        change = IdChange._make(self.outcome.rows[self.walk.current].tolist())
        is_at_left = change.first_start < change.first_end
        chosen, other = self.sides if is_at_left else self.sides[::-1]
        other.reveal(*other.spans.byte_span(change))
        chosen.go_to(change.first_start if is_at_left else change.second_start)

    def _on_selected_changed(self, side: PromptColumn) -> None:
        """Keep one token selected on one side only; if it is of the page's prompt, select it there, too."""
        model, index = self.counterpart.model, side.prompt.selected_token
        if index is not None:
            for other in self.sides:
                if other is not side:
                    other.prompt.select_token(None)
            left = self.sides[0].spans
            offset = side.spans.offset_of(index)
            caret = offset if side is self.sides[0] else side.spans.counterpart_offset(left, offset)
            left.document.set_caret(caret)
        shown = self.selected or self.sides[0]
        token = shown.prompt.selected_token
        for other, line in zip(self.sides, self.lines, strict=True):
            line.setVisible(other is shown)
        chat = shown.prompt.chat
        if token is None or chat is None:
            self.shared.setText("")
            return
        is_only_here = shown.has_alone(token)
        self.shared.setText(("only here" if is_only_here else "in both") if self.is_shown else "")
        self.lines[self.sides.index(shown)].tree.setVisible(chat.tokenizer is model.session.tokenizer)
        if chat.encoding is model.encoding:
            model.select_token(token)


def _sync(leader: SpanView, view: SpanView) -> None:
    """Scroll both sides to the same height, as turns are aligned."""
    view.verticalScrollBar().setValue(leader.verticalScrollBar().value())


def _counts_in_words(comparison: ChatComparison, number: int) -> list[str]:
    """The tokens of each role on a side, and how many more than on the left; in several lengths."""
    parts, differing = list[str](), list[str]()
    for name, *counts in comparison.counts:
        more = counts[number] - counts[0]
        part = f"{quoted(name, LONGEST_NAME)} {counts[number]:,}"
        part += f" ({more:+,})".replace("-", "−") if more else ""
        if any(counts):
            parts.append(part)
            differing += [part] if more else []
    rest = differing or parts[:-1]
    shorter = [parts, *(rest[:n] for n in range(len(rest), 0, -1))]
    return ["   ".join(each) for each in shorter]


def name_of(counterpart: Counterpart) -> str:
    """The name of a counterpart on a button."""
    if counterpart.way in (PromptVariant.TEMPLATE, PromptVariant.MODEL):
        return quoted(Path(counterpart.name).name or counterpart.name, LONGEST_NAME)
    return {
        PromptVariant.AS_TEXT: "content as text",
        PromptVariant.NO_PROMPT: "generation prompt",
        PromptVariant.LLAMA_CPP: "llama.cpp",
    }[counterpart.way]


def names_of(counterpart: Counterpart, has_prompt: bool) -> tuple[str, str]:
    other = name_of(counterpart)
    without = "Without generation prompt", "With generation prompt"
    return {
        PromptVariant.AS_TEXT: ("As the model reads it", "Content as text"),
        PromptVariant.NO_PROMPT: ("With generation prompt", "Without") if has_prompt else without,
        PromptVariant.TEMPLATE: ("This template", f"Template {other}"),
        PromptVariant.MODEL: ("This model", other),
        PromptVariant.LLAMA_CPP: ("Tokenloupe", "llama.cpp"),
    }[counterpart.way]


class PromptColumn(PromptView):
    """One of both prompts, with marks of tokens that only it has, and turns aligned with the other's.

    spans  the tokens of the prompt

    Signals:
        resized(): its rows may have changed.
    """

    numbers_hints = False
    resized = Signal()

    def __init__(self, view: CompareView, side: int, themes: ThemeSource) -> None:
        self.prompt = ComparedPrompt(view.counterpart.model.session, view)
        self._turns = ChatSpans(self.prompt, view)
        self.spans = MarkedSpans(self._turns, view, view, side)
        self._turns.tokens_changed.connect(self.spans.notify)
        self._turn_spans: list[tuple[int, int]] = []  # the bytes of turns …
        self._n_free: list[int] = []  # … and the free rows before each
        self._missing: list[tuple[int, int, str]] = []  # turns and free rows before a note, and the note
        self._n_due = 0  # rows to leave free before the next turn
        super().__init__(self.prompt, self._turns, themes, self.spans)
        self.set_token_tip(self._describe)
        self.setAccessibleName(f"{('Left', 'Right')[side]} prompt")

    @property
    def adds_before(self) -> bool:
        return len(self.spans.tokens) > 0 and self.spans.tokens.span(0)[1] == 0

    def has_alone(self, index: int) -> bool:
        """Whether the other prompt lacks a token."""
        window = self.spans.spans_in(*self.spans.tokens.span(index))
        return bool(self.spans.is_changed(window)[index - window.first_index])

    def _describe(self, index: int) -> str:
        origin = self.prompt.origins[index]
        lines = hover_text(self.spans, None, index), origin_descriptions(origin)[0], line_of(origin)
        return "\n".join(filter(None, lines))

    # Alignment of turns

    def begin_turns(self) -> None:
        self._turn_spans, self._n_free, self._missing, self._n_due = [], [], [], 0

    def bytes_of(self, turn: Turn | None) -> tuple[int, int] | None:
        """The bytes of a turn; None if it has no text."""
        encoding = self.prompt.encoding
        if turn is None or encoding is None:
            return None
        start, end = int(encoding.spans[turn.start, 0]), int(encoding.spans[turn.end - 1, 1])
        return (start, end) if start < end else None

    def add_turn(self, span: tuple[int, int] | None, n_rows: int, n_most: int, absence: str) -> None:
        """Append a turn; or a note, with as many free rows as the turn has on the other side."""
        n_free = self._n_due + int(bool(self._turn_spans or self._n_due))
        if span is None:
            self._missing.append((len(self._turn_spans), n_free, absence))
            self._n_due = n_free + n_most
        else:
            self._turn_spans.append(span)
            self._n_free.append(n_free)
            self._n_due = n_most - n_rows

    def end_turns(self) -> None:
        self._turns.leave_rows([start for start, _ in self._turn_spans], self._n_free)
        self.cut_again()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        row_px, rows, theme = self.rows.metrics.row_height, self.rows, self._themes.theme
        with QPainter(self.viewport()) as painter:
            for n_before, n_free, note in self._missing if self.prompt.chat else ():
                if n_before:
                    above = rows.position_of(self._turn_spans[n_before - 1][1] - 1).y + row_px
                else:
                    above = rows.position_of(0).y - row_px * (self._n_free[0] if self._n_free else 0)
                note_rect = QRectF(SIDE_PX, above + n_free * row_px, self.width(), row_px)
                write(painter, note_rect, note, theme.dim, LEFT, Theme.ui_font(SMALL_FONT_PX))


def _absence(turn: Turn | None) -> str:
    """The note in place of a turn that only the other prompt has."""
    if turn is None:
        return ""
    if turn.is_prompt:
        return "no generation prompt"
    return f"no {quoted(turn.role)} message" if turn.message is not None else "nothing"


# The comparison with llama.cpp, made by itself while the user does not type


class LlamaVerdict(NamedTuple):
    """How llama.cpp's prompt differs, "" if it does not.

    has_ids  whether ids were compared, too
    is_date  whether only today's date differs
    """

    difference: str
    has_ids: bool = True
    is_date: bool = False


class LlamaBadge(QToolButton):
    """Shows whether llama.cpp makes the same prompt; hidden while that is unknown.

    verdict  computed some time after the prompt has changed, in a separate process with llama.cpp
    """

    def __init__(self, model: ChatModel, theme_source: ThemeSource, idle_ms: int = IDLE_MS) -> None:
        super().__init__()
        self._model, self._theme_source, self._idle_ms = model, theme_source, idle_ms
        self._has_room = True
        self.verdict = Background[LlamaVerdict](self, self._comparing)
        set_role(self, "badge")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(ICON_PX, ICON_PX))
        self.verdict.changed.connect(self._refresh)
        theme_source.changed.connect(self._refresh)
        model.result_changed.connect(self._compare)
        model.edited.changed.connect(self._compare)
        self._refresh()

    def set_room(self, has_room: bool) -> None:
        """Hide the badge if there is no room for it."""
        self._has_room = has_room
        self._refresh()

    def _compare(self) -> None:
        self.verdict.forget()
        self.verdict.refresh(self._idle_ms)

    def _comparing(self) -> partial[LlamaVerdict] | None:
        chat = self._model.chat
        if self._model.is_outdated:
            raise NotReadyError
        if chat is None or chat.settings.as_text or not is_installed():
            return None
        return partial(_verdict, chat)

    def _refresh(self) -> None:
        verdict, theme = self.verdict.value or LlamaVerdict(self.verdict.problem), self._theme_source.theme
        is_known = self.verdict.value is not None or bool(verdict.difference)
        self.setVisible(is_known and self._has_room)
        equal, about = (IDS, ABOUT_IDS) if verdict.has_ids else (TEXT, ABOUT_TEXT)
        is_other = bool(verdict.difference) and not verdict.is_date
        self.setText(DATE if verdict.is_date else DIFFERS if is_other else equal)
        self.setToolTip(wrapped_tip(verdict.difference or about))
        self.setAccessibleDescription(verdict.difference or about)
        self.setIcon(icon("error", theme.bad) if is_other else icon("check", theme.good))
        self.setProperty("state", "bad" if is_other else "")
        color_again(self)


def _verdict(chat: Chat, progress: Progress) -> LlamaVerdict:
    prompt = llama_prompt(chat, partial(progress, 0.0))
    is_date = prompt.dates(chat.text) is not None
    return LlamaVerdict(prompt.difference(chat), prompt.token_ids is not None, is_date)
