"""Operators as what can be done in a flat: which of them matter, and what they need and leave."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.library import load, save
from sayso.core.symbols import Atom, Domain
from sayso.planning.navigation.handling import Choice, driving, handling
from support.flats import DOMAIN, LIBRARY, held, lying

ROOMS = {"sofa": "on", "bin": "in", "wall": "beside", "toy": "", "mug": ""}


def chosen(*atoms: Atom, situation=None, **extra) -> set[str]:
    now = situation or lying()
    choice = Choice(DOMAIN, now.facts, ROOMS, now.along, **extra)
    return {str(h.action) for h in choice.for_task(atoms)}


def test_only_what_changes_what_the_task_asks_for_matters() -> None:
    assert chosen(Atom("holding", ("toy",))) == {
        "pick(toy)", "put_on(toy, sofa)", "put_in(toy, bin)", "put_beside(toy, wall)",
    }  # fmt: skip
    assert "pick(mug)" not in chosen(Atom("placed", ("toy", "sofa")))
    assert chosen(Atom("near", ("sofa",))) == set()


def test_what_is_held_can_be_put_down_and_what_is_excluded_not_done() -> None:
    holding_mug = chosen(Atom("holding", ("toy",)), situation=held("mug"))
    assert {"put_on(mug, sofa)", "put_in(mug, bin)"} <= holding_mug
    assert "pick(toy)" not in chosen(Atom("holding", ("toy",)), excluded=frozenset({"pick(toy)"}))
    put = chosen(
        Atom("placed", ("toy", "sofa")), Atom("placed", ("toy", "bin")),
        excluded=frozenset({"put_on(toy, sofa)"}),
    )  # fmt: skip
    assert "put_on(toy, sofa)" not in put
    assert {"pick(toy)", "put_in(toy, bin)"} <= put


def test_taking_and_leaving_say_where_a_thing_is() -> None:
    now = lying(("toy", "sofa"))
    names = {"toy", "sofa", "bin"}
    pick = handling(LIBRARY.operators["pick"], ("toy",), names)
    put = handling(LIBRARY.operators["put_in"], ("toy", "bin"), names)
    carried = now.after(pick)
    assert carried.is_near("toy", frozenset())
    assert not [a for a in carried.facts if a.predicate in ("on", "placed")]
    assert [str(x) for x in carried.missing(pick)] == ["hand_empty()"]
    left = carried.after(put)
    assert left.where("toy") == "bin"
    assert Atom("in", ("toy", "bin")) in left.facts
    assert not left.along


def test_motions_that_nothing_knows_and_a_domain_that_cannot_drive_are_named() -> None:
    go = LIBRARY.operators["go"]
    fly = replace(go, motion=frozenset({Atom("fly_to", ("?a",))}))
    with pytest.raises(SaySoError, match="fly_to") as caught:
        driving(Domain((fly,)))
    assert caught.value.code is Code.INVALID
    with pytest.raises(SaySoError, match="drives anywhere") as caught:
        driving(Domain(()))
    assert caught.value.code is Code.UNSUPPORTED


def test_a_library_keeps_motions_and_effects_on_every_object(tmp_path) -> None:
    save(LIBRARY, tmp_path)
    again = load(tmp_path)
    assert again.operators == LIBRARY.operators
    pick = again.operators["pick"].ground("toy", objects=("sofa", "bin"))
    assert {Atom("on", ("toy", "sofa")), Atom("placed", ("bin", "toy"))} <= pick.delete
