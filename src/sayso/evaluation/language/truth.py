"""Whether a meaning is true of a course of events, by its own rules.

Nothing here knows of formulas: a trace is a list of sets of atoms, and every construct is judged
by what a person would say of such a course of events. An instruction is judged from a step `at`
to the end of the trace.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from sayso.evaluation.language.meanings import (
    Both,
    Collect,
    Either,
    Fact,
    Finally,
    Goal,
    HoldUntil,
    If,
    Keep,
    Leg,
    Meaning,
    Never,
    NotAfter,
    NotUntil,
    Number,
    Open,
    Ordered,
    Reading,
    State,
    Step,
    Times,
    Trace,
    Whenever,
    Without,
    is_reached,
)


def is_true(meaning: Meaning, trace: Trace, reading: Reading, at: int = 0) -> bool:
    """Whether the trace, from a step on, does what was said."""
    match meaning:
        case Goal() | Collect() | Ordered() | HoldUntil() | Leg() | Either() | Without():
            return done(meaning, trace, reading, at) is not None
        case Both():
            return _both(meaning, trace, reading, at)
        case Never(states):
            return not _ever(states, trace[at:])
        case NotUntil():
            return _not_until(meaning, trace[at:], reading["until"])
        case NotAfter(states, since):
            begun = _first(since, trace, at)
            first = len(trace) if begun is None else begun + (reading["after"] == "later")
            return not _ever(states, trace[first:])
        case If(state, then, otherwise):
            chosen = then if holds(state, trace[at]) else otherwise
            return chosen is None or is_true(chosen, trace, reading, at)
        case Whenever():
            return _whenever(meaning, trace, reading, at)
        case Keep(state, None):
            return all(holds(state, step) for step in trace[at:])
        case Keep(state, Goal() as goal):
            return _kept_during(state, goal, trace, reading, at)
        case Finally(state):
            steps = trace[-1:] if reading["finally"] == "at the end" else trace[at:]
            return any(holds(state, step) for step in steps)
        case Times(state, count, how):
            begun = _beginnings(state, trace[at:])
            return {"exactly": begun == count, "at least": begun >= count}.get(how, begun <= count)
        case Number():
            return _number(meaning, trace[at:], reading.get("number", ""))
        case Open(name, options):
            return is_true(options[int(reading[name])], trace, reading, at)
    raise TypeError(f"no meaning: {meaning}")


def holds(state: State, step: Step) -> bool:
    """Whether a state holds at a moment."""
    if isinstance(state, Fact):
        return (state.atom in step) == state.true
    truths = [holds(part, step) for part in state.facts]
    if state.how == "all":
        return all(truths)
    return any(truths) == (state.how == "any")


def done(meaning: Meaning, trace: Trace, reading: Reading, at: int) -> int | None:
    """The first step, from `at` on, by which something that is to be reached has been reached.

    None if it never is, and for instructions that cannot be over before the end.
    """
    match meaning:
        case Goal():
            return _reached(meaning, trace, reading, at)
        case Collect(goals, least):
            return _collected(goals, least or len(goals), trace, reading, at)
        case Ordered(goals, held_back):
            return _in_order(goals, trace, reading, at, held_back)
        case HoldUntil():
            return _held_until(meaning, trace, reading["until"], at)
        case Leg():
            return _earliest([_way(meaning, trace, i) for i in range(at, len(trace))])
        case Without(goal, states):
            end = done(goal, trace, reading, at)
            last = len(trace) if reading["without"] == "never" else end
            return None if end is None or _ever(states, trace[at:last]) else end
        case Either(members):
            return _earliest([done(m, trace, reading, at) for m in members])
        case Both(members) if is_reached(meaning):
            return _side_by_side(members, trace, reading, at, reading["and"])
        case Open(name, options):
            return done(options[int(reading[name])], trace, reading, at)
    return at if is_true(meaning, trace, reading, at) else None


def _reached(goal: Goal, trace: Trace, reading: Reading, at: int) -> int | None:
    how = reading["carry"] if goal.carried else "as said"
    state = goal.beside if goal.beside and how.endswith("beside") else goal.state
    if how.startswith("held"):
        held = _first(Fact(("holding", goal.carried)), trace, at)
        if held is None:
            return None
        at = held
    return _first(state, trace, at)


def _first(state: State, trace: Trace, at: int) -> int | None:
    return next((i for i in range(at, len(trace)) if holds(state, trace[i])), None)


def _collected(
    goals: Sequence[Goal], least: int, trace: Trace, reading: Reading, at: int
) -> int | None:
    if reading["collect"] == "at one time" and _can_last(goals):
        groups = combinations(goals, least)
        return _earliest([_at_once(group, trace, reading, at) for group in groups])
    ends = [done(goal, trace, reading, at) for goal in goals]
    reached = sorted(end for end in ends if end is not None)
    return reached[least - 1] if len(reached) >= least else None


def _can_last(goals: Sequence[Meaning]) -> bool:
    """Whether all can be true at one moment: a hand holds, and is near, one thing at a time."""
    moving = {"holding", "touching", "near"}
    return all(
        isinstance(g, Goal) and isinstance(g.state, Fact) and g.state.atom[0] not in moving
        for g in goals
    )


def _at_once(goals: Sequence[Goal], trace: Trace, reading: Reading, at: int) -> int | None:
    """The first step at which all states hold, each thing having been held before, if need be."""
    for i in range(at, len(trace)):
        if all(_ends_at(goal, trace, reading, at, i) for goal in goals):
            return i
    return None


def _ends_at(goal: Goal, trace: Trace, reading: Reading, at: int, end: int) -> bool:
    how = reading["carry"] if goal.carried else "as said"
    state = goal.beside if goal.beside and how.endswith("beside") else goal.state
    held = Fact(("holding", goal.carried))
    lifted = not how.startswith("held") or _ever((held,), trace[at : end + 1])
    return lifted and holds(state, trace[end])


def _in_order(
    goals: Sequence[Meaning], trace: Trace, reading: Reading, at: int, held_back: int = 0
) -> int | None:
    """When the last goal is reached, each after the one before it.

    "not earlier": a goal counts from the moment on at which the one before it is reached.
    "not before": besides, it has not been reached before that. "later": it is reached first at
    a later step. "outcome ...": what holds a thing back is where it is, carried there or not.
    """
    end = done(goals[0], trace, reading, at)
    for i, goal in enumerate(goals[1:], start=1):
        order = reading["before" if held_back and i >= held_back else "then"]
        if end is None or not _kept_back(goal, trace, reading, at, end, order):
            return None
        end = done(goal, trace, reading, end)
    return end


def _kept_back(
    goal: Meaning, trace: Trace, reading: Reading, at: int, until: int, order: str
) -> bool:
    """Whether a goal is not reached between two steps, as far as its order asks for that."""
    if order == "not earlier":
        return True
    if order.startswith("outcome") and "carry" in reading:
        reading = {**reading, "carry": reading["carry"].removeprefix("held, then ")}
    first = done(goal, trace, reading, at)
    return first is not None and first >= until + order.endswith("later")


def _way(leg: Leg, trace: Trace, begun: int) -> int | None:
    end = _first(leg.end, trace, begun)
    if end is None or not holds(leg.start, trace[begun]) or _ever(leg.states, trace[begun:end]):
        return None
    return end


def _held_until(meaning: HoldUntil, trace: Trace, how: str, at: int) -> int | None:
    """When the end comes of a stretch in which the state holds; the trace's end if it may."""
    for begun in range(at, len(trace)):
        end = _first(meaning.until, trace, begun)
        last = len(trace) if end is None else end + ("still" in how)
        stretch = trace[begun : max(last, begun + 1)]
        if end is None and "must" in how:
            return None
        if all(holds(meaning.state, step) for step in stretch):
            return len(trace) - 1 if end is None else end
    return None


