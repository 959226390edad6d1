"""The words of controlled English in a flat."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal, TypeAlias

from sayso.language.lexicon import (
    COMPARATOR_PHRASES,
    DETERMINERS,
    ON_TOP,
    PRONOUNS,
    SIZE_WORDS,
    THEN,
    TIMES,
)

_NOUNS = """
    apple backpack bag ball banana basket bathroom beaker bed bedroom bench bin board book
    bookcase bookrack bookshelf bottle bowl box brush bucket cabinet can car cart case cat chair
    chips classroom clock closet cloth coat coke computer cooker corridor couch counter
    countertop cubicle cup cupboard curtain cushion desk dish dishwasher dog door doorway drawer
    dresser drink dustbin elevator entrance fan floor fountain fridge fruit garbage glass gloves
    guitar gum hallway hat heater helmet jacket jar jug kettle keyboard kitchen knife lamp
    lantern laptop lift machine mask mat microwave mirror monitor mug nightstand office oil oven
    painting pan paper pen pencil person phone piano picture pillar pillow plant plate poster
    pot printer projector rack radio rag refrigerator ring robot room rug salt scissors shampoo
    sheet shelf shirt shoe shoes shower sign sink slippers soap soda sofa sponge spoon staircase
    stairs stand stapler statue stool stove suitcase surface sushi table tap tea television
    tomato towel toy trash tray tree tv vase wall wallet wardrobe washer whiteboard window wine
    workbench
