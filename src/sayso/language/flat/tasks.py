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
from sayso.language.flat.connectors import BEFORE_THAT, STOPS, Mode, connector
from sayso.language.flat.indirect import IndirectThings
from sayso.language.flat.patrols import Patrols
from sayso.language.flat.remarks import Remarks
from sayso.language.flat.rules import FlatRules
from sayso.language.lexicon import Lexicon
from sayso.language.phrases import Group
from sayso.language.tokens import Cursor
from sayso.logic.formula import (
    Always,
    Formula,
    Prop,
    Referent,
    Term,
    conjunction,
    map_propositions,
    propositions,
)

_LEADS = ("after", "as soon as", "once", "before", *words.WHILE)
_IN_CASE = ("as soon as", "once", *words.WHILE)
"""With a step that is not asked for, these may ask for nothing but a reaction."""
_AFTER_THAT = tuple(w for w in (*words.AND_THEN, *words.AT_LAST) if w.startswith("after"))


class FlatSentences:
    """Reads a whole instruction; pronouns at its start may stand for what is `mentioned`."""

    def __init__(self, text: str, lexicon: Lexicon, mentioned: Iterable[Referent] = ()) -> None:
        self._cursor = Cursor(text)
        self._things = IndirectThings(self._cursor, lexicon)
        self._things.visited, self._things.in_order = self._visited, self._in_order
        self._things.remember(Group((r,)) for r in mentioned)
        self._clauses = FlatClauses(self._cursor, self._things, lexicon)
        self._patrols = Patrols(self._cursor, self._things, self._clauses)
        self._remarks = Remarks(self._cursor, self._things)
        self._rule_clauses = FlatRules(
            self._cursor, self._things, self._clauses, self._visited,
            lambda: self._remarks.told, self._guard,
        )  # fmt: skip
        self._tasks: list[Event] = []
        self._alternatives: list[Event] = []
        self._steps: list[Event] = []
        self._rules: list[Formula] = []
        self._open_either = False
        self._closed = False
        self._obliged = False
        self._turned = False
        self._inserted = False
        self._remarked = False
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
            mode = connector(self._cursor, after_remark=self._remarked)
            self._remarked = False
        if self._open_either:
            raise self._cursor.error("'either' needs 'or' after it.", start=0)
        if len(self._things.listed) > 1 and not self._things.list_used:
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
        return self._told(event), tuple(map(self._remarks.located, self._rules))

    def _opening(self) -> Mode:
        while self._cursor.take(*STOPS, ","):
            pass
        return "."

    def _whole(self) -> Sequence:
        again = self._patrols.found
        if len(self._tasks) > 1:
            return Sequence((AnyOrder(tuple(self._tasks)), *again))
        task = self._tasks[0] if self._tasks else Sequence(())
        return Sequence((*(task.events if isinstance(task, Sequence) else (task,)), *again))

    # -- clauses -------------------------------------------------------------------------

    def _clause(self, mode: Mode) -> None:
        if not self._remarks.read():
            self._polite(mode)
            if not self._remarks.read():
                self._asked(mode)
                return
        self._clauses.forget_verb()
        self._remarked = True

    def _asked(self, mode: Mode) -> None:
        cursor = self._cursor
        if self._rule_clauses.starts():
            self._add_rules(self._rule_clauses.rule(latest=self._latest()))
        elif cursor.take("if"):
            self._if()
        elif lead := cursor.take(*_LEADS):
            self._led(lead, mode)
        elif cursor.take("only"):
            self._only(mode)
        else:
            self._action(mode)
        cursor.take(*words.THANKS)
        cursor.take(", please")

    def _polite(self, mode: Mode) -> None:
        cursor = self._cursor
        self._obliged = self._turned = self._clauses.gerund = False
        while not self._rule_clauses.starts() and (
            word := cursor.take(*words.POLITE, *words.ACTUALLY)
        ):
            self._obliged |= word in words.OBLIGED
            self._turned |= word in words.ACTUALLY
            self._clauses.gerund = word == "would you mind"
            cursor.take(",")
        if cursor.at("you can either", "you may either"):
            cursor.position += 2
        if cursor.take("first", "firstly"):
            if self._steps and mode != "at first":
                raise self._back("'first' comes after other steps.", "name it first.")
            cursor.take(",")

    def _back(self, cause: str, hint: str) -> SaySoError:
        self._cursor.position -= 1
        return self._cursor.error(cause, hint=hint)

    def _add_rules(self, rules: list[Formula]) -> None:
        self._rules += rules
        self._last_was_rule = True
        self._clauses.forget_verb()

    def _action(self, mode: Mode) -> None:
        if mode == "also":
            self._end_task()
        if self._cursor.take("either"):
            if self._steps or self._alternatives:
                raise self._back("'either' comes after other steps.", "begin a new instruction.")
            self._open_either = True
        listed = self._things.listed
        patrol = self._patrols.read(listed)
        done = patrol or self._clauses.from_to() or self._clauses.action(listed)
        if listed and done.states == tuple(map(self._clauses.near, listed)):
            self._things.list_used = True
        if patrol or self._patrols.endless():
            self._patrol(done, mode, named=patrol is not None)
            return
        if done.joiner == "or":
            self._open_either = False
        done = self._counted(self._ordered(done), self._clauses.count())
        done = self._modified(done)
        if self._cursor.take(*words.BEFORE_ALL):
            mode = "at first"
        if self._turned and mode not in ("at first", "before"):
            raise self._cursor.error(
                "it is not clear whether this takes the place of what was said before.",
                hint="give the whole instruction anew.",
            )
        self._join(done, mode)

    def _patrol(self, done: Done, mode: Mode, *, named: bool) -> None:
        self._refuse_unclear(mode)
        if self._turned or self._open_either:
            mode = "or"
        self._patrols.add(done, mode, steps=bool(self._steps), named=named)
        if word := self._cursor.take("while avoiding", "while staying away from", "without"):
            self._rules.append(Always(self._without(word)))
        self._last, self._last_was_rule = None, False
        self._clauses.forget_verb()

    def _only(self, mode: Mode) -> None:
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

    def _led(self, lead: str, mode: Mode) -> None:
        """ "after visiting X, ...", "before visiting X, ...", "while carrying X, never ..."."""
        holding = self._clauses.holding_starts()
        condition = self._rule_clauses.condition()
        self._cursor.take(",")
        self._polite(mode)
        if lead in words.WHILE and holding:
            if not self._rule_clauses.starts():
                raise self._cursor.unexpected((*words.NEVER[:2], "avoid"), "after 'while ...'")
            self._add_rules(self._rule_clauses.rule(during=condition))
            return
        if lead.startswith("while"):
            raise self._cursor.error("'while' goes with what is carried.")
        if self._rule_clauses.starts():
            if lead in words.WHILE:
                raise self._cursor.error(
                    "it is not clear whether this holds ever after.",
                    hint="say 'once ...' if it does, or 'while carrying ...'.",
                )
            if lead == "before":
                raise self._cursor.error(
                    "a rule after 'before ...' is not understood.", hint="say 'never ... before'."
                )
            self._add_rules(self._rule_clauses.rule(after=condition))
            return
        if mode == "also" or (
            lead in _IN_CASE and condition not in map(self._clauses.near, self._visited())
        ):
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
            elif not but and not cursor.at(*BEFORE_THAT, *words.BEFORE_ALL, *_AFTER_THAT) and (
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

    def _refuse_unclear(self, mode: Mode) -> None:
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
        if self._inserted and mode not in ("at last", "also", "at first", "before"):
            raise self._cursor.error(
                "it is not clear whether this comes at the end.",
                hint="say 'after all that ...', or give the steps in their order.",
            )

    def _join(self, done: Done, mode: Mode) -> None:
        self._refuse_unclear(mode)
        if self._patrols.begun:
            raise self._patrols.after()
        match mode:
            case "or" | "alternatively":
                self._alternative(done, mode)
            case "before":
                self._insert(done, len(self._steps) - 1)
            case "at first":
                self._insert(done, 0)
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

    def _unordered(self, done: Done, mode: Mode) -> bool:
        """Whether a step may come before or after the last one."""
        last = self._last
        if last is None or not self._steps:
            return False
        return done.ruled or last.ruled or (mode == "and" and last.free == done.free != "")

    def _alternative(self, done: Done, mode: Mode) -> None:
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

    def _insert(self, done: Done, index: int) -> None:
        unclear = self._tasks or self._alternatives or (self._last and self._last.ruled)
        if not self._steps or unclear:
            raise self._cursor.error("it is not clear before what this comes.")
        self._steps.insert(index, done.event)
        self._inserted = True

    def _guard(self, place: Formula | None, guard: Formula) -> bool:
        """Makes a state hold until the step at a place (None: the last step) is done.

        A sequence of its own keeps it apart from "without", which at the very end holds from the
        beginning.
        """
        if self._patrols.repeats(place):
            return False
        for i in reversed(range(len(self._steps))):
            if place is None or self._steps[i] == State(place):
                if i and set(propositions(achieve(self._steps[i - 1]))) & set(propositions(guard)):
                    return False  # it begins where it must not be
                self._steps[i] = Sequence((Guarded(self._steps[i], guard),))
                return True
        return False

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
        self._last, self._inserted, self._patrols.begun = None, False, False

    # -- what was said -------------------------------------------------------------------

    def _latest(self) -> Formula | None:
        """The state of the last step, for "after that"."""
        if self._last is None or len(self._last.states) != 1:
            return None
        return self._last.states[0]

    def _visited(self) -> tuple[Referent, ...]:
        """Places and things of the steps so far, in the order named."""
        events = (*self._tasks, *self._alternatives, *self._steps, *self._patrols.found)
        found: dict[Referent, None] = {}
        for event in events:
            for prop in propositions(achieve(event)):
                found.update(dict.fromkeys(a for a in prop.args if isinstance(a, Referent)))
        return tuple(found)

    def _in_order(self) -> tuple[Referent, ...]:
        ordered = all(isinstance(e, State) for e in self._steps) and not self._alternatives
        other = self._tasks or self._patrols.found
        return self._visited() if ordered and not other else ()

    def _told(self, event: Sequence) -> Sequence:
        """With what remarks told put in: where things are, and the person."""

        def here(prop: Prop) -> Formula:
            known = Prop(prop.predicate, tuple(self._speaker_or(a) for a in prop.args))
            return self._remarks.located(known)

        return Sequence(tuple(mapped(e, lambda f: map_propositions(f, here))
                              for e in event.events))  # fmt: skip

    def _speaker_or(self, term: Term) -> Term:
        if term != SPEAKER:
            return term
        if self._remarks.speaker is None:
            raise self._cursor.error(
                "where you are is not known.", hint="say 'I am by the ...'.", start=0
            )
        return self._remarks.speaker