def _both(meaning: Both, trace: Trace, reading: Reading, at: int) -> bool:
    goals = [m for m in meaning.parts if is_reached(m)]
    rest = [m for m in meaning.parts if not is_reached(m)]
    how = reading["and"] if len(goals) > 1 else "each at some time"
    return all(is_true(m, trace, reading, at) for m in rest) and (
        not goals or _side_by_side(goals, trace, reading, at, how) is not None
    )


def _side_by_side(
    goals: Sequence[Meaning], trace: Trace, reading: Reading, at: int, how: str
) -> int | None:
    """When the last of some goals is reached that were said one beside the other."""
    if how == "in the order said":
        return _in_order(goals, trace, {**reading, "then": "not earlier"}, at)
    simple = [g for g in goals if isinstance(g, Goal)]
    if how == "at one time" and len(simple) == len(goals) and _can_last(goals):
        return _at_once(simple, trace, reading, at)
    if how == "the first one first":
        first = done(goals[0], trace, reading, at)
        if first is None:
            return None
        goals, at = goals[1:], first
    return _latest([done(g, trace, reading, at) for g in goals])


def _not_until(meaning: NotUntil, steps: Trace, how: str) -> bool:
    end = _first(meaning.until, steps, 0)
    if end is None:
        return "must" not in how and not _ever(meaning.states, steps)
    return not _ever(meaning.states, steps[: end + ("still" in how)])


def _whenever(meaning: Whenever, trace: Trace, reading: Reading, at: int) -> bool:
    steps = [i for i in range(at, len(trace)) if holds(meaning.state, trace[i])]
    how = reading["when"] if meaning.once else "always"
    if how == "once":
        return any(is_true(meaning.then, trace, reading, i) for i in steps)
    if how in ("must come", "if it comes"):
        steps = steps[:1]
        return (bool(steps) or how != "must come") and all(
            is_true(meaning.then, trace, reading, i) for i in steps
        )
    return all(is_true(meaning.then, trace, reading, i) for i in steps)


def _kept_during(state: State, goal: Goal, trace: Trace, reading: Reading, at: int) -> bool:
    end = done(goal, trace, reading, at)
    if end is None:
        return False
    last = {"until then": end, "then too": end + 1}.get(reading["while"], len(trace))
    return all(holds(state, step) for step in trace[at:last])


def _beginnings(state: State, steps: Trace) -> int:
    """How often the state begins to hold; a state that holds from the first step on counts."""
    now = [holds(state, step) for step in steps]
    return sum(b and not a for a, b in zip([False, *now], now, strict=False))


def _number(meaning: Number, steps: Trace, how: str) -> bool:
    counts = [sum(holds(s, step) for s in meaning.states) for step in steps]
    ever = sum(_ever((s,), steps) for s in meaning.states)
    n = meaning.count
    if meaning.how == "at most in all":
        return ever <= n
    if meaning.how == "at most":
        return (ever if how == "ever" else max(counts)) <= n
    return {
        "at one time": n in counts,
        "ever": ever == n,
        "at the end": counts[-1] == n,
        "reached and never more": max(counts) == n,
    }[how]


def _ever(states: Sequence[State], steps: Sequence[Step]) -> bool:
    return any(holds(state, step) for step in steps for state in states)


def _earliest(ends: Sequence[int | None]) -> int | None:
    return min((e for e in ends if e is not None), default=None)


def _latest(ends: Sequence[int | None]) -> int | None:
    found = [e for e in ends if e is not None]
    return max(found) if len(found) == len(ends) else None
