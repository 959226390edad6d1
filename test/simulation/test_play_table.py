"""The play table in physics, and a person who plays at it."""

from __future__ import annotations

import json
from importlib import resources

import numpy as np
import pytest

from sayso import cli
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.evaluation.blade import in_physics
from sayso.evaluation.blade.learning import learned_from
from sayso.evaluation.blade.single import SingleBehaviours
from sayso.evaluation.table_run.play import (
    furniture_of,
    kitchens,
    motion_of,
    no_physics,
    played_skills,
)
from sayso.learning.demonstrations import folder
from sayso.learning.demonstrations.segments import segments
from sayso.learning.versions import Versions
from sayso.worlds.persons.demonstrator import Manner
from sayso.worlds.persons.hand_plans import Via, tool_at
from sayso.worlds.persons.meddler import Meddler, arrange
from sayso.worlds.persons.play_file import behaviours
from sayso.worlds.persons.play_sight import Sight
from sayso.worlds.persons.player import Hand, led_up_to, play
from sayso.worlds.table.onlooker import Onlooker
from sayso.worlds.table.table_scene import builtin_scene, load_scene
from sayso.worlds.table.table_world import TableWorld

SCENE = builtin_scene("play_table")
X, _, Z = np.eye(3)


@pytest.fixture(scope="module")
def world():
    return TableWorld(3, scene=SCENE)


def lit(world, lamp):
    return next(o for o in world.truth() if o.name == lamp).attributes["lit"]


def test_the_switch_holds_the_bulb_and_the_button_toggles_the_led(world):
    world.reset(3)
    for share, on in ((1.0, True), (0.0, False), (1.0, True)):
        world.set_share("switch", share)
        world.step(0.02)
        assert lit(world, "bulb") is on
    for on in (True, False):
        world.set_share("button", 1.0)
        world.step(0.004)
        world.set_share("button", 0.9)
        world.step(0.004)
        assert lit(world, "led") is on
        world.step(1.0)  # the spring lets it come back
        assert lit(world, "led") is on


def test_what_stands_beneath_running_water_is_filled_and_boils_on_the_stove_alone():
    kitchen = TableWorld(3, scene=builtin_scene("boil_water"))

    def states(name):
        shown = next(o for o in kitchen.truth() if o.name == name).attributes
        return [bool(shown.get(s)) for s in ("filled", "boiling")]

    def stand(place, height_m):
        at = next(o for o in kitchen.truth() if o.name == place).position
        kitchen.put("kettle", Pose((at[0], at[1], height_m)))

    kitchen.set_share("stove_knob", 1.0)
    stand("stove", 0.076)
    kitchen.step(0.02)
    assert states("kettle") == [False, False]  # empty on the stove that is on
    stand("sink", 0.062)
    kitchen.set_share("faucet", 1.0)
    kitchen.set_share("faucet_knob", 1.0)
    kitchen.step(0.02)
    assert states("kettle") == [False, False]  # the head is turned away from the sink
    kitchen.set_share("faucet", 0.0)
    kitchen.step(0.02)
    assert states("kettle") == [True, False]
    stand("stove", 0.15)
    kitchen.step(0.02)
    assert states("kettle") == [True, False]  # high in the air
    stand("stove", 0.076)
    kitchen.step(0.02)
    assert states("kettle") == [True, True]
    assert states("pot") == [False, False]
    stand("sink", 0.062)
    kitchen.set_share("faucet_knob", 0.0)
    kitchen.set_share("stove_knob", 0.0)
    kitchen.step(0.02)
    assert states("kettle") == [True, True]  # for good
    assert no_physics(kitchen.table) == (
        "Simulated as states, without physics, and for good: 'filled' by the faucet, "
        "'boiling' by the stove."
    )
    assert not no_physics(SCENE)
    kitchen.reset(3)
    assert states("kettle") == [False, False]


