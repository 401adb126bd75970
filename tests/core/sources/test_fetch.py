"""Models are fetched as far as they are needed, and every answer of a server becomes a clear outcome."""

import gzip
import threading
import time

import pytest
from installed_models import put
from loopback import file, serving, status

import guiapp
from guiapp import VocabError
from guiapp.core.demo import demo_model_path
from guiapp.core.formats.table import LAST
from guiapp.core.sources import cached, fetch, web
from guiapp.core.vocabulary.opening import Opening

MODEL = demo_model_path("bpe").read_bytes()
TENSORS = bytes(8 << 20)  # behind the header, which is all that is wanted


@pytest.fixture(autouse=True)
def none_is_recent():
    LAST.clear()


@pytest.fixture
def steps(monkeypatch):
    """Ranges so small that the demo model takes several."""
    monkeypatch.setattr(fetch, "FIRST_BYTES", 8192)


def fetched(url, *limits):
    return fetch.fetched(url, Opening(lambda _share: None), *limits)


def ranges(server, path):
    return [headers["Range"] for headers in server.headers_of(path)]


def test_of_a_model_only_the_header_is_fetched_by_ranges_that_grow(server, steps):
    url = server.serves("/m/bpe.gguf", file(MODEL + TENSORS))
    tokenizer = guiapp.open_model(url)
    assert tokenizer.encode("Hello world").token_ids.tolist() == (
        guiapp.open_model("demo:bpe").encode("Hello world").token_ids.tolist()
    )
    assert ranges(server, "/m/bpe.gguf") == ["bytes=0-8191", "bytes=8192-32767", "bytes=32768-131071"]
    assert tokenizer.vocabulary.path.name == "bpe.gguf"
    assert tokenizer.vocabulary.warnings == guiapp.open_model("demo:bpe").vocabulary.warnings
    downloaded = cached.cached(url)
    assert downloaded.whole_bytes == len(MODEL + TENSORS) > 10 * downloaded.path.stat().st_size


def test_a_download_without_ranges_stops_after_the_header(server, steps):
    url = server.serves("/bpe.gguf", file(MODEL + TENSORS, has_ranges=False))
    downloaded = fetched(url)
    assert downloaded.path.stat().st_size < len(MODEL) + len(TENSORS) // 2
    assert (downloaded.whole_bytes, len(server.asked)) == (len(MODEL + TENSORS), 1)


@pytest.mark.parametrize("says_length", [True, False])
def test_other_files_are_fetched_whole(server, says_length):
    data = bytes(range(256)) * 9000
    url = server.serves("/t.bin?x=1", file(data, has_ranges=False, says_length=says_length))
    downloaded = fetched(url)
    assert (downloaded.path.read_bytes(), downloaded.path.name) == (data, "t.bin")
    assert fetched(server.serves("/ranges", file(data))).path.read_bytes() == data


def test_what_is_the_same_is_not_sent_again_and_what_is_new_is(server):
    url = server.serves("/f", file(b"one"))
    assert fetched(url).path.read_bytes() == fetched(url).path.read_bytes() == b"one"
    assert [headers.get("If-None-Match") for headers in server.headers_of("/f")] == [None, '"1"']
    server.serves("/f", file(b"two!", etag='"2"'))
    assert fetched(url).path.read_bytes() == b"two!"
    server.serves("/f", status(503))
    assert (fetched(url).path.read_bytes(), "503" in fetched(url).why_old) == (b"two!", True)


def test_of_two_addresses_with_files_of_one_name_each_keeps_its_own(server):
    one, two = (server.serves(f"/{where}/tokenizer.json", file(where.encode())) for where in ("a", "b"))
    assert [fetched(url).path.read_bytes() for url in (one, two, one)] == [b"a", b"b", b"a"]
    sidecar = fetched(server.serves("/a/config.json", file(b"{}")))
    assert sidecar.path.parent == fetched(one).path.parent


