"""Measure how long users wait for the window: start, model files, keys, scrolling, tree, steps, charts.

    python tests/benchmarks/ui.py [--model MODEL] [--json FILE] [--looks]

Prints a table.  The JSON has `environment` and `measurements`, each with `name`, `unit`, `n`, `median`, `p95`
and `worst`.  `--looks` measures only typing and scrolling, in each colouring and with additional displays.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from guiapp import chat, open_model
from guiapp.analysis.bench.plan import SCALING_BYTES, WORST_BYTES
from guiapp.analysis.trace.debugger import debugger_for
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.tree.picture import NodeColors, tree_picture
from guiapp.core.demo import SAMPLES, sample_text
from guiapp.core.formats.table import LAST
from guiapp.core.versions import versions
from guiapp.core.vocabulary.vocabulary import token_tree
from guiapp.kit.document.coloured_spans import COLORINGS
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.kit.spans.view import SpanView
from guiapp.kit.state.settings import Settings
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.bench.choice import AIMS
from guiapp.pages.bench.model import BenchModel, BenchRunner
from guiapp.pages.bench.page import BenchPage
from guiapp.pages.tree.page import TreePage
from guiapp.pages.tree.view import TreeView
from guiapp.window.app import Shell, build, make_application

WINDOW_PX = (1440, 900)
LONGEST_S = 240
PACE_MS = 20  # between the keys of a fast typist
N_WARM_UP = 5  # events that do not count: they include initialization

Measurement = tuple[str, str, list[float]]  # name; unit ("s", "ms" or "×"); values


# The window, and its keys and mouse wheel


@contextmanager
def open_window(model: str) -> Iterator[Shell]:
    """The window with a model open."""
    with tempfile.TemporaryDirectory() as folder:
        application = QApplication.instance() or make_application()
        shell = build(application, Settings(Path(folder) / "settings.ini"), b"x")
        shell.window.resize(*WINDOW_PX)
        shell.window.show()
        shell.session.loader.open(model)
        try:
            wait_until(lambda: shell.session.tokenizer is not None)
            shell.garbage_collector.start()
            yield shell
        finally:
            shell.window.close()
            shell.stop()


def wait_until(is_done: Callable[[], bool]) -> None:
    deadline = time.perf_counter() + LONGEST_S
    while not is_done():
        QApplication.processEvents()
        if time.perf_counter() > deadline:
            raise TimeoutError(f"The window did not get there in {LONGEST_S} s.")


def process_events() -> None:
    for _ in range(5):
        QApplication.processEvents()


class PaintWatch(QObject):
    """Counts the paint events of a widget, and waits for them."""

    def __init__(self, watched: QObject) -> None:
        super().__init__()
        self.n_paints = 0
        watched.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.n_paints += event.type() is QEvent.Type.Paint
        return False

    def frame_ms(self, act: Callable[[], object]) -> float:
        """Milliseconds from the event until it is handled and the next frame is painted."""
        before = self.n_paints
        started = time.perf_counter()
        act()
        while self.n_paints == before:
            QApplication.processEvents()
        return (time.perf_counter() - started) * 1000

    def frames_ms(self, act: Callable[[], object], editor: SpanView) -> Iterator[float]:
        """The same, then the times of later frames until all visible text is painted."""
        yield self.frame_ms(act)
        while not editor.is_painted:
            yield self.frame_ms(lambda: None)


def turn_wheel(widget: QWidget, turn: QPoint) -> None:
    """Send a wheel event near the middle of a widget."""
    place = QPointF(widget.width() * 0.42, widget.height() * 0.55)
    no_button, no_modifier = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    no_phase = Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(place, place, QPoint(), turn, no_button, no_modifier, no_phase, False)
    QApplication.sendEvent(widget, event)


def show_text(shell: Shell, text: bytes) -> None:
    shell.session.text.show(text)
    wait_until(lambda: not shell.session.is_encoding)
    wait_until(lambda: shell.session.round_trip.value is not None)


def go_to_random_place(shell: Shell, rng: random.Random) -> None:
    """Put the caret at a random position of the text, and wait until its surroundings are painted."""
    editor, document = shell.window.inspect_page.editor, shell.session.document
    place = rng.randrange(document.size)
    document.set_caret(document.caret_stop(place))
    editor.reveal(place, place)
    process_events()
    wait_until(lambda: editor.is_painted)


def mixed_text(size_bytes: int) -> bytes:
    """Paragraphs of the program's samples in random order, the same on every machine."""
    rng = random.Random(1)
    paragraphs = [part for sample in SAMPLES for part in sample_text(sample.name).split(b"\n\n")]
    text = bytearray()
    while len(text) < size_bytes:
        text += rng.choice(paragraphs) + b"\n\n"
    return bytes(text[:size_bytes])


