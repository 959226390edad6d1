"""A program run on what is observed and on what operators say follows; nothing moves.

The functions that a program may call are the methods of `Rehearsal` that `API` names, and one for
each operator of the library; `described` tells them with their docstrings, as they are told to
whoever writes a program. They follow "Lifelong Robot Learning with Human Assisted Language
Planners" (Parakh et al. 2023, appendix A6).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeAlias

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library, parse_literal
from sayso.core.ports import Embedder
from sayso.core.sandbox import program
from sayso.core.sandbox.process import Json
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Action, Atom, Literal, Operator, Plan, PlanStep
from sayso.core.vocabulary import SpokenAction
from sayso.logic.formula import Top
from sayso.logic.progression import progression_of
from sayso.mission.programs.finding import FindSettings, ThingFinder
from sayso.mission.programs.requests import SkillRequest, requested
from sayso.perception.categories import category_of
from sayso.perception.scene_graph import scene_graph
from sayso.planning.achieving import Situation, achieve
from sayso.planning.problem import PROGRAM, PlanningProblem
from sayso.planning.validate import validate
from sayso.planning.words import fact, imperative, joined, quoted

Position: TypeAlias = list[str]
"""Where a thing shall be, as literals such as "on(apple, plate)"."""

API = (
    "start_task", "end_task", "find", "get_all_object_ids", "get_container_id",
    "get_objects_contained_and_over", "get_location", "pick", "get_place_position", "place",
    "learn_skill",
)  # fmt: skip
MOST_ACTIONS = 100
"""Of one program: one that would take more is likely to go round in circles."""
_TABLE = "table"
_ALIKE = {"above": "on", "over": "on", "on top": "on", "within": "in"}
_LEARN = """
def learn_skill(skill_name, parameters, effect, when):
    known = ask_robot("learn_skill", [skill_name, parameters, effect, when])
    def skill(*object_ids):
        return ask_robot(known, list(object_ids))
    return skill
