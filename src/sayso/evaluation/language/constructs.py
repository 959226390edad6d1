"""The constructs of instructions: each draws a meaning, and what fills its wordings.

The wordings of a construct are in `wordings.yaml` under its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from sayso.evaluation.language.drawing import Draw, NotHereError, states_of
from sayso.evaluation.language.drawn_scenes import picked_out
from sayso.evaluation.language.meanings import (
    Both,
    Collect,
    Either,
    Fact,
    Facts,
    Finally,
    Goal,
    If,
    Keep,
    Meaning,
    Never,
    NotUntil,
    Number,
    Open,
    Ordered,
    Times,
    Whenever,
    Without,
)
from sayso.evaluation.language.phrases import Noun, Phrase, listed, plural, sentence
from sayso.evaluation.language.scenes import Thing

Drawn: TypeAlias = "tuple[Meaning, Mapping[str, object]]"


@dataclass(frozen=True)
class Instruction:
    """A sentence, its meaning, and the things it is about."""

    construct: str
    text: str
    meaning: Meaning
    things: tuple[Thing, ...]


def constructs(drives: bool) -> tuple[str, ...]:
    """The names of those that a robot can be told: one that drives, or an arm."""
    return tuple(n for n in (*CONSTRUCTS, TWO) if not (drives and n in _ON_A_TABLE))


def draw(rng: Random, drives: bool, construct: str) -> Instruction:
    """An instruction of a construct, in a scene that has what it needs."""
    while True:
        try:
            d = Draw(rng, drives)
            return _two(d) if construct == TWO else _one(construct, d)
        except NotHereError:
            continue


def another(rng: Random, drives: bool, things: tuple[Thing, ...]) -> Instruction:
    """A further instruction about the things of a scene."""
    while True:
        try:
            return _one(rng.choice(_SINGLE), Draw(rng, drives, things))
        except NotHereError:
            continue


def _one(name: str, d: Draw) -> Instruction:
    meaning, fields = CONSTRUCTS[name](d)
    templates = d.words["constructs"][_WORDED_AS.get(name, name)]
    return Instruction(name, sentence(d.rng.choice(templates), d.rng, fields), meaning, d.things)


def _two(d: Draw) -> Instruction:
    """Two instructions, one after the other, as sentences."""
    first, second = (_one(d.rng.choice(_SINGLE), d) for _ in range(2))
    text = f"{first.text.rstrip('.')}. {second.text[:1].upper()}{second.text[1:]}"
    return Instruction(TWO, text, Both((first.meaning, second.meaning)), d.things)


# -- goals ---------------------------------------------------------------------------------


def _actions(d: Draw, count: int) -> list[Phrase]:
    return [d.goal() for _ in range(count)]


def _goals(d: Draw, phrases: list[Phrase]) -> tuple[Goal, ...]:
    return tuple(p.goal(d.drives) for p in phrases)


def _goal(d: Draw) -> Drawn:
    a = d.goal()
    return a.goal(d.drives), {"a": a}


def _wish(d: Draw) -> Drawn:
    a = d.goal()
    return Open("wish", (a.goal(d.drives), Finally(Fact(a.atoms()[0])))), {"a": a}


def _make_sure(d: Draw) -> Drawn:
    """A state to be left behind, or as good as that: brought about."""
    s = d.condition()
    state = Finally(Fact(s.atoms()[0]))
    return Open("wish", (state, s.goal(d.drives))), {"s": s}


def _then(d: Draw) -> Drawn:
    a, b = _actions(d, 2)
    return Ordered(_goals(d, [a, b])), {"a": a, "b": b}


def _then_three(d: Draw) -> Drawn:
    a, b, c = _actions(d, 3)
    return Ordered(_goals(d, [a, b, c])), {"a": a, "b": b, "c": c}


def _and(d: Draw) -> Drawn:
    a, b = _actions(d, 2)
    return Both(_goals(d, [a, b])), {"a": a, "b": b}


def _and_three(d: Draw) -> Drawn:
    a, b, c = _actions(d, 3)
    return Both(_goals(d, [a, b, c])), {"a": a, "b": b, "c": c}


def _or(d: Draw) -> Drawn:
    a, b = _actions(d, 2)
    return Either(_goals(d, [a, b])), {"a": a, "b": b}


def _or_three(d: Draw) -> Drawn:
    a, b, c = _actions(d, 3)
    return Either(_goals(d, [a, b, c])), {"a": a, "b": b, "c": c}


def _goal_or_never(d: Draw) -> Drawn:
    a, f = d.goal(), d.ban()
    return Either((a.goal(d.drives), Never(states_of(f)))), {"a": a, "f": f}


def _before(d: Draw) -> Drawn:
    a, b = _actions(d, 2)
    return Ordered(_goals(d, [a, b]), strict=True), {"a": a, "b": b}


# -- prohibitions --------------------------------------------------------------------------


def _never(d: Draw) -> Drawn:
    f = d.ban()
    return Never(states_of(f)), {"f": f}


def _never_several(d: Draw) -> Drawn:
    f = _several_banned(d)
    return Never(states_of(f)), {"f": f}


def _never_listed(d: Draw) -> Drawn:
    f = _listed_banned(d)
    return Never(states_of(f)), {"f": f}


def _several_banned(d: Draw) -> Phrase:
    kinds = ("chair", "desk") if d.drives else d.kinds.carried
    group = d.several(2, kinds)
    return d.phrase(_SIMPLE_BANS[d.drives], d.described("forbidden", group))


def _listed_banned(d: Draw) -> Phrase:
    verb = d.rng.choice(_SIMPLE_BANS[d.drives])
    kinds = d.kinds.visited if d.drives else d.kinds.carried
    x = listed([d.noun(kinds), d.noun(kinds)], d.rng.choice(("and", "or")))
    return d.phrase((verb,), x)


_SIMPLE_BANS = {True: ("approach",), False: ("touch", "pick", "put_in", "put_on")}


def _never_and_goal(d: Draw) -> Drawn:
    f = d.rng.choice((Draw.ban, _several_banned, _listed_banned))(d)
    a = d.goal()
    return Both((a.goal(d.drives), Never(states_of(f)))), {"a": a, "f": f}


def _leave_alone(d: Draw) -> Drawn:
    """Who only drives up to a thing may or may not leave it alone."""
    x = d.noun(d.kinds.carried)
    verbs = ("pick", "approach") if d.drives else ("touch",)
    never = tuple(Never(states_of(Phrase(d.rng, v, x))) for v in verbs)
    return Open("alone", never), {"x": x.text}


def _leave_alone_and_goal(d: Draw) -> Drawn:
    never, fields = _leave_alone(d)
    a = d.goal()
    return Both((a.goal(d.drives), never)), {**fields, "a": a}


def _not_until(d: Draw) -> Drawn:
    f, s = d.ban(), d.condition()
    return NotUntil(states_of(f), Fact(s.atoms()[0])), {"f": f, "s": s}


def _not_until_several(d: Draw) -> Drawn:
    f, s = _several_banned(d), d.condition()
    return NotUntil(states_of(f), Fact(s.atoms()[0])), {"f": f, "s": s}


def _not_until_and_goal(d: Draw) -> Drawn:
    f = d.rng.choice((Draw.ban, _several_banned))(d)
    s, a = d.condition(), d.goal()
    ban = NotUntil(states_of(f), Fact(s.atoms()[0]))
    return Both((a.goal(d.drives), ban)), {"f": f, "s": s, "a": a}


def _without(d: Draw) -> Drawn:
    a, f = d.goal(), d.ban()
    return Without(a.goal(d.drives), states_of(f)), {"a": a, "f": f}


def _without_several(d: Draw) -> Drawn:
    f, a = d.rng.choice((_several_banned, _listed_banned))(d), d.goal()
    return Without(a.goal(d.drives), states_of(f)), {"a": a, "f": f}


def _keep(d: Draw) -> Drawn:
    s = d.condition()
    return Keep(Fact(s.atoms()[0])), {"s": s}


def _keep_and_goal(d: Draw) -> Drawn:
    s, a = d.condition(), d.goal()
    return Both((a.goal(d.drives), Keep(Fact(s.atoms()[0])))), {"s": s, "a": a}


def _keep_while(d: Draw) -> Drawn:
    s, a = d.condition(), d.goal()
    return Keep(Fact(s.atoms()[0]), a.goal(d.drives)), {"s": s, "a": a}


# -- conditions and counts -----------------------------------------------------------------


def _if(d: Draw) -> Drawn:
    s, a = d.condition(), d.goal()
    return If(Fact(s.atoms()[0]), a.goal(d.drives)), {"s": s, "a": a}


def _if_otherwise(d: Draw) -> Drawn:
    s, a, b = d.condition(), d.goal(), d.goal()
    meaning = If(Fact(s.atoms()[0]), a.goal(d.drives), b.goal(d.drives))
    return meaning, {"s": s, "a": a, "b": b}


def _unless(d: Draw) -> Drawn:
    s, a = d.condition(), d.goal()
    return If(Fact(s.atoms()[0], true=False), a.goal(d.drives)), {"s": s, "a": a}


def _whenever(d: Draw) -> Drawn:
    s, a = d.condition(), d.goal()
    return Whenever(Fact(s.atoms()[0]), a.goal(d.drives)), {"s": s, "a": a}


def _as_soon_as(d: Draw) -> Drawn:
    s, a = d.condition(), d.goal()
    return Whenever(Fact(s.atoms()[0]), a.goal(d.drives), once=True), {"s": s, "a": a}


def _counted(d: Draw) -> Phrase:
    return d.phrase(("go", "pick") if d.drives else ("touch", "open"))


def _twice(d: Draw) -> Drawn:
    a, n = _counted(d), d.rng.choice((2, 3))
    state = Fact(a.atoms()[0])
    how = Open("twice", (Times(state, n, "at least"), Times(state, n, "exactly")))
    return how, {"a": a, "n": d.words["times"][n]}


def _exactly_so_often(d: Draw) -> Drawn:
    a, n = _counted(d), d.rng.choice((1, 2, 3))
    return Times(Fact(a.atoms()[0]), n, "exactly"), {"a": a, "n": d.words["times"][n]}


def _at_least_so_often(d: Draw) -> Drawn:
    a, n = _counted(d), 2
    return Times(Fact(a.atoms()[0]), n, "at least"), {"a": a, "n": d.words["times"][n]}


def _at_most_so_often(d: Draw) -> Drawn:
    a, n = _counted(d), d.rng.choice((1, 2))
    return Times(Fact(a.atoms()[0]), n, "at most"), {"a": a, "n": d.words["times"][n]}


# -- several things ------------------------------------------------------------------------

_PLACING = ("put_on", "put_in")


def _done_with(d: Draw, x: Noun) -> Phrase:
    """An action that can be done with several things."""
    return d.phrase((*_PLACING, "pick"), x)


def _group(d: Draw, least: int) -> tuple[Thing, ...]:
    return d.several(least, d.kinds.carried)


def _all(d: Draw) -> Drawn:
    a = _done_with(d, d.described("all", _group(d, 2)))
    return Collect(a.goals(d.drives)), {"a": a}


def _visit_all(d: Draw) -> Drawn:
    if not d.drives:
        return _all(d)
    a = d.phrase(("go",), d.described("all", d.several(2, ("chair", "desk"))))
    return Collect(a.goals(d.drives)), {"a": a}


def _both_of_two(d: Draw) -> Drawn:
    group = _group(d, 2)
    if len(group) != 2:
        raise NotHereError
    a = _done_with(d, d.described("both", group))
    return Collect(a.goals(d.drives)), {"a": a}


def _any(d: Draw) -> Drawn:
    a = _done_with(d, d.described("any", _group(d, 2)))
    return Either(a.goals(d.drives)), {"a": a}


def _visit_any(d: Draw) -> Drawn:
    if not d.drives:
        return _any(d)
    a = d.phrase(("go",), d.described("any", d.several(2, ("chair", "desk"))))
    return Either(a.goals(d.drives)), {"a": a}


def _so_many(d: Draw) -> Drawn:
    a = _done_with(d, d.described("at least", _group(d, 3), count=2))
    return Collect(a.goals(d.drives), least=2), {"a": a}


def _exactly(d: Draw) -> Drawn:
    n = d.rng.choice((1, 2))
    a = d.phrase(_PLACING, d.described("exactly", _group(d, n + 1), count=n))
    return _limited(a, n), {"a": a}


def _limited(a: Phrase, n: int) -> Meaning:
    return Number(states_of(a), n, "exactly")


def _at_most(d: Draw) -> Drawn:
    n = d.rng.choice((1, 2))
    a = d.phrase(_PLACING, d.described("at most", _group(d, n + 1), count=n))
    return Number(states_of(a), n, "at most"), {"a": a}


def _none(d: Draw) -> Drawn:
    a = d.phrase(("put_in", "put_on"), d.described("none", _group(d, 2)))
    return _never_put(d, a), {"a": a}


def _never_put(d: Draw, a: Phrase) -> Meaning:
    """Beside it counts as put there by the convention of LIMP's instructions: then never that."""
    beside = tuple(g.beside for g in a.goals(d.drives) if g.beside)
    never = Never(states_of(a))
    return Open("put", (never, Never(beside))) if beside else never


