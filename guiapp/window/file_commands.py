"""Opening and saving models, texts, sessions and lessons: by actions, menus and drag and drop."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable, Iterable
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QDateTime, QLocale, QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from guiapp.analysis.sessions.name import is_session
from guiapp.core.demo import DEMO_MODELS, PREFIX, SAMPLES, sample_text
from guiapp.core.sources.installed import add_folder
from guiapp.core.sources.locate import cached_name, is_plain, lasting_name
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.text.utf16 import TELLING_BYTES, utf8_from, utf16_codec
from guiapp.kit.document.autosaved_texts import AutosavedTextHead, AutosavedTexts
from guiapp.kit.session.choice import shown_path
from guiapp.kit.session.loader import OpenModel, can_choose, display_name
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.session_opener import SessionOpener
from guiapp.kit.session.text_session import TextSession
from guiapp.kit.state.background import LatestJob, Progress, Working
from guiapp.kit.state.qt_exceptions import protect_overrides
from guiapp.kit.state.recent import RecentItems
from guiapp.kit.state.saving import holds_texts, kind_of, read_record
from guiapp.kit.widgets.event_filters import plain_tip
from guiapp.kit.widgets.notices import NoticeArea, Questions, announce
from guiapp.window.main_window import MainWindow
from guiapp.window.model_picker import ModelPicker
from guiapp.window.page_commands import PageCommands
from guiapp.window.pages import SHOW_TEXT
from guiapp.window.session_commands import SessionCommands

if TYPE_CHECKING:
    from guiapp.kit.widgets.choice_list import PrePicker

LONGEST_NAME, LONGEST_FOLDER = 48, 40
SUBJECT = "utf-16"
LONGEST_BEGINNING = 48
MOST_SHOWN = 20
Take = Callable[[str, str | None], object]


class FileCommands(QObject):
    """Connects the actions of the File menu with the models, and maintains the lists of recent files."""

    def __init__(self, window: MainWindow, opener: SessionOpener, pages: PageCommands) -> None:
        super().__init__(window)
        setting = window.setting
        session, recent_items, self._theme_source = (
            setting.session,
            setting.recent_items,
            setting.theme_source,
        )
        self._window, self._pages = window, pages
        self._session, self._settings, self._actions = session, setting.settings, window.actions_table
        self._recent, self._recent_texts = recent_items.recent, recent_items.recent_texts
        self._last_model = ""
        self._picking: tuple[QWidget, Take] = (window.top_bar.model_button, session.loader.open)
        self._sorting = LatestJob[Dropped](self, self._open_sorted)
        self.installed = recent_items.installed
        self._utf16 = Utf16Notice(window.notices, session.text, self._actions["from_utf16"])
        kept_menu = self._actions.menus["File/Autosaved texts"]
        self.autosaved_texts = AutosavedTextsMenu(
            kept_menu, window.autosaved_texts, session.text, window.questions, self._go_to_text
        )
        self.sessions = SessionCommands(window, opener)
        self._connect_actions()
        self._connect()
        self._on_recent_changed()
        self._on_loader_changed()

    def _connect_actions(self) -> None:
        self._actions.connect_all(
            {
                "choose_model": self.choose_model,
                "open_model": self.open_model,
                "open_folder": self.open_folder,
                "choose_pre": self.choose_pre,
                "open_text": self.open_text,
                "debug_open": self.open_steps,
                "save_text": self.save_text,
                "save_text_as": self.save_text_as,
                "forget_recent": self._forget_recent,
                "open_session": self.sessions.ask_and_open,
                "save_session": self.sessions.ask_and_save,
                "session_notes": self.sessions.show_notes,
                "delete_kept": self.autosaved_texts.delete_all,
                "new_text": partial(self._show_text, b""),
                "new_window": self._open_window,
                "close": self._window.close,
                "quit": self._window.close,
                **{
                    f"demo:{demo.name}": partial(self._session.loader.open, PREFIX + demo.name)
                    for demo in DEMO_MODELS
                },
                **{f"sample:{sample.name}": partial(self._show_sample, sample.name) for sample in SAMPLES},
            }
        )

    def _connect(self) -> None:
        requests, loader, text = self._window.requests, self._session.loader, self._session.text
        menu, items = self._actions.menus["File/Open recent"], self._window.setting.recent_items
        RecentMenu(menu, self._session, items, self.open, self.open_recent)
        requests.model_chosen.connect(self.open)
        requests.text_chosen.connect(self.open_recent)
        requests.model_wanted.connect(self._pick)
        self._window.top_bar.model_button.clicked.connect(self.choose_model)
        self._window.files_dropped.connect(self.open_files)
        loader.refused_changed.connect(self._on_loader_changed)
        loader.model_changed.connect(self._on_loader_changed)
        loader.model_changed.connect(self._remember_model)
        self._window.setting.compared.models_changed.connect(self._remember_compared)
        text.file_changed.connect(self._remember_text)
        text.reading.done.connect(self._go_to_text)
        for recent in (self._recent, self._recent_texts):
            recent.changed.connect(self._on_recent_changed)

    # Models

    @cached_property
    def picker(self) -> ModelPicker:
        """The model picker, created on first use."""
        loader = self._session.loader
        picker = ModelPicker(loader, self._recent, self.installed, self._theme_source, self._window)
        picker.chosen.connect(self._take)
        picker.open_button.clicked.connect(self._browse)
        picker.folder_button.clicked.connect(self.add_folder)
        return picker

    @cached_property
    def pre_picker(self) -> PrePicker:
        """The picker of pre-tokenizers, created on first use."""
        from guiapp.kit.widgets.choice_list import PrePicker

        protect_overrides()
        picker = PrePicker(self._session.loader, self._theme_source, self._window)
        picker.chosen.connect(self._session.loader.use_pre)
        return picker

    def open(self, model: str) -> None:
        """Open a model, with the pre-tokenizer that the user last chose for it, if any."""
        self._session.loader.open(model, self._recent.chosen_pre(model))

    def open_last(self, first: str) -> None:
        """Open the last model, or `first` if that fails; in that case it is not tried again.

        No server is contacted: downloads are cached.
        """
        last = self._last_model = self._settings.last_model
        self._settings.last_model = ""
        name, pre = cached_name(last or first), self._settings.last_pre if last else ""
        self._session.loader.open(name, pre or self._recent.chosen_pre(name))
        if last and last != first:
            self._model_instead = first
            self._session.loader.loading_changed.connect(self._open_instead)

    def stop(self) -> None:
        """Stop for closing. A last model that is still loading will be tried again at the next start."""
        self.installed.close()
        self._recent.close()
        self._recent_texts.close()
        self._sorting.wait()
        self._utf16.close()
        loading = self._session.loader.loading_name
        if loading is not None and loading == cached_name(self._last_model):
            self._settings.last_model = self._last_model

    def _open_instead(self) -> None:
        """Open the default model if the last one could not be opened."""
        loader = self._session.loader
        if loader.loading_name is None:
            loader.loading_changed.disconnect(self._open_instead)
            if loader.model is None:
                self.open(self._model_instead)

    def choose_model(self) -> None:
        self._pick(self._window.top_bar.model_button, self._session.loader.open)

    def _pick(self, widget: QWidget, take: Take) -> None:
        """Let the user choose a model and pass it to `take`."""
        self._picking = (widget, take)
        self.picker.open_under(widget)

    def _take(self, name: str) -> None:
        self._picking[1](name, self._recent.chosen_pre(name))

    def _browse(self) -> None:
        if (path := self._window.questions.model_to_open()) is not None:
            self._take(str(path))

    def open_model(self) -> None:
        if (path := self._window.questions.model_to_open()) is not None:
            self.open(str(path))

    def open_folder(self) -> None:
        """Open the model in a folder, such as a snapshot of a repository."""
        if (folder := self._window.questions.chosen_folder("Open model folder")) is not None:
            self.open(str(folder))

    def add_folder(self) -> None:
        """Search one more folder for models, and show the result."""
        if (folder := self._window.questions.chosen_folder("Folder with models")) is not None:
            self._window.notices.clear_notice("folder")
            try:
                add_folder(folder)
            except OSError as error:
                self._window.notices.show_notice("folder", f"The folder cannot be added: {error.strerror}.")
            self.picker.open_under(self._picking[0])

    def choose_pre(self) -> None:
        self.pre_picker.open_under(self._window.top_bar.model_button)

    def _on_loader_changed(self) -> None:
        self._actions["choose_pre"].setEnabled(can_choose(self._session.loader))

    # Texts and dropped files

    def open_text(self) -> None:
        if (path := self._window.questions.text_to_open()) is not None:
            self._session.text.open(path)

    def open_steps(self) -> None:
        if (path := self._window.questions.steps_to_open()) is not None:
            self.open_files([path])

    def open_recent(self, path: Path) -> None:
        """Open a recent file in the same way as last time."""
        open_file = self._pages.show_data if self._recent_texts.is_data(path) else self.open_text_file
        open_file(path)

    def open_text_file(self, path: Path) -> None:
        """Open a text, or a session, recognized by the end of its name."""
        if is_session(path):
            self.sessions.open(path)
        else:
            self._session.text.open(path)

    def open_files(self, paths: list[Path]) -> None:
        """Open each dropped file on its page. Except for texts, the last file of a kind wins.

        A session has its own model and text.
        """
        self._sorting.start(partial(_by_kind, paths))

    def _open_sorted(self, dropped_files: Dropped) -> None:
        kinds, steps = dropped_files
        if "session" in kinds:
            self.sessions.open(kinds["session"][-1])
            return
        if texts := kinds.get("text"):
            if len(texts) > 1 or texts[0].is_dir():
                self._pages.show_texts(texts)
            else:
                self._session.text.open(texts[0])
        open_by_kind: dict[str, Callable[[Path], object]] = {
            "model": lambda path: self.open(str(path)),
            "run": self._pages.show_run,
            "template": self._pages.show_template_file,
            "messages": self._pages.show_messages,
            "data": self._pages.show_data,
            "lesson": lambda path: self._pages.steps().lessons.open(path),
        }
        for kind, open_file in open_by_kind.items():
            if kind in kinds:
                open_file(kinds[kind][-1])
        if steps is not None:
            self._pages.show_steps_of(str(steps["text"]), str(steps["encoder"]))

    def _go_to_text(self) -> None:
        """Show the Text page after a text was opened, unless the current page shows the text, too."""
        if self._window.pages.current_name not in SHOW_TEXT:
            self._actions["inspect"].trigger()

    def save_text(self) -> None:
        if self._session.text.path is None:
            self.save_text_as()
        else:
            self._save_text(self._session.text.path)

    def save_text_as(self) -> None:
        path = self._window.questions.where_to_save(self._session.text.path)
        if path is not None:
            self._save_text(path)

    def _save_text(self, path: Path) -> None:
        if self._session.text.save(path):
            announce(self._window, f"Saved {path}")

    def _show_text(self, text: bytes) -> None:
        """Replace the current text; undo restores it."""
        replaces = self._session.document.size > 0 and text != self._session.document.text()
        self._session.text.show(text)
        self._go_to_text()
        if replaces:
            announce(self._window, "Your text was replaced. To restore it, undo (Ctrl+Z).")

    def _show_sample(self, name: str) -> None:
        self._show_text(sample_text(name))

    def _open_window(self) -> None:
        """Start another process, which shares the settings and the recent files."""
        from PySide6.QtCore import QProcess

        program, arguments = sys.executable, ["-m", "guiapp"]
        if not QProcess.startDetached(program, arguments)[0]:
            self._window.notices.show_notice("window", f"Cannot open a window: {program} did not start.")

    # Recent items

    def _remember_model(self) -> None:
        model = self._session.loader.model
        if model is None:
            return
        self._settings.last_model = lasting_name(model.name)
        self._settings.last_pre = model.tokenizer.vocabulary.chosen_pre
        self._add_recent(model)

    def _add_recent(self, model: OpenModel) -> None:
        if not model.name.startswith(PREFIX):
            self._recent.add(model.name, model.tokenizer.vocabulary, display_name(model))

    def _remember_compared(self) -> None:
        """Add the compared models to the recent ones, once each is open."""
        known = {lasting_name(each) for each in self._recent.paths}
        for session in self._window.setting.compared.sessions[1:]:
            model = session.loader.model
            if model is not None and lasting_name(model.name) not in known:
                self._add_recent(model)

    def _remember_text(self) -> None:
        """Add each text that was just opened or saved to the recent files."""
        path = self._session.text.path
        if path is not None and not self._session.text.is_modified:
            self._recent_texts.add(path)

    def _forget_recent(self) -> None:
        self._recent.clear()
        self._recent_texts.clear()
        self._last_model = ""
        self._settings.last_model = ""

    def _on_recent_changed(self) -> None:
        self._actions["forget_recent"].setEnabled(bool(self._recent.files or self._recent_texts.paths))


Dropped = tuple[dict[str, list[Path]], dict[str, object] | None]
"""Files by kind, where a folder of texts counts as texts; and a record of steps, or None."""


def _by_kind(paths: list[Path], progress: Progress) -> Dropped:
    kinds: dict[str, list[Path]] = {}
    for done, path in enumerate(paths):
        progress(done / len(paths))
        kind = "text" if path.is_dir() and holds_texts(path) else kind_of(path)
        kinds.setdefault(kind, []).append(path)
    return kinds, read_record(kinds["steps"][-1]) if "steps" in kinds else None


class ListedMenu(QObject):
    """Inserts groups of entries above the fixed entries of a menu, each time it opens."""

    def __init__(self, menu: QMenu) -> None:
        super().__init__(menu)
        self._menu = menu
        self._first_of_menu = menu.actions()[0]
        self._listed: list[QAction] = []
        menu.setToolTipsVisible(True)
        menu.aboutToShow.connect(self._fill)

    @abstractmethod
    def groups(self) -> Iterable[list[QAction]]:
        """The groups of entries to insert."""

    def entry(self, title: str, is_open: bool, do: Callable[[], object], tip: str = "") -> QAction:
        """An entry, checked if its item is open."""
        action = QAction(title.replace("&", "&&"), self, checkable=is_open, checked=is_open)
        action.triggered.connect(do)
        action.setToolTip(plain_tip(tip))
        return action

    def _fill(self) -> None:
        for action in self._listed:
            self._menu.removeAction(action)
            action.deleteLater()
        self._listed = []
        for group in list(filter(None, self.groups())) or [[QAction("None", self, enabled=False)]]:
            separator = QAction(self)
            separator.setSeparator(True)
            self._listed += [*group, separator]
        self._menu.insertActions(self._first_of_menu, self._listed)


class AutosavedTextsMenu(ListedMenu):
    """The texts that are not saved in a file. The one that is shown has a mark."""

    def __init__(
        self,
        menu: QMenu,
        autosaved_texts: AutosavedTexts,
        text: TextSession,
        questions: Questions,
        go_to_text: Callable[[], object],
    ) -> None:
        super().__init__(menu)
        self._go_to_text = go_to_text
        self._autosaved_texts, self._text, self._questions = autosaved_texts, text, questions

    def delete_all(self) -> None:
        """Delete all of them, if the user confirms."""
        heads = self._autosaved_texts.others()
        if heads and self._questions.delete_autosaved_texts(len(heads)):
            self._autosaved_texts.delete(heads)

    def groups(self) -> Iterable[list[QAction]]:
        heads = self._autosaved_texts.others()[:MOST_SHOWN]
        yield [self.entry(title_of(head), self._is_shown(head), partial(self._show, head)) for head in heads]

    def _is_shown(self, head: AutosavedTextHead) -> bool:
        document = self._text.document
        if (head.size_bytes, head.beginning) != (document.size, document.slice(0, len(head.beginning))):
            return False
        kept = self._autosaved_texts.read(head)
        return kept is not None and kept.data == document.text()

    def _show(self, head: AutosavedTextHead) -> None:
        kept = self._autosaved_texts.read(head)
        if kept is not None:
            self._text.show_autosaved(kept.data, kept.path)
            self._go_to_text()


def title_of(head: AutosavedTextHead) -> str:
    """`words.txt: Its first words (21/11/26 20:15)`"""
    words = quoted(b" ".join(head.beginning.split()), LONGEST_BEGINNING)
    name = "" if head.path is None else f"{quoted(head.path.name)}: "
    when = QDateTime.fromSecsSinceEpoch(int(head.time_s))
    time = QLocale().toString(when, QLocale.FormatType.ShortFormat)
    return f"{name}{words} ({time})"


class Utf16Notice(Working):
    """A notice for each text in UTF-16, which no tokenizer reads, with an action to convert it to UTF-8.

    The bytes stay as they are until the user converts them, and the notice until the user closes it.
    """

    def __init__(self, area: NoticeArea, text: TextSession, convert: QAction) -> None:
        super().__init__(area)
        self._area, self._text, self._convert = area, text, convert
        self._job = LatestJob[bytes](self, self._take)
        self._is_dismissed = False
        convert.triggered.connect(self._begin)
        area.dismissed.connect(self._note_dismissal)
        text.left.connect(self._expect_another)
        text.document.edited.connect(self._on_edited)
        text.file_changed.connect(self._refresh)
        self._refresh()

    @property
    def _codec(self) -> str | None:
        return utf16_codec(self._text.document.slice(0, TELLING_BYTES))

    def _begin(self) -> None:
        """Replace the text by itself in UTF-8, as one edit; typing cancels this."""
        if (codec := self._codec) is not None:
            text = self._text.document.text()
            self._job.start(lambda _: utf8_from(text, codec))

    def _take(self, text: bytes) -> None:
        self._text.document.replace(0, self._text.document.size, text)
        self._text.document.set_caret(0)

    def _on_edited(self) -> None:
        self._job.cancel()
        self._refresh()

    def _refresh(self) -> None:
        is_utf16, path = self._codec is not None, self._text.path
        self._convert.setEnabled(is_utf16)
        if not is_utf16 or self._is_dismissed:
            self._area.clear_notice(SUBJECT)
        else:
            name = "This text" if path is None else path.name
            message = (
                f"{name} is UTF-16, but models read UTF-8. "
                "Until you convert it, each byte is encoded as it is."
            )
            self._area.show_notice(SUBJECT, message, remedy=self._convert)

    def _note_dismissal(self, subject: str) -> None:
        """Dismiss for this text, also if a byte typed at its start makes it look like the other UTF-16."""
        self._is_dismissed |= subject == SUBJECT

    def _expect_another(self) -> None:
        self._is_dismissed = False


class RecentMenu(ListedMenu):
    """Recent models, then other recent files; an open one has a mark, a missing one is grey."""

    def __init__(
        self,
        menu: QMenu,
        session: ModelSession,
        recent_items: RecentItems,
        open_model: Callable[[str], object],
        open_text: Callable[[Path], object],
    ) -> None:
        super().__init__(menu)
        self._session = session
        self._models, self._texts = recent_items.recent, recent_items.recent_texts
        self._open_model, self._open_text = open_model, open_text
        self._by_path: dict[str, QAction] = {}
        for recent in (self._models, self._texts):
            recent.changed.connect(self._refresh_missing)
            menu.aboutToShow.connect(recent.check_missing)

    def groups(self) -> Iterable[list[QAction]]:
        model, path = self._session.loader.model, self._session.text.path
        opened = None if model is None else lasting_name(model.name)
        models = {
            each: self._file(each, opened, partial(self._open_model, each)) for each in self._models.paths
        }
        opened = None if path is None else str(path.absolute())
        texts = {
            each: self._file(each, opened, partial(self._open_text, Path(each))) for each in self._texts.paths
        }
        self._by_path = models | texts
        self._refresh_missing()
        return [*models.values()], [*texts.values()]

    def _file(self, path: str, opened: str | None, do: Callable[[], object]) -> QAction:
        return self.entry(recent_title(path), path == opened, do, quoted(path, len(path)))

    def _refresh_missing(self) -> None:
        missing = self._models.missing | self._texts.missing
        for path, action in self._by_path.items():
            action.setEnabled(path not in missing)


def recent_title(named: str) -> str:
    """`words.txt – ~/texts`; a name that is not a path is unchanged."""
    if not is_plain(named):
        return quoted(named, LONGEST_NAME + LONGEST_FOLDER)
    path, folder = Path(named), shown_path(Path(named).parent)
    end = folder if len(folder) <= LONGEST_FOLDER else f"…{folder[1 - LONGEST_FOLDER :]}"
    return f"{quoted(path.name, LONGEST_NAME)} – {end}"
