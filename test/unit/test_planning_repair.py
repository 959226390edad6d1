"""What the repairers that know operators alone make of a failure on the table."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.failure import Failure
from sayso.core.library import parse_literal
from sayso.core.symbols import Action, Check, Literal, PlanStep, SymbolicState, Truths
from sayso.logic.formula import Always, Formula, Top
from sayso.mission.repair_chain import RepairChain
from sayso.mission.stages import PlanRequest
from sayso.planning.looking import Look, not_known
from sayso.planning.problem import PlanningProblem
from sayso.planning.reordering import Reorder
from sayso.planning.repair import BrokenPlan
from sayso.planning.repairers import LeaveOut, model_free
from sayso.planning.search import SearchPlanner
from sayso.planning.words import Cause, failure_text
from sayso.worlds.errands.cases import errand
from sayso.worlds.errands.stages import ErrandStages
from sayso.worlds.errands.world import ErrandWorld
from support.planning_cases import atoms, library, operator, problem, tabletop

NOTHING = Always(Top())
HELD = ("holding(red_block)", "not gripper_empty()", "not on_table(red_block)")


def action(text: str, case: PlanningProblem) -> Action:
    atom = parse_literal(text).atom
    return case.domain.operator(atom.predicate).ground(*atom.args, objects=case.objects)


def broken(case: PlanningProblem, rest: list[str], done: tuple[str, ...] = ()) -> BrokenPlan:
    steps = tuple(PlanStep(action(text, case)) for text in rest)
    failure = Failure(steps[0].action, Code.PRECONDITION, message="it cannot start.")
    return BrokenPlan(failure, steps, case, tuple(action(text, case) for text in done))


def repaired(plan: BrokenPlan, keep_plan: bool = True) -> tuple[list[str], list[str]]:
    """The actions, and which repairers were asked."""
    asked: list[str] = []
    chain = RepairChain(listen=lambda step: asked.append(step.plan.planner))
    mended = chain.repaired(plan, model_free(SearchPlanner().solve, keep_plan=keep_plan))
    return [str(a) for a in mended.actions], asked


def test_what_was_shut_is_opened_with_the_hand_freed_for_it():
    case = tabletop("F(in(red_block, drawer))", *HELD)
    plan = broken(case, ["place_in(red_block, drawer)"], ("pick_from_table(red_block)",))
    assert repaired(plan) == (
        [
            "place_on_table(red_block)",
            "open_drawer(drawer)",
            "pick_from_table(red_block)",
            "place_in(red_block, drawer)",
        ],
        ["leave out", "reorder", "bridge"],
    )


def test_a_full_hand_is_emptied_and_the_plan_goes_on():
    case = tabletop("F(on(red_block, plate))", "holding(mug)", "not gripper_empty()",
                    "not on_table(mug)")  # fmt: skip
    actions, _ = repaired(
        broken(case, ["pick_from_table(red_block)", "place_on(red_block, plate)"])
    )
    assert actions == [
        "place_on_table(mug)",
        "pick_from_table(red_block)",
        "place_on(red_block, plate)",
    ]


def test_what_was_reached_before_is_reached_in_the_end():
    """The drawer was shut, and its being shut is none of the task's business."""
    case = tabletop("F(on(red_block, blue_block))", "not on_table(green_block)",
                    "on(green_block, blue_block)", "not clear(blue_block)", *HELD)  # fmt: skip
    plan = broken(case, ["stack(red_block, blue_block)"], ("close_drawer(drawer)",))
    actions, _ = repaired(plan)
    assert actions[-1] == "stack(red_block, blue_block)"
    assert not any("drawer" in a for a in actions)


