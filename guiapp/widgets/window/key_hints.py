"""Keys that widgets take themselves, beside those of the window's actions: one table per widget.

A test presses every one of them in the widget that it is said to be for.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from PySide6.QtGui import QKeySequence

from guiapp.widgets.spans.editor import COMMANDS, PLAIN_KEYS, SpanEditor
from guiapp.widgets.spans.moves import KEYS, CaretMoves


@dataclass(frozen=True)
class KeyHint:
    """Some keys, each as QKeySequence reads it, and what they do."""

    what: str
    keys: tuple[str, ...]


MOVES = (
    ("by a character", CaretMoves.left, CaretMoves.right),
    ("by a word", CaretMoves.word_left, CaretMoves.word_right),
    ("by a row", CaretMoves.up, CaretMoves.down),
    ("by a page", CaretMoves.page_up, CaretMoves.page_down),
    ("to the ends of the row", CaretMoves.row_start, CaretMoves.row_end),
    ("to the ends of the text", CaretMoves.text_start, CaretMoves.text_end),
)
ERASING = (
    ("Erase a character", SpanEditor.erase_grapheme_before, SpanEditor.erase_grapheme_behind),
    ("Erase a word", SpanEditor.erase_word_before, SpanEditor.erase_word_behind),
)


def _keys_to_move(moves: Collection[object], extends: bool) -> tuple[str, ...]:
    """The keys that the editor's table has for some moves of the caret."""
    return tuple(_first(key) for key, move, selects in KEYS if move in moves and selects == extends)


def _keys_to_erase(commands: Collection[object]) -> tuple[str, ...]:
    plain = [QKeySequence(key).toString() for key, command in PLAIN_KEYS.items() if command in commands]
    known = [_first(key) for key, command in COMMANDS if command in commands]
    return (*plain, *(keys for keys in known if keys))


def _first(key: QKeySequence.StandardKey) -> str:
    """The usual one of the keys that the system has for something; "" where it has none."""
    return QKeySequence(key).toString()


def text_hints() -> tuple[KeyHint, ...]:
    """What the editor takes, on this system; asked for when there is an application."""
    return (
        *(KeyHint(f"Move {how}", _keys_to_move(moves, False)) for how, *moves in MOVES),
        *(KeyHint(f"Select {how}", _keys_to_move(moves, True)) for how, *moves in MOVES),
        *(KeyHint(what, _keys_to_erase(commands)) for what, *commands in ERASING),
        KeyHint("Write a tab; F6 goes to the next panel", ("Tab",)),
    )


