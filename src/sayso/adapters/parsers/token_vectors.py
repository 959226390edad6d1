"""The vectors of tokens that spaCy's parser reads, computed in numpy by the weights of its model.

The network is that of the small English models: a few embedded features of each token (Miranda et
al., 2022, "Multi hash embeddings in spaCy"), then residual convolutions over its neighbours
(Honnibal, 2017). On single sentences spaCy's own layers take three times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Vectors: TypeAlias = npt.NDArray[np.float32]

_LEAST_VARIANCE = 1e-8
_MOST_KNOWN = 4096
"""Tokens whose embedding is remembered."""


class TokenVectors:
    """One vector for each token of a document.

    Args:
        model: the `tok2vec` component's model.

    Raises:
        ValueError: its layers are others than those of the small English models.
    """

    def __init__(self, model: Any) -> None:
        embedding, encoding = _layers(model, 2)
        features, _, embedded, mixing, _ = _layers(embedding, 5)
        self._columns: Sequence[str] = features.attrs["columns"]
        self._tables = [_Table(layer) for layer in _layers(embedded.layers[0], len(self._columns))]
        self._mix = _Maxout(mixing.layers[0])
        self._padding: int = encoding.attrs["pad"]
        self._convolutions = [_Maxout(layer, window=1) for layer in encoding.layers[0].layers]
        self._known: dict[bytes, Vectors] = {}

    def of(self, document: Any) -> Vectors:
        """The vectors of a document's tokens (n, width)."""
        features = document.to_array(list(self._columns))
        width = self._mix.width
        vectors = np.zeros((len(features) + 2 * self._padding, width), dtype=np.float32)
        inside = slice(self._padding, self._padding + len(features))
        for row, token in zip(vectors[inside], features, strict=True):
            row[:] = self._embedded(token)
        beside = np.zeros((len(vectors), 3 * width), dtype=np.float32)
        for convolution in self._convolutions:
            beside[1:, :width] = vectors[:-1]
            beside[:, width : 2 * width] = vectors
            beside[:-1, 2 * width :] = vectors[1:]
            vectors += convolution(beside)
        return vectors[inside]

    def _embedded(self, token: npt.NDArray[np.uint64]) -> Vectors:
        """The vector of a token by itself: the same, whatever document it is met in."""
        key = token.tobytes()
        found = self._known.get(key)
        if found is None:
            parts = [table(token[i : i + 1]) for i, table in enumerate(self._tables)]
            found = self._mix(np.concatenate(parts)[None])[0]
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = found
        return found


class _Table:
    """A hashed embedding: the sum of the rows that a feature's four hashes name."""

    def __init__(self, layer: Any) -> None:
        hashed = _layers(layer, 2)[1]
        self._rows: Vectors = hashed.get_param("E")
        self._seed: int = hashed.attrs["seed"]
        self._hash: Callable[..., npt.NDArray[np.uint64]] = hashed.ops.hash

    def __call__(self, feature: npt.NDArray[np.uint64]) -> Vectors:
        keys = self._hash(np.ascontiguousarray(feature, dtype=np.uint64), self._seed)[0]
        found: Vectors = self._rows[keys % len(self._rows)].sum(axis=0)
        return found


class _Maxout:
    """The largest of several affine pieces (Goodfellow et al., 2013), normalised over the layer."""

    def __init__(self, layer: Any, window: int = 0) -> None:
        named = {inner.name: inner for inner in layer.walk()}
        if named.get("expand_window", layer).attrs.get("window_size", 0) != window:
            raise ValueError("another window")
        maxout, norm = named["maxout"], named["layernorm"]
        weights: Vectors = maxout.get_param("W")
        self.width, self._pieces, inputs = weights.shape
        # One matrix for each piece, side by side, so that the largest is found by whole rows.
        self._weights = weights.transpose(1, 0, 2).reshape(-1, inputs).T.copy()
        self._bias: Vectors = maxout.get_param("b").T.reshape(-1).copy()
        self._gain: Vectors = norm.get_param("G")
        self._shift: Vectors = norm.get_param("b")

    def __call__(self, inputs: Vectors) -> Vectors:
        made = inputs @ self._weights + self._bias
        best: Vectors = made.reshape(len(inputs), self._pieces, self.width).max(axis=1)
        best -= best.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", best, best) / self.width + _LEAST_VARIANCE
        best *= (variance ** np.float32(-0.5))[:, None]
        best *= self._gain
        best += self._shift
        return best


def _layers(model: Any, count: int) -> list[Any]:
    if len(model.layers) != count:
        raise ValueError(f"'{model.name}' has {len(model.layers)} layers instead of {count}")
    return list(model.layers)
