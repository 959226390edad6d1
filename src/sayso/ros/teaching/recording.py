"""Record what the arm is shown, whoever moves it: a person's wishes, or their hand on it."""

from __future__ import annotations

import io
import logging
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, UnidentifiedImageError
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sayso_ros.msg import Scene as SceneMsg
from sensor_msgs.msg import CompressedImage, JointState

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.scene import Scene
from sayso.learning.demonstrations import folder as recorded
from sayso.learning.demonstrations.checks import problems
from sayso.learning.demonstrations.demonstration import KeyFrame, Sample
from sayso.learning.demonstrations.folder import Recorder
from sayso.learning.demonstrations.moments import KeyScenes
from sayso.learning.demonstrations.segments import in_words as primitives
from sayso.learning.demonstrations.things import named, things_said
from sayso.robots.loading import load_robot
from sayso.ros.messages.conversions import scene_from_msg
from sayso.ros.messages.joints import JointReadings, robot_state
from sayso.ros.messages.qos import NEWEST, SENSOR
from sayso.ros.runtime.boundary import receiving
from sayso.ros.runtime.node_removal import end
from sayso.ros.runtime.spinning import SpinningThread

log = logging.getLogger(__name__)
NODE = "shown_recorder"
PERIOD_S = 1 / 30
"""Samples are kept no more often."""
SCENE_S = 5.0
"""So long a scene is waited for, at the beginning and at the end."""


@dataclass(frozen=True)
class Shown:
    """What was recorded.

    Attributes:
        folder: that holds it; gone where it was not to be kept.
        steps: its primitives, in words.
        problems: what is wrong with it.
    """

    folder: Path
    words: str
    duration_s: float
    steps: tuple[str, ...]
    problems: tuple[str, ...]


def shown_in(folder: Path) -> Shown:
    """Tells of a demonstration. Raises as `folder.read`."""
    one = recorded.read(folder)
    steps = primitives(one) if len(one.samples) > 1 else ()
    return Shown(folder, one.words, one.duration_s, tuple(steps), problems(one))


