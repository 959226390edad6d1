"""Rules among the steps of a task: from which of them on they hold, and until when."""

from __future__ import annotations

from collections.abc import Sequence as Seq
from contextlib import suppress
from dataclasses import dataclass, replace

from sayso.core.errors import SaySoError
from sayso.language import meaning as m
from sayso.language.asked import is_one_by_one, outcomes
from sayso.language.course import Course
from sayso.language.entities import Entity
from sayso.language.events import Either, Event, Holds, Sequence, State, end_of
from sayso.language.rules import Rules
from sayso.language.taking_back import Excluding, forbidden_by
from sayso.logic.formula import (
    Formula,
    Referent,
    Variable,
    conjunction,
    map_referents,
    propositions,
)

_HANDLING = frozenset({"touching", "holding"})
"""What comes with whatever is done to a thing."""


@dataclass(frozen=True)
class Standing:
    """Adds rules to a course; what they forbid or keep is worked out in `rules.py`."""

    course: Course

    def add(
        self, rule: m.Rule, after: Formula | None = None, during: Formula | None = None
    ) -> None:
        """A rule, which holds only from `after` on, or only in states of `during`, if given."""
        self.course.discourse.begin_clause()
        if isinstance(rule, m.NotThose) and self.course.correcting:
            self._not_after_all(rule)
            return
        if isinstance(rule, m.NotThose) and self._is_exception(rule):
            return
        before = self.course.still_asked()
        limit = getattr(rule, "limit", None)
        if limit is not None and limit.kind == "again" and isinstance(rule, m.LIMITED):
            rule = self._not_again(rule, limit)
        if isinstance(rule, m.LeaveAlone) and after is None and during is None:
            rule = self._left_alone(rule)
        if limit is not None and limit.kind in _UNTIL_DONE:
            if after is not None or during is not None or not isinstance(rule, m.Never | m.Avoid):
                raise self._unclear_until(limit)
            self._until_done(rule, limit)
            self.course.last_rule = True
            return
        if (
            isinstance(rule, m.Never | m.Avoid | m.Keep)
            and rule.limit
            and rule.limit.kind in ("leg", "way", "between")
        ):
            self._on_the_way(rule, rule.limit)
        else:
            states = self.course.last.states if self.course.last else ()
            latest = states[0] if len(states) == 1 else None
            limit = getattr(rule, "limit", None)
            since = self._since(rule) if after is None and during is None else None
            if (
                since is not None
                and isinstance(rule, m.LIMITED)
                and limit
                and limit.kind == "from then"
            ):
                rule = replace(rule, limit=None)
            rules = Rules(self.course.clauses)
            found = rules.rule(rule, after, during, latest)
            if since is not None:
                ends = since.events[-1] if isinstance(since, Sequence) else since
                if isinstance(ends, State):
                    found = [rules.once_left(f, ends.formula, rule.at) for f in found]
                self.course.hold_from(since, Holds(conjunction(*found)))
                found = []
            if self.course.correcting:
                self._take_back(found, rule.at)
                self._refuse_beside(found, before, rule.at)
            self._refuse_put_down(rule, found)
            self.course.note_waiting(found)
            self.course.rules += tuple(found)
            if limit is not None and not isinstance(rule, m.Keep) and not self.course.correcting:
                self._note_meanwhile(limit)
        self.course.last_rule = True

    def _until_done(self, rule: m.Never | m.Avoid, limit: m.Bound) -> None:
        """ "do not go there until that is done": until what was asked for right before has come
        about, or all that was asked for."""
        course = self.course
        events = course.asked if limit.kind == "until all done" else course.asked[-1:]
        states = [s for e in events for s in outcomes(e)]
        open_ended = course.conditioned or course.tasks or course.alternatives or course.patrols
        if not states or open_ended or not all(map(_is_settled, events)):
            raise self._unclear_until(limit)
        guard = conjunction(*Rules(course.clauses).states(replace(rule, limit=None)))
        rules = [course.not_until_state(guard, s) for s in states]
        course.note_waiting(rules)
        course.rules += tuple(rules)

    def _unclear_until(self, limit: m.Bound) -> SaySoError:
        return self.course.refuse(
            limit.at, "it is not clear until when this holds.", hint="say 'until ...' what is so."
        )

    def _refuse_put_down(self, rule: m.Rule, found: Seq[Formula]) -> None:
        """Raises NOT_UNDERSTOOD for "take it to the bed, but do not put it down": it is brought
        there, and held."""
        if not isinstance(rule, m.Never):
            return
        if not any(map(Rules(self.course.clauses).lets_go, rule.acts.members)):
            return
        held = {p.args[:1] for f in found for p in propositions(f)}
        asked = propositions(self.course.still_asked())
        lasting = self.course.lexicon.vocabulary.lasting
        if any(p.predicate in lasting and p.args[:1] in held for p in asked):
            raise self.course.refuse(
                rule.at, "it is not clear how it can be there and be held.",
                hint="say 'go to ... while holding ...', or where it is to be at the end.",
            )  # fmt: skip

    def _note_meanwhile(self, limit: m.Bound) -> None:
        """ "avoid the bowl while you put the mug on the tray": that is to be done, too."""
        rules = Rules(replace(self.course.clauses, discourse=self.course.discourse.copy()))
        if limit.kind != "while" or limit.what is None or not rules.takes_time(limit):
            return
        unclear = self.course.refuse(
            limit.at, "it is not clear whether this is to be done.", hint="say it by itself, too."
        )
        self.course.meanwhile += ((rules.clauses.occasion(limit.what), unclear),)

    def _not_again(
        self, rule: m.Never | m.Avoid | m.LeaveAlone | m.NeverState | m.Keep | m.KeepEmpty,
        limit: m.Bound,
    ) -> m.Rule:  # fmt: skip
        """ "don't pick it up again": not after the steps so far, if they ask for that; never where
        nothing asks for it, and not a second time where other steps come after."""
        plain = replace(rule, limit=None)
        if not isinstance(rule, m.Never | m.Avoid):
            return plain
        clauses = replace(self.course.clauses, discourse=self.course.discourse.copy())
        rules = Rules(clauses).rule(plain)
        forbidden = forbidden_by(rules)
        excluding = Excluding(self.course.lexicon, self.course.still_asked())
        asked = [p for p in excluding.asked if p in forbidden]
        if not asked and not any(map(excluding.speaks_of_same, rules)):
            return plain
        last = self.course.last
        end = end_of(last.event) if last is not None and is_one_by_one(last.event) else None
        latest = propositions(end) if end is not None else ()
        if not asked or any(p in asked or p.predicate in self._delivering for p in latest):
            return replace(rule, limit=replace(limit, kind="from then"))
        count = m.Count("more than", 1, limit.at)
        return replace(rule, limit=replace(limit, kind="count", count=count))

    def _left_alone(self, rule: m.LeaveAlone) -> m.LeaveAlone:
        """ "..., but leave the red one alone": not one of all the blocks; "actually, leave it where
        it is": what was asked for of it is taken back, too."""
        named = all(isinstance(t, m.Thing) for t in rule.things.members)
        if rule.limit is not None or not (named or self.course.correcting):
            return rule
        discourse = self.course.discourse.copy()
        taken = False
        for entity in discourse.group(rule.things, "condition").entities:
            known = discourse.known(entity, rule.at)
            if self.course.correcting:
                taken |= self.course.leave_out(known, rule.at)
            else:
                self.course.except_for(known)
        return replace(rule, standing="") if taken else rule

    def _is_exception(self, rule: m.NotThose) -> bool:
        """ "all the blocks on the tray, but not the red one": all but that one, which is done
        then; False where nothing is asked of all of such things."""
        if rule.things is None or rule.tails or rule.never:
            return False
        things = self.course.discourse.copy().group(rule.things, "condition").entities
        asked = Excluding(self.course.lexicon, self.course.still_asked())
        known = all(e.variable is None and asked.has_among_all(e.referent) for e in things)
        for entity in things if known else ():
            self.course.except_for(entity)
        return known

    def _not_after_all(self, rule: m.NotThose) -> None:
        """ "no wait, not the plate": what was asked for of it is taken back; more is not said."""
        course = self.course
        if rule.things is None:
            raise course.refuse(rule.at, "it is not clear where it is to be instead.")
        discourse = course.discourse.copy()
        for entity in discourse.group(rule.things, "condition").entities:
            if not course.leave_out(discourse.known(entity, rule.at), rule.at):
                raise course.refuse(rule.at, "nothing was asked for of this.", hint="say which.")
        if not (course.has_steps or course.pending):
            raise course.refuse(rule.at, "nothing would be left to do.", hint="say what is.")

    def _take_back(self, rules: Seq[Formula], at: m.At) -> None:
        """ "actually, never put it in the bowl": not that it is put there, either."""
        excluding = Excluding(self.course.lexicon, self.course.still_asked())
        taken = [p for p in excluding.asked if any(excluding.excludes(r, p) for r in rules)]
        self.course.take_back(taken.__contains__, at)
        for prop in forbidden_by(rules):
            if prop.predicate in _HANDLING and isinstance(thing := prop.args[0], Referent):
                self.course.leave_out(Entity(thing), at)
        left = propositions(self.course.still_asked())
        brought = {p.args[:1] for p in taken if p.predicate in self._delivering}
        if any(p.predicate == "holding" and p.args in brought for p in left):
            raise self._unclear(at)  # it would be fetched for nothing

    @property
    def _delivering(self) -> frozenset[str]:
        """Outcomes of actions that take more than one step: "bring it there"."""
        actions = self.course.lexicon.vocabulary.actions
        return frozenset(w.predicate for a in actions if len(a.goal) > 1 for w in a.goal[-1])

    def _refuse_beside(self, rules: Seq[Formula], before: Formula, at: m.At) -> None:
        """Raises NOT_UNDERSTOOD where a correction takes nothing back: after "no" something was
        wrong, and after "actually" a rule about the same things may mean that."""
        if self.course.still_asked() != before:
            return
        excluding = Excluding(self.course.lexicon, before)
        if self.course.correcting == m.AS_CORRECTION or any(map(excluding.speaks_of_same, rules)):
            raise self._unclear(at)

    def _unclear(self, at: m.At) -> SaySoError:
        return self.course.refuse(
            at, "it is not clear what is left of the task with this.",
            hint="give the whole instruction anew.",
        )  # fmt: skip

    def _since(self, rule: m.Rule) -> Event | None:
        """The step from which on a rule holds: "don't shut it afterwards", "open it and leave it
        open"; None for one that holds from the start."""
        limit = getattr(rule, "limit", None)
        step: Event | None = None
        if limit is not None and limit.kind == "from then" and self.course.last is not None:
            step = self.course.last.event if is_one_by_one(self.course.last.event) else None
        elif isinstance(rule, m.Keep) and self._ends(limit) and len(rule.state.states) == 1:
            state = self._kept_now(rule.state)
            step = State(state) if state is not None else None
        asked = (*(d.event for d in self.course.pending), *self.course.steps)
        return next((e for e in asked if step is not None and _ends(e, step)), None)

    def _ends(self, limit: m.Bound | None) -> bool:
        """Whether what is kept is kept in one go: to the end, until something, or meanwhile."""
        if limit is None or limit.kind in ("until", "before"):
            return True
        return limit.kind == "while" and Rules(self.course.clauses).takes_time(limit)

    def _kept_now(self, state: m.Condition) -> Formula | None:
        """The state that is to be kept, if no "a ..." is in it; nothing is mentioned by that."""
        discourse = self.course.discourse.copy()
        clauses = replace(self.course.clauses, discourse=discourse)
        made = len(discourse.made)
        with suppress(SaySoError):
            found = map_referents(
                clauses.condition(state, "condition"),
                lambda r: discourse.known(Entity(r), state.at).referent,
            )
            return found if len(discourse.made) == made else None
        return None

    def _on_the_way(self, rule: m.Never | m.Avoid | m.Keep, limit: m.Bound) -> None:
        """ "on the way to the sofa": only while the step that leads there is under way; "on the
        way" alone, all the way so far, which is the stricter of what it may mean."""
        guard = conjunction(*Rules(self.course.clauses).states(replace(rule, limit=None)))
        place: Formula | None = None
        if limit.things is not None:
            entity = self.course.discourse.single(limit.things, "condition")
            known = self.course.discourse.known(entity, rule.at)
            place = self.course.clauses.prop(self.course.lexicon.vocabulary.avoid, known.term)
        if limit.kind == "between" and (not self.course.steps or len(self.course.asked) != 2):
            raise self.course.refuse(
                limit.at, "it is not clear between which steps this is.",
                hint="say 'after ... and before ...', or 'never ...'.",
            )  # fmt: skip
        if limit.kind == "way":
            is_clear = self.course.guard_way(guard)
        else:
            is_clear = self.course.guard_leg(place, guard)
        if not is_clear:
            raise self.course.refuse(
                limit.at, "it is not clear which way this is.",
                hint="say 'on the way to' a place that was named before.",
            )  # fmt: skip


_UNTIL_DONE = ("until done", "until all done")


def _is_settled(event: Event) -> bool:
    """Whether it is known of which things it asks for what."""
    if isinstance(event, Either):
        return False
    inner = getattr(event, "events", ())
    said = (p for s in outcomes(event) for p in propositions(s))
    of_some = any(isinstance(a, Variable) for p in said for a in p.args)
    return all(map(_is_settled, inner)) and not of_some


def _ends(event: Event, step: Event) -> bool:
    """Whether an event ends with a step: what is brought somewhere is there in the end."""
    return event == step or (isinstance(event, Sequence) and event.events[-1] == step)
