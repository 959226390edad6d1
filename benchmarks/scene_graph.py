"""How right the scene graph is with camera noise, and how fast it and its text are made.

    python benchmarks/scene_graph.py --scenes 200

Tables of drawn shapes are seen by two noisy cameras. What is whose point is known, so that what is
measured is noise and hidden sides, not recognition. The judge in test/support tells what is true.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1] / "test"))

from sayso.perception.scene_graph import scene_graph
from sayso.perception.scene_text import lines, paragraph
from sayso.worlds.noise import NoiseModel
from support.generated_tables import generated
from support.relation_judge import Judge
from support.relation_score import KINDS, Score
from support.seen_tables import seen

TARGET_SHARE, TARGET_MS = 0.95, 10.0


def main() -> int:
    """Print the table; 0 if both targets are met."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--scenes", type=int, default=200)
    options.add_argument("--first", type=int, default=1000, help="seed of the first scene")
    given = options.parse_args()
    score, times, hidden, count = Score(), [], 0, 0
    for seed in range(given.first, given.first + given.scenes):
        table = generated(seed)
        scene = seen(table, NoiseModel())
        begun = time.process_time()
        graph = scene_graph(scene)
        paragraph(graph), lines(graph)
        times.append(1000 * (time.process_time() - begun))
        score.take(graph, Judge(table))
        hidden += len(table.things) - len(scene.objects)
        count += len(table.things)
    _show(score, times, f"{hidden} of {count} things are seen by no camera")
    return 0 if score.share() >= TARGET_SHARE and np.median(times) <= TARGET_MS else 1


def _show(score: Score, times: list[float], note: str) -> None:
    table = Table("relation", "right", "of", "share")
    for kind in KINDS:
        right, count = score.right[kind], score.all[kind]
        table.add_row(kind, str(right), str(count), f"{score.share(kind):.3f}")
    table.add_row("all", "", "", f"{score.share():.3f}")
    console = Console()
    console.print(table)
    p95 = np.percentile(times, 95)
    console.print(
        f"graph and text: {np.median(times):.1f} ms median, {p95:.1f} ms p95 (CPU); {note}"
    )


if __name__ == "__main__":
    sys.exit(main())
