"""Legs of a tour as actions of a plan, each with the reason why it is there, in English."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sayso.core.predicates import Predicate
from sayso.core.symbols import Action, Literal, Plan, PlanStep, in_words
from sayso.logic.monitor import prop_atom
from sayso.planning.clauses import advances
from sayso.planning.navigation.flat import Situation
from sayso.planning.navigation.handling import handling
from sayso.planning.navigation.itinerary import Leg, Outset, Tour
from sayso.planning.navigation.nearness import Names
from sayso.planning.navigation.obligations import Letter
from sayso.planning.words import fact, joined

PLANNER = "tour"


@dataclass(frozen=True)
class _Stage:
    """One leg with what holds before and after it."""

    leg: Leg
    action: Action
    before: Letter
    after: Letter


def plan_of(tour: Tour, outset: Outset, predicates: Mapping[str, Predicate]) -> Plan:
    """A tour as a plan.

    Args:
        predicates: by name, for the English of the reasons.
    """
    stages = list(_stages(tour, outset))
    steps = tuple(
        PlanStep(stage.action, _why(i, stages, outset, predicates))
        for i, stage in enumerate(stages)
    )
    return Plan(steps, PLANNER, tour.cost_s)


def _stages(tour: Tour, outset: Outset) -> Iterator[_Stage]:
    situation, near = outset.situation, tour.near.at(tour.start).sure
    letter = _letter(outset, near, situation)
    for i, leg in enumerate(tour.legs):
        there = _near(leg, tour, outset)
        if leg.drives:
            after = _letter(outset, there, situation)
            following = tour.legs[i + 1] if i + 1 < len(tour.legs) else None
            action = _drive(leg, situation, following, outset, letter - after, after)
        else:
            done = handling(leg.operator, leg.args, {n for a in situation.facts for n in a.args})
            action = replace(done.action, delete=done.action.delete & situation.facts)
            situation = situation.after(done)
            after = _letter(outset, there, situation)
        yield _Stage(leg, action, letter, after)
        letter = after


def _near(leg: Leg, tour: Tour, outset: Outset) -> Names:
    x, y = leg.path[-1]
    return tour.near.at(outset.flat.grid.cell_at((float(x), float(y)))).sure


def _letter(outset: Outset, near: Names, now: Situation) -> Letter:
    return outset.flat.letter(outset.task.propositions, near, now)


def _drive(
    leg: Leg,
    now: Situation,
    following: Leg | None,
    outset: Outset,
    gone: Letter,
    after: Letter,
) -> Action:
    """Its arguments: what it ends near, of what the task or the next step asks for."""
    told, operator = outset.flat.map_predicates, leg.operator
    wanted = {str(p.args[0]) for p in after if p.predicate in told} - now.along
    if following is not None and not following.drives:
        wanted.add(handling(following.operator, following.args).place)
    names = tuple(sorted(wanted))
    reached = [operator.ground(name) for name in names]
    x, y = leg.path[-1]
    where = joined(map(in_words, names)) or f"({x:.1f}, {y:.1f})"
    return Action(
        name=operator.name,
        args=names,
        preconditions=frozenset().union(*(a.preconditions for a in reached)),
        add=frozenset().union(*(a.add for a in reached)),
        delete=frozenset(prop_atom(p) for p in gone if p.predicate in told),
        skill=operator.skill,
        cost=leg.cost_s,
        english=operator.english.format(where),
    )


def _why(
    index: int, stages: Sequence[_Stage], outset: Outset, predicates: Mapping[str, Predicate]
) -> str:
    stage = stages[index]
    wanted = list(dict.fromkeys(_wanted(stage, outset)))
    if wanted:
        return f"the task asks that {joined(fact(x, predicates) for x in wanted)}"
    for later in range(index + 1, len(stages)):
        needed = _needed(stage, stages[later])
        if needed:
            facts = joined(fact(x, predicates) for x in needed)
            return f"step {later + 1} ({stages[later].action.english}) needs that {facts}"
    if close := sorted(outset.near().at(outset.cell).unsure) if not index else []:
        names = joined(map(in_words, close))
        return f"it leads away from {names}, which the robot is about to be near"
    return "the order that the task asks for needs a step here"


def _wanted(stage: _Stage, outset: Outset) -> Iterator[Literal]:
    """What a leg brought about without which some clause would not have advanced."""
    leg, task = stage.leg, outset.task
    changed = stage.before ^ stage.after
    for automaton, before, after in zip(task.automata, leg.before, leg.after, strict=True):
        if before == after:
            continue
        for prop in automaton.propositions:
            otherwise = automaton.step(before, stage.after ^ {prop})
            if prop in changed and advances(automaton, after, otherwise):
                yield Literal(prop_atom(prop), prop in stage.after)


def _needed(stage: _Stage, later: _Stage) -> list[Literal]:
    """What a later leg needs of this one."""
    leg = later.leg
    if leg.drives:
        return []
    place = handling(leg.operator, leg.args).place
    stands = {x for x in stage.action.add if stage.leg.drives and place in x.args}
    needs = [*sorted(later.action.preconditions), *map(Literal, sorted(stands))]
    return [x for x in needs if x.atom in stage.action.add]
