"""Words with their places in the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sayso.core.errors import Code, SaySoError, Span
from sayso.language.listing import points
from sayso.language.nouns import SIZE_WORDS
from sayso.logic.formula import COLORS

MAX_CHARACTERS = 4000
_PIECES = re.compile(
    r"(?P<number>_\d+(?![a-z]))|(?P<that_is>\b[ie]\.[eg]\.,?)|(?P<amount>\d+\.\d+)"
    r"|(?P<clipped>(?<!\w)['\u2019](?:em|cause|till?)\b)"
    r"|(?P<dash>[\u2013\u2014]|(?<=\s)-(?=\s))|(?P<and>&)"
    r"|(?P<word>\d*[^\W\d_]+(?:['\u2019][^\W\d_]+|\d+)?|\d+)"
    r"|(?P<mark>[.,;:!?()])|(?P<skip>(?:[\s_\"\u201c\u201d]|-(?!\s)|(?<!\s)-)+)",
    re.IGNORECASE,
)
_SAID_AS = {"that_is": ",", "dash": ",", "and": "and"}
"""Pieces that are read as other ones."""
_ASCII = re.compile(r"[a-z0-9']+")
_CONTRACTIONS = {
    "can't": "can not", "cannot": "can not", "couldn't": "could not", "don't": "do not",
    "doesn't": "does not", "didn't": "did not", "hasn't": "has not", "haven't": "have not",
    "hadn't": "had not", "isn't": "is not", "aren't": "are not", "wasn't": "was not",
    "mustn't": "must not", "shouldn't": "should not", "won't": "will not", "wouldn't": "would not",
    "it's": "it is", "that's": "that is", "there's": "there is", "what's": "what is",
    "where's": "where is", "they're": "they are", "you're": "you are", "you've": "you have",
    "you'd": "you would", "i'm": "i am", "i'll": "i will", "i've": "i have", "i'd": "i would",
    "let's": "let us", "we'd": "we would", "we'll": "we will", "we're": "we are",
    "we've": "we have", "you'll": "you will", "they'll": "they will", "here's": "here is",
    "who's": "who is", "one's": "one is", "it'd": "it would", "that'd": "that would",
    "that'll": "that will", "what'd": "what would", "he's": "he is", "she's": "she is",
    "it'll": "it will", "he'll": "he will", "she'll": "she will", "he'd": "he would",
    "she'd": "she would", "they'd": "they would", "they've": "they have", "weren't": "were not",
    "there'll": "there will", "there'd": "there would", "somebody's": "somebody is",
    "someone's": "someone is", "everything's": "everything is", "something's": "something is",
    "nothing's": "nothing is", "nobody's": "nobody is", "everybody's": "everybody is",
    "everyone's": "everyone is", "needn't": "need not",
}  # fmt: skip
_OTHER_WORDS = (
    "i'll",
    "i'd",
    "it's",
    "let's",
    "where's",
    "we'd",
    "we'll",
    "we're",
    "one's",
    "he'll",
    "she'll",
    "she'd",
    "he's",
)
"""Without their apostrophes these are other words, or names of things."""
_SPELLINGS = {
    "gray": "grey", "colour": "color", "colours": "colors", "pls": "please",
    "plz": "please", "thx": "thanks",
    "wanna": "want to", "u": "you", "ur": "your", "tho": "though", "gonna": "going to",
    "gotta": "have to", "lemme": "let me",
    "gimme": "give me", "cuz": "because", "coz": "because", "cos": "because", "ya": "you",
    "'em": "them", "'cause": "because", "'til": "until", "'till": "until",
    "teh": "the", "hte": "the", "untill": "until",
    **{w.replace("'", ""): long for w, long in _CONTRACTIONS.items() if w not in _OTHER_WORDS},
}  # fmt: skip
_PHRASES = {
    "with nothing in your hand": "while your hand is empty",
    "with empty hands": "while your hand is empty", "empty handed": "while your hand is empty",
    "with an empty hand": "while your hand is empty", "subsequent to": "after", "wide open": "open",
    "with the exception of": "except", "up onto": "onto", "up into": "into",
    "down onto": "onto", "down into": "into", "do want": "want", "do need": "need",
    "finish up": "end up", "finishes up": "ends up", "wind up": "end up", "winds up": "ends up",
    "wound up": "ended up", "the instant": "when",
    "near of": "near", "near to": "near", "above of": "above",
    "you have got the": "you have the", "you have got it": "you have it",
    "you have got a": "you have a", "you have got hold of": "you have",
    "is been": "has been", "is got": "has got", "every bit as": "as",
    **{f"{has} only just": f"{has} just" for has in ("have", "has", "had", "is", "was", "i", "we")},
    **{f"{verb} {it} down {where}": f"put {it} {where}"
       for verb in ("set", "put", "lay") for it in ("it", "them", "that", "this")
       for where in ("on", "in", "at", "by")},
    **dict.fromkeys(
        ("have a look at", "have a quick look at", "take a look at", "take a quick look at",
         "look in on", "check on", "check up on"), "visit"),
    "lay a finger on": "touch", "lay a hand on": "touch", "laying a finger on": "touching",
    "brushing against": "touching", "brush against": "touch",
    "without so much as": "without ever", "go round all": "visit all",
    "go around all": "visit all", "do not so much as": "never",
    "does go": "goes", "does belong": "belongs", "over onto": "onto", "over next to": "next to",
    "down on there": "on there", "down on the": "on the", "down on it": "on it",
    **{f"cause {w}": f"because {w}" for w in (
        "it", "i", "he", "she", "they", "we", "the", "my", "there")},
}  # fmt: skip
"""Words that say together what another one says, in the words of the grammar."""
_LONGEST_PHRASE = max(len(p.split()) for p in _PHRASES)
_ELSE = (
    ("otherwise",), ("else",),
    *((*case, mark) for mark in (",", "then")
      for case in (("if", "not"), ("if", "it", "is", "not"), ("if", "they", "are", "not"),
                   ("if", "it", "is"))),
)  # fmt: skip
"""How what is to be done in the other case may begin; it belongs to the sentence before it."""
_SO = (("then",), ("if", "so"), ("if", "not"), ("if", "yes"), ("if", "no"), ("in", "that", "case"))
"""How what depends on the answer to a question begins: "is it open? Then close it"."""
_ASKING = frozenset({"is", "are"})
STOPS = (".", "!", "?", ";")
_AFTER_IS = frozenset({
    "in", "on", "at", "inside", "under", "behind", "beside", "near", "next", "by", "a", "an", "the",
    "open", "closed", "shut", "empty", "free", "full", "clear", "not", "still", "already", "gone",
    "there", "off", "asleep", "mine", "too", "so", "very", "really", "closer", "nearest", "closest",
    "sitting", "standing", "lying", "left", "done", "taken", "occupied", "out", "up", "dirty",
    "loose", "cracked", "chipped", "jammed", "stuck", "fragile", "nervous", "busy", "hungry",
    "tired",
    "wobbly", "burning", "lit", "wide", "wet", "hot", "cold", "broken", "freshly",
    "over", "again", "for",
})  # fmt: skip
"""After these "'s" of a noun is "is", not whose something is."""
_QUALIFYING = frozenset({
    "loose", "cracked", "chipped", "jammed", "stuck", "fragile", "nervous", "busy", "hungry",
    "tired",
    "hot", "cold", "wet", "broken", "dirty", "wobbly", "burning", "lit", "freshly", "very",
    "really",
})  # fmt: skip
"""Of `_AFTER_IS`, what may stand before a noun: "Anna's broken mug"."""
_NO_NOUN = frozenset({
    "and", "or", "but", "so", "then", "now", "again", "already", "still", "too", "because", "since",
    "as", "for", "if", "when", "while", "until", "before", "after", "enough", "in", "on", "at",
    "from", "inside", "to", "with", "the", "a", "my", "it", "you", "i", "today", "here", "there",
    "up", "down", "",
})  # fmt: skip
"""After these and before marks, what qualifies stands at the end: "the mug's broken, so"."""
_AFTER_HAS = frozenset({"got", "been", "had"})
_SHORTEST_DOING = 4


@dataclass(frozen=True)
class Token:
    """A lower-case word or a mark, at `text[start:end]`; "#2" is the number of a name."""

    text: str
    start: int
    end: int

    @property
    def is_mark(self) -> bool:
        return not self.text[0].isalnum() and self.text[0] != "#"


IN_ENGLISH = "say it in English."
"""The hint where words are in another language."""


def tokenize(text: str) -> tuple[Token, ...]:
    """The words and marks of a text.

    Raises:
        SaySoError: NOT_UNDERSTOOD for another character or another language, pointing at it, and
            for a text of more than `MAX_CHARACTERS`.
    """
    if len(text) > MAX_CHARACTERS:
        raise SaySoError(
            Code.NOT_UNDERSTOOD,
            f"{len(text)} characters are too long for an instruction.",
            hint=f"say it in at most {MAX_CHARACTERS} characters, or give the task in parts.",
            span=Span(MAX_CHARACTERS, len(text)),
        )
    tokens: list[Token] = []
    begun = {p.start: p.end for p in points(text)}
    position = 0
    while position < len(text):
        if position in begun:
            _end_sentence(tokens, position, begun[position])
            position = begun[position]
            continue
        match = _PIECES.match(text, position)
        if match is None:
            raise _refused(text, position)
        if match.lastgroup == "number":
            tokens.append(Token("#" + match[0][1:], match.start() + 1, match.end()))
        elif match.lastgroup in _SAID_AS:
            tokens.append(Token(_SAID_AS[match.lastgroup], match.start(), match.end()))
        elif match.lastgroup == "clipped":
            tokens += [Token(w, match.start(), match.end()) for w in spelt(match[0].lower())]
        elif match.lastgroup != "skip":
            word = match[0].lower().replace("\u2019", "'")
            if match.lastgroup == "word" and not _ASCII.fullmatch(word):
                raise _refused(text, match.start(), match.end())
            tokens += [Token(w, match.start(), match.end()) for w in spelt(word)]
        position = match.end()
    return tuple(_in_short(tuple(_whose(tokens))))


def _end_sentence(tokens: list[Token], start: int, end: int) -> None:
    """Ends a sentence where a point of a list begins, but for one that announces the list."""
    if tokens and tokens[-1].text == ",":
        tokens.pop()
    if tokens and not tokens[-1].is_mark:
        tokens.append(Token(".", start, end))


def _in_short(tokens: tuple[Token, ...]) -> Iterable[Token]:
    """The tokens with `_PHRASES` in the words of the grammar."""
    at = 0
    while at < len(tokens):
        for length in range(_LONGEST_PHRASE, 1, -1):
            said = tokens[at : at + length]
            meant = _PHRASES.get(" ".join(t.text for t in said))
            if meant is not None:
                yield from (Token(w, said[0].start, said[-1].end) for w in meant.split())
                at += len(said)
                break
        else:
            yield tokens[at]
            at += 1


def _whose(tokens: Sequence[Token]) -> Iterable[Token]:
    """The tokens with "the drawer's open" as "the drawer is open"."""
    for at, token in enumerate(tokens):
        verb = _in_s([t.text for t in tokens[at + 1 :]]) if token.text.endswith("'s") else ""
        if verb:
            yield Token(token.text[:-2], token.start, token.end)
            yield Token(verb, token.start, token.end)
        else:
            yield token


def _in_s(after: Sequence[str]) -> str:
    """The verb that "'s" of a noun is before these words; "" where a noun is whose it is."""
    if not after or after[0] in _AFTER_HAS:
        return "has" if after else ""
    end = next((i for i, w in enumerate(after) if w not in _QUALIFYING), len(after))
    washed = after[end - 1] == "freshly" and end < len(after)
    last = after[end + washed] if end + washed < len(after) else ""
    owns = end > 0 and last[:1].isalnum() and last not in _NO_NOUN | _AFTER_IS
    doing = len(after[0]) > _SHORTEST_DOING and after[0].endswith("ing")
    if doing and (after[1:2] == [] or after[1] in _NO_NOUN or not after[1][0].isalnum()):
        return "is"  # "my daughter's coming to tea", unlike "my daughter's sewing kit"
    return "is" if after[0] in _AFTER_IS and not owns else ""


def spelt(word: str) -> list[str]:
    """A word in small letters in its long form and spelling."""
    return _CONTRACTIONS.get(word, _SPELLINGS.get(word, word)).split()


def _refused(text: str, start: int, end: int = 0) -> SaySoError:
    word = text[start : max(end, start + 1)]
    if word[0].isalpha():
        return SaySoError(
            Code.NOT_UNDERSTOOD, f"'{word}' is no English word.",
            hint=IN_ENGLISH, span=Span(start, start + len(word)),
        )  # fmt: skip
    shown = word if word.isprintable() else f"U+{ord(word[0]):04X}"
    return SaySoError(
        Code.NOT_UNDERSTOOD, f"the character '{shown}' is not part of an instruction.",
        hint="use words, full stops and commas.", span=Span(start, start + len(word)),
    )  # fmt: skip


_POSTURES = frozenset({"lying", "standing", "sitting"})
_WHERE = frozenset({"on", "in", "inside", "next", "near", "beside", "behind", "under", "by", "at"})
_BEFORE_PLACES = _WHERE | {"to", "into", "onto", "of", "from", "off", "above", "below", "and", "or"}


_ARTICLES = ("the", "my", "our", "that", "this")
_SAYING_MORE = frozenset({
    "and", "or", "but", "not", "never", "must", "should", "may", "can", "cannot", "shall", "will",
    "is", "are", "has", "stays", "stay", "remains", "goes", "belongs", "comes", "needs", "gets",
})  # fmt: skip
"""With these, "the one on the tray ..." is a clause of its own, or one of several things."""


def said_which(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Tokens with "the red block that is on the tray" for "the red block, the one on the tray,",
    where no place, and no second thing of a list, can be meant."""
    tokens = _with_apposed(tuple(tokens))
    words = [t.text for t in tokens]
    for at in range(2, len(words) - 3):
        if words[at : at + 3] != [",", "the", "one"] or not _is_object(words[:at]):
            continue
        start = at + 3
        if words[start : start + 2] in (["that", "is"], ["which", "is"]):
            start += 2
        start += words[start] in _POSTURES
        end = next((i for i in range(start, len(words)) if words[i] == ","), len(words))
        listed = words[end + 1 : end + 2] in (["and"], ["or"]) and words[end + 2 : end + 3] == [
            "the"
        ]
        listed |= not _SAYING_MORE.isdisjoint(words[start:end])
        if start >= len(words) or words[start] not in _WHERE or listed:
            continue
        which = [replace(tokens[at + 1], text=w) for w in ("that", "is")]
        ends = end - 2 * (words[end - 2 : end] in (["i", "mean"], ["i", "meant"]))
        goes_on = words[end + 1 : end + 2] not in (["and"], ["but"], ["then"], ["so"])
        rest = tokens[end + goes_on :]
        return (*tokens[:at], *which, *tokens[start:ends], *said_which(rest))
    return tuple(tokens)