def test_the_hand_is_emptied_elsewhere_where_nothing_stands_on_what_the_robot_is_at():
    world = ErrandWorld(errand("kitchen", "mail"))
    done = (
        ("stand_up", ()),
        ("walk_to", ("counter",)),
        ("look_at", ("mail",)),
        ("pick_up", ("mail",)),
    )
    for skill, args in (*done, ("walk_to", ("storage",))):
        world.act(skill, args)
    stages = ErrandStages(world, (), registry.create("embedder", "character_ngrams"))
    case = stages.problem(PlanRequest(*stages.watch(stages.interpret(world.errand.words))))
    actions, asked = repaired(broken(case, ["open(storage)", "put_in(mail, storage)"]))
    assert actions[-2:] == ["put_in(mail, storage)", "close(storage)"]
    assert asked[-1] == "bridge"


def test_a_step_whose_effect_holds_already_is_left_out():
    case = tabletop("F(in(red_block, drawer))", "open(drawer)", "not closed(drawer)")
    rest = ["open_drawer(drawer)", "pick_from_table(red_block)", "place_in(red_block, drawer)"]
    assert repaired(broken(case, rest)) == (rest[1:], ["leave out"])


def kitchen(*true: str, task: str | Formula = NOTHING) -> PlanningProblem:
    """By default a task that wants nothing, as where only a plan in words is known of it."""
    go = operator("go", [], ["near(?x)"], ["near(?any)"], parameters=("?x",))
    wash = operator("wash", ["near(?x)"], ["clean(?x)"], parameters=("?x",))
    rise = operator("rise", ["sitting()"], [], ["sitting()"])
    sit = operator("sit", ["not sitting()"], ["sitting()"])
    steady = operator("steady", ["not sitting()", "near(?x)"], ["firm(?x)"], parameters=("?x",))
    take = [
        operator(f"take_{one}", [f"{one}_free()", *more, "not held(?x)"],
                 ["held(?x)", f"in_{one}(?x)"], [f"{one}_free()", *last], parameters=("?x",))
        for one, more, last in (
            ("right", (), ()), ("left", ("not right_free()",), ("some_free()",))
        )
    ]  # fmt: skip
    drop = [
        operator(f"drop_{one}", [f"in_{one}(?x)"], [f"{one}_free()", "some_free()"],
                 ["held(?x)", f"in_{one}(?x)"], parameters=("?x",))
        for one in ("right", "left")
    ]  # fmt: skip
    read = operator("read", ["held(?x)"], ["known(?x)"], parameters=("?x",))
    operators = (go, wash, rise, sit, steady, *take, *drop, read)
    given = ("right_free()", "left_free()", *true)
    return problem(operators, given, task, ("plate", "book", "mat"))


def test_what_is_lacked_for_another_reason_than_the_effects_is_bridged():
    """Whoever says "wash the plate" may mean the washing, though the plate is clean."""
    case = kitchen("clean(plate)")
    wanted = ["go(plate)", "wash(plate)", "go(book)", "go(plate)", "wash(plate)"]
    assert repaired(broken(case, ["wash(plate)", "go(book)", "wash(plate)"]))[0] == wanted


def test_what_can_be_done_without_is_left_out_where_it_would_undo_what_was_reached():
    case = kitchen("firm(plate)", "near(plate)", "sitting()")
    assert repaired(broken(case, ["steady(plate)", "go(book)"], ("sit()",)))[0] == ["go(book)"]
    rested = repaired(broken(case, ["steady(plate)", "go(book)"]))[0]
    assert rested == ["rise()", "steady(plate)", "go(book)"]


def test_a_hand_that_is_free_again_is_nothing_that_was_reached():
    """It was before the plan, so that no other thing is taken with it only to put that back."""
    case = kitchen()
    done = ("take_right(plate)", "drop_right(plate)")
    assert repaired(broken(case, ["read(book)"], done))[0] == ["take_right(book)", "read(book)"]


def test_what_held_before_the_plan_and_was_said_anew_is_nothing_that_was_reached():
    """That some hand is free held all the while the plate was in the right one."""
    case = kitchen("some_free()", "in_right(mat)", "held(mat)")
    case = replace(case, initial=case.initial - frozenset(atoms("right_free()")))
    done = ("take_right(plate)", "drop_right(plate)", "take_right(mat)")
    plan = broken(case, ["read(book)"], done)
    arities = {"some_free": 0, "right_free": 0, "left_free": 0}
    true = dict.fromkeys(atoms("some_free()", "right_free()", "left_free()"), True)
    seen = (SymbolicState(0.0, case.objects, Truths(case.objects, arities, true)),) * 4
    assert repaired(replace(plan, seen=seen))[0] == ["take_left(book)", "read(book)"]


