"""What is said about words that the grammar does not cover: where, what fits there, what to say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from itertools import zip_longest

from sayso.core.errors import SaySoError
from sayso.language.asides import MATTERS, TURNING
from sayso.language.chart import Attempt
from sayso.language.lexicon import Lexicon
from sayso.language.slips import LEAST_LETTERS, is_near
from sayso.language.tokens import IN_ENGLISH
from sayso.logic.formula import COLORS

_JOINS = frozenset({",", "and", "or", "then", "but", "please", ":", "to", "you"})
_ARTICLES = frozenset(
    {"the", "a", "an", "my", "our", "your", "all", "every", "each", "any", "both"}
)
_USUAL = frozenset({"keep", "never", "avoid", "make", "and", "the", "all", "if"})
_GOING_ON = ("and", "then", "or", "but", "before", "until", "unless")
_MOST_TRIED = 400
"""How many words are tried in all to find a form of a text that is understood."""
MAX_CHOICES = 6
"""How many words a refusal names."""
ALL_WORDS = "(All words: docs/controlled-english.md and 'sayso library'.)"
_LONG, _LIKE = 7, 0.85
"""Of how many letters a word is that may have more than one slip, and what share of equal letters
it then has with the one that is meant."""
_TURNING_ROUND = TURNING | MATTERS | {
    "non", "before", "after", "two", "half", "most", "few", "than", "forget",
    "even", "regardless", "together", "own", "same", "different", "whether", "almost", "nearly",
}  # fmt: skip
"""Words that turn round what stands beside them: nobody is told to leave them out."""
_FOREIGN = frozenset({
    "der", "den", "dem", "das", "des", "die", "ein", "eine", "einen", "einem", "und", "auf",
    "ist", "nicht", "oder", "bitte", "mit", "von", "vom", "zum", "zur", "neben", "unter",
    "wenn", "niemals", "de", "het", "een", "op", "van", "naar", "niet", "det", "ett", "och",
    "le", "la", "les", "un", "une", "du", "et", "sur", "dans", "est", "ne", "pas", "ou", "avec",
    "jamais", "el", "los", "las", "una", "y", "en", "del", "sobre", "con", "nunca", "por", "il",
    "lo", "gli", "uno", "di", "nel", "nella", "sul", "sulla", "mai", "os", "um", "uma", "na",
    "da", "em", "nie", "jest", "oraz", "ve", "bir", "o", "ao", "al", "alla", "nach", "zu", "im",
    "para", "com", "til", "ke", "dari", "dan", "tidak",
})  # fmt: skip
"""Small words of other languages (German, Dutch, Swedish, French, Spanish, Italian, Portuguese,
Polish, Turkish, Malay) in Latin
letters, of which few are English words as well."""
Parses = Callable[[Sequence[str]], bool]


class NotParsedError(SaySoError):
    """NOT_UNDERSTOOD, whose hint is looked for when somebody is to read it: that takes longer than
    all else, and what is read otherwise needs none.

    Args:
        refused: the same error without a hint.
        find_hint: finds it.
    """

    def __init__(self, refused: SaySoError, find_hint: Callable[[], str]) -> None:
        self._hint: str | None = ""
        super().__init__(
            refused.code, refused.message, choices=refused.choices, span=refused.span
        )  # fmt: skip
        self._hint, self._find_hint = None, find_hint

    @property
    def hint(self) -> str:
        """The next step for the person."""
        if self._hint is None:
            self._hint = self._find_hint()
        return self._hint

    @hint.setter
    def hint(self, hint: str) -> None:
        self._hint = hint


def not_parsed(
    attempt: Attempt,
    words: Sequence[str],
    lexicon: Lexicon,
    refuse: Callable[..., SaySoError],
    parses: Parses,
) -> SaySoError:
    """NOT_UNDERSTOOD pointing at the first word that fits nothing, or at the end.

    The hint offers the words mended or cut so that they are understood, where that can be done.

    Args:
        parses: whether other words would be understood.
    """
    if _is_foreign(words, lexicon):
        return refuse(
            (0, len(words)), "these words seem to be in another language.",
            hint=IN_ENGLISH,
        )  # fmt: skip
    at, expected = _blamed(attempt, words, lexicon)
    choices = _nearest(attempt, words, at, expected, lexicon)

    def hint() -> str:
        said = _sayable(attempt, words, at, expected, parses, lexicon)
        return f"{said} {ALL_WORDS}".strip() if len(choices) < len(expected) else said

    if at >= len(words):
        place = f" after '{words[-1]}'" if words else ""
        early = f"the instruction ends too early{place}."
        return NotParsedError(refuse((len(words), len(words)), early, choices=choices), hint)
    begins = at == 0 or words[at - 1] in _JOINS - {"to", "you"}
    place = "where an instruction should begin" if begins else f"after '{words[at - 1]}'"
    fits_not = f"'{words[at]}' is not understood {place}."
    return NotParsedError(refuse((at, at + 1), fits_not, choices=choices), hint)


def _is_foreign(words: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether most words are unknown, two of them foreign small ones, or nearly all and one."""
    said = [w for w in words if w[0].isalpha()]
    unknown = [w for w in said if lexicon.unknown(w)]
    small = [w for w in unknown if w.partition("'")[0] in _FOREIGN]
    nearly_all = 5 * len(unknown) >= 4 * len(said)
    return len(small) >= 2 - nearly_all and 2 * len(unknown) > len(said)