# Starting: each run is a process of its own, timed here from before its start

UNUSUAL = "PYTHONDONTWRITEBYTECODE"  # set on developers' machines: it would make each start parse all modules
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != UNUSUAL}


def starting(model: str, n_runs: int = 5) -> Iterator[Measurement]:
    """Time until the window is painted and has tokens: with a used home directory, then with an empty one.

    `…_lateness` is the delay of a timer of 5 ms in the window until all is loaded.
    """
    with tempfile.TemporaryDirectory() as home:
        start(home)  # fills the disk cache of the system
        runs = [start(home) for _ in range(n_runs)]
    yield ("start_to_first_paint", "s", [run["inspect"][0] for run in runs])
    yield ("start_to_first_tokens", "s", [run["encoded"][0] for run in runs])
    for name, page, opened in (("first_start", "start", ""), ("first_start_model", "inspect", model)):
        with tempfile.TemporaryDirectory() as home:
            run = start(home, opened)
        yield (f"{name}_to_first_paint", "s", run[page])
        yield (f"{name}_to_tokens", "s", run["encoded"])
        yield (f"{name}_lateness", "ms", run["lateness_ms"])


def start(home: str, model: str = "") -> dict[str, list[float]]:
    """Seconds until the first page is painted (by its name), "encoded" and "loaded"; and `lateness_ms`."""
    program = f"{inspect.getsource(show_window)}\nshow_window()"  # it uses no imports of this module
    command = [sys.executable, "-P", "-c", program, home, model]
    homes = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), home)
    seen: dict[str, list[float]] = {}
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=ENVIRONMENT | homes, text=True) as process:
        for line in process.stdout:
            event, *values = json.loads(line)
            seen.setdefault(event, values or [time.perf_counter() - started])
    assert process.returncode == 0, process.returncode
    return seen


def show_window() -> None:
    """Show the window as the program does, in a child process; write a line of JSON for each event."""
    import gc
    import json
    import sys
    import time
    from itertools import pairwise
    from pathlib import Path

    from guiapp.__main__ import NEW_OBJECTS
    from guiapp.window import qt_libraries

    gc.set_threshold(NEW_OBJECTS)
    assert qt_libraries.problem() is None
    from guiapp.window.app import FIRST_SAMPLE, build, make_application

    home, model = sys.argv[1:]
    waits_for, tick_ms, ticks_s = {"encoded", "loaded"}, 5, []
    application = make_application()
    from PySide6.QtCore import QTimer

    from guiapp.core.demo import sample_text
    from guiapp.kit.state.settings import Settings

    shell = build(application, Settings(Path(home) / "settings.ini"), sample_text(FIRST_SAMPLE))
    if not model:
        shell.greet()

    def on_event(name: str) -> None:
        print(json.dumps([name]), flush=True)
        waits_for.discard(name)
        if not waits_for:
            application.quit()

    def on_painted() -> None:
        on_event(shell.window.pages.current_name)
        ticks_s.append(time.perf_counter())
        ticks.start()
        shell.start(model or None, None)

    ticks = QTimer(interval=tick_ms)
    ticks.timeout.connect(lambda: ticks_s.append(time.perf_counter()))
    shell.window.first_painted.connect(on_painted)
    shell.session.spans.encoded.connect(lambda: len(shell.session.tokens) and on_event("encoded"))
    shell.window.pages.imported.connect(lambda: on_event("loaded"))
    shell.window.show()
    application.exec()
    print(json.dumps(["lateness_ms", *((b - a) * 1000 - tick_ms for a, b in pairwise(ticks_s))]))
    shell.stop()


EMPTY_WINDOW = """
import numpy
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget
class Window(QWidget):
    def paintEvent(self, event):
        QTimer.singleShot(0, application.quit)
application, window = QApplication([]), Window()
window.resize(1280, 800)
window.show()
application.exec()
"""


HUNT = "import guiapp.__main__ as program; program.main()"  # one text gives no verdict: the status is 1


