"""From descriptions to objects: a specification grounded in the present scene.

"the ..." needs exactly one object. A quantified formula becomes what it says of each object that
fits its description: a conjunction for "all", a disjunction for "some", and a count for numbers.
What a formula only forbids may be said of things that are not there: it is kept of those that
turn up later (`mission.new_objects`). Nothing is ever related to itself: "all the blocks on the
red block" leaves out the red block.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

from sayso.core.errors import Code, SaySoError
from sayso.core.scene import Scene, SceneObject
from sayso.logic.english import describe
from sayso.logic.formula import (
    And,
    Formula,
    Not,
    Or,
    Prop,
    Quantified,
    Quantity,
    Referent,
    Relation,
    Term,
    Top,
    Variable,
    children,
    clauses,
    conjunction,
    disjunction,
    map_propositions,
    referents_of,
    walk,
    with_children,
)
from sayso.logic.scope import only_forbids, scoped
from sayso.logic.specification import GroundedSpecification, Specification
from sayso.perception.finding import Finder
from sayso.perception.settings import TABLE, GroundingSettings

MAX_CHOICES = 1000
"""How many ways to choose a number of things are written out."""
MOST_PROPOSITIONS = 20_000
"""How many propositions are written out for things of which each is chosen for each choice of
another: five times the size that a task may have."""

_BELOW = "isbelow"

Binding = Mapping[Variable, str]


def find_objects(
    referent: Referent, scene: Scene, settings: GroundingSettings = TABLE
) -> tuple[SceneObject, ...]:
    """All objects of the scene that fit a description, most confident first; may be empty.

    Raises:
        SaySoError: UNKNOWN_OBJECT or AMBIGUOUS for a landmark that the description names;
            INVALID for a comparator that does not exist or has the wrong number of landmarks.
    """
    return Finder(scene, settings).objects(referent)


def ground(
    spec: Specification, scene: Scene, settings: GroundingSettings = TABLE
) -> GroundedSpecification:
    """The specification about the scene's own objects.

    Args:
        settings: what words about places mean; `GroundingSettings(library.vocabulary.places)`.

    Raises:
        SaySoError: UNKNOWN_OBJECT (with what the scene has) if nothing, or too little, fits a
            description of what is asked for; AMBIGUOUS (with the candidates, told apart in words)
            if several fit "the ..."; CONTRADICTION for a thing that is to be on or in itself;
            INVALID for a comparator that does not exist or has the wrong number of landmarks;
            UNSUPPORTED for things with too many ways to choose them, and for a place on the bare
            table that is told by what stands there.
    """
    finder = Finder(scene, settings, spec.instruction)
    formula = _prepared(spec, settings)
    if not settings.places.table_is_a_thing:
        formula = map_propositions(formula, lambda prop: _onto_bare_table(prop, finder))
    grounding = _Grounding(formula, finder)
    return GroundedSpecification(spec, grounding.build(), dict(grounding.finder.found))


@dataclass(frozen=True)
class NewObjects:
    """What things that turned up after a specification was grounded mean for it.

    Attributes:
        forbidden: the specification's prohibitions, said of them; Top if there are none.
        wanted: names of things that would have been asked for had they been there.
    """

    forbidden: Formula
    wanted: tuple[str, ...]


def new_objects(
    grounded: GroundedSpecification,
    present: Collection[str],
    scene: Scene,
    settings: GroundingSettings = TABLE,
) -> NewObjects:
    """What things that turned up since a specification was confirmed mean for it.

    Its goals are about the things that were there then; its prohibitions hold for those that
    come later, too.

    Args:
        present: names of all things that were there then.
        scene: what is there now.

    Raises:
        SaySoError: UNSUPPORTED where there are too many ways to choose a number of things.
    """
    old = frozenset(clauses(grounded.formula))
    forbidden: list[Formula] = []
    wanted: list[str] = []
    for part in clauses(_prepared(grounded.specification, settings)):
        finder = Finder(scene, settings, grounded.specification.instruction)
        finder.found.update(grounded.grounding)
        new = _with_new_objects(part, finder, frozenset(present))
        if new and only_forbids(part):
            forbidden += (c for c in clauses(_later(part, finder)) if c not in old)
        elif new:
            wanted += new
    return NewObjects(conjunction(*forbidden), tuple(dict.fromkeys(wanted)))


def _with_new_objects(formula: Formula, finder: Finder, present: frozenset[str]) -> list[str]:
    """Lets the formula's quantifiers speak of new things, too; which things those are."""
    found: list[str] = []
    for part in walk(formula):
        if isinstance(part, Quantified) and part.quantity.kind == "all":
            known = finder.found.get(part.domain, ())
            fitting = (o.name for o in finder.objects(part.domain))
            new = [n for n in fitting if n not in present and n not in known]
            finder.found[part.domain] = (*known, *new)
            found += new
    return found