"""
NOUNS = frozenset(_NOUNS.split())
"""Nouns that a noun phrase may end with; one that has none of them is understood too."""

ALWAYS_PLURAL = frozenset({"chips", "gloves", "scissors", "shoes", "slippers", "stairs"})

VerbKind: TypeAlias = Literal["go", "hold", "deliver", "either", "throw"]
"""What a verb asks for; "either" is holding, or a delivery if a place follows."""

VERBS: Mapping[str, VerbKind] = {
    **dict.fromkeys(
        (
            "approach", "come to", "drive to", "find", "get to", "go", "go back to", "go by",
            "go near", "go past", "go stand by", "go to", "go visit", "head to", "locate",
            "look for", "make your way to", "move to", "navigate to", "pass by", "reach",
            "return to", "stand by", "stop by", "travel to", "visit", "walk to",
            "come back to", "continue to", "drive over to", "drive up to", "drop by",
            "get as close as possible to", "get as close as you can to",
            "go and find", "go and stand by", "go and visit",
            "go as close as possible to", "go as close as you can to", "go find", "go over to",
            "go up to", "go back and visit", "head back to", "head for", "head over to",
            "make a stop at", "move on to", "move over to", "proceed to", "run to", "stop at",
            "swing by", "walk over to", "walk up to",
        ),
        "go",
    ),
    **dict.fromkeys(("grasp", "hold", "lift", "pick"), "hold"),
    **dict.fromkeys(
        (
            "carry", "collect", "fetch", "get", "go and get", "go and take", "go get", "go take",
            "go and pick up", "go pick up", "grab", "pick up", "take",
        ),
        "either",
    ),
    **dict.fromkeys(
        (
            "bring", "deliver", "drop", "drop off", "give", "go and bring", "go bring", "hand",
            "go and put", "go put", "lay", "move", "place", "put", "put down", "relocate", "return",
            "set", "set down", "transfer", "transport",
        ),
        "deliver",
    ),
    **dict.fromkeys(
        ("discard", "dispose of", "get rid of", "throw", "throw away", "throw out"), "throw"
    ),
}  # fmt: skip
_DOUBLED = frozenset({"drop", "get", "grab", "put", "run", "set", "stop"})
"""Verbs whose last letter "-ing" doubles."""


def _gerund(verb: str) -> str:
    first, _, rest = verb.partition(" ")
    if first in _DOUBLED:
        first += first[-1]
    elif first.endswith("e"):
        first = first[:-1]
    return f"{first}ing {rest}".rstrip()


GERUNDS: Mapping[str, str] = {_gerund(v): v for v in VERBS if not v.startswith("go and ")}
PATROL = (
    "go back and forth between", "keep patrolling", "patrol",
    *(f"keep {gerund}" for gerund, v in GERUNDS.items() if VERBS[v] == "go" and v != "go"),
)  # fmt: skip
ENDLESS = (
    "again and again", "all the time", "an infinite number of times", "endlessly", "for ever",
    "forever", "infinitely", "infinitely often", "over and over", "over and over again",
    "repeatedly", "until i say stop", "until i stop you", "until i tell you to stop",
    "without end", "without stopping",
)  # fmt: skip
GO_FROM = ("drive from", "go from", "move from", "navigate from", "travel from", "walk from")
AVOIDED_VERBS = (
    "come near", "enter", "get close to", "get near", "go anywhere near", "go close to",
    "pass close to", "pass near", "pass through", "go through", "see",
    *(v for v, kind in VERBS.items() if kind == "go" and v not in ("find", "go", "look for")),
)  # fmt: skip
"""Ways to say, after "never", that the robot is near something."""

AVOIDED_PLACES = ("be close to", "be near", "close to", "near")
"""Further ways, which only stand after "never": "never near the cat"."""

BEING_NEAR = (
    "being near", "coming to", "driving to", "entering", "finding", "getting close to",
    "getting near", "getting to", "going by", "going close to", "going near", "going past",
    "going through", "going to", "moving to", "navigating to", "passing by", "passing near",
    "passing through", "reaching", "seeing", "visiting", "walking to",
)  # fmt: skip
HAVING_BEEN = (
    "been near", "been to", "found", "gone to", "moved to", "passed", "reached", "seen",
    "stopped at", "visited",
)  # fmt: skip
HOLDING = (
    "bringing", "carrying", "grabbing", "holding", "picking up", "taking", "you are carrying",
    "you are holding", "you carry", "you hold", "you still carry", "you still hold",
)  # fmt: skip
ON_THE_WAY = (
    "on the way back with", "on the way with", "on your way back with", "on your way with",
    "when returning with", "when you are returning with", "while returning with",
    "when coming back with", "when you come back with", "when you return with",
    "while you are returning with", "while you return with",
)  # fmt: skip
ON_THE_LEG_TO = (
    "on the way to", "on your way to", "when going to", "when you are going to", "when you go to",
    "while going to", "while you are going to",
)  # fmt: skip
ON_THE_LEG = ("on the way", "on the way there", "on your way", "on your way there")
WHILE = (
    "when", "when you are", "while", "while you are",
)  # fmt: skip
TO = ("to", "over to")
AT = (
    "at", "beside", "by", "in", "inside", "into", "next to", "on", "on top of", "onto", "upon", *TO,
)  # fmt: skip
BESIDE = ("beside", "by", "close to", "near", "next to")
MAY_BE_WHERE = ("on", *BESIDE)
COMPARATORS: Mapping[str, str] = {
    **COMPARATOR_PHRASES,
    "by": "isnextto",
    "infront of": "isinfrontof",
    **dict.fromkeys(ON_TOP, "isabove"),
    **{
        f"{start} {side} side of": f"is{side}of"
        for start in ("on the", "to the", "at the")
        for side in ("left", "right")
    },
}
NOT_TOPS = frozenset({"ceiling", "floor", "ground", "left", "right", "side", "terrace", "wall"})
"""Nouns after which "on" does not mean lying on top."""

TOPS = frozenset(
    {
        "bed",
        "bench",
        "chair",
        "couch",
        "counter",
        "countertop",
        "desk",
        "shelf",
        "sofa",
        "stool",
        "table",
    }
)
"""Nouns of things from whose top something is taken."""

THE = ("the", "my", "our")
ARTICLES = tuple(dict.fromkeys((*DETERMINERS, *THE)))
NEVER = (
    "do not", "do not ever", "make sure not to", "make sure that you do not",
    "make sure that you never", "make sure to never", "make sure you do not",
    "at no point", "at no time", "be careful not to", "be sure not to", "be sure to never",
    "ensure that you do not", "ensure that you never", "ensure you do not", "ensure you never",
    "make sure you never", "never", "never ever", "on no account", "you are forbidden to",
    "try not to", "try to never",
    "under no circumstances", "you are not allowed to", "you are not permitted to",
    "you can never", "you can not", "you cannot", "you may never", "you may not", "you must never",
    "you must not", "you should never", "you should not", "you are never allowed to",
)  # fmt: skip
AVOID = (
    "always steer clear of", "keep clear of", "keep your distance from", "make sure to avoid",
    "stay clear of", "stay out of", "steer clear of",
    "always avoid", "always keep away from", "always stay away from", "avoid", "keep away from",
    "stay away from", "you have to always avoid", "you have to avoid", "you must always avoid",
    "you must avoid", "you need to avoid", "you should always avoid", "you should avoid",
)  # fmt: skip
POLITE = (
    "at some point", "can you", "could you", "eventually", "sometime",
    "go ahead and", "hello", "hey", "hey robot", "hi", "i need you to",
    "i want you to", "i would like you to", "kindly", "now", "ok", "okay", "please", "robot",
    "try to", "will you", "would you", "would you mind", "you have to", "you must", "you need to",
    "you should",
)  # fmt: skip
ACTUALLY = ("actually", "hold on", "oh wait", "wait")
"""They may take back what was said before, unless they only put something in front of it."""

OBLIGED = ("you have to", "you must", "you need to", "you should")
AND_THEN = (
    *THEN, "after doing so", "after doing that", "after this", "from there",
    "once that is done", "once you are there", "once you have done that", "upon arrival",
    "when that is done", "when you are there", "when you get there", "when you have done that",
)  # fmt: skip
AT_LAST = (
    "after all of that", "after all that", "after doing all that", "after the last thing",
    "at the end", "finally", "in the end", "lastly", "once you are done",
    "once you are done with all that", "when all that is done", "when you are done",
    "when you are done with all that",
)  # fmt: skip
BEFORE_ALL = (
    "before all of that", "before all that", "before doing all of that", "before doing all that",
    "before doing any of that", "before doing any of this", "before doing anything",
    "before doing the first thing", "before everything else", "before you begin",
    "before you do all that", "before you do any of that", "before you do that", "before you start",
    "before you start that", "before anything else",
)  # fmt: skip
EXCEPT = (
    ", but not", ", except", ", except for", "apart from", "but not", "except", "except for",
    "other than",
)  # fmt: skip
HERE = (
    "around here", "around here somewhere", "here", "in here", "in the room", "in this flat",
    "in this room", "over there",
)  # fmt: skip
SOME_THINGS = (
    "a couple of things", "a few things", "several things", "some things", "the following things",
    "these things", "various things",
)  # fmt: skip
IN_LIST_ORDER = (
    "in the following order", "in the order", "in this order",
)  # fmt: skip
THESE = (
    "the following", "the following places", "the following things", "these", "these places",
    "these things",
)  # fmt: skip
ORDINALS: Mapping[str, int] = {
    "first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5, "last": -1,
}  # fmt: skip
MEMBERS = ("item", "landmark", "location", "object", "one", "place", "stop", "thing")
I_NAMED = ("i mentioned", "i named", "i listed", "on the list", "that i mentioned", "that i named")
YOU_VISITED = (
    "that you visited", "you have been to", "you have visited", "you visited", "you went to",
)  # fmt: skip
THE_REST = (
    "the items you have not visited yet", "the others", "the places you have not visited yet",
    "the remaining items", "the remaining ones", "the remaining places", "the rest",
    "the rest of them", "the things you have not visited yet",
)  # fmt: skip
MOODS = ("i am bored", "i am hungry", "i am ill", "i am thirsty", "i am tired")
ADVERBS = (
    "accidentally", "already", "an hour ago", "by accident", "by mistake", "earlier",
    "earlier today", "just", "just now", "this morning", "today", "yesterday",
)  # fmt: skip
HAPPENED = (
    "broke", "dropped", "emptied", "finished", "forgot", "have dropped", "have forgotten",
    "have left", "have lost", "have opened", "have put", "have spilled", "left", "lost", "opened",
    "put", "ran out of", "spilled", "spilt",
)  # fmt: skip
YOU_FIND = ("you can find", "you will find")
ANOTHER = ("a new one", "a replacement", "a replacement for it", "another", "another one")
I_LIKE = ("i like", "i love", "i would like", "that i like", "that i would like")
PURPOSES: Mapping[str, str] = {
    **dict.fromkeys(("clean", "mop", "wipe"), "sponge"),
    "drink": "drink",
    "eat": "snack",
}
"""What somebody wants who asks for "something to ..."."""

ON_IT = ("in it", "in them", "on it", "on its top", "on them")
STATES = ("up side down", "upside down")
"""States that are part of a thing's name although verbs have their words."""

