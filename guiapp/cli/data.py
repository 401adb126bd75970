"""`tokenloupe data`"""

from __future__ import annotations

import argparse
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from guiapp.cli.files import (
    FOUND,
    InputError,
    add_force_option,
    add_form_options,
    add_model_option,
    file_name,
    open_tokenizer,
    output_path,
    positive_count,
    print_json,
    print_lines,
    print_parts,
    show_progress,
)

if TYPE_CHECKING:
    from guiapp.analysis.data.batches import DataBatch
    from guiapp.analysis.data.records import Records
    from guiapp.analysis.data.summary import TrainingData

EXAMPLES = (
    "tokenloupe data model.gguf train.jsonl",
    "tokenloupe data model.gguf train.jsonl --mask derived --max-length 4096 --export labels.jsonl",
)
STATUSES = {FOUND: "warnings or errors"}


def add_options(parser: argparse.ArgumentParser) -> None:
    add_model_option(parser)
    about = "records: JSON lines or a JSON array, also gzipped, or Parquet (needs pyarrow)"
    parser.add_argument("file", metavar="FILE", type=file_name, help=about)
    about = "use this template instead of the model's default"
    parser.add_argument("--template", metavar="NAME|FILE", type=file_name, help=about)
    parser.add_argument(
        "--mask",
        metavar="MASK",
        default="auto",
        help="what is trained: auto, generation (the template's tags), derived (what follows each generation "
        "prompt), completion, all, or marker:A…B (what follows A, up to and with B; \\n is a line break)",
    )
    about = "cut records after N tokens"
    parser.add_argument("--max-length", metavar="N", type=positive_count, help=about)
    about = "the shape of all records: messages, conversations, prompt-completion, preference or text"
    parser.add_argument("--shape", metavar="NAME", help=about)
    about = "use N processes (default: as many as cores); 0 for this one alone"
    parser.add_argument("--workers", metavar="N", type=int, help=about)
    about = "print a line of CSV for each record: tokens, trained tokens, messages and what was noticed"
    add_form_options(parser, json="print the results as a JSON object", csv=about)
    about = "write token ids and labels (-100: not trained) as JSON lines, or as NPZ by its ending"
    parser.add_argument("--export", metavar="OUT.jsonl", type=output_path, help=about)
    add_force_option(parser)


def run(options: argparse.Namespace) -> int:
    """Show what a model is trained on: which tokens count in the loss, how many, and what is wrong."""
    from guiapp.analysis.data.export import data_lines, data_record, record_rows
    from guiapp.analysis.export.tables import csv_blocks

    if str(options.export) == "-" and options.form:
        options.refuse(f"argument --export: - is not allowed with argument --{options.form}")
    if options.workers is not None and options.workers < 0:
        raise InputError(f"--workers {options.workers}: choose 0 or more.")
    data = _examined(options)
    if options.form == "json":
        print_json(data_record(data))
    elif options.form == "csv":
        print_parts(csv_blocks(record_rows(data)))
    elif str(options.export) != "-":
        print_lines(data_lines(data))
    return FOUND if data.has_warning else 0


def _examined(options: argparse.Namespace) -> TrainingData:
    from guiapp.analysis.data.batches import batches
    from guiapp.analysis.data.examined import DataExaminer, DataOptions
    from guiapp.analysis.data.export import exported_lines, write_labels
    from guiapp.analysis.data.records import BROKEN, open_records
    from guiapp.analysis.data.summary import TrainingData
    from guiapp.core.text.numbers_in_words import counted, printable

    chosen = DataOptions(options.template, options.mask, options.max_length, options.shape)
    examiner = DataExaminer(open_tokenizer(options.model, options.pre), chosen)
    data = TrainingData(examiner, open_records(options.file))

    def added() -> Iterator[DataBatch]:
        with_ids = options.export is not None
        with closing(batches(examiner, data.source, with_ids, options.workers)) as found:
            for batch in found:
                data.add(batch)
                show_progress(f"{data.n_records:,} records, {data.share:.0%}")
                yield batch
        show_progress("")
        if not data.n_records:
            raise InputError(f"{options.file} has no records.")
        if len(data.rows_with(BROKEN)) == data.n_records:
            raise InputError(f"{options.file}: no record can be read. {_why_unread(data.source)}")

    if options.export is None:
        deque(added(), 0)
    elif str(options.export) == "-":
        sys.stdout.writelines(exported_lines(added()))
    else:
        write_labels(Path(options.export), added())
        if data.n_without_tokens:
            n_left = counted(data.n_without_tokens, "record")
            name = printable(str(options.export))
            print(f"{name} is without {n_left} that cannot be used.", file=sys.stderr)
    return data


def _why_unread(records: Records) -> str:
    from guiapp.analysis.data.records import RecordError, read_record

    try:
        read_record(records.raw(0, 1)[0])
    except RecordError as error:
        return f"Record 1: {error}"
    return ""
