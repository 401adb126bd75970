"""What is most expensive in the text, by real clicks."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QToolButton

from guiapp import open_model
from guiapp.core.counting.cost import dearest

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
    """Clicks on what people see, and counts."""

    def __init__(self, qtbot):
        self._qtbot = qtbot
        self.n_clicks = 0

    def click(self, button):
        assert button.isVisible()
        self._qtbot.mouseClick(button, LEFT)
        self.n_clicks += 1

    def click_on(self, word, within):
        (button,) = (
            each for each in within.findChildren(QToolButton) if each.text() == word and each.isVisible()
        )
        self.click(button)


def test_from_the_start_to_the_dearest_line_of_a_prompt_in_a_few_clicks(make_shell, qtbot):
    shell, hand = make_shell(b"", "demo:bpe", open_demo), Hand(qtbot)
    page, document = shell.window.inspect_page, shell.session.document
    QGuiApplication.clipboard().setText(PROMPT)
    hand.click(page.editor.viewport())
    qtbot.keyClick(page.editor, "v", Qt.KeyboardModifier.ControlModifier)
    hand.click_on("Most expensive", page)
    panel = page.dearest_panel
    qtbot.waitUntil(lambda: panel.rows[0].isVisible() and panel.rows[0].text() == f"{KEY},")
    assert [row.isVisible() for row in panel.rows][:2] == [True, True]
    hand.click_on("Lines", page)
    line = next(row for row in panel.rows if KEY in row.text())
    assert line is panel.rows[1]  # that which is there six times takes more
    hand.click(line)
    assert hand.n_clicks < 6
    start = PROMPT.index("The key")
    assert document.selection == (start, start + PROMPT[start:].index("\n") + 1)
    qtbot.waitUntil(lambda: 0 <= page.editor.rows.place_of(start).y < page.editor.viewport().height())
    found = dearest(shell.session.tokenizer.encode(PROMPT), 2)
    words = f"{found.lines[1].n_tokens} tokens"
    assert words in line.accessibleName()
    assert words in line.toolTip()


def test_what_is_found_follows_the_text_while_somebody_looks(make_shell, qtbot):
    shell, hand = make_shell(PROMPT.encode(), "demo:bpe", open_demo), Hand(qtbot)
    page, document, panel = (
        shell.window.inspect_page,
        shell.session.document,
        shell.window.inspect_page.dearest_panel,
    )
    assert page._dearest.found is None
    hand.click_on("Most expensive", page)
    assert page.panels[2] is panel
    qtbot.waitUntil(lambda: panel.rows[0].text() == f"{KEY},")
    document.replace(0, 0, b"Now ")
    hand.click(panel.rows[0])  # before it is found again
    start = PROMPT.index(KEY) + 4
    assert document.selection == (start, start + len(KEY) + 1)
    qtbot.waitUntil(lambda: not page._dearest.is_busy)
    document.set_text(b"one\n")
    qtbot.waitUntil(lambda: not panel.rows[0].isVisible() and not page._dearest.is_busy)
    assert panel._empty.isVisible()
    assert "nothing is dear" in panel._empty.text()
    hand.click_on("Token", page)
    assert page.panels[2] is page.card
    document.set_text(PROMPT.encode())
    assert not page._dearest.is_busy
