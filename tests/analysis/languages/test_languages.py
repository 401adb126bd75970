"""Parallel texts: the published counts of Petrov et al., what is counted, and folders that are odd."""

import base64
import csv
from itertools import pairwise

import numpy as np
import pytest
from conftest import SHARED, VOCABS
from hypothesis import given
from hypothesis import strategies as st
from model_files import opened

import guiapp
from guiapp.analysis.compare.comparison import count_whole_words, words_of
from guiapp.analysis.compare.texts import TextFolderError
from guiapp.analysis.languages.languages import joined_lines, usual_reference
from guiapp.analysis.languages.languages_report import csv_text, html_text, record, report
from guiapp.errors import EncodeError

FLORES = SHARED / "flores"
MODELS = "demo:bpe", "demo:wordpiece"
TEXTS = {"en.txt": "One two\nthree\n", "de.txt": "Eins zwei\ndrei 漢字 🦄\n", "th.txt": "หนึ่งสอง\nสาม\n"}


@pytest.fixture
def folder(tmp_path):
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def p50k_base(tmp_path_factory):
    """OpenAI's file, made of GPT-2's tokens and runs of 2 to 25 spaces: it is known by its SHA-256."""
    vocabulary = opened(VOCABS / "ggml-vocab-gpt-2.gguf").vocabulary
    tokens = [(vocabulary.token_bytes(row), row) for row in range(50_256)]
    tokens += [(b" " * length, 50_255 + length) for length in range(2, 26)]
    path = tmp_path_factory.mktemp("openai") / "p50k_base.tiktoken"
    path.write_bytes(b"".join(base64.b64encode(token) + b" %d\n" % row for token, row in tokens))
    assert guiapp.open_model(path).vocabulary.name == "p50k_base"
    return path


@pytest.mark.real_vocabs
@pytest.mark.slow
def test_all_counts_that_petrov_et_al_published_are_the_same(p50k_base):
    models = {
        "GPT-2": VOCABS / "ggml-vocab-gpt-2.gguf",
        "Qwen": SHARED / "formats" / "qwen.tiktoken",
        "LLAMA": VOCABS / "ggml-vocab-llama-spm.gguf",
        "p50k_base": p50k_base,
        "cl100k_base": SHARED / "formats" / "cl100k_base.tiktoken",
    }
    with (FLORES / "petrov-2023.csv").open(encoding="utf-8", newline="") as file:
        published = {row["code"]: row for row in csv.DictReader(file)}
    result = guiapp.languages([*models.values()], FLORES)
    expected = [[int(published[code][model]) for code in result.languages] for model in models]
    assert result.tokens.tolist() == expected
    assert result.tokens.shape == (5, 16)
    assert set(result.lines.tolist()) == {2009}
    ratios = result.tokens / result.tokens[:, [result.languages.index("eng_Latn")]]
    assert np.array_equal(result.premium, ratios)
    assert "petrov-2023.csv" in result.notes[0]


def test_each_number_is_that_of_the_joined_text(folder):
    result = guiapp.languages(MODELS, folder, "en")
    assert result.languages == ("de", "en", "th")
    for row, model in enumerate(MODELS):
        tokenizer = opened(model)
        for at, name in enumerate(result.languages):
            text = TEXTS[f"{name}.txt"].replace("\n", " ")
            encoding = tokenizer.encode(text, add_special=False, parse_special=False)
            assert result.tokens[row, at] == len(encoding)
            assert result.characters_per_token[row, at] == len(text) / len(encoding)
            assert result.bytes_per_token[row, at] == len(text.encode()) / len(encoding)
            used = len(set(encoding.token_ids.tolist()))
            assert result.vocabulary_share[row, at] == used / len(tokenizer.vocabulary)
            n_unknown = encoding.token_ids.tolist().count(tokenizer.vocabulary.special_ids.unk)
            assert result.unknown_share[row, at] == n_unknown / len(encoding)
    assert result.unknown_share[1].any()
    assert result.words.tolist() == [5, 3, 9]
    assert result.parity[1].tolist() == [1, 1]
    assert result.parity[:, 1].tolist() == result.premium.max(axis=0).tolist()
    others = result.premium[:, [0, 2]]
    assert result.mean_premium == pytest.approx(np.sqrt(others.prod(axis=1)))
    turned = result.against("de")
    assert turned.premium[:, 0].tolist() == [1, 1]
    assert turned.premium == pytest.approx(result.premium / result.premium[:, [0]])