class ShownRecorder:
    """Records one demonstration at a time into a new folder, from joint readings and scenes.

    What was seen first and last are its key frames, and what is seen where one contact primitive
    ends and another begins (`moments.KeyScenes`). It is written as it goes, beside the others
    (`folder.UNFINISHED`), and is one of them once it is kept.

    While it records it has a node and a thread of its own: what goes then is taken away from under
    nobody who spins. Key frames on the way are written by another one: no reading waits for them.

    Args:
        folder: that holds demonstrations, or will.
        robot: a profile's name, or its file.
        cameras: whose JPEGs go with the key frames.
    """

    def __init__(
        self,
        context: Context,
        namespace: str,
        folder: Path,
        robot: str = "panda",
        cameras: Sequence[str] = (),
    ) -> None:
        self._context, self._namespace = context, namespace
        self.folder, self._cameras = folder, cameras
        self._profile = load_robot(robot)
        self._kinematics = registry.create("kinematics", "mujoco", robot=self._profile)
        self._changed = threading.Condition()
        self._listening: tuple[Node, SpinningThread] | None = None
        self._recorder: Recorder | None = None
        self._writer: ThreadPoolExecutor | None = None
        self._forget()

    @property
    def recording(self) -> bool:
        return self._listening is not None

    def begin(self, words: str, things: Sequence[str] = ()) -> Mapping[str, str]:
        """Record from now on; gives the things that the words are about, by parameter.

        Args:
            words: what is shown, such as "hang the mug on the rack".
            things: the scene's names, where the words do not say it.

        Raises:
            SaySoError: BUSY while something is recorded; STALE where nothing is seen; as
                `things_said`, `named` and `Recorder`. Nothing is recorded then.
        """
        if self.recording:
            raise SaySoError(Code.BUSY, "a demonstration is being recorded.", hint="end it first.")
        self._forget()
        self._subscribe()
        try:
            scene = self._scene_after(0.0)
            about = named(things, scene) if things else things_said(words, scene)
            place = self.folder / recorded.UNFINISHED / self._free()
            recorder = Recorder(place, words, about, self._profile.name)
            recorder.key_frame(KeyFrame(scene, _pictures(self._images)))
        except Exception:
            self._unsubscribe()
            raise
        with self._changed:
            self._key.begin(scene)
            self._writer = ThreadPoolExecutor(1, "key frames")
            self._recorder = recorder
        return about

    def end(self, keep: bool = True) -> Shown:
        """End the recording, and keep it as a demonstration or not.

        Raises:
            SaySoError: INVALID where nothing is recorded; STALE where nothing was seen at the end,
                and EXECUTION where the disk did not take it: what there is stays.
        """
        with self._changed:  # the hand's way ends here
            recorder, self._recorder = self._recorder, None
        if recorder is None:
            raise SaySoError(Code.INVALID, "nothing is being recorded.", hint="begin first.")
        complete = False
        try:
            self._write_out()
            if keep:
                scene = self._scene_after(self._last_s)
                recorder.key_frame(KeyFrame(scene, _pictures(self._images)))
                complete = self._failed is None
        finally:
            self._unsubscribe()
            recorder.close(complete)
        return self._told(recorder.folder, keep)

    def _told(self, place: Path, keep: bool) -> Shown:
        if self._failed is not None:
            raise self._failed
        shown = shown_in(place)
        if not keep:
            shutil.rmtree(place)
            return shown
        kept = self.folder / place.name
        place.rename(kept)
        return Shown(kept, shown.words, shown.duration_s, shown.steps, shown.problems)

    def close(self) -> None:
        """What is being recorded stays where it is, as broken off."""
        with self._changed:
            recorder, self._recorder = self._recorder, None
        self._unsubscribe()
        if recorder is not None:
            self._write_out()
            recorder.close(complete=False)

    def _write_out(self) -> None:
        """Waits for the key frames that are being written."""
        if self._writer is not None:
            self._writer.shutdown()
            self._writer = None

    def _forget(self) -> None:
        self._readings = JointReadings(self._profile)
        self._scene: Scene | None = None
        self._images: dict[str, bytes] = {}
        self._failed: SaySoError | None = None
        self._last_s = 0.0
        self._key = KeyScenes()

    def _free(self) -> str:
        """A name that no demonstration has, nor one that broke off."""
        places = (self.folder, self.folder / recorded.UNFINISHED)
        taken = {p.name for place in places for p in place.glob("*")}
        return next(n for i in range(len(taken) + 1) if (n := f"{i:03d}") not in taken)

    # -- what comes -----------------------------------------------------------------------------

    def _subscribe(self) -> None:
        node = Node(NODE, context=self._context, namespace=self._namespace)
        node.create_subscription(SceneMsg, "scene", receiving("scene", self._take_scene), NEWEST)
        for topic in self._profile.drivers.joint_states:
            take = receiving(topic, self._take_joints)
            node.create_subscription(JointState, topic, take, qos_profile_sensor_data)
        for camera in self._cameras:
            topic = f"camera/{camera}/color/image_raw/compressed"
            node.create_subscription(CompressedImage, topic, self._taking(camera), SENSOR)
        executor = SingleThreadedExecutor(context=self._context)
        executor.add_node(node)
        self._listening = node, SpinningThread(executor, self._context)
        self._listening[1].start()

    def _unsubscribe(self) -> None:
        if self._listening is not None:
            node, spinning = self._listening
            self._listening = None
            spinning.stop()
            end(node)

    def _taking(self, camera: str) -> Callable[[CompressedImage], None]:
        def take(message: CompressedImage) -> None:
            self._images[camera] = bytes(message.data)

        return take

    def _take_scene(self, message: SceneMsg) -> None:
        with self._changed:
            self._scene = scene_from_msg(message)
            if self._recorder is not None:
                self._keep(self._key.scene(self._scene))
            self._changed.notify_all()

    def _take_joints(self, message: JointState) -> None:
        with self._changed:
            reading, recorder = self._readings.take(message), self._recorder
            if reading is None or recorder is None or self._failed is not None:
                return
            if reading.stamp_s - self._last_s < PERIOD_S:
                return
            state = robot_state(reading, self._kinematics, self._profile)
            sample = Sample(
                state.stamp_s, state.gripper, state.gripper_width_m, state.joint_positions
            )
            try:
                recorder.sample(sample)
            except SaySoError as error:  # a full disk, which the person is told of at the end
                self._failed = error
                raise
            self._last_s = state.stamp_s
            self._keep(self._key.width(state.stamp_s, state.gripper_width_m))

    def _keep(self, scene: Scene | None) -> None:
        """As a key frame, with the newest pictures, if it is one."""
        recorder, writer = self._recorder, self._writer
        if scene is None or recorder is None or writer is None:
            return
        images = dict(self._images)

        def write() -> None:
            try:
                recorder.key_frame(KeyFrame(scene, _pictures(images)))
            except SaySoError as error:
                self._failed = self._failed or error

        writer.submit(write)

    def _scene_after(self, stamp_s: float) -> Scene:
        """Raises STALE."""

        def newer() -> bool:
            return self._scene is not None and self._scene.stamp_s > stamp_s

        with self._changed:
            if not self._changed.wait_for(newer, SCENE_S) or self._scene is None:
                text = f"nothing was seen for {SCENE_S:g} s."
                raise SaySoError(Code.STALE, text, hint="see whether perception runs.")
            return self._scene


def _pictures(images: Mapping[str, bytes]) -> dict[str, np.ndarray[Any, np.dtype[np.uint8]]]:
    """JPEGs by camera as pictures; one that cannot be read is left out."""
    found = {}
    for camera, jpeg in list(images.items()):
        try:
            found[camera] = np.asarray(Image.open(io.BytesIO(jpeg)).convert("RGB"))
        except (OSError, UnidentifiedImageError) as error:
            log.warning("no picture of the camera %s: %s", camera, error)
    return found
