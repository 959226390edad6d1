"""`sayso map`: the map of a flat from the bag of a tour."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.markup import escape

from sayso.perception.flat.memory import FrameMemory
from sayso.perception.flat_map import FlatMap
from sayso.perception.mapping import Mapper, MappingSettings
from sayso.ros.bags.map_folder import save_flat_map
from sayso.ros.bags.tour_bag import TourTopics, read_tour


def make_map(options: argparse.Namespace, console: Console) -> int:
    """0 if a map was made."""
    topics = TourTopics(
        options.camera,
        options.frame,
        options.base,
        segmentation=options.segmentation,
        namespace=options.namespace,
    )
    flat = FlatMap(Mapper(MappingSettings(voxel_m=options.voxel)), FrameMemory())
    count = 0
    for frame, base in read_tour(options.bag, topics):
        flat.add(frame, base)
        count += 1
    save_flat_map(flat, options.out)
    rows, columns = flat.mapper.floor_plan().cells.shape
    console.print(
        f"{count} frames, of which {len(flat.frames or ())} are kept; a floor of "
        f"{columns * options.voxel:.1f} m by {rows * options.voxel:.1f} m; "
        f"written to {escape(str(options.out))}",
        highlight=False,
    )
    return 0
