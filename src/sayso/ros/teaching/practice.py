"""A robot that practises over topics and actions (`learning.teaching.Practice`)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from rclpy.node import Node
from rclpy.task import Future
from sayso_ros.action import ExecutePrimitive
from sayso_ros.msg import Scene as SceneMsg
from sayso_ros.msg import Status

from sayso.core.errors import Code, SaySoError
from sayso.core.scene import Scene
from sayso.ros.messages.conversions import error_from_status, scene_from_msg
from sayso.ros.messages.qos import NEWEST
from sayso.ros.runtime.boundary import receiving
from sayso.ros.runtime.calls import APPEAR_TIMEOUT_S, ThreadSafeActionClient
from sayso.skills.primitives import FELT, PRIMITIVES

_LOOK_S = 0.1


class NewestScene:
    """The newest scene, and waits for newer ones.

    Args:
        ignored: categories of objects that are left out.
    """

    def __init__(self, node: Node, group: Any, ignored: Collection[str]) -> None:
        self._ignored = frozenset(ignored)
        self._changed = threading.Condition()
        self._scene: Scene | None = None
        take = receiving("/scene", self._take)
        node.create_subscription(SceneMsg, "scene", take, NEWEST, callback_group=group)

    def after(self, stamp_s: float, timeout_s: float) -> Scene:
        """A scene whose pictures were taken later than that. Raises STALE."""
        with self._changed:
            self._changed.wait_for(lambda: self._newer(stamp_s), timeout_s)
            if self._scene is None or not self._newer(stamp_s):
                raise SaySoError(
                    Code.STALE,
                    f"no new scene was observed for {timeout_s:g} s.",
                    hint="see whether the cameras and perception run.",
                )
            return self._scene

    def _newer(self, stamp_s: float) -> bool:
        return self._scene is not None and self._scene.stamp_s > stamp_s

    def _take(self, message: SceneMsg) -> None:
        """Without surface points, of which nothing is learned and which would fill the memory."""
        scene = scene_from_msg(message)
        none = np.zeros((0, 3), np.float32)
        kept = [replace(o, points=none) for o in scene.objects if o.category not in self._ignored]
        with self._changed:
            self._scene = replace(scene, objects=tuple(kept))
            self._changed.notify_all()


class RosPractice:
    """One task's practice; its `act` is the executor's `/execute_primitive`.

    Args:
        told: called with each action before it begins.
        scene_s: how long to wait for a fresh scene, act_s for the end of an action.
    """

    def __init__(
        self,
        node: Node,
        scenes: NewestScene,
        client: ThreadSafeActionClient,
        told: Callable[[str, Sequence[str]], None],
        cancelled: Callable[[], bool],
        scene_s: float,
        act_s: float,
    ) -> None:
        self._node = node
        self._scenes = scenes
        self._client = client
        self._on_action = told
        self._cancelled = cancelled
        self._scene_s = scene_s
        self._act_s = act_s

    @property
    def skills(self) -> Mapping[str, int]:
        """How many objects each action takes."""
        return PRIMITIVES

    def observe(self) -> Scene:
        """What was seen after now. Raises STALE."""
        now_s = self._node.get_clock().now().nanoseconds * 1e-9
        return self._scenes.after(now_s, self._scene_s)

    def act(self, skill: str, args: Sequence[str]) -> bool:
        """Whether the robot felt that it succeeded.

        Raises:
            SaySoError: NODE_UNAVAILABLE, BUSY, CANCELLED, or what else the executor answers and
                the robot could not feel itself.
        """
        if not self._client.wait_for_server(timeout_sec=APPEAR_TIMEOUT_S):
            raise SaySoError(
                Code.NODE_UNAVAILABLE,
                "no executor offers /execute_primitive.",
                hint="start the nodes first: launch/teach.launch.xml.",
            )
        self._on_action(skill, args)
        goal = ExecutePrimitive.Goal(primitive=skill, args=list(args))
        handle = self._await(self._client.send_goal_async(goal), None)
        if not handle.accepted:
            raise SaySoError(Code.BUSY, "the executor is busy.", hint="wait for its task to end.")
        result = self._await(handle.get_result_async(), handle).result
        return _felt(result.status)

    def _await(self, future: Future, handle: Any) -> Any:
        """What comes of it; cancels the action where the practice is cancelled."""
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        for _ in range(int(self._act_s / _LOOK_S)):
            if done.wait(_LOOK_S):
                return future.result()
            if handle is not None and self._cancelled():
                handle.cancel_goal_async()
                handle = None  # once; its result still comes
        raise SaySoError(
            Code.NODE_UNAVAILABLE,
            f"/execute_primitive did not end within {self._act_s:g} s.",
            hint="read the executor's log.",
        )


def _felt(status: Status) -> bool:
    if status.code == Status.OK:
        return True
    error = error_from_status(status)
    if error.code in FELT:
        return False
    raise error
