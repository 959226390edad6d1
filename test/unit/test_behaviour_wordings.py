"""What annotations of play are taken to say: places for things, and the state that is meant."""

from __future__ import annotations

import pytest

from sayso.core.scene import Scene, SceneObject
from sayso.core.vocabulary import Kind, Type, Vocabulary
from sayso.learning.behaviours.spoken import spoken_of
from sayso.learning.behaviours.wordings import name_of, said_of
from sayso.worlds.kinematic_play.table import BEHAVIOURS
from sayso.worlds.persons.play_file import behaviours

SCENE = Scene(
    0.0,
    tuple(
        SceneObject(name, category, color, (0.0, 0.0, 0.0), (0.1, 0.1, 0.1))
        for name, category, color in (
            ("red_block", "block", "red"),
            ("blue_block", "block", "blue"),
            ("drawer", "drawer", ""),
            ("slider", "slider", ""),
            ("switch", "switch", ""),
            ("bulb", "lamp", ""),
        )
    ),
)
WORDS = Vocabulary(
    kinds=(Kind(("lamp", "light"), frozenset({"lamp"})),), types=(Type("lamp", "a lamp"),)
)
BLOCK = {"block": "red_block", "drawer": "drawer"}
TWO = {"block": "red_block", "other": "blue_block"}
LAMP = {"switch": "switch", "lamp": "bulb"}


@pytest.mark.parametrize(
    ("words", "things", "wording", "first"),
    [
        ("Open the drawer.", {"drawer": "drawer"}, "open {0}", "drawer"),
        ("pull the drawer open", {"drawer": "drawer"}, "pull {0} open", "drawer"),
        ("put the red block in the drawer", BLOCK, "put {0} in {1}", "red_block"),
        ("place it into the drawer", BLOCK, "place {0} into {1}", "red_block"),
        ("store the grasped block in the drawer", BLOCK, "store {0} in {1}", "red_block"),
        (
            "stack the red block on top of the blue block",
            TWO,
            "stack {0} on top of {1}",
            "red_block",
        ),
        ("slide the door to the left", {"slider": "slider"}, "slide {0} to the left", "slider"),
        ("lift the red block from the table", TWO | {}, "lift {0} from the table", "red_block"),
        ("turn on the bulb", LAMP, "turn on {0}", "bulb"),
        ("switch the light on", LAMP, "switch {0} on", "bulb"),
        ("use the switch to turn on the light", LAMP, "use {1} to turn on {0}", "bulb"),
        ("push the switch so that the bulb is off", LAMP, "push {1} so that {0} is off", "bulb"),
        ("turn the red block clockwise", TWO, "turn {0} clockwise", "red_block"),
    ],
)
def test_an_annotation_has_places_for_its_things(words, things, wording, first):
    said = said_of(words, things, SCENE, WORDS)
    assert (said.wording, said.things[0]) == (wording, first)
    assert sorted(said.things) == sorted(things.values())


@pytest.mark.parametrize(
    ("words", "things", "state"),
    [
        ("red on top of blue, careful", TWO, "on(red_block, blue_block)"),
        ("Red gets stacked on blue.", TWO, "on(red_block, blue_block)"),
        ("the red block is put onto the blue one", TWO, "on(red_block, blue_block)"),
        ("dropped the red cube into the open drawer", BLOCK, "in(red_block, drawer)"),
        ("put red behind the door, in the drawer", BLOCK, "in(red_block, drawer)"),
        ("red out of drawer", BLOCK, "lifted(red_block)"),
        ("remove the red one that sits on blue", TWO, "lifted(red_block)"),
        ("And red leaves blue again.", TWO, "lifted(red_block)"),
        ("I reach into the drawer and take the red block", BLOCK, "lifted(red_block)"),
        ("flick the switch up, bulb comes on", LAMP, "turned_on(bulb)"),
        ("Put out the light, we don't need it.", LAMP, "not turned_on(bulb)"),
        ("bulb off by the switch", LAMP, "not turned_on(bulb)"),
        ("I'm opening the drawer so we get at things", {"d": "drawer"}, "open(drawer)"),
        ("drawer closed, finally", {"d": "drawer"}, "not open(drawer)"),
        ("push the drawer back in", {"d": "drawer"}, "not open(drawer)"),
        ("hold the slider and drag it rightwards", {"s": "slider"}, "not moved_left(slider)"),
        ("gave the red one a shove to the left", TWO, "moved_left(red_block)"),
        ("oops, missed the block", TWO, ""),
        ("waiting, nothing happens", TWO, ""),
        ("leave the red block on the blue one", TWO, "on(red_block, blue_block)"),
        ("The robot leaves the red block on the table.", TWO, "on_table(red_block)"),
        ("get the red block into the drawer", BLOCK, "in(red_block, drawer)"),
        ("get the red block out of the drawer", BLOCK, "lifted(red_block)"),
        ("get red off blue", TWO, "lifted(red_block)"),
        ("take red off blue onto the table", TWO, "on_table(red_block)"),
        ("take red off blue into the drawer", TWO | {"d": "drawer"}, "in(red_block, drawer)"),
        ("move red out of drawer onto blue", TWO | {"d": "drawer"}, "on(red_block, blue_block)"),
        ("lift red off blue into the air", TWO, "lifted(red_block)"),
        ("red falls off blue", TWO, ""),
        ("red fell out of drawer onto blue", TWO | {"d": "drawer"}, "on(red_block, blue_block)"),
        ("fail to open the drawer", {"d": "drawer"}, ""),
        ("trying to open the drawer", {"d": "drawer"}, ""),
        ("I try and open the drawer", {"d": "drawer"}, ""),
        ("the drawer won't open", {"d": "drawer"}, ""),
        ("unable to close the drawer", {"d": "drawer"}, ""),
        ("I was not able to open the drawer", {"d": "drawer"}, ""),
        ("tried to open the drawer, then closed it", {"d": "drawer"}, "not open(drawer)"),
        ("close the drawer, it was open", {"d": "drawer"}, "not open(drawer)"),
        ("open the drawer, it was shut", {"d": "drawer"}, "open(drawer)"),
        ("the drawer was closed", {"d": "drawer"}, "not open(drawer)"),
        ("the drawer was open", {"d": "drawer"}, ""),
    ],
)  # fmt: skip
def test_people_speak_in_many_ways_of_one_state(words, things, state):
    said = said_of(words, things, SCENE, WORDS)
    spoken = spoken_of(said.wording)
    if not state:
        assert spoken is None
        return
    concept = spoken.concept
    names = said.things[: len(concept.parameters)]
    assert ("" if spoken.positive else "not ") + f"{concept.name}({', '.join(names)})" == state


