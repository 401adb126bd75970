"""All actions of the window: one table for menus, shortcuts and the command palette."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from guiapp.analysis.explain.spelling import Spelling
from guiapp.core.demo import DEMO_MODELS, LESSONS, SAMPLES
from guiapp.core.encode.catalogue import ALGORITHMS, Algorithm, encoder_label
from guiapp.kit.document.coloured_spans import COLORINGS
from guiapp.window.pages import PAGES

Key = QKeySequence.StandardKey


@dataclass(frozen=True)
class ActionRow:
    """One action.

    menu          the path of its menu, such as "File/Samples"
    keys          shortcuts, the one to display first
    group         one of the checkable actions in a group is checked
    begins_group  a separator precedes it in the menu
    page          the page that it shows; its keys work only there
    tip           an explanation, for menus that show tips
    needs         what is missing if the action is disabled
    """

    name: str
    text: str
    menu: str
    keys: tuple[str | Key, ...] = ()
    is_checkable: bool = False
    group: str = ""
    begins_group: bool = False
    page: str = ""
    tip: str = ""
    needs: str = ""

    @property
    def synonyms(self) -> tuple[str, ...]:
        """Other names that users may search for."""
        return SYNONYMS.get(self.name, ())

    @property
    def is_example(self) -> bool:
        """Whether it opens an example that comes with the program."""
        return self.name.partition(":")[0] in ("sample", "demo", "lesson")


SYNONYMS = {
    "new_text": ("empty", "clear"),
    "new_window": ("another", "second"),
    "open_model": ("load", "gguf", "tokenizer"),
    "open_folder": ("load", "hugging face"),
    "choose_model": ("switch model", "recent", "ollama"),
    "open_text": ("load", "import"),
    "save_text": ("write", "export"),
    "save_text_as": ("export", "download"),
    "save_session": ("project", "workspace"),
    "delete_kept": ("autosave", "backup", "history"),
    "quit": ("exit", "close"),
    "find": ("search", "regex", "grep"),
    "hidden_next": ("invisible", "zero width", "unicode"),
    "hidden_remove": ("invisible", "zero width", "clean", "strip"),
    "hidden_copy": ("invisible", "zero width", "clean"),
    "copy_ids": ("export ids", "tokens", "numbers"),
    "decode_ids": ("detokenize", "untokenize", "ids to text"),
    "from_utf16": ("encoding", "charset"),
    "choose_pre": ("pretokenizer", "regex", "split"),
    "add_special": ("bos", "eos", "control"),
    "parse_special": ("bos", "eos", "control"),
    "why": ("explain", "reason"),
    "inexact_next": ("approximate", "difference"),
    "round_trip_difference": ("loss", "lossless", "decode", "normalizer"),
    "three_trees": ("merges", "prefixes"),
    "compare": ("diff", "side by side", "models"),
    "compare_texts": ("diff", "prompts"),
    "compare_vocabularies": ("diff", "merge rules"),
    "compare_languages": ("translation", "premium", "parity", "flores"),
    "hunt": ("fuzz", "mismatch", "difference", "llama.cpp"),
    "chat": ("template", "jinja", "messages", "prompt", "mask"),
    "data": ("training", "fine-tuning", "loss", "mask", "labels", "jsonl", "dataset"),
    "open_data": ("training", "fine-tuning", "jsonl", "dataset"),
    "vocabulary": ("tokens", "list", "embeddings", "untrained"),
    "special_tokens": ("control", "bos", "eos", "reserved", "mask"),
    "doctor": ("check", "validate", "problems", "fix"),
    "tree": ("trie", "prefix", "sunburst", "icicle"),
    "steps": ("debugger", "trace", "merges", "train", "race", "lessons"),
    "bench": ("speed", "measure", "performance"),
    "look_alikes": ("look-alikes", "confusables", "homoglyphs"),
    "whitespace": ("spaces", "newlines", "invisible"),
    "color:cost": ("price", "expensive"),
    "line_tokens": ("cost", "count", "margin"),
    "budget": ("context length", "limit", "cost"),
    "budget_select": ("truncate", "limit"),
    "budget_cut": ("truncate", "limit", "shorten"),
    "budget_copy": ("truncate", "limit", "first tokens"),
    "chunks": ("chunk", "split", "overlap", "budget", "rag", "embed"),
    "pieces": ("pre-tokenizer", "chunk", "split"),
    "sample:languages": ("language", "scripts", "multilingual"),
    "spelling:signs": ("hex", "spelling"),
    "spelling:file": ("raw", "spelling", "byte alphabet"),
    "zoom_in": ("zoom", "bigger", "font"),
    "zoom_out": ("zoom", "font"),
    "present": ("fullscreen", "full screen", "slides"),
    "theme:dark": ("night", "colors"),
    "theme:light": ("day", "colors"),
    "manual": ("help", "documentation", "how to"),
    "shortcuts": ("keys", "hotkeys", "help"),
    "legend": ("colors", "signs", "help"),
    "about": ("version", "licence", "license"),
    "debug_breakpoint": ("stop",),
    "debug_save": ("export", "download"),
    "bench_report": ("export", "download"),
}

BUDGET = "Edit/Token budget"
SPELLINGS = {
    Spelling.SIGNS: ("Characters as · ↵ and hex", "Tokens of all models look the same."),
    Spelling.FILE: (
        "Characters as in the file (Ġ, ▁, <0x0A>)",
        "Files of tiktoken and RWKV store plain bytes, so their tokens do not change.",
    ),
}


def _encoder_row(algorithm: Algorithm) -> ActionRow:
    if algorithm.exact:
        mark, tip = "exact", "Gives the same tokens as the model's own library, for every text."
    else:
        mark, tip = (
            "approximate",
            "Its tokens may differ. The badge shows the share that is the same.",
        )
    text = f"{encoder_label(algorithm.name)}: {algorithm.title} ({mark})"
    return ActionRow(
        f"encoder:{algorithm.name}",
        text,
        "Tokens/Encoder",
        is_checkable=True,
        group="encoder",
        tip=f"{tip}\nTime: {algorithm.complexity}.",
        needs="Not available for this vocabulary type",
    )


ROWS = (
    ActionRow("new_text", "New text", "File", (Key.New,)),
    ActionRow("new_window", "New window", "File", ("Ctrl+Shift+N",)),
    ActionRow("choose_model", "Choose model", "File", ("Ctrl+M",), begins_group=True),
    ActionRow("open_model", "Open model file…", "File", (Key.Open,)),
    ActionRow("open_folder", "Open model folder…", "File"),
    *(ActionRow(f"demo:{demo.name}", demo.title, "File/Demo models") for demo in DEMO_MODELS),
    ActionRow("open_text", "Open text file…", "File", ("Ctrl+Shift+O",), begins_group=True),
    ActionRow("open_data", "Open data…", "File", page="data"),
    ActionRow("open_languages", "Open folder of languages…", "File", page="compare_languages"),
    *(ActionRow(f"sample:{sample.name}", sample.title, "File/Samples") for sample in SAMPLES),
    ActionRow("forget_recent", "Forget recent files", "File/Open recent", needs="No recent files"),
    ActionRow("save_text", "Save text", "File", (Key.Save,)),
    ActionRow("save_text_as", "Save text as…", "File", ("Ctrl+Shift+S",)),
    ActionRow("delete_kept", "Delete autosaved texts…", "File/Autosaved texts"),
    ActionRow("open_session", "Open session…", "File", begins_group=True),
    ActionRow("save_session", "Save session…", "File"),
    ActionRow("session_notes", "Session notes…", "File"),
    ActionRow("close", "Close", "File", ("Ctrl+W",), begins_group=True),
    ActionRow("quit", "Quit", "File", ("Ctrl+Q",)),
    ActionRow("undo", "Undo", "Edit", (Key.Undo,), needs="Nothing to undo"),
    ActionRow("redo", "Redo", "Edit", ("Ctrl+Shift+Z", "Ctrl+Y"), needs="Nothing to redo"),
    ActionRow("cut", "Cut", "Edit", (Key.Cut,), begins_group=True),
    ActionRow("copy", "Copy", "Edit", (Key.Copy,)),
    ActionRow("paste", "Paste", "Edit", (Key.Paste,)),
    ActionRow("select_all", "Select all", "Edit", (Key.SelectAll,)),
    ActionRow("find", "Find in the text…", "Edit", ("Ctrl+F",), begins_group=True, page="inspect"),
    ActionRow("find_next", "Find next", "Edit", ("F3",), page="inspect"),
    ActionRow("find_previous", "Find previous", "Edit", ("Shift+F3",), page="inspect"),
    ActionRow("find_token", "Find the selected token", "Edit", ("Ctrl+F3",), page="inspect"),
    ActionRow(
        "hidden_next",
        "Next hidden character",
        "Edit",
        ("F7",),
        begins_group=True,
        needs="The text has no hidden characters",
    ),
    ActionRow(
        "hidden_previous",
        "Previous hidden character",
        "Edit",
        ("Shift+F7",),
        needs="The text has no hidden characters",
    ),
    ActionRow("hidden_remove", "Remove hidden characters", "Edit", needs="The text has no hidden characters"),
    ActionRow(
        "hidden_copy",
        "Copy without hidden characters",
        "Edit",
        ("Ctrl+Shift+X",),
        needs="The text has no hidden characters",
    ),
    ActionRow("copy_ids", "Copy token ids", "Edit", ("Ctrl+Shift+C",), begins_group=True),
    ActionRow("decode_ids", "Decode token ids…", "Edit", ("Ctrl+Shift+V",)),
    ActionRow("budget_select", "Select text beyond the budget", BUDGET, begins_group=True, page="inspect"),
    ActionRow("budget_cut", "Cut text at the budget", BUDGET, page="inspect"),
    ActionRow("budget_copy", "Copy text within the budget", BUDGET, page="inspect"),
    ActionRow("chunks", "Split into chunks", BUDGET, is_checkable=True, page="inspect"),
    ActionRow(
        "from_utf16", "Convert UTF-16 to UTF-8", "Edit", begins_group=True, needs="The text is not UTF-16"
    ),
    ActionRow("choose_pre", "Choose pre-tokenizer…", "Tokens", needs="This model has no other pre-tokenizer"),
    ActionRow("add_special", "Add special tokens", "Tokens", ("Ctrl+Shift+A",), True, begins_group=True),
    ActionRow("parse_special", "Parse special tokens", "Tokens", ("Ctrl+Shift+R",), is_checkable=True),
    *map(_encoder_row, ALGORITHMS.values()),
    ActionRow("why", "Why this token", "Tokens", begins_group=True, page="inspect"),
    ActionRow(
        "inexact_next",
        "Next inexact token",
        "Tokens",
        ("F8",),
        begins_group=True,
        page="inspect",
        needs="The current encoder is exact",
    ),
    ActionRow(
        "inexact_previous",
        "Previous inexact token",
        "Tokens",
        ("Shift+F8",),
        page="inspect",
        needs="The current encoder is exact",
    ),
    ActionRow(
        "round_trip_difference",
        "Go to the round-trip difference",
        "Tokens",
        needs="The round trip is lossless",
    ),
    ActionRow("three_trees", "Three trees of a token, side by side", "Tokens", ("Ctrl+T",), page="tree"),
    ActionRow("compare_next", "Next model difference", "Tokens/Compare", ("F8",), page="compare"),
    ActionRow(
        "compare_previous", "Previous model difference", "Tokens/Compare", ("Shift+F8",), page="compare"
    ),
    ActionRow("texts_next", "Next change in the text", "Tokens/Compare", ("F8",), page="compare_texts"),
    ActionRow(
        "texts_previous", "Previous change in the text", "Tokens/Compare", ("Shift+F8",), page="compare_texts"
    ),
    *(
        ActionRow(page.name, page.title, "View", (page.keys,) if page.keys else (), True, "page")
        for page in PAGES
    ),
    ActionRow("lessons", "Lessons", "View"),
    ActionRow("debug_run", "Run to the next breakpoint", "Run", ("F5",), page="steps"),
    ActionRow("debug_reverse", "Run back to the previous breakpoint", "Run", ("Shift+F5",), page="steps"),
    ActionRow("debug_caret", "Run to the caret", "Run", ("Ctrl+F10",), page="steps"),
    ActionRow("debug_breakpoint", "Toggle breakpoint", "Run", ("F9",), page="steps"),
    ActionRow("debug_step", "Step forward", "Run", ("F10",), begins_group=True, page="steps"),
    ActionRow("debug_back", "Step back", "Run", ("Shift+F10",), page="steps"),
    ActionRow("debug_into", "Step into (one decision)", "Run", ("F11",), page="steps"),
    ActionRow("debug_over", "Step over the piece", "Run", ("Ctrl+F11",), page="steps"),
    ActionRow("debug_back_over", "Step back over the piece", "Run", ("Ctrl+Shift+F11",), page="steps"),
    ActionRow("debug_out", "Step out (finish the piece)", "Run", ("Shift+F11",), page="steps"),
    ActionRow("debug_restart", "Go to the start", "Run", ("Ctrl+Shift+F5",), begins_group=True, page="steps"),
    ActionRow("debug_end", "Go to the end", "Run", ("Ctrl+Shift+F10",), page="steps"),
    ActionRow("race_parting", "Go to the next difference in a race", "Run", ("F8",), page="steps"),
    ActionRow("debug_play", "Play or pause", "Run", ("Ctrl+F5",), begins_group=True, page="steps"),
    ActionRow("debug_open", "Open steps…", "Run", begins_group=True, page="steps"),
    ActionRow("debug_copy", "Copy step as JSON", "Run/Export", ("Ctrl+Alt+C",), page="steps"),
    ActionRow("debug_save", "Save steps…", "Run/Export", ("Ctrl+Alt+S",), page="steps"),
    ActionRow("lesson_previous", "Back", "Run/Lesson", ("Ctrl+PgUp",), page="steps"),
    ActionRow("lesson_reveal", "Reveal", "Run/Lesson", ("Ctrl+Return",), page="steps"),
    ActionRow("lesson_next", "Next", "Run/Lesson", ("Ctrl+PgDown",), page="steps"),
    ActionRow("lesson_leave", "Leave", "Run/Lesson", page="steps"),
    ActionRow("lesson_copy", "Save a copy of the lesson…", "Run/Lesson", begins_group=True, page="steps"),
    ActionRow("lesson_add", "Add this step to a lesson…", "Run/Lesson", page="steps"),
    ActionRow("hunt_run", "Start or stop the hunt", "Run/Hunt", ("Ctrl+Shift+H",), page="hunt"),
    ActionRow("hunt_next", "Next mismatch", "Run/Hunt", ("Ctrl+Down",), begins_group=True, page="hunt"),
    ActionRow("hunt_previous", "Previous mismatch", "Run/Hunt", ("Ctrl+Up",), page="hunt"),
    ActionRow("hunt_report", "Copy hunt report", "Run/Hunt", begins_group=True, page="hunt"),
    ActionRow("hunt_save", "Save hunt report…", "Run/Hunt", page="hunt"),
    ActionRow("bench_run", "Run or stop the benchmark", "Bench", ("Ctrl+R",), page="bench"),
    ActionRow("bench_pause", "Pause or resume", "Bench", page="bench"),
    ActionRow("bench_open", "Open run…", "Bench", begins_group=True, page="bench"),
    ActionRow("bench_compare", "Compare with run…", "Bench", page="bench"),
    ActionRow("bench_runs", "Saved runs…", "Bench", page="bench"),
    ActionRow("bench_report", "Save report…", "Bench", ("Ctrl+Shift+E",), begins_group=True, page="bench"),
    ActionRow("bench_pictures", "Save charts as pictures…", "Bench", page="bench"),
    ActionRow("palette", "Command palette", "View", ("Ctrl+Shift+P",), begins_group=True),
    ActionRow("next_panel", "Next panel", "View", ("F6",)),
    ActionRow("previous_panel", "Previous panel", "View", ("Shift+F6",)),
    ActionRow("whitespace", "Show white space", "View/Show in text", ("Ctrl+.",), is_checkable=True),
    *(
        ActionRow(f"spelling:{each.value}", text, "View/Characters", (), True, "spelling", tip=tip)
        for each, (text, tip) in SPELLINGS.items()
    ),
    ActionRow("look_alikes", "Mark look-alikes", "View/Show in text", is_checkable=True),
    *(
        ActionRow(
            f"color:{name}",
            f"Colour by {title}",
            "View/Colour by",
            is_checkable=True,
            group="color",
            page="inspect",
        )
        for name, title in COLORINGS.items()
    ),
    ActionRow("line_numbers", "Line numbers", "View/Show in text", is_checkable=True, page="inspect"),
    ActionRow("line_tokens", "Tokens per line", "View/Show in text", is_checkable=True, page="inspect"),
    ActionRow("pieces", "Piece boundaries", "View/Show in text", is_checkable=True, page="inspect"),
    ActionRow("budget", "Token budget", "View/Show in text", is_checkable=True, page="inspect"),
    ActionRow("zoom_in", "Larger text", "View/Text size", ("Ctrl++", "Ctrl+=")),
    ActionRow("zoom_out", "Smaller text", "View/Text size", ("Ctrl+-",)),
    ActionRow("zoom_reset", "Normal text size", "View/Text size", ("Ctrl+0",)),
    ActionRow("present", "Present", "View", ("Alt+Return",), is_checkable=True),
    ActionRow("theme:system", "System theme", "View/Theme", is_checkable=True, group="theme"),
    ActionRow("theme:light", "Light theme", "View/Theme", is_checkable=True, group="theme"),
    ActionRow("theme:dark", "Dark theme", "View/Theme", is_checkable=True, group="theme"),
    *(ActionRow(f"lesson:{lesson.name}", lesson.title, "Help/Lessons", (), True) for lesson in LESSONS),
    ActionRow("lesson_present", "Present this lesson", "Help/Lessons", begins_group=True, page="steps"),
    ActionRow("open_lesson", "Open lesson file…", "Help/Lessons"),
    ActionRow("write_lesson", "Write your own lesson…", "Help/Lessons"),
    ActionRow("legend", "Legend of this page", "Help", ("Shift+F1",)),
    ActionRow("manual", "Manual", "Help", ("F1",)),
    ActionRow("shortcuts", "Keyboard shortcuts", "Help", ("Ctrl+?",)),
    ActionRow("about", "About Tokenloupe", "Help"),
)


class ActionTable(QObject):
    """The actions of one window by their names in the table, and its `menus` by their paths."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.menus: dict[str, QMenu] = {}
        self._groups: dict[str, QActionGroup] = {}
        self._actions = {row.name: self._make(row) for row in ROWS}

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def __iter__(self) -> Iterator[tuple[ActionRow, QAction]]:
        return ((row, self._actions[row.name]) for row in ROWS)

    def connect_all(self, slots: dict[str, Callable[[], object]]) -> None:
        """Connect each named action to a slot."""
        for name, slot in slots.items():
            self._actions[name].triggered.connect(slot)

    def fill(self, menu_bar: QMenuBar) -> None:
        """Create the menus, in the order of the table."""
        for row, action in self:
            menu = _menu(self.menus, menu_bar, row.menu)
            if row.begins_group:
                menu.addSeparator()
            menu.addAction(action)
            menu.setToolTipsVisible(bool(row.tip))

    def _make(self, row: ActionRow) -> QAction:
        action = QAction(row.text, self)
        action.setObjectName(row.name)
        if row.tip:
            action.setToolTip(row.tip)
        action.setCheckable(row.is_checkable)
        action.setShortcuts([QKeySequence(key) for key in row.keys])
        if row.group:
            group = self._groups.setdefault(row.group, QActionGroup(self))
            group.addAction(action)
        return action


def _menu(menus: dict[str, QMenu], menu_bar: QMenuBar, path: str) -> QMenu:
    if path not in menus:
        above, _, title = path.rpartition("/")
        menus[path] = _menu(menus, menu_bar, above).addMenu(title) if above else menu_bar.addMenu(f"&{title}")
    return menus[path]
