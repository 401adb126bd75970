import pytest


@pytest.fixture
def page(tree_page):
    return tree_page
