"""Where quantifiers stand: descriptions such as "a block" inside a formula get their scope.

Formulas in text may say `F(in(all block, bowl))` and `G(!touching(a block))`. `scoped` turns
that into `Quantified` formulas; what is `Quantified` already stays.

| where the description stands | "all block" | "a block" |
|---|---|---|
| asked for | each at once; what one hand does, each in its own time | some one |
| under a prohibition: a negation that is no condition | each | each: "a block" is "any block" |
| in a condition `!c | then` | all of them | some one |
| in a condition and in what follows it | in each of the two, all | each: "a block ... it" |
| in several conditions, and nowhere else | in each of them, all | in each of them, some one |

Descriptions that are equal stand for the same thing, so the choice is made around all of them;
"a can 1" and "a can 2" stand for different ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sayso.core.errors import Code, SaySoError
from sayso.logic.formula import (
    ALL,
    COUNTED,
    ONLY,
    SOME,
    Always,
    And,
    Eventually,
    Formula,
    Next,
    Not,
    Or,
    Prop,
    Quantified,
    Quantity,
    Referent,
    Release,
    Term,
    Until,
    Variable,
    WeakNext,
    children,
    conjunction,
    walk,
    with_children,
)

ONE_AT_A_TIME = frozenset({"holding", "near", "near_in_room", "touching"})
"""What the robot can do with only one thing at a time."""

_Path = tuple[int, ...]


def scoped(formula: Formula) -> Formula:
    """The formula with every quantified description in an argument made `Quantified`."""
    while (found := _first_family(formula)) is not None:
        formula = _quantify(formula, found)
    return formula


@dataclass(frozen=True)
class Unbound:
    """A variable of a formula whose quantifier has no place yet.

    Attributes:
        apart_from: see `Quantified`; variables in it are unbound ones too.
    """

    variable: Variable
    quantity: Quantity
    domain: Referent
    apart_from: tuple[Term, ...] = ()


def bound(formula: Formula, unbound: Sequence[Unbound]) -> Formula:
    """The formula with the quantifiers of its variables in their places, by the table above.

    Things that are apart from each other are chosen together. A number of things stands where
    "all" would: each at once, or what one hand does in its own time.

    Raises:
        SaySoError: INVALID for a number of things, other than "at most", under a prohibition, and
            for two numbers of things that are apart from each other.
    """
    families = sorted(_apart_together(unbound), key=lambda f: len(f) > 1 or f[0].quantity != ALL)
    for family in families:
        each = [u for u in family if u.quantity == ALL]
        chosen = sorted((u for u in family if u.quantity != ALL), key=_is_counted)
        if sum(map(_is_counted, chosen)) > 1:
            raise SaySoError(
                Code.INVALID,
                "two numbers of things that are apart from each other cannot be told.",
                hint="name each of these things.",
            )
        if chosen:
            for together in _by_condition(formula, chosen, _free_places(formula, family)):
                formula = _bind(formula, chosen, together)
        for one in each:
            while places := _free_places(formula, [one]):
                condition = _condition(formula, places[0].path)
                together = [p for p in places if _condition(formula, p.path) == condition]
                formula = _bind(formula, [one], together)
    return formula


def bound_at_the_end(
    formula: Formula, unbound: Iterable[Unbound], lasting: frozenset[str]
) -> Formula:
    """The formula with each quantifier around the smallest part that holds all mentions.

    A number of things that do not come about at one moment stands around the whole step: each of
    them has its own time.

    Args:
        unbound: in the order in which they were named; later ones may be apart from earlier ones.
        lasting: predicates that stay true while the robot does something else.
    """
    for one in reversed(list(unbound)):
        if _mentions(formula, one.variable):
            formula = _around_mentions(formula, one, lasting)
    return formula


def stands_outside(formula: Formula, variable: Variable, of: Variable) -> bool:
    """Whether a variable is spoken of where no quantifier of the other is around it.

    Of itself (`of` is the same variable): whether it is spoken of where it means nothing.
    """
    match formula:
        case Prop(_, args):
            return variable in args
        case Quantified(variable=own, apart_from=apart):
            if variable in apart or (own == variable != of):
                return True
            if own == of:
                return False
    return any(stands_outside(c, variable, of) for c in children(formula))


def _mentions(formula: Formula, variable: Variable) -> bool:
    match formula:
        case Prop(_, args):
            return variable in args
        case Quantified(variable=own, apart_from=apart, body=body):
            return variable in apart or (own != variable and _mentions(body, variable))
    return any(_mentions(c, variable) for c in children(formula))


def _around_mentions(formula: Formula, one: Unbound, lasting: frozenset[str]) -> Formula:
    variable, parts = one.variable, children(formula)
    holding = [i for i, c in enumerate(parts) if _mentions(c, variable)]
    own = (
        isinstance(formula, Prop)
        or (isinstance(formula, Not) and isinstance(formula.arg, Prop))  # "turn off a lamp": one
        or (isinstance(formula, Quantified) and variable in formula.apart_from)
    )
    if not own and isinstance(formula, And) and len(holding) < len(parts):
        inner = conjunction(*(parts[i] for i in holding))
        before = parts[: holding[0]]
        after = [c for i, c in enumerate(parts) if i > holding[0] and i not in holding]
        return conjunction(*before, _around_mentions(inner, one, lasting), *after)
    counted = one.quantity not in (SOME, ONLY) and not _at_once(formula, variable, lasting)
    if not own and len(holding) == 1 and not (counted and isinstance(formula, Eventually | Until)):
        changed = list(parts)
        changed[holding[0]] = _around_mentions(parts[holding[0]], one, lasting)
        return with_children(formula, changed)
    return Quantified(one.quantity, variable, one.domain, formula, one.apart_from)


def _by_condition(
    formula: Formula, chosen: Sequence[Unbound], places: Sequence[_Place]
) -> list[list[_Place]]:
    """The places of what is chosen, those apart that may be other things: "a" in conditions."""
    if len(chosen) > 1 or chosen[0].quantity != SOME:
        return [list(places)]
    return _condition_by_condition(formula, places)


def _condition_by_condition(formula: Formula, places: Sequence[_Place]) -> list[list[_Place]]:
    """Places in conditions alone, each condition's by themselves; else all of them together.

    So they are, too, where one condition stands in what follows from another: "it" is meant there.
    """
    by_condition: dict[_Path, list[_Place]] = {}
    for place in places:
        by_condition.setdefault(_condition(formula, place.path), []).append(place)
    for condition in by_condition:
        whole = condition[:-2]
        within = [c for c in by_condition if c != condition and c[: len(whole)] == whole]
        if not condition or within:
            return [list(places)]
    return list(by_condition.values())


def _at_once(formula: Formula, variable: Variable, lasting: frozenset[str]) -> bool:
    """Whether all that is said of the thing is one state that stays."""
    props = [f for f in walk(formula) if isinstance(f, Prop) and variable in f.args]
    return len(props) == 1 and props[0].predicate in lasting


def _is_counted(one: Unbound) -> bool:
    return one.quantity.kind in COUNTED


def forbidden(formula: Formula, variable: Variable) -> bool:
    """Whether each place of a free variable is under a prohibition; false if there is none."""
    places = _free_places(formula, [Unbound(variable, ALL, Referent(""))])
    return bool(places) and all(_forbidden_below(formula, (), p.path) for p in places)


def _apart_together(unbound: Sequence[Unbound]) -> list[list[Unbound]]:
    """Variables in families that are linked by being apart from each other."""
    families: list[list[Unbound]] = []
    for one in unbound:
        linked = [f for f in families if any(_apart(one, other) for other in f)]
        families = [f for f in families if f not in linked]
        families.append([*(u for f in linked for u in f), one])
    return families


def _apart(one: Unbound, other: Unbound) -> bool:
    return one.variable in other.apart_from or other.variable in one.apart_from


def _free_places(formula: Formula, unbound: Sequence[Unbound], path: _Path = ()) -> list[_Place]:
    """Where variables stand that no quantifier binds."""
    variables = {u.variable for u in unbound}
    if isinstance(formula, Prop):
        return [_Place(path, formula.predicate)] if variables.intersection(formula.args) else []
    if isinstance(formula, Quantified):
        unbound = [u for u in unbound if u.variable != formula.variable]
    return [
        place
        for index, child in enumerate(children(formula))
        for place in _free_places(child, unbound, (*path, index))
    ]


def _bind(formula: Formula, family: Sequence[Unbound], places: Sequence[_Place]) -> Formula:
    """Quantifiers for a family, one within the other, around its places."""
    quantity = family[0].quantity
    counted = next((u.quantity for u in family if _is_counted(u)), None)
    if counted is not None:
        path = _counted_scope(formula, counted, places)
    else:
        path, quantity = _scope(formula, "all" if quantity == ALL else "a", places)

    def wrapped(body: Formula) -> Formula:
        for index in range(len(family) - 1, -1, -1):
            one = family[index]
            outside = [u.variable for u in family[:index] if _apart(one, u)]
            within = {u.variable for u in family}
            apart = (*(t for t in one.apart_from if t not in within), *outside)
            many = one.quantity if _is_counted(one) else quantity
            body = Quantified(many, one.variable, one.domain, body, apart)
        return body

    return _at(formula, path, wrapped)


def _counted_scope(formula: Formula, quantity: Quantity, places: Sequence[_Place]) -> _Path:
    common = _common([p.path for p in places])
    if quantity.kind == "at most":
        return common
    forbidden = _outside_prohibitions(formula, common) is not None or any(
        _forbidden_below(formula, common, p.path) for p in places
    )
    if forbidden:
        raise SaySoError(
            Code.INVALID,
            f"'{quantity}' is under a negation, and it is not clear what is forbidden then.",
            hint="use 'at most' without the negation, or 'every'.",
        )
    spread = len(places) > 1 or places[0].predicate in ONE_AT_A_TIME
    return _around_event(formula, common) if spread else common


def only_forbids(formula: Formula) -> bool:
    """Whether doing nothing more can never break the formula: it asks for nothing to happen.

    Such a formula can be kept of things that turn up while the task is under way.
    """
    return _safe(formula, positive=True)


def _safe(formula: Formula, *, positive: bool) -> bool:
    if positive and _is_weak_until(formula):
        return True
    match formula:
        case Not(a):
            return _safe(a, positive=not positive)
        case Always() | Release() | WeakNext() if not positive:
            return False
        case Eventually() | Until() | Next() if positive:
            return False
        case _:
            return all(_safe(c, positive=positive) for c in children(formula))


def _is_weak_until(formula: Formula) -> bool:
    """`G(a) | (a U b)`: what "not until" and "keep ... until" say."""
    match formula:
        case Or((Always(a), Until(b, _))):
            return a == b
        case _:
            return False


@dataclass(frozen=True)
class _Place:
    """Where a description occurs: the path of child indices to its proposition."""

    path: _Path
    predicate: str


@dataclass
class _Family:
    """Descriptions whose choice is made together: one, or the numbered ones of one kind."""

    members: list[Referent] = field(default_factory=list)
    places: list[_Place] = field(default_factory=list)


def _first_family(formula: Formula) -> _Family | None:
    """The next description to quantify; "all" first, so that each may have its own "a"."""
    families: dict[tuple[Referent, _Path], _Family] = {}
    for path, prop in _occurrences(formula, ()):
        for referent in prop.referents:
            if referent.quantifier == "the":
                continue
            one = replace(referent, noun=referent.kind)
            apart = _condition(formula, path) if referent.quantifier == "all" else ()
            family = families.setdefault((one, apart), _Family())
            family.places.append(_Place(path, prop.predicate))
            if referent not in family.members:
                family.members.append(referent)
    ranked = sorted(families, key=lambda key: key[0].quantifier != "all")
    return _in_one_condition(formula, families[ranked[0]]) if ranked else None


def _in_one_condition(formula: Formula, family: _Family) -> _Family:
    """What of "a" thing is chosen together: its places in one condition, where others are apart."""
    if len(family.members) > 1:
        return family
    return replace(family, places=_condition_by_condition(formula, family.places)[0])


def _occurrences(formula: Formula, path: _Path) -> Iterator[tuple[_Path, Prop]]:
    if isinstance(formula, Prop):
        yield path, formula
    for index, child in enumerate(children(formula)):
        yield from _occurrences(child, (*path, index))


def _quantify(formula: Formula, family: _Family) -> Formula:
    members = sorted(family.members, key=lambda r: r.number)
    path, quantity = _scope(formula, members[0].quantifier, family.places)
    taken = {v for f in walk(formula) if isinstance(f, Quantified) for v in (f.variable.name,)}
    names = _fresh(taken, len(members))
    by_referent = {r: Variable(n) for r, n in zip(members, names, strict=True)}
    under = {p.path[len(path) :] for p in family.places}
    return _at(formula, path, lambda body: _bound(body, by_referent, quantity, under))


def _bound(
    body: Formula,
    variables: dict[Referent, Variable],
    quantity: Quantity,
    places: set[_Path],
) -> Formula:
    body = _substituted(body, (), variables, places)
    bound: list[Variable] = list(variables.values())
    for referent in reversed(variables):
        variable = bound.pop()
        domain = replace(referent, noun=referent.kind)
        body = Quantified(quantity, variable, domain, body, tuple(bound))
    return body


def _substituted(
    formula: Formula, path: _Path, variables: Mapping[Referent, Variable], places: set[_Path]
) -> Formula:
    if isinstance(formula, Prop):
        return _with_variables(formula, variables) if path in places else formula
    parts = [
        _substituted(c, (*path, i), variables, places) for i, c in enumerate(children(formula))
    ]
    return with_children(formula, parts)


def _with_variables(prop: Prop, variables: Mapping[Referent, Variable]) -> Prop:
    def named(term: Term) -> Term:
        return variables.get(term, term) if isinstance(term, Referent) else term

    return Prop(prop.predicate, tuple(map(named, prop.args)))


def _fresh(taken: set[str], count: int) -> list[str]:
    names = (f"x{n}" for n in range(1, len(taken) + count + 1))
    return [n for n in names if n not in taken][:count]


# -- scope -------------------------------------------------------------------------------


def _scope(formula: Formula, quantifier: str, places: Sequence[_Place]) -> tuple[_Path, Quantity]:
    """Where the quantifier stands, and which it is there."""
    common = _common([p.path for p in places])
    wide = _outside_prohibitions(formula, common)
    if wide is not None:
        return _outwards(formula, wide), ALL
    below = [_forbidden_below(formula, common, p.path) for p in places]
    in_condition = [bool(_condition(formula, p.path)[len(common) :]) for p in places]
    if all(below) or (any(in_condition) and not all(in_condition)):
        return _outwards(formula, common), ALL
    spread = len(places) > 1 or places[0].predicate in ONE_AT_A_TIME
    if quantifier == "all":
        return (_around_event(formula, common) if spread else common), ALL
    return common, SOME


def _outside_prohibitions(formula: Formula, path: _Path) -> _Path | None:
    """The place around the outermost prohibition about a path, within its condition if any."""
    start = len(_condition(formula, path))
    for depth in range(start, len(path)):
        if _forbids(formula, path, depth):
            return path[:depth]
    return None


def _forbidden_below(formula: Formula, common: _Path, path: _Path) -> bool:
    count = sum(_forbids(formula, path, d) for d in range(len(common), len(path)))
    return count % 2 == 1


def _forbids(formula: Formula, path: _Path, depth: int) -> bool:
    """Whether the node at this depth of a path is a negation that is no condition."""
    node = _node(formula, path[:depth])
    return isinstance(node, Not) and not _is_condition(formula, path[:depth])


def _is_condition(formula: Formula, path: _Path) -> bool:
    """Whether the negation at a path is the "if" of `!condition | then`."""
    if not path:
        return False
    parent = _node(formula, path[:-1])
    return isinstance(parent, Or) and not all(isinstance(a, Not) for a in parent.args)


def _condition(formula: Formula, path: _Path) -> _Path:
    """The path to the inside of the innermost condition about a place; () if there is none."""
    for depth in range(len(path) - 1, -1, -1):
        node = _node(formula, path[:depth])
        if isinstance(node, Not) and _is_condition(formula, path[:depth]):
            return path[: depth + 1]
    return ()


def _outwards(formula: Formula, path: _Path) -> _Path:
    """ "each" may as well stand around the "always" and the "or" that it stands in."""
    while path and isinstance(_node(formula, path[:-1]), Always | Or):
        path = path[:-1]
    return path


def _around_event(formula: Formula, path: _Path) -> _Path:
    """The nearest "sooner or later" around a place, or the place itself if there is none."""
    for depth in range(len(path), -1, -1):
        node = _node(formula, path[:depth])
        awaited = isinstance(node, Until) and depth < len(path) and path[depth] == 1
        if isinstance(node, Eventually) or awaited:
            return path[:depth]
    return path


def _common(paths: Sequence[_Path]) -> _Path:
    first = paths[0]
    for depth in range(len(first), -1, -1):
        if all(p[:depth] == first[:depth] for p in paths):
            return first[:depth]
    return ()


def _node(formula: Formula, path: _Path) -> Formula:
    for index in path:
        formula = children(formula)[index]
    return formula


def _at(formula: Formula, path: _Path, change: Callable[[Formula], Formula]) -> Formula:
    """The formula with the part at a path changed."""
    if not path:
        return change(formula)
    parts = list(children(formula))
    parts[path[0]] = _at(parts[path[0]], path[1:], change)
    return with_children(formula, parts)
