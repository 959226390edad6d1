"""Rules in a flat: where the robot must not be, and until, while or after what.

rule    = prohibition | avoidance
bound   = "on the way" ["to" thing] | "on the way back with" things | count
        | ("until" | "before") [verb] things ["first"] | ("after" | "once") [verb] things
        | "while holding" things
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sayso.core.errors import Code, SaySoError
from sayso.language.events import at_least, at_most, negation
from sayso.language.flat import words
from sayso.language.flat.clauses import FlatClauses
from sayso.language.flat.indirect import IndirectThings
from sayso.language.flat.things import same_thing
from sayso.language.tokens import Cursor
from sayso.logic.formula import Always, Formula, Not, Or, Referent, Until, conjunction, disjunction

_TAIL = (
    "also", "as well", "at all", "at all costs", "at all times", "at any time", "either", "ever",
    "the whole time", "throughout", "too", "while doing all that", "while doing all this",
    "while doing so", "while doing that",
)  # fmt: skip
_UNTIL = ("before", "till", "until")
_AFTER = ("after", "as soon as", "once")


class FlatRules:
    """Reads rules at a cursor.

    Attributes:
        visited: gives the places and things that the task has named so far.
        told: gives what else was spoken of.
        guard: makes states hold on the way of the last step that leads to a place (None: of the
            last step); whether there is one.
    """

    def __init__(
        self,
        cursor: Cursor,
        things: IndirectThings,
        clauses: FlatClauses,
        visited: Callable[[], Sequence[Referent]],
        told: Callable[[], Sequence[Referent]],
        guard: Callable[[Formula | None, Formula], bool],
    ) -> None:
        self._cursor = cursor
        self._things = things
        self._clauses = clauses
        self._visited = visited
        self._told = told
        self._guard = guard
        self._waiting: set[tuple[Formula, Formula]] = set()

    def starts(self) -> bool:
        """Whether a rule starts here."""
        return bool(self._cursor.at(*words.NEVER, *words.AVOID))

    def rule(
        self,
        after: Formula | None = None,
        latest: Formula | None = None,
        during: Formula | None = None,
    ) -> list[Formula]:
        """A rule, which holds only from `after` on, or only in states of `during`, if given.

        `latest` is what "after that" refers to.
        """
        cursor = self._cursor
        if cursor.take(*words.AVOID):
            cursor.take(*words.BEING_NEAR)
            forbidden = self._places()
        elif cursor.take(*words.NEVER) and cursor.take("revisit", "visit again", "return to"):
            forbidden = self._places(mentioned=True)
            return self._ended([at_most(s, 1) for s in forbidden], after)
        else:
            forbidden = self._prohibited()
        if during is not None:
            return self._ended([_not_both(during, s) for s in forbidden], None)
        if after is not None:
            cursor.take("after that", "afterwards", "from then on")
            return self._ended([_from_on(after, s) for s in forbidden], None)
        return self._ended(self._bounded(forbidden, latest), None)

    def condition(self) -> Formula:
        """A state that bounds a rule: "visiting the sofa", "you have seen it", "the sofa"."""
        cursor = self._cursor
        if self._clauses.holding_starts():
            self._things.begin_clause()
            held = map(self._same, self._clauses.held())
            return conjunction(*map(self._clauses.holding, held))
        cursor.take("you", "it has", "we")
        cursor.take("have", "are")
        cursor.take(*words.BEING_NEAR, *words.HAVING_BEEN, *words.AVOIDED_VERBS, "find", "go to")
        start = cursor.position
        self._things.begin_clause()
        group = self._things.many()
        if len(group.referents) > 1 and group.joiner != "or":
            raise cursor.error(
                "it is not clear whether all of these are meant at once.",
                hint="name one place, or say it for each of them.",
                start=start,
            )
        cursor.take("first")
        return disjunction(*(self._clauses.near(self._same(r)) for r in group.referents))

    # -- what is forbidden ---------------------------------------------------------------

    def _prohibited(self) -> list[Formula]:
        cursor = self._cursor
        if cursor.take("pick up", "grab", "hold", "take"):
            return [self._clauses.holding(_any_of(r)) for r in self._these()]
        if not cursor.take(*words.AVOIDED_VERBS, *words.AVOIDED_PLACES):
            raise cursor.unexpected(
                (*words.AVOIDED_VERBS, "pick up", "hold"), "where something is forbidden"
            )
        return self._places()

    def _places(self, *, mentioned: bool = False) -> list[Formula]:
        if mentioned and self._cursor.at(*words.MENTIONED):
            self._cursor.take(*words.MENTIONED)
            return [self._clauses.near(r) for r in self.all_visited()]
        return [self._clauses.near(_any_of(r)) for r in self._these()]

    def all_visited(self) -> Sequence[Referent]:
        """The places named so far. Raises NOT_UNDERSTOOD if there are none."""
        if not (visited := self._visited()):
            raise self._cursor.error("no places were named before.", hint="name the places.")
        return visited

    def _these(self) -> list[Referent]:
        self._things.begin_clause()
        start = self._cursor.position
        things = self._things.many().referents
        if any(r.quantifier == "a" and r.noun[-1:].isdigit() for r in things):
            raise self._cursor.error("a number does not go with what is forbidden.", start=start)
        return [self._same(r) for r in things]

    def _same(self, thing: Referent) -> Referent:
        candidates = same_thing(thing, (*self._visited(), *self._told()))
        if len(candidates) > 1:
            raise self._cursor.error(
                "it is not clear which of the places named before this is.",
                hint="describe it in full.", choices=map(str, candidates),
            )  # fmt: skip
        return candidates[0]

    # -- when ----------------------------------------------------------------------------

    def _bounded(self, states: list[Formula], latest: Formula | None) -> list[Formula]:
        cursor = self._cursor
        if not cursor.at("once") and (count := self._clauses.count()) is not None:
            if count.high is not None or count.low < 2:
                raise cursor.error(
                    "this count does not go with 'never'.", hint="say 'more than once'."
                )
            return [Not(at_least(s, count.low)) for s in states]
        if cursor.take("after that", "afterwards"):
            if latest is None:
                raise cursor.error("'after that' has no step to go with.", hint="name the place.")
            return [_from_on(latest, s) for s in states]
        if cursor.take(*_UNTIL):
            return self.not_until(states, self.condition())
        if cursor.take(*_AFTER):
            limit = self.condition()
            return [_from_on(limit, s) for s in states]
        if cursor.take(*words.ON_THE_WAY) or self._while_holding():
            held = conjunction(*map(self._clauses.holding, self._these_held()))
            return [_not_both(held, s) for s in states]
        if cursor.at(*words.ON_THE_LEG_TO, *words.ON_THE_LEG):
            return self._on_the_leg(states)
        return [Always(negation(s)) for s in states]

    def _on_the_leg(self, states: list[Formula]) -> list[Formula]:
        """ "on the way to the sofa": only while the step that leads there is under way."""
        cursor, start = self._cursor, self._cursor.position
        place = None
        if cursor.take(*words.ON_THE_LEG_TO):
            place = self._clauses.near(self._same(self._things.one()))
        else:
            cursor.take(*words.ON_THE_LEG)
        if not self._guard(place, conjunction(*map(negation, states))):
            raise cursor.error(
                "it is not clear which way this is.", start=start,
                hint="say 'on the way to' a place that was named before.",
            )  # fmt: skip
        return []

    def _while_holding(self) -> bool:
        start = self._cursor.position
        if self._cursor.take(*words.WHILE) and self._cursor.take(*words.HOLDING):
            return True
        self._cursor.position = start
        return False

    def _these_held(self) -> list[Referent]:
        return [self._same(r) for r in self._things.many().referents]

    def not_until(self, states: Sequence[Formula], limit: Formula) -> list[Formula]:
        """None of the states before the limit holds, which need not ever come.

        Raises:
            SaySoError: CONTRADICTION where the limit has to wait for the state in turn.
        """
        for state in states:
            if state == limit or (limit, state) in self._waiting:
                raise SaySoError(
                    Code.CONTRADICTION,
                    "each of two places is to be visited before the other.",
                    hint="leave out one of the two.",
                )
            self._waiting.add((state, limit))
        absent = conjunction(*(negation(s) for s in states))
        return [Or((Always(absent), Until(absent, limit)))]

    def _ended(self, rules: list[Formula], after: Formula | None) -> list[Formula]:
        if after is not None:
            raise self._cursor.error("this rule cannot begin later.", hint="say it by itself.")
        while self._cursor.take(*_TAIL):
            pass
        return rules


def _from_on(limit: Formula, state: Formula) -> Formula:
    return Always(disjunction(negation(limit), Always(negation(state))))


def _not_both(held: Formula, state: Formula) -> Formula:
    return Always(disjunction(negation(held), negation(state)))


def _any_of(thing: Referent) -> Referent:
    """ "Never go near the doors" forbids being near any of them."""
    return replace(thing, quantifier="a") if thing.quantifier == "all" else thing
