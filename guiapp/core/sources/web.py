"""Asking a web server for a file: one request, whose every outcome is an answer or a sentence.

The request runs in a thread of its own, so that whoever waits can be told to stop while nothing comes.
`requests` obeys the variables that name proxies, and takes a token along to no other server.  Only the hub of
Hugging Face is sent one.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from guiapp.core.errors import VocabError
from guiapp.core.system.checkpoint import checkpoint
from guiapp.core.vocab.quoting import quoted

if TYPE_CHECKING:
    import requests

CONNECT_S, STALL_S = 10.0, 20.0
CHUNK_BYTES = 1 << 16
CHUNKS_AHEAD = 16
POLL_S = 0.05
USUAL_HUB = "https://huggingface.co"
HUB, HUB_TOKEN = "HF_ENDPOINT", "HF_TOKEN"  # environment variables
REASONS = {
    404: "There is no such file (404). Check the address.",
    410: "The file is gone (410). Check the address.",
    416: "The file is empty, or changed while it was fetched (416). Fetch it again.",
}

Items = queue.Queue[Any]  # a Response, the chunks behind its header, None; or an exception


class NoAnswerError(VocabError):
    """A server that cannot be reached, or not at present."""


class Answer(NamedTuple):
    """What a server says.

    headers  by name, in any case
    body     chunks, each when it is asked for; raises VocabError where the rest does not come
    """

    status: int
    headers: Mapping[str, str]
    body: Iterator[bytes]


@contextmanager
def asked(url: str, headers: Mapping[str, str]) -> Iterator[Answer]:
    """The answer of a server, redirects followed, that is 200, 206 or 304; raises VocabError for all else."""
    items = Items(CHUNKS_AHEAD)
    is_over = threading.Event()
    threading.Thread(target=_ask, args=(url, headers, items, is_over), daemon=True).start()
    try:
        response = _next(items, url)
        _check(response, url)
        yield Answer(response.status_code, response.headers, _body(items, url))
    finally:
        is_over.set()


def hub() -> str:
    """The address of the hub, without a slash at its end."""
    return (os.environ.get(HUB) or USUAL_HUB).rstrip("/")


def hub_path(url: str) -> str | None:
    """What follows the address of the hub; None for what is elsewhere."""
    return url.removeprefix(hub()) if url.startswith(f"{hub()}/") else None


def host_of(url: str) -> str:
    return quoted(urlsplit(url).netloc.rpartition("@")[2])


def _ask(url: str, headers: Mapping[str, str], items: Items, is_over: threading.Event) -> None:
    from requests import Session

    def put(item: object) -> bool:
        while not is_over.is_set():
            try:
                items.put(item, timeout=POLL_S)
                return True
            except queue.Full:
                pass
        return False

    try:
        with (
            Session() as session,
            session.get(
                url,
                headers={"Accept-Encoding": "identity", **_token_for(url), **headers},
                stream=True,
                timeout=(CONNECT_S, STALL_S),
            ) as response,
        ):
            if put(response):
                all(put(chunk) for chunk in response.iter_content(CHUNK_BYTES))
                put(None)
    except Exception as error:  # told to whoever waits
        put(error)


def _token_for(url: str) -> Mapping[str, str]:
    token = os.environ.get(HUB_TOKEN) if hub_path(url) else None
    return {"Authorization": f"Bearer {token}"} if token else {}


def _next(items: Items, url: str) -> Any:
    while True:
        checkpoint()
        try:
            item = items.get(timeout=POLL_S)
        except queue.Empty:
            continue
        if isinstance(item, Exception):
            raise _kind_of(item)(f"{host_of(url)} {_what_happened(item)}") from item
        return item


def _body(items: Items, url: str) -> Iterator[bytes]:
    while (chunk := _next(items, url)) is not None:
        yield chunk


def _check(response: requests.Response, url: str) -> None:
    hops = [each.url for each in response.history] + [response.url]
    if hops[0].startswith("https:") and not all(hop.startswith("https:") for hop in hops):
        raise VocabError(f"{host_of(url)} leads to an address without encryption. Nothing was taken.")
    status = response.status_code
    if status in (200, 206, 304):
        return
    kind = NoAnswerError if status == 429 or status >= 500 else VocabError
    raise kind(f"{host_of(url)} says: {_reason(status, response, url)}")


def _reason(status: int, response: requests.Response, url: str) -> str:
    if status in (401, 403):
        if _token_for(url):
            return f"The token in {HUB_TOKEN} may not read this ({status}), or it is not there."
        what = f"This is private, wants its terms accepted, or is not there ({status})."
        if hub_path(url):
            return f"{what} Put a token that may read it into the environment variable {HUB_TOKEN}."
        return f"{what} The token in {HUB_TOKEN} is sent to {host_of(hub())} only ({HUB} names another hub)."
    if status == 429:
        wait = quoted(response.headers.get("Retry-After", ""), 40)
        return f"Too many requests (429). Try again {f'in {wait} s' if wait.isdecimal() else 'later'}."
    if status >= 500:
        return f"It cannot answer at present ({status}). Try again later."
    return REASONS.get(status, f"No ({status}). Check the address.")


def _kind_of(error: Exception) -> type[VocabError]:
    from requests import exceptions

    return (
        NoAnswerError if isinstance(error, (exceptions.ConnectionError, exceptions.Timeout)) else VocabError
    )


def _what_happened(error: Exception) -> str:
    """The end of a sentence that begins with the server's name."""
    from requests import exceptions

    if isinstance(error, (exceptions.InvalidURL, exceptions.InvalidSchema, exceptions.MissingSchema)):
        return "is no address of a file on the web. Check its spelling."
    if isinstance(error, exceptions.TooManyRedirects):
        return "leads in a circle. Check the address."
    if isinstance(error, exceptions.ProxyError):
        return "cannot be reached through the proxy. Check the variables HTTPS_PROXY and NO_PROXY."
    if isinstance(error, exceptions.SSLError):
        return "has no certificate that can be trusted. Check the address and the clock."
    if isinstance(error, exceptions.Timeout) or "timed out" in str(error).lower():
        return f"did not answer for {STALL_S:g} s. Try again later."
    if isinstance(error, exceptions.ChunkedEncodingError):
        return "broke the connection before the file was whole. Try again."
    if isinstance(error, exceptions.RequestException):
        return "cannot be reached. Check the address and the network."
    return f"gave what cannot be read: {quoted(str(error))}. Check the address."
