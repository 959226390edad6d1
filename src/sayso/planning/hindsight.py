"""Plans that went wrong before they failed: the slip that explains it, in hindsight.

A step fails where something is lacking. That may be because two steps of the plan had changed
places of which one was carried out already, or because one was forgotten a while before: the hand
is empty at the sink since nobody took the glass along. What the plan says of the same things
together tells such a slip from one that lies ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import le

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Action, Atom, Literal, Operator, Plan, PlanStep, SymbolicState
from sayso.planning.achieving import Situation, achieve, makers
from sayso.planning.bridging import Bridge
from sayso.planning.coherence import About, fleeting, serves, things_of, unlikely
from sayso.planning.problem import PlanningProblem
from sayso.planning.reordering import Reorder
from sayso.planning.repair import BrokenPlan, Proposal, Repairer, Steps, effects_of, is_pointless

MeantFrom = Callable[[Steps, SymbolicState | None], Iterable[PlanStep]]
"""Each step of a plan as the action that it is from a state on; from the present one if None."""


class Remembered:
    """A repairer that is asked the same more than once, and thinks once."""

    def __init__(self, repairer: Repairer) -> None:
        self.name, self._repairer = repairer.name, repairer
        self._of: BrokenPlan | None = None
        self._said: Proposal | SaySoError = SaySoError(Code.NO_PLAN, "nothing was asked.")

    def propose(self, broken: BrokenPlan) -> Proposal:
        """As the repairer does."""
        if self._of is not broken:
            try:
                self._said = self._repairer.propose(broken)
            except SaySoError as error:
                self._said = error
            self._of = broken
        if isinstance(self._said, SaySoError):
            raise self._said
        return self._said


@dataclass(frozen=True)
class _Slip:
    """A whole plan as it may have been meant.

    Attributes:
        at: how many of its steps were carried out as they were meant.
        steps: those after them.
        onward: what is to be done now.
        forgotten: what was; None where steps had changed places.
    """

    at: int
    steps: Steps
    onward: Steps
    reason: str
    forgotten: Action | None = None


class Hindsight:
    """The rest of the plan, with a slip in what was carried out made good.

    A slip is two steps that changed places, or a step that was forgotten. It has to let the whole
    plan be taken as it was carried out, with what was seen then, and in that plan steps about the
    same things follow one another more than in what is to be done otherwise.

    Where a step is pointless, as "switch it off" is of what was off all the time, the step that
    gives it a point was forgotten, if the plan had come to the same thing before; unless a later
    step of the plan gives it one, which may have changed places.

    Args:
        solve: a planner's, as `Bridge` has it.
        meant: of the steps of a plan.
        reorder: who takes a plan's steps in another order; one like that by default.
        about: what a step says that it is about.
    """

    name = "hindsight"

    def __init__(
        self,
        solve: Callable[[PlanningProblem], Plan] | None,
        meant: MeantFrom,
        reorder: Repairer | None = None,
        about: About = things_of,
    ) -> None:
        self._solve, self._from, self._about = solve, meant, about
        self._reorder = reorder or Reorder(self._meant, about)

    def propose(self, broken: BrokenPlan) -> Proposal:
        pointless = is_pointless(broken) and not _is_brought_later(broken)
        slips = [
            (
                self._unlikely((*_done(broken, slip.at), *slip.steps), broken),
                _is_strange(slip.forgotten, broken),
                number,
                slip,
            )
            for number, slip in enumerate(_led_up_to(broken) if pointless else _slips(broken))
            if self._led_to(slip, broken) is not None
        ]
        if not slips:
            raise SaySoError(Code.NO_PLAN, "no slip in what was done explains it.")
        unlikeness, *_, slip = min(slips, key=lambda found: (found[0][0], found[1], *found[:3]))
        if not pointless and not self._is_likelier(unlikeness, broken):
            raise SaySoError(Code.NO_PLAN, f"that {slip.reason} is no likelier than a slip ahead.")
        onward = self._meant(slip.onward)
        mended = Bridge(self._solve, self._meant).propose(replace(broken, rest=onward))
        ending = self._ending(slip, mended, broken)
        reason = f"{slip.reason}; {mended.reason}"
        return replace(mended, steps=(*mended.steps, *ending), reason=reason)

    def _meant(self, steps: Steps) -> Steps:
        return tuple(self._from(steps, None))

    def _led_to(self, slip: _Slip, broken: BrokenPlan) -> frozenset[Literal] | None:
        """What the whole plan would have brought about; None if it could not have been taken."""
        true, brought = _true_then(slip.at, broken), frozenset[Atom]()
        for step in _done(broken, slip.at):
            brought = (brought - step.action.delete) | step.action.add
        for step in self._from(slip.steps, broken.seen[slip.at]):
            if not step.action.applicable(true):
                return None
            true, brought = step.action.apply(true), brought | step.action.add
        return frozenset(map(Literal, brought & true))

    def _ending(self, slip: _Slip, mended: Proposal, broken: BrokenPlan) -> Iterator[PlanStep]:
        """What ends where the plan would have ended: looking at the same thing, in the same place;
        or with what lasts of that, at least, where not all can be had.

        Of what lasts nothing is changed where what was forgotten is made good: it may as well have
        been forgotten later, when the other hand was full. Nothing where that is hard to have.
        """
        problem = broken.problem
        end = Situation.of(problem)
        for step in mended.steps:
            end = end.after(step.action, problem.task)
        wanted, passing = self._led_to(slip, broken) or frozenset[Literal](), fleeting(problem)
        lasting = frozenset(x for x in wanted if x.atom.predicate not in passing)
        forgotten = slip.forgotten.add if slip.forgotten else ()
        own = {Literal(a) for a in forgotten if a.args and a.predicate not in passing}
        made_good = slip.forgotten is not None and not end.lacks(own)
        for goal in (wanted - end.lacks(lasting),) if made_good else (wanted, lasting):
            way = achieve(goal, end, problem, thorough=False) if end.lacks(goal) else ()
            if way is not None:
                yield from (PlanStep(action, "the plan would have ended so") for action in way)
                return

    def _unlikely(self, whole: Steps, broken: BrokenPlan) -> tuple[int, int]:
        """How little the steps of a whole plan make of one another: as `repair.unlikely`, where
        what is taken and nothing is done with serves nothing, too."""
        steps = tuple(self._from(whole, broken.seen[0]))
        idle, changes = unlikely(steps, broken.problem, self._about)
        return idle + _kept_for_nothing([s.action for s in steps]), changes

    def _is_likelier(self, unlikeness: tuple[int, int], broken: BrokenPlan) -> bool:
        """Than the plan that other repairers make of it.

        Another order of what lies ahead is a slip, too, which is as likely unless more of it serves
        nothing. Where steps are added ahead, that or how often another thing's turn comes tells,
        if the other does not speak against it.
        """
        for repairer in (self._reorder, Bridge(None, self._meant)):
            try:
                rest = repairer.propose(broken).steps
            except SaySoError as error:
                if error.code is not Code.NO_PLAN:
                    raise
                continue
            idle, changes = self._unlikely((*_done(broken), *rest), broken)
            if len(rest) == len(broken.rest):
                return unlikeness[0] < idle
            return unlikeness != (idle, changes) and all(map(le, unlikeness, (idle, changes)))
        return True


def _kept_for_nothing(actions: Sequence[Action]) -> int:
    """How many actions take away what is about no thing, such as a free hand, and serve nothing."""
    return sum(
        any(not atom.args for atom in action.delete) and not serves(action, actions[number:])
        for number, action in enumerate(actions, start=1)
    )


def _done(broken: BrokenPlan, number: int | None = None) -> Steps:
    """What was done, with all that it ended of the things that the problem is about."""
    return tuple(PlanStep(_in_full(a, broken.problem)) for a in broken.done[:number])


def _in_full(action: Action, problem: PlanningProblem) -> Action:
    operator = problem.domain.operator(action.name)
    return _grounded(operator, action.args, problem.objects)


@lru_cache(maxsize=1024)
def _grounded(operator: Operator, args: tuple[str, ...], objects: tuple[str, ...]) -> Action:
    return operator.ground(*args, objects=objects)


def _true_then(number: int, broken: BrokenPlan) -> frozenset[Atom]:
    """What was true before one of the steps that were done, of what the problem is about; what
    nobody observes is as it is now."""
    things, now = frozenset(broken.problem.objects), broken.seen[-1].true_atoms()
    then = frozenset(a for a in broken.seen[number].true_atoms() if things.issuperset(a.args))
    return then | (broken.problem.initial - now)


def _slips(broken: BrokenPlan) -> Iterator[_Slip]:
    lacking = Situation.of(broken.problem).lacks(broken.rest[0].action.preconditions)
    if lacking and len(broken.seen) > len(broken.done):
        yield from _exchanged(broken, lacking)
        yield from _forgotten(broken, lacking)


def _led_up_to(broken: BrokenPlan) -> Iterator[_Slip]:
    """What was forgotten right after a step about the same thing."""
    for slip in _slips(broken):
        forgotten, before = slip.forgotten, broken.done[: slip.at][-1:]
        if forgotten and any(set(forgotten.args[:1]) & set(a.args) for a in before):
            yield slip


def _is_strange(forgotten: Action | None, broken: BrokenPlan) -> bool:
    """Whether a plan does the same elsewhere, and never to the same: who puts plate after plate
    into the dishwasher forgot to put the fork in, and not onto a plate."""
    if forgotten is None or len(forgotten.args) < 2:
        return False
    actions = (*broken.done, *(step.action for step in broken.rest))
    alike = [a.args[1] for a in actions if a.skill == forgotten.skill and len(a.args) > 1]
    return bool(alike) and forgotten.args[1] not in alike


def _is_brought_later(broken: BrokenPlan) -> bool:
    """Whether a later step brings about what the one that failed lacks."""
    lacking = Situation.of(broken.problem).lacks(broken.rest[0].action.preconditions)
    return any(_brings_about(step.action, lacking) for step in broken.rest[1:])


def _brings_about(action: Action, lacking: frozenset[Literal]) -> bool:
    """Whether an action makes what is lacking hold, or does once it comes in another place: what
    would be taken with the left hand now is taken with the right one while that is free."""
    things = {x.atom.args for x in lacking if x.positive and x.atom.args}
    return bool(effects_of(action) & lacking) or any(a.args in things for a in action.add)


def _exchanged(broken: BrokenPlan, lacking: frozenset[Literal]) -> Iterator[_Slip]:
    """A step that was done and a later one, of which one ends or the other brings about what is
    lacking."""
    done, rest = _done(broken), broken.rest
    ended = {Literal(x.atom, not x.positive) for x in lacking}
    for i, early in enumerate(done):
        undoes = effects_of(early.action) & ended
        for j, late in enumerate(rest[1:], start=1):
            if not (undoes or _brings_about(late.action, lacking)):
                continue
            after = (*rest[:j], early, *rest[j + 1 :])
            reason = f"{early.action} and {late.action} had changed places"
            yield _Slip(i, (late, *done[i + 1 :], *after), (late, *after), reason)


def _forgotten(broken: BrokenPlan, lacking: frozenset[Literal]) -> Iterator[_Slip]:
    """An action that could have been done before, after which nothing is lacking now."""
    done, passing = _done(broken), fleeting(broken.problem)
    for i in range(len(done)):
        true = _true_then(i, broken)
        for action in makers(lacking, true, broken.problem):
            lasts = any(a.predicate not in passing for a in action.add - true)
            if lasts and action.applicable(true):
                step = PlanStep(action, f"{broken.rest[0].action} needs what it brings about")
                reason = f"{action} was forgotten before {done[i].action}"
                steps = (step, *done[i:], *broken.rest)
                yield _Slip(i, steps, (step, *broken.rest), reason, action)
