"""Training of the network that names pixels (needs `torch`); resumable, the same for a seed."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Intrinsics, RgbdFrame
from sayso.evaluation.vision.dataset import Album, read
from sayso.evaluation.vision.flats import CLASSES
from sayso.evaluation.vision.network import Kernel, KindNet
from sayso.evaluation.vision.scoring import overlaps
from sayso.perception.pixel_features import CHANNELS, pixel_features

_WARM_UP = 20
"""Steps over which the rates rise."""
_MEMORY = 0.99
"""Of the running mean of the weights: it sees better than the weights of any one step."""
_PLAIN_SHARE = 0.2
"""Rate of AdamW, for what is no kernel, as a share of Muon's."""
_SIDE_PX = 160
"""Of a cut-out."""
_ANYWHERE = 0.3
"""Share of the cut-outs that are around nothing in particular."""
_RARE = 0.35
"""Kinds weigh as their share of the pixels to minus this power: walls would drown a mug."""
_SHOWS_PX = 8
"""Pixels, of every second row and column, from which on a picture shows a kind."""


@dataclass(frozen=True)
class Course:
    """How long and how fast is learned.

    Attributes:
        steps: in all; resuming with more goes on from what is there.
        batch: cut-outs a step.
        rate: largest learning rate (of Muon), falling like a cosine to 0.
        seed: of weights, order and variation.
        save_every: steps between checkpoints.
        flats, views: the first so many flats of the split `train`, and the pictures of each.
    """

    steps: int = 6000
    batch: int = 12
    rate: float = 0.02
    seed: int = 0
    save_every: int = 100
    flats: int = 240
    views: int = 12

    def lasting(self) -> dict[str, float]:
        """What cannot differ between one training and what goes on from it."""
        longer = ("steps", "save_every")
        return {name: value for name, value in asdict(self).items() if name not in longer}

    def rate_at(self, step: int) -> float:
        """The rate of a step, counted from 0."""
        warm = min(1.0, (step + 1) / _WARM_UP)
        return self.rate * warm * 0.5 * float(1 + np.cos(np.pi * step / self.steps))


class Trainer:
    """A network with all that is needed to go on; `averaged.module` is what is to be used.

    Args:
        course: how long and how fast.
        checkpoint: where the state is kept; taken up from there if it exists.

    Raises:
        SaySoError: CONFIG for a checkpoint of another network or course, or of more steps.
    """

    def __init__(self, course: Course, checkpoint: Path) -> None:
        torch.manual_seed(course.seed)
        self.course, self._checkpoint = course, checkpoint
        self.network = KindNet(CHANNELS, len(CLASSES)).to(memory_format=torch.channels_last)
        self._optimisers = _optimisers(self.network)
        self.averaged = AveragedModel(self.network, multi_avg_fn=_remember, use_buffers=True)
        self.step = 0
        if checkpoint.exists():
            self._resume()

    def train(self, albums: Sequence[Album]) -> Iterator[tuple[int, float]]:
        """Each step done and its loss, until the course is over."""
        pictures = Pictures(albums)
        weights = torch.from_numpy(pictures.weights())
        self.network.train()
        while self.step < self.course.steps:
            rng = np.random.default_rng((self.course.seed, self.step))
            inputs, kinds = pictures.batch(self.course.batch, rng)
            loss = self._learn(torch.from_numpy(inputs), torch.from_numpy(kinds), weights)
            self.step += 1
            if self.step % self.course.save_every == 0 or self.step == self.course.steps:
                self._save()
            yield self.step, loss

    def _learn(self, inputs: torch.Tensor, kinds: torch.Tensor, weights: torch.Tensor) -> float:
        rate = self.course.rate_at(self.step)
        for optimiser, share in zip(self._optimisers, (1.0, _PLAIN_SHARE), strict=True):
            for group in optimiser.param_groups:
                group["lr"] = rate * share
        # Half precision for the convolutions alone: twice as fast where the processor has it.
        with torch.autocast("cpu", torch.bfloat16):
            scores = self.network(inputs.contiguous(memory_format=torch.channels_last))
        loss = functional.cross_entropy(scores.float(), kinds, weights)
        self.network.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 5.0)
        for optimiser in self._optimisers:
            optimiser.step()
        self.averaged.update_parameters(self.network)
        return float(loss.detach())

    def _save(self) -> None:
        """Whole or not at all."""
        self._checkpoint.parent.mkdir(parents=True, exist_ok=True)
        partial = self._checkpoint.with_suffix(".partial")
        state = {
            "classes": list(CLASSES),
            "course": self.course.lasting(),
            "step": self.step,
            "network": self.network.state_dict(),
            "averaged": self.averaged.state_dict(),
            "optimisers": [o.state_dict() for o in self._optimisers],
        }
        torch.save(state, partial)
        partial.rename(self._checkpoint)

    def _resume(self) -> None:
        try:
            state = torch.load(self._checkpoint, weights_only=True)
            if tuple(state["classes"]) != CLASSES:
                raise ValueError("it knows other kinds")
            wanted, begun = self.course.lasting(), state["course"]
            if other := [f"{k} {begun.get(k)}" for k, v in wanted.items() if begun.get(k) != v]:
                raise ValueError(f"it was begun with {', '.join(other)}")
            if state["step"] > self.course.steps:
                raise ValueError(f"it has {state['step']} steps already")
            self.network.load_state_dict(state["network"])
            self.averaged.load_state_dict(state["averaged"])
            for optimiser, kept in zip(self._optimisers, state["optimisers"], strict=True):
                optimiser.load_state_dict(kept)
            self.step = int(state["step"])
        except (OSError, RuntimeError, KeyError, ValueError) as error:
            raise SaySoError(
                Code.CONFIG,
                f"training cannot go on from '{self._checkpoint}': {error}.",
                hint="name another folder, or remove it to begin anew.",
            ) from error


