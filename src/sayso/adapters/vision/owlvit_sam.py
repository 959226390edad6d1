"""Open-vocabulary instances from pretrained networks: OWL-ViT finds boxes, SAM cuts masks.

Detector: OWL-ViT (Minderer et al., "Simple Open-Vocabulary Object Detection with Vision
Transformers", 2022) or OWLv2; segmenter: SAM (Kirillov et al., "Segment Anything", 2023), as in
the LIMP paper (section IV-B). Both run through `transformers`, from a folder or, with a pinned
revision, from the hub. Needs the extra `vision`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from safetensors import SafetensorError
from transformers import (
    AutoModelForMaskGeneration,
    AutoModelForZeroShotObjectDetection,
    AutoProcessor,
)

from sayso.adapters.vision.detect_then_segment import DetectThenSegment
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Detection, InstanceMask, RgbdFrame

Box = tuple[float, float, float, float]
PROMPT = "a photo of a {}"
"""How OWL-ViT was asked in its own training."""

_T = TypeVar("_T")


class OwlViT:
    """`Detector` with an OWL-ViT or OWLv2 checkpoint.

    Args:
        path: a folder with model and processor, or the hub's id of a checkpoint.
        revision: a commit of the hub's repository; empty for a folder.
        device: where torch computes: "cpu", "cuda", "cuda:1", "mps".
        threshold: least score of a detection, 0 to 1.
        batch: queries that are answered at once; fewer need less memory.

    Raises:
        SaySoError: CONFIG for a path, revision or device that cannot be used.
    """

    def __init__(
        self,
        path: str,
        revision: str = "",
        *,
        device: str = "cpu",
        threshold: float = 0.1,
        batch: int = 16,
    ) -> None:
        self._device = _device(device)
        self._processor = _load(AutoProcessor, path, revision)
        model = _load(AutoModelForZeroShotObjectDetection, path, revision)
        self._model = model.to(self._device).eval()
        self._threshold = threshold
        self._batch = _positive(batch)

    def detect(self, image: npt.NDArray[np.uint8], queries: Sequence[str]) -> tuple[Detection, ...]:
        """Boxes in pixels of the image, each with the query that it answers, unsorted."""
        found: list[Detection] = []
        for some in _chunks(list(queries), self._batch):
            found += self._answers(image, some)
        return tuple(found)

    def _answers(self, image: npt.NDArray[np.uint8], queries: list[str]) -> list[Detection]:
        inputs = self._processor(
            images=image,
            text=[[PROMPT.format(q) for q in queries]],
            truncation=True,
            return_tensors="pt",
        ).to(self._device)
        with torch.inference_mode():
            outputs = self._model(**inputs)
        (result,) = self._processor.post_process_grounded_object_detection(
            outputs,
            threshold=self._threshold,
            target_sizes=[image.shape[:2]],
            text_labels=[queries],
        )
        boxes, scores = result["boxes"].cpu().tolist(), result["scores"].cpu().tolist()
        return [
            Detection(label, float(score), (box[0], box[1], box[2], box[3]))
            for label, score, box in zip(result["text_labels"], scores, boxes, strict=True)
        ]


class SamBoxes:
    """`Segmenter` with a SAM checkpoint, asked with boxes.

    Args:
        path, revision, device: as for `OwlViT`.
        batch: boxes that are cut at once.
    """

    def __init__(
        self, path: str, revision: str = "", *, device: str = "cpu", batch: int = 16
    ) -> None:
        self._device = _device(device)
        self._processor = _load(AutoProcessor, path, revision)
        model = _load(AutoModelForMaskGeneration, path, revision)
        self._model = model.to(self._device).eval()
        self._batch = _positive(batch)

    def segment(
        self, image: npt.NDArray[np.uint8], boxes: Sequence[Box]
    ) -> tuple[npt.NDArray[np.bool_], ...]:
        """(H, W) masks, one for each box; the image is encoded once for all of them."""
        if not boxes:
            return ()
        with torch.inference_mode():
            pixels = self._processor(images=image, return_tensors="pt").to(self._device)
            encoded = self._model.get_image_embeddings(pixels["pixel_values"])
            masks: list[npt.NDArray[np.bool_]] = []
            for some in _chunks([list(b) for b in boxes], self._batch):
                masks += self._masks(image, some, encoded)
        return tuple(masks)

    def _masks(
        self, image: npt.NDArray[np.uint8], boxes: list[list[float]], encoded: Any
    ) -> list[npt.NDArray[np.bool_]]:
        inputs = self._processor(images=image, input_boxes=[boxes], return_tensors="pt")
        outputs = self._model(
            image_embeddings=encoded,
            # torch on some devices has no 64-bit numbers
            input_boxes=inputs["input_boxes"].to(self._device, torch.float32),
            multimask_output=False,
        )
        (masks,) = self._processor.post_process_masks(
            outputs.pred_masks.cpu(), inputs["original_sizes"], inputs["reshaped_input_sizes"]
        )
        return [np.asarray(m[0].numpy(), bool) for m in masks]


class OwlViTSam:
    """`InstanceFinder` of both; see `OwlViT`, `SamBoxes` and `DetectThenSegment`."""

    def __init__(
        self,
        detector: str = "",
        segmenter: str = "",
        *,
        detector_revision: str = "",
        segmenter_revision: str = "",
        device: str = "cpu",
        threshold: float = 0.1,
        overlap: float = 0.5,
        most: int = 20,
        batch: int = 16,
    ) -> None:
        self._finder = DetectThenSegment(
            OwlViT(detector, detector_revision, device=device, threshold=threshold, batch=batch),
            SamBoxes(segmenter, segmenter_revision, device=device, batch=batch),
            threshold,
            overlap,
            most,
        )

    def find(self, frame: RgbdFrame, queries: Sequence[str]) -> tuple[InstanceMask, ...]:
        """Masks with the query that each answers, best first."""
        return self._finder.find(frame, queries)


def _load(kind: Any, path: str, revision: str) -> Any:
    """A model or processor. Code from the hub is never run."""
    folder = Path(path).expanduser()
    local = bool(path) and folder.is_dir()
    if not local and not (path and revision):
        told = f"'{path}' is no folder with a pretrained model, and has no revision of the hub's."
        raise SaySoError(
            Code.CONFIG,
            told if path else "no folder or hub id of a pretrained model is given.",
            hint="name a folder, or the hub's id with the commit to use as its revision, for both "
            "`detector` (OWL-ViT or OWLv2) and `segmenter` (SAM).",
        )
    options = {} if local else {"revision": revision}
    place = str(folder) if local else path
    try:
        return kind.from_pretrained(place, local_files_only=local, **options)
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise SaySoError(
            Code.CONFIG,
            f"{'folder' if local else 'hub id'} '{path}' holds no fitting model: {error}",
            hint="detector: an OWL-ViT or OWLv2 checkpoint; segmenter: a SAM checkpoint.",
        ) from error


def _device(name: str) -> torch.device:
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise SaySoError(
            Code.CONFIG,
            f"device '{name}' cannot be used: {str(error).splitlines()[0]}",
            hint="use 'cpu', or install a torch that has that device.",
        ) from error
    return device


def _positive(batch: int) -> int:
    if batch < 1:
        raise SaySoError(Code.CONFIG, f"a batch of {batch} is no batch.", hint="give 1 or more.")
    return batch


def _chunks(items: list[_T], size: int) -> Iterator[list[_T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
