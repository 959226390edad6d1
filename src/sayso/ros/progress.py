"""The monitor's progress between the core and messages."""

from __future__ import annotations

from typing import Any

from sayso_ros.msg import TaskProgress

from sayso.logic.formula import Prop
from sayso.logic.monitor import Progress, Verdict
from sayso.logic.text import parse, to_text
from sayso.ros.conversions import header


def progress_to_msg(progress: Progress, task_id: str, stamp_s: float) -> TaskProgress:
    """`stamp_s` is that of the symbolic state behind it."""
    return TaskProgress(
        header=header(stamp_s),
        task_id=task_id,
        automaton_state=progress.state,
        verdict=int(progress.verdict),
        possibly_violated=progress.possibly_violated,
        steps=progress.steps,
        true_propositions=[to_text(p) for p in progress.true],
        unknown_propositions=[to_text(p) for p in progress.unknown],
        remaining=list(progress.remaining),
    )


def progress_from_msg(msg: Any) -> Progress:
    """All but the set of possible states, of which the message carries the lowest."""
    return Progress(
        state=int(msg.automaton_state),
        states=frozenset({int(msg.automaton_state)}),
        verdict=Verdict(msg.verdict),
        possibly_violated=bool(msg.possibly_violated),
        steps=int(msg.steps),
        committed=False,
        true=tuple(map(_proposition, msg.true_propositions)),
        unknown=tuple(map(_proposition, msg.unknown_propositions)),
        remaining=tuple(msg.remaining),
    )


def _proposition(text: str) -> Prop:
    formula = parse(text, grounded=True)
    if not isinstance(formula, Prop):
        raise ValueError(f"'{text}' is not a proposition")
    return formula
