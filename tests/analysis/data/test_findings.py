# ruff: noqa: E501  (templates and records are easier to read in one piece)
"""What is wrong: each fault in two forms is found in its record, and clean files have nothing."""

import copy
import json
import os
import pickle
import re
import shutil
import signal
import threading

import pytest
from gguf_builder import write_vocab

import guiapp
from guiapp.analysis.data import batches as batching
from guiapp.analysis.data.batches import batch_of, batches
from guiapp.analysis.data.examined import DataExaminer, DataOptions
from guiapp.analysis.data.export import exported_lines, write_npz
from guiapp.analysis.data.findings import noticed
from guiapp.analysis.data.records import open_records
from guiapp.analysis.data.summary import TrainingData, first_fit, growing, training_data
from guiapp.core.processes import PersistentProcess
from guiapp.core.vocabulary.byte_alphabet import spell
from guiapp.errors import TokenloupeError

START, END, BOS, EOS, PAD = "<|im_start|>", "<|im_end|>", "<s>", "</s>", "<pad>"
SPECIAL = (START, END, BOS, EOS, PAD)
LOOP = "{% for message in messages %}"
TURN = f"{START}{{{{ message.role }}}}\n{{{{ message.content }}}}{END}\n"
PROMPT = f"{{% endfor %}}{{% if add_generation_prompt %}}{START}assistant\n{{% endif %}}"
CHATML = LOOP + TURN + PROMPT
TAGGED = f"{START}assistant\n{{% generation %}}{{{{ message.content }}}}{END}{{% endgeneration %}}\n"
OTHERS = "{% if message.role != 'assistant' %}" + TURN + "{% else %}"


def tagged(turn, before=""):
    return before + LOOP + OTHERS + turn + "{% endif %}" + PROMPT


def user(text="Hi"):
    return {"role": "user", "content": text}


def answer(text="Hello", **more):
    return {"role": "assistant", "content": text, **more}


def chat(*messages, **more):
    return {"messages": list(messages or (user(), answer())), **more}


CALL = {"type": "function", "function": {"name": "add", "arguments": {"a": 1}}}
TEXT_CALL = {"type": "function", "function": {"name": "add", "arguments": '{"a": "1"}'}}
TOOL = {"type": "function", "function": {"name": "add", "parameters": {}}}
CALLS = (
    LOOP
    + TURN.replace(END, "{% for call in message.tool_calls %}{{ call | tojson }}{% endfor %}" + END)
    + PROMPT
)
THINKS = LOOP + TURN.replace("{{ message.content }}", "{{ message.content.split('</think>')[-1] }}") + PROMPT
DROPS = (
    LOOP
    + "{% if loop.last and message.role == 'assistant' %}"
    + f"{START}assistant\n<t></t>{{{{ message.content }}}}{END}\n"
    "{% else %}" + TURN + "{% endif %}" + PROMPT
)
COUNTS = LOOP + "{{ messages | length }}:" + TURN + PROMPT
THINK_PROMPT = CHATML.replace("assistant\n{% endif", "assistant\n<think>\n{% endif")

