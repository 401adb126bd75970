"""Models of the hub come from the cache of Hugging Face's libraries, else its files are fetched."""

import json

import pytest
from installed_models import put
from loopback import file, status

import guiapp
from guiapp import VocabError
from guiapp.core.demo import demo_model_path
from guiapp.core.sources.fetch import fetched
from guiapp.core.sources.hub import hub_file, name_of, parsed
from guiapp.core.sources.installed import installed_models
from guiapp.core.sources.locate import located
from guiapp.core.vocabulary.opening import Opening

TOY, BPE = (demo_model_path(name).read_bytes() for name in ("toy", "bpe"))
OPENING = Opening(lambda _share: None)


def fetch(url):
    return fetched(url, OPENING)


def repository(server, names, revision="main", **contents):
    """A repository o/n of some files, as the hub tells of it."""
    listing = {"sha": "abc", "siblings": [{"rfilename": name} for name in names]}
    server.serves(f"/api/models/o/n/revision/{revision}", file(json.dumps(listing).encode(), etag=""))
    for name in names:
        data = contents.get(name, name.encode())
        server.serves(f"/o/n/resolve/{revision}/{name}", file(data))


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("o/n", ("o/n", "main", "")),
        ("o/n@v1.0", ("o/n", "v1.0", "")),
        ("o/n/a/b.gguf", ("o/n", "main", "a/b.gguf")),
        ("o/n-2.5@pr%2F1/x", ("o/n-2.5", "pr/1", "x")),
        ("o/n@%2e%2e", None),
        ("o/n@0a1b/x.gguf", ("o/n", "0a1b", "x.gguf")),
        ("o.x/n_y", ("o.x/n_y", "main", "")),
        ("gpt2", ("gpt2", "main", "")),
        ("gpt2@main/vocab.json", ("gpt2", "main", "vocab.json")),
        *((name, None) for name in ("", "o/", "o/ö", "/n", "../n/x", "o/n/../../x", "o/n@", "o/n/", "ö/n")),
    ],
)
def test_names_have_an_owner_a_name_and_perhaps_a_revision_and_a_file(name, parts):
    if parts is None:
        with pytest.raises(VocabError, match=r"is not a repository\. Write hf:OWNER/NAME or"):
            parsed(name)
    else:
        assert parsed(name) == parts


def test_a_file_that_is_named_is_fetched_as_far_as_it_is_needed(server, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "s3cret")
    repository(server, ["q/m.gguf"], **{"q/m.gguf": BPE + bytes(9 << 20)})
    tokenizer = guiapp.open_model("hf:o/n/q/m.gguf")
    assert (len(tokenizer.vocabulary), tokenizer.vocabulary.path.name) == (2560, "m.gguf")
    ((path, headers),) = server.asked
    assert (path, headers["Authorization"]) == ("/o/n/resolve/main/q/m.gguf", "Bearer s3cret")


def test_without_a_file_the_tokenizer_is_chosen_and_what_is_read_with_it_comes_along(server):
    repository(server, ["README.md", "tokenizer.json", "tokenizer_config.json", "a.gguf", "m.bin"])
    result = located("hf:o/n", OPENING)
    assert result.path.read_bytes() == b"tokenizer.json"
    assert result.path.with_name("tokenizer_config.json").read_bytes() == b"tokenizer_config.json"
    assert {path.rpartition("/")[2] for path, _ in server.asked} == {
        "main", "tokenizer.json", "tokenizer_config.json",
    }  # fmt: skip
    assert "Authorization" not in server.asked[0][1]


