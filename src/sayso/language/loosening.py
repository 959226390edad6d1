"""What else a clause may be read as that the grammar does not read as it stands.

A few small changes, none of which touches a thing, a number, a negation, a limit, a condition or
an order: what says nothing is left out (how, for whom, what for, what leads in), words of order
stand where the grammar has them, a pronoun is one that the grammar has, and a verb is one of the
same class that the library has. Whoever takes such a reading asks about it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sayso.core.ports import ParsedWord
from sayso.language.asides import MATTERS, TURNING
from sayso.language.controls import verb_classes
from sayso.language.lexicon import Lexicon
from sayso.language.limiting import DENYING
from sayso.language.tokens import Token
from sayso.language.units import MARKS, changes_others, may_limit

MOST = 24
"""Of the ways in which one clause is tried."""
LEADS = frozenset({
    "so", "oh", "okay", "ok", "well", "now", "and", "but", "yeah", "yes", "yo", "hey", "hi",
    "hello", "um", "uh", "er", "hmm", "hm", "ah", "aha", "ha", "dear", "like", "please", "also",
    "look", "listen", "basically", "anyway", "alright", "just", "simply", "robot", "mate", "there",
    "maybe", "perhaps", "obviously", "really", "honestly", "kindly", "gosh", "yep", "sure",
    "aight", "ya", "idk", "tbh", "btw", "lol", "man", "dude", "buddy", "pal", "kiddo", "folks",
    "great", "good", "fine",
    "cool", "nice", "phew", "ugh", "bah", "hurry", "quick", "quickly", "thanks", "cheers",
})  # fmt: skip
"""What may stand before a clause and says nothing of what it asks for."""
_HINTS = frozenset({"just", "simply", "really", "please", "kindly", "now", "maybe", "perhaps"})
"""The same anywhere before the verb of what is asked for, though not of what is forbidden."""
_KEPT_ADVERBS = MATTERS | TURNING | frozenset({
    "up", "down", "in", "on", "off", "out", "over", "back", "away", "along", "around", "round",
    "through", "across", "by", "near", "inside", "outside", "together", "apart", "there", "here",
    "upside", "left", "right", "open", "closed", "shut", "first", "last", "next", "then", "finally",
    "later", "afterwards", "before", "after", "meanwhile", "instead", "otherwise", "again", "still",
    "yet", "already", "ever", "never", "not", "only", "even", "just", "once", "twice", "always",
    "so", "as", "how", "when", "where", "why", "else", "too", "also", "either", "neither", "about",
    "almost", "nearly", "half", "halfway", "hardly", "barely", "rarely", "seldom", "scarcely",
    "more", "most", "less", "least", "enough", "alone", "close", "far", "any", "anymore", "longer",
    "straight", "at", "all", "exactly", "alternately", "separately", "simultaneously",
    "carefully", "gently", "slowly", "softly", "safely", "quietly", "cautiously", "partly",
    "partially", "fully", "actually", "sorry", "wait", "rather", "oops", "hold", "hang",
    "completely", "entirely", "wherever", "whenever", "however",
})  # fmt: skip
"""Adverbs that say where to, when, in which order, how often or how far: they are never left out,
unlike those that say in which manner."""
_BARE_PARTICLES = frozenset({"over", "away", "back", "down", "along", "up", "across", "straight",
                             "right", "off", "out"})  # fmt: skip
_LED_ON = frozenset({"to", "into", "onto", "in", "on", "inside", "at", "by", "from"})
"""Before these, particles say nothing of their own: "away into", "over by"."""
_BESIDE = frozenset({"for", "with", "like", "during", "in", "within", "at", "under"})
"""Prepositions of what may only tell for whom, how or how soon something is done."""
_MANNERS = frozenset({
    "moment", "minute", "minutes", "second", "seconds", "hurry", "time", "care", "sec", "mo",
    "meantime", "meanwhile", "caution", "love", "convenience", "pace", "leisure", "peace", "way",
    "hand", "hands", "gripper", "arm", "fingers", "ease", "luck", "tick", "jiffy", "bit",
    "haste", "style", "possible", "once",
})  # fmt: skip
"""After "in", "with" and "at", what tells how or how soon, and is no place."""
_FOR = frozenset({"me", "us", "him", "her", "them", "everybody", "everyone", "now"})
_PERSONS = {"he": "it", "she": "it", "him": "it", "her": "it"}
_BEFORE_THERE = frozenset({"of", "in", "near", "from", "at", "around"})
_STANDING_FOR = frozenset({"it", "that", "him", "her", "he", "she", "this", "which", "who"})
_OBJECTS = frozenset({"it", "that", "this", "him", "her", "one"})
_OPENED = {
    "finally": "finally", "lastly": "finally", "next": "then",
    "afterwards": "then", "afterward": "then", "later": "then",
}  # fmt: skip
"""Words of order at the end of a clause, and how the grammar has them at its beginning."""
_PLACING = frozenset({
    "in", "on", "into", "onto", "to", "at", "by", "under", "below", "above", "over", "behind",
    "beside", "near", "next", "between", "off", "from", "out", "inside", "away", "through",
})  # fmt: skip
"""With these, a verb of what is only picked up or touched says more than that."""
_VERBS = frozenset({"VB", "VBP", "VBG"})


@dataclass(frozen=True)
class Loosened:
    """Another text for a clause.

    Attributes:
        dropped: the places of its words that it leaves out.
        named: whether it names what a pronoun stood for.
    """

    text: str
    dropped: frozenset[int]
    named: bool


def antecedent(words: Sequence[str]) -> str:
    """The last thing that words name, if they end with it: what "which" after them stands for."""
    for start in range(len(words) - 1, max(-1, len(words) - 6), -1):
        if words[start] in _NAMING:
            return "" if words[start] in ("a", "an") else " ".join(words[start:])
    return ""


_NAMING = frozenset({"the", "a", "an", "my", "our", "your", "both", "all", "that", "this"})
_DEFINITE = frozenset({"the", "my", "our", "your", "that", "this"})
_DUTIES = frozenset({"has", "must", "should", "needs", "shall"})
_NEEDED = tuple(
    ("you", *will, *must)
    for will in ((), ("will",))
    for must in (("need", "to"), ("have", "to"), ("must",), ("should",))
)
_BEFOREHAND = frozenset({"first", "beforehand"})
_WISHES = (("i", "want"), ("i", "need"), ("we", "want"), ("we", "need"), ("i", "would", "like"))


def with_antecedents(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Tokens with ", and the blue one must ..." for "the blue one, which must ..." and ", and I
    want the blue one ..." for "which I want ...", where the clause before names nothing else."""
    said: list[Token] = []
    for i, token in enumerate(tokens):
        what = _antecedent(said) if token.text == "which" else ()
        if token.text == "which" and (before := _needed_before(tokens, i, said)):
            return (*said, *before)
        following = [t.text for t in tokens[i + 1 : i + 4]]
        wish = next((w for w in _WISHES if tuple(following[: len(w)]) == w), ())
        if what and (wish or (following and following[0] in _DUTIES)):
            names = [replace(token, text=w) for w in what]
            said.append(replace(token, text="and"))
            said += [*tokens[i + 1 : i + 1 + len(wish)], *names]
            rest = with_antecedents(tokens[i + 1 + len(wish) :])
            return (*said, *rest)
        said.append(token)
    return tuple(said)


