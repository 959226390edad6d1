"""One VirtualHome task at work: the package's simulator acts, and what it refuses has a name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Action, Atom, Check, Operator, PlanStep, SymbolicState
from sayso.worlds.virtualhome.graph import Nodes, library, symbolic_state, within_reach
from sayso.worlds.virtualhome.package import package
from sayso.worlds.virtualhome.tasks import ACTOR, ACTOR_ID, Step, Task

_KINDS_OF_REFUSAL = (
    "cannot be found", "is sitting", "is lying", "is not sitting", "is not close to",
    "does not face", "not facing", "is not holding", "does not hold anything",
    "does not have a free hand", "is inside other closed thing", "already grabbed", "not grabbed",
    "is not grabbable", "can not be opened", "is not open or is not openable", "is not open",
    "is not closed", "is not on", "is not off", "is still on", "is unplugged", "is not plugged_in",
    "is not plugged_out", "does not have a switch", "does not have switch", "does not have a plug",
    "is not drinkable or not recipient", "is not readable", "is not eatable",
    "none of object on", "is not cuttable", "is not holding a knife", "is not sittable",
    "is not lieable", "is not movable", "is not recipient", "is not pourable or drinkable",
    "not lookable", "is not node room", "is not clothes", "is not person",
    "is not lying or sitting", "Too many things on", "Could not find object",
)  # fmt: skip
"""What the simulator says; anything else is an error of an unknown kind."""
_NAMED = re.compile(r"<([^<>]+)> \((\d+)\)")


class VirtualHome:
    """The graph of one task, changed by actions."""

    def __init__(self, task: Task) -> None:
        environment = package().simulator("environment")
        graph = environment.EnvironmentGraph(package().initial_graph(task.key))
        self.task = task
        self.done: list[Step] = []
        self.nodes = Nodes.of(graph)
        self._state = environment.EnvironmentState(graph, {}, instance_selection=True)
        self._observed: SymbolicState | None = None

    def observe(self) -> SymbolicState:
        """What holds now; stamped with the number of steps that were taken."""
        if self._observed is None:
            self._observed = symbolic_state(self._state, self.nodes, float(len(self.done)))
        return self._observed

    def within_reach(self, things: Iterable[str]) -> frozenset[Atom]:
        """Which of some things are near whoever walks to which other one, as all stands now."""
        return within_reach(self._state, self.nodes, things)

    def act(self, step: Step) -> None:
        """Takes a step.

        Raises:
            SaySoError: PRECONDITION with the simulator's words where it refuses, and nothing has
                changed; UNSUPPORTED for a verb that it does not know; UNKNOWN_OBJECT; EXECUTION
                where it failed in a way that has no name.
        """
        self._state = self._after(step)
        self.done.append(step)
        self._observed = None

    def reached(self) -> bool:
        """Whether what the task wants was done and holds, judged on the simulator's own graph."""
        wanted = self.task.wanted
        return self._done_in_order(wanted["actions"]) and all(map(self._holds, wanted["goal"]))

    def _after(self, step: Step) -> Any:
        script = self._script(step)
        execution = package().simulator("execution")
        info = execution.ExecutionInfo(eval_mode=True)
        try:
            states = execution.ScriptExecutor.call_action_method(script, self._state, info, 0)
            after = next(states, None)
        except Exception as error:  # whatever the simulator's own code raises
            raise _failed(step, repr(error)) from error
        if after is None:
            raise _refused(step, info.get_error_string())
        return after

    def _script(self, step: Step) -> Any:
        known = self.nodes.names.values()
        if missing := [t for t in step.things if t not in known]:
            raise SaySoError(Code.UNKNOWN_OBJECT, f"there is no '{missing[0]}' in the scene.")
        scripts = package().simulator("scripts")
        try:
            return scripts.Script([scripts.parse_script_line(str(step), 1)])
        except scripts.ScriptParseException as error:
            raise SaySoError(
                Code.UNSUPPORTED, f"the simulator cannot read '{step}': {error}.",
                choices=sorted({o.skill for o in library().operators.values()}),
            ) from error  # fmt: skip

    def _done_in_order(self, wanted: Sequence[str]) -> bool:
        left = [set(verbs.lower().split("|")) for verbs in wanted]
        for step in self.done:
            if left and step.verb in left[0]:
                left.pop(0)
        return not left

    def _holds(self, wanted: Mapping[str, Any]) -> bool:
        environment = package().simulator("environment")
        if "state" in wanted:
            return environment.State[wanted["state"]] in self._state.get_node(wanted["id"]).states
        relation = environment.Relation[wanted["relation_type"]]
        return wanted["to_id"] in self._state.get_node_ids_from(wanted["from_id"], relation)


def step_of(action: Action) -> Step:
    """What the simulator is told of an action: its verb, and its things without the context."""
    return Step(action.skill, named(action))


def named(action: Action) -> tuple[str, ...]:
    """The things of an action that a step names, without the context."""
    return action.args[: things_taken(action.skill)]


def action_of(step: Step, state: SymbolicState, objects: Iterable[str] = ()) -> Action:
    """The library's action that a step is: of several operators of its verb the one that can begin.

    Where none can, the one that lacks least of what never changes; of these the one that has come
    about already, such as grabbing with the hand that holds the thing, or that lacks least of all.

    Args:
        objects: what the action lets go of where its operator lets go of everything.

    Raises:
        SaySoError: UNSUPPORTED for a verb of no operator; INVALID for another number of things.
    """
    return _action(step, state.true_atoms(), objects)