def test_the_same_comes_along_with_a_file_that_is_named_wherever_it_lies(server):
    repository(server, ["a/tokenizer.json", "a/tokenizer_config.json", "tokenizer_config.json", "b/x.gguf"])
    result = located("hf:o/n/a/tokenizer.json", OPENING)
    assert result.path.with_name("tokenizer_config.json").read_bytes() == b"a/tokenizer_config.json"
    assert located("hf:o/n", OPENING).path == result.path


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/o/n/resolve/main/a/b%20c.gguf", "o/n/a/b c.gguf"),
        ("/o/n/blob/v1/tokenizer.json?download=true", "o/n@v1/tokenizer.json"),
        ("/o/n/tree/main", "o/n"),
        ("/gpt2/resolve/main/vocab.json", "gpt2@main/vocab.json"),
        ("/o/n/resolve/refs%2Fpr%2F1/x", "o/n@refs%2Fpr%2F1/x"),
        ("/api/models/o/n", None),
        ("/x.gguf", None),
    ],
)
def test_addresses_on_the_hub_are_names_there(server, path, name):
    assert name_of(server.address + path) == name
    assert name_of("https://elsewhere.org" + path) is None
    if name is not None:
        parsed(name)


def test_what_was_fetched_is_listed_and_opens_offline_by_its_name(server):
    repository(server, ["README.md", "toy.gguf"], **{"toy.gguf": TOY})
    other = server.serves("/models/bpe.gguf", file(BPE))
    for name in ("hf:o/n", other):
        guiapp.open_model(name)
    n_asked = len(server.asked)
    result = {model.name: model.source for model in installed_models()}
    assert result == {"kept:hf:o/n/toy.gguf": "Fetched", f"kept:{other}": "Fetched"}
    for name, size in (("kept:hf:o/n", 9), ("kept:hf:o/n/toy.gguf", 9), (f"kept:{other}", 2560)):
        assert len(guiapp.open_model(name).vocabulary) == size
    assert len(server.asked) == n_asked


@pytest.mark.parametrize(("named", "folder"), [("", ""), ("/vocab.json", ""), ("/old/merges.txt", "old/")])
def test_a_list_of_tokens_is_fetched_with_all_that_is_read_with_it(server, named, folder):
    needed = {
        f"{folder}{name}" for name in ("vocab.json", "merges.txt", "tokenizer_config.json", "config.json")
    }
    repository(server, ["README.md", "pytorch_model.bin", *needed])
    result = located(f"hf:o/n{named}", OPENING)
    assert {path.partition("/resolve/main/")[2] for path, _ in server.asked if "/resolve/" in path} == needed
    for name in needed:
        assert result.path.with_name(name.rpartition("/")[2]).read_bytes() == name.encode()


def test_a_revision_may_be_named(server):
    for revision in ("v2", "refs%2Fpr%2F1"):
        repository(server, ["toy.gguf"], revision, **{"toy.gguf": TOY})
        assert len(guiapp.open_model(f"hf:o/n@{revision}").vocabulary) == 9


def test_a_repository_without_a_usable_tokenizer_is_reported(server):
    for listing in (b"{}", b"[]", b"\xff", b'{"siblings": [1, {"rfilename": "README.md"}]}'):
        server.serves("/api/models/o/n/revision/main", file(listing, etag=""))
        with pytest.raises(VocabError, match=r"^o/n has no tokenizer file\. Choose another"):
            hub_file("o/n", fetch)
    server.serves("/api/models/o/n/revision/main", status(401))
    with pytest.raises(VocabError, match=r"does not exist \(401\)\. Set .* HF_TOKEN "):
        hub_file("o/n", fetch)


def test_the_libraries_cache_is_asked_first_and_no_network(home, server):
    hub = home / ".cache/huggingface/hub/models--o--n"
    put(hub / "snapshots/abc/toy.gguf", TOY)
    put(hub / "refs/main", b"abc\n")
    for name in ("o/n", "o/n/toy.gguf", "o/n@main", "o/n@abc/toy.gguf"):
        assert hub_file(name, fetch).path == hub / "snapshots/abc/toy.gguf"
    assert server.asked == []
    with pytest.raises(VocabError, match=r"404"):
        hub_file("o/n@other", fetch)
    with pytest.raises(VocabError, match=r"404"):
        hub_file("o/n/other.gguf", fetch)
    put(hub / "refs/evil", b"../../../secret")
    with pytest.raises(VocabError, match=r"404"):
        hub_file("o/n@evil", fetch)
