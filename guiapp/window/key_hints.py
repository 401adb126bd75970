"""Keys that widgets take themselves, beside those of the window's actions.

A test presses every one of them in the widget that it is said to be for.
"""

from __future__ import annotations

from PySide6.QtGui import QKeySequence

Key = QKeySequence.StandardKey
KEY_HINTS: dict[str, tuple[tuple[str, tuple[str | Key, ...]], ...]] = {
    "In the text": (
        ("Move by a character", (Key.MoveToPreviousChar, Key.MoveToNextChar)),
        ("Move by a word", (Key.MoveToPreviousWord, Key.MoveToNextWord)),
        ("Move by a row", (Key.MoveToPreviousLine, Key.MoveToNextLine)),
        ("Move by a page", (Key.MoveToPreviousPage, Key.MoveToNextPage)),
        ("Move to the ends of the row", (Key.MoveToStartOfLine, Key.MoveToEndOfLine)),
        ("Move to the ends of the text", (Key.MoveToStartOfDocument, Key.MoveToEndOfDocument)),
        ("Select by a character", (Key.SelectPreviousChar, Key.SelectNextChar)),
        ("Select by a word", (Key.SelectPreviousWord, Key.SelectNextWord)),
        ("Select by a row", (Key.SelectPreviousLine, Key.SelectNextLine)),
        ("Select by a page", (Key.SelectPreviousPage, Key.SelectNextPage)),
        ("Select to the ends of the row", (Key.SelectStartOfLine, Key.SelectEndOfLine)),
        ("Select to the ends of the text", (Key.SelectStartOfDocument, Key.SelectEndOfDocument)),
        ("Erase a character", ("Backspace", Key.Delete)),
        ("Erase a word", (Key.DeleteStartOfWord, Key.DeleteEndOfWord)),
        ("Type a tab; F6 goes to the next panel", ("Tab",)),
    ),
    "In the find bar": (
        ("Next match", ("Return", "Down")),
        ("Previous match", ("Shift+Return", "Up")),
        ("Close the search", ("Esc",)),
    ),
    "On a button": (("Press it", ("Space", "Return")),),
    "On a button with an arrow": (("Open its list", ("Down", "Alt+Down", "Space", "Return")),),
    "In the ids": (
        ("Previous or next token", ("Left", "Right")),
        ("Row above or below", ("Up", "Down")),
        ("Page up or down", ("PgUp", "PgDown")),
        ("Ends of the row", ("Home", "End")),
        ("First or last token", ("Ctrl+Home", "Ctrl+End")),
        ("Select from token to token", ("Shift+Left", "Shift+Right")),
    ),
    "In the causes of a hunt": (
        ("Cause above or below", ("Up", "Down")),
        ("Previous or next text", ("Left", "Right")),
        ("First or last cause", ("Home", "End")),
    ),
    "In a message": (
        ("Add a message", ("Ctrl+Return",)),
        ("Undo", ("Ctrl+Z",)),
        ("Redo", ("Ctrl+Shift+Z", "Ctrl+Y")),
    ),
    "In a prompt": (
        ("Previous or next token", ("Left", "Right")),
        ("Row above or below", ("Up", "Down")),
        ("First or last token", ("Home", "End")),
    ),
    "In two prompts side by side": (("Previous or next token", ("Left", "Right")),),
    "In the findings of the doctor": (
        ("Finding above or below", ("Up", "Down")),
        ("Page up or down", ("PgUp", "PgDown")),
        ("First or last finding", ("Home", "End")),
    ),
    "On the Tree page": (
        ("Search for tokens", ("Ctrl+F",)),
        ("Back or forward", ("Alt+Left", "Alt+Right")),
    ),
    "In the tree": (
        ("Parent or first child", ("Up", "Down")),
        ("Neighbours", ("Left", "Right")),
        ("Show the chosen token", ("Return",)),
        ("Show the whole tree", ("Home", "Esc")),
        ("Zoom in or out", ("+", "-")),
        ("Search: type any letter, such as", ("A",)),
    ),
    "In the search for tokens": (
        ("Next token found", ("Return", "Down")),
        ("Previous token found", ("Shift+Return", "Up")),
        ("End the search", ("Esc",)),
    ),
    "In the tree's legend": (
        ("Show one class alone", ("Left", "Right")),
        ("Show all classes", ("Esc",)),
    ),
    "In charts": (
        ("Previous or next value", ("Up", "Down", "Left", "Right")),
        ("Choose what it is of", ("Return", "Space")),
        ("Show all again", ("Esc",)),
    ),
    "In the chart of embeddings": (("Previous or next untrained token", ("Up", "Down", "Left", "Right")),),
    "On the timeline": (
        ("Step back or on", ("Left", "Right")),
        ("First or last step", ("Home", "End")),
    ),
    "In the list of breakpoints": (("Undo", ("Ctrl+Z",)), ("Redo", ("Ctrl+Shift+Z",))),
    "In the list of lessons": (("Begin a lesson", ("Return",)),),
    "In a presentation of Steps": (
        ("Step on, through a lesson or a run", ("Space", "Right", "Down", "PgDown", "Return")),
        ("Step back", ("Backspace", "Left", "Up", "PgUp")),
        ("First or last step of the run", ("Home", "End")),
        ("Play or pause", ("P",)),
        ("One step of the run, also in a lesson", ("F10",)),
        ("One step back", ("Shift+F10",)),
    ),
    "On a contender of Bench": (
        ("Point at it in all charts", ("Space",)),
        ("Leave it out", ("Del", "Backspace")),
    ),
    "On the start page": (("Open a row", ("Return",)), ("Leave the page", ("Esc",))),
    "While a model or a text is opened": (("Cancel", ("Esc",)),),
}
