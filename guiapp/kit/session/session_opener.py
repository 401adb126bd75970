"""Opens session files, which restore a state of the window, and writes them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.editing.token_store import Options
from guiapp.core.sources.locate import hash_of, lasting_name
from guiapp.kit.session.loader import Load, OpenModel
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import LatestJob, Progress

if TYPE_CHECKING:  # imported when needed, to keep the start of the program fast
    from guiapp.analysis.sessions.session_file import OpenedSession, SessionFile
    from guiapp.core.encode.tokenizer import Tokenizer

SAVING_S = 5.0  # longest delay of the program's end for unfinished saving


class Read(NamedTuple):
    """A session file, with its opened model or the obstacle to opening it."""

    path: Path
    opening: OpenedSession


class SessionOpener(QObject):
    """Reads and writes session files in the background, one of each at a time.

    The window changes only once a session is read completely: a broken file or a missing model never costs
    the user their work.

    Signals:
        obstructed(Read): the user has to decide; continue with `fetch`, `use` or `take_up`.
        taken_up(Read): model, options, text and selection are now those of the session.
        saved(Path): a session was saved to this file.
        failed(str): why a session could not be opened or saved.
    """

    obstructed = Signal(object)
    taken_up = Signal(object)
    saved = Signal(object)
    failed = Signal(str)

    def __init__(self, session: ModelSession) -> None:
        super().__init__()
        self._session = session
        self.reading = LatestJob[Read](self, self._take, self.failed)
        self._saving = LatestJob[Path](self, self.saved, self.failed)

    def open(self, path: Path) -> None:
        self.reading.start(partial(_read, path, self._session.loader.load))

    def fetch(self, read: Read) -> None:
        """Continue, and download the model: the user has agreed."""
        self.reading.start(partial(_open, read, self._session.loader.load, True))

    def use(self, read: Read, model: Path) -> None:
        """Continue with this file instead of the missing model."""
        from guiapp.analysis.sessions.session_file import with_model

        session = with_model(read.opening.session, model)
        other = read._replace(opening=replace(read.opening, session=session))
        self.reading.start(partial(_open, other, self._session.loader.load, False))

    def take_up(self, read: Read) -> None:
        """Open the session in place of the current one; undo or the menu of saved texts restores the text."""
        left, tokenizer = read.opening.session, read.opening.tokenizer
        assert tokenizer is not None
        session = self._session
        session.loader.share(OpenModel(lasting_name(left.model), tokenizer))
        encoder = left.encoder if left.encoder in session.encoders else None
        session.set_options(Options(left.add_special, left.parse_special, encoder))
        session.text.show(left.text)
        session.document.select(*left.selection)
        self.taken_up.emit(read)

    def captured(self, page: str, notes: str) -> SessionFile | None:
        """The session to save, without the data of pages; None if no model is open."""
        from guiapp.analysis.sessions.name import PAGES
        from guiapp.analysis.sessions.session_file import SessionFile

        session, model = self._session, self._session.loader.model
        if model is None:
            return None
        options, document = session.options, session.document
        return SessionFile(
            lasting_name(model.name),
            document.text(),
            notes,
            pre=model.tokenizer.vocabulary.chosen_pre,
            encoder=options.encoder or "",
            add_special=options.add_special,
            parse_special=options.parse_special,
            page=page if page in PAGES else PAGES[0],
            selection=(document.anchor, document.caret),
        )

    def save(self, session: SessionFile, path: Path) -> None:
        """Write a session with the hash of the open model."""
        assert self._session.tokenizer is not None
        self._saving.start(partial(_save, session, self._session.tokenizer, path))

    def stop(self) -> None:
        """Stop reading, and wait up to SAVING_S for saving to finish."""
        self.reading.wait()
        self._saving.finish(SAVING_S)

    def _take(self, read: Read) -> None:
        if read.opening.obstacle is None:
            self.take_up(read)
        else:
            self.obstructed.emit(read)


def _read(path: Path, load_model: Load, progress: Progress) -> Read:
    from guiapp.analysis.sessions.session_file import OpenedSession, load

    return _open(Read(path, OpenedSession(load(path), None)), load_model, False, progress)


def _open(read: Read, load_model: Load, may_fetch: bool, progress: Progress) -> Read:
    from guiapp.analysis.sessions.session_file import opened

    def open_(name: str, pre: str | None) -> Tokenizer:
        return load_model(name, pre, progress)

    return read._replace(opening=opened(read.opening.session, may_fetch, open_))


def _save(session: SessionFile, tokenizer: Tokenizer, path: Path, _: Progress) -> Path:
    from guiapp.analysis.sessions.session_file import save

    save(replace(session, sha256=hash_of(tokenizer, session.model)), path)
    return path
