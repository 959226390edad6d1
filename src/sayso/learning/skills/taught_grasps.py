"""Grasps that people showed, on things of other shapes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sayso.core.geometry import Pose
from sayso.core.scene import Scene, SceneObject
from sayso.learning.skills.showings import Hold
from sayso.learning.skills.skill import TaughtSkill, Way
from sayso.learning.skills.taught_skills import TaughtSkills
from sayso.skills.grasps import Grasp, GraspFinder
from sayso.skills.settings import SkillSettings

_OTHER_WAY_ROUND = Pose((0.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))


@dataclass(frozen=True)
class TaughtGrasps:
    """Grasp finder that takes a thing where the hand took such things in what was shown, such as a
    mug by its handle, the commonest way first; what nobody showed is left to another finder.

    Attributes:
        inner: says where things are taken of which nothing was shown.
        taught: the skills that were shown, as they are taught last.
    """

    inner: GraspFinder
    taught: TaughtSkills

    def grasps(self, obj: SceneObject, scene: Scene, settings: SkillSettings) -> tuple[Grasp, ...]:
        """As `GraspFinder` says. A skill is learned when a thing of its kind is first taken."""
        skills = self.taught.about(obj.category)
        ways = [(skill, parameter, way) for parameter, skill in skills for way in skill.ways]
        ways.sort(key=lambda found: -len(found[2].showings))
        shown = [
            grasp
            for rank, (skill, parameter, way) in enumerate(ways)
            for grasp in _carried(obj, skill, parameter, way, rank)
        ]
        return tuple(shown) or self.inner.grasps(obj, scene, settings)


def _carried(
    obj: SceneObject, skill: TaughtSkill, parameter: str, way: Way, rank: int
) -> Iterator[Grasp]:
    """How the hand takes a thing as it took another in a way, both ways round."""
    fit = skill.fit(obj)
    for hold in way.holds:
        if hold.thing == parameter and _takes_whole(way, hold):
            tool = fit.pose @ hold.frame(fit)
            for turned in (tool, tool @ _OTHER_WAY_ROUND):
                yield Grasp(turned, way.steps[0].width_m, rank=rank)


def _takes_whole(way: Way, hold: Hold) -> bool:
    """Whether the hand takes all of the thing so, and no part that moves by itself."""
    taken = (s.shown for s in way.steps if s.shown.primitive == "grasp")
    return hold.deed == "grasp" and any(s.thing == hold.thing and not s.part for s in taken)
