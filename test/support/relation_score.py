"""How many relations of a graph are as the judge says, kind by kind."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

from sayso.perception.scene_graph import SceneGraph
from support.relation_judge import Judge

KINDS = ("in", "on", "above", "direction")


class Score:
    """Counts of relations that hold or are claimed, and of those that are right."""

    def __init__(self) -> None:
        self.right: Counter[str] = Counter()
        self.all: Counter[str] = Counter()

    def take(self, graph: SceneGraph, judge: Judge) -> None:
        """Of the pairs of things that were seen."""
        for pair in permutations(graph.things, 2):
            claims = {kind: graph.holds(kind, *pair) for kind in KINDS[:3]}
            truths = {
                "in": pair[1] in judge.inside(pair[0]),
                "on": judge.support(pair[0]) == pair[1],
                "above": judge.above(*pair),
            }
            claims["direction"], truths["direction"] = (
                graph.direction(*pair), judge.direction(*pair)
            )  # fmt: skip
            for kind in KINDS:
                if claims[kind] or truths[kind]:
                    self.all[kind] += 1
                    self.right[kind] += claims[kind] == truths[kind]

    def share(self, kind: str = "") -> float:
        """Right ones among those of a kind; of all kinds without one."""
        kinds = (kind,) if kind else KINDS
        return sum(self.right[k] for k in kinds) / sum(self.all[k] for k in kinds)
