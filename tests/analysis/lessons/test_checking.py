"""What is told of lessons that can be read, but not run, or that say what is not so."""

import re
from time import perf_counter

import pytest

from guiapp import open_model
from guiapp.analysis.lessons import lesson as scenes
from guiapp.analysis.lessons.lesson import ANSWERS, check, load, load_each, save_lesson
from guiapp.core.demo import DEMO_MODELS, demo_model_path
from guiapp.core.text.outside_json import FaultyFileError

HEAD = (
    'title = "x"\nsummary = "y"\n[[step]]\nsay = "z"\nmodel = "demo:toy"\ntext = "abacb"\nencoder = "scan"\n'
)
ASK = HEAD + 'ask = "?"\n'
TRAINING = 'title = "x"\nsummary = "y"\n[[step]]\nsay = "z"\ntext = "aab aab b aab"\ntrain = "bpe"\n'
FAULTS = {
    HEAD: [],
    HEAD + 'break = "end"\nnow = ["ab", "a", "cb"]\nsays = "Finished: 3 tokens."': [],
    HEAD + 'break = "end"\nnow = ["ab"]\nsays = "That."': [
        "9: step 1: “now” must be [\"ab\", \"a\", \"cb\"].",
        "10: step 1: “says” must be: Finished: 3 tokens.",
    ],
    HEAD + "now = []\nbreak = 'operation merge'": [
        '8: step 1: “now” must be ["a", "b", "a", "c", "b"].'
    ],
    HEAD + "break = 'operation take'": [
        "8: step 1: the run never stops at “operation take”. scan has no operation “take”. It has: "
    ],
    HEAD + "break = 'rank == 9'": ["8: step 1: the run never stops at “rank == 9”."],
    HEAD + "break = 'operation merge hit 99999999999999999999'": [
        "8: step 1: the run never stops at “operation merge hit 99999999999999999999”."
    ],
    HEAD + "break = 'byte 99999999999999999999'": [
        "8: step 1: the run never stops at “byte 99999999999999999999”. The text has no byte"
    ],
    HEAD + "break = '1 / depth > 0'": ["8: step 1: "],
    HEAD.replace("scan", "viterbi"): ["7: step 1: This model has no encoder “viterbi”. It has: "],
    HEAD.replace("demo:toy", "none.gguf"): ["5: step 1: /"],
    HEAD.replace("demo:toy", "demo:none"): ["5: step 1: There is no demo model “demo:none”."],
    HEAD.replace("demo:toy", "hf:a/b"): ["5: step 1: hf:a/b is not cached. Open it by this name to "],
    HEAD.replace("demo:toy", "https://a.b/c"): ["5: step 1: https://a.b/c is not cached. Open it by "],
    HEAD.replace("scan", "viterbi") + 'aks = "?"\nsha256 = "00"\nbreak = "x"': [
        "7: step 1: This model has no encoder “viterbi”.",
        "8: step 1 has an unknown entry “aks”.",
        "9: step 1: demo:toy is a different file",
    ],
    HEAD.replace("z", "", 1).replace("scan", "x") + 'break = "?"\n[[step]]\nmodel = "demo:none"\n': [
        "7: step 1: This model has no encoder “x”.",
        "8: step 1: ",
        "9: step 2 has no text.",
        "10: step 2: There is no demo model “demo:none”.",
    ],
    HEAD.replace("title", "tilte") + "now = []\nbreak = 'operation merge'": [
        "1: there is no title.",
        "1: there is an unknown entry “tilte”.",
        "8: step 1: “now” must be ",
    ],
    HEAD + "page = 3\nnow = []\n[[step]]\nsay = 'z'\nnow = []": ["8: step 1: “page” must be "],
    HEAD + 'sha256 = "00"': ["8: step 1: demo:toy is a different file: its sha256 is "],
    ASK + 'answer_is = "next"': [],
    ASK + 'answer_is = "operation merge hit 2"': [],
    ASK + 'answer_is = "operation take"': ["9: step 1: the run never stops at “operation take”. "],
    ASK + 'answer_is = "ids"\nbreak = "end"': ["9: step 1: the answer is visible at the end of the run."],
    ASK.replace('"z"', '"It has 3 tokens"') + 'answer_is = "n_tokens"': [
        "4: step 1: “say” gives away the answer: 3 tokens."
    ],
    TRAINING + 'merges = 2\nlearned = ["b</w>", "aa"]\nask = "?"\nanswer_is = "next"': [],
    TRAINING + 'merges = 1\nlearned = ["aa"]': ['8: step 1: “learned” must be ["b</w>"].'],
    TRAINING + "merges = 9": ["7: step 1: after 3 merges there is nothing left to learn."],
    "title = 1": ["1: there is no title.", "1: there is no summary.", "1: there are no steps."],
}  # fmt: skip


