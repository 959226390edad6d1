"""A table over topics without physics: primitives that succeed at once where they can be done."""

from __future__ import annotations

from dataclasses import replace

from rclpy.action import ActionServer
from rclpy.callback_groups import ReentrantCallbackGroup
from sayso_ros.action import ExecutePrimitive
from sayso_ros.msg import GroundTruth, Scene

from sayso.core import scene as core
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.ros.messages.conversions import header, object_to_msg, scene_to_msg
from sayso.ros.messages.qos import NEWEST
from sayso.ros.runtime.boundary import run_goal
from support.ros_graph import Graph

EDGE = 0.045
LOOK_S = 0.03
IN_HAND = (0.3, 0.0, 0.4)


def block(name: str, x: float, y: float) -> core.SceneObject:
    color, _, category = name.rpartition("_")
    return core.SceneObject(name, category, color, (x, y, EDGE / 2), (EDGE,) * 3)


COASTER = core.SceneObject("coaster", "coaster", "black", (0.5, 0.2, 0.003), (0.1, 0.1, 0.006))
THINGS = (block("red_block", 0.4, -0.2), block("blue_block", 0.5, -0.1), COASTER)


class PracticeTable:
    """Publishes `/scene` and `/world/ground_truth` and serves `/execute_primitive`."""

    def __init__(self, graph: Graph) -> None:
        self._node = graph.tester
        self.silent = False
        self.reset()
        self._scenes = self._node.create_publisher(Scene, "/scene", NEWEST)
        self._truth = self._node.create_publisher(GroundTruth, "/world/ground_truth", 10)
        group = ReentrantCallbackGroup()
        self._node.create_timer(LOOK_S, self._tell, callback_group=group)
        ActionServer(
            self._node, ExecutePrimitive, "execute_primitive", self._execute, callback_group=group
        )

    def reset(self) -> None:
        """Everything on the table, nothing done."""
        self.things = {t.name: t for t in THINGS}
        self.held = ""
        self.done: list[str] = []

    def _tell(self) -> None:
        if self.silent:
            return
        now_s = self._node.get_clock().now().nanoseconds * 1e-9
        things = tuple(self.things.values())
        hand = core.RobotState(now_s, (), EDGE if self.held else 0.08, Pose(IN_HAND))
        self._scenes.publish(scene_to_msg(core.Scene(now_s, things, hand), "test"))
        contacts = [self.held] if self.held else []
        objects = [object_to_msg(t) for t in things]
        self._truth.publish(
            GroundTruth(header=header(now_s), objects=objects, robot_contacts=contacts)
        )

    def _execute(self, goal):
        def work(_):
            name, args = goal.request.primitive, list(goal.request.args)
            getattr(self, f"_{name}")(*args)
            self.done.append(f"{name}({', '.join(args)})")

        return run_goal("body", goal, ExecutePrimitive.Result(), work)

    def _pick_up(self, name: str) -> None:
        thing = self.things[name]
        if self.held or thing.category != "block" or self._loaded(name):
            raise SaySoError(Code.EXECUTION, "the hand closed on nothing.")
        self.held = name
        self.things[name] = replace(thing, position=IN_HAND, carried=True)

    def _place_on_table(self, name: str) -> None:
        y = 0.1 * len(self.done)
        self._put(name, (0.35, y, EDGE / 2))

    def _place_first_on_second(self, name: str, support: str) -> None:
        under = self.things[support]
        x, y, z = under.position
        if self._loaded(support):
            raise SaySoError(Code.UNREACHABLE, "something is in the way.")
        self._put(name, (x, y, z + under.size[2] / 2 + EDGE / 2))

    def _put(self, name: str, position) -> None:
        if self.held != name:
            raise SaySoError(Code.EXECUTION, "the hand does not hold it.")
        self.held = ""
        self.things[name] = replace(self.things[name], position=position, carried=False)

    def _loaded(self, name: str) -> bool:
        low = self.things[name].position
        return any(
            t.name != name and not t.carried and abs(t.position[0] - low[0]) < 0.02
            and abs(t.position[1] - low[1]) < 0.02 and t.position[2] > low[2]
            for t in self.things.values()
        )  # fmt: skip
