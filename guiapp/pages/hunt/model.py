"""What the Hunt page shows: who is compared, what is tried, what was found, and what that is called."""

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
from guiapp.analysis.libraries.table import PEERS, reason_against
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
LIBRARIES = ("llama.cpp", "tokenizers", "tiktoken", "sentencepiece")
Engine = Callable[[HuntPlan, Callable[[], bool]], Iterator[Hunt]]
FAREWELL_S = 10.0
SECONDS = (10.0, 30.0, 60.0, 300.0, 1800.0)
PRESENT_TEXT = "text.txt"  # the name of the file that a hunt reads it from


@dataclass(frozen=True)
class Choices:
    """What is tried, and how long.

    generators      names out of ALL_NAMES
    takes_text      whether the window's text is among the user's own
    own_texts       files and folders that were added, and whether each is taken
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

    sides     who is compared next
    state     None before the first; of the sides that `hunted` names
    hunted_s  how long the hunt that is shown was to go on
    found_at  when each kind was first found, in seconds
    kinds     the rows: in the order in which they were found, by their share of the user's lines at the end
    trying_pres  finds `likely`
    walk      through the texts of all rows

    Signals:
        state_changed(): `is_running`, `state` and what follows from it is new; some times a second.
        changed(): any of these, `choices`, or who is compared, is new.
        reported(str): the report that was asked for.
        failed(str): why something could not be done.
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
        self._to_point_out: LineOffset | None = None  # once its file is the text
        self._folder: TemporaryDirectory[str] | None = None
        self._engine = engine
        self._stopped = threading.Event()  # of the newest hunt
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
        """What has to be done before there can be a hunt, "" where nothing has."""
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
        place = Path(self._folder.name) / PRESENT_TEXT
        make_plan = partial(_plan, _sides_alone(first, second), self.choices, text, place)
        self._stopped = stopped = threading.Event()
        self._job.start(lambda _progress: self._hunt(make_plan, stopped))
        self.state_changed.emit()

    def stop(self) -> None:
        """Stop at once; what was found stays."""
        self._stopped.set()

    def run_or_stop(self) -> None:
        if self.is_running:
            self.stop()
        else:
            self.run()

    def hunt_again(self) -> None:
        """With A split as is likely, which also becomes a column of Compare."""
        first, name = self.sides.first, self.likely
        if first is None or not name:
            return
        self.sides.split_first_as(name)
        if self._compared.can_add and self._column_of(first.name, name) is None:
            self._compared.add(first.name, name)
        self.run()

    def close(self) -> None:
        """End all processes and wait for that: the window closes."""
        self._stopped.set()
        self._job.cancel()
        self._job.finish(FAREWELL_S)
        self.trying_pres.close()
        self._reporting.wait()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _on_sides_changed(self) -> None:
        """What was found of others is not shown below the names of these."""
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
        """Off the GUI thread: the plan writes and reads files, too.  No problem is ""."""

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
        if self.walk.current is None and self.kinds:  # or shorter texts have taken the place of that one
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
        """The pre-tokenizer for A with which all finds go away, "" while none is known."""
        return self.trying_pres.value or ""

    @property
    def likely_words(self) -> str:
        """What is known of the reason, and what the file says of it."""
        causes = counted(len(self.kinds), "cause")
        vanish = "disappears" if len(self.kinds) == 1 else "disappear"
        news = f"The {causes} {vanish} if A is split as {self.likely}."
        vocabulary = self._session.vocabulary
        if vocabulary is None or self.sides.split_as:
            return news
        if vocabulary.chosen_pre:
            return f"{news} You chose {quoted(vocabulary.chosen_pre)}."
        return f"{news} The file sets {quoted(vocabulary.pre) if vocabulary.pre else 'no pre-tokenizer'}."

    # What was found

    @property
    def differs_in_decoding(self) -> bool:
        """Whether something was found, and all of it where ids are equal."""
        return bool(self.kinds) and all(cause is Cause.DECODED for cause, _ in self.kinds)

    @property
    def finds(self) -> list[Find]:
        """One for each kind, in the order of the rows."""
        if self.state is None:
            return []
        found = {find.reason.kind: find for find in self.state.finds}
        return [found[kind] for kind in self.kinds]

    @property
    def all_texts(self) -> list[Find]:
        return [each for find in self.finds for each in texts_of(find)]

    @property
    def selected(self) -> Find | None:
        """The one that is looked at, with its own text."""
        return None if (index := self.walk.current) is None else self.all_texts[index]

    @property
    def selected_row(self) -> int:
        """The row that it is in, -1 where none is."""
        return -1 if (find := self.selected) is None else self.kinds.index(find.reason.kind)

    def select(self, kind: Kind, index: int) -> None:
        """Look at a text of a kind, counted from 0."""
        before = itertools.takewhile(lambda find: find.reason.kind != kind, self.finds)
        self.walk.go_to(sum(len(texts_of(find)) for find in before) + index)

    def _keys(self) -> list[tuple[Kind, bytes]]:
        return [(each.reason.kind, each.text) for each in self.all_texts]

    def report(self) -> None:
        """Make the report; hashing files of weights takes a while."""
        if (state := self.state) is not None:
            self._reporting.start(lambda _progress: markdown(state))

    @property
    def unlike(self) -> str:
        """Why there is nothing to hunt for between A and B, in these letters; "" where there is."""
        return plain(self.state.finds[0], self.state.subjects) if self.state and self.state.unlike else ""

    def export(self, form: str) -> Callable[[Progress], bytes]:
        """What makes the bytes of a file of what was found, "json" or "markdown"."""
        assert self.state is not None
        return partial(_exported, form, self.state)

    def show_text(self) -> None:
        """Put the text of the find that is selected into the window; a find without text shows in any."""
        if (find := self.selected) is not None and find.text:
            self._session.text.show(find.text)

    def show_pair(self) -> list[str]:
        """Have Compare show A and B alone over the text of the find; the names of the models that went."""
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
        """B as a column of Compare, added where there is room; None where it is no model or there is none."""
        if self.hunted is None or self.hunted[1].is_library:
            return None
        name, pre = self.hunted[1][:2]
        column = self._column_of(name, pre)
        return self._compared.add(name, pre) if column is None and self._compared.can_add else column

    def _column_of(self, name: str, pre: str | None) -> ModelSession | None:
        """The column of Compare with a model that is open or on its way there."""
        asked = (each for each in self._compared.sessions[1:] if each.loader.asked == (name, pre))
        return next(asked, None)

    def is_in_text(self, place: LineOffset) -> bool:
        """Whether a place is in the window's text, and not in a file."""
        return self._folder is not None and Path(place.line.file).parent == Path(self._folder.name)

    def point_out(self, place: LineOffset) -> None:
        """Show people where one of their lines differs; a file becomes the window's text."""
        text, file = self._session.text, Path(place.line.file)
        if self.is_in_text(place) or text.path == file:
            self._point_out(place)
        else:
            self._to_point_out = place
            text.open(file)

    def _on_file_read(self) -> None:
        """The file that a place is in is the text now, unless another one came between."""
        place, self._to_point_out = self._to_point_out, None
        if place is not None and self._session.text.path == Path(place.line.file):
            self._point_out(place)

    def _point_out(self, place: LineOffset) -> None:
        """The character from which on a line differs; people may have edited around it since."""
        document, (line, at) = self._session.document, place
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


