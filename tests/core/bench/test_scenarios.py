"""The cells of each scenario: how many of which size, and what texts they are made of."""

import numpy as np
import pytest

from guiapp import open_model
from guiapp.core.bench.corpus import WORST_TEXTS, Corpus, corpus_named, stretched, worst_texts
from guiapp.core.bench.plan import Plan
from guiapp.core.bench.scenarios import SCENARIOS, tasks_of
from guiapp.core.bench.tasks import Cell, Setting, Task

WORST = [(text, size, 1) for text in (0, 1, 2) for size in (1_000, 10_000, 100_000, 1_000_000)]
SCALES = [128, 512, 2_048, 8_192, 32_768, 131_072, 524_288, 2_097_152, 4_194_304]
BATCH = 2_097_152
STAGES = (
    "encode", "partition", "normalise", "normalise and split", "split", "split and encode pieces",
    "encode pieces",
)  # fmt: skip
BOTH = [(0, 10, 1), (1, 20, 1)]
TASKS = {
    "throughput": (("encode",), BOTH),
    "scaling": (("encode",), [(0, size, 1) for size in SCALES]),
    "short": (("encode each",), [(0, 16, 1), (0, 128, 1), (0, 1_024, 1)]),
    "worst": (("encode",), WORST),
    "cold": (("encode first",), BOTH),
    "threads": (("encode batch",), [(0, BATCH, 1), (0, BATCH, 2), (0, BATCH, 4)]),
    "decode": (("decode",), BOTH),
    "append": (("append", "encode"), [(0, 1_000, 1), (0, 10_000, 1)]),
    "interval": (("count parts", "encode parts"), [(0, size, 1) for size in (40, 400, 4_000, 40_000)]),
    "batch": (("encode batch",), [(0, BATCH, 1), (1, BATCH, 1)]),
    "stages": (STAGES, BOTH),
    "memory": (("memory",), [(0, BATCH, 1)]),
    "latency": (("encode singly",), [(0, 128, 1)]),
    "energy": (("encode metered",), BOTH),
}


def plan(*scenarios: str, **changes) -> Plan:
    return Plan("demo:bpe", scenarios=scenarios, **{"threads": (1, 2, 4), "repeat": "same", **changes})


@pytest.mark.parametrize("name", SCENARIOS)
def test_each_scenario_has_its_texts_sizes_and_threads(name):
    operations, extents = TASKS[name]
    assert tasks_of(plan(name), (10, 20)) == [Task(name, operations, *extent) for extent in extents]


def test_cells_of_more_threads_come_last_and_no_scenario_twice():
    tasks = tasks_of(plan("threads", "memory", "threads"), (10,))
    assert [(task.scenario, task.threads) for task in tasks] == [
        ("memory", 1), ("threads", 1), ("threads", 2), ("threads", 4),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "largest", "n_cells"),
    [
        ("scaling", 512, 2), ("scaling", 511, 1), ("scaling", 127, 0), ("worst", 1_000, 3), ("short", 1, 3),
        ("throughput", 1, 2), ("scaling", None, 9),
    ],
)  # fmt: skip
def test_only_what_grows_ends_at_the_largest_size(name, largest, n_cells):
    assert len(tasks_of(plan(name, largest_bytes=largest), (10, 20))) == n_cells


def test_one_call_takes_all_units():
    sizes = [Task("x", (operation,), 0, 10).call_bytes for operation in ("encode", "encode each")]
    assert sizes == [10, 640]
    assert [Task("x", (f"{verb} parts",), 0, 10).call_bytes for verb in ("count", "encode")] == [640, 640]
    assert Task("x", ("encode", "encode each"), 0, 10).call_bytes == 10


def test_what_grows_is_marked_and_each_has_a_title():
    assert [name for name, scenario in SCENARIOS.items() if scenario.grows] == ["scaling", "worst"]
    assert all(scenario.name == name and scenario.title for name, scenario in SCENARIOS.items())


@pytest.fixture(scope="module")
def tokenizer():
    return open_model("demo:bpe")


