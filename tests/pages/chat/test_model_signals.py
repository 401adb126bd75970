"""What the model of a conversation tells, in which order, and what it leaves alone."""

from dataclasses import replace

from told import told_by

from guiapp.analysis.chat.messages import conversation_of
from guiapp.pages.chat.model import ChatModel

HELLO = conversation_of([{"role": "user", "content": "Hi"}])
TEMPLATE = "{% for m in messages %}{{ m.content }}{% endfor %}"


def test_each_change_of_a_conversation_is_told(make_session, qtbot):
    session = make_session()
    model = ChatModel(session)
    told = told_by(model)

    def tells(act, *given):
        told.clear()
        act(*given)
        qtbot.waitUntil(lambda: not model.is_busy and session.loader.loading_name is None)
        return list(told)

    selects, renders = ["selected_changed"], ["result_changed"]
    chooses = ["settings_changed", *renders]
    assert (model.chat, model.hints, model.failure, model.encoding) == (None, (), "", None)
    assert (model.origins, model.templates, model.is_outdated) == ([], (), False)
    assert tells(model.edited.take, HELLO) == tells(model.select_token, None) == []
    assert tells(session.loader.open, "demo:bpe") == [*renders, *chooses]
    own = replace(model.settings, template=TEMPLATE)
    assert (tells(model.choose, own), tells(model.choose, own)) == (chooses, [])
    assert (tells(model.select_token, 1), tells(model.select_token, 1)) == (selects, [])
    assert tells(model.edited.type, 0, "Ho") == renders, "as many tokens"
    assert tells(model.edited.type, 0, "Ho Ho Ho") == [*selects, *renders]
    assert tells(model.edited.type, 0, "Ho Ho Ho") == []
    assert tells(session.set_add_special, False) == chooses
    assert tells(session.set_parse_special, False) == ["settings_changed"], "which prompts do not follow"
    assert tells(model.choose, replace(model.settings, template="{{")) == chooses
    assert tells(model.edited.remove, 0) == renders * 2
    assert (model.failure, model.chat) == ("", None)
    assert tells(model.edited.undo) == renders
    assert model.is_outdated
    assert tells(session.loader.open, "demo:toy") == [*renders, *chooses]
    model.close()
