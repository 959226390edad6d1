"""From descriptions to objects: a specification grounded in the present scene.

"the" needs exactly one object, "a" becomes a disjunction over all that fit and "all" a
conjunction. Where a quantified referent occurs once, its proposition is replaced in place, so
`G(!touching(a block))` forbids touching any block. Occurrences of an equal referent are the
same thing ("pick up a block and put it in the bowl"), so the choice is made once, outside the
smallest part of the formula that has them all. "all" of what the hand can do with only one
thing at a time is spread over time: `F(holding(all block))` asks to hold each one sooner or
later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sayso.core.errors import Code, SaySoError
from sayso.core.scene import Scene, SceneObject
from sayso.logic.formula import (
    And,
    Eventually,
    Formula,
    Or,
    Prop,
    Referent,
    Term,
    Until,
    children,
    conjunction,
    disjunction,
    map_propositions,
    propositions,
    walk,
)
from sayso.logic.specification import GroundedSpecification, Specification
from sayso.perception.finding import Finder
from sayso.perception.settings import TABLE, GroundingSettings

ONE_AT_A_TIME = frozenset({"holding", "near", "touching"})
_Path = tuple[int, ...]


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
        settings: what words about places mean; `GroundingSettings.of(library.predicates)`.

    Raises:
        SaySoError: UNKNOWN_OBJECT (with what the scene has) if nothing fits a referent;
            AMBIGUOUS (with the candidates, told apart in words) if several fit "the ...";
            CONTRADICTION for a thing that is to be on or in itself; INVALID for a comparator
            that does not exist or has the wrong number of landmarks.
    """
    formula = spec.formula
    if not settings.table_is_a_thing:
        formula = map_propositions(formula, _onto_table)
    finder = Finder(scene, settings, spec.instruction)
    for referent in _most_said_first(formula):
        finder.names(referent)
    grounded = _Grounding(formula, finder, scene).build(formula, (), {})
    return GroundedSpecification(spec, grounded, dict(finder.found))


class _Grounding:
    """Replaces the referents of one formula."""

    def __init__(self, formula: Formula, finder: Finder, scene: Scene) -> None:
        self._finder = finder
        self._known = {o.name for o in scene.objects}
        self._scopes = _scopes(formula)

    def build(self, formula: Formula, path: _Path, binding: Mapping[Referent, str]) -> Formula:
        """The grounded form of the subformula at `path`, given the choices made outside it."""
        open_here = [r for r, p in self._scopes.items() if p == path and r not in binding]
        if open_here:
            # "all" before "a": "all blocks in a bowl" lets each block have its own bowl.
            referent = max(open_here, key=lambda r: r.quantifier == "all")
            return self._choose(referent, formula, path, binding)
        if isinstance(formula, Prop):
            return self._proposition(formula, binding)
        parts = [self.build(c, (*path, i), binding) for i, c in enumerate(children(formula))]
        return _with_children(formula, parts)

    def _choose(
        self, referent: Referent, formula: Formula, path: _Path, binding: Mapping[Referent, str]
    ) -> Formula:
        names = self._finder.names(referent)
        apart = [n for n in names if not self._clashes(formula, referent, n, binding)]
        if not apart:
            raise _on_itself(names[0])
        options = (self.build(formula, path, {**binding, referent: n}) for n in apart)
        join = conjunction if referent.quantifier == "all" else disjunction
        return join(*options)

    def _clashes(
        self, formula: Formula, referent: Referent, name: str, binding: Mapping[Referent, str]
    ) -> bool:
        """Whether a proposition would relate the object to itself; "all" means all others."""
        for prop in walk(formula):
            if isinstance(prop, Prop) and referent in prop.args:
                others = (a for a in prop.args if a != referent)
                if any(self._fixed(a, binding) == name for a in others):
                    return True
        return False

    def _fixed(self, term: Term, binding: Mapping[Referent, str]) -> str | None:
        """The object that a term stands for, if no choice is left."""
        if isinstance(term, str):
            return term
        if term.quantifier == "the":
            return self._finder.names(term)[0]
        return binding.get(term)

    def _proposition(self, prop: Prop, binding: Mapping[Referent, str]) -> Prop:
        args = tuple(self._name(a, binding) for a in prop.args)
        if len(set(args)) < len(args):
            raise _on_itself(args[0])
        return Prop(prop.predicate, args)

    def _name(self, term: Term, binding: Mapping[Referent, str]) -> str:
        if not isinstance(term, str):
            return binding[term] if term in binding else self._finder.names(term)[0]
        if term not in self._known:
            raise SaySoError(
                Code.UNKNOWN_OBJECT,
                f"there is no '{term}' in the scene.",
                choices=sorted(self._known),
            )
        return term


def _most_said_first(formula: Formula) -> list[Referent]:
    """The referents, descriptions with relations first: they make landmarks clear."""
    found = [a for p in propositions(formula) for a in p.args if isinstance(a, Referent)]
    return sorted(dict.fromkeys(found), key=lambda r: not r.relations)


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


def _is_table(term: Term) -> bool:
    return term == "table" or (isinstance(term, Referent) and term.noun == "table")


def _scopes(formula: Formula) -> dict[Referent, _Path]:
    """For each quantified referent, the part of the formula around which its choice is made."""
    places: dict[Referent, list[tuple[_Path, str]]] = {}
    for path, prop in _occurrences(formula, ()):
        for arg in prop.args:
            if isinstance(arg, Referent) and arg.quantifier != "the":
                places.setdefault(arg, []).append((path, prop.predicate))
    return {r: _scope(formula, r, found) for r, found in places.items()}


def _scope(formula: Formula, referent: Referent, places: list[tuple[_Path, str]]) -> _Path:
    common = _common([path for path, _ in places])
    spread = len(places) > 1 or places[0][1] in ONE_AT_A_TIME
    return _around_event(formula, common) if referent.quantifier == "all" and spread else common


def _around_event(formula: Formula, path: _Path) -> _Path:
    """The nearest "sooner or later" around a place, or the place itself if there is none."""
    nodes = [formula]
    for index in path:
        nodes.append(children(nodes[-1])[index])
    for depth in range(len(path), -1, -1):
        node = nodes[depth]
        awaited = isinstance(node, Until) and depth < len(path) and path[depth] == 1
        if isinstance(node, Eventually) or awaited:
            return path[:depth]
    return path


def _common(paths: list[_Path]) -> _Path:
    first = paths[0]
    for depth in range(len(first), -1, -1):
        if all(p[:depth] == first[:depth] for p in paths):
            return first[:depth]
    return ()


def _occurrences(formula: Formula, path: _Path) -> Iterator[tuple[_Path, Prop]]:
    if isinstance(formula, Prop):
        yield path, formula
    for index, child in enumerate(children(formula)):
        yield from _occurrences(child, (*path, index))


def _with_children(formula: Formula, parts: list[Formula]) -> Formula:
    if isinstance(formula, And):
        return conjunction(*parts)
    if isinstance(formula, Or):
        return disjunction(*parts)
    changed: Formula = type(formula)(*parts)  # type: ignore[arg-type]
    return changed


def _on_itself(name: str) -> SaySoError:
    return SaySoError(
        Code.CONTRADICTION,
        f"{name} cannot be on or in itself.",
        hint="name two different things.",
    )