@pytest.mark.parametrize(
    "name", ["..", "%2e%2e%2fup", "", ".hidden", "a%00b", "x" * 500, "con/..%5c..%5cup", "tökenizer.json"]
)
def test_any_file_name_is_stored_inside_the_cache(home, name):
    path = cached.path_of(f"http://x/{name}")
    assert path.parent.parent == cached.folder()
    assert path.name == path.name.strip(".")
    assert len(path.name) <= 120
    assert "\0" not in path.name


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            status(401),
            "or does not exist (401). Set the environment variable HF_TOKEN to a token that has access.",
        ),
        (
            status(403),
            "or does not exist (403). Set the environment variable HF_TOKEN to a token that has access.",
        ),
        (status(404), "There is no such file (404). Check the address."),
        (status(416), "The file is empty, or changed during the download (416). Try again."),
        (status(418), "The request failed (418). Check the address."),
        (status(429, Retry_After="17"), "Too many requests (429). Try again in 17 s."),
        (status(429, Retry_After="\x1b[2J"), "Too many requests (429). Try again later."),
        (status(502), "The server is not available (502). Try again later."),
        (status(302, Location="/x"), "redirects in a circle. Check the address."),
        (
            status(302, Location="file:///etc/passwd"),
            "redirects to an address that is not on the web. Nothing was downloaded.",
        ),
    ],
)
def test_server_errors_are_reported_in_a_sentence(server, answer, message):
    url = server.serves("/x", answer)
    with pytest.raises(VocabError) as caught:
        fetched(url)
    assert str(caught.value).endswith(message)
    assert not cached.path_of(url).exists()


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_a_redirect_is_followed_without_forwarding_the_token(server, monkeypatch, host):
    monkeypatch.setenv("HF_TOKEN", "s3cret")
    with serving() as other:
        elsewhere = other.serves("/y", file(b"here")).replace("127.0.0.1", host)
        url = server.serves("/x", status(302, Location=elsewhere))
        assert fetched(url).path.read_bytes() == b"here"
        assert server.headers_of("/x")[0]["Authorization"] == "Bearer s3cret"
        assert "Authorization" not in other.headers_of("/y")[0]
        assert fetched(other.serves("/z", file(b"there"))).path.read_bytes() == b"there"
        assert "Authorization" not in other.headers_of("/z")[0]
        url = other.serves("/private", status(403))
        with pytest.raises(VocabError) as caught:
            fetched(url)
    hub = server.address.removeprefix("http://")
    assert str(caught.value).endswith(
        f"(403). The token in HF_TOKEN is sent to {hub} only (HF_ENDPOINT names another hub)."
    )
    server.serves("/x", status(401))
    with pytest.raises(
        VocabError, match=r"The token in HF_TOKEN has no access to this \(401\), or it does not exist\."
    ):
        fetched(f"{server.address}/x")


def test_who_pretends_to_be_the_hub_gets_no_token(monkeypatch):
    for hub in ("https://huggingface.co", "https://mirror.example/hf/", ""):
        monkeypatch.setenv("HF_ENDPOINT", hub)
        address = hub.rstrip("/") or web.USUAL_HUB
        assert web.hub_path(f"{address}/o/n") == "/o/n"
        for url in (f"{address}.evil.org/o", f"{address}@evil.org/o", "https://evil.org/o", address):
            assert web.hub_path(url) is None


def test_a_connection_that_breaks_leaves_nothing(server):
    def breaks(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "100000")
        handler.end_headers()
        handler.wfile.write(b"half")

    url = server.serves("/x", breaks)
    with pytest.raises(
        VocabError, match=r"closed the connection before the file was complete\. Try again\.$"
    ):
        fetched(url)
    assert [path for path in cached.folder().rglob("*") if path.is_file()] == []


def test_a_range_that_breaks_is_asked_for_from_there_on(server):
    data = bytes(range(256)) * 5000

    def some(handler):
        first = int(handler.headers["Range"].removeprefix("bytes=").partition("-")[0])
        part = data[first : first + 300_000]
        handler.send_response(206)
        handler.send_header("Content-Range", f"bytes {first}-{first + len(part) - 1}/{len(data)}")
        handler.send_header("Content-Length", str(len(part)))
        handler.end_headers()
        handler.wfile.write(part)

    assert fetched(server.serves("/x", some)).path.read_bytes() == data
    assert len(server.asked) == 5


def test_a_file_that_changes_between_two_ranges_is_not_put_together(server, steps):
    answers = iter([file(MODEL + TENSORS), file(MODEL[:9000] + TENSORS, etag='"2"')])
    url = server.serves("/m.gguf", lambda handler: next(answers)(handler))
    with pytest.raises(VocabError, match=r"changed during the download"):
        fetched(url)


