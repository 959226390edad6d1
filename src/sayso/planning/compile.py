"""A planning problem with its automata compiled into one classical problem.

Actions and automata take turns: after each action the automaton of each clause in turn reads the
letter, by the one move whose guard holds (compare Torres and Baier, "Polynomial-time
reformulations of LTL temporally extended goals into final-state goals", IJCAI 2015, on turns).
Guards are preconditions, in which planners find landmarks; where no move fits, a clause is broken
and the branch ends. An action that shows something only while it runs, which the task asks about,
is split into its start and its end with a letter between them. The operators stay lifted. Names
with a hyphen are bookkeeping: none of the library's has one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from unified_planning.environment import Environment
from unified_planning.model import (
    Fluent,
    FNode,
    InstantaneousAction,
    Object,
    Parameter,
    Problem,
    Type,
    Variable,
)
from unified_planning.model.metrics import MinimizeActionCosts

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Atom, Domain, Operator
from sayso.core.vocabulary import ANY, Vocabulary
from sayso.logic.automaton import Automaton, Guard
from sayso.logic.monitor import prop_atom
from sayso.planning.letters import letter_atoms
from sayso.planning.pddl_types import TypeTree, domain_types, problem_types
from sayso.planning.problem import PlanningProblem

COST_UNIT = 1000
"""Costs are rounded to thousandths where they are not whole: classical planners want integers."""


@dataclass(frozen=True)
class Compiled:
    """A classical problem, and the operator that each of its actions stands for.

    Attributes:
        operators: by the action's name; other actions of a plan only keep the books.
        objects: the name in the scene of each object of the classical problem.
    """

    problem: Problem
    operators: Mapping[str, Operator]
    objects: Mapping[str, str]


def compile_problem(problem: PlanningProblem) -> Compiled:
    """The product of a problem's operators and automata.

    Raises:
        SaySoError: UNSUPPORTED if the truth of a proposition of the task is unknown.
    """
    atoms = letter_atoms(problem.task)
    if unknown := sorted(set(atoms) & problem.unknown - problem.initial):
        raise SaySoError(
            Code.UNSUPPORTED,
            f"whether {unknown[0]} holds is unknown, which a classical problem cannot express.",
            hint="use the planner 'search', or let the cameras see the object.",
        )
    return _Compiler(problem, atoms).compile()


def compile_domain(domain: Domain, vocabulary: Vocabulary) -> Problem:
    """The operators alone, as a classical problem without objects or goal."""
    base = _Base("operators", domain, (), domain_types(domain, vocabulary))
    for op in domain.operators:
        action = base.action(op)
        base.add_effects(action, op)
        base.problem.add_action(action)
    return base.problem


class _Base:
    """A classical problem with a domain's predicates and types, and some objects."""

    def __init__(self, name: str, domain: Domain, objects: Sequence[str], types: TypeTree) -> None:
        environment = Environment()
        environment.credits_stream = None
        self.manager = environment.expression_manager
        self.boolean = environment.type_manager.BoolType()
        self.thing = environment.type_manager.UserType("scene-object")
        self.problem = Problem(name, environment)
        self.fluents: dict[str, Fluent] = {}
        for predicate, arity in sorted(_arities(domain).items()):
            self.fluent(predicate, arity)
        taken = {*self.fluents, *(op.name for op in domain.operators)}
        self.types = self._typed(types, taken)
        taken |= {t.name for t in self.types.values()}
        self.objects = {
            o: Object(f"{o}-object" if o in taken else o, self.type(types.type_of(o)), environment)
            for o in objects
        }
        self.problem.add_objects(self.objects.values())
        for name in sorted(types.members.keys() - types.parents):
            of_type = self.fluent(_is(name), 1)
            for o in sorted(types.members[name] & self.objects.keys()):
                self.problem.set_initial_value(of_type(self.objects[o]), True)

    def _typed(self, types: TypeTree, taken: Collection[str]) -> dict[str, Type]:
        """The types of the tree, by the library's names."""
        manager, made = self.problem.environment.type_manager, dict[str, Type]()
        for name, parent in types.parents.items():
            spoken = name.replace("|", "-or-")
            unique = f"{spoken}-type" if spoken in taken else spoken
            made[name] = manager.UserType(unique, made[parent] if parent else self.thing)
        return made

    def type(self, name: str | None) -> Type:
        """The type of this name in the tree, or that of all things."""
        return self.types.get(name or "", self.thing)

    def fluent(self, name: str, arity: int = 0) -> Fluent:
        """The fluent of this name, false at first unless set."""
        if name not in self.fluents:
            parameters = [
                Parameter(f"a{i}", self.thing, self.problem.environment) for i in range(arity)
            ]
            made = Fluent(name, self.boolean, parameters, self.problem.environment)
            self.fluents[name] = made
            self.problem.add_fluent(made, default_initial_value=False)
        return self.fluents[name]

    def ground(self, atom: Atom, prefix: str = "") -> FNode:
        """A ground atom's fluent expression."""
        fluent = self.fluent(prefix + atom.predicate, len(atom.args))
        return self.manager.FluentExp(fluent, [self.objects[a] for a in atom.args])

    def lifted(self, action: InstantaneousAction, atom: Atom, prefix: str = "") -> FNode:
        """An operator's atom over the action's parameters, and variables for every object."""
        fluent, known = self.fluent(prefix + atom.predicate, len(atom.args)), action.parameters
        every = {v.name: v for v in self.every(action, atom)}
        by_name = {**{p.name: p for p in known}, **every}
        return self.manager.FluentExp(fluent, [by_name[a[1:]] for a in atom.args])

    def every(self, action: InstantaneousAction, atom: Atom) -> list[Variable]:
        """The variables of an atom that are no parameters of the action."""
        free = {a[1:] for a in atom.args} - {p.name for p in action.parameters}
        return [Variable(n, self.thing, self.problem.environment) for n in sorted(free)]

    def action(self, op: Operator) -> InstantaneousAction:
        """An action with the operator's parameters, all distinct, and its preconditions."""
        name = f"{op.name}-action" if op.name in self.fluents else op.name
        action = self.empty_action(name, op)
        for parameter, types in zip(action.parameters, op.types, strict=False):
            if types not in self.types and types != ANY:
                action.add_precondition(self.fluent(_is(types), 1)(parameter))
        for literal in sorted(op.preconditions):
            atom = self.lifted(action, literal.atom)
            action.add_precondition(atom if literal.positive else self.manager.Not(atom))
        for i, a in enumerate(action.parameters):
            for b in action.parameters[i + 1 :]:
                action.add_precondition(self.manager.Not(self.manager.Equals(a, b)))
        return action

    def empty_action(self, name: str, op: Operator) -> InstantaneousAction:
        """An action with the operator's parameters only."""
        types = op.types or (ANY,) * len(op.parameters)
        parameters = {p[1:]: self.type(t) for p, t in zip(op.parameters, types, strict=True)}
        return InstantaneousAction(name, parameters, self.problem.environment)

    def add_effects(self, action: InstantaneousAction, op: Operator) -> None:
        for atom in sorted(op.delete - op.add):
            every = self.every(action, atom)
            action.add_effect(self.lifted(action, atom), False, forall=every)
        for atom in sorted(op.add):
            action.add_effect(self.lifted(action, atom), True)