def command_line(model: str, n_runs: int = 5) -> Iterator[Measurement]:
    """Time of commands as whole processes, in turns with minimal processes, which are lower bounds."""
    commands = {
        "command_line_tokenize": ["-m", "guiapp", "tokenize", model, "Hello world"],
        "command_line_count": ["-m", "guiapp", "count", model, "Hello world"],
        "hunt_start": ["-c", HUNT, "hunt", model, model, "--texts", "1"],
        "bare_numpy": ["-c", "import numpy"],
        "bare_window": ["-c", EMPTY_WINDOW],
    }
    values: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(n_runs + 1):
        for name, arguments in commands.items():
            started = time.perf_counter()
            command = [sys.executable, "-P", *arguments]
            subprocess.run(command, check=True, capture_output=True, timeout=LONGEST_S, env=ENVIRONMENT)
            values[name].append(time.perf_counter() - started)
    for name, times in values.items():
        yield (name, "s", times[1:])


# The Inspect page: model files, keys and wheels


def opening(model: str, n_runs: int = 5) -> Iterator[Measurement]:
    """Time until a model is ready to encode, in a warm process without a cached model."""
    values = []
    for _ in range(n_runs + 1):
        LAST.clear()
        started = time.perf_counter()
        open_model(model).encode("Hello world")
        values.append(time.perf_counter() - started)
    yield ("open_model", "s", values[1:])


def keystrokes(shell: Shell, text: bytes, n_events: int) -> list[float]:
    """Milliseconds of keys at random positions of a text, at the pace of a fast typist."""
    show_text(shell, text)
    editor = shell.window.inspect_page.editor
    editor.setFocus()
    watch, rng, values = PaintWatch(editor.viewport()), random.Random(2), []
    press = partial(QTest.keyClick, shell.window.windowHandle())
    for event in range(n_events + N_WARM_UP):
        if event % 20 == 0:
            go_to_random_place(shell, rng)  # users type where the text is visible
        key = Qt.Key.Key_Backspace if event % 5 == 4 else rng.choice((Qt.Key.Key_A, Qt.Key.Key_Space))
        values.append(sum(watch.frames_ms(partial(press, key), editor)))
        QTest.qWait(PACE_MS)
    return values[N_WARM_UP:]


