"""A skill being taught: shown, learned, read back, kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.files import replace_bytes
from sayso.core.library import Library
from sayso.core.symbols import Atom
from sayso.language.inflection import gerund
from sayso.language.naming import singular
from sayso.learning.demonstrations.demonstration import Demonstration
from sayso.learning.skills import page, store
from sayso.learning.skills.correcting import corrected
from sayso.learning.skills.shapes import TaughtShape
from sayso.learning.skills.store import KeptSkill
from sayso.learning.skills.symbols import PredicateLearner, Symbols, said_of, taught_library
from sayso.learning.skills.tryout import Tryout
from sayso.learning.transitions import variable
from sayso.learning.versions import Version, Versions

Show = Callable[[], KeptSkill]
"""Has a person show a skill; takes as long as they do."""


TryOut = Callable[[KeptSkill, Library], Tryout]
TRIED_OUT = "tried_out"
"""The folder in a library's that has a picture of each skill as it was tried out last."""


class SkillLesson:
    """One skill, as `mission.stages.Lesson`.

    Args:
        library: to which it is added.
        folder: of the library that has it then, see `store`.
        take_over: told of that library.
        try_out: does it in thought before it is kept; None where no arm can.
        recorded: the folder from which it is shown; it is only read.

    Attributes:
        tried: what came of it in thought.
    """

    def __init__(
        self,
        library: Library,
        show: Show,
        learner: PredicateLearner,
        folder: Path,
        take_over: Callable[[Library], None],
        try_out: TryOut | None = None,
        recorded: Path | None = None,
    ) -> None:
        self._library, self._show, self._learner = library, show, learner
        self._folder, self._take_over = folder, take_over
        self._try_out, self.tried = try_out, ""
        self.recorded = recorded
        self._learned: tuple[KeptSkill, Symbols] | None = None

    def learn(self) -> str:
        """What was learned; `tried` tells what came of it in thought with things of other shapes.

        Raises as the showing, `taught_library` and `tryout.tried`.
        """
        skill = self._show()
        symbols = taught_library(self._library, skill, self._learner)
        self._learned = skill, symbols
        self.tried = self._in_thought(skill, symbols)
        return symbols.words

    def correct(self, words: str) -> str:
        """What was learned, as the person corrects it; `tried` is what comes of that.

        Raises as `corrected` and `tryout.tried`; all is as before then.
        """
        if self._learned is None:
            raise SaySoError(Code.INVALID, "nothing was shown yet that could be corrected.")
        skill, symbols = self._learned
        symbols = corrected(symbols, words)
        self.tried = self._in_thought(skill, symbols)
        self._learned = skill, symbols
        return symbols.words

    def _in_thought(self, skill: KeptSkill, symbols: Symbols) -> str:
        if self._try_out is None:
            return ""
        tryout = self._try_out(skill, symbols.library)
        if tryout.course is None:
            return tryout.words
        picture = self._folder / TRIED_OUT / f"{skill.name}.png"
        picture.parent.mkdir(parents=True, exist_ok=True)
        replace_bytes(picture, page.drawn(tryout.course))
        return f"{tryout.words} The hand's way is in {picture}."

    def keep(self) -> None:
        """What was learned last, on disk with its page as a version, and for use.

        Where it cannot be taken over, the version stays, and what was used before is used.

        Raises:
            SaySoError: as `store.keep`, `Versions.save` and what takes it over.
        """
        if self._learned is None:
            return
        skill, symbols = self._learned

        def write(folder: Path) -> None:
            known = skill.name in store.kept(folder)
            (store.keep_more if known else store.keep)(folder, skill)
            whole = store.read(folder, skill.name)  # with what was shown before
            page.write(folder, whole, symbols.operator, symbols.words)

        versions = Versions(self._folder)
        if not versions.current:
            versions.save(self._library, "before anything was shown")
        before = versions.current
        kept = versions.save(symbols.library, f"shown: {skill.words}", write)
        try:
            self._take_over(symbols.library)
        except (SaySoError, OSError) as error:
            versions.use(before)
            with suppress(SaySoError, OSError):  # who does not follow now did not a moment ago
                self._take_over(self._library)
            raise _not_used(self._folder, kept, error) from error


def _not_used(folder: Path, kept: Version, why: SaySoError | OSError) -> SaySoError:
    code, matter = (why.code, why.message) if isinstance(why, SaySoError) else (Code.UNKNOWN, why)
    return SaySoError(
        code,
        f"'{kept.why}' is kept as version {kept.number}, but is not used: {matter}",
        hint=f"mend that, then use it: sayso library {folder} --use {kept.number}",
    )


def skill_of(demonstrations: Sequence[Demonstration]) -> KeptSkill:
    """The skill that at least one demonstration shows, by its words and its things.

    What looks like a thing of the first one is such a thing; of parts nothing is known.

    Raises:
        SaySoError: INVALID where the first one shows no scene with its things, or has no words.
    """
    first = demonstrations[0]
    seen = first.key_frames[0].scene.by_name() if first.key_frames else {}
    if not first.words or set(first.things.values()) - seen.keys():
        raise SaySoError(
            Code.INVALID,
            "the first demonstration does not say what it shows, or does not show its things.",
            hint="record it with words, and a key frame of its things at the beginning.",
        )
    things = {p: seen[name] for p, name in first.things.items()}
    parameters = {p: o.category for p, o in things.items()}
    verb, rest = said_of(first.words, parameters)
    manner = rest.split() if len(parameters) < 2 else []
    effect = "_".join((gerund(verb), *rest.split()))
    return KeptSkill(
        "_".join((verb, *parameters.values(), *manner)).replace(" ", "_"),
        first.words,
        parameters,
        Atom(effect, tuple(variable(i) for i in range(len(parameters)))),
        tuple(demonstrations),
        {
            o.category: (TaughtShape(o.points - np.asarray(o.position), {}),)
            for o in things.values()
        },
    )


def skills_of(demonstrations: Sequence[Demonstration]) -> tuple[KeptSkill, ...]:
    """The skills that demonstrations show, each with all that show it; the one shown first, first.

    What says not what it shows is passed over, unless nothing else is there. Raises as `skill_of`.
    """
    shown: dict[tuple[str, Atom], list[Demonstration]] = {}
    trouble: SaySoError | None = None
    for one in demonstrations:
        try:
            skill = skill_of([one])
        except SaySoError as error:
            trouble = trouble or error
            continue
        shown.setdefault((skill.name, skill.effect), []).append(one)
    if trouble and not shown:
        raise trouble
    return tuple(map(skill_of, shown.values()))


def meant(wanted: str, words: str, nouns: tuple[str, ...]) -> bool:
    """Whether a skill is meant that somebody can show.

    Args:
        wanted: what is lacking: "hang all the mugs on the rack", "the mug is hanging on the rack".
        words: of who can show it, such as "hang the mug on the rack by its handle".
        nouns: of its things.
    """
    said = {singular(w) for w in re.findall(r"[a-z]+", wanted.lower())}
    verb = words.split()[0].lower()
    return bool({verb, gerund(verb)} & said) and {singular(n) for n in nouns} <= said
