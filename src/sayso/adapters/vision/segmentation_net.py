"""Instances from a network of our own that names every pixel by colour and depth.

The network (`OWN`, or one that `sayso vision train` made) knows a closed list of kinds, told with
the nouns for each in the YAML file beside it; what is asked for by any other noun is not found.
Pixels of one kind that hang together in depth are one thing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import yaml

from sayso.adapters.vision.asked import Asked
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import InstanceMask, RgbdFrame
from sayso.perception.camera import Floats, Mask
from sayso.perception.categories import category_of, is_a
from sayso.perception.colors import name_colors
from sayso.perception.pixel_features import pixel_features

OWN = Path(__file__).with_name("flat_kinds.onnx")
"""The network that comes with SaySo; its YAML file tells from what it was trained."""
_JUMP = 0.06
_JUMP_M = 0.04
"""A step of depth between neighbours that parts two things: this share of the depth, and this."""
_NEAR_M = 0.15
"""Pieces of one kind whose boxes are closer than this in the map are one thing: a chair's legs."""
_SCRAP_PX = 8
"""Pieces with fewer pixels are the fringe of something else."""
_INNER = (2.0, 98.0)


@dataclass(frozen=True)
class KnownKinds:
    """What a network tells apart.

    Attributes:
        kinds: in the order of its outputs, words apart; the first is nothing at all.
        nouns: the words for each kind, itself among them.
        width, height: of the pictures that it was trained on [px].
        least_score: mean probability from which on enough of the names that it gives are right.
    """

    kinds: tuple[str, ...]
    nouns: Mapping[str, frozenset[str]]
    width: int
    height: int
    least_score: float = 0.5

    @classmethod
    def read(cls, path: Path) -> KnownKinds:
        """Raises CONFIG for a file that is missing or says something else."""
        try:
            told = yaml.safe_load(path.read_text(encoding="utf-8"))
            kinds = {_words(k): frozenset(map(_words, v)) for k, v in told["kinds"].items()}
            least = float(told.get("least_score", cls.least_score))
            return cls(tuple(kinds), kinds, int(told["width"]), int(told["height"]), least)
        except (OSError, yaml.YAMLError, KeyError, TypeError, AttributeError, ValueError) as error:
            raise SaySoError(
                Code.CONFIG,
                f"'{path}' does not tell what the network beside it knows: {error!r}.",
                hint="`sayso vision train` writes both files.",
            ) from error

    def answering(self, noun: str) -> tuple[int, ...]:
        """The outputs that a noun asks for; none where it is not known."""
        wanted = category_of(noun)
        return tuple(
            i
            for i, kind in enumerate(self.kinds)
            if i and (wanted in self.nouns[kind] or is_a(kind, noun))
        )


@dataclass(frozen=True, eq=False)
class Seen:
    """One thing in a frame.

    Attributes:
        kind: index of its kind.
        score: mean probability of the kind over its pixels.
        mask: (h, w) of the network's picture.
    """

    kind: int
    score: float
    mask: Mask


