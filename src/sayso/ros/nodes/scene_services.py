"""What is told of the scene in words: `/describe_scene`, `/find_object`, and `/scene_graph`."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from sayso_ros.srv import DescribeScene, FindObject
from std_msgs.msg import String

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.scene import Scene
from sayso.core.symbols import SymbolicState
from sayso.language import controlled_english
from sayso.language.lexicon import Lexicon
from sayso.logic.formula import Referent
from sayso.perception.describe import describe_scene
from sayso.perception.grounding import find_objects
from sayso.perception.scene_graph import SceneGraph, scene_graph
from sayso.perception.scene_text import lines
from sayso.perception.settings import GroundingSettings
from sayso.ros.messages.conversions import object_to_msg, scene_to_msg, state_to_msg
from sayso.ros.messages.qos import LATCHED
from sayso.ros.messages.specifications import referent_from_text
from sayso.ros.runtime import boundary


class SceneServices:
    """Serves and publishes them on a node.

    Args:
        source: what the scene was made with, by name.
        settings: what words about places mean.
        present: the scene and state of now; raises STALE.
    """

    def __init__(
        self,
        node: Node,
        library: Library,
        source: str,
        present: Callable[[], tuple[Scene, SymbolicState]],
        settings: GroundingSettings,
    ) -> None:
        self._source = source
        self._present = present
        self.take_over(library, settings)
        group = ReentrantCallbackGroup()
        self._graphs = node.create_publisher(String, "scene_graph", LATCHED)
        self._last_text = ""
        node.create_service(DescribeScene, "describe_scene", self._describe, callback_group=group)
        node.create_service(FindObject, "find_object", self._find, callback_group=group)

    def take_over(self, library: Library, settings: GroundingSettings) -> None:
        """What is asked from now on is answered with this library."""
        self._library, self._settings = library, settings

    def tell(self, scene: Scene) -> None:
        """Publish the graph of a new scene, where it has changed."""
        text = lines(self._graph(scene))
        if text != self._last_text:
            self._last_text = text
            self._graphs.publish(String(data=text))

    def _graph(self, scene: Scene) -> SceneGraph:
        if not self._settings.table_is_a_thing:
            return scene_graph(scene, self._settings)
        types_of = self._library.vocabulary.types_of
        kinds = {o.category for o in scene.objects}
        enclosing = {k for k in kinds if "container" in (types_of(k) or ())}
        return scene_graph(scene, self._settings, enclosing)

    def _describe(
        self, _: DescribeScene.Request, response: DescribeScene.Response
    ) -> DescribeScene.Response:
        def work(out: DescribeScene.Response) -> None:
            scene, state = self._present()
            out.text = describe_scene(self._graph(scene), state, self._library.predicates)
            out.scene = scene_to_msg(scene, self._source)
            out.state = state_to_msg(state, scene.frame)

        return boundary.answer("perception", response, work)

    def _find(
        self, request: FindObject.Request, response: FindObject.Response
    ) -> FindObject.Response:
        def work(out: FindObject.Response) -> None:
            scene, _ = self._present()
            lexicon = Lexicon.of(self._library, {o.category for o in scene.objects})
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