def editing(model: str, n_bytes: int = 10_000_000, n_events: int = 100) -> Iterator[Measurement]:
    """Time to type, scroll and find in a long text, and to type in a line of a tenth of its length."""
    with open_window(model) as shell:
        yield ("keystroke_10mb", "ms", keystrokes(shell, mixed_text(n_bytes), n_events))
        editor, search = shell.window.inspect_page.editor, shell.window.inspect_page.text_panel.search
        watch, frames, search_times = PaintWatch(editor.viewport()), [], []
        for _ in range(n_events):
            frames.extend(watch.frames_ms(partial(turn_wheel, editor.viewport(), QPoint(0, -120)), editor))
            process_events()
        yield ("scroll_10mb", "ms", frames)
        search.search_for("text", "the", shell.session.document.caret)  # occurs a hundred thousand times
        wait_until(lambda: not search.is_searching and editor.is_painted)
        press_f3 = partial(QTest.keyClick, shell.window.windowHandle(), Qt.Key.Key_F3)
        for _ in range(n_events // 2):
            search_times.append(sum(watch.frames_ms(press_f3, editor)))
            QTest.qWait(PACE_MS)
        search.end()
        yield ("find_next_10mb", "ms", search_times)
        line = mixed_text(n_bytes // 10).replace(b"\n", b" ").replace(b"\r", b" ")
        yield ("keystroke_1mb_line", "ms", keystrokes(shell, line, n_events))


# The Steps page


def stepping(model: str, n_steps: int = 1_000_000, n_events: int = 60) -> Iterator[Measurement]:
    """Time to go to any step of a long trace, and to run to a conditional breakpoint in both directions."""
    tokenizer, rng, probe_bytes = open_model(model), random.Random(3), 20_000
    n_of_probe = len(record(tokenizer, mixed_text(probe_bytes)))
    trace = record(tokenizer, mixed_text(int(probe_bytes * n_steps / n_of_probe * 1.1)))
    trace.prepare()  # the window does so before it shows a trace
    with open_window(model) as shell:
        page = shell.window.pages.show_page("steps")
        steps, breakpoints = page.model, page.model.breakpoints
        wait_until(lambda: page.is_ready)
        steps.show(debugger_for(tokenizer, trace))
        watch, events = PaintWatch(page.trace.flow), range(n_events + N_WARM_UP)
        seeks = [watch.frame_ms(lambda: steps.go_to(rng.randrange(len(trace)))) for _ in events]
        runs = []
        for event in events:
            for index in reversed(range(len(breakpoints.rows))):
                breakpoints.remove(index)
            breakpoints.add(f"rank > 300 and length > 3 and step % 7 == {event % 7}")
            steps.go_to(rng.randrange(steps.n_steps))
            process_events()
            runs.append(watch.frame_ms(steps.reverse if event % 2 else steps.run))
    yield ("trace_seek_1m", "ms", seeks[N_WARM_UP:])
    yield ("breakpoint_next_1m", "ms", runs[N_WARM_UP:])


# The Tree page

VIEWS = {"all": 1.0, "mid": 0.02, "near": 0.0004}  # visible shares of the tree


def laying_out(model: str, n_runs: int = 5) -> Iterator[Measurement]:
    """Time from a loaded vocabulary to a tree that can be painted."""
    values = []
    for _ in range(n_runs + 1):
        vocabulary = open_model(model).vocabulary
        _ = vocabulary.token_bytes_table
        started = time.perf_counter()
        token_tree(vocabulary)  # again: opening a model may have made one already
        picture = tree_picture(vocabulary)
        _ = NodeColors(picture, np.zeros(len(picture), np.uint32), 0).painter
        values.append(time.perf_counter() - started)
    yield ("tree_ready", "s", values[1:])


def flying(model: str, n_frames: int = 60) -> Iterator[Measurement]:
    """Time of frames while the tree moves, and of first ones at new positions, by shape and zoom."""
    moving, still = ({name: [] for name in VIEWS} for _ in range(2))
    with open_window(model) as shell:
        page = shell.window.pages.show_page("tree")
        wait_until(lambda: page.is_ready)
        shell.window.hide()
        view = TreeView(page.model, page.search, page.paint, page.theme_source)
        view.set_animated(False)
        view.resize(1600, 1000)
        view.show()
        wait_until(lambda: view.is_stable)
        for shape in ("sunburst", "icicle"):
            page.model.set_shape(shape)
            for name, share in VIEWS.items():
                for frame in range(n_frames):
                    if frame % 15 == 0:
                        still[name].append(jump(page, view, share, frame // 15))
                    moving[name].extend(move(page, view, frame))
        view.close()
    yield from ((f"tree_frame_{name}", "ms", moving[name]) for name in VIEWS)
    yield from ((f"tree_still_{name}", "ms", still[name]) for name in VIEWS)


def jump(page: TreePage, view: TreeView, share: float, number: int) -> float:
    """Go to another position; return the milliseconds to paint it in full, with new labels."""
    width = page.model.picture.width
    middle, half = width * (0.2 + 0.15 * number), width * share / 2
    page.model.set_view((middle - half, middle + half), remember=False)
    view.show_at_once()
    started = time.perf_counter()
    view.repaint()
    return (time.perf_counter() - started) * 1000


def move(page: TreePage, view: TreeView, frame: int) -> Iterator[float]:
    """Yield the milliseconds from a zoom or move until it is painted; nothing if the view is unchanged."""
    turn = QPoint(0, 40 if frame % 2 else -40) if frame % 3 else QPoint(60, 0)
    before = page.model.view
    started = time.perf_counter()
    turn_wheel(view, turn)
    QCoreApplication.sendPostedEvents(view.window(), QEvent.Type.UpdateRequest)
    elapsed_ms = (time.perf_counter() - started) * 1000
    if page.model.view != before:
        yield elapsed_ms


# The Bench page, and the other pages while it measures

CONTENDERS = ("fast", "backtrack", "heap", "gigatoken", "tiktoken", "llama.cpp")
SAMPLE = {"event": "sample", "operation": "encode", "n": 1}


def charts(model: str, n_events: int = 60) -> Iterator[Measurement]:
    """Time to update a full page by one more sample."""
    session, runner = ModelSession(TextSession(b"")), BenchRunner()
    page = BenchPage(
        BenchModel(session, runner), ThemeSource(QApplication.instance() or make_application(), "dark")
    )
    page.resize(*WINDOW_PX)
    page.show()
    QApplication.processEvents()  # a window that is not yet exposed paints nothing
    for event in made_up_run():
        runner.told.emit(event)
    assert page.model.measured.results
    values = []
    for number in range(n_events + N_WARM_UP):
        runner.told.emit({**SAMPLE, "contender": CONTENDERS[number % len(CONTENDERS)], "seconds": 1e-3})
        started = time.perf_counter()
        page.redraw()
        QApplication.processEvents()  # paints the charts that changed
        values.append((time.perf_counter() - started) * 1000)
    page.stop()
    page.close()
    session.close()
    yield ("chart_update", "ms", values[N_WARM_UP:])


def made_up_run() -> Iterator[dict[str, Any]]:
    """Events that fill the charts of length and of the worst case, and begin throughput."""
    rng = random.Random(4)
    cells = [("scaling", size) for size in SCALING_BYTES] + [("worst", size) for size in WORST_BYTES]
    for scenario, size in (*cells, ("throughput", 100_000)):
        cell = {"scenario": scenario, "corpus": "text", "size_bytes": size, "threads": 1}
        equal = {"operation": "encode", "exact": True, "agreement": 1.0, "first_difference": None}
        yield {"event": "cell", "number": 1, "of": 1, "seconds_left": 1.0, **cell}
        for name in CONTENDERS:
            yield {"event": "compared", "contender": name, "n_tokens": size // 4, **cell, **equal}
        for name in CONTENDERS:
            seconds = (1 + rng.random()) * (1e-6 + size * 1e-8)
            speeds = {"mb_per_s": size / seconds / 1e6, "tokens_per_s": size / seconds / 4}
            times = {"n": 9, "median_s": seconds, "ci_s": [seconds * 0.9, seconds * 1.1]}
            result = {"event": "result", "contender": name, **cell, **equal, **times, **speeds}
            yield {**SAMPLE, "contender": name, "seconds": seconds} if scenario == "throughput" else result


def during_a_run(model: str, n_events: int = 60) -> Iterator[Measurement]:
    """Time to type on the Inspect page and move in the Tree page while six contenders are measured."""
    with open_window(model) as shell:
        pages = shell.window.pages
        tree = pages.show_page("tree")
        wait_until(lambda: tree.is_ready)
        bench = pages.show_page("bench").model
        bench.choice.aim_at(AIMS[0])
        for name in bench.choice.contenders:
            bench.choice.set_contender(name, name in CONTENDERS)
        bench.run()
        wait_until(lambda: bool(bench.results))
        pages.show_page("inspect")
        keys = keystrokes(shell, mixed_text(100_000), n_events)
        pages.show_page("tree")
        wait_until(lambda: tree.is_ready)
        tree.view.set_animated(False)  # so that the result of a wheel event is painted at once
        jump(tree, tree.view, VIEWS["mid"], 0)
        frames: list[float] = []
        for frame in range(n_events):
            frames.extend(move(tree, tree.view, frame))
            QApplication.processEvents()  # handles the events of the run
        assert bench.is_running, "The benchmark was over before typing and flying were measured."
    yield ("keystroke_bench", "ms", keys)
    yield ("tree_frame_bench", "ms", frames)


# With --looks: the Inspect page in each colouring and with additional displays, in turns with plain text

KEYS = Qt.Key.Key_A, Qt.Key.Key_Space, Qt.Key.Key_A, Qt.Key.Key_Backspace
SHOWN = "line_tokens", "budget", "pieces"


def appearances(model: str, n_rounds: int = 15) -> Iterator[Measurement]:
    """Milliseconds until a key and a wheel event are painted in full, for each text size and appearance.

    `…_ratio` compares the median with that of plain text, in processor time of the window's thread,
    which other programs hardly change.
    """
    with open_window(model) as shell:
        inexact = [name for name, encoder in shell.session.encoders.items() if not encoder.exact]
        names = ["plain", *COLORINGS, *SHOWN, *(f"inexact_{name}" for name in inexact[:1])]
        names.remove("token")
        for size, n_bytes in (("100kb", 100_000), ("1mb", 1_000_000), ("10mb", 10_000_000)):
            times = times_by_appearance(shell, names, mixed_text(n_bytes), n_rounds)
            for (event, name), values in sorted(times.items()):
                yield (f"{event}_{size}_{name}", "ms", [clock for clock, _ in values])
                own, plain = (np.median(each, axis=0)[1] for each in (values, times[event, "plain"]))
                if name != "plain":
                    yield (f"{event}_{size}_{name}_ratio", "×", [own / plain])


def times_by_appearance(
    shell: Shell, names: list[str], text: bytes, n_rounds: int
) -> dict[tuple[str, str], Any]:
    """Milliseconds of the clock and of this thread by event and appearance, each at random positions."""
    show_text(shell, text)
    editor, rng, values = shell.window.inspect_page.editor, random.Random(3), {}
    bar, watch = editor.verticalScrollBar(), PaintWatch(editor.viewport())
    editor.setFocus()
    for number in range(n_rounds + 1):
        for name in sorted(names, key=lambda _: rng.random()):
            switch(shell, name, True)
            go_to_random_place(shell, rng)
            acts = [("key", partial(QTest.keyClick, shell.window.windowHandle(), key)) for key in KEYS]
            angle = 120 if bar.value() > bar.maximum() // 2 else -120  # at an end it could not scroll
            acts += [("scroll", partial(turn_wheel, editor.viewport(), QPoint(0, angle)))] * 4
            for event, act in acts:
                before = time.thread_time()
                clock_ms = sum(watch.frames_ms(act, editor))
                thread_ms = (time.thread_time() - before) * 1000
                if number > 0:  # the first round includes initialization
                    values.setdefault((event, name), []).append((clock_ms, thread_ms))
                QTest.qWait(PACE_MS)
            switch(shell, name, False)
    return values


def switch(shell: Shell, appearance: str, is_on: bool) -> None:
    """Switch to an appearance, or back to plain text."""
    session, actions = shell.session, shell.window.actions_table
    if appearance in COLORINGS:
        actions[f"color:{appearance if is_on else 'token'}"].trigger()
    elif appearance in SHOWN:
        actions[appearance].trigger()
    elif appearance != "plain":
        session.set_encoder(appearance.removeprefix("inexact_") if is_on else None)
        wait_until(lambda: not session.is_encoding)
        wait_until(lambda: session.exact.is_known is is_on)


def switching(model: str, n_rounds: int = 5) -> Iterator[Measurement]:
    """Time from the action of each page until the page is painted: the first time, and later."""
    values: list[list[float]] = []
    with open_window(model) as shell:
        pages, actions, imported = shell.window.pages, shell.window.actions_table, list[bool]()
        show_text(shell, mixed_text(10_000))
        pages.imported.connect(lambda: imported.append(True))
        pages.import_soon()
        wait_until(lambda: bool(imported))
        for _ in range(n_rounds + 1):
            values.append([])
            for name in [name for name in pages.rows if name != pages.current_name]:
                started = time.thread_time()  # other programs hardly change it
                actions[name].trigger()
                process_events()
                values[-1].append((time.thread_time() - started) * 1000)
                QTest.qWait(10 * PACE_MS)
    yield ("page_first", "ms", values[0])
    yield ("page_later", "ms", [each for later in values[2:] for each in later])


# Prompts of Chat, and commands


def prompting(model: str, n_prompts: int = 200) -> Iterator[Measurement]:
    """Time of `guiapp.chat` for a short conversation."""
    tokenizer, values = open_model(model), []
    for number in range(n_prompts + N_WARM_UP):
        messages = [{"role": "user", "content": f"Hello {number}"}, {"role": "assistant", "content": "Hi"}]
        started = time.perf_counter()
        chat(tokenizer, messages, "{% for m in messages %}<{{ m.role }}>{{ m.content }}\n{% endfor %}")
        values.append((time.perf_counter() - started) * 1000)
    yield ("chat_prompt", "ms", values[N_WARM_UP:])


ALL = (
    *(starting, command_line, opening, prompting, switching, editing, stepping, laying_out, flying, charts),
    during_a_run,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model", default="demo:bpe", help="what is opened (%(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--looks", action="store_true")
    options = parser.parse_args()
    records = []
    print(f"{'':32} {'n':>4} {'median':>10} {'p95':>10} {'worst':>10}")
    for measure in (appearances,) if options.looks else ALL:
        for name, unit, values in measure(options.model):
            median, p95, worst = (round(float(each), 4) for each in np.percentile(values, (50, 95, 100)))
            print(
                f"{name:32} {len(values):>4} {median:>10.3f} {p95:>10.3f} {worst:>10.3f} {unit}", flush=True
            )
            figures = {"n": len(values), "median": median, "p95": p95, "worst": worst}
            records.append({"name": name, "unit": unit, **figures})
    if options.json is not None:
        processor = platform.processor() or platform.machine()
        load = [round(each, 2) for each in os.getloadavg()] if hasattr(os, "getloadavg") else None
        machine = {**dict(versions()), "Processor": processor, "Cores": os.cpu_count(), "Load": load}
        text = json.dumps({"environment": machine, "measurements": records}, indent=2)
        options.json.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
