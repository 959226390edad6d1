"""`sayso map`: the map of a flat from the bag of a tour or a cloud, and a map as a cloud."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.markup import escape

from sayso.core.errors import Code, SaySoError
from sayso.perception.flat.memory import FrameMemory
from sayso.perception.flat_map import FlatMap, load_flat_map
from sayso.perception.map_files import load_map
from sayso.perception.mapping import Mapper, MappingSettings, cloud_of
from sayso.perception.point_files import read_cloud, require_form, write_cloud
from sayso.ros.bags.map_folder import save_flat_map
from sayso.ros.bags.tour_bag import TourTopics, read_tour


def make_map(options: argparse.Namespace, console: Console) -> int:
    """0 if a map was made, or written as a cloud."""
    _require_outputs(options)
    flat, told = _made(options)
    if options.out is not None:
        save_flat_map(flat, options.out)
    if options.cloud is not None:
        write_cloud(options.cloud, cloud_of(flat.mapper.voxels()))
    plan = flat.mapper.floor_plan()
    rows, columns = plan.cells.shape
    written = " and ".join(escape(str(p)) for p in (options.out, options.cloud) if p is not None)
    console.print(
        f"{told}; a floor of {columns * plan.resolution_m:.1f} m by "
        f"{rows * plan.resolution_m:.1f} m; written to {written}",
        highlight=False,
    )
    return 0


def _require_outputs(options: argparse.Namespace) -> None:
    """Raises INVALID where nothing would be written, or a map again as it is; CONFIG for a cloud
    of no known form."""
    useless = options.map is not None and options.out is not None
    if useless or (options.out is None and options.cloud is None):
        raise SaySoError(
            Code.INVALID,
            "a map that is there is only written as a cloud." if useless else "nothing is written.",
            hint="give --cloud FILE." if options.map is not None else "give --out or --cloud.",
        )
    for file in (options.cloud, options.points):
        if file is not None:
            require_form(file)


def _made(options: argparse.Namespace) -> tuple[FlatMap, str]:
    """The map, and what it was made of, in English."""
    if options.map is not None:
        plan, voxels = load_map(options.map)
        settings = MappingSettings(voxel_m=plan.resolution_m)
        flat = load_flat_map(options.map, settings, keep_frames=False)
        return flat, f"{len(voxels.centres)} voxels"
    settings = MappingSettings(voxel_m=options.voxel)
    if options.points is not None:
        cloud = read_cloud(options.points)
        return FlatMap(Mapper.of_cloud(cloud, settings)), f"{len(cloud)} points"
    return _of_bag(options, settings)


def _of_bag(options: argparse.Namespace, settings: MappingSettings) -> tuple[FlatMap, str]:
    topics = TourTopics(
        options.camera,
        options.frame,
        options.base,
        segmentation=options.segmentation,
        namespace=options.namespace,
    )
    flat, count = FlatMap(Mapper(settings), FrameMemory()), 0
    for frame, base in read_tour(options.bag, topics):
        flat.add(frame, base)
        count += 1
    return flat, f"{count} frames, of which {len(flat.frames or ())} are kept"