def test_tea_brews_in_a_kettle_that_holds_a_teabag_on_the_stove_that_is_on():
    kitchen = TableWorld(3, scene=builtin_scene("make_tea"))

    def brewing():
        kitchen.step(0.5)
        return next(o for o in kitchen.truth() if o.name == "kettle").attributes["brewing"]

    arrange(kitchen, {"kettle": {"at": "stove"}, "stove_knob": {"turned_share": 1.0}})
    assert not brewing()  # empty
    kettle = next(o for o in kitchen.truth() if o.name == "kettle").position
    kitchen.put("teabag", Pose((kettle[0], kettle[1] + 0.025, kettle[2] + 0.05)))
    kitchen.set_share("stove_knob", 0.0)
    assert not brewing()  # the stove is off
    assert Sight.of(kitchen).shows("kettle", {"holds": "teabag", "at": "stove"})
    arrange(kitchen, {"kettle": {"at": "tray"}, "stove_knob": {"turned_share": 1.0}})
    assert not brewing()  # off the stove, and left behind there
    assert not Sight.of(kitchen).shows("kettle", {"holds": "teabag"})
    arrange(kitchen, {"kettle": {"at": "stove"}})
    kitchen.put("teabag", Pose((kettle[0], kettle[1] + 0.025, kettle[2] + 0.05)))
    assert brewing()
    assert no_physics(kitchen.table).endswith("for good: 'brewing' by the stove.")


def test_what_is_behind_a_door_is_seen_when_it_is_opened_and_that_door_alone():
    kitchen = TableWorld(3, scene=builtin_scene("make_tea"))
    arrange(kitchen, {"kettle": {"at": "green_cabinet"}, "teabag": {"at": "drawer"}})
    onlooker = Onlooker(kitchen, np.random.default_rng(0))
    assert {"kettle", "teabag"}.isdisjoint(onlooker.look().by_name())
    for door, seen in (("white_door", False), ("green_door", True)):
        kitchen.set_share(door, 1.0)
        assert ("kettle" in onlooker.look().by_name()) is seen, door
    assert "teabag" not in onlooker.look().by_name()


def test_nobody_swings_a_door_into_what_stands_before_it():
    kitchen = TableWorld(3, scene=builtin_scene("make_tea"))
    arrange(kitchen, {"kettle": {"at": "tray"}, "teabag": {"at": "drawer"}})
    for spot, free in (((0.1, 0.33), "green_door"), ((0.35, 0.33), "white_door")):
        arrange(kitchen, {"pot": {"at": spot}})
        sight, opening = Sight.of(kitchen), behaviours("make_tea")["open_door"]
        options = list(opening.options(sight))
        assert len(options) == 2
        ways = [opening.ways(sight, o, np.random.default_rng(0)) for o in options]
        assert [o["door"] for o, w in zip(options, ways, strict=True) if w] == [free]


@pytest.mark.parametrize(
    ("seed", "shown"),
    [(6, {"open_door", "lift_from_cabinet", "place_on_stove"}), (1, {"place_in_kettle"})],
)
def test_a_person_makes_tea(seed, shown):
    """Doors swing by the hand, the kettle comes out beneath the roof, the teabag falls into it."""
    wanted = ("open_door", "lift_from_cabinet", "place_on_stove", "place_in_kettle")
    played = play(seed, 4, wanted, scene="make_tea")
    assert shown <= set(played.labels)
    assert not played.failed


def test_what_stands_before_a_closed_cabinet_is_put_on_the_stove_all_the_same():
    kitchen = TableWorld(3, scene=builtin_scene("make_tea"))
    arrange(kitchen, {"kettle": {"at": "stove"}, "pot": {"at": "green_cabinet"}})
    lifting = behaviours("make_tea")
    sight = Sight.of(kitchen)
    assert [o["block"] for o in lifting["lift_from_stove"].options(sight)] == ["kettle"]
    assert not list(lifting["lift_from_cabinet"].options(sight))