@pytest.mark.parametrize(
    ("wording", "name", "arity", "positive", "place"),
    [
        ("open {0}", "open", 1, True, False),
        ("pull {0} open", "open", 1, True, False),
        ("push {0} shut", "open", 1, False, False),
        ("close {0}", "open", 1, False, False),
        ("turn on {0}", "turned_on", 1, True, False),
        ("use {1} to turn off {0}", "turned_on", 1, False, False),
        ("slide {0} to the left", "moved_left", 1, True, False),
        ("push {0} right", "moved_left", 1, False, False),
        ("put {0} in {1}", "in", 2, True, True),
        ("push {0} into {1}", "in", 2, True, True),
        ("stack {0} on top of {1}", "on", 2, True, True),
        ("set {0} down on the table", "on_table", 1, True, True),
        ("take {0} off the table", "lifted", 1, True, True),
        ("lift {0} out of {1}", "lifted", 1, True, True),
        ("bring {0} out", "lifted", 1, True, True),
        ("bring out {0}", "lifted", 1, True, True),
        ("carry {0} out of {1}", "lifted", 1, True, True),
        ("haul {0} out", "lifted", 1, True, True),
        ("brought {0} out", "lifted", 1, True, True),
        ("bring {0} out of {1} onto the table", "on_table", 1, True, True),
        ("bring {0} on {1}", "on", 2, True, True),
        ("rotate {0} left", "rotated_left", 1, True, False),
        ("turn {0} clockwise", "rotated_left", 1, False, False),
        ("push {1} so that {0} is off", "turned_on", 1, False, False),
        ("turn on {0} with {1}", "turned_on", 1, True, False),
        ("push {0} left over the table", "moved_left", 1, True, False),
        ("push {0} off the table into {1}", "in", 2, True, True),
        ("grasp {0} on the table and lift it up", "lifted", 1, True, True),
        ("put {0} down on the table", "on_table", 1, True, True),
        ("knock {0} off", "knocked_off", 1, True, False),
        ("knock {0} off the table", "knocked_off", 1, True, False),
        ("wiped {0} off {1}", "wiped_off", 1, True, False),
        ("sweep {0} off with {1}", "swept_off", 1, True, False),
        ("scratch {0} off", "scratched_off", 1, True, False),
        ("knock {0} off {1} into {2}", "in", 2, True, True),
        ("toggle {0} off", "turned_on", 1, False, False),
        ("shut {0} off", "turned_on", 1, False, False),
        ("shut off {0}", "turned_on", 1, False, False),
        ("make {0} go off", "turned_on", 1, False, False),
        ("use {1} to get {0} on", "turned_on", 1, True, False),
        ("unhook {0} from {1}", "lifted", 1, True, True),
    ],
)
def test_a_wording_speaks_of_a_state(wording, name, arity, positive, place):
    spoken = spoken_of(wording)
    assert spoken is not None
    concept = spoken.concept
    assert (concept.name, len(concept.parameters)) == (name, arity)
    assert (spoken.positive, spoken.place) == (positive, place)


def test_words_that_name_no_thing_speak_of_no_state():
    assert spoken_of("well done") is None
    assert spoken_of("{0}") is None


def test_where_a_thing_was_is_told_too():
    told = {
        "lift {0} from {1}": "{1}",
        "take {0} off the table": "table",
        "lift {0} off the top of {1}": "{1}",
        "grasp {0} on the table and lift it up": "table",
        "put {0} in {1}": "",
    }
    assert {w: spoken_of(w).source for w in told} == told


def test_a_behaviour_is_named_by_its_words():
    assert name_of("slide {0} to the left", ("slider",)) == "slide_slider_to_left"


def test_both_play_tables_play_by_the_same_labels_and_wordings():
    assert set(BEHAVIOURS) <= set(behaviours("play_table")), (
        "without physics nothing is played that has no words"
    )
