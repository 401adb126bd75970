"""What the program remembers from one start to the next, in one file in the user's configuration folder."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QObject

from guiapp.viewmodels.settings_store import SettingsStore


class Settings(QObject):
    """Typed access to the settings file; a value that somebody spoiled counts as not set."""

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.folder = path.parent
        self.store = SettingsStore(path, self)

    @property
    def theme(self) -> str:
        """ "system", "light" or "dark"."""
        theme = self._text("theme")
        return theme if theme in ("light", "dark") else "system"

    def set_theme(self, theme: str) -> None:
        self.store.set_value("theme", theme)

    @property
    def font_px(self) -> int | None:
        """The size of the text; None where the user never changed it."""
        text = self._text("font_px")
        return int(text) if text.isdecimal() and len(text) < 5 else None

    def set_font_px(self, font_px: int) -> None:
        self.store.set_value("font_px", str(font_px))

    @property
    def shows_whitespace(self) -> bool:
        """Whether spaces and newlines have glyphs."""
        return self._switch("shows_whitespace", True)

    def set_shows_whitespace(self, shows: bool) -> None:
        self.store.set_value("shows_whitespace", _word(shows))

    @property
    def finds_by_case(self) -> bool:
        """Whether a search in the text tells upper from lower case."""
        return self._switch("finds_by_case", False)

    def set_finds_by_case(self, matches_case: bool) -> None:
        self.store.set_value("finds_by_case", _word(matches_case))

    @property
    def tree_shape(self) -> str:
        """ "sunburst" or "icicle"."""
        return "icicle" if self._text("tree_shape") == "icicle" else "sunburst"

    def set_tree_shape(self, shape: str) -> None:
        self.store.set_value("tree_shape", shape)

    @property
    def animates_tree(self) -> bool:
        """Whether the picture of the tree flies to what is to be shown."""
        return self._switch("animates_tree", True)

    def set_animates_tree(self, animates: bool) -> None:
        self.store.set_value("animates_tree", _word(animates))

    @property
    def add_special(self) -> bool:
        return self._switch("add_special", True)

    @property
    def parse_special(self) -> bool:
        return self._switch("parse_special", True)

    @property
    def encoder(self) -> str | None:
        return self._text("encoder") or None

    def set_options(self, add_special: bool, parse_special: bool, encoder: str | None) -> None:
        if (self.add_special, self.parse_special, self.encoder) == (add_special, parse_special, encoder):
            return  # what nobody has chosen is not written
        self.store.set_value("add_special", _word(add_special))
        self.store.set_value("parse_special", _word(parse_special))
        self.store.set_value("encoder", encoder or "")

    @property
    def recent_files(self) -> str:
        """JSON, see `RecentFiles`."""
        return self._text("recent_files")

    def set_recent_files(self, text: str) -> None:
        self.store.set_value("recent_files", text)

    @property
    def recent_texts(self) -> str:
        """JSON, see `RecentTexts`."""
        return self._text("recent_texts")

    def set_recent_texts(self, text: str) -> None:
        self.store.set_value("recent_texts", text)

    @property
    def last_model(self) -> str:
        """What was open last, a path or the name of a demo model; "" for none."""
        return self._text("last_model")

    def set_last_model(self, name: str) -> None:
        self.store.set_value("last_model", name)

    @property
    def ids_format(self) -> str:
        """What ids are copied as, see `ids_panel.FORMATS`; "" where the user never chose."""
        return self._text("ids_format")

    def set_ids_format(self, name: str) -> None:
        self.store.set_value("ids_format", name)

    @property
    def ids_view(self) -> str:
        """ "strip" or "table"."""
        return "table" if self._text("ids_view") == "table" else "strip"

    def set_ids_view(self, name: str) -> None:
        self.store.set_value("ids_view", name)

    @property
    def debugger(self) -> str:
        """JSON, see `StepsModel`."""
        return self._text("debugger")

    def set_debugger(self, text: str) -> None:
        self.store.set_value("debugger", text)

    @property
    def lessons(self) -> str:
        """JSON, see `LessonPlayer`."""
        return self._text("lessons")

    def set_lessons(self, text: str) -> None:
        self.store.set_value("lessons", text)

    def layout(self, name: str) -> QByteArray:
        """The saved state of a window or splitter; empty where there is none."""
        state = self.store.value(f"layout/{name}")
        return QByteArray(state if isinstance(state, bytes) else b"")

    def set_layout(self, name: str, state: QByteArray) -> None:
        self.store.set_value(f"layout/{name}", bytes(state.data()))

    def save(self) -> None:
        """Wait until everything is in the file; without this it is there before long."""
        self.store.save()

    def _text(self, key: str) -> str:
        value = self.store.value(key)
        return value if isinstance(value, str) else ""

    def _switch(self, key: str, default: bool) -> bool:
        return {"on": True, "off": False}.get(self._text(key), default)


def _word(switch: bool) -> str:
    return "on" if switch else "off"


def default_path() -> Path:
    """Where the settings of the user lie."""
    import platformdirs

    return Path(platformdirs.user_config_dir("tokenloupe", False)) / "settings.json"
