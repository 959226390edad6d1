"""A trained network as the two files that the finder `segmentation_net` reads."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
import yaml

from sayso.evaluation.vision.dataset import HEIGHT, WIDTH
from sayso.evaluation.vision.flats import CLASSES
from sayso.evaluation.vision.network import Exported, KindNet
from sayso.perception.pixel_features import CHANNELS
from sayso.worlds.flat.kinds import NOUNS


def export(network: KindNet, path: Path, trained: Mapping[str, Any]) -> None:
    """Write the ONNX file, and the YAML file beside it.

    Args:
        network: left in evaluation mode.
        path: of the ONNX file.
        trained: with what it was trained; kept for whoever asks where it comes from.
    """
    network.eval()
    path.parent.mkdir(parents=True, exist_ok=True)
    picture = torch.zeros(1, CHANNELS, HEIGHT, WIDTH)
    torch.onnx.export(
        Exported(network),
        (picture,),
        str(path),
        input_names=["picture"],
        output_names=["kind", "probability"],
        dynamo=False,
    )
    describe(path, trained)


def describe(path: Path, trained: Mapping[str, Any], least_score: float = 0.5) -> None:
    """Write what a network knows, and where it comes from, into the YAML file beside it."""
    told = {
        "least_score": math.ceil(1000 * least_score) / 1000,
        "kinds": {kind: nouns_of(kind) for kind in CLASSES},
        "width": WIDTH,
        "height": HEIGHT,
        "trained": dict(trained),
    }
    text = "# Written by `sayso vision train`: what the network beside this file knows.\n"
    text += yaml.safe_dump(told, sort_keys=False, width=100)
    path.with_suffix(".yaml").write_text(text, encoding="utf-8")


def nouns_of(kind: str) -> list[str]:
    """The words that the catalogue of flats has for a kind, its own name first."""
    return [kind, *sorted(word for word, named in NOUNS.items() if named == kind != word)]
