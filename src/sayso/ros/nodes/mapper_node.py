"""The front camera and localisation in; the map of the flat out."""

from __future__ import annotations

import logging
import os
import threading
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nav_msgs.msg import OccupancyGrid
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from sayso_ros.msg import Scene as SceneMsg
from sayso_ros.srv import MapFolder
from sensor_msgs.msg import PointCloud2

from sayso.core.errors import Code, SaySoError
from sayso.core.files import below
from sayso.core.geometry import Pose
from sayso.core.scene import SceneObject
from sayso.perception.flat.memory import FrameMemory
from sayso.perception.flat_map import FlatMap, load_flat_map
from sayso.perception.map_files import has_map
from sayso.perception.mapping import Mapper, MappingSettings
from sayso.robots.loading import load_robot
from sayso.ros.bags.map_folder import save_flat_map
from sayso.ros.messages.conversions import scene_from_msg
from sayso.ros.messages.maps import cells_to_msg
from sayso.ros.messages.point_clouds import voxels_to_msg
from sayso.ros.messages.qos import LATCHED, NEWEST
from sayso.ros.robot.camera_frames import CameraConfig, CameraFrames
from sayso.ros.robot.frame_sync import Parts
from sayso.ros.robot.self_pixels import SelfPixels
from sayso.ros.robot.transforms import transforms_heard_by
from sayso.ros.runtime import boundary, runner
from sayso.ros.runtime.liveliness import SignOfLife
from sayso.ros.runtime.params import declare, param

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class MapperConfig(CameraConfig):
    """Parameters of the node `mapper`."""

    map_folder: str = param(
        "", "folder of a map to go on with, and where it is saved; it may not exist yet"
    )
    map_root: str = param(
        "~/.cache/sayso/maps", "below it, or below map_folder, lie the folders that clients name"
    )
    camera: str = param("front", "RGB-D camera that the map is made from")
    frame: str = param("map", "frame of the map; z up, the floor at 0")
    base_frame: str = param("base_link", "of the robot's base, for its footprint and its trail")
    robot: str = param(
        "mobile_panda", "profile of the robot: one of SaySo's, or a file with a slash"
    )
    self_filter: str = param("links", "what takes the arm's own pixels out; empty: nothing")
    kinematics: str = param("mujoco", "backend that tells the pose of its tool")
    voxel_m: float = param(0.05, "side of a voxel, and of a cell of the floor [m]", 0.01, 0.5)
    reach_m: float = param(6.0, "farther depths are not trusted [m]", 0.5, 50.0)
    fading: int = param(5, "frames that see through a thing until it is gone", 2, 1000)
    keep_frames: bool = param(True, "keep frames of new views, to find things in them later")
    segmentation: bool = param(
        False, "keep the simulator's own segmentation with them, which is not vision"
    )
    map_period_s: float = param(0.5, "between publications of /map, at least [s]", 0.0, 60.0)
    points_period_s: float = param(
        5.0, "between publications of /map_points, at least [s]", 0.0, 600.0
    )
    slop_s: float = param(
        0.01, "how far apart the stamps of colour and depth of one frame may be [s]", 0.0, 0.5
    )
    silent_s: float = param(
        3.0, "wall time without a frame after which the camera counts as silent [s]", 0.2, 60.0
    )

    def settings(self) -> MappingSettings:
        """Those of the map."""
        return MappingSettings(
            voxel_m=self.voxel_m,
            reach_m=self.reach_m,
            fading=self.fading,
            footprint_m=load_robot(self.robot).require_base().footprint_m,
        )