def test_a_server_that_sends_nothing_more_is_not_asked_for_ever(server, steps):
    def nothing(handler):
        first = int(handler.headers["Range"].removeprefix("bytes=").partition("-")[0])
        part = MODEL[:8192] if first == 0 else b""
        handler.send_response(206)
        handler.send_header("Content-Range", f"bytes {first}-{first + len(part)}/{len(MODEL)}")
        handler.send_header("Content-Length", str(len(part)))
        handler.end_headers()
        handler.wfile.write(part)

    with pytest.raises(VocabError, match=r"stopped sending"):
        fetched(server.serves("/m.gguf", nothing))


@pytest.mark.parametrize("etag", ['W/"weak"', ""])
def test_a_server_may_identify_its_files_weakly_or_not_at_all(server, steps, etag):
    url = server.serves("/m.gguf", file(MODEL + TENSORS, etag=etag))
    assert len(guiapp.open_model(url).vocabulary) == 2560
    assert len(ranges(server, "/m.gguf")) == 3
    assert not any("If-Match" in headers for headers in server.headers_of("/m.gguf"))


def test_a_part_that_does_not_end_is_taken_as_far_as_it_was_asked_for(server, steps):
    def endless(handler):
        first, last = map(int, handler.headers["Range"].removeprefix("bytes=").split("-"))
        handler.send_response(206)
        handler.send_header("Content-Range", f"bytes {first}-{last}/{1 << 40}")
        handler.end_headers()
        handler.wfile.write((MODEL + TENSORS)[first:])
        while first:
            handler.wfile.write(bytes(1 << 20))

    downloaded = fetched(server.serves("/m.gguf", endless))
    assert len(MODEL) < downloaded.path.stat().st_size < len(MODEL) + (1 << 20)


def test_what_comes_packed_is_unpacked_and_its_length_is_not_that_of_the_file(server):
    packed = gzip.compress(data := bytes(range(256)) * 2000)

    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Encoding", "gzip")
        handler.send_header("Content-Length", str(len(packed)))
        handler.end_headers()
        handler.wfile.write(packed)

    downloaded = fetched(server.serves("/x", answer))
    assert (downloaded.path.read_bytes(), downloaded.whole_bytes) == (data, None)
    assert server.headers_of("/x")[0]["Accept-Encoding"] == "identity"


def test_a_packed_file_that_grows_without_end_is_refused(server, monkeypatch):
    monkeypatch.setattr(fetch, "MOST_BYTES", 1 << 20)
    bomb = gzip.compress(bytes(200 << 20), 1)

    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Encoding", "gzip")
        handler.end_headers()
        handler.wfile.write(bomb)

    with pytest.raises(VocabError, match=r"is larger than any tokenizer"):
        fetched(server.serves("/x", answer))


def test_a_few_bytes_that_unpack_to_many_are_refused_before_they_do(server):
    bomb = gzip.compress(gzip.compress(bytes(64 << 20), 1))

    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Encoding", "gzip, gzip")
        handler.end_headers()
        handler.wfile.write(bomb)

    with pytest.raises(VocabError, match=r"packed too tightly"):
        fetched(server.serves("/x", answer))


def test_a_server_that_answers_otherwise_than_http_asks_for_was_reached(server):
    def answer(handler):
        handler.send_response(200)
        handler.send_header("X", "a" * (1 << 17))
        handler.end_headers()

    with pytest.raises(VocabError, match=r"sent an answer that cannot be read"):
        fetched(server.serves("/x", answer))


def test_a_truncated_cached_file_is_downloaded_again(server):
    url = server.serves("/f", file(b"whole"))
    fetched(url).path.write_bytes(b"")
    assert fetched(url).path.read_bytes() == b"whole"


def test_another_part_than_was_asked_for_is_refused(server):
    answer = status(206, Content_Range="bytes 5-9/10")
    with pytest.raises(VocabError, match=r"sent a different part than requested"):
        fetched(server.serves("/x", answer))


def test_a_server_that_stalls_is_given_up_after_a_while(server):
    over = threading.Event()
    url = server.serves("/x", lambda handler: over.wait(10))
    with pytest.raises(VocabError, match=r"did not answer for 0\.2 s\. Try again later\."):
        fetched(url, web.Limits(stall_s=0.2))
    over.set()


def test_waiting_for_a_server_can_be_stopped(server):
    over = threading.Event()
    url = server.serves("/x", lambda handler: over.wait(10))

    class StoppedError(Exception):
        pass

    began_s = time.monotonic()

    def stop(_share):
        if time.monotonic() > began_s + 0.2:
            raise StoppedError

    with pytest.raises(StoppedError):
        guiapp.open_model(url, None, stop)
    assert time.monotonic() < began_s + 5
    over.set()


