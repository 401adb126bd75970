"""Request a file from a web server, within limits; the result is a response or an error with a sentence.

A request runs in a thread of its own, so that the caller can stop waiting while no data arrives.
`requests` obeys the environment variables for proxies.  A token is sent only to the hub of Hugging Face.
"""

from __future__ import annotations

import os
import queue
import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from guiapp.core.text.numbers_in_words import quoted
from guiapp.errors import VocabError
from guiapp.native.checkpoint import checkpoint

if TYPE_CHECKING:
    import requests

CHUNK_BYTES = 1 << 14
CHUNKS_AHEAD = 64
POLL_S = 0.05
THREAD = "fetch"  # its name
PROGRESS_BYTES = 1 << 10
LEAST_PART = 1 << 16  # bytes
MOST_UNPACKED = 100  # unpacked bytes for each byte received
USUAL_HUB = "https://huggingface.co"
HUB, HUB_TOKEN = "HF_ENDPOINT", "HF_TOKEN"  # environment variables
REASONS = {
    404: "There is no such file (404). Check the address.",
    410: "The file is gone (410). Check the address.",
    416: "The file is empty, or changed during the download (416). Try again.",
}

Items = queue.Queue[Any]  # a Response, the chunks of its body, then None; or an exception


class NoAnswerError(VocabError):
    """A server cannot be reached, or is not available at present."""


class Limits(NamedTuple):
    """Limits for fetching one file.

    stall_s      time without PROGRESS_BYTES more
    total_s      total time of waiting
    n_requests   including redirects; one more is allowed for each LEAST_PART of the file
    extra_bytes  that are not part of the file: headers, chunk sizes, trailers
    """

    connect_s: float = 10.0
    stall_s: float = 20.0
    total_s: float = 1800.0
    n_requests: int = 32
    n_redirects: int = 10
    extra_bytes: int = 1 << 20


USUAL_LIMITS = Limits()


class WebResponse(NamedTuple):
    """The response of a server.

    headers  by name, upper or lower case
    body     yields chunks as they are requested; raises VocabError if the rest does not arrive
    """

    status: int
    headers: Mapping[str, str]
    body: Iterator[bytes]


class Transfer:
    """All requests for one file, and the limits that they share."""

    def __init__(self, url: str, limits: Limits) -> None:
        self._url, self._limits = url, limits
        self._n_requests = self._n_received = self._n_body = self._n_new = 0
        self._waited_s = self._stalled_s = 0.0

    @contextmanager
    def get(self, headers: Mapping[str, str]) -> Iterator[WebResponse]:
        """The response 200, 206 or 304 after redirects; raises VocabError for any other."""
        from guiapp.core.sources.counted_session import CountedSession  # a slow import, not always needed

        items = Items(CHUNKS_AHEAD)
        is_over = threading.Event()
        session = CountedSession(lambda n_bytes: self._count(n_bytes, is_over))
        arguments = session, headers, items, is_over
        threading.Thread(target=self._ask, args=arguments, name=THREAD, daemon=True).start()
        try:
            response = self._next(items)
            _check(response, self._url)
            yield WebResponse(response.status_code, response.headers, self._body(items))
        finally:
            is_over.set()

    def _ask(
        self, session: requests.Session, headers: Mapping[str, str], items: Items, is_over: threading.Event
    ) -> None:
        def put(item: object) -> bool:
            while not is_over.is_set():
                try:
                    items.put(item, timeout=POLL_S)
                    return True
                except queue.Full:
                    pass
            return False

        try:
            with session, self._response(session, headers) as response:
                if put(response):
                    for chunk in response.iter_content(CHUNK_BYTES):
                        self._n_body += len(chunk)
                        self._check_size_unpacked()
                        if not put(chunk):
                            return
                    put(None)
        except Exception as error:  # raised again in the waiting thread
            put(error)

    def _count(self, n_bytes: int, is_over: threading.Event) -> None:
        self._n_received += n_bytes
        if is_over.is_set() or self._n_received > 2 * self._n_body + self._limits.extra_bytes:
            raise VocabError(f"{host_of(self._url)} sends too much that is not the file. Check the address.")

    def _check_size_unpacked(self) -> None:
        """Raise VocabError for a decompression bomb; some servers compress files although asked not to."""
        if self._n_body > MOST_UNPACKED * self._n_received + self._limits.extra_bytes:
            raise VocabError(f"{host_of(self._url)} sends a file packed too tightly. Check the address.")

    def _response(self, session: requests.Session, headers: Mapping[str, str]) -> requests.Response:
        """The first response that is not a redirect; its body is still to be read."""
        from requests import TooManyRedirects

        url = self._url
        for _ in range(self._limits.n_redirects):
            self._n_requests += 1
            if self._n_requests > self._limits.n_requests + self._n_body // LEAST_PART:
                raise VocabError(f"{host_of(url)} sends the file in too many parts. Try another address.")
            response = session.get(
                url,
                headers={"Accept-Encoding": "identity", **_token_for(url), **headers},
                stream=True,
                timeout=(self._limits.connect_s, self._limits.stall_s),
            )
            if not response.is_redirect:
                return response
            response.close()
            url = next_address(url, response.headers["Location"])
        raise TooManyRedirects

    def _next(self, items: Items) -> Any:
        while True:
            checkpoint()
            began_s = time.monotonic()
            try:
                item = items.get(timeout=POLL_S)
            except queue.Empty:
                item = b""
            waited_s = time.monotonic() - began_s
            self._waited_s += waited_s
            self._stalled_s += waited_s
            if isinstance(item, bytes):
                self._n_new += len(item)
            if not isinstance(item, bytes) or self._n_new >= PROGRESS_BYTES:
                self._n_new, self._stalled_s = 0, 0.0
            if isinstance(item, VocabError):
                raise item
            if isinstance(item, Exception):
                raise _kind_of(item)(f"{host_of(self._url)} {_what_happened(item, self._limits)}") from item
            if self._stalled_s > self._limits.stall_s:
                raise NoAnswerError(f"{host_of(self._url)} {_no_answer(self._limits)}")
            if self._waited_s > self._limits.total_s:
                limit = f"{self._limits.total_s:g} s"
                raise NoAnswerError(f"{host_of(self._url)} needs more than {limit}. Try again later.")
            if item != b"":
                return item

    def _body(self, items: Items) -> Iterator[bytes]:
        while (chunk := self._next(items)) is not None:
            yield chunk


