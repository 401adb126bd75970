"""What notebooks show of encodings, prompts and comparisons, and what `repr` says of each."""

from html.parser import HTMLParser

import pytest

import guiapp
from guiapp.core.text.token_html import MOST_TOKENS
from guiapp.core.text.visible_text import visible_text

HOSTILE = 'a <script>alert("1")</script> & "quotes" \u202e👋\nnext'


class Reader(HTMLParser):
    """The words of a page, and its elements, which must all be closed in order."""

    def __init__(self, page):
        super().__init__()
        self.words, self.elements, self.open = [], [], []
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


@pytest.fixture(scope="module")
def tokenizer():
    return guiapp.open_model("demo:bpe")


def test_the_html_of_an_encoding_shows_spans_with_their_ids(tokenizer):
    encoding = tokenizer.encode(HOSTILE, add_special=False)
    reader = Reader(encoding._repr_html_())
    parts = [encoding.text_bytes[start:end] for start, end in encoding.spans]
    assert [word for word in reader.words if word] == [visible_text(part) for part in parts]
    titles = [attributes["title"] for tag, attributes in reader.elements if tag == "span"]
    assert titles == [f"id {each}" for each in encoding.token_ids]
    assert {tag for tag, _ in reader.elements} == {"div", "span", "br"}


def test_added_tokens_are_shown_by_their_ids_and_long_texts_are_cut(tokenizer):
    assert f"#{tokenizer.encode('a').token_ids[0]}" in Reader(tokenizer.encode("a")._repr_html_()).words
    long = tokenizer.encode("a b " * MOST_TOKENS, add_special=False)
    assert Reader(long._repr_html_()).words[-1].split()[1] == f"{len(long) - MOST_TOKENS:,}"


def test_prompts_and_comparisons_have_a_block_for_each_turn_and_model(tokenizer):
    chat = guiapp.chat(tokenizer, [{"role": "user", "content": HOSTILE}])
    words = Reader(chat._repr_html_()).words
    assert sum(word.startswith("user: ") for word in words) == 1
    compared = guiapp.compare(["demo:bpe", "demo:spm"], HOSTILE)
    reader = Reader(compared._repr_html_())
    assert sum("demo:" in word for word in reader.words) == 2
    n_marked = sum("outline" in attributes["style"] for tag, attributes in reader.elements if tag == "span")
    assert n_marked == sum(int((shares < 2).sum()) for shares in compared.spans.shares) > 0


def test_repr_describes_the_object(tokenizer):
    encoding = tokenizer.encode("Hello", add_special=False)
    assert repr(tokenizer) == "<Tokenizer Tokenloupe demo: byte-level BPE: BPE, 2,560 tokens>"
    assert repr(encoding) == f"<Encoding: {len(encoding)} token of 5 bytes>"
    held = (
        guiapp.chat(tokenizer, [{"role": "user", "content": "Hello"}]),
        guiapp.compare([tokenizer, "demo:spm"], "Hello"),
        guiapp.doctor("demo:bpe"),
        guiapp.vocab(tokenizer, "is:special"),
    )
    for value in held:
        assert repr(value).startswith(f"<{type(value).__name__}")
        assert len(repr(value)) < 200


def test_completion_shows_public_names_only():
    assert set(dir(guiapp)) == {*guiapp.__all__, "__version__"}
