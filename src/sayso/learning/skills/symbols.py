"""From a taught skill to symbols: what it needs and brings about, and how it is asked for.

The effect's predicate is learned from what was seen before, on the way, and after each
demonstration (`learning.synthesis`), unless the library has it. The operator's preconditions are
what held before every demonstration, its effects what each changed (`learning.operators`). What was
touched is true meanwhile, so that a "never touch" forbids the skill, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Protocol

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Vector3, rotation_matrix
from sayso.core.library import Library
from sayso.core.predicates import Predicate, SceneView, symbolic_state
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Atom, Literal, Operator, in_words
from sayso.core.vocabulary import Kind, SpokenAction, Type, Vocabulary, Wanted
from sayso.language.inflection import third
from sayso.learning.demonstrations.demonstration import HAND, Demonstration
from sayso.learning.demonstrations.segments import MOTIONS, segments
from sayso.learning.operators import LearnedOperator, learn_operators
from sayso.learning.predicate_code import compile_learned
from sayso.learning.skills.store import KeptSkill
from sayso.learning.synthesis.labels import Concept, Label
from sayso.learning.synthesis.synthesizer import Learned
from sayso.learning.transitions import Transition, variable
from sayso.perception.appearance import Appearance, tabletop_appearances
from sayso.skills.boxes import in_frame
from sayso.skills.poses import upright

_MEANWHILE = ("touching", "holding")
"""What is true of what the hand takes, while it does; as far as the library knows of it."""


_TURNS = 4
"""Of everything about the robot's foot."""
_APART_M = 0.4
"""So far from each other things are apart."""
_FALLEN_M = 0.03
"""Above the table a thing may come to lie that fell, on the foot of another."""


_TILTED_RAD = 0.5
"""What is held in the end and leans so much more than before was tilted for a purpose."""
_UNLIKE = 0.25
"""Share by which others of a kind may be smaller or larger than all that were shown."""


class PredicateLearner(Protocol):
    """Learns a predicate from labelled scenes; `learning.synthesis.synthesizer.Synthesizer`."""

    def learn(
        self,
        concept: Concept,
        labels: list[Label],
        *,
        predicates: Mapping[str, Predicate] | None = None,
    ) -> Learned: ...


@dataclass(frozen=True)
class Symbols:
    """What was learned of a taught skill.

    Attributes:
        library: with the skill.
        name: of its operator.
        shown: how things were before and after each demonstration.
    """

    library: Library
    name: str
    shown: tuple[Transition, ...]

    @property
    def operator(self) -> Operator:
        return self.library.operators[self.name]

    @property
    def words(self) -> str:
        """What was learned, for the person to confirm or correct."""
        return described(self.operator, self.library.predicates, len(self.shown))


def taught_library(library: Library, skill: KeptSkill, learner: PredicateLearner) -> Symbols:
    """The library with the skill's operator, its predicates, and the words for them.

    Raises:
        SaySoError: INVALID where demonstrations lack the scene before or after, where the effect
            was not seen to come about, or the name is that of an operator of another kind.
    """
    origin = library.operator_provenance.get(skill.name, {}).get("origin", "taught")
    if skill.name in library.operators and origin != "taught":
        text = f"the library has an operator '{skill.name}' that was not taught."
        raise SaySoError(Code.INVALID, text, hint="give the skill another name.")
    shown = [d for d in skill.demonstrations if d.complete and len(d.key_frames) > 1]
    if not shown:
        raise SaySoError(
            Code.INVALID,
            f"no demonstration of '{skill.name}' shows how things were before and after.",
            hint="record a key frame at the beginning and one at the end.",
        )
    predicates = dict(library.predicates)
    for category in skill.parameters.values():
        predicates.setdefault(category, kind_predicate(category))
    if skill.effect.predicate not in predicates:
        predicates[skill.effect.predicate] = _effect(skill, shown, learner, predicates)
    operator, transitions = _operator(skill, shown, predicates)
    provenance = {
        "origin": "taught",
        "words": skill.words,
        "shown": len(transitions),
        "when": skill.when,
    }
    learned = replace(
        library,
        predicates=predicates,
        operators={**library.operators, skill.name: operator},
        operator_provenance={**library.operator_provenance, skill.name: provenance},
        vocabulary=_vocabulary(library.vocabulary, skill),
    )
    return Symbols(learned, skill.name, transitions)


def achieving(library: Library, atom: Atom) -> tuple[Operator, ...]:
    """The operators that make an atom true, whatever its arguments are."""
    return tuple(
        o
        for o in library.operators.values()
        if any(a.predicate == atom.predicate and len(a.args) == len(atom.args) for a in o.add)
    )


def looks(skill: KeptSkill) -> dict[str, Appearance]:
    """What its things look like to the cameras, by category."""
    return {
        category: as_shown(category, np.array([np.ptp(s.points, axis=0) for s in shapes]))
        for category, shapes in skill.shapes.items()
    }


