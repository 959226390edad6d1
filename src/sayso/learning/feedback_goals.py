"""Goals that people set, as literals: "put the can on the shelf, then fill the cup with water".

    goal  = [title ":"] step {("." | ";" | "," | "then" | "and") step}
    step  = ("put" | "place" | "move" | "push" | ...) things ("on" | "in") (thing | "the table")
          | "pour water into" thing | "fill" thing ["with water"]
          | ("pick up" | "take" | "hold") thing
          | "store these in a stack on" thing "," "from the bottom up" ":" thing {"then" thing}
          | thing ("on" | "in") thing | ["make sure"] a clause such as "the cup has water in it"

"it" is the thing mentioned last, "in it" the thing last spoken of that something was put into.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sayso.core.symbols import Atom, Literal
from sayso.language.lexicon import Lexicon
from sayso.learning.feedback_clauses import Clause, concept_of, read_clause
from sayso.learning.feedback_words import Words, split_at
from sayso.learning.priors import Priors

_ON, _IN = r"(?:on top of|on to|onto|on|upon)", r"(?:inside of|inside|into|within|in)"
_THING = r"(?:@\w+|it)"
_THINGS = rf"(?P<things>{_THING}(?: (?:and|,|, and) {_THING})*)"
_VERB = r"(?:put|place|set|move|stack|store|push|slide|lay|bring|drop|return)(?: back)?(?: down)?"
_TABLE = r"(?:the )?table"
_POUR = r"(?:pour|put|get|run)(?: some)? water (?:into|in)"
_STACK = re.compile(
    rf"(?:store|stack|put|pile)(?: these| them| the following)?(?: things)? "
    rf"(?:in|as) a (?:stack|tower|pile) on (?P<base>{_THING}) ,?(?: in this order)? ?,? ?"
    r"from (?:the )?bottom (?:up|to top) ?:? "
    r"(?P<things>@\w+(?: (?:, then|, and then|then|and then|, and|,|and) @\w+)*)"
)
_FORMS = (
    (re.compile(rf"(?:{_VERB}|keep) {_THINGS} {_ON} {_TABLE}"), "on_table"),
    (re.compile(rf"(?:{_VERB}|keep) {_THINGS} {_ON} (?P<to>{_THING})"), "on"),
    (re.compile(rf"(?:{_VERB}|keep) {_THINGS} {_IN} (?P<to>{_THING})"), "in"),
    (re.compile(rf"{_POUR} {_THINGS}"), "has_water"),
    (re.compile(rf"fill {_THINGS}(?: up)?(?: with water)?"), "has_water"),
    (re.compile(rf"(?:some )?water (?:to be )?{_IN} {_THINGS}"), "has_water"),
    (re.compile(rf"(?:pick up|take|hold|grasp|grab|lift) {_THINGS}"), "holding"),
    (re.compile(rf"{_THINGS} {_ON} {_TABLE}"), "on_table"),
    (re.compile(rf"{_THINGS} {_ON} (?P<to>{_THING})"), "on"),
    (re.compile(rf"{_THINGS} {_IN} (?P<to>{_THING})"), "in"),
)
_OPENINGS = re.compile(
    r"(?:(?:your|the) (?:goal|task|job) is (?:to )?|goal :? ?|task :? ?|i want you to "
    r"|i would like you to |could you |can you |would you |make sure (?:that )?|see to it that "
    r"|i (?:want|would like|need) |robot ,? ?)+"
)
_WANTED = re.compile(
    r"\b(?:(?:should|must|shall|has to|have to|needs? to)(?P<denied> not)?(?: be| go| end up)|"
    r"to be|goes|go|belongs?)\b"
)
"""What stands for "is" in a goal; "has" has its own."""
_MADE = {
    "open": "open", "close": "closed", "shut": "shut", "lock": "locked", "unlock": "not locked",
    "light": "lit", "clean": "clean", "dry": "dry", "fold": "folded", "unfold": "not folded",
    "cover": "covered", "uncover": "not covered",
}  # fmt: skip
"""Verb -> how what it is done to is then."""
_MAKE = re.compile(rf"(?P<verb>{'|'.join(_MADE)})(?: up)? {_THINGS}")
_TURN = re.compile(rf"(?:turn|switch) (?:(?P<how>on|off) )?{_THINGS}(?(how)| (?P<after>on|off))")
_WANTED_HAS = re.compile(r"\b(?:(?:should|must|shall) (?:have|contain)|to have|to contain)\b")


class _Reader:
    """Reads steps one after another and remembers what was mentioned."""

    def __init__(self, known: Lexicon, priors: Priors) -> None:
        self._known = known
        self._priors = priors
        self._last = ""
        self._into = ""
        self._placement: tuple[str, str] | None = None

    def read(self, text: str) -> Clause | None:
        """What a step wants, or None if it has none of the forms."""
        for pattern, name in _FORMS:
            match = pattern.fullmatch(text)
            if match is not None:
                found = match.groupdict()
                return self._placed(name, found["things"], found.get("to") or "")
        if self._placement and re.fullmatch(_THINGS, text):
            return self._placed(self._placement[0], text, self._placement[1])
        text = _WANTED_HAS.sub("has", _WANTED.sub(r"is\g<denied>", text))
        return read_clause(self._made(text), self._known, self._priors)

    def _made(self, text: str) -> str:
        """ "open the box" as "the box is open"."""
        if match := _MAKE.fullmatch(text):
            state = _MADE[match["verb"]]
        elif match := _TURN.fullmatch(text):
            state = f"turned {match['how'] or match['after']}"
        else:
            return text
        names = [self._thing(t) for t in re.findall(_THING, match["things"])]
        if not all(names):
            return text
        self._last = names[-1]
        return (
            f"{' and '.join(f'@{n}' for n in names)} {'is' if len(names) == 1 else 'are'} {state}"
        )

    def stacked(self, base: str, things: str) -> Clause:
        """A stack from the bottom up."""
        names = [self._thing(base), *re.findall(r"@(\w+)", things)]
        pairs = zip(names[1:], names, strict=False)
        literals = tuple(Literal(Atom("on", pair)) for pair in pairs)
        return Clause(literals, (concept_of("on", 2, self._priors),))

    def _placed(self, name: str, things: str, to: str) -> Clause | None:
        names = [self._thing(t) for t in re.findall(_THING, things)]
        target = (self._into or self._last if to == "it" else to[1:]) if to else ""
        if not all(names) or (to and not target):
            return None
        self._last = names[-1]
        self._placement = (name, f"@{target}" if to else "")
        if name in ("in", "has_water"):
            self._into = target or names[-1]
        args = [(n, target) if to else (n,) for n in names]
        return Clause(
            tuple(Literal(Atom(name, a)) for a in args),
            (concept_of(name, len(args[0]), self._priors),),
        )

    def _thing(self, text: str) -> str:
        return self._last if text == "it" else text[1:]


def read_goal(words: Words, known: Lexicon, priors: Priors) -> Clause:
    """What a goal wants. Raises NOT_UNDERSTOOD pointing at the step that is not understood."""
    words = _without_opening(words)
    reader = _Reader(known, priors)
    clauses: list[Clause] = []
    for sentence in split_at(words, (".", "!", "?", ";")):
        stack = _STACK.fullmatch(sentence.text)
        if stack is not None:
            clauses.append(reader.stacked(stack["base"], stack["things"]))
        else:
            clauses += _steps(_without_title(sentence), reader)
    if not clauses:
        raise words.refused("no goal was named.")
    return Clause(
        tuple(dict.fromkeys(x for c in clauses for x in c.literals)),
        tuple(dict.fromkeys(x for c in clauses for x in c.concepts)),
    )


_RELEASE = re.compile(rf"(?:let go of|release|put down|drop|set down) {_THINGS}")


def read_step(text: str, known: Lexicon, priors: Priors) -> Clause | None:
    """What one step asks for, in words with things as @NAME; None where that is not known."""
    if match := _RELEASE.fullmatch(text):
        names = re.findall(r"@(\w+)", match["things"])
        literals = tuple(Literal(Atom("holding", (n,)), False) for n in names)
        return Clause(literals, (concept_of("holding", 1, priors),)) if names else None
    return _Reader(known, priors).read(text)


_JOINERS = (",", "then", "and", "afterwards", "finally", "also", "first")


def _without_opening(words: Words) -> Words:
    match = _OPENINGS.match(words.text)
    return words.after(match.end()) if match else words


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
