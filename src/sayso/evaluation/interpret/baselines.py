"""The planners that the paper compares with: a model that chooses step by step, or writes a policy.

The first follow Inner Monologue (Huang et al., 2022) in three degrees: told what is seen; told also
what holds by learned predicates; and told also why an action, by learned operators, cannot be done.
The last follows Code as Policies (Liang et al., 2023), in the sandbox.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.ports import LanguageModel, Message
from sayso.core.predicates import SceneView
from sayso.core.sandbox import program
from sayso.core.sandbox.process import Limits
from sayso.core.scene import Scene
from sayso.core.symbols import Literal, in_words
from sayso.evaluation.interpret.episodes import Deed
from sayso.evaluation.interpret.options import MONOLOGUE_PROMPT, POLICY_PROMPT
from sayso.evaluation.interpret.planner_context import (
    actions_text,
    checked,
    facts_text,
    gripper,
    history_text,
    scene_text,
    things,
)
from sayso.language.model import Prompt, ask, fenced

_REMARKS = 5
"""How often in an episode the model is told that what it chose cannot be done."""

Step = tuple[str, tuple[str, ...]]


@dataclass
class Monologue:
    """A model chooses every action; an `episodes.Policy`.

    Args:
        library: whose predicates tell what holds; None to tell only what is seen.
        preconditions: whether the library's operators judge what the model chooses.
    """

    model: LanguageModel
    skills: Mapping[str, int]
    library: Library | None = None
    preconditions: bool = False
    _words: str = ""
    _remarks: list[str] = field(default_factory=list)

    def start(self, words: str, scene: Scene) -> None:
        self._words, self._remarks = words, []

    def next(self, scene: Scene, done: Sequence[Deed]) -> Step | None:
        """The model's choice.

        Raises:
            SaySoError: those of the model; NO_PLAN where it keeps choosing what cannot be done.
        """
        for _ in range(_REMARKS):
            step = self._asked(scene, done)
            wrong = self._wrong(step, scene) if step else ""
            if not wrong:
                return step
            self._remarks.append(wrong)
        raise SaySoError(Code.NO_PLAN, f"the model chose {_REMARKS} times what cannot be done.")

    def _asked(self, scene: Scene, done: Sequence[Deed]) -> Step | None:
        def read(data: Mapping[str, Any]) -> Step | None:
            if data["action"] == "done":
                return None
            return checked(str(data["action"]), data["things"], self.skills, scene)

        prompt = Prompt.load(*MONOLOGUE_PROMPT)
        system = prompt.system(actions=actions_text(self.skills))
        user = Message("user", "\n".join(self._turn(scene, done)))
        return ask(self.model, (system, user), prompt.schema, read)[0]

    def _turn(self, scene: Scene, done: Sequence[Deed]) -> list[str]:
        parts = [fenced("task", self._words), fenced("seen", scene_text(scene))]
        if self.library is not None:
            parts.append(fenced("holds", facts_text(scene, self.library.predicates)))
        parts.append(fenced("done", history_text(done)))
        if self._remarks:
            parts.append(fenced("remarks", "\n".join(self._remarks)))
        return parts

    def _wrong(self, step: Step, scene: Scene) -> str:
        """What a learned operator still needs, if none of the skill can be used."""
        if self.library is None or not self.preconditions:
            return ""
        view = SceneView(scene, self.library.predicates)
        missing = _missing(self.library, step, view)
        if not missing:
            return ""
        needs = ", ".join(_in_words(x, self.library) for x in missing)
        return f"{step[0]} {' '.join(step[1])} cannot be done: it needs that {needs}."


def _missing(library: Library, step: Step, view: SceneView) -> tuple[Literal, ...]:
    """What is missing for the operator that lacks least; () where one can be used, or none is
    known of the skill.
    """
    skill, args = step
    others = [o for o in view.objects() if o not in args]
    lacks = [
        tuple(sorted(x for x in action.preconditions if view.truth(x.atom) is not x.positive))
        for op in library.operators.values()
        if op.skill == skill
        for more in permutations(others, len(op.parameters) - len(args))
        for action in (op.ground(*args, *more),)
    ]
    return min(lacks, key=len, default=())


def _in_words(literal: Literal, library: Library) -> str:
    predicate = library.predicates[literal.atom.predicate]
    english = predicate.english if literal.positive else predicate.english_not
    return english.format(*map(in_words, literal.atom.args)) if english else str(literal)


@dataclass
class WrittenPolicy:
    """A model writes one program, which then chooses every action; an `episodes.Policy`."""

    model: LanguageModel
    skills: Mapping[str, int]
    limits: Limits = field(default_factory=Limits)
    _code: str = ""

    def start(self, words: str, scene: Scene) -> None:
        """Has the program written, and tries it once.

        Raises:
            SaySoError: those of the model; NO_PLAN with what it says is in the way.
        """

        def read(data: Mapping[str, Any]) -> str:
            code = str(data["code"])
            if code.strip():
                self._run(code, scene, ())
            return code

        prompt = Prompt.load(*POLICY_PROMPT)
        system = prompt.system(actions=actions_text(self.skills))
        seen = f"{fenced('task', words)}\n{fenced('seen', scene_text(scene))}"
        code, reply = ask(self.model, (system, Message("user", seen)), prompt.schema, read)
        if not code.strip():
            raise SaySoError(Code.NO_PLAN, f"the model writes no program: {reply.text}")
        self._code = code

    def next(self, scene: Scene, done: Sequence[Deed]) -> Step | None:
        """What the program returns. Raises INVALID for what is no action, and for its errors."""
        return self._run(self._code, scene, done)

    def _run(self, code: str, scene: Scene, done: Sequence[Deed]) -> Step | None:
        try:
            value = program.run(
                code,
                variables={"table": scene.table_height_m},
                function="policy",
                arguments=[things(scene), gripper(scene), [[d.skill, *d.args] for d in done]],
                limits=self.limits,
            ).value
        except SaySoError as error:
            # The model can mend its program, whatever it used up.
            raise SaySoError(Code.INVALID, error.message, hint=error.hint) from error
        if value is None:
            return None
        if not isinstance(value, list) or not value:
            raise SaySoError(Code.INVALID, f"policy returned {value!r}, which is no action.")
        return checked(str(value[0]), value[1:], self.skills, scene)
