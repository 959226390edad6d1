"""Parameters of nodes that find things in pictures: which finder, with which settings."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.adapters.vision.finders import SIMULATOR, UNSET, create_finder
from sayso.core.ports import InstanceFinder
from sayso.ros.runtime.params import param


@dataclass(frozen=True)
class FinderConfig:
    """What finds things, and its settings; see `adapters.vision.finders`."""

    finder: str = param(
        "owlvit_sam",
        f"what finds things in pictures; {SIMULATOR} is the simulator's own segmentation, not "
        "vision",
    )
    detector: str = param("", "owlvit_sam: folder or hub id of an OWL-ViT or OWLv2 checkpoint")
    detector_revision: str = param("", "commit of the detector at the hub; empty for a folder")
    segmenter: str = param(
        "",
        "owlvit_sam: folder or hub id of a SAM checkpoint; segmentation_net: its ONNX file, "
        "empty for SaySo's own",
    )
    segmenter_revision: str = param("", "commit of the segmenter at the hub; empty for a folder")
    device: str = param("cpu", "owlvit_sam: where torch computes, such as cuda")
    threshold: float = param(0.1, "owlvit_sam: least score of a detection", 0.0, 1.0)
    miss_rate: float = param(
        0.0, f"{SIMULATOR}: share of the things that it misses in a picture (simulated)", 0.0, 1.0
    )
    false_rate: float = param(
        0.0, f"{SIMULATOR}: things it invents for a noun in a picture (simulated)", 0.0, 1.0
    )
    mislabel_rate: float = param(
        0.0, f"{SIMULATOR}: share of the things it takes for others (simulated)", 0.0, 1.0
    )
    error_seed: int = param(0, f"{SIMULATOR}: of these errors", 0, 2**31 - 1)

    def make_finder(self) -> InstanceFinder:
        """The finder, ready. Raises as `create_finder`."""
        settings = {name: getattr(self, name) for name in UNSET if name != "seed"}
        return create_finder(self.finder, {**settings, "seed": self.error_seed})
