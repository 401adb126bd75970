"""The settings of the program, in one file in the user's configuration folder."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QByteArray, QFile, QObject, QSettings, QTimer, Signal

from guiapp.analysis.explain.spelling import Spelling
from guiapp.core.text.outside_json import read_json


class Text:
    """A text in the settings; "" if it was never set."""

    def __set_name__(self, owner: type[Settings], name: str) -> None:
        self._name = name.removeprefix("_")

    def __get__(self, settings: Settings, owner: type[Settings]) -> str:
        value = settings.store.value(self._name)
        return value if isinstance(value, str) else ""

    def __set__(self, settings: Settings, value: str) -> None:
        settings.set_value(self._name, value)


class ChoiceSetting(Text):
    """One of several words; the first one if it was never set."""

    def __init__(self, *words: str) -> None:
        self._words = words

    def __get__(self, settings: Settings, owner: type[Settings]) -> str:
        word = super().__get__(settings, owner)
        return word if word in self._words else self._words[0]


class Switch:
    """A setting that is on or off."""

    def __init__(self, default: bool) -> None:
        self._word = ChoiceSetting("on", "off") if default else ChoiceSetting("off", "on")

    def __set_name__(self, owner: type[Settings], name: str) -> None:
        self._word.__set_name__(owner, name)

    def __get__(self, settings: Settings, owner: type[Settings]) -> bool:
        return self._word.__get__(settings, owner) == "on"

    def __set__(self, settings: Settings, is_on: bool) -> None:
        self._word.__set__(settings, "on" if is_on else "off")


class Settings(QObject):
    """Typed access to the settings file; an invalid value counts as not set.

    Several processes may write to one file; each writes only its own changes.

    store             all values by name
    is_new            whether there was no file: this is the first start
    unreadable        the current path of a settings file that could not be read; None if all was well
    spelling          how tokens are written, shared by all pages
    shows_whitespace  whether spaces and newlines have glyphs
    marks_look_alikes whether letters that look like others are underlined
    finds_by_case     whether searching in the text is case-sensitive
    animates_tree     whether the picture of the tree moves smoothly to its target
    budget            how many tokens a text may have, "" for the number in the model's file
    recent_files      JSON, see RecentFiles; recent_texts, debugger and lessons likewise
    finished_lessons  JSON, see LessonProgress
    last_text         the file of the text in the window closed last; "" if it had none
    last_page         the name of the page that was shown when the window was closed
    last_model        the model that was open last, a path or the name of a demo model; "" for none
    last_pre          the pre-tokenizer that was chosen for it by hand, "" for none
    compare_terms     JSON, see SummaryTerms
    own_contenders    JSON, see CustomContenders
    vocabulary_columns  names separated by commas, "" for the default; likewise for other tables
    ids_format        the format for copied ids, see `ids_panel.FORMATS`; "" if never chosen

    Signals:
        failed(str): changes cannot be written.
        written(): changes were written.
    """

    failed = Signal(str)
    written = Signal()

    theme = ChoiceSetting("system", "light", "dark")
    _spelling = ChoiceSetting(*(each.value for each in Spelling))
    shows_whitespace = Switch(True)
    marks_look_alikes = Switch(False)
    finds_by_case = Switch(False)
    coloring = ChoiceSetting("token", "cost", "kind", "rarity")
    shows_line_numbers = Switch(False)
    shows_line_tokens = Switch(False)
    shows_pieces = Switch(False)
    shows_budget = Switch(False)
    budget = Text()
    tree_shape = ChoiceSetting("sunburst", "icicle")
    animates_tree = Switch(True)
    add_special = Switch(True)
    parse_special = Switch(True)
    recent_files = Text()
    recent_texts = Text()
    last_model = Text()
    last_pre = Text()
    last_text = Text()
    last_page = Text()
    ids_format = Text()
    ids_view = ChoiceSetting("strip", "table")
    compare_terms = Text()
    own_contenders = Text()
    vocabulary_columns = Text()
    special_columns = Text()
    compared_columns = Text()
    data_columns = Text()
    text_columns = Text()
    found_columns = Text()
    bench_unit = ChoiceSetting("tokens_per_s", "mb_per_s")
    debugger = Text()
    lessons = Text()
    finished_lessons = Text()
    _font_px = Text()
    _encoder = Text()

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.folder = path.parent
        self._path = path
        json_path = path.with_suffix(".json")  # written by earlier versions
        self.is_new = not path.exists() and not json_path.exists()
        self.unreadable: Path | None = None
        self.store = _ini(path)
        if path.exists():
            self._check()
        elif json_path.exists():
            self._import(json_path)
        self.spelling = SharedSpelling(Spelling(self._spelling), self)
        self.spelling.changed.connect(self._keep_spelling)

    @property
    def font_px(self) -> int | None:
        """The font size of the text; None if the user never changed it."""
        text = self._font_px
        return int(text) if text.isdecimal() and len(text) < 5 else None

    @font_px.setter
    def font_px(self, font_px: int) -> None:
        self._font_px = str(font_px)

    def _keep_spelling(self) -> None:
        self._spelling = self.spelling.now.value

    @property
    def encoder(self) -> str | None:
        return self._encoder or None

    def set_options(self, add_special: bool, parse_special: bool, encoder: str | None) -> None:
        if (self.add_special, self.parse_special, self.encoder) == (add_special, parse_special, encoder):
            return  # do not write defaults
        self.add_special, self.parse_special = add_special, parse_special
        self._encoder = encoder or ""

    def layout(self, name: str) -> QByteArray:
        """The saved state of a window or splitter; empty if there is none."""
        state = self.store.value(f"layout/{name}")
        return state if isinstance(state, QByteArray) else QByteArray()

    def set_layout(self, name: str, state: QByteArray) -> None:
        self.set_value(f"layout/{name}", state)

    def set_value(self, name: str, value: str | QByteArray) -> None:
        if self.store.value(name) != value:
            self.store.setValue(name, value)
            QTimer.singleShot(0, self.save)

    def save(self) -> None:
        """Write changes now rather than a little later."""
        file = _ini(self._path)  # shares the changes, but not the status of an earlier failure
        file.sync()
        if file.status() is not QSettings.Status.NoError:
            self.failed.emit(f"The settings could not be saved to {self._path}.")
        else:
            self.written.emit()
        QFile.setPermissions(str(self._path), QFile.Permission.ReadOwner | QFile.Permission.WriteOwner)

    def _check(self) -> None:
        """Move a file that is not a settings file out of the way."""
        self.store.allKeys()  # reads the whole file
        if self.store.status() is QSettings.Status.NoError:
            return
        with suppress(OSError):
            self.unreadable = self._path.replace(self._path.with_name(f"{self._path.name}.spoiled"))
            self.store = _ini(self._path)

    def _import(self, json_path: Path) -> None:
        """Import texts, and bytes that are written as {"base64": "…"}."""
        try:
            values = dict(read_json(json_path.read_bytes()))
        except (OSError, ValueError, TypeError):
            self.unreadable = json_path
            return
        for name, value in values.items():
            if isinstance(value, dict) and isinstance(text := value.get("base64"), str):
                value = QByteArray.fromBase64(text.encode())
            if isinstance(value, str | QByteArray):
                self.set_value(name, value)


def _ini(path: Path) -> QSettings:
    return QSettings(str(path), QSettings.Format.IniFormat)


def default_path() -> Path:
    """The path of the user's settings file."""
    import platformdirs

    return Path(platformdirs.user_config_dir("tokenloupe", False)) / "settings.ini"


class SharedSpelling(QObject):
    """How tokens are written, shared by a window.

    Signals:
        changed(): `now` is new.
    """

    changed = Signal()

    def __init__(self, now: Spelling = Spelling.SIGNS, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.now = now

    def choose(self, spelling: Spelling) -> None:
        if spelling is not self.now:
            self.now = spelling
            self.changed.emit()