def made(tokenizer, scenario: str, *texts: bytes, **changes) -> list[Cell]:
    corpora = [Corpus(f"text {number}", text) for number, text in enumerate(texts)]
    wanted = plan(scenario, **changes)
    tasks = tasks_of(wanted, [len(text) for text in texts])
    return [SCENARIOS[scenario].cell(Setting(wanted, tokenizer, corpora), task) for task in tasks]


def test_whole_texts_are_what_they_are(tokenizer):
    for scenario in ("throughput", "cold", "decode"):
        cells = made(tokenizer, scenario, b"one", b"two words")
        assert [(cell.scenario, cell.corpus, cell.texts) for cell in cells] == [
            (scenario, "text 0", (b"one",)),
            (scenario, "text 1", (b"two words",)),
        ]
        assert [(cell.size_bytes, cell.threads, cell.unit_bytes) for cell in cells] == [
            (3, 1, None),
            (9, 1, None),
        ]


def test_texts_of_a_size_are_stretched(tokenizer):
    for scenario, sizes in (("scaling", SCALES), ("append", [1_000, 10_000]), ("memory", [BATCH])):
        cells = made(tokenizer, scenario, b"a few words ", b"others")
        assert [cell.texts for cell in cells] == [(stretched(b"a few words ", size),) for size in sizes]
        assert {cell.corpus for cell in cells} == {"text 0"}


def test_the_worst_texts_are_those_of_the_seed(tokenizer):
    cells = made(tokenizer, "worst", b"x", seed=4, largest_bytes=10_000)
    wanted = [
        (name, (worst_texts(tokenizer.vocabulary, size, 4)[name],))
        for name in WORST_TEXTS
        for size in (1_000, 10_000)
    ]
    assert [(cell.corpus, cell.texts) for cell in cells] == wanted


def test_prompts_are_from_places_all_over_the_text(tokenizer):
    text = bytes(range(1, 127))
    short, longer, longest = made(tokenizer, "short", text)
    assert short.texts == tuple((text + text)[2 * at : 2 * at + 16] for at in range(64))
    assert (short.unit_bytes, short.size_bytes, longer.size_bytes) == (16, 16, 128)
    assert all(len(each) == 1_024 for each in longest.texts)
    assert longest.texts[0] == (text * 9)[:1_024]


@pytest.mark.parametrize(("character", "prompt"), [("é", "é" * 8), ("汉", "汉" * 5 + " "), ("😍", "😍" * 4)])
def test_prompts_are_of_whole_characters(tokenizer, character, prompt):
    short, *_ = made(tokenizer, "short", character.encode() * 50)
    assert set(short.texts) == {prompt.encode()}


@pytest.mark.parametrize("scenario", ["batch", "threads"])
def test_a_batch_is_of_many_pages(tokenizer, scenario, monkeypatch):
    monkeypatch.setattr("guiapp.core.bench.scenarios.BATCH_BYTES", 1 << 16)
    text = b"".join(f"{number:05}".encode() for number in range(4_000))
    cells = made(tokenizer, scenario, text, b"another")
    starts = np.linspace(0, 20_000, 32).astype(int)
    assert cells[0].texts == tuple((text + text)[start : start + 2_000] for start in starts)
    assert [(cell.corpus, cell.threads, cell.size_bytes) for cell in cells] == (
        [(f"text {number}", 1, 64_000) for number in (0, 1)]
        if scenario == "batch"
        else [("text 0", threads, 64_000) for threads in (1, 2, 4)]
    )


def test_parts_are_of_so_many_tokens_of_a_text_that_is_long_enough(tokenizer):
    corpus = corpus_named("sample:welcome", tokenizer.vocabulary).text
    cells = made(tokenizer, "interval", corpus)
    (text,) = {cell.texts[0] for cell in cells}
    assert text == stretched(corpus, 100_000)
    spans = tokenizer.encode(text, False, False).spans.tolist()
    numbers_at = {start: number for number, (start, _) in reversed([*enumerate(spans)])}
    for cell, n_tokens in zip(cells, (10, 100, 1_000, 10_000), strict=True):
        firsts = [numbers_at[start] for start, _ in cell.parts]
        assert [end for _, end in cell.parts] == [spans[first + n_tokens - 1][1] for first in firsts]
        lengths = [end - start for start, end in cell.parts]
        assert (len(cell.parts), cell.unit_tokens) == (64, n_tokens)
        assert cell.size_bytes == cell.unit_bytes == round(np.mean(lengths))
        assert min(firsts) < 0.1 * (len(spans) - n_tokens)
        assert max(firsts) > 0.9 * (len(spans) - n_tokens)
    others = made(tokenizer, "interval", corpus, seed=10)
    assert others[0].parts != cells[0].parts
    assert len({cell.parts[0][0] for cell in cells}) > 1