def test_an_arm_that_has_to_turn_over_near_its_base_is_guided_slower():
    """It lagged behind by a hand's width, and knocked over what it was to take."""
    kitchen = TableWorld(3, scene=builtin_scene("make_tea"))
    hand = Hand(kitchen, np.random.default_rng(0), Manner())
    hand.do([Via(tool_at(np.array([0.255, 0.117, z]), -Z, X)) for z in (0.5, 0.2, 0.075)])
    assert np.linalg.norm(np.subtract(hand.samples[-1].tool.position, (0.255, 0.117, 0.075))) < 0.03
    assert not hand.reaches([Via(tool_at(np.array([0.02, 0.02, 0.075]), -Z, X))])


def test_each_of_two_doors_is_swung_as_it_was_shown_itself():
    """They swing to opposite sides: a motion between both opens neither."""
    plays = [play(seed, 6, ("open_door", "close_door"), scene="make_tea") for seed in range(3)]
    learned = learned_from([p.shown.demonstration for p in plays])
    (opening,) = [b for b in learned.behaviours if str(b.aim) == "open(?a)"]
    shown = [d.things["a"] for d in opening.showings()]
    assert min(shown.count(d) for d in ("white_door", "green_door")) >= 3
    ways = motion_of(opening).ways
    own = [{s.demonstration.things["a"] for s in way.showings} for way in ways]
    assert [{"white_door"}, {"green_door"}] == sorted(own[:2], key=max, reverse=True)


@pytest.mark.parametrize("scene", sorted(kitchens()))
def test_tasks_in_kitchens_begin_as_they_say_and_are_not_done_yet(scene):
    world = TableWorld(5, scene=builtin_scene(scene))
    for task in (v for one in kitchens()[scene] for v in one["variations"]):
        world.reset(5)
        arrange(world, task["start"])
        world.step(0.5)
        sight = Sight.of(world)
        for name, wanted in task["start"].items():
            at = "table" if isinstance(wanted.get("at"), list) else wanted.get("at")
            truly = {**wanted, **({"at": at} if at else {})}
            assert sight.shows(name, truly), (task["say"], name, truly)
        assert not all(sight.shows(n, wanted) for n, wanted in task["goal"].items())
        upset = task.get("upset", {"when": {"kettle": {"at": "hand"}}})
        assert not all(sight.shows(n, wanted) for n, wanted in upset["when"].items())


def test_a_person_meddles_once_and_only_with_what_there_is():
    kitchen, told = TableWorld(3, scene=builtin_scene("boil_water")), []
    upset = {"when": {"faucet": {"turned_share": 0.0}}, "does": {"kettle": {"at": "stove"}}}
    meddler = Meddler(kitchen, {**upset, "says": "puts it there"}, told.append)
    kitchen.set_share("faucet", 1.0)
    meddler.watch()
    assert not meddler.meddled and not told
    kitchen.set_share("faucet", 0.0)
    meddler.watch()
    meddler.watch()
    assert meddler.meddled and told == ["puts it there"]
    assert Sight.of(kitchen).shows("kettle", {"at": "stove"})
    for states in ({"kettle": {"at": "pot"}}, {"kettle": {"at": "faucet"}}, {"cup": {"at": "sink"}},
                   {"sink": {"at": "stove"}}):  # fmt: skip
        with pytest.raises(SaySoError) as error:
            arrange(kitchen, states)
        assert error.value.code is Code.INVALID and error.value.choices


def test_a_person_plays_in_a_kitchen_that_is_data_alone():
    """The hand does them in physics: levers that turn, and a kettle taken by its handle."""
    wanted = ("move_faucet_away", "place_in_sink", "turn_on_stove")
    played = play(3, 6, wanted, scene="boil_water")
    assert set(wanted) <= set(played.labels)
    assert not played.failed
    with pytest.raises(SaySoError, match="nobody plays in the scene 'garden'"):
        behaviours("garden")


