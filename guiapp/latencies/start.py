"""Time from the start of the process: to the window, to tokens.

Each run is a process of its own that executes this module, shows the real window and prints a JSON line
for every event; the clock runs in the parent, from before the process exists.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from guiapp.core.system.processes import command_of, environment
from guiapp.latencies.measurement import Measurement, MeasurementError

PATIENCE_S = 240.0
TICK_MS = 5
UNUSUAL = "PYTHONDONTWRITEBYTECODE"  # a setting of developers' machines: modules are parsed at each start
EMPTY_WINDOW = """
import numpy
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget

class Window(QWidget):
    def paintEvent(self, event):
        QTimer.singleShot(0, application.quit)

application = QApplication([])
window = Window()
window.resize(1280, 800)
window.show()
application.exec()
"""


def start_to_first_paint(n_runs: int = 5) -> list[Measurement]:
    """Not for the first time: to the first painted window, and to the sample's tokens."""
    with tempfile.TemporaryDirectory() as home:
        _run(["start", "encoded"], home)  # fills the disk cache of the system
        runs = [_run(["inspect", "encoded"], home) for _ in range(n_runs)]
    return [
        Measurement("start_to_first_paint", "s", tuple(run["inspect"][0] for run in runs)),
        Measurement("start_to_first_tokens", "s", tuple(run["encoded"][0] for run in runs)),
    ]


def first_start(model: str) -> list[Measurement]:
    """With an empty home directory, to the start page, and with a model, to the Inspect page.

    The same, and how late the window was until all is loaded.  How late it was is told twice: at all times,
    and at those when the host took no time from the machine.
    """
    measurements = []
    for name, page, opened in (("first_start", "start", ""), ("first_start_model", "inspect", model)):
        with tempfile.TemporaryDirectory() as home:
            run = _run([page, "encoded", "loaded"], home, opened)
        rows = (
            ("to_first_paint", "s", page),
            ("to_tokens", "s", "encoded"),
            ("lateness", "ms", "lateness_ms"),
            ("lateness_unstolen", "ms", "unstolen_ms"),
        )
        measurements += [
            Measurement(f"{name}_{row}", unit, tuple(run[key])) for row, unit, key in rows if run[key]
        ]
    return measurements


def command_line(n_runs: int = 5) -> list[Measurement]:
    """`tokenloupe tokenize demo:bpe "Hello world"` as a whole process, and what no program can go below.

    Those are Python with numpy, and Python with an empty window: the machine's own speed, in turns with ours.
    """
    commands = {
        "command_line_tokenize": [*command_of("guiapp"), "tokenize", "demo:bpe", "Hello world"],
        "bare_numpy": [sys.executable, "-c", "import numpy"],
        "bare_window": [sys.executable, "-c", EMPTY_WINDOW],
    }
    values: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(n_runs + 1):
        for name, command in commands.items():
            started = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE_S, env=_environment())
            values[name].append(time.perf_counter() - started)
    return [Measurement(name, "s", tuple(times[1:])) for name, times in values.items()]


def _environment() -> dict[str, str]:
    """What users have."""
    return {name: value for name, value in environment().items() if name != UNUSUAL}


def _run(events: list[str], home: str, model: str = "") -> dict[str, list[float]]:
    """Show the window until all events have been; per event the seconds since the start, and the lateness.

    events  "encoded", "loaded", and the name of the page that is painted first
    """
    command = [*command_of("guiapp.latencies.start"), home, model, *events]
    homes = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), home)
    seen: dict[str, list[float]] = {}
    started = time.perf_counter()
    pipe, its_environment = subprocess.PIPE, _environment() | homes
    with subprocess.Popen(
        command, stdout=pipe, env=its_environment, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                message = json.loads(line)
                if "event" in message:
                    seen[message["event"]] = [time.perf_counter() - started]
                else:
                    seen |= message
        except KeyboardInterrupt:
            process.kill()
            raise
    if missing := [event for event in events if event not in seen]:
        raise MeasurementError(f"The window ended without: {', '.join(missing)}.")
    return seen


def _report(**values: object) -> None:
    print(json.dumps(values), flush=True)


def _show_window(home: str, model: str, events: list[str]) -> None:
    """The child process: the window as `run_window` shows it, with reports."""
    from guiapp.app import FIRST_SAMPLE, build, make_application

    waiting, lateness_ms, unstolen_ms, last_tick = set(events), [], [], [time.perf_counter()]
    application = make_application()
    from guiapp.core.bench.stolen_time import StolenTime
    from guiapp.core.demo import sample_text
    from guiapp.viewmodels.settings import Settings

    shell = build(application, Settings(Path(home) / "settings.json"), sample_text(FIRST_SAMPLE))
    if not model:
        shell.greet()
    stolen = StolenTime()

    def note(event: str) -> None:
        if event in waiting:
            waiting.remove(event)
            _report(event=event)
        if not waiting:
            application.quit()

    def note_encoded() -> None:
        if len(shell.session.tokens):
            note("encoded")

    def note_painted() -> None:
        note(shell.window.pages.current_name)
        last_tick[0] = time.perf_counter()
        ticks.start()
        shell.start(model or None, None)

    def tick() -> None:
        nonlocal stolen
        now = time.perf_counter()
        late_ms = round((now - last_tick[0]) * 1000 - TICK_MS, 2)
        lateness_ms.append(late_ms)
        if stolen.n_ticks == 0:
            unstolen_ms.append(late_ms)
        else:
            stolen = StolenTime()
        last_tick[0] = now

    from PySide6.QtCore import QTimer

    ticks = QTimer(interval=TICK_MS)
    ticks.timeout.connect(tick)
    shell.window.first_painted.connect(note_painted)
    shell.session.spans.encoded.connect(note_encoded)
    shell.window.pages.imported.connect(lambda: note("loaded"))
    shell.window.show()
    QTimer.singleShot(int(PATIENCE_S * 1000), application.quit)
    application.exec()
    _report(lateness_ms=lateness_ms, unstolen_ms=unstolen_ms)
    shell.stop()


if __name__ == "__main__":
    _show_window(sys.argv[1], sys.argv[2], sys.argv[3:])
