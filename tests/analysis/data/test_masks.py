"""What is trained: masks of tagged templates are those of `transformers`, derived ones of tagged twins."""

import json
import random
import re
from collections import Counter

import numpy as np
import pytest
from conftest import SHARED, VOCABS
from transformers_models import in_transformers

import guiapp
from guiapp.analysis.chat.templates import BEGINNINGS, ENDS, special_texts
from guiapp.analysis.chat.written_turns import MARKER
from guiapp.analysis.data.examined import DataExaminer, DataOptions
from guiapp.analysis.data.export import as_python
from guiapp.analysis.data.findings import noticed
from guiapp.analysis.data.masks import located
from guiapp.analysis.data.records import open_records
from guiapp.analysis.libraries.written_models import hugging_face_json

MODEL = VOCABS / "ggml-vocab-qwen2.gguf"
FOLDER = SHARED / "templates"
TRAINING = sorted(FOLDER.glob("*_training.jinja"))
TURNS = 30
SEEING = ("llava",)
MARKERS = re.compile(f"{MARKER.pattern}|<[|][a-z_]+>|<[a-z_]+[|]>")
EXPLAINING_CODES = {"border_in_token", "header_trained", "end_not_trained", "other_prompt", "rewritten"}
WORDS = re.split(" ", "tokens are what 你好 🙂 models Straße read\n\n <b>x</b> don't  stop")
TOOL = {
    "type": "function",
    "function": {
        "name": "look_up",
        "description": "Find it.",
        "parameters": {"type": "object", "properties": {"word": {"type": "string", "description": "which"}}},
    },
}
CALL = {"type": "function", "function": {"name": "look_up", "arguments": {"word": "x"}}}


def conversations():
    """Several turns, systems, tools, empty answers, reasoning, unicode."""
    draw = random.Random(53)
    result = []
    for number in range(TURNS):
        messages = [{"role": "system", "content": "Be brief."}] if number % 3 == 0 else []
        for turn in range(1 + number % 4):
            text = " ".join(draw.choices(WORDS, k=1 + number % 7))
            messages.append({"role": "user", "content": text})
            if number % 5 == 4 and turn == 0:
                called = {"role": "assistant", "content": "", "tool_calls": [CALL]}
                messages += [called, {"role": "tool", "name": "look_up", "content": f"found {text}"}]
            answer = "" if number % 11 == 10 else " ".join(draw.choices(WORDS, k=2 + number % 5))
            more = {"reasoning_content": "Think of it."} if number % 6 == 5 else {}
            messages.append({"role": "assistant", "content": answer, **more})
        result.append({"messages": messages, **({"tools": [TOOL]} if number % 5 == 4 else {})})
    return result


@pytest.fixture(scope="module")
def tokenizer():
    if not (MODEL.exists() and TRAINING):
        pytest.skip("needs the shared vocabularies and templates")
    return guiapp.open_model(MODEL)


@pytest.fixture(scope="module")
def own_markers(tokenizer, tmp_path_factory):
    """The same model with the markers of all templates as special tokens, as their own models have them."""
    document = json.loads(hugging_face_json(tokenizer))
    texts = {marker[0] for path in TRAINING for marker in MARKERS.finditer(path.read_text("utf-8"))}
    names = [*tokenizer.special_tokens.names]
    names += sorted(texts.union(ENDS, BEGINNINGS).difference(names))
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    size = len(tokenizer.vocabulary)
    document["added_tokens"] = [
        {"id": tokenizer.special_tokens.names.get(name, size + row), "content": name, **flags}
        for row, name in enumerate(names)
    ]
    path = tmp_path_factory.mktemp("markers") / "tokenizer.json"
    path.write_text(json.dumps(document), "utf-8")
    path.with_name("tokenizer_config.json").write_text(json.dumps(special_texts(tokenizer.vocabulary)))
    return guiapp.open_model(path)


@pytest.fixture(scope="module")
def library(tokenizer):
    pytest.importorskip("transformers")
    return in_transformers(tokenizer)


def in_parts(record):
    """With contents as lists of parts, which templates of models that see want."""
    messages = [
        {**each, "content": [{"type": "text", "text": each["content"]}]} for each in record["messages"]
    ]
    return {**record, "messages": messages}


def conversations_for(template):
    return list(map(in_parts, conversations())) if template.stem.startswith(SEEING) else conversations()


def examined(tokenizer, template, mask="auto"):
    examiner = DataExaminer(tokenizer, DataOptions(str(template), mask))
    return examiner.examine(open_records(conversations_for(template)).raw(0, TURNS))