def test_seeds_draw_starts_and_everything_stays_where_it_is(world):
    shares = set()
    for seed in range(4):
        world.reset(seed)
        before = {o.name: o for o in world.truth()}
        world.step(1.0)
        for thing in world.truth():
            assert np.allclose(thing.position, before[thing.name].position, atol=1e-3), thing.name
        shares |= {(n, before[n].attributes["right_share"]) for n in ("slider", "switch")}
        scene = world.true_scene()
        assert scene.table_height_m == SCENE.surface.height_m and scene.finite
    assert len(shares) == 4


@pytest.mark.parametrize("scene", ["play_table", "boil_water", "make_tea"])
def test_every_behaviour_has_wordings_that_name_its_things(scene):
    said = [one.say for one in behaviours(scene).values()]
    assert all(len(some) >= 2 and all("{" in w for w in some) for some in said)


@pytest.mark.parametrize(
    ("whole", "damaged"),
    [
        ("name: red_block", "nome: red_block"),
        ("kind: slide", "kind: spin"),
        ("attribute: open_share, friction", "attribute: open_share, fraction"),
    ],
)
def test_a_damaged_scene_is_named(tmp_path, whole, damaged):
    text = (resources.files("sayso.worlds.table") / "scenes" / "play_table.yaml").read_text()
    assert whole in text
    (tmp_path / "scene.yaml").write_text(text.replace(whole, damaged))
    with pytest.raises(SaySoError) as error:
        load_scene(tmp_path / "scene.yaml")
    assert error.value.code is Code.CORRUPT


def test_nobody_plays_what_is_unknown():
    with pytest.raises(SaySoError, match="juggle") as error:
        play(0, 1, ("juggle",))
    assert "open_drawer" in error.value.choices


def test_play_is_kept_and_cut_into_what_was_meant(tmp_path, capsys):
    """A play of several behaviours in physics: its primitives agree with the person's."""
    command = ["demos", "generate", "play_table", str(tmp_path), "--plays", "1", "--count", "6"]
    assert cli.main([*command, "--seed", "30"]) == 0
    assert "6 behaviours" in capsys.readouterr().out
    assert cli.main([*command, "--seed", "30"]) == 0
    assert "was there already" in capsys.readouterr().out
    (kept,) = folder.folders(tmp_path)
    read, played = folder.read(kept), play(30, 6, wrong=1.0)
    mistaken = played.shown.demonstration
    assert (read.samples, read.contacts) == (mistaken.samples, mistaken.contacts)
    assert tuple(p.label for p in read.pieces()) == played.labels
    assert all(p.things and p.words for p in read.pieces())
    pairs = zip(mistaken.annotations, read.annotations, strict=True)
    assert all(wrong.label != right.label for wrong, right in pairs)
    stamps = read.stamps_s()
    found = [(s.primitive, stamps[s.start], stamps[s.end]) for s in segments(read)]
    agreed = [
        any(
            p == t.primitive and max(abs(a - t.start_s), abs(b - t.end_s)) <= 0.2
            for p, a, b in found
        )
        for t in played.shown.truth
    ]
    assert sum(agreed) >= 0.95 * len(agreed)


def test_what_plays_did_not_show_is_taught_and_an_upset_is_repaired_in_one_task(tmp_path, capsys):
    """All in one run: learned, asked for, taught, done by the arm for words, upset, repaired."""
    run = tmp_path / "run"
    command = ["demo", "--world", "play_table", "--joined", "--record", str(run)]
    assert cli.main(command) == 0, capsys.readouterr().out
    report = json.loads((run / "report.json").read_text())
    assert report["verdict"] == "SATISFIED"
    assert any("Nobody taught me yet" in m and "led is turned on" in m for m in report["messages"])
    (failed,) = {s["action"] for s in report["skills"] if s["code"] == "PRECONDITION"}
    assert failed.endswith("(red_block, drawer)")
    lacking = [r for r in report["repairs"] if r["taken"] and r["action"] == failed]
    assert lacking and lacking[0]["cause"] == "the drawer is closed"
    assert "press_button" in "".join(s["action"] for s in report["skills"])
    assert [v.why for v in Versions(run / "library").all()][-1] == "shown when it was asked for"
    capsys.readouterr()
    assert cli.main(["replay", str(run / "bag"), "--library", str(run / "library")]) == 0
    told = capsys.readouterr().out
    assert "recorded SATISFIED, replayed SATISFIED" in told
    assert "SATISFIED by the simulator's" in told


