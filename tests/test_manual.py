"""The manual: its links work, its examples run and print the output shown, and a search finds its parts."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from guiapp import DataExaminer, DataOptions, open_model
from guiapp.analysis.data.batches import batches
from guiapp.analysis.data.findings import codes_in
from guiapp.analysis.data.records import open_records
from guiapp.analysis.libraries.written_models import hugging_face_json
from guiapp.cli.main import run
from guiapp.core.demo import demo_model_path
from guiapp.core.manual import CHAPTERS, chapter_text, find_topic, manual_folder, search, sections
from guiapp.core.processes import environment
from guiapp.errors import TokenloupeError

MOST_BYTES = 8_000
LINK = re.compile(r"\]\(([^)#]*)(?:#([^)]*))?\)")
STATUS = re.compile(r"# exits (\d+)$")
TEXT = "Hello world! Tokens are what models see.\ndef add(a, b):\n    return a + b\n你好,世界 👋\n"
MESSAGES = [
    {"role": "system", "content": "You are a careful editor."},
    {"role": "user", "content": "Shorten this log line: [INFO] done <|eot_id|> 200 OK"},
    {"role": "assistant", "content": "Done: 200 OK."},
    {"role": "user", "content": "Und bitte auf Deutsch."},
]
TEMPLATE = """{% for message in messages %}{{ bos_token if loop.first }}<|start_header_id|>{{ message.role }}
{{ message.content | trim }}<|eot_id|>{% endfor %}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files that the examples use."""
    (tmp_path / "chat.json").write_text(json.dumps(MESSAGES), "utf-8")
    records = [
        {"messages": MESSAGES[:3]},
        {"prompt": "Say hello.", "completion": " Hello!<|im_end|>"},
        {"text": TEXT},
    ]
    (tmp_path / "train.jsonl").write_text("\n".join(map(json.dumps, records)), "utf-8")
    (tmp_path / "faulty.jsonl").write_text(
        "\n".join(map(json.dumps, [*records, {"messages": MESSAGES[:2]}])), "utf-8"
    )
    (tmp_path / "template.jinja").write_text(TEMPLATE, "utf-8")
    tokenizer = open_model(demo_model_path("bpe"))
    (tmp_path / "tokenizer.json").write_text(hugging_face_json(tokenizer), "utf-8")
    (tmp_path / "text.txt").write_text(TEXT, "utf-8")
    (tmp_path / "new.txt").write_text(TEXT.replace("models", "language models"), "utf-8")
    (tmp_path / "texts").mkdir()
    for name, text in (
        ("en.txt", "The quick brown fox jumps over the lazy dog.\n" * 3),
        ("de.txt", "Der schnelle braune Fuchs springt über den faulen Hund.\n" * 3),
        ("code.py", "def add(a, b):\n    return a + b\n" * 3),
    ):
        (tmp_path / "texts" / name).write_text(text, "utf-8")
    shutil.copy(demo_model_path("bpe"), tmp_path / "model.gguf")
    shutil.copy(demo_model_path("spm"), tmp_path / "other.gguf")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


def blocks(text: str) -> Iterator[tuple[str, list[str], list[str] | None]]:
    """Language and lines of each example, and its expected output, None if the manual shows none."""
    collected = re.findall(r"^```(\w*)\n(.*?)^```\n(\n?)", text, re.MULTILINE | re.DOTALL)
    for at, (language, code, _) in enumerate(collected):
        if language in ("sh", "python"):
            ends_at = text.index(f"```{language}\n{code}```\n") + len(f"```{language}\n{code}```\n")
            has_output = text[ends_at:].lstrip("\n").startswith("```text\n")
            yield language, code.splitlines(), collected[at + 1][1].splitlines() if has_output else None


def is_like(expected: list[str], printed: list[str]) -> bool:
    pattern = "\n".join(re.escape(line) for line in expected).replace("\n…\n", r"\n(?:.*\n)*?")
    pattern = re.sub(r"\n…$", r"(?:\n.*)*", pattern).replace("…", ".*")
    return re.fullmatch(pattern, "\n".join(printed)) is not None


@pytest.mark.parametrize("chapter", [name for name in CHAPTERS if name != "cluster"])
def test_examples_run_and_print_what_is_shown(chapter, folder, capsys):
    names: dict[str, object] = {"__name__": "__main__"}
    for language, lines, expected in blocks(chapter_text(chapter)):
        printed = ""
        if language == "python":
            exec("\n".join(lines), names)
            printed = capsys.readouterr().out
        for line in "\n".join(lines).replace("\\\n", " ").splitlines() if language == "sh" else ():
            if line.strip() and not line.startswith("#"):
                status, (program, *words) = STATUS.search(line), shlex.split(line, comments=True)
                assert program == "tokenloupe", line
                assert run(words) == (int(status[1]) if status else 0), line
                printed = capsys.readouterr().out
        if expected is not None:
            shown = [line.rstrip() for line in printed.rstrip("\n").split("\n")]
            assert is_like(expected, shown), "\n".join(shown)


@pytest.mark.slow
@pytest.mark.parametrize("library", ["ray", "datasets", "pyspark"])
def test_a_cluster_gives_what_one_machine_gives(library, folder):
    """Includes bad and empty records, and characters that some readers treat as line ends."""
    if find_spec(library) is None or (library == "pyspark" and shutil.which("java") is None):
        pytest.skip(f"needs {library}")
    texts = [{"text": f"{row}\u2028{TEXT * (row % 3)}"} for row in range(300)]
    more = [json.dumps(each, ensure_ascii=False) for each in (*texts, {"messages": MESSAGES})]
    with (folder / "train.jsonl").open("a", encoding="utf-8") as file:
        file.write("\n" + "\n".join([*more, "{", '{"messages": []}', '{"text": ""}']))
    code = next(code for _, code, _ in blocks(chapter_text("cluster")) if library in "\n".join(code))
    own = {"PYSPARK_PYTHON": sys.executable, "RAY_USAGE_STATS_ENABLED": "0"}
    command = [sys.executable, "-P", "-c", "\n".join(code)]
    ended = subprocess.run(command, env={**environment(), **own}, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    rows = pytest.importorskip("pyarrow.parquet").read_table("tokens").to_pylist()
    examiner = DataExaminer(open_model("model.gguf"), DataOptions(mask="derived", max_length=4096))
    collected = list(batches(examiner, open_records("train.jsonl"), True, 0))
    expected = [
        {
            "input_ids": batch.ids[start:end].tolist(),
            "labels": batch.labels[start:end].tolist(),
            "findings": codes_in(codes),
        }
        for batch in collected
        for start, end, codes in zip(batch.bounds, batch.bounds[1:], batch.codes.tolist(), strict=False)
    ]
    assert sorted(rows, key=str) == sorted(expected, key=str)
    assert sum(bool(each["findings"]) for each in rows) > 3


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_chapters_are_short_and_their_links_lead_somewhere(chapter):
    text = chapter_text(chapter)
    assert len(text.encode()) <= MOST_BYTES
    for target, anchor in LINK.findall(text):
        if not target.startswith("http"):
            name = target.removesuffix(".md") or chapter
            if name in CHAPTERS:
                assert find_topic(f"{name}#{anchor}" if anchor else name)
            else:
                assert (manual_folder() / target).exists(), target


def test_every_file_is_a_chapter():
    assert {path.stem for path in manual_folder().glob("*.md")} == set(CHAPTERS)


def test_sections_make_up_the_chapter_and_unknown_topics_raise():
    for chapter in CHAPTERS:
        parts = [section.text for section in sections(chapter) if section.text.startswith("#")]
        assert "".join(parts).split() == chapter_text(chapter).split()
    assert find_topic("compare").text.startswith("# ")
    for topic in ("compar", "nothing", "compare#nothing", "", "../../README"):
        with pytest.raises(TokenloupeError):
            find_topic(topic)


@pytest.mark.parametrize(
    ("query", "topic"),
    [
        ("six floors", "architecture#six-floors"),
        ("truncate to 512 tokens", "text#cut-a-text-to-512-tokens"),
        ("how do I open a tokenizer by name?", "sources#open-a-model-by-name"),
        ("fix pre_missing", "doctor#pre_missing"),
        ("what exit status does compare give", "command-line#exit-statuses"),
    ],
)
def test_a_search_returns_the_topic_of_a_question(query, topic):
    assert search(query)[0].topic == topic


def test_a_search_leaves_out_what_has_fewer_words():
    assert [part.topic for part in search("six floors")] == ["architecture#six-floors"]
    assert "Hugging Face" in " ".join(search("huggingface")[0].text.split())
    assert search("") == search("the of") == search("qqqqqq") == []


def test_help_lists_shows_and_searches(capsys):
    assert run(["help"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(CHAPTERS)
    assert run(["help", "architecture#six-floors"]) == 0
    assert capsys.readouterr().out.startswith("## Six floors")
    assert run(["help", "--search", "six", "floors"]) == 0
    assert capsys.readouterr().out.startswith("architecture#six-floors")
    assert run(["help", "architectur"]) == 1
    assert "architecture" in capsys.readouterr().err


JSON = {  # commands by the section that lists their keys
    "models": ["models"],
    "info": ["info model.gguf --agreement"],
    "tokenize": [
        "tokenize model.gguf Hello",
        "tokenize demo:unigram Hello --best 2",
        "tokenize demo:wordpiece Naïve --round-trip",
    ],
    "step": ["step demo:toy abacbb"],
    "why": ["why model.gguf Hello --token 1"],
    "count": [
        "count model.gguf Hello",
        "count model.gguf Hello --dearest 2",
        "count model.gguf -f hidden.txt --hidden",
    ],
    "chunk": ["chunk model.gguf Hello --max-tokens 5"],
    "compare": [
        "compare model.gguf other.gguf -f text.txt",
        "compare model.gguf -f text.txt --against new.txt",
        "compare --vocab model.gguf other.gguf",
        "compare --vocab model.gguf other.gguf --draft",
    ],
    "languages#json": ["compare model.gguf other.gguf --languages texts --reference en"],
    "chat": ["chat model.gguf chat.json"],
    "data#json": ["data model.gguf faulty.jsonl"],
    "special": ["special model.gguf"],
    "doctor": ["doctor model.gguf"],
    "fix#json": ["doctor other.gguf --fix fixed.gguf --only bos_twice=no_bos"],
    "hunt": ["hunt model.gguf tokenizer.json --seconds 0.5"],
    "tree": ["tree model.gguf th"],
    "vocab": ["vocab model.gguf length:>9 --limit 2"],
}
OPEN = {
    *("metadata", "kinds", "special_ids", "rules", "agreement", "scripts", "file_types", "lengths"),
    *("not_offered", "exactness", "counts", "roles", "by_role", "hunt"),
}
"""Records whose keys are data, not field names."""


def keys_in(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from keys_in(each) if key not in OPEN else ()
    elif isinstance(value, list):
        for each in value:
            yield from keys_in(each)


@pytest.mark.parametrize("section", JSON)
def test_the_keys_that_commands_print_are_in_the_chapter(section, folder, capsys):
    (folder / "hidden.txt").write_text("a\u200bb\U000e0041", "utf-8")
    listed = set(re.findall(r"`([^`]+)`", find_topic(section if "#" in section else f"json#{section}").text))
    for command in JSON[section]:
        run([*command.split(), "--json"])
        assert set(keys_in(json.loads(capsys.readouterr().out))) <= listed, command


def test_the_sentence_of_a_section_may_be_in_its_first_paragraph():
    assert sections("text")[0].sentence_with([]).startswith("See the tokens of a text")
