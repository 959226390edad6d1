"""Which of very many phrases a text says, by the likeness of sentences.

The scores are those of Raman et al., "CAPE", 2024, equations 1 and 2.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from sayso.core.ports import Embedder, Reply

Likeness = npt.NDArray[np.float64]
WEIGHT = 0.3
"""Of a text's mean log probability beside its likeness (beta), as Huang et al., 2022, have it."""
_BATCH = 1024
_SPARSE = 0.25
"""Vectors of which no larger share is other than 0 are kept, and multiplied, as such."""


class Repertoire:
    """Vectors of phrases, each made once.

    Args:
        embedder: says which phrases are alike.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._places: dict[str, int] = {}
        self._vectors: Any = None

    def among(self, phrases: Sequence[str]) -> Phrases:
        """Some phrases, at least one, to be searched."""
        new = [p for p in dict.fromkeys(phrases) if p not in self._places]
        for start in range(0, len(new), _BATCH):
            self._add(new[start : start + _BATCH])
        vectors = self._vectors[[self._places[p] for p in phrases]]
        # Column by column memory is read as it lies: one text is compared in half the time.
        return Phrases(
            self._embedder, vectors if sparse.issparse(vectors) else np.asfortranarray(vectors)
        )

    def _add(self, phrases: Sequence[str]) -> None:
        made: Any = self._embedder.embed(phrases)
        if self._vectors is None:
            few = np.count_nonzero(made) <= _SPARSE * made.size
            self._vectors = sparse.csr_array(made) if few else made
        elif sparse.issparse(self._vectors):
            self._vectors = sparse.vstack([self._vectors, sparse.csr_array(made)], format="csr")
        else:
            self._vectors = np.concatenate([self._vectors, made])
        first = len(self._places)
        self._places.update((p, first + i) for i, p in enumerate(phrases))


class Phrases:
    """Phrases to be searched, by their number."""

    def __init__(self, embedder: Embedder, vectors: Any) -> None:
        self._embedder = embedder
        self._vectors = vectors

    def likeness(self, texts: Sequence[str]) -> Likeness:
        """(T, N) cosines of texts and phrases."""
        wanted = self._embedder.embed(texts)
        return np.asarray([self._vectors @ w for w in wanted], dtype=np.float64)


def weighted(likeness: Likeness, log_probabilities: Likeness) -> Likeness:
    """S_w: (N,) of each phrase the best sum of likeness and weighted log probability of a text.

    Args:
        likeness: (T, N) of texts and phrases.
        log_probabilities: (T,) mean over each text's tokens; zeros where they are not known, which
            leaves the likeness alone.
    """
    scores: Likeness = (likeness + WEIGHT * log_probabilities[:, None]).max(axis=0)
    return scores


def geometric(likeness: Likeness, log_probabilities: Likeness) -> Likeness:
    """S_g: (N,) of each phrase the best product of likeness, scaled to 0 to 1, and probability."""
    scores: Likeness = ((likeness + 1) / 2 * np.exp(log_probabilities)[:, None]).max(axis=0)
    return scores


def mean_log_probability(reply: Reply, text: str) -> float | None:
    """Of the tokens of a reply that make up a text in it; None where that is not told."""
    said = "".join(token for token, _ in reply.tokens)
    written = json.dumps(text, ensure_ascii=False)[1:-1]
    start = said.find(written)
    if start < 0 or not written:
        return None
    ends = np.cumsum([len(token) for token, _ in reply.tokens])
    inside = [
        chance
        for (token, chance), end in zip(reply.tokens, ends, strict=True)
        if end > start and end - len(token) < start + len(written)
    ]
    return float(np.mean(inside))