def _needed_before(tokens: Sequence[Token], at: int, said: Sequence[Token]) -> tuple[Token, ...]:
    """ "..., but before that open the drawer" for "the drawer, which you need to open first"."""
    words = [t.text for t in tokens[at + 1 :]]
    needed = next((n for n in _NEEDED if tuple(words[: len(n)]) == n), ())
    verb = words[len(needed) : len(needed) + 1]
    what = antecedent([t.text for t in said if t.text != ","]).split()
    end = len(needed) + 2
    if not needed or len(words) < end or not what or said[-1].text != ",":
        return ()
    if words[end - 1] not in _BEFOREHAND or words[end : end + 1] not in ([], [","]):
        return ()
    token = tokens[at]
    made = ("but", "before", "that", *verb, *what)
    return (*(replace(token, text=w) for w in made), *tokens[at + 1 + end :])


def _antecedent(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The only thing that the clause names which ends with a comma; () for none, or several."""
    if not tokens or tokens[-1].text != ",":
        return ()
    words = [t.text for t in tokens[:-1]]
    if not _CONDITIONS.isdisjoint(words):
        return ()  # it may be so in any case
    begins = max((i + 1 for i, w in enumerate(words) if w in MARKS or w in _APART), default=0)
    named = [i for i in range(begins, len(words)) if words[i] in _NAMING]
    one = len(named) == 1 and words[named[0]] in _DEFINITE and len(words) - named[0] < _LONGEST_NAME
    joined = bool(named) and words[named[0] - 1 : named[0]] in (["and"], ["or"])
    return tuple(words[named[0] :]) if one and not joined else ()


_APART = frozenset({"except", "but"})
_CONDITIONS = frozenset({"if", "unless", "when", "whenever", "once", "while"})
_LONGEST_NAME = 6
_Said = tuple[tuple[str, int], ...]
"""Words with their places in the clause; -1 for those that were not said."""


def loosened(
    tree: Sequence[ParsedWord], lexicon: Lexicon, *, first: bool, told: str
) -> Iterator[Loosened]:
    """Other texts for a clause, the nearest to what was said first.

    Args:
        tree: its words.
        lexicon: of the library.
        first: whether nothing was asked for before it.
        told: the only thing that the words before it named, where these were not understood.
    """
    words = [w.text.lower() for w in tree]
    seen = {" ".join(words)}
    for said in _variants(tree, lexicon, first, told):
        text = " ".join(w for w, _ in said if w).strip(" ,:()")
        if text and text not in seen:
            seen.add(text)
            kept = {at for _, at in said}
            if not _NEVER_DROPPED.isdisjoint(w for i, w in enumerate(words) if i not in kept):
                continue
            named = bool(told) and told in text and told not in " ".join(words)
            yield Loosened(text, frozenset(range(len(words))) - kept, named)
        if len(seen) > MOST:
            return


_NEVER_DROPPED = frozenset({"one", "ones", "might", "may"})
"""Without these, a clause names another thing, or asks for what it only allows."""


def _variants(
    tree: Sequence[ParsedWord], lexicon: Lexicon, first: bool, told: str
) -> Iterator[_Said]:
    whole: _Said = tuple((w.text.lower(), i) for i, w in enumerate(tree))
    led = _each_of_those(_with_articles(_without_lead(whole), tree, lexicon))
    plain = _without_asides(led, tree, lexicon)
    so = _with_state(led)
    bases = dict.fromkeys((led, so, plain, *(_in_order(b, first) for b in (led, plain))))
    for named in (False, True):
        for base in bases:
            said = _with_pronouns(base, told) if named else base
            yield said
            yield from _with_verbs(said, tree)


def _each_of_those(said: _Said) -> _Said:
    """ "Move every block on the plate" for "if there is a block on the plate, move it"."""
    words = [w for w, _ in said]
    begins = words[:3] == ["if", "there", "is"] and words[3:4] in (["a"], ["an"], ["any"])
    if not begins or "," not in words:
        return said
    comma = words.index(",")
    if words[comma + 1 :].count("it") != 1:
        return said
    at = words.index("it", comma)
    thing = (("every", said[3][1]), *said[4:comma])
    unsaid = tuple(("", i) for i in (*(i for _, i in said[:3]), said[at][1]))
    return (*unsaid, *said[comma + 1 : at], *thing, *said[at + 1 :])


def _with_articles(said: _Said, tree: Sequence[ParsedWord], lexicon: Lexicon) -> _Said:
    """ "The blocks in the bowl" for "blocks in the bowl"."""
    first, at = said[0]
    bare = at >= 0 and tree[at].tag == "NNS" and lexicon.names(first)
    return (("the", -1), *said) if bare else said


def _without_lead(said: _Said) -> _Said:
    """A clause without what leads in and says nothing of it."""
    start = 0
    words = [w for w, _ in said]
    while start < len(words) and (words[start] in LEADS or words[start] in MARKS):
        start += 1
    return said[start:] or said


def _without_asides(said: _Said, tree: Sequence[ParsedWord], lexicon: Lexicon) -> _Said:
    """A clause without adverbs of manner, and without for whom or how something is done."""
    dropped: set[int] = set()
    places = [at for _, at in said]
    forbids = not DENYING.isdisjoint(w for w, _ in said)
    for k, at in enumerate(places):
        word = tree[at].text.lower()
        if at in dropped:
            continue
        before_verb = k + 1 < len(said) and tree[said[k + 1][1]].tag in _VERBS
        if (word in _HINTS and before_verb and not forbids) or (
            tree[at].tag in ("RB", "UH") and word not in _KEPT_ADVERBS and not lexicon.names(word)
        ):
            dropped.add(at)
        elif word in _BARE_PARTICLES and k + 1 < len(said) and said[k + 1][0] in _LED_ON:
            if k and said[k - 1][0] not in ("is", "are", "be", "the"):
                dropped.add(at)
        else:
            dropped |= _beside(said, k, tree, lexicon)
    return tuple(s for s in said if s[1] not in dropped) or said


def _beside(
    said: _Said, start: int, tree: Sequence[ParsedWord], lexicon: Lexicon
) -> frozenset[int]:
    """The places of a phrase from a place on that only tells for whom, how or what for."""
    word, at = said[start]
    if word == "to" and start > 1 and tree[at].tag == "TO":
        rest = [w for w, _ in said[start:]]
        verb = tree[said[start + 1][1]].tag == "VB" if start + 1 < len(said) else False
        alone = not (may_limit(rest) or any(map(lexicon.says_something, rest)))
        before = said[start - 1][0]
        if verb and alone and (lexicon.names(before) or before in _OBJECTS):
            return frozenset(i for _, i in said[start:])
        return frozenset()
    if word not in _BESIDE or start == 0:
        return frozenset()
    end = start + 1
    while end < len(said) and tree[said[end][1]].tag in _WITHIN_PHRASE and end < start + 5:
        end += 1
        if tree[said[end - 1][1]].tag in ("NN", "NNS", "PRP", "NNP") and not (
            end < len(said) and tree[said[end][1]].tag in ("NN", "NNS")
        ):
            break
    inner = [w for w, _ in said[start + 1 : end]]
    if (
        not inner
        or may_limit(inner)
        or changes_others(inner)
        or any(map(lexicon.says_something, inner))
    ):
        return frozenset()
    for_somebody = word in ("for", "like", "during") and (
        inner[-1] in _FOR or tree[said[end - 1][1]].tag in ("NN", "NNS", "NNP")
    )
    if for_somebody or inner[-1] in _MANNERS:
        return frozenset(i for _, i in said[start:end])
    return frozenset()


_WITHIN_PHRASE = frozenset(
    {"DT", "PRP$", "PRP", "JJ", "JJR", "NN", "NNS", "NNP", "RB", "VBG", "POS"}
)


def _with_state(said: _Said) -> _Said:
    """ "If it is closed, keep it closed" for "... keep it that way"."""
    words = [w for w, _ in said]
    for way in (["that", "way"], ["like", "that"]):
        for at in range(len(words) - 1):
            if words[at : at + 2] == way and words[at - 2] in ("keep", "leave") and "," in words:
                state = words[words.index(",") - 1]
                return (*said[:at], (state, said[at][1]), ("", said[at + 1][1]), *said[at + 2 :])
    return said


def _in_order(said: _Said, first: bool) -> _Said:
    """A clause with its word of order at the beginning: "finally, the red one" for "... last"."""
    if len(said) < 3:
        return said
    last, at = said[-1]
    if said[-2][0] in ("the", "very", "at", "of") or not DENYING.isdisjoint(w for w, _ in said):
        return said  # "but not the white one first": of the order, or of what is forbidden
    if last == "first":
        return (("first" if first else "but", at), *(() if first else (("first", -1),)), *said[:-1])
    if last in _OPENED:
        return ((_OPENED[last], at), *said[:-1])
    return said


def _with_pronouns(said: _Said, told: str) -> _Said:
    """A clause with pronouns that the grammar has, or with what they can only stand for."""
    found: list[tuple[str, int]] = []
    replaced = False
    for word, at in said:
        of_place = word == "there" and bool(found) and found[-1][0] in _BEFORE_THERE
        if told and not replaced and (word in _STANDING_FOR or of_place):
            found += [(w, at) for w in told.split()]
            replaced = True
        else:
            found.append((_PERSONS.get(word, word), at))
    return tuple(found)


def _with_verbs(said: _Said, tree: Sequence[ParsedWord]) -> Iterator[_Said]:
    """A clause with a verb of the same class for its first one."""
    if any(word == "either" for word, _ in said):
        return
    for k, (word, at) in enumerate(said):
        if at < 0 or tree[at].tag not in _VERBS | {"NN", "NNP", "JJ"}:
            continue
        lemma = word if k == 0 or tree[at].tag not in _VERBS else tree[at].lemma
        classes = [c for c in verb_classes().classes if lemma in c.verbs]
        for kind in classes:
            if kind.needs in ("source", "receiver", "distance"):
                continue
            if kind.needs in ("object", "contact") and not _PLACING.isdisjoint(
                w for w, _ in said[k + 1 :]
            ):
                continue
            for verb in kind.say:
                yield (*said[:k], *((w, at) for w in verb.split()), *said[k + 1 :])
        if classes or tree[at].tag in _VERBS:
            return
