"""What a language model says of predicates and literals, checked before anyone learns from it.

Every fault is an INVALID that says what is wrong and what would be right: the model is told so.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.library import parse_literal
from sayso.core.predicates import Predicate
from sayso.core.sandbox.allow_list import BUILTINS
from sayso.core.symbols import Literal
from sayso.learning.synthesis.labels import Bound, Concept, Members

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_TAKEN = frozenset(BUILTINS) | {"np", "scene", "not"}
_MOST_PARAMETERS = 3
_MOST_CLAUSE = 200
_PLACE = re.compile(r"\{(\d)\}")


class Vocabulary:
    """The predicates that a reply may speak of: those known, and those that it introduces.

    Args:
        objects: name -> category of what can be spoken about.
        introduced: the reply's own list.

    Raises:
        SaySoError: INVALID for a name, parameter, clause, limit or kind that will not do.
    """

    def __init__(
        self,
        objects: Mapping[str, str],
        known: Mapping[str, Predicate],
        introduced: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self._objects = objects
        self._concepts = {
            p.name: Concept(p.name, p.parameters, p.english, p.english_not) for p in known.values()
        }
        for entry in introduced:
            concept = _concept(entry)
            old = self._concepts.get(concept.name)
            if old is not None and len(old.parameters) != len(concept.parameters):
                raise _invalid(
                    f"'{concept.name}' is known already, with {len(old.parameters)} arguments."
                )
            self._concepts[concept.name] = concept if old is None else _stated(old, concept)

    def literals(self, texts: Sequence[str]) -> tuple[Literal, ...]:
        """Literals over the objects, each once. Raises INVALID for one that cannot be."""
        found = tuple(dict.fromkeys(self._literal(t) for t in texts))
        atoms = [x.atom for x in found]
        for atom in atoms:
            if atoms.count(atom) > 1:
                raise _invalid(f"{atom} is said to hold and not to hold.")
        return found

    def concepts(self, literals: Iterable[Literal]) -> tuple[Concept, ...]:
        """The predicates of the literals, each once."""
        return tuple(self._concepts[n] for n in dict.fromkeys(x.atom.predicate for x in literals))

    def _literal(self, text: str) -> Literal:
        literal = parse_literal(text)
        name, args = literal.atom.predicate, literal.atom.args
        concept = self._concepts.get(name)
        if concept is None:
            raise _invalid(f"there is no predicate '{name}', known or new.", self._concepts)
        if len(args) != len(concept.parameters):
            raise _invalid(f"{name} takes {len(concept.parameters)} arguments, got {len(args)}.")
        for arg in args:
            if arg not in self._objects:
                raise _invalid(f"there is no object '{arg}'.", self._objects)
        if len(set(args)) < len(args):
            raise _invalid(f"{literal.atom} names the same object twice.")
        return literal


def opposites(preconditions: Sequence[Literal], state: Sequence[Literal]) -> None:
    """Raises INVALID for a precondition whose opposite is not among what is true now."""
    lacking = {Literal(x.atom, not x.positive) for x in state}
    for literal in preconditions:
        if literal not in lacking:
            raise _invalid(f"the state does not hold the opposite of the precondition {literal}.")


def own_objects(preconditions: Sequence[Literal], args: Sequence[str]) -> None:
    """Raises INVALID for a precondition about an object that the action does not take."""
    for literal in preconditions:
        if strange := [a for a in literal.atom.args if a not in args]:
            raise _invalid(
                f"the action does not take '{strange[0]}', so {literal} is no precondition.",
                args,
            )


def _concept(entry: Mapping[str, Any]) -> Concept:
    name, parameters = str(entry["name"]), tuple(map(str, entry["parameters"]))
    if not _NAME.fullmatch(name) or name in _TAKEN:
        raise _invalid(
            f"'{name}' cannot be a predicate's name; use snake_case, not Python's words."
        )
    if len(parameters) > _MOST_PARAMETERS or len(set(parameters)) < len(parameters):
        raise _invalid(f"{name} must have at most {_MOST_PARAMETERS} parameters, all different.")
    for parameter in parameters:
        if not _NAME.fullmatch(parameter) or parameter in _TAKEN or keyword.iskeyword(parameter):
            raise _invalid(f"'{parameter}' cannot be a parameter of {name}; use a, b, c.")
    holds, fails = (_clause(name, str(entry[k]), len(parameters)) for k in ("holds", "fails"))
    limits = (_bound(name, parameters, x) for x in entry["limits"])
    kinds = (_members(name, parameters, x) for x in entry["kinds"])
    return Concept(name, parameters, holds, fails, (), (*limits, *kinds))


def _clause(name: str, text: str, count: int) -> str:
    """A clause that holds each of {0}, {1}, ... and no other braces: it is a format later."""
    places = set(map(int, _PLACE.findall(text)))
    bare = _PLACE.sub("", text)
    if not text.strip() or len(text) > _MOST_CLAUSE or "{" in bare or "}" in bare:
        raise _invalid(f"'{text[:80]}' is no clause for {name}; write words and {{0}}, {{1}}.")
    if places != set(range(count)):
        wanted = ", ".join(f"{{{i}}}" for i in range(count)) or "no places"
        raise _invalid(f"the clause '{text}' for {name} must have {wanted}.")
    return text.strip()


def _bound(name: str, parameters: Sequence[str], limit: Mapping[str, Any]) -> Bound:
    below = limit["relation"] == "below"
    metres = float(limit["metres"])
    if not 0.0 < metres < 100.0:
        raise _invalid(f"a limit of {metres:g} m for {name} is out of the question.")
    return Bound(str(limit["measure"]), _place(name, parameters, limit), below, metres)


def _members(name: str, parameters: Sequence[str], kinds: Mapping[str, Any]) -> Members:
    names = tuple(str(c).lower().replace(" ", "_") for c in kinds["categories"])
    if not names or not all(_NAME.fullmatch(n) for n in names):
        raise _invalid(f"the kinds for {name} must be nouns, such as cup.")
    return Members(_place(name, parameters, kinds), names)


def _place(name: str, parameters: Sequence[str], about: Mapping[str, Any]) -> int:
    if about["parameter"] not in parameters:
        raise _invalid(f"{name} has no parameter '{about['parameter']}'.", parameters)
    return list(parameters).index(about["parameter"])


def _stated(old: Concept, new: Concept) -> Concept:
    """A known predicate with what was stated of it now."""
    return Concept(
        old.name, old.parameters, old.english, old.english_not, (new.english,), new.definitions
    )


def _invalid(message: str, choices: Iterable[str] = ()) -> SaySoError:
    return SaySoError(Code.INVALID, message, choices=choices)
