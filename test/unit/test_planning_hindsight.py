"""A slip in what was carried out of a plan is made good, where that is likelier than one ahead."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.failure import Failure
from sayso.core.symbols import Action, PlanStep, SymbolicState, Truths
from sayso.planning.bridging import Bridge
from sayso.planning.coherence import unlikely
from sayso.planning.hindsight import Hindsight, Remembered
from sayso.planning.repair import BrokenPlan, Proposal
from sayso.planning.repairers import LeaveOut
from support.planning_cases import atom, operator
from support.planning_cases import problem as made

X = ("?x",)
GO = operator("go", (), ["near(?x)"], ["near(?any)"], parameters=X)
TAKEN_ALONG = frozenset({(atom("near(?any)"), atom("holding(?any)"))})
OPERATORS = (
    replace(GO, add_where=TAKEN_ALONG),
    operator("take", ["near(?x)", "small(?x)", "free()"], ["holding(?x)", "near(?x)"],
             ["free()"], parameters=X),
    operator("press", ["near(?x)"], ["pressed(?x)"], parameters=X),
    operator("wipe", ["near(?x)"], ["wiped(?x)"], parameters=X),
    operator("dry", ["near(?x)"], ["dried(?x)"], parameters=X),
    operator("sit", ["near(?x)", "not seated()"], ["seated()"], parameters=X),
    operator("put", ["holding(?x)", "near(?y)"], ["on(?x)", "free()"], ["holding(?x)"],
             parameters=("?x", "?y")),
    operator("rise", ["seated()"], [], ["seated()"]),
    operator("lift_left", ["near(?x)"], ["in_left(?x)"], parameters=X),
    operator("lift_right", ["near(?x)"], ["in_right(?x)"], parameters=X),
    operator("shake", ["in_right(?x)"], [], ["in_right(?x)"], parameters=X),
    operator("turn_on", ["near(?x)", "not on(?x)"], ["on(?x)"], parameters=X),
    operator("turn_off", ["near(?x)", "on(?x)"], [], ["on(?x)"], parameters=X),
)  # fmt: skip
THINGS = ("phone", "couch", "desk", "door", "cup")
ARITIES = {"near": 1, "holding": 1, "free": 0, "seated": 0, "small": 1, "pressed": 1, "wiped": 1,
           "dried": 1, "on": 1, "in_left": 1, "in_right": 1}  # fmt: skip


def broken(*said: str) -> BrokenPlan:
    """A plan, carried out as far as it can be."""
    case = made(OPERATORS, ("free()", "small(cup)", "small(phone)"), "G(true)", THINGS)
    true, done, seen = case.initial, list[Action](), list[SymbolicState]()
    actions = [ground(text) for text in said]
    for action in actions:
        truths = Truths(THINGS, ARITIES, dict.fromkeys(true, True))
        seen.append(SymbolicState(float(len(seen)), THINGS, truths))
        if not action.applicable(true):
            break
        true = action.apply(true)
        done.append(action)
    rest = tuple(map(PlanStep, actions[len(done) :]))
    failure = Failure(rest[0].action, Code.PRECONDITION)
    return BrokenPlan(failure, rest, replace(case, initial=true), tuple(done), tuple(seen))


def ground(text: str) -> Action:
    name, *things = text.split(" ")
    return made(OPERATORS, (), "G(true)").domain.operator(name).ground(*things, objects=THINGS)


def proposed(plan: BrokenPlan) -> Proposal:
    return Hindsight(None, lambda steps, _: steps).propose(plan)


def steps(proposal: Proposal) -> list[str]:
    return [str(s.action) for s in proposal.steps]


def test_what_nobody_took_along_is_fetched():
    """In reach of the couch nobody can press the phone's keys, unless it was taken there."""
    proposal = proposed(broken("go phone", "go couch", "sit couch", "press phone"))
    assert steps(proposal) == ["go(phone)", "take(phone)", "press(phone)"]
    assert "take(phone) was forgotten before go(couch)" in proposal.reason
    assert proposal.keeps_plan


def test_steps_of_which_one_was_done_already_may_have_changed_places():
    proposal = proposed(broken("go desk", "go couch", "dry desk", "wipe desk", "sit couch"))
    order = ["go(desk)", "wipe(desk)", "dry(desk)", "go(couch)", "sit(couch)"]
    assert steps(proposal) == order
    assert "go(couch) and wipe(desk) had changed places" in proposal.reason


