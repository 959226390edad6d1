"""Constructs about several things: all, some, so many, all but some, one and the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from sayso.evaluation.language.drawing import (
    PLACING,
    Construct,
    Draw,
    Drawn,
    NotHereError,
    goals_of,
    never_put,
    states_of,
)
from sayso.evaluation.language.meanings import (
    Both,
    Collect,
    Either,
    Facts,
    Finally,
    Goal,
    Meaning,
    Never,
    Number,
    Open,
    Ordered,
)
from sayso.evaluation.language.phrases import Noun, Phrase, listed, plural
from sayso.evaluation.language.scenes import Thing


def _all(d: Draw) -> Drawn:
    a = d.done_with(d.described("all", d.group(2)))
    return Collect(a.goals(d.drives)), {"a": a}


def _visit_all(d: Draw) -> Drawn:
    a = d.going(d.described("all", d.visited_group()))
    return Collect(a.goals(d.drives)), {"a": a}


def _both_of_two(d: Draw) -> Drawn:
    group = d.group(2)
    if len(group) != 2:
        raise NotHereError
    a = d.done_with(d.described("both", group))
    return Collect(a.goals(d.drives)), {"a": a}


def _any(d: Draw) -> Drawn:
    a = d.done_with(d.described("any", d.group(2)))
    return Either(a.goals(d.drives)), {"a": a}


def _visit_any(d: Draw) -> Drawn:
    a = d.going(d.described("any", d.visited_group()))
    return Either(a.goals(d.drives)), {"a": a}


def _so_many(d: Draw) -> Drawn:
    a = d.done_with(d.described("at least", d.group(3), count=2))
    return Collect(a.goals(d.drives), least=2), {"a": a}


def _exactly(d: Draw) -> Drawn:
    n = d.rng.choice((1, 2))
    a = d.phrase(PLACING, d.described("exactly", d.group(n + 1), count=n))
    return _number(d, a, n, "exactly"), {"a": a}


def _at_most(d: Draw) -> Drawn:
    a, n = _limited(d)
    return _number(d, a, n, "at most"), a.parts()


def _at_most_may_be(d: Draw) -> Drawn:
    a, n = _limited(d)
    return Number(states_of(a), n, "at most"), a.parts()


def _limited(d: Draw) -> tuple[Phrase, int]:
    n = d.rng.choice((1, 2))
    return d.phrase(PLACING, d.described("at most", d.group(n + 1), count=n)), n


def _number(d: Draw, a: Phrase, n: int, how: Literal["exactly", "at most"]) -> Meaning:
    """Beside a place counts as put there, or does not."""
    beside = tuple(g.beside for g in a.goals(d.drives) if g.beside)
    there = Number(states_of(a), n, how)
    return Open("put", (there, Number(beside, n, how))) if beside else there


def _never_more_than(d: Draw) -> Drawn:
    n = d.rng.choice((1, 2))
    a = d.phrase((*PLACING, "pick"), d.described("more than", d.group(n + 1), count=n))
    return _number(d, a, n, "at most"), {"a": a}


def _visit_at_most(d: Draw) -> Drawn:
    group = d.visited_group()
    n = d.rng.randint(1, len(group) - 1)
    a = d.going(d.described("at most", group, count=n))
    return Number(states_of(a), n, "at most in all"), {"a": a}


def _none(d: Draw) -> Drawn:
    a = d.phrase(PLACING, d.described("none", d.group(2)))
    return never_put(d, a), a.parts()


def _none_may_be(d: Draw) -> Drawn:
    a = d.phrase(PLACING, d.described("none", d.group(2)))
    return Never(states_of(a)), a.parts()


def _place(a: Phrase) -> str:
    return a.y.text if a.y else ""


def _all_but(d: Draw) -> Drawn:
    """What is left out may be forbidden, or just not asked for."""
    group = d.group(3)
    left = _left_out(d, group, 2)
    a = d.phrase(PLACING, d.described("all but", group, left_out=left))
    goal, never = Collect(a.goals(d.drives)), never_put(d, a.about(left))
    return Open("left out", (goal, Both((goal, never)))), {"a": a}


def _any_but(d: Draw) -> Drawn:
    group = d.group(3)
    left = _left_out(d, group, 2)
    a = d.phrase(PLACING, d.described("any but", group, left_out=left))
    goal, never = Either(a.goals(d.drives)), never_put(d, a.about(left))
    return Open("left out", (goal, Both((goal, never)))), {"a": a}


def _left_out(d: Draw, group: tuple[Thing, ...], most: int) -> Noun:
    count = d.rng.randint(1, min(most, len(group) - 1))
    nouns = [d.called(t) for t in d.rng.sample(group, count)]
    return nouns[0] if count == 1 else listed(nouns, "and")


def _colored(d: Draw) -> Drawn:
    fit = [
        color
        for color in {t.color for t in d.things}
        if all(t.category in d.kinds.carried for t in d.things if t.color == color)
    ]
    if not fit:
        raise NotHereError
    color = d.rng.choice(sorted(fit))
    names = tuple(t.name for t in d.things if t.color == color)
    d.used.update(names)
    text = d.rng.choice(d.words["several"]["colored"]).format(c=color)
    a = d.phrase(PLACING, Noun(text, names, text.endswith("things")))
    return Collect(a.goals(d.drives)), {"a": a}


def _list_and(d: Draw) -> Drawn:
    a = d.done_with(_two(d, "and"))
    return Open("list", (Collect(a.goals(d.drives)), Ordered(a.goals(d.drives)))), {"a": a}


def _list_or(d: Draw) -> Drawn:
    a = d.done_with(_two(d, "or"))
    return Either(a.goals(d.drives)), {"a": a}


def _two(d: Draw, word: str) -> Noun:
    return listed([d.noun(d.kinds.carried), d.noun(d.kinds.carried)], word)


def _pronoun_them(d: Draw) -> Drawn:
    """ "Pick up the mug and the block and put them on the tray": one by one, or all, then all."""
    a = d.phrase(("pick",), _two(d, "and"))
    b = d.phrase(PLACING, a.x)
    held, there = a.goals(d.drives), b.goals(d.drives)
    one_by_one = Both(tuple(Ordered(pair) for pair in zip(held, there, strict=True)))
    options = (
        one_by_one,
        Ordered((Collect(held), Collect(there))),
        Ordered((*held, Collect(there))),
    )
    meaning = Open("them", options)
    return meaning, {"a": a, "b": b.about(Noun("them", a.x.names))}


def _one_and_the_other(d: Draw) -> Drawn:
    """Of two things of a kind, each on its own place; which on which is free."""
    group = d.group(2)
    if len(group) != 2:
        raise NotHereError
    return _apart(d, group)


def _one_and_another(d: Draw) -> Drawn:
    return _apart(d, d.group(2))


def _apart(d: Draw, group: tuple[Thing, ...]) -> Drawn:
    first, second = _two_places(d, group)
    pairs = [(p, q) for p in group for q in group if p != q]
    options = tuple(
        Both(goals_of(d, first.about(d.called(p)), second.about(d.called(q)))) for p, q in pairs
    )
    return Either(options), _apart_fields(group, first, second)


def _one_and_the_others(d: Draw) -> Drawn:
    group = d.group(3)
    first, second = _two_places(d, group)
    options = tuple(_one_of(d, group, one, first, second) for one in group)
    return Either(options), _apart_fields(group, first, second)


def _one_of(
    d: Draw, group: tuple[Thing, ...], one: Thing, first: Phrase, second: Phrase
) -> Meaning:
    rest = Noun("", tuple(t.name for t in group if t != one))
    here = first.about(d.called(one)).goals(d.drives)
    return Both((*here, *second.about(rest).goals(d.drives)))


def _two_places(d: Draw, group: tuple[Thing, ...]) -> tuple[Phrase, Phrase]:
    first = d.phrase(("put_on",), d.called(group[0]))
    second = d.phrase(("put_on",), d.called(group[0]))
    if first.y is None or second.y is None or first.y.name == second.y.name:
        raise NotHereError
    return first, second


def _apart_fields(group: tuple[Thing, ...], first: Phrase, second: Phrase) -> Mapping[str, object]:
    kind = group[0].category
    return {"k": kind, "ks": plural(kind), "y": _place(first), "w": _place(second)}


def _only(d: Draw) -> Drawn:
    """Only X in Y: X in it, and nothing else of X's kind, or of all that can be carried."""
    a = d.phrase(("put_in",))
    thing = next(t for t in d.things if t.name == a.x.name)
    circles = (d.kinds.carried, (thing.category,), None)
    others = tuple(_others(d, a, kinds) for kinds in circles)
    goal = a.goal(d.drives)
    options: list[Meaning] = [
        Both((goal, never_put(d, a.about(Noun("", names))))) for names in others
    ]
    return Open("only", tuple(options)), {"x": a.x.text, "y": _place(a)}


