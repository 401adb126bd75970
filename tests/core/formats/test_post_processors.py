"""Ids around a text, against `tokenizers` where it says them, too."""

import json

import pytest
from tokenizers import Tokenizer, models

from guiapp.core.formats.tokenizer_document import MOST_AROUND, affix_ids
from guiapp.core.hugging_face.spec import ComponentError

BERT = {"type": "BertProcessing", "sep": ["c", 2], "cls": ["b", 1]}
ROBERTA = BERT | {"type": "RobertaProcessing", "trim_offsets": True, "add_prefix_space": True}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}


def template(single, pair="A B"):
    """Texts are A and B; 1 and 2 are themselves, and 3 is put as two of it."""

    def pieces(written):
        return [
            {"SpecialToken" if each.isdigit() else "Sequence": {"id": each, "type_id": 0}}
            for each in written.split()
        ]

    return {
        "type": "TemplateProcessing",
        "single": pieces(single),
        "pair": pieces(pair),
        "special_tokens": {
            name: {"id": name, "ids": ids, "tokens": [name] * len(ids)}
            for name, ids in {"1": [1], "2": [2], "3": [3, 3]}.items()
        },
    }


def in_a_row(*each):
    return {"type": "Sequence", "processors": list(each)}


@pytest.mark.parametrize(
    ("said", "around"),
    [
        (None, ((), ())),
        (BYTE_LEVEL, ((), ())),
        (BERT, ((1,), (2,))),
        (ROBERTA, ((1,), (2,))),
        (template("3 1 A 2"), ((3, 3, 1), (2,))),
        (in_a_row(template("A 3"), BERT), ((1,), (2, 3, 3, 2))),
        (in_a_row(template("A 3"), ROBERTA), ((1,), (2, 2, 3, 3, 2))),
        (in_a_row(template("A 1"), template("A", "B 3 A 2")), ((1, 3, 3), (2,))),
        (in_a_row(template("1 A"), in_a_row(template("A", "B 3 A")), BERT), ((1,), (2, 3, 3, 2, 1, 2))),
    ],
)
def test_ids_are_put_around_a_text_as_the_library_does(said, around):
    assert affix_ids(said) == around
    theirs = Tokenizer(models.WordLevel({"a": 0, "b": 1, "c": 2, "d": 3}, "a"))
    theirs = Tokenizer.from_str(json.dumps(json.loads(theirs.to_str()) | {"post_processor": said}))
    assert theirs.encode("a").ids == [*around[0], 0, *around[1]]


THREE = template("1 A 1")


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (template("1"), "repeats or drops the text, rather than to put ids around it"),
        (template("A A"), "repeats or drops the text, rather than to put ids around it"),
        (in_a_row(template("1 A"), template("A", "A")), "repeats or drops the text"),
        (template("A B"), "wants a text “B” where there is none"),
        (in_a_row(template("1 A"), template("A", "A C B")), "wants a text “C” where there is none"),
        (in_a_row(THREE, THREE), "fills a template from more than two parts"),
        (BERT | {"sep": ["c", True]}, "with the id True"),
        (BERT | {"cls": ["b", -1]}, "with the id -1"),
        (ROBERTA | {"sep": ["c", "2"]}, "with the id '2'"),
        (template("A" + " 1" * (MOST_AROUND + 1)), "puts 4,097 ids around a text"),
    ],
)
def test_what_puts_no_ids_around_is_refused_in_a_sentence(said, message):
    with pytest.raises(ComponentError, match=message):
        affix_ids(said)


def test_as_many_ids_as_may_be_are_put_around():
    assert affix_ids(template("A" + " 1" * (MOST_AROUND))) == ((), (1,) * (MOST_AROUND))
