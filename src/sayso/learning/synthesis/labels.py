"""What people said about a predicate: labels, limits and kinds that they named, contradictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from sayso.core.predicates import SceneView
from sayso.core.scene import AttributeValue, Scene, SceneObject

ALIKE_M = 0.003
"""Positions and sizes that differ by less are taken for the same observation."""
_ALIKE_L = 0.005


@dataclass(frozen=True, eq=False)
class Label:
    """A predicate's truth for some objects of a scene, as a person said it.

    Attributes:
        args: names of objects.
        words: what was said.
    """

    scene: Scene
    args: tuple[str, ...]
    truth: bool
    words: str = ""


@dataclass(frozen=True)
class Bound:
    """A limit that a person named: "its height is greater than 2 cm".

    Attributes:
        measure: a name of `measures.MEASURES` of one object.
        parameter: which argument it is about.
        below: whether the predicate holds below the limit.
    """

    measure: str
    parameter: int
    below: bool
    limit: float


@dataclass(frozen=True)
class Members:
    """Kinds that a person listed: "only cups, pots and baskets are containers"."""

    parameter: int
    categories: tuple[str, ...]


@dataclass(frozen=True)
class Concept:
    """A predicate to be learned.

    Attributes:
        parameters: names of the arguments, such as `("a", "b")`.
        english, english_not: clauses with `{0}`, `{1}`.
        words: further sayings for where it holds, without names of objects.
        definitions: what people said that decides it.
    """

    name: str
    parameters: tuple[str, ...]
    english: str = ""
    english_not: str = ""
    words: tuple[str, ...] = ()
    definitions: tuple[Bound | Members, ...] = ()


@dataclass(frozen=True, eq=False)
class Contradiction:
    """Two labels for the same objects in scenes that look the same; both are kept."""

    earlier: Label
    later: Label

    def question(self, concept: Concept) -> str:
        """What to ask the person."""
        names = [a.replace("_", " ") for a in self.later.args]
        clauses = [
            (concept.english if label.truth else concept.english_not).format(*names)
            for label in (self.earlier, self.later)
        ]
        return (
            f"You said first that {clauses[0]}{_quote(self.earlier)}, then that "
            f"{clauses[1]}{_quote(self.later)}, and the scene looked the same. Which is right?"
        )


def _quote(label: Label) -> str:
    return f' ("{label.words}")' if label.words else ""


def usable(labels: Sequence[Label]) -> tuple[Label, ...]:
    """The labels whose objects were all seen."""
    return tuple(x for x in labels if {o.name for o in x.scene.objects} >= set(x.args))


def contradictions(labels: Sequence[Label]) -> tuple[Contradiction, ...]:
    """Pairs that cannot both be right, in the order in which they were said."""
    return tuple(
        Contradiction(one, two)
        for one, two in combinations(labels, 2)
        if one.args == two.args and one.truth != two.truth and alike(one.scene, two.scene)
    )


def alike(one: Scene, two: Scene) -> bool:
    """Whether two scenes are the same but for noise."""
    if one is two:
        return True
    first, second = ({o.name: o for o in s.objects} for s in (one, two))
    if set(first) != set(second):
        return False
    if not np.allclose(_robot(one), _robot(two), atol=ALIKE_M):
        return False
    pairs = [(first[n], second[n]) for n in first]
    if any(a.category != b.category or a.carried != b.carried for a, b in pairs):
        return False
    if not all(_same_attributes(a, b) for a, b in pairs):
        return False
    return all(
        np.allclose((*a.position, *a.size), (*b.position, *b.size), atol=ALIKE_M) for a, b in pairs
    )


def _same_attributes(a: SceneObject, b: SceneObject) -> bool:
    names = {*a.attributes, *b.attributes}
    return all(_same_value(n, a.attributes.get(n, 0.0), b.attributes.get(n, 0.0)) for n in names)


def _same_value(name: str, a: AttributeValue, b: AttributeValue) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    return abs(a - b) <= (_ALIKE_L if name.endswith("_l") else ALIKE_M)


def _robot(scene: Scene) -> tuple[float, ...]:
    view = SceneView(scene)
    return (view.gripper_width, *map(float, view.gripper_position))
