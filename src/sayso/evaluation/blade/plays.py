"""The plays that behaviours are learned from, as both parts of the evaluation ask for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from time import perf_counter

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import LanguageModel
from sayso.evaluation.blade.learning import learned_from
from sayso.evaluation.blade.options import LABELS
from sayso.evaluation.cases import Row
from sayso.learning.behaviours.learner import LearnedBehaviours
from sayso.learning.demonstrations import folder as recorded
from sayso.learning.demonstrations.demonstration import Demonstration
from sayso.worlds.kinematic_play.player import play
from sayso.worlds.table.table_scene import builtin_scene

FIRST_START = 10_000
"""Starts are drawn by other seeds than plays."""
_SHOWN = 14
"""Behaviours in each play without physics."""


@dataclass(frozen=True)
class Given:
    """What is learned from.

    Attributes:
        plays: so many each time; without physics of 14 behaviours each.
        wrong: share of annotations that are wrong; in physics of those that were recorded.
        labels: see `options.LABELS`.
        physics: folder of recorded plays; '' for the table without physics.
        world: the scene of the table that they were played at.
    """

    plays: int
    wrong: float
    labels: str
    physics: str
    world: str

    def require_physics(self, why: str) -> None:
        """Raises CONFIG without recorded plays."""
        if not self.physics:
            raise SaySoError(
                Code.CONFIG, why, hint=f"'{self._generate}' records plays; give --physics FOLDER."
            )

    def require(self, learnings: int) -> None:
        """Looks at all that will be learned from, before anything is tried.

        Raises:
            SaySoError: CONFIG for a share that is none, too few plays, or plays of another scene;
                CORRUPT for plays that cannot be read.
        """
        if not 0 <= self.wrong < 1:
            text = f"where {self.wrong:g} of annotations are wrong nothing can be learned."
            raise SaySoError(Code.CONFIG, text, hint="give --wrong from 0 to below 1.")
        if min(self.plays, learnings) < 1:
            text = f"{learnings} learnings from {self.plays} plays are none."
            raise SaySoError(Code.CONFIG, text, hint="give --plays and --learnings of at least 1.")
        if self.physics:
            self._require_recorded(self._places(0, self.plays * learnings))

    def shown(self, learning: int) -> list[Demonstration]:
        """The plays of a learning; each is from others. Raises as `require`."""
        if not self.physics:
            first = 1000 * learning
            return [play(first + n, _SHOWN, self.wrong) for n in range(self.plays)]
        return [recorded.read(p) for p in self._places(self.plays * learning, self.plays)]

    def _require_recorded(self, places: Sequence[Path]) -> None:
        damaged: list[SaySoError] = []
        for place in places:
            try:
                self._require_scene(place, recorded.read(place))
            except SaySoError as error:
                if error.code is Code.CONFIG:
                    raise
                damaged.append(error)
        if damaged:
            raise SaySoError(
                Code.CORRUPT,
                f"{len(damaged)} of {len(places)} plays cannot be read, such as: "
                f"{damaged[0].message}",
                hint=f"'sayso demos check {self.physics}' tells what is wrong; restore them, or "
                "take their folders away.",
            )

    def _require_scene(self, place: Path, play: Demonstration) -> None:
        """Furniture is seen from the beginning."""
        seen = play.key_frames[0].scene.by_name() if play.key_frames else {}
        furniture = [f.name for f in builtin_scene(self.world).known()]
        if seen and (lacking := [n for n in furniture if n not in seen]):
            raise SaySoError(
                Code.CONFIG,
                f"{place} was not played in {self.world}: there was no {lacking[0]}.",
                hint=f"'{self._generate}' records others; --world tells where these were played.",
            )

    def _places(self, first: int, count: int) -> Sequence[Path]:
        found = recorded.found_in(Path(self.physics))
        if len(found) < first + count:
            raise SaySoError(
                Code.CONFIG,
                f"{self.physics} has {len(found)} plays; {first + count} are needed.",
                hint=f"'{self._generate} --plays {first + count}' adds others;"
                " --plays and --learnings ask for fewer.",
            )
        return found[first : first + count]

    @property
    def _generate(self) -> str:
        return f"sayso demos generate {self.world} {self.physics or 'FOLDER'}"


@lru_cache(maxsize=1)
def learned(
    given: Given, learning: int, model: LanguageModel | None = None
) -> tuple[LearnedBehaviours, float]:
    """What the plays teach, and how long that took [s].

    Args:
        model: reads what was said; None: by the words alone.

    Raises:
        SaySoError: as a model and `Given.require` do.
    """
    shown = given.shown(learning)
    began = perf_counter()
    found = learned_from(shown, given.wrong, given.labels == LABELS[1], model)
    return found, perf_counter() - began


def not_tried(rows: Sequence[Row]) -> list[str]:
    """Why nothing was measured, as where plays teach nothing; no lines where all was tried."""
    reasons = Counter(
        r.detail.strip().splitlines()[-1] for r in rows if r.detail and not r.measures
    )
    told = [f"- {count} of {len(rows)} could not be tried: {why}" for why, count in reasons.items()]
    return ["", *told] if told else []
