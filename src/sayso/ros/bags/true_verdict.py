"""What a recorded task truly came to: its automaton over the simulator's own recorded state.

The task's words are grounded anew in what truly was there when it began, so that a thing that the
robot took for another does not count. A real robot's bag holds no such state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sayso.core.errors import SaySoError
from sayso.core.geometry import Pose
from sayso.core.library import Library
from sayso.core.occupied import Occupied
from sayso.core.predicates import SceneView
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.core.symbols import SymbolicState
from sayso.logic.formula import Formula, propositions
from sayso.logic.monitor import Monitor, prop_atom
from sayso.logic.progression import Verdict, progression_of
from sayso.perception.grounding import ground
from sayso.perception.settings import GroundingSettings
from sayso.ros.messages.conversions import object_from_msg, time_from_msg
from sayso.ros.messages.specifications import specification_from_msg
from sayso.worlds.flat.robot import BODY
from sayso.worlds.true_state import named, robot_at, true_scene

NONE_RECORDED = "the bag holds no true state; only a simulator tells it"


@dataclass(frozen=True)
class TrueVerdict:
    """What truly came about in a task.

    Attributes:
        verdict: the last; None where it cannot be told, and `why` says why.
        states: true states judged.
        grounding: which of the simulator's own things each description was.
    """

    verdict: Verdict | None = None
    why: str = ""
    states: int = 0
    grounding: Mapping[str, tuple[str, ...]] | None = None


@dataclass(frozen=True)
class _Truth:
    """One `/world/ground_truth`, things under the nouns that people use."""

    stamp_s: float
    things: tuple[SceneObject, ...]
    base: Pose | None


class TrueStates:
    """The recorded true states of a bag, and the robot's reports that belong to them."""

    def __init__(self, library: Library) -> None:
        self._predicates = library.predicates
        self._settings = GroundingSettings(library.vocabulary.places)
        self._truths: list[_Truth] = []
        self._robots: list[RobotState] = []
        self._occupied: Occupied | None = None

    def take_truth(self, msg: Any) -> None:
        """Take in one `GroundTruth`."""
        objects = [object_from_msg(o) for o in msg.objects]
        base = next((o.pose for o in objects if o.name == BODY), None)
        if base is not None:
            x, y, _ = base.position  # of a box that stands on the floor
            base = Pose((x, y, 0.0), base.orientation)
        things = named(o for o in objects if o.name != BODY)
        self._truths.append(_Truth(time_from_msg(msg.header.stamp), things, base))

    def take_scene(self, scene: Scene) -> None:
        """Take in what the robot reports of itself with a scene, and the walls of the map."""
        self._robots.append(scene.robot)
        self._occupied = scene.occupied or self._occupied

    def judge(
        self, specification: Any, begin_s: float, end_s: float, ended: Sequence[float]
    ) -> TrueVerdict:
        """The verdict on a task that was watched from `begin_s` to `end_s`.

        Args:
            specification: the message.
            ended: when skills ended.
        """
        if not self._truths:
            return TrueVerdict(why=NONE_RECORDED)
        scenes = self._scenes(begin_s, end_s)
        if not scenes:
            return TrueVerdict(why="no true state was recorded while the task was watched")
        try:
            grounded = ground(specification_from_msg(specification), scenes[0], self._settings)
        except SaySoError as error:
            return TrueVerdict(why=f"in what truly was there, {error.message}")
        verdict = self._follow(grounded.formula, scenes, sorted(ended))
        names = {str(r): tuple(objects) for r, objects in grounded.grounding.items()}
        return TrueVerdict(verdict, "", len(scenes), names)

    def _scenes(self, begin_s: float, end_s: float) -> list[Scene]:
        scenes, robots, robot = [], iter(self._robots), RobotState()
        following = next(robots, None)
        for truth in self._truths:
            while following is not None and following.stamp_s <= truth.stamp_s:
                robot, following = following, next(robots, None)
            if begin_s <= truth.stamp_s <= end_s:
                at = robot_at(truth.base, robot)
                frame = "world" if truth.base is None else "map"
                true = true_scene(truth.stamp_s, truth.things, at, frame=frame)
                scenes.append(replace(true, occupied=self._occupied))
        return scenes

    def _follow(self, formula: Formula, scenes: Sequence[Scene], ended: list[float]) -> Verdict:
        task = Monitor(progression_of(formula, self._predicates), self._predicates)
        atoms = tuple({prop_atom(p): None for p in propositions(formula)})
        verdict = Verdict.POSSIBLE
        for scene in scenes:
            while ended and ended[0] < scene.stamp_s:
                task.skill_finished(ended.pop(0))
            view = SceneView(scene, self._predicates)
            truths = {atom: view.truth(atom) for atom in atoms}
            verdict = task.follow(SymbolicState(scene.stamp_s, view.objects(), truths)).verdict
        return verdict
