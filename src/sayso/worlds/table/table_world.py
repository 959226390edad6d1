"""A simulated arm at a table: it offers what a real robot and its cameras offer.

`truth` and `contacts` are for tests and scoring only; nothing that acts may read them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import replace

import mujoco
import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose, Vector3
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.robots.loading import load_robot
from sayso.robots.profile import RobotProfile
from sayso.robots.urdf import robot_urdf
from sayso.worlds import cameras, things, truth
from sayso.worlds.mujoco_world import MujocoWorld
from sayso.worlds.noise import NO_NOISE, NoiseModel
from sayso.worlds.simulated_arm import JointReading
from sayso.worlds.table import furniture
from sayso.worlds.table.fixtures import Fixtures
from sayso.worlds.table.layout import Layout, random_layout
from sayso.worlds.table.shapes.families import draw
from sayso.worlds.table.shapes.surface import sample
from sayso.worlds.table.table_model import compiled_model
from sayso.worlds.table.table_scene import USUAL, TableScene
from sayso.worlds.true_state import true_scene

__all__ = ["JointReading", "TableWorld"]

_SETTLE_S = 0.3
_FAR_AWAY_M = 30.0
_POINTS = 1200
_HIDING_GROUPS = np.array([1, 1, 0, 0, 0, 0], np.uint8)
"""Of MuJoCo's shapes, those of furniture and things."""
_PLAY_M = 0.004