FAULTS = [
    ("nothing_trained", {"template": CHATML, "mask": "generation"}, chat()),
    ("nothing_trained", {}, chat(user())),
    ("end_not_trained", {"template": tagged(TAGGED.replace(END + "{% endgeneration %}", "{% endgeneration %}" + END))}, chat()),
    ("end_not_trained", {}, {"prompt": "Hi", "completion": " Hello"}),
    ("header_trained", {"template": tagged("{% generation %}" + TAGGED.replace("{% generation %}", ""))}, chat()),
    ("header_trained", {"mask": f"marker:{START}…{END}"}, chat(answer("x"), user(), answer())),
    ("header_trained", {"template": tagged(TAGGED.replace("{% generation %}", "{% generation %}<think>\n")).replace("assistant\n{% endif", "assistant\n<think>\n{% endif")}, chat()),
    ("pad_is_end", {"model": {"padding_token_id": 1}}, chat()),
    ("pad_is_end", {"model": {"padding_token_id": 3}}, {"prompt": "Hi", "completion": f" Hello{EOS}"}),
    ("cut_off", {"max_length": 60}, chat(user(), answer("long " * 20))),
    ("cut_off", {"max_length": 70}, chat(user("long " * 20), answer())),
    ("border_in_token", {}, {"prompt": "Hi h", "completion": f"ello{EOS}"}),
    ("border_in_token", {"mask": f"marker:Q: h…{END}"}, chat(user(), answer("Q: hello"))),
    ("rewritten", {"template": DROPS}, chat(user(), answer(), user(), answer())),
    ("rewritten", {"template": COUNTS}, chat(user(), answer(), user(), answer())),
    ("other_prompt", {"template": THINK_PROMPT}, chat()),
    ("other_prompt", {"template": THINK_PROMPT}, chat(user(), answer("a"), user(), answer("b"))),
    ("refused", {"template": CHATML + "{% if messages | length > 2 %}{{ raise_exception('no') }}{% endif %}"}, chat(user(), answer(), user(), answer())),
    ("refused", {"template": CHATML + "{{ 1 / (messages[0].content | length - 1) }}"}, chat(user("x"), answer())),
    ("refused", {"template": CHATML + "{% if messages[0].content == 'x' %}{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}{% endif %}"}, chat(user("x"), answer())),
    ("roles", {}, chat(user(), user(), answer())),
    ("roles", {}, chat(user(), answer(), {"role": "system", "content": "late"})),
    ("content_became_control", {}, chat(user(f"a{END}b"), answer())),
    ("content_became_control", {}, chat(user(), answer(f"{START}x"))),
    ("double_bos", {"template": BOS + CHATML, "add_special": True}, chat()),
    ("double_bos", {}, {"text": f"{BOS}{START}user\nHi{END}"}),
    ("reasoning_left_out", {}, chat(user(), answer(reasoning_content="I think"))),
    ("reasoning_left_out", {"template": THINKS}, chat(user(), answer("<think>hm</think>Hello"))),
    ("content_left_out", {"template": LOOP + "{% if message.role != 'system' %}" + TURN + "{% endif %}" + PROMPT}, chat({"role": "system", "content": "Be brief"}, user(), answer())),
    ("content_left_out", {"template": CHATML.replace("message.content }}", "message.content[:7] }}")}, chat(user("a longer one"), answer())),
    ("tools_left_out", {}, chat(tools=[TOOL])),
    ("tools_left_out", {}, chat(user(), answer("", tool_calls=[CALL]), {"role": "tool", "content": "1"}, answer())),
    ("escaped_arguments", {"template": CALLS}, chat(user(), answer("", tool_calls=[TEXT_CALL]))),
    ("escaped_arguments", {"template": CALLS}, chat(user(), answer("Well", tool_calls=[CALL, TEXT_CALL]))),
    ("marker_as_text", {}, {"text": "<|start_header_id|>user"}),
    ("marker_as_text", {"template": CHATML.replace(END, "<|eot_id|>")}, chat()),
    ("marker_in_content", {}, chat(user("Say <|eot_id|>"), answer())),
    ("marker_in_content", {}, chat(user(), answer("Well<|eot_id|>"))),
    ("marker_as_text", {}, {"text": "Hi<turn|>"}),
    ("empty", {}, chat(user(), answer(""))),
    ("empty", {}, chat(user(""), answer())),
    ("empty", {}, chat(user(" \n\t"), answer())),
    ("empty", {}, {"messages": []}),
    ("doubled", {}, chat(user("good 1"), answer())),
    ("doubled", {}, {"conversations": [{"from": "human", "value": "good 2"}, {"from": "gpt", "value": "Hello"}]}),
    ("invisible", {}, chat(user("a\u200bb"), answer())),
    ("invisible", {}, {"text": "a\U000e0041b"}),
    ("wrong_encoding", {}, chat(user("caf\ufffd"), answer())),
    ("wrong_encoding", {}, {"text": "It’s a café 😀".encode().decode("latin-1")}),
    ("broken", {}, b'{"messages": ['),
    ("broken", {}, b"\xff"),
    ("duplicate_key", {}, b'{"text": "a", "text": "b"}'),
    ("duplicate_key", {}, b'{"messages": [{"role": "user", "content": "a", "content": "b"}, {"role": "assistant", "content": "c"}]}'),
    ("shape", {}, {"question": "?"}),
    ("shape", {}, {"messages": "Hi"}),
]  # fmt: skip
IN_ALL = (
    "nothing_trained",
    "end_not_trained",
    "header_trained",
    "pad_is_end",
    "double_bos",
    "marker_as_text",
    "other_prompt",
)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Of bytes, with a few words of two letters; makes one with other special ids."""
    folder = tmp_path_factory.mktemp("models")

    def made(**ids):
        path = folder / f"{len(list(folder.iterdir()))}.gguf"
        tokens = [*SPECIAL, *spell(bytes(range(256))), *("ĠĠ", "he")]
        keys = {"bos_token_id": 2, "eos_token_id": 3, "eot_token_id": 1, "add_bos_token": True, **ids}
        types = [3] * len(SPECIAL) + [1] * 258
        write_vocab(
            path, model="gpt2", pre="gpt-2", tokens=tokens, types=types, merges=["Ġ Ġ", "h e"], **keys
        )
        return path

    return made


def file_of(path, records):
    lines = (each if isinstance(each, bytes) else json.dumps(each).encode() for each in records)
    path.write_bytes(b"\n".join(lines))
    return path


@pytest.mark.parametrize(
    ("code", "options", "record"), FAULTS, ids=[f"{row}-{each[0]}" for row, each in enumerate(FAULTS)]
)
def test_a_planted_fault_is_reported_for_its_record(code, options, record, model, tmp_path):
    options = {"template": CHATML, **copy.deepcopy(options)}
    path = model(**options.pop("model", {}))
    good = [chat(user(f"good {row}"), answer()) for row in range(3)]
    data = guiapp.data(path, file_of(tmp_path / "a.jsonl", [*good, record, *good[:0]]), workers=0, **options)
    assert 3 in data.rows_with(code).tolist(), data.findings
    if code not in IN_ALL:
        assert data.rows_with(code).tolist() == [3]
        finding = next(each for each in data.findings if each.code == code)
        assert (finding.n_records, finding.record) == (1, 4)
        if finding.token is not None:
            assert 0 <= finding.token < len(data.records[3].token_ids)


CLEAN = [
    ({}, [chat(user(str(row)), answer(), user("More"), answer("Yes")) for row in range(9)]),
    ({"template": tagged(TAGGED)}, [chat(user(f"é {row}"), answer("Straße 你好")) for row in range(9)]),
    ({"template": CALLS}, [chat(user(str(row)), answer("", tool_calls=[CALL]), {"role": "tool", "content": "1"}, answer()) for row in range(5)]),
    ({}, [{"prompt": f"Hi {row}", "completion": f" Hello{EOS}"} for row in range(9)]),
    ({}, [{"prompt": [user(str(row))], "chosen": [answer()], "rejected": [answer("No")]} for row in range(9)]),
    ({}, [{"text": f"Some text, {row}."} for row in range(9)]),
]  # fmt: skip


@pytest.mark.parametrize(("options", "records"), CLEAN)
def test_clean_files_have_nothing(options, records, model, tmp_path):
    data = guiapp.data(
        model(), file_of(tmp_path / "a.jsonl", records), workers=0, **{"template": CHATML, **options}
    )
    assert data.findings == []
    assert not data.has_warning
    assert data.trained.all()
    for row in data.records:
        assert row.text.endswith((END + "\n", END, EOS, "."))
        assert (row.labels[row.is_trained] == row.token_ids[row.is_trained]).all()
        assert (row.labels[~row.is_trained] == -100).all()


ENDS_ONCE = CHATML.replace("assistant\n{% endif", f"assistant\n{{% else %}}{EOS}{{% endif")
ENDS_OTHERWISE = (
    LOOP
    + TURN.replace(
        END,
        f"{{{{ '{EOS}' if loop.last and message.role == 'assistant' and not add_generation_prompt else '{END}' }}}}",
    )
    + PROMPT
)


@pytest.mark.parametrize(
    ("template", "ends", "how"),
    [
        (CHATML, [END, END], ""),
        (DROPS, [END, f"<t></t>{END}"], "rewritten"),
        (ENDS_ONCE, [END, f"{END}\n{EOS}"], ""),
        (ENDS_OTHERWISE, [END, EOS], ""),
    ],
    ids=("as it is", "with reasoning at the end", "with EOS at the end", "with another end"),
)
def test_an_empty_answer_is_located_and_its_end_trained(template, ends, how, model):
    record = chat(user(), answer(""), user("More"), answer(""))
    examiner = DataExaminer(guiapp.open_model(model()), DataOptions(template))
    row = examiner.examine(open_records([record]).raw(0, 1))[0]
    assert [row.text[start:end] for start, end in row.spans] == ends
    assert row.turns[0].how == how
    assert "empty" in {each.code for each in noticed(row)}


def test_a_header_that_no_prompt_writes_is_untrained_and_reported(model):
    """After a tool's result the prompt adds nothing, but what is rendered has a header there."""
    template = CHATML.replace("if add_gen", "if messages[-1].role != 'tool' and add_gen")
    record = chat(user(), answer("", tool_calls=[CALL]), {"role": "tool", "content": "1"}, answer())
    examiner = DataExaminer(guiapp.open_model(model()), DataOptions(template))
    row = examiner.examine(open_records([record]).raw(0, 1))[0]
    assert row.text[slice(*row.spans[-1])] == f"Hello{END}"
    assert row.turns[-1].how == "other_prompt"