POSTURES = ("hanging", "located", "lying", "placed", "sitting", "standing")
THAT_STANDS = tuple(
    f"{that} {be} {posture}" for that in ("that", "which") for be in ("is", "are")
    for posture in POSTURES
)  # fmt: skip
THANKS = ("for me", "for us", "please", "thank you", "thanks")
IN_ADDITION = ("additionally", "also", "furthermore", "in addition")
ALTERNATIVELY = ("alternatively", "or alternatively", "or else")
ANY_ORDER = (
    "in an arbitrary order", "in any order", "in any order you like", "in no particular order",
    "in no specific order", "in whatever order",
)  # fmt: skip
SAID_ORDER = ("in order", "in that order", "in this order", "one after another", "one by one")
STRICT_ORDER = (
    "in exactly that order", "in exactly this order", "in that exact order",
    "in that specific order", "in this exact order",
)  # fmt: skip
I_AM = (
    "i am", "i am lying", "i am sitting", "i am standing", "i am waiting", "i will be",
    "i will be waiting", "i will meet you", "i will wait",
)  # fmt: skip
NEXT_TO_ME = ("at", "behind", "beside", "by", "in", "in front of", "near", "next to", "on")
LISTED = (
    "all locations", "all of them", "all of these locations", "all of these places", "all places",
    "all the locations", "all the places", "each of them", "them all",
)  # fmt: skip
MENTIONED = (
    "any location", "any of the locations", "any of them", "any of these",
    "any of these locations", "any of these places", "any of those", "any of those locations",
    "each landmark", "each location", "each of them", "each place", "them", "these locations",
    "these places",
)  # fmt: skip

