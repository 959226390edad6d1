"""Plans in words: what a model says is to be done, translated into actions of the scene."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Protocol

import numpy as np

from sayso.core.ports import LanguageModel, Reply
from sayso.core.symbols import SymbolicState
from sayso.evaluation.cape.strategies import Strategy
from sayso.evaluation.cape.wordings import (
    Admissible,
    english,
    plan_in_english,
    templates,
)
from sayso.language.repertoire import geometric, mean_log_probability, weighted
from sayso.mission.word_planner import LEAST_LIKENESS, ask_for_steps
from sayso.worlds.virtualhome.tasks import ACTOR, Step, Task, class_of, number_of

_CORRECTIONS = "step_corrections.v1.txt"
_MOST_ALIKE = 1500
"""Of the actions most like what was said, so many may be chosen from."""


@dataclass(frozen=True)
class Said:
    """One step of a plan in words.

    Attributes:
        text: as it was said.
        steps: what it may mean, the likeliest first; none where it is like nothing.
    """

    text: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class SoFar:
    """What whoever says the plan is told.

    Attributes:
        steps: of the plan until now, in words.
        failures: in words, those since the last step that could be taken.
        used: things of the steps that were taken, the newest last.
    """

    steps: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    used: tuple[str, ...] = ()


class Words(Protocol):
    """Says a plan, at once or piece by piece."""

    def more(self, so_far: SoFar) -> tuple[Said, ...]:
        """The next steps, at least one; none at the end of the plan. Raises as a model does."""


class Given:
    """A plan that there is already."""

    def __init__(self, program: Iterable[Step]) -> None:
        self._left = tuple(Said(str(step), (step,)) for step in program)

    def more(self, so_far: SoFar) -> tuple[Said, ...]:
        """All of it, once."""
        left, self._left = self._left, ()
        return left


class Asked:
    """Plans that a model says, step by step or as a whole.

    Args:
        example: another task, whose program the model is shown.
        goal: of the task, in English; "" where only its title is told.
        whole: whether all steps are asked for at once.
        look: what is observed, at any time; None where the model is told no more than `things`.

    Attributes:
        has_log_probabilities: whether the model told any.
    """

    def __init__(
        self,
        model: LanguageModel,
        task: Task,
        example: Task,
        admissible: Admissible,
        things: Iterable[str],
        strategy: Strategy,
        *,
        goal: str = "",
        whole: bool = False,
        look: Callable[[], SymbolicState] | None = None,
    ) -> None:
        self._model, self._task, self._example = model, task, example
        self._admissible, self._strategy = admissible, strategy
        self._goal, self._whole = goal, whole
        self._things, self._look = tuple(things), look
        self._asked = False
        self.has_log_probabilities = False

    def more(self, so_far: SoFar) -> tuple[Said, ...]:
        """The next step, or all that are left; the whole plan is said again only after failures."""
        if self._whole and self._asked and not so_far.failures:
            return ()
        self._asked = True
        texts, reply = ask_for_steps(
            self._model, self._system(), self._situation(so_far), whole=self._whole
        )
        self.has_log_probabilities |= bool(reply.tokens)
        if not texts:
            return ()
        if not self._whole:
            return (self._meant(texts[: self._strategy.candidates], reply, so_far.used),)
        return tuple(self._meant([text], reply, so_far.used) for text in texts)

    def _system(self) -> Mapping[str, str]:
        folder = resources.files("sayso") / "language" / "prompts"
        shots = (folder / _CORRECTIONS).read_text(encoding="utf-8") if self._strategy.shots else ""
        actions = (f"- {t.format('THING', 'THING')}" for t in sorted(templates().values()))
        return {
            "actions": "\n".join(actions),
            "count": str(self._strategy.candidates),
            "example": english(self._example.program[0]),
            "corrections": shots,
        }

    def _situation(self, so_far: SoFar) -> Mapping[str, str]:
        example = f"{self._example.title}. {self._example.words}"
        seen = self._look() if self._look else None
        return {
            "another task": f"{example}\n{plan_in_english(self._example.program)}",
            "things": by_room(self._things, seen) if seen else listed(self._things),
            "how they are now": how_they_are(seen) if seen else "",
            "task": f"{self._task.title}. {self._task.words}",
            "goal": self._goal,
            "steps so far": "\n".join(so_far.steps) or "none",
            "could not be done": "\n".join(so_far.failures),
        }

    def _meant(self, texts: Sequence[str], reply: Reply, used: Sequence[str]) -> Said:
        likeness = self._admissible.likeness(texts)
        known = [mean_log_probability(reply, text) or 0.0 for text in texts]
        score = geometric if self._strategy.geometric else weighted
        scores = score(likeness, np.asarray(known))
        text = texts[int(likeness[:, int(np.argmax(scores))].argmax())]
        if likeness.max() < LEAST_LIKENESS:
            return Said(text, ())
        if self._strategy.affordance_error is not None:
            scores = self._admissible.around(scores)
        count = _MOST_ALIKE if self._strategy.affordance_error is not None else self._strategy.tries
        return Said(text, self._admissible.best(scores, count, text, used))


_TOLD = {
    "open": "open", "closed": "closed", "switched_on": "switched on",
    "switched_off": "switched off", "unplugged": "unplugged", "dirty": "dirty",
}  # fmt: skip
"""States of things that steps depend on or change, and how they are told."""


def by_room(things: Iterable[str], seen: SymbolicState) -> str:
    """ "bathroom 1: cup 3, 7; sink 42", a line for each room; rooms and what is in none last."""
    rooms = {a.args[0]: a.args[1] for a in seen.true_atoms() if a.predicate == "in_room"}
    within: dict[str, list[str]] = defaultdict(list)
    for thing in things:
        within[rooms.get(thing, "")].append(thing)
    lines = [f"{_plain(room)}: {listed(inner)}" for room, inner in sorted(within.items()) if room]
    return "\n".join((*lines, listed(within[""]))).strip()


def how_they_are(seen: SymbolicState) -> str:
    """Where the one who acts is, which things are open, switched on and the like, and what lies in
    and on what."""
    of: dict[str, list[str]] = defaultdict(list)
    for atom in seen.true_atoms():
        of[atom.predicate].append(atom.args[0] if atom.args else "")
    pose = next((p for p in ("sitting", "lying") if p in of), "standing")
    you = [f"in {listed(of['at'])}"] if of["at"] else []
    you.append(f"{pose} on {listed(of['seated_on'])}" if of["seated_on"] else pose)
    you.append(f"holding {listed(of['holding'])}" if of["holding"] else "holding nothing")
    lines = [f"{said}: {listed(of[p])}" for p, said in _TOLD.items() if of[p]]
    return "\n".join((f"the one who acts: {', '.join(you)}", *lines, *_where_things_lie(seen)))


def _where_things_lie(seen: SymbolicState) -> Iterator[str]:
    """ "in fridge 12: milk 3, 7; cup 4", of what a hand can take, a line for each place."""
    held: dict[tuple[str, str], list[str]] = defaultdict(list)
    true = seen.true_atoms()
    taken = {a.args[0] for a in true if a.predicate == "graspable"}
    for atom in true:
        if atom.predicate in ("in", "on") and atom.args[0] in taken:
            held[atom.predicate, atom.args[1]].append(atom.args[0])
    for (relation, place), things in sorted(held.items()):
        yield f"{relation} {_plain(place)}: {listed(things)}"


def _plain(thing: str) -> str:
    return f"{class_of(thing).replace('_', ' ')} {number_of(thing)}"


def listed(things: Iterable[str]) -> str:
    """ "cup 3, 7; table 12", by class."""
    numbers: dict[str, list[str]] = defaultdict(list)
    for thing in sorted(things, key=number_of):
        if thing != ACTOR:
            numbers[class_of(thing)].append(str(number_of(thing)))
    return "; ".join(
        f"{cls.replace('_', ' ')} {', '.join(of_class)}"
        for cls, of_class in sorted(numbers.items())
    )
