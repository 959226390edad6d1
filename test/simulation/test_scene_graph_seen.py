"""The graph of generated tables as two noisy cameras see them."""

from sayso.perception.scene_graph import scene_graph
from sayso.worlds.noise import NoiseModel
from support.generated_tables import generated
from support.relation_judge import Judge
from support.relation_score import Score
from support.seen_tables import seen


def test_most_relations_are_right_with_camera_noise():
    """A part of what benchmarks/scene_graph.py measures."""
    score = Score()
    for seed in range(300, 315):
        table = generated(seed)
        score.take(scene_graph(seen(table, NoiseModel())), Judge(table))
    assert score.share() >= 0.95
    assert min(score.share(kind) for kind in ("in", "on", "above")) >= 0.75
