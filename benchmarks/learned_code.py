"""Time to parse a state with predicates that a language model wrote, in the process they run in.

    python benchmarks/learned_code.py [--runs N]

A scene of 12 objects and 20 predicates of the usual kinds: 4 without arguments, 8 of one object
and 8 of two, which are 1,156 atoms. Compares with the same code in this process, where nothing
would limit it, and prints the time to start the process and the targets that were missed. The
processor time is of both processes together: they take turns, so it is the time on a machine with
nothing else to do.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import time
from collections.abc import Mapping
from dataclasses import replace

from sayso.core.geometry import Pose
from sayso.core.predicates import Predicate, symbolic_state
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.learning.model.predicate_sandbox import PredicateSandbox
from sayso.learning.predicate_code import compile_learned

TARGET_MS = 10.0
OBJECTS = 12
_OVER = """
def over(scene, a, b):
    x, y, _ = scene.position(a)
    low, high = scene.low(b), scene.high(b)
    return low[0] < x < high[0] and low[1] < y < high[1]
"""
ONE = {
    "narrow": "scene.size(a)[0] < scene.gripper_max_width",
    "on_table": "abs(scene.bottom(a) - scene.table_height) < 0.01",
    "held": "scene.gripper_distance(a) < 0.02 and scene.bottom(a) > scene.table_height + 0.02",
    "clear": "not any(scene.holds('on', x, a) for x in scene.objects() if x != a)",
    "food": "scene.category(a) in ('egg', 'tomato', 'carrot')",
    "flat": "np.min(scene.size(a)) < 0.02",
    "filled": "scene.senses_water(a) and scene.water(a) > 0.05",
    "contained": "any(scene.holds('within', a, x) for x in scene.objects() if x != a)",
}
TWO = {
    "on": "over(scene, a, b) and abs(scene.bottom(a) - scene.top(b)) < 0.01",
    "within": "over(scene, a, b) and scene.low(b)[2] <= scene.bottom(a) < scene.top(b) - 0.01",
    "beside": "scene.horizontal_gap(a, b) < 0.05 and abs(scene.bottom(a) - scene.bottom(b)) < 0.01",
    "wider": "scene.size(a)[0] > scene.size(b)[0]",
    "higher": "scene.top(a) > scene.top(b)",
    "left_of": "scene.high(a)[0] < scene.low(b)[0]",
    "near": "np.linalg.norm(scene.position(a) - scene.position(b)) < 0.2",
    "same_kind": "scene.category(a) == scene.category(b)",
}
NONE = {
    "empty": "not any(scene.carried(x) for x in scene.objects())",
    "open": "scene.gripper_width > 0.9 * scene.gripper_max_width",
    "tidy": "all(scene.holds('on_table', x) for x in scene.objects())",
    "wet": "any(scene.senses_water(x) and scene.water(x) > 0 for x in scene.objects())",
}


def sources() -> dict[str, tuple[tuple[str, ...], str]]:
    """Name -> parameters and text."""
    found = {}
    for parameters, group in (((), NONE), (("a",), ONE), (("a", "b"), TWO)):
        for name, body in group.items():
            head = "import numpy as np\n\n" if "np." in body else ""
            text = f"def {name}({', '.join(('scene', *parameters))}):\n    return {body}\n"
            found[name] = parameters, head + text + (_OVER if "over(" in body else "")
    return found


def scene(number: int) -> Scene:
    """Things in a row, every third one on the one before."""
    made: list[SceneObject] = []
    kinds = ("plate", "cup", "egg", "box")
    for i in range(OBJECTS):
        size = (0.05 + 0.02 * (i % 5), 0.06, 0.015 + 0.01 * (i % 4))
        below = made[-1] if i % 3 == 2 else None
        x = below.position[0] if below else 0.15 * i
        bottom = below.position[2] + below.size[2] / 2 if below else 0.0
        place = (x + 1e-4 * number, 0.0, bottom + size[2] / 2)
        made.append(
            SceneObject(
                f"thing_{i}",
                kinds[i % 4],
                "red",
                place,
                size,
                attributes={"water_l": 0.1 * (i % 2)},
            )
        )
    return Scene(float(number), tuple(made), RobotState(gripper=Pose((-0.3, 0.0, 0.5))))


def times_ms(predicates: Mapping[str, Predicate], scenes: list[Scene]) -> list[float]:
    found = []
    for each in scenes:
        start = time.perf_counter()
        symbolic_state(each, predicates)
        found.append((time.perf_counter() - start) * 1000)
    return found


def confined(process: PredicateSandbox) -> dict[str, Predicate]:
    return {
        name: Predicate(name, parameters, process.function(name, text, len(parameters)),
                        source=text, provenance={"origin": "learned", "by": "model"})
        for name, (parameters, text) in sources().items()
    }  # fmt: skip


def processor_ms(scenes: list[Scene]) -> float:
    """Of this process and the other, to parse these scenes, start included."""
    process = PredicateSandbox()
    predicates = confined(process)
    before = time.process_time() + _children_s()
    times_ms(predicates, scenes)
    process.close()
    return (time.process_time() + _children_s() - before) * 1000


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    options = parser.parse_args()
    process = PredicateSandbox()
    inside = confined(process)
    outside = {
        n: replace(p, function=compile_learned(n, p.source, p.arity)) for n, p in inside.items()
    }
    scenes = [scene(i) for i in range(options.runs + 1)]
    (first_ms,) = times_ms(inside, scenes[:1])
    state = symbolic_state(scenes[0], inside)
    assert state == symbolic_state(scenes[0], outside)
    print(f"{OBJECTS} objects, {len(inside)} predicates, {len(state.truths)} atoms")
    print(f"{'first state, process started':34}{first_ms:8.1f} ms")
    for what, predicates in (("state, confined", inside), ("state, in this process", outside)):
        found = times_ms(predicates, scenes[1:])
        most = sorted(found)[int(len(found) * 0.95)]
        print(f"{what:34}{statistics.median(found):8.1f} ms   95 % {most:.1f} ms")
    process.close()
    used = (processor_ms(scenes) - processor_ms(scenes[:1])) / options.runs
    print(f"{'processor time of both':34}{used:8.1f} ms")
    if used > TARGET_MS:
        sys.exit(f"missed: {TARGET_MS:g} ms for a state.")


if __name__ == "__main__":
    main()
