"""Command-line options of what finds things in pictures, the same in every command."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sayso.adapters import registry
from sayso.adapters.vision.finders import KIND, SIMULATOR, UNSET

_OPTIONS: Mapping[str, str] = {
    "misses": "miss_rate",
    "inventions": "false_rate",
    "mislabels": "mislabel_rate",
}
"""Options that are called otherwise than the settings."""


def add_finder_options(
    parser: argparse.ArgumentParser,
    title: str = "what finds things in pictures",
    *,
    segmenter: bool = True,
) -> None:
    """`--finder` and its settings.

    Args:
        title: of their group in the help.
        segmenter: False where the command has an option of that name already.
    """
    group = parser.add_argument_group(title)
    group.add_argument(
        "--finder",
        choices=registry.names(KIND),
        default=SIMULATOR,
        help=f"{SIMULATOR} (default): the simulator's own segmentation, not vision; rgbd_namer: "
        "few kinds by colour and shape; segmentation_net: a network for the kinds of the flats, "
        "SaySo's or one that you train; owlvit_sam: networks that you bring (extra sayso[vision])",
    )
    group.add_argument(
        "--detector", default="", metavar="WHERE", help="owlvit_sam: OWL-ViT's folder or hub id"
    )
    group.add_argument("--detector-revision", default="", metavar="COMMIT", help="at the hub")
    if segmenter:
        group.add_argument(
            "--segmenter",
            default="",
            metavar="WHERE",
            help="owlvit_sam: SAM's folder or hub id; segmentation_net: the network's ONNX file "
            "(default: SaySo's own)",
        )
    group.add_argument("--segmenter-revision", default="", metavar="COMMIT", help="at the hub")
    group.add_argument("--device", default="cpu", help="owlvit_sam: cpu (default), cuda, ...")
    group.add_argument(
        "--threshold", type=float, default=0.1, help="owlvit_sam: least score (default: 0.1)"
    )
    for name, what in (
        ("misses", "share of things that it misses, 0 to 1"),
        ("inventions", "chance that it invents a thing for a noun in a picture, 0 to 1"),
        ("mislabels", "share of things that it takes for others, 0 to 1"),
    ):
        also = ("--false-positives",) if name == "inventions" else ()
        group.add_argument(
            f"--{name}", *also, type=float, default=0.0, metavar="RATE", help=f"{SIMULATOR}: {what}"
        )


def finder_settings(options: argparse.Namespace) -> dict[str, Any]:
    """What was set, by the names of `adapters.vision.finders.UNSET`; folders in full.

    Nodes and worker processes may run in another folder.
    """
    names = {setting: setting for setting in UNSET if setting != "seed"}
    names |= {setting: option for option, setting in _OPTIONS.items()}
    given = {setting: getattr(options, option) for setting, option in names.items()}
    chosen = {k: v for k, v in given.items() if v != UNSET[k]}
    return {k: _in_full(v) if k in ("detector", "segmenter") else v for k, v in chosen.items()}


def _in_full(place: str) -> str:
    """The absolute path of a folder or file; a hub's id as it is."""
    here = Path(place).expanduser()
    return str(here.resolve()) if here.exists() else place
