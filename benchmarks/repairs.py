"""What comes of tasks that somebody upsets once, on the table without physics or the simulated one.

    python benchmarks/repairs.py [--seeds N] [--simulated] [--upsets NAME ...]

Each kind of upset with N seeds: which task, before which step, and what is meddled with. Counts the
tasks that end in their goal, break a "never", or fail with a name, those that met no step that the
upset could hit (left out), and the repairs taken, by repairer. Simulated, the arm, the things and
the cameras with their noise are those of the demo, in one process, some 20 s a task; goal and
"never" are then judged by the simulator's knowledge, and success that was claimed wrongly counts.
"""

from __future__ import annotations

import argparse
from collections import Counter

from sayso.core.errors import Code
from sayso.evaluation.table_run import upsets
from sayso.evaluation.table_run.upsets import MOST_BEGUN, TASKS
from sayso.logic.progression import Verdict
from sayso.pipeline import Outcome, perform
from sayso.reporting.report import RunReport
from sayso.worlds.table_upsets import UPSETS, MeddledTable


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--simulated", action="store_true")
    parser.add_argument("--upsets", nargs="+", choices=UPSETS, default=UPSETS)
    options = parser.parse_args()
    total: Counter[str] = Counter()
    one = simulated if options.simulated else without_physics
    for upset in options.upsets:
        counts: Counter[str] = Counter()
        for seed in range(options.seeds):
            counts += one(upset, seed)
        print(f"{upset:26s} {_shown(counts)}", flush=True)
        total += counts
    print(f"{'all':26s} {_shown(total)}")


def simulated(upset: str, seed: int) -> Counter[str]:
    """What came of one task on the simulated table."""
    run = upsets.run(upset, seed)
    if run.upset_at is None:
        return Counter({"never met": 1})
    end = _end(run.outcome)
    if run.broken:
        end = f"BROKEN {', '.join(run.broken)}"
    elif end == "goal" and not run.kept:
        end = "goal, undone later" if run.reached else "CLAIMED WRONGLY"
    return Counter([end, *(f"by {name}" for name in run.repairs)])


def without_physics(upset: str, seed: int) -> Counter[str]:
    """What came of one task on the kinematic table."""
    table, report = MeddledTable(upset, seed // len(TASKS) % MOST_BEGUN, seed), RunReport()
    outcome = perform(TASKS[seed % len(TASKS)].instruction, table, report.add)
    if table.upset_at is None:
        return Counter({"never met": 1})
    repairs = report.as_data()["repairs"]
    return Counter([_end(outcome), *(f"by {r['repairer']}" for r in repairs if r["taken"])])


def _end(outcome: Outcome) -> str:
    if outcome.verdict is Verdict.VIOLATED:
        return "BROKEN"
    return "goal" if outcome.code is Code.OK else f"named {outcome.code.name}"


def _shown(counts: Counter[str]) -> str:
    return ", ".join(f"{what} {count}" for what, count in sorted(counts.items()))


if __name__ == "__main__":
    main()
