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
from sayso.evaluation.vision.scoring import Score

MEASURED = ("unseen", "beyond")
_TOLD_EVERY = 25


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
            _rendered(split, options),
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

        from sayso.evaluation.vision.exporting import export
        from sayso.evaluation.vision.training import Course, Trainer, albums
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
    learning = trainer.train(albums(rendered))
    for step, loss in learning:
        if step % _TOLD_EVERY == 0:
            console.print(f"step {step} of {course.steps}: loss {loss:.3f}", highlight=False)
    export(trainer.averaged.module, path, {**course.lasting(), "steps": trainer.step})


def _rendered(split: str, options: argparse.Namespace) -> Iterator[Path]:
    """The flats to measure on, from as many seeds as it takes."""
    last = SPLITS[split].count - options.skip
    paths = dataset.render_missing(
        options.folder / split, seeds(split, last, options.skip), options.views
    )
    return islice(paths, options.measured)


def _pictures(options: argparse.Namespace) -> dict[str, dataset.Album]:
    """A flat of each split to show."""
    return {split: dataset.read(next(_rendered(split, options))) for split in MEASURED}
