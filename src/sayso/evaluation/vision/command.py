"""`sayso vision`: train the network that names pixels, and measure how well it sees."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from rich.console import Console
from rich.progress import track

from sayso.adapters.vision.segmentation_net import SegmentationNet
from sayso.core.errors import Code, SaySoError
from sayso.evaluation.vision import dataset
from sayso.evaluation.vision.flats import SPLITS, seeds
from sayso.evaluation.vision.page import write_page
from sayso.evaluation.vision.scoring import Score, least_score

MEASURED = ("unseen", "beyond")
_TOLD_EVERY = 25
_WATCHED, _WATCHED_EVERY = 6, 250
"""Flats for validation that the network is tried on as it learns, and after how many steps."""


def vision(options: argparse.Namespace, console: Console) -> int:
    """What the command line asked for; 0 if it was done."""
    for name in ("views", "flats", "steps", "batch", "threads", "measured"):
        if getattr(options, name) < 1:
            raise SaySoError(Code.INVALID, f"--{name} must be at least 1.")
    network = options.network or options.folder / "flat_kinds.onnx"
    if options.what == "train":
        _train(options, network, console)
    finder = SegmentationNet(str(network))
    scores = measure(finder, options, console)
    page = write_page(options.folder, finder, scores, _pictures(options))
    console.print(f"Report: {page}", highlight=False)
    return 0


def measure(
    finder: SegmentationNet, options: argparse.Namespace, console: Console
) -> dict[str, Score]:
    """How well a network sees flats of the splits that are kept for measuring."""
    scores = {split: Score() for split in MEASURED}
    for split, score in scores.items():
        for path in track(
            _rendered(split, options, options.measured, options.skip),
            f"Looking at {split} flats",
            options.measured,
            console=console,
        ):
            score.add(dataset.read(path), finder)
        told = ", ".join(f"{name} {value}" for name, value in score.figures().items())
        console.print(f"{split}: {told}", highlight=False)
    return scores


def _train(options: argparse.Namespace, path: Path, console: Console) -> None:
    """Write the network, trained. Raises MISSING_DEPENDENCY without `torch`."""
    try:
        import torch

        from sayso.evaluation.vision.exporting import describe, export
        from sayso.evaluation.vision.training import Course, Trainer, albums, mean_iou
    except ModuleNotFoundError as error:
        raise SaySoError(
            Code.MISSING_DEPENDENCY,
            f"training needs the module '{error.name}', which is not installed.",
            hint="pip install 'sayso[vision]'.",
        ) from error
    torch.set_num_threads(options.threads)
    asked = {name: getattr(options, name) for name in ("steps", "batch", "seed", "flats", "views")}
    course = Course(**asked)
    trainer = Trainer(course, options.folder / "checkpoint.pt")
    rendered = track(
        dataset.render_missing(
            options.folder / "train", seeds("train", options.flats), options.views
        ),
        "Rendering flats",
        options.flats,
        console=console,
    )
    watched = albums(_rendered("validation", options, _WATCHED))
    for step, loss in trainer.train(albums(rendered)):
        if step % _TOLD_EVERY == 0:
            console.print(f"step {step} of {course.steps}: loss {loss:.3f}", highlight=False)
        if step % _WATCHED_EVERY == 0:
            seen = mean_iou(trainer.averaged.module, watched)
            console.print(f"  mean IoU on validation {seen:.3f}", highlight=False)
            with (options.folder / "curve.csv").open("a", encoding="utf-8") as curve:
                curve.write(f"{step},{loss:.4f},{seen:.4f}\n")
    trained = {**course.lasting(), "steps": trainer.step}
    export(trainer.averaged.module, path, trained)
    score = Score()
    for album in watched:
        score.add(album, SegmentationNet(str(path), least_score=0.0))
    describe(path, trained, least_score(score.sure))


def _rendered(split: str, options: argparse.Namespace, count: int, skip: int = 0) -> Iterator[Path]:
    """So many flats of a split, from as many seeds as it takes."""
    known = seeds(split, SPLITS[split].count - skip, skip)
    return islice(dataset.render_missing(options.folder / split, known, options.views), count)


def _pictures(options: argparse.Namespace) -> dict[str, dataset.Album]:
    """A flat of each split to show."""
    return {
        split: dataset.read(next(_rendered(split, options, 1, options.skip))) for split in MEASURED
    }