def _with_apposed(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Tokens with "the white mug" for "the mug, the white one,", where that is no second thing of a
    list: no further one, and no place, is named beside it."""
    words = [t.text for t in tokens]
    for at in range(2, len(words) - 3):
        if words[at : at + 2] != [",", "the"] or not _is_object(words[:at]):
            continue
        end = at + 2
        while end < len(words) and (words[end] in COLORS or words[end] in SIZE_WORDS):
            end += 1
        begins = next(i for i in range(at - 2, -1, -1) if words[i] in _ARTICLES)
        known = any(w in COLORS or w in SIZE_WORDS for w in words[begins:at])
        of_named = words[begins] in ("the", "my", "our") and words[at - 1] != "one"
        said = of_named and words[begins - 1 : begins] not in (["not"], ["no"], [","])
        if end == at + 2 or words[end : end + 1] != ["one"] or known or not said:
            continue
        after = words[end + 1 : end + 3]
        if after and (after[0] != "," or after[1:] in (["the"], ["a"], ["and"], ["or"])):
            continue
        which = tokens[at + 2 : end]
        rest = tokens[end + 1 + bool(after and after[1:]) :]
        return (*tokens[: begins + 1], *which, *tokens[begins + 1 : at], *_with_apposed(rest))
    return tokens


def _is_object(words: Sequence[str]) -> bool:
    """Whether words end with a thing that stands right behind a verb, or begins them."""
    for at in range(len(words) - 2, max(-1, len(words) - 5), -1):
        if words[at] in _ARTICLES:
            return at == 0 or words[at - 1] not in _BEFORE_PLACES
    return False


def sentences(tokens: Sequence[Token]) -> Iterable[tuple[Token, ...]]:
    """The tokens of each sentence, without its full stop."""
    found: list[Token] = []
    for at, token in enumerate(tokens):
        rest = tuple(t.text for t in tokens[at + 1 : at + 6])
        if token.text in ("means", "that") and _is_consequence(found):
            continue
        if token.text == "which" and rest[:1] == ("means",) and found and found[-1].text == ",":
            found.append(replace(token, text="so"))
        elif token.text in (";", ".") and any(rest[: len(words)] == words for words in _ELSE):
            found.append(replace(token, text=","))
        elif (
            token.text == "?"
            and found
            and found[0].text in _ASKING
            and any(rest[: len(words)] == words for words in _SO)
        ):
            found.append(token)
        elif token.text in STOPS:
            if found:
                yield said_which(found)
            found = []
        else:
            found.append(token)
    if found:
        yield said_which(found)


def _is_consequence(said: Sequence[Token]) -> bool:
    """Whether words end with the "so" for ", which means that"."""
    before = said[-1] if said else None
    return before is not None and before.text == "so" and before.end - before.start == len("which")
