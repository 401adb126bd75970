"""What the program remembers from one start to the next, in one file in the user's configuration folder."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QByteArray, QFile, QObject, QSettings, QTimer, Signal

from guiapp.analysis.explain.spelling import Spelling
from guiapp.core.text.outside_json import read_json


class Text:
    """A text in the settings; "" where it was never set."""

    def __set_name__(self, owner: type[Settings], name: str) -> None:
        self._name = name.removeprefix("_")

    def __get__(self, settings: Settings, owner: type[Settings]) -> str:
        value = settings.store.value(self._name)
        return value if isinstance(value, str) else ""

    def __set__(self, settings: Settings, value: str) -> None:
        settings.set_value(self._name, value)


class ChoiceSetting(Text):
    """One of several words; the first one where it was never set."""

    def __init__(self, *words: str) -> None:
        self._words = words

    def __get__(self, settings: Settings, owner: type[Settings]) -> str:
        word = super().__get__(settings, owner)
        return word if word in self._words else self._words[0]


class Switch:
    """Something that is on or off."""

    def __init__(self, default: bool) -> None:
        self._word = ChoiceSetting("on", "off") if default else ChoiceSetting("off", "on")

    def __set_name__(self, owner: type[Settings], name: str) -> None:
        self._word.__set_name__(owner, name)

    def __get__(self, settings: Settings, owner: type[Settings]) -> bool:
        return self._word.__get__(settings, owner) == "on"

    def __set__(self, settings: Settings, is_on: bool) -> None:
        self._word.__set__(settings, "on" if is_on else "off")


class Settings(QObject):
    """Typed access to the settings file; a value that somebody spoiled counts as not set.

    Several programs may write to one file, each what it changed.

    store             all values by name
    is_new            whether there was no file: it is the first start
    unreadable        where a file is now that could not be read; None if all was well
    spelling          how tokens are written, which all pages share
    shows_whitespace  whether spaces and newlines have glyphs
    marks_look_alikes whether letters that pass for others are underlined
    finds_by_case     whether a search in the text tells upper from lower case
    animates_tree     whether the picture of the tree flies to what is to be shown
    budget            how many tokens a text may have, "" for what the model's file says
    recent_files      JSON, see RecentFiles; recent_texts, debugger and lessons likewise
    finished_lessons  JSON, see LessonProgress
    last_text         the file of the text in the window that was closed last; "" where it was in none
    last_page         the name of the page that was shown when the window was closed
    last_model        what was open last, a path or the name of a demo model; "" for none
    last_pre          the pre-tokenizer that was chosen for it by hand, "" for none
    compare_terms     JSON, see SummaryTerms
    own_contenders    JSON, see CustomContenders
    vocabulary_columns  names with commas between them, "" for the usual ones; of other tables likewise
    ids_format        what ids are copied as, see `ids_panel.FORMATS`; "" where the user never chose

    Signals:
        failed(str): what was changed cannot be written.
        written(): it is.
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
        json_path = path.with_suffix(".json")  # of earlier versions
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
        """The size of the text; None where the user never changed it."""
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
            return  # what nobody has chosen is not written
        self.add_special, self.parse_special = add_special, parse_special
        self._encoder = encoder or ""

    def layout(self, name: str) -> QByteArray:
        """The saved state of a window or splitter; empty where there is none."""
        state = self.store.value(f"layout/{name}")
        return state if isinstance(state, QByteArray) else QByteArray()

    def set_layout(self, name: str, state: QByteArray) -> None:
        self.set_value(f"layout/{name}", state)

    def set_value(self, name: str, value: str | QByteArray) -> None:
        if self.store.value(name) != value:
            self.store.setValue(name, value)
            QTimer.singleShot(0, self.save)

    def save(self) -> None:
        """Write what changed; without this it is in the file before long."""
        file = _ini(self._path)  # has the changes too, and no status of an earlier failure
        file.sync()
        if file.status() is not QSettings.Status.NoError:
            self.failed.emit(f"The settings could not be saved to {self._path}.")
        else:
            self.written.emit()
        QFile.setPermissions(str(self._path), QFile.Permission.ReadOwner | QFile.Permission.WriteOwner)

    def _check(self) -> None:
        """Move a file out of the way that is none of ours."""
        self.store.allKeys()  # reads the whole file
        if self.store.status() is QSettings.Status.NoError:
            return
        with suppress(OSError):
            self.unreadable = self._path.replace(self._path.with_name(f"{self._path.name}.spoiled"))
            self.store = _ini(self._path)

    def _import(self, json_path: Path) -> None:
        """Take over texts, and bytes that are written as {"base64": "…"}."""
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
    """Where the settings of the user lie."""
    import platformdirs

    return Path(platformdirs.user_config_dir("tokenloupe", False)) / "settings.ini"


class SharedSpelling(QObject):
    """The one choice of a window.

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