def test_a_slip_ahead_is_no_less_likely_where_the_plan_says_nothing_against_it():
    """Somebody forgot to say "go to the desk" before "wipe it", or to do so in time: who knows?"""
    with pytest.raises(SaySoError) as error:
        proposed(broken("go couch", "press couch", "wipe desk"))
    assert error.value.code is Code.NO_PLAN


def test_what_was_thought_out_for_a_failure_is_told_again_and_not_thought_out_anew():
    asked = list[BrokenPlan]()

    class Asked:
        name = "asked"

        def propose(self, broken: BrokenPlan) -> Proposal:
            asked.append(broken)
            if len(asked) > 1:
                raise SaySoError(Code.NO_PLAN, "no more.")
            return Proposal(broken.rest, "so it is")

    one, other = broken("press phone"), broken("press couch")
    repairer = Remembered(Asked())
    assert repairer.propose(one) is repairer.propose(one)
    for _ in range(2):
        with pytest.raises(SaySoError, match="no more"):
            repairer.propose(other)
    assert asked == [one, other]


def test_without_memory_there_is_no_hindsight():
    plan = replace(broken("go phone", "go couch", "press phone"), seen=())
    with pytest.raises(SaySoError, match="no slip"):
        proposed(plan)


def test_who_switches_off_what_was_never_on_forgot_to_switch_it_on():
    proposal = proposed(broken("go phone", "wipe phone", "turn_off phone"))
    assert steps(proposal) == ["turn_on(phone)", "turn_off(phone)"]
    assert "turn_on(phone) was forgotten before" in proposal.reason


@pytest.mark.parametrize("said", [
    ("turn_off phone",),  # how things stand may not be known to who says so
    ("go desk", "turn_off phone"),
    ("go phone", "turn_on phone", "turn_off phone", "turn_off phone"),
])  # fmt: skip
def test_what_is_ended_already_otherwise_is_no_slip(said):
    with pytest.raises(SaySoError) as error:
        proposed(broken(*said))
    assert error.value.code is Code.NO_PLAN
    left = LeaveOut() if said[-1] == said[-2:-1] else Bridge(None)
    assert not left.propose(broken(*said)).steps


def test_who_rises_without_having_sat_down_forgot_that():
    proposal = proposed(broken("go couch", "wipe couch", "rise"))
    assert steps(proposal) == ["sit(couch)", "rise()"]


def test_what_is_said_later_had_changed_places_and_was_not_forgotten():
    """To put the phone down never had a point so far; but it is taken later on."""
    said = ("go phone", "go couch", "go desk", "put phone desk", "take phone", "wipe couch")
    proposal = proposed(broken(*said))
    assert "go(couch) and take(phone) had changed places" in proposal.reason
    meant = ["go(phone)", "take(phone)", "go(desk)", "put(phone, desk)", "go(couch)"]
    assert steps(proposal) == [*meant, "wipe(couch)"]


def test_what_changed_places_may_be_done_with_another_hand_in_its_own_place():
    """By the time that it is said the other hand would lift the phone."""
    said = ("go phone", "go couch", "shake phone", "lift_left phone", "wipe couch")

    def meant(steps, state):
        lifted = PlanStep(ground("lift_right phone"))
        return [lifted if s.action.name == "lift_left" else s for s in steps]

    proposal = Hindsight(None, meant).propose(broken(*said))
    assert "had changed places" in proposal.reason
    meant_order = ["go(phone)", "lift_right(phone)", "shake(phone)", "go(couch)", "wipe(couch)"]
    assert steps(proposal) == meant_order


def test_steps_belong_together_by_what_they_name_alone():
    """Phone and cup are put on the same desk, of which nothing is said."""
    one, other = (PlanStep(ground(f"put {thing} desk")) for thing in ("phone", "cup"))
    case = made(OPERATORS, (), "G(true)", THINGS)
    assert unlikely((one, other), case) == (0, 1)
    first = lambda action: action.args[:1]  # noqa: E731
    assert unlikely((one, other), case, first) == (0, 2)
    assert unlikely((PlanStep(ground("wipe desk")), other), case, first) == (0, 1)


def test_what_was_forgotten_is_what_the_plan_does_elsewhere_too():
    """Each thing is put on the desk: so was the cup to be, though the couch came first. (Here it
    may as well be put down now.)"""
    again = ("go phone", "take phone")
    said = (*again, "go desk", "put phone desk", "go cup", "take cup")
    with pytest.raises(SaySoError, match=r"that put\(cup, desk\) was forgotten"):
        proposed(broken(*said, "go couch", "press couch", "go desk", "wipe desk", *again))
