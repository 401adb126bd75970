"""`tokenloupe hunt`"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from guiapp.cli.files import (
    FOUND,
    MODEL_HELP,
    add_force_option,
    add_pre_option,
    file_name,
    output_path,
    positive_count,
    positive_number,
    print_json,
    print_lines,
    refuse_with,
    seed_number,
    write,
)
from guiapp.core import interrupts

if TYPE_CHECKING:
    from guiapp.analysis.hunt.engine import HuntPlan
    from guiapp.analysis.hunt.mismatches import Hunt


EXAMPLES = (
    "tokenloupe hunt model.gguf llama.cpp",
    "tokenloupe hunt FOLDER transformers",
    "tokenloupe hunt a.gguf b.gguf -f texts --seconds 120 --report hunt.md",
)
STATUSES = {
    0: "no difference in at least 10,000 texts",
    1: "invalid input, or no difference in fewer than 10,000 texts",
    FOUND: "a difference",
    interrupts.INTERRUPTED: "interrupted before a difference was found",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("first", metavar="A", help=MODEL_HELP)
    about = (
        "another model, or an installed library that reads A: llama.cpp, tokenizers, transformers, "
        "tiktoken, sentencepiece"
    )
    parser.add_argument("second", metavar="B", help=about)
    add_pre_option(parser)
    parser.add_argument(
        "-f",
        "--file",
        metavar="FILE",
        type=file_name,
        action="append",
        default=[],
        help="also try the lines of a file or folder, and variations; may be repeated",
    )
    bound = parser.add_mutually_exclusive_group()
    bound.add_argument(
        "--seconds",
        metavar="S",
        type=positive_number,
        default=30.0,
        help="search for S seconds once both are open (default: %(default)g)",
    )
    bound.add_argument(
        "--texts",
        metavar="N",
        type=positive_count,
        help="compare N texts instead: the same N for the same seed, on every machine",
    )
    parser.add_argument("--seed", metavar="N", type=seed_number, default=0, help="seed of random texts (0)")
    parser.add_argument("--report", metavar="FILE.md", type=output_path, help="write a Markdown report")
    parser.add_argument("--json", action="store_true", help="print the results as a JSON object")
    add_force_option(parser)


def run(options: argparse.Namespace) -> int:
    """Search for texts on which two tokenizers differ, and show the shortest for each cause."""
    from guiapp.analysis.hunt.engine import HuntPlan
    from guiapp.analysis.hunt.report import markdown, record, text_lines

    if str(options.report) == "-":
        refuse_with(options, "--report -", json="--json")
    plan = HuntPlan(
        options.first,
        options.second,
        tuple(options.file),
        options.seconds,
        options.seed,
        pres=(options.pre, None),
        most_texts=options.texts,
    )
    state, is_interrupted = _hunted(plan)
    if options.report is not None:
        write(str(options.report), markdown(state).encode())
    if options.json:
        print_json(record(state))
    elif str(options.report) != "-":
        print_lines(text_lines(state))
    if state.finds:
        return FOUND
    return interrupts.INTERRUPTED if is_interrupted else int(state.why_inconclusive != "")


def _hunted(plan: HuntPlan) -> tuple[Hunt, bool]:
    """Hunt until time is over or an interrupt, printing new kinds; the result, and whether interrupted."""
    from guiapp.analysis.bench.control import copies_context, stopped_by_signals
    from guiapp.analysis.hunt.engine import hunt
    from guiapp.analysis.hunt.report import headline

    with stopped_by_signals() as control:
        known = set()
        for state in hunt(plan, control.shall_stop, copies_context()):
            if state.tried or state.finds:
                interrupts.has_results.set()
            for find in state.finds:
                if find.reason.kind not in known:
                    known.add(find.reason.kind)
                    if find.token_ids != (None, None):  # else texts were not even compared
                        print(f"Found {headline(find)}", file=sys.stderr, flush=True)
        return state, control.shall_stop()
