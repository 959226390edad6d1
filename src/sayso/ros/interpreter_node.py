"""Words to specifications, grounded in what is seen now, with their meaning read back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from sayso_ros.msg import Scene as SceneMsg
from sayso_ros.msg import Status
from sayso_ros.srv import Correct, Interpret, LookFor

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.scene import Scene
from sayso.events import Understanding
from sayso.language.embeddings import (
    ChooseExamples,
    SimilarExamples,
    bundled_path,
    read_examples,
)
from sayso.ros import boundary, runner
from sayso.ros.calls import call
from sayso.ros.conversions import error_to_status, raise_unless_ok, scene_from_msg
from sayso.ros.grounding_params import GroundingConfig
from sayso.ros.libraries import load_library
from sayso.ros.model_params import ModelConfig
from sayso.ros.params import declare, param
from sayso.ros.qos import NEWEST
from sayso.ros.specifications import specification_from_msg, understanding_to_msg
from sayso.understander import Understander

Response = TypeVar("Response")


@dataclass(frozen=True)
class InterpreterConfig(GroundingConfig, ModelConfig):
    """Parameters of the node `interpreter`."""

    library: str = param("tabletop", "library of predicates: a built-in one's name or a folder")
    examples: str = param(
        "", "CSV file of worked examples for the model in a flat; empty: SaySo's own"
    )
    embedder: str = param(
        "character_ngrams", "backend that chooses the examples most like the instruction"
    )
    example_count: int = param(12, "how many examples the model is shown", 0, 100)
    look_for: bool = param(
        False, "ask /look_for for the nouns of every reading, instead of taking /scene as it is"
    )
    look_for_timeout_s: float = param(60.0, "time for looking [s]", 0.1, 600.0)
    scene_wait_s: float = param(
        5.0, "how long to wait for a scene before saying that there is none [s]", 0.0, 60.0
    )
    scene_fresh_s: float = param(
        3.0, "wall time after which a scene is too old to ground words in [s]", 0.1, 60.0
    )


class InterpreterNode(Node):
    """Serves `interpret` and `correct`."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("interpreter", **kwargs)
        self._config = declare(self, InterpreterConfig)
        library = load_library(self._config.library)
        self._scene: tuple[SceneMsg, float] | None = None
        self._changed = threading.Condition()
        self._understander = Understander(
            library,
            self._look_for if self._config.look_for else lambda _: self._present_scene(),
            self._config.access.connect(),
            _examples(self._config, library),
            self._config.settings(library.predicates),
        )
        self._offer_interfaces()

    def _offer_interfaces(self) -> None:
        self.create_subscription(
            SceneMsg,
            "/scene",
            self._take_scene,
            NEWEST,
            callback_group=MutuallyExclusiveCallbackGroup(),
        )
        self._looking = self.create_client(
            LookFor, "/look_for", callback_group=MutuallyExclusiveCallbackGroup()
        )
        self.create_service(Interpret, "/interpret", self._interpret)
        self.create_service(Correct, "/correct", self._correct)

    def _take_scene(self, msg: SceneMsg) -> None:
        with self._changed:
            self._scene = (msg, time.monotonic())
            self._changed.notify_all()

    def _interpret(
        self, request: Interpret.Request, response: Interpret.Response
    ) -> Interpret.Response:
        return _answered(response, lambda: self._understander.interpret(request.instruction))

    def _correct(self, request: Correct.Request, response: Correct.Response) -> Correct.Response:
        def understood() -> Understanding:
            before = specification_from_msg(request.specification)
            return self._understander.correct(before, request.correction)

        return _answered(response, understood)

    def _look_for(self, nouns: frozenset[str]) -> Scene:
        """What perception finds of these; raises NODE_UNAVAILABLE and what it answers."""
        request = LookFor.Request(nouns=sorted(nouns))
        response = call(self._looking, request, self._config.look_for_timeout_s)
        raise_unless_ok(response.status)
        return scene_from_msg(response.scene)

    def _present_scene(self) -> Scene:
        """Raises STALE if no fresh scene comes in time."""

        def fresh() -> bool:
            limit_s = time.monotonic() - self._config.scene_fresh_s
            return self._scene is not None and self._scene[1] >= limit_s

        with self._changed:
            if not self._changed.wait_for(fresh, self._config.scene_wait_s) or not self._scene:
                raise SaySoError(
                    Code.STALE,
                    f"no scene was seen for {self._config.scene_fresh_s:g} s.",
                    hint="see whether perception and the cameras run.",
                )
            msg = self._scene[0]
        return scene_from_msg(msg)


def _examples(config: InterpreterConfig, library: Library) -> ChooseExamples | None:
    """What chooses examples for the first of two stages; None where there is one stage."""
    if config.llm == "none" or "near" not in library.predicates:
        return None
    path = Path(config.examples).expanduser() if config.examples else bundled_path()
    embedder = registry.create("embedder", config.embedder)
    return SimilarExamples(read_examples(path), embedder, config.example_count)


def _answered(response: Response, understand: Callable[[], Understanding]) -> Response:
    """A response with what was understood, even where it is not clear which things are meant."""

    def work(out: Any) -> Status | None:
        understanding = understand()
        out.specification = understanding_to_msg(understanding)
        trouble = understanding.trouble
        return error_to_status(trouble, "interpret") if trouble else None

    return boundary.answer("interpret", response, work)


def main() -> None:
    runner.main(InterpreterNode)