def as_shown(category: str, sizes: Array) -> Appearance:
    """What a kind of things looks like: about as tall and wide as those shown, (N, 3) [m]."""
    known = tabletop_appearances()
    low, high = sizes.min(axis=0) * (1 - _UNLIKE), sizes.max(axis=0) * (1 + _UNLIKE)
    across = (float(low[:2].min()), float(high[:2].max()))
    tall = (float(low[2]), float(high[2]))
    form = known[category].shape if category in known else "box"
    return Appearance(category, form, across, across, tall, named_by_color=True)


# -- predicates ---------------------------------------------------------------------------------


def kind_predicate(category: str) -> Predicate:
    """The predicate that a thing is of a category that was shown."""
    source = (
        f'"""The thing is a {category}."""\n\n\n'
        f"def {category}(scene, a):\n"
        f'    return scene.category(a) == "{category}"\n'
    )
    return Predicate(
        category,
        ("a",),
        compile_learned(category, source, 1),
        f"{{0}} is a {category}",
        f"{{0}} is not a {category}",
        source,
        provenance={"origin": "learned", "by": "category"},
    )


def _effect(
    skill: KeptSkill,
    shown: Iterable[Demonstration],
    learner: PredicateLearner,
    predicates: Mapping[str, Predicate],
) -> Predicate:
    """The effect's predicate: true after, false before and on the way.

    It is a relation of its things, so it is taken to be so wherever on the table they are, and not
    to be so of them in another order, were they apart, or had the first fallen down.
    """
    name, arity = skill.effect.predicate, len(skill.effect.args)
    labels = [x for one in shown for x in _labels(skill, one)]
    clause = _being(skill)
    concept = Concept(
        name,
        tuple(variable(i)[1:] for i in range(arity)),
        clause,
        clause.replace(" is ", " is not ", 1),
    )
    learned = learner.learn(concept, labels, predicates=predicates)
    if not learned.observable:
        raise SaySoError(
            Code.INVALID,
            f"nothing that is seen tells when {clause.format(*concept.parameters)}.",
            hint="show it once more, with all its things in sight before and after.",
        )
    return learned.predicate


def _labels(skill: KeptSkill, one: Demonstration) -> Iterator[Label]:
    things = tuple(one.things.values())
    done = tuple(things[_number(a)] for a in skill.effect.args)
    before, after = _not_yet(one), one.key_frames[-1].scene
    for turn in np.linspace(0.0, 2 * np.pi, _TURNS, endpoint=False):
        frame = upright((0.0, 0.0, 0.0), float(turn))
        for scene in (*before, *_undone(before[0], after, done)):
            yield Label(in_frame(scene, frame), done, False)
        turned = in_frame(after, frame)
        yield Label(turned, done, True, skill.words)
        for args in permutations(things, len(done)):
            if args != done:
                yield Label(turned, args, False)


def _not_yet(one: Demonstration) -> tuple[Scene, ...]:
    """What was seen before it was done: first, and on the way, while something was still to come
    other than the way of an empty hand. What lies where it was just put may be as in the end."""
    first, *between = one.key_frames[:-1] or one.key_frames
    doing = [s for s in segments(one) if s.primitive != "move-to"]
    if not doing:
        return (first.scene, *(k.scene for k in between))
    last = doing[-1]
    by_fingers = last.primitive not in MOTIONS
    until_s = one.samples[last.start if by_fingers else last.end].stamp_s
    return (first.scene, *(k.scene for k in between if k.stamp_s <= until_s))


def _undone(before: Scene, scene: Scene, done: tuple[str, ...]) -> Iterator[Scene]:
    """Scenes like that after a demonstration in which it would not be so: the first thing
    elsewhere, fallen down, or, where it is held and was tilted, as upright as it was, no higher."""
    first = scene.by_name()[done[0]]
    stood = before.by_name()[done[0]]
    up, was = (rotation_matrix(o.orientation)[:, 2] for o in (first, stood))
    if first.carried and up @ was < np.cos(_TILTED_RAD):
        level = replace(first, orientation=stood.orientation)
        lower_m = float(level.corners()[:, 2].min() - first.corners()[:, 2].min())
        yield _shifted(scene, level, (0.0, 0.0, -lower_m))
    if len(done) > 1:
        yield _shifted(scene, first, (_APART_M, 0.0, 0.0))
    bottom_m = float(SceneView(scene).bottom(first.name)) - scene.table_height_m
    if bottom_m > 2 * _FALLEN_M:
        yield _shifted(scene, first, (0.0, 0.0, _FALLEN_M - bottom_m))