def _later(part: Formula, finder: Finder) -> Formula:
    """What a prohibition says with things that turned up, however many its words spoke of."""
    return _Grounding(part, finder, numbers_told=False).build()


def _prepared(spec: Specification, settings: GroundingSettings) -> Formula:
    formula = scoped(spec.formula)
    return formula if settings.places.table_is_a_thing else map_propositions(formula, _onto_table)


class _Grounding:
    """Replaces the descriptions of one formula."""

    def __init__(self, formula: Formula, finder: Finder, *, numbers_told: bool = True) -> None:
        self.finder = finder
        self._numbers_told = numbers_told
        self._formula = formula
        self._left = MOST_PROPOSITIONS
        self._may_be_absent = {
            p.domain
            for part in clauses(formula)
            if only_forbids(part)
            for p in walk(part)
            if isinstance(p, Quantified) and p.quantity.kind == "all"
        } | {
            p.domain
            for p in walk(formula)
            if isinstance(p, Quantified) and p.quantity.kind == "at most"
        }

    def build(self) -> Formula:
        # Descriptions with relations first: they make landmarks clear.
        for referent in sorted(referents_of(self._formula), key=lambda r: not r.relations):
            self._fitting(referent)
        return self._build(self._formula, {})

    def _fitting(self, referent: Referent) -> tuple[str, ...]:
        """Names of what fits; what is only forbidden, or left out, need not be there."""
        if referent in self._may_be_absent or referent.quantifier == "all":
            return self.finder.names_if_any(referent)
        return self.finder.names(referent)

    def _build(self, formula: Formula, binding: Binding) -> Formula:
        if isinstance(formula, Quantified):
            return self._quantified(formula, binding)
        if isinstance(formula, Prop):
            return self._proposition(formula, binding)
        parts = [self._build(c, binding) for c in children(formula)]
        match formula:
            case And():
                return conjunction(*parts)
            case Or():
                return disjunction(*parts)
            case _:
                return with_children(formula, parts)

    def _quantified(self, formula: Quantified, binding: Binding) -> Formula:
        fitting = self.finder.names_if_any(formula.domain)
        if not fitting and formula.domain not in self._may_be_absent:
            fitting = self.finder.names(formula.domain)  # raises
        left_out = {n for t in formula.apart_from for n in self._left_out(t, binding)}
        names = [n for n in fitting if n not in left_out]
        instances = self.instances(formula, binding, names)
        told = formula.quantity.there  # "all three blocks except one", "the other two blocks"
        if told and self._numbers_told and told not in (len(names), len(fitting)):
            raise self.finder.another_number(formula.domain, told, names)
        if fitting and not instances and formula.domain not in self._may_be_absent:
            raise _on_itself(fitting[0]) if names else self.finder.too_few(formula.domain, 1, 0)
        return self._joined(formula, names, instances)

    def instances(
        self, formula: Quantified, binding: Binding, names: Sequence[str]
    ) -> list[Formula]:
        """What the formula says of each of the things, but of none in relation to itself."""
        found = []
        for name in names:
            bound = {**binding, formula.variable: name}
            if not self._clashes(formula, bound):
                found.append(self._build(formula.body, bound))
        return found

    def _joined(
        self, formula: Quantified, names: Sequence[str], instances: Sequence[Formula]
    ) -> Formula:
        quantity = formula.quantity
        if quantity.kind == "only" and len(names) > 1:
            raise self.finder.not_only(formula.domain, names)
        if quantity.kind in ("all", "only"):
            return conjunction(*instances)
        if quantity.kind in ("some", "at least", "exactly") and len(instances) < quantity.number:
            raise self.finder.too_few(formula.domain, quantity.number, len(instances))
        if quantity.kind == "some":
            return disjunction(*_without_mirrored(disjunction(*instances)))
        return _counted(quantity, instances)

    def _left_out(self, term: Term, binding: Binding) -> tuple[str, ...]:
        if isinstance(term, Referent):
            return self._fitting(term)
        return (self._name(term, binding),)

    def _clashes(self, formula: Quantified, binding: Binding) -> bool:
        """Whether a proposition would relate the variable's thing to itself."""
        name = binding[formula.variable]
        for prop in walk(formula.body):
            if isinstance(prop, Prop) and formula.variable in prop.args:
                others = (a for a in prop.args if a != formula.variable)
                if any(self._fixed(a, binding) == name for a in others):
                    return True
        return False

    def _fixed(self, term: Term, binding: Binding) -> str | None:
        """The object that a term stands for, if no choice is left."""
        if isinstance(term, Variable):
            return binding.get(term)
        return term if isinstance(term, str) else self.finder.names(term)[0]

    def _proposition(self, prop: Prop, binding: Binding) -> Prop:
        self._left -= 1
        if self._left < 0:
            raise _too_many("there are too many ways to choose these things together.")
        args = tuple(self._name(a, binding) for a in prop.args)
        if len(set(args)) < len(args):
            raise _on_itself(args[0])
        return Prop(prop.predicate, args)

    def _name(self, term: Term, binding: Binding) -> str:
        match term:
            case Variable():
                return binding[term]
            case Referent():
                return self.finder.names(term)[0]
            case _:
                return self.finder.known(term)