"""


@dataclass(frozen=True)
class Rehearsed:
    """What a program would do.

    Attributes:
        steps: in order; each says which call it comes from.
        requests: skills that it asks to be taught first.
        end: where it would lead.
    """

    steps: tuple[PlanStep, ...]
    requests: tuple[SkillRequest, ...]
    end: Situation

    @property
    def plan(self) -> Plan:
        """The steps; to be validated."""
        cost = sum(s.action.cost for s in self.steps)
        return Plan(self.steps, PROGRAM, cost, from_words=True)

    def require_taught(self) -> None:
        """Raises UNSUPPORTED with what is to be shown, where skills have to be taught first."""
        if self.requests:
            names = joined(f"'{r.name}'" for r in self.requests)
            raise SaySoError(
                Code.UNSUPPORTED,
                f"the program needs {names}, which nobody taught yet.",
                hint=" ".join(r.show for r in self.requests),
            )

    def require_fulfilled(self, problem: PlanningProblem) -> None:
        """Raises INVALID where it does nothing, PLAN_INVALID where it does not do the task."""
        if not self.steps:
            raise SaySoError(
                Code.INVALID,
                "the program ends without any action.",
                hint="call pick, place or another skill.",
            )
        if not self.requests:  # else nobody can tell
            validate(self.plan, problem)

    @property
    def words(self) -> tuple[str, ...]:
        """Each step in English."""
        return tuple(s.action.english or str(s.action) for s in self.steps)


@dataclass(frozen=True)
class Surroundings:
    """What a program runs on.

    Attributes:
        scene: as it is observed; places and sizes mean nothing where it is not `seen`.
        problem: the same as literals, and the task whose rules hold.
        seen: whether there is more to go by than names and literals.
    """

    library: Library
    scene: Scene
    problem: PlanningProblem
    embedder: Embedder
    settings: FindSettings
    seen: bool = True

    @staticmethod
    def of(problem: PlanningProblem, embedder: Embedder) -> Surroundings:
        """By names and literals alone."""
        operators = {op.name: op for op in problem.domain.operators}
        library = Library("", problem.predicates, operators, vocabulary=problem.vocabulary)
        scene = Scene(0.0, tuple(map(_named, problem.objects)))
        return Surroundings(library, scene, problem, embedder, FindSettings(), seen=False)


def _named(name: str) -> SceneObject:
    """A thing of which nothing but its name is known: `red_block_2` is a red block."""
    color, _, kind = re.sub(r"_\d+$", "", name).rpartition("_")
    return SceneObject(name, kind, color, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def rehearse(source: str, surroundings: Surroundings) -> Rehearsed:
    """What a program would do here.

    Raises:
        SaySoError: naming the line, with the code of the call that fails: PRECONDITION for a skill
            that could not start, PLAN_INVALID for one that would break the task's rules, INVALID
            for arguments that mean nothing; INVALID for code that is not allowed or raises, LIMIT
            for code that does not end.
    """
    robot = Rehearsal(surroundings)
    granted = {"ask_robot": program.Granted(2, robot.answer)}
    try:
        program.run(source, granted=granted, prelude=prelude(surroundings.library))
    except SaySoError as error:
        raise robot.explained(error) from error
    return Rehearsed(tuple(robot.steps), tuple(robot.requests), robot.at)


def described(library: Library) -> str:
    """All functions that a program may call, as Python with docstrings."""
    told = [_signature(name, str(inspect.getdoc(getattr(Rehearsal, name)))) for name in API]
    told += [_signature_of(op, library) for op in _by_function(library).values()]
    return "\n\n".join(told)


def prelude(library: Library) -> str:
    """The functions that a program may call, as Python that asks `ask_robot` for them."""
    lines = [_LEARN]
    for name in API[:-1]:
        names = [p.name for p in _parameters(name)]
        lines.append(_asking(name, _given(name), ", ".join(names)))
    for name, operator in _by_function(library).items():
        names = [p[1:] for p in operator.parameters]
        lines.append(_asking(name, ", ".join(names), ", ".join(names)))
    return "\n".join(lines)


def listed(library: Library) -> str:
    """A line for each operator: what it is called and does."""
    lines = (f"- {_heading(op)}{_when(op, library)}" for op in _by_function(library).values())
    return "\n".join(lines)


class Rehearsal:
    """A robot that only thinks through what it would do.

    Attributes:
        at: where its actions lead.
        steps: its actions so far.
        requests: skills that it would have to be taught.
    """

    def __init__(self, surroundings: Surroundings) -> None:
        self._library = surroundings.library
        self._problem = surroundings.problem
        self._free = replace(surroundings.problem, task=progression_of(Top()), states=None)
        self._scene = surroundings.scene
        self._finder = ThingFinder(
            self._library, self._scene, surroundings.embedder, surroundings.settings
        )
        self._where = _Whereabouts.of(surroundings)
        self._ended = False
        self._failure: SaySoError | None = None
        self._known = surroundings.library
        self.at = self._start = Situation.of(self._problem)
        self.steps: list[PlanStep] = []
        self.requests: list[SkillRequest] = []

    # -- what a program may call -----------------------------------------------------------

    def start_task(self) -> None:
        """Begins a task; to be called again after end_task."""
        self._ended = False

    def end_task(self) -> None:
        """Ends the task: no skill may be called after it."""
        self._ended = True

    def find(
        self,
        object_label: Json = None,
        visual_description: Json = None,
        place_description: Json = None,
        object_ids: Json = None,
    ) -> str:
        """Gives the id of the one thing that fits what is said of it; at least one of the first
        three must be given. Fails where nothing fits, or several things do.

        object_label: what it is called in the scene: "mug", "mug_2", "the red block"
        visual_description: what it looks like: "red mug", "the big box"
        place_description: where it is: "the mug in the tray", "the block left of the bowl"; not
            after something was moved
        object_ids: ids to choose among, if not all
        """
        if place_description is not None and self._where.moved:
            raise SaySoError(
                Code.UNSUPPORTED,
                f"'{place_description}' cannot be looked for: not all places are known now.",
                hint="find things before the first skill, or ask get_container_id.",
            )
        among = self._where.names if object_ids is None else self._listed(object_ids)
        words = (object_label, visual_description, place_description)
        label, looks, place = ("" if w is None else _text(w, "a description") for w in words)
        return self._finder.find(label, looks, place, among)

    def get_all_object_ids(self) -> list[str]:
        """Gives the ids of all things in the scene."""
        return list(self._where.names)

    def get_container_id(self, object_id: Json) -> str | None:
        """Gives the id of what a thing is in; None if it is in nothing."""
        return self._where.containers.get(self._thing(object_id))

    def get_objects_contained_and_over(self, object_id: Json) -> list[str]:
        """Gives the ids of all things that are in, on or over a thing."""
        return self._where.contained_and_over(self._thing(object_id))

    def get_location(self, object_id: Json) -> list[float] | None:
        """Gives where a thing's middle is, [x, y, z] in metres, x ahead of the robot, y to its
        left, z up; None once it was moved, until it is seen again."""
        name = self._thing(object_id)
        if name in self._where.moved:
            return None
        return [round(v, 4) for v in self._scene.by_name()[name].position]

    def pick(self, object_id: Json) -> None:
        """Picks up a thing. The hand must be empty, and nothing on the thing. A place has to
        follow before the next pick."""
        name = self._thing(object_id)
        self._bring_about({Literal(Atom(self._held, (name,)))}, f"pick({name})")

    def get_place_position(
        self, object_id: Json, reference_object_id: Json, place_description: Json
    ) -> Position:
        """Gives the position for `place` that is meant by "on", "inside" and other such words.

        object_id: of what shall be placed
        reference_object_id: of what it shall be placed in or on; "table" for the table
        place_description: such as "on", "on top of", "in", "inside"
        """
        name, words = self._thing(object_id), _text(place_description, "a place")
        at_table = reference_object_id == _TABLE and _TABLE not in self._where.names
        reference = _TABLE if at_table else self._thing(reference_object_id)
        goals = self._goals(name, reference, words)
        if not goals:
            raise SaySoError(
                Code.UNSUPPORTED,
                f"no skill places a thing '{words}' {reference}.",
                choices=self._placings(name, reference),
                hint="take another place, or learn_skill for it.",
            )
        return goals[0]

    def place(self, object_id: Json, position: Json) -> None:
        """Places the thing that the hand holds at a position of get_place_position."""
        name = self._thing(object_id)
        try:
            wanted = {parse_literal(_text(text, "a position")) for text in _items(position)}
        except SaySoError as error:
            error.hint = "take a position of get_place_position; there is no skill for coordinates."
            raise
        if not wanted or any(name not in x.atom.args[:1] for x in wanted):
            raise SaySoError(Code.INVALID, f"this position is not one for {name}.")
        self._bring_about(wanted, f"place({name})")

    def learn_skill(self, skill_name: Json, parameters: Json, effect: Json, when: Json) -> str:
        """Asks a person to teach a skill that does not exist, and gives it as a function of its
        parameters. One skill is one movement or grasp, not a task that known skills can do.

        skill_name: a verb and what makes it special, such as "hang_mug_on_rack"
        parameters: what it works on, one or two words, such as ["mug", "rack"]
        effect: what is true afterwards and not before, as a sentence about the parameters, such as
            "the mug hangs on the rack"
        when: what must hold before, such as "the hand is empty", "the robot holds the mug"; and
            when it should not be used
        """
        name = _text(skill_name, "a name")
        things = tuple(_text(p, "a parameter") for p in _items(parameters))
        request = requested(
            name, things, _text(effect, "an effect"), _text(when, "a condition"), self._known
        )
        if isinstance(request, SkillRequest):
            self._require_no_plan(request)
            self.requests.append(request)
            operators = {**self._known.operators, name: request.operator}
            self._known = replace(self._known, operators=operators)
        return request.name

    # -- how it is carried out ---------------------------------------------------------------

    def answer(self, name: Json, arguments: Json) -> Json:
        """What a call gives back. Raises as `rehearse` says."""
        try:
            if name in API:
                return getattr(self, str(name))(*_items(arguments))
            self._perform(_text(name, "a skill"), _items(arguments))
        except SaySoError as error:
            self._failure = error
            raise
        return None

    def explained(self, error: SaySoError) -> SaySoError:
        """What ended the program, by the call that failed if it was one."""
        failure = self._failure
        if failure is None:
            return SaySoError(
                error.code, error.message.replace("code", "program", 1), hint=error.hint
            )
        line = re.search(r"line \d+", error.message)
        return SaySoError(
            failure.code,
            f"{f'{line[0]}: ' if line else ''}{failure.message}",
            hint=failure.hint,
            choices=failure.choices,
            checks=failure.checks,
        )

    def _perform(self, name: str, arguments: list[Json]) -> None:
        operators = _by_function(self._known)
        if name not in operators:
            raise SaySoError(Code.INVALID, f"there is no skill '{name}'.", choices=operators)
        action = operators[name].ground(
            *(self._thing(a) for a in arguments), objects=self._problem.objects
        )
        self._take(action, str(action))

    def _require_no_plan(self, request: SkillRequest) -> None:
        """Raises INVALID where known skills do what is asked for, one after the other."""
        wanted = self._example(request)
        way = achieve(wanted, replace(self._start, states=self._free.task.initial), self._free)
        if wanted and way:
            raise SaySoError(
                Code.INVALID,
                f"'{request.name}' is no skill of its own: known ones do it, one after the other: "
                f"{joined(self._said(a) for a in way)}.",
                hint="call these; if it is something else, say in the effect what is different.",
            )

    def _example(self, request: SkillRequest) -> set[Literal]:
        """The effect of a request on the first things of its kinds; nothing if there are none."""
        kinds = {category_of(p.replace("_", " ")): v for p, v in request.variables.items()}
        things = {kinds[c]: o.name for o in reversed(self._scene.objects)
                  if (c := category_of(o.category)) in kinds}  # fmt: skip
        if len(things) < len(request.parameters):
            return set()
        return {x.substitute(things) for x in request.literals}

    def _bring_about(self, wanted: set[Literal], call: str) -> None:
        """By one action; nothing where it is so already."""
        way = achieve(wanted, replace(self.at, states=self._free.task.initial), self._free)
        if way is None or len(way) > 1:
            facts = joined(fact(x, self._library.predicates) for x in sorted(wanted))
            first = f" First: {joined(self._said(a) for a in way[:-1])}." if way else ""
            raise SaySoError(
                Code.PRECONDITION,
                f"{call} cannot be done now: no single skill brings about that {facts}.{first}",
                hint="call the skills that are needed before it, in order."
                if way
                else "take another thing or place, or learn_skill for it.",
            )
        for action in way:
            self._take(action, call)

    def _take(self, action: Action, call: str) -> None:
        if self._ended:
            raise SaySoError(
                Code.INVALID, f"{call} comes after end_task.", hint="call start_task before it."
            )
        if len(self.steps) == MOST_ACTIONS:
            raise SaySoError(
                Code.LIMIT,
                f"the program would take more than {MOST_ACTIONS} actions.",
                hint="see that its loops end.",
            )
        if lacking := sorted(self.at.lacks(action.preconditions)):
            raise SaySoError(
                Code.PRECONDITION, f"{call} cannot be done now: {self._why_not(lacking)}."
            )
        after = self.at.after(action, self._problem.task)
        self._require_allowed(action, after)
        self.at = after
        self._where.take_in(action, self._held)
        self.steps.append(PlanStep(action, f"the program calls {call}"))

    def _require_allowed(self, action: Action, after: Situation) -> None:
        task = self._problem.task
        if task.can_go_on(after.states):
            return
        broken = [
            quoted(clause, self._library.predicates)
            for i, clause in enumerate(task.clauses)
            if not task.only([i]).can_go_on((after.states[i],))
        ]
        what = joined(broken) or "what is asked for, taken together"
        raise SaySoError(
            Code.PLAN_INVALID,
            f"to {self._said(action)} would break {what}.",
            hint="leave that step out, or change what is asked for.",
        )

    def _why_not(self, lacking: list[Literal]) -> str:
        return joined(
            f"it is not known whether {fact(x, self._library.predicates)}"
            if x.atom in self.at.unknown
            else fact(Literal(x.atom, not x.positive), self._library.predicates)
            for x in lacking
        )

    def _said(self, action: Action) -> str:
        return imperative(action, self._problem.domain)

    # -- what arguments mean -----------------------------------------------------------------

    @property
    def _held(self) -> str:
        """The predicate of what the hand holds."""
        states = self._library.vocabulary.states
        return next((p for say, p, holds in states if holds and say == "you have {0}"), "holding")

    def _thing(self, value: Json) -> str:
        name = _text(value, "an object id")
        if name not in self._where.names:
            raise SaySoError(
                Code.UNKNOWN_OBJECT, f"there is no thing '{name}'.", choices=self._where.names
            )
        return name

    def _listed(self, values: Json) -> tuple[str, ...]:
        return tuple(map(self._thing, _items(values)))

    def _goals(self, name: str, reference: str, words: str) -> list[Position]:
        """What is wanted by wordings such as "put {0} on {1}", for the words after {0}."""
        plain = re.sub(r"^(to )?(the )?| (of|the)$", "", words.lower())
        tails = {f"{_ALIKE.get(plain, plain)} {r}" for r in ("{1}", f"the {reference}")}
        return [
            [
                _literal(w.predicate, w.positive, (name, reference), w.arguments)
                for w in action.goal[-1]
            ]
            for action in self._spoken(name, reference)
            if any(w.verb == "put" and w.tail in tails for w in action.wordings)
        ]

    def _placings(self, name: str, reference: str) -> list[str]:
        """The single words that `_goals` knows between a thing and a reference."""
        found = chain.from_iterable(a.wordings for a in self._spoken(name, reference))
        ends = r" (\{1\}|the " + re.escape(reference) + ")$"
        tails = (w.tail for w in found if w.verb == "put" and re.search(ends, w.tail))
        return sorted({w for t in tails if " " not in (w := re.sub(ends, "", t))})

    def _spoken(self, name: str, reference: str) -> Iterator[SpokenAction]:
        """Ways of placing that suit the two things; the table is spoken of as part of the verb."""
        vocabulary, things = self._library.vocabulary, self._scene.by_name()
        kinds = [things[n].category for n in (name, reference) if n in things]
        for action in vocabulary.actions:
            may = len(action.arguments) == len(kinds) and not action.forbidden_only
            if may and all(map(vocabulary.fits, kinds, action.arguments)):
                yield action


@dataclass
class _Whereabouts:
    """Where things are, as far as operators tell.

    Attributes:
        above: by the name of a thing all that it was above when it was seen.
        moved: things of which no place is known but what holds them.
    """

    names: tuple[str, ...]
    containers: dict[str, str]
    supports: dict[str, str]
    above: Mapping[str, frozenset[str]]
    moved: set[str]

    @staticmethod
    def of(around: Surroundings) -> _Whereabouts:
        """By the scene's graph; of what is not seen, by the literals `in` and `on`."""
        if around.seen:
            graph = scene_graph(around.scene, around.settings.place)
            links = dict(graph.containers), dict(graph.supports)
            return _Whereabouts(tuple(graph.things), *links, graph.above, set())
        names = around.problem.objects
        inside, upon = (
            {a.args[0]: a.args[1] for a in around.problem.initial if a.predicate == word}
            for word in ("in", "on")
        )
        return _Whereabouts(names, inside, upon, dict.fromkeys(names, frozenset()), set(names))

    def take_in(self, action: Action, held: str) -> None:
        for atom in action.delete:
            if atom.predicate in ("in", "on") and len(atom.args) == 2:
                for links in (self.containers, self.supports):
                    if links.get(atom.args[0]) == atom.args[1]:
                        del links[atom.args[0]]
        for atom in action.add:
            if atom.predicate in ("in", "on") and len(atom.args) == 2:
                links = self.containers if atom.predicate == "in" else self.supports
                links[atom.args[0]] = atom.args[1]
                self.moved.add(atom.args[0])
            elif atom.predicate == held:
                self.moved.update(atom.args)

    def contained_and_over(self, name: str) -> list[str]:
        still = () if name in self.moved else set(self.names) - self.moved
        return [
            n for n in self.names
            if name in self._holders(n) or (n in still and name in self.above[n])
        ]  # fmt: skip

    def _holders(self, name: str) -> list[str]:
        """What a thing is in or on, what that is in or on, and so on."""
        found = [name]
        for one in found:
            links = (self.containers.get(one), self.supports.get(one))
            found += [n for n in links if n is not None and n not in found]
        return found[1:]


