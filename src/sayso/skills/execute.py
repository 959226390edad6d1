"""Run one action's skill with its contract: preconditions before, effects after, both observed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.ports import Cancelled
from sayso.core.scene import Scene
from sayso.core.symbols import Action, Check, Literal
from sayso.skills import contract
from sayso.skills.guiding import Wishes, guide, kept_off
from sayso.skills.handling import Forbids
from sayso.skills.primitives import FELT, require_primitive
from sayso.skills.skill import Repertoire, Route, Skill, Skills, Terms, Work


class SkillExecutor:
    """Carries out actions by the skill they name; all that it remembers is in its work.

    Use it from one thread at a time. The gate must be authorised by the caller.

    Args:
        work: what the skills of this robot work with.
        skills: makes skills by their names.

    Raises:
        SaySoError: as `use`.
    """

    def __init__(self, work: Work[Any], library: Library, skills: Skills) -> None:
        self._work = work
        self._skills = Repertoire[Any](skills, work, work.capabilities)
        self.use(library)

    def use(self, library: Library) -> None:
        """Check contracts with this library from now on. Raises as `require_fit`."""
        self.require_fit(library)
        self._predicates, self._words = library.predicates, library.vocabulary

    def require_fit(self, library: Library) -> None:
        """Raises INVALID or UNSUPPORTED as `Repertoire.require_fit`."""
        self._skills.require_fit(library)

    def with_skills(self, library: Library, skills: Skills) -> SkillExecutor:
        """The same robot with other skills: for rehearsals. Raises as `use`."""
        return SkillExecutor(self._work, library, skills)

    def execute(
        self,
        action: Action,
        avoid: frozenset[str] = frozenset(),
        *,
        route: Route | None = None,
        started: Callable[[tuple[Check, ...]], None] = lambda _: None,
        phase: Callable[[str], None] = lambda _: None,
        cancelled: Cancelled = lambda: False,
        forbids: Forbids = lambda _scene, _robot: None,
    ) -> tuple[Check, ...]:
        """Check, act, look, check. Gives the effects as observed.

        Args:
            avoid: objects that must not be touched; kept well clear of.
            route: of a robot that drives.
            started: called with the precondition checks before anything moves.
            phase: called with what the skill is doing now, in English.
            forbids: why the task would be broken by a scene with the robot in a state, or None.

        Raises:
            SaySoError: OBJECT_LOST, VETO for an argument that must not be touched, PRECONDITION
                and POSTCONDITION (with the observed values), UNSUPPORTED for an unknown skill,
                or what the skill, the planner or the gate raised.
        """
        skill = self._skills.skill(action.skill)
        brings = frozenset(a.predicate for a in action.add)
        terms = Terms(avoid, phase, cancelled, forbids, route, brings, self._words)
        scene = self._work.senses.scene()
        job = self._work.job(terms, scene)
        # Where it drives along a path, nothing is touched.
        contract.require_known(scene, action.args, () if terms.path is not None else avoid)
        checks = self.check(scene, sorted(action.needs(scene.by_name())))
        started(checks)
        contract.require(checks, Code.PRECONDITION, f"{action} cannot start")
        skill.run(job, action.args[: len(skill.parameters)])
        return self._verify(action, terms)

    def prepared(self, skill: str, scene: Scene) -> tuple[Skill[Any], Any]:
        """A skill, and what it works with in a scene that need not be the one observed.

        For rehearsals: the gate stays closed. Raises as `Repertoire.skill`.
        """
        return self._skills.skill(skill), self._work.job(Terms(words=self._words), scene)

    def attempt(
        self,
        primitive: str,
        args: Sequence[str],
        avoid: frozenset[str] = frozenset(),
        *,
        phase: Callable[[str], None] = lambda _: None,
        cancelled: Cancelled = lambda: False,
    ) -> None:
        """Try a primitive without a contract, then go where the cameras see the table.

        Args:
            avoid, phase, cancelled: as of `execute`.

        Raises:
            SaySoError: INVALID for what is no primitive, one of `primitives.FELT` where it did
                not succeed, VETO, or what the gate raised.
        """
        require_primitive(primitive, args)
        scene, terms = self._work.senses.scene(), Terms(avoid, phase, cancelled, words=self._words)
        contract.require_known(scene, args, avoid)
        try:
            self._skills.skill(primitive).run(self._work.job(terms, scene), tuple(args))
        except SaySoError as error:
            if error.code in FELT:
                self._look_after(terms)
            raise
        self._look_after(terms)

    def be_guided(
        self,
        wishes: Wishes,
        phase: Callable[[str], None] = lambda _: None,
        cancelled: Cancelled = lambda: False,
    ) -> None:
        """Go as a person wishes: see `guiding.guide`, and `guiding.kept_off` for what the arm keeps
        off; what it holds afterwards is what is seen in the hand."""
        arm = self._work.job(Terms(phase=phase, cancelled=cancelled)).arm
        self._work.held = None
        guide(arm, wishes, lambda scene: kept_off(scene, arm.settings), phase)

    def go_home(
        self, avoid: frozenset[str] = frozenset(), cancelled: Cancelled = lambda: False
    ) -> None:
        """The arm out of the way, with what is held: see `Work.go_home`."""
        terms = Terms(avoid, cancelled=cancelled, words=self._words)
        self._work.go_home(self._work.job(terms))

    def check(self, scene: Scene, literals: Iterable[Literal]) -> tuple[Check, ...]:
        """Each literal against a scene, with the observed values behind it."""
        return contract.check(scene, literals, self._predicates)

    def _look_after(self, terms: Terms) -> None:
        """From where the arm hides nothing, with what the hand feels that it holds."""
        if not self._work.closed_on_something():
            self._work.held = None
        terms.phase("look at the result")
        self._work.go_home(self._work.job(terms, self._fresh_scene()))

    def _verify(self, action: Action, terms: Terms) -> tuple[Check, ...]:
        """Look at once; if not every effect shows, look again from where the arm hides nothing."""
        effects = contract.effects(action)
        terms.phase("look at the result")
        scene = self._fresh_scene()
        checks = self.check(scene, effects)
        if self._work.hides_things and not all(c.observed for c in checks):
            self._work.go_home(self._work.job(terms, scene))
            checks = self.check(self._fresh_scene(), effects)
        if any(c.literal.atom.predicate == "holding" and c.observed is False for c in checks):
            self._work.held = None
        contract.require(checks, Code.POSTCONDITION, f"{action} did not have its effect")
        return checks

    def _fresh_scene(self) -> Scene:
        senses = self._work.senses
        return senses.scene_after(senses.now_s(), self._work.arm.settings.scene_timeout_s)