def _all_but(d: Draw) -> Drawn:
    """What is left out may be forbidden, or just not asked for."""
    group = _group(d, 3)
    left = _left_out(d, group, 2)
    a = d.phrase(_PLACING, d.described("all but", group, left_out=left))
    goal, never = Collect(a.goals(d.drives)), _never_put(d, a.about(left))
    return Open("left out", (goal, Both((goal, never)))), {"a": a}


def _any_but(d: Draw) -> Drawn:
    group = _group(d, 3)
    left = _left_out(d, group, 2)
    a = d.phrase(_PLACING, d.described("any but", group, left_out=left))
    goal, never = Either(a.goals(d.drives)), _never_put(d, a.about(left))
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
    a = d.phrase(_PLACING, Noun(text, names, text.endswith("things")))
    return Collect(a.goals(d.drives)), {"a": a}


def _list_and(d: Draw) -> Drawn:
    x = listed([d.noun(d.kinds.carried), d.noun(d.kinds.carried)], "and")
    a = _done_with(d, x)
    return Open("list", (Collect(a.goals(d.drives)), Ordered(a.goals(d.drives)))), {"a": a}


def _list_or(d: Draw) -> Drawn:
    x = listed([d.noun(d.kinds.carried), d.noun(d.kinds.carried)], "or")
    a = _done_with(d, x)
    return Either(a.goals(d.drives)), {"a": a}