class _Compiler:
    """Builds one compiled problem."""

    def __init__(self, problem: PlanningProblem, atoms: Sequence[Atom]) -> None:
        self._source = problem
        types = problem_types(problem)
        self._base = _Base("task", problem.domain, problem.objects, types)
        self._asked = [a for a in atoms if self._about_objects(a)]
        self._clauses = problem.task.automata
        self._unknown = {a.predicate for a in problem.unknown - problem.initial}
        self._flashing = {a.predicate for op in problem.domain.operators for a in op.during}
        self._flashing &= {a.predicate for a in self._asked}
        self._operators: dict[str, Operator] = {}
        self._costs: dict[InstantaneousAction, int] = {}
        self._unit = 1 if all(_whole(op.cost) for op in problem.domain.operators) else COST_UNIT

    def compile(self) -> Compiled:
        base, problem = self._base, self._base.problem
        for op in self._source.domain.operators:
            self._add_operator(op)
        self._add_reading()
        self._add_initial()
        problem.add_goal(base.fluent("task-ready"))
        if self._flashing:
            problem.add_goal(base.fluent("task-idle"))
        for c in range(len(self._clauses)):
            problem.add_goal(base.fluent(f"clause-{c}-accepts"))
        costs = {action: self._costs.get(action, 0) for action in problem.actions}
        problem.add_quality_metric(MinimizeActionCosts(costs, environment=problem.environment))
        names = {made.name: o for o, made in base.objects.items()}
        return Compiled(problem, self._operators, names)

    # -- operators -----------------------------------------------------------------------

    def _add_operator(self, op: Operator) -> None:
        base = self._base
        action = base.action(op)
        self._operators[action.name] = op
        action.add_precondition(base.fluent("task-ready"))
        for literal in sorted(op.preconditions):
            if literal.atom.predicate in self._unknown:
                unsure = base.lifted(action, literal.atom, "unknown-")
                action.add_precondition(base.manager.Not(unsure))
        if any(name == op.name for name, _ in self._source.avoid):
            avoided = base.lifted(action, Atom(op.name, op.parameters), "avoid-")
            action.add_precondition(base.manager.Not(avoided))
        if self._flashing:
            action.add_precondition(base.fluent("task-idle"))
        shown = sorted(a for a in op.during if a.predicate in self._flashing)
        if shown:
            self._start(action, op, shown)
            action = self._end(op, shown)
        self._finish(action, op)

    def _start(self, action: InstantaneousAction, op: Operator, shown: Iterable[Atom]) -> None:
        """Begin to run; a letter follows if that changes the truth of a proposition."""
        base = self._base
        action.add_effect(base.fluent("task-idle"), False)
        action.add_effect(base.lifted(action, _running(op)), True)
        for atom in shown:
            changes = base.manager.And(
                base.manager.Not(base.lifted(action, atom)), base.lifted(action, atom, "asked-")
            )
            action.add_effect(base.lifted(action, atom, "shown-"), True, changes)
            action.add_effect(base.fluent("task-ready"), False, changes)
            action.add_effect(self._turn(0), True, changes)
        self._add(action, round(op.cost * self._unit))

    def _end(self, op: Operator, shown: Iterable[Atom]) -> InstantaneousAction:
        base = self._base
        action = base.empty_action(f"{op.name}-end", op)
        action.add_precondition(base.fluent("task-ready"))
        action.add_precondition(base.lifted(action, _running(op)))
        action.add_effect(base.lifted(action, _running(op)), False)
        action.add_effect(base.fluent("task-idle"), True)
        for atom in shown:
            action.add_effect(base.lifted(action, atom, "shown-"), False)
        return action

    def _finish(self, action: InstantaneousAction, op: Operator) -> None:
        """The operator's effects, and the letter after them."""
        base = self._base
        base.add_effects(action, op)
        for atom in sorted(op.add | op.delete):
            if atom.predicate in self._unknown:
                every = base.every(action, atom)
                action.add_effect(base.lifted(action, atom, "unknown-"), False, forall=every)
        action.add_effect(base.fluent("task-ready"), False)
        action.add_effect(self._turn(0), True)
        begins = action.name in self._operators
        self._add(action, round(op.cost * self._unit) if begins else 0)

    def _add(self, action: InstantaneousAction, cost: int) -> None:
        self._base.problem.add_action(action)
        self._costs[action] = cost

    # -- automata ------------------------------------------------------------------------

    def _add_reading(self) -> None:
        """The moves of every clause, each handing the turn to the next clause or the arm."""
        for c, automaton in enumerate(self._clauses):
            for q in range(automaton.states):
                for target in automaton.successors(q) if not automaton.is_trap(q) else ():
                    if not automaton.is_trap(target):
                        self._add_moves(c, automaton, q, target)

    def _add_moves(self, c: int, automaton: Automaton, q: int, target: int) -> None:
        base = self._base
        ways = [w for g in automaton.guards(q, target) for w in self._conditions(g)]
        for number, condition in enumerate(ways):
            name = f"clause-{c}-from-{q}-to-{target}-{number}"
            action = InstantaneousAction(name, _env=base.problem.environment)
            for fact in (self._turn(c), base.fluent(_at(c, q)), *condition):
                action.add_precondition(fact)
            action.add_effect(self._turn(c), False)
            action.add_effect(self._turn(c + 1), True)
            if target != q:
                action.add_effect(base.fluent(_at(c, q)), False)
                action.add_effect(base.fluent(_at(c, target)), True)
            if (accepts := target in automaton.accepting) != (q in automaton.accepting):
                action.add_effect(base.fluent(f"clause-{c}-accepts"), accepts)
            base.problem.add_action(action)

    def _turn(self, clause: int) -> Fluent:
        """Whose turn it is to read; after the last clause it is the arm's turn."""
        last = clause == len(self._clauses)
        return self._base.fluent("task-ready" if last else f"clause-{clause}-reads")

    def _conditions(self, guard: Guard) -> list[list[FNode]]:
        """Conjunctions, one of which holds if the letter satisfies the guard."""
        base = self._base
        found: list[list[FNode]] = [[]]
        for prop, positive in guard:
            atom = prop_atom(prop)
            if atom not in self._asked:
                found = found if (atom in self._source.initial) == positive else []
                continue
            ways = [base.ground(atom)]
            if atom.predicate in self._flashing:
                ways.append(base.ground(atom, "shown-"))
            if positive:
                found = [[*before, way] for before in found for way in ways]
            else:
                never = [base.manager.Not(way) for way in ways]
                found = [[*before, *never] for before in found]
        return found

    # -- initial state -------------------------------------------------------------------

    def _add_initial(self) -> None:
        base, problem = self._base, self._base.problem
        names = set(base.fluents)
        for atom in sorted(self._source.initial):
            if atom.predicate in names and self._about_objects(atom):
                problem.set_initial_value(base.ground(atom), True)
        for atom in sorted(self._source.unknown - self._source.initial):
            if f"unknown-{atom.predicate}" in names and self._about_objects(atom):
                problem.set_initial_value(base.ground(atom, "unknown-"), True)
        for name, args in sorted(self._source.avoid):
            if f"avoid-{name}" in names and self._about_objects(Atom(name, args)):
                problem.set_initial_value(base.ground(Atom(name, args), "avoid-"), True)
        for atom in self._asked:
            if atom.predicate in self._flashing:
                problem.set_initial_value(base.ground(atom, "asked-"), True)
        if self._flashing:
            problem.set_initial_value(base.fluent("task-idle"), True)
        self._add_automaton_states()

    def _add_automaton_states(self) -> None:
        base, problem = self._base, self._base.problem
        states = self._source.states
        begun = len(self._clauses) if states is not None else 0
        states = self._source.task.initial if states is None else states
        problem.set_initial_value(self._turn(begun), True)
        for c, (automaton, q) in enumerate(zip(self._clauses, states, strict=True)):
            problem.set_initial_value(base.fluent(_at(c, q)), True)
            accepted = q in automaton.accepting
            problem.set_initial_value(base.fluent(f"clause-{c}-accepts"), accepted)

    def _about_objects(self, atom: Atom) -> bool:
        return all(a in self._base.objects for a in atom.args)


def _arities(domain: Domain) -> dict[str, int]:
    found = dict(domain.arities)
    for op in domain.operators:
        for atom in (*(x.atom for x in op.preconditions), *op.add, *op.delete, *op.during):
            found[atom.predicate] = len(atom.args)
    return found


def _is(types: str) -> str:
    """The predicate that a thing is of types that have no place in the tree."""
    return f"is-{types.replace('|', '-or-')}"


def _running(op: Operator) -> Atom:
    return Atom(f"running-{op.name}", op.parameters)


def _at(clause: int, state: int) -> str:
    return f"clause-{clause}-at-{state}"


def _whole(cost: float) -> bool:
    return cost == round(cost)