def test_what_was_reached_is_not_restored_against_what_the_plan_leads_to():
    """The hands are to hold what was taken last: no hand is left for one that nobody put down."""
    case = kitchen("held(plate)", "in_right(plate)", "held(book)", "in_left(book)")
    hands = ("right_free", "left_free")
    case = replace(case, initial=frozenset(a for a in case.initial if a.predicate not in hands))
    plan = broken(case, ["take_left(mat)"], ("take_right(plate)", "take_left(book)"))
    actions, asked = repaired(plan)
    assert asked[-1] == "bridge"
    assert len(actions) == 2 and actions[0].startswith("drop_") and actions[1].startswith("take_")


def test_steps_in_the_wrong_order_change_places():
    """Nothing is added: the drawer was to be opened before the hand was full."""
    case = tabletop("F(in(red_block, drawer))")
    right = ["open_drawer(drawer)", "pick_from_table(red_block)", "place_in(red_block, drawer)"]
    assert repaired(broken(case, right[::-1])) == (right, ["leave out", "reorder"])


def test_a_step_that_comes_too_early_is_put_off():
    case = tabletop("F(in(red_block, drawer))")
    right = ["open_drawer(drawer)", "pick_from_table(red_block)", "place_in(red_block, drawer)"]
    assert repaired(broken(case, [right[2], *right[:2]])) == (right, ["leave out", "reorder"])


def test_a_later_step_that_brings_about_what_is_lacking_comes_first():
    """Neither of the green block's steps can wait for the other; the red one is put down sooner."""
    case = tabletop("F(on_table(red_block))", *HELD)
    rest = ["pick_from_table(green_block)", "place_on_table(green_block)"]
    wanted = ["place_on_table(red_block)", *rest]
    plan = broken(case, [*rest, wanted[0]])
    assert repaired(plan) == (wanted, ["leave out", "reorder"])


def test_what_a_later_step_brings_about_is_not_brought_about_twice():
    """The book is taken later on: to drop and take it again in between would be more to add, and
    would end with the book in the hand."""
    case = kitchen()
    rest = ["drop_right(book)", "go(mat)", "take_right(book)", "wash(mat)", "wash(plate)"]
    wanted = ["take_right(book)", "go(mat)", "drop_right(book)", "wash(mat)"]
    actions, asked = repaired(broken(case, rest))
    assert actions == [*wanted, "go(plate)", "wash(plate)"] and asked == ["leave out", "reorder"]


def test_a_step_whose_effect_holds_comes_after_the_one_that_ends_it_rather_than_being_left_out():
    """What was shut before the plan is to be shut when all is in; what the plan shut is shut."""
    case = tabletop("true")
    between = ["pick_from_table(mug)", "place_on_table(mug)"]
    said = ["close_drawer(drawer)", *between, "open_drawer(drawer)"]
    wanted = ["open_drawer(drawer)", *between, "close_drawer(drawer)"]
    assert repaired(broken(case, said)) == (wanted, ["leave out", "reorder"])

    again = ["close_drawer(drawer)", "open_drawer(drawer)"]
    plan = broken(case, again, ("open_drawer(drawer)", "close_drawer(drawer)"))
    assert repaired(plan) == (again[1:], ["leave out"])


def test_of_several_orders_that_is_taken_in_which_the_fewest_steps_serve_nothing():
    """Who walks to the book a second time does so for a step about it, and not to walk away."""
    middle = ["go(book)", "steady(book)", "go(mat)", "steady(mat)", "go(book)"]
    said = ["wash(book)", *middle, "go(plate)"]
    wanted = ["go(plate)", *middle, "wash(book)"]
    assert repaired(broken(kitchen(), said)) == (wanted, ["leave out", "reorder"])


