"""Skills that somebody asks to be taught: what is known already, and what has to be asked first.

A request is compared with the library by effect and by meaning. What makes it special has to be in
its effect: to take a mug by its handle is another skill than to take it, and has to leave another
trace, or nobody could tell whether it was done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.symbols import Atom, Literal, Operator
from sayso.language import controlled_english
from sayso.language.lexicon import Lexicon
from sayso.language.naming import singular
from sayso.logic.english import describe
from sayso.logic.formula import And, Eventually, Formula, Not, Prop, Referent, children
from sayso.perception.categories import category_of
from sayso.planning.words import joined

MOST_PARAMETERS = 2
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_HAND = re.compile(r"\b(hand|gripper|hold|holds|holding|held|carries|carrying)\b")
_SMALL = frozenset(
    ("a", "an", "the", "to", "on", "onto", "in", "into", "inside", "from", "of", "off", "out", "up",
     "at", "by", "with", "its", "it", "and", "thing", "object")
)  # fmt: skip
"""Words that say nothing of how something is done."""


@dataclass(frozen=True)
class SkillRequest:
    """A skill that is to be taught.

    Attributes:
        parameters: what it works on, in words.
        effect: what is true afterwards, a sentence about the parameters.
        when: what must hold before, and when it should not be used.
        literals: the effect over `?parameter`, where the library has the predicates; else empty,
            and a predicate has to be learned with the skill.
    """

    name: str
    parameters: tuple[str, ...]
    effect: str
    when: str
    literals: frozenset[Literal] = frozenset()

    @property
    def show(self) -> str:
        """What a person is asked for."""
        things = joined(f"a {p.replace('_', ' ')}" for p in self.parameters)
        return (
            f"Show me how to {self.name.replace('_', ' ')}, with {things}: before it, {self.when}; "
            f"after it, {self.effect}. Five times will do, with other things in other places."
        )

    @property
    def variables(self) -> Mapping[str, str]:
        """By parameter, as in `literals`."""
        return {p: f"?{p.replace(' ', '_')}" for p in self.parameters}

    @property
    def operator(self) -> Operator:
        """The operator that it would become, as far as the words tell."""
        return Operator(
            self.name,
            tuple(self.variables.values()),
            frozenset(),
            frozenset(x.atom for x in self.literals if x.positive),
            frozenset(x.atom for x in self.literals if not x.positive),
            skill=self.name,
            english=f"{self.name.replace('_', ' ')}, so that {self._template()}",
        )

    def _template(self) -> str:
        text = self.effect
        for i, parameter in enumerate(self.parameters):
            words = re.escape(parameter.replace("_", " "))
            text = re.sub(rf"\b(?:the |a |an )?{words}\b", f"{{{i}}}", text)
        return text


def requested(
    name: str, parameters: tuple[str, ...], effect: str, when: str, library: Library
) -> SkillRequest | Operator:
    """The request; or the operator of this name, or that has the very effect that is asked for.

    Raises:
        SaySoError: INVALID for a name or parameters that no skill can have, and where a known
            operator means the same; AMBIGUOUS with what has to be said before it can be taught.
    """
    plain = tuple(p.removesuffix("_id").lower() for p in parameters)
    _check_form(name, plain)
    there = library.operators.get(name)
    if there is not None and len(there.parameters) == len(plain):
        return there
    literals, strangers = _literals(effect, plain, library)
    request = SkillRequest(name, plain, effect.rstrip("."), when.rstrip("."), literals)
    manner = _manner(name, plain, library)
    if same := list(_with_effect(request, library)):
        if manner - _words(effect):
            raise _unsaid_manner(request, same[0], manner)
        return _instead(request, same)
    if not literals and (alike := list(_with_meaning(request, library))):
        raise _known(request, alike[0])
    if questions := list(_questions(request, strangers)):
        raise SaySoError(
            Code.AMBIGUOUS,
            f"before '{name}' can be taught: {' '.join(questions)}",
            hint="say it in the effect or in the condition, then ask again.",
        )
    return request


def _check_form(name: str, parameters: Sequence[str]) -> None:
    if not _NAME.fullmatch(name):
        text = f"'{name}' is no name of a skill: use small letters and _."
        raise SaySoError(Code.INVALID, text, hint="such as hang_mug_on_rack.")
    if not 1 <= len(parameters) <= MOST_PARAMETERS or len(set(parameters)) < len(parameters):
        raise SaySoError(
            Code.INVALID,
            f"a skill works on one or two different things, not on {list(parameters)}.",
            hint="a task with more things is a sequence of skills.",
        )


# -- what the effect says ------------------------------------------------------------------


def _literals(
    effect: str, parameters: Sequence[str], library: Library
) -> tuple[frozenset[Literal], tuple[str, ...]]:
    """The effect over the parameters, and other things that it names; none if it is not known."""
    nouns = {p.replace("_", " ") for p in parameters}
    lexicon = Lexicon.of(library, nouns)
    try:
        said = controlled_english.interpret(f"Make sure that {effect.rstrip('.')}.", lexicon)
    except SaySoError:
        return frozenset(), ()
    parts = tuple(_parts(said.formula))
    terms = {describe(t).removeprefix("the ") for p, _ in parts for t in p.referents}
    strangers = tuple(sorted(terms - nouns))
    if not parts or strangers:
        return frozenset(), strangers
    found = (Literal(Atom(p.predicate, tuple(map(_variable, p.args))), so) for p, so in parts)
    return frozenset(found), ()


def _parts(formula: Formula) -> Iterator[tuple[Prop, bool]]:
    """The propositions of F(a & !b & ...), and whether they hold; nothing of other formulas."""
    match formula:
        case Eventually(And() as both):
            inner = [list(_parts(Eventually(c))) for c in children(both)]
            if all(inner):
                yield from (p for parts in inner for p in parts)
        case Eventually(Prop() as prop):
            yield prop, True
        case Eventually(Not(Prop() as prop)):
            yield prop, False


def _variable(term: object) -> str:
    words = describe(term) if isinstance(term, Referent) else str(term)
    return f"?{words.removeprefix('the ').replace(' ', '_')}"


# -- what is known already -------------------------------------------------------------------


def _with_effect(request: SkillRequest, library: Library) -> Iterator[Operator]:
    """Operators that bring about all that is asked for."""
    for operator in library.operators.values():
        made = {Literal(a) for a in operator.add} | {Literal(a, False) for a in operator.delete}
        if request.literals and _covers(sorted(request.literals), made, {}):
            yield operator


def _covers(wanted: Sequence[Literal], made: set[Literal], bound: dict[str, str]) -> bool:
    """Whether the parameters can stand for an operator's so that all is made."""
    if not wanted:
        return True
    first, *rest = wanted
    for one in made:
        atom = one.atom
        if (atom.predicate, one.positive) != (first.atom.predicate, first.positive):
            continue
        pairs = dict(zip(first.atom.args, atom.args, strict=True))
        agrees = all(bound.get(k, v) == v for k, v in pairs.items())
        if agrees and _covers(rest, made, {**bound, **pairs}):
            return True
    return False


