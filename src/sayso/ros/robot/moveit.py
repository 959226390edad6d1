"""Joint paths from MoveIt 2: it plans, SaySo checks what it planned, and the gate moves the arm.

MoveIt's node `move_group` is asked by its action `MoveGroup` to plan only. What is perceived goes
along as a change of its planning scene for this one question; what MoveIt knows besides, such as
walls of the lab, stays in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from geometry_msgs.msg import Pose as PoseMsg
from moveit_msgs.action import MoveGroup
from moveit_msgs.msg import (
    AttachedCollisionObject,
    CollisionObject,
    Constraints,
    JointConstraint,
    MoveItErrorCodes,
    PlanningScene,
    PlanningSceneComponents,
)
from moveit_msgs.srv import GetPlanningScene
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from shape_msgs.msg import SolidPrimitive

from sayso.adapters.planners.ompl_motion import OmplMotionPlanner
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.ports import Obstacle
from sayso.robots.loading import load_robot
from sayso.robots.profile import RobotProfile
from sayso.ros.messages.conversions import header, pose_to_msg
from sayso.ros.runtime.calls import APPEAR_TIMEOUT_S, ThreadSafeActionClient, call, result_of

ACTION, SCENE = "move_action", "get_planning_scene"
_ANSWER_S = 5.0
"""For MoveIt's work around the search itself: the scene, the times of the way."""
_SLACK_M = 0.005
"""More than the margin: MoveIt checks a way at points of its own choosing, and times it."""
_THINNEST_M = 1e-3
_GOAL_RAD = 1e-4
_END_RAD = 0.01
"""So far off may a way begin or end where it should."""
_STRAIGHT_RAD = 2e-4
_E = MoveItErrorCodes
_TOUCHING = (
    _E.START_STATE_IN_COLLISION,
    _E.START_STATE_INVALID,
    _E.GOAL_IN_COLLISION,
    _E.GOAL_STATE_INVALID,
)
_NO_WAY = (*_TOUCHING, _E.FAILURE, _E.PLANNING_FAILED, _E.INVALID_MOTION_PLAN, _E.TIMED_OUT)


