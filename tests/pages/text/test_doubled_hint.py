"""Where the text begins with the token that is added anyway, a hint says so and leaves it out."""

import guiapp


def open_demo(name, pre, progress):
    return guiapp.open_model(name, pre)


def test_a_doubled_token_is_a_hint_of_its_page_and_left_out_by_one_click(make_shell, qtbot):
    shell = make_shell(b"<|begin_of_text|>Hello", "demo:bpe", open_demo)
    window, area = shell.window, shell.window.inspect_page.notices
    qtbot.waitUntil(lambda: len(area.notices) == 1)
    (hint,) = area.notices
    assert (hint.isVisible(), hint.copy_button.isVisible()) == (True, False)
    assert "the model adds another one" in hint.message
    assert window.notices.notices == []
    window.actions_table["tree"].trigger()
    assert not hint.isVisible()
    window.actions_table["inspect"].trigger()
    with qtbot.waitSignal(shell.session.spans.encoded):
        hint.remedy_button.click()
    assert (hint.remedy_button.text(), area.notices) == ("Leave it out", [])
    assert not window.actions_table["add_special"].isChecked()
    with qtbot.waitSignal(shell.session.spans.encoded):
        window.actions_table["add_special"].trigger()
    (hint,) = area.notices
    hint.close_button.click()
    n_tokens = len(shell.session.tokens)
    shell.session.document.replace(22, 22, b" x")
    qtbot.waitUntil(lambda: len(shell.session.tokens) > n_tokens)
    assert area.notices == []  # it was read
