"""A session of `requests` that counts received bytes and reads no body unless asked to.

`requests` reads the whole body of each redirect, even if it does not follow it.  `http.client` accepts any
number of "100 Continue" and endless trailers of a chunked body; these can only be counted at the socket.
"""

from __future__ import annotations

from collections.abc import Callable
from http.client import HTTPResponse
from io import BufferedReader, RawIOBase
from typing import Any

from requests import Response, Session
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool

Count = Callable[[int], None]  # called with the size of each read from a socket; may raise


class CountedSession(Session):
    """A session that counts received bytes and follows no redirects."""

    def __init__(self, count: Count) -> None:
        super().__init__()
        for scheme in ("http://", "https://"):
            self.mount(scheme, _Adapter(count))

    def get_redirect_target(self, resp: Response) -> None:
        return None


class _Adapter(HTTPAdapter):
    def __init__(self, count: Count) -> None:
        super().__init__()
        self._count = count

    def get_connection_with_tls_context(self, *given: Any, **named: Any) -> HTTPConnectionPool:
        pool = super().get_connection_with_tls_context(*given, **named)
        pool.ConnectionCls = type("Counted", (pool.ConnectionCls,), {"response_class": self._response})
        return pool

    @property
    def _response(self) -> staticmethod[..., HTTPResponse]:
        def response(*given: Any, **named: Any) -> HTTPResponse:
            made = HTTPResponse(*given, **named)
            made.fp = BufferedReader(_CountedReads(made.fp.detach(), self._count))
            return made

        return staticmethod(response)


class _CountedReads(RawIOBase):
    def __init__(self, raw: Any, count: Count) -> None:
        self._raw, self._count = raw, count

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        n_read: int | None = self._raw.readinto(buffer)
        self._count(n_read or 0)
        return n_read

    def close(self) -> None:
        self._raw.close()
        super().close()
