"""What was never tried is looked for: other kinds, colors, widths, and what is on a thing."""

from __future__ import annotations

from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Atom, Literal, SymbolicState
from sayso.learning.operators import OperatorLearner
from sayso.learning.transitions import Transition
from sayso.learning.unmet import Met, features, unmet

ARITIES = {"joined": 2, "covered": 1}
SKILLS = {"join": 2}
BASE = SceneObject("red_base", "base", "red", (0.4, 0.0, 0.0), (0.1, 0.1, 0.02))


def disc(name: str, color: str = "red", width: float = 0.05, **more: bool) -> SceneObject:
    return SceneObject(name, "disc", color, (0.4, 0.3, 0.0), (width, width, 0.02), attributes=more)


def scene(*things: SceneObject) -> Scene:
    return Scene(0.0, (BASE, *things))


def state(seen: Scene, *true: Atom) -> SymbolicState:
    names = tuple(o.name for o in seen.objects)
    every = [Atom("joined", (a, b)) for a in names for b in names if a != b]
    every += [Atom("covered", (a,)) for a in names]
    return SymbolicState(0.0, names, {a: a in true for a in every})


def chosen(
    now: Scene,
    *true: Atom,
    avoid: tuple[str, ...] = (),
    everything: bool = False,
    disputed: tuple[Atom, ...] = (),
) -> tuple[str, ...] | None:
    """What is looked for once a red disc was joined to the red base, or all was joined to all."""
    first = scene(disc("red_disc"))
    before = state(first)
    joined = Atom("joined", ("red_disc", "red_base"))
    learner = OperatorLearner(ARITIES)
    args = ("red_disc", "red_base")
    learned = learner.step(Transition(before, "join", args, state(first, joined)))
    met = [Met(first, before, ("join", args))]
    if everything:
        both = [Atom("joined", args), Atom("joined", args[::-1])]
        states = [before, *(state(first, a) for a in both), state(first, *both)]
        met = [Met(first, s, ("join", a)) for s in states for a in (args, args[::-1])]
    avoided = [("join", avoid)] if avoid else []
    if disputed:
        learned = learner.step(refused(before))
    found = unmet(now, state(now, *true), learned, SKILLS, met, avoided, disputed)
    return found.args if found else None


def refused(before: SymbolicState) -> Transition:
    """To join things needs the second to be bare."""
    needs = (Literal(Atom("covered", ("red_base",)), False),)
    return Transition(before, "join", ("red_disc", "red_base"), feasible=False, because=needs)


def test_what_is_in_dispute_comes_before_what_is_new() -> None:
    """Another program that explains all labels says that the plain disc is covered."""
    plain, odd = disc("red_disc"), disc("blue_disc", "blue", 0.2, wet=True)
    found = chosen(scene(plain, odd))
    assert found is not None and "blue_disc" in found
    found = chosen(scene(plain, odd), disputed=(Atom("covered", ("red_disc",)),))
    assert found is not None and found[1] == "red_disc"


def test_what_was_met_is_not_looked_for() -> None:
    args = ("red_disc", "red_base")
    now = scene(disc("red_disc"))
    assert chosen(now, everything=True) is None
    assert chosen(now) == ("red_base", "red_disc")
    assert features(now, state(now), args) == {
        "0 is a disc", "1 is a base", "0 and 1 have the same color", "1 is wider than 0"
    }  # fmt: skip


def test_another_color_width_attribute_or_what_is_on_it_is_looked_for() -> None:
    args, other = ("red_disc", "red_base"), ("red_base", "red_disc")
    for changed in (
        disc("red_disc", "blue"),
        disc("red_disc", width=0.2),
        disc("red_disc", wet=True),
    ):
        assert chosen(scene(changed), avoid=other) == args
    now = scene(disc("red_disc"))
    assert chosen(now, Atom("covered", ("red_base",)), avoid=other) == args


def test_the_strangest_comes_first_and_what_leads_nowhere_never() -> None:
    odd = disc("blue_disc", "blue", 0.2, wet=True)
    found = chosen(scene(disc("red_disc", "blue"), odd))
    assert found is not None and "blue_disc" in found
    assert chosen(scene(disc("red_disc", "blue"), odd), avoid=found) != found
