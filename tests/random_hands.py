"""Random user actions on the real window: keys, clicks, wheels, models, runs and more.

Keys and clicks go where a user's would: to the open menu or dialog, else to the active window.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from embedded_models import rows_with_dead, with_tensors
from gguf import GGMLQuantizationType
from hands import turn_wheel
from hostile_texts import SHORT
from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QWidget
from shiboken6 import isValid

from guiapp import open_model
from guiapp.analysis.chat.messages import conversation_of
from guiapp.core.demo import DEMO_MODELS, SAMPLES, sample_text
from guiapp.window.app import Shell

KEY, BUTTON, MODIFIER = Qt.Key, Qt.MouseButton, Qt.KeyboardModifier
NONE, CTRL, SHIFT = MODIFIER.NoModifier, MODIFIER.ControlModifier, MODIFIER.ShiftModifier
LETTERS = [Qt.Key(code) for code in b"ABEHILNORSTW"] + [KEY.Key_Space] * 3
MOVES = [KEY.Key_Left, KEY.Key_Right, KEY.Key_Up, KEY.Key_Down, KEY.Key_Home, KEY.Key_End]
OTHERS = [KEY.Key_Return, KEY.Key_Tab, KEY.Key_Backspace, KEY.Key_Delete, KEY.Key_PageUp, KEY.Key_PageDown]
TYPED = {KEY.Key_Return: "\r", KEY.Key_Tab: "\t", KEY.Key_Backspace: "\b", KEY.Key_Delete: "\x7f"}
PAGES = [KEY.Key_1, KEY.Key_2, KEY.Key_4, KEY.Key_5, KEY.Key_6, KEY.Key_7, KEY.Key_8]
TAB_PAGES = (
    "compare",
    "compare_texts",
    "compare_vocabularies",
    "compare_languages",
    "hunt",
    "special_tokens",
    "vocabulary",
    "doctor",
)
CHAT_TEMPLATES = (
    None,
    "{% for each in messages %}<s>{{ each.role }}\n{{ each.content }}</s>{% endfor %}",
    "{{ messages[9].content }}",
    "{% for each in range(10**9) %}{% endfor %}",
)
COMPOSED = ("é", "汉", "🚀", "นี้", "e\u0301")
TRAININGS = ("bpe:300", "wordpiece:200", "unigram:200")
BENCH_MS = HUNT_MS = 2000
N_PLACES = 40  # random positions, from which a widget is chosen
SLIDE_KEYS = (
    *MOVES,
    KEY.Key_Space,
    KEY.Key_Return,
    KEY.Key_Backspace,
    KEY.Key_P,
    KEY.Key_F10,
    KEY.Key_Escape,
)
DEAD = range(195, 280)  # rows of a model with embeddings
SESSION = "file.session"
NOT_TRIGGERED = ("quit", "open_model", "open_text")  # the last two have events of their own


class RandomHands:
    """Random actions, the same for the same random numbers as long as the window shows the same.

    table  the actions and their relative frequencies
    name   the present event, with details added by some actions
    """

    def __init__(self, shell: Shell, rng: random.Random, folder: Path) -> None:
        self.shell, self.rng, self._folder = shell, rng, folder
        self.name = ""
        self._embedded = _model_with_embeddings(folder / "embedded.gguf")
        self._models = [f"demo:{demo.name}" for demo in DEMO_MODELS] + _real_vocabularies()
        self.table: dict[Callable[[], object], float] = {
            self._letter: 30, self._move: 8, self._other_key: 8, self._compose: 2,
            self._paste: 4, self._undo: 4, self._redo: 3, self._find: 1, self._search_tree: 1,
            self._click: 20, self._double_click: 2, self._drag: 3, self._menu: 3, self._hover: 4,
            self._wheel: 8, self._page: 4, self._action: 8, self._step: 6, self._train: 0.3, self._bench: 0.1,
            self._tab: 3, self._beside: 2, self._hunt: 0.3, self._chat: 2, self._why: 2, self._race: 2,
            self._embeddings: 1, self._spelling: 1, self._present: 0.5, self._slide: 6, self._session: 2,
            self._notes: 0.3, self._lesson: 0.5,
            self._model: 1, self._sample: 1, self._open: 1, self._resize: 1, self._theme: 0.5, close: 3,
        }  # fmt: skip

    def do_something(self) -> None:
        (act,) = self.rng.choices([*self.table], [*self.table.values()])
        self.do(act)

    def do(self, act: Callable[[], object]) -> None:
        self.name = act.__name__.removeprefix("_")
        act()

    # Keys

    def _press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
        window = self._window()
        for is_press in (True, False):  # not QTest.keyClick: its Shift and Ctrl may close the window
            _use(QTest.simulateEvent, window, is_press, key.value, modifiers, _typed(key, modifiers), False)

    def _letter(self) -> None:
        self._press(self.rng.choice(LETTERS), self.rng.choice((NONE, NONE, SHIFT)))

    def _move(self) -> None:
        self._press(self.rng.choice(MOVES), self.rng.choice((NONE, CTRL, SHIFT, CTRL | SHIFT)))

    def _other_key(self) -> None:
        self._press(self.rng.choice(OTHERS), self.rng.choice((NONE, NONE, CTRL, SHIFT)))

    def _compose(self) -> None:
        event = QInputMethodEvent("", [])
        event.setCommitString(self.rng.choice(COMPOSED))
        if (widget := QApplication.focusWidget()) is not None:
            QApplication.sendEvent(widget, event)

    def _paste(self) -> None:
        QGuiApplication.clipboard().setText(self._text().decode(errors="replace"))
        self._press(KEY.Key_V, CTRL)

    def _undo(self) -> None:
        self._press(KEY.Key_Z, CTRL)

    def _redo(self) -> None:
        self._press(KEY.Key_Z, CTRL | SHIFT)

    def _page(self) -> None:
        self._press(self.rng.choice(PAGES), CTRL)

    def _find(self) -> None:
        self._press(KEY.Key_1, CTRL)
        self._press(KEY.Key_F, CTRL)
        self._letter()

    def _search_tree(self) -> None:
        self._press(KEY.Key_6, CTRL)
        if (page := self.shell.window.pages.pages.get("tree")) is not None:
            page.bar.query.setFocus()
            self._letter()

    # The mouse

    def _click(self, button: Qt.MouseButton = BUTTON.LeftButton) -> None:
        _, window, place = self._somewhere()
        modifiers = self.rng.choice((NONE, NONE, NONE, CTRL, SHIFT))
        for act in (QTest.mousePress, QTest.mouseRelease):
            _use(act, window, button, modifiers, place)

    def _menu(self) -> None:
        self._click(BUTTON.RightButton)

    def _double_click(self) -> None:
        _, window, place = self._somewhere()
        _use(QTest.mouseDClick, window, BUTTON.LeftButton, NONE, place)

    def _drag(self) -> None:
        _, window, place = self._somewhere()
        goal = QPoint(self.rng.randrange(window.width()), self.rng.randrange(window.height()))
        _use(QTest.mousePress, window, BUTTON.LeftButton, NONE, place)
        for share in (0.3, 0.6, 1.0):
            _use(QTest.mouseMove, window, place + (goal - place) * share)
        _use(QTest.mouseRelease, window, BUTTON.LeftButton, NONE, goal)

    def _hover(self) -> None:
        _, window, place = self._somewhere()
        _use(QTest.mouseMove, window, place)

    def _wheel(self) -> None:
        widget, window, place = self._somewhere()
        modifiers = self.rng.choice((NONE, NONE, CTRL, SHIFT))
        turn_wheel(widget, widget.mapFrom(window, place), self.rng.choice((-480, -120, 120)), modifiers)

    def _somewhere(self) -> tuple[QWidget, QWidget, QPoint]:
        """A random visible widget, its window, and a position of the widget in the window.

        The widget is one of those at random positions, which includes small ones.  A list of all children
        would leave a Python object for each, even after the widget is deleted.
        """
        window = self._window()
        places = [self._place_in(window.rect()) for _ in range(N_PLACES)]
        widget = self.rng.choice([window, *dict.fromkeys(filter(None, map(window.childAt, places)))])
        self.name += f" {type(widget).__name__} {widget.accessibleName()}".rstrip()
        seen = widget.visibleRegion().boundingRect() or widget.rect()
        return widget, window, widget.mapTo(window, self._place_in(seen))

    def _place_in(self, rect: QRect) -> QPoint:
        return QPoint(
            self.rng.randint(rect.left(), rect.right()), self.rng.randint(rect.top(), rect.bottom())
        )

    # The window and its actions

    def _action(self) -> None:
        self._trigger(lambda name: name not in NOT_TRIGGERED)

    def _step(self) -> None:
        self._trigger(lambda name: name.startswith("debug_"))

    def _theme(self) -> None:
        self._trigger(lambda name: name.startswith("theme:"))

    def _trigger(self, matches: Callable[[str], bool]) -> None:
        """Trigger one of the enabled actions."""
        enabled = [row.name for row, action in self.shell.window.actions_table if action.isEnabled()]
        names = [name for name in enabled if matches(name)]
        if names and asking() is None:
            self.name = self.rng.choice(names)
            self.shell.window.actions_table[self.name].trigger()

    def _spelling(self) -> None:
        self._trigger(lambda name: name.startswith("spelling:"))

    def _why(self) -> None:
        """Ask why a random token of the text is there."""
        n_tokens = len(self.shell.session.tokens)
        if n_tokens and asking() is None:
            self.shell.window.requests.why_wanted.emit(self.rng.randrange(n_tokens))

    def _race(self) -> None:
        """Race another encoder or another model against the steps, or none."""
        if asking() is not None:
            return
        page, others = self.shell.window.pages.show_page("steps"), self.shell.compared.sessions[1:]
        race = page.model.race
        if others and self.rng.random() < 0.3:
            offset = self.rng.randrange(self.shell.session.document.size + 1)
            page.race_with(self.rng.choice(others), offset)
        else:
            race.scout()
            race.choose(self.rng.choice(["", *race.encoders]))

    def _lesson(self) -> None:
        if asking() is None:
            page = self.shell.window.pages.show_page("steps")
            lesson = self.rng.choice(page.player.lessons)
            page.player.begin(lesson.name, self.rng.randrange(len(lesson.steps)))

    def _present(self) -> None:
        """Start or end the presentation."""
        if asking() is None:
            self.shell.window.actions_table["present"].toggle()

    def _slide(self) -> None:
        """Press a key of presentations, during one."""
        if self.shell.window.is_presented:
            self._press(self.rng.choice(SLIDE_KEYS))

    def _session(self) -> None:
        """Save a session, or open the saved one, perhaps damaged."""
        sessions, path = self.shell.commands.files.sessions, self._folder / SESSION
        if not path.exists() or self.rng.random() < 0.3:
            sessions.ask_and_save()
            return
        content = bytearray(path.read_bytes())
        for _ in range(self.rng.choice((0, 0, 1, 20))):
            content[self.rng.randrange(len(content))] = self.rng.randrange(256)
        spoiled = self._folder / "spoiled.session"
        spoiled.write_bytes(content)
        sessions.open(spoiled)

    def _notes(self) -> None:
        if asking() is None:
            self.shell.commands.files.sessions.show_notes()

    def _model(self) -> None:
        model = self.rng.choice(self._models)
        self.name = f"open {Path(model).name}"
        self.shell.commands.files.open(model)

    def _sample(self) -> None:
        self.shell.session.text.show(sample_text(self.rng.choice(SAMPLES).name))

    def _open(self) -> None:
        path = self._folder / f"text{self.rng.randrange(5)}.txt"
        path.write_bytes(self._text() * self.rng.choice((1, 10, 300)))
        self.shell.commands.files.open_files([path])

    def _train(self) -> None:
        page = self.shell.window.pages.show_page("steps")
        page.begin_training(self.rng.choice(TRAININGS))

    def _bench(self) -> None:
        model = self.shell.window.pages.show_page("bench").model
        for candidate in model.choice.candidates:
            model.choice.set_contender(candidate.name, self.rng.random() < 0.3)
        if model.is_running:
            model.stop()
        elif model.can_run:
            model.run()
            QTimer.singleShot(BENCH_MS, model.stop)

    def _tab(self) -> None:
        """Show one of the pages in the tabs of Compare and Vocabulary."""
        self.name = self.rng.choice(TAB_PAGES)
        self.shell.window.pages.show_page(self.name)

    def _beside(self) -> None:
        """Add a model in a column of its own, or remove one."""
        compared = self.shell.compared
        if compared.can_add and self.rng.random() < 0.6:
            model = self.rng.choice(self._models)
            self.name = f"add {Path(model).name}"
            compared.add(model)
        elif (others := compared.sessions[1:]) and QApplication.activePopupWidget() is None:
            self.name = "remove"  # no menu of a column is open, which Qt would still be running
            compared.remove(self.rng.choice(others))

    def _hunt(self) -> None:
        model = self.shell.window.pages.show_page("hunt").model
        if not model.is_running:
            QTimer.singleShot(HUNT_MS, model.stop)
        model.run_or_stop()

    def _chat(self) -> None:
        """Set other messages, perhaps with a template that fails, never ends or writes too much."""
        model = self.shell.window.pages.show_page("chat").model
        roles, template = ("system", "user", "assistant", "tool"), self.rng.choice(CHAT_TEMPLATES)
        text = self._text().decode("utf-8", "replace")
        messages = [{"role": self.rng.choice(roles), "content": text[at::3]} for at in range(3)]
        model.edited.take(conversation_of(messages))
        model.choose(replace(model.settings, template=template, as_text=self.rng.random() < 0.3))

    def _embeddings(self) -> None:
        """Read the embeddings of the model, cancel reading, or open a small model with embeddings."""
        page = self.shell.window.pages.show_page("vocabulary")
        if page.embeddings.reading.is_busy:
            page.embeddings.reading.cancel()
        elif self.rng.random() < 0.3:
            self.shell.commands.files.open(str(self._embedded))
        else:
            page.bar.embeddings.setChecked(True)
            page.embeddings.read(self.rng.choice((None, page.model.shown.rows[:9])))

    def _resize(self) -> None:
        self.shell.window.resize(self.rng.randrange(860, 1800), self.rng.randrange(480, 1100))

    def _text(self) -> bytes:
        return self.rng.choice(self.rng.choice(list(SHORT.values())))

    def _window(self) -> QWidget:
        """The window for keys and clicks."""
        return asking() or QApplication.activeWindow() or self.shell.window

    def answer_file_dialogs(self) -> None:
        """Replace file dialogs: they choose a file in our folder or none, so that no other file changes."""

        def name(*_: object, **__: object) -> tuple[str, str]:
            names = "file.txt", "file.md", SESSION
            path = self.rng.choice(("", *(str(self._folder / each) for each in names)))
            return path, ""

        QFileDialog.getOpenFileName = QFileDialog.getSaveFileName = name
        QFileDialog.getOpenFileNames = lambda *_, **__: ([path] if (path := name()[0]) else [], "")
        QFileDialog.getExistingDirectory = lambda *_, **__: name()[0] and str(self._folder)


def asking() -> QWidget | None:
    """The menu or dialog that blocks the window."""
    return QApplication.activePopupWidget() or QApplication.activeModalWidget()


def close() -> None:
    """Close the open menu or dialog, if any."""
    window = asking() or QApplication.activeWindow()
    if isinstance(window, QDialog):
        window.reject()
    elif asking() is not None:
        window.close()


def _use(act: Callable[..., None], window: QWidget, *arguments: object) -> None:
    """Have QTest act on a window, unless an earlier action has deleted it."""
    if isValid(window) and (handle := window.windowHandle()) is not None:
        act(handle, *arguments)


def _typed(key: Qt.Key, modifiers: Qt.KeyboardModifier) -> str:
    if modifiers & CTRL:
        return ""
    if key.value < 0x80:
        return chr(key.value) if modifiers & SHIFT else chr(key.value).lower()
    return TYPED.get(key, "")


def _real_vocabularies() -> list[str]:
    shared = os.environ.get("TOKENLOUPE_SHARED")
    return sorted(map(str, Path(shared, "vocabs").glob("*.gguf"))) if shared else []


def _model_with_embeddings(path: Path) -> Path:
    vocabulary = open_model("demo:spm").vocabulary
    rows = rows_with_dead(len(vocabulary), 64, DEAD, 0.1)
    tensors = {"token_embd.weight": (GGMLQuantizationType.F32, rows.view(np.uint8))}
    return with_tensors(vocabulary.path, tensors, path)