def _shifted(scene: Scene, thing: SceneObject, by: Vector3) -> Scene:
    x, y, z = (float(a + b) for a, b in zip(thing.position, by, strict=True))
    points = thing.points + np.asarray(by, np.float32)
    moved = replace(thing, position=(x, y, z), points=points)
    others = tuple(o for o in scene.objects if o.name != thing.name)
    return replace(scene, objects=(moved, *others))


def _number(variable_name: str) -> int:
    """Which parameter `?a`, `?b`, ... is."""
    return next(i for i in range(26) if variable(i) == variable_name)


def _being(skill: KeptSkill) -> str:
    """That its effect is so, as a clause of its things: "{0} is hanging on {1}"."""
    words = skill.effect.predicate.replace("_", " ")
    return f"{{0}} is {words}" + (" {1}" if len(skill.effect.args) > 1 else "")


def said_of(words: str, parameters: Mapping[str, str]) -> tuple[str, str]:
    """The verb of a skill's words, and the word before its second thing, or all after its only
    one: "hang", "on" of "hang the mug on the rack"; "turn", "upside down" of "turn the mug upside
    down"."""
    verb, *rest = words.lower().rstrip(".").split()
    if len(parameters) < 2:
        first = next((t.split()[-1] for t in parameters.values()), "")
        return verb, " ".join(rest[rest.index(first) + 1 :]) if first in rest else ""
    second = [*parameters.values()][1].split()[-1]
    place = rest.index(second) if second in rest else 0
    return verb, next((w for w in reversed(rest[:place]) if w not in ("the", "a", "an")), "on")


# -- operator -----------------------------------------------------------------------------------


def _operator(
    skill: KeptSkill, shown: Iterable[Demonstration], predicates: Mapping[str, Predicate]
) -> tuple[Operator, tuple[Transition, ...]]:
    """The operator that all demonstrations agree on, and what was seen of each."""
    transitions = tuple(_transition(skill, one, predicates) for one in shown)
    learned = learn_operators(transitions, {p.name: p.arity for p in predicates.values()})
    wanted = [o for o in learned.operators if skill.effect in o.operator.add]
    if not wanted:
        raise SaySoError(
            Code.INVALID,
            f"in no demonstration it became true that {skill.effect}.",
            hint="show it once more; let go of everything before the end.",
        )
    best = max(wanted, key=lambda o: o.successes)
    taken = {c.second for d in shown for c in d.contacts if c.first == HAND and c.touching}
    return _contract(skill, best, _taken(skill, shown, taken), predicates), transitions


def _transition(
    skill: KeptSkill, one: Demonstration, predicates: Mapping[str, Predicate]
) -> Transition:
    before, after = (_quiet(one.key_frames[i].scene, one) for i in (0, -1))
    states = [symbolic_state(scene, predicates) for scene in (before, after)]
    return Transition(states[0], skill.name, tuple(one.things.values()), states[1])


def _quiet(scene: Scene, one: Demonstration) -> Scene:
    """The scene with the demonstration's things alone: others are not what it is about."""
    mine = set(one.things.values())
    return replace(scene, objects=tuple(o for o in scene.objects if o.name in mine))


def _taken(
    skill: KeptSkill, shown: Iterable[Demonstration], names: Iterable[str]
) -> tuple[int, ...]:
    """The numbers of the parameters that the hand took hold of."""
    held = set(names)
    parameters = [*skill.parameters]
    return tuple(i for i, p in enumerate(parameters) if any(d.things.get(p) in held for d in shown))


def _contract(
    skill: KeptSkill,
    best: LearnedOperator,
    taken: Iterable[int],
    predicates: Mapping[str, Predicate],
) -> Operator:
    """Preconditions are all that held every time: nobody showed what can be done without. Only on
    which side of each other things happened to stand is none, until somebody says so."""
    own = {variable(i) for i in range(len(skill.parameters))}
    needs = frozenset(
        x
        for x in best.common
        if x.positive
        and set(x.atom.args) <= own
        and not _at_any_distance(predicates[x.atom.predicate])
    )
    meanwhile = (
        Atom(name, (variable(i),)) for i in taken for name in _MEANWHILE if name in predicates
    )
    things = [f"{{{i}}}" for i in range(len(skill.parameters))]
    verb, rest = said_of(skill.words, skill.parameters)
    return replace(
        best.operator,
        name=skill.name,
        parameters=tuple(variable(i) for i in range(len(skill.parameters))),
        preconditions=needs,
        add=frozenset(a for a in best.operator.add if set(a.args) <= own),
        delete=frozenset(a for a in best.operator.delete if set(a.args) <= own),
        during=frozenset(meanwhile),
        skill=skill.name,
        cost=1.0,
        english=" ".join(w for w in (verb, things[0], rest, *things[1:]) if w),
        types=tuple(skill.parameters.values()),
    )


