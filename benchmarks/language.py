"""How long it takes to understand an instruction: controlled English, then grounding.

Run: python benchmarks/language.py
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from sayso.core.library import builtin_path, load
from sayso.core.scene import Scene, SceneObject
from sayso.language.controlled_english import interpret
from sayso.language.lexicon import Lexicon
from sayso.perception.grounding import ground

TARGET_MS = 5.0
ROUNDS = 20
CASES = Path(__file__).parent.parent / "test" / "golden" / "language_instructions.txt"
DEMO = (
    "Put the red block on the plate, then put the blue block on the red block. Never touch the mug."
)


def scene() -> Scene:
    """A table with twelve objects."""
    kinds = (
        "red block", "green block", "blue block", "yellow block", "pink block", "black block",
        "white plate", "purple mug", "orange bowl", "grey coaster", "brown cabinet",
        "yellow drawer",
    )  # fmt: skip
    objects = []
    for i, (color, category) in enumerate(k.split() for k in kinds):
        name = f"{color}_{category}" if category == "block" else category
        position = (0.35 + 0.1 * (i % 4), 0.3 - 0.1 * (i // 4), 0.02)
        objects.append(SceneObject(name, category, color, position, (0.045, 0.045, 0.045)))
    return Scene(0.0, tuple(objects))


def times_ms(work: Callable[[], object]) -> list[float]:
    """Processor time of each of some runs: other programs do not count."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(1000 * (time.process_time() - start))
    return times


def report(name: str, times: list[float]) -> None:
    ordered = sorted(times)
    p95 = ordered[int(0.95 * (len(ordered) - 1))]
    sys.stdout.write(
        f"{name:42s} median {statistics.median(times):6.3f} ms   p95 {p95:6.3f} ms   "
        f"{TARGET_MS / p95:5.1f} times within the target of {TARGET_MS:g} ms\n"
    )


def main() -> None:
    lexicon = Lexicon.of(load(builtin_path()))
    cases = [c.split("\n")[0] for c in CASES.read_text().strip().split("\n\n")]
    interpret(DEMO, lexicon)
    everything = [t for c in cases for t in times_ms(lambda c=c: interpret(c, lexicon))]
    report(f"controlled English, {len(cases)} instructions", everything)
    report("controlled English, the demo's", times_ms(lambda: interpret(DEMO, lexicon)))
    spec, table = interpret(DEMO, lexicon), scene()
    report("grounding the demo's in 12 objects", times_ms(lambda: ground(spec, table)))


if __name__ == "__main__":
    main()
