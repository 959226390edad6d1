"""A robot that only thinks through what a program would have it do.

The functions that a program may call are the methods of `Rehearsal` that `API` names, and one for
each operator of the library; `functions` tells them with their docstrings. They follow "Lifelong
Robot Learning with Human Assisted Language Planners" (Parakh et al. 2023, appendix A6).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library, parse_literal
from sayso.core.sandbox.process import Json
from sayso.core.symbols import Action, Atom, Literal, Operator, PlanStep
from sayso.core.vocabulary import Vocabulary
from sayso.logic.formula import Top
from sayso.logic.progression import progression_of
from sayso.mission.programs.finding import ThingFinder
from sayso.mission.programs.placing import Placing, Position
from sayso.mission.programs.requests import SkillRequest, requested
from sayso.mission.programs.surroundings import Surroundings, Whereabouts
from sayso.perception.categories import category_of
from sayso.planning.achieving import Situation, achieve
from sayso.planning.words import fact, imperative, joined, quoted

API = (
    "start_task", "end_task", "find", "get_all_object_ids", "get_container_id",
    "get_objects_contained_and_over", "get_location", "pick", "get_place_position", "place",
    "learn_skill",
)  # fmt: skip
MOST_ACTIONS = 100
"""Of one program: one that would take more is likely to go round in circles."""
_GROUND = ("table", "floor")
"""What things can be placed on that is no thing of the scene."""


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
        self._where = Whereabouts.of(surroundings)
        self._placing = Placing(self._library.vocabulary, self._scene)
        self._ended = False
        self._failure: SaySoError | None = None
        self._known = surroundings.library
        self.at = self._start = Situation.of(self._problem)
        self.steps: list[PlanStep] = []
        self.requests: list[SkillRequest] = []

    # -- what a program may call -----------------------------------------------------------

    def start_task(self) -> None:
        """Begins a further task after end_task; the first one has begun already."""
        self._ended = False

    def end_task(self) -> None:
        """Ends the task: no skill may be called after it. A program need not call it."""
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
        ground = label.lower().removeprefix("the ")
        if ground in _GROUND and ground not in among and not (looks or place):
            return ground
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
        reference_object_id: of what it shall be placed in or on; "table" or "floor"
            for these
        place_description: such as "on", "on top of", "in", "inside"
        """
        name, words = self._thing(object_id), _text(place_description, "a place")
        known = reference_object_id in _GROUND and reference_object_id not in self._where.names
        reference = str(reference_object_id) if known else self._thing(reference_object_id)
        goals = self._placing.goals(name, reference, words)
        if not goals:
            raise SaySoError(
                Code.UNSUPPORTED,
                f"no skill places a thing '{words}' {reference}.",
                choices=self._placing.words(name, reference),
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
        operators = by_function(self._known)
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
        return held_predicate(self._library.vocabulary)

    def _thing(self, value: Json) -> str:
        name = _text(value, "an object id")
        if name not in self._where.names:
            raise SaySoError(
                Code.UNKNOWN_OBJECT, f"there is no thing '{name}'.", choices=self._where.names
            )
        return name

    def _listed(self, values: Json) -> tuple[str, ...]:
        return tuple(map(self._thing, _items(values)))


def by_function(library: Library) -> Mapping[str, Operator]:
    """The operators that a program calls by their own names."""
    return {n: op for n, op in library.operators.items() if n not in API}


def held_predicate(vocabulary: Vocabulary) -> str:
    """The predicate of what the hand holds."""
    said = (p for say, p, holds in vocabulary.states if holds and say == "you have {0}")
    return next(said, "holding")


def _text(value: Json, what: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise SaySoError(Code.INVALID, f"{value!r} is not {what}, which is text.")
    return value.strip()


def _items(value: Json) -> list[Json]:
    if not isinstance(value, list):
        raise SaySoError(Code.INVALID, f"{value!r} is no list.")
    return value