def test_unknown_tokens_are_counted():
    data = guiapp.data("demo:wordpiece", [{"text": "plain"}, {"text": "𓀀"}], workers=0)
    assert data.rows_with("unknown_tokens").tolist() == [1]


# All of a file, in processes


@pytest.fixture(scope="module")
def many(model, tmp_path_factory):
    records = [chat(user(f"Hi {row}"), answer("Hello " * (row % 7))) for row in range(700)]
    path = file_of(tmp_path_factory.mktemp("many") / "many.jsonl", records)
    return DataExaminer(guiapp.open_model(model()), DataOptions(CHATML, max_length=40)), path


def test_processes_give_what_one_gives(many):
    examiner, path = many
    results = []
    for n_workers in (0, 2):
        data = None
        for data in growing(examiner, open_records(path), n_workers):
            assert 0 < data.share <= 1
        results.append(
            (
                data.lengths.tolist(),
                data.trained.tolist(),
                data.codes.tolist(),
                data.findings,
                data.by_role,
                data.by_turn.tolist(),
            )
        )
    assert results[0] == results[1]
    lengths, trained, _, _, by_role, by_turn = results[0]
    assert sum(n for n, _ in by_role.values()) == sum(lengths)
    assert sum(by_turn) == sum(trained)


def test_a_killed_worker_is_an_error(many, monkeypatch):
    examiner, path = many
    started = PersistentProcess._started

    def killed(self):
        process = started(self)
        if self._module == batching.WORKER:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        return process

    monkeypatch.setattr(PersistentProcess, "_started", killed)
    with pytest.raises(TokenloupeError, match="worker process ended"):
        list(batches(examiner, open_records(path), n_workers=2))