def _without_mirrored(formula: Formula) -> tuple[Formula, ...]:
    """The members, without those that say the same of two things in the other order."""
    members = formula.args if isinstance(formula, Or) else (formula,)
    found: dict[object, Formula] = {}
    for member in members:
        key = frozenset(member.args) if isinstance(member, And) else member
        found.setdefault(key, member)
    return tuple(found.values())


def _counted(quantity: Quantity, instances: Sequence[Formula]) -> Formula:
    least: Formula = Top()
    if quantity.kind != "at most":
        least = _at_least(quantity.number, instances)
    if quantity.kind == "at least":
        return least
    return conjunction(least, Not(_at_least(quantity.number + 1, instances)))


def _at_least(number: int, instances: Sequence[Formula]) -> Formula:
    if comb(len(instances), number) > MAX_CHOICES:
        raise _too_many(f"there are too many ways to choose {number} of {len(instances)} things.")
    return disjunction(*(conjunction(*some) for some in combinations(instances, number)))


def _too_many(text: str) -> SaySoError:
    hint = "describe the things more closely, or ask for fewer."
    return SaySoError(Code.UNSUPPORTED, text, hint=hint)


def _onto_table(prop: Prop) -> Formula:
    """The table is no object: `on(x, table)` is `on_table(x)`."""
    if prop.predicate == "on" and len(prop.args) == 2 and _is_table(prop.args[1]):
        return Prop("on_table", prop.args[:1])
    if any(_is_table(a) for a in prop.args):
        raise SaySoError(
            Code.UNKNOWN_OBJECT,
            "the table is not a thing that the robot handles.",
            hint="things can be put on the table; name another thing here.",
        )
    return prop


def _onto_bare_table(prop: Prop, finder: Finder) -> Prop:
    """Where another thing stands on nothing but the table, "what is below it" is the table.

    Raises:
        SaySoError: UNSUPPORTED for a thing that stands on the table already: its places there
            have no names.
    """
    if prop.predicate != "on" or len(prop.args) != 2:
        return prop
    thing, place = prop.args
    if not isinstance(place, Referent) or [r.comparator for r in place.relations] != [_BELOW]:
        return prop
    (other,) = place.relations[0].others
    finder.names(other)
    if finder.objects(place):
        return prop
    around = Referent(place.noun, (), (Relation("contains", (other,)),))
    if finder.objects(around):
        return Prop("in", (thing, around))
    stands = isinstance(thing, Referent) and any(
        finder.objects(Referent(place.noun, (), (Relation(kind, (thing,)),)))
        for kind in (_BELOW, "contains")
    )
    if thing != other and not stands:
        raise _both_on_table(thing, other)
    return Prop("on_table", (thing,))


def _both_on_table(thing: Term, other: Referent) -> SaySoError:
    said = describe(thing) if isinstance(thing, Referent) else "it"
    return SaySoError(
        Code.UNSUPPORTED,
        f"{said} and {describe(other)} both stand on the table, whose places have no names.",
        hint=f"say what it is to be next to, such as 'put {said} to the left of ...'.",
    )


def _is_table(term: Term) -> bool:
    return term == "table" or (isinstance(term, Referent) and term.noun == "table")


def _on_itself(name: str) -> SaySoError:
    return SaySoError(
        Code.CONTRADICTION,
        f"{name} cannot be on or in itself.",
        hint="name two different things.",
    )
