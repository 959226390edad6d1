"""Whatever a language model replies within the schema is a formula or a named error."""

from __future__ import annotations

from typing import Any

from hypothesis import given, reject, settings
from hypothesis import strategies as st

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.language.lexicon import Lexicon
from sayso.language.reading import read
from sayso.logic.formula import Formula, Prop, Quantified, Variable, children
from sayso.logic.text import parse, to_text
from support.model_replies import thing

TABLE = Lexicon.of(load(builtin_path()))
IDS = st.sampled_from(("k1", "k2", "k3", "red_one", "in", "K 1", ""))
WHICH = st.sampled_from(("the", "a", "every", "none", "2", "exactly 3", "at most 1", "99", "no"))
NOUNS = st.sampled_from(
    ("block", "the_red_blocks", "big mug", "red", "", "x) & true", "cans of tea")
)
PLACES = st.lists(
    st.tuples(st.sampled_from(("isbehind", "isbetween", "over")), st.lists(IDS, max_size=2)),
    max_size=4,
)
THINGS = st.lists(
    st.builds(
        thing, IDS, NOUNS, WHICH, different_from=st.lists(IDS, max_size=2), where=PLACES,
        colour=st.sampled_from(("", "red", "gray", "beige")),
        size=st.sampled_from(("", "large", "wide")),
    ),
    max_size=4,
)  # fmt: skip
STATES = st.one_of(
    st.builds("holding({})".format, IDS),
    st.builds("in({}, {})".format, IDS, IDS),
    st.builds("touching({})".format, IDS),
    st.sampled_from(("true", "flying(k1)", "on(k1)", "all x in block: (holding(x))", "")),
)
FORMULAS = st.recursive(
    STATES,
    lambda inner: st.one_of(
        st.builds("F({})".format, inner),
        st.builds("G(!{})".format, inner),
        st.builds("({} & {})".format, inner, inner),
        st.builds("({} -> {})".format, inner, inner),
        st.builds("({} U {})".format, inner, inner),
        st.builds("{})".format, inner),
    ),
    max_leaves=6,
)


def _plain(name: str, others: tuple[str, str]) -> st.SearchStrategy[Any]:
    """A thing that a sensible model might list."""
    place = st.tuples(st.just("isbehind"), st.just([others[0]]))
    return st.builds(
        thing, st.just(name), st.sampled_from(("block", "mug")),
        st.sampled_from(("the", "a", "every", "2", "at most 2")),
        different_from=st.sampled_from(([], [], [others[0]], [others[1]])),
        colour=st.sampled_from(("", "red")), where=st.lists(place, max_size=1),
    )  # fmt: skip


def _said_of(name: str) -> st.SearchStrategy[str]:
    states = (f"holding({name})", f"touching({name})", f"in({name}, k1)", f"!clear({name})")
    forms = ("F({})", "G({})", "G(!{})", "({} -> F(holding(k1)))", "(holding(k2) U {})")
    return st.builds(str.format, st.sampled_from(forms), st.sampled_from(states))


SENSIBLE_THINGS = st.tuples(
    _plain("k1", ("k2", "k3")), _plain("k2", ("k3", "k1")), _plain("k3", ("k1", "k2"))
)
SENSIBLE = st.tuples(_said_of("k1"), _said_of("k2"), _said_of("k3")).map(" & ".join)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(
    st.one_of(THINGS, SENSIBLE_THINGS),
    st.one_of(FORMULAS, SENSIBLE),
    st.lists(st.text(max_size=9), max_size=3),
)
def test_a_reply_is_a_formula_or_a_named_error(
    things: Any, formula: str, assumptions: list[str]
) -> None:
    reply = {"things": things, "formula": formula, "assumptions": assumptions, "problem": ""}
    try:
        read(reply, TABLE, ("red_block", "mug"))
    except SaySoError as error:
        assert error.code in (Code.INVALID, Code.NOT_UNDERSTOOD)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(SENSIBLE_THINGS, SENSIBLE)
def test_a_reading_is_closed_and_its_text_says_the_same(things: Any, formula: str) -> None:
    reply = {"things": things, "formula": formula, "assumptions": [], "problem": ""}
    try:
        found = read(reply, TABLE).formula
    except SaySoError:
        reject()
    assert not _free(found, frozenset())
    # What is kept, sent and read back is this text.
    assert parse(to_text(found)) == found


def _free(formula: Formula, bound: frozenset[str]) -> bool:
    """Whether a variable stands outside of its quantifier."""
    if isinstance(formula, Prop):
        return any(isinstance(a, Variable) and a.name not in bound for a in formula.args)
    if isinstance(formula, Quantified):
        loose = (a for a in formula.apart_from if isinstance(a, Variable))
        if any(a.name not in bound for a in loose):
            return True
        bound |= {formula.variable.name}
    return any(_free(c, bound) for c in children(formula))


def test_places_told_by_each_other_many_times_over_are_refused_at_once() -> None:
    """Written out, this description has a thousand million things."""
    chain = [
        thing(f"k{n}", "mug", where=[("isbetween", [f"k{n + 1}", f"k{n + 1}"])]) for n in range(29)
    ]
    reply = {
        "things": [*chain, thing("k29", "mug")],
        "formula": "F(holding(k0))",
        "assumptions": [],
        "problem": "",
    }
    try:
        read(reply, TABLE)
    except SaySoError as error:
        assert "steps" in error.message
    else:
        raise AssertionError("it was taken")
