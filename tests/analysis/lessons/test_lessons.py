"""No lesson says anything untrue: each of its states is made by the real encoders and compared."""

from pathlib import Path
from shutil import copytree

import pytest
from gguf_builder import BYTE, NORMAL, write_vocab
from unpaired_vocabularies import write_test

from guiapp.analysis.lessons.lesson import Scenes, check, load, load_each, save_lesson
from guiapp.cli.main import run
from guiapp.core.encode.catalogue import ALGORITHMS

LESSONS, BROKEN = load_each()


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_each_lesson_passes_its_checks(lesson):
    assert check(lesson.path) == []
    for step in lesson.steps:
        assert (step.learned is not None) == bool(step.train and step.merges)
        assert step.now is not None or step.stop_at != "end"


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_its_runs_give_the_tokens_of_the_native_encoders(lesson):
    scenes = Scenes()
    for step in lesson.steps:
        if not step.train:
            tokenizer, trace = scenes.tokenizer(step), scenes.debugger(step).trace
            encoding = tokenizer.encode(step.text, True, step.parse_special, step.encoder or None)
            assert trace.result.ids.tolist() == encoding.token_ids.tolist()


BY_HAND = Path(__file__).parents[2] / "lessons"
WRONG = "wrong"
SCORES = {"li": -3.0, "on": -3.0, "ons": -4.0, "lion": -5.0, "lions": -9.5}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The lessons, with the model files that they name beside them."""
    lessons = copytree(BY_HAND, tmp_path_factory.mktemp("by hand") / "lessons")
    write_test(lessons / "test.gguf")
    tokens = ["<unk>", "<s>", "</s>", "<pad>", *(f"<0x{byte:02X}>" for byte in range(256))]
    types = [2, 3, 3, 3, *[BYTE] * 256, *[NORMAL] * len(SCORES)]
    scores = [*[0.0] * len(tokens), *SCORES.values()]
    write_vocab(
        lessons / "plamo2.gguf", model="plamo2", tokens=[*tokens, *SCORES], types=types, scores=scores
    )
    return lessons


@pytest.mark.parametrize("name", ALGORITHMS)
def test_it_runs_and_everything_that_it_claims_is_so(folder, name, capsys):
    path = folder / f"{name}.toml"
    assert run(["lesson", "check", str(path)]) == 0, capsys.readouterr().out
    lesson = load(path)
    assert {step.encoder for step in lesson.steps} == {name}
    assert all(step.now is not None for step in lesson.steps)
    assert any(step.says for step in lesson.steps)
    assert any(step.answer_is for step in lesson.steps)
    save_lesson(lesson, path.with_suffix(".html"))
    assert path.with_suffix(".html").read_text().count("<section>") == len(lesson.steps)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_wrong_claim_in_it_is_refused_with_its_line(folder, name, capsys):
    text = (folder / f"{name}.toml").read_text()
    before, entry, after = text.rpartition("now = [")
    path = folder / f"{name}-wrong.toml"
    path.write_text(f'{before}{entry}"no token", {after}')
    assert run(["lesson", "check", str(path)]) == 1
    line, n_steps = before.count("\n") + 1, before.count("[[step]]")
    printed = capsys.readouterr().out
    assert printed.startswith(f"{path}:{line}: step {n_steps}: “now” must be [")
    assert printed.count("\n") == 1


def test_the_one_with_a_wrong_claim_is_refused_with_line_and_reason(folder, capsys):
    path = folder / f"{WRONG}.toml"
    assert run(["lesson", "check", *map(str, (folder / "scan.toml", path))]) == 1
    assert capsys.readouterr().out == f'{path}:15: step 2: “now” must be ["ab", "a", "cb"].\n'
