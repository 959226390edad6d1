"""Test episodes: someone chooses actions, the world carries them out, the true goal judges.

As in the paper an episode ends with the first action that fails; or, reported separately, it goes
on, for those who choose to react.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sayso.core.errors import SaySoError
from sayso.core.scene import Scene
from sayso.evaluation.interpret.practice import DomainPractice, goal_of, reached

MAX_ACTIONS = 40


@dataclass(frozen=True)
class Deed:
    """An action as it was carried out.

    Attributes:
        worked: whether the robot could tell that it succeeded.
    """

    skill: str
    args: tuple[str, ...]
    worked: bool = True

    def __str__(self) -> str:
        return f"{self.skill}({', '.join(self.args)})"


class Policy(Protocol):
    """Who chooses what to do next."""

    def start(self, words: str, scene: Scene) -> None:
        """A new task. May raise `SaySoError` where it is not understood, or not possible."""

    def next(self, scene: Scene, done: Sequence[Deed]) -> tuple[str, tuple[str, ...]] | None:
        """The next skill and its arguments; None when all is done. May raise `SaySoError`."""


@dataclass(frozen=True)
class Episode:
    """What came of one task.

    Attributes:
        reached: whether the goal is truly reached.
        failed: an action that failed, as the robot could tell; '' if none did.
        ended: why it ended, for a person.
    """

    reached: bool
    deeds: tuple[Deed, ...]
    failed: str
    ended: str


def run_episode(practice: DomainPractice, policy: Policy, go_on: bool) -> Episode:
    """One task from its words to its end.

    Args:
        go_on: whether the episode goes on after an action that failed.
    """
    deeds: list[Deed] = []
    ended = _carry_out(practice, policy, go_on, deeds)
    failed = next((str(d) for d in deeds if not d.worked), "")
    return Episode(reached(practice, goal_of(practice.task)), tuple(deeds), failed, ended)


def _carry_out(practice: DomainPractice, policy: Policy, go_on: bool, deeds: list[Deed]) -> str:
    """Fills in the deeds; why it ended."""
    try:
        policy.start(practice.task.words, practice.observe())
        while len(deeds) < MAX_ACTIONS:
            step = policy.next(practice.observe(), deeds)
            if step is None:
                return "done"
            deeds.append(Deed(*step, practice.act(*step)))
            if not deeds[-1].worked and not go_on:
                return f"{deeds[-1]} failed"
    except SaySoError as error:
        return str(error)
    return f"not done after {MAX_ACTIONS} actions"