class MoveItMotionPlanner(OmplMotionPlanner):
    """`core.ports.MotionPlanner` whose ways are MoveIt's; what blocks a way is still asked here.

    Args:
        node: that asks MoveIt; something else must spin it.
        robot: whose arm is moved; its profile names MoveIt's group.
    """

    def __init__(self, node: Node, robot: RobotProfile | None = None, *, seed: int = 1) -> None:
        self._robot = robot = robot or load_robot()
        if not robot.moveit_group:
            raise SaySoError(
                Code.CONFIG,
                f"robot '{robot.name}' names no 'moveit_group'.",
                hint="add to its profile the group of its SRDF that is the arm.",
            )
        super().__init__(robot, seed=seed)
        group = ReentrantCallbackGroup()
        self._client = ThreadSafeActionClient(node, MoveGroup, ACTION, callback_group=group)
        self._scenes = node.create_client(GetPlanningScene, SCENE, callback_group=group)

    def plan(
        self,
        start: Array,
        goal: Array,
        obstacles: Sequence[Obstacle],
        *,
        held: Obstacle | None = None,
        timeout_s: float = 5.0,
    ) -> Array:
        """As the port says.

        Raises:
            SaySoError: also NODE_UNAVAILABLE without MoveIt, CONFIG where it does not know the
                robot as the profile names it, and EXECUTION for a way that is none from here.
        """
        with self._collision.lock:
            self._arrange(start, obstacles, held)
            self._check_ends(start, goal)
            grown = self._grown(start, goal, held)
        scene = self._scene(held)
        # Corners of grown boxes are farther out than the margin: without any it may do, since the
        # margins are looked at below.
        for more_m in (grown, [min(m, 0.0) for m in grown]):
            seen = enumerate(zip(obstacles, more_m, strict=True))
            scene.world.collision_objects = [self._object(i, o, m) for i, (o, m) in seen]
            result = self._ask(start, goal, scene, timeout_s)
            if result.error_code.val not in _TOUCHING:
                break
        self._require_planned(result.error_code, np.array([start, goal]), obstacles, held)
        path = self._path(result.planned_trajectory.joint_trajectory, start, goal)
        if (name := self.blocked(path, obstacles, held=held)) is not None:
            raise _unreachable(f"MoveIt's way leads too near to {name}", name)
        return path

    def _scene(self, held: Obstacle | None) -> PlanningScene:
        """What differs from MoveIt's own scene, but for the obstacles."""
        scene = PlanningScene(is_diff=True)
        scene.robot_state.is_diff = True
        if held is not None:
            scene.robot_state.attached_collision_objects = [self._attached(held)]
        # The foot stands on what it stands on. A matrix that is sent takes the place of MoveIt's.
        wanted = GetPlanningScene.Request()
        wanted.components.components = PlanningSceneComponents.ALLOWED_COLLISION_MATRIX
        allowed = call(self._scenes, wanted, APPEAR_TIMEOUT_S).scene.allowed_collision_matrix
        of = self._robot.frames.of
        known = dict(zip(allowed.default_entry_names, allowed.default_entry_values, strict=True))
        known |= dict.fromkeys((self._robot.frames.base, *map(of, self._collision.fixed)), True)
        allowed.default_entry_names, allowed.default_entry_values = list(known), [*known.values()]
        scene.allowed_collision_matrix = allowed
        return scene

    def _grown(self, start: Array, goal: Array, held: Obstacle | None) -> list[float]:
        """By how much MoveIt sees each obstacle grown: its margin, and more where the ends let it.

        Below 0 where the start touches it.
        """
        kept = self._collision.obstacles
        self._collision.arrange([replace(o, margin_m=o.margin_m + _SLACK_M) for o in kept], held)
        self._collision.tolerate(start)
        self._collision.tolerate(goal)
        with_slack = self._collision.obstacles
        return [max(a.margin_m, b.margin_m) for a, b in zip(kept, with_slack, strict=True)]

    def _object(self, index: int, obstacle: Obstacle, more_m: float) -> CollisionObject:
        name, frame = f"{obstacle.name} ({index})", self._robot.frames.base
        return _solid(name, frame, obstacle, pose_to_msg(obstacle.pose), more_m)

    def _attached(self, held: Obstacle) -> AttachedCollisionObject:
        hand, of = self._robot.hand, self._robot.frames.of
        pose = pose_to_msg(hand.tool @ held.pose)
        link = of(hand.body)
        return AttachedCollisionObject(
            link_name=link,
            object=_solid(held.name, link, held, pose),
            touch_links=[link, *map(of, hand.pads)],
        )

    def _ask(self, start: Array, goal: Array, scene: PlanningScene, timeout_s: float) -> Any:
        """MoveIt's result. Raises NODE_UNAVAILABLE, and EXECUTION where it takes no question."""
        asked = MoveGroup.Goal()
        asked.planning_options.plan_only = True
        asked.planning_options.planning_scene_diff = scene
        request, names = asked.request, self._robot.joint_names
        request.group_name = self._robot.moveit_group
        request.num_planning_attempts = 1
        request.allowed_planning_time = float(timeout_s)
        request.max_velocity_scaling_factor = request.max_acceleration_scaling_factor = 1.0
        request.start_state.is_diff = True
        request.start_state.joint_state.name = list(names)
        request.start_state.joint_state.position = [float(q) for q in start]
        request.goal_constraints = [_at(dict(zip(names, goal.tolist(), strict=True)))]
        if not self._client.wait_for_server(timeout_sec=APPEAR_TIMEOUT_S):
            raise SaySoError(
                Code.NODE_UNAVAILABLE,
                f"no node offers {ACTION}.",
                hint="start MoveIt's move_group for this robot, or set 'motion_planner' to ompl.",
            )
        handle = result_of(self._client.send_goal_async(asked), _ANSWER_S, ACTION)
        if not handle.accepted:
            raise SaySoError(
                Code.EXECUTION, f"{ACTION}: the goal was rejected.", hint="read move_group's log."
            )
        try:
            waited_s = timeout_s + _ANSWER_S
            return result_of(handle.get_result_async(), waited_s, ACTION).result
        except SaySoError:
            handle.cancel_goal_async()
            raise

    def _require_planned(
        self, told: Any, line: Array, obstacles: Sequence[Obstacle], held: Obstacle | None
    ) -> None:
        """Raises UNREACHABLE with what is in the way, or CONFIG."""
        if told.val == _E.SUCCESS:
            return
        said = _name_of(told)
        if told.val not in _NO_WAY:
            raise SaySoError(
                Code.CONFIG,
                f"MoveIt does not plan for group '{self._robot.moveit_group}': {said}.",
                hint="compare the profile's names with those of MoveIt's robot, and read its log.",
            )
        if (name := self.blocked(line, obstacles, held=held)) is not None:
            raise _unreachable(f"MoveIt found no way ({said}); {name} is in the way", name)
        raise SaySoError(
            Code.UNREACHABLE,
            f"MoveIt found no way ({said}), though nothing that is seen is in the way.",
            hint="see what else its planning scene holds.",
        )

    def _path(self, trajectory: Any, start: Array, goal: Array) -> Array:
        """(N, J) its corners, from start to goal. Raises EXECUTION where it is no such way."""
        names = list(trajectory.joint_names)
        if not set(self._robot.joint_names) <= set(names) or not trajectory.points:
            raise self._wrong("it is not of the arm's joints")
        order = [names.index(name) for name in self._robot.joint_names]
        try:
            path = np.array([point.positions for point in trajectory.points], float)[:, order]
        except (ValueError, IndexError) as error:
            raise self._wrong("a point of it lacks joints") from error
        if not np.isfinite(path).all():
            raise self._wrong("it has a value that is not a number")
        off = max(np.abs(path[0] - start).max(), np.abs(path[-1] - goal).max())
        if off > _END_RAD:
            raise self._wrong(f"it begins or ends {off:.3f} rad off")
        return _corners(np.concatenate([[start], path[1:-1], [goal]]))

    def _wrong(self, what: str) -> SaySoError:
        return SaySoError(
            Code.EXECUTION,
            f"MoveIt's way cannot be used: {what}.",
            hint="see whether it plans for the same robot as the profile.",
        )


