"""Words to specifications, grounded in what is seen now, with their meaning read back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.node import Node
from sayso_ros.msg import Scene as SceneMsg
from sayso_ros.msg import Status
from sayso_ros.srv import Correct, Interpret, LookFor
from std_msgs.msg import String

from sayso.adapters import registry
from sayso.adapters.llm.interruptible import Interruptible
from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.ports import Cancelled
from sayso.core.scene import Scene
from sayso.language.embeddings import (
    ChooseExamples,
    SimilarExamples,
    bundled_path,
    read_examples,
)
from sayso.mission.understanding import TaskInterpreter
from sayso.reporting.events import Understanding
from sayso.ros.messages.conversions import error_to_status, raise_unless_ok, scene_from_msg
from sayso.ros.messages.qos import NEWEST
from sayso.ros.messages.specifications import specification_from_msg, understanding_to_msg
from sayso.ros.runtime import boundary, runner
from sayso.ros.runtime.calls import call
from sayso.ros.runtime.grounding_params import GroundingConfig
from sayso.ros.runtime.libraries import LibraryConfig, load_library, load_operators
from sayso.ros.runtime.liveliness import SignOfLife
from sayso.ros.runtime.model_params import ModelConfig
from sayso.ros.runtime.params import declare, on_change, param

Response = TypeVar("Response")
MOST_REQUESTS = 4


@dataclass(frozen=True)
class InterpreterConfig(LibraryConfig, GroundingConfig, ModelConfig):
    """Parameters of the node `interpreter`."""

    stages: int = param(
        1, "how the model translates; 2: first the order alone, with examples like it", 1, 2
    )
    examples: str = param(
        "", "CSV file of worked examples for the first of two stages; empty: SaySo's own"
    )
    embedder: str = param(
        "character_ngrams", "backend that chooses the examples most like the instruction"
    )
    example_count: int = param(12, "how many examples the model is shown", 0, 100)
    look_for: bool = param(
        False, "ask /look_for for the nouns of every reading, instead of taking /scene as it is"
    )
    look_for_timeout_s: float = param(60.0, "time for looking [s]", 0.1, 600.0, read_only=False)
    scene_wait_s: float = param(
        5.0,
        "how long to wait for a scene before saying that there is none [s]",
        0.0,
        60.0,
        read_only=False,
    )
    scene_fresh_s: float = param(
        3.0, "wall time after which a scene is too old to ground words in [s]", 0.1, 60.0
    )


class Requests:
    """The words that are being understood with the model, so that each can be given up.

    Args:
        most: at once; more are refused.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._running: list[tuple[str, threading.Event]] = []

    @contextmanager
    def of(self, words: str) -> Iterator[Cancelled]:
        """While these words are understood: whether they were given up. Raises BUSY."""
        mine = (words, threading.Event())
        with self._lock:
            if len(self._running) >= self._most:
                raise SaySoError(
                    Code.BUSY,
                    f"{self._most} other requests are being understood.",
                    hint="wait for their answers, then ask again.",
                )
            self._running.append(mine)
        try:
            yield mine[1].is_set
        finally:
            with self._lock:
                self._running.remove(mine)

    def give_up(self, words: str = "") -> None:
        """Gives up the requests with these words, or all."""
        with self._lock:
            for said, event in self._running:
                if words in ("", said):
                    event.set()


class InterpreterNode(Node):
    """Serves `interpret` and `correct`, several at once; `interpret/cancel` ends those of its
    words, or all for no words, while the language model is asked."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("interpreter", **kwargs)
        self._config = declare(self, InterpreterConfig)
        library = load_library(self._config.library)
        self._scene: tuple[SceneMsg, float] | None = None
        self._changed = threading.Condition()
        self._interpreter = TaskInterpreter(
            library,
            self._look_for if self._config.look_for else lambda _: self._present_scene(),
            self._config.access.connect(),
            _examples(self._config),
            self._config.settings(library.vocabulary.places),
            registry.create("dependency_parser", "spacy"),
        )
        self._config.take_over(self, self._take_over, load_operators)
        on_change(self, self._config, partial(setattr, self, "_config"))
        self._requests = Requests(MOST_REQUESTS)
        self._offer_interfaces()
        self._life = SignOfLife(self)

    def _take_over(self, library: Library) -> None:
        """What is asked from now on is understood with this library's words."""
        settings = self._config.settings(library.vocabulary.places)
        self._interpreter = replace(self._interpreter, library=library, settings=settings)

    def wind_down(self) -> None:
        """Nobody waits for the language model any more."""
        self._requests.give_up()

    def _offer_interfaces(self) -> None:
        self.create_subscription(
            SceneMsg,
            "scene",
            self._take_scene,
            NEWEST,
            callback_group=MutuallyExclusiveCallbackGroup(),
        )
        self._looking = self.create_client(
            LookFor, "look_for", callback_group=MutuallyExclusiveCallbackGroup()
        )
        several = ReentrantCallbackGroup()
        self.create_service(Interpret, "interpret", self._interpret, callback_group=several)
        self.create_service(Correct, "correct", self._correct, callback_group=several)
        self.create_subscription(
            String,
            "interpret/cancel",
            self._give_up,
            10,
            callback_group=several,
        )

    def _take_scene(self, msg: SceneMsg) -> None:
        with self._changed:
            self._scene = (msg, time.monotonic())
            self._changed.notify_all()

    def _give_up(self, words: Any) -> None:
        self._requests.give_up(words.data)

    def _interpret(
        self, request: Interpret.Request, response: Interpret.Response
    ) -> Interpret.Response:
        def understood() -> Understanding:
            with self._understanding(request.instruction) as interpreter:
                return interpreter.interpret(request.instruction)

        return _answered(response, understood)

    def _correct(self, request: Correct.Request, response: Correct.Response) -> Correct.Response:
        def understood() -> Understanding:
            before = specification_from_msg(request.specification)
            with self._understanding(request.correction) as interpreter:
                return interpreter.correct(before, request.correction)

        return _answered(response, understood)

    @contextmanager
    def _understanding(self, words: str) -> Iterator[TaskInterpreter]:
        """What understands these words, until they are given up. Raises BUSY."""
        with self._requests.of(words) as given_up:
            model = self._interpreter.model
            asked = Interruptible(model, given_up) if model else None
            yield replace(self._interpreter, model=asked)

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


def _examples(config: InterpreterConfig) -> ChooseExamples | None:
    """What chooses examples for the first of two stages; None where there is one stage."""
    if config.stages == 1:
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
    # One thread for each request, one for the scene, one for what is looked for, one to spare.
    runner.main(InterpreterNode, threads=MOST_REQUESTS + 3, wind_down=InterpreterNode.wind_down)
