"""A small table for the tests of learning from words: blocks that are put on each other by hand.

No physics and no kitchen: actions move boxes exactly, so that what a learner makes of words and
transitions can be followed in milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sayso.core.library import Library, compile_predicate
from sayso.core.predicates import Predicate
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.core.symbols import Literal
from sayso.language.lexicon import Lexicon
from sayso.learning.feedback import Action, Feedback, read_feedback
from sayso.learning.learner import Learner
from sayso.learning.synthesis.labels import Concept, Label
from sayso.learning.synthesis.synthesizer import Learned

SKILLS: Mapping[str, int] = {"pick_up": 1, "put_on": 2, "put_down": 1}
EMPTY = Library("table", {}, {})
BLOCK = (0.05, 0.05, 0.05)
_HELD_M = 0.4


class PlainReader:
    """Controlled English as a `FeedbackReader`."""

    def read(
        self,
        text: str,
        objects: Mapping[str, str],
        *,
        action: Action | None = None,
        goal: Sequence[Literal] = (),
        known: Lexicon | None = None,
    ) -> Feedback:
        return read_feedback(text, objects, action=action, goal=goal, known=known)


SOURCES: Mapping[str, str] = {
    "on": """def on(scene, a, b):
    above = scene.bottom(a) - scene.top(b)
    return abs(above) < 0.01 and scene.horizontal_distance(a, b) < 0.01
""",
    "clear": """def clear(scene, a):
    return not any(scene.holds("on", o, a) for o in scene.objects() if o != a)
""",
    "holding": """def holding(scene, a):
    return scene.carried(a)
""",
    "gripper_empty": """def gripper_empty(scene):
    return not any(scene.carried(o) for o in scene.objects())
""",
    "graspable": """def graspable(scene, a):
    return scene.size(a)[0] < 0.08
""",
    "on_table": """def on_table(scene, a):
    return scene.bottom(a) < 0.006
""",
}


class QuickWriter:
    """A `PredicateWriter` that knows a few predicates by heart, and the rest by their labels."""

    def __init__(self) -> None:
        self.written: list[str] = []

    def learn(
        self,
        concept: Concept,
        labels: Sequence[Label],
        *,
        predicates: Mapping[str, Predicate] | None = None,
        scenes: Sequence[Scene] = (),
        version: int = 1,
    ) -> Learned:
        source = SOURCES.get(concept.name) if version == 1 else None
        if source is None:
            known = sorted({x.args for x in labels if x.truth})
            names = ", ".join(concept.parameters)
            source = (
                f"def {concept.name}(scene, {names}):\n    return ({names},) in {tuple(known)!r}\n"
            )
        self.written.append(concept.name)
        return Learned(
            Predicate(
                concept.name,
                concept.parameters,
                compile_predicate(concept.name, source),
                concept.english,
                concept.english_not,
                source,
                version,
                {"origin": "learned"},
            ),
            (),
        )


def learner(library: Library = EMPTY, **options: Any) -> Learner:
    return Learner(library, SKILLS, PlainReader(), QuickWriter(), **options)


def block(name: str, x: float, bottom: float = 0.0, width: float = 0.05) -> SceneObject:
    size = (width, BLOCK[1], BLOCK[2])
    return SceneObject(name, "block", "", (x, 0.0, bottom + BLOCK[2] / 2), size)


def table(*blocks: SceneObject) -> Scene:
    return Scene(0.0, blocks, RobotState())


class Table:
    """Blocks that a hand moves; `learning.teaching.Practice`."""

    def __init__(self, *blocks: SceneObject) -> None:
        self.scene = table(*blocks)
        self.skills = SKILLS

    def observe(self) -> Scene:
        return self.scene

    def act(self, skill: str, args: Sequence[str]) -> bool:
        if not self.feasible(skill, args):
            return False
        things = self.scene.by_name()
        moved = things[args[0]]
        x, bottom = moved.position[0], _HELD_M
        if skill == "put_on":
            under = things[args[1]]
            x, bottom = under.position[0], under.position[2] + BLOCK[2] / 2
        elif skill == "put_down":
            x, bottom = max(o.position[0] for o in self.scene.objects) + 0.2, 0.0
        placed = replace(
            moved, position=(x, 0.0, bottom + BLOCK[2] / 2), carried=skill == "pick_up"
        )
        objects = (placed if o.name == args[0] else o for o in self.scene.objects)
        self.scene = replace(self.scene, stamp_s=self.scene.stamp_s + 1.0, objects=tuple(objects))
        return True

    def why_not(self, skill: str, args: Sequence[str]) -> str:
        """What stands in the way, in words; '' for nothing."""
        held = [o.name for o in self.scene.objects if o.carried]
        a = self.scene.by_name()[args[0]]
        if skill == "pick_up":
            if held:
                return "the gripper is occupied"
            if a.size[0] > 0.08:
                return f"the {a.name} is too wide to be grasped"
            return f"something is on the {a.name}" if self._loaded(a.name) else ""
        if a.name not in held:
            return f"the {a.name} is not held by the gripper"
        loaded = skill == "put_on" and self._loaded(args[1])
        return f"something is on the {args[1]}" if loaded else ""

    def feasible(self, skill: str, args: Sequence[str]) -> bool:
        return not self.why_not(skill, args)

    def _loaded(self, name: str) -> bool:
        return any(self.on(o.name, name) for o in self.scene.objects if o.name != name)

    def on(self, a: str, b: str) -> bool:
        things = self.scene.by_name()
        (x, _, z), (under_x, _, under_z) = things[a].position, things[b].position
        return abs(x - under_x) < 0.01 and abs(z - under_z - BLOCK[2]) < 0.01


class TableTeacher:
    """Knows the table; wants one block on another. `learning.teaching.Teacher`."""

    def __init__(self, world: Table, a: str, b: str, mistakes: Mapping[str, str] = {}) -> None:
        self.world, self.a, self.b = world, a, b
        self.heard: list[str] = []
        self._mistakes = dict(mistakes)

    def goal(self) -> str:
        return f"Put the {self.a} on the {self.b}."

    def about(self, action: Action) -> str:
        why = self.world.why_not(action.name, action.args)
        said = f"You cannot do that because {why}." if why else "Go ahead."
        return self._mistakes.pop(action.name, said)

    def after(self, action: Action | None) -> str:
        if self.world.on(self.a, self.b):
            return "Well done!"
        return "" if action else f"You are not done: the {self.a} is not on the {self.b}."

    def answer(self, question: str) -> str:
        self.heard.append(question)
        return "I do not know."
