"""Why there is no plan: which clauses of the task are impossible, and what stands in the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

from sayso.core.errors import Code, SaySoError, SkillLackingError
from sayso.core.symbols import Action, Atom, Literal
from sayso.logic.formula import Always, Formula, Not, Prop, propositions
from sayso.logic.monitor import prop_atom
from sayso.planning.grounding import Candidate, candidate_actions, reachable
from sayso.planning.letters import letter_atoms
from sayso.planning.problem import PlanningProblem
from sayso.planning.product import ExhaustedError, OutOfBudgetError, Poll, Product, cheapest
from sayso.planning.words import fact, joined, quoted

MAX_DEPTH = 3
"""How many preconditions deep the chain of missing things is followed."""


def no_plan(problem: PlanningProblem, poll: Poll) -> SaySoError:
    """The error that says why an impossible problem is impossible.

    Raises:
        SaySoError: CANCELLED from `poll`. Its PLAN_TIMEOUT ends the search for the reason only.
    """
    try:
        return _explained(problem, poll)
    except SaySoError as error:
        if error.code is not Code.PLAN_TIMEOUT:
            raise
        return SaySoError(
            Code.NO_PLAN,
            "There is no plan for this task; there was no time left to find out why.",
            hint="allow more time, or ask for a part of the task.",
        )


def lacking(error: SaySoError, problem: PlanningProblem, poll: Poll) -> SaySoError:
    """What a planner elsewhere said of a problem, as the lack of a skill if that is what it tells
    of: a status has no room for which. Raises as `no_plan`."""
    if error.code is not Code.NO_PLAN:
        return error
    found = no_plan(problem, poll)
    return found if isinstance(found, SkillLackingError) else error


def _explained(problem: PlanningProblem, poll: Poll) -> SaySoError:
    assumed = _helpful_assumption(problem, poll)
    if assumed:
        facts = joined(sorted(assumed), "or")
        return SaySoError(
            Code.NO_PLAN,
            f"There is no plan that is sure to work: it is not known whether {facts}.",
            hint="let the cameras see the objects concerned, then ask again.",
        )
    core = _impossible_core(problem, poll)
    hint = "change or leave out that part of the task, or teach an operator that allows it."
    if facts := _never_made(core):
        skill = f"make it so that {facts}"
        return SkillLackingError(skill, _sentence(core), code=Code.NO_PLAN, hint=hint)
    return SaySoError(Code.NO_PLAN, _sentence(core), hint=hint)


def _never_made(core: PlanningProblem) -> str:
    """What is wanted and no operator brings about with these things, in words; "" where one may."""
    if _broken_now(core):
        return ""
    wanted = (prop_atom(p) for c in core.task.clauses for p in propositions(c) if not _forbidden(c))
    never = [
        a
        for a in wanted
        if a not in core.initial and all(_out_of_the_question(m, core) for m in _makers(a, core))
    ]
    return joined(fact(Literal(a), core.predicates) for a in dict.fromkeys(never))


def _sentence(core: PlanningProblem) -> str:
    parts = core.task.clauses
    said = [quoted(c, core.predicates) for c in parts]
    rules = [a for c in parts if (a := _forbidden(c)) is not None]
    wishes = [text for c, text in zip(parts, said, strict=True) if _forbidden(c) is None]
    if broken := _broken_now(core):
        return f"The task cannot be done any more: {broken}."
    if len(parts) == 1:
        return f"{said[0]} is impossible: {_why(parts[0], core)}."
    if len(wishes) == 1:
        never = joined((fact(Literal(a), core.predicates) for a in rules), "or")
        return f"Every way to {wishes[0]} needs what is never to be: {never}."
    return f"{joined(said)} cannot all be done together, though without one of them they could."


def _why(clause: Formula, problem: PlanningProblem) -> str:
    """What stands in the way of a problem's only clause."""
    found = reachable(problem, candidate_actions(problem))
    true = set(problem.initial).union(*(c.add for c in found))
    changed = {a for c in found for a in (*c.add, *c.delete, *c.during)}
    shown = true.union(*(c.during for c in found))
    wanted = [prop_atom(p) for p in propositions(clause)]
    missing = [a for a in wanted if a not in shown]
    if missing:
        return joined((_unreachable(a, problem, true, found, 0) for a in missing), "and")
    product = Product.of(problem)
    for pair in product.relaxed.exclusive:
        a, b = (fact(Literal(product.task.atoms[x]), problem.predicates) for x in pair)
        return f"it can never be at once that {a} and {b}"
    fixed = [a for a in wanted if a not in changed]
    if fixed:
        facts = (fact(Literal(a, a in problem.initial), problem.predicates) for a in fixed)
        return f"no action changes that {joined(facts)}"
    return "no sequence of the known actions brings it about"


def _unreachable(
    atom: Atom,
    problem: PlanningProblem,
    true: set[Atom],
    found: Sequence[Candidate],
    depth: int,
) -> str:
    """Why an atom can never become true."""
    makers = _makers(atom, problem)
    text = f"{atom} cannot be reached"
    if not makers:
        return f"{text}: no operator makes {atom.predicate} true of {joined(atom.args) or 'it'}"
    usable = {(c.operator.name, c.args) for c in found}
    options = [
        (action, [x for x in sorted(action.preconditions) if _blocked(x, problem, true)])
        for action in makers
        if (action.name, action.args) not in usable
    ]
    if not options:
        return f"{text} to last: it holds only while {joined(map(str, makers))} is carried out"
    wrong = {action: _of_wrong_type(action, problem) for action, _ in options}
    action, blocked = min(options, key=lambda o: (wrong[o[0]] != "", len(o[1]), str(o[0])))
    if wrong[action]:
        return f"{text}: {wrong[action]}"
    if (action.name, action.args) in problem.avoid:
        return f"{text}: {action} is to be avoided"
    if not blocked:
        return f"{text}: {action} can never be applied"
    reason = f"{text}: {action} needs {blocked[0]}, which does not hold"
    if blocked[0].atom in problem.unknown:
        return f"{text}: {action} needs {blocked[0]}, which is not known"
    if blocked[0].positive and depth < MAX_DEPTH and _makers(blocked[0].atom, problem):
        return f"{reason}; {_unreachable(blocked[0].atom, problem, true, found, depth + 1)}"
    return f"{reason} and nothing changes"


