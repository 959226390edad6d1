"""Parameters come from one dataclass; every wrong value is named with the valid ones."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter

from sayso.core.errors import Code, SaySoError
from sayso.ros.runtime.params import declare, on_change, param


@dataclass(frozen=True)
class Config:
    rate_hz: float = param(4.0, "how often [Hz]", low=0.1, high=100.0)
    count: int = param(3, "how many", low=1, high=5)
    color: str = param("red", "which", choices=("red", "green"))
    cameras: tuple[str, ...] = param(("left", "right"), "which cameras")
    noisy: bool = param(True, "whether")
    place_m: tuple[float, ...] = param((0.0, 0.5), "where [m]")
    patience_s: float = param(3.0, "how long [s]", low=0.0, high=9.0, read_only=False)
    tries: int = param(2, "how often", low=1, high=9, read_only=False)

    def __post_init__(self) -> None:
        if self.noisy and self.count == 5:
            raise SaySoError(Code.CONFIG, "five cannot be noisy.")
        if self.tries > self.patience_s:
            raise SaySoError(Code.CONFIG, "each try takes a second.")


def configured(graph, **given) -> Config:
    return declare(graph.add(Node, "configured", **given), Config)


def test_defaults_and_given_values(graph) -> None:
    assert configured(graph) == Config()
    given = configured(graph, rate_hz=2.5, cameras=["wrist"], use_sim_time=True)
    assert given == Config(rate_hz=2.5, cameras=("wrist",))


def test_whole_numbers_are_taken_for_decimal_ones(graph) -> None:
    given = configured(graph, rate_hz=4, place_m=[1, 2])
    assert given == Config(rate_hz=4.0, place_m=(1.0, 2.0))
    assert isinstance(given.rate_hz, float) and isinstance(given.place_m[0], float)


def test_descriptors_tell_people_what_is_valid(graph) -> None:
    node = graph.add(Node, "described")
    declare(node, Config)
    rate, color = node.describe_parameters(["rate_hz", "color"])
    assert rate.description == "how often [Hz]" and rate.read_only
    assert rate.floating_point_range[0].to_value == 100.0
    assert "green" in color.additional_constraints


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"rate": 1.0}, "no parameter 'rate'"),
        ({"rate_hz": 200.0}, "outside 0.1 to 100"),
        ({"count": 0}, "outside 1 to 5"),
        ({"rate_hz": "4"}, "must be of type float, not '4'"),
        ({"count": 4.0}, "must be of type int, not 4.0"),
        ({"cameras": "left"}, "must be a list of str, not 'left'"),
        ({"color": "mauve"}, "cannot be 'mauve'"),
        ({"count": 5}, "five cannot be noisy"),
    ],
)
def test_wrong_values_are_configuration_errors(graph, given, words: str) -> None:
    with pytest.raises(SaySoError, match=words) as caught:
        configured(graph, **given)
    assert caught.value.code is Code.CONFIG


def test_a_misspelt_name_lists_the_valid_ones(graph) -> None:
    with pytest.raises(SaySoError) as caught:
        configured(graph, colour="red")
    assert set(caught.value.choices) == {"rate_hz", "count", "color", "cameras", "noisy", "place_m",
                                          "patience_s", "tries"}  # fmt: skip


def test_what_is_changed_meanwhile_is_taken_over_once_it_fits(graph) -> None:
    node, taken = graph.add(Node, "changed"), []
    on_change(node, declare(node, Config), taken.append)

    def change(**values: object) -> list[str]:
        parameters = [Parameter(name, value=value) for name, value in values.items()]
        return [r.reason for r in node.set_parameters(parameters) if not r.successful]

    assert not change(patience_s=5.5) and not change(tries=4)
    assert taken == [Config(patience_s=5.5), Config(patience_s=5.5, tries=4)]
    (why,) = change(tries=6)
    assert "each try takes a second" in why
    (why,) = change(rate_hz=5.0)
    assert "rate_hz" in why
    assert change(patience_s=10.0) and len(taken) == 2
    assert not change(patience_s=7.0)
    assert taken[-1] == Config(patience_s=7.0, tries=4)
