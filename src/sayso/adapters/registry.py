"""Backends by name: `create("planner", "fast_downward")`.

A name maps to "module:attribute", imported on use, so that optional dependencies are only
needed by those who name them. Outside packages add backends through entry points of the
group `sayso.KIND`. Bracketed names wrap: `record[openai]` is `record` given an `openai`; each
of the two gets the options that its constructor names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module, metadata
from inspect import signature
from typing import Any

from sayso.core.errors import Code, SaySoError

BACKENDS: Mapping[str, Mapping[str, str]] = {
    "llm": {
        "openai": "sayso.adapters.llm.openai_chat:OpenAIChat",
        "replay": "sayso.adapters.llm.cassette:Replay",
        "record": "sayso.adapters.llm.cassette:Record",
        "cached": "sayso.adapters.llm.cassette:Cached",
        "none": "sayso.adapters.llm.none:NoModel",
    },
    "embedder": {
        "character_ngrams": "sayso.adapters.embeddings.character_ngrams:CharacterNgrams",
        "minilm": "sayso.adapters.embeddings.minilm:MiniLm",
    },
    "dependency_parser": {
        "spacy": "sayso.adapters.parsers.spacy_english:SpacyEnglish",
    },
    "worker_pool": {
        "local": "sayso.adapters.worker_pools.local:LocalPool",
        "ray": "sayso.adapters.worker_pools.ray:RayPool",
    },
    "planner": {
        "search": "sayso.planning.search:SearchPlanner",
        "fast_downward": "sayso.adapters.planners.fast_downward:FastDownwardPlanner",
        "portfolio": "sayso.adapters.planners.portfolio:PortfolioPlanner",
        "in_the_now": "sayso.planning.in_the_now:InTheNowPlanner",
        "retrieved": "sayso.planning.retrieval:RetrievalPlanner",
        "next_action": "sayso.mission.word_planner:NextAction",
        "whole_plan": "sayso.mission.word_planner:WholePlan",
        "program": "sayso.mission.programs.planner:ProgramPlanner",
    },
    "segmenter": {
        "rgbd": "sayso.perception.rgbd_segmenter:RgbdSegmenter",
        "open3d": "sayso.adapters.vision.open3d_segmenter:Open3dSegmenter",
        "simulator_segmentation": "sayso.adapters.vision.simulator:SimulatorSegmenter",
    },
    "instance_finder": {
        "simulator": "sayso.adapters.vision.simulated_instances:SimulatorInstances",
        "segmentation_net": "sayso.adapters.vision.segmentation_net:SegmentationNet",
        "owlvit_sam": "sayso.adapters.vision.owlvit_sam:OwlViTSam",
        "rgbd_namer": "sayso.adapters.vision.rgbd_namer:RgbdNamer",
    },
    "self_filter": {
        "links": "sayso.adapters.vision.self_filter:RobotSelfFilter",
    },
    "kinematics": {
        "mujoco": "sayso.robots.kinematics:ArmKinematics",
    },
    "motion_planner": {
        "ompl": "sayso.adapters.planners.ompl_motion:OmplMotionPlanner",
        "moveit": "sayso.ros.robot.moveit:MoveItMotionPlanner",
    },
    "arm_driver": {
        "joint_trajectory": "sayso.ros.robot.drivers:TrajectoryTopic",
        "follow_joint_trajectory": "sayso.ros.robot.drivers:TrajectoryAction",
    },
    "hand_driver": {
        "joint_trajectory": "sayso.ros.robot.drivers:GripperTopic",
        "gripper_command": "sayso.ros.robot.drivers:GripperAction",
    },
    "base_driver": {
        "twist": "sayso.ros.robot.drivers:TwistTopic",
        "twist_stamped": "sayso.ros.robot.drivers:TwistStampedTopic",
    },
    "navigator": {
        "nav2": "sayso.ros.robot.nav2:Nav2",
        "nav2_stamped": "sayso.ros.robot.nav2:Nav2Stamped",
    },
    "robot_client": {
        "franky": "sayso.adapters.robots.franky_arm:FrankyArm",
        "spot": "sayso.adapters.robots.spot_client:SpotClient",
    },
    "flat": {
        "spot_double": "sayso.worlds.flat.spot.world:SpotFlat",
    },
    "table": {
        "franky_sim": "sayso.worlds.table.libfranka_table:LibfrankaTable",
    },
    "arm_skill": {
        "pick": "sayso.skills.arm_skills:Pick",
        "pick_from": "sayso.skills.arm_skills:PickFrom",
        "pick_up": "sayso.skills.primitives:PickUp",
        "place_first_on_second": "sayso.skills.primitives:PlaceOnMiddle",
        "place_on": "sayso.skills.arm_skills:PlaceOn",
        "stack": "sayso.skills.arm_skills:PlaceOn",
        "place_in": "sayso.skills.arm_skills:PlaceIn",
        "place_on_table": "sayso.skills.arm_skills:PlaceOnTable",
        "place_left_of": "sayso.skills.arm_skills:PlaceLeftOf",
        "place_right_of": "sayso.skills.arm_skills:PlaceRightOf",
        "place_in_front_of": "sayso.skills.arm_skills:PlaceInFrontOf",
        "place_behind": "sayso.skills.arm_skills:PlaceBehind",
        "place_next_to": "sayso.skills.arm_skills:PlaceNextTo",
        "open_drawer": "sayso.skills.arm_skills:OpenDrawer",
        "close_drawer": "sayso.skills.arm_skills:CloseDrawer",
        "hover_over": "sayso.skills.policies:HoverOver",
    },
    "grasp_finder": {
        "geometric": "sayso.skills.grasps:Geometric",
        "contact_graspnet": "sayso.adapters.grasping.contact_graspnet:ContactGraspNet",
        "taught": "sayso.learning.skills.taught_grasps:TaughtGrasps",
    },
    "mobile_skill": {
        "go": "sayso.skills.mobile:Go",
        "pick": "sayso.skills.mobile_handling:Pick",
        "release": "sayso.skills.mobile_handling:Release",
        "open": "sayso.skills.devices:open_door",
        "close": "sayso.skills.devices:close_door",
        "open_lid": "sayso.skills.devices:open_lid",
        "close_lid": "sayso.skills.devices:close_lid",
        "turn_on": "sayso.skills.devices:turn_on",
        "turn_off": "sayso.skills.devices:turn_off",
    },
    "motion_learner": {
        "mixtures": "sayso.learning.skills.mixtures:TaskParameterised",
        "nearest": "sayso.learning.skills.nearest:NearestDemonstration",
        "chunks": "sayso.learning.skills.chunks:ChunkRegression",
    },
    "path_planner": {
        "fmt_star": "sayso.planning.navigation.fmt_star:FmtStar",
        "ompl_fmt": "sayso.adapters.planners.ompl_fmt:OmplFmt",
        "grid": "sayso.planning.navigation.paths:GridPlanner",
    },
}

_EXTRAS: Mapping[tuple[str, str], str] = {
    ("embedder", "minilm"): "embeddings",
    ("worker_pool", "ray"): "ray",
    ("segmenter", "open3d"): "open3d",
    ("instance_finder", "owlvit_sam"): "vision",
    ("instance_finder", "segmentation_net"): "vision",
    ("robot_client", "franky"): "franka",
    ("robot_client", "spot"): "spot",
    ("flat", "spot_double"): "spot",
    ("table", "franky_sim"): "franka",
}
"""What to install for backends that the lean installation lacks something for."""

_INNER = "inner"
"""The parameter that takes what a backend wraps."""
_WRAPPED = re.compile(r"^(\w+)\[(.+)\]$")


def create(kind: str, name: str, **given: Any) -> Any:
    """A new backend.

    Raises:
        SaySoError: CONFIG for an unknown kind, name or option, with the known ones;
            MISSING_DEPENDENCY naming the extra to install.
    """
    if wrapped := _WRAPPED.match(name):
        own, inner_own = options(kind, wrapped[1]), options(kind, wrapped[2])
        inner = {k: v for k, v in given.items() if k in inner_own or k not in own}
        outer = {k: v for k, v in given.items() if k in own}
        return create(kind, wrapped[1], inner=create(kind, wrapped[2], **inner), **outer)
    attribute = _load(kind, name)
    if lacking := missing(kind, name, given):
        raise SaySoError(
            Code.CONFIG,
            f"{kind} '{name}' needs {_listed(lacking)}, which is not given.",
            hint=f"'{name}[NAME]' wraps another {kind}."
            if lacking == (_INNER,)
            else f"set {_listed(lacking)}.",
        )
    try:
        return attribute(**given)
    except TypeError as error:
        raise SaySoError(Code.CONFIG, f"{kind} '{name}': {error}.") from error


def names(kind: str) -> tuple[str, ...]:
    """The backends of a kind, built-in first."""
    if kind not in BACKENDS:
        raise SaySoError(Code.CONFIG, f"there is no kind '{kind}'.", choices=BACKENDS)
    return (*BACKENDS[kind], *(e.name for e in entry_points(group=f"sayso.{kind}")))


def entry_points(group: str) -> tuple[metadata.EntryPoint, ...]:
    """What installed packages offer in a group."""
    return _outside().get(group, ())


@cache
def _outside() -> Mapping[str, tuple[metadata.EntryPoint, ...]]:
    """By group, read once: looking at every installed package takes a tenth of a second."""
    installed = metadata.entry_points()
    return {
        group: tuple(installed.select(group=group)) for group in map("sayso.{}".format, BACKENDS)
    }


def options(kind: str, name: str) -> frozenset[str]:
    """The options that a backend takes, and those of what it wraps. Raises as `create`."""
    if wrapped := _WRAPPED.match(name):
        return options(kind, wrapped[1]) | options(kind, wrapped[2])
    return frozenset(signature(_load(kind, name)).parameters)


def missing(kind: str, name: str, given: Iterable[str]) -> tuple[str, ...]:
    """The options that a backend cannot do without and that are not among the given ones.

    Raises as `create`.
    """
    if wrapped := _WRAPPED.match(name):
        both = (*missing(kind, wrapped[1], given), *missing(kind, wrapped[2], given))
        return tuple(dict.fromkeys(n for n in both if n != _INNER))
    try:
        parameters = signature(_load(kind, name)).parameters.values()
    except ValueError:  # of what is written in C, nothing is told
        return ()
    needed = (p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY))
    return tuple(p.name for p in needed if p.default is p.empty and p.name not in given)


def _listed(names: Iterable[str]) -> str:
    return " and ".join(f"'{name}'" for name in names)


def _load(kind: str, name: str) -> Any:
    known = names(kind)
    if name not in known:
        raise SaySoError(Code.CONFIG, f"there is no {kind} '{name}'.", choices=known)
    target = BACKENDS[kind].get(name)
    try:
        if target is None:
            (entry,) = (e for e in entry_points(group=f"sayso.{kind}") if e.name == name)
            return entry.load()
        module, attribute = target.split(":")
        return getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        raise SaySoError(
            Code.MISSING_DEPENDENCY,
            f"{kind} '{name}' needs the module '{error.name}', which is not installed.",
            hint=_how_to_install(kind, name, error.name),
        ) from error
    except ImportError as error:  # it is installed, but not what it needs of the system
        raise SaySoError(
            Code.MISSING_DEPENDENCY,
            f"{kind} '{name}' cannot be loaded: {error}.",
            hint="install that library of the system.",
        ) from error


def _how_to_install(kind: str, name: str, module: str | None) -> str:
    extra = _EXTRAS.get((kind, name))
    return f"pip install 'sayso[{extra}]'." if extra else f"install what provides '{module}'."