# -- references ----------------------------------------------------------------------------


def _told_apart(d: Draw, *hows: str) -> Drawn:
    """A goal about a thing that is described by another thing, or by its size."""
    group = _group(d, 2)
    how = d.rng.choice(hows)
    options = [t for t in d.things if t not in group]
    d.rng.shuffle(options)
    for landmark in options:
        found = picked_out(how, group, landmark)
        if found is not None:
            x = d.told_apart(how, found, landmark)
            a = d.phrase(_PLACING, x)
            return a.goal(d.drives), {"a": a}
    raise NotHereError


def _relation(d: Draw) -> Drawn:
    return _told_apart(d, "left of", "right of", "on")


def _closest(d: Draw) -> Drawn:
    return _told_apart(d, "closest")


def _size(d: Draw) -> Drawn:
    return _told_apart(d, "smallest", "largest")


def _pronoun(d: Draw) -> Drawn:
    """ "Pick up the mug and put it on the plate": held, then there."""
    x = d.noun(d.kinds.carried)
    p = d.phrase(_PLACING, x)
    held = Goal(Fact(("holding", x.name)))
    outcome = p.goal(d.drives)
    fields = {"x": x.text, "p": p.about(Noun("it", x.names))}
    return Open("it", (Ordered((held, outcome)), Both((held, outcome)))), fields


