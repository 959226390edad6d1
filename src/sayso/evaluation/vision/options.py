"""Command-line options of `sayso vision`."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_options(vision: argparse.ArgumentParser) -> None:
    """Those of `sayso vision`."""
    vision.add_argument(
        "what",
        choices=("train", "check"),
        help="render flats and train on them (resumes; extra 'vision'); measure on unseen flats",
    )
    vision.add_argument(
        "--folder",
        type=Path,
        default=Path("vision"),
        metavar="DIR",
        help="of pictures, checkpoint, network and report (default: vision)",
    )
    vision.add_argument(
        "--views", type=int, default=12, metavar="N", help="pictures of each flat (default: 12)"
    )
    training = vision.add_argument_group("train")
    training.add_argument("--flats", type=int, default=240, metavar="N", help="(default: 240)")
    training.add_argument("--steps", type=int, default=6000, metavar="N", help="(default: 6000)")
    training.add_argument("--batch", type=int, default=12, metavar="N", help="(default: 12)")
    training.add_argument("--seed", type=int, default=0, help="of weights and order (default: 0)")
    training.add_argument("--threads", type=int, default=2, help="of the processor (default: 2)")
    check = vision.add_argument_group("check, and train at its end")
    check.add_argument(
        "--network",
        type=Path,
        metavar="FILE",
        help="ONNX file (default: flat_kinds.onnx in the folder)",
    )
    check.add_argument(
        "--measured",
        type=int,
        default=20,
        metavar="N",
        help="unseen flats, and as many painted and lit outside what is trained (default: 20)",
    )
    check.add_argument(
        "--skip", type=int, default=0, metavar="N", help="of them, to measure on fresh ones"
    )
