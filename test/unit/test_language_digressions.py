"""Clauses that only tell are set aside by their trees; what asks for something never is."""

from __future__ import annotations

from functools import lru_cache

import pytest

from sayso.adapters import registry
from sayso.core.errors import SaySoError
from sayso.core.library import builtin_path, load
from sayso.core.ports import DependencyParser
from sayso.language.controlled_english import told_aside
from sayso.language.interpreter import Interpreter
from sayso.language.lexicon import Lexicon
from sayso.logic.specification import Specification
from sayso.logic.text import to_text

TABLE = "put the green block in the bowl"
FLAT = "take the apple to the table"
TELLING = (
    "{T}, my wife has the night shift and sleeps.",
    "{T}, it has been lying around all day.",
    "{T}, he pinches his fingers in it.",
    "{T}, the baby hates it.",
    "{T}, the auditors want it in writing.",
    "{T}, don't ask me why.",
    "{T}, don't ask me who decided that.",
    "I won't have sticky things carried past clean sheets, so {T}.",
    "{T}, I won't have cold soup carried up dirty stairs.",
    "{T}, it's been in the acid bath.",
    "{T}, the glue on the label is still wet.",
    "{T}, the floor in there creaks like an old ship.",
    "{T}, that is where my wife left her jacket.",
    "{T}, otherwise you'd be working in the dark.",
    "{T}, I never know what the neighbours are up to.",
    "{T}, nobody has cleaned up here for weeks.",
    "{T}, all my colleagues are at lunch.",
    "{T}; my son forgets that every single time.",
    "{T}, which is why I'm saying it.",
    "My daughter's coming to study, so {T}.",
    "{T}, I was going to do that myself but my back aches.",
    "{T}, my doctor won't let me bend down.",
    "{T}, because my knees are not what they were.",
    "{T}, since nobody else ever thinks of it.",
    "{T}, my neighbour only comes on Thursdays.",
    "I'm cooking, so {T}.",
    "{T}, there was no time for it this morning.",
    "{T}, she never forgives a mess.",
    "Dinner is almost ready, so {T}.",
    "The dentist must have called three times today, so {T}.",
    "{T}, he can't stand all this clutter.",
    "{T}, my hands are covered in flour.",
    "{T}, I have to answer the phone.",
    "{T}, I have to weigh the plate by itself this afternoon.",
    "{T} (my mother always did it like that).",
    "{T}, my boss never stops complaining about the noise.",
    "{T}, we had nothing but trouble with the last robot.",
    "I spent all morning on the phone with the insurance, so {T}.",
    "{T}, the cleaner wants the evening off.",
    "{F}, the dog wants out.",
    "{F}, electricity isn't free.",
    "{F}, my husband keeps stealing crumbs from it.",
    "{F}, because nobody's working there.",
    "{F} - I'm half asleep on my feet.",
    "{F}, the children are doing their homework.",
)
MORE_TELLING = (
    "{T}, grandma thinks it looks prettier.",
    "My sister's train gets in at noon, so {T}.",
    "{T}, I can hardly see my own feet.",
    "{T}, we never hear the end of it otherwise.",
    "{T}, because the twins squabble over everything.",
    "{T}, my uncle swears by it.",
    "{T}, there's nothing worse than a cluttered bench.",
    "I dropped a whole jar of pickles, so {T}.",
    "{T}, the students had an exam in here.",
    "{T}, it drives my flatmate up the wall.",
    "{T}, since I can't reach that far.",
    "{T}, my granddaughter calls it the swimming pool.",
    "{T}, none of my friends would believe it.",
    "{F}, the plumber has only just left.",
    "{F}, the toddler throws tantrums.",
    "{F}, it has been raining since Monday.",
    "We're expecting twelve people for dinner, so {F}.",
)
ASKING = (
    "{T}, nobody may touch the plate.",
    "{T}, nothing must go on the tray.",
    "{T}, I don't want anything on the tray.",
    "{T}, the mug stays here.",
    "{T}, the plate is off limits.",
    "{T}, my son must not get at the mug.",
    "{T}, the plate is taken.",
    "{T}, it has to stay dry.",
    "{T}, the drawer needs closing.",
    "{T}, you'll need to open the drawer for that.",
    "{T}, my wife wants the red block there too.",
    "{T}, my boss said to close the drawer.",
    "{T}, I need it clean.",
    "{T}, the red one belongs on the plate.",
    "{T}, all the others go on the tray.",
    "{T}, I'd rather have the mug on the tray.",
    "{T}, the mug can wait.",
    "{T}, we must keep the plate empty.",
    "{T}, no block should ever be on the plate.",
    "{T}, my daughter wants to have the mug on the plate.",
    "{T}, she'd like you to close the drawer.",
    "{T}, the drawer is to be opened.",
    "{T}, the tray is reserved for the mug.",
    "{T}, it's better on the plate.",
    "{T}, I was joking.",
    "{T}, that was wrong.",
    "{T}, I meant the red one.",
    "{T}, the red one comes first.",
    "{T}, the mug is not to be moved.",
    "{T}, the cook insists on an empty tray.",
    "{T}, I hate seeing the drawer open.",
    "{T}, nobody wants the mug on the plate.",
    "{T}, each of the mugs deserves a place on the tray.",
    "{T}, it mustn't leave the table.",
    "{T}, I won't have anything moved.",
    "{T}, the lab rule is that the drawer stays shut.",
    "{T}, I changed my mind.",
    "{T}, my wife can have the mug on the tray.",
    "{T}, it is fine if the mug is on the tray.",
    "{F}, the door has to be closed.",
    "{F}, no one goes near the cat.",
    "{F}, the baby must not be disturbed.",
    "{F}, the fridge should be shut.",
    "{F}, my wife doesn't want you in the bedroom.",
)
MORE_ASKING = (
    "{T}, he said left.",
    "{T}, there were five.",
    "{T}, I doubt it.",
    "{T}, we postponed it.",
    "{T}, my boss vetoed it.",
    "{T}, my wife has plans for the plate.",
    "{T}, the kids have dibs on the plate.",
    "{T}, the drawer doesn't like being open.",
    "{T}, the blue block and the mug are enemies.",
    "{T}, my son said the plate.",
    "{T}, there is no need.",
    "{T}, I have no use for it.",
    "{T}, the tray has no room.",
    "{T}, somebody else is doing it.",
    "{T}, she hated the idea.",
    "{T}, it was a dozen.",
    "{T}, I was only thinking aloud.",
    "{T}, half of them are broken.",
    "{T}, this is the end.",
    "{T}, the tray isn't for blocks.",
    "{T}, nobody is supposed to open the drawer.",
    "{T}, everything else may stay.",
    "{T}, the mug deserves a spot on the tray.",
    "{T}, I expect the drawer to be closed.",
    "{T}, my father forbids touching the mug.",
    "{T}, it would be nice to have the drawer open.",
    "{T}, the plate gets the red block.",
    "{T}, the red block remains on the table.",
    "{T}, my aunt would love the mug on the plate.",
    "{T}, you needn't bother.",
    "{T}, tomorrow will do.",
    "{T}, two of them are enough.",
    "{T}, the mug had better not fall over.",
    "{T}, I can't have the mug on the tray.",
    "{T}, hands off the mug.",
    "{T}, it shouldn't end up upside down.",
    "{T}, this time the drawer ought to be closed afterwards.",
    "{F}, the fridge must not stay open.",
    "{F}, the cat gets nervous if you come close.",
    "{F}, I insist that the door is shut.",
    "{F}, the bed is mine, so keep off it.",
)
LATER_TELLING = (
    "{T}, they're both clean.",
    "{T}, it's all rather wobbly.",
    "{F}, I can hear the television from here.",
    "{F}, I can't read in this gloom.",
    "{F}, he jumps.",
    "{F}, I moved it this morning.",
    "{T} because you forget it otherwise.",
    "{T}, seeing as you've only the one hand.",
    "{F}, or you won't see anything.",
    "{F}, we could smell the smoke from the balcony.",
    "{T}, they were all wet.",
    "{T} because you lose things.",
)
LATER_ASKING = (
    "{T}, because you must never touch the mug.",
    "{T} because you are not to touch the mug.",
    "{T}, because you only touch the red one.",
    "{T}, or it will be the red one.",
    "{T}, or put it on the tray.",
    "My boss insists on the red one, so {T}.",
    "{T}, they are both forbidden.",
    "{T}, it is all to be left alone.",
    "{T}, they all go on the tray.",
    "{T}, it belongs to the tray.",
    "{T}, it probably is to be closed.",
    "{T}, I can see nothing but the mug moving.",
    "{F}, I can have the door open.",
    "{F}, you can see to the door.",
)

