"""Constructs of what words stand for: descriptions, pronouns, places where things were."""

from __future__ import annotations

from collections.abc import Mapping

from sayso.evaluation.language.drawing import (
    PLACING,
    Construct,
    Draw,
    Drawn,
    NotHereError,
    goals_of,
    never_put,
)
from sayso.evaluation.language.drawn_scenes import picked_out
from sayso.evaluation.language.meanings import Both, Collect, Fact, Facts, Goal, Open, Ordered
from sayso.evaluation.language.phrases import Noun, Phrase
from sayso.evaluation.language.scenes import Thing


def _told_apart(d: Draw, *hows: str) -> Drawn:
    """A goal about a thing that is described by another thing, or by its size."""
    group = d.group(2)
    how = d.rng.choice(hows)
    options = [t for t in d.things if t not in group]
    d.rng.shuffle(options)
    for landmark in options:
        found = picked_out(how, group, landmark)
        if found is not None:
            a = d.phrase(PLACING, d.told_apart(how, found, landmark))
            return a.goal(d.drives), {"a": a}
    raise NotHereError


def _relation(d: Draw) -> Drawn:
    return _told_apart(d, "left of", "right of", "behind", "in front of", "on")


def _closest(d: Draw) -> Drawn:
    return _told_apart(d, "closest")


def _outermost(d: Draw) -> Drawn:
    return _told_apart(d, "leftmost", "rightmost")


def _size(d: Draw) -> Drawn:
    return _told_apart(d, "smallest", "largest")


def _pronoun(d: Draw) -> Drawn:
    """ "Pick up the mug and put it on the plate": held, then there."""
    x = d.noun(d.kinds.carried)
    p = d.phrase(PLACING, x)
    held = Goal(Fact(("holding", x.name)))
    outcome = p.goal(d.drives)
    fields = {"x": x.text, "p": p.about(Noun("it", x.names))}
    return Open("it", (Ordered((held, outcome)), Both((held, outcome)))), fields


def _ellipsis(d: Draw) -> Drawn:
    group = d.group(2)
    one, other = d.rng.sample(group, 2)
    a = d.phrase(("put_on",), d.called(one))
    b = d.phrase(("put_on",), d.called(other))
    if other.color in {t.color for t in group if t != other}:
        raise NotHereError
    fields = {"a": a, "z": f"the {other.color} one", "w": b.y.text if b.y else ""}
    return Both(goals_of(d, a, b)), fields


def _same_with(d: Draw) -> Drawn:
    a = d.phrase(PLACING)
    z = d.noun(d.kinds.carried)
    return Both(goals_of(d, a, a.about(z))), {"a": a, "z": z.text}


def _instead(d: Draw) -> Drawn:
    a = d.phrase(("put_on",))
    z = d.noun(d.kinds.carried)
    goal, never = a.goal(d.drives), never_put(d, a.about(z))
    fields = {"x": a.x.text, "z": z.text, "y": a.y.text if a.y else ""}
    return Open("instead", (goal, Both((goal, never)))), fields


def _remark(d: Draw) -> Drawn:
    """Where a thing is, and then what is to be done with it."""
    thing, place = d.rng.choice(_on_something(d))
    d.used.update((thing.name, place.name))
    a = d.phrase(("pick", "put_in"), d.called(thing))
    fields = {"x": a.x.text, "y": d.called(place).text, "a": a.about(Noun("it", a.x.names))}
    return a.goal(d.drives), fields


def _put_back(d: Draw) -> Drawn:
    """Where it was: on the thing on which the scene shows it."""
    thing, place = d.rng.choice(_on_something(d))
    d.used.update((thing.name, place.name))
    b = d.phrase(("put_in",), d.called(thing))
    (there,) = goals_of(d, b)
    back = Phrase(d.rng, "put_on", b.x, d.called(place)).goal(d.drives)
    backs = (back, Goal(back.state), *([Goal(back.beside)] if back.beside else []))
    return Open("back", tuple(Ordered((there, b)) for b in backs)), {"b": b, "x": "it"}


def _swap(d: Draw) -> Drawn:
    """Each comes to be on what the other one was on, which for one of them may be the table."""
    one, place = d.rng.choice(_on_something(d))
    others: list[tuple[Thing, Thing | None]] = [
        (t, p) for t, p in _on_something(d) if t != one and p != place
    ]
    if not d.drives:
        others += [(t, None) for t in _on_the_table(d)]
    if not others:
        raise NotHereError
    other, elsewhere = d.rng.choice(others)
    d.used.update((one.name, other.name, place.name, *([elsewhere.name] if elsewhere else [])))
    goals = (_moved(d, other, place), _moved(d, one, elsewhere))
    options = (Goal(Facts(tuple(g.state for g in goals))), Collect(goals))
    return Open("swap", options), {"x": d.called(one).text, "z": d.called(other).text}


def _moved(d: Draw, thing: Thing, place: Thing | None) -> Goal:
    if place is None:
        return Goal(Fact(("on_table", thing.name)))
    return Phrase(d.rng, "put_on", d.called(thing), d.called(place)).goal(d.drives)


def _on_something(d: Draw) -> list[tuple[Thing, Thing]]:
    """What can be carried and lies on something that things are put on."""
    found = [
        (thing, place)
        for thing in d.of(d.kinds.carried)
        for place in d.of(d.kinds.on)
        if picked_out("on", (thing,), place)
    ]
    if not found:
        raise NotHereError
    return found


def _on_the_table(d: Draw) -> list[Thing]:
    stacked = {thing.name for thing, _ in _on_something(d)}
    return [t for t in d.of(d.kinds.carried) if t.name not in stacked]


CONSTRUCTS: Mapping[str, Construct] = {
    "relation": _relation, "closest": _closest, "outermost": _outermost, "pronoun": _pronoun,
    "ellipsis": _ellipsis, "same with": _same_with, "instead": _instead, "remark": _remark,
    "put back": _put_back, "swap": _swap,
}  # fmt: skip
ON_A_TABLE: Mapping[str, Construct] = {"size": _size}