def test_a_file_larger_than_any_tokenizer_is_refused(server, monkeypatch):
    monkeypatch.setattr(fetch, "MOST_BYTES", 100_000)
    for says_length in (True, False):
        endless = file(bytes(50_000_000), has_ranges=False, says_length=says_length)
        with pytest.raises(VocabError, match=r"is larger than any tokenizer"):
            fetched(server.serves("/x", endless))


def test_a_header_that_never_ends_is_refused(server, steps, monkeypatch):
    with pytest.raises(VocabError, match=r"The file on the server ends there too\."):
        fetched(server.serves("/x.gguf", file(MODEL[:20000], says_length=False, has_ranges=False)))
    with pytest.raises(VocabError, match=r"x\.gguf claims .* metadata keys"):
        fetched(server.serves("/x.gguf", file(b"GGUF\3\0\0\0" + b"\xff" * 5000)))


def test_unreachable_servers_and_proxies_are_named(server, monkeypatch):
    address = server.address
    with pytest.raises(VocabError, match=r"127\.0\.0\.1:1 cannot be reached\. Check the address"):
        fetched("http://127.0.0.1:1/x")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with pytest.raises(VocabError, match=r"cannot be reached through the proxy"):
        fetched(f"{address}/x")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert fetched(server.serves("/x", file(b"direct"))).path.read_bytes() == b"direct"
    monkeypatch.setenv("no_proxy", "")
    monkeypatch.setenv("http_proxy", address)
    server.serves("http://far.example/x", file(b"by proxy"))
    assert fetched("http://far.example/x").path.read_bytes() == b"by proxy"


@pytest.mark.parametrize(
    "url", ["http://", "https://[", "http://a b/", "https://x:99999999/y", "http://\x1b/x"]
)
def test_an_address_that_is_none_is_a_sentence(url):
    with pytest.raises(VocabError) as caught:
        guiapp.open_model(url)
    assert "\x1b" not in str(caught.value)


def test_the_cache_is_measured_and_can_be_cleared(server):
    assert cached.size_bytes() == 0
    cached.clear()
    downloaded = fetched(server.serves("/f", file(bytes(5000))))
    assert 5000 < cached.size_bytes() < 6000
    outside = put(cached.folder().parent / "outside/model.gguf", b"mine")
    (cached.folder() / "link").symlink_to(outside.parent)
    put(cached.folder() / "fetching-x/half", bytes(7000))  # by a program that was killed
    assert 12_000 < cached.size_bytes() < 13_000
    cached.clear()
    assert (cached.size_bytes(), downloaded.path.exists(), outside.read_bytes()) == (0, False, b"mine")


def test_an_unwritable_cache_is_reported(server, monkeypatch, tmp_path):
    monkeypatch.setattr(cached, "folder", lambda: put(tmp_path / "file", b"") / "models")
    with pytest.raises(VocabError, match=r"/file/models/[0-9a-f]+ cannot be written: Not a directory\."):
        fetched(server.serves("/f", file(b"data")))


def test_a_cached_file_opens_without_contacting_its_server(server):
    url = server.serves("/bpe.gguf", file(MODEL + TENSORS))
    assert len(guiapp.open_model(url).vocabulary) == 2560
    n_asked = len(server.asked)
    opened = guiapp.open_model(f"kept:{url}")
    assert (len(opened.vocabulary), len(server.asked)) == (2560, n_asked)
    assert opened.vocabulary.warnings == guiapp.open_model("demo:bpe").vocabulary.warnings
    cached.clear()
    with pytest.raises(
        VocabError, match=r"^http.*bpe\.gguf is not cached\. Open it by this name to download it\."
    ):
        guiapp.open_model(f"kept:{url}")
    assert len(server.asked) == n_asked


@pytest.mark.parametrize("record", ["", "[]", '{"url": 1}', '{"url": "URL", "validators": 3}', "{" * 100_000])
def test_a_damaged_record_only_costs_a_request(server, record):
    url = server.serves("/f", file(b"data"))
    path = fetched(url).path
    path.with_name("f.kept.json").write_text(record.replace("URL", url))
    assert cached.cached(url) is None
    assert fetched(url).path.read_bytes() == b"data"
