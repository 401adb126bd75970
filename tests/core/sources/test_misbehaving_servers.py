"""A server that does what it should not is given up soon, with a sentence, and leaves nothing behind."""

import gzip
import itertools
import threading
import time

import pytest

from guiapp import VocabError
from guiapp.core.demo import demo_model_path
from guiapp.core.sources import cached, fetch
from guiapp.core.sources.web import THREAD, Limits, next_address
from guiapp.core.vocabulary.opening import Opening

DATA = b"0123456789" * 400
MODEL = demo_model_path("bpe").read_bytes()
MANY = "9" * 5000  # digits, more than Python makes a number of
MOST_SERVED = 96 << 20  # bytes, of which most wait in buffers of the system, anew for each redirect
ENDS_WITHIN_S = 5.0


def head(status, *headers):
    """The front of an answer."""
    return "\r\n".join([f"HTTP/1.1 {status}", *headers, "", ""]).encode()


def length(n_bytes):
    return f"Content-Length: {n_bytes}"


def part(what, n_bytes=4000):
    return head("206 Partial Content", f"Content-Range: {what}", length(n_bytes))


def to(location):
    return [head("302 Found", f"Location: {location}", length(0))]


def chunked(*parts):
    return [head("200 OK", "Transfer-Encoding: chunked"), *parts]


def packed(data, *how):
    return [head("200 OK", *(f"Content-Encoding: {each}" for each in how or ("gzip",))), data]


def endless(data, times=1 << 14):
    return itertools.repeat(data * times)


def slowly(data=b"a"):
    return (data for _ in itertools.count() if time.sleep(0.03) is None)


def a_byte_at_a_time(data):
    def answer(start, last):
        return [part(f"bytes {start}-{start}/{len(data)}", 1), data[start : start + 1]]

    return answer


def whole_each_time(start, last):
    return [part(f"bytes {start}-{len(MODEL) - 1}/{len(MODEL)}", 1 << 40), MODEL[start:], endless(b"\0")]


def grows(start, last):
    return [part(f"bytes {start}-{last}/{len(MODEL) + start}", last + 1 - start), MODEL[start : last + 1]]


OK = head("200 OK", length(len(DATA)))
REFUSED = {
    # redirects
    "leads to itself": to("/x"),
    "leads on and on": lambda *_: to(f"/x?{time.monotonic_ns()}"),
    "redirect with an endless body": [head("302 Found", "Location: /x"), endless(b"a")],
    "redirect with a long body": [head("302 Found", "Location: /x", length(1 << 40)), endless(b"a")],
    "redirect that stalls": [head("302 Found", "Location: /x", length(100)), slowly()],
    "redirect to a file": to("file:///etc/passwd"),
    "redirect to FTP": to("ftp://127.0.0.1/x"),
    "redirect to data": to("data:text/plain,hello"),
    "redirect to no host": to("http://"),
    "redirect to no port": to("http://127.0.0.1:99999999/x"),
    "redirect to a broken address": to("http://[::1/x"),
    "redirect to a long address": to("/" + "a" * 60_000),
    "redirect to bytes": [b"HTTP/1.1 302 Found\r\nLocation: /\xff\xfe\r\n\r\n"],
    "redirect to nowhere": [head("302 Found"), endless(b"a")],
    # statuses
    "error with an endless body": [head("404 Not Found"), endless(b"a")],
    "busy with an endless body": [head("503 Busy"), endless(b"a")],
    "wait for ever": [head("429 Slow down", f"Retry-After: {MANY}")],
    "not changed, though nothing is here": [head("304 Not Modified")],
    "status of five digits": [head("99999 Odd")],
    "status below zero": [head("-200 Odd")],
    "no status": [b"HTTP/1.1\r\n\r\n"],
    "no HTTP": [b"SSH-2.0-OpenSSH_9.6\r\n"],
    "no HTTP at all": [endless(b"\0")],
    "nothing": [],
    # headers
    "endless status line": [b"HTTP/1.1 200 ", endless(b"a")],
    "endless continue": [endless(head("100 Continue"))],
    "endless continue with headers": [endless(head("100 Continue", *["a: b"] * 50), 200)],
    "endless early hints": [endless(head("103 Early Hints"))],
    "endless header": [b"HTTP/1.1 200 OK\r\na: ", endless(b"a")],
    "endless headers": [b"HTTP/1.1 200 OK\r\n", endless(b"a: b\r\n")],
    "long headers": [head("200 OK", *[f"a{i}: {'b' * 60_000}" for i in range(90)]), DATA],
    "slow headers": [b"HTTP/1.1 200 OK\r\na: ", slowly()],
    "slow continue": [slowly(head("100 Continue"))],
    # how long the file is
    "shorter than it says": [head("200 OK", length(10_000)), DATA],
    "endless file": [head("200 OK"), endless(b"a")],
    "a file of 10¹⁴ bytes": [head("200 OK", length(10**14)), endless(b"a")],
    "slow file": [head("200 OK"), slowly()],
    "slow and steady file": [head("200 OK", length(1 << 19)), slowly(b"a" * 2000)],
    "file that stops": [head("200 OK", length(1 << 19)), DATA, (time.sleep(3) for _ in [1])],
    "endless header of a model": [head("200 OK"), b"GGUF\3\0\0\0" + b"\xff" * 16, endless(b"\xff")],
    "slow model": [head("200 OK"), b"GGUF\3\0\0\0", slowly(b"\0")],
    # parts
    "part of many digits": [part(f"bytes 0-1/{MANY}"), DATA],
    "part from many digits": [part(f"bytes {MANY}-1/10"), DATA],
    "part to many digits": [part(f"bytes 0-{MANY}/*"), DATA],
    "part of 10¹⁵ bytes": [part(f"bytes 0-{10**15 - 1}/{10**15}", 10**15), endless(b"a")],
    "part without a range": [head("206 Partial Content"), DATA],
    "part of nothing": [part("bytes */4000"), DATA],
    "part that begins elsewhere": [part("bytes 7-4006/9000"), DATA],
    "part that ends before it begins": [part("bytes 0--1/4000"), DATA],
    "part beyond the end": [part("bytes 0-3999/10"), DATA],
    "part in another unit": [part("lines 0-3999/4000"), DATA],
    "several parts": [head("206 Partial Content", "Content-Type: multipart/byteranges; boundary=a"), DATA],
    "empty parts": lambda start, last: [part(f"bytes {start}-{last}/4000", 0)],
    "one byte at a time": a_byte_at_a_time(DATA),
    "one byte of a model at a time": a_byte_at_a_time(MODEL),
    "another size each time": grows,
    # chunks
    "endless chunk size": chunked(endless(b"1")),
    "endless chunk extension": chunked(b"1;", endless(b"a")),
    "chunk of many digits": chunked(MANY.encode() + b"\r\n", endless(b"a")),
    "chunk below zero": chunked(b"-5\r\n", endless(b"a")),
    "no chunk": chunked(b"hello\r\n", DATA),
    "half a chunk": chunked(b"ffff\r\n", DATA),
    "endless tiny chunks": chunked(endless(b"1\r\na\r\n")),
    "slow tiny chunks": chunked(slowly(b"1\r\na\r\n")),
    "endless trailers": chunked(b"1\r\na\r\n0\r\n", endless(b"a: b\r\n")),
    "endless trailer": chunked(b"1\r\na\r\n0\r\n", endless(b"a")),
    # packed files
    "packed bomb": packed(gzip.compress(bytes(100 << 20), 1)),
    "packed noise": packed(b"\1" * 1000),
    "packed many times": packed(DATA, *["gzip"] * 50),
    "endless empty packs": packed(endless(gzip.compress(b""))),
}
TAKEN = {
    "length of many digits": [head("200 OK", length(MANY)), DATA],
    "length below zero": [head("200 OK", length(-5)), DATA],
    "length in words": [head("200 OK", length("four")), DATA],
    "no length": [head("200 OK"), DATA],
    "longer than it says": [OK, DATA, endless(b"a")],
    "whole file in place of a part": [OK, DATA],
    "longer part than asked": [part("bytes 0-3999/4000"), DATA, endless(b"a")],
    "unknown encoding": packed(DATA, "none"),
    "two lengths": [head("200 OK", length(len(DATA)), length(len(DATA))), DATA],
}


