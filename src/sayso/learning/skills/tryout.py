"""A taught skill done in thought with things of other shapes, before the person accepts it.

The things of a demonstration are stretched, turned and moved a little; the arm rehearses the skill
with them as it would before it moves (kinematics and collisions, no physics), and what would be
seen afterwards is asked whether the effect holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice, pairwise

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose
from sayso.core.library import Library
from sayso.core.ports import Kinematics
from sayso.core.predicates import SceneView
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Literal
from sayso.learning.demonstrations.demonstration import Demonstration, KeyFrame, Sample
from sayso.learning.skills.playing import Stretch, TaughtArmSkill
from sayso.learning.skills.skill import RATE_HZ
from sayso.learning.skills.store import KeptSkill
from sayso.learning.skills.symbols import said_literal
from sayso.skills.contract import found_in
from sayso.skills.execute import SkillExecutor

TRIES = 4
"""Scenes in which a way is looked for: those of the demonstrations, changed each time anew."""
_STRETCH = 0.12
_TURN_RAD = 0.35
_ASIDE_M = 0.05


@dataclass(frozen=True)
class Tryout:
    """What came of it.

    Attributes:
        words: for the person.
        done: whether the effect would be observed; None where nobody can tell, or no way was found.
        course: what the arm would do, as a demonstration; None where no way was found.
    """

    words: str
    done: bool | None
    course: Demonstration | None


def tried(skill: KeptSkill, library: Library, executor: SkillExecutor, seed: int = 0) -> Tryout:
    """The skill in thought; nothing moves. What was shown is learned even where this fails.

    Args:
        library: with the skill's operator and the predicate of its effect.
        executor: whose skills have it.

    Raises:
        SaySoError: CANCELLED.
    """
    rng = np.random.default_rng(seed)
    trouble = SaySoError(Code.INVALID, "nothing was shown.")
    for one in islice(cycle(skill.demonstrations), TRIES):
        try:
            scene = varied(one.key_frames[0].scene, tuple(one.things.values()), rng)
            return _seen(skill, library, _rehearsed(skill.name, one, scene, executor))
        except SaySoError as error:
            if error.code is Code.CANCELLED:
                raise
            trouble = error
    if trouble.code is Code.UNREACHABLE:
        how = "I tried it in thought with things of other shapes, and found no way"
    else:
        how = "I could not try it in thought"
    return Tryout(f"{how}: {trouble.message}", None, None)


def _rehearsed(
    name: str, one: Demonstration, scene: Scene, executor: SkillExecutor
) -> Demonstration:
    """What the arm would do in a scene. Raises as the skill."""
    made, job = executor.prepared(name, scene)
    if not isinstance(made, TaughtArmSkill):
        raise SaySoError(Code.UNSUPPORTED, f"'{name}' is no skill of an arm.")
    stretches = made.rehearsed(job, tuple(one.things.values()))
    return _course(one, scene, stretches, job.arm.kinematics)


def varied(scene: Scene, names: Sequence[str], rng: np.random.Generator) -> Scene:
    """A scene with things of other shapes in place of these, a little beside where they stand.

    Raises OBJECT_LOST for a thing that was not in sight.
    """
    changed = {n: _varied(found_in(scene, n), rng) for n in names}
    return replace(scene, objects=tuple(changed.get(o.name, o) for o in scene.objects))


def _varied(thing: SceneObject, rng: np.random.Generator) -> SceneObject:
    """Stretched along each axis, standing as high as before."""
    points = np.asarray(thing.points, float)
    stretch, angle = rng.uniform(1 - _STRETCH, 1 + _STRETCH, 3), rng.uniform(-_TURN_RAD, _TURN_RAD)
    centre = np.asarray(thing.position)
    turn = Pose((0.0, 0.0, 0.0), (0.0, 0.0, float(np.sin(angle / 2)), float(np.cos(angle / 2))))
    lift_m = (stretch[2] - 1) * thing.size[2] / 2
    aside = rng.uniform(-_ASIDE_M, _ASIDE_M, 2)
    to = centre + np.array([*aside, lift_m])
    if not len(points):
        x, y, z = (float(s * f) for s, f in zip(thing.size, stretch, strict=True))
        return replace(thing, position=_vector(to), size=(x, y, z))
    cloud = turn.transform((points - centre) * stretch) + to
    return _boxed(thing, cloud)


def _boxed(thing: SceneObject, cloud: Array) -> SceneObject:
    """A thing as a cloud (N, 3) shows it: its upright box."""
    low, high = cloud.min(axis=0), cloud.max(axis=0)
    return replace(
        thing,
        position=_vector((low + high) / 2),
        size=_vector(high - low),
        orientation=(0.0, 0.0, 0.0, 1.0),
        points=cloud.astype(np.float32),
    )


def _vector(v: Array) -> tuple[float, float, float]:
    x, y, z = (float(c) for c in v)
    return x, y, z


def _course(
    one: Demonstration, scene: Scene, stretches: Sequence[Stretch], kinematics: Kinematics
) -> Demonstration:
    """What the arm would do, with what would be seen before it and after."""
    samples = tuple(_samples(stretches, kinematics))
    after = scene
    for now, then in pairwise((*stretches, None)):
        if now is not None and now.held and len(now.path) and (then is None or not then.held):
            before = scene.by_name()[now.held.name]
            laid = kinematics.forward(now.path[-1]) @ now.held.offset
            after = _with(after, _moved(before, laid @ before.pose.inverse()))
    last = samples[-1]
    robot = replace(after.robot, gripper=last.tool, gripper_width_m=last.gripper_width_m)
    after = replace(after, stamp_s=last.stamp_s, robot=robot)
    return Demonstration(
        one.words, one.things, samples, (KeyFrame(scene), KeyFrame(after)), robot=one.robot
    )


def _samples(stretches: Sequence[Stretch], kinematics: Kinematics) -> Iterator[Sample]:
    stamp_s, tool, width_m = 0.0, Pose(), 0.0
    for s in stretches:
        if len(s.path):
            for joints in s.path:
                tool = kinematics.forward(joints)
                yield Sample(stamp_s, tool, width_m or s.step.width_m)
                stamp_s += 1 / RATE_HZ
        else:
            width_m = s.step.width_m
            yield Sample(stamp_s, tool, width_m)
            stamp_s += 1 / RATE_HZ


def _moved(thing: SceneObject, by: Pose) -> SceneObject:
    if len(thing.points):
        return _boxed(thing, by.transform(np.asarray(thing.points, float)))
    pose = by @ thing.pose
    return replace(thing, position=pose.position, orientation=pose.orientation)


def _with(scene: Scene, thing: SceneObject) -> Scene:
    kept = (o for o in scene.objects if o.name != thing.name)
    return replace(scene, objects=(thing, *kept))


def _seen(skill: KeptSkill, library: Library, course: Demonstration) -> Tryout:
    operator = library.operators[skill.name]
    names = dict(zip(operator.parameters, course.things.values(), strict=True))
    effect = skill.effect.substitute(names)
    done = SceneView(course.key_frames[-1].scene, library.predicates).truth(effect)
    said = said_literal(Literal(skill.effect, done is not False), operator, library.predicates)
    return Tryout(
        f"I tried it in thought with things of other shapes: {in_words(said, done)}",
        done,
        course,
    )


def in_words(said: str, done: bool | None) -> str:
    """What a rehearsal says of an effect.

    Args:
        said: that it came about, in words; or where it did not, that.
    """
    return f"whether afterwards {said}, I cannot tell." if done is None else f"afterwards {said}."