def test_of_several_orders_that_is_taken_in_which_steps_about_the_same_things_come_together():
    said = ["read(book)", "wash(plate)", "take_right(book)", "steady(plate)"]
    wanted = ["steady(plate)", "wash(plate)", "take_right(book)", "read(book)"]
    plan = broken(kitchen("near(plate)"), said)
    assert repaired(plan) == (wanted, ["leave out", "reorder"])


def test_with_the_task_known_the_order_that_was_said_stays():
    """What has to hold in the end says what the steps were for."""
    rest = ["drop_right(book)", "go(mat)", "take_right(book)", "wash(mat)", "wash(plate)"]
    case = kitchen(task="F(clean(plate))")
    assert repaired(broken(case, rest))[1] == ["leave out", "reorder", "bridge"]


def test_a_step_is_judged_as_what_it_would_be_in_its_new_place():
    """The left hand takes what the right one has no room for."""
    case = kitchen()
    rest = ["drop_right(book)", "take_left(book)"]

    def meant(steps):
        hand = "right" if steps[0].action.name.startswith("take") else "left"
        names = (f"{s.action.name.split('_')[0]}_{hand}(book)" for s in steps)
        return tuple(PlanStep(action(name, case)) for name in names)

    found = Reorder(meant).propose(broken(case, rest))
    assert [str(s.action) for s in found.steps] == ["take_right(book)", "drop_right(book)"]


def test_a_step_that_is_watched_while_it_runs_is_not_left_out():
    case = tabletop("F(touching(drawer))", "open(drawer)", "not closed(drawer)")
    with pytest.raises(SaySoError, match="does not have all of its effects"):
        LeaveOut().propose(broken(case, ["open_drawer(drawer)"]))


def test_a_dropped_last_step_is_added_where_the_task_is_known():
    case = tabletop("F(on(red_block, plate)) & F(open(drawer))")
    actions, _ = repaired(
        broken(case, ["pick_from_table(red_block)", "place_on(red_block, plate)"])
    )
    assert actions[-1] == "open_drawer(drawer)"


def test_no_repair_breaks_a_never():
    """The only way to free the plate is to touch the mug."""
    case = tabletop("F(on(red_block, blue_block)) & G(!touching(mug))", "on(mug, blue_block)",
                    "not on_table(mug)", "not clear(blue_block)", *HELD)  # fmt: skip
    with pytest.raises(SaySoError) as caught:
        repaired(broken(case, ["stack(red_block, blue_block)"]))
    assert caught.value.code is Code.NO_PLAN


def test_nothing_is_bridged_after_a_step_that_breaks_the_task():
    case = tabletop("F(on(red_block, plate)) & G(!holding(mug))")
    rest = ["pick_from_table(red_block)", "place_on(red_block, plate)"]
    plan = broken(case, ["pick_from_table(mug)", *rest])
    assert repaired(plan) == (
        ["pick_from_table(red_block)", "place_on(red_block, plate)"],
        ["leave out", "reorder", "bridge", "replan"],
    )


def test_a_searched_plan_is_made_anew_first():
    case = tabletop("F(in(red_block, drawer))", *HELD)
    _, asked = repaired(broken(case, ["place_in(red_block, drawer)"]), keep_plan=False)
    assert asked == ["replan"]


def test_the_same_repair_from_the_same_state_ends():
    case = tabletop("F(on(red_block, plate))", *HELD)
    plan, chain = broken(case, ["place_on(red_block, plate)"]), RepairChain(tries=2)
    repairers = model_free(SearchPlanner().solve, keep_plan=True)
    for _ in range(2):
        assert len(chain.repaired(plan, repairers).steps) == 1
    with pytest.raises(SaySoError, match="the same was done 2 times") as caught:
        chain.repaired(plan, repairers)
    assert caught.value.code is Code.PRECONDITION
    chain.forget()
    assert len(chain.repaired(plan, repairers).steps) == 1


