"""Plans in words on VirtualHome: translation of a step, and what the model's interfaces lose.

    python benchmarks/word_plans.py [--every N] [--err-every N] [--plan steps|whole]
                                    [--goal known|hidden] [--strategy NAME ...] [--out DIR]

Times the translation of a step among the actions of a scene, and among 50,000 phrases, without the
network. Then a scripted model, behind a server of its own on this machine, says the data set's
programs (with `--err-every`, each n-th step wrongly), and `sayso eval cape` carries out what it
understands. Targets: 20 ms a translation; 337 of 338 tasks without errors, 90 % with every fifth
step wrong.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "test"))

from sayso import cli
from sayso.adapters import registry
from sayso.evaluation.cape.strategies import STRATEGIES
from sayso.evaluation.cape.wordings import Admissible, english
from sayso.language.repertoire import Repertoire
from sayso.worlds.virtualhome.tasks import tasks
from sayso.worlds.virtualhome.world import VirtualHome
from support.chat_server import ChatServer
from support.scripted_plans import ScriptedPlans

PHRASES = 50_000
REPEATS = 50


def main() -> int:
    """Print the times, then the study's report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--err-every", type=int, default=0)
    parser.add_argument("--plan", choices=("steps", "whole"), default="steps")
    parser.add_argument("--goal", choices=("known", "hidden"), default="hidden")
    parser.add_argument("--strategy", nargs="+", choices=tuple(STRATEGIES), default=["explicit"])
    parser.add_argument("--out", help="folder of rows and report; a run that stopped goes on there")
    parser.add_argument("--embedder", default="character_ngrams")
    options = parser.parse_args()
    translation(options.embedder)
    with ChatServer(ScriptedPlans(options.err_every)) as server, TemporaryDirectory() as folder:
        model = ("--llm", "openai", "--model", "scripted", "--base-url", server.base_url)
        return cli.main(
            [
                "eval", "cape", "--strategy", *options.strategy, "--plan", options.plan,
                "--goal", options.goal, "--every", str(options.every), *model,
                "--embedder", options.embedder, "--out", options.out or folder,
            ]
        )  # fmt: skip


def translation(embedder: str) -> None:
    """Prints medians of the processor's time."""
    repertoire = Repertoire(registry.create("embedder", embedder))
    task = next(iter(tasks().values()))
    world = VirtualHome(task)
    graspable = [a.args[0] for a in world.nodes.fixed if a.predicate == "graspable"]
    started_s = time.process_time()
    actions = Admissible(repertoire, world.observe().objects, graspable)
    print(f"{actions.count} actions of a scene, read in {time.process_time() - started_s:.1f} s")
    text = english(task.program[-1])
    print(f"a step among them: {_ms(lambda: actions.best(actions.likeness([text])[0], 10, text))}")
    words = [f"{a} {b} {c}" for a, b, c in itertools.product(["put", "get", "see"], _WORDS, _WORDS)]
    phrases = repertoire.among(words[:PHRASES])
    print(f"a text among {PHRASES} phrases: {_ms(lambda: phrases.likeness([text]))}", flush=True)


_WORDS = [f"{a}{b}" for a in ("cup", "pan", "lamp", "sofa", "book", "desk") for b in range(22)]


def _ms(action: Callable[[], object]) -> str:
    times = []
    for _ in range(REPEATS):
        started_s = time.process_time()
        action()
        times.append(time.process_time() - started_s)
    return f"{1000 * statistics.median(times):.2f} ms"


if __name__ == "__main__":
    sys.exit(main())