def _action(step: Step, true: frozenset[Atom], objects: Iterable[str]) -> Action:
    operators = _of_verb(step.verb)
    if not operators:
        raise SaySoError(
            Code.UNSUPPORTED, f"no operator does '{step.verb}'.",
            choices=sorted({o.skill for o in library().operators.values()}),
        )  # fmt: skip
    actions = [a for o in operators for a in _instances(o, step, true)]
    if not actions:
        raise SaySoError(
            Code.INVALID,
            f"'{step}' has {len(step.things)} things, and takes {things_taken(step.verb)}.",
        )
    best = min(actions, key=lambda a: _missing(a, true))
    return _grounded(best.name, best.args, tuple(objects))


@lru_cache(maxsize=64)
def _of_verb(verb: str) -> tuple[Operator, ...]:
    return tuple(o for o in library().operators.values() if o.skill == verb)


@lru_cache(maxsize=20_000)
def _grounded(name: str, args: tuple[str, ...], objects: tuple[str, ...] = ()) -> Action:
    return library().operators[name].ground(*args, objects=objects)


def foreseen(
    steps: Sequence[Step], true: frozenset[Atom], objects: Sequence[str]
) -> Iterator[PlanStep]:
    """The library's actions of steps, each in the state to which those before would lead.

    Args:
        true: what holds before them.
        objects: what actions that let go of everything let go of.
    """
    for step in steps:
        action = _action(step, true, objects)
        yield PlanStep(action)
        true = action.apply(true)


def _missing(action: Action, true: frozenset[Atom]) -> tuple[int, bool, int]:
    """How many conditions do not hold for good, whether one does not and the action has not come
    about already either, and how many in all.

    For good is also what other operators of its verb alone bring about: what is in a shut cupboard
    is meant to be taken out of there, and not to be taken out first and then grabbed.
    """
    missing = [x for x in action.preconditions if (x.atom in true) != x.positive]
    verbs = (_bringing().get((x.atom.predicate, x.positive), frozenset()) for x in missing)
    for_good = sum(known <= {action.skill} for known in verbs)
    return for_good, bool(missing) and not action.add <= true, len(missing)


@lru_cache(maxsize=1)
def _bringing() -> Mapping[tuple[str, bool], frozenset[str]]:
    """The verbs that bring about that what a predicate says holds, or does not."""
    found = defaultdict[tuple[str, bool], set[str]](set)
    for operator in library().operators.values():
        for positive, atoms in ((True, operator.add), (False, operator.delete)):
            for atom in atoms:
                found[atom.predicate, positive].add(operator.skill)
    return {key: frozenset(verbs) for key, verbs in found.items()}


def lacking(action: Action, state: SymbolicState) -> tuple[Check, ...]:
    """The preconditions of an action that do not hold."""
    found = ((x, state.holds(x)) for x in sorted(action.preconditions))
    return tuple(Check(literal, holds) for literal, holds in found if not holds)


@lru_cache(maxsize=64)
def things_taken(verb: str) -> int:
    """How many things the simulator takes with a verb."""
    known = package().simulator("scripts").Action.__members__
    if verb.upper() not in known:
        raise SaySoError(
            Code.UNSUPPORTED, f"the simulator has no verb '{verb}'.", choices=sorted(known)
        )
    return int(known[verb.upper()].value[1])


def _instances(operator: Operator, step: Step, true: frozenset[Atom]) -> Iterable[Action]:
    count = things_taken(step.verb)
    if len(step.things) != count or len(operator.parameters) < count:
        return ()
    further = operator.parameters[count:]
    if not further:
        return (_grounded(operator.name, step.things),)
    binding = dict(zip(operator.parameters, step.things, strict=False))
    choices = _context(operator, further[0], binding, true)
    return tuple(_grounded(operator.name, (*step.things, chosen)) for chosen in choices)


def _context(
    operator: Operator, variable: str, binding: Mapping[str, str], true: frozenset[Atom]
) -> Sequence[str]:
    """What a parameter beyond the simulator's can stand for: where its conditions hold, if any."""
    wanted = [x.atom for x in operator.preconditions if x.positive and variable in x.atom.args]
    fits: list[set[str]] = []
    for atom in wanted:
        bound = atom.substitute(binding).args
        place = bound.index(variable)
        fits.append(
            {
                a.args[place]
                for a in true
                if a.predicate == atom.predicate
                and a.args[:place] == bound[:place]
                and a.args[place + 1 :] == bound[place + 1 :]
            }
        )
    return sorted(set.intersection(*fits) - set(binding.values())) or [ACTOR]


def _refused(step: Step, words: str) -> SaySoError:
    if not any(kind in words for kind in _KINDS_OF_REFUSAL):
        return SaySoError(
            Code.EXECUTION, f"the simulator refuses '{step}' for a reason of an unknown kind: "
            f"{words or 'it says nothing'}.",
        )  # fmt: skip
    cause = words.partition(" when executing")[0]
    return SaySoError(Code.PRECONDITION, f"'{step}' cannot be done: {_NAMED.sub(_name, cause)}.")


def _name(match: re.Match[str]) -> str:
    return "the actor" if int(match[2]) == ACTOR_ID else f"{match[1]}_{match[2]}"


def _failed(step: Step, what: str) -> SaySoError:
    return SaySoError(
        Code.EXECUTION, f"the simulator failed at '{step}' in a way that it does not name: {what}."
    )
