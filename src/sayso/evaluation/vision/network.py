"""An encoder and decoder from colour and depth to the kind of every pixel (needs `torch`).

A small residual encoder with the decoder's skips added (as in U-Net, Ronneberger et al. 2015, and
LinkNet, Chaurasia and Culurciello 2017); the coarsest stage sees the mean of the whole picture.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

WIDTHS = (24, 48, 96, 112)
_BLOCKS = (0, 1, 2, 2)
_SHARPNESS = 8.0
"""Factor on the scores, whose few inputs are of the size of 1. Together with a higher rate and
weights of the kinds it let four drawn pictures be learned in 70 steps; what each adds was not
measured."""


class Kernel(nn.Module):
    """A convolution without bias whose weights are kept as a matrix (outputs, inputs * size^2).

    Muon orthogonalises matrices, and torch's takes nothing else.
    """

    def __init__(self, inputs: int, outputs: int, size: int, stride: int = 1) -> None:
        super().__init__()
        fresh = nn.Conv2d(inputs, outputs, size, bias=False).weight
        self.weight = nn.Parameter(fresh.detach().flatten(1))
        self._shape, self._stride = tuple(fresh.shape), stride

    def forward(self, x: Tensor) -> Tensor:
        weight = self.weight.view(self._shape)
        return functional.conv2d(x, weight, stride=self._stride, padding=self._shape[-1] // 2)


def _conv(inputs: int, outputs: int, stride: int = 1, size: int = 3) -> nn.Sequential:
    return nn.Sequential(
        Kernel(inputs, outputs, size, stride), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)
    )


class _Residual(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = _conv(width, width)
        self.second = nn.Sequential(Kernel(width, width, 3), nn.BatchNorm2d(width))

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(x + self.second(self.first(x)))


class KindNet(nn.Module):
    """(B, C, H, W) float32 to (B, K, H/2, W/2) scores; H and W are multiples of 16."""

    def __init__(self, channels: int, kinds: int, widths: tuple[int, ...] = WIDTHS) -> None:
        super().__init__()
        inputs = (channels, *widths[:-1])
        self.down = nn.ModuleList(
            nn.Sequential(_conv(i, o, stride=2), *(_Residual(o) for _ in range(blocks)))
            for i, o, blocks in zip(inputs, widths, _BLOCKS, strict=True)
        )
        self.whole = nn.Conv2d(widths[-1], widths[-1], 1)
        self.across = nn.ModuleList(
            _conv(coarse, fine, size=1)
            for coarse, fine in zip(widths[:0:-1], widths[-2::-1], strict=True)
        )
        self.up = nn.ModuleList(_conv(width, width) for width in widths[-2::-1])
        self.name = nn.Conv2d(widths[0], kinds, 1)

    def forward(self, x: Tensor) -> Tensor:
        skips = []
        for stage in self.down:
            x = stage(x)
            skips.append(x)
        x = x + self.whole(x.mean((2, 3), keepdim=True))
        for skip, across, up in zip(skips[-2::-1], self.across, self.up, strict=True):
            x = functional.interpolate(across(x), scale_factor=2.0, mode="nearest")
            x = up(x + skip)
        scores: Tensor = self.name(x) * _SHARPNESS
        return scores


class Exported(nn.Module):
    """What is run: (B, C, H, W) to the likeliest kind (B, H/2, W/2) uint8 and its probability."""

    def __init__(self, network: KindNet) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        share, kind = torch.softmax(self.network(x), 1).max(1)
        return kind.to(torch.uint8), share