def served(server, behaviour):
    """The address where the server behaves so, and how many bytes it has sent."""
    sent = [0]

    def answer(handler):
        start, last = map(int, handler.headers["Range"].removeprefix("bytes=").split("-"))
        parts = behaviour(start, last) if callable(behaviour) else behaviour
        for each in parts:
            for some in [each] if isinstance(each, bytes) else each:
                if some is not None:
                    sent[0] += handler.wfile.write(some)

    server.default = answer
    return f"{server.address}/x", sent


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(fetch, "MOST_BYTES", 1 << 20)
    monkeypatch.setattr(fetch, "FIRST_BYTES", 8192)
    return Limits(connect_s=1.0, stall_s=0.3, total_s=2.0)


@pytest.mark.parametrize("name", REFUSED)
def test_a_server_that_misbehaves_is_given_up(server, short, name):
    url, sent = served(server, REFUSED[name])
    began_s = time.monotonic()
    with pytest.raises(VocabError) as caught:
        fetch.fetched(url, Opening(lambda _share: None), short)
    assert time.monotonic() - began_s < ENDS_WITHIN_S
    message = str(caught.value)
    assert len(message) < 300
    assert message.isprintable()
    assert message.endswith(".")
    assert sent[0] < MOST_SERVED
    assert len(server.asked) <= 40
    while any(thread.name == THREAD for thread in threading.enumerate()):  # nothing more is read
        assert time.monotonic() - began_s < ENDS_WITHIN_S
        time.sleep(0.01)
    assert [path for path in cached.folder().rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("name", TAKEN)
def test_what_is_odd_but_whole_is_taken(server, short, name):
    url, sent = served(server, TAKEN[name])
    assert fetch.fetched(url, Opening(lambda _share: None), short).path.read_bytes() == DATA
    assert sent[0] < MOST_SERVED


def test_of_a_model_no_more_is_taken_than_its_header(server, short):
    url, sent = served(server, whole_each_time)
    assert len(fetch.fetched(url, Opening(lambda _share: None), short).path.read_bytes()) <= len(MODEL)
    assert sent[0] < MOST_SERVED


@pytest.mark.parametrize(
    ("start", "location", "leads_to"),
    [
        ("https://a/b/c", "d?e", "https://a/b/d?e"),
        ("https://a/b", "//c/d", "https://c/d"),
        ("http://a/b", "HTTPS://c/d", "https://c/d"),
        ("https://a/b", "http://a/b", None),
        ("HTTPS://a/b", "HTTP://c/", None),
        ("https://a/b", "file:///etc/passwd", None),
        ("http://a/b", "ollama:llama3", None),
    ],
)
def test_a_redirect_never_loses_encryption_or_leaves_the_web(start, location, leads_to):
    if leads_to is None:
        with pytest.raises(VocabError):
            next_address(start, location)
    else:
        assert next_address(start, location) == leads_to