@given(st.text(alphabet="ab é漢ก้'1 \n", max_size=40), st.data())
def test_a_word_is_whole_if_one_known_token_alone_touches_it(text, data):
    data_bytes = text.encode()
    cuts = data.draw(st.lists(st.integers(0, len(data_bytes)), max_size=20))
    bounds = [0, *sorted(cuts), len(data_bytes)]
    spans = np.array([*pairwise(bounds), (0, 0)], np.int64)
    unknown = np.array(data.draw(st.lists(st.booleans(), min_size=len(spans), max_size=len(spans))), bool)
    starts, ends = words_of(data_bytes).bounds()
    tokens = [(row, first, last) for row, (first, last) in enumerate(spans.tolist()) if first < last]
    touching = [
        [row for row, first, last in tokens if first < end and start < last]
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]
    n_whole = sum(len(rows) == 1 and not unknown[rows[0]] for rows in touching)
    assert count_whole_words(data_bytes, spans, unknown) == (len(starts), n_whole)


def test_files_of_one_name_are_joined_with_any_line_endings(tmp_path):
    for part in ("dev", "devtest"):
        (tmp_path / part).mkdir()
        for code in ("eng_Latn", "deu_Latn"):
            (tmp_path / part / f"{code}.{part}").write_bytes(b"a\r\nb\n" if code[0] == "e" else b"c\nd\n")
    (tmp_path / "README").write_bytes(b"no language")
    result = guiapp.languages(["demo:bpe"], tmp_path)
    assert result.languages == ("deu_Latn", "eng_Latn")
    assert result.lines.tolist() == [4, 4]
    paths = [tmp_path / part / f"eng_Latn.{part}" for part in ("dev", "devtest")]
    assert joined_lines(paths) == (4, b"a b  a b ")
    assert len(result.notes) == 1
    assert "README" in result.notes[0]


def test_odd_files_are_skipped_or_noted(folder):
    (folder / "empty.txt").write_bytes(b" \n\n")
    (folder / "binary.txt").write_bytes(b"\0\1\2")
    (folder / "more.txt").write_bytes(b"\xff\xfe\xff a\nb\nc\n\x80\n")
    (folder / "wide.txt").write_bytes("One two\nthree\n".encode("utf-16"))
    (folder / "notes.md").write_bytes(b"no language")
    result = guiapp.languages(MODELS, folder, "en")
    assert result.languages == ("de", "en", "more", "th", "wide")
    assert result.tokens[:, 1].tolist() == result.tokens[:, 4].tolist()
    notes = " ".join(result.notes)
    assert all(each in notes for each in ("empty", "1 file without text", "more", "notes.md"))
    assert "wide" not in notes


def test_nothing_stands_for_a_premium_that_there_is_not(folder):
    (folder / "none.txt").write_text("\u200b\n", "utf-8")  # no token at all
    result = guiapp.languages(["demo:wordpiece", "demo:bpe"], folder, "none")
    assert np.isnan(result.premium[0]).all()
    assert record(result)["models"][0]["languages"][0]["premium"] is None
    assert "no tokens" in html_text(result, MODELS, "x")
    assert "nan" not in report(result, None, MODELS, "x") + csv_text(result)


def test_folders_models_and_references_that_cannot_be_used_are_refused(folder):
    (folder / "empty.txt").write_bytes(b"")
    (lonely := folder / "lonely").mkdir()
    odd = [
        (folder / "en.txt", "en"),
        (folder / "nowhere", "en"),
        (lonely, "en"),
        (folder, "empty"),
        (folder, "xx"),
    ]
    for path, reference in odd:
        with pytest.raises(TextFolderError) as refused:
            guiapp.languages(MODELS, path, reference)
        assert str(path) in str(refused.value) or reference in str(refused.value)
    (lonely / "en.txt").write_bytes(b"text")
    for name in ("empty.txt", "binary.txt"):
        (lonely / name).write_bytes(b"\0" * (name == "binary.txt"))
        with pytest.raises(TextFolderError):
            guiapp.languages(MODELS, lonely, "en")
    with pytest.raises(EncodeError):
        guiapp.languages([], folder, "en")
    assert [usual_reference(folder, requested) for requested in ("th", "xx", "")] == ["th", "en", "en"]


def test_progress_is_reported_and_stops_the_counting_if_it_raises(folder):
    shares = []
    guiapp.languages(MODELS, folder, "en", progress=shares.append)
    assert shares == [0, 1 / 3, 2 / 3]

    with pytest.raises(ZeroDivisionError):
        guiapp.languages(MODELS, folder, "en", progress=lambda share: 1 / 0)