@pytest.mark.parametrize("model", ["demo:bpe", "demo:spm", "demo:wordpiece"])
def test_spans_of_many_texts_are_located_as_one_would_by_hand(model):
    draw, tokenizer = random.Random(7), guiapp.open_model(model)
    texts = ["".join(draw.choices("ab é🙂你\n", k=draw.randint(0, 12))) for _ in range(60)]
    spans = []
    for text in texts:
        places = sorted(draw.choices(range(len(text) + 1), k=2 * draw.randint(0, 3)))
        spans.append(list(zip(places[::2], places[1::2], strict=True)))
    encodings = [tokenizer.encode(text, row % 2 == 0) for row, text in enumerate(texts)]
    located_spans = located(encodings, texts, spans)
    for text, encoding, own, (tokens, crossed) in zip(texts, encodings, spans, located_spans, strict=True):
        owners = []
        for span, (first, end_token) in zip(own, tokens, strict=True):
            start, end = (len(text[:place].encode()) for place in span)
            pairs = list(enumerate(encoding.spans.tolist()))
            inside = [token for token, (at, stop) in pairs if at < end and stop > start]
            assert start == end or list(range(first, end_token)) == inside
            owners += [token for token, (at, stop) in pairs for edge in (start, end) if at < edge < stop]
        assert crossed == (owners[0] if owners else None)
    assert located([], [], []) == []


@pytest.mark.slow
@pytest.mark.parametrize("template", TRAINING, ids=lambda path: path.stem)
def test_masks_are_those_of_transformers(template, tokenizer, library):
    library.chat_template = template.read_text("utf-8")
    n_equal = 0
    for row, record in zip(examined(tokenizer, template), conversations_for(template), strict=True):
        try:
            made = library.apply_chat_template(
                record["messages"],
                tools=record.get("tools"),
                return_dict=True,
                return_assistant_tokens_mask=True,
            )
        except Exception:  # templates raise what they like
            assert row.code == "refused", (row.number, row.text)
            continue
        assert row.token_ids.tolist() == made["input_ids"], row.number
        assert row.is_trained.tolist() == [bool(each) for each in made["assistant_masks"]], row.number
        n_equal += 1
    assert n_equal, "the template refuses all"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["qwen3", "qwen3_training", "llama3", "gemma3"])
def test_a_mask_that_differs_from_transformers_is_reported(name, tokenizer, library):
    template = FOLDER / f"{name}.jinja"
    library.chat_template = template.read_text("utf-8")
    record = conversations()[7]
    masks = library.apply_chat_template(
        record["messages"], return_dict=True, return_assistant_tokens_mask=True
    )["assistant_masks"]
    for kind in ("auto", "generation", "derived", "all", "marker:a…b"):
        examiner = DataExaminer(tokenizer, DataOptions(str(template), kind))
        explanation = examiner.mask.transformers_result
        is_same = examiner.examine(open_records([record]).raw(0, 1))[0].is_trained.tolist() == masks
        assert is_same or explanation
        assert explanation.startswith("all zeros") == (bool(explanation) and not any(masks))


@pytest.mark.slow
@pytest.mark.parametrize("template", TRAINING, ids=lambda path: path.stem)
def test_derived_masks_match_tagged_templates_or_have_a_finding(template, own_markers):
    """But for white space behind the end of a turn, which some templates have in their tags."""
    stock = template.with_name(template.name.replace("_training", ""))
    counts = Counter()
    pairs = zip(examined(own_markers, template), examined(own_markers, stock, "derived"), strict=True)
    for tagged, derived in pairs:
        assert all(turn.start >= 0 for turn in derived.turns), (derived.number, derived.text)
        if tagged.error or derived.error or tagged.text != derived.text:
            counts["other text"] += 1
            continue
        odd = np.flatnonzero(tagged.is_trained != derived.is_trained).tolist()
        is_same = not any(own_markers.decode([tagged.token_ids[each]]).strip() for each in odd)
        explanation = EXPLAINING_CODES.intersection(
            each.code for row in (tagged, derived) for each in noticed(row)
        )
        counts["same" if is_same else f"other mask: {' '.join(sorted(explanation))}"] += 1
        assert is_same or explanation, (tagged.number, odd, tagged.text)
        assert odd or "header_trained" not in explanation
    print(f"{stock.stem}: {dict(counts)}")  # with -s, a table


@pytest.mark.slow
@pytest.mark.parametrize(
    "mask", ["generation", "derived", "all", "marker:<|im_start|>assistant\n…<|im_end|>"]
)
def test_the_copied_python_gives_the_same(mask, tokenizer, library, monkeypatch):
    import transformers

    monkeypatch.setattr(transformers.AutoTokenizer, "from_pretrained", lambda _: library)
    template = FOLDER / "qwen3_training.jinja"
    options = DataOptions(str(template), mask, max_length=150)
    records = [*conversations()[:12], {"prompt": "Say", "completion": " hello"}, {"text": "Hello 🙂"}]
    for row in DataExaminer(tokenizer, options).examine(open_records(records).raw(0, len(records))):
        names = {}
        exec(as_python(row, "model"), names)
        assert names["labels"] == row.labels.tolist(), row.number
