"""Pictures of flats with what is really in them: the simulator's own segmentation.

The truth is for training and scoring alone; what looks at pictures gets colour, depth and pose.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import mujoco
import numpy as np
import numpy.typing as npt

from sayso.core.geometry import Array
from sayso.core.ports import RgbdFrame
from sayso.evaluation.vision.flats import CLASSES, DOOR, draw_flat, looks_of, repaint
from sayso.perception.camera import rays
from sayso.worlds import cameras
from sayso.worlds.flat import truth
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.free_space import CELL_M, FreeSpace
from sayso.worlds.flat.kinds import KINDS
from sayso.worlds.flat.scene import FlatScene
from sayso.worlds.flat.sensing import FlatNoise
from sayso.worlds.noise import NoiseModel
from sayso.worlds.renderer import Renderer

CAMERA = "front"
_NEAR_SMALL_M, _NEAR_LARGE_M = (0.9, 2.4), (1.6, 4.5)
_ANYWHERE = 0.3
"""Share of the pictures that look at nothing in particular."""
_SWAY_RAD, _SWAY_M = 0.06, 0.05


@dataclass(frozen=True, eq=False)
class Picture:
    """What a camera gives, and what is true.

    Attributes:
        frame: its `instances` are of the flat's things; 0 is nothing.
        kinds: (H, W) uint8, indices of `CLASSES`.
    """

    frame: RgbdFrame
    kinds: npt.NDArray[np.uint8]


class Studio(FlatWorld):
    """A flat that is photographed from anywhere without driving there.

    Args:
        seed: of everything in it; its split says how it is painted and lit.
        width, height: of the pictures.
    """

    def __init__(self, seed: int, width: int, height: int) -> None:
        self._seed, self._size = seed, (width, height)
        self._looks = looks_of(seed)
        scene = draw_flat(seed)
        super().__init__(scene, seed, FlatNoise(_camera_noise(np.random.default_rng(seed))))
        self._paint_rng = np.random.default_rng((seed, 1))
        repaint(self._model, self._looks, self._paint_rng)
        self._kind_of_instance = _kinds_of(scene)
        self._mast = np.array(self._model.camera(CAMERA).pos)

    def photograph(self, x: float, y: float, yaw: float) -> Picture:
        """A picture from where the base stands, the camera swaying a little."""
        self._data.qpos[self._base_qpos] = (x, y, yaw)
        sway = self._paint_rng.uniform(-_SWAY_M, _SWAY_M, 3)
        self._model.camera(CAMERA).pos = self._mast + sway
        mujoco.mj_forward(self._model, self._data)
        frame = self._frame_now()
        assert frame.instances is not None
        return Picture(self._patterned(frame), self._kind_of_instance[frame.instances])

    def _frame_now(self) -> RgbdFrame:
        renderer = self._sensor_renderer()
        rgb, depth = renderer.rgbd(self._data, CAMERA)
        camera = self._data.camera(CAMERA)
        return RgbdFrame(
            CAMERA,
            self.time_s,
            self._camera_noise.color(rgb),
            self._camera_noise.depth(depth),
            cameras.intrinsics(self._mount(CAMERA).fovy_deg, *self._size),
            cameras.optical_pose(camera.xpos, camera.xmat.reshape(3, 3)),
            self._instances(CAMERA),
            self.instance_labels(),
        )

    def _patterned(self, frame: RgbdFrame) -> RgbdFrame:
        """Things with stripes that keep to them, as wood and cloth have."""
        assert frame.instances is not None
        count = max(frame.instance_labels) + 1
        rng = np.random.default_rng((self._seed, 3))
        waves = rng.normal(0.0, 25.0, (count, 3))
        amplitude = rng.uniform(*self._looks.texture, count) * (rng.random(count) < 0.5)
        amplitude[0] = 0.0
        points = rays(frame.intrinsics) * frame.depth_m[..., None]
        points = points @ frame.pose.matrix()[:3, :3].T + frame.pose.matrix()[:3, 3]
        phase = np.einsum("hwc,hwc->hw", points, waves[frame.instances])
        factor = 1.0 + amplitude[frame.instances] * np.sin(phase)
        rgb = np.clip(frame.rgb * factor[..., None], 0, 255).astype(np.uint8)
        return replace(frame, rgb=rgb)

    def _sensor_renderer(self) -> Renderer:
        if self._renderer is None:
            self._renderer = Renderer(self._model, *self._size)
        return self._renderer


def photograph(seed: int, count: int, width: int, height: int) -> Iterator[Picture]:
    """Pictures of the flat of a seed: most look at a thing, some at nothing in particular."""
    studio = Studio(seed, width, height)
    rng = np.random.default_rng((seed, 2))
    space = FreeSpace(studio.scene)
    cells: Array = np.argwhere(space.free) * CELL_M + space.origin
    try:
        for _ in range(count):
            yield studio.photograph(*_stand(studio.scene, cells, rng))
    finally:
        studio.close()


def _stand(scene: FlatScene, cells: Array, rng: np.random.Generator) -> tuple[float, float, float]:
    """Where the base is, and its heading."""
    if rng.random() < _ANYWHERE:
        x, y = cells[rng.integers(len(cells))]
        return float(x), float(y), float(rng.uniform(-np.pi, np.pi))
    at, near = _target(scene, rng)
    away = np.hypot(*(cells - at).T)
    fitting = cells[(away > near[0]) & (away < near[1])]
    x, y = (fitting if len(fitting) else cells)[rng.integers(len(fitting) or len(cells))]
    yaw = np.arctan2(at[1] - y, at[0] - x) + rng.uniform(-0.4, 0.4)
    return float(x), float(y), float(yaw)


def _target(scene: FlatScene, rng: np.random.Generator) -> tuple[Array, tuple[float, float]]:
    """Where something is that is to be looked at, and from how far [m]."""
    places = [(i.centre[:2], KINDS[i.kind].movable) for i in scene.items]
    places += [(d.at, False) for d in scene.doors] + [(w.path[0], False) for w in scene.walkers]
    at, small = places[rng.integers(len(places))]
    return np.array(at), _NEAR_SMALL_M if small else _NEAR_LARGE_M


def _kinds_of(scene: FlatScene) -> npt.NDArray[np.uint8]:
    """(instances,) the index in `CLASSES` of each id in segmentation images."""
    kinds = {i.name: i.kind for i in scene.items}
    kinds |= {d.name: DOOR for d in scene.doors} | {w.name: w.kind for w in scene.walkers}
    ids = truth.instance_ids(scene)
    found = np.zeros(max(ids.values()) + 1, np.uint8)
    for name, kind in kinds.items():
        found[ids[name]] = CLASSES.index(kind)
    return found


def _camera_noise(rng: np.random.Generator) -> NoiseModel:
    """A camera somewhat better or worse than the usual one."""
    return NoiseModel(
        depth_quadratic=float(rng.uniform(0.0006, 0.002)),
        color_sigma=float(rng.uniform(1.5, 5.0)),
        exposure_sigma=0.08,
    )
