"""What things that turn up while a task is under way mean for it.

Its goals are about what was there when it was confirmed; its prohibitions hold for what comes
later, too.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import replace

from sayso.core.library import Library
from sayso.core.scene import Scene
from sayso.core.symbols import in_words
from sayso.logic.analysis import forbidden
from sayso.logic.english import read_back
from sayso.logic.formula import Formula, Top, conjunction
from sayso.perception.grounding import new_objects
from sayso.perception.settings import GroundingSettings
from sayso.reporting.events import Understanding


class NewObjectWatch:
    """Takes in what turns up while a task is under way; thread-safe.

    Attributes:
        understanding: the task's, with its prohibitions said of what turned up, too.

    Args:
        present: names of the things that were there when the task was confirmed.
    """

    def __init__(
        self, understanding: Understanding, present: Iterable[str], library: Library
    ) -> None:
        self.understanding = understanding
        self._present = frozenset(present)
        self._met = self._present
        self._library = library
        self._announced: dict[str, bool] = {}
        self._lock = threading.Lock()

    def knows_not_all(self, names: Iterable[str]) -> bool:
        """Whether some of these things were never taken in."""
        return not self._met.issuperset(names)

    def take_in(self, scene: Scene, forbid: Callable[[Formula], None]) -> None:
        """Say the task's prohibitions of what is new; they are handed to `forbid`, too.

        Raises:
            SaySoError: what `perception.grounding.new_objects` and `forbid` raise.
        """
        with self._lock:
            self._met |= frozenset(scene.by_name())
            grounded = self.understanding.specification
            settings = GroundingSettings(self._library.vocabulary.places)
            late = new_objects(grounded, self._present, scene, settings)
            for name in late.wanted:
                self._tell(
                    f"{in_words(name).capitalize()} turned up; the task is about what was there "
                    "when it was confirmed, so nothing is done with it."
                )
            if late.forbidden != Top():
                forbid(late.forbidden)
                further = conjunction(grounded.formula, late.forbidden)
                self.understanding = replace(
                    self.understanding, specification=replace(grounded, formula=further)
                )
                english = read_back(late.forbidden, self._library.predicates)
                self._tell(f"Something turned up that this is about, too. {english}")

    def unannounced(self) -> str:
        """What a person was not told yet; it is told with this."""
        with self._lock:
            new = [text for text, known in self._announced.items() if not known]
            self._announced.update(dict.fromkeys(new, True))
            return " ".join(new)

    def _tell(self, text: str) -> None:
        self._announced.setdefault(text, False)


def untouchable(understanding: Understanding) -> frozenset[str]:
    """Objects that the specification says must never be touched: motions keep well off them."""
    return frozenset(
        str(prop.args[0])
        for prop in forbidden(understanding.specification.formula)
        if prop.predicate in ("touching", "holding") and prop.args
    )
