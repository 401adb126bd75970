"""Faults, each in a copy of a real vocabulary, and the codes by which the doctor reports them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from conftest import SHARED, VOCABS
from gguf_builder import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, Raw, Tensor, vocab_file
from piece_models import piece
from planted import (
    Parts,
    added_token,
    drop_merge,
    gguf_parts,
    rename_token,
    retype,
    set_key,
    set_part,
    swap_merges,
    swap_scores,
    swap_texts,
    without_bytes,
)

FORMATS = SHARED / "formats"
Change = Callable[[Any], object]
WORD = "Ġthe".encode()


class Fault(NamedTuple):
    """One fault: its code, the unmodified model, and the change in the copy."""

    code: str
    model: str
    change: Change  # changes parts or a document in place, or returns changed bytes
    is_against_original: bool = False

    def __str__(self) -> str:
        return f"{self.code} in {self.model}"


def put(name: str, at: int, value: object) -> Change:
    """Set one entry of a list."""
    return lambda parts: parts[name].__setitem__(at, value)


def add(name: str, *values: object) -> Change:
    return lambda parts: parts[name].extend(values)


def cut(name: str, n_left: int) -> Change:
    return lambda parts: parts.update({name: parts[name][:n_left]})


def drop_key(*names: str) -> Change:
    return lambda parts: [parts["keys"].pop(f"tokenizer.ggml.{name}", None) for name in names]


def full_key(key: str, value: object) -> Change:
    return lambda parts: parts["keys"].update({key: value})


def template(text: str) -> Change:
    return full_key("tokenizer.chat_template", text)


def embedding(n_rows: int) -> Change:
    return set_part(tensors=[Tensor("token_embd.weight", (8, n_rows))])


def all_of(*changes: Change) -> Change:
    return lambda content: [change(content) for change in changes]


def append_token(text: bytes, kind: int) -> Change:
    return all_of(add("tokens", text), add("types", kind))


def duplicate_token(at: int, other: int) -> Change:
    return lambda parts: parts["tokens"].__setitem__(at, parts["tokens"][other])


def rule_again(parts: Parts) -> None:
    parts["merges"].append(parts["merges"][7])


def last_rule(content: Any) -> None:
    (content["model"] if "model" in content and isinstance(content["model"], dict) else content)[
        "merges"
    ].pop()


def added(content: str, **flags: Any) -> Change:
    return lambda document: document["added_tokens"].append(
        added_token(content, id=len(document["model"]["vocab"]), **flags)
    )


def renamed_in_json(text: str, new: str) -> Change:
    return lambda document: document["model"]["vocab"].update({new: document["model"]["vocab"].pop(text)})


def config(**values: object) -> Change:
    """Set the contents of tokenizer_config.json, which is next to the file."""
    return lambda document: document.update(config=values)


def append(data: bytes) -> Change:
    return lambda content: content + data


def replace(old: bytes, new: bytes) -> Change:
    return lambda content: content.replace(old, new)


RESERVED, HEADER = b"<|reserved_special_token_9|>", b"<|start_header_id|>"
CHATML = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
NO_EOS = drop_key("eos_token_id", "eot_token_id")
NO_BOS = all_of(set_part(pre="glm4"), drop_key("bos_token_id"))
FAULTS = (
    Fault("pre_missing", "gpt-2", set_part(pre=None)),
    Fault("pre_missing", "qwen2", set_part(pre=None)),
    Fault("pre_missing", "demo:bpe", set_part(pre=None)),
    Fault("pre_unknown", "gpt-2", set_part(pre="gpt-9000")),
    Fault("pre_unknown", "deepseek-coder", set_part(pre="deepseek-c0der")),
    Fault("pre_of_other_family", "llama-bpe", set_part(pre="gpt-2")),
    Fault("pre_of_other_family", "gpt-2", set_part(pre="llama-bpe")),
    Fault("pre_of_other_family", "starcoder", set_part(pre="gpt-2")),
    Fault("pre_of_other_family", "deepseek-coder", set_part(pre="deepseek-llm")),
    Fault("pre_of_other_family", "qwen2", set_part(pre="default")),
    Fault("pre_of_other_family", "demo:bpe", set_part(pre="qwen2")),
    Fault("merge_of_no_token", "gpt-2", rename_token(WORD, b"zqx")),
    Fault("merge_of_no_token", "deepseek-coder", add("merges", b"zq xq9q")),
    Fault("merge_broken", "gpt-2", add("merges", b"abc")),
    Fault("merge_twice", "starcoder", rule_again),
    Fault("merges_missing", "gpt-2", set_part(merges=None)),
    Fault("merges_missing", "starcoder", set_part(merges=Raw("array:string", []))),
    Fault("token_never_made", "gpt-2", last_rule),
    Fault("token_twice", "gpt-2", duplicate_token(500, 600)),
    Fault("token_twice", "llama-spm", duplicate_token(1000, 999)),
    Fault("token_empty", "bert-bge", put("tokens", 1, b"")),
    Fault("tokens_missing", "llama-spm", set_part(tokens=None)),
    Fault("kinds_missing", "llama-spm", set_part(types=None)),
    Fault("kinds_short", "bert-bge", cut("types", 100)),
    Fault("kind_out_of_range", "llama-spm", put("types", 300, 9)),
    Fault("kind_out_of_range", "gpt-2", put("types", 300, 0)),
    Fault("scores_short", "llama-spm", cut("scores", 100)),
    Fault("scores_missing", "llama-spm", set_part(scores=None)),
    Fault("score_not_finite", "llama-spm", put("scores", 500, float("nan"))),
    Fault("score_not_finite", "demo:unigram", put("scores", 50, float("-inf"))),
    Fault("score_above_zero", "llama-spm", put("scores", 500, 5.0)),
    Fault("control_marked_normal", "qwen2", retype(b"<|im_start|>", NORMAL)),
    Fault("control_marked_normal", "llama-bpe", retype(HEADER, NORMAL)),
    Fault("control_marked_normal", "bert-bge", retype(b"[CLS]", NORMAL)),
    Fault("control_by_its_text", "llama-bpe", retype(b"<|eot_id|>", NORMAL)),
    Fault("word_marked_control", "gpt-2", retype(WORD, CONTROL)),
    Fault("word_marked_control", "llama-spm", retype("▁of".encode(), CONTROL)),
    Fault("unknown_marked_twice", "llama-spm", retype("▁of".encode(), UNKNOWN)),
    Fault("padded", "gpt-2", append_token(b"[PAD50257]", UNUSED)),
    Fault("byte_not_marked", "llama-spm", retype(b"<0x0A>", NORMAL)),
    Fault("byte_misnamed", "llama-spm", retype("▁of".encode(), BYTE)),
    Fault("bytes_missing", "llama-spm", without_bytes),
    Fault("token_not_utf8", "llama-spm", rename_token("▁of".encode(), b"\xe2\x96")),
    Fault("token_not_utf8", "demo:unigram", rename_token("▁of".encode(), b"of\xff")),
    Fault("bytes_missing", "gpt-2", rename_token("Ċ".encode(), b"zqx")),
    Fault("role_out_of_range", "gpt-2", set_key(eos_token_id=99_999)),
    Fault("role_out_of_range", "llama-spm", set_key(padding_token_id=32_000)),
    Fault("role_is_text", "qwen2", set_key(eos_token_id=100)),
    Fault("role_is_text", "bert-bge", set_key(seperator_token_id=2000)),
    Fault("role_is_text", "gpt-2", all_of(drop_key("bos_token_id"), set_key(add_bos_token=True))),
    Fault("role_missing", "demo:bpe", NO_BOS),
    Fault("key_of_other_type", "gpt-2", set_key(eos_token_id="50256")),
    Fault("key_of_other_type", "llama-spm", set_key(add_bos_token=1)),
    Fault("no_end", "demo:rwkv", NO_EOS),
    Fault("end_of_turn_goes_on", "llama-bpe", rename_token(RESERVED, b"<|end_of_message|>")),
    Fault("end_of_turn_goes_on", "starcoder", rename_token(b"<NAME>", b"<|END_OF_TURN_TOKEN|>")),
    Fault("embedding_rows", "llama-spm", embedding(32_001)),
    Fault("embedding_rows", "gpt-2", embedding(50_000)),
    Fault("vocabulary_size", "llama-spm", full_key("llama.vocab_size", 32_016)),
    Fault("special_look_alike", "llama-bpe", rename_token(RESERVED, "<｜eot_id｜>".encode())),
    Fault("special_look_alike", "llama-bpe", rename_token(RESERVED, "<|usеr|>".encode())),
    Fault("special_invisible", "qwen2", rename_token(b"[PAD151646]", "<|im_\u200bstart|>".encode())),
    Fault("special_blank", "llama-bpe", rename_token(RESERVED, b"<|tool|> ")),
    Fault("bos_twice", "llama-spm", template("{{ bos_token }}{{ messages[0].content }}")),
    Fault("bos_twice", "llama-bpe", template("<|begin_of_text|>{{ messages[0].content }}")),
    Fault("eos_behind_prompts", "llama-bpe", all_of(template(CHATML), set_key(add_eos_token=True))),
    Fault("eos_behind_prompts", "llama-spm", all_of(template("{{ messages }}"), set_key(add_eos_token=True))),
    Fault("template_role_missing", "demo:bpe", all_of(NO_BOS, template("{{ bos_token + messages }}"))),
    Fault("template_role_missing", "demo:rwkv", all_of(NO_EOS, template("{{- eos_token }}"))),
    Fault("marker_is_text", "llama-bpe", template(CHATML)),
    Fault("marker_is_text", "qwen2", template(CHATML.replace("<|im_end|>", "<| im_end |>"))),
    Fault("template_invisible", "qwen2", template(CHATML.replace("\n", "\u200b\n"))),
    Fault("template_look_alike", "qwen2", template(CHATML + "You are a hеlpful assistant.")),
    Fault(
        "template_reads_words", "qwen2", template("{% if 'pay' in messages[0].content|lower %}x{% endif %}")
    ),
    Fault("clean_up", "qwen2", set_part(pre="stablelm2")),
    Fault("architecture_unknown", "gpt-2", set_part(architecture="nonesuch")),
    Fault(
        "character_map_broken",
        "demo:unigram",
        full_key("tokenizer.ggml.precompiled_charsmap", Raw("array:u8", [9, 9, 9, 9, 0])),
    ),
    Fault("token_never_made", "claude-2.tokenizer.json", last_rule),
    Fault("merge_of_no_token", "claude-2.tokenizer.json", renamed_in_json("Ġthe", "zqx")),
    Fault("bytes_missing", "claude-2.tokenizer.json", renamed_in_json("ā", "zqx")),
    Fault("word_marked_control", "claude-2.tokenizer.json", added("Human")),
    Fault("special_blank", "claude-2.tokenizer.json", added("<EOT> ")),
    Fault("special_invisible", "claude-2.tokenizer.json", added("<\u2060EOT2>")),
    Fault("special_look_alike", "claude-2.tokenizer.json", added("<eot>")),
    Fault("end_of_turn_goes_on", "claude-2.tokenizer.json", added("<|end_of_message|>")),
    Fault("marker_is_text", "claude-2.tokenizer.json", config(chat_template=CHATML)),
    Fault("score_above_zero", "mistral-v1.tokenizer.model", append(piece("zqx", 5.0))),
    Fault("word_marked_control", "mistral-v1.tokenizer.model", append(piece("▁zqxword", kind=CONTROL))),
    Fault("token_twice", "mistral-v1.tokenizer.model", append(piece("▁Human"))),
    Fault("special_blank", "mistral-v3.tokenizer.model.v3", append(piece("[INST2] ", kind=CONTROL))),
    Fault("bytes_missing", "cl100k_base.tiktoken", replace(b"\npA== 97\n", b"\nenF4OXE= 97\n")),
    Fault("bytes_missing", "qwen.tiktoken", replace(b"\npA== 97\n", b"\nenF4OXE= 97\n")),
    Fault("original_merges", "gpt-2", swap_merges(1), True),
    Fault("original_merges", "qwen2", drop_merge(3), True),
    Fault("original_tokens", "starcoder", rename_token(WORD, b"zqx"), True),
    Fault("original_kind", "llama-spm", retype(b"ing", CONTROL), True),
    Fault("original_score", "llama-spm", swap_scores("▁the".encode(), b"he"), True),
    Fault("original_role", "gpt-2", set_key(eos_token_id=100), True),
    Fault("original_rule", "llama-spm", set_key(add_space_prefix=False), True),
    Fault("original_ids", "llama-bpe", set_part(pre="gpt-2"), True),
    Fault("original_id", "claude-2.tokenizer.json", swap_texts("Ġcats", "Ġdogs"), True),
)


def untouched(model: str) -> str | Path:
    if model.startswith("demo:"):
        return model
    return FORMATS / model if "." in model else VOCABS / f"ggml-vocab-{model}.gguf"


def write(fault: Fault, folder: Path) -> Path:
    """Write a copy with the fault; return its path."""
    path = untouched(fault.model)
    if isinstance(path, Path) and path.suffix == ".json":
        document = json.loads(path.read_text())
        fault.change(document)
        (folder / "tokenizer_config.json").write_text(json.dumps(document.pop("config", {})))
        (folder / "tokenizer.json").write_text(json.dumps(document))
        return folder / "tokenizer.json"
    if isinstance(path, Path) and path.suffix != ".gguf":
        (folder / path.name).write_bytes(fault.change(path.read_bytes()))
        return folder / path.name
    parts = gguf_parts(fault.model)
    fault.change(parts)
    types, tensors = parts.pop("types"), parts.pop("tensors", [])
    file = vocab_file(**parts, types=types and Raw("array:i32", types))
    file.tensors = tensors
    return file.write(folder / "model.gguf")
