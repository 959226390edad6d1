"""Instance finders with the settings that people give them, whichever finder they choose.

Nodes, launch files and commands offer one set of settings; each finder takes those that are its
own. One that was set and means nothing to the chosen finder is refused, not passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import InstanceFinder

KIND = "instance_finder"
SIMULATOR = "simulator"
"""The finder that is the simulator's own segmentation, not vision."""
UNSET: Mapping[str, Any] = {
    "detector": "",
    "detector_revision": "",
    "segmenter": "",
    "segmenter_revision": "",
    "device": "cpu",
    "threshold": 0.1,
    "miss_rate": 0.0,
    "false_rate": 0.0,
    "mislabel_rate": 0.0,
    "seed": 0,
}
"""All settings, with the values that say nothing. The first six are those of networks."""


def create_finder(name: str, settings: Mapping[str, Any]) -> InstanceFinder:
    """The finder of that name; networks are loaded now.

    Args:
        settings: some of `UNSET`, or options of the finder's own.

    Raises:
        SaySoError: CONFIG for an unknown finder, a setting that it has no use for, a model that
            cannot be loaded; MISSING_DEPENDENCY naming the extra to install.
    """
    known = registry.options(KIND, name)
    stray = [k for k, v in settings.items() if k not in known and v != UNSET.get(k)]
    if stray:
        raise SaySoError(
            Code.CONFIG,
            f"the finder '{name}' has no use for {', '.join(map(repr, stray))}.",
            choices=sorted(known),
            hint="leave it out, or choose another finder.",
        )
    finder: InstanceFinder = registry.create(
        KIND, name, **{k: v for k, v in settings.items() if k in known}
    )
    return finder
