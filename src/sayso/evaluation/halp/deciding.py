"""Who decides: a language model by its program, or controlled English with the planner."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library, builtin_path, load
from sayso.core.ports import LanguageModel
from sayso.core.predicates import Predicate
from sayso.core.sandbox import program
from sayso.core.sandbox.process import Json
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Atom, Literal, Operator
from sayso.core.vocabulary import Kind, SpokenAction, Wanted
from sayso.evaluation.halp.decision_tasks import Added, Decision, Task, Thing
from sayso.evaluation.halp.suitability import Suitability
from sayso.language.interpreter import Interpreter
from sayso.language.lexicon import Lexicon
from sayso.language.naming import singular
from sayso.logic.monitor import prop_atom
from sayso.logic.progression import progression_of
from sayso.mission.programs.functions import described, listed, prelude
from sayso.mission.programs.wishes import wished
from sayso.mission.programs.writing import ModelProgrammer, ProgramContext
from sayso.perception.grounding import ground
from sayso.planning.problem import PlanningProblem
from sayso.planning.search import SearchPlanner

_SPACING_M = 0.3
_GROUND = ("table", "floor")
"""Spoken of, though no things of the scene."""
_PLACING = ("on", "onto", "in", "into", "to", "with", "over", "from", "under")


class ByProgram:
    """A model's program, run where each call of a skill succeeds and is noted."""

    def __init__(self, model: LanguageModel) -> None:
        self._programmer = ModelProgrammer(model)

    def decide(self, task: Task) -> Decision:
        """Raises MODEL_REPLY and the like; a model that sees no way is taken to ask."""
        library = _skills(task)
        context = ProgramContext(task.instruction, task.scene, listed(library), described(library))
        try:
            source = self._programmer.program(context, lambda s: _check(s, task, library))
        except SaySoError as error:
            if error.code is not Code.NO_PLAN:
                raise
            return Decision(question=error.message)
        robot = _run(source, task, library)
        return Decision(tuple(robot.effects), frozenset(robot.called))


def _skills(task: Task) -> Library:
    """The skills that are no functions of every program: opening, and those that were taught."""
    operators = {b: _BASIC[b] for b in task.basic if b in _BASIC}
    operators |= {s.name: s.operator for s in task.skills}
    notes = {s.name: {"when": _note(s)} for s in task.skills}
    return Library("decisions", {}, operators, notes)


def _note(skill: Added) -> str:
    effect = f" Afterwards: {skill.effect}." if skill.effect else ""
    return f"{skill.docstring}{effect}".strip()


def _operator(name: str, english: str, *parameters: str) -> Operator:
    none: frozenset[Literal] = frozenset()
    return Operator(name, parameters, none, frozenset(), frozenset(), skill=name, english=english)


_BASIC: Mapping[str, Operator] = {
    "open": _operator("open", "open {0}: a door, a drawer, a lid with hinges or to lift", "?thing"),
    "close": _operator("close", "close {0}: a door, a drawer, a lid with hinges", "?thing"),
    "push": _operator(
        "push",
        "slide {0} along what it stands on, towards {1}, without lifting it",
        "?thing",
        "?to",
    ),
}


@dataclass
class _TextRobot:
    """Answers a program by the words of a scene."""

    task: Task
    library: Library
    called: list[str] = field(default_factory=list)
    effects: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def answer(self, name: Json, arguments: Json) -> Json:
        if name == "find":
            return self._found(*arguments)
        if name == "get_all_object_ids":
            return [t.name for t in self.task.things]
        if name == "get_container_id":
            return self._container(arguments[0])
        if name == "get_objects_contained_and_over":
            held = (t for t in self.task.things if t.holder and t.holder[1] == arguments[0])
            return [t.name for t in held]
        if name == "get_location":
            return [0.5, 0.0, 0.0]
        if name == "get_place_position":
            return [f"{arguments[2]} {arguments[1]}"]
        if name == "learn_skill":
            self.effects.append(str(arguments[2]))
            self.asked.append(str(arguments[0]))
            return arguments[0]
        if name not in ("start_task", "end_task"):
            self._call(str(name))
        return None

    def _call(self, name: str) -> None:
        if name not in (*self.task.basic, *self.library.operators, *self.asked):
            raise SaySoError(Code.INVALID, f"there is no skill '{name}'.")
        self.called.append(name)

    def _container(self, name: str) -> str | None:
        thing = next((t for t in self.task.things if t.name == name), None)
        holder = thing.holder if thing else None
        return holder[1] if holder and holder[0] == "in" else None

    def _found(self, label: Json, looks: Json, place: Json, among: Json) -> str:
        """The thing of that name, or the one that most of the words say; "table" is the table."""
        things = [t for t in self.task.things if among is None or t.name in among]
        name = "_".join(str(label or looks or place).lower().removeprefix("the ").split())
        if name in {t.name for t in things}:
            return name
        kinds = {singular(t.category) for t in self.task.things}  # a can is no empty word
        words = _content(" ".join(str(w) for w in (label, looks, place) if w), kinds)
        told = {t.name: _content(f"{t.name} {t.category}", kinds) for t in things}
        best = max(told, key=lambda n: len(told[n] & words), default="")
        if not best or not told[best] & words:
            if name in _GROUND and name in self.task.scene:
                return name
            raise SaySoError(
                Code.UNKNOWN_OBJECT, f"nothing is '{label or looks or place}'.", choices=told
            )
        return best