STATED_BY_PEOPLE = (
    "{T}, as the doctor told me to put my leg up.",
    "{T}, which would save me a walk.",
    "{F}, in case I nod off over my crossword.",
    "{F}, there are cables on the floor.",
    "{F}. I've lost count of how many times I've said that sentence.",
    "My physio says I'm doing well, but stairs and lifting are still hard. {T}.",
    "{T}. You've been a great help today.",
    "{F}, somebody has left the bedroom door open again.",
    "{T}, my legs feel like jelly after that run.",
    "{T}, this should be quick.",
    "{F}, I don't want it.",
    "I'm about to do the dishes, so {T}.",
    "{T}, it is in my way.",
    "{T}, because otherwise it doesn't fit.",
    "{T}, would you believe it.",
)
ASKED_BY_FORM = (
    "{T}, and the blue one would look good on top.",
    "{T}. It's not okay to lift it over the mug, by the way.",
    "{F}, and a can from the fridge would be lovely too.",
    "{T} (the red mug comes along).",
    "{T}. The plate could do with being pushed back a bit, too.",
    "{T}, so that in the end all four colours are together.",
    "{F}, the bin being emptied before.",
    "{T}, with the others lined up behind it.",
    "{F}. There's no need to, it turns out.",
    "{T}, which you'll need to open beforehand.",
    "{T}, so that nothing is left on the tray.",
    "{T}, in case the drawer is open.",
    "{T}, I need it clean for the next run.",
    "{T}, I don't want it there.",
    "{T}, there are to be no blocks on the plate.",
    "{T}. That's the plan for tomorrow.",
)

