"""Training told step by step: what competed, what won, how ties were settled, what it made of the text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from guiapp.core.training import bpe, unigram, wordpiece
from guiapp.core.training.corpus import BYTE_LEVEL_WORDS, SENTENCEPIECE_WORDS, Corpus, Pair, count_words
from guiapp.core.training.vocabularies import SPACE
from guiapp.core.vocab.byte_alphabet import spell

END_OF_WORD = "</w>"
N_RIVALS = 5
N_WORDS = 12


@dataclass(frozen=True)
class ToldMerge:
    """One merge that was learned.

    worth    how often the pair occurs; for WordPiece its score
    ties     other pairs that are worth as much: the one that sorts first by code points went first
    rivals   the next best ones with what they are worth
    words    the first words of the text after the merge, each with how often it occurs
    """

    left: str
    right: str
    worth: float
    ties: tuple[Pair, ...]
    rivals: tuple[tuple[Pair, float], ...]
    words: tuple[tuple[tuple[str, ...], int], ...]

    @property
    def sentence(self) -> str:
        """The merge in plain words."""
        told = f"`{self.left}` + `{self.right}` → `{self.left + self.right}`, {_amount(self.worth)}"
        if self.ties:
            others = ", ".join(f"`{left}` + `{right}`" for left, right in self.ties[:3])
            more = " and more" if len(self.ties) > 3 else ""
            return f"{told}: as good as {others}{more}, but first by code points."
        if self.rivals:
            (left, right), worth = self.rivals[0]
            return f"{told}: more than `{left}` + `{right}` with {_amount(worth)}."
        return f"{told}: the last pair."


def textbook_corpus(text: str) -> Corpus:
    """Words between white space as characters with an end-of-word mark, as Sennrich et al. have them."""
    words: dict[tuple[str, ...], int] = {}
    for word in text.split():
        symbols = (*word, END_OF_WORD)
        words[symbols] = words.get(symbols, 0) + 1
    return Corpus(words)


def corpus_of(algorithm: str, text: str) -> Corpus:
    """The words of a text as the trainer of this name starts from them."""
    if algorithm == "wordpiece":
        words = count_words(wordpiece.normalise(text), wordpiece.WORDS)
        return Corpus({wordpiece.split_word(word): count for word, count in words.items()})
    counts = count_words(text, BYTE_LEVEL_WORDS)
    return Corpus({tuple(spell(word.encode())): count for word, count in counts.items()})


def merges(algorithm: str, corpus: Corpus, min_count: int = 2) -> Iterator[ToldMerge]:
    """Yield the merges of byte-pair or WordPiece training; the corpus is as after the one just yielded."""
    worths = _worths(algorithm, corpus, min_count)
    steps = wordpiece.steps(corpus, min_count) if algorithm == "wordpiece" else bpe.steps(corpus, min_count)
    for step in steps:
        pair = (step.left, step.right)
        worth = worths.pop(pair)
        ranked = sorted(worths.items(), key=lambda entry: (-entry[1], entry[0]))
        ties = tuple(other for other, other_worth in ranked if other_worth == worth)
        words = tuple((tuple(word), count) for word, count in zip(corpus.words, corpus.counts, strict=True))
        rivals = tuple(ranked[len(ties) : len(ties) + N_RIVALS])
        yield ToldMerge(*pair, worth, ties, rivals, words[:N_WORDS])
        worths = _worths(algorithm, corpus, min_count)


def _worths(algorithm: str, corpus: Corpus, min_count: int) -> dict[Pair, float]:
    counts = {pair: count for pair, count in corpus.pair_counts.items() if count >= min_count}
    if algorithm != "wordpiece":
        return {pair: float(count) for pair, count in counts.items()}
    symbols: Mapping[str, int] = corpus.symbol_counts
    return {pair: count / (symbols[pair[0]] * symbols[pair[1]]) for pair, count in counts.items()}


def unigram_lines(text: str, n_pieces: int) -> Iterator[str]:
    """The rounds of Unigram training: pieces, the text's log-likelihood, and what was dropped."""
    words = count_words(SPACE + SPACE.join(text.split()), SENTENCEPIECE_WORDS)
    for number, round_ in enumerate(unigram.rounds(words, n_pieces), 1):
        dropped = ", ".join(f"`{piece}`" for piece in round_.dropped[:5])
        told = f"; dropped {len(round_.dropped):,}: {dropped} …" if round_.dropped else "; nothing to drop"
        likelihood = f"log-likelihood {round_.log_likelihood:,.1f}"
        yield f"Round {number}: {len(round_.model):,} pieces, {likelihood}{told}"


def _amount(worth: float) -> str:
    return f"{worth:,.0f} times" if worth.is_integer() else f"score {worth:.4g}"
