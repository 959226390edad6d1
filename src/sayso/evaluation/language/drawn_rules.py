"""Constructs of what has to be kept to: prohibitions, and states that last."""

from __future__ import annotations

from collections.abc import Mapping

from sayso.evaluation.language.drawing import (
    PLACING,
    Construct,
    Draw,
    Drawn,
    never_put,
    state_of,
    states_of,
)
from sayso.evaluation.language.meanings import (
    Both,
    Fact,
    Facts,
    If,
    Keep,
    Leg,
    Meaning,
    Never,
    NotAfter,
    NotUntil,
    Open,
    Ordered,
    Without,
)
from sayso.evaluation.language.phrases import Noun, Phrase, listed


def _never(d: Draw) -> Drawn:
    f = d.ban()
    return Never(states_of(f)), {"f": f}


def _never_several(d: Draw) -> Drawn:
    f = d.several_banned()
    return Never(states_of(f)), {"f": f}


def _never_listed(d: Draw) -> Drawn:
    f = d.listed_banned()
    return Never(states_of(f)), {"f": f}


def _any_ban(d: Draw) -> Phrase:
    return d.rng.choice((Draw.ban, Draw.several_banned, Draw.listed_banned))(d)


def _never_and_goal(d: Draw) -> Drawn:
    f, a = _any_ban(d), d.goal()
    return Both((a.goal(d.drives), Never(states_of(f)))), {"a": a, "f": f}


def _never_because(d: Draw) -> Drawn:
    f, s = d.ban(), d.condition()
    return Never(states_of(f)), {"f": f, "s": s}


def _neither(d: Draw) -> Drawn:
    verb = "approach" if d.drives else "touch"
    kinds = d.kinds.visited if d.drives else d.kinds.carried
    x = listed([d.noun(kinds), d.noun(kinds)], "nor")
    f = Phrase(d.rng, verb, Noun(f"neither {x.text}", x.names))
    return Never(states_of(f)), {"f": f, "g": f.about(x)}


def _may_not_be(d: Draw) -> Drawn:
    """ "The block must not be on the plate"."""
    f = d.phrase(PLACING)
    return Never(states_of(f)), f.parts()


def _may_not_be_put(d: Draw) -> Drawn:
    f = d.phrase(PLACING)
    return never_put(d, f), f.parts()


def _nothing_but(d: Draw) -> Drawn:
    """What is spared may have to be done, or may just be done."""
    a = d.phrase(("approach",) if d.drives else ("touch",))
    never = Never(states_of(a.about(_all_other(d, a))))
    fields = {
        name: a.about(Noun(d.rng.choice(d.words["several"][how]).format(e=a.x.text), a.x.names))
        for name, how in (("f", "anything but"), ("n", "nothing but"))
    }
    return Open("but", (never, Both((a.goal(d.drives), never)))), {**fields, "x": a.x.text}


def _only_may_be(d: Draw) -> Drawn:
    a = d.phrase(PLACING)
    never = Never(states_of(a.about(_all_other(d, a))))
    return Open("but", (never, Both((a.goal(d.drives), never)))), a.parts()


def _only_may_be_put(d: Draw) -> Drawn:
    a = d.phrase(PLACING)
    never = never_put(d, a.about(_all_other(d, a)))
    return Open("but", (never, Both((a.goal(d.drives), never)))), a.parts()


def _all_other(d: Draw, a: Phrase) -> Noun:
    spared = {*a.x.names, *(a.y.names if a.y else ())}
    return Noun("", tuple(t.name for t in d.things if t.name not in spared))


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
    return NotUntil(states_of(f), state_of(s)), {"f": f, "s": s}


def _not_until_several(d: Draw) -> Drawn:
    f, s = d.several_banned(), d.condition()
    return NotUntil(states_of(f), state_of(s)), {"f": f, "s": s}


