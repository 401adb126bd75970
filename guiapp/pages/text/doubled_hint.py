"""A hint where the text brings the BOS or EOS along that is added anyway, with the way to leave it out."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from guiapp.analysis.explain.doubled_special import doubled_special
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.widgets.notices import NoticeArea

SUBJECT = "special"


class DoubledHint(QObject):
    """Shows the hint as long as it holds; somebody who has closed it is told again only of something else."""

    def __init__(self, area: NoticeArea, session: ModelSession) -> None:
        super().__init__(area)
        self._area = area
        self._session = session
        self._doubled: str | None = None
        self._remedy = QAction("Leave it out", self)
        self._remedy.triggered.connect(partial(session.set_add_special, False))
        session.tokens_changed.connect(self._follow)

    def _follow(self) -> None:
        if self._session.is_encoding or (doubled := self._found()) == self._doubled:
            return
        self._doubled = doubled
        if doubled is None:
            self._area.clear_notice(SUBJECT)
        else:
            self._area.show_notice(SUBJECT, doubled, remedy=self._remedy, is_hint=True)

    def _found(self) -> str | None:
        session, n_tokens = self._session, len(self._session.tokens)
        if session.tokenizer is None or not session.options.add_special:
            return None
        head = session.tokens.ids(0, min(2, n_tokens))
        tail = session.tokens.ids(max(0, n_tokens - 2), n_tokens)
        return doubled_special(session.tokenizer, head.tolist(), tail.tolist())
