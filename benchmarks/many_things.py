"""Truths and graph of a scene, grounding of operators, a plan, a repair, with 12 to 300 things.

    python benchmarks/many_things.py [--seed N] [--repeats N]

The things lie about on tables 0.6 m apart, twelve on each, a few of them stacked; the task, of
eleven steps, is to put four of them in a bowl and one in a drawer that is shut and shall be open.
"Grounding" is with those things that seem to matter, "all ground" with all; "any" is a plan for one
block, whichever, in the bowl. "Flat" is the truths of as many things of a flat that stand close
together, "graph" the scene graph and its text, which perception publishes with every scene. Prints
medians of processor time, so that what else the machine does counts little, and their ratios to 12
things. Targets at 240: truths 50 ms, grounding 300 ms, plan 1000 ms; at 300: bridge 10 ms, a repair
where "put it in the drawer" finds the drawer shut and nothing in the hand.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle, islice

from sayso.adapters.planners.portfolio import PortfolioPlanner
from sayso.core.errors import Code
from sayso.core.failure import Failure
from sayso.core.geometry import Pose
from sayso.core.library import Library, builtin_path, load
from sayso.core.predicates import symbolic_state
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.core.symbols import PlanStep
from sayso.logic.formula import Always, Eventually, Not, Prop, conjunction, disjunction
from sayso.logic.progression import progression_of
from sayso.perception.scene_graph import scene_graph
from sayso.perception.scene_text import lines
from sayso.planning.bridging import Bridge
from sayso.planning.grounding import candidate_actions, ground
from sayso.planning.letters import letter_atoms
from sayso.planning.problem import PlanLimits, PlanningProblem, observed_problem
from sayso.planning.relevance import focused
from sayso.planning.repair import BrokenPlan

COUNTS = (12, 60, 240, 300)
ON_A_TABLE = 12
KINDS = (
    ("block", (0.045, 0.045, 0.045)), ("block", (0.045, 0.045, 0.045)),
    ("mug", (0.08, 0.08, 0.09)), ("plate", (0.2, 0.2, 0.012)), ("bowl", (0.15, 0.15, 0.05)),
    ("block", (0.045, 0.045, 0.045)), ("coaster", (0.1, 0.1, 0.008)), ("drawer", (0.2, 0.2, 0.1)),
)  # fmt: skip
FURNITURE = (
    ("table", (1.2, 0.8, 0.75)), ("mug", (0.08, 0.08, 0.1)), ("book", (0.2, 0.15, 0.03)),
    ("chair", (0.5, 0.5, 0.9)), ("fridge", (0.7, 0.7, 1.7)), ("cupboard", (1.0, 0.5, 2.0)),
    ("can", (0.07, 0.07, 0.12)), ("lamp", (0.2, 0.2, 0.5)),
)  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    library, flat, first = load(builtin_path()), load(builtin_path("flat")), dict[str, float]()
    for count in COUNTS:
        scene = scattered(count, random.Random(options.seed))
        rooms = furnished(count, random.Random(options.seed))
        in_flat = _median_ms(lambda s=rooms: symbolic_state(s, flat.predicates), options.repeats)
        for what, ms in {"flat": in_flat, **_timed(library, scene, options.repeats)}.items():
            ratio = ms / first.setdefault(what, ms)
            print(f"{count:4d} things  {what:10s} {ms:9.1f} ms   ratio {ratio:7.1f}", flush=True)


def scattered(count: int, rng: random.Random) -> Scene:
    """A scene of that many things, a quarter of the blocks on plates and coasters."""
    things: list[SceneObject] = []
    for number, (kind, size) in enumerate(islice(cycle(KINDS), count)):
        table, place = divmod(number, ON_A_TABLE)
        x, y = 0.6 * table + 0.03 * rng.random(), 0.25 * place + 0.03 * rng.random()
        z = size[2] / 2
        if kind == "block" and number % 4 == 1 and things[-1].category in ("plate", "coaster"):
            x, y = things[-1].position[:2]
            z += things[-1].size[2]
        opening = {"opening_m": 0.0} if kind == "drawer" else {}
        things.append(
            SceneObject(f"{kind}_{number}", kind, "red", (x, y, z), size, attributes=opening)
        )
    return Scene(0.0, tuple(things))


def furnished(count: int, rng: random.Random) -> Scene:
    """So many things of a flat, in a square that grows with them."""
    side = 3.0 * count**0.5
    things = []
    for number, (kind, size) in enumerate(islice(cycle(FURNITURE), count)):
        at = (rng.uniform(0.0, side), rng.uniform(0.0, side), size[2] / 2)
        things.append(SceneObject(f"{kind}_{number}", kind, "", at, size))
    return Scene(0.0, tuple(things), RobotState(base=Pose((0.0, 0.0, 0.0))), frame="map")


def _timed(library: Library, scene: Scene, repeats: int) -> dict[str, float]:
    state = symbolic_state(scene, library.predicates)
    bowl, drawer = "bowl_4", "drawer_7"
    goals = [Prop("in", (f"block_{n}", bowl)) for n in (0, 1, 5, 8)]
    goal = Eventually(conjunction(*goals, Prop("in", ("mug_2", drawer)), Prop("open", (drawer,))))
    problem: PlanningProblem = observed_problem(library, state, progression_of(goal), None)
    letters = letter_atoms(problem.task)
    blocks = (o.name for o in scene.objects if o.category == "block")
    any_block = Eventually(disjunction(*[Prop("in", (block, bowl)) for block in blocks]))
    some = observed_problem(library, state, progression_of(any_block), None)
    place = library.domain().operator("place_in").ground("block_8", drawer, objects=state.objects)
    failure = Failure(place, Code.PRECONDITION)
    watched = progression_of(Always(Not(Prop("touching", ("mug_2",)))))
    broken = BrokenPlan(failure, (PlanStep(place),), replace(problem, task=watched))
    return {
        "bridge": _median_ms(lambda: Bridge().propose(broken), repeats),
        "graph": _median_ms(lambda: lines(scene_graph(scene)), repeats),
        "truths": _median_ms(lambda: symbolic_state(scene, library.predicates), repeats),
        "grounding": _median_ms(lambda: ground(focused(problem, letters), letters), repeats),
        "all ground": _median_ms(lambda: list(candidate_actions(problem)), repeats),
        "any": _median_ms(lambda: PortfolioPlanner().solve(some, PlanLimits(60.0)), repeats),
        "plan": _median_ms(lambda: PortfolioPlanner().solve(problem, PlanLimits(60.0)), repeats),
    }


def _median_ms(work: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        started = time.process_time()
        work()
        times.append((time.process_time() - started) * 1e3)
    return statistics.median(times)


if __name__ == "__main__":
    main()
