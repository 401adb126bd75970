"""What filters leave of a vocabulary, compared with what plain Python says of each token; bars count it."""

import re
from collections import Counter

import numpy as np
import pytest
from conftest import VOCABS
from hypothesis import given
from hypothesis import strategies as st
from model_files import opened
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.search.matches import QueryError
from guiapp.analysis.vocabulary_list.columns import BY_NAME, COLUMNS, TokenFigures, columns_of
from guiapp.analysis.vocabulary_list.filters import (
    FLAGS,
    check_filter,
    fitting,
    histograms,
    in_any_case,
    listed,
    needs_trials,
)
from guiapp.analysis.vocabulary_list.listing import order
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import SpecialIds, VocabType

TOKENS = {
    "<unk>": Attribute.UNKNOWN,
    "<s>": Attribute.CONTROL,
    "<0xE2>": Attribute.BYTE,
    "the": -1.5,
    "▁the": -2.0,
    "other": -3.0,
    "漢": -4.0,
    "漢字": -5.0,
    "new▁york": -6.0,
    'say"so': -7.0,
    "<unused7>": Attribute.CONTROL,
    "-": -8.0,
    "kind:x": -9.0,
    "a/b": -10.0,
    "The": -11.0,
    "/usr": -12.0,
    "Ω": -13.0,
    "": Attribute.UNUSED,
    "한": -14.0,
}
NAMES = list(TOKENS)


@pytest.fixture(scope="module")
def figures():
    return TokenFigures(Tokenizer(toy_vocabulary(TOKENS, special_ids=SpecialIds(bos=1, unk=0), eog=[1])))


def leaves(figures, query):
    return [NAMES[token] for token in np.flatnonzero(fitting(figures, query, lambda share: None)).tolist()]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("the", ["the", "▁the", "other"]),
        ('" the"', ["▁the"]),
        ('"new york"', ["new▁york"]),
        ('"new yo', ["new▁york"]),
        ('"say""so"', ['say"so']),
        ('"', ['say"so']),
        ("the o", ["other"]),
        ("the -o", ["the", "▁the"]),
        ("-", ["-"]),
        ("he -/^t/", ["▁the", "other", "The"]),
        ("/^.he$/", ["the", "The"]),
        ("/a b/", []),
        ("/usr", ["/usr"]),
        ("/", ["a/b", "/usr"]),
        ("/^/usr/", ["/usr"]),
        ("0xE2", ["<0xE2>"]),
        ("0xe6BC", ["漢", "漢字"]),
        ("0xE6B", ["漢", "漢字"]),
        ("#4", ["▁the"]),
        ("#99", []),
        ("3..4", ["the", "▁the"]),
        ("..#1", ["<unk>", "<s>"]),
        ("16..", ["Ω", "", "한"]),
        ("id:<=1", ["<unk>", "<s>"]),
        ("kind:control", ["<s>", "<unused7>"]),
        ("kind:con -is:reserved", ["<s>"]),
        ("kind:un", ["<unk>", ""]),
        ("kind:userdefined", []),
        ('"kind:x"', ["kind:x"]),
        ("std::kind:x", []),
        ("script:han", ["漢", "漢字"]),
        ('script:"Special tokens"', ["<unk>", "<s>", "<unused7>"]),
        ("script:special", ["<unk>", "<s>", "<unused7>"]),
        ("script:Greek", ["Ω"]),
        ("length:0", [""]),
        ("length:>7 kind:normal", ["new▁york"]),
        ("length:3 the", ["the"]),
        ("length:5..6 kind:normal", ["other", "漢字", 'say"so', "kind:x"]),
        ("characters:1 -is:byte", ["漢", "Ω", "한"]),
        ("score:>=-2 score:<0", ["the", "▁the"]),
        ("score:-4..-3", ["other", "漢"]),
        ("children:>0", ["漢"]),
        ("is:byte", ["<0xE2>", "-"]),
        ("is:notutf8", ["<0xE2>"]),
        ("is:reserved", ["<unused7>", ""]),
        ("is:special", ["<unk>", "<s>", "<unused7>"]),
        ("nowhere", []),
        ("\ud800", []),
        ('"scores:"', []),
        ("http:", []),
    ],
)
def test_filters_leave_the_matching_tokens(figures, query, expected):
    assert leaves(figures, query) == expected


