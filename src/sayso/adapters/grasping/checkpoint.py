"""Weights of a network as PyTorch saves them, read without PyTorch."""

from __future__ import annotations

import io
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError

_BROKEN = (
    OSError, EOFError, LookupError, AttributeError, TypeError, ValueError, zipfile.BadZipFile,
    pickle.UnpicklingError,
)  # fmt: skip
"""What the reading of a file raises that is no checkpoint."""
_KINDS = {"FloatStorage": np.dtype("<f4"), "LongStorage": np.dtype("<i8")}


def weights(path: Path, entry: str = "state_dict") -> Mapping[str, npt.NDArray[np.float32]]:
    """The arrays of an entry of a checkpoint (torch.save's zip format), by name.

    Nothing in the file is run: it may name tensors and dictionaries, and nothing else.

    Raises:
        SaySoError: CORRUPT for a file that is none, or that names anything else, or a tensor that
            reaches beyond what is stored.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            (index,) = (n for n in archive.namelist() if n.endswith("/data.pkl"))
            folder = index.removesuffix("data.pkl")
            reader = _Reader(archive, folder, archive.read(index))
            found: Mapping[str, npt.NDArray[np.float32]] = reader.load()[entry]
            return found
    except _BROKEN as error:
        raise SaySoError(Code.CORRUPT, f"{path} holds no weights: {error}.") from error


class _Reader(pickle.Unpickler):
    """Makes arrays of tensors."""

    def __init__(self, archive: zipfile.ZipFile, folder: str, index: bytes) -> None:
        super().__init__(io.BytesIO(index))
        self._archive, self._folder = archive, folder

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _array
        if module == "torch" and name in _KINDS:
            return _KINDS[name]
        raise pickle.UnpicklingError(f"it names {module}.{name}")

    def persistent_load(self, pid: Any) -> npt.NDArray[Any]:
        _, kind, key, *_ = pid
        return np.frombuffer(self._archive.read(f"{self._folder}data/{key}"), kind)


def _array(storage: npt.NDArray[Any], offset: int, size: Any, stride: Any, *_: Any) -> Any:
    part = storage[offset:]
    last = sum(max(n - 1, 0) * s for n, s in zip(size, stride, strict=True))
    beyond = 0 not in size and last >= len(part)
    if offset < 0 or min((*size, *stride), default=0) < 0 or beyond:
        raise ValueError(f"a tensor of {tuple(size)} reaches beyond what is stored")
    steps = tuple(s * storage.itemsize for s in stride)
    return np.lib.stride_tricks.as_strided(part, size, steps).copy()