def test_stopping_early_leaves_no_threads(many):
    examiner, path = many
    results = batches(examiner, open_records(path), n_workers=2)
    next(results)
    next(results)
    results.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("data")]
    with pytest.raises(ZeroDivisionError):
        guiapp.data(examiner.tokenizer, path, CHATML, workers=2, progress=lambda share: 1 / (share < 0.3))
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("data")]


def test_a_batch_is_a_function_of_records_that_can_be_pickled(many):
    examiner, path = many
    records = open_records(path)
    records.up_to(20)
    raws = pickle.loads(pickle.dumps(records.raw(0, 20)))
    own, other = (batch_of(each, raws, True) for each in (examiner, pickle.loads(pickle.dumps(examiner))))
    assert own.ids.tolist() == other.ids.tolist()
    assert own.labels.tolist() == other.labels.tolist()


def test_an_examiner_is_pickled_by_path_and_hash_and_opened_once_in_a_process(model, tmp_path):
    path = shutil.copy(model(), tmp_path / "model.gguf")
    examiner = DataExaminer(guiapp.open_model(path), DataOptions(CHATML))
    packed = pickle.dumps(examiner)
    assert len(packed) < 5_000
    examiner.examine(open_records([chat()]).raw(0, 1))  # what it then remembers is not pickled
    assert pickle.dumps(examiner) == packed
    own, again = pickle.loads(packed), pickle.loads(packed)
    assert own.tokenizer is again.tokenizer
    assert own.template == examiner.template
    other = DataExaminer(examiner.tokenizer, DataOptions(CHATML, "all"))
    packed = pickle.dumps(other)
    with path.open("ab") as file:
        file.write(b" ")
    with pytest.raises(TokenloupeError, match=r"model\.gguf.* has changed"):
        pickle.loads(packed)
    path.unlink()
    with pytest.raises(TokenloupeError, match=r"model\.gguf.* not on this machine"):
        pickle.loads(packed)


