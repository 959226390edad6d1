"""Goals that people set, as literals: "put the can on the shelf, then fill the cup with water".

A goal is steps joined by marks, "then" and "and"; `wanted_step` of `feedback.grammar` is one. "It"
is the thing mentioned last, "in it" the thing last spoken of that something was put into.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sayso.core.symbols import Atom, Literal
from sayso.core.vocabulary import Wanted, Wording
from sayso.language.lexicon import Lexicon
from sayso.language.meaning import Fact, Things
from sayso.learning.feedback_clauses import (
    Again,
    Clause,
    Made,
    Stacked,
    clause_of,
    concept_of,
    names,
    read_clause,
    readings,
)
from sayso.learning.feedback_words import Words, split_at
from sayso.learning.priors import Priors

_WANTED = re.compile(
    r"\b(?:(?:should|must|shall|has to|have to|needs? to)(?P<denied> not)?"
    r"(?: be| go| end up| stay| remain)|"
    r"to be|goes|go|belongs?|stays?|remains?)\b"
)
"""What stands for "is" in a goal; "has" has its own."""
_HAVING = re.compile(
    r"^(?:your (?:job|task|goal) is|(?:i|we) (?:want|need|would (?:like|love))) to have (?=@)"
)
_WANTED_HAS = re.compile(r"\b(?:(?:should|must|shall) (?:have|contain)|to have|to contain)\b")
_MORE = re.compile(
    r"(?:is |stand |sit |lie |be )?(?P<what>(?:not )?(?:(?:standing |sitting |lying )?"
    r"(?:on|in|under|beside|next to) @\w+|empty|full|clean|dry|lit|off))"
)
"""What goes on with the thing before: "full of water and standing on the tray"."""
_OF_PLACE = frozenset({
    "on", "onto", "upon", "top", "of", "in", "into", "inside", "within", "to",
    "open", "close", "shut", "lock", "unlock",
})  # fmt: skip
"""Before "it" these speak of what something was put into, if anything was."""
_PLACED = frozenset({"on", "in", "on_table"})


class _Reader:
    """Reads steps one after another and remembers what was mentioned."""

    def __init__(self, known: Lexicon, priors: Priors) -> None:
        self._known = known
        self._priors = priors
        self._last = self._first = ""
        self._into = ""
        self._placement: tuple[str, str] | None = None
        self._placed: tuple[str, ...] = ()

    def read(self, text: str) -> Clause | None:
        """What a step wants, or None if it has none of the forms."""
        text = _HAVING.sub("", text)
        text = re.sub(r"(@\w+)(?: (?:should|must) be)? anywhere but(?= )", r"\1 is not", text)
        if match := re.fullmatch(r"but not @(\w+)", text):
            return self._but_not(match[1])
        text = _WANTED_HAS.sub("has", _WANTED.sub(r"is\g<denied>", self._with_names(text)))
        text = text.replace("you is ", "you are ")
        found = readings(text, "wanted_step", self._known, self._priors)
        if not found and self._first and (more := _MORE.fullmatch(text)):
            again = f"@{self._first} is {more['what']}"
            found = readings(again, "wanted_step", self._known, self._priors)
        special = next((r for r in found if isinstance(r, Again | Made | Stacked)), None)
        if special is not None:
            self._first = ""
        match special:
            case Stacked(base, things):
                return self._stack((base, *things))
            case Made(state, about):
                return self._made(state.replace("_", " "), about)
            case Again(about):
                return self._again(about)
        clause = clause_of(found, self._known, self._priors)
        facts = [r for r in found if isinstance(r, Fact)]
        if clause:
            of = {x.atom.args[0] for x in clause.literals if x.atom.args}
            self._first = of.pop() if len(of) == 1 else ""
        if clause and facts:
            self._note(facts[0])
        return clause or self._of_action(text)

    def _of_action(self, text: str) -> Clause | None:
        """ "Rinse the cup", where rinsing is known to be an action: what that brings about."""
        for action in self._known.vocabulary.actions:
            goal = action.goal[0] if len(action.goal) == 1 else ()
            for named in filter(None, (_named(text, w) for w in action.wordings)):
                if goal and {a for w in goal for a in w.arguments} <= set(named):
                    self._last = named[0]
                    return self._wanted(goal, named)
        return None

    def _wanted(self, goal: Sequence[Wanted], named: Mapping[int | str, str]) -> Clause:
        clauses = [
            self._clause(w.predicate, (tuple(named[a] for a in w.arguments),), w.positive)
            for w in goal
        ]
        return Clause(
            tuple(x for c in clauses for x in c.literals),
            tuple(dict.fromkeys(x for c in clauses for x in c.concepts)),
        )

    def _with_names(self, text: str) -> str:
        """ "it" is named, as far as it stands for something."""
        words = text.split()
        for i, word in enumerate(words):
            of_place = i > 0 and words[i - 1] in _OF_PLACE
            meant = (self._into or self._last) if of_place else self._last
            words[i] = f"@{meant}" if word == "it" and meant else word
        return " ".join(words)

    def _note(self, fact: Fact) -> None:
        """Remembers what was put where, or filled; what speaks of no thing changes nothing."""
        groups = [names(things) or () for things in fact.things]
        about, to = (*groups, (), ())[:2]
        self._last = about[-1] if about else self._last
        if fact.predicate in _PLACED:
            self._placement = (fact.predicate, to[0] if to else "")
            self._placed = about
        if fact.predicate in ("in", "has_water"):
            self._into = to[0] if to else self._last

    def _made(self, state: str, about: Things) -> Clause | None:
        """ "open the box" as "the box is open"."""
        named = names(about)
        if not named:
            return None
        self._last = named[-1]
        said = " and ".join(f"@{n}" for n in named)
        text = f"{said} {'is' if len(named) == 1 else 'are'} {state}"
        return read_clause(text, self._known, self._priors)

    def _stack(self, parts: Sequence[Things]) -> Clause | None:
        named = [n for things in parts for n in names(things) or ()]
        pairs = zip(named[1:], named, strict=False)
        return self._clause("on", tuple(pairs)) if len(named) == len(parts) else None

    def _again(self, about: Things) -> Clause | None:
        named = names(about)
        if not named or self._placement is None:
            return None
        self._last = named[-1]
        predicate, to = self._placement
        return self._clause(predicate, tuple((n, to) if to else (n,) for n in named))

    def _but_not(self, name: str) -> Clause | None:
        """ "Both blocks in the pan, but not the carrot"."""
        if self._placement is None or name in self._placed:
            return None
        predicate, to = self._placement
        wanted = self._clause(predicate, ((name, to) if to else (name,),))
        return replace(wanted, literals=(wanted.literals[0]._replace(positive=False),))

    def _clause(
        self, predicate: str, args: tuple[tuple[str, ...], ...], positive: bool = True
    ) -> Clause:
        about = concept_of(predicate, len(args[0]), self._priors, self._known.predicates)
        return Clause(tuple(Literal(Atom(predicate, a), positive) for a in args), (about,))


def _named(text: str, wording: Wording) -> dict[int | str, str] | None:
    """The things that words name in an action's wording, by number; None where these are others.

    What follows the first thing may be left out: "rinse the cup", for "rinse the cup by hand".
    """
    if not wording.things:
        return None
    tail = re.sub(r"\\\{(\d)\\\}", r"@(?P<n\1>\\w+)", re.escape(wording.tail))
    match = re.fullmatch(rf"{re.escape(wording.verb)} @(?P<n0>\w+)(?: {tail})?", text)
    return match and {int(k[1:]): v for k, v in match.groupdict().items() if v}


def read_goal(words: Words, known: Lexicon, priors: Priors) -> Clause:
    """What a goal wants. Raises NOT_UNDERSTOOD pointing at the step that is not understood."""
    reader = _Reader(known, priors)
    clauses: list[Clause] = []
    for sentence in split_at(words, (".", "!", "?", ";")):
        clauses += _steps(_without_title(sentence), reader)
    if not clauses:
        raise words.refused("no goal was named.")
    literals = tuple(dict.fromkeys(x for c in clauses for x in c.literals))
    if both := next((x for x in literals if x._replace(positive=not x.positive) in literals), None):
        raise words.refused(f"this wants {both.atom} both ways.")
    return Clause(
        literals,
        tuple(dict.fromkeys(x for c in clauses for x in c.concepts)),
    )


def read_step(text: str, known: Lexicon, priors: Priors) -> Clause | None:
    """What one step asks for, in words with things as @NAME; None where that is not known."""
    return _Reader(known, priors).read(text)


_JOINERS = (",", "then", "and", "afterwards", "finally", "also", "first")


def _without_title(words: Words) -> Words:
    """The words after "set the breakfast table:" and the like, which only names what follows."""
    marks = [i for i, w in enumerate(words.words) if w.text == ":"]
    if not marks or any(w.text.startswith("@") for w in words.words[: marks[-1]]):
        return words
    return words.part(marks[-1] + 1)


def _steps(words: Words, reader: _Reader) -> list[Clause]:
    """Each step takes as many runs of words between joiners as make one form, the most first."""
    runs = split_at(words, _JOINERS)
    found: list[Clause] = []
    while runs:
        for count in range(len(runs), 0, -1):
            clause = reader.read(_together(words, runs[:count]).text)
            if clause is not None:
                break
        else:
            raise runs[0].refused("this is no goal that I know.")
        found.append(clause)
        runs = runs[count:]
    return found


def _together(words: Words, runs: Sequence[Words]) -> Words:
    start = words.words.index(runs[0].words[0])
    end = words.words.index(runs[-1].words[-1]) + 1
    return words.part(start, end)