def test_nothing_is_done_that_nobody_showed():
    learned = learned_from([play(41, 4, ("open_drawer", "close_drawer")).shown.demonstration])
    with pytest.raises(SaySoError, match="nobody showed 'turn_on_led'"):
        played_skills(learned.behaviours, furniture_of(SCENE))("turn_on_led", work=None)


def test_a_behaviour_by_itself_is_led_up_to_and_done_by_the_arm(tmp_path):
    """By the one motion that was learned of it, and judged by the simulator."""
    shown = play(41, 6, ("open_drawer", "close_drawer")).shown.demonstration
    folder.write_whole(shown, tmp_path / "one")
    suite = SingleBehaviours(
        plays=1, wrong=0.0, labels="propagated", physics=str(tmp_path), world="play_table",
        starts=1, first_start=0, learnings=1, shown=(2,),
    )  # fmt: skip
    (opening,) = (c for c in suite.cases() if c.group == "open_drawer")
    outcome = suite.run(opening, 0)
    assert outcome.success, outcome.detail
    assert outcome.measures["demonstrations"] == 2
    with pytest.raises(SaySoError, match="juggle"):
        led_up_to("juggle", 0)


def test_tasks_of_the_paper_begin_and_are_judged_by_the_true_state(monkeypatch):
    monkeypatch.setattr(in_physics, "ArmTable", lambda *_: None)
    red, pink = "red_block", "pink_block"
    for start, truly, goal in (
        ({red: "drawer", "drawer": 0}, {red: "drawer"}, {red: "table"}),
        ({red: "behind", "slider": 1}, {red: "cabinet", "slider": 1}, {"slider": 0}),
        ({"blocks": "drawer", "led": True}, {"blocks": "drawer", "led": True}, {"led": False}),
        ({pink: "in the way", "slider": 0}, {"slider": 0}, {"slider": 1}),
    ):
        begun = in_physics.PhysicalTable(4, {"start": start}, None)
        assert begun.shows(truly) and not begun.shows(goal), start
        begun.close()


def test_what_furniture_hides_is_not_seen_but_remembered(world):
    world.reset(5)
    onlooker = Onlooker(world, np.random.default_rng(0))
    world.set_share("drawer", 0.0)
    inside = next(o for o in world.truth() if o.name == "drawer").position
    world.put("red_block", Pose((inside[0], inside[1], 0.08)))
    world.put("blue_block", Pose((0.04, 0.545, 0.2)))  # behind the sliding door, at its left end
    world.set_share("slider", 0.0)
    assert {"red_block", "blue_block"}.isdisjoint(onlooker.look().by_name())
    world.set_share("drawer", 1.0)
    world.put("red_block", Pose((inside[0], inside[1] - 0.22, 0.08)))
    shown = onlooker.look().by_name()["red_block"]
    assert shown.visible
    world.set_share("drawer", 0.0)
    world.put("red_block", Pose((inside[0], inside[1], 0.08)))
    kept = onlooker.look().by_name()["red_block"]
    assert not kept.visible
    assert np.allclose(kept.position, (inside[0], inside[1], 0.08), atol=0.01)
    world.remove("red_block")
    assert not onlooker.look().by_name()["red_block"].visible  # nobody saw it taken
    world.set_share("drawer", 1.0)
    assert "red_block" not in onlooker.look().by_name()  # where it would have to be is nothing
