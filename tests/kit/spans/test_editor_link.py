"""An editor and the session agree on the token that is pointed at and the one that is selected."""

from PySide6.QtCore import QObject, Signal

from guiapp.kit.spans.editor import EditorLink


class ModelSession(QObject):
    hovered_token_changed, selected_token_changed = Signal(), Signal()
    hovered_token, selected_token = None, 2

    def hover_token(self, index):
        self.hovered_token = index
        self.hovered_token_changed.emit()

    def select_token(self, index):
        self.selected_token = index
        self.selected_token_changed.emit()

    @property
    def tokens(self):
        return self

    def span(self, index):
        return 10 * index, 10 * index + 10


class Editor(QObject):
    hovered, token_clicked = Signal(int), Signal(int)

    def __init__(self):
        super().__init__()
        self.has_focus, self.revealed = False, []
        self.marks = {}

    def hasFocus(self):
        return self.has_focus

    def set_hovered_token(self, index):
        self.marks["hovered"] = index

    def set_selected_token(self, index):
        self.marks["selected"] = index

    def reveal(self, start, end):
        self.revealed.append((start, end))


def test_both_mark_the_same_tokens_and_the_editor_shows_what_is_selected_elsewhere(qtbot):
    editor, session = Editor(), ModelSession()
    link = EditorLink(editor, session)
    assert editor.marks == {"selected": 2}
    qtbot.waitUntil(lambda: editor.revealed == [(20, 30)])
    for hovered, expected in ((5, 5), (0, 0), (-1, None)):
        editor.hovered.emit(hovered)
        assert session.hovered_token == expected
        assert editor.marks["hovered"] == hovered
    editor.token_clicked.emit(3)
    assert (session.selected_token, editor.marks["selected"]) == (3, 3)
    assert editor.revealed == [(20, 30)]
    qtbot.waitUntil(lambda: editor.revealed == [(20, 30), (30, 40)])
    session.select_token(None)
    assert editor.marks["selected"] == -1
    editor.has_focus = True
    session.select_token(0)
    assert editor.marks["selected"] == 0
    assert link.parent() is editor
    qtbot.wait(20)
    assert len(editor.revealed) == 2
