"""Lists of a small vocabulary in each form, written out; columns of embeddings and of trials."""

import csv
import io
import json

import numpy as np
import pytest
from embedded_models import write_model
from gguf import GGMLQuantizationType
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.analysis.vocabulary_list.embeddings import INPUT
from guiapp.analysis.vocabulary_list.filters import vocabulary_list
from guiapp.analysis.vocabulary_list.listing import FORMS, exported
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import SpecialIds

TOKENS = {"<s>": Attribute.CONTROL, "a": -1.5, "▁a": -1234.5678, "a\n|": -2.0, "<0xE2>": Attribute.BYTE}
SHOWN = [
    "id",
    "token",
    "bytes",
    "length",
    "characters",
    "kind",
    "script",
    "role",
    "score",
    "children",
    "below",
]
SHOWN += ["depth"]


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer(toy_vocabulary(TOKENS, special_ids=SpecialIds(bos=0, fim_pre=0), eog=[0]))


def exported_text(shown, form):
    shares = []
    text = exported(shown, FORMS[form], shares.append).decode()
    assert shares == [0.0]
    return text


def test_a_list_is_written_out_in_each_form(tokenizer):
    shown = vocabulary_list(tokenizer, columns=SHOWN)
    rows = [line.split() for line in exported_text(shown, "text").splitlines()]
    assert rows[0] == SHOWN
    assert [row[0] for row in rows[1:]] == ["0", "1", "2", "3", "4"]
    assert exported_text(shown, "csv") == (
        "id,token,bytes,length,characters,kind,script,role,score,children,below,depth\n"
        "0,<s>,3c733e,3,3,control,Special tokens,BOS · FIM PRE · EOG,0,0,0,1\n"
        "1,a,61,1,1,normal,Latin,,-1.5,1,1,1\n"
        "2, a,2061,2,2,normal,Latin,,-1234.5677490234375,0,0,1\n"
        '3,"a\n|",610a7c,3,3,normal,Latin,,-2,0,0,2\n'
        "4,<E2>,e2,1,1,byte,Bytes of characters,,0,0,0,1\n"
    )
    record = json.loads(exported_text(shown, "json"))
    assert (record["filter"], record["count"]) == ("", 5)
    assert record["tokens"][2] == {
        "id": 2, "token": " a", "bytes": "2061", "length": 2, "characters": 2, "kind": "normal",
        "script": "Latin", "role": "", "score": -1234.5677490234375, "children": 0, "below": 0, "depth": 1,
    }  # fmt: skip
    markdown = exported_text(shown, "markdown").splitlines()
    assert markdown[0] == f"| {' | '.join(SHOWN)} |"
    assert len(markdown) == 2 + len(TOKENS)
    assert "20 61" in markdown[4]
    assert "-1,234.57" in markdown[4]


@pytest.fixture(scope="module")
def embedded(tmp_path_factory):
    rows = np.ones((8, 4), np.float32)
    rows[:, 0] = [1, 2, 3, np.nan, 0.1, 0.1, 0.1, 5]
    path = tmp_path_factory.mktemp("embedded") / "x.gguf"
    return guiapp.open_model(
        write_model(path, {INPUT: (GGMLQuantizationType.F32, rows.view(np.uint8))}, 8, range(4, 6))
    )


def test_embeddings_are_read_where_that_is_asked_for(embedded):
    columns = ["id", "norm", "distance", "cosine"]
    shown = vocabulary_list(embedded, "", "norm", False, columns, reads_embeddings=True)
    rows = [row.split() for row in exported_text(shown, "text").splitlines()]
    norms = np.linalg.norm([[first, 1, 1, 1] for first in (0.1, 0.1, 0.1, 1, 2, 3, 5)], axis=1)
    assert [row[:3] for row in rows] == [
        columns[:3],
        *(
            [token, f"{norm:.3g}", distance]
            for token, norm, distance in zip(
                "4560127", norms, ["0"] * 3 + ["0.9", "1.9", "2.9", "4.9"], strict=True
            )
        ),
        ["3"],
    ]
    indicators = shown.figures.indicators
    assert (
        indicators.record
        == json.loads(exported_text(shown, "json"))["embeddings"]
        == {
            "indicator": "cosine distance to the known unused rows",
            "limit": indicators.limit,
            "untrained": 1,
            "compared_with": {"what": "tokens named or marked as unused or reserved", "rows": [4, 5]},
            "tensors": [{"name": "token_embd.weight", "type": "F32", "rows": 8, "width": 4}],
            "remarks": ["Rows of token_embd.weight with invalid or too large numbers: 1."],
        }
    )
    assert len(list(indicators.sentences)) == 3
    untrained = vocabulary_list(embedded, "is:untrained", reads_embeddings=True)
    assert untrained.ids.tolist() == [6]
    assert "embeddings" not in json.loads(exported_text(vocabulary_list(embedded), "json"))


@pytest.fixture(scope="module")
def shown():
    columns = ["id", "token", "bytes", "length", "kind", "role", "rank", "score", "script"]
    return guiapp.vocab("demo:bpe", "/^[ |\\n-~]{1,3}$/ -is:reserved", "length", True, columns)


def test_all_forms_export_the_same_tokens(shown):
    texts = {form: exported(shown, FORMS[form], lambda share: None).decode() for form in FORMS}
    record = json.loads(texts["json"])
    rows = list(csv.DictReader(io.StringIO(texts["csv"], newline="")))
    assert record["count"] == len(rows) == len(shown.ids) > 300
    assert (
        [token["id"] for token in record["tokens"]] == [int(row["id"]) for row in rows] == shown.ids.tolist()
    )
    assert [token["bytes"] for token in record["tokens"]] == [row["bytes"] for row in rows]
    assert texts["markdown"].count("\n") == len(rows) + 2
    assert texts["text"].count("\n") == len(rows) + 1
    for token in record["tokens"]:
        assert bytes.fromhex(token["bytes"]) == shown.figures.vocabulary.token_bytes(token["id"])
        assert (2 * token["length"], token["score"]) == (len(token["bytes"]), None)
    own = {row["token"].encode() for row in rows}  # the tokens' own texts: blanks and ends of lines, no signs
    assert {bytes.fromhex(token["bytes"]) for token in record["tokens"]} == own
    assert b" " in own