REFERRED_TO = (
    ("That red mug wants washing, so put it on the tray.", "F(on(red_mug, tray))"),
    ("My dog keeps stealing the mug, so put it in the drawer.", "F(in(mug, drawer))"),
)
NOT_SET_ASIDE_FOR_WHAT_FOLLOWS = (
    "That red mug on the plate wants washing, so put it on the tray.",
    "Put all the blocks in the bowl, my wife is in a hurry, the red block smells of glue.",
    "If the drawer is open, which means that the mug is in it, touch the mug.",
    "If the drawer is open, and the radio hums, touch the mug.",
    "Touch the mug. Only when it is quiet outside.",
    "Touch the mug. Though not if it wobbles.",
    "The exception: touch the mug.",
    "On Sundays: touch the mug.",
)


@pytest.fixture(scope="module")
def parser() -> DependencyParser:
    made: DependencyParser = registry.create("dependency_parser", "spacy")
    return made


@lru_cache(maxsize=2)
def _lexicon(name: str) -> Lexicon:
    return Lexicon.of(load(builtin_path(name)))


def _read(text: str, parser: DependencyParser) -> tuple[Specification, Specification]:
    """What a text is read as, and what its order alone is."""
    name, order = ("flat", FLAT) if "{F}" in text else ("tabletop", TABLE)
    said = text.format(T=TABLE, F=FLAT)
    interpreter = Interpreter(_lexicon(name), parser=parser)
    alone = interpreter.interpret(order)
    return interpreter.interpret(said[:1].upper() + said[1:]), alone


@pytest.mark.parametrize("text", (*TELLING, *MORE_TELLING, *LATER_TELLING, *STATED_BY_PEOPLE))
def test_what_only_tells_is_set_aside_and_shown(text: str, parser: DependencyParser) -> None:
    read, alone = _read(text, parser)
    assert read.formula == alone.formula
    assert any(map(told_aside, read.assumptions))


@pytest.mark.parametrize("text", (*ASKING, *MORE_ASKING, *LATER_ASKING, *ASKED_BY_FORM))
def test_what_asks_for_something_is_never_set_aside(text: str, parser: DependencyParser) -> None:
    try:
        read, alone = _read(text, parser)
    except SaySoError:
        return
    assert read.formula != alone.formula


@pytest.mark.parametrize(("text", "formula"), REFERRED_TO)
def test_what_is_told_of_is_what_comes_after_it_speaks_of(
    text: str, formula: str, parser: DependencyParser
) -> None:
    read = Interpreter(_lexicon("tabletop"), parser=parser).interpret(text)
    assert to_text(read.formula) == formula


@pytest.mark.parametrize("text", NOT_SET_ASIDE_FOR_WHAT_FOLLOWS)
def test_nothing_is_set_aside_that_what_follows_depends_on(
    text: str, parser: DependencyParser
) -> None:
    with pytest.raises(SaySoError):
        Interpreter(_lexicon("tabletop"), parser=parser).interpret(text)


def test_a_manner_and_a_heading_are_told_with_what_was_asked(parser: DependencyParser) -> None:
    text = "Little tower: dinner is almost ready, so be quick: put the green block in the bowl."
    read = Interpreter(_lexicon("tabletop"), parser=parser).interpret(text)
    assert to_text(read.formula) == "F(in(green_block, bowl))"
    assert read.instruction == text
    told = [w for w in map(told_aside, read.assumptions) if w]
    assert told == ["Little tower", "dinner is almost ready", "so be quick"]


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("Put the green block - my son adores it - in the bowl.", "F(in(green_block, bowl))"),
        ("I'd like the mug, which is in the way, to the left of the drawer.",
         "F(left_of(mug, drawer))"),
    ],
)  # fmt: skip
def test_what_tells_may_stand_within_a_clause(
    text: str, formula: str, parser: DependencyParser
) -> None:
    read = Interpreter(_lexicon("tabletop"), parser=parser).interpret(text)
    assert to_text(read.formula) == formula
