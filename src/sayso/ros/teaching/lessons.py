"""Who shows the robot, over ROS, what a task is lacking: demonstrations that were recorded.

What is learned of them is kept beside the run's report, and told to all nodes on `/library`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import IO

from rclpy.node import Node
from sayso_ros.msg import LibraryVersion
from std_srvs.srv import Trigger

from sayso.adapters import registry
from sayso.adapters.learning_backends import EMBEDDER
from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library, save
from sayso.learning.demonstrations import folder as recorded
from sayso.learning.skills import store
from sayso.learning.skills.lesson import SkillLesson, TryOut, meant, skills_of
from sayso.learning.skills.store import KeptSkill
from sayso.learning.synthesis.synthesizer import Synthesizer
from sayso.learning.versions import Version, Versions
from sayso.ros.messages.conversions import error_from_status
from sayso.ros.messages.qos import LATCHED
from sayso.ros.runtime.boundary import status_of
from sayso.ros.runtime.libraries import load_folder
from sayso.ros.teaching.learning_folder import locked


class Teaching:
    """Lessons from a folder.

    Args:
        shown: folder of demonstrations, or of a library that has taught skills; it may come to be
            only when somebody shows something.
        folder: of the library that has what is learned.
        take_over: told of it before all others.
        running: held while a task is under way.
        try_out: does in thought what was shown; None where there is no arm that stands still.
    """

    def __init__(
        self,
        node: Node,
        shown: Path,
        folder: Path,
        take_over: Callable[[Path, Library], None],
        running: Lock,
        try_out: TryOut | None = None,
    ) -> None:
        self._node, self._shown, self._folder = node, shown, folder
        self._take_over, self._running = take_over, running
        self._try_out = try_out
        self._open: IO[bytes] | None = None
        self._publisher = node.create_publisher(LibraryVersion, "library", LATCHED)
        node.create_service(Trigger, "undo_lesson", self._undo)

    def lesson(
        self, skill: str, library: Library, take_over: Callable[[Library], None]
    ) -> SkillLesson | None:
        """That in which a skill is shown; None where no demonstration is of it.

        Args:
            skill: in words, see `meant`.
            take_over: told of the library with the skill.

        Raises:
            SaySoError: as `folder.read`, `store.read_all` and `skills_of`; BUSY while somebody else
                changes the library.
        """

        def learned(new: Library) -> None:
            self._take_over(self._folder, new)
            self._publish(f"shown: {skill}")
            take_over(new)

        fits = (s for s in self._skills() if meant(skill, s.words, tuple(s.parameters.values())))
        if (shown := next(fits, None)) is None:
            return None
        self._own()
        learner = Synthesizer(registry.create("embedder", EMBEDDER))
        return SkillLesson(
            library, lambda: shown, learner, self._folder, learned, self._try_out, self._shown
        )

    def resume(self) -> None:
        """Go on with what was learned before; what was not written to its end is set aside.

        Raises:
            SaySoError: as `load_folder`, `Versions` and `store.set_aside_broken`.
        """
        if (self._folder / "versions").is_dir():
            self._own()
            Versions(self._folder)  # a change that broke off is finished
        broken = store.set_aside_broken(self._folder)
        for name, matter in broken.items():
            self._node.get_logger().error(f"'{name}' has to be taught again: {matter}.")
        if not (self._folder / "library.json").exists():
            return
        library = load_folder(self._folder)
        if broken:
            doable = {n: o for n, o in library.operators.items() if o.skill not in broken}
            library = replace(library, operators=doable)
            save(library, self._folder)
        self._take_over(self._folder, library)
        self._publish("what it knows")

    def undo(self) -> str:
        """Take back the last lesson; tells which it was. It is kept, and can be used again.

        Where what was before it cannot be used, it stays.

        Raises:
            SaySoError: BUSY while a task is under way; INVALID where nothing was taught; as
                `Versions` and `load_folder`.
        """
        if not self._running.acquire(blocking=False):
            raise SaySoError(Code.BUSY, "a task is under way.", hint="wait for it to end.")
        try:
            self._own()
            versions = Versions(self._folder)
            undone = versions.in_use()
            try:
                versions.undo()
                self._take_over(self._folder, load_folder(self._folder))
            except (SaySoError, OSError) as error:
                if undone.parent:
                    self._go_on_with(versions, undone, error)
                raise
        finally:
            self._running.release()
        self._publish(f"taken back: {undone.why}")
        return undone.why

    def _go_on_with(self, versions: Versions, version: Version, error: Exception) -> None:
        """Disk and robot are what they were before what failed. Raises what it told of, and so."""
        versions.use(version.number)
        self._take_over(self._folder, load_folder(self._folder))
        raise SaySoError(
            error.code if isinstance(error, SaySoError) else Code.UNKNOWN,
            f"'{version.why}' was not taken back, for what was before it cannot be used: {error}",
        ) from error

    def _undo(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        def work() -> None:
            response.message, response.success = self.undo(), True

        status = status_of("undo_lesson", work)
        if not response.success:
            response.message = str(error_from_status(status))
        return response

    def _own(self) -> None:
        """Nobody else changes the library from now on. Raises BUSY where somebody does."""
        if self._open is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._open = locked(self._folder)

    def _skills(self) -> tuple[KeptSkill, ...]:
        if taught := store.read_all(self._shown):
            return tuple(taught.values())
        places = recorded.found_in(self._shown)
        if not places:
            self._node.get_logger().warning(f"{self._shown} holds no demonstration yet.")
            return ()
        return skills_of([recorded.read(one) for one in places])

    def _publish(self, why: str) -> None:
        message = LibraryVersion(
            stamp=self._node.get_clock().now().to_msg(),
            folder=str(self._folder.resolve()),
            number=len(store.kept(self._folder)),
            why=why,
        )
        self._publisher.publish(message)