def test_what_ends_the_task_is_not_taken_for_a_lack_of_ideas():
    def cancelled(_: PlanningProblem):
        raise SaySoError(Code.CANCELLED, "planning was cancelled.")

    case = tabletop("F(on(red_block, plate))", *HELD)
    with pytest.raises(SaySoError, match="cancelled"):
        repairers = model_free(cancelled, keep_plan=False)
        RepairChain().repaired(broken(case, ["place_on(red_block, plate)"]), repairers)


def test_a_skill_that_is_lacking_is_named():
    case = tabletop("F(on(red_block, plate))", "not surface(plate)", *HELD)
    with pytest.raises(SaySoError, match="no known action brings about that") as caught:
        repaired(broken(case, ["place_on(red_block, plate)"]))
    assert caught.value.code is Code.UNSUPPORTED
    assert "teach a skill" in caught.value.hint


def test_a_failure_is_told_in_three_ways():
    case = tabletop("F(in(red_block, drawer))")
    checks = [Check(parse_literal("not closed(drawer)"), False), Check(
        parse_literal("holding(red_block)"), None)]  # fmt: skip
    failure = Failure(action("place_in(red_block, drawer)", case), Code.PRECONDITION, tuple(checks))
    texts = [failure_text(failure, library().predicates, cause) for cause in Cause]
    assert texts == [
        "Task failed.",
        "I cannot put the red block in the drawer.",
        "I cannot put the red block in the drawer because the drawer is closed and it is not "
        "known whether the robot holds the red block.",
    ]
    assert failure.things == ("red_block", "drawer")
    assert [str(x) for x in failure.unknown] == ["holding(red_block)"]


def test_what_is_not_seen_is_looked_for_where_it_may_be_before_anything_else():
    """Nobody has seen where the block went; the mug in the hand is put down to open the drawer."""
    case = tabletop("F(on(green_block, plate))", "holding(mug)", "not gripper_empty()",
                    "not on_table(mug)")  # fmt: skip
    gone = replace(
        case,
        objects=tuple(o for o in case.objects if o != "green_block"),
        initial=frozenset(a for a in case.initial if "green_block" not in a.args),
    )
    step = PlanStep(action("pick_from_table(green_block)", case))
    plan = BrokenPlan(Failure(step.action, Code.OBJECT_LOST), (step,), gone)
    assert not_known(plan) == ((), ("green_block",))
    proposal = Look().propose(plan)
    assert [str(s.action) for s in proposal.steps] == ["place_on_table(mug)", "open_drawer(drawer)"]
    assert proposal.looks and "the green block is not seen" in proposal.reason


def test_what_is_not_known_is_looked_at_unless_that_shows_nothing_new():
    unknown = parse_literal("in(red_block, drawer)").atom
    case = tabletop("F(on(red_block, plate))", "not on_table(red_block)", unknown={unknown})
    step = PlanStep(action("pick_out(red_block, drawer)", case))
    failure = Failure(step.action, Code.PRECONDITION, (Check(Literal(unknown), None),))
    plan = BrokenPlan(failure, (step,), case)
    proposal = Look().propose(plan)
    assert [str(s.action) for s in proposal.steps] == ["open_drawer(drawer)"]
    assert "it is not known whether the red block is in the drawer" in proposal.reason
    seen = case.initial - {parse_literal("closed(drawer)").atom}
    is_open = replace(case, initial=seen | atoms("open(drawer)", "accessible(drawer)"))
    with pytest.raises(SaySoError, match="nothing to be found out") as raised:
        Look().propose(replace(plan, problem=is_open))
    assert raised.value.code is Code.NO_PLAN


def test_looking_never_breaks_a_never():
    case = tabletop("F(on(green_block, plate)) & G(!touching(drawer))")
    gone = replace(case, objects=tuple(o for o in case.objects if o != "green_block"))
    step = PlanStep(action("pick_from_table(green_block)", case))
    plan = BrokenPlan(Failure(step.action, Code.OBJECT_LOST, message="lost."), (step,), gone)
    with pytest.raises(SaySoError):
        RepairChain().repaired(plan, [Look()])
