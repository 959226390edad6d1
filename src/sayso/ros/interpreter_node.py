"""Words to specifications, grounded in what is seen now, with their meaning read back."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any, cast

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from sayso_ros.msg import Scene as SceneMsg
from sayso_ros.srv import Correct, Interpret

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.scene import Scene
from sayso.events import Understanding
from sayso.language.interpreter import Interpreter
from sayso.language.lexicon import Lexicon
from sayso.logic.english import read_back
from sayso.logic.specification import Specification
from sayso.perception.grounding import ground
from sayso.perception.settings import GroundingSettings
from sayso.perception.viewpoints import VIEWERS, FrameOfReference, Viewer, stated
from sayso.ros import boundary, runner
from sayso.ros.conversions import scene_from_msg
from sayso.ros.libraries import load_library
from sayso.ros.params import declare, param
from sayso.ros.qos import NEWEST
from sayso.ros.specifications import specification_from_msg, understanding_to_msg


@dataclass(frozen=True)
class InterpreterConfig:
    """Parameters of the node `interpreter`."""

    library: str = param("tabletop", "library of predicates: a built-in one's name or a folder")
    llm: str = param(
        "none", "language model: none (controlled English only), openai, replay, record[openai]"
    )
    model: str = param("", "the language model's name at its server")
    base_url: str = param("", "of an OpenAI-compatible server; empty: the environment's")
    cassette: str = param("", "JSONL file of recorded replies, for replay and record")
    llm_timeout_s: float = param(60.0, "for each round with the language model [s]", 0.1, 600.0)
    scene_wait_s: float = param(
        5.0, "how long to wait for a scene before saying that there is none [s]", 0.0, 60.0
    )
    frame_of_reference: str = param(
        "map",
        "from where left, right, in front and behind are meant: the map's origin along +x, or"
        " as the speaker sees them",
        choices=VIEWERS,
    )
    speaker: tuple[float, ...] = param(
        (0.0, 0.0, 0.0), "where the speaker stands and faces: x [m], y [m], yaw [rad]"
    )
    scene_fresh_s: float = param(
        3.0, "wall time after which a scene is too old to ground words in [s]", 0.1, 60.0
    )


class InterpreterNode(Node):
    """Serves `interpret` and `correct`."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("interpreter", **kwargs)
        self._config = declare(self, InterpreterConfig)
        self._library = load_library(self._config.library)
        self._settings = GroundingSettings.of(self._library.predicates, _frame(self._config))
        given = {name: getattr(self._config, name) for name in ("model", "base_url", "cassette")}
        options = {name: value for name, value in given.items() if value}
        self._model = registry.create("llm", self._config.llm, **options)
        self._scene: tuple[SceneMsg, float] | None = None
        self._changed = threading.Condition()
        self.create_subscription(
            SceneMsg,
            "/scene",
            self._take_scene,
            NEWEST,
            callback_group=MutuallyExclusiveCallbackGroup(),
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
        def work(out: Interpret.Response) -> None:
            if not request.instruction.strip():
                raise SaySoError(
                    Code.INVALID, "the instruction is empty.", hint="say what is to be done."
                )
            before = self._present_scene()
            interpreter = self._interpreter(before)
            specification = interpreter.interpret(request.instruction, _names(before))
            out.specification = understanding_to_msg(self._understand(specification))

        return boundary.answer("interpret", response, work)

    def _correct(self, request: Correct.Request, response: Correct.Response) -> Correct.Response:
        def work(out: Correct.Response) -> None:
            before = self._present_scene()
            interpreter = self._interpreter(before)
            old = specification_from_msg(request.specification)
            specification = interpreter.correct(old, request.correction, _names(before))
            out.specification = understanding_to_msg(self._understand(specification))

        return boundary.answer("interpret", response, work)

    def _interpreter(self, scene: Scene) -> Interpreter:
        lexicon = Lexicon.of(self._library, {o.category for o in scene.objects})
        return Interpreter(lexicon, self._model, self._config.llm_timeout_s)

    def _understand(self, specification: Specification) -> Understanding:
        """Ground in the scene as it is now: a language model may have taken its time."""
        grounded = ground(specification, self._present_scene(), self._settings)
        formula, settings = specification.formula, self._settings
        english = read_back(formula, self._library.predicates)
        seen_from = stated(formula, settings.frame, settings.origin)
        return Understanding(grounded, f"{english} {seen_from}".rstrip())

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


def _frame(config: InterpreterConfig) -> FrameOfReference:
    """Raises CONFIG unless the speaker's pose is x, y and yaw."""
    if len(config.speaker) != 3:
        raise SaySoError(
            Code.CONFIG,
            f"parameter 'speaker' has {len(config.speaker)} numbers.",
            hint="give x [m], y [m] and yaw [rad].",
        )
    viewer = cast(Viewer, config.frame_of_reference)
    return FrameOfReference(viewer, *config.speaker)


def _names(scene: Scene) -> tuple[str, ...]:
    return tuple(o.name for o in scene.objects)


def main() -> None:
    runner.main(InterpreterNode)
