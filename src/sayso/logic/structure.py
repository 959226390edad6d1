"""A task's structure: the conditions on the way to its end, one after the other, in English.

LIMP's symbol verification (appendix A3.1) shows a person the transition conditions along a path
through the automaton. Here the path is the easiest one (see `analysis.remaining`), and each of
its transitions comes with what has to hold until it is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sayso.core.predicates import Predicate
from sayso.logic.analysis import easiest_letters, guard_in_words, prices
from sayso.logic.automaton import Automaton, Guard
from sayso.logic.diagrams import FALSE, TRUE, Diagrams
from sayso.logic.english import phrase, read_back
from sayso.logic.formula import Eventually, Formula, Prop, clauses
from sayso.logic.progression import progression_of
from sayso.logic.shown import whole_of

MOST_ALTERNATIVES = 12
Guards = tuple[Guard, ...]
"""A disjunction of conditions; `((),)` holds always, `()` never."""


@dataclass(frozen=True)
class Stage:
    """One transition on the way.

    Attributes:
        state, target: of the automaton, before and after.
        reach: when the transition is taken.
        keep: what has to hold at each step before that; `()` where there is no waiting.
        throughout: `keep` has to hold at the transition too, and `reach` does not repeat it.
        instead: conditions of other transitions that come as near to the end.
        letter: the propositions that are true in the easiest step that takes the transition.
    """

    state: int
    target: int
    reach: Guards
    keep: Guards
    throughout: bool
    instead: tuple[Guards, ...]
    letter: frozenset[Prop]


@dataclass(frozen=True)
class Structure:
    """A task as a way to its end.

    Attributes:
        stages: in order; none where nothing has to be reached.
        keep: what has to hold from the end of the last stage on, for as long as the task goes on.
        content: when nothing more is left to do, once the last stage is done.
        again: what has to come about over and over after that (`G F p`), until it is stopped.
    """

    stages: tuple[Stage, ...]
    keep: Guards
    content: Guards
    again: tuple[Formula, ...]


def structure_of(formula: Formula) -> Structure | None:
    """The structure of a task; None where it has too many states to tell a way through them.

    Raises:
        SaySoError: CONTRADICTION; UNSUPPORTED where the task is too large to work on.
    """
    task = progression_of(formula)
    again = tuple(dict.fromkeys(_wanted(p.formula) for p in task.parts if p.recurs))
    rest = whole_of(task.only([i for i, p in enumerate(task.parts) if not p.recurs]))
    if rest is None:
        return None
    automaton = rest.automaton
    stages = stages_of(automaton)
    end = stages[-1].target if stages else automaton.initial
    _, costs = prices(automaton, end)
    live = {t for t in automaton.successors(end) if t in costs}
    ends = {t for t in live if automaton.is_accepting(t)}
    keep = automaton.guards_into(end, live, live)
    broken = set(automaton.successors(end)) - live
    content = automaton.guards_into(end, ends, ends | broken)
    return Structure(stages, keep, content, again)


def _wanted(goal: Formula) -> Formula:
    return goal.arg if isinstance(goal, Eventually) else goal


def stages_of(automaton: Automaton, state: int | None = None) -> tuple[Stage, ...]:
    """The easiest way from a state to acceptance; () where the state accepts already.

    Acceptance is out of reach from no state that is asked about. Takes time that grows with the
    automaton.
    """
    here = automaton.initial if state is None else state
    steps, costs = prices(automaton, here)
    ended = _unread(automaton, here, state)
    stages: list[Stage] = []
    while ended or costs[here]:
        ended = False
        stages.append(_stage(automaton, here, steps[here], costs))
        here = stages[-1].target
    return tuple(stages)


def _unread(automaton: Automaton, here: int, asked: int | None) -> bool:
    """Whether acceptance of the initial state means nothing, as no step leads back to it."""
    return asked is None and not any(
        here in automaton.successors(s) for s in range(automaton.states)
    )


def _stage(
    automaton: Automaton, state: int, steps: Mapping[int, int], costs: Mapping[int, int]
) -> Stage:
    totals = {t: price + costs[t] for t, price in steps.items() if t in costs}
    letters = {
        t: tuple(i for i, positive in letter if positive)
        for t, (_, _, letter) in easiest_letters(automaton, state).items()
    }
    first, *others = sorted(totals, key=lambda t: (totals[t], letters[t], t))
    live = set(totals)
    nearer = {t for t in live if costs[t] <= costs[first]}
    keep, throughout = _kept(automaton, state, first, live - nearer, live)
    broken = {t for t in automaton.successors(state) if t not in costs} if throughout else set()
    ties = [t for t in others if totals[t] == totals[first]][:MOST_ALTERNATIVES]
    reach, *instead = (
        automaton.guards_into(state, {t}, {t} | nearer | broken) for t in (first, *ties)
    )
    letter = frozenset(automaton.propositions[i] for i in letters[first])
    return Stage(state, first, reach, keep, throughout, tuple(instead), letter)


def _kept(
    automaton: Automaton, state: int, target: int, waiting: set[int], live: set[int]
) -> tuple[Guards, bool]:
    """What has to hold while waiting, and whether all letters into the target keep it too."""
    if not waiting:
        return (), False
    short = automaton.guards_into(state, waiting, live)
    some, every = _kept_by(automaton, state, target, short)
    if some:
        return short, every
    # The shortest condition only says that the end of the wait has not come: tell the rule.
    return automaton.guards_into(state, live, live), True


def _kept_by(automaton: Automaton, state: int, target: int, keep: Guards) -> tuple[bool, bool]:
    """Whether some, and all, of the letters that lead to the target keep a condition."""
    work = Diagrams()
    into = automaton.letters_into(state, {target}, work)
    kept = _diagram(keep, automaton.propositions, work)
    return work.conj(into, kept) != FALSE, work.conj(into, work.negation(kept)) == FALSE


def _diagram(guards: Guards, propositions: Sequence[Prop], work: Diagrams) -> int:
    index = {p: i for i, p in enumerate(propositions)}
    either = FALSE
    for guard in guards:
        cube = TRUE
        for prop, positive in guard:
            cube = work.conj(cube, work.literal(index[prop], positive))
        either = work.disj(either, cube)
    return either


def _denied(guards: Guards) -> Guards:
    """When the condition does not hold."""
    mentioned = tuple(dict.fromkeys(prop for guard in guards for prop, _ in guard))
    work = Diagrams()
    negated = work.negation(_diagram(guards, mentioned, work))
    return tuple(
        tuple((mentioned[i], positive) for i, positive in cube)
        for cube in work.cubes(negated, negated)
    )


# -- in English ---------------------------------------------------------------------------


def structure_in_words(
    formula: Formula, predicates: Mapping[str, Predicate] | None = None
) -> tuple[str, ...]:
    """The structure, a sentence for each stage; the parts one by one if it is large.

    Raises:
        SaySoError: as `structure_of`.
    """
    known = predicates or {}
    structure = structure_of(formula)
    if structure is None:
        # A large task, the parts of which any order will do for.
        parts = clauses(formula)
        if len(parts) == 1:
            return (read_back(formula, known),)
        return tuple(w for p in parts for w in structure_in_words(p, known))
    sentences = [_sentence(s, i, known) for i, s in enumerate(structure.stages)]
    rule = _rule(structure.keep, known)
    if structure.again:
        wanted = "; and ".join(phrase(f, known) for f in structure.again)
        lead = "Then, over and over" if sentences else "Over and over"
        rule = f". All the while{rule}" if rule else ""
        sentences.append(f"{lead}, until it is stopped: {wanted}{rule}.")
    elif not sentences:
        limit = _either(structure.content, known) if _says(structure.content) else ""
        limit = f" as long as {limit}" if limit else ""
        rule = f"All the time{rule}. " if rule else ""
        sentences.append(f"{rule}Nothing has to be reached{limit}.")
    return tuple(sentences)


def _sentence(stage: Stage, index: int, predicates: Mapping[str, Predicate]) -> str:
    reach = _either(stage.reach, predicates)
    if not stage.keep:
        return f"At the {'start' if index == 0 else 'very next step'}: {reach}."
    lead = "Go on until" if index == 0 else "Then go on until"
    others = "; or ".join(_either(g, predicates) for g in stage.instead)
    instead = f" (or this comes first: {others})" if others else ""
    rule = _rule(stage.keep, predicates)
    when = "all the while, and at that moment too" if stage.throughout else "before that"
    return f"{lead} {reach}{instead}{f'; {when}{rule}' if rule else ''}."


def _rule(guards: Guards, predicates: Mapping[str, Predicate]) -> str:
    """What must hold, or what must not where that takes fewer words; '' if anything may."""
    if not _says(guards):
        return ""
    denied = _denied(guards)
    if len(denied) < len(guards):
        return f", never this: {_either(denied, predicates)}"
    return f": {_either(guards, predicates)}"


def _says(guards: Guards) -> bool:
    """Whether a condition excludes anything."""
    return () not in guards


def _either(guards: Iterable[Guard], predicates: Mapping[str, Predicate]) -> str:
    parts = [guard_in_words(g, predicates) for g in guards]
    return f"either {', or '.join(parts)}" if len(parts) > 1 else "".join(parts)