def _not_until_and_goal(d: Draw) -> Drawn:
    f = d.rng.choice((Draw.ban, Draw.several_banned))(d)
    s, a = d.condition(), d.goal()
    ban = NotUntil(states_of(f), state_of(s))
    return Both((a.goal(d.drives), ban)), {"f": f, "s": s, "a": a}


def _not_after(d: Draw) -> Drawn:
    f, s = d.rng.choice((Draw.ban, Draw.several_banned))(d), d.condition()
    return NotAfter(states_of(f), state_of(s)), {"f": f, "s": s}


def _not_while(d: Draw) -> Drawn:
    f, s = d.rng.choice((Draw.ban, Draw.several_banned))(d), d.condition()
    return Never(_during(f, state_of(s))), {"f": f, "s": s}


def _never_unless(d: Draw) -> Drawn:
    """As things are at that moment, or as they are at the beginning."""
    f, s = d.ban(), d.condition()
    otherwise = state_of(s, true=False)
    options = (Never(_during(f, otherwise)), If(otherwise, Never(states_of(f))))
    return Open("unless", options), {"f": f, "s": s}


def _during(f: Phrase, state: Fact) -> tuple[Facts, ...]:
    return tuple(Facts((banned, state)) for banned in states_of(f))


def _without(d: Draw) -> Drawn:
    a, f = d.goal(), d.ban()
    return Without(a.goal(d.drives), states_of(f)), {"a": a, "f": f}


def _without_several(d: Draw) -> Drawn:
    f, a = d.rng.choice((Draw.several_banned, Draw.listed_banned))(d), d.goal()
    return Without(a.goal(d.drives), states_of(f)), {"a": a, "f": f}


def _without_then(d: Draw) -> Drawn:
    """What is forbidden of the first step, or of all."""
    a, f, b = d.goal(), _any_ban(d), d.goal()
    first = Without(a.goal(d.drives), states_of(f))
    return Ordered((first, b.goal(d.drives))), {"a": a, "f": f, "b": b}


def _on_the_way(d: Draw) -> Drawn:
    a, b, f = d.phrase(("go",)), d.phrase(("go",)), d.phrase(("approach",))
    meaning = Leg(state_of(a), state_of(b), states_of(f))
    return meaning, {"a": a, "b": b, "f": f, "y": b.x.text, "z": f.x.text}


def _keep(d: Draw) -> Drawn:
    s = d.condition()
    return Keep(state_of(s)), {"s": s}


def _keep_and_goal(d: Draw) -> Drawn:
    s, a = d.condition(), d.goal()
    return Both((a.goal(d.drives), Keep(state_of(s)))), {"s": s, "a": a}


def _keep_while(d: Draw) -> Drawn:
    s, a = d.condition(), d.goal()
    return Keep(state_of(s), a.goal(d.drives)), {"s": s, "a": a}


def _keep_until(d: Draw) -> Drawn:
    """Kept is the same as: its opposite not until then."""
    s, t = d.condition(), d.condition()
    meaning: Meaning = NotUntil((state_of(s, true=False),), state_of(t))
    return meaning, {"s": s, "t": t}


CONSTRUCTS: Mapping[str, Construct] = {
    "never": _never, "never, several": _never_several, "never, a list": _never_listed,
    "never, and a goal": _never_and_goal, "never because": _never_because, "neither": _neither,
    "may not be": _may_not_be, "may not be put": _may_not_be_put, "nothing but": _nothing_but,
    "only may be": _only_may_be, "only may be put": _only_may_be_put, "leave alone": _leave_alone,
    "leave alone, and a goal": _leave_alone_and_goal, "not until": _not_until,
    "not until, several": _not_until_several, "not until, and a goal": _not_until_and_goal,
    "not after": _not_after, "not while": _not_while, "never unless": _never_unless,
    "without": _without, "without, several": _without_several, "without, then": _without_then,
    "keep": _keep, "keep, and a goal": _keep_and_goal, "keep while": _keep_while,
    "keep until": _keep_until,
}  # fmt: skip
IN_A_FLAT: Mapping[str, Construct] = {"on the way": _on_the_way}
