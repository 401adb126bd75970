"""Embeddings on the Vocabulary page: when they are looked for and read, and what is shown of them."""

import numpy as np
import pytest
from embedded_models import rows_with_dead, write_model
from gguf import GGMLQuantizationType
from vocabulary_pairs import load

from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.kit.token_table.vocabulary import VocabularyModel
from guiapp.pages.vocabulary.embeddings import EmbeddingsModel

N_TOKENS, DEAD, KNOWN, UNREACHED = 120, range(50, 70), range(50, 60), 61


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    rows = rows_with_dead(N_TOKENS, 64, DEAD, 0.1)
    tensors = {"token_embd.weight": (GGMLQuantizationType.F32, rows.view(np.uint8))}
    return str(write_model(tmp_path_factory.mktemp("models") / "x.gguf", tensors, N_TOKENS, KNOWN))


@pytest.fixture
def open_model(qtbot, settings, monkeypatch):
    monkeypatch.setattr(
        "guiapp.kit.token_table.vocabulary.unreached_apart", lambda *_: np.array([UNREACHED], np.int32)
    )
    made = []

    def make(name):
        session = ModelSession(TextSession(b""), load=load)
        model = VocabularyModel(session, settings)
        embeddings = EmbeddingsModel(model)
        made.append((session, model, embeddings))
        model.set_active(True)
        session.loader.open(name)
        qtbot.waitUntil(lambda: model.source is not None)
        wait_until_idle(model, embeddings, qtbot)
        return model, embeddings

    yield make
    for session, model, embeddings in made:
        embeddings.close()
        model.close()
        session.close()


@pytest.fixture
def opened(open_model, path):
    return open_model(path)


@pytest.fixture
def read(opened, qtbot):
    model, embeddings = opened
    embeddings.read()
    wait_until_idle(model, embeddings, qtbot)
    qtbot.waitUntil(lambda: embeddings.n_unreached is not None)
    return opened


def wait_until_idle(model, embeddings, qtbot):
    def is_still():
        jobs = embeddings.reading.is_busy
        return model.is_up_to_date and not model.is_gathering and not jobs

    qtbot.waitUntil(is_still)


def test_nothing_is_read_unless_asked_for(opened):
    model, embeddings = opened
    assert (embeddings.indicators, embeddings.picture, embeddings.n_unreached) == (None, None, None)
    assert (embeddings.problem, embeddings.values(3)) == ("", {})
    chosen = model.chosen
    embeddings.step(1)
    embeddings.list_suspects()
    assert model.chosen == chosen
    assert model.request.sort != "cosine"


def test_a_model_without_embeddings_is_reported(open_model, qtbot):
    model, embeddings = open_model("demo:toy")
    embeddings.read()
    wait_until_idle(model, embeddings, qtbot)
    assert embeddings.problem.startswith("toy.gguf has no embeddings")
    assert embeddings.indicators is None


def test_what_is_read_comes_as_columns_and_as_a_picture(read):
    model, embeddings = read
    indicators, picture = embeddings.indicators, embeddings.picture
    assert set(indicators.suspects.tolist()) == {*DEAD} - {*KNOWN}
    assert {"norm", indicators.column} <= set(model.columns)
    assert (picture.up, indicators.column, embeddings.n_unreached) == ("cosine", "cosine", 1)
    assert picture.tokens.tolist() == [*range(N_TOKENS)]
    assert np.flatnonzero(picture.is_suspect).tolist() == sorted({*DEAD} - {*KNOWN})
    assert np.flatnonzero(picture.is_known).tolist() == [*KNOWN]
    assert np.flatnonzero(picture.is_unreached).tolist() == [UNREACHED]
    assert (picture.limit_across, picture.limit_up) == (None, indicators.limit)
    assert (picture.x.dtype, picture.y.dtype) == (np.float64, np.float64)
    norm, cosine = embeddings.values(61).values()
    assert float(norm) == pytest.approx(picture.x[61], rel=0.01)
    assert float(cosine) == pytest.approx(picture.y[61], abs=0.001)


def test_rows_to_compare_with_can_be_chosen(opened, qtbot):
    model, embeddings = opened
    embeddings.read(np.array([65, 66, 67]))
    wait_until_idle(model, embeddings, qtbot)
    assert np.flatnonzero(embeddings.indicators.is_known).tolist() == [*KNOWN, 65, 66, 67]
    assert not {65, 66, 67} & {*embeddings.indicators.suspects.tolist()}


def test_without_known_rows_the_norm_is_the_indicator(open_model, tmp_path, qtbot):
    rows = rows_with_dead(N_TOKENS, 64, DEAD, 0.1)
    tensors = {"token_embd.weight": (GGMLQuantizationType.F32, rows.view(np.uint8))}
    model, embeddings = open_model(str(write_model(tmp_path / "y.gguf", tensors, N_TOKENS)))
    embeddings.read()
    wait_until_idle(model, embeddings, qtbot)
    indicators, picture = embeddings.indicators, embeddings.picture
    assert (indicators.column, picture.limit_across) == ("norm", indicators.limit)
    assert (picture.up, picture.limit_up) == ("length", None)
    assert [*embeddings.values(3)] == ["norm", "length"]
    assert not picture.is_known.any()


def test_suspects_are_walked_round_and_listed(read, qtbot):
    model, embeddings = read
    suspects = embeddings.indicators.suspects.tolist()
    model.choose(3)
    seen = []
    for by in (1, 1, -1, -1, 1):
        embeddings.step(by)
        seen.append(model.chosen)
    assert seen == [suspects[at] for at in (0, 1, 0, -1, 0)]
    model.choose(3)
    embeddings.step(-1)
    assert model.chosen == suspects[-1]
    embeddings.list_suspects()
    wait_until_idle(model, embeddings, qtbot)
    assert model.shown.rows.tolist() == suspects
    embeddings.list_suspects()
    wait_until_idle(model, embeddings, qtbot)
    assert len(model.shown.rows) == N_TOKENS


def test_a_prompt_is_about_the_chosen_token(read):
    model, embeddings = read
    model.choose(7)
    assert "«t7»" in embeddings.prompt().text
    model.choose(None)
    assert embeddings.prompt() is None
