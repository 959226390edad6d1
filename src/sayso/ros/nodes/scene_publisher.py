"""What perception tells of the scene, the same for arm and flat: topics, and answers about it."""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from sayso_ros.msg import Scene as SceneMsg
from sayso_ros.msg import SymbolicState as SymbolicStateMsg
from sayso_ros.srv import DescribeScene, FindObject
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.places import Places
from sayso.core.ports import RgbdFrame
from sayso.core.predicates import symbolic_state
from sayso.core.scene import Scene
from sayso.core.symbols import SymbolicState
from sayso.language import controlled_english
from sayso.language.lexicon import Lexicon
from sayso.logic.formula import Referent
from sayso.perception.describe import describe_scene
from sayso.perception.grounding import find_objects
from sayso.perception.pictures import PictureTruths
from sayso.perception.scene_graph import SceneGraph, scene_graph
from sayso.perception.scene_text import lines
from sayso.perception.settings import GroundingSettings
from sayso.ros.messages.conversions import (
    object_to_msg,
    scene_from_msg,
    scene_to_msg,
    state_to_msg,
)
from sayso.ros.messages.markers import scene_markers
from sayso.ros.messages.qos import LATCHED, NEWEST
from sayso.ros.messages.specifications import referent_from_text
from sayso.ros.robot.camera_frames import CameraFrames
from sayso.ros.robot.frame_sync import Parts
from sayso.ros.runtime import boundary

log = logging.getLogger(__name__)


class ScenePublisher:
    """Publishes scenes, the truth of a library's predicates in them, the scene graph and markers;
    serves `describe_scene` and `find_object`.

    Args:
        source: what scenes are made with, by name.
        frame: of the symbolic states.
        settings: what words about places mean, by what a library declares.
        present: the scene and state of now; raises STALE.
        markers: draws a scene.

    Attributes:
        library: whose predicates are evaluated.
    """

    def __init__(
        self,
        node: Node,
        library: Library,
        source: str,
        frame: str,
        settings: Callable[[Places], GroundingSettings],
        present: Callable[[], tuple[Scene, SymbolicState]],
        markers: Callable[[Scene], MarkerArray] = scene_markers,
    ) -> None:
        self._source, self._frame, self._settings_for = source, frame, settings
        self._present, self._draw = present, markers
        self._changed = threading.Condition()
        self._newest: tuple[Scene, SymbolicState, float] | None = None
        self.take_over(library)
        group = ReentrantCallbackGroup()
        self._scenes = node.create_publisher(SceneMsg, "scene", NEWEST)
        self._states = node.create_publisher(SymbolicStateMsg, "symbolic_state", 10)
        self._markers = node.create_publisher(MarkerArray, "scene_markers", NEWEST)
        self._graphs = node.create_publisher(String, "scene_graph", LATCHED)
        self._last_text = ""
        node.create_service(DescribeScene, "describe_scene", self._describe, callback_group=group)
        node.create_service(FindObject, "find_object", self._find, callback_group=group)

    def take_over(self, library: Library) -> None:
        """From the next scene on this library's predicates are evaluated."""
        self.library = library
        self._pictures = PictureTruths(library)
        self._settings = self._settings_for(library.vocabulary.places)

    def with_pictures(self, scene: Scene, frames: Sequence[RgbdFrame]) -> Scene:
        """The scene with what pictures decide; see `PictureTruths.decide`."""
        return self._pictures.decide(scene, frames)

    def publish(self, scene: Scene) -> None:
        """A new scene."""
        msg = scene_to_msg(scene, self._source)
        # Predicates see the scene exactly as others receive it (its floats are shorter), so
        # that evaluating a recorded scene gives the same truths.
        scene = replace(scene_from_msg(msg), occupied=scene.occupied)
        state = symbolic_state(scene, self.library.predicates)
        with self._changed:
            self._newest = (scene, state, time.monotonic())
            self._changed.notify_all()
        self._scenes.publish(msg)
        self._states.publish(state_to_msg(state, self._frame))
        text = lines(self._graph(scene))
        if text != self._last_text:
            self._last_text = text
            self._graphs.publish(String(data=text))
        if self._markers.get_subscription_count():
            self._markers.publish(self._draw(scene))

    def newest(
        self, age_s: float, wait_s: float = 0.0, seen: Callable[[], bool] = lambda: True
    ) -> tuple[Scene, SymbolicState] | None:
        """The newest scene and state, if they are no older and still seen, or become so within a
        time."""

        def fresh() -> bool:
            told = self._newest
            return told is not None and time.monotonic() - told[2] <= age_s and seen()

        with self._changed:
            if self._changed.wait_for(fresh, wait_s) and self._newest is not None:
                return self._newest[:2]
        return None

    def _graph(self, scene: Scene) -> SceneGraph:
        if not self._settings.places.table_is_a_thing:
            return scene_graph(scene, self._settings)
        types_of = self.library.vocabulary.types_of
        kinds = {o.category for o in scene.objects}
        enclosing = {k for k in kinds if "container" in (types_of(k) or ())}
        return scene_graph(scene, self._settings, enclosing)

    def _describe(
        self, _: DescribeScene.Request, response: DescribeScene.Response
    ) -> DescribeScene.Response:
        def work(out: DescribeScene.Response) -> None:
            scene, state = self._present()
            out.text = describe_scene(self._graph(scene), state, self.library.predicates)
            out.scene = scene_to_msg(scene, self._source)
            out.state = state_to_msg(state, scene.frame)

        return boundary.answer("perception", response, work)

    def _find(
        self, request: FindObject.Request, response: FindObject.Response
    ) -> FindObject.Response:
        def work(out: FindObject.Response) -> None:
            scene, _ = self._present()
            lexicon = Lexicon.of(self.library, {o.category for o in scene.objects})
            referent = _referent(request.referent, lexicon)
            found = find_objects(referent, scene, self._settings)
            if not found:
                raise SaySoError(
                    Code.UNKNOWN_OBJECT,
                    f"nothing in the scene is '{request.referent}'.",
                    choices=(o.name for o in scene.objects),
                )
            out.objects = [object_to_msg(o) for o in found]

        return boundary.answer("perception", response, work)


def _referent(text: str, lexicon: Lexicon) -> Referent:
    """A descriptor, or plain words such as "the block left of the mug".

    Raises:
        SaySoError: NOT_UNDERSTOOD, pointing at the words at fault.
    """
    try:
        return referent_from_text(text)
    except SaySoError:
        return controlled_english.referent(text, lexicon)


class FrameLoop:
    """Takes in cameras' frames as they come; a frame that fails ends nothing.

    Attributes:
        trouble: why the newest frame gave no scene; "" where it did.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self.trouble = ""

    def run(
        self, frames: CameraFrames, perceive: Callable[[Mapping[str, tuple[int, Parts]]], None]
    ) -> None:
        """Until the cameras are ended. The same trouble is logged once, not at every frame."""
        while (parts := frames.wait()) is not None:
            try:
                perceive(parts)
                self.trouble = ""
            except SaySoError as error:
                if str(error) != self.trouble:
                    self.trouble = str(error)
                    self._node.get_logger().warning(f"no scene: {error}")
            except Exception:  # noqa: BLE001 - the boundary: one frame fails, the node lives on
                log.error("perception failed unexpectedly:\n%s", traceback.format_exc())
