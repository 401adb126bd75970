"""From a session file to what it needs, or to what people have to be asked before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from os.path import exists
from pathlib import Path

from guiapp.analysis.sessions.session_file import SessionFile
from guiapp.core.demo import PREFIX
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.open_model import open_model
from guiapp.core.sources.locate import cached_name, is_another, is_cached, is_fetched, is_plain
from guiapp.core.text.figures import quoted

Open = Callable[[str, str | None], Tokenizer]


class Obstacle(Enum):
    """Why a session does not open by itself."""

    MISSING = "its model is not there"
    ON_WEB = "its model has to be fetched"
    CHANGED = "its model is another file"


@dataclass(frozen=True, eq=False)
class OpenedSession:
    """A session with its model, or what is in the way.

    tokenizer  None as long as the model is missing, or nobody has said that it may be fetched
    explanation       about the obstacle, a sentence; "" where there is none
    """

    session: SessionFile
    tokenizer: Tokenizer | None
    obstacle: Obstacle | None = None
    explanation: str = ""

    @property
    def lacking(self) -> str:
        """What the model does not have of what the session wants, a sentence; "" for nothing."""
        encoder = self.session.encoder
        if self.tokenizer is None or not encoder or encoder in self.tokenizer.encoders:
            return ""
        own = next(iter(self.tokenizer.encoders))
        return f"This model has no encoder “{quoted(encoder)}”: {own} is used instead."


def opened(session: SessionFile, may_fetch: bool = False, open_: Open = open_model) -> OpenedSession:
    """Open the model of a session, which no server is asked for unless it `may_fetch`; raises VocabError."""
    name = quoted(session.model, 200)
    is_file = is_plain(session.model) and not session.model.startswith(PREFIX)
    if is_file and not exists(session.model):
        return OpenedSession(
            session, None, Obstacle.MISSING, f"The model of this session is not there: {name}"
        )
    if not is_fetched(session.model) or may_fetch:
        return _opened_as(session, session.model, open_)
    if not is_cached(session.model):
        return OpenedSession(
            session, None, Obstacle.ON_WEB, f"The model of this session is on the web: {name}"
        )
    return _opened_as(session, cached_name(session.model), open_)


def with_model(session: SessionFile, path: Path) -> SessionFile:
    """The same with another file in the place of a model that is missing."""
    return replace(session, model=str(path.absolute()))


def _opened_as(session: SessionFile, name: str, open_: Open) -> OpenedSession:
    tokenizer = open_(name, session.pre or None)
    if is_another(tokenizer, session.model, session.sha256):
        shown = quoted(Path(session.model).name)
        explanation = f"{shown} is not the file that this session was saved with: its tokens may be others."
        return OpenedSession(session, tokenizer, Obstacle.CHANGED, explanation)
    return OpenedSession(session, tokenizer)
