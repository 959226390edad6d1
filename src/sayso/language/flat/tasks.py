"""Instructions in a flat: the order of what is asked for, and the rules that hold throughout.

    instruction = clause {connector clause}
    clause      = action [order] [count] {modifier} | rule | ("after" | "before") doing "," clause
                | "I am at" thing | "there is" things ["in this room"]
    connector   = "," | "." | ["and"] "then" | "and" | "and only then" | "in addition"
                | "alternatively" | "or" | "but" | "before that"

`docs/controlled-english.md` gives the whole grammar with the formula for each construction.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeAlias

from sayso.core.errors import SaySoError
from sayso.language.clauses import Count
from sayso.language.events import (
    MAX_STEPS,
    AnyOrder,
    Either,
    Event,
    Guarded,
    Repeated,
    Sequence,
    State,
    achieve,
    at_most,
    mapped,
    negation,
    too_long,
)
from sayso.language.flat import words
from sayso.language.flat.clauses import SPEAKER, Done, FlatClauses
from sayso.language.flat.rules import FlatRules
from sayso.language.flat.things import FlatThings
from sayso.language.lexicon import THEN, Lexicon
from sayso.language.phrases import Group
from sayso.language.tokens import Cursor
from sayso.logic.formula import (
    Always,
    Formula,
    Prop,
    Referent,
    conjunction,
    map_propositions,
    propositions,
)

_STOPS = (".", "!", "?", ";")
_BEFORE_THAT = ("before that", "before this", "before doing that")
_Mode: TypeAlias = str


class FlatSentences:
    """Reads a whole instruction; pronouns at its start may stand for what is `mentioned`."""

    def __init__(self, text: str, lexicon: Lexicon, mentioned: Iterable[Referent] = ()) -> None:
        self._cursor = Cursor(text)
        self._things = FlatThings(self._cursor, lexicon)
        self._things.remember(Group((r,)) for r in mentioned)
        self._clauses = FlatClauses(self._cursor, self._things, lexicon)
        self._rule_clauses = FlatRules(self._cursor, self._things, self._clauses, self._visited)
        self._tasks: list[Event] = []
        self._alternatives: list[Event] = []
        self._steps: list[Event] = []
        self._rules: list[Formula] = []
        self._listed: tuple[Referent, ...] = ()
        self._listed_used = False
        self._speaker: Referent | None = None
        self._open_either = False
        self._closed = False
        self._obliged = False
        self._last: Done | None = None
        self._last_was_rule = False

    def formula(self) -> Formula:
        """The instruction's meaning. Raises NOT_UNDERSTOOD pointing at the words at fault."""
        event, rules = self.parts()
        return conjunction(achieve(event), *rules)

    def parts(self) -> tuple[Sequence, tuple[Formula, ...]]:
        """What is to happen, and what holds throughout; raises like `formula`."""
        mode = self._opening()
        while not self._cursor.ended:
            self._clause(mode)
            mode = self._connector()
        if self._open_either:
            raise self._cursor.error("'either' needs 'or' after it.", start=0)
        if self._listed and not self._listed_used:
            raise self._cursor.error("what there is was named for nothing.", start=0)
        self._end_task()
        event = self._whole()
        if not event.events and not self._rules:
            raise self._cursor.error("nothing is asked for.", choices=words.VERBS)
        if too_long(event):
            raise self._cursor.error(
                f"more than {MAX_STEPS} steps, or too many orders of them, are asked for at once.",
                hint="give the task in parts.",
                start=0,
            )
        return self._with_speaker(event), tuple(self._rules)

    def _opening(self) -> _Mode:
        while self._cursor.take(*_STOPS, ","):
            pass
        return "."

    def _whole(self) -> Sequence:
        if len(self._tasks) > 1:
            return Sequence((AnyOrder(tuple(self._tasks)),))
        task = self._tasks[0] if self._tasks else Sequence(())
        return task if isinstance(task, Sequence) else Sequence((task,))

    # -- clauses -------------------------------------------------------------------------

    def _clause(self, mode: _Mode) -> None:
        cursor = self._cursor
        self._polite()
        if self._context():
            return
        if self._rule_clauses.starts():
            self._add_rules(self._rule_clauses.rule(latest=self._latest()))
        elif cursor.take("if"):
            self._if()
        elif lead := cursor.take("after", "once", "before"):
            self._led(lead, mode)
        elif cursor.take("only"):
            self._only(mode)
        else:
            self._action(mode)
        cursor.take(*words.THANKS)
        cursor.take(", please")

    def _polite(self) -> None:
        cursor = self._cursor
        self._obliged = False
        while not self._rule_clauses.starts() and (word := cursor.take(*words.POLITE)):
            self._obliged |= word in words.OBLIGED
            cursor.take(",")
        if cursor.take("first", "firstly"):
            if self._steps:
                raise self._back("'first' comes after other steps.", "name it first.")
            cursor.take(",")

    def _back(self, cause: str, hint: str) -> SaySoError:
        self._cursor.position -= 1
        return self._cursor.error(cause, hint=hint)

    def _add_rules(self, rules: list[Formula]) -> None:
        self._rules += rules
        self._last_was_rule = True

    def _context(self) -> bool:
        """ "I am by the sofa", "there is a sofa and a table": what later words refer to."""
        cursor = self._cursor
        if cursor.take(*words.I_AM):
            if self._speaker is not None:
                raise cursor.error("where you are was said before.")
            cursor.need(*words.NEXT_TO_ME, after="'I am'")
            self._speaker = self._things.one()
            return True
        if not cursor.take("there is", "there are", "there"):
            return False
        group = self._things.many()
        cursor.take("in this room", "in the room", "here")
        self._listed = tuple(replace(r, quantifier="the") for r in group.referents)
        return True

    def _action(self, mode: _Mode) -> None:
        if mode == "also":
            self._end_task()
        if self._cursor.take("either"):
            if self._steps or self._alternatives:
                raise self._back("'either' comes after other steps.", "begin a new instruction.")
            self._open_either = True
        done = self._clauses.from_to() or self._clauses.action(self._listed)
        if done.states == tuple(map(self._clauses.near, self._listed)):
            self._listed_used = True
        if done.joiner == "or":
            self._open_either = False
        done = self._counted(self._ordered(done), self._clauses.count())
        self._join(self._modified(done), mode)

    def _only(self, mode: _Mode) -> None:
        """ "only visit X once": once and no more; "only visit each landmark one time": a rule."""
        cursor = self._cursor
        start = cursor.position
        if cursor.take(*words.VERBS) and cursor.take(*words.MENTIONED):
            states = [self._clauses.near(r) for r in self._rule_clauses.all_visited()]
            if (count := self._clauses.count(only=True)) is None:
                raise cursor.unexpected(("once", "one time"), "after 'only ...'")
            self._add_rules([at_most(s, count.low) for s in states])
            return
        cursor.position = start
        done = self._clauses.action()
        if (count := self._clauses.count(only=True)) is None:
            raise cursor.unexpected(("once", "one time"), "after 'only ...'")
        self._join(self._counted(done, Count(count.low, count.low)), mode)

    def _if(self) -> None:
        """ "if you visit the sofa, you must avoid the table after that": a rule."""
        condition = self._rule_clauses.condition()
        self._cursor.take(",")
        self._cursor.take("then")
        if not self._rule_clauses.starts():
            raise self._cursor.unexpected(
                (*words.NEVER[:2], "avoid"), "after 'if ...', where only a rule can stand"
            )
        self._add_rules(self._rule_clauses.rule(after=condition))

    def _led(self, lead: str, mode: _Mode) -> None:
        """ "after visiting X, ..." and "before visiting X, ..."."""
        condition = self._rule_clauses.condition()
        self._cursor.take(",")
        self._polite()
        if self._rule_clauses.starts():
            if lead == "before":
                raise self._cursor.error(
                    "a rule after 'before ...' is not understood.", hint="say 'never ... before'."
                )
            self._add_rules(self._rule_clauses.rule(after=condition))
            return
        if mode == "also" or lead == "once":
            raise self._cursor.error("it is not clear in which order this comes.")
        done = self._clauses.action()
        both = (done.event, State(condition))
        self._join(Done(Sequence(both if lead == "before" else both[::-1])), mode)

    # -- what follows an action ----------------------------------------------------------

    def _ordered(self, done: Done) -> Done:
        cursor = self._cursor
        start = cursor.position
        cursor.take(",")
        order = cursor.take(*words.ANY_ORDER, *words.SAID_ORDER, *words.STRICT_ORDER)
        if not order:
            cursor.position = start
            return done
        if len(done.states) < 2 or done.joiner != "and":
            raise cursor.error("an order needs several places.", start=start)
        if order in words.ANY_ORDER:
            return replace(done, joiner="")
        if order in words.STRICT_ORDER:
            for before, later in zip(done.states, done.states[1:], strict=False):
                self._rules += self._rule_clauses.not_until([later], before)
        return replace(done, event=Sequence(tuple(State(s) for s in done.states)))

    def _counted(self, done: Done, count: Count | None) -> Done:
        if count is None:
            return done
        states = done.states
        if not states or (len(states) > 1 and done.joiner == "and"):
            raise self._cursor.error(
                "a count goes with one place.", hint="say for each place how often."
            )
        if count.high is not None:
            self._rules += [at_most(s, count.high) for s in states]
        event = Repeated(states[0], count.low) if count.low else Sequence(())
        return replace(done, event=event)

    def _modified(self, done: Done) -> Done:
        """What follows an action: "but only after X", "before X", "without going near X"."""
        cursor = self._cursor
        while True:
            start = cursor.position
            cursor.take(",")
            but = cursor.take("but", "and")
            if cursor.take("only after", "not until", "not before"):
                self._rules += self._rule_clauses.not_until(
                    self._places_of(done), self._rule_clauses.condition()
                )
                done = replace(done, ruled=True)
            elif not but and cursor.take("only once"):
                done = self._counted(done, Count(1, 1))
            elif not but and not cursor.at(*_BEFORE_THAT, "after that") and (
                word := cursor.take("before", "after")
            ):  # fmt: skip
                if word == "after" and self._obliged:
                    raise self._back(
                        "it is not clear whether both are asked for.",
                        "say 'first ..., then ...'.",
                    )
                other = State(self._rule_clauses.condition())
                both = (done.event, other) if word == "before" else (other, done.event)
                done = Done(Sequence(both))
            elif not but and (
                word := cursor.take("while avoiding", "while staying away from", "without")
            ):
                done = Done(Guarded(done.event, self._without(word)))
            else:
                cursor.position = start
                return done

    def _places_of(self, done: Done) -> tuple[Formula, ...]:
        if not done.states:
            raise self._cursor.error("'only after' goes with a place to go to.", start=0)
        return done.states

    def _without(self, word: str) -> Formula:
        if not self._cursor.take(*words.BEING_NEAR) and word == "without":
            raise self._cursor.unexpected(words.BEING_NEAR, "after 'without'")
        places = self._things.many().referents
        return conjunction(*(negation(self._clauses.near(r)) for r in places))

    # -- how clauses are joined ----------------------------------------------------------

    def _connector(self) -> _Mode:
        """Moves past what joins two clauses; '' at the end."""
        cursor = self._cursor
        marks = self._marks()
        if cursor.ended:
            return ""
        if cursor.take(*words.ALTERNATIVELY):
            cursor.take(",")
            return "alternatively"
        word = cursor.take("and", "or", "but")
        cursor.take(",")
        if cursor.take("only then"):
            return "only then"
        if cursor.take(*_BEFORE_THAT):
            cursor.take(",")
            return "before"
        if not cursor.at("next to") and cursor.take(*THEN):
            while cursor.take(*THEN, ","):
                pass
            return "or" if word == "or" else "then"
        if cursor.take(*words.IN_ADDITION):
            cursor.take(",")
            return "also"
        if word or marks:
            return word or marks
        raise cursor.unexpected((",", ".", "then", "and", "in addition", "alternatively", "but"))

    def _marks(self) -> str:
        marks = ""
        while mark := self._cursor.take(*_STOPS, ","):
            marks = "." if mark != "," or marks == "." else ","
        return marks

    def _join(self, done: Done, mode: _Mode) -> None:
        if self._last_was_rule and mode in ("and", "or"):
            raise self._cursor.error(
                "it is not clear whether this is forbidden too.",
                hint="begin a new sentence, or say 'then ...' or 'in addition ...'.",
            )
        if self._closed and mode in ("then", ".", ",", "and", "only then", "before", "but"):
            raise self._cursor.error(
                "it is not clear whether this follows both alternatives.",
                hint="say the alternatives with 'either ..., or ...' at the end.",
            )
        match mode:
            case "or" | "alternatively":
                self._alternative(done, mode)
            case "before":
                self._insert(done)
            case "and" | "," if self._unordered(done, mode):
                self._steps[-1] = AnyOrder((self._steps[-1], done.event))
            case "only then":
                self._only_then(done)
            case "but" if not self._last_was_rule:
                raise self._cursor.error("'but' is followed by a rule.", hint="say 'and'.")
            case _:
                self._steps.append(done.event)
        self._last = done
        self._last_was_rule = False

    def _unordered(self, done: Done, mode: _Mode) -> bool:
        """Whether a step may come before or after the last one."""
        last = self._last
        if last is None or not self._steps:
            return False
        return done.ruled or last.ruled or (mode == "and" and last.free == done.free != "")

    def _alternative(self, done: Done, mode: _Mode) -> None:
        if not self._steps:
            raise self._cursor.error("there is nothing to be an alternative to.")
        if mode == "or" and not self._open_either:
            if len(self._steps) > 1:
                raise self._cursor.error(
                    "it is not clear what the alternative is to.",
                    hint="say 'either ..., or ...' or 'alternatively'.",
                )
            self._closed = True
        self._open_either = False
        self._alternatives.append(Sequence(tuple(self._steps)))
        self._steps = [done.event]

    def _insert(self, done: Done) -> None:
        if not self._steps or (self._last is not None and self._last.ruled):
            raise self._cursor.error("it is not clear before what this comes.")
        self._steps.insert(len(self._steps) - 1, done.event)

    def _only_then(self, done: Done) -> None:
        if self._last is None or not self._last.states or not done.states:
            raise self._cursor.error("'only then' goes between two places.")
        before = conjunction(*self._last.states)
        self._rules += self._rule_clauses.not_until(done.states, before)
        self._steps.append(done.event)

    def _end_task(self) -> None:
        """What comes next is another task, done at any time."""
        if self._steps and isinstance(last := self._steps[-1], Guarded):
            self._steps[-1] = last.event  # at the very end, it holds from beginning to end
            self._rules.append(Always(last.guard))
        task: Event = Sequence(tuple(self._steps))
        if self._alternatives:
            task = Either((*self._alternatives, task))
        if self._steps:
            self._tasks.append(task)
        self._steps, self._alternatives, self._closed = [], [], False
        self._last = None

    # -- what was said -------------------------------------------------------------------

    def _latest(self) -> Formula | None:
        """The state of the last step, for "after that"."""
        if self._last is None or len(self._last.states) != 1:
            return None
        return self._last.states[0]

    def _visited(self) -> tuple[Referent, ...]:
        """Places and things of the steps so far, in the order named."""
        events = (*self._tasks, *self._alternatives, *self._steps)
        found: dict[Referent, None] = {}
        for event in events:
            for prop in propositions(achieve(event)):
                found.update(dict.fromkeys(a for a in prop.args if isinstance(a, Referent)))
        return tuple(found)

    def _with_speaker(self, event: Sequence) -> Sequence:
        def here(prop: Prop) -> Formula:
            return Prop(prop.predicate, tuple(self._speaker_or(a) for a in prop.args))

        return Sequence(tuple(mapped(e, lambda f: map_propositions(f, here))
                              for e in event.events))  # fmt: skip

    def _speaker_or(self, term: Referent | str) -> Referent | str:
        if term != SPEAKER:
            return term
        if self._speaker is None:
            raise self._cursor.error(
                "where you are is not known.", hint="say 'I am by the ...'.", start=0
            )
        return self._speaker
