"""Why a token is there: what is told is what the encoder does, and each line is a step of the debugger."""

from __future__ import annotations

import pytest

from guiapp import EncodeError, open_model
from guiapp.core.encoding import as_bytes
from guiapp.core.explain.why.told import TokenWhy
from guiapp.core.explain.why.why import why
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.trace.places import step_at
from guiapp.core.trace.recorder import record
from tests.conftest import SHARED, VOCABS
from tests.format_samples import SAMPLES
from tests.random_texts import random_texts

DEMOS = ("bpe", "spm", "wordpiece", "unigram", "rwkv", "toy")
TEXT = (
    "  New Yorké's 1234 tokenization\n<|im_end|>\tx ﬁ½ 🦄!! [INST] <extra_id_0>漢字 a\u0301\u200b\U000e0041"
)
REAL = ("llama-bpe", "llama-spm", "gemma-4", "deepseek-coder", "bert-bge", "nomic-bert-moe", "qwen2")
FILES = ("claude-2.tokenizer.json", "deepseek-v4.tokenizer.json", "bpe_simple_vocab_16e6.txt.gz",
         "mistral-v1.tokenizer.model", "j2-unigram.tokenizer.model", "cl100k_base.tiktoken",
         "rwkv_vocab_v20230424.txt")  # fmt: skip


def check(tokenizer: Tokenizer, text: str | bytes, encoder: str | None = None, parse: bool = True) -> None:
    """That all that is told of the tokens of a text holds."""
    data = as_bytes(text)
    encoding = tokenizer.encode(data, True, parse, encoder)
    trace = record(tokenizer, data, encoder, True, parse)
    told = {each.index: each for each in why(tokenizer, data, 0, max(len(data), 1), True, parse, encoder)}
    for each in why(tokenizer, data, 0, 0, True, parse, encoder):
        told[each.index] = each
    for index, each in told.items():
        assert each.token_id == encoding.token_ids[index]
        assert [each.start, each.end] == encoding.spans[index].tolist()
        check_merges(tokenizer, each)
        for stage in each.stages:
            assert stage.lines
            for line in stage.lines:
                assert line.text
                step = step_at(trace, line.place)
                assert step is not None, (line, each)
                if line.merged is not None:
                    assert trace.operation(step) == "merge"
                    assert trace.columns.result[step] == line.merged.result
                    assert trace.columns.position[step] == line.merged.start
    with_text = {index for index, (start, end) in enumerate(encoding.spans.tolist()) if start < end}
    assert with_text <= told.keys()


def check_merges(tokenizer: Tokenizer, each: TokenWhy) -> None:
    """Replayed in their order, they make the token of symbols, and what lost has no better rank."""
    made: list[tuple[int, int, int]] = []
    for line in each.merges:
        merge, rules = line.merged, tokenizer.merging.rules
        assert rules[merge.left, merge.right].made == merge.result
        assert rules[merge.left, merge.right].rank == merge.rank
        for part in ((merge.left, merge.start, merge.middle), (merge.right, merge.middle, merge.end)):
            if part in made:
                made.remove(part)
        made.append((merge.result, merge.start, merge.end))
        if (lost := line.lost) is not None:
            assert rules[lost.left, lost.right].rank == lost.rank >= merge.rank
            assert (lost.start, lost.left, lost.right) != (merge.start, merge.left, merge.right)
    if made and [stage.lines[-1].place.operation for stage in each.stages if stage.name == "token"] == [
        "merge"
    ]:
        assert made == [(each.token_id, each.start, each.end)]


@pytest.mark.parametrize("name", DEMOS)
def test_what_is_told_of_each_token_holds_for_each_encoder(name):
    tokenizer = open_model(f"demo:{name}")
    text = TEXT if name != "toy" else "abacbbacbcab"
    for encoder in tokenizer.encoders:
        for parse in (True, False):
            check(tokenizer, text, encoder, parse)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_what_is_told_holds_for_each_format(sample, tmp_path):
    path = tmp_path / sample.name
    sample.write(path)
    check(open_model(path, "gpt-2" if sample.is_silent else None), sample.text)


@pytest.mark.real_vocabs
@pytest.mark.parametrize("name", [*REAL, *FILES])
def test_what_is_told_holds_for_random_texts(name):
    path = VOCABS / f"ggml-vocab-{name}.gguf" if name in REAL else SHARED / "formats" / name
    tokenizer = open_model(path, "cl100k_base" if name.startswith("cl100k") else None)
    n_checked = 0
    for text in random_texts(seed=29, count=6):
        try:
            check(tokenizer, text[:80])
        except EncodeError:
            continue
        n_checked += 1
    assert n_checked
