"""The model of the Hunt page: the two sides, the texts to try, the mismatches found and their names."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from filecmp import cmp
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.compare.reasons import TITLES, WITH_SUBJECT, Cause
from guiapp.analysis.explain.spelling import parts
from guiapp.analysis.export.tables import json_text
from guiapp.analysis.hunt.engine import HuntPlan, hunt, likely_pre
from guiapp.analysis.hunt.generators import ALL_NAMES
from guiapp.analysis.hunt.mismatches import Find, Hunt, HuntSubject, Kind, LineOffset
from guiapp.analysis.hunt.pair import HuntError
from guiapp.analysis.hunt.report import markdown, record
from guiapp.analysis.libraries.table import PEERS, reason_against, version_of
from guiapp.core.sources.files import replace_file
from guiapp.core.text.numbers_in_words import capitalized, counted, quoted
from guiapp.kit.session.choice import about
from guiapp.kit.session.loader import OpenModel, display_name
from guiapp.kit.session.model_session import ComparedModels, ModelSession
from guiapp.kit.side_by_side.head import LETTERS
from guiapp.kit.side_by_side.walk import ItemWalk
from guiapp.kit.state.background import Background, LatestJob, Progress
from guiapp.native.checkpoint import at_checkpoints

SAYS_ALL = (
    "pieces",
    "ids",
    "scores",
    "vocabularies",
    "spans",
    "text around",
    "",
)  # subjects that add nothing to the cause
LIBRARIES = ("llama.cpp", "tokenizers", "transformers", "tiktoken", "sentencepiece")
Engine = Callable[[HuntPlan, Callable[[], bool]], Iterator[Hunt]]
FAREWELL_S = 10.0
SECONDS = (10.0, 30.0, 60.0, 300.0, 1800.0)
PRESENT_TEXT = "text.txt"  # the file that passes the window's text to a hunt


@dataclass(frozen=True)
class Choices:
    """What a hunt tries, and for how long.

    generators      names out of ALL_NAMES
    takes_text      whether to try the window's text, too
    own_texts       files and folders that the user added, and whether each is used
    """

    generators: tuple[str, ...] = ALL_NAMES
    takes_text: bool = True
    own_texts: tuple[tuple[str, bool], ...] = ()
    seconds: float = 60.0
    seed: int = 0

    def with_own(self, name: str, is_taken: bool) -> Choices:
        return replace(self, own_texts=tuple({**dict(self.own_texts), name: is_taken}.items()))


class HuntModel(QObject):
    """One hunt, from the choice of its sides to the report.

    sides     the tokenizers to compare in the next hunt
    state     the state of the hunt between the sides in `hunted`; None before the first hunt
    hunted_s  the time limit of the hunt that is shown, in seconds
    found_at  when each kind was first found, in seconds
    kinds     the rows, in the order found; after the hunt, by their share of the user's lines
    trying_pres  computes `likely`
    walk      through the texts of all rows

    Signals:
        state_changed(): `is_running`, `state` or what depends on it is new; several times a second.
        changed(): any attribute, `choices`, or one of the sides is new.
        reported(str): the report that was requested.
        failed(str): an error message.
    """

    state_changed = Signal()
    changed = Signal()
    reported = Signal(str)
    failed = Signal(str)
    _news = Signal(object, object)

    def __init__(
        self, compared: ComparedModels, engine: Engine = hunt, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._compared, self._session = compared, compared.sessions[0]
        self.sides = Sides(compared, self)
        self.choices = Choices()
        self.hunted: tuple[HuntSide, HuntSide] | None = None
        self.state: Hunt | None = None
        self.hunted_s = 0.0
        self.found_at: dict[Kind, float] = {}
        self.kinds: list[Kind] = []
        self.problem = ""
        self.walk = ItemWalk(self._keys, self)
        self._to_point_out: LineOffset | None = None  # pending, until its file is the text
        self._folder: TemporaryDirectory[str] | None = None
        self._engine = engine
        self._stopped = threading.Event()  # set to stop the newest hunt
        self._job = LatestJob[str](self, self._end, self._end)
        self._news.connect(self._take_news)
        self.trying_pres = Background[str](self, self._trying, is_watched=True)
        self._reporting = LatestJob[str](self, self.reported.emit, self.failed)
        self.sides.changed.connect(self._on_sides_changed)
        for signal in (self.state_changed, self.sides.changed):
            signal.connect(self.changed)
        self._session.vocabulary_changed.connect(self._drop)
        self._session.text.reading.done.connect(self._on_file_read)

    def choose(self, choices: Choices) -> None:
        if choices != self.choices:
            self.choices = choices
            self.changed.emit()

    # The hunt

    @property
    def is_running(self) -> bool:
        return self._job.is_busy

    @property
    def why_not(self) -> str:
        """What the user must do before a hunt can start, or ""."""
        return self.sides.why_not or ("" if self.choices.generators else "Choose at least one generator.")

    def run(self) -> None:
        first, second = self.sides.first, self.sides.second
        if self.why_not or first is None or second is None:
            return
        self._drop()
        self.hunted, self.hunted_s = (first, second), self.choices.seconds
        self._folder = self._folder or TemporaryDirectory(prefix="tokenloupe-")
        takes_text = self.choices.takes_text and self._session.document.size
        text = self._session.document.text() if takes_text else None
        text_path = Path(self._folder.name) / PRESENT_TEXT
        make_plan = partial(_plan, _sides_alone(first, second), self.choices, text, text_path)
        self._stopped = stopped = threading.Event()
        self._job.start(lambda _progress: self._hunt(make_plan, stopped))
        self.state_changed.emit()

    def stop(self) -> None:
        """Stop at once and keep the results."""
        self._stopped.set()

    def run_or_stop(self) -> None:
        if self.is_running:
            self.stop()
        else:
            self.run()

    def hunt_again(self) -> None:
        """Hunt again with the likely pre-tokenizer for A, which also becomes a column of Compare."""
        first, name = self.sides.first, self.likely
        if first is None or not name:
            return
        self.sides.split_first_as(name)
        if self._compared.can_add and self._column_of(first.name, name) is None:
            self._compared.add(first.name, name)
        self.run()

    def close(self) -> None:
        """End all processes and wait for them, because the window closes."""
        self._stopped.set()
        self._job.cancel()
        self._job.finish(FAREWELL_S)
        self.trying_pres.close()
        self._reporting.wait()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _on_sides_changed(self) -> None:
        """Discard results for other sides, so that they are not shown under the new names."""
        sides = self.sides.first, self.sides.second
        if self.hunted is not None and [s and s[:2] for s in sides] != [side[:2] for side in self.hunted]:
            self._drop()

    def _drop(self) -> None:
        self._stopped.set()
        self._job.cancel()
        self.state, self.hunted, self.problem = None, None, ""
        self.found_at, self.kinds = {}, []
        self.trying_pres.forget()
        self.state_changed.emit()
        self.walk.leave()

    def _hunt(self, make_plan: Callable[[], HuntPlan], stopped: threading.Event) -> str:
        """Run a hunt, not in the GUI thread: the plan writes and reads files. Return an error or ""."""

        def check() -> None:
            if stopped.is_set():
                raise _Stopped

        try:
            with at_checkpoints(check):
                for state in self._engine(make_plan(), stopped.is_set):
                    self._news.emit(stopped, state)
        except _Stopped:
            pass
        except OSError as error:
            named = quoted(str(error.filename or "A text"))
            raise HuntError(f"{named} cannot be read: {error.strerror or error}. Untick it.") from error
        return ""

    def _take_news(self, stopped: threading.Event, state: Hunt) -> None:
        if stopped is self._stopped and self.is_running:
            self._take(state)

    def _take(self, state: Hunt) -> None:
        looked_at, self.state = self.selected, state
        for find in () if state.unlike else state.finds:
            if find.reason.kind not in self.found_at:
                self.found_at[find.reason.kind] = state.seconds
                self.kinds.append(find.reason.kind)
        if state.is_over:
            found = {find.reason.kind: find for find in state.finds}
            self.kinds.sort(key=lambda kind: (-found[kind].n_lines, -found[kind].n_texts))
        self.state_changed.emit()
        if self.walk.current is None and self.kinds:  # or shorter texts have replaced that one
            self.select(self.kinds[0] if looked_at is None else looked_at.reason.kind, 0)

    def _end(self, problem: str) -> None:
        self.problem = problem
        self.state_changed.emit()
        self.trying_pres.refresh()

    def _trying(self) -> Callable[[Progress], str] | None:
        if self.state is None or self.hunted is None or not self.state.finds:
            return None
        plan, finds = _sides_alone(*self.hunted), self.state.finds
        return lambda _progress: likely_pre(plan, finds)

    @property
    def likely(self) -> str:
        """The pre-tokenizer for A with which all mismatches disappear, or "" if unknown."""
        return self.trying_pres.value or ""

    @property
    def likely_words(self) -> str:
        """A sentence about the likely cause, and the pre-tokenizer that the file names."""
        causes = counted(len(self.kinds), "cause")
        vanish = "disappears" if len(self.kinds) == 1 else "disappear"
        news = f"The {causes} {vanish} if A is split as {self.likely}."
        vocabulary = self._session.vocabulary
        if vocabulary is None or self.sides.split_as:
            return news
        if vocabulary.chosen_pre:
            return f"{news} You chose {quoted(vocabulary.chosen_pre)}."
        return f"{news} The file sets {quoted(vocabulary.pre) if vocabulary.pre else 'no pre-tokenizer'}."

    # Results

    @property
    def differs_in_decoding(self) -> bool:
        """Whether there are mismatches, and all of them have equal ids."""
        return bool(self.kinds) and all(cause is Cause.DECODED for cause, _ in self.kinds)

    @property
    def finds(self) -> list[Find]:
        """One mismatch for each kind, in the order of the rows."""
        if self.state is None:
            return []
        found = {find.reason.kind: find for find in self.state.finds}
        return [found[kind] for kind in self.kinds]

    @property
    def all_texts(self) -> list[Find]:
        return [each for find in self.finds for each in texts_of(find)]

    @property
    def selected(self) -> Find | None:
        """The selected mismatch, with its own text."""
        return None if (index := self.walk.current) is None else self.all_texts[index]

    @property
    def selected_row(self) -> int:
        """The row of the selected mismatch, or -1."""
        return -1 if (find := self.selected) is None else self.kinds.index(find.reason.kind)

    def select(self, kind: Kind, index: int) -> None:
        """Select a text of a kind, counted from 0."""
        before = itertools.takewhile(lambda find: find.reason.kind != kind, self.finds)
        self.walk.go_to(sum(len(texts_of(find)) for find in before) + index)

    def _keys(self) -> list[tuple[Kind, bytes]]:
        return [(each.reason.kind, each.text) for each in self.all_texts]

    def report(self) -> None:
        """Make the report in the background: hashing files of weights takes a while."""
        if (state := self.state) is not None:
            self._reporting.start(lambda _progress: markdown(state))

    @property
    def unlike(self) -> str:
        """Why hunting is pointless between A and B, with A and B for the names, or ""."""
        return plain(self.state.finds[0], self.state.subjects) if self.state and self.state.unlike else ""

    def export(self, form: str) -> Callable[[Progress], bytes]:
        """Return a function that makes the bytes of an export; `form` is "json" or "markdown"."""
        assert self.state is not None
        return partial(_exported, form, self.state)

    def show_text(self) -> None:
        """Put the text of the selected mismatch into the window. Without text, it shows in any text."""
        if (find := self.selected) is not None and find.text:
            self._session.text.show(find.text)

    def show_pair(self) -> list[str]:
        """Let Compare show only A and B with the text of the mismatch. Return the removed models' names."""
        assert self.hunted is not None
        second = self._column_of(*self.hunted[1][:2])
        others = [each for each in self._compared.sessions[1:] if each is not second]
        names = [each.loader.title for each in others]
        for each in others:
            self._compared.remove(each)
        self.second_session()
        self.show_text()
        return names

    def second_session(self) -> ModelSession | None:
        """B as a column of Compare, added if there is room; None if B is a library or there is no room."""
        if self.hunted is None or self.hunted[1].is_library:
            return None
        name, pre = self.hunted[1][:2]
        column = self._column_of(name, pre)
        return self._compared.add(name, pre) if column is None and self._compared.can_add else column

    def _column_of(self, name: str, pre: str | None) -> ModelSession | None:
        """The column of Compare with this model, open or loading."""
        asked = (each for each in self._compared.sessions[1:] if each.loader.asked == (name, pre))
        return next(asked, None)

    def is_in_text(self, location: LineOffset) -> bool:
        """Whether a location is in the window's text, rather than in a file."""
        return self._folder is not None and Path(location.line.file).parent == Path(self._folder.name)

    def point_out(self, location: LineOffset) -> None:
        """Show where one of the user's lines differs. A file becomes the window's text."""
        text, file = self._session.text, Path(location.line.file)
        if self.is_in_text(location) or text.path == file:
            self._point_out(location)
        else:
            self._to_point_out = location
            text.open(file)

    def _on_file_read(self) -> None:
        """Point out the location if its file is the text now; another may have been opened meanwhile."""
        location, self._to_point_out = self._to_point_out, None
        if location is not None and self._session.text.path == Path(location.line.file):
            self._point_out(location)

    def _point_out(self, location: LineOffset) -> None:
        """Select the first character that differs. The user may have edited the text since."""
        document, (line, at) = self._session.document, location
        start = line.start
        if document.slice(start, min(start + len(line.text), document.size)) != line.text:
            start = document.text().find(line.text)
        if start < 0:
            self.failed.emit("The text has changed and no longer contains that line.")
            return
        at = min(at, len(line.text) - 1)
        self._session.text.point_out(*document.whole_characters(start + at, start + at + 1))


