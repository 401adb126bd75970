"""Pickled tokenizers consist of what they were opened from; native memory is never copied."""

import copy
import importlib
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from format_samples import SAMPLES

import guiapp
import guiapp.native
from guiapp.core.demo import demo_model_path
from guiapp.core.formats.table import LAST
from guiapp.native.binding import NotCopied

TEXT = "Hello world, 你好 naïve 12345 <|im_end|>"
COPIES = (copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value)))


for module in Path(guiapp.native.__file__).parent.glob("*.py"):
    importlib.import_module(f"guiapp.native.{module.stem}".removesuffix(".__init__"))


def classes_below(cls):
    return {cls, *(each for child in cls.__subclasses__() for each in classes_below(child))}


HOLDERS = sorted(classes_below(NotCopied) - {NotCopied}, key=lambda cls: cls.__name__)


@pytest.mark.parametrize("copied", COPIES, ids=("copy", "deepcopy", "pickle"))
@pytest.mark.parametrize("cls", HOLDERS, ids=lambda cls: cls.__name__)
def test_what_holds_native_memory_is_never_copied(cls, copied):
    with pytest.raises(TypeError, match="Pickle the Tokenizer"):
        copied(cls.__new__(cls))


EVERYTHING_COPIED = """
import copy, gc, pickle, guiapp
held = []
for name in ("bpe", "spm", "wordpiece", "unigram", "rwkv"):
    tokenizer = guiapp.open_model(f"demo:{name}")
    tokenizer.make_tables()
    held += [tokenizer] + [tokenizer.encode("naïve 你好 12", encoder=name) for name in tokenizer.encoders]
    held += [tokenizer.encode_each(["a", "b"]), tokenizer.decode([5]), tokenizer.vocabulary.token_tree]
ours = [each for each in gc.get_objects() if type(each).__module__.startswith("guiapp.")]
copies = 0
for each in ours:
    for copied in (copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))):
        try:
            made = copied(each)
            copies += 1
        except Exception:
            pass
        made = None
gc.collect()
assert len(ours) > 100 < copies
assert len(tokenizer.encode("still here")) > 0
"""

IN_OTHER_PROCESSES = """
import multiprocessing, guiapp
if __name__ == "__main__":
    tokenizer = guiapp.open_model({model!r})
    texts = ["Hello world"] * 4
    expected = [tokenizer.encode(text).token_ids.tolist() for text in texts]
    with multiprocessing.get_context({method!r}).Pool(2) as pool:
        encodings = pool.map(tokenizer.encode, texts)
    assert [each.token_ids.tolist() for each in encodings] == expected
    assert encodings[0].spans.tolist() == tokenizer.encode(texts[0]).spans.tolist()
"""


@pytest.mark.parametrize(
    "program",
    [
        EVERYTHING_COPIED,
        *(
            IN_OTHER_PROCESSES.format(model=model, method=method)
            for model, method in (("demo:bpe", "fork"), ("demo:unigram", "spawn"), ("demo:wordpiece", "fork"))
        ),
    ],
    ids=("everything copied", "bpe forked", "unigram spawned", "wordpiece forked"),
)
def test_a_process_that_copies_or_sends_tokenizers_lives(program, tmp_path):
    (tmp_path / "program.py").write_text(program)
    ended = subprocess.run(
        [sys.executable, "program.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.format)
def test_a_tokenizer_of_any_format_is_opened_again(sample, tmp_path):
    sample.write(tmp_path / sample.name)
    tokenizer = guiapp.open_model(tmp_path / sample.name, "gpt-2" if sample.is_silent else None)
    pickled = pickle.dumps(tokenizer)
    LAST.clear()
    opened = pickle.loads(pickled)
    assert opened.vocabulary is not tokenizer.vocabulary
    assert opened.vocabulary.chosen_pre == tokenizer.vocabulary.chosen_pre
    assert opened.encode(sample.text).token_ids.tolist() == tokenizer.encode(sample.text).token_ids.tolist()


@pytest.mark.parametrize(
    "choose",
    [
        lambda tokenizer: tokenizer.without_splitting(),
        lambda tokenizer: tokenizer.with_dropout(0.5, 7),
        lambda tokenizer: tokenizer.with_threads(3),
        lambda tokenizer: guiapp.open_model("demo:bpe", pre="gpt-2"),
    ],
    ids=("without splitting", "dropout", "threads", "pre-tokenizer"),
)
def test_choices_travel_too(choose):
    tokenizer = choose(guiapp.open_model("demo:bpe"))
    again = pickle.loads(pickle.dumps(tokenizer))
    assert again.n_threads == tokenizer.n_threads
    assert again.exactness == tokenizer.exactness
    assert again.vocabulary.chosen_pre == tokenizer.vocabulary.chosen_pre
    for encoder in (None, "fewest"):
        expected = tokenizer.encode(TEXT * 9, encoder=encoder).token_ids
        assert again.encode(TEXT * 9, encoder=encoder).token_ids.tolist() == expected.tolist()


@pytest.mark.parametrize("changed", ["tokenizer.json", "tokenizer_config.json"])
@pytest.mark.parametrize("is_pickled_before", [True, False])
def test_a_file_that_has_changed_is_an_error(changed, is_pickled_before, tmp_path):
    next(sample for sample in SAMPLES if sample.name == "tokenizer.json").write(tmp_path / "tokenizer.json")
    tokenizer = guiapp.open_model(tmp_path)
    pickled = pickle.dumps(tokenizer)
    with (tmp_path / changed).open("ab") as file:
        file.write(b" {}")
    with pytest.raises(guiapp.VocabError, match=r"tokenizer\.json"):
        pickle.loads(pickled) if is_pickled_before else pickle.dumps(tokenizer)


def test_a_vocabulary_that_is_in_no_file_cannot_be_pickled():
    vocabulary = guiapp.open_model("demo:bpe").vocabulary
    with pytest.raises(TypeError, match="in memory"):
        pickle.dumps(replace(vocabulary, warnings=()))


@pytest.mark.parametrize("copied", COPIES, ids=("copy", "deepcopy", "pickle"))
def test_results_are_copied_whole(copied):
    tokenizer = guiapp.open_model(demo_model_path("bpe"))
    encoding, again = tokenizer.encode(TEXT), copied(tokenizer.encode(TEXT))
    assert np.array_equal(again.token_ids, encoding.token_ids)
    assert np.array_equal(again.spans, encoding.spans)
    assert again.text_bytes == TEXT.encode()
    comparison = copied(guiapp.compare([tokenizer, "demo:spm"], TEXT))
    assert comparison.difference_ids(0) == guiapp.compare([tokenizer, "demo:spm"], TEXT).difference_ids(0)
    chat = guiapp.chat(tokenizer, [{"role": "user", "content": "Hello"}])
    assert copied(chat).token_ids.tolist() == chat.token_ids.tolist()
    for result in (guiapp.special(tokenizer), guiapp.why(tokenizer, TEXT, 0)):
        assert copied(result) == result
    diagnosis = guiapp.doctor("demo:bpe")
    assert [each.code for each in copied(diagnosis).findings] == [each.code for each in diagnosis.findings]
    hunt = guiapp.hunt("demo:bpe", "demo:spm", batches=1)
    assert copied(hunt) == hunt


def test_an_unpickled_error_has_all_its_attributes():
    error = guiapp.UnknownPreError("What to do.", "someone-elses", ["gpt-2"])
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.pre, again.likely) == ("What to do.", "someone-elses", ("gpt-2",))