@dataclass(frozen=True)
class SegmentationNet:
    """`InstanceFinder` by a network; the floor is z = 0 of the frame's map.

    Attributes:
        segmenter: path of the network's ONNX file; its YAML file lies beside it. Empty for `OWN`.
        least_score: mean probability that a thing needs; None takes what the network's YAML file
            says.
        least_pixels: of the network's picture that a thing needs.
        threads: of the processor.

    Raises:
        SaySoError: MISSING_DEPENDENCY without `onnxruntime`; CONFIG for files that are missing or
            unreadable.
    """

    segmenter: str = ""
    least_score: float | None = None
    least_pixels: int = 12
    threads: int = 2

    def __post_init__(self) -> None:
        if not 0 <= (self.least_score or 0.0) <= 1 or self.least_pixels < 1 or self.threads < 1:
            raise SaySoError(
                Code.CONFIG, "least_score is 0 to 1, least_pixels and threads are at least 1."
            )
        _ = self.known, self._session

    @cached_property
    def known(self) -> KnownKinds:
        """What the network tells apart."""
        return KnownKinds.read(self._path.with_suffix(".yaml"))

    def find(self, frame: RgbdFrame, queries: Sequence[str]) -> tuple[InstanceMask, ...]:
        """Masks with the query that each answers, best first.

        A query is answered if its noun is known; colours in it must be those that are seen.
        """
        asked = {q: (Asked.of(q), self.known.answering(Asked.of(q).noun)) for q in queries}
        wanted = {kind for _, kinds in asked.values() for kind in kinds}
        found = []
        for thing in self.things(frame, wanted) if wanted else ():
            mask = self._enlarged(thing.mask, frame)
            color = name_colors(frame.rgb[mask])
            found += [
                InstanceMask(query, thing.score, mask)
                for query, (a, kinds) in asked.items()
                if thing.kind in kinds and a.fits(color)
            ]
        return tuple(sorted(found, key=lambda m: -m.score))

    def things(self, frame: RgbdFrame, kinds: set[int] | None = None) -> Iterator[Seen]:
        """The things of some kinds in a frame, by default of all."""
        features = pixel_features(frame, self._stride(frame))
        named, share = self.name_pixels(features)
        shown = set(np.unique(named).tolist()) - {0}
        least = self.known.least_score if self.least_score is None else self.least_score
        step = _steps(features)
        for kind in sorted(shown if kinds is None else shown & kinds):
            for mask in _pieces(named == kind, step, frame, self._stride(frame)):
                score = float(share[mask].mean())
                if score >= least and np.count_nonzero(mask) >= self.least_pixels:
                    yield Seen(kind, score, mask)

    def name_pixels(self, features: Floats) -> tuple[npt.NDArray[np.uint8], Floats]:
        """The likeliest kind (h, w) of each pixel of (6, h, w), and its probability."""
        kind, share = self._session.run(None, {self._session.get_inputs()[0].name: features[None]})
        height, width = features.shape[1:]
        size = (width, height)  # the network answers for every second pixel
        return tuple(cv2.resize(a[0], size, interpolation=cv2.INTER_NEAREST) for a in (kind, share))

    def _stride(self, frame: RgbdFrame) -> int:
        """Every how many pixels are looked at. Raises UNSUPPORTED for pictures of another size."""
        height, width = frame.depth_m.shape
        stride = max(1, round(width / self.known.width))
        if (-(-width // stride), -(-height // stride)) != (self.known.width, self.known.height):
            raise SaySoError(
                Code.UNSUPPORTED,
                f"camera '{frame.camera}' gives pictures of {width} x {height}; the network takes"
                f" whole multiples of {self.known.width} x {self.known.height}.",
                hint="set the camera to 640 x 480, or choose another instance finder.",
            )
        return stride

    def _enlarged(self, mask: Mask, frame: RgbdFrame) -> Mask:
        big = np.kron(mask, np.ones((self._stride(frame),) * 2, bool))
        height, width = frame.depth_m.shape
        return np.asarray(big[:height, :width])

    @property
    def _path(self) -> Path:
        return Path(self.segmenter).expanduser() if self.segmenter else OWN

    @cached_property
    def _session(self) -> Any:
        try:
            import onnxruntime
        except ModuleNotFoundError as error:
            raise SaySoError(
                Code.MISSING_DEPENDENCY,
                "the finder 'segmentation_net' needs 'onnxruntime', which is not installed.",
                hint="pip install 'sayso[vision]'.",
            ) from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = self.threads, 1
        # Threads that wait do not take the processor from the rest of the robot.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            return onnxruntime.InferenceSession(
                str(self._path), options, providers=["CPUExecutionProvider"]
            )
        except _errors_of(onnxruntime.capi.onnxruntime_pybind11_state) as error:
            raise SaySoError(
                Code.CONFIG,
                f"the network '{self._path}' cannot be loaded: {error}.",
                hint="name an ONNX file that `sayso vision train` wrote.",
            ) from error


def _errors_of(module: ModuleType) -> tuple[type[Exception], ...]:
    """The kinds of error that a module has: onnxruntime's share no base class of their own."""
    kinds = (k for k in vars(module).values() if isinstance(k, type) and issubclass(k, Exception))
    return RuntimeError, *kinds


def _steps(features: Floats) -> Mask:
    """(h, w) pixels on the far side of a step of depth, or without depth."""
    nearness, measured = features[4], features[5] > 0
    depth = np.where(measured, 0.5 / np.maximum(nearness, 1e-3), np.float32(0)).astype(np.float32)
    far = np.where(measured, depth, np.float32(1e3))
    nearest = cv2.erode(far, np.ones((3, 3), np.uint8))
    return np.asarray(depth - nearest > _JUMP_M + _JUMP * depth)


def _pieces(mask: Mask, step: Mask, frame: RgbdFrame, stride: int) -> list[Mask]:
    """A kind's pixels, one mask for each thing; pixels on steps go with the nearest piece."""
    _, labels = cv2.connectedComponents((mask & ~step).astype(np.uint8), connectivity=8)
    size = np.bincount(labels.ravel())
    whole = [int(i) for i in np.flatnonzero(size >= _SCRAP_PX) if i]
    whose = np.zeros(len(size), np.int64)
    whose[whole] = _joined([_box(labels == i, frame, stride) for i in whole])
    grown = cv2.dilate(whose[labels].astype(np.uint16), np.ones((3, 3), np.uint8))
    owner = np.where(mask & (labels == 0), grown, whose[labels])
    return [owner == i for i in sorted({*whose.tolist()} - {0})]


def _box(mask: Mask, frame: RgbdFrame, stride: int) -> npt.NDArray[np.float64] | None:
    """(2, 3) inner corners of what a mask shows in the map [m]; None without depth."""
    rows, columns = np.nonzero(mask)
    depth = np.nan_to_num(frame.depth_m[::stride, ::stride][mask], posinf=0.0)
    lens = frame.intrinsics
    ahead = np.column_stack(
        [
            (columns * stride - lens.cx) / lens.fx,
            (rows * stride - lens.cy) / lens.fy,
            np.ones(len(rows)),
        ]
    )[depth > 0]
    if not len(ahead):
        return None
    points = frame.pose.transform(ahead * depth[depth > 0, None])
    return np.asarray(np.percentile(points, _INNER, axis=0))


def _joined(boxes: Sequence[npt.NDArray[np.float64] | None]) -> list[int]:
    """Numbers from 1, the same for boxes that touch or nearly do."""
    group = list(range(1, len(boxes) + 1))
    for i, one in enumerate(boxes):
        for j, other in enumerate(boxes[:i]):
            if one is None or other is None or group[i] == group[j]:
                continue
            gap = np.maximum(one[0] - other[1], other[0] - one[1]).max()
            if gap < min(_NEAR_M, 0.3 * float(np.ptp(np.vstack([one, other]), axis=0).max())):
                old, new = group[i], group[j]
                group = [new if g == old else g for g in group]
    return group


def _words(name: str) -> str:
    return " ".join(name.replace("_", " ").split())
