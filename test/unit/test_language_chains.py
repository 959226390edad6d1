"""Chains settled: each rewrite by an example, and what is not clear beside what comes before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from sayso.language import chains
from sayso.language.meaning import (
    AMONG,
    WISHED,
    Act,
    Avoid,
    Condition,
    Do,
    FromTo,
    Goal,
    Keep,
    Link,
    Modifier,
    NotThose,
    NumberOf,
    PlaceNamed,
    Pronoun,
    Remark,
    Shared,
    Tail,
    Thing,
    Things,
)

RED, BLUE = Thing("the", ("red",), "block"), Thing("the", ("blue",), "block")
RED_ONE, BLUE_ONE = Thing("the", ("red",)), Thing("the", ("blue",))
BLOCKS = Thing("all", (), "block", plural=True)
BOTH = Thing("both", (), "block", plural=True)
A_MUG, TRAY = Thing("a", (), "mug"), Thing("the", (), "tray")
ON_IT = (Tail("on {1}", Things((TRAY,))),)


def named(*members: Thing | Pronoun, joiner: str = "") -> Things:
    return Things(members, joiner or ("and" if len(members) > 1 else ""))


def put(*members: Thing | Pronoun, joiner: str = "") -> Act:
    return Act(Do("put", "verb", named(*members, joiner=joiner), ON_IT))


def only(*members: Thing | Pronoun, joiner: str = "") -> Act:
    """Things without a verb, as "the red one" in "..., the red one first"."""
    return Act(Shared(named(*members, joiner=joiner)))


def handled(links: Sequence[Link] | None) -> list[tuple[str, tuple[object, ...]]] | None:
    """The joiner and the things of each link."""
    if links is None:
        return None
    found: list[tuple[str, tuple[object, ...]]] = []
    for link in links:
        assert isinstance(link.item, Act) and not isinstance(link.item.what, FromTo)
        assert link.item.what.things is not None
        found.append((link.joiner, link.item.what.things.members))
    return found


def test_a_choice_is_of_the_one_that_was_asked_for() -> None:
    links = [Link("", put(A_MUG)), Link("comma", only(RED_ONE, BLUE_ONE, joiner="or"))]
    (link,) = chains.with_choice(links)
    assert handled([link]) == [
        ("", (Thing("the", ("red",), "mug"), Thing("the", ("blue",), "mug")))
    ]


def test_of_several_there_is_no_such_choice() -> None:
    links = [Link("", put(BLOCKS)), Link("comma", only(RED_ONE, BLUE_ONE, joiner="or"))]
    assert chains.with_choice(links) == links


@pytest.mark.parametrize("asked", [put(RED, BLUE), put(BOTH)])
def test_of_two_things_the_later_one_waits(asked: Act) -> None:
    links = [Link("", asked), Link("of two", only(BLUE_ONE, RED_ONE))]
    assert handled(chains.with_one_before(links)) == [("", (BLUE,)), ("only then", (RED,))]


def test_two_that_were_not_named_are_not_ordered() -> None:
    links = [Link("", put(A_MUG, TRAY)), Link("of two", only(BLUE_ONE, RED_ONE))]
    assert chains.with_one_before(links) is None


def test_the_first_of_those_that_are_listed_comes_before_the_others() -> None:
    links = [Link("", put(RED, BLUE)), Link("at first", only(BLUE_ONE))]
    assert handled(chains.with_first(links)) == [("", (BLUE,)), ("then", (RED,))]


def test_the_first_of_a_kind_comes_before_all_others_of_it() -> None:
    links = [Link("", put(BLOCKS)), Link("at first", only(RED_ONE))]
    others = Thing("all", (), "block", plural=True, apart=Things((RED,)))
    assert handled(chains.with_first(links)) == [("", (RED,)), ("then", (others,))]


def test_another_thing_first_stays_an_item_of_its_own() -> None:
    links = [Link("", put(RED)), Link("at first", only(TRAY))]
    assert chains.with_first(links) == links


def test_what_comes_after_the_first_one_has_to_be_one_of_them() -> None:
    links = [Link("", put(BLOCKS)), Link("at first", only(RED_ONE)), Link("then", only(A_MUG))]
    assert chains.with_first(links) is None


def test_the_last_one_comes_after_the_others() -> None:
    links = [Link("", put(RED, BLUE)), Link("last", only(RED_ONE))]
    assert handled(chains.with_last(links)) == [("", (BLUE,)), ("then", (RED,))]


def test_the_last_one_has_to_be_one_of_those_named() -> None:
    assert chains.with_last([Link("", put(RED, BLUE)), Link("last", only(TRAY))]) is None


def test_only_this_after_that_waits_for_that() -> None:
    after = Modifier("after", Condition(()))
    act = Act(put(RED).what, only=True)
    step, late = chains.with_only_after([Link("", act), Link(modifier=after)])
    assert isinstance(step.item, Act) and not step.item.only
    assert late.modifier == Modifier("only after", Condition(()))


def test_what_is_wished_of_the_end_is_so_at_the_end() -> None:
    wish = Act(Do("put", WISHED, named(RED), ON_IT))
    links = [Link("", put(BLUE)), Link("at last", wish), Link("and", Goal(Condition(())))]
    first, *wished = chains.with_end(links)
    assert first == links[0]
    assert [getattr(link.item, "final", None) for link in wished] == [True, True]


def test_an_order_at_last_is_a_step() -> None:
    links = [Link("", put(BLUE)), Link("at last", put(RED))]
    assert chains.with_end(links) == links


def test_of_those_says_of_what_kind_all_are() -> None:
    of = Remark(AMONG, things=named(Thing("the", (), "block", plural=True)))
    everything = Thing("all", (), "thing", plural=True, apart=named(RED_ONE))
    told = chains.of_those([Link("", of), Link("comma", put(everything))])
    blocks = Thing("all", (), "block", plural=True, apart=named(RED_ONE))
    assert told is not None and handled(told[1:]) == [("comma", (blocks,))]


def test_of_those_said_of_nothing_or_later_is_not_understood() -> None:
    of = Link("", Remark(AMONG, things=named(BLOCKS)))
    assert chains.of_those([of]) is None
    assert chains.of_those([Link("", put(RED)), of]) is None


WAY = Modifier("by way of", PlaceNamed(named(TRAY)))
STORY = Remark("report", thing=RED)


@pytest.mark.parametrize(
    ("is_unclear", "link", "before"),
    [
        (chains.is_said_of_all, Link("comma", put(Pronoun("it"))), [Link("", only(BLOCKS))]),
        (
            chains.is_other_place,
            Link("or", only(TRAY)),
            [Link("", Act(FromTo(named(RED), named(BLUE))))],
        ),
        (chains.is_other_place, Link("but", only(TRAY)), [Link(modifier=Modifier("avoiding"))]),
        (chains.is_passed_too, Link("then", only(RED)), [Link("", put(BLUE)), Link(modifier=WAY)]),
        (chains.is_told_too, Link("and", STORY), [Link("", only(BLUE))]),
        (chains.is_named_again, Link("comma", only(BLUE_ONE)), [Link("", put(RED, BLUE))]),
        (
            chains.modifies_rule,
            Link(modifier=WAY),
            [Link("", Avoid(named(RED))), Link(modifier=WAY)],
        ),
        (
            chains.leaves_out_of_rest,
            Link("", NotThose(named(RED))),
            [Link("", Remark(chains.THE_REST))],
        ),
    ],
)
def test_what_is_not_clear_beside_what_comes_before(
    is_unclear: chains.Unclear, link: Link, before: Sequence[Link]
) -> None:
    assert is_unclear(link, before)
    assert not is_unclear(Link("then", Keep(Condition(()))), before)
    assert chains.settled([*before, link]) is None


def test_a_plain_chain_stays_as_it_is() -> None:
    links = [Link("", put(RED)), Link("then", put(BLUE)), Link("and", Act(Do("open")))]
    assert chains.settled(links) == links


def test_the_first_of_so_many_leaves_the_others() -> None:
    three = Thing(NumberOf(3, definite=True), (), "block", plural=True)
    red = Things((replace(RED_ONE, noun="block"),))
    two = replace(three, determiner=NumberOf(2, definite=True), apart=red)
    found = chains.with_first([Link("", put(three)), Link("at first", only(RED_ONE))])
    assert handled(found) == [("", red.members), ("then", (two,))]


def test_the_first_of_any_so_many_leaves_unclear_what_waits_for_all_of_them() -> None:
    three = Thing(NumberOf(3), (), "block", plural=True)
    links = [Link("", put(three)), Link("at first", only(RED_ONE))]
    assert chains.with_first(links) == links
    assert chains.with_first([*links, Link("and", put(TRAY))]) is None
