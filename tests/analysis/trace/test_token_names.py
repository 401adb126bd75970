"""Steps write tokens as people read them."""

import pytest

import guiapp
from guiapp.analysis.trace.breakpoints import parse_breakpoint
from guiapp.analysis.trace.debugger import debugger_for
from guiapp.analysis.trace.recorder import record


@pytest.fixture
def rwkv_debugger():
    """On a file that escapes every letter beyond ASCII."""
    tokenizer = guiapp.open_model("demo:rwkv")
    text = "Größe ا 漢 🦁"
    assert b"\\x" in b"".join(map(tokenizer.vocabulary.raw_text, tokenizer.encode(text).token_ids.tolist()))
    return debugger_for(tokenizer, record(tokenizer, text))


def test_escaped_letters_are_read_and_bytes_that_are_none_stay_hexadecimal(rwkv_debugger):
    debugger = rwkv_debugger
    written = []
    for step in range(debugger.n_steps):
        debugger.go_to(step)
        assert "\\x" not in debugger.sentence()
        written.append(debugger.values.description("result", step))
    assert any("ö" in text for text in written)
    assert any("<" in text for text in written)


def test_a_token_is_found_as_it_is_shown():
    tokenizer = guiapp.open_model("demo:rwkv")
    debugger = debugger_for(tokenizer, record(tokenizer, "in the sun"))
    shown = {debugger.values.description("result", step) for step in range(debugger.n_steps)}
    debugger.set_breakpoints([parse_breakpoint(f'token "{text}"') for text in shown if "·" in text])
    assert debugger.breakpoints
    assert all(len(found) for found in debugger.stops.hits)


def test_a_token_is_found_by_its_letters_and_as_the_file_spells_it(rwkv_debugger):
    vocabulary = rwkv_debugger.vocabulary
    token = next(
        int(token)
        for token in rwkv_debugger.trace.result.ids
        if "ö" in vocabulary.token_bytes(int(token)).decode(errors="replace")
    )
    letters = vocabulary.token_bytes(token).decode()
    raw = vocabulary.raw_text(token).decode().replace("\\", "\\\\")
    rwkv_debugger.set_breakpoints([parse_breakpoint(f'token "{text}"') for text in (letters, raw)])
    hits = [found.tolist() for found in rwkv_debugger.stops.hits]
    assert hits[0] == hits[1] != []