@pytest.mark.parametrize(
    "query", ["", " ", "-kind:", "is:", "is:un", "length:", "length:>=", "-length:..", "0x", "0xE"]
)
def test_an_incomplete_filter_leaves_all_tokens_and_is_reported(figures, query):
    assert leaves(figures, query) == NAMES
    if query.strip():
        with pytest.raises(QueryError, match=f"“{re.escape(query)}” is incomplete"):
            check_filter(query)


@pytest.mark.parametrize("query", ["Length:5..2", "-200..100", "#2..#1", "score:1..0.5"])
def test_a_range_that_ends_before_it_starts_may_get_more_digits_and_is_refused_as_it_is(figures, query):
    assert leaves(figures, query) == NAMES
    with pytest.raises(QueryError, match=f"“{re.escape(query)}” is an empty range"):
        check_filter(query)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("kind:blue", "There is no kind “blue”. Choose from: control, unknown"),
        ("script:Grek", "There is no script “Grek”. Did you mean Greek? Choose from: "),
        ("length:long", "“long” is not a number or a range, such as 4..8 or >=4."),
        ("the lenght:>3", "There is no filter lenght:. Did you mean length:? To search for this text, "),
        ("foo:bar", 'There is no filter foo:. To search for this text, write it in quotes: "foo:bar".'),
        ("is:special-", "There is no is:“special-”. Did you mean special? Choose from: unreached"),
        ("rank:3", "The tokens of a SPM vocabulary have no rank."),
        ("norm:<1", "Read the embeddings first:"),
        ("is:unreached", "The search for unreached tokens is not finished."),
        ("/(/", "The regular expression is not valid: "),
    ],
)
def test_an_invalid_filter_has_an_error_message(figures, query, message):
    with pytest.raises(QueryError) as caught:
        leaves(figures, query)
    assert str(caught.value).startswith(message)


def test_tokens_that_no_trial_reached_are_those_that_text_could_have_reached(figures):
    tried = figures.with_unreached(np.array([5], np.int32))
    assert leaves(tried, "is:unreached") == ["other"]
    assert "<s>" in leaves(tried, "-is:unreached")
    assert figures.is_reached is None
    assert [BY_NAME["reached"].value(tried, token) for token in (0, 3, 5)] == [None, 1, 0]
    assert [needs_trials(f"a is:{flag}") for flag in ("unreached", "byte", "nice")] == [True, False, False]


@given(data=st.data())
def test_a_filter_is_what_each_of_its_words_leaves(figures, data):
    words = st.sampled_from(
        ["e", "-e", "the", "length:>3", "-length:..4", "script:Han", "is:byte", "3..9", "-0xE6"]
    )
    chosen = data.draw(st.lists(words, max_size=4))
    flags = [fitting(figures, word, lambda share: None) for word in chosen]
    assert np.array_equal(
        fitting(figures, " ".join(chosen), lambda share: None),
        np.logical_and.reduce([np.ones(len(figures), np.bool_), *flags]),
    )


@pytest.mark.parametrize("is_descending", [False, True])
@pytest.mark.parametrize("column", COLUMNS, ids=[column.name for column in COLUMNS])
def test_each_column_sorts_by_its_values_and_puts_those_without_one_last(column, is_descending):
    figures = TokenFigures(guiapp.open_model("demo:bpe")).with_unreached(np.array([300], np.int32))
    values = column.values(figures)
    if values is None:
        assert column not in columns_of(figures)
        return
    sorted_values = values[order(figures, column, is_descending)].astype(np.float64)
    n_with = int(np.count_nonzero(~np.isnan(sorted_values)))
    steps = np.diff(sorted_values[:n_with])
    assert np.isnan(sorted_values[n_with:]).all()
    assert not (steps > 0 if is_descending else steps < 0).any()