def next_address(url: str, location: str) -> str:
    """The target of a redirect; raises VocabError if it is not http(s), or is less private."""
    try:
        there = urljoin(url, location.encode("latin-1", "replace").decode("utf-8", "replace"))
    except ValueError:
        there = ""
    scheme = there.partition(":")[0].lower()
    if scheme not in ("http", "https"):
        raise VocabError(
            f"{host_of(url)} redirects to an address that is not on the web. Nothing was downloaded."
        )
    if urlsplit(url).scheme == "https" and scheme != "https":
        raise VocabError(f"{host_of(url)} redirects to an unencrypted address. Nothing was downloaded.")
    return scheme + there[len(scheme) :]


def whole_number(digits: str) -> int | None:
    """A number of bytes in a header; None if it is not a number or is impossibly large."""
    return int(digits) if re.fullmatch(r"[0-9]{1,15}", digits) else None


def hub() -> str:
    """The address of the hub, without a slash at its end."""
    return (os.environ.get(HUB) or USUAL_HUB).rstrip("/")


def hub_path(url: str) -> str | None:
    """The part of an address after the hub's; None for addresses elsewhere."""
    return url.removeprefix(hub()) if url.startswith(f"{hub()}/") else None


def host_of(url: str) -> str:
    return quoted(urlsplit(url).netloc.rpartition("@")[2])


def _token_for(url: str) -> Mapping[str, str]:
    token = os.environ.get(HUB_TOKEN) if hub_path(url) else None
    return {"Authorization": f"Bearer {token}"} if token else {}


def _check(response: requests.Response, url: str) -> None:
    status = response.status_code
    if status in (200, 206, 304):
        return
    kind = NoAnswerError if status == 429 or status >= 500 else VocabError
    raise kind(f"{host_of(url)} says: {_reason(status, response, url)}")


def _reason(status: int, response: requests.Response, url: str) -> str:
    if status in (401, 403):
        if _token_for(url):
            return f"The token in {HUB_TOKEN} has no access to this ({status}), or it does not exist."
        what = f"This is private, requires you to accept its terms, or does not exist ({status})."
        if hub_path(url):
            return f"{what} Set the environment variable {HUB_TOKEN} to a token that has access."
        return f"{what} The token in {HUB_TOKEN} is sent to {host_of(hub())} only ({HUB} names another hub)."
    if status == 429:
        wait = quoted(response.headers.get("Retry-After", ""), 40)
        return f"Too many requests (429). Try again {f'in {wait} s' if wait.isdecimal() else 'later'}."
    if status >= 500:
        return f"The server is not available ({status}). Try again later."
    return REASONS.get(status, f"The request failed ({status}). Check the address.")


def _kind_of(error: Exception) -> type[VocabError]:
    from requests import exceptions

    return (
        NoAnswerError if isinstance(error, (exceptions.ConnectionError, exceptions.Timeout)) else VocabError
    )


def _no_answer(limits: Limits) -> str:
    return f"did not answer for {limits.stall_s:g} s. Try again later."


def _is_unreadable(error: Exception) -> bool:
    """Whether a server was reached but violated HTTP; the reason is inside the library's own error."""
    from http.client import HTTPException  # slow: it would be imported at each start

    reasons = getattr(error.args[0], "args", ()) if error.args else ()
    return any(isinstance(each, HTTPException) and not isinstance(each, OSError) for each in reasons)


def _what_happened(error: Exception, limits: Limits) -> str:
    """What went wrong, as the end of a sentence that begins with the server's name."""
    from requests import exceptions

    if isinstance(error, (exceptions.InvalidURL, exceptions.InvalidSchema, exceptions.MissingSchema)):
        return "is not the address of a file on the web. Check its spelling."
    if isinstance(error, exceptions.TooManyRedirects):
        return "redirects in a circle. Check the address."
    if isinstance(error, exceptions.ProxyError):
        return "cannot be reached through the proxy. Check the variables HTTPS_PROXY and NO_PROXY."
    if isinstance(error, exceptions.SSLError):
        return "does not have a trusted certificate. Check the address and the clock."
    if isinstance(error, exceptions.Timeout) or "timed out" in str(error).lower():
        return _no_answer(limits)
    if isinstance(error, exceptions.ChunkedEncodingError):
        return "closed the connection before the file was complete. Try again."
    if isinstance(error, exceptions.ConnectionError) and not _is_unreadable(error):
        return "cannot be reached. Check the address and the network."
    return f"sent an answer that cannot be read: {quoted(str(error))}. Check the address."