def _sides_alone(first: HuntSide, second: HuntSide) -> HuntPlan:
    return HuntPlan(first.name, second.name, pres=(first.pre, second.pre))


def _plan(sides: HuntPlan, choices: Choices, text: bytes | None, text_path: Path) -> HuntPlan:
    """The plan with the window's text in a file. Raises HuntError if the sides cannot differ."""
    first, second = Path(sides.first), Path(sides.second)
    if sides.pres[0] == sides.pres[1] and first.is_file() and second.is_file() and cmp(first, second, False):
        raise HuntError("A and B are identical files. Choose another B.")
    files = [name for name, is_taken in choices.own_texts if is_taken]
    if text is not None:
        replace_file(text_path, text, is_private=True)
        files.insert(0, str(text_path))
    generators = () if choices.generators == ALL_NAMES else choices.generators
    seconds, seed = choices.seconds, choices.seed
    return replace(sides, files=tuple(files), seconds=seconds, seed=seed, generators=generators)


def _exported(form: str, state: Hunt, progress: Progress) -> bytes:
    text = f"{json_text(record(state))}\n" if form == "json" else markdown(state)
    return text.encode("utf-8", "surrogateescape")


class _Stopped(Exception):  # noqa: N818  # nothing went wrong
    """The user stopped the hunt while files were being opened."""


