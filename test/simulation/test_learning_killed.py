"""A learner that is killed at any file operation loses nothing that was said."""

from __future__ import annotations

import os
import random
import signal
import sys
from pathlib import Path
from typing import NoReturn

from sayso.learning.journal import Journal
from sayso.learning.learner import Learner
from sayso.learning.training import Limits, train
from sayso.learning.versions import Versions
from support.teaching import SKILLS, PlainReader, QuickWriter, Table, TableTeacher, block

KILLS = 100
_OPERATIONS = frozenset(["open", "os.rename", "os.remove", "os.truncate", "os.mkdir", "os.chmod"])


def resumed(folder: Path, **options: object) -> Learner:
    return Learner.resume(folder, SKILLS, PlainReader(), QuickWriter(), **options)  # type: ignore[arg-type]


def practise_until_killed(folder: Path, operation: int, seed: int, told: int) -> NoReturn:
    """In a process of its own: kills itself before its n-th file operation; tells what it knows."""
    count = 0

    def kill(event: str, _: object) -> None:
        nonlocal count
        if event not in _OPERATIONS:
            return
        count += 1
        if count == operation:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(kill)
    rng = random.Random(seed)
    pupil = resumed(folder, rng=rng)
    while True:
        world = Table(block("cup", 0.0), block("jar", 0.3), block("lid", 0.6, width=0.12))
        if rng.random() < 0.5:
            world = Table(*world.scene.objects, block("pan", 0.3, 0.05))
        train(world, TableTeacher(world, "cup", "jar"), pupil, Limits(steps=3))
        os.write(told, f"{len(pupil.experience.entries)}\n".encode())


def killed(folder: Path, operation: int, seed: int) -> int:
    """How many entries the process told of before it was killed."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            practise_until_killed(folder, operation, seed, theirs)
        finally:
            os._exit(1)
    os.close(theirs)
    with os.fdopen(ours) as told:
        lines = told.read().split()
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    return int(lines[-1]) if lines else 0


def test_a_hundred_kills_lose_nothing_that_was_said(tmp_path: Path) -> None:
    rng = random.Random(0)
    for start in range(0, KILLS, 10):
        folder, known = tmp_path / str(start), 0
        for seed in range(start, start + 10):
            known = max(known, killed(folder, rng.randint(1, 60), seed))
            entries = len(Journal(folder / "experience.jsonl").experience.entries)
            assert entries >= known
            known = entries
            if Versions(folder).current:
                Versions(folder).load()
        last = resumed(folder)
        assert "on" in last.library.predicates
        assert resumed(folder).library == last.library