def _run(source: str, task: Task, library: Library) -> _TextRobot:
    robot = _TextRobot(task, library)
    granted = {"ask_robot": program.Granted(2, robot.answer)}
    program.run(source, granted=granted, prelude=prelude(library))
    return robot


def _check(source: str, task: Task, library: Library) -> None:
    """Raises where a program fails, or calls nothing."""
    robot = _run(source, task, library)
    if not robot.called and not robot.effects:
        raise SaySoError(Code.INVALID, "the program calls no skill.")


def _content(text: str, kinds: Collection[str] = ()) -> set[str]:
    """Words that say something, in the singular; so do the names of `kinds` of things."""
    words = re.findall(r"[a-z]+", text.lower().replace("_", " "))
    return {singular(w) for w in words} - (_EMPTY - set(kinds))


_EMPTY = frozenset(
    ("a", "an", "the", "it", "its", "is", "are", "of", "in", "on", "at", "to", "and", "or", "for",
     "not", "with", "where", "that", "be", "use", "thing", "from", "by", "one", "must", "what",
     "table", "until", "this", "them", "all", "my", "you", "your", "as", "has", "have", "can")
)  # fmt: skip


class ByGrammar:
    """Controlled English and the planner, without a model.

    What is understood and has a plan needs no skill; a taught skill whose text suits how things
    are takes or places them in its place. Words whose verb nobody taught ask for a skill, unless
    a taught one has it. All else is asked, also where a skill has no text.
    """

    def decide(self, task: Task) -> Decision:
        library = _spoken(task)
        scene = _scene(task)
        lexicon = Lexicon.of(library, {o.category for o in scene.objects})
        try:
            said = Interpreter(lexicon).interpret(task.instruction)
            formula = ground(said, scene).formula
            names = tuple(o.name for o in scene.objects)
            true = frozenset(_facts(task))
            problem = PlanningProblem(library.domain(), names, true, progression_of(formula))
            if unmade := _unmade(problem):
                return _made_by_taught(task, unmade)
            plan = SearchPlanner().solve(problem)
        except SaySoError as error:
            return _without_plan(task, error, library)
        if not plan.steps:
            return Decision(question="It is so already, as far as is known. What is to be done?")
        moved = {a.args[0] for a in plan.actions if a.args}
        return _in_its_way(task, frozenset(_plain(a.name) for a in plan.actions), moved)


def _without_plan(task: Task, error: SaySoError, library: Library) -> Decision:
    """A skill that a verb of nobody's asks for, or that suits what is to be put somewhere."""
    if error.code is not Code.NOT_UNDERSTOOD:
        return Decision(question=error.message)
    nouns = {n for t in task.things for n in (t.name.replace("_", " "), t.category)}
    nouns |= {w for t in task.things for s in t.state for w in _content(s)}
    wish = wished(task.instruction, library, nouns)
    if wish is None:
        names = [t.name for t in task.things]
        ways = [s for s in _suitabilities(task) if s.is_way_of_placing(names)]
        fit = [w.skill.name for w in ways if w.suits]
        return Decision(uses=frozenset(fit)) if len(fit) == 1 else Decision(question=error.message)
    return _by_taught(wish.words, [s for s in _suitabilities(task) if _may_do(s, wish.words)])


def _may_do(skill: Suitability, words: str) -> bool:
    """Whether it may be what the words ask for: one without a text may be anything."""
    return not skill.skill.docstring or skill.names(words.split()[0])


def _made_by_taught(task: Task, unmade: Sequence[Atom]) -> Decision:
    """What no operator of the library brings about: by a taught skill, or by one to be taught."""
    makes = [
        s
        for s in _suitabilities(task)
        if not s.skill.docstring or any(s.brings_about(a.predicate, a.args[0]) for a in unmade)
    ]
    return _by_taught(", ".join(map(str, unmade)), makes)


def _by_taught(wanted: str, skills: Sequence[Suitability]) -> Decision:
    """By the one of the skills that suits; it is to be taught where none does."""
    fit = [s.skill.name for s in skills if s.suits]
    if len(fit) == 1:
        return Decision(uses=frozenset(fit))
    if open_ones := [s.skill.name for s in skills if s.suits is not False]:
        return Decision(question=f"May {', '.join(open_ones)} do it, or is it another skill?")
    return Decision(learns=(wanted,))


def _in_its_way(task: Task, uses: frozenset[str], moved: Collection[str]) -> Decision:
    """What a plan uses, where taught ways of taking or placing its things suit these better."""
    for skill in _suitabilities(task):
        name = skill.skill.name
        ways = {"pick": skill.is_way_of_taking(moved), "place": skill.is_way_of_placing(moved)}
        basic = {b for b, way in ways.items() if way and b in uses}
        untold = not skill.skill.docstring and uses & {"pick"} and set(name.split("_")) & _TAKING
        if name in uses or not (basic or untold) or skill.suits is False:
            continue
        if skill.suits is None:
            return Decision(question=f"Shall {name} be used for it?")
        uses = uses - basic | {name}
    return Decision(uses=uses)


