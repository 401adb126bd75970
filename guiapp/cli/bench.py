"""`tokenloupe bench`"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from guiapp.cli.files import (
    MODEL_HELP,
    InputError,
    OutputPath,
    add_force_option,
    add_pre_option,
    file_name,
    file_path,
    output_path,
    positive_number,
    print_json,
    print_lines,
    refuse_with,
    seed_number,
    write,
)
from guiapp.core import interrupts
from guiapp.core.encode.catalogue import TOKENLOUPE, encoder_label, encoder_name
from guiapp.core.text.numbers_in_words import counted, printable
from guiapp.errors import TokenloupeError

if TYPE_CHECKING:
    from guiapp.analysis.bench.plan import Plan
    from guiapp.analysis.bench.run_results import BenchRun

ALL = "all"
REPORTS = (".html", ".md", ".csv", ".json")
EXAMPLES = (
    "tokenloupe bench model.gguf --peers --report report.html",
    "tokenloupe bench demo:bpe -f book.txt --scenario all",
)
STATUSES = {interrupts.INTERRUPTED: "interrupted; finished results are printed and saved"}


def add_options(parser: argparse.ArgumentParser) -> None:
    from guiapp.analysis.bench.plan import DEFAULT_SCENARIOS, SCENARIOS

    rows = (f"  {row.name:11}  {row.label}: {row.help}" for row in SCENARIOS.values())
    parser.epilog = "\n".join(["scenarios:", *rows])
    parser.add_argument("model", metavar="MODEL", help=MODEL_HELP)
    add_pre_option(parser)
    _add_contenders(parser.add_argument_group("encoders and libraries"))
    _add_scenarios(parser.add_argument_group("texts and scenarios"), ", ".join(DEFAULT_SCENARIOS))
    _add_timing(parser.add_argument_group("timing"))
    _add_outputs(parser.add_argument_group("results"))
    add_force_option(parser)


def _add_contenders(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--encoders",
        metavar="A,B",
        default="",
        help="encoders and libraries to measure (default: all encoders); `fast` is Tokenloupe's own, "
        "`NAME (unsplit)` skips the pre-tokenizer",
    )
    group.add_argument("--peers", action="store_true", help="also measure all installed libraries")
    group.add_argument(
        "--own",
        metavar="NAME=…",
        action="append",
        default=[],
        help="measure an encoder of your own; may be repeated. NAME=command:WORDS starts a process for each "
        "text; it reads the text and writes ids. NAME=stream:WORDS starts one process; it reads a line with "
        "the number of bytes, then the text, and writes a line of ids. NAME=python:MODULE:FUNCTION calls a "
        "function",
    )
    about = "list encoders and libraries: what each returns, or why it is not available"
    group.add_argument("--list", action="store_true", help=about)


def _add_scenarios(group: argparse._ArgumentGroup, usual: str) -> None:
    group.add_argument(
        "-f",
        "--file",
        metavar="CORPUS",
        type=file_name,
        action="append",
        default=[],
        help="a file, a folder, sample:NAME, random (tokens of the vocabulary) or tutorial; may be repeated "
        "(default: some samples)",
    )
    group.add_argument(
        "--scenario",
        metavar="NAME",
        action="append",
        default=[],
        help=f"a scenario listed below, or {ALL}; may be repeated (default: {usual})",
    )
    about = "numbers of threads for the scenario threads"
    group.add_argument("--threads", metavar="N,M", type=_numbers, help=about)
    about = "longest text of scenarios that try several lengths"
    group.add_argument("--largest", metavar="BYTES", type=positive_number, help=about)
    group.add_argument(
        "--repeat",
        choices=("never", "same", "fresh"),
        default="never",
        help="extend short texts: never, with the same text, or with fresh words of the samples "
        "(default: %(default)s)",
    )


def _add_timing(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--time-budget",
        metavar="S",
        type=positive_number,
        default=60.0,
        help="measure for S seconds (default: %(default)g)",
    )
    group.add_argument(
        "--call-limit",
        metavar="S",
        type=positive_number,
        default=10.0,
        help="skip calls that take longer than S seconds (default: %(default)g)",
    )
    group.add_argument(
        "--clock",
        choices=("auto", "wall", "cpu"),
        default="auto",
        help="wall: elapsed time; cpu: processor time; auto: cpu while other programs run, otherwise wall",
    )
    about = "seed of random texts and of the order of turns"
    group.add_argument("--seed", metavar="N", type=seed_number, default=0, help=about)


def _add_outputs(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--baseline",
        metavar="NAME",
        type=lambda text: encoder_label(encoder_name(text)),
        default="fast",
        help="compare speeds with this encoder or library (default: %(default)s)",
    )
    about = "report what is slower or faster than in an earlier run"
    group.add_argument("--compare", metavar="OLD.json", type=file_path, help=about)
    group.add_argument("--json", metavar="FILE", type=output_path, help="write the records as a JSON object")
    group.add_argument(
        "--report",
        metavar="FILE",
        type=_report_path,
        help="write a report: .html with charts, .md, .csv, or .json",
    )


def run(options: argparse.Namespace) -> int:
    """Measure the speed of encoders and libraries on one vocabulary."""
    if options.list:
        refuse_with(options, "--list", json="--json", report="--report", compare="--compare")
        return _list(options)
    from guiapp.analysis.bench.history import load_run, save_run_somewhere
    from guiapp.analysis.bench.run_results import BenchRun

    old = None if options.compare is None else load_run(options.compare)
    file = None if options.json == Path("-") else options.json
    measured = BenchRun()
    plan = _plan(options)
    _check_baseline(options.baseline, plan)
    try:
        _measure(plan, measured)
    except Exception:
        if file is not None and measured.finished:  # save hours of work, whatever failed
            save_run_somewhere(file, measured.record())
        raise
    _print_run(measured, old, options)
    if file is not None:
        save_run_somewhere(file, measured.record())
    if options.report is not None:
        _write_report(options.report, measured, options.baseline)
    if measured.is_complete and not any(row.median_s for row in measured.finished):
        raise TokenloupeError("No encoder could be measured. The lines above say why.")
    if measured.is_complete:
        return 0
    saved = f", saved in {printable(str(options.json))}" if file else ""
    print_status(f"tokenloupe: Stopped with {counted(len(measured.finished), 'result')}{saved}.")
    return interrupts.INTERRUPTED


def _check_baseline(baseline: str, plan: Plan) -> None:
    """Raise InputError if the baseline is not measured; the default may be absent."""
    if baseline == TOKENLOUPE:
        return
    from guiapp.analysis.bench.engine import contenders_of
    from guiapp.core.open_model import open_model

    measured = list(map(encoder_label, contenders_of(plan, open_model(plan.model, plan.pre))))
    if baseline not in measured:
        raise InputError(f"--baseline {baseline} is not measured. Choose from: {', '.join(measured)}.")


def _list(options: argparse.Namespace) -> int:
    from guiapp.analysis.libraries.custom import parse_custom
    from guiapp.analysis.libraries.table import listing
    from guiapp.core.open_model import open_model

    print(*listing(open_model(options.model, options.pre), map(parse_custom, options.own)), sep="\n")
    return 0


def _print_run(measured: BenchRun, old: BenchRun | None, options: argparse.Namespace) -> None:
    """Print the records or tables, and the changes since `old`, which are not part of records."""
    from guiapp.analysis.bench.report import table_lines

    changes_go_to = sys.stdout
    if options.json == Path("-"):
        print_json(measured.record())
        changes_go_to = sys.stderr
    else:
        print_lines(table_lines(measured, options.baseline))
    if old is not None:
        _print_changes(old, measured, changes_go_to)


def _write_report(path: Path, measured: BenchRun, baseline: str) -> None:
    from guiapp.analysis.bench.report import report_text

    charts = _charts(measured, baseline) if path.suffix == ".html" else {}
    text = report_text(path.suffix, measured, baseline, charts)
    write(str(path), text.encode())


def _charts(measured: BenchRun, baseline: str) -> dict[str, str]:
    """All charts of a run by name; empty if Qt, which draws them, cannot start."""
    from guiapp.window import qt_libraries

    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    if (problem := qt_libraries.problem()) is not None:
        print_status(f"tokenloupe: The report has no charts: {problem}")
        return {}
    from guiapp.window.screenshots import bench_charts

    return bench_charts(measured, baseline)


def _plan(options: argparse.Namespace) -> Plan:
    from guiapp.analysis.bench.corpus import DEFAULT
    from guiapp.analysis.bench.plan import DEFAULT_SCENARIOS, SCENARIOS, Plan
    from guiapp.analysis.libraries.custom import parse_custom

    scenarios = tuple(name for names in options.scenario for name in names.split(",") if name)
    own, named = tuple(map(parse_custom, options.own)), map(str.strip, options.encoders.split(","))
    mine = {each.name for each in own}
    plan = Plan(
        model=options.model,
        corpora=tuple(options.file) or DEFAULT,
        contenders=tuple(
            dict.fromkeys(name if name in mine else encoder_name(name.lower()) for name in named if name)
        ),
        with_peers=options.peers,
        scenarios=tuple(SCENARIOS) if ALL in scenarios else scenarios or DEFAULT_SCENARIOS,
        time_budget_s=options.time_budget,
        largest_bytes=None if options.largest is None else int(options.largest),
        call_limit_s=options.call_limit,
        clock=options.clock,
        seed=options.seed,
        pre=options.pre,
        own=own,
        repeat=options.repeat,
    )
    return plan if options.threads is None else replace(plan, threads=options.threads)


def _measure(plan: Plan, measured: BenchRun) -> None:
    """Run the plan until it is complete or interrupted; `measured` always holds the results so far."""
    from guiapp.analysis.bench.control import stopped_by_signals
    from guiapp.analysis.bench.engine import run as run_engine
    from guiapp.analysis.bench.worker import STARTS

    with stopped_by_signals() as control:
        for event in run_engine(plan, control):
            measured.add(event)
            if event["event"] == "result":
                interrupts.has_results.set()
            if event["event"] != "loading" or event["stage"] == STARTS:  # only the start of loading
                _show_progress(event)


def _show_progress(event: Mapping[str, Any]) -> None:
    match event["event"]:
        case "started" if pre := event["vocabulary"]["chosen_pre"]:
            print_status(f"tokenloupe: The pre-tokenizer is “{pre}”, as you chose.")
        case "loading":
            print_status(f"Loading {encoder_label(event['contender'])} …")
        case "cell":
            size = counted(event["size_bytes"], "byte")
            what = f"{event['scenario']} ({', '.join(event['operations'])})"
            print_status(f"[{event['number']}/{event['of']}] {what}: {event['corpus']}, {size}")
        case "left out":
            print_status(f"{encoder_label(event['contender'])} is skipped: {event['reason']}")


def print_status(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _print_changes(old: BenchRun, new: BenchRun, file: TextIO) -> None:
    from guiapp.analysis.bench.history import compare_runs, different_conditions
    from guiapp.analysis.bench.report import change_lines

    for line in different_conditions(old, new):
        print_status(f"Conditions differ: {line}.")
    print(*change_lines(compare_runs(old, new)), sep="\n", file=file)


def _numbers(text: str) -> tuple[int, ...]:
    if not all(part.isdecimal() and int(part) for part in text.split(",")):
        raise argparse.ArgumentTypeError(f"“{text}” is not a list of whole numbers above 0, such as 1,2")
    return tuple(map(int, text.split(",")))


def _report_path(text: str) -> OutputPath:
    path = output_path(text)
    if path.suffix not in REPORTS:
        raise argparse.ArgumentTypeError(
            f"“{text}” does not end with {', '.join(REPORTS[:-1])} or {REPORTS[-1]}"
        )
    return path