def _of_wrong_type(action: Action, problem: PlanningProblem) -> str:
    """Which thing an action cannot be done with for what it is; "" where there is none."""
    for thing, types in zip(action.args, problem.domain.operator(action.name).types, strict=False):
        if not problem.may_be(thing, types):
            return f"{action} needs {problem.vocabulary.described(types)}, which {thing} is not"
    return ""


def _out_of_the_question(action: Action, problem: PlanningProblem) -> bool:
    """Whether an action needs what is known not to be so and nothing ever changes, such as a switch
    that works this lamp."""
    operators = problem.domain.operators
    changed = {a.predicate for op in operators for a in (*op.add, *op.delete, *op.during)}
    return any(
        x.atom.predicate not in changed
        and x.atom not in problem.unknown
        and (x.atom in problem.initial) is not x.positive
        for x in action.preconditions
    )


def _blocked(literal: Literal, problem: PlanningProblem, true: set[Atom]) -> bool:
    """Whether a precondition never becomes true."""
    if literal.positive:
        return literal.atom not in true
    deleted = any(
        x.predicate == literal.atom.predicate for op in problem.domain.operators for x in op.delete
    )
    initially = literal.atom in problem.initial or literal.atom in problem.unknown
    return initially and not deleted


def _makers(atom: Atom, problem: PlanningProblem) -> list[Action]:
    """Every action of the domain, possible or not, that makes the atom true."""
    makers = []
    for op in problem.domain.operators:
        for effect in (*op.add, *op.during):
            if effect.predicate != atom.predicate or len(effect.args) != len(atom.args):
                continue
            bound = dict(zip(effect.args, atom.args, strict=True))
            if any(bound[v] != a for v, a in zip(effect.args, atom.args, strict=True)):
                continue
            free = [p for p in op.parameters if p not in bound]
            rest = [o for o in problem.objects if o not in bound.values()]
            for chosen in permutations(rest, len(free)):
                binding = {**bound, **dict(zip(free, chosen, strict=True))}
                makers.append(op.ground(*(binding[p] for p in op.parameters)))
    return [m for m in dict.fromkeys(makers) if len(set(m.args)) == len(m.args)]


# -- which clauses --------------------------------------------------------------------------


def _impossible_core(problem: PlanningProblem, poll: Poll) -> PlanningProblem:
    """The problem with a smallest-by-inclusion set of parts that is impossible together."""
    core, candidates = list(range(len(problem.task.parts))), tuple(candidate_actions(problem))
    for part in core:
        if _impossible([part], problem, candidates, poll):
            return _only([part], problem)
    for part in list(core):
        rest = [p for p in core if p != part]
        if rest and _impossible(rest, problem, candidates, poll):
            core = rest
    return _only(core, problem)


def _impossible(
    chosen: Sequence[int],
    problem: PlanningProblem,
    candidates: Sequence[Candidate],
    poll: Poll,
) -> bool:
    """Whether some parts alone are proven to have no plan."""
    try:
        cheapest(Product.of(_only(chosen, problem), candidates), poll)
    except ExhaustedError:
        return True
    except OutOfBudgetError:
        return False
    return False


def _only(chosen: Sequence[int], problem: PlanningProblem) -> PlanningProblem:
    """The problem with some of its parts only, from where each of them stands."""
    states = problem.states
    if states is not None:
        states = tuple(states[i] for i in chosen)
    return replace(problem, task=problem.task.only(chosen), states=states)


def _broken_now(core: PlanningProblem) -> str:
    """What the initial state itself breaks, if it does."""
    task, at = core.task, core.states
    if at is None:
        true = frozenset(p for p in task.propositions if prop_atom(p) in core.initial)
        at = task.step(task.initial, true)
    if task.can_go_on(at):
        return ""
    said = task.clauses
    forbidden = [a for c in said if (a := _forbidden(c)) is not None and a in core.initial]
    if forbidden:
        facts = joined(fact(Literal(a), core.predicates) for a in forbidden)
        return f"{facts} already, which is forbidden by 'never'"
    return f"what has happened so far breaks {joined(quoted(c, core.predicates) for c in said)}"


def _forbidden(clause: Formula) -> Atom | None:
    """p of a clause G(!p)."""
    match clause:
        case Always(Not(Prop() as prop)):
            return prop_atom(prop)
        case _:
            return None


# -- what is not known -------------------------------------------------------------------------


def _helpful_assumption(problem: PlanningProblem, poll: Poll) -> set[str]:
    """The unknown facts, in English, that would allow a plan if they were as hoped."""
    if not problem.unknown:
        return set()
    for true in (frozenset[Atom](), problem.unknown):
        hoped = replace(problem, unknown=frozenset(), initial=problem.initial | true)
        product = Product.of(hoped)
        try:
            path = cheapest(product, poll)
        except (ExhaustedError, OutOfBudgetError):
            continue
        used = {a for a in letter_atoms(problem.task) if a in problem.unknown}
        for number in path:
            action = product.task.actions[number]
            ground = problem.domain.operator(action.name).ground(*action.args)
            used |= {x.atom for x in ground.preconditions if x.atom in problem.unknown}
        return {fact(Literal(a), problem.predicates) for a in used}
    return set()
