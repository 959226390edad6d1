"""Laws of what is offered for free English: nothing is dropped in silence, and no word that turns
the meaning is passed over."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.adapters import registry
from sayso.core.errors import SaySoError
from sayso.core.library import builtin_path, load
from sayso.language import paraphrase
from sayso.language.controls import POLITE, verb_classes
from sayso.language.lexicon import Lexicon
from sayso.language.offers import PartlyUnderstoodError, is_offer
from sayso.language.tokens import tokenize
from sayso.language.wording import FILLING, FIRST, IN_ORDER, PARTICLES, THROWN_IN

PARSER = registry.create("dependency_parser", "spacy")
LEXICONS = {w: Lexicon.of(load(builtin_path(w))) for w in ("tabletop", "flat")}
TEXTS = (
    ("tabletop", "Would you mind hoisting my mug off the tray and stashing it in the bowl"),
    ("tabletop", "Stash the red block in the drawer before you nudge the plate"),
    ("tabletop", "Remember to close the drawer after you have stashed the mug in it"),
    ("tabletop", "The green block belongs in the bowl but whatever you do don't nudge the tray"),
    ("flat", "Wheel yourself over to the sofa and hoist the mug because my back is sore"),
    ("flat", "I would be thankful if you could trundle to the desk while staying clear of the cat"),
)
SAID_OTHERWISE = (
    POLITE
    | PARTICLES
    | FIRST
    | IN_ORDER
    | THROWN_IN
    | FILLING
    | paraphrase.UNSAID
    | verb_classes().courtesies
)
"""What may be left unsaid; verbs may be replaced besides."""
TURNING = (
    "not", "never", "no", "don't", "except", "only", "until", "twice", "unless", "without",
    "nowhere", "hardly", "rarely", "seldom", "barely", "even", "sorry", "yet", "skip", "or",
)  # fmt: skip
ORDERS = ("stash the mug in the bowl", "hoist the plate", "nudge the tray, then hoist the mug")
FRAMES = (
    "did you {}", "why did you {}", "do you {}", "you did {}", "you can {}", "you could {}",
    "you may {}", "you might {}", "you need not {}", "you would not {}", "I saw you {}",
    "I heard you {}", "I fear you {}", "I thought you should {}", "I let you {}",
    "I asked you to {}",
    "ask Anna to {}", "help Anna {}", "I told Anna to {}", "pretend to {}", "skip to {}",
    "it would be awful to {}", "it was nice of you to {}", "hardly ever {}", "rarely {}",
    "either {} or whistle", "{} as I come in", "{} just in case it rains", "{} every time I look",
)  # fmt: skip
"""What makes a report, a permission, a question, a limit or somebody else's task of an order."""


def offer(world: str, text: str) -> PartlyUnderstoodError | None:
    try:
        return paraphrase.offer(text, LEXICONS[world], PARSER)
    except SaySoError:
        return None


@pytest.mark.parametrize(("world", "text"), TEXTS)
def test_each_word_is_worded_or_told(world: str, text: str) -> None:
    made = offer(world, text)
    assert made is not None
    told = f"{made.message} {' '.join(made.offered.assumptions)}".lower()
    words = [t.text for t in tokenize(text)]
    tree = PARSER.parse(words)
    verbs = {w.text for w in tree if w.tag.startswith("VB") or w.lemma in verb_classes().verbs}
    assert [w for w in words if w not in told and w not in SAID_OTHERWISE | verbs] == []


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(TEXTS), st.sampled_from(TURNING), st.integers(0, 20))
def test_a_word_that_turns_the_meaning_changes_it_or_is_told(
    said: tuple[str, str], word: str, at: int
) -> None:
    world, text = said
    words = text.split()
    words.insert(at % (len(words) + 1), word)
    before, after = offer(world, text), offer(world, " ".join(words))
    assert before is not None
    if after is not None and after.offered.formula == before.offered.formula:
        left = " ".join(after.asked.words).lower().split()
        assert word in left, (" ".join(words), after.message)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(ORDERS), st.sampled_from(FRAMES))
def test_a_yes_is_not_enough_for_what_only_sounds_like_an_order(order: str, frame: str) -> None:
    assert is_offer(offer("tabletop", order))
    text = frame.format(order)
    assert not is_offer(offer("tabletop", text)), text
