"""A stand-in of MoveIt's node `move_group`, as strict as that about what it is told.

It plans with OMPL around what it was sent and what it knows besides. As in MoveIt, all of the arm's
links count, the foot too unless its collisions are allowed, and nothing may touch anything in the
beginning or at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
from moveit_msgs.action import MoveGroup
from moveit_msgs.msg import AllowedCollisionEntry, MoveItErrorCodes
from moveit_msgs.srv import GetPlanningScene
from rclpy.action import ActionServer
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from shape_msgs.msg import SolidPrimitive

from sayso.adapters import registry
from sayso.adapters.planners.ompl_motion import OmplMotionPlanner
from sayso.core.errors import SaySoError
from sayso.core.ports import Obstacle
from sayso.robots.collision import ArmCollision
from sayso.robots.profile import RobotProfile
from sayso.ros.messages.conversions import pose_from_msg
from sayso.ros.robot.drivers import trajectory_to_msg
from support.ros_graph import Graph, free_domain

E = MoveItErrorCodes
OWN_PAIRS = ["link_of_the_srdf", "neighbour_of_it"]
"""Links whose collisions MoveIt's own description allows."""


class MoveItDouble(Node):
    """Offers `move_action` and `get_planning_scene`.

    Attributes:
        asked: goals, oldest first.
        knows: obstacles that nobody but MoveIt knows of.
        answers: what it does instead of planning, if anything: from a goal's request to a result.
    """

    def __init__(self, robot: RobotProfile, **kwargs: Any) -> None:
        super().__init__("move_group", **kwargs)
        self._robot = robot
        self._planner, self._collision = OmplMotionPlanner(robot), ArmCollision(robot)
        self.asked: list[Any] = []
        self.knows: list[Obstacle] = []
        self.answers: Callable[[Any], Any] | None = None
        group = ReentrantCallbackGroup()
        self._server = ActionServer(
            self, MoveGroup, "move_action", self._serve, callback_group=group
        )
        self.create_service(
            GetPlanningScene, "get_planning_scene", self._tell_scene, callback_group=group
        )

    def _tell_scene(self, _: Any, response: Any) -> Any:
        allowed = response.scene.allowed_collision_matrix
        allowed.entry_names = OWN_PAIRS
        allowed.entry_values = [
            AllowedCollisionEntry(enabled=[i != j for j in (0, 1)]) for i in (0, 1)
        ]
        return response

    def _serve(self, goal: Any) -> Any:
        self.asked.append(goal.request)
        result = (self.answers or self._plan)(goal.request)
        goal.succeed() if result.error_code.val == E.SUCCESS else goal.abort()
        return result

    def _plan(self, asked: Any) -> Any:
        request, scene = asked.request, asked.planning_options.planning_scene_diff
        if request.group_name != self._robot.moveit_group:
            return refused(E.INVALID_GROUP_NAME)
        objects = scene.world.collision_objects
        if any(o.header.frame_id != self._robot.frames.base for o in objects):
            return refused(E.FRAME_TRANSFORM_FAILURE)
        obstacles = [*map(obstacle, objects), *self.knows]
        held = self._held(scene.robot_state.attached_collision_objects)
        start = self._ordered(
            zip(
                request.start_state.joint_state.name,
                request.start_state.joint_state.position,
                strict=True,
            )
        )
        (constraints,) = request.goal_constraints
        goal = self._ordered((c.joint_name, c.position) for c in constraints.joint_constraints)
        if not self._foot_is_allowed(scene.allowed_collision_matrix):
            return refused(E.START_STATE_IN_COLLISION)
        self._collision.arrange(obstacles, held)
        for joints, code in ((start, E.START_STATE_IN_COLLISION), (goal, E.GOAL_IN_COLLISION)):
            if self._collision.hit(joints) is not None:
                return refused(code)
        try:
            path = self._planner.plan(
                start, goal, obstacles, held=held, timeout_s=request.allowed_planning_time
            )
        except SaySoError as error:
            return refused(E.PLANNING_FAILED, error.message)
        return planned(self._robot, path)

    def _foot_is_allowed(self, allowed: Any) -> bool:
        names = dict(zip(allowed.default_entry_names, allowed.default_entry_values, strict=True))
        of = self._robot.frames.of
        kept = list(allowed.entry_names) == OWN_PAIRS  # else its own links would collide
        return kept and all(names.get(of(body)) for body in self._collision.fixed)

    def _held(self, attached: Any) -> Obstacle | None:
        if not attached:
            return None
        (body,) = attached
        hand = self._robot.hand
        assert body.link_name == self._robot.frames.of(hand.body) in body.touch_links
        thing = obstacle(body.object)
        return Obstacle(thing.name, thing.shape, hand.tool.inverse() @ thing.pose, thing.size)

    def _ordered(self, pairs: Any) -> np.ndarray:
        told = dict(pairs)
        return np.array([told[name] for name in self._robot.joint_names])


def obstacle(told: Any) -> Obstacle:
    """What a `CollisionObject` of one primitive is."""
    (solid,), (pose,) = told.primitives, told.primitive_poses
    where = pose_from_msg(told.pose) @ pose_from_msg(pose)
    if solid.type == SolidPrimitive.CYLINDER:
        height, radius = solid.dimensions
        return Obstacle(told.id, "cylinder", where, (2 * radius, 2 * radius, height))
    return Obstacle(told.id, "box", where, tuple(solid.dimensions))


def refused(code: int, message: str = "") -> Any:
    result = MoveGroup.Result()
    result.error_code.val = code
    if hasattr(result.error_code, "message"):
        result.error_code.message = message
    return result


def planned(robot: RobotProfile, path: np.ndarray) -> Any:
    """As MoveIt gives it: many points, at even times, the joints in an order of its own."""
    result = refused(E.SUCCESS)
    points = np.concatenate(
        [np.linspace(a, b, 8, endpoint=False) for a, b in pairwise(path)] + [path[-1:]]
    )
    result.planned_trajectory.joint_trajectory = trajectory_to_msg(
        robot.joint_names[::-1], 0.1 * np.arange(len(points)), points[:, ::-1]
    )
    return result


@contextmanager
def moveit(robot: RobotProfile) -> Iterator[tuple[Any, MoveItDouble]]:
    """The planner, and the double that it asks, in a ROS graph of their own."""
    with free_domain() as domain:
        graph = Graph(domain)
        try:
            double = graph.add(lambda **kw: MoveItDouble(robot, **kw))
            planner = registry.create("motion_planner", "moveit", robot=robot, node=graph.tester)
            yield planner, double
        finally:
            graph.close()