def _with_meaning(request: SkillRequest, library: Library) -> Iterator[Operator]:
    """Operators whose names say the same: the verb, the manner, and the kinds of things."""
    mine = _verbs(request.name, library), _manner(request.name, request.parameters, library)
    for operator in library.operators.values():
        names = tuple(p[1:] for p in operator.parameters)
        verbs, manner = _verbs(operator.name, library), _manner(operator.name, names, library)
        if verbs & mine[0] and manner == mine[1] and _suits(request, operator, library):
            yield operator


def _suits(request: SkillRequest, operator: Operator, library: Library) -> bool:
    """Whether an operator is for as many things, of these kinds."""
    if len(operator.parameters) != len(request.parameters):
        return False
    kinds = operator.types or tuple(p[1:] for p in operator.parameters)
    return all(
        library.vocabulary.fits(noun, kind)
        if operator.types
        else category_of(noun.replace("_", " ")) == category_of(kind.replace("_", " "))
        for noun, kind in zip(request.parameters, kinds, strict=True)
    )


def _verbs(name: str, library: Library) -> frozenset[str]:
    """What the verb that a name begins with means: the actions of the library that it can ask for,
    or the word itself."""
    words = name.split("_")
    for count in (2, 1):
        verb = " ".join(words[:count])
        named = {a.name for a in library.vocabulary.actions if _asks(a.wordings, verb)}
        if named:
            return frozenset(named)
    return frozenset(words[:1])


def _asks(wordings: Sequence[object], verb: str) -> bool:
    return any(getattr(w, "verb", "") == verb for w in wordings)


def _manner(name: str, parameters: Sequence[str], library: Library) -> frozenset[str]:
    """The words of a name that are neither its verb nor things: how it is done."""
    nouns = {w for k in library.vocabulary.kinds for n in k.nouns for w in n.split()}
    nouns |= {w for p in parameters for w in re.split(r"[_ ]", p)}
    rest = (singular(w) for w in name.split("_")[1:])
    return frozenset(w for w in rest if w not in nouns and w not in _SMALL)


def _words(text: str) -> set[str]:
    return {singular(w) for w in re.findall(r"[a-z]+", text.lower())}


def _instead(request: SkillRequest, known: Sequence[Operator]) -> Operator:
    """The operator that can be called in its place. Raises INVALID where its call is another."""
    for operator in known:
        if len(operator.parameters) == len(request.parameters) and all(
            _in_order(x.atom, request) for x in request.literals
        ):
            return operator
    raise _known(request, known[0])


def _in_order(atom: Atom, request: SkillRequest) -> bool:
    return [v for v in request.variables.values() if v in atom.args] == list(atom.args)


def _known(request: SkillRequest, operator: Operator) -> SaySoError:
    return SaySoError(
        Code.INVALID,
        f"'{request.name}' need not be taught: {operator.name}({_names(operator)}) does it.",
        hint="call that; if it is something else, say in name and effect what is different.",
    )


def _unsaid_manner(request: SkillRequest, operator: Operator, manner: frozenset[str]) -> SaySoError:
    return SaySoError(
        Code.AMBIGUOUS,
        f"'{request.effect}' is true after {operator.name}({_names(operator)}), too: what is true "
        f"after '{request.name}' alone? '{' '.join(sorted(manner))}' is not in the effect.",
        hint="say in the effect what makes it special, such as 'the mug is held by its handle'.",
    )


def _names(operator: Operator) -> str:
    return ", ".join(p[1:] for p in operator.parameters)


# -- what has to be asked ----------------------------------------------------------------------


def _questions(request: SkillRequest, strangers: Sequence[str]) -> Iterator[str]:
    """What a request takes for granted."""
    for thing in strangers:
        yield f"Is the {thing} something that it works on? It is no parameter."
    said = _words(f"{request.effect} {request.when}")
    for parameter in request.parameters:
        if not _words(parameter.replace("_", " ")) <= said:
            yield f"What is true of the {parameter.replace('_', ' ')} afterwards?"
    if not _HAND.search(request.when.lower()):
        first = request.parameters[0].replace("_", " ")
        yield f"Does it begin with an empty hand, or with the {first} in it?"