class TableWorld(MujocoWorld):
    """An arm at a table with things on it.

    Args:
        seed: of the layout and the noise.
        noise: of the sensors; None for perfect ones.
        profile: of the robot at the table; by default the Panda.
        scene: what stands on the table, and where if the seed does not say.
    """

    def __init__(
        self,
        seed: int = 0,
        noise: NoiseModel | None = None,
        profile: RobotProfile | None = None,
        scene: TableScene = USUAL,
    ) -> None:
        profile = profile or load_robot()
        model = copy.copy(compiled_model(profile, scene))
        mounts = cameras.mounts(profile, scene.cameras)
        super().__init__(profile, model, "", noise or NO_NOISE, mounts)
        self._fixtures = Fixtures(scene.fixtures, model, self._data, scene.things)
        self.table = scene
        rng = np.random.default_rng(0)
        self._surfaces = {
            t.name: sample(draw(*t.drawn), _POINTS, rng).points
            for t in scene.things
            if t.drawn is not None
        }
        own = {int(b) for b in self._arm.parts.bodies}
        self._index(own, "robot", scene.instance_ids())
        self.reset(seed)

    # -- time ------------------------------------------------------------------------------

    def step(self, dt_s: float) -> None:
        """Advance physics by dt_s, rounded to whole time steps, at least one."""
        tick_s = float(self._model.opt.timestep)
        for _ in range(max(1, round(dt_s / tick_s))):
            self._arm.step(tick_s)
            mujoco.mj_step(self._model, self._data)
            self._fixtures.follow()

    def reset(self, seed: int, layout: Layout | None = None) -> None:
        """A new start: the arm at its ready pose, everything anew on the table."""
        rng = np.random.default_rng(seed)
        layout = layout or self.table.layout or self._drawn_layout(rng)
        self._restart(rng)
        self._arm.reset(self.profile.ready)
        self._place(layout)
        mujoco.mj_forward(self._model, self._data)
        self.step(_SETTLE_S)

    # -- the robot's side ------------------------------------------------------------------

    def robot_state(self, reading: JointReading | None = None) -> RobotState:
        """What the robot reports of itself, from the encoders alone."""
        reading = reading or self.joints()
        hand = self.profile.hand
        return RobotState(
            reading.stamp_s,
            tuple(float(q) for q in reading.positions[: len(self.profile.joints)]),
            self._arm.width_m(reading),
            truth.body_pose(self._kinematics(reading), hand.body) @ hand.tool,
            gripper_max_width_m=hand.width_m,
        )

    def description(self) -> str:
        """The robot as URDF."""
        return robot_urdf(self.profile)

    def fixed_frames(self) -> list[tuple[str, str, Pose]]:
        """Where the arm, its tool and the cameras are mounted: as `arm_frames`."""
        frame, hand = self.profile.frames.of, self.profile.hand
        root = self._model.body(int(self._arm.parts.bodies[0])).name
        foot = truth.body_pose(self._data, root)
        mounts = [
            ("world" if m.body == "world" else frame(m.body), f"{m.name}_optical_frame", m.pose)
            for m in self._mounts.values()
            if m.sensor
        ]
        return [*self.profile.frames.fixed("world", Pose(), root, foot, hand), *mounts]

    def camera_pose(self, camera: str) -> Pose:
        """Pose of a camera's optical frame in the world."""
        seen = self._data.camera(self._mount(camera).name)
        return cameras.optical_pose(seen.xpos, seen.xmat.reshape(3, 3))

    def picture(self, camera: str = cameras.OVERVIEW) -> npt.NDArray[np.uint8]:
        """A (480, 640, 3) picture for people, with shadows."""
        return self._sensor_renderer().rgb(self._data, self._mount(camera).name, shadows=True)

    # -- disturbances ----------------------------------------------------------------------

    def move(self, name: str, position: Vector3) -> None:
        """Put a thing upright with its centre at a position, not below the table [m]."""
        thing = self._movable(name)
        x, y, z = position
        self._put_free(name, (x, y, max(z, thing.size[2] / 2 + 0.0005)), 0.0)
        mujoco.mj_forward(self._model, self._data)
        self._removed.discard(name)

    def put(self, name: str, pose: Pose) -> None:
        """Put a thing in any pose of its frame, at rest."""
        self._movable(name)
        x, y, z, w = pose.orientation
        self._put_free(name, pose.position, 0.0)
        self._data.joint(name).qpos[3:] = (w, x, y, z)
        mujoco.mj_forward(self._model, self._data)
        self._removed.discard(name)

    def remove(self, name: str) -> None:
        """Take a thing away."""
        self._movable(name)
        self._put_away(name)
        mujoco.mj_forward(self._model, self._data)

    def slide_drawer(self, opening_m: float) -> None:
        """Set how far the drawer stands open [m]. Raises INVALID where there is none."""
        if not self.table.cabinet:
            raise SaySoError(Code.INVALID, "there is no drawer on this table.")
        self._data.joint("drawer").qpos[0] = np.clip(opening_m, 0.0, things.CABINET.travel)
        mujoco.mj_forward(self._model, self._data)

    def set_share(self, name: str, share: float) -> None:
        """Set how far a fixture is along its travel, 0 to 1. Raises INVALID for what is none."""
        self._fixtures.put(name, float(np.clip(share, 0.0, 1.0)))
        mujoco.mj_forward(self._model, self._data)

    def switches(self) -> Mapping[str, Callable[[bool], None]]:
        """The drawer, to open or shut, if there is one."""
        if not self.table.cabinet:
            return {}
        travel_m = things.CABINET.travel
        return {"doors/drawer": lambda opened: self.slide_drawer(travel_m if opened else 0.0)}

    # -- the simulator's own knowledge: tests and scoring only ------------------------------

    def truth(self) -> tuple[SceneObject, ...]:
        """True objects; a mug's box is its body's, without the handle.

        Those of drawn shapes have points (N, 3) all over their outside, as they are with a lid
        shut, and of a lid the attribute `open_share`.
        """
        present = [t for t in self.table.things if t.name not in self._removed]
        fixed = truth.cabinet(self._data) if self.table.cabinet else ()
        seen = truth.objects(self._data, present)
        poses = {f.name: truth.body_pose(self._data, f.name) for f in self.table.known()}
        return (*(self._completed(o) for o in seen), *fixed, *self._fixtures.things(poses))

    def instance_labels(self) -> dict[int, str]:
        """What each id in segmentation images is."""
        return self.table.instance_labels()

    def share_in_sight(self, name: str, points: Array, camera: str) -> float:
        """Of (N, 3) points of a thing, those to which a camera's lines of sight meet neither
        furniture nor another thing; the robot's own body hides nothing."""
        eye = np.array(self._data.camera(self._mount(camera).name).xpos)
        away, count = points - eye, len(points)
        met = np.empty(count)
        mujoco.mj_multiRay(
            self._model, self._data, eye, away.ravel(), _HIDING_GROUPS, 1,
            self._model.body(name).id, np.empty(count, np.int32), met, None, count, _FAR_AWAY_M,
        )  # fmt: skip
        lengths = np.linalg.norm(away, axis=1)
        return float(np.mean((met < 0) | (met * lengths > lengths - _PLAY_M)))

    def true_scene(self) -> Scene:
        """What is really there; what is between the closed fingers is carried."""
        handy = [t.name for t in self.table.things]
        scene = true_scene(self.time_s, self.truth(), self.robot_state(), handy, self.frame)
        return replace(scene, table_height_m=self.table.surface.height_m)

    # -- inside ----------------------------------------------------------------------------

    def _drawn_layout(self, rng: np.random.Generator) -> Layout:
        layout = random_layout(rng, self.table.things, self.table.surface)
        moving = [(f.name, f.joint) for f in self.table.fixtures if f.joint is not None]
        return replace(layout, shares={n: float(rng.choice(j.starts)) for n, j in moving})

    def _place(self, layout: Layout) -> None:
        self._fixtures.start(layout.shares)
        if self.table.cabinet:
            self._model.body("cabinet").pos = layout.cabinet
            self._data.joint("drawer").qpos[0] = layout.drawer_opening_m
        for thing in self.table.things:
            spot = layout.placements.get(thing.name)
            if spot is None:
                self._put_away(thing.name)
            else:
                height = self.table.surface.height_m + thing.size[2] / 2 + 0.0005
                self._put_free(thing.name, (spot.x, spot.y, height), spot.yaw)

    def _put_away(self, name: str) -> None:
        row = [t.name for t in self.table.things].index(name)
        self._put_free(name, (_FAR_AWAY_M + row, 0.0, furniture.FLOOR_Z + 0.1), 0.0)
        self._removed.add(name)

    def _completed(self, thing: SceneObject) -> SceneObject:
        given = {**self._fixtures.given(thing.name), **self._lid(thing.name)}
        thing = replace(thing, attributes={**thing.attributes, **given})
        surface = self._surfaces.get(thing.name)
        if surface is None:
            return thing
        return replace(thing, points=thing.pose.transform(surface).astype(np.float32))

    def _lid(self, name: str) -> Mapping[str, float]:
        """How far the hinged part of a drawn shape is along its travel."""
        drawn = next((t.drawn for t in self.table.things if t.name == name), None)
        if drawn is None or (hinge := draw(*drawn).hinge) is None:
            return {}
        joint = self._data.joint(f"{name}/{hinge.part}")
        return {"open_share": float(joint.qpos[0]) / hinge.most_rad}

    def _movable(self, name: str) -> things.Thing:
        movable = {t.name: t for t in self.table.things}
        if name not in movable:
            raise SaySoError(
                Code.INVALID, f"the simulator has no movable object '{name}'.", choices=movable
            )
        return movable[name]

    def _frame(self, body: str) -> str:
        return self.profile.frames.of(body)