def _everything_but(d: Draw) -> Drawn:
    """All that can be carried, strictly or in the widest sense, or all there is, but for one
    thing, which may be forbidden."""
    a = d.phrase(PLACING)
    options: list[Meaning] = []
    loose = tuple({t.category: None for t in d.things if t.category not in d.kinds.opened})
    for kinds in (d.kinds.carried, loose, None):
        rest = a.about(Noun("", _others(d, a, kinds)))
        goal = Collect(rest.goals(d.drives))
        options += [goal, Both((goal, never_put(d, a)))]
    text = d.rng.choice(d.words["several"]["everything but"]).format(e=a.x.text)
    return Open("left out", tuple(options)), {"a": a.about(Noun(text, a.x.names))}


def _others(d: Draw, a: Phrase, kinds: tuple[str, ...] | None) -> tuple[str, ...]:
    """All things of some kinds that an action does not speak of."""
    spoken_of = {*a.x.names, *(a.y.names if a.y else ())}
    return tuple(
        t.name
        for t in d.things
        if t.name not in spoken_of and (kinds is None or t.category in kinds)
    )


def _empty(d: Draw) -> Drawn:
    """Nothing in a container, or on something else: once, or at the end."""
    verb = d.rng.choice(PLACING)
    place = d.noun(d.kinds.inside if verb == "put_in" else d.kinds.on)
    a = Phrase(d.rng, verb, Noun("", ()), place)
    states = states_of(a.about(Noun("", _others(d, a, None))))
    out = "out of" if verb == "put_in" else "off"
    where = "in" if verb == "put_in" else "on"
    nothing = Facts(states, "none")
    meaning = Open("empty", (Goal(nothing), Finally(nothing)))
    return meaning, {"y": place.text, "out": out, "where": where}


CONSTRUCTS: Mapping[str, Construct] = {
    "all": _all, "visit all": _visit_all, "both": _both_of_two, "any": _any,
    "visit any": _visit_any, "so many": _so_many, "exactly so many": _exactly,
    "at most so many": _at_most, "at most may be put": _at_most, "at most may be": _at_most_may_be,
    "never more than": _never_more_than, "visit at most": _visit_at_most, "none": _none,
    "none may be put": _none, "none may be": _none_may_be, "all but": _all_but, "any but": _any_but,
    "a colour": _colored, "a list with and": _list_and, "a list with or": _list_or,
    "I do not mind": _list_or, "them": _pronoun_them, "one and the other": _one_and_the_other,
    "one and another": _one_and_another, "one and the others": _one_and_the_others, "only": _only,
    "everything but": _everything_but, "empty": _empty,
}  # fmt: skip