def _suitabilities(task: Task) -> list[Suitability]:
    return [Suitability(s, task) for s in task.skills]


_TAKING = frozenset(("pick", "take", "lift", "grip", "grasp", "grab", "carry", "hold", "fetch"))
"""Of a name without a text: it may be another way of taking a thing."""


def _unmade(problem: PlanningProblem) -> list[Atom]:
    """What is wanted, is not so, and no operator ever makes so."""
    made = {a.predicate for op in problem.domain.operators for a in (*op.add, *op.during)}
    wanted = (prop_atom(p) for p in problem.task.propositions)
    return [a for a in wanted if a not in problem.initial and a.predicate not in made]


def _plain(operator: str) -> str:
    """The basic skill of an operator of the table's library."""
    for basic in ("pick", "place"):
        if operator in _TABLE and operator.startswith(basic):
            return basic
    return "place" if operator == "stack" else operator


_TABLE = ("pick_from_table", "pick_from", "pick_out", "place_on_table", "place_on", "place_in")


@lru_cache(maxsize=1)
def _table() -> Library:
    return load(builtin_path())


def _spoken(task: Task) -> Library:
    """The table's library with basic skills for any thing, and what was taught, with its words."""
    table = _table()
    kept = {n: table.operators[n] for n in (*_TABLE, "stack")}
    if "open" in task.basic:
        kept |= {n: _of_any_drawer(table.operators[f"{n}_drawer"], n) for n in ("open", "close")}
    kept |= {s.name: s.operator for s in task.skills}
    predicates = dict(table.predicates)
    for skill in task.skills:
        name = f"done_{skill.name}"
        predicates[name] = Predicate(name, skill.parameters, lambda *_: None, english=skill.effect)
    kinds = tuple(
        Kind((t.category,), frozenset({"movable", "surface", "container", "openable"}))
        for t in task.things
        if table.vocabulary.types_of(t.category) is None
    )
    vocabulary = replace(
        table.vocabulary,
        actions=(*table.vocabulary.actions, *map(_words_of, task.skills)),
        kinds=(*table.vocabulary.kinds, *kinds),
    )
    return Library("decisions", predicates, kept, vocabulary=vocabulary)


def _of_any_drawer(operator: Operator, name: str) -> Operator:
    needs = frozenset(x for x in operator.preconditions if x.atom.predicate != "drawer")
    return replace(operator, name=name, preconditions=needs)


def _words_of(skill: Added) -> SpokenAction:
    """ "pour {0} into {1}" for pour_from_into(vessel, receiver)."""
    verb, *rest = skill.name.split("_")
    things = {w for p in skill.parameters for w in p.split("_")}
    between = [w for w in rest if w not in things]
    if len(skill.parameters) == 1:
        said = " ".join([verb, "{0}", *between])
    else:
        last = next((w for w in reversed(between) if w in _PLACING), "with")
        said = f"{verb} {{0}} {last} {{1}}"
    wanted = Wanted(f"done_{skill.name}", tuple(range(len(skill.parameters))))
    return SpokenAction(skill.name, ("thing",) * len(skill.parameters), (said,), ((wanted,),))


def _scene(task: Task) -> Scene:
    """The things in a row; what is in or on another thing is at its place."""
    rows = {t.name: i for i, t in enumerate(task.things)}

    def place(thing: Thing) -> float:
        holder = thing.holder
        return _SPACING_M * rows.get(holder[1] if holder else "", rows[thing.name])

    objects = (
        SceneObject(t.name, t.category, _colour(t), (0.5, place(t), 0.05), (0.1, 0.1, 0.1))
        for t in task.things
    )
    return Scene(0.0, tuple(objects))


def _colour(thing: Thing) -> str:
    first = thing.name.split("_")[0]
    return first if first in ("red", "green", "blue", "yellow", "white", "black") else ""


def _facts(task: Task) -> list[Atom]:
    """What is true of the things, as far as the words say it in the table's predicates."""
    names = {t.name for t in task.things}
    facts = [Atom("gripper_empty")]
    covered = {t.holder[1] for t in task.things if t.holder and t.holder[0] == "on"}
    for thing in task.things:
        one = (thing.name,)
        facts += [Atom(p, one) for p in ("graspable", "movable", "surface", "stackable")]
        facts.append(Atom("container", one))
        holder = thing.holder
        if holder and holder[1] in names and holder[0] in ("in", "on"):
            facts.append(Atom(holder[0], (thing.name, holder[1])))
        else:
            facts.append(Atom("on_table", one))
        if thing.name not in covered:
            facts.append(Atom("clear", one))
        state = " ".join(thing.state)
        facts += [Atom(w, one) for w in ("open", "closed") if re.search(rf"\b{w}\b", state)]
        if Atom("closed", one) not in facts:
            facts.append(Atom("accessible", one))
    return facts
