"""Training a Unigram model: begin with far too many pieces, and drop the least useful ones.

Every piece has a probability; a word's probability is the sum over all its cuts.  Expectation maximization
estimates the probabilities of the present pieces, then pruning drops the pieces whose removal costs the least
likelihood; both repeat until few enough pieces remain.
Source: Kudo 2018, section 3.2, https://aclanthology.org/P18-1007.

Sums of floats go through `math.fsum` or plain loops: the built-in `sum` rounds differently since Python 3.12.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

MAX_PIECE = 12  # characters
MAX_WORD = 32  # longer words are cut, so that the product of all probabilities is a normal float
MIN_EXPECTED = 0.5  # pieces with a lower expected count are dropped after each estimation
DECIMALS = 6  # losses are rounded before comparison, so that the last bit of a logarithm does not matter

Model = dict[str, float]  # piece -> log-probability


@dataclass(frozen=True)
class Estimate:
    """Better probabilities for the present pieces; the log-likelihood of the text is from before that."""

    model: Model
    log_likelihood: float


@dataclass(frozen=True)
class Pruning:
    """The model without the least useful pieces, which are listed with their loss of log-likelihood."""

    model: Model
    dropped: tuple[tuple[str, float], ...]


def steps(words: Mapping[str, int], n_pieces: int, shrink: float = 0.75) -> Iterator[Estimate | Pruning]:
    """Yield the steps from all frequent substrings to `n_pieces`: two estimates, a pruning, and so on.

    The last two are estimates.  Single characters are never dropped, so that every word of the text can
    always be cut; if there are more than `n_pieces` of them, only they remain.
    """
    words = shorten(words)
    model = seed(words, 10 * n_pieces)
    while True:
        for _ in range(2):
            model, log_likelihood = estimate(model, words)
            yield Estimate(model, log_likelihood)
        n_kept = max(n_pieces, int(shrink * len(model)))
        dropped = prune(model, words, len(model) - n_kept)
        if not dropped:
            return
        gone = {piece for piece, _ in dropped}
        model = {piece: score for piece, score in model.items() if piece not in gone}
        yield Pruning(model, dropped)


def shorten(words: Mapping[str, int]) -> dict[str, int]:
    """The words, with too long ones cut into parts of `MAX_WORD` characters."""
    short: Counter[str] = Counter()
    for word, count in words.items():
        for start in range(0, len(word), MAX_WORD):
            short[word[start : start + MAX_WORD]] += count
    return short


def seed(words: Mapping[str, int], n_pieces: int) -> Model:
    """All characters, and the substrings that cover most text (count times length); ties by code points."""
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for start in range(len(word)):
            for end in range(start + 1, min(len(word), start + MAX_PIECE) + 1):
                counts[word[start:end]] += count
    characters = [piece for piece in counts if len(piece) == 1]
    longer = [piece for piece, count in counts.items() if len(piece) > 1 and count > 1]
    longer.sort(key=lambda piece: (-counts[piece] * len(piece), piece))
    chosen = characters + longer[: max(0, n_pieces - len(characters))]
    total = math.fsum(counts[piece] for piece in chosen)
    return {piece: math.log(counts[piece] / total) for piece in chosen}


def estimate(model: Model, words: Mapping[str, int]) -> tuple[Model, float]:
    """One round of expectation maximization: a better model, and the log-likelihood of the text before it."""
    probability = {piece: math.exp(score) for piece, score in model.items()}
    expected = dict.fromkeys(model, 0.0)
    likelihoods = []
    for word, count in words.items():
        likelihoods.append(count * math.log(_expect(word, count, probability, expected)))
    remaining = {piece: mass for piece, mass in expected.items() if len(piece) == 1 or mass >= MIN_EXPECTED}
    total = math.fsum(remaining.values())
    floor = MIN_EXPECTED / total / 10  # for characters that only occur inside longer pieces
    better = {piece: math.log(max(mass / total, floor)) for piece, mass in remaining.items()}
    return better, math.fsum(likelihoods)


def _expect(word: str, count: int, probability: Model, expected: Model) -> float:
    """Add each piece's expected count in the word's cuts to `expected`; return the word's probability."""
    edges = [
        (start, end, probability[word[start:end]])
        for start in range(len(word))
        for end in range(start + 1, min(len(word), start + MAX_PIECE) + 1)
        if word[start:end] in probability
    ]
    before = [1.0] + [0.0] * len(word)  # total probability of all cuts from the start to a position
    for start, end, chance in edges:
        before[end] += before[start] * chance
    after = [0.0] * len(word) + [1.0]  # total probability of all cuts from a position to the end
    for start, end, chance in reversed(edges):
        after[start] += chance * after[end]
    for start, end, chance in edges:
        expected[word[start:end]] += count * before[start] * chance * after[end] / before[-1]
    return before[-1]


def prune(model: Model, words: Mapping[str, int], n_dropped: int) -> tuple[tuple[str, float], ...]:
    """The least useful pieces of more than one character, each with its loss of log-likelihood.

    The loss of a piece is its count in the best cuts, times the log-probability lost when the piece is cut
    into others.  Of equal pieces, the last by code points is dropped first.
    """
    used: Counter[str] = Counter()
    for word, count in words.items():
        for piece in best_cut(word, model):
            used[piece] += count

    def loss(piece: str) -> float:
        parts = best_cut(piece, model, without=piece)
        return round(used[piece] * (model[piece] - math.fsum(model[part] for part in parts)), DECIMALS)

    losses = [(piece, loss(piece)) for piece in model if len(piece) > 1]
    losses.sort(reverse=True)
    losses.sort(key=lambda entry: entry[1])
    return tuple(losses[: max(0, n_dropped)])


def best_cut(word: str, model: Model, without: str = "") -> list[str]:
    """The most probable cut of a word; of equal cuts, the one with the longest last piece."""
    best = [0.0] + [-math.inf] * len(word)
    came_from = [0] * (len(word) + 1)
    for end in range(1, len(word) + 1):
        for start in range(max(0, end - MAX_PIECE), end):
            piece = word[start:end]
            if piece in model and piece != without and best[start] + model[piece] > best[end]:
                best[end] = best[start] + model[piece]
                came_from[end] = start
    pieces: list[str] = []
    end = len(word)
    while end > 0:
        pieces.append(word[came_from[end] : end])
        end = came_from[end]
    return pieces[::-1]
