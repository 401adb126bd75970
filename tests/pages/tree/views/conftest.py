import pytest
from instant_recorder import unreached_once


@pytest.fixture
def page(tree_page):
    return tree_page


@pytest.fixture(autouse=True)
def unreached_tokens_are_found_once(monkeypatch):
    monkeypatch.setattr(
        "guiapp.kit.token_table.vocabulary.unreached_apart", lambda tokenizer, _: unreached_once(tokenizer)
    )
