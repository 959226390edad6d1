"""Each behaviour by itself: what was learned of its motion, from starts that nobody showed.

A simulated person plays until the behaviour can be done next, and the arm does it: once, without a
plan and without repair. Whether it was done the simulator's true state tells, by what is asked of
the person's own play.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median
from time import perf_counter

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Action
from sayso.evaluation.blade.plays import FIRST_START, Given, learned, not_tried
from sayso.evaluation.blade.stages import unwatched
from sayso.evaluation.cases import Case, Measure, Outcome, Row
from sayso.evaluation.table_run.play import ArmTable
from sayso.learning.behaviours.learner import Behaviour, LearnedBehaviours
from sayso.worlds.persons.play_file import behaviours as played_in
from sayso.worlds.persons.player import Moment, led_up_to
from sayso.worlds.table.onlooker import Onlooker

_BEGINNINGS = 4
"""So many tables are drawn for a start until the behaviour can be led up to."""
_ANOTHER = 100_000
_NOT_LEARNED, _LED = "not learned", "led up to"


class SingleBehaviours:
    """Success by behaviour, as the person who plays calls them.

    Args:
        plays, wrong, labels, physics, world, first_start, learnings: as of `Generalisation`.
        starts: of each behaviour.
        shown: from how many demonstrations a motion is learned, each in turn; 0: from all.

    Raises:
        SaySoError: CONFIG without recorded plays, or for a number below 0.
    """

    def __init__(
        self,
        plays: int,
        wrong: float,
        labels: str,
        physics: str,
        world: str,
        starts: int,
        first_start: int,
        learnings: int,
        shown: Sequence[int],
    ) -> None:
        self._given = Given(plays, wrong, labels, physics, world)
        self._given.require_physics(
            "behaviours by themselves are motions, which are there in physics alone."
        )
        if min(shown) < 0:
            raise SaySoError(Code.CONFIG, f"nobody shows {min(shown)} demonstrations.")
        self._world, self._learnings = world, learnings
        self._starts, self._shown = range(first_start, first_start + starts), tuple(shown)

    def cases(self) -> Sequence[Case]:
        """Raises as `Given.require`."""
        self._given.require(self._learnings)
        return [
            Case(
                f"{label} {shown} {start} {learning}",
                label,
                {"behaviour": label, "shown": shown, "start": start, "learning": learning},
            )
            for learning in range(self._learnings)
            for shown in self._shown
            for label in played_in(self._world)
            for start in self._starts
        ]

    def run(self, case: Case, seed: int) -> Outcome:
        """Success is that the true state shows it done."""
        taught, learn_s = learned(self._given, case.data["learning"])
        label, start = case.data["behaviour"], FIRST_START + case.data["start"]
        behaviour = of_label(taught.behaviours, label)
        if behaviour is None:
            said = f"nothing was learned of '{label}'."
            return Outcome(False, Code.UNSUPPORTED, {_NOT_LEARNED: True}, said)
        fewer = shown_by(behaviour, case.data["shown"])
        known = tuple(fewer if b is behaviour else b for b in taught.behaviours)
        moment = _led_up_to(label, start, self._world)
        if moment is None:
            said = f"'{label}' could not be led up to."
            return Outcome(False, Code.LIMIT, {_LED: False}, said)
        began = perf_counter()
        try:
            code, said = _tried(moment, replace(taught, behaviours=known), fewer, label, start)
            reached = moment.done()
        finally:
            moment.world.close()
        measures: dict[str, Measure] = {
            _LED: True,
            "demonstrations": len(fewer.showing()),
            "task s": perf_counter() - began,
            "learning s": learn_s,
            "told to be done": code is Code.OK,
        }
        if not reached and code is Code.OK:
            code = Code.POSTCONDITION
        return Outcome(reached, Code.OK if reached else code, measures, "" if reached else said)

    def summary(self, rows: Sequence[Row]) -> str:
        """A line for each behaviour, a column for each number of demonstrations."""
        counts = sorted(set(map(_shown, rows)), key=lambda n: (not n, n))
        heads = ["all shown" if not n else f"{n} shown" for n in counts]
        lines = [
            f"| behaviour | {' | '.join(heads)} |",
            "|---" * (1 + len(counts)) + "|",
        ]
        for label in dict.fromkeys(r.group for r in rows):
            lines.append(f"| {label} | {' | '.join(_done(rows, label, n) for n in counts)} |")
        for name, of in (("median behaviour", median), ("worst behaviour", min)):
            shares = (_shares(rows, n) for n in counts)
            told = (f"{100 * of(s):.0f} %" if s else "-" for s in shares)
            lines.append(f"| **{name}** | {' | '.join(told)} |")
        return "\n".join((*lines, *not_tried(rows)))


def of_label(behaviours: Sequence[Behaviour], label: str) -> Behaviour | None:
    """What was learned of most of the pieces that show what the person calls so."""
    counts = {b: sum(p.demonstration.label == label for p in b.pieces) for b in behaviours}
    most = max(counts, key=counts.__getitem__, default=None)
    return most if most is not None and counts[most] else None


def shown_by(behaviour: Behaviour, count: int) -> Behaviour:
    """The same as if it had been shown so often, by its first pieces that show its body; 0: all."""
    return replace(behaviour, pieces=behaviour.showing()[:count]) if count else behaviour


def _led_up_to(label: str, start: int, world: str) -> Moment | None:
    """None where none of the tables that are drawn leads to it."""
    for number in range(_BEGINNINGS):
        try:
            return led_up_to(label, start + number * _ANOTHER, world)
        except SaySoError as error:
            if error.code is not Code.LIMIT:
                raise
    return None


def _tried(
    moment: Moment, learned: LearnedBehaviours, behaviour: Behaviour, label: str, seed: int
) -> tuple[Code, str]:
    """What came of it, and what was said of a failure."""
    look = Onlooker(moment.world, np.random.default_rng((seed, 3))).look
    table = ArmTable(moment.world, learned, look)
    args = _args(behaviour, label, moment.things)
    action = Action(
        behaviour.name, args, frozenset(), frozenset(), frozenset(), skill=behaviour.name
    )
    try:
        table.carry_out(action, unwatched(learned.library.predicates), frozenset(), lambda _: None)
    except SaySoError as error:
        return error.code, str(error)
    return Code.OK, "the arm did all of it, and it is not so."


def _args(behaviour: Behaviour, label: str, things: Mapping[str, str]) -> tuple[str, ...]:
    """The things of a moment in the order of the behaviour's parameters."""
    piece = next((p for p in behaviour.pieces if p.demonstration.label == label), None)
    piece = behaviour.pieces[0] if piece is None else piece
    roles = {name: role for role, name in piece.demonstration.things.items()}
    return tuple(things[roles[name]] for name in piece.said.things)


def _shown(row: Row) -> int:
    """From how many demonstrations the motion was learned."""
    return int(row.case.split()[1])


def _of(rows: Sequence[Row], label: str, shown: int) -> list[Row]:
    """The tries; where a behaviour could not be led up to there was none."""
    mine = (r for r in rows if r.group == label and _shown(r) == shown)
    return [r for r in mine if r.measures.get(_LED) is not False]


def _done(rows: Sequence[Row], label: str, shown: int) -> str:
    mine = _of(rows, label, shown)
    if any(r.measures.get(_NOT_LEARNED) for r in mine):
        return _NOT_LEARNED
    return f"{sum(r.success for r in mine)} of {len(mine)}" if mine else "-"


def _shares(rows: Sequence[Row], shown: int) -> list[float]:
    """Of each behaviour, how often it was done; what was not learned was never."""
    some = (_of(rows, label, shown) for label in dict.fromkeys(r.group for r in rows))
    return [sum(r.success for r in mine) / len(mine) for mine in some if mine]