FIND_FIELD = (
    KeyHint("Next match", ("Return", "Down")),
    KeyHint("Previous match", ("Shift+Return", "Up")),
)
BUTTON = (KeyHint("Press it", ("Space", "Return")),)
MENU_BUTTON = (KeyHint("Open its list", ("Down", "Alt+Down", "Space", "Return")),)
FIND_PANEL = (KeyHint("Close the search", ("Esc",)),)
IDS = (
    KeyHint("Previous or next token", ("Left", "Right")),
    KeyHint("Row above or below", ("Up", "Down")),
    KeyHint("Page up or down", ("PgUp", "PgDown")),
    KeyHint("Ends of the row", ("Home", "End")),
    KeyHint("First or last token", ("Ctrl+Home", "Ctrl+End")),
    KeyHint("Select from token to token", ("Shift+Left", "Shift+Right")),
)
CAUSES = (
    KeyHint("Cause above or below", ("Up", "Down")),
    KeyHint("Text before or behind", ("Left", "Right")),
    KeyHint("First or last cause", ("Home", "End")),
)
FINDINGS = (
    KeyHint("Finding above or below", ("Up", "Down")),
    KeyHint("Page up or down", ("PgUp", "PgDown")),
    KeyHint("First or last finding", ("Home", "End")),
)
TREE = (
    KeyHint("Parent or first child", ("Up", "Down")),
    KeyHint("Neighbours", ("Left", "Right")),
    KeyHint("Show the chosen token", ("Return",)),
    KeyHint("Show the whole tree", ("Home", "Esc")),
    KeyHint("Nearer or farther", ("+", "-")),
    KeyHint("Search: type any letter, such as", ("A",)),
)
TREE_PAGE = (
    KeyHint("Search for tokens", ("Ctrl+F",)),
    KeyHint("Back or forward", ("Alt+Left", "Alt+Right")),
)
TREE_SEARCH = (
    KeyHint("Next token found", ("Return", "Down")),
    KeyHint("Previous token found", ("Shift+Return", "Up")),
    KeyHint("End the search", ("Esc",)),
)
TREE_LEGEND = (
    KeyHint("Show one class alone", ("Left", "Right")),
    KeyHint("Show all classes", ("Esc",)),
)
CHART = (
    KeyHint("Value before or behind", ("Up", "Down", "Left", "Right")),
    KeyHint("Choose what it is of", ("Return", "Space")),
    KeyHint("Show all again", ("Esc",)),
)
EMBEDDINGS = (KeyHint("Untrained token before or behind", ("Up", "Down", "Left", "Right")),)
TIMELINE = (
    KeyHint("Step back or on", ("Left", "Right")),
    KeyHint("First or last step", ("Home", "End")),
)
LESSONS = (KeyHint("Begin a lesson", ("Return",)),)
PRESENTATION = (
    KeyHint("Next slide", ("Space", "Right", "Down", "PgDown", "Return")),
    KeyHint("Slide before", ("Backspace", "Left", "Up", "PgUp")),
    KeyHint("First or last slide", ("Home", "End")),
    KeyHint("Let it play, or pause", ("P",)),
    KeyHint("One step of the run, also in a lesson", ("F10",)),
    KeyHint("One step back", ("Shift+F10",)),
    KeyHint("Leave the presentation", ("Esc",)),
)
START_ROW = (KeyHint("Open it", ("Return",)),)
START_PAGE = (KeyHint("Leave the page", ("Esc",)),)
CHIP = (
    KeyHint("Point at it in all charts", ("Space",)),
    KeyHint("Leave it out", ("Del", "Backspace")),
)
BREAKPOINTS = (
    KeyHint("Take back a change", ("Ctrl+Z",)),
    KeyHint("Make it again", ("Ctrl+Shift+Z",)),
)
MESSAGE = (
    KeyHint("Add a message", ("Ctrl+Return",)),
    KeyHint("Take back a change", ("Ctrl+Z",)),
    KeyHint("Make it again", ("Ctrl+Shift+Z", "Ctrl+Y")),
)
PROMPT = (
    KeyHint("Previous or next token", ("Left", "Right")),
    KeyHint("Row above or below", ("Up", "Down")),
    KeyHint("First or last token", ("Home", "End")),
)
PROMPTS = (KeyHint("Previous or next token", ("Left", "Right")),)


CANCELLING = KeyHint("Give it up", ("Esc",))


def key_hints() -> dict[str, tuple[KeyHint, ...]]:
    """All of them, by where they are taken."""
    return {
        "In the text": text_hints(),
        "In the find bar": FIND_FIELD + FIND_PANEL,
        "On a button": BUTTON,
        "On a button with an arrow": MENU_BUTTON,
        "In the ids": IDS,
        "In the causes of a hunt": CAUSES,
        "In a message": MESSAGE,
        "In a prompt": PROMPT,
        "In two prompts side by side": PROMPTS,
        "In the findings of the doctor": FINDINGS,
        "In the tree": TREE_PAGE + TREE,
        "In the search for tokens": TREE_SEARCH,
        "In the tree's legend": TREE_LEGEND,
        "In charts": CHART,
        "In the chart of embeddings": EMBEDDINGS,
        "On the timeline": TIMELINE,
        "In the list of breakpoints": BREAKPOINTS,
        "In the list of lessons": LESSONS,
        "In a presentation": PRESENTATION,
        "On a contender of Bench": CHIP,
        "On the start page": START_ROW + START_PAGE,
        "While a model or a text is opened": (CANCELLING,),
    }