class MapperNode(Node):
    """Publishes `/map` and `/map_points`, latched; serves `/save_map`, `/load_map` and
    `/check_map_folder`.

    Mapping runs in a thread of its own, always on the newest frame, for as long as the node
    lives: so doors that shut and furniture that was moved are seen.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("mapper", **kwargs)
        self.config = declare(self, MapperConfig)
        self._settings = self.config.settings()
        self._flat = self._begin()
        self._lock = threading.Lock()
        self._moving: tuple[SceneObject, ...] = ()
        self._due_s = {"map": 0.0, "points": 0.0}
        self._stamp_s = 0.0
        self._transforms = transforms_heard_by(self)
        self._arm_frame = load_robot(self.config.robot).frames.base
        self._own = SelfPixels(
            self, load_robot(self.config.robot), self.config.self_filter, self.config.kinematics
        )
        self._cameras = CameraFrames(
            self,
            self.config.topics_of((self.config.camera,)),
            frame=self.config.frame,
            segmentation=self.config.segmentation,
            slop_s=self.config.slop_s,
            skew_s=0.0,
        )
        self.silent = False
        """Whether the camera is silent now."""
        self._trouble = ""
        self._connect()
        self._thread = threading.Thread(target=self._work, name="mapping")
        self._thread.start()
        self._life = SignOfLife(self)

    def _begin(self) -> FlatMap:
        folder = self._own_folder()
        if folder is None or not has_map(folder):
            frames = FrameMemory() if self.config.keep_frames else None
            return FlatMap(Mapper(self._settings), frames)
        self.get_logger().info(f"going on with the map of {folder}")
        return load_flat_map(folder, self._settings, self.config.keep_frames)

    def _connect(self) -> None:
        self._maps = self.create_publisher(OccupancyGrid, "map", LATCHED)
        self._points = self.create_publisher(PointCloud2, "map_points", LATCHED)
        self.create_subscription(
            SceneMsg, "scene", boundary.receiving("/scene", self._take_scene), NEWEST
        )
        group = ReentrantCallbackGroup()
        self.create_service(MapFolder, "save_map", self._save, callback_group=group)
        self.create_service(MapFolder, "load_map", self._load, callback_group=group)
        self.create_service(MapFolder, "check_map_folder", self._check, callback_group=group)
        # A clock that never stops: with simulated time a dead world would also stop the check.
        self.create_timer(
            self.config.silent_s / 4,
            self._check_silence,
            clock=Clock(clock_type=ClockType.STEADY_TIME),
            callback_group=group,
        )
        if self._flat.mapper.known:
            self._publish()

    # -- mapping ---------------------------------------------------------------------------

    def _work(self) -> None:
        while (parts := self._cameras.wait()) is not None:
            try:
                self._map(parts)
                self._trouble = ""
            except SaySoError as error:
                self._complain(str(error))
            except Exception:  # noqa: BLE001 - the boundary: one frame fails, the node lives on
                log.error("mapping failed unexpectedly:\n%s", traceback.format_exc())

    def _map(self, parts: Mapping[str, tuple[int, Parts]]) -> None:
        stamp_ns, messages = parts[self.config.camera]
        frame = self._cameras.convert(self.config.camera, stamp_ns, messages)
        base = self._where(self.config.base_frame, frame.stamp_s)
        if self.config.self_filter:
            frame = self._own.without(frame, self._where(self._arm_frame, frame.stamp_s))
        with self._lock:
            self._flat.add(frame, base, self._moving)
            self._stamp_s = frame.stamp_s
        self._publish()

    def _where(self, frame: str, stamp_s: float) -> Pose:
        return self._transforms.lookup_between(self.config.frame, frame, stamp_s)

    def _publish(self) -> None:
        """What is due by the stamps of the frames; both maps at first, and after a reset."""
        c = self.config
        with self._lock:
            now = self._stamp_s
            if self._due("map", c.map_period_s):
                plan = self._flat.mapper.floor_plan()
                self._maps.publish(
                    cells_to_msg(plan.cells, plan.origin, plan.resolution_m, now, c.frame)
                )
            if self._due("points", c.points_period_s):
                voxels = self._flat.mapper.voxels()
                self._points.publish(voxels_to_msg(voxels, now, c.frame))

    def _due(self, what: str, period_s: float) -> bool:
        early = self._due_s[what] - self._stamp_s
        if 0 < early <= period_s:
            return False
        self._due_s[what] = self._stamp_s + period_s
        return True

    def _take_scene(self, msg: SceneMsg) -> None:
        scene = scene_from_msg(msg)
        if scene.frame == self.config.frame:
            self._moving = tuple(o for o in scene.objects if o.living or o.carried)
            with self._lock:
                self._flat.mapper.follow(scene.objects)

    def _check_silence(self) -> None:
        silent = self._cameras.silent(self.config.silent_s)
        if silent and not self.silent:
            self.get_logger().warning(
                f"camera '{self.config.camera}' is silent: {silent[self.config.camera]} for "
                f"{self.config.silent_s:g} s; the map stays as it is. Check its driver and cable."
            )
        elif self.silent and not silent:
            self.get_logger().info(f"camera '{self.config.camera}' is back.")
        self.silent = bool(silent)

    def _complain(self, text: str) -> None:
        """Log a trouble once, not at every frame."""
        if text != self._trouble:
            self._trouble = text
            self.get_logger().warning(f"a frame is not mapped: {text}")

    # -- services --------------------------------------------------------------------------

    def _save(self, request: MapFolder.Request, response: MapFolder.Response) -> MapFolder.Response:
        def work(out: MapFolder.Response) -> None:
            folder = self._named(request.folder)
            with self._lock:
                save_flat_map(self._flat, folder)
                out.frames = len(self._flat.frames or ())
            out.folder = str(folder)

        return boundary.answer("save_map", response, work)

    def _load(self, request: MapFolder.Request, response: MapFolder.Response) -> MapFolder.Response:
        def work(out: MapFolder.Response) -> None:
            folder = self._named(request.folder)
            loaded = load_flat_map(folder, self._settings, self.config.keep_frames)
            with self._lock:
                self._flat = loaded
                self._due_s = dict.fromkeys(self._due_s, 0.0)
            out.frames = len(loaded.frames or ())
            out.folder = str(folder)
            self._publish()

        return boundary.answer("load_map", response, work)

    def _check(
        self, request: MapFolder.Request, response: MapFolder.Response
    ) -> MapFolder.Response:
        """Where a map would be saved, and could be; empty: nowhere, for no folder is named."""

        def work(out: MapFolder.Response) -> None:
            if not request.folder and self._own_folder() is None:
                return
            folder = self._named(request.folder)
            there = next(p for p in (folder, *folder.parents) if p.exists())
            if not there.is_dir() or not os.access(there, os.W_OK):
                raise SaySoError(
                    Code.INVALID, f"nothing can be written in {there}.", hint="name another folder."
                )
            out.folder = str(folder)

        return boundary.answer("check_map_folder", response, work)

    def _named(self, name: str) -> Path:
        """The folder that a client names, a relative one of the root; by default the node's own.

        Raises INVALID for one elsewhere: whoever is in the domain may name one.
        """
        own, root = self._own_folder(), Path(self.config.map_root).expanduser()
        hint = f"name a folder below {root}, or set the mapper's parameter map_root."
        if name:
            roots = (root, own) if own is not None else (root,)
            return below(roots, root / Path(name).expanduser(), hint)
        if own is None:
            text = "no folder is named, and the node has no map_folder."
            raise SaySoError(Code.INVALID, text, hint=hint)
        return own

    def _own_folder(self) -> Path | None:
        chosen = self.config.map_folder
        return Path(chosen).expanduser().resolve() if chosen else None

    def destroy_node(self) -> None:
        self._cameras.end()
        self._thread.join()
        super().destroy_node()


def main() -> None:
    runner.main(MapperNode)