def _optimisers(network: KindNet) -> tuple[torch.optim.Optimizer, torch.optim.Optimizer]:
    """Muon (Jordan et al. 2024) for the kernels, AdamW for the rest.

    After 150 steps on 90 flats Muon saw twice as well as AdamW for all (mean IoU on validation
    0.087 and 0.045).
    """
    kernels = [m.weight for m in network.modules() if isinstance(m, Kernel)]
    there = {id(weight) for weight in kernels}
    rest = [p for p in network.parameters() if id(p) not in there]
    return (
        torch.optim.Muon(kernels, weight_decay=0.01, momentum=0.9),
        torch.optim.AdamW(rest, weight_decay=0.01),
    )


def _remember(
    averaged: list[torch.Tensor], current: list[torch.Tensor], count: torch.Tensor | int
) -> None:
    """Take a step's weights into the mean, which early on is of few: none of those drawn first."""
    memory = min(_MEMORY, (1 + int(count)) / (10 + int(count)))
    get_ema_multi_avg_fn(memory)(averaged, current, count)


class Pictures:
    """The pictures of some flats, to draw batches of cut-outs from.

    Most cut-outs are around a thing, each kind as often as any other: small and rare things would
    hardly be learned from whole pictures, which show mostly walls.
    """

    def __init__(self, albums: Sequence[Album]) -> None:
        self._albums = albums
        self._each = [(a, i) for a, album in enumerate(albums) for i in range(len(album.rgb))]
        if not self._each:
            raise SaySoError(Code.INVALID, "there is no picture to learn from.")
        self._showing: dict[int, list[tuple[int, int]]] = {}
        self._pixels = np.zeros(len(CLASSES), np.int64)
        for a, i in self._each:
            pixels = np.bincount(albums[a].kinds[i, ::2, ::2].ravel(), minlength=len(CLASSES))
            self._pixels += pixels
            for kind in np.flatnonzero(pixels >= _SHOWS_PX):
                self._showing.setdefault(int(kind), []).append((a, i))
        self._kinds = sorted(k for k in self._showing if k)

    def weights(self) -> npt.NDArray[np.float32]:
        """(K,) what a pixel of each kind counts in the loss; 0 for kinds that are not shown."""
        share = np.maximum(self._pixels, 1) / self._pixels.sum()
        return np.asarray(np.where(self._pixels > 0, share**-_RARE, 0.0), np.float32)

    def batch(
        self, count: int, rng: np.random.Generator
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
        """Inputs (B, C, S, S) and the kinds (B, S/2, S/2) of every second pixel."""
        shown = [self._varied(*self._cut_out(rng), rng) for _ in range(count)]
        return np.stack([x for x, _ in shown]), np.stack([y for _, y in shown])

    def _cut_out(self, rng: np.random.Generator) -> tuple[int, int, int, int]:
        """Album, picture, first row and column, these even."""
        if rng.random() < _ANYWHERE or not self._kinds:
            album, index = self._each[rng.integers(len(self._each))]
            kinds = self._albums[album].kinds[index]
            row, column = (int(rng.integers(n)) for n in kinds.shape)
        else:
            kind = self._kinds[rng.integers(len(self._kinds))]
            album, index = self._showing[kind][rng.integers(len(self._showing[kind]))]
            kinds = self._albums[album].kinds[index]
            rows, columns = np.nonzero(kinds == kind)
            at = rng.integers(len(rows))
            row, column = int(rows[at]), int(columns[at])
        aside = rng.integers(-_SIDE_PX // 4, _SIDE_PX // 4, 2)
        first = [
            int(np.clip(v + a - _SIDE_PX // 2, 0, n - _SIDE_PX)) // 2 * 2
            for v, a, n in zip((row, column), aside, kinds.shape, strict=True)
        ]
        return album, index, first[0], first[1]

    def _varied(
        self, number: int, index: int, top: int, left: int, rng: np.random.Generator
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
        """One cut-out, its exposure and white balance varied, mirrored or not."""
        album = self._albums[number]
        inputs = pixel_features(cut_out(album.frame(index), top, left, _SIDE_PX))
        gain, lift = rng.uniform(0.75, 1.3) * rng.uniform(0.93, 1.07, 3), rng.uniform(-0.06, 0.06)
        inputs[:3] = np.clip((inputs[:3] + 1) * gain[:, None, None] - 1 + lift, -1, 1)
        kinds = album.kinds[index, top : top + _SIDE_PX, left : left + _SIDE_PX]
        if rng.random() < 0.5:
            inputs, kinds = inputs[..., ::-1], kinds[:, ::-1]
        # The network answers for the pixels at which its strides come down, the first of each two.
        return np.ascontiguousarray(inputs), kinds[::2, ::2].astype(np.int64)


def cut_out(frame: RgbdFrame, top: int, left: int, side: int) -> RgbdFrame:
    """A square of a frame, as a camera of that size would have taken it."""
    rows, columns = slice(top, top + side), slice(left, left + side)
    lens = frame.intrinsics
    window = Intrinsics(side, side, lens.fx, lens.fy, lens.cx - left, lens.cy - top)
    return replace(
        frame, rgb=frame.rgb[rows, columns], depth_m=frame.depth_m[rows, columns], intrinsics=window
    )


def mean_iou(network: KindNet, albums: Iterable[Album]) -> float:
    """Over the kinds that whole pictures show, of the pixels that the network answers for."""
    kinds = len(CLASSES)
    pixels = np.zeros((kinds, kinds), np.int64)
    looking = copy.deepcopy(network).eval()
    for album in albums:
        for index, true in enumerate(album.kinds[:, ::2, ::2].astype(np.int64)):
            seen = torch.from_numpy(pixel_features(album.frame(index)))[None]
            with torch.inference_mode():
                named = looking(seen).argmax(1).numpy().ravel()
            pairs = np.bincount(true.ravel() * kinds + named, minlength=kinds**2)
            pixels += pairs.reshape(pixels.shape)
    return float(np.mean([*overlaps(pixels).values()]))


def albums(paths: Iterable[Path]) -> list[Album]:
    """All albums of some files, in memory."""
    return [read(path) for path in paths]
