"""Which part of a taught way the arm follows as it was shown, and which it plans itself."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.library import parse_literal
from sayso.learning.skills import taught_skills
from sayso.learning.skills.course import without_ends, without_middle
from sayso.learning.skills.store import KeptSkill
from sayso.learning.skills.taught_skills import TaughtSkills
from support.demonstrations import put_block_on_plate

HELD = object()


def step(places, held, moves=True):
    """A step of a plan: the tool at these x [m]."""
    shown = SimpleNamespace(shown=SimpleNamespace(moves=moves))
    return shown, [Pose((x, 0.0, 0.0)) for x in places], held


def along(part):
    return [[tool.position[0] for tool in tools] for _, tools, _ in part]


TO_IT = step([0.0, 0.05], None)
GRASP = step([0.05], HELD, moves=False)
PLACE = step([0.6], None, moves=False)
AWAY = step([0.6, 0.5], None)


@pytest.mark.parametrize(
    "carried",
    [
        [step([0.1, 0.15, 0.3, 0.45, 0.55, 0.6], HELD)],
        [step([0.1, 0.15, 0.3], HELD), step([0.4], HELD), step([0.45, 0.55, 0.6], HELD)],
    ],
)
def test_what_is_far_from_both_places_is_left_to_the_arm(carried):
    before, after = without_middle([TO_IT, GRASP, *carried, PLACE, AWAY])
    assert along(before) == [[0.0, 0.05], [0.05], [0.1, 0.15]]
    assert along(after) == [[0.55, 0.6], [0.6], [0.6, 0.5]]


def test_a_way_that_is_short_or_carries_nothing_is_not_cut():
    assert without_middle([TO_IT, GRASP, step([0.1, 0.15, 0.2], HELD), PLACE]) is None
    assert without_middle([TO_IT]) is None


def test_the_empty_hands_way_off_is_the_arms_own_and_that_of_what_is_held_is_not():
    off = step([0.6, 0.5, 0.4, 0.3], None)
    over = step([0.05, 0.2, 0.4, 0.6], HELD)
    assert along(without_ends([TO_IT, GRASP, over, PLACE, off]))[-1] == [0.6, 0.5]
    assert along(without_ends([TO_IT, GRASP, over]))[-1] == [0.05, 0.2, 0.4, 0.6]


ONE, MORE = (put_block_on_plate((x, 0.1, 0.3), (0.5, -0.2, 0.0)) for x in (0.3, 0.4))
EFFECT = parse_literal("on(?a, ?b)").atom
PARTS = {"block": "block", "plate": "plate"}
SHOWN = KeptSkill("put", "put it there", PARTS, EFFECT, (ONE,), {})
SHOWN_MORE = replace(SHOWN, demonstrations=(ONE, MORE))


@pytest.fixture
def skills(monkeypatch):
    """Those of a robot, with how often each was learned, by the number of demonstrations."""
    learned = []

    def learn(skill, _):
        learned.append(len(skill.demonstrations))
        return learned[-1]

    monkeypatch.setattr(taught_skills, "learned_from", learn)
    return TaughtSkills(lambda name, **_: f"builtin {name}", None, {"put": SHOWN}), learned


def played(skills, name="put"):
    """From how many demonstrations the arm's skill has learned."""
    return skills(name, work=None).learned()


def test_a_draft_is_tried_out_beside_what_is_known(skills):
    known, learned = skills
    assert played(known) == 1
    draft = known.draft({"put": SHOWN_MORE})
    assert played(draft) == 2 and draft("pick", work=None) == "builtin pick"
    assert played(known) == 1  # nobody agreed to it
    known.teach({"put": SHOWN_MORE})
    assert played(known) == 2 and learned == [1, 2]  # and none is learned twice


def test_what_is_forgotten_is_played_no_more(skills):
    known, _ = skills
    made = known("put", work=None)
    known.teach({}, ["put"])
    assert known("put", work=None) == "builtin put"
    with pytest.raises(SaySoError, match="taken back") as error:
        made.learned()
    assert error.value.code is Code.UNSUPPORTED
    known.teach({"put": SHOWN_MORE})
    assert made.learned() == 2
