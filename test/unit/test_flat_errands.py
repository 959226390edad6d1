"""Errands in the flat: what its cameras show goes before what is remembered; who judges them."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.core.scene import AttributeValue, RobotState, Scene, SceneObject
from sayso.evaluation.cape.errands import go_about
from sayso.evaluation.cape.flat_errands import FlatErrand, reached
from sayso.evaluation.cape.suite import Cape
from sayso.pipeline import Outcome
from sayso.worlds.errands.cases import errand

TRUTH = {
    o.name: o
    for o in (
        SceneObject("table", "table", "", (2.0, 2.0, 0.35), (1.0, 0.6, 0.7)),
        SceneObject("chest", "storage", "", (5.0, 2.0, 0.25), (0.6, 0.6, 0.5),
                    attributes={"lid_share": 0.0}),
        SceneObject("phone", "phone", "", (2.2, 2.1, 0.75), (0.1, 0.1, 0.1)),
        SceneObject("mail", "mail", "", (5.1, 2.0, 0.1), (0.1, 0.1, 0.1)),
        SceneObject("iron", "iron", "", (8.0, 2.0, 0.1), (0.1, 0.1, 0.1),
                    attributes={"turned_on": False}),
    )
}  # fmt: skip
LID = {"lid_share": 0.5}


def so(name: str, attribute: str, value: AttributeValue, **other: SceneObject) -> bool:
    """Whether one end is reached where some things are otherwise than in `TRUTH`."""
    return reached(true_world(**other), asked({name: {attribute: value}}))


def true_world(*touched: str, **other: SceneObject) -> Any:
    return SimpleNamespace(
        truth=lambda: tuple({**TRUTH, **other}.values()), contacts=lambda: frozenset(touched)
    )


def asked(ends: dict[str, dict[str, AttributeValue]], **state: AttributeValue) -> Any:
    """An errand under way with these ends, and what is a change of state alone."""
    return SimpleNamespace(errand=SimpleNamespace(ends=ends), attribute=lambda _, a: state.get(a))


def at(name: str, x: float, y: float, z: float) -> SceneObject:
    return replace(TRUTH[name], position=(x, y, z))


@pytest.mark.parametrize(
    ("thing", "place", "elsewhere"),
    [
        ("phone", "table", at("phone", 2.2, 2.4, 0.75)),  # beside its top
        ("phone", "table", at("phone", 2.6, 2.0, 0.75)),
        ("phone", "table", at("phone", 2.2, 2.1, 0.85)),  # in the air above it
        ("phone", "table", at("phone", 2.2, 2.1, 0.35)),  # under it
        ("mail", "chest", at("mail", 5.4, 2.0, 0.1)),
        ("mail", "chest", at("mail", 5.1, 2.0, 0.7)),
    ],
)
def test_a_thing_is_on_a_place_or_below_its_rim(
    thing: str, place: str, elsewhere: SceneObject
) -> None:
    assert so(thing, "location", place)
    assert not so(thing, "location", place, **{thing: elsewhere})


def test_a_thing_on_a_shut_lid_is_at_the_chest_but_not_inside() -> None:
    upon = at("mail", 5.1, 2.0, 0.55)
    assert so("mail", "location", "chest", mail=upon)
    assert so("mail", "inside", False, mail=upon) and not so("mail", "inside", True, mail=upon)
    assert so("mail", "inside", True) and not so("mail", "inside", False)
    assert so("phone", "inside", False) and not so("phone", "inside", True)


def test_a_thing_is_let_go_of_where_the_robot_touches_it_no_more_whatever_it_believes() -> None:
    for believed in (True, False):
        doing = asked({"iron": {"grabbed": False}}, grabbed=believed)
        assert reached(true_world(), doing)
        assert not reached(true_world("iron"), doing)


def test_a_chest_is_shut_only_where_its_lid_is_all_the_way() -> None:
    half = replace(TRUTH["chest"], attributes=LID)
    ajar = replace(TRUTH["chest"], attributes={"lid_share": 0.03})
    assert so("chest", "open", False) and not so("chest", "open", True)
    assert so("chest", "open", True, chest=half) and not so("chest", "open", False, chest=half)
    assert not so("chest", "open", False, chest=ajar)


def test_what_is_a_change_of_state_alone_is_as_the_errand_has_it() -> None:
    world = true_world()
    ends: dict[str, dict[str, AttributeValue]] = {"iron": {"turned_on": False}}
    assert reached(world, asked(ends, turned_on=False))
    assert not reached(world, asked(ends, turned_on=True)) and not reached(world, asked(ends))


def test_all_that_is_asked_must_be_so() -> None:
    world = true_world()
    ends = {"phone": {"location": "table"}, "mail": {"inside": True, "location": "table"}}
    assert not reached(world, asked(ends))


class FlatDouble:
    """A flat whose robot sees a scene and is told instructions; the next one ends in `code`."""

    def __init__(self, *seen: SceneObject) -> None:
        self.seen, self.told, self.code = list(seen), list[str](), Code.OK
        self.library = load(builtin_path("flat"))
        self.sight = SimpleNamespace(look_for=lambda nouns: None)
        scene = lambda *_: Scene(0.0, tuple(self.seen), RobotState())  # noqa: E731
        senses = SimpleNamespace(now_s=lambda: 0.0, scene=scene, scene_after=scene)
        self.robot = SimpleNamespace(senses=senses)

    def perform(self, words: str) -> Any:
        self.told.append(words)
        return SimpleNamespace(outcome=Outcome(self.code, "because"))


COUNTER = SceneObject("white_counter", "counter", "white", (1.3, 4.6, 0.44), (1.6, 0.62, 0.88))
BENCH = SceneObject("brown_bench", "bench", "brown", (0.5, 0.6, 0.25), (0.5, 0.5, 0.5))
PHONE = SceneObject("black_phone", "phone", "black", (1.3, 4.44, 0.925), (0.06, 0.11, 0.09))


def under_way(*seen: SceneObject) -> tuple[FlatErrand, FlatDouble]:
    flat: Any = FlatDouble(*seen)
    return FlatErrand(errand("kitchen", "phone"), flat), flat


def test_where_things_are_is_what_is_seen_and_unknown_of_what_is_not() -> None:
    doing, _ = under_way(COUNTER, PHONE)
    assert doing.attribute("phone", "location") == "counter"
    assert doing.attribute("mail", "location") == ""


def test_what_is_physical_is_told_to_the_flat_and_looked_at_afterwards() -> None:
    doing, flat = under_way(COUNTER, PHONE)
    doing.act("stand_up", ())
    doing.act("walk_to", ("counter",))
    doing.act("look_at", ("phone", "counter"))
    flat.seen[1] = replace(PHONE, carried=True, position=(1.0, 3.0, 1.0))
    doing.act("pick_up", ("phone", "counter"))
    assert flat.told == ["Go to the counter.", "Pick up the phone."]
    assert doing.attribute("phone", "grabbed") is True


def test_what_the_cameras_show_goes_before_what_the_skill_claims() -> None:
    doing, _ = under_way(COUNTER, PHONE)
    doing.act("stand_up", ())
    doing.act("walk_to", ("counter",))
    doing.act("look_at", ("phone", "counter"))
    doing.act("pick_up", ("phone", "counter"))  # it still stands there
    assert doing.attribute("phone", "grabbed") is False
    assert doing.attribute("phone", "location") == "counter"


def holding_phone() -> tuple[FlatErrand, FlatDouble]:
    doing, flat = under_way(COUNTER, BENCH, PHONE)
    for skill, args in (
        ("stand_up", ()), ("walk_to", ("counter",)), ("look_at", ("phone", "counter")),
    ):  # fmt: skip
        doing.act(skill, args)
    flat.seen[2] = replace(PHONE, carried=True, position=(3.0, 4.0, 1.0))
    doing.act("pick_up", ("phone", "counter"))
    doing.act("walk_to", ("bench",))
    return doing, flat


def test_what_lies_on_the_floor_was_not_put_on_what_it_fell_from() -> None:
    doing, flat = holding_phone()
    flat.seen[2] = replace(PHONE, position=(0.9, 0.6, 0.045))
    doing.act("put", ("phone", "bench"))
    assert doing.attribute("phone", "location") == ""
    assert doing.attribute("phone", "fallen") is True


def test_what_was_let_go_and_not_seen_is_nowhere() -> None:
    doing, flat = holding_phone()
    flat.seen[2] = replace(PHONE, position=(0.5, 0.6, 0.55), let_go=True)
    flat.code = Code.POSTCONDITION
    with pytest.raises(SaySoError):
        doing.act("put", ("phone", "bench"))
    assert doing.attribute("phone", "grabbed") is False
    assert doing.attribute("phone", "location") == ""


def test_what_fails_in_the_flat_changes_nothing_and_says_why() -> None:
    doing, flat = under_way(COUNTER, PHONE)
    doing.act("stand_up", ())
    flat.code = Code.UNREACHABLE
    with pytest.raises(SaySoError) as failed:
        doing.act("walk_to", ("counter",))
    assert failed.value.code is Code.UNREACHABLE
    assert "'Go to the counter.': because" in str(failed.value)
    assert doing.attribute("robot", "location") == "" and doing.done == [("stand_up", ())]


@pytest.mark.parametrize(
    ("in_flat", "of_errand"),
    [(Code.NO_PLAN, Code.UNREACHABLE), (Code.EXECUTION, Code.EXECUTION), (Code.STALE, Code.STALE)],
)
def test_a_step_for_which_the_flat_has_no_plan_is_a_step_that_failed(
    in_flat: Code, of_errand: Code
) -> None:
    doing, flat = under_way(COUNTER, PHONE)
    doing.act("stand_up", ())
    flat.code = in_flat
    with pytest.raises(SaySoError) as failed:
        doing.act("walk_to", ("counter",))
    assert failed.value.code is of_errand


def test_a_lid_is_as_the_building_tells() -> None:
    lid = SceneObject("grey_storage", "storage", "grey", (0.35, 2.6, 0.2), (0.5, 0.5, 0.4),
                      attributes={"lid_share": 1.0})  # fmt: skip
    doing, flat = under_way(lid)
    assert doing.attribute("storage", "open") is True
    assert doing.attribute("fridge", "open") is None  # of which nobody told anything
    flat.seen[0] = replace(lid, attributes={"lid_share": 0.0})
    doing.act("stand_up", ())
    doing.act("walk_to", ("storage",))
    assert doing.attribute("storage", "open") is False


@pytest.mark.parametrize(
    ("part", "robot", "code"),
    [
        ("errands", "spot", Code.CONFIG),
        ("errands_flat", "spto", Code.CONFIG),
        ("errands_flat", "panda", Code.UNSUPPORTED),
    ],
)
def test_a_robot_that_cannot_take_part_is_refused_at_once(
    part: str, robot: str, code: Code
) -> None:
    with pytest.raises(SaySoError) as refused:
        Cape(part, robot=robot)
    assert refused.value.code is code and refused.value.hint


def test_of_two_things_where_there_is_one_the_one_seen_last_is_meant() -> None:
    """What moved unseen and was found elsewhere is a second thing to the robot, for a while."""
    moved = replace(PHONE, name="black_phone_2", position=(1.6, 4.44, 0.925), last_seen_s=5.0)
    doing, flat = under_way(COUNTER, moved, replace(PHONE, last_seen_s=2.0))
    for skill, args in (
        ("stand_up", ()), ("walk_to", ("counter",)), ("look_at", ("phone", "counter")),
        ("pick_up", ("phone", "counter")),
    ):  # fmt: skip
        doing.act(skill, args)
    assert flat.told == ["Go to the counter.", "Pick up the black_phone_2."]


MAIL = SceneObject("white_mail", "mail", "white", (1.7, 4.44, 0.925), (0.06, 0.11, 0.09))
STORAGE = SceneObject("grey_storage", "storage", "grey", (0.35, 2.6, 0.2), (0.5, 0.5, 0.4),
                      attributes={"lid_share": 1.0})  # fmt: skip


class Dropping(FlatDouble):
    """The mail falls from the hand on the way to the storage; it is seen again once the robot looks
    for it `found_at`, where it came to lie."""

    def __init__(self, found_at: SceneObject | None) -> None:
        super().__init__(COUNTER, BENCH, STORAGE, MAIL)
        self.found_at, self.fell = found_at, False

    def perform(self, words: str) -> Any:
        result = super().perform(words)
        mail = self.seen.pop() if self.seen[-1].category == "mail" else None
        if words == "Pick up the mail.":
            mail = replace(MAIL, position=(2.0, 2.5, 1.0), carried=True)
        elif words == "Go to the storage." and not self.fell:
            self.fell, mail = True, None
        elif self.fell and self.found_at and words == f"Go to the {self.found_at.category}.":
            x, y, z = self.found_at.position
            mail = replace(MAIL, position=(x, y, z + self.found_at.size[2] / 2 + 0.045))
        elif words == "Put the mail in the storage.":
            mail = replace(MAIL, position=(*STORAGE.position[:2], 0.08))
        elif words == "Close the storage.":
            self.seen[2] = replace(STORAGE, attributes={"lid_share": 0.0})
        self.seen += [mail] if mail else []
        return result


def test_what_falls_from_the_hand_is_looked_for_where_it_may_be() -> None:
    """Not at the counter, which it was taken from and which still shows that it is gone."""
    flat: Any = Dropping(BENCH)
    doing = FlatErrand(errand("kitchen", "mail"), flat)
    plan = tuple(s for s in doing.errand.plan if s != "Open the storage")
    outcome = go_about(doing, plan, registry.create("embedder", "character_ngrams"), lambda: True)
    assert outcome.success, outcome.detail
    assert outcome.measures["by look"]
    assert flat.told.count("Pick up the mail.") == 2 and "Go to the bench." in flat.told


class DroppingInView(Dropping):
    """The mail falls to the floor before the robot's eyes."""

    def perform(self, words: str) -> Any:
        fell_before = self.fell
        result = super().perform(words)
        if self.fell and not fell_before:
            self.seen.append(replace(MAIL, position=(1.2, 2.6, 0.045)))
        return result


def test_what_falls_to_the_floor_in_view_is_picked_up_there() -> None:
    """The floor is no place of an errand, and the thing was in the scene, but nowhere."""
    flat: Any = DroppingInView(None)
    doing = FlatErrand(errand("kitchen", "mail"), flat)
    plan = tuple(s for s in doing.errand.plan if s != "Open the storage")
    outcome = go_about(doing, plan, registry.create("embedder", "character_ngrams"), lambda: True)
    assert outcome.success, outcome.detail
    assert flat.told.count("Pick up the mail.") == 2 and "Go to the bench." not in flat.told
    assert doing.attribute("mail", "location") == "storage"


def test_what_is_nowhere_to_be_seen_is_named_after_each_place_was_looked_at() -> None:
    flat: Any = Dropping(None)
    doing = FlatErrand(errand("kitchen", "mail"), flat)
    plan = tuple(s for s in doing.errand.plan if s != "Open the storage")
    outcome = go_about(doing, plan, registry.create("embedder", "character_ngrams"), lambda: True)
    assert not outcome.success and "mail" in outcome.detail
    searched = [args for skill, args in doing.done if skill == "look_at" and args[0] != "mail"]
    assert len(searched) == len(set(searched)) >= 3
