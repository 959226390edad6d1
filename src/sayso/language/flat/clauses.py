"""Clauses in a flat: what the robot is asked to do, and the states that bound a rule."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sayso.core.errors import Code, SaySoError
from sayso.language.clauses import Count
from sayso.language.events import AnyOrder, Either, Event, Sequence, State, negation
from sayso.language.flat import words
from sayso.language.flat.indirect import IndirectThings
from sayso.language.lexicon import MAX_TIMES, TIMES, Lexicon
from sayso.language.phrases import Group
from sayso.language.tokens import Cursor
from sayso.logic.formula import Formula, Not, Prop, Referent, conjunction, disjunction

_LIMITS = ("at least", "at most", "no more than", "exactly", "more than", "only", "just")
_OFTEN = ("times", "time", "separate occasions", "different occasions", "occasions")
SPEAKER = Referent("speaker")
"""Stands for the place of the person until that is known."""


@dataclass(frozen=True)
class Done:
    """What a clause asks for.

    Attributes:
        states: one for each thing of a list of places, empty for other clauses.
        free: "go" or "deliver" if it says all its things by name, so that "and" between two of
            a kind may leave the order open.
        ruled: whether a rule gives its place in the order.
    """

    event: Event
    states: tuple[Formula, ...] = ()
    joiner: str = ""
    free: str = ""
    ruled: bool = False


class FlatClauses:
    """Reads clauses at a cursor.

    Attributes:
        gerund: whether a verb may end in "-ing", as after "would you mind".
    """

    def __init__(self, cursor: Cursor, things: IndirectThings, lexicon: Lexicon) -> None:
        self._cursor = cursor
        self._things = things
        self._lexicon = lexicon
        self._shared = ""
        self.gerund = False

    # -- actions -------------------------------------------------------------------------

    def starts(self) -> bool:
        """Whether an action starts here, or a thing that shares the verb of the clause before."""
        return bool(self._cursor.at(*words.VERBS)) or (bool(self._shared) and self._things.starts())

    def action(self, listed: tuple[Referent, ...] = ()) -> Done:
        """An action; `listed` are what "all the locations" stands for."""
        cursor = self._cursor
        self._things.begin_clause()
        gerund = cursor.take(*words.GERUNDS) if self.gerund else ""
        verb = words.GERUNDS[gerund] if gerund else cursor.take(*words.VERBS)
        if not verb:
            if not (self._shared and self._things.starts()):
                raise cursor.unexpected(
                    (*words.VERBS, "never", "avoid"), "where an instruction should begin"
                )
            verb = self._shared
        self._shared = verb
        match words.VERBS[verb]:
            case "go":
                return self.places(listed)
            case "hold":
                return self._holding(verb)
            case "throw":
                return self._throwing(verb)
            case "either":
                return self._taking(verb)
            case "deliver":
                return self._delivery(verb)

    def from_to(self) -> Done | None:
        """ "go from A to B"; None if that does not come next."""
        cursor = self._cursor
        if not cursor.take(*words.GO_FROM):
            return None
        self._things.begin_clause()
        start = self._things.one()
        cursor.need("to", after="'go from ...'")
        states = (self.near(start), self.near(self._things.one()))
        return Done(Sequence(tuple(State(s) for s in states)))

    def places(self, listed: tuple[Referent, ...]) -> Done:
        """What is to be visited, after the words that say so; `listed` as for `action`."""
        free = "" if self._cursor.at("it", "them") else "go"
        in_order = self._cursor.take(*words.THESE) and self._cursor.take(*words.IN_LIST_ORDER)
        self._cursor.take(":")
        if self._cursor.at(*words.LISTED) and listed:
            self._cursor.take(*words.LISTED)
            group = Group(listed, "and")
        else:
            group = self._things.many()
        states = tuple(self.near(r) for r in group.referents)
        if group.joiner == "or":
            states = (disjunction(*states),)
        if in_order:
            return Done(Sequence(tuple(map(State, states))), states, "")
        return Done(_any_order([State(s) for s in states]), states, group.joiner, free)

    def _holding(self, verb: str) -> Done:
        if verb in ("pick", "lift"):
            self._cursor.take("up")
        group = self._things.many()
        if verb in ("pick", "lift"):
            self._cursor.take("up")
        return self._joined(group, [State(self._holds(r)) for r in group.referents])

    def _taking(self, verb: str) -> Done:
        """Holding, or a delivery if a place follows."""
        cursor = self._cursor
        if cursor.take("me") and verb in ("get", "fetch", "grab", "go get", "go and get"):
            return self._delivered(*self._carried(), SPEAKER)
        group, free = self._carried()
        if cursor.take("out of", "from inside", "from inside of"):
            return self._taken_out(group)
        if cursor.take(*words.TO):
            return self._delivered(group, free, self._place())
        cursor.take("with you", "along")
        return self._joined(group, [State(self._holds(r)) for r in group.referents])

    def _taken_out(self, group: Group) -> Done:
        where = self._things.one()
        return self._joined(
            group,
            [State(conjunction(self._holds(r), Not(self._prop("in", r, where))))
             for r in group.referents],
        )  # fmt: skip

    def _throwing(self, verb: str) -> Done:
        group, free = self._carried()
        if verb == "throw":
            self._cursor.need("away", "out", after="'throw ...'")
        return self._delivered(group, free, Referent("trash can"))

    def _delivery(self, verb: str) -> Done:
        cursor = self._cursor
        if cursor.take("me"):
            return self._delivered(*self._carried(), SPEAKER)
        start, mentions = cursor.position, self._things.mark()
        group, free = self._carried()
        if cursor.take(*words.TO):  # so "on ..." before it described the thing
            return self._delivered(group, free, self._place())
        if spill := self._things.place_to_clean(group):
            return self._delivered(group, free, spill)
        try:
            for describe in ((*words.BESIDE,), ()):  # "on ..." is where to, then "next to ..." too
                self._things.describes = describe
                cursor.position = start
                self._things.reset(mentions)
                group, free = self._carried()
                if verb in ("drop", "hand", "give") and cursor.take("off"):
                    free = False
                if cursor.take(*words.AT):
                    return self._delivered(group, free, self._place())
        finally:
            self._things.describes = words.MAY_BE_WHERE
        raise cursor.unexpected(("to", "on", "in"), f"after '{verb} ...'")

    def _carried(self) -> tuple[Group, bool]:
        """Things to be carried, and whether all are named rather than called "it"."""
        named = not self._cursor.at("it", "them")
        group = self._things.many()
        if not self._cursor.take("from"):
            return group, named
        return self._from(group), False

    def _from(self, group: Group) -> Group:
        """ "the mug from between ...", "the mug from the table": where the thing is."""
        cursor = self._cursor
        start = cursor.position
        phrase = cursor.take(*(*words.COMPARATORS, *(
            f"the {side} side of" for side in ("left", "right"))))  # fmt: skip
        if not _alike(group) or group.referents[0].relations:
            raise cursor.error("it is not clear what comes from there.", start=start)
        relation = self._things.whereabouts(phrase, start)
        better = replace(
            group, referents=tuple(replace(r, relations=(relation,)) for r in group.referents)
        )
        self._things.replaced(group, better)
        return better

    def _place(self) -> Referent:
        if self._cursor.take("me"):
            return SPEAKER
        return self._things.one()

    def _delivered(self, group: Group, free: bool, where: Referent) -> Done:
        events: list[Event] = [
            Sequence((State(self._holds(r)), State(self._prop("placed", r, where))))
            for r in group.referents
        ]
        if where in group.referents:
            raise self._cursor.error("a thing cannot be brought to itself.")
        return replace(self._joined(group, events), free="deliver" if free else "")

    def _joined(self, group: Group, events: list[Event]) -> Done:
        if group.joiner == "or":
            return Done(Either(tuple(events)))
        return Done(_any_order(events))

    # -- states --------------------------------------------------------------------------

    def near(self, thing: Referent) -> Formula:
        """The robot is at the thing."""
        return self._but_not("near", thing)

    def _holds(self, thing: Referent) -> Formula:
        return self._but_not("holding", thing)

    def _but_not(self, predicate: str, thing: Referent) -> Formula:
        others = (negation(self._prop(predicate, o)) for o in self._things.excluded(thing))
        return conjunction(self._prop(predicate, thing), *others)

    def forget_verb(self) -> None:
        """What follows begins with a verb of its own."""
        self._shared = ""

    def holding_starts(self) -> bool:
        return bool(self._cursor.at(*words.HOLDING))

    def held(self) -> list[Referent]:
        """The things of "holding X", read at the cursor."""
        self._cursor.take(*words.HOLDING)
        return list(self._things.many().referents)

    def holding(self, thing: Referent) -> Formula:
        """The robot holds the thing."""
        return self._holds(thing)

    def _prop(self, predicate: str, *args: Referent) -> Prop:
        if predicate not in self._lexicon.predicates:
            raise SaySoError(
                Code.UNSUPPORTED,
                f"the library has no predicate '{predicate}', which these words ask for.",
                hint="load a library that has it.",
                choices=self._lexicon.predicates,
            )
        return Prop(predicate, args)

    # -- how often -----------------------------------------------------------------------

    def count(self, *, only: bool = False) -> Count | None:
        """ "twice", "exactly once", "on at least 2 separate occasions"; None if none follows.

        With `only`, which stood before the verb, the count limits too.
        """
        cursor = self._cursor
        start = cursor.position
        cursor.take("on")
        limit = cursor.take(*_LIMITS) or ("only" if only else "")
        times = self._times()
        if times is None:
            cursor.position = start
            return None
        if not limit and times == 1:
            raise cursor.error(
                "it is not clear whether more often is right too.",
                hint="say 'exactly once' or 'at least once'.",
                start=start,
            )
        if not 1 <= times <= MAX_TIMES:
            raise cursor.error(f"a count must be from 1 to {MAX_TIMES}.", start=start)
        match limit:
            case "exactly" | "only" | "just":
                return Count(times, times)
            case "at most" | "no more than":
                return Count(0, times)
            case "more than":
                return Count(times + 1, None)
            case _:
                return Count(times, None)

    def _times(self) -> int | None:
        cursor = self._cursor
        if cursor.at("once", "twice", "thrice"):
            return TIMES[cursor.take("once", "twice", "thrice")]
        word = cursor.word()
        number = TIMES.get(word) or (int(word) if word.isdigit() and len(word) < 5 else None)
        if number is None or not cursor.at(*_OFTEN, ahead=1):
            return None
        cursor.position += 1
        cursor.take(*_OFTEN)
        return number


def _alike(group: Group) -> bool:
    """Whether the things are one, or several that differ in their number only."""
    first = group.referents[0]
    stem = first.noun.rpartition(" ")[0]
    return len(group.referents) == 1 or all(
        replace(r, noun=first.noun) == first and r.noun.rpartition(" ")[0] == stem
        for r in group.referents
    )


def _any_order(events: list[Event]) -> Event:
    return events[0] if len(events) == 1 else AnyOrder(tuple(events))
