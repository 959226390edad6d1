"""Sentences by the letters they share: needs no model, knows no synonyms."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError

_LENGTHS = (3, 4, 5)
_SPACE = re.compile(r"[\W_]+")


class CharacterNgrams:
    """Hashed counts of words and of runs of 3 to 5 letters, damped by their logarithm.

    Weinberger et al. (2009), Feature Hashing: each feature adds to one dimension with a sign
    that its hash gives, so that collisions cancel on average.

    Args:
        dimensions: of the vectors.
    """

    def __init__(self, dimensions: int = 2048) -> None:
        if dimensions < 1:
            raise SaySoError(Code.CONFIG, f"dimensions must be at least 1, got {dimensions}.")
        self._dimensions = dimensions

    @property
    def name(self) -> str:
        return f"character_ngrams-{self._dimensions}.v1"

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """(N, dimensions) unit vectors."""
        vectors = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            self._add(row, text)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        # Features that cancel leave nothing to normalise; such a text is like no other.
        vectors[:, :1] += norms == 0
        return np.asarray(vectors / np.where(norms == 0, 1, norms), dtype=np.float32)

    def _add(self, row: npt.NDArray[np.float32], text: str) -> None:
        for feature, count in Counter(_features(text)).items():
            code = zlib.crc32(feature.encode())
            sign = 1.0 if code >> 31 else -1.0
            row[code % self._dimensions] += sign * (1 + np.log(count))


def _features(text: str) -> Iterator[str]:
    words = _SPACE.sub(" ", text.lower()).split()
    for word in words:
        yield f"word {word}"
    line = f" {' '.join(words)} "
    for length in _LENGTHS:
        for start in range(max(len(line) - length + 1, 0)):
            yield line[start : start + length]