def _ellipsis(d: Draw) -> Drawn:
    group = d.several(2, d.kinds.carried)
    one, other = d.rng.sample(group, 2)
    a = d.phrase(("put_on",), d.called(one))
    b = d.phrase(("put_on",), d.called(other))
    if other.color in {t.color for t in group if t != other}:
        raise NotHereError
    meaning = Both((a.goal(d.drives), b.goal(d.drives)))
    return meaning, {"a": a, "z": f"the {other.color} one", "w": b.y.text if b.y else ""}


def _same_with(d: Draw) -> Drawn:
    a = d.phrase(_PLACING)
    z = d.noun(d.kinds.carried)
    meaning = Both((a.goal(d.drives), a.about(z).goal(d.drives)))
    return meaning, {"a": a, "z": z.text}


def _one_and_the_other(d: Draw) -> Drawn:
    """Of two things of a kind, each on its own place; which on which is free."""
    group = _group(d, 2)
    if len(group) != 2:
        raise NotHereError
    return _apart(d, group)


def _one_and_another(d: Draw) -> Drawn:
    return _apart(d, _group(d, 2))


def _apart(d: Draw, group: tuple[Thing, ...]) -> Drawn:
    kind = group[0].category
    first = d.phrase(("put_on",), d.called(group[0]))
    second = d.phrase(("put_on",), d.called(group[0]))
    if first.y is None or second.y is None or first.y.name == second.y.name:
        raise NotHereError
    pairs = [(p, q) for p in group for q in group if p != q]
    options = tuple(
        Both((first.about(d.called(p)).goal(d.drives), second.about(d.called(q)).goal(d.drives)))
        for p, q in pairs
    )
    fields = {"k": kind, "ks": plural(kind), "y": first.y.text, "w": second.y.text}
    return Either(options), fields


def _only(d: Draw) -> Drawn:
    """Only X in Y: X in it, and nothing else of X's kind, or of all that can be carried."""
    a = d.phrase(("put_in",))
    thing = next(t for t in d.things if t.name == a.x.name)
    circles = (d.kinds.carried, (thing.category,), None)
    others = tuple(
        tuple(
            t.name
            for t in d.things
            if t.name not in (a.x.name, a.y.name if a.y else "")
            and (kinds is None or t.category in kinds)
        )
        for kinds in circles
    )
    goal = a.goal(d.drives)
    options: list[Meaning] = [
        Both((goal, _never_put(d, a.about(Noun("", names))))) for names in others
    ]
    return Open("only", tuple(options)), {"x": a.x.text, "y": a.y.text if a.y else ""}


