"""The cells of each scenario: how many of which size, and what texts they are made of."""

import numpy as np
import pytest

from guiapp import open_model
from guiapp.analysis.bench.corpus import BenchText
from guiapp.analysis.bench.plan import BenchCell, CellBuilder, Plan, tasks_of


def plan(*scenarios: str, **changes) -> Plan:
    return Plan("demo:bpe", scenarios=scenarios, **{"threads": (1, 2, 4), "repeat": "same", **changes})


@pytest.mark.parametrize(
    ("name", "largest", "n_cells"),
    [
        ("scaling", 512, 2), ("scaling", 511, 1), ("scaling", 127, 0), ("worst", 1_000, 3), ("short", 1, 3),
        ("throughput", 1, 2), ("scaling", None, 9),
    ],
)  # fmt: skip
def test_only_what_grows_ends_at_the_largest_size(name, largest, n_cells):
    assert len(tasks_of(plan(name, largest_bytes=largest), (10, 20))) == n_cells


@pytest.fixture(scope="module")
def tokenizer():
    return open_model("demo:bpe")


def made(tokenizer, scenario: str, *texts: bytes, **changes) -> list[BenchCell]:
    corpora = [BenchText(f"text {number}", text) for number, text in enumerate(texts)]
    requested = plan(scenario, **changes)
    tasks = tasks_of(requested, [len(text) for text in texts])
    return list(map(CellBuilder(requested, tokenizer, corpora).cell, tasks))


@pytest.mark.parametrize(("character", "prompt"), [("é", "é" * 8), ("汉", "汉" * 5 + " "), ("😍", "😍" * 4)])
def test_prompts_are_of_whole_characters(tokenizer, character, prompt):
    short, *_ = made(tokenizer, "short", character.encode() * 50)
    assert set(short.texts) == {prompt.encode()}


def test_a_text_is_extended_by_itself_or_fresh_text_as_recorded(tokenizer):
    text = b"A few words. "
    for repeat, own_bytes in (("same", len(text)), ("fresh", 1 << 22)):
        *_, longest = made(tokenizer, "scaling", text, repeat=repeat)
        assert longest.texts[0].startswith(text)
        assert longest.texts[0].count(text) > 1000 or repeat == "fresh"
        assert (longest.size_bytes, longest.own_bytes) == (1 << 22, own_bytes)
    fresh = longest.texts[0][:1_000_000]
    pieces = {fresh[at : at + 64] for at in range(0, len(fresh) - 64, 64)}
    assert sum(fresh.count(piece) for piece in [*pieces][:50]) == 50, "no stretch comes twice"


@pytest.mark.parametrize("text", [b"", b"a", "汉🙂 one two three\xff".encode("latin-1", "ignore") * 999])
@pytest.mark.parametrize("model", ["demo:bpe", "demo:spm", "demo:wordpiece", "demo:toy"])
def test_a_chat_prompt_has_16_turns_between_the_special_tokens_of_its_model(model, text):
    tokenizer = open_model(model)
    (cell,) = made(tokenizer, "chat-prompt", text, repeat="never")
    (prompt,) = cell.texts
    prompt.decode()
    are_special = np.isin(
        tokenizer.encode(prompt, False, True).token_ids, [*tokenizer.special_tokens.names.values()]
    )
    assert np.count_nonzero(are_special) >= 16 or not tokenizer.special_tokens.names
    opens, closes = (b"[INST]", b"[/INST]") if model == "demo:spm" else (b"user\n", b"assistant\n")
    assert prompt.count(opens) == 8 <= prompt.count(closes) <= 9  # a generation prompt may follow


@pytest.mark.parametrize("text", [b"", b"a", b"one two three" * 999])
def test_a_batch_is_one_however_short_its_text(tokenizer, text):
    """Of little text there is nothing that threads could share out."""
    for cell in made(tokenizer, "threads", text, repeat="never"):
        assert cell.size_bytes > 1 << 20 > (cell.own_bytes or 0)
