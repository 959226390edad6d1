"""Legs of a tour as actions of a plan, each with the reason why it is there, in English."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sayso.core.predicates import Predicate
from sayso.core.symbols import Action, Atom, Literal, Plan, PlanStep, in_words
from sayso.logic.monitor import prop_atom
from sayso.planning.clauses import advances
from sayso.planning.navigation.flat import Situation
from sayso.planning.navigation.itinerary import Leg, Outset, Tour
from sayso.planning.navigation.nearness import Names
from sayso.planning.navigation.obligations import Letter
from sayso.planning.words import fact, joined

PLANNER = "tour"
_EMPTY = Atom("hand_empty")


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


def action_of(tour: Tour, index: int, outset: Outset) -> Action:
    """One leg of a tour as an action."""
    return list(_stages(tour, outset))[index].action


def step_of(
    tour: Tour, index: int, outset: Outset, predicates: Mapping[str, Predicate]
) -> PlanStep:
    """One leg of a tour as a step of a plan, with its reason."""
    stages = list(_stages(tour, outset))
    return PlanStep(stages[index].action, _why(index, stages, outset, predicates))


def _stages(tour: Tour, outset: Outset) -> Iterator[_Stage]:
    situation, near = outset.situation, tour.near.at(tour.start).sure
    letter = _letter(outset, near, situation)
    for i, leg in enumerate(tour.legs):
        then, there = _done(leg, situation), _near(leg, tour, outset)
        after = _letter(outset, there, then)
        following = tour.legs[i + 1] if i + 1 < len(tour.legs) else None
        if leg.kind == "go":
            action = _go(leg, situation, following, letter - after, after)
        elif leg.kind == "pick":
            action = _pick(leg, situation)
        else:
            action = _release(leg, outset)
        yield _Stage(leg, action, letter, after)
        situation, letter = then, after


def _done(leg: Leg, now: Situation) -> Situation:
    if leg.kind == "go":
        return now
    return now.picked(leg.thing) if leg.kind == "pick" else now.released(leg.receptacle)


def _near(leg: Leg, tour: Tour, outset: Outset) -> Names:
    x, y = leg.path[-1]
    return tour.near.at(outset.flat.grid.cell_at((float(x), float(y)))).sure


def _letter(outset: Outset, near: Names, now: Situation) -> Letter:
    return outset.flat.letter(outset.task.propositions, near, now)


def _go(leg: Leg, now: Situation, following: Leg | None, gone: Letter, after: Letter) -> Action:
    """Its arguments: what it ends near, of what the task or the next step asks for."""
    wanted = {str(p.args[0]) for p in after if p.predicate == "near"} - {now.held}
    if following is not None and following.kind != "go":
        wanted.add(following.receptacle or following.thing)
    names = tuple(sorted(wanted))
    x, y = leg.path[-1]
    where = joined(map(in_words, names)) or f"({x:.1f}, {y:.1f})"
    return Action(
        name="go",
        args=names,
        preconditions=frozenset(),
        add=frozenset(Atom("near", (n,)) for n in names),
        delete=frozenset(prop_atom(p) for p in gone if p.predicate == "near"),
        skill="go",
        cost=leg.cost_s,
        english=f"drive to {where}",
    )


def _pick(leg: Leg, now: Situation) -> Action:
    thing = leg.thing
    needs = (_EMPTY, Atom("graspable", (thing,)))
    lies = [pair for pair in (*now.rests, *now.beside) if thing in pair]
    return Action(
        name="pick",
        args=(thing,),
        preconditions=frozenset(map(Literal, needs)),
        add=frozenset({Atom("holding", (thing,))}),
        delete=frozenset({_EMPTY, *(Atom(p, q) for p in ("placed", "on", "in") for q in lies)}),
        skill="pick",
        cost=leg.cost_s,
        english=f"pick up {in_words(thing)}",
    )


def _release(leg: Leg, outset: Outset) -> Action:
    pair, receives = (leg.thing, leg.receptacle), outset.flat.place(leg.receptacle).receives
    place = {"on": "on", "in": "into"}.get(receives, "beside")
    add = {_EMPTY, Atom("placed", pair)}
    if receives in ("on", "in"):
        add.add(Atom(receives, pair))
    return Action(
        name="release",
        args=pair,
        preconditions=frozenset({Literal(Atom("holding", (leg.thing,)))}),
        add=frozenset(add),
        delete=frozenset({Atom("holding", (leg.thing,))}),
        skill="release",
        cost=leg.cost_s,
        english=f"put {in_words(leg.thing)} down {place} {in_words(leg.receptacle)}",
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
    if later.leg.kind == "go":
        return []
    place = later.leg.receptacle or later.leg.thing
    near = Literal(Atom("near", (place,)))
    needs = [*sorted(later.action.preconditions), near]
    return [x for x in needs if x.atom in stage.action.add]
