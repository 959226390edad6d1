"""Settings of instance finders: each finder gets its own, and none is passed over."""

from __future__ import annotations

import sys
from dataclasses import fields
from types import ModuleType

import pytest

from sayso.adapters import registry
from sayso.adapters.vision.finders import UNSET, create_finder
from sayso.adapters.vision.simulated_instances import SimulatorInstances
from sayso.core.errors import Code, SaySoError

CHOSEN = {
    "detector": "models/owlvit",
    "segmenter": "hub/sam",
    "segmenter_revision": "abc",
    "device": "cuda",
    "threshold": 0.3,
}


class Networks:
    """In the place of OWL-ViT with SAM: remembers what it is made with."""

    def __init__(
        self, detector="", segmenter="", *, detector_revision="", segmenter_revision="",
        device="cpu", threshold=0.1,
    ) -> None:  # fmt: skip
        self.made_with = {k: v for k, v in locals().items() if k != "self"}


@pytest.fixture
def networks(monkeypatch) -> None:
    module = ModuleType("finders_double")
    module.Networks = Networks  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    table = {**registry.BACKENDS["instance_finder"], "owlvit_sam": "finders_double:Networks"}
    monkeypatch.setattr(registry, "BACKENDS", {**registry.BACKENDS, "instance_finder": table})


def test_networks_get_their_settings_and_no_others(networks):
    finder = create_finder("owlvit_sam", {**UNSET, **CHOSEN})
    assert finder.made_with == {**{k: UNSET[k] for k in finder.made_with}, **CHOSEN}


def test_the_simulator_gets_its_errors():
    settings = {**UNSET, "seed": 3, "miss_rate": 0.2, "false_rate": 0.1, "mislabel_rate": 0.05}
    assert create_finder("simulator", settings) == SimulatorInstances(3, 0.2, 0.1, 0.05)


@pytest.mark.parametrize(
    ("name", "setting"),
    [("simulator", "detector"), ("rgbd_namer", "miss_rate"), ("owlvit_sam", "miss_rate")],
)
def test_a_setting_that_means_nothing_to_the_finder_is_refused(networks, name, setting):
    with pytest.raises(SaySoError, match=f"'{name}' has no use for '{setting}'") as caught:
        create_finder(name, {**UNSET, setting: CHOSEN.get(setting, 0.5)})
    assert caught.value.code is Code.CONFIG
    assert setting not in caught.value.choices


def test_an_unknown_finder_is_answered_with_the_known_ones():
    with pytest.raises(SaySoError) as caught:
        create_finder("eyes", UNSET)
    assert caught.value.code is Code.CONFIG and "rgbd_namer" in caught.value.choices


def test_what_is_unset_is_the_simulators_own_default():
    own = {f.name: f.default for f in fields(SimulatorInstances)}
    assert {k: UNSET[k] for k in own if k in UNSET} == {k: v for k, v in own.items() if k in UNSET}