def test_a_table_has_what_is_exported(many):
    pytest.importorskip("pyarrow")
    examiner, path = many
    lines = path.read_text().split("\n")
    table = guiapp.data_table(examiner, [*lines, "{", {"text": "a value"}, chat()])
    rows = table.to_pylist()
    exported = [json.loads(line) for line in exported_lines(batches(examiner, open_records(path), True, 0))]
    for row, line in zip(rows, exported, strict=False):
        assert (row["input_ids"], row["labels"]) == (line["input_ids"], line["labels"])
    assert [row["findings"] for row in rows[-3:]] == ["broken", "", ""]
    assert [bool(row["input_ids"]) for row in rows[-3:]] == [False, True, True]
    assert guiapp.data_table(examiner, []).schema == table.schema


def test_a_hanging_template_affects_only_its_records(many):
    slow = (
        CHATML
        + "{% if 'x' in messages[0].content %}{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}{% endif %}"
    )
    records = [chat(user("x" if row in (2, 5) else f"{row}"), answer()) for row in range(8)]
    data = guiapp.data(many[0].tokenizer, records, slow, workers=0)
    assert data.rows_with("refused").tolist() == [2, 5]
    assert "too long" in data.records[5].error


def test_a_conversation_of_hundreds_of_turns_is_derived(many):
    messages = [each for row in range(300) for each in (user(f"{row}"), answer(f"Answer {row}"))]
    row = DataExaminer(many[0].tokenizer, DataOptions(CHATML)).examine(
        open_records([{"messages": messages}]).raw(0, 1)
    )[0]
    assert len(row.turns) == 300
    assert row.text[slice(*row.spans[-1])] == f"Answer 299{END}"


def test_what_is_exported_is_what_is_shown(many, tmp_path):
    import numpy as np

    examiner, path = many
    lines = [json.loads(line) for line in exported_lines(batches(examiner, open_records(path), True, 0))]
    data = TrainingData(examiner, open_records(path))
    data.source.up_to(700)
    for number in (1, 8, 700):
        row = data.records[number - 1]
        assert lines[number - 1] == {
            "record": number,
            "input_ids": row.token_ids[: row.n_used].tolist(),
            "labels": row.labels.tolist(),
        }
    write_npz(tmp_path / "a.npz", batches(examiner, open_records(path), True, 0))
    with np.load(tmp_path / "a.npz") as arrays:
        start, end = arrays["bounds"][7:9]
        assert arrays["input_ids"][start:end].tolist() == lines[7]["input_ids"]
        assert arrays["records"].tolist() == list(range(1, 701))


def test_why_a_token_is_trained_names_the_line_of_the_template(many):
    row = DataExaminer(many[0].tokenizer, DataOptions(tagged(TAGGED))).examine(
        open_records([chat()]).raw(0, 1)
    )[0]
    first = int(row.is_trained.argmax())
    assert row.explain(first).startswith("Trained")
    assert row.explain(0).startswith("Not trained")
    assert "Line" in row.explain(0)
    assert len(row.origins) == len(row.token_ids)


def test_a_copy_names_the_first_record_with_its_tokens(many):
    source = open_records([{"text": text} for text in ("one", "two", "one", "three", "two", "one")])
    data = training_data(many[0], source)
    assert [int(re.search(r"\d+", data.repeated(row).detail)[0]) for row in (2, 4, 5)] == [1, 2, 1]
    (copied,) = (each for each in data.findings if each.code == "doubled")
    assert (copied.record, copied.n_records) == (3, 3)


def test_packing_is_first_fit():
    assert first_fit([5, 6, 4, 3, 2], 10) == 3
    assert first_fit([6, 5, 5, 6, 4], 10) == 3
    assert first_fit([10, 10], 10) == 2
    assert first_fit([], 10) == 0