_OTHER_WORDS = (
    "about again allowed all also always am and another anything are as away back be been before "
    "but clean did different do does done else endlessly every except exactly first firstly "
    "forever forget infinite infinitely repeatedly "
    "from go going gone had has have he he's her him his i i'm if immediately instead into is it "
    "its just keep least less let like ll many may me more most must near need never no none nor "
    "not of off often one only or order other otherwise ours out over own permitted please "
    "quickly said same she should sleep slowly so some something soon still than that thats that's "
    "the their them there these they thing things this those through time times to together too "
    "twice unless until till up use us ve very was we were what when whenever where which while "
    "who whose will with within without work would wash watch you your yours re don it's "
    "around fourth fifth except something anything mentioned closest farthest following furthest "
    "item items landmark landmarks last location locations "
    "nearest opposite places previous remaining rest second third"
)


@cache
def reserved() -> frozenset[str]:
    """Words that no noun is made of."""
    phrases = (
        *VERBS, *GO_FROM, *AVOIDED_VERBS, *BEING_NEAR, *HAVING_BEEN, *HOLDING, *TO, *AT,
        *COMPARATORS, *THEN, *NEVER, *AVOID, *TIMES, *PRONOUNS, *ARTICLES, *SIZE_WORDS,
        *IN_ADDITION, *ALTERNATIVELY, _OTHER_WORDS,
    )  # fmt: skip
    words = {w for phrase in phrases for w in phrase.split()}
    return frozenset(words - {"top", "front", "stand", "lift", "can", "hand"})


@cache
def singular() -> Mapping[str, str]:
    """Plural of each noun that has one -> the noun."""
    return {_plural(n): n for n in NOUNS - ALWAYS_PLURAL}


def _plural(noun: str) -> str:
    if noun.endswith("f"):
        return noun[:-1] + "ves"
    if noun.endswith(("s", "x", "sh", "ch")):
        return noun + "es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"