def _at_any_distance(predicate: Predicate) -> bool:
    """Whether a relation says nothing of how near two things are: "left of"."""
    built_in = predicate.provenance.get("origin") == "built-in"
    return built_in and predicate.arity > 1 and predicate.within_m is None


def _own_words(skill: KeptSkill) -> str:
    """The person's words with slots for the things: "lay {0} sideways in {1}"; "" where these are
    not named in order."""
    said, *left = skill.words.lower().rstrip(".").split()
    for number, category in enumerate(skill.parameters.values()):
        noun = category.split()[-1]
        if noun not in left:
            return ""
        at = left.index(noun)
        articles = [i for i, word in enumerate(left[:at]) if word in ("the", "a", "an")]
        said = " ".join([said, *left[: articles[-1] if articles else at], f"{{{number}}}"])
        left = left[at + 1 :]
    return " ".join([said, *left])


def _parts_said(skill: KeptSkill) -> tuple[str, ...]:
    """The part of its first thing that the skill's words name: "lid" of "open the box's lid" and
    "take the lid off the box"."""
    noun = next((k.split()[-1] for k in skill.parameters.values()), "")
    said = re.search(
        rf"\b{noun}'s ([a-z]+)|\b([a-z]+) (?:of|off|from) the {noun}\b", skill.words.lower()
    )
    return tuple(p for p in (said.groups() if noun and said else ()) if p)


# -- words --------------------------------------------------------------------------------------


def _vocabulary(words: Vocabulary, skill: KeptSkill) -> Vocabulary:
    """The words with those for the skill: its verb, its things' kinds, its effect."""
    types, kinds = list(words.types), list(words.kinds)
    for category in skill.parameters.values():
        if category not in {t.name for t in types}:
            types.append(Type(category, f"a {category}"))
        known = [i for i, k in enumerate(kinds) if category in k.nouns]
        for i in known:
            kinds[i] = replace(kinds[i], types=kinds[i].types | {category})
        if not known:
            kinds.append(Kind((category,), frozenset({category})))
    verb, rest = said_of(skill.words, skill.parameters)
    if len(skill.parameters) > 1:
        own, short = _own_words(skill), f"{verb} {{0}} {rest} {{1}}"
        say = [f"{verb}|{verb} up {{0}} {rest}|{rest}to {{1}}", *({own} - {short, ""})]
        clause = f"{{0}} {third(verb)} {rest} {{1}}"
    else:
        say = [" ".join(w for w in (verb, "{0}", rest) if w)]
        clause = _being(skill) if rest else f"{{0}} {third(verb)}"
    goal = Wanted(skill.effect.predicate, tuple(map(_number, skill.effect.args)))
    kinds_of_things = tuple(skill.parameters.values())
    action = SpokenAction(
        skill.name, kinds_of_things, tuple(say), ((goal,),), parts=_parts_said(skill)
    )
    return replace(
        words,
        types=tuple(types),
        kinds=tuple(kinds),
        actions=(*(a for a in words.actions if a.name != skill.name), action),
        states=(*words.states, (clause, skill.effect.predicate, True)),
        lasting=words.lasting | {skill.effect.predicate},
    )


def things_called(operator: Operator) -> dict[str, str]:
    """How the things of a taught skill are spoken of, by variable; those of one kind numbered."""
    kinds = operator.types
    return {
        v: f"the {t}" if kinds.count(t) == 1 else f"{t} {kinds[: i + 1].count(t)}"
        for i, (v, t) in enumerate(zip(operator.parameters, kinds, strict=True))
    }


def said_literal(literal: Literal, operator: Operator, predicates: Mapping[str, Predicate]) -> str:
    """A literal over an operator's variables and things by name, in words."""
    p = predicates[literal.atom.predicate]
    clause = p.english if literal.positive else p.english_not
    names = things_called(operator)
    return clause.format(*(names.get(a, in_words(a)) for a in literal.atom.args))


def described(operator: Operator, predicates: Mapping[str, Predicate], count: int) -> str:
    """What was learned of so many demonstrations; of whatever else there is nothing is told."""
    names = things_called(operator)

    def said(literals: Iterable[Literal]) -> list[str]:
        own = (x for x in literals if all(a in names or a[0] != "?" for a in x.atom.args))
        return [said_literal(x, operator, predicates) for x in own]

    kinds = set(operator.types)  # "the mug is a mug" tells nothing
    needs = sorted(said(x for x in operator.preconditions if x.atom.predicate not in kinds))
    brings = said(map(Literal, sorted(operator.add)))
    ends = said(Literal(a, False) for a in sorted(operator.delete))
    what = operator.english.format(*names.values())
    when = f" when {', '.join(needs)}" if needs else ""
    return (
        f"From {count} demonstrations: I can {what}{when}. "
        f"Afterwards {', '.join((*brings, *ends))}."
    )
