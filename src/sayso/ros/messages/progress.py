"""Where a task stands, between the core and messages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sayso_ros.msg import TaskProgress

from sayso.core.errors import Code, SaySoError
from sayso.logic.formula import Prop
from sayso.logic.joint import States
from sayso.logic.monitor import Progress
from sayso.logic.progression import Progression, Verdict
from sayso.logic.text import parse, to_text
from sayso.ros.messages.conversions import header


def progress_to_msg(progress: Progress, task_id: str, stamp_s: float) -> TaskProgress:
    """`stamp_s` is that of the symbolic state behind it."""
    return TaskProgress(
        header=header(stamp_s),
        task_id=task_id,
        clause_states=progress.states,
        verdict=int(progress.verdict),
        possibly_violated=progress.possibly_violated,
        steps=progress.steps,
        rounds=progress.rounds,
        true_propositions=[to_text(p) for p in progress.true],
        unknown_propositions=[to_text(p) for p in progress.unknown],
        remaining=list(progress.remaining),
    )


def progress_from_msg(msg: Any) -> Progress:
    """All but whether it was a new step."""
    return Progress(
        states=tuple(map(int, msg.clause_states)),
        verdict=Verdict(msg.verdict),
        possibly_violated=bool(msg.possibly_violated),
        steps=int(msg.steps),
        committed=False,
        true=tuple(map(_proposition, msg.true_propositions)),
        unknown=tuple(map(_proposition, msg.unknown_propositions)),
        remaining=tuple(msg.remaining),
        rounds=int(msg.rounds),
    )


def stated(numbers: Iterable[int], task: Progression) -> States | None:
    """Where a message says that a task stands; None for its beginning.

    Raises:
        SaySoError: INVALID for states that the automata of the task's parts do not have.
    """
    states = tuple(map(int, numbers))
    if not states:
        return None
    known = [a.states for a in task.automata]
    if len(states) != len(known) or not all(0 <= q < n for q, n in zip(states, known, strict=True)):
        raise SaySoError(
            Code.INVALID,
            f"the formula's parts have automata of {known} states; {list(states)} are none.",
            hint="take the states from /task_progress of the same specification.",
        )
    return states


def _proposition(text: str) -> Prop:
    formula = parse(text, grounded=True)
    if not isinstance(formula, Prop):
        raise ValueError(f"'{text}' is not a proposition")
    return formula
