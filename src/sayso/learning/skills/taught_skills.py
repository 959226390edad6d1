"""Taught skills among an arm's others, each learned when it is first done."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any, TypeAlias

from sayso.core.errors import Code, SaySoError
from sayso.learning.skills.playing import TaughtArmSkill
from sayso.learning.skills.skill import ByPrimitives, MotionLearner, TaughtSkill
from sayso.learning.skills.store import KeptSkill
from sayso.skills.skill import Skills

Learners = Callable[[str], MotionLearner]
_Learned: TypeAlias = tuple[KeptSkill, Callable[[], TaughtSkill]]


class TaughtSkills:
    """Makes taught skills, and all other skills as before (`skills.skill.Skills`).

    Each is learned when it is first done, once, whatever makes use of it.

    Args:
        otherwise: makes a skill that is not taught.
        learners: makes the learner of motions of a name.
        taught: by name, as `store.read_all` gives them.
    """

    def __init__(
        self,
        otherwise: Skills,
        learners: Learners,
        taught: Mapping[str, KeptSkill] = MappingProxyType({}),
    ) -> None:
        self._otherwise, self._learners = otherwise, learners
        self._taught: dict[str, _Learned] = {}
        self._drafts: dict[str, _Learned] = {}
        self.teach(taught)

    def teach(self, taught: Mapping[str, KeptSkill], forget: Collection[str] = ()) -> None:
        """From now on it makes these, too, and those to `forget` no more; one that is as before,
        or as in a draft, is not learned anew."""
        for name in forget:
            self._taught.pop(name, None)
        for name, skill in taught.items():
            before = (known[name] for known in (self._taught, self._drafts) if name in known)
            same = (learned for learned in before if _is_same(learned[0], skill))
            learn = partial(learned_from, skill, self._learners)
            self._taught[name] = next(same, None) or (skill, lru_cache(maxsize=1)(learn))

    def about(self, category: str) -> tuple[tuple[str, TaughtSkill], ...]:
        """What was learned of skills about things of a category, each with the parameter that is
        such a thing."""
        return tuple(
            (parameter, learned())
            for kept, learned in self._taught.values()
            for parameter, kind in kept.parameters.items()
            if kind == category
        )

    def draft(self, taught: Mapping[str, KeptSkill]) -> TaughtSkills:
        """What it would make if it were taught these; it is not."""
        drafted = TaughtSkills(self, self._learners, taught)
        self._drafts = drafted._taught
        return drafted

    def __call__(self, name: str, **options: Any) -> Any:
        if name not in self._taught:
            return self._otherwise(name, **options)
        skill, _ = self._taught[name]
        types = tuple(skill.parameters.values())

        def learned() -> TaughtSkill:
            if name not in self._taught:
                text = f"what was shown of '{name}' was taken back."
                raise SaySoError(Code.UNSUPPORTED, text, hint="show it again.")
            return self._taught[name][1]()  # as it was taught last

        return TaughtArmSkill(options["work"], learned, types, skill.mirrored)


def _is_same(one: KeptSkill, other: KeptSkill) -> bool:
    """Whether the same was shown, in the same ways."""

    def shown(skill: KeptSkill) -> object:
        samples = [tuple(d.samples for d in ds) for ds in (skill.demonstrations, skill.failed)]
        return skill.learner, skill.mirrored, skill.parameters, samples

    return shown(one) == shown(other)


def learned_from(skill: KeptSkill, learners: Learners) -> TaughtSkill:
    """What its demonstrations teach; takes seconds. Raises INVALID as `ByPrimitives.learn`."""
    learner = ByPrimitives(learners(skill.learner))
    return learner.learn(skill.demonstrations, skill.families().fit, skill.failed)
