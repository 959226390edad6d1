"""What the nodes of all simulated worlds share: the thread that steps, and what is due when."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from functools import partial
from typing import Any, Protocol, TypeVar

import rclpy
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from sayso_ros.srv import PerturbWorld, ResetWorld
from std_srvs.srv import SetBool

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Vector3
from sayso.ros.runtime import boundary
from sayso.ros.runtime.liveliness import SignOfLife
from sayso.ros.runtime.params import on_change
from sayso.worlds.pacing import Pacer, Schedule

log = logging.getLogger(__name__)
T = TypeVar("T")
Due = list[tuple[Schedule, Callable[[], None]]]
TICK_S = 0.01
_ANSWER_S = 30.0


class SimulatedWorld(Protocol):
    """What can be stepped; touched in one thread only."""

    @property
    def time_s(self) -> float: ...

    def step(self, dt_s: float) -> None: ...

    def reset(self, seed: int) -> None: ...

    def move(self, name: str, position: Vector3) -> None: ...

    def remove(self, name: str) -> None: ...

    def mute(self, camera: str, silent: bool = True) -> None: ...

    def warm_up(self) -> None: ...

    def hold(self) -> None: ...

    def close(self) -> None: ...


class SimulationNode(Node):
    """Runs a simulated world in a thread of its own, in which alone it is touched.

    Callbacks queue their work for that thread; so commands take effect in order, and the
    OpenGL context stays where it was made. Subclasses call `begin` when they are set up.
    Offers `world/reset` and `world/perturb`.

    Attributes:
        world_services: one of these at a time.
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        super().__init__(name, **kwargs)
        self._work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self.world_services = MutuallyExclusiveCallbackGroup()

    def begin(
        self,
        world: SimulatedWorld,
        real_time_factor: float,
        due: Due,
        first: Callable[[], None],
        every_tick: Callable[[], None],
    ) -> None:
        """Start simulating.

        Args:
            world: to be stepped.
            real_time_factor: simulated seconds per wall second, at most.
            due: what is published when.
            first: called once in the simulation's thread.
            every_tick: called after each step.
        """
        self._stepped, self._due = world, due
        self._pacer = Pacer(real_time_factor)
        on_change(self, "real_time_factor", lambda f: self._work.put(lambda: self._pacer.change(f)))
        self._first, self._every_tick = first, every_tick
        group = self.world_services
        self.create_service(ResetWorld, "world/reset", self._reset, callback_group=group)
        self.create_service(PerturbWorld, "world/perturb", self._perturb, callback_group=group)
        self._thread = threading.Thread(target=self._run, name="simulation", daemon=True)
        self._thread.start()
        self._life = SignOfLife(self)

    def destroy_node(self) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join(timeout=10.0)
        super().destroy_node()

    def in_world(self, work: Callable[[], T]) -> T:
        """Run `work` in the simulation's thread and wait for what it gives or raises."""
        done: Future[T] = Future()

        def task() -> None:
            try:
                done.set_result(work())
            except Exception as error:  # noqa: BLE001 - handed to the caller's boundary
                done.set_exception(error)

        self._work.put(task)
        try:
            return done.result(timeout=_ANSWER_S)
        except Late:
            raise SaySoError(
                Code.BUSY, f"the simulation did not answer within {_ANSWER_S:g} s."
            ) from None

    def offer_switch(self, name: str, work: Callable[[bool], None]) -> None:
        """A service that opens (true) or shuts something, or starts (true) or stops a walker."""

        def answer(request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
            try:
                self.in_world(partial(work, request.data))
                response.success = True
            except SaySoError as error:
                response.message = str(error)
            return response

        self.create_service(SetBool, name, answer, callback_group=self.world_services)

    def command(self, work: Callable[[], None]) -> None:
        """Queue a motion command; one that makes no sense brings the robot to rest."""
        self._work.put(lambda: self._obey(work))

    def _obey(self, work: Callable[[], None]) -> None:
        try:
            work()
        except SaySoError as error:
            log.error("a command was refused, the robot holds: %s", error)
            self._stepped.hold()

    def _reset(
        self, request: ResetWorld.Request, response: ResetWorld.Response
    ) -> ResetWorld.Response:
        return boundary.answer(
            "reset", response, lambda _: self.in_world(lambda: self._stepped.reset(request.seed))
        )

    def _perturb(
        self, request: PerturbWorld.Request, response: PerturbWorld.Response
    ) -> PerturbWorld.Response:
        return boundary.answer(
            "perturb", response, lambda _: self.in_world(lambda: self._disturb(request))
        )

    def _disturb(self, request: PerturbWorld.Request) -> None:
        world, p, target = self._stepped, request.position, request.target
        kinds: dict[int, Callable[[], None]] = {
            PerturbWorld.Request.MOVE: lambda: world.move(target, (p.x, p.y, p.z)),
            PerturbWorld.Request.REMOVE: lambda: world.remove(target),
            PerturbWorld.Request.MUTE_CAMERA: lambda: world.mute(target),
            PerturbWorld.Request.UNMUTE_CAMERA: lambda: world.mute(target, False),
        }
        if request.kind not in kinds:
            raise SaySoError(
                Code.INVALID, f"there is no disturbance {request.kind}.", choices=map(str, kinds)
            )
        kinds[request.kind]()

    def _run(self) -> None:
        try:
            self._stepped.warm_up()
            self._first()
            self._simulate()
        except SaySoError as error:
            log.error("the simulation ends: %s", error)
            rclpy.try_shutdown(context=self.context)
        except Exception:  # the thread's boundary: a world that stands still must end the node
            # Publishing fails when the context is shut down under it: that is an ordinary end.
            if not self._ended.is_set() and self.context.ok():
                log.exception("the simulation ends unexpectedly")
                rclpy.try_shutdown(context=self.context)
        finally:
            self._stepped.close()

    def _simulate(self) -> None:
        while not self._ended.is_set() and self.context.ok():
            self._do_work()
            self._stepped.step(TICK_S)
            self._every_tick()
            now_s = self._stepped.time_s
            for schedule, publish in self._due:
                if schedule.due(now_s):
                    publish()
            self._ended.wait(self._pacer.delay_s(now_s, time.monotonic()))

    def _do_work(self) -> None:
        while True:
            try:
                work = self._work.get_nowait()
            except queue.Empty:
                return
            work()