def _unreachable(what: str, name: str) -> SaySoError:
    hint = f"move {name} out of the way, or choose another place."
    return SaySoError(Code.UNREACHABLE, f"{what}.", hint=hint)


def _solid(
    name: str, frame: str, shape: Obstacle, pose: PoseMsg, more_m: float = 0.0
) -> CollisionObject:
    x, y, z = (max(s + 2 * more_m, _THINNEST_M) for s in shape.size)
    solid = SolidPrimitive(type=SolidPrimitive.BOX, dimensions=[x, y, z])
    if shape.shape == "cylinder":
        solid = SolidPrimitive(type=SolidPrimitive.CYLINDER, dimensions=[z, x / 2])
    return CollisionObject(
        header=header(0.0, frame),
        id=name,
        pose=PoseMsg(),
        primitives=[solid],
        primitive_poses=[pose],
        operation=CollisionObject.ADD,
    )


def _at(joints: Mapping[str, float]) -> Constraints:
    return Constraints(
        joint_constraints=[
            JointConstraint(
                joint_name=name,
                position=position,
                tolerance_above=_GOAL_RAD,
                tolerance_below=_GOAL_RAD,
                weight=1.0,
            )
            for name, position in joints.items()
        ]
    )


def _name_of(told: Any) -> str:
    """Its code in MoveIt's words, and what it says besides."""
    names = (n for n in dir(_E) if n.isupper() and getattr(_E, n) == told.val)
    said = getattr(told, "message", "")
    return f"{next(names, told.val)}{': ' if said else ''}{said.rstrip('.')}"


def _corners(path: Array) -> Array:
    """The points of a path (N, J) at which it turns."""
    kept, first = [path[0]], 0
    for last in range(2, len(path)):
        if _off_the_line(path[first : last + 1]) > _STRAIGHT_RAD:
            first = last - 1
            kept.append(path[first])
    return np.array([*kept, path[-1]])


def _off_the_line(points: Array) -> float:
    """How far points (N, J) are from the straight line between the first and the last [rad]."""
    along = points[-1] - points[0]
    share = np.clip((points - points[0]) @ along / max(along @ along, 1e-12), 0.0, 1.0)
    return float(np.linalg.norm(points - points[0] - share[:, None] * along, axis=1).max())
