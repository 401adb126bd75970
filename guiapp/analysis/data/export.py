"""Export training data: ids and labels, a report, and Python code that computes the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from guiapp.analysis.data.batches import DataBatch
from guiapp.analysis.data.examined import DataRecord
from guiapp.analysis.data.findings import codes_in
from guiapp.analysis.data.masks import GENERATION
from guiapp.analysis.data.summary import TrainingData
from guiapp.analysis.export.tables import Table, aligned
from guiapp.core.sources.files import replacement
from guiapp.core.text.numbers_in_words import counted, percent

NPZ = ".npz"
DEFAULT_LENGTH = 4096  # of rows


def line_of(record: int, ids: Any, labels: Any) -> str:
    """A line of JSON; the label is -100 if a token is not trained."""
    entries = {"record": record, "input_ids": ids.tolist(), "labels": labels.tolist()}
    return json.dumps(entries, separators=(",", ":")) + "\n"


def record_line(row: DataRecord) -> str:
    return line_of(row.number, row.token_ids[: row.n_used], row.labels)


def exported_lines(batches: Iterable[DataBatch]) -> Iterator[str]:
    """A line for each record with tokens; the batches must have ids."""
    for batch in batches:
        bounds = batch.bounds.tolist()
        for number, start, end in zip(batch.numbers.tolist(), bounds, bounds[1:], strict=False):
            if end > start:
                yield line_of(number, batch.ids[start:end], batch.labels[start:end])


def write_labels(
    path: Path, batches: Iterable[DataBatch], progress: Callable[[int], object] = lambda n_done: None
) -> tuple[int, int]:
    """Write ids and labels as NPZ or JSON lines, by the file's suffix; the file is replaced at the end.

    progress  called with the number of records done
    Return how many records have tokens, and how many have none and are omitted.  Raises OSError.
    """
    n_done = n_written = 0

    def followed() -> Iterator[DataBatch]:
        nonlocal n_done, n_written
        for batch in batches:
            yield batch
            n_written += int(np.count_nonzero(batch.n_tokens))
            progress(n_done := n_done + len(batch))

    with replacement(path) as new:
        if path.suffix == NPZ:
            write_npz(new, followed())
        else:
            with new.open("w", encoding="utf-8") as out:
                out.writelines(exported_lines(followed()))
    return n_written, n_done - n_written


def write_npz(path: Path, batches: Iterable[DataBatch]) -> None:
    """Write `input_ids` and `labels`; record `records`[i] has the items [bounds[i], bounds[i + 1])."""
    parts = list(batches)
    sizes = np.concatenate([[0], *(np.diff(batch.bounds) for batch in parts)])
    with path.open("wb") as out:  # NumPy would add a suffix to a name without one
        np.savez_compressed(
            out,
            input_ids=np.concatenate([np.zeros(0, np.int32), *(batch.ids for batch in parts)]),
            labels=np.concatenate([np.zeros(0, np.int32), *(batch.labels for batch in parts)]),
            bounds=np.cumsum(sizes),
            records=np.concatenate([np.zeros(0, np.int64), *(batch.numbers for batch in parts)]),
        )


def _where(model: str) -> str:
    """The arguments for `transformers` to open a folder, a name, or a file in its folder."""
    path = Path(model)
    if path.suffix == ".gguf":
        return f"{str(path.parent)!r}, gguf_file={path.name!r}"
    return repr(str(path.parent) if path.suffix == ".json" else model)


def as_python(row: DataRecord, model: str) -> str:
    """Python code with `transformers` for the ids and labels of a record; `model` is a path or name."""
    examiner, record = row.setting, row.record
    conversation = None if record is None else record.conversation
    lines = [
        "from transformers import AutoTokenizer",
        "",
        f"tokenizer = AutoTokenizer.from_pretrained({_where(model)})",
    ]
    is_tagged = examiner.mask.kind == GENERATION and conversation is not None
    if conversation is None:
        lines.append(f"text = {row.text!r}")
    else:
        if examiner.options.template is not None:
            lines.append(f"tokenizer.chat_template = {examiner.template_for(conversation).text!r}")
        tools = None if conversation.tools is None else list(conversation.tools)
        lines += [f"messages = {list(conversation.messages)!r}", f"tools = {tools!r}"]
        given = "".join(f", {name}={value!r}" for name, value in examiner.options.variables.items())
        how = "return_dict=True, return_assistant_tokens_mask=True" if is_tagged else "tokenize=False"
        made = "made" if is_tagged else "text"
        lines.append(f"{made} = tokenizer.apply_chat_template(messages, tools=tools, {how}{given})")
    if is_tagged:
        lines.append('trained = made["assistant_masks"]')
    else:
        adds = examiner.adds_special(conversation is not None)
        lines += [
            f"made = tokenizer(text, add_special_tokens={adds}, return_offsets_mapping=True)",
            f"spans = {[list(span) for span in row.spans]}  # the characters that are trained",
            'offsets = made["offset_mapping"]',
            "trained = [any(a < end and b > start for start, end in spans) for a, b in offsets]",
        ]
    most = examiner.options.max_length
    lines += [
        'input_ids = made["input_ids"]' + (f"[:{most}]" if most is not None else ""),
        "labels = [token_id if own else -100 for token_id, own in zip(input_ids, trained)]",
    ]
    return "\n".join(lines)


def record_rows(data: TrainingData) -> Iterator[Sequence[object]]:
    """A header, and a row for each record with the codes of its findings."""
    yield "record", "tokens", "trained", "messages", "findings"
    columns = (data.lengths, data.trained, data.turns, data.codes)
    for number, (n, trained, turns, codes) in enumerate(
        zip(*(each.tolist() for each in columns), strict=True), 1
    ):
        yield number, n, trained, turns, codes_in(codes)


# The summary as a JSON record and as lines to read


def data_record(data: TrainingData, batch_size: int = 8) -> dict[str, Any]:
    """The record of `data --json`."""
    mask = data.examiner.mask
    packing = data.packing(data.examiner.options.max_length or DEFAULT_LENGTH, batch_size)
    return {
        "records": data.n_records,
        "tokens": data.tokens,
        "mask": {"kind": mask.kind, "why": mask.why, "transformers": mask.transformers_result},
        "findings": [
            {
                "code": each.code,
                "severity": each.severity,
                "what": each.what,
                "remedy": each.remedy,
                "records": each.n_records,
                "share": round(each.share, 6),
                "example": {"record": each.record, "token": each.token, "line": data.line_of(each) or None},
            }
            for each in data.findings
        ],
        "by_role": {role: {"total": n, "trained": trained} for role, (n, trained) in data.by_role.items()},
        "by_turn": np.trim_zeros(data.by_turn, "b").tolist(),
        "rejected": data.n_rejected,
        "packing": packing._asdict(),
    }


def data_lines(data: TrainingData) -> Iterator[str]:
    """Lines to read: totals, then findings."""
    tokens, mask = data.tokens, data.examiner.mask
    share = percent(tokens["trained"] / data.n_used, 1) if data.n_used else "none"
    yield f"{counted(data.n_records, 'record')}, {counted(tokens['total'], 'token')}, {share} trained"
    other = (
        f"; assistant_masks of transformers: {mask.transformers_result}" if mask.transformers_result else ""
    )
    yield f"mask {mask.kind}: {mask.why}{other}"
    median, most_of, longest = (f"{tokens[name]:,}" for name in ("p50", "p90", "max"))
    yield f"tokens of a record: median {median}, 90 % up to {most_of}, longest {longest}"
    most = data.examiner.options.max_length
    if most is not None:
        packing = data.packing(most)
        longer = f"{counted(data.longer_than(most), 'record')} longer than {most:,} tokens"
        yield f"{longer}; {counted(data.n_cut, 'trained token')} cut off"
        packed = f"packed into {counted(packing.rows, 'row')} of {most:,}: {percent(packing.filled)} filled"
        yield f"padding in batches of {packing.batch_size}: {percent(packing.padding_share)}; {packed}"
    rows = [[role, f"{n:,}", f"{trained:,}"] for role, (n, trained) in data.by_role.items()]
    if rows:
        yield ""
        yield from list(aligned(Table("", [["", "tokens", "trained"], *rows])))[1:]
    for each in data.findings:
        line = data.line_of(each)
        yield f"\n{each.severity}: {each.what}" + (f" See line {line} of the template." if line else "")
        yield f"  to fix: {each.remedy}"
