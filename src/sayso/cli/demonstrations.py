"""`sayso demos`: what is asked of recorded demonstrations."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.console import Console

from sayso.adapters import registry
from sayso.adapters.datasets import Recording, calvin, lerobot
from sayso.core.errors import Code, SaySoError
from sayso.learning.demonstrations import folder
from sayso.learning.demonstrations.checks import problems, problems_of_play
from sayso.learning.demonstrations.demonstration import Demonstration
from sayso.learning.demonstrations.segments import in_words


def demonstrations(options: argparse.Namespace, console: Console) -> int:
    """What is asked of demonstrations; 1 if some cannot be read, or are checked and faulty."""
    if (options.out is None) is (options.what in ("generate", "export", "import")):
        raise SaySoError(
            Code.INVALID,
            "generate, export and import write a second folder; show, check and record take one.",
            hint="give the new folder's name after the other.",
        )
    match options.what:
        case "record":
            from sayso.ros.task.record_command import record

            return record(options, console)
        case "import":
            return _import(options, console)
        case "generate":
            return _generate(options, console)
        case "export":
            places = folder.folders(options.path)
            lerobot.export(
                [p for place in places for p in folder.read(place).pieces()], options.out
            )
            return 0
    faults = [_told(p, options.what == "check", console) for p in folder.folders(options.path)]
    return int(any(faults))


def _told(place: Path, check: bool, console: Console) -> bool:
    """Prints a folder's primitives, or what is wrong with it; whether it is read, and all is well
    where that is asked."""
    try:
        play = folder.read(place)
    except SaySoError as error:
        _print(console, f"{place.name}:", str(error).splitlines())
        return True
    faulty = False
    for told, shown in _parts(place.name, play):
        found = problems_of_play(play) if shown is None else problems(shown)
        faulty |= bool(found)
        lines = (found or ("all is well.",)) if check or shown is None else in_words(shown)
        _print(console, told, lines)
    return faulty and check


def _parts(name: str, play: Demonstration) -> Iterator[tuple[str, Demonstration | None]]:
    """Each piece, after the play itself, None, where anything is wrong with that."""
    if problems_of_play(play):
        yield f"{name}:", None
    for piece in play.pieces():
        yield f"{name}: {piece.words} ({piece.duration_s:.1f} s)", piece


def _print(console: Console, title: str, lines: Iterable[str]) -> None:
    console.print(title, markup=False, highlight=False)
    for line in lines:
        console.print(f"  {line}", highlight=False, markup=False)


def _generate(options: argparse.Namespace, console: Console) -> int:
    """A folder for each play; those that are there already are passed over."""
    from sayso.worlds.persons.player import Order, record

    if options.plays < 1 or options.count < 1:
        raise SaySoError(
            Code.INVALID,
            f"{options.plays} plays of {options.count} behaviours each are no plays.",
            hint="give --plays and --count of at least 1.",
        )
    if not 0 <= options.wrong <= 1:
        raise SaySoError(
            Code.INVALID, f"{options.wrong} is no share.", hint="give --wrong from 0 to 1."
        )
    orders = [
        Order(
            options.out / f"play_{seed:04d}",
            seed,
            options.count,
            tuple(options.behaviours),
            options.wrong,
            str(options.path),
        )
        for seed in range(options.seed, options.seed + options.plays)
    ]
    pool = registry.create("worker_pool", "local", workers=options.workers)
    for number, played in enumerate(pool.map(record, orders), 1):
        told = "was there already"
        if played is not None:
            told = f"{len(played.labels)} behaviours, {len(played.failed)} came to nothing"
        console.print(f"{number} of {len(orders)}: {told}", highlight=False)
    return 0


def _import(options: argparse.Namespace, console: Console) -> int:
    """Of a LeRobot dataset or one of CALVIN, a folder for each; of a bag, the one folder."""
    if calvin.is_dataset(options.path):
        return _import_each(calvin.recordings(options.path), options.out, console)
    if (options.path / "meta").is_dir():
        return _import_each(lerobot.recordings(options.path), options.out, console)
    from sayso.ros.bags.shown_bag import shown_in

    things = dict(t.partition("=")[::2] for t in options.things)
    shown = shown_in(options.path, options.words, things, options.robot or "panda")
    folder.write(shown, options.out)
    return 0


def _import_each(recordings: Iterable[tuple[str, Recording]], out: Path, console: Console) -> int:
    """Each recording on its own: what is there already is kept; what is damaged or cannot be
    written is told and passed over, then 1."""
    failed = 0
    for name, recording in recordings:
        told = "was there already"
        if not (out / name).exists():
            try:
                shown = recording()
                folder.write_whole(shown, out / name)
                told = f"{len(shown.pieces())} behaviours"
            except SaySoError as error:
                failed += 1
                told = str(error)
        console.print(f"{name}: {told}", markup=False, highlight=False)
    return int(failed > 0)