def _plan(sides: HuntPlan, choices: Choices, text: bytes | None, place: Path) -> HuntPlan:
    """The plan with the window's text in a file; raises HuntError where nothing can differ."""
    first, second = Path(sides.first), Path(sides.second)
    if sides.pres[0] == sides.pres[1] and first.is_file() and second.is_file() and cmp(first, second, False):
        raise HuntError("A and B are identical files. Choose another B.")
    files = [name for name, is_taken in choices.own_texts if is_taken]
    if text is not None:
        replace_file(place, text, is_private=True)
        files.insert(0, str(place))
    generators = () if choices.generators == ALL_NAMES else choices.generators
    seconds, seed = choices.seconds, choices.seed
    return replace(sides, files=tuple(files), seconds=seconds, seed=seed, generators=generators)


def _exported(form: str, state: Hunt, progress: Progress) -> bytes:
    text = f"{json_text(record(state))}\n" if form == "json" else markdown(state)
    return text.encode("utf-8", "surrogateescape")


class _Stopped(Exception):  # noqa: N818  # nothing went wrong
    """Somebody asked to stop while files were opened."""


class HuntSide(NamedTuple):
    """One of the two.

    name   as `open_model` takes it, or that of a library
    pre    the pre-tokenizer that splits its text instead of the file's own
    title  what to call it
    about  its kind and size, where they are known
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
    """A, which is the window's model, and B, which people choose: here, or for all modes of Compare.

    split_as  the pre-tokenizer that was chosen here for A, "" for none

    Signals:
        changed(): `first`, `second` or what they can be is new.
    """

    changed = Signal()

    def __init__(self, compared: ComparedModels, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._compared, self._session = compared, compared.sessions[0]
        self._chosen: HuntSide | None = None  # a library, or a model that Compare has no room for
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
        """B: the library that was chosen, or else that of Compare."""
        if self.partner is None:
            return self._chosen
        loader = self.partner.loader
        if loader.model is not None:
            return side_of(loader.model)
        return HuntSide(*loader.asked, loader.title, loader.problem or "opening …")

    @property
    def partner(self) -> ModelSession | None:
        """The column of Compare that is B; None where another one was chosen, or there is none."""
        return self._compared.partner if self._chosen is None else None

    @property
    def models(self) -> Sequence[ModelSession]:
        """Those of Compare, but for the window's own."""
        return self._compared.sessions[1:]

    @property
    def libraries(self) -> dict[HuntSide, str]:
        """All that the command line offers, and why those that cannot take part do not."""
        about = {name: f"{PEERS[name].version} · installed library" for name in LIBRARIES}
        return {
            HuntSide(name, None, name, about[name] if PEERS[name].is_installed else ""): reason_against(
                name, self._session.vocabulary
            )
            for name in LIBRARIES
        }

    @property
    def why_not(self) -> str:
        """What has to be done before these two can be hunted, "" where nothing has."""
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
        """Take a model of Compare for B, there as well."""
        self._chosen = None
        self._compared.choose_partner(session)
        self.changed.emit()

    def choose_file(self, name: str, pre: str | None = None) -> None:
        """Take a model that is not open: as one more of Compare, where there is room."""
        if self._compared.can_add:
            self.choose_model(self._compared.add(name, pre or None))
        else:
            self.choose_library(HuntSide(name, pre or None, quoted(Path(name).name or name), pre or ""))

    def split_first_as(self, pre: str) -> None:
        """Split the text of A so until another model is opened."""
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
    """What both are called here, by the names in sentences."""
    return {quoted(subject.name): letter for subject, letter in zip(subjects, LETTERS, strict=True)}


def plain(find: Find, subjects: Sequence[HuntSubject]) -> str:
    """The sentence without marks, with letters for the names."""
    names = letters(subjects)
    return "".join(names.get(each.text, each.text) for each in parts(find.reason.clause))


def texts_of(find: Find) -> tuple[Find, ...]:
    """All finds of a kind, each with its own text."""
    return (find, *find.others)


def where(find: Find) -> str:
    told = capitalized(find.reason.title)
    return f"{told}, at byte {find.at:,}" if find.text else told


def no_mismatch_lines(state: Hunt) -> Iterator[str]:
    """What it means that a hunt, which is over, has found nothing."""
    if state.tried:
        yield f"Both gave the same ids for all {counted(state.tried, 'text')} in {state.seconds:,.0f} s."
    if state.n_lines:
        yield f"This includes {counted(state.n_lines, 'line')} of your texts."
    yield state.why_inconclusive or "This is not a proof. Try a longer hunt or another seed."
