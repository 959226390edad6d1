"""Asides: clauses that tell something and ask for nothing: "my boss is coming round".

No grammar can list what people tell. A clause is taken for an aside where nothing in it could
order, allow, wish or forbid, and where it says nothing of the things of the task; after "because"
it may speak of these or of wishes, but not of both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sayso.language.inflection import gerund, participle, third
from sayso.language.limiting import LIMITING
from sayso.language.meaning import Thing
from sayso.language.nouns import SIZE_WORDS, Nouns
from sayso.language.rule_parts import Value
from sayso.logic.formula import COLORS, Referent

_SUBJECTS = frozenset({
    "i", "we", "he", "she", "they", "it", "there", "the", "my", "our", "his", "her", "their",
    "this", "that", "these", "those", "somebody", "someone", "both", "all", "everybody",
    "everyone", "people", "nobody",
})  # fmt: skip
_PRONOUNS = frozenset({"i", "we", "he", "she", "they", "it", "that", "this"})
"""Subjects after which the next word is the verb: "she bites"."""
_SO = frozenset({"so", "hence", "therefore"})
_FINITE = frozenset({
    "is", "are", "was", "were", "am", "has", "have", "had", "got", "can", "could", "will", "would",
    "did", "do", "does", "looks", "seems", "feels", "smells", "left", "broke", "made", "keeps",
    "came", "went", "comes", "saw", "spilt", "lost", "put", "gave", "told", "says", "said", "know",
})  # fmt: skip
"""What a clause has that states something, unlike "the red block on the plate"."""
_PERSONS = frozenset({"i", "we", "he", "she", "they", "somebody", "someone", "everybody", "nobody"})
_BEFORE_PAST = frozenset({"has", "have", "had", "just", "already", "also", "once", "recently"})
_PAST = frozenset({
    "left", "put", "gave", "took", "saw", "made", "broke", "bought", "spilt", "lost", "found",
    "got", "came", "went", "had", "ate", "drank", "forgot", "set", "gone", "seen", "taken",
    "given", "been",
})  # fmt: skip
"""What somebody did."""
_WISHED = frozenset({
    "needed", "wanted", "asked", "hoped", "wished", "preferred", "liked", "agreed", "decided",
    "promised", "expected", "planned", "ordered", "requested", "intended", "need", "allowed",
    "permitted", "supposed", "required", "started",
})  # fmt: skip
"""What somebody did with an order in mind."""
_PLACES = frozenset({"here", "there", "back", "away", "down", "out", "off", "over", "too", "all"})
_NEGATED = frozenset({
    "is", "are", "was", "were", "am", "did", "have", "has", "had", "does", "do", "can", "could",
    "will", "would",
})  # fmt: skip
"""After these "not" tells what is not so; without a subject it forbids."""
_OUGHT = frozenset({"is", "are", "was", "were", "be", "not", "has", "have", "had", "got"})
_COMING = frozenset({"is", "are", "be", "come", "comes", "go", "goes"})
_MAY_ORDER = frozenset({"", "and", "or", "but", "then", "please", "so", "to"})
_ORDERING = frozenset({
    "never", "no", "nor", "nothing", "none", "neither", "avoid", "avoided", "unless",
    "until", "till", "only", "then", "without", "except", "instead", "otherwise", "else", "always",
    "must", "should", "shall", "may", "might", "cannot", "ought", "need", "needs", "want", "wants",
    "wanted", "wish", "wishes", "like", "love", "prefer", "rather", "hope", "hoping", "expect",
    "insist", "please", "robot", "stay", "stays", "remain", "remains", "keep", "goes", "belong",
    "belongs", "ends", "end", "limits", "bounds", "forbidden", "taboo", "banned", "allowed",
    "prohibited", "reserved", "untouched", "alone", "careful", "supposed", "meant", "welcome",
    "safe", "happy", "glad", "either", "likewise", "if", "or", "twice", "thrice", "care", "matter",
    "matters", "destination", "destinations", "goal", "goals", "target", "targets", "stops",
})  # fmt: skip
"""Words with which a statement would order, allow, wish, forbid or leave open."""
MATTERS = LIMITING | frozenset({
    "again", "all", "another", "any", "away", "because", "belongs", "both", "but", "each",
    "either", "every", "expect", "first", "goes", "has", "hope", "hoping", "insist", "last",
    "like", "love", "may", "might", "need", "needs", "next", "one", "ones", "or", "other",
    "ought", "please", "prefer", "rather", "rest", "robot", "shall", "then", "want", "wants",
    "wish", "wishes",
})  # fmt: skip
"""Words that would say more than what is so."""
RETRACTING = frozenset({
    "joking", "kidding", "joke", "mistake", "mistaken", "wrong", "cancel", "cancelled", "canceled",
    "mind", "tomorrow", "asked", "impossible",
})  # fmt: skip
"""Words of who takes back or puts off what was said."""
NUMBERED = frozenset({
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "hundred", "thousand", "half", "dozen", "dozens", "pair", "couple", "double", "triple",
})  # fmt: skip
_TURNING_VERBS = (
    "abandon", "abort", "ban", "change", "complain", "contradict", "correct", "decline", "delay",
    "demand", "deny", "disagree", "disallow", "disapprove", "discourage", "dislike", "dismiss",
    "doubt", "drop", "forbid", "hate", "insist", "invert", "object", "oppose", "order", "overrule",
    "postpone", "prevent", "prohibit", "propose", "protest", "refuse", "regret", "reject",
    "renounce", "replace", "request", "require", "resist", "retract", "reverse", "revoke",
    "scrap", "suggest", "suspend", "undo", "veto", "warn", "withdraw",
)  # fmt: skip
TURNING = RETRACTING | NUMBERED | frozenset(
    form for verb in _TURNING_VERBS for form in (verb, third(verb), participle(verb), gerund(verb))
) | {
    "banned", "banning", "dropped", "forbade", "forbidden", "forgot", "lie", "lied", "lies",
    "lying", "meant", "misspoke", "overridden", "overrode", "regretted", "reconsidered", "said",
    "says", "scrapped", "scrapping", "stopped", "tell", "tells", "told", "vetoed", "withdrawn",
    "withdrew", "wrote", "writes", "written", "prefers", "preferred", "error", "wait", "backward",
    "backwards", "clockwise", "anticlockwise", "counterclockwise", "forwards", "sideways",
    "left", "right", "opposite", "contrary", "upside", "reverse", "thoughts", "plan", "plans",
    "off",
}  # fmt: skip
"""Words with which a clause may take back, count, direct or report what is to be done: in one
that is set aside they are never passed over."""
_EXCEPTING = frozenset(
    form
    for verb in (
        "bar",
        "except",
        "exclude",
        "exempt",
        "mark",
        "omit",
        "reserve",
        "save",
        "skip",
        "spare",
    )
    for form in (verb, third(verb), participle(verb), gerund(verb))
)
"""What somebody did who leaves a thing out of what is to be done."""
_ASIDE = frozenset({"apart", "aside", "away", "back", "later", "out"})
"""With these other verbs leave a thing out, too: "took it out", "left it for later"."""
_WHERE = frozenset({"of", "in", "on", "into", "onto", "to", "from", "at"})
"""After these it is told where a thing went: "took it out of the drawer"."""
_SAYING_WHICH = frozenset({"it", "them", "that", "those", "one", "ones", "some", "others"})
_SAME_FORM = frozenset({"put", "set", "shut", "cut", "hit", "let"})
"""Verbs of which an order and what somebody did are the same word."""
_BEFORE_VERB = _BEFORE_PAST | {"then", "later", "afterwards", "finally"}
_WISHING = frozenset({"want", "wants", "wanted", "need", "needs", "like", "love", "hoping"})
_HAVING = frozenset({"have", "see", "get", "be", "end", "find", "go", "you"})
"""What somebody wants "to have" or "to see" is an order; what one wants to do is none."""
_VAGUE = frozenset({
    "tidy", "clean", "build", "make", "prepare", "arrange", "rearrange", "organize", "sort", "set",
    "lay", "straighten", "get",
})  # fmt: skip
_WORKPLACES = frozenset({
    "table", "workspace", "bench", "desk", "room", "flat", "apartment", "house", "place", "kitchen",
})  # fmt: skip
_MOST_VAGUE = 8
_LEADING = frozenset({"and", "but", "so", "because", "cause", "since", "as", "for", "though"})
_COURTEOUS = frozenset({"would", "could", "can", "will", "please", "like", "might"})
_OF_COURTESY = frozenset({
    "be", "so", "as", "kind", "very", "good", "nice", "enough", "not", "mind", "have", "spare",
    "find", "get", "a", "an", "the", "moment", "minute", "second", "time", "chance", "please", "to",
    "for", "me", "it", "that", "manage", "just", "dear",
})  # fmt: skip
"""Nothing else is said in a condition that is mere courtesy: "if you would be so kind"."""
_COURTESY = frozenset({
    "thank", "thanks", "cheers", "dear", "ever", "much", "very", "sorry", "you", "so", "kind", "of",
    "my", "old", "there", "now", "sweetheart", "honey", "darling",
})  # fmt: skip
_EXPLAINS = frozenset({"by", "that", "meaning", "namely"})
_ASIDE_BEFORE_YOU = frozenset({"for", "to", "with", "from", "thank"})
_OWN_DOING = frozenset(
    {"to", "i", "we", "they", "he", "she", "who", "can", "could", "will", "would"}
)
"""After these a verb is no order, and a noun is a verb."""
_DOERS = frozenset({"they", "he", "she"})
_ARTICLES = frozenset(
    {"a", "an", "the", "my", "our", "his", "her", "their", "some", "this", "that"}
)
_IN_HEADINGS = frozenset({
    "a", "the", "my", "our", "your", "one", "for", "of", "to", "in", "before", "after", "today",
    "tonight", "now", "this", "here", "is", "and", "quick", "next", "last", "new", "whole",
    "short", "more", "i", "we", "you", "me", "us", "need", "want", "would", "like", "will",
    "have", "has", "are", "am", "do", "be", "can", "could", "please", "out", "up", "with",
    "some", "what", "he", "she", "they",
})  # fmt: skip
_HEADED = frozenset({
    "request", "order", "orders", "task", "tasks", "plan", "list", "job", "jobs", "idea", "things",
    "steps", "instructions", "thing", "favor", "favour", "situation", "two", "three", "four",
})  # fmt: skip
_RELATING = frozenset({"for", "of", "to", "in", "before", "after", "with", "and", "up", "out"})
_TIME_UNITS = frozenset({"minutes", "hours", "days", "weeks", "months", "years", "o'clock"})
_MOMENTS = frozenset({"minute", "moment", "second", "later", "soon", "today", "tonight", "again"})
_NEEDING = frozenset({"will", "am", "are", "going", "to", "still", "also", "might", "may"})
_DEFERRING = frozenset({
    "tomorrow", "yesterday", "week", "weekend", "month", "year", "minute", "minutes", "hour",
    "hours", "second", "seconds", "monday", "tuesday", "wednesday", "thursday", "friday",
    "saturday", "sunday", "noon", "midnight", "case", "emergency", "emergencies", "event",
})  # fmt: skip
"""With these a heading would tell when something is to be done, which is not now."""
_BEARING = (
    _MAY_ORDER | _ORDERING | _DEFERRING | TURNING
)  # fmt: skip
"""With any of these, what is told may be said of the task."""
_LASTING = frozenset({"be", "stay", "remain", "wait", "keep", "leave"})
_NO_ORDER_AFTER = _PRONOUNS | _NEGATED | {
    "you", "who", "which", "to", "not", "and", "or", "must", "should", "may", "might", "people",
}  # fmt: skip
"""After these a verb tells what somebody does, or does not."""
_STATING = frozenset({"is", "are", "was", "were", "am", "has", "have", "had", "looks", "seems"})
_STATED = frozenset({
    "is", "are", "was", "were", "has", "have", "had", "does", "do", "did", "belongs", "belong",
    "looks", "seems", "smells", "feels", "likes", "hates", "can", "could",
})  # fmt: skip
_LIKED = frozenset({"like", "likes", "love", "loves"})
_BEARING_ON = frozenset({
    "before", "after", "once", "when", "whenever", "while", "until", "till", "unless", "if",
    "first", "last", "afterwards", "finally", "end", "later", "eventually", "at", "so", "because",
    "will",
})  # fmt: skip
"""With these a description could say when, or for how long, something is to be so."""
_ABLE = frozenset({"can", "could", "will", "may"})
_APART = frozenset({"and", "or", "but", "if", "when", "once", "while", "that", "unless", "until"})
_CONCEDED = frozenset({"it", "they", "that", "this"})
_MAY_BE = frozenset({
    "may", "might", "is", "are", "be", "looks", "look", "seems", "seem", "sounds", "sound",
    "feels", "feel",
})  # fmt: skip
"""What makes no difference "may be", "looks" or "seems" so."""
_OF_NUMBER = frozenset({"many", "much", "often", "few", "little", "far", "long", "close", "near"})
_MOST_CONCEDED = 7
DEED = "deed"
"""What somebody did with the thing that is told beside it."""
NAMING = "naming"
"""A reason that names things, of which what is said next may be."""
_MOST_IN_HEADING = 20
_JOINS = frozenset({"and", "but", "or"})
_ENDS = (",", ":", "")


@dataclass(frozen=True)
class Asides:
    """Finds clauses that ask for nothing.

    Attributes:
        nouns: which words name things.
        verbs: words that an order may begin with.
        states: words that tell how a thing of the task is, such as "open".
    """

    nouns: Nouns
    verbs: frozenset[str]
    states: frozenset[str]

    def report(self, words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
        """What somebody does, or what a thing is like, up to the next comma: no words that could
        order, forbid or name anything."""
        end = at
        while words[end] not in _ENDS:
            if self._matters(words[end - 1], words[end]):
                return
            if words[end] == "so" and end > at:
                yield end, "report"
            end += 1
        if end > at:
            yield end, "report"

    def own_aim(self, words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
        """What somebody does something for, as a report; not what the robot is to do besides."""
        if words[at] not in self.verbs and words[at] not in _LASTING:
            yield from self.report(words, at)

    def premise(self, words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
        """A clause that tells why something is wanted: ", so" follows. What is so may be told of
        things; the value is the only one that is described in full, if there is one."""
        plain = self.nouns.open(words[at]) and words[at + 1] in ("are", "were", "have")
        plain &= not self.nouns.is_known(words[at])  # "guests are coming"
        if words[at] not in _SUBJECTS and not words[at].endswith("'s") and not plain:
            return
        states = False
        for end in range(at, len(words)):
            before_so = words[end] in _SO or (words[end] == "," and words[end + 1] in _SO)
            told = states and not self._excepts(words, at, end)
            if before_so and told and not is_ellipsis(words[at:end]):
                yield end, self._told(words, at, end)
            if words[end] == ",":
                return
            if words[end] in _ENDS or self._orders(words, at, end):
                return
            states |= _tells(words, at, end) or self._acts(words, at, at, end)

    def statement(self, words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
        """What is so or what somebody does, up to the next comma; of the things of the task it
        may only name one that it is about, which is the value then."""
        named = self.nouns.open(words[at]) and words[at + 1] in _FINITE
        if words[at] not in _SUBJECTS and not named and not words[at].endswith("'s"):
            return
        head, past = self._head(words, at), self._tells_past(words, at)
        states = False
        for end in range(at, len(words)):
            told = words[end] in (*_ENDS, "and", "but") and not self._excepts(words, at, end)
            if states and told and not is_ellipsis(words[at:end]):
                yield end, self._stated(words, at, head, end)
            if words[end] in _ENDS:
                return
            names = self._says(words, at, end) and not past
            if end >= head and (self._orders(words, at, end) or names):
                return
            states |= end >= head and (_tells(words, at, end) or self._acts(words, at, head, end))

    def reason(self, words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
        """A clause that tells why, up to the next comma: what is so, or what is wanted where
        that names nothing of the task."""
        wishes = names = False
        needs = self._needs(words, at)
        for end in range(at, len(words)):
            tells = not (wishes and names) and not self._excepts(words, at, end)
            if words[end] in (*_ENDS, *_SO) and end > at and tells:
                yield end, self._naming(words, at, end) if names else "reason"
            if words[end] in _ENDS:
                return
            if self._begins_order(words, at, end) or words[end] in RETRACTING:
                return
            wishes |= end not in needs and self._wishes(words, at, end)
            names |= self._says(words, at, end)

    def describing(self, words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
        """What a thing is like that was named before ", which": "| does not like the noise", "| I
        have not finished yet"; nothing that could order or limit, and no other thing."""
        end = next(i for i in range(at, len(words)) if words[i] in _ENDS)
        told = words[at] in _PERSONS and end > at + 1
        if words[at] not in _STATED and not told:
            return
        said = words[at:end]
        if "would" in said or not _BEARING_ON.isdisjoint(said) or not TURNING.isdisjoint(said):
            return
        for here in range(at, end):
            word, before = words[here], words[here - 1]
            likes = word in _LIKED and (before == "not" or here == at or before in _PERSONS)
            owned = word in ("belongs", "belong", "belonged") and words[here + 1] == "to"
            if not (likes or owned) and self._wishes(words, at, here):
                return
            if self._says(words, at, here):
                return
        yield end, "description"

    def since(self, words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
        """A reason after "as": what is or has been so of something that is named, not what is
        happening meanwhile."""
        wishes = words[at] in _PERSONS and words[at + 1] in _WISHING
        if words[at] in _ARTICLES or words[at].endswith("'s") or wishes:
            for end, value in self.reason(words, at):
                stated = wishes or not _STATING.isdisjoint(words[at:end])
                if stated and "you" not in words[at:end]:
                    yield end, value

    def _needs(self, words: Sequence[str], at: int) -> range:
        """The words with which somebody says that a thing is needed, though not where: "I will need
        the tray in a minute"."""
        verb = next(
            (i for i in range(at + 1, min(at + 5, len(words) - 4)) if words[i] == "need"), 0
        )
        plain = words[at] in ("i", "we") and all(w in _NEEDING for w in words[at + 1 : verb])
        head = verb + 1 + (words[verb + 1] in _ARTICLES) if verb and plain else 0
        while head and (words[head] in COLORS or words[head] in SIZE_WORDS):
            head += 1
        if not head or not self.nouns.is_known(words[head]):
            return range(0)
        after = words[head + 1]
        timed = after in ("in", "for") and words[head + 2] in (*_ARTICLES, *NUMBERED)
        timed &= words[head + 3] in {*_TIME_UNITS, *_MOMENTS} or after == "for"
        soon = after in _MOMENTS and words[head + 2] in _ENDS
        return range(at, head + 1) if after in _ENDS or timed or soon else range(0)

    def _naming(self, words: Sequence[str], at: int, end: int) -> Value:
        """What a reason is about, if it begins with the only thing that it names."""
        told = self._told(words, at, end)
        begins = isinstance(told, Thing) and words[at] == "the"
        return told if begins and self._head(words, at) > at else NAMING

    def vague_order(self, words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
        """An order that only what follows explains: "tidy up a bit, by which I mean"."""
        if words[at] in _VAGUE:
            for end, value in self.report(words, at + 1):
                if words[end] == ":" or (words[end] == "," and words[end + 1] in _EXPLAINS):
                    yield end, value
            end = next(i for i in range(at, len(words)) if words[i] in _ENDS)
            if words[end] == ":" and end - at <= _MOST_VAGUE and self._is_vague(words, at + 1, end):
                yield end, "report"

    def _is_vague(self, words: Sequence[str], at: int, end: int) -> bool:
        """Whether words of an order that is explained behind it say no more than that: "the table
        for two", "up a little"."""
        for here in range(at, end):
            word, before = words[here], words[here - 1]
            number = word in NUMBERED and before == "for"
            place = word in _WORKPLACES and before in _ARTICLES
            if number or place or (before, word) == ("a", "little"):
                continue
            if self._matters(before, word):
                return False
        return True

    def heading(self, words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
        """What stands before a colon and names nothing: "quick one before lunch:"."""
        if words[at] in _RELATING:
            return
        names = False
        for end in range(at, min(at + _MOST_IN_HEADING, len(words))):
            if words[end] == ":" and names:
                yield end, "heading"
            names |= self.nouns.open(words[end]) or words[end] in _HEADED
            plain = self.nouns.open(words[end]) or words[end] in _IN_HEADINGS | _HEADED
            late = words[end] in _DEFERRING or words[end].endswith("ly") or _turns(words[end])
            if not plain or late or words[end] in self.verbs or self._says(words, at, end):
                return

    def trail(self, words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
        """All words up to the next comma, if they neither order anything nor name what is there:
        "which it was | when I last looked"."""
        end = at
        if words[at] == "to":
            return  # "which has | to be washed"
        while words[end] not in _ENDS:
            if self._orders(words, at, end) or self._says(words, at, end):
                return
            end += 1
        if end > at:
            yield end, "trail"

    def concession(self, words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
        """How something is that makes no difference, up to the next comma: "however | tempting it
        may look"; not how often or how many."""
        end = next(i for i in range(at, len(words)) if words[i] in _ENDS)
        said = words[at:end]
        about = [i for i, w in enumerate(said) if w in _CONCEDED]
        if not 3 <= len(said) <= _MOST_CONCEDED or len(about) != 1 or about[0] > 3:
            return
        verbs = said[about[0] + 1 :]
        if not verbs or verbs[0] not in _MAY_BE or not _OF_NUMBER.isdisjoint(said):
            return
        plain = [w for w in said if w not in _MAY_BE | _CONCEDED]
        if not any(self._orders(("", *plain, ""), 1, i + 1) for i in range(len(plain))):
            names = any(map(self.nouns.is_known, plain)) or not self.states.isdisjoint(plain)
            if not names:
                yield end, "concession"

    def aim(self, words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
        """What something is good for, up to the next comma, where it names nothing of the task:
        "so that nobody knocks it over"."""
        if words[at] not in _SUBJECTS:
            return
        acts = words[at] in ("i", "we") and words[at + 1] in _ABLE
        for end in range(at, len(words)):
            if words[end] in _ENDS:
                if end > at + 1:
                    yield end, "aim"
                return
            if acts and words[end] == "you" and end > at + 2 and words[end - 1] not in _APART:
                continue  # "so that I can plug you in"
            may = words[end] == "may" and words[end - 1] in _PRONOUNS
            if not may and (self._orders(words, at, end) or self._says(words, at, end)):
                return

    def asks_nothing(self, words: Sequence[str]) -> bool:
        """Whether words without marks are certainly no part of a task: what is so, told with a
        subject and a verb of its own, an address, or a condition of courtesy."""
        start = next((i for i, w in enumerate(words) if w not in _LEADING), len(words))
        said = words[start:]
        clause = (*said, "", "")
        if clause[:2] == ("if", "you") and clause[2] in _COURTEOUS:
            return _OF_COURTESY.issuperset(said[3:])
        if _COURTESY.issuperset(said):
            return True
        if any(map(self._matters, ("", *said), said)) or not _BEARING.isdisjoint(said):
            return False
        if is_ellipsis(said):
            return False
        if clause[0] == "my" and len(said) == 2:
            return self.nouns.open(said[1])
        subject = clause[0] in _SUBJECTS or (self.nouns.open(clause[0]) and clause[1] in _FINITE)
        return subject and any(_tells(clause, 0, i) for i in range(1, len(said)))

    def _stated(self, words: Sequence[str], at: int, head: int, end: int) -> Value:
        """What a statement is about; "" where it can have named nothing."""
        if head > at:
            return self._told(words, at, end)
        told = self._told(words, at, end) if self._tells_past(words, at) else None
        if isinstance(told, Thing):
            return DEED, told
        names = any(w in _ARTICLES for w in words[at:end])
        return "statement" if names or words[at] not in _PRONOUNS else ""

    def told_of(self, words: Sequence[str]) -> Iterable[Referent]:
        """The things that a clause tells of by name, but no whole kind: "the red block is mine";
        of what somebody did, too, "I washed a block"."""
        start = next((i for i, w in enumerate(words) if w not in _LEADING), len(words))
        clause = (*words[start:], "", "", "", "")
        past = self._tells_past(clause, 0)
        for here, word in enumerate(clause):
            begin = self._begin(clause, 0, here)
            owned = begin > 0 and self._has_owner(clause[begin - 1])
            named = self._is_named(clause, here) or (owned and self.nouns.open(word))
            single = begin < here or word not in self.nouns.singular
            if named and single and (past or owned):
                said = {SIZE_WORDS.get(w, w) for w in clause[begin:here]}
                yield Referent(self.nouns.singular.get(word, word), tuple(sorted(said)))

    def told_on(self, words: Sequence[str]) -> int | None:
        """Where what somebody did may go on, or an order begin: "I took it and | put it there"."""
        clause, past = (*words, "", "", "", ""), False
        for here, word in enumerate(words):
            word_before = clause[here - 1] if here else ""
            which = word_before == "that" and here > 1 and self.nouns.is_known(clause[here - 2])
            new = (
                here == 0
                or word_before in {*_ENDS, *_LEADING}
                or (word_before == "that" and not which)
            )
            past = past and word not in (":", *_SO) and (word != "," or clause[here + 1] in _JOINS)
            past |= new and self._tells_past(clause, here)
            verb = here + 1
            while clause[verb] in _BEFORE_VERB:
                verb += 1
            if past and word in _JOINS and clause[verb] in _SAME_FORM & self.verbs:
                return verb
        return None

    def _excepts(self, words: Sequence[str], at: int, end: int) -> bool:
        """Whether what is told may leave a thing out: "I skipped the red one"."""
        said = words[at:end]
        if not any(w in COLORS or w in _SAYING_WHICH or self.nouns.is_known(w) for w in said):
            return False
        past = self._tells_past(words, at)
        apart = any(words[i] in _ASIDE and words[i + 1] not in _WHERE for i in range(at, end))
        return (past and apart) or not _EXCEPTING.isdisjoint(said)

    def _tells_past(self, words: Sequence[str], at: int) -> bool:
        """Whether somebody tells what somebody did, which may be with the task's things."""
        owned = words[at] in ("my", "our", "his", "her") and self.nouns.open(words[at + 1])
        if words[at] not in _PERSONS and not owned:
            return False
        verb = at + 1 + owned
        while words[verb] in _BEFORE_PAST:
            verb += 1
        regular = words[verb].endswith("ed") and words[verb] not in _WISHED
        return words[verb] in _PAST or regular

    def _acts(self, words: Sequence[str], at: int, head: int, here: int) -> bool:
        """Whether a word tells what a thing does: "the drawer sticks", "the film starts"."""
        word = words[here]
        does = word.endswith("s") and self.nouns.open(word)
        other = here == at + 2 and words[at] in _ARTICLES and self.nouns.open(words[at + 1])
        return does and (here == head > at or (other and not self.nouns.is_known(words[at + 1])))

    def _head(self, words: Sequence[str], at: int) -> int:
        """Where the rest of a clause begins that is about a thing: "the plant | is wet"."""
        end = at + 1
        while words[end] in COLORS or words[end] in SIZE_WORDS:
            end += 1
        of_things = words[at] in ("the", "my", "our", "this", "that") or words[at].endswith("'s")
        if not of_things or not self.nouns.is_known(words[end]):
            return at
        there = tuple(words[end + 1 : end + 3]) in (("over", "there"), ("right", "here"))
        return end + 3 if there else end + 1

    def _orders(self, words: Sequence[str], at: int, here: int) -> bool:
        """Whether a word of a statement could order, allow, wish, forbid, count or take back."""
        counts = words[here] in NUMBERED and words[here - 1] == "the"
        if counts and here > at and self.nouns.is_known(words[here + 1]):
            return False  # "the three blocks are in the way"
        before = words[here - 1] if here > at else ""
        if words[here] in NUMBERED and (before == "at" or words[here + 1] in _TIME_UNITS):
            return False  # "the film starts at eight"
        return _turns(words[here], before) or self._wishes(words, at, here)

    def _wishes(self, words: Sequence[str], at: int, here: int) -> bool:
        """Whether a word of a statement could order, allow, wish or forbid."""
        word, before = words[here], words[here - 1] if here > at else ""
        if word == "you":
            return before not in _ASIDE_BEFORE_YOU
        if word == "taken":
            return before in ("is", "are") and words[here + 1] in _ENDS  # by somebody else
        if word == "have" and tuple(words[max(0, here - 2) : here]) == ("will", "not"):
            return True  # "I won't have anything moved"
        if word == "too":
            return words[here + 1] in _ENDS  # "the mug is, too": what was said of another
        if word == "no" and words[at] == "there":
            return False
        if word == "not":
            return before not in _NEGATED
        if word in _WISHING:
            other = words[at] in ("my", "our", "he", "she", "they")
            doing = words[here + 1] == "to" and (other or words[here + 2] not in _HAVING)
            return not (doing or (before == "not" and words[here + 1] == "being"))
        if word == "to":
            own = words[at] in ("i", "we") and before in ("have", "had") and here == at + 2
            return before in _OUGHT and not (own and words[here + 1] not in _HAVING)
        if word in ("first", "second", "next", "last"):
            return before in _COMING  # "the mug comes last", unlike "last week"
        return word in _ORDERING or self._begins_order(words, at, here)

    def _begins_order(self, words: Sequence[str], at: int, here: int) -> bool:
        """Whether an order may begin with a word: "it is dark and put ...", "... and wash it"."""
        word, before = words[here], words[here - 1] if here > at else ""
        if word in ("never", "please", "then") or self._runs_on(words, at, here):
            return True
        if before not in _JOINS or word in _SUBJECTS or word in _FINITE:
            return before in _MAY_ORDER - {"to"} and word in self.verbs
        known = word in self.verbs or word in ("make", "keep", "avoid", "do", "you", "leave")
        return known or (self.nouns.open(word) and words[here + 1] in _OBJECTS)

    def _runs_on(self, words: Sequence[str], at: int, here: int) -> bool:
        """Whether an order may follow without a mark: "since it is chipped do not touch it"."""
        if here == at or words[here - 1] in _NO_ORDER_AFTER:
            return False
        word, following = words[here], [*words[here + 1 : here + 3], ""]
        if word == "do" and following[0] == "not":
            return following[1] in self.verbs
        if word not in self.verbs or following[0] not in _OBJECTS:
            return False
        if word in _SAME_FORM:
            return not _STATING.isdisjoint(words[at:here])
        return not words[here - 1].endswith("s")

    def _says(self, words: Sequence[str], at: int, here: int) -> bool:
        """Whether a word says something of the task's things."""
        word, before = words[here], words[here - 1] if here > at else ""
        if word in COLORS or word in SIZE_WORDS or word in self.states:
            return (before, word) != ("a", "little")
        if word in ("on", "off", "in", "out") and words[here + 1] in _ENDS:
            return before in ("is", "are", "it", "them", "be")
        return self._is_thing(before, word)

    def _is_thing(self, before: str, word: str) -> bool:
        """Whether a noun names a thing; after "he" it does, too: "and he mug" is a slip."""
        slip = before in _DOERS and word not in _FINITE and not word.endswith("s")
        return self.nouns.is_known(word) and (slip or before not in _OWN_DOING)

    def _told(self, words: Sequence[str], at: int, end: int) -> Value:
        named = [i for i in range(at, end) if self._is_named(words, i)]
        if len(named) != 1:
            return "premise"
        start = self._begin(words, at, named[0])
        counted = start > at and words[start - 1] in NUMBERED
        if start - counted == at or not self._has_owner(words[start - 1 - counted]):
            return "premise"
        sizes = (SIZE_WORDS.get(w, w) for w in words[start : named[0]])
        one = self.nouns.singular.get(words[named[0]])
        return Thing("the", tuple(sorted(set(sizes))), one or words[named[0]], one is not None)

    def _begin(self, words: Sequence[str], at: int, noun: int) -> int:
        """Where the colours and sizes before a noun begin."""
        while noun > at and words[noun - 1] in COLORS | SIZE_WORDS.keys():
            noun -= 1
        return noun

    def _has_owner(self, word: str) -> bool:
        return word in ("the", "my", "our", "that", "this") or word.endswith("'s")

    def _is_named(self, words: Sequence[str], here: int) -> bool:
        return self._is_thing(words[here - 1], words[here])

    def _matters(self, before: str, word: str) -> bool:
        if word == "you":
            return before not in _ASIDE_BEFORE_YOU
        if (before, word) in (("is", "to"), ("are", "to")):
            return True  # "which is to be washed"
        if word in MATTERS or _turns(word, before) or word in COLORS or word in SIZE_WORDS:
            return True
        return (word in self.verbs and before not in _OWN_DOING) or self._is_thing(before, word)


_OBJECTS = frozenset({"it", "them", "the", "my", "a", "an", "all", "every", "each", "both"})
"""After "and" and a word, these make an order of it."""


_LIKEWISE = frozenset({"too", "also", "as", "well", "either", "not", "so"})
_STANDING_IN = frozenset({"is", "are", "was", "were", "am", "do", "does", "did"})
"""At the end of a clause these stand for all that was said before of another thing."""
_LEAVING = frozenset({
    "has", "have", "had", "i", "we", "he", "she", "they", "just", "somebody", "someone", "is",
})  # fmt: skip
"""After these "left" tells what somebody did, or what remains; "he says left" is a direction."""


def turn(words: Sequence[str]) -> bool:
    """Whether a clause may turn, count or direct what is to be done."""
    return any(map(_turns, words, ("", *words)))


def _turns(word: str, before: str = "") -> bool:
    """Whether what is told with a word may be said of the task: it turns, counts or directs it."""
    if word == "left" and before in _LEAVING:
        return False
    taken = word == "back" and before in ("it", "that", "this", "everything")
    owed = word == "better" and before == "had"
    return taken or owed or word in TURNING or word.isdecimal()


def is_ellipsis(words: Sequence[str]) -> bool:
    """Whether a clause leaves out what it says of its subject, which was said of another thing:
    "the plate is, too", "the bowl did"."""
    said = ["", *(w for w in words if w not in _LIKEWISE)]
    return said[-1] in _STANDING_IN and said[-2] not in _PRONOUNS


def _tells(words: Sequence[str], at: int, here: int) -> bool:
    """Whether a word makes a clause of the words: its verb."""
    word = words[here]
    if word in _FINITE or (len(word) > 3 and word.endswith("ed")):
        return True
    told = here == at + 1 and words[at] in _PRONOUNS
    return told and len(word) > 2 and word not in _PLACES
