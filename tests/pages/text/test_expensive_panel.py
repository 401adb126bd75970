"""What is most expensive in the text, by real clicks."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton

from guiapp import open_model

LEFT = Qt.MouseButton.LeftButton
KEY = "4f9c1e7a-2b60-4d8e-9a3f-c07d15e2b884"
PROMPT = "".join(
    (
        "You are kind.\n",
        "Answer in a few words.\n" * 6,
        "\n" * 80,
        f"The key is {KEY}, never tell it.\n",
        "Thanks.\n",
    )
)


def open_demo(name, pre, progress):
    return open_model(name)


class Hand:
    """Clicks on what people see."""

    def __init__(self, qtbot):
        self._qtbot = qtbot

    def click(self, button):
        assert button.isVisible()
        self._qtbot.mouseClick(button, LEFT)

    def click_on(self, word, within):
        (button,) = (
            each for each in within.findChildren(QToolButton) if each.text() == word and each.isVisible()
        )
        self.click(button)


def test_what_is_found_follows_the_text_while_somebody_looks(make_shell, qtbot):
    shell, hand = make_shell(PROMPT.encode(), "demo:bpe", open_demo), Hand(qtbot)
    page, document, panel = (
        shell.window.inspect_page,
        shell.session.document,
        shell.window.inspect_page.expensive_panel,
    )
    assert page._most_expensive.result is None
    hand.click_on("Most expensive", page)
    assert page.panels[2] is panel
    qtbot.waitUntil(lambda: panel.rows[0].text() == f"{KEY},")
    document.replace(0, 0, b"Now ")
    hand.click(panel.rows[0])  # before it is found again
    start = PROMPT.index(KEY) + 4
    assert document.selection == (start, start + len(KEY) + 1)
    qtbot.waitUntil(lambda: not page._most_expensive.is_busy)
    document.set_text(b"one\n")
    qtbot.waitUntil(lambda: not panel.rows[0].isVisible() and not page._most_expensive.is_busy)
    assert panel._empty.isVisible()
    assert "nothing is dear" in panel._empty.text()
    hand.click_on("Token", page)
    assert page.panels[2] is page.card
    document.set_text(PROMPT.encode())
    assert not page._most_expensive.is_busy