def _blamed(attempt: Attempt, words: Sequence[str], lexicon: Lexicon) -> tuple[int, list[str]]:
    """The place at fault, and what could stand there.

    A word that nobody knows at the beginning of a clause is at fault, not what follows it: it was
    taken for the name of a thing.
    """
    at = attempt.reached
    clause = next((i for i in range(at, 0, -1) if words[i - 1] in _JOINS), 0)
    if clause < at and lexicon.unknown(words[clause]):
        return clause, sorted((*lexicon.verbs, "never", "avoid", "keep", "make sure"))
    begin = at
    while begin and lexicon.unknown(words[begin - 1]):
        begin -= 1
    if at < len(words) and begin < at and words[at - 1] == words[begin]:
        begin = at
    expected = sorted(w for w in attempt.expected if not w.startswith("<"))
    if any(w.startswith("<") for w in attempt.expected):
        expected += [
            *COLORS,
            *sorted(n for k in lexicon.vocabulary.kinds if k.handled for n in k.nouns),
        ]
    return at, expected


def _nearest(
    attempt: Attempt, words: Sequence[str], at: int, expected: Sequence[str], lexicon: Lexicon
) -> list[str]:
    """A few of the words that fit: those like the one that was typed, then some of each sort that
    people say in such a place, then others if these are few."""
    word = words[at] if at < len(words) else ""
    fit = [w for w in dict.fromkeys(expected) if w != word and w[0].isalpha()]
    like, fitting = _meant(word, fit, lexicon), set(fit)
    usual = _sorts(lexicon, words[at - 1] if at else "", complete=at in attempt.ends)
    sorts = [[w for w in dict.fromkeys(said) if w in fitting] for said in usual]
    turns = [w for turn in zip_longest(*sorts) for w in turn if w is not None]
    others = [] if len(turns) > MAX_CHOICES // 2 else sorted(fit, key=lambda w: w not in _USUAL)
    return list(dict.fromkeys((*like, *turns, *others)))[:MAX_CHOICES]


def _meant(word: str, fit: Sequence[str], lexicon: Lexicon) -> list[str]:
    """Words for one of which a word that nobody knows may be a slip, the likeliest first."""
    if not lexicon.unknown(word):
        return []
    short = len(word) < LEAST_LETTERS
    near = [w for w in fit if is_near(word, w) and (not short or w.startswith(word))]
    long = get_close_matches(word, fit, MAX_CHOICES, _LIKE) if len(word) >= _LONG else []
    return [w for w in dict.fromkeys((*near, *long)) if w != word]


def _sorts(lexicon: Lexicon, before: str, *, complete: bool) -> list[list[str]]:
    """The library's words in its order: after a thing what goes on, after an article things, else
    verbs, too.

    Args:
        before: the word that stands before the place.
        complete: whether an instruction may end there.
    """
    vocabulary = lexicon.vocabulary
    wordings = [w for a in vocabulary.actions if not a.forbidden_only for w in a.wordings]
    nouns = [n for k in vocabulary.kinds if k.handled for n in k.nouns]
    if before in _ARTICLES:
        return [nouns, list(COLORS)]
    being = [p.english.partition(" is ")[2] for p in lexicon.predicates.values()]
    after = [w.tail.split()[0] for w in wordings if w.tail]
    states = [b.split()[0] for b in being if b and b.split()[0] not in ("a", "on", "in")]
    if lexicon.names(before):
        return [[*_GOING_ON, *after]] if complete else [after, list(_GOING_ON), states]
    return [[w.verb for w in wordings], [*_GOING_ON, *after], states, nouns]


def _sayable(
    attempt: Attempt, words: Sequence[str], at: int, expected: Sequence[str], parses: Parses,
    lexicon: Lexicon,
) -> str:  # fmt: skip
    """A form of the words that is understood; '' if there is none near."""
    parses = _sparingly(parses)
    if at < len(words):
        for close in _meant(words[at], expected, lexicon)[:1]:
            mended = [*words[:at], close, *words[at + 1 :]]
            return f"say '{_text(mended)}'." if parses(mended) else f"did you mean '{close}'?"
        without = [*words[:at], *words[at + 1 :]]
        if len(without) > 1 and words[at] not in _TURNING_ROUND and parses(without):
            return f"without '{words[at]}' it is understood: '{_text(without)}'."
    for end in _cuts(attempt, min(at, len(words))):
        if parses(words[:end]):
            return f"this much is understood: '{_text(words[:end])}'."
    return ""


def _sparingly(parses: Parses) -> Parses:
    """No more words are tried than takes a moment; what is not tried counts as not understood."""
    left = _MOST_TRIED

    def tried(words: Sequence[str]) -> bool:
        nonlocal left
        left -= len(words)
        return left >= 0 and parses(words)

    return tried


def _cuts(attempt: Attempt, most: int) -> tuple[int, ...]:
    """Where the words may be cut, first where the grammar has an instruction end."""
    ends = sorted((end for end in attempt.ends if end <= most), reverse=True)
    return tuple(dict.fromkeys((*ends, *range(most, 1, -1))))


def _text(words: Sequence[str]) -> str:
    return " ".join(words).replace(" ,", ",").replace(" #", "_")