@pytest.fixture
def lesson_file(tmp_path):
    def write(text):
        path = tmp_path / "1.toml"
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize("text", FAULTS, ids=lambda text: text[-40:])
def test_each_fault_is_reported_with_its_line(lesson_file, text):
    messages = [f"{fault.line}: {fault.reason}" for fault in check(lesson_file(text))]
    assert len(messages) == len(FAULTS[text]), messages
    for message, begins in zip(messages, FAULTS[text], strict=True):
        assert message.startswith(begins), message


def test_a_model_next_to_the_lesson_is_opened_with_its_hash(lesson_file, tmp_path):
    (tmp_path / "own.gguf").write_bytes(demo_model_path("toy").read_bytes())
    (fault,) = check(lesson_file(HEAD.replace("demo:toy", "own.gguf") + 'sha256 = "0"'))
    known = fault.reason.rpartition(" ")[2].rstrip(".")
    assert check(lesson_file(HEAD.replace("demo:toy", "own.gguf") + f'sha256 = "{known.upper()}"')) == []


ENCODERS = [(demo.name, name) for demo in DEMO_MODELS for name in open_model(f"demo:{demo.name}").encoders]


@pytest.mark.parametrize(("model", "encoder"), ENCODERS)
def test_a_lesson_can_be_about_each_algorithm(lesson_file, model, encoder):
    step = f'[[step]]\nsay = "z"\nmodel = "demo:{model}"\nencoder = "{encoder}"\ntext = "abc lions 😍"\n'
    asks = "".join(f'{step}ask = "?"\nanswer_is = "{kind}"\n' for kind in ANSWERS)
    path = lesson_file(f'title = "x"\nsummary = "y"\n{asks}{step}break = "piece 0"\n')
    assert check(path) == []
    save_lesson(load(path), path.with_suffix(".html"))
    assert path.with_suffix(".html").read_text().count("<section>") == 5


def test_runs_that_take_long_are_refused_before_they_are_made(lesson_file, monkeypatch):
    began = perf_counter()
    long = f'\n[[step]]\nsay = "a"\nmodel = "demo:spm"\ntext = "{"a" * 4_900}"\n'
    (fault,) = check(lesson_file(HEAD + long))
    assert (fault.line, "Use shorter texts" in fault.reason) == (12, True)
    monkeypatch.setattr(scenes, "MOST_SECONDS", 0.1)
    steps = "".join(f'\n[[step]]\nsay = "a"\ntext = "{"ab" * (200 + n)}"\n' for n in range(50))
    assert len(check(lesson_file(HEAD + steps))) > 40
    assert perf_counter() - began < 10


LESSONS, _ = load_each()


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_page_has_each_step_and_covers_what_is_asked(lesson, tmp_path):
    save_lesson(lesson, tmp_path / "page.HTML")
    html = (tmp_path / "page.HTML").read_text()
    sections = re.findall("<section>.*?</section>", html, re.DOTALL)
    assert len(sections) == len(lesson.steps)
    for section, step in zip(sections, lesson.steps, strict=True):
        open_part, covered, _ = section.partition("<details>")
        assert bool(covered) == bool(step.ask)
        if covered:
            assert "</section>" in section.partition("</details>")[2]
            assert "made" not in section
            assert "<mark>" not in section
            assert "<table" not in open_part + section.partition("</details>")[2]
    handout = html.partition("<aside")[2]
    assert handout.count("<li>") == sum(bool(step.ask) for step in lesson.steps)


def test_a_faulty_lesson_is_not_exported(tmp_path):
    path = tmp_path / "1.toml"
    path.write_text('title = "x"\nsummary = "y"\n[[step]]\nsay = "z"\nsays = "no"\n')
    with pytest.raises(FaultyFileError, match=r"1\.toml, line 5: step 1: “says” must be"):
        save_lesson(load(path), tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()