def _by_function(library: Library) -> Mapping[str, Operator]:
    """The operators that a program calls by their own names."""
    return {n: op for n, op in library.operators.items() if n not in API}


def _asking(name: str, given: str, names: str) -> str:
    return f"def {name}({given}):\n    return ask_robot('{name}', [{names}])\n"


def _signature(name: str, docstring: str) -> str:
    return f'def {name}({_given(name)}):\n    """{_indented(docstring)}\n    """'


def _parameters(name: str) -> list[inspect.Parameter]:
    """Of a function of `API`."""
    return list(inspect.signature(getattr(Rehearsal, name)).parameters.values())[1:]


def _given(name: str) -> str:
    return ", ".join(p.name + ("=None" if p.default is None else "") for p in _parameters(name))


def _signature_of(op: Operator, library: Library) -> str:
    """An operator as a function, with what it needs and brings about."""
    binding = {p: p[1:] for p in op.parameters}

    def told(literals: list[Literal]) -> str:
        found = (fact(x.substitute(binding), library.predicates) for x in sorted(literals))
        return joined(found) or "nothing"

    gone = [Literal(a, False) for a in op.delete if set(a.args) <= set(binding)]
    lines = [
        _heading(op), "",
        f"before: {told(list(op.preconditions))}",
        f"after: {told([*map(Literal, op.add), *gone])}",
    ]  # fmt: skip
    if note := _when(op, library):
        lines.append(f"when: {note.strip(' :')}")
    names = ", ".join(binding.values())
    return f'def {op.name}({names}):\n    """{_indented(chr(10).join(lines))}\n    """'


def _heading(op: Operator) -> str:
    said = op.english.format(*(p[1:] for p in op.parameters)) or op.name
    return f"{said[0].upper()}{said[1:]}."


def _when(op: Operator, library: Library) -> str:
    """What is known of when a taught operator is to be used, and when not."""
    note = library.operator_provenance.get(op.name, {}).get("when", "")
    return f" {note}" if note else ""


def _indented(text: str) -> str:
    return text.replace("\n", "\n    ").replace("\n    \n", "\n\n")


def _text(value: Json, what: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise SaySoError(Code.INVALID, f"{value!r} is not {what}, which is text.")
    return value.strip()


def _items(value: Json) -> list[Json]:
    if not isinstance(value, list):
        raise SaySoError(Code.INVALID, f"{value!r} is no list.")
    return value


def _literal(
    predicate: str, positive: bool, names: tuple[str, ...], places: tuple[int | str, ...]
) -> str:
    args = tuple(names[p] if isinstance(p, int) else p for p in places)
    return str(Literal(Atom(predicate, args), positive))
