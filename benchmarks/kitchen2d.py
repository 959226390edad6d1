"""How fast the 2D kitchen acts, and how well the true domain's plans hold in its physics.

python benchmarks/kitchen2d.py --seeds 5
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from time import perf_counter, process_time

import numpy as np

from sayso.core.library import parse_literal
from sayso.core.predicates import symbolic_state
from sayso.logic.progression import Progression
from sayso.logic.text import parse
from sayso.planning.problem import PlanLimits, observed_problem
from sayso.planning.search import SearchPlanner
from sayso.worlds.domains.domain import SETS
from sayso.worlds.kitchen2d.domains import DOMAINS
from sayso.worlds.kitchen2d.tasks import Task, tasks
from sayso.worlds.kitchen2d.true import call_of, true_library
from sayso.worlds.kitchen2d.world import Kitchen2D

Times = dict[str, list[tuple[float, float]]]
"""Wall and processor seconds by action."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1)
    seeds = range(parser.parse_args().seeds)
    times: Times = defaultdict(list)
    print(f"{'domain':8}{'set':14}{'solved':>10}")
    for domain in DOMAINS:
        for test_set in SETS:
            every = [t for s in seeds for t in tasks(domain, test_set, s)]
            solved = sum(carry_out(t, times) for t in every)
            print(f"{domain:8}{test_set:14}{solved:>6}/{len(every)}")
    report(times)


def carry_out(task: Task, times: Times) -> bool:
    """Whether the plan of the true domain reaches the task's goal."""
    library = true_library(task.domain)
    kitchen = Kitchen2D(task.scene, seed=task.seed)
    state = symbolic_state(kitchen.observe(), library.predicates)
    wanted = Progression.of(parse(f"F({' & '.join(task.goal)})", grounded=True))
    began = perf_counter(), process_time()
    plan = SearchPlanner().solve(observed_problem(library, state, wanted, None), PlanLimits(60.0))
    times["(planning)"].append((perf_counter() - began[0], process_time() - began[1]))
    for action in plan.actions:
        began = perf_counter(), process_time()
        reached = kitchen.act(*call_of(action)).reached
        times[action.skill].append((perf_counter() - began[0], process_time() - began[1]))
        if not reached:
            return False
    after = symbolic_state(kitchen.observe(), library.predicates)
    return all(after.holds(parse_literal(g)) for g in task.goal)


def report(times: Times) -> None:
    print(f"\n{'action':34}{'count':>7}{'median':>10}{'p95':>10}   [ms of wall time]")
    for name, pairs in sorted(times.items()):
        wall = np.array(pairs)[:, 0] * 1e3
        print(f"{name:34}{len(wall):7}{np.median(wall):10.1f}{np.percentile(wall, 95):10.1f}")
    done = np.array([p for n, pairs in times.items() if n != "(planning)" for p in pairs])
    per_s = len(done) / done.sum(axis=0)
    print(f"\n{per_s[0]:.0f} actions a second; {per_s[1]:.0f} a second of processor time")


if __name__ == "__main__":
    main()
