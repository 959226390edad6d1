"""Nonsense, code, other languages and very long texts: what is answered, and how long it takes.

What is read after all gets its automaton too.

Run: python benchmarks/language_fuzz.py [--texts 5000] [--seed 0]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from random import Random

from sayso.core.errors import SaySoError
from sayso.evaluation.language.fuzz import text
from sayso.evaluation.language.system import LIBRARIES, Answer, System, World
from sayso.logic.automaton import automaton_of

TARGET_S = 2.0


def _refused(answer: Answer) -> SaySoError | None:
    """The error of the reading or, of what was read, that of making its automaton."""
    if answer.formula is None:
        return answer.error
    try:
        automaton_of(answer.formula)
    except SaySoError as error:
        return error
    return None


def run(world: World, texts: int, seed: int) -> None:
    """Has all texts read with one library and prints what came of them."""
    system, codes, times, foreign = System(world), Counter[str](), [], []
    for i in range(texts):
        said, things = text(Random(f"{seed}/{world}/{i}"), world == "flat")
        start = time.process_time()
        try:
            answer = system.read(said, things)
            error = _refused(answer)
            codes[error.code.name if error else "read"] += 1
            if error and not (error.span or error.message):
                codes["says nothing"] += 1
        except Exception as failure:  # noqa: BLE001 - that is what is looked for
            foreign.append((failure, said))
        times.append((time.process_time() - start, said))
    slowest, slow_text = max(times)
    late = sum(t > TARGET_S for t, _ in times)
    sys.stdout.write(f"{world}: {texts} texts, {dict(codes)}\n")
    sys.stdout.write(f"  other exceptions: {len(foreign)} (target 0)\n")
    sys.stdout.write(f"  over {TARGET_S:g} s: {late} (target 0), slowest {slowest:.2f} s\n")
    if late:
        sys.stdout.write(f"  slowest: {slow_text[:200]!r}\n")
    for failure, said in foreign[:10]:
        sys.stdout.write(f"  {type(failure).__name__}: {failure}: {said[:120]!r}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=5000, help="for each library")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for world in LIBRARIES:
        run(world, options.texts, options.seed)


if __name__ == "__main__":
    main()