@pytest.mark.parametrize("text", [b"", b"a", b"one two three"])
def test_parts_are_no_longer_than_the_text_where_nothing_is_repeated(tokenizer, text):
    tokens = tokenizer.encode(text, False, False)
    for cell in made(tokenizer, "interval", text, repeat="never"):
        assert (cell.texts, cell.unit_tokens) == ((text,), max(len(tokens), 1))
        assert {*cell.parts} == {(0, len(text))}


SIZES = {"scaling": [128, 512, 1000], "short": [16, 128, 1000], "append": [1000], "memory": [1000]}


@pytest.mark.parametrize(("name", "sizes"), SIZES.items())
def test_no_size_is_above_the_texts_own_unless_it_is_wished_for(name, sizes):
    tasks = tasks_of(plan(name, repeat="never"), (1000,))
    assert [task.size_bytes for task in tasks] == sizes


def test_what_follows_a_text_is_itself_or_fresh_and_the_record_can_tell(tokenizer):
    text = b"A few words. "
    for repeat, own_bytes in (("same", len(text)), ("fresh", 1 << 22)):
        *_, longest = made(tokenizer, "scaling", text, repeat=repeat)
        assert longest.texts[0].startswith(text)
        assert longest.texts[0].count(text) > 1000 or repeat == "fresh"
        assert (longest.size_bytes, longest.own_bytes) == (1 << 22, own_bytes)
    fresh = longest.texts[0][:1_000_000]
    pieces = {fresh[at : at + 64] for at in range(0, len(fresh) - 64, 64)}
    assert sum(fresh.count(piece) for piece in [*pieces][:50]) == 50, "no stretch comes twice"


def test_single_calls_are_of_different_texts(tokenizer):
    text = corpus_named("sample:english", tokenizer.vocabulary).text
    (cell,) = made(tokenizer, "latency", text)
    assert len(cell.texts) > 1_000
    assert len({*cell.texts}) == len(cell.texts)
    assert {len(each) for each in cell.texts} == {cell.unit_bytes} == {128}
    (tiny,) = made(tokenizer, "latency", b"a", repeat="never")
    assert (tiny.texts, tiny.size_bytes) == ((b"a", b"a"), 1)


def test_a_cell_is_for_all_or_for_those_that_are_named():
    cell = Cell("stages", ("encode", "split"), "text", (b"ab", b"c"), only={"split": frozenset({"heap"})})
    asked = [cell.is_for(name, operation) for name in ("heap", "fast") for operation in ("encode", "split")]
    assert asked == [True, True, True, False]
    assert cell.size_bytes == 3
    assert Cell("short", ("encode",), "text", (b"ab",), unit_bytes=7).size_bytes == 7


def test_stages_are_those_of_our_encoders_that_take_part(tokenizer):
    (cell,) = made(tokenizer, "stages", b"text")
    assert set(cell.only["partition"]) == set(tokenizer.encoders)
    (cell,) = made(tokenizer, "stages", b"text", contenders=("words", "tiktoken"))
    assert (cell.operations, dict(cell.only)) == (
        ("encode", "partition", "split and encode pieces"),
        {stage: frozenset({"words"}) for stage in ("partition", "split and encode pieces")},
    )


@pytest.mark.parametrize("text", [b"", b"a", b"one two three" * 999])
@pytest.mark.parametrize("name", ["threads", "batch"])
def test_a_batch_is_one_however_short_its_text(tokenizer, text, name):
    """Of little text there is nothing that threads could share out."""
    for cell in made(tokenizer, name, text, repeat="never"):
        assert cell.size_bytes > 1 << 20 > (cell.own_bytes or 0)