class HuntSide(NamedTuple):
    """One side of a hunt.

    name   as `open_model` takes it, or the name of a library
    pre    the pre-tokenizer that replaces the file's own
    title  the name to show
    about  its kind and size, if known
    """

    name: str
    pre: str | None
    title: str
    about: str = ""

    @property
    def is_library(self) -> bool:
        return self.name in PEERS


def side_of(model: OpenModel) -> HuntSide:
    vocabulary = model.tokenizer.vocabulary
    return HuntSide(model.name, vocabulary.chosen_pre or None, display_name(model), about(model))


class Sides(QObject):
    """A, the window's model, and B, which the user chooses here or in Compare.

    split_as  the pre-tokenizer chosen here for A, or ""

    Signals:
        changed(): `first`, `second` or the choices for them are new.
    """

    changed = Signal()

    def __init__(self, compared: ComparedModels, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._compared, self._session = compared, compared.sessions[0]
        self._chosen: HuntSide | None = None  # a library, or a model for which Compare has no room
        self.split_as = ""
        self._session.vocabulary_changed.connect(self._on_vocabulary_changed)
        compared.models_changed.connect(self.changed)

    @property
    def first(self) -> HuntSide | None:
        if (model := self._session.loader.model) is None:
            return None
        side = side_of(model)
        if not self.split_as:
            return side
        return side._replace(pre=self.split_as, about=f"{side.about} · split as {self.split_as}")

    @property
    def second(self) -> HuntSide | None:
        """B: the library or model chosen here, or else Compare's partner."""
        if self.partner is None:
            return self._chosen
        loader = self.partner.loader
        if loader.model is not None:
            return side_of(loader.model)
        return HuntSide(*loader.asked, loader.title, loader.problem or "opening …")

    @property
    def partner(self) -> ModelSession | None:
        """The column of Compare that is B; None if B was chosen here, or there is no such column."""
        return self._compared.partner if self._chosen is None else None

    @property
    def models(self) -> Sequence[ModelSession]:
        """The models in Compare, except the window's own."""
        return self._compared.sessions[1:]

    @property
    def libraries(self) -> dict[HuntSide, str]:
        """All libraries that the command line offers, each with the reason why it cannot take part, or ""."""
        about = {name: f"{version_of(name)} · installed library" for name in LIBRARIES}
        return {
            HuntSide(name, None, name, about[name] if PEERS[name].is_installed else ""): reason_against(
                name, self._session.vocabulary
            )
            for name in LIBRARIES
        }

    @property
    def why_not(self) -> str:
        """What the user must do before these two sides can be compared, or ""."""
        first, second = self.first, self.second
        if first is None:
            return "Open a model first."
        if second is None:
            return "Choose B: another model or an installed library."
        if self.partner is not None and self.partner.loader.model is None:
            return self.partner.loader.problem or "B is opening."
        if second.is_library and (reason := reason_against(second.name, self._session.vocabulary)):
            return reason
        if first[:2] == second[:2]:
            return "A and B are the same file with the same settings. Choose another B."
        return ""

    def choose_library(self, side: HuntSide) -> None:
        self._chosen = side
        self.changed.emit()

    def choose_model(self, session: ModelSession) -> None:
        """Choose a model of Compare as B, in Compare as well."""
        self._chosen = None
        self._compared.choose_partner(session)
        self.changed.emit()

    def choose_file(self, name: str, pre: str | None = None) -> None:
        """Choose a model that is not open as B. Compare adds it if there is room."""
        if self._compared.can_add:
            self.choose_model(self._compared.add(name, pre or None))
        else:
            self.choose_library(HuntSide(name, pre or None, quoted(Path(name).name or name), pre or ""))

    def split_first_as(self, pre: str) -> None:
        """Split the text of A with this pre-tokenizer until another model is opened."""
        self.split_as = pre
        self.changed.emit()

    def _on_vocabulary_changed(self) -> None:
        self.split_as = ""
        self.changed.emit()


def title_of(kind: Kind) -> str:
    cause, subject = kind
    subject = subject.replace("the first", "A").replace("the second", "B")
    title = capitalized(TITLES.get(cause, cause.value))
    says_all = (cause in TITLES and cause not in (*WITH_SUBJECT, Cause.TOKEN)) or subject in SAYS_ALL
    return title if says_all else f"{title}: {quoted(subject)}"


def letters(subjects: Sequence[HuntSubject]) -> dict[str, str]:
    """A and B by the quoted names that sentences contain."""
    return {quoted(subject.name): letter for subject, letter in zip(subjects, LETTERS, strict=True)}


def plain(find: Find, subjects: Sequence[HuntSubject]) -> str:
    """The sentence without markup, with A and B instead of the names."""
    names = letters(subjects)
    return "".join(names.get(each.text, each.text) for each in parts(find.reason.clause))


def texts_of(find: Find) -> tuple[Find, ...]:
    """All mismatches of a kind, each with its own text."""
    return (find, *find.others)


def where(find: Find) -> str:
    title = capitalized(find.reason.title)
    return f"{title}, at byte {find.at:,}" if find.text else title


def no_mismatch_lines(state: Hunt) -> Iterator[str]:
    """Explain what it means that a finished hunt has found nothing."""
    if state.tried:
        yield f"Both gave the same ids for all {counted(state.tried, 'text')} in {state.seconds:,.0f} s."
    if state.n_lines:
        yield f"This includes {counted(state.n_lines, 'line')} of your texts."
    yield state.why_inconclusive or "This is not a proof. Try a longer hunt or another seed."
