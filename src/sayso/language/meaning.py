"""What sentences say, before it is known what their words refer to: one dataclass for each part.

`english.grammar` names these after its arrows. `at` is which of the sentence's words a part was
said with; it does not tell meanings apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import TypeAlias

At: TypeAlias = "tuple[int, int]"


# -- things -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pronoun:
    """ "it", "the rest", "another one" and the like, by kind."""

    kind: str
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class Ordinal:
    """ "the second item I mentioned": `index` from 0, -1 for the last one.

    Attributes:
        listed: whether the words say that it was named before.
        of_two: whether they say that there are just two: "the former".
    """

    index: int
    of_places: bool = False
    listed: bool = False
    of_two: bool = False
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class Purpose:
    """ "something to drink": a kind of thing named by what it is for."""

    noun: str
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class NumberOf:
    """ "two", "at least two", "the two", "two other"; `of` them: "two of the blocks".

    Attributes:
        other: whether something was to be named before: "two more" need not be of the same kind.
        whole: whether the words say "all": "all four blocks".
    """

    number: int
    limit: str = ""
    definite: bool = False
    different: bool = False
    of: bool = field(default=False, compare=False)
    other: bool = False
    whole: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class Superlative:
    """ "leftmost"; with `nth` (from 0, -1 for the last) "the third from the left".

    Attributes:
        vague: it may be compared with what was spoken of before: "the nearest" alone.
    """

    kind: str
    nth: int = 0
    vague: bool = False
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class Relation:
    """`kind` is a comparator, or "from"."""

    kind: str
    others: tuple[Thing | Pronoun | Ordinal, ...]


@dataclass(frozen=True)
class Thing:
    """A description of a thing or of several.

    Attributes:
        determiner: "" | the | a | any | some | certain ("some", "one of the") | all | each | both |
            none | another | the other | the rest | any other | the same | that | those; or a
            number.
        noun: "" where "one" stands for it.
        such: of "the doors that are open" the predicate, and whether it is true of them.
    """

    determiner: str | NumberOf = ""
    attributes: tuple[str, ...] = ()
    noun: str = ""
    plural: bool = False
    relations: tuple[Relation, ...] = ()
    apart: Things | None = None
    superlative: Superlative | None = None
    such: tuple[str, bool] | None = None
    at: At = field(default=(0, 0), compare=False)


Named: TypeAlias = "Thing | Pronoun | Ordinal | Purpose"


@dataclass(frozen=True)
class Things:
    """Things mentioned together.

    Attributes:
        joiner: "and", "or" or ''.
        marker: a word before them.
        led: the words that are said before each of them, where they are: "to" or "from".
        some: how many of them at least, where not all or any are meant.
    """

    members: tuple[Named, ...]
    joiner: str = ""
    marker: str = ""
    at: At = field(default=(0, 0), compare=False)
    led: str = field(default="", compare=False)
    some: int = 0


# -- actions and states -------------------------------------------------------------------


@dataclass(frozen=True)
class Tail:
    """What follows the thing that is handled: `text` as the library words it, "on {1}"."""

    text: str
    to: Things | None = None


@dataclass(frozen=True)
class Do:
    """A verb with its things; `tails` are alternatives. Empty verb: that of the clause before."""

    verb: str
    form: str = "verb"
    things: Things | None = None
    tails: tuple[Tail, ...] = ()
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class Several:
    """Actions joined by "and" or by "or"."""

    members: tuple[Do, ...]
    joiner: str = ""


@dataclass(frozen=True)
class Fact:
    """A clause of a predicate about things, or its negation."""

    predicate: str
    positive: bool
    things: tuple[Things, ...]
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class NotState:
    state: Fact | NotState | ActState


@dataclass(frozen=True)
class ActState:
    """The state that an action leads to.

    Attributes:
        idle: "while you are not putting it there": what is so while nothing of the kind goes on.
    """

    act: Do
    positive: bool = True
    idle: bool = False


@dataclass(frozen=True)
class Condition:
    """States joined by "and" or by "or"."""

    states: tuple[Fact | NotState | ActState, ...]
    joiner: str = ""
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class PlaceNamed:
    """ "after the sofa": what is done there is not said."""

    things: Things


Occasion: TypeAlias = "Condition | Several | PlaceNamed"


@dataclass(frozen=True)
class Count:
    limit: str
    times: int
    at: At = field(default=(0, 0), compare=False)


# -- items --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Act:
    """Something to be done.

    Attributes:
        marker: "either" or "both" before it; "start" for what comes before all else; "some time"
            for several things each of which has its own time.
        only: "only visit X once": the count is a limit, too.
        order: any | said | strict | single.
        final: whether it is to be so at the end.
        until: till when nothing more is done: "wait by the sofa until I call you".
    """

    what: Do | Shared | FromTo
    marker: str = ""
    only: bool = False
    count: Count | None = None
    order: str = ""
    final: bool = False
    until: Remark | None = None
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class Shared:
    """Things, or where to, with the verb of the clause before."""

    things: Things | None = None
    tails: tuple[Tail, ...] = ()


@dataclass(frozen=True)
class FromTo:
    """One place, then the other one; `back`, if then the first one again."""

    first: Things
    second: Things
    back: str = ""


@dataclass(frozen=True)
class Swap:
    one: Named
    other: Named
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class Empty:
    """Nothing is to be left on or in a thing; `all` if it was said of all that is there."""

    thing: Things
    all: str = ""
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class PutBack:
    """A thing goes where it was when the task began."""

    thing: Things
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class PutWhere:
    """A thing goes where another one was when the task began."""

    thing: Things
    other: Things
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class Tower:
    """So many of a kind, one on the other, in any order."""

    thing: Thing
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class Layers:
    """Things one on the other, the lowest first, on a `base` where one is named.

    Of two things of a kind of which more are meant, what is left of that kind is between them.
    `told` is "yes" where it is only told how they lie: "blue at the bottom, red on top of it".
    """

    things: tuple[Named, ...]
    between: Thing | None = None
    base: Things | None = None
    told: str = ""
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class HoldUntil:
    """A thing is held, from this step on until something, or to the end."""

    things: Things
    until: Occasion | None = None
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class Bound:
    """How far a rule goes."""

    kind: str
    what: Occasion | None = None
    count: Count | None = None
    things: Things | None = None
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class Never:
    acts: Several
    limit: Bound | None = None
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class Avoid:
    things: Things
    limit: Bound | None = None
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class LeaveAlone:
    """Nothing is done to these. `standing`: "yes" if they are to stay where they are."""

    things: Things
    limit: Bound | None = None
    standing: str = ""
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class NotThose:
    """What the clause before asks of one thing is forbidden of these: "not the green one".

    `kind` is "but" for "but not ...", which is about what is handled; `never` is "yes" where it
    is forbidden in so many words, rather than left out.
    """

    things: Things | None = None
    tails: tuple[Tail, ...] = ()
    kind: str = ""
    never: str = ""
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class NeverState:
    fact: Fact
    limit: Bound | None = None
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class NothingBut:
    """Of all things only these."""

    verb: str
    form: str
    things: Things
    tails: tuple[Tail, ...] = ()
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class Revisit:
    things: Things | Pronoun
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class Keep:
    """A state that has to hold; an action stands for its outcome."""

    state: Condition
    limit: Bound | None = None
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class Goal:
    """A state that has to come about; `bare` if it was said without a verb, `final` if it is to
    be so at the end."""

    state: Condition
    count: Count | None = None
    bare: str = ""
    final: bool = False
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class Patrol:
    """Places again and again; `what` where another verb than "patrol" says so."""

    things: Things | None = None
    what: Do | None = None
    between: bool = False
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class KeepEmpty:
    """Nothing may ever be on or in a thing."""

    thing: Things
    limit: Bound | None = None
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class LeftOut:
    """ "skip the bed": nothing of what was asked for of these is to be done.

    Attributes:
        lightly: "yes" if nothing is forbidden where nothing was asked for: "don't worry about it".
        of_asked: "yes" if it says nothing where nothing was asked for: "the only exception is it".
    """

    things: Things
    lightly: str = ""
    of_asked: str = ""
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class Reversal:
    """ "the other way round": in place of what was said right before."""

    at: At = field(default=(0, 0), compare=False)


Rule: TypeAlias = (
    "Never | Avoid | LeaveAlone | NotThose | NeverState | NothingBut | Revisit | Keep | KeepEmpty"
)


@dataclass(frozen=True)
class Remark:
    """What is told; `kind` says which of the parts are there."""

    kind: str
    thing: Named | None = None
    things: Things | None = None
    relations: tuple[Relation, ...] = ()
    noun: Thing | None = None
    at: At = field(default=(0, 0), compare=False)


TOLD_OF = ("report", "aside")
"""Remarks that only tell what is, was or will be."""


@dataclass(frozen=True)
class LedItem:
    """ "after visiting X, ...", "while carrying X, ...", in the middle of a sentence."""

    kind: str
    other: Occasion
    then: Item
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class Modifier:
    """What limits the steps before it."""

    kind: str
    other: Occasion | None = None
    forbidden: Several | None = None
    things: Things | None = None
    at: At = field(default=(0, 0), compare=False)


Item: TypeAlias = (
    "Act | Rule | Goal | Patrol | Remark | Swap | Empty | PutBack | PutWhere | Tower | Layers"
    " | HoldUntil"
    " | LedItem | LeftOut | Reversal"
)


@dataclass(frozen=True)
class Link:
    """A further item, how it is joined and why, or what modifies those before, or their order."""

    joiner: str = ""
    item: Item | None = None
    modifier: Modifier | None = None
    order: str = ""
    told: Remark | None = None


# -- sentences ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Chain:
    """Items in a row; `begins` if the words say that this is what comes first."""

    first: Item
    rest: tuple[Link, ...] = ()
    begins: bool = False
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class Case:
    """The head of a conditional: if, unless, whenever, when, while or only if."""

    kind: str
    condition: Occasion
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class Conditional:
    """ "if C, A, otherwise B".

    Attributes:
        ahead: how A goes before what was said before: "before" that, "before doing" that, "at
            first", or not ("").
    """

    case: Case
    then: Chain
    otherwise: Chain | None = None
    told: Remark | None = None
    joiner: str = ""
    ahead: str = ""
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class Led:
    """ "before X, ...", "after X, ..."."""

    kind: str
    other: Occasion
    then: Chain
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class Unordered:
    then: Chain
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class Sentence:
    """A sentence.

    Attributes:
        more: what is asked for besides: "..., other than that ...", "..., and if ..., ...".
        joined: "then" where that comes after it.
        told: what stands before or after it and asks for nothing.
    """

    body: Chain | Conditional | Led | Unordered | None = None
    opening: str = ""
    more: Chain | Conditional | None = None
    joined: str = "."
    told: tuple[Remark, ...] = ()
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class Edit:
    """A correction: `new` for `old`, an order of them, or another description.

    Attributes:
        kind: not but | instead | any | described | first | order | left out.
        order: "before" or "after" `old`.
    """

    kind: str
    new: Named | None = None
    old: Named | None = None
    order: str = ""
    adjectives: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()
    at: At = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class StopWord:
    """The whole sentence asks to stop at once."""


@dataclass(frozen=True)
class Question:
    """Nothing is asked for, but something is asked."""


AS_CORRECTION, AS_SECOND_THOUGHT = "correction", "actually"
"""How what takes the place of what was said before begins; after the second it may not do so."""
TOLD = "told"
"""The form of a verb that tells how things will be, rather than orders it: "the plate gets it"."""
WISHED = "wished"
"""The form of a verb that tells how things should be in the end: "the mug should go there"."""
BUT_NOT, SET_OFF = "but not", "set off"
"""Markers of exceptions: ", but not the red one" and ", except the red one"."""
COURTESY, CHOICE, AT_END = "courtesy", "choice", "at the end"
"""Kinds of remarks: says nothing, leaves a choice, says that this is the end."""
ANY_COLOR = "any color"
"""Kind of a remark that leaves the looks of one thing of a kind open."""
ANY_ORDER, IN_ORDER = "any order", "in order"
"""Kinds of remarks that free the order of what was said, or ask for it."""
AT_ONCE, BOTH_AT_ONCE = "at once", "both at once"
"""Kind of a remark that says "now", or of several things "together"; of a bound "together"."""
AT_ONE_TIME = (AT_ONCE, BOTH_AT_ONCE)
REASON = "reason"
"""Kind of a remark that tells why, and of what thing that is so."""
AMONG = "among"
"""Kind of a remark that tells of which things something is said: "of the blocks, ..."."""
UNTOLD = (COURTESY, CHOICE, ANY_COLOR, ANY_ORDER, IN_ORDER, AT_END, AT_ONCE)
"""Of these remarks nobody has to be told that they ask for nothing."""
RULES = (Never, Avoid, LeaveAlone, NotThose, NeverState, NothingBut, Revisit, Keep, KeepEmpty)
"""What is a rule rather than a step."""
LIMITED = (Never, Avoid, LeaveAlone, NeverState, Keep, KeepEmpty)
"""The rules that may have a limit."""


def parts(part: object) -> Iterator[object]:
    """A part of a sentence and all that it is made of."""
    if isinstance(part, tuple):
        for inner in part:
            yield from parts(inner)
    elif is_dataclass(part):
        yield part
        for inner_field in fields(part):
            yield from parts(getattr(part, inner_field.name))


def has_pronoun(part: object) -> bool:
    """Whether a pronoun is among all that a part of a sentence is made of."""
    return any(isinstance(p, Pronoun) for p in parts(part))


def renamed(things: Things, others: Things) -> Things:
    """ "the green one" in place of "the blue block": the green block."""
    (thing, *more), other = things.members, others.members[0]
    if more or not isinstance(thing, Thing) or thing.noun or not isinstance(other, Thing):
        return things
    return replace(things, members=(replace(thing, noun=other.noun, plural=other.plural),))
