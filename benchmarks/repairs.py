"""What comes of tasks that somebody upsets once, on the table without physics.

    python benchmarks/repairs.py [--seeds N]

Each kind of upset with N seeds: which task, before which step, and what is meddled with. Counts the
tasks that end in their goal, break a "never", or fail with a name, those that met no step that the
upset could hit (left out), and the repairs taken, by repairer.
"""

from __future__ import annotations

import argparse
from collections import Counter

from sayso.core.errors import Code
from sayso.logic.progression import Verdict
from sayso.pipeline import Outcome, perform
from sayso.reporting.report import RunReport
from sayso.worlds.table_upsets import UPSETS, MeddledTable

TASKS = (
    "Put the red block on the plate, then put the blue block on the red block. "
    "Never touch the mug.",
    "Put the green block in the drawer and close it.",
    "Put the red block in the bowl and the green block on the blue block. Never touch the mug.",
)
MOST_BEGUN = 4


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args()
    total: Counter[str] = Counter()
    for upset in UPSETS:
        counts: Counter[str] = Counter()
        for seed in range(options.seeds):
            counts += one(upset, seed)
        print(f"{upset:26s} {_shown(counts)}", flush=True)
        total += counts
    print(f"{'all':26s} {_shown(total)}")


def one(upset: str, seed: int) -> Counter[str]:
    """What came of one task."""
    table, report = MeddledTable(upset, seed // len(TASKS) % MOST_BEGUN, seed), RunReport()
    outcome = perform(TASKS[seed % len(TASKS)], table, report.add)
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