def _instead(d: Draw) -> Drawn:
    a = d.phrase(("put_on",))
    z = d.noun(d.kinds.carried)
    goal, never = a.goal(d.drives), _never_put(d, a.about(z))
    fields = {"x": a.x.text, "z": z.text, "y": a.y.text if a.y else ""}
    return Open("instead", (goal, Both((goal, never)))), fields


def _put_back(d: Draw) -> Drawn:
    """Where it was: on the plate on which the scene shows it."""
    block, plate = _stacked(d)
    d.used.update((block.name, plate.name))
    b = d.phrase(("put_in",), d.called(block))
    back = Goal(Fact(("on", block.name, plate.name)))
    return Ordered((b.goal(d.drives), back)), {"b": b, "x": "it"}


def _swap(d: Draw) -> Drawn:
    """What lies on something, and what that lies on, cannot change places; two stacks can."""
    block, plate = _stacked(d)
    others = [t for t in d.of(d.kinds.carried) if t != block]
    if not others:
        raise NotHereError
    other = d.rng.choice(others)
    d.used.update((block.name, plate.name, other.name))
    there, here = Fact(("on", other.name, plate.name)), Fact(("on_table", block.name))
    options = (Goal(Facts((there, here))), Both((Goal(there), Goal(here))))
    return Open("swap", options), {"x": d.called(block).text, "z": d.called(other).text}


def _stacked(d: Draw) -> tuple[Thing, Thing]:
    plates = {t.position[:2]: t for t in d.things if t.category == "plate"}
    for thing in d.things:
        if thing.category == "block" and thing.position[:2] in plates:
            return thing, plates[thing.position[:2]]
    raise NotHereError


CONSTRUCTS: Mapping[str, Callable[[Draw], Drawn]] = {
    "goal": _goal, "wish": _wish, "polite": _goal, "make sure": _make_sure,
    "then": _then, "then three": _then_three, "and": _and, "and three": _and_three,
    "or": _or, "or three": _or_three, "goal or never": _goal_or_never,
    "before": _before, "only after": _before,
    "never": _never, "never, several": _never_several, "never, a list": _never_listed,
    "never, and a goal": _never_and_goal, "leave alone": _leave_alone,
    "leave alone, and a goal": _leave_alone_and_goal,
    "not until": _not_until, "not until, several": _not_until_several,
    "not until, and a goal": _not_until_and_goal,
    "without": _without, "without, several": _without_several,
    "keep": _keep, "keep, and a goal": _keep_and_goal, "keep while": _keep_while,
    "finally": _make_sure, "if": _if, "if, otherwise": _if_otherwise, "unless": _unless,
    "whenever": _whenever, "as soon as": _as_soon_as,
    "twice": _twice, "exactly so often": _exactly_so_often, "at least so often": _at_least_so_often,
    "at most so often": _at_most_so_often,
    "all": _all, "visit all": _visit_all, "both": _both_of_two, "any": _any,
    "visit any": _visit_any, "so many": _so_many, "exactly so many": _exactly,
    "at most so many": _at_most, "none": _none, "all but": _all_but, "any but": _any_but,
    "a colour": _colored, "a list with and": _list_and, "a list with or": _list_or,
    "relation": _relation, "closest": _closest, "size": _size,
    "pronoun": _pronoun, "ellipsis": _ellipsis, "same with": _same_with,
    "one and the other": _one_and_the_other, "one and another": _one_and_another,
    "only": _only, "instead": _instead, "put back": _put_back, "swap": _swap,
}  # fmt: skip
TWO = "two sentences"
_ON_A_TABLE = frozenset({"put back", "swap", "size"})
_WORDED_AS = {
    "never, several": "never", "never, a list": "never", "not until, several": "not until",
    "without, several": "without", "all": "goal", "visit all": "goal", "both": "goal",
    "any": "goal", "visit any": "goal", "so many": "goal", "exactly so many": "goal",
    "at most so many": "goal", "none": "goal", "all but": "goal", "any but": "goal",
    "a colour": "goal", "a list with and": "goal", "a list with or": "goal",
    "relation": "goal", "closest": "goal", "size": "goal",
}  # fmt: skip
_SINGLE = ("goal", "polite", "then", "before", "never", "not until", "keep", "if", "whenever",
           "all", "any", "never, several", "pronoun")  # fmt: skip