@pytest.mark.real_vocabs
@pytest.mark.parametrize("name", ["llama-spm", "qwen2", "nomic-bert-moe", "gemma-4"])
def test_flags_and_kinds_are_those_of_each_token(name):
    tokenizer = opened(VOCABS / f"ggml-vocab-{name}.gguf")
    vocabulary, figures = tokenizer.vocabulary, TokenFigures(tokenizer)
    tokens = [vocabulary.token_bytes(token) for token in range(len(vocabulary))]
    n_same = Counter(tokens)
    flagged = {
        flag: fitting(figures, f"is:{flag}", lambda share: None) for flag in FLAGS if not FLAGS[flag].lacking
    }
    rows = range(0, len(vocabulary), 7)
    assert [flagged["duplicate"][row] for row in rows] == [n_same[tokens[row]] > 1 for row in rows]
    assert [flagged["notutf8"][row] for row in rows] == [not _is_text(tokens[row]) for row in rows]
    assert [BY_NAME["kind"].text(figures, row, None) for row in rows] == [
        vocabulary.kind(row) for row in rows
    ]
    assert np.array_equal(figures.lengths, [len(token) for token in tokens])
    whole = [row for row in rows if _is_text(tokens[row])]
    assert [figures.characters[row] for row in whole] == [len(tokens[row].decode()) for row in whole]


def _is_text(data):
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


MODELS = ["demo:bpe", "demo:spm", "demo:wordpiece", "demo:unigram", "demo:rwkv", "demo:toy"]
REAL = [VOCABS / f"ggml-vocab-{name}.gguf" for name in ("llama-spm", "nomic-bert-moe")]


@pytest.mark.parametrize(
    "model", [*MODELS, *(pytest.param(each, marks=pytest.mark.real_vocabs) for each in REAL)]
)
def test_each_bar_counts_what_its_filter_leaves(model):
    figures = TokenFigures(opened(model))
    bars = histograms(figures)
    assert [each.name for each in bars[:2]] == ["script", "length"]
    for histogram in bars:
        left = [fitting(figures, term, lambda share: None) for term in histogram.terms]
        assert [int(flags.sum()) for flags in left] == histogram.totals.tolist()
        assert len(histogram.names) == len(set(histogram.terms)) == len(histogram.totals)
    assert bars[0].totals.sum() == bars[1].totals.sum() == len(figures)


@pytest.mark.parametrize(
    ("query", "filter_", "n_tokens"),
    [
        ("the", "/(?i)the/", 4),
        ("-other THE", "-other /(?i)THE/", 3),
        ("ω", "/(?i)ω/", 1),
        ("length:>=8", "", 0),
        ("-the", "", 0),
    ],
)
def test_the_suggested_filter_matches_texts_in_any_case(figures, query, filter_, n_tokens):
    assert in_any_case(figures, query, lambda share: None) == (filter_, n_tokens)
    assert not filter_ or len(leaves(figures, filter_)) == n_tokens


def test_the_rank_in_a_table_is_that_of_the_merge_that_is_used():
    tokens = dict.fromkeys(["a", "b", "ab", "ba", "aba"], 0.0)
    made = TokenFigures(Tokenizer(toy_vocabulary(tokens, VocabType.BPE, ["a b", "b a", "a ba", "ab a"])))
    token = 4  # `a ba` has rank 2, but `a b` goes before `b a`
    column = BY_NAME["rank"]
    assert column.text(made, token, Spelling.SIGNS) == f"{made.explainer.merge_rank(token):,}" == "3"
    assert column.whole_text(made, token, Spelling.SIGNS) == "2"


@pytest.mark.parametrize(("query", "first"), [("and", [b"and", b" and"]), (" and", [b" and", b"and"])])
def test_the_very_text_comes_first_with_the_space_before_it_or_without(query, first):
    tokenizer = guiapp.open_model("demo:bpe")
    rows = listed(TokenFigures(tokenizer), query, None, False, lambda share: None)
    assert [tokenizer.vocabulary.token_bytes(token) for token in rows[:2].tolist()] == first
