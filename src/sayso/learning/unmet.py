"""What an action was never tried with: worth a try, or a question, before a task depends on it.

Operators say no more than experience forces them to (`preconditions`). So what one allows is
compared with all actions of its skill that worked: by the kinds of their things, what is so of them
by attributes and predicates, what two of them have the same of, and which is wider. Where
something of that is so for the first time, nobody knows yet whether it matters. Before that come
things of which another program that explains all labels says otherwise than the predicate that the
action needs: what comes of it tells which of them is right.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations

from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Atom, SymbolicState
from sayso.learning.exploration import Choice, Step, applications
from sayso.learning.operators import Learned
from sayso.learning.transitions import variable

_WIDER_M = 0.005
_DISPUTED = 100
"""How much more it counts that what an action needs is in dispute than that something is new."""


@dataclass(frozen=True)
class Met:
    """An action that worked, where it did."""

    scene: Scene
    state: SymbolicState
    step: Step


def features(scene: Scene, state: SymbolicState, args: tuple[str, ...]) -> frozenset[str]:
    """What is so of an action's things; things are told by their number among the arguments."""
    things = scene.by_name()
    found = {f for i, name in enumerate(args) for f in _own(i, things[name])}
    for i, j in permutations(range(len(args)), 2):
        found.update(_between(i, things[args[i]], j, things[args[j]]))
    number = {name: str(i) for i, name in enumerate(args)}
    for atom in state.true_atoms():
        if set(atom.args) & set(args):
            found.add(f"{atom.predicate} {' '.join(number.get(a, 'other') for a in atom.args)}")
    return frozenset(found)


def unmet(
    scene: Scene,
    state: SymbolicState,
    learned: Learned,
    skills: Mapping[str, int],
    met: Iterable[Met],
    avoid: Collection[Step],
    disputed: Collection[Atom] = (),
) -> Choice | None:
    """The allowed action with the most that none that worked had, here or a step further on.

    None where all that is allowed has been met.

    Args:
        disputed: what is so or not so here, depending on which of a predicate's programs is right.
    """
    known: dict[str, set[str]] = {}
    for one in met:
        found = features(one.scene, one.state, one.step[1])
        known.setdefault(one.step[0], set()).update(found)
    allowed = [*_allowed(state, learned, skills, known)]
    best: tuple[int, Step] | None = None
    for step, _ in allowed:
        against = _in_dispute(learned, step, disputed)
        best = _better(best, _DISPUTED * against + _new(scene, state, step, known), step, avoid)
    if best is None:
        for step, after in allowed:
            further = (_new(scene, after, s, known)
                       for s, _ in _allowed(after, learned, skills, known))  # fmt: skip
            best = _better(best, max(further, default=0), step, avoid)
    return Choice(*best[1], "unmet") if best else None


def _better(
    best: tuple[int, Step] | None, new: int, step: Step, avoid: Collection[Step]
) -> tuple[int, Step] | None:
    if new and step not in avoid and (best is None or new > best[0]):
        return new, step
    return best


def _new(scene: Scene, state: SymbolicState, step: Step, known: Mapping[str, set[str]]) -> int:
    """How much is so of an action's things that was so of none with which it worked."""
    return len(features(scene, state, step[1]) - known[step[0]])


def _in_dispute(learned: Learned, step: Step, disputed: Collection[Atom]) -> int:
    """How many of an action's needs are in dispute."""
    binding = {variable(i): name for i, name in enumerate(step[1])}
    needs = {x.substitute(binding).atom for x in learned.needs(step[0])}
    return len(needs & set(disputed))


def _allowed(
    state: SymbolicState, learned: Learned, skills: Mapping[str, int], tried: Collection[str]
) -> Iterator[tuple[Step, SymbolicState]]:
    """Actions that an operator allows, of skills that have worked, with what is expected after."""
    for skill in sorted(set(skills) & set(tried)):
        operators = [o for o in learned.operators if o.operator.skill == skill]
        for args in permutations(sorted(state.objects), skills[skill]):
            action = next((a for o in operators for a in applications(state, o, args)), None)
            if action is not None:
                changed = {**dict.fromkeys(action.delete, False), **dict.fromkeys(action.add, True)}
                yield (skill, args), state.changed(changed)


def _own(number: int, thing: SceneObject) -> Iterator[str]:
    yield f"{number} is a {thing.category}"
    for name, value in thing.attributes.items():
        yield f"{number} is {'' if value else 'not '}{name}" if value in (True, False) else name


def _between(i: int, one: SceneObject, j: int, other: SceneObject) -> Iterator[str]:
    if i < j:
        yield f"{i} and {j} have {'the same' if one.color == other.color else 'another'} color"
        for name in sorted({*one.attributes} & {*other.attributes}):
            if isinstance(one.attributes[name], str):
                same = one.attributes[name] == other.attributes[name]
                yield f"{i} and {j} have {'the same' if same else 'another'} {name}"
    if one.size[0] > other.size[0] + _WIDER_M:
        yield f"{i} is wider than {j}"
